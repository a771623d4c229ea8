package command

import (
	"context"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"quaywatch/app/control"
	"quaywatch/form"
	"quaywatch/store"
	"quaywatch/store/records"
	"quaywatch/users"
	"quaywatch/users/access/right"
)

// tokenCommand lists, makes and revokes the tokens by which programs call the interface. The text of a new one is the only line on standard
// output, for a script to keep.
func tokenCommand(ctx context.Context, c console, args []string) error {
	f := newFlags(c, "token", true)
	cmd, err := readTokenCommand(f, args)
	if err != nil {
		return err
	}
	cfg, err := f.origin().Read()
	if err != nil {
		return err
	}
	what := "token " + cmd.Verb
	if err := findStore(c, cfg, needStore); err != nil {
		return fmt.Errorf("%s: %w", what, err)
	}
	var said string
	err = onStore(c, cfg, records.RefuseVital,
		func(_ *store.DB, a users.Areas) (err error) { said, err = cmd.Run(a.Users); return err },
		func() (err error) { said, err = cmd.Send(ctx, cfg.DataDir); return err })
	if err != nil {
		return fmt.Errorf("%s: %w", what, err)
	}
	switch cmd.Verb {
	case "make":
		fmt.Fprintf(c.err, "token %s of %s made in %s; it is shown this once\n", control.Printable(cmd.Name), control.Printable(cmd.User), cfg.Folder())
		said += "\n"
	case "revoke":
		said = fmt.Sprintf("token %s of %s revoked in %s\n", control.Printable(cmd.Name), control.Printable(cmd.User), cfg.Folder())
	default:
		fmt.Fprintf(c.err, "in %s\n", cfg.Folder())
	}
	_, err = io.WriteString(c.out, said)
	return err
}

// readTokenCommand reads the verb, then the names and the flags in any order.
func readTokenCommand(f *flags, args []string) (*control.TokenCommand, error) {
	cmd := &control.TokenCommand{}
	rights := ""
	f.StringVar(&rights, "rights", "", "make: `RIGHT,RIGHT` among those of the user; allow_web_service is always one of them")
	f.Func("expires", "make: `TIME`, as 2026-12-31, from which it is refused; a year from now if not given", func(text string) (err error) {
		cmd.Expires, err = form.ParseTime(text)
		return err
	})
	if len(args) > 0 && !strings.HasPrefix(args[0], "-") {
		cmd.Verb, args = args[0], args[1:]
	}
	if err := f.parse(args, 0, math.MaxInt); err != nil {
		return nil, err
	}
	names := f.Args()
	switch {
	case !slices.Contains([]string{"list", "make", "revoke"}, cmd.Verb):
		return nil, f.wrong("name one of list, make, revoke first")
	case cmd.Verb == "list" && len(names) > 1:
		return nil, f.wrong("list takes at most one USER, got %d names", len(names))
	case cmd.Verb != "list" && len(names) != 2:
		return nil, f.wrong("%s takes USER and NAME, got %d names", cmd.Verb, len(names))
	case cmd.Verb != "make" && (rights != "" || !cmd.Expires.IsZero()):
		return nil, f.wrong("only make takes --rights and --expires")
	}
	for _, name := range commaList(rights) {
		if !slices.Contains(right.All(), right.Name(name)) {
			return nil, f.wrong("%q is none of the rights", name)
		}
		cmd.Rights = append(cmd.Rights, right.Name(name))
	}
	names = append(names, "", "")
	cmd.User, cmd.Name = names[0], names[1]
	return cmd, nil
}
