package command

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
)

// userCommand lists, makes, changes and deletes users, and lets the box go on without those that cannot be read. A password is one line on
// standard input, so that no history of a shell has it.
func userCommand(ctx context.Context, c console, args []string) error {
	if len(args) > 0 && args[0] == "forget-damaged" {
		return forgetDamaged(c, args[1:])
	}
	return newUserFlags(c, "user").runCommand(ctx, args, "list", "add", "set", "passwd", "delete")
}

// groupCommand lists, makes, changes and deletes groups.
func groupCommand(ctx context.Context, c console, args []string) error {
	return newUserFlags(c, "group").runCommand(ctx, args, "list", "add", "set", "delete")
}

func readPassword(c console) (string, error) {
	line, err := bufio.NewReader(io.LimitReader(c.in, 4096)).ReadString('\n')
	if err != nil && !errors.Is(err, io.EOF) {
		return "", fmt.Errorf("read password: %w", err)
	}
	password := strings.TrimRight(line, "\r\n")
	if password == "" {
		return "", usageError("quaywatch user: give the password as one line on standard input")
	}
	return password, nil
}
