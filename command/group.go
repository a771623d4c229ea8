package command

import "context"

// groupCommand lists, makes, changes and deletes groups.
func groupCommand(ctx context.Context, c console, args []string) error {
	return newUserFlags(c, "group").command(ctx, args, "list", "add", "set", "delete")
}
