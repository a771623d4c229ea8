package control

import (
	"context"
	"fmt"
	"strings"
	"text/tabwriter"
	"time"

	"quaywatch/form"
	"quaywatch/internal/fold"
	"quaywatch/users/access"
	"quaywatch/users/access/audit"
	"quaywatch/users/access/right"
)

// TokenCommand is a command on the tokens of a user. It runs on the store of a stopped service, or is sent to the running one.
type TokenCommand struct {
	Verb    string       `json:"verb"` // list, make or revoke
	User    string       `json:"user,omitempty"`
	Name    string       `json:"name,omitempty"` // of the token
	Rights  []right.Name `json:"rights,omitempty"`
	Expires time.Time    `json:"expiration_time,omitzero"` // zero is the usual expiry
}

// Run runs the command, with its line in the audit log. It returns the table of a list, and the text of a token that it made.
func (c *TokenCommand) Run(users *access.Users) (string, error) {
	if c.Verb == "list" && c.User == "" {
		return tokenTable(users, users.List()), nil
	}
	user, ok := users.User(c.User)
	if !ok {
		return "", fmt.Errorf("there is no user %s", Printable(c.User))
	}
	line := users.Audit().Line(func() audit.LogEntry {
		return audit.LogEntry{User: commandLine, Action: "token " + c.Verb, Object: c.Name + " of " + user.Name, Result: "ok"}
	})
	switch c.Verb {
	case "list":
		return tokenTable(users, []access.User{*user}), nil
	case "make":
		return c.makeToken(users, user, line)
	}
	return "", c.revoke(users, user, line)
}

func (c *TokenCommand) makeToken(users *access.Users, user *access.User, line audit.LineWriter) (text string, err error) {
	if user.Expired(users.Now()) {
		return "", fmt.Errorf("%s has expired, so no token of it would work: give the user a later end first", Printable(user.Name))
	}
	expires := c.Expires
	if expires.IsZero() {
		expires = users.Now().AddDate(0, 0, access.TokenDays)
	}
	_, text, err = users.Tokens().Make(user, access.Token{Name: c.Name, Rights: c.Rights, Expires: expires}, line)
	return text, err
}

func (c *TokenCommand) revoke(users *access.Users, user *access.User, line audit.LineWriter) error {
	for _, token := range users.Tokens().Of(user) {
		if fold.Name(token.Name) == fold.Name(form.Tidy(c.Name)) {
			return users.Tokens().Revoke(user, token.ID, func(access.Token) audit.LineWriter { return line })
		}
	}
	return fmt.Errorf("%s has no token %s", Printable(user.Name), Printable(c.Name))
}

// tokenTable returns the tokens of users, a line each.
func tokenTable(users *access.Users, of []access.User) string {
	const layout = "2006-01-02 15:04"
	var text strings.Builder
	w := tabwriter.NewWriter(&text, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "USER\tTOKEN\tEXPIRES\tLAST USED\tFROM\tRIGHTS")
	for _, user := range of {
		for _, token := range users.Tokens().Of(&user) {
			expires, used, from := token.Expires.Format(layout), "-", "-"
			if token.Over(users.Now()) {
				expires = "expired"
			}
			if !token.Used.IsZero() {
				used, from = token.Used.Format(layout), Printable(token.Address)
			}
			names := make([]string, len(token.Rights))
			for i, r := range token.Rights {
				names[i] = string(r)
			}
			fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\t%s\n", Printable(user.Name), Printable(token.Name), expires, used, from, strings.Join(names, ","))
		}
	}
	if err := w.Flush(); err != nil {
		return err.Error() // a strings.Builder takes everything
	}
	return text.String()
}

// Send has the service that runs on this data folder run the command, and returns what it says.
func (c *TokenCommand) Send(ctx context.Context, dir string) (said string, err error) {
	err = post(ctx, dir, tokensPath, c, &said)
	return said, err
}
