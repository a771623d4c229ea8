package control

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"quaywatch/form"
	"quaywatch/internal/rule"
	"quaywatch/users/access"
	"quaywatch/users/access/audit"
	"quaywatch/users/access/right"
)

// UserCommand is a command on users or groups. It runs on the store of a stopped service, or is sent to the running one.
type UserCommand struct {
	Kind     string          `json:"kind"` // "user" or "group"
	Verb     string          `json:"verb"`
	Name     string          `json:"name"`
	Password string          `json:"password,omitempty"`
	Fields   json.RawMessage `json:"fields,omitempty"` // as in an entry of a document
}

// Run runs the command on the users of a box, with its line in the audit log, and returns what it has to say.
func (c *UserCommand) Run(users *access.Users) (string, error) {
	if c.Verb == "list" {
		return c.tableText(users), nil
	}
	var fields map[string]json.RawMessage
	if c.Fields != nil {
		if err := json.Unmarshal(c.Fields, &fields); err != nil {
			return "", err
		}
	}
	return c.act(users, users.Audit().Line(func() audit.LogEntry {
		return audit.LogEntry{User: commandLine, Action: c.Kind + " " + c.Verb, Object: c.Name, Result: "ok",
			Detail: strings.Join(slices.Sorted(maps.Keys(fields)), ", ")}
	}))
}

// act runs each verb but list, and returns what it did.
func (c *UserCommand) act(users *access.Users, line audit.LineWriter) (string, error) {
	done := map[string]string{"add": "added", "set": "changed", "passwd": "given a new password", "delete": "deleted"}
	said := fmt.Sprintf("%s %s %s", c.Kind, Printable(c.Name), done[c.Verb])
	first := c.Kind == "user" && c.Verb == "add" && len(users.List()) == 0
	err := c.makeChange(users, line)
	switch {
	case first && errors.Is(err, access.ErrLastAdmin):
		return "", fmt.Errorf("the first user of a box has to be an administrator, of the group %s", Printable(users.Groups().Admin().Name))
	case err != nil:
		return "", err
	case first:
		said += " as the first user, an administrator,"
	case c.Kind == "user" && c.Verb == "add":
		if user, ok := users.User(c.Name); ok {
			said += " with the groups " + groupNames(users, user)
		}
	}
	return said, nil
}

func (c *UserCommand) makeChange(users *access.Users, line audit.LineWriter) error {
	user, isUser := users.User(c.Name)
	group, isGroup := users.Groups().Get(c.Name)
	there := isUser
	if c.Kind == "group" {
		there = isGroup
	}
	switch {
	case c.Verb == "add" && there:
		return errors.New("there is one of that name already")
	case c.Verb != "add" && !there:
		return errors.New("there is none of that name")
	case c.Kind == "user" && c.Verb == "passwd":
		return users.SetPassword(user.Name, c.Password, line)
	case c.Kind == "user" && c.Verb == "delete":
		return users.Delete(user.Name, line)
	case c.Kind == "group" && c.Verb == "delete":
		return users.Groups().Delete(group.UID, line)
	case c.Kind == "user":
		return c.writeUser(users, user, line)
	}
	return c.writeGroup(users, group, line)
}

// writeUser adds a user, or changes what is given of one.
func (c *UserCommand) writeUser(users *access.Users, was *access.User, line audit.LineWriter) error {
	f, err := c.read()
	if err != nil {
		return err
	}
	user := access.User{Name: c.Name}
	if was != nil {
		user = *was
	}
	users.Apply(f, &user)
	if was == nil && !f.Given("groups") {
		if len(users.List()) > 0 {
			return fmt.Errorf("say which groups: --groups with some of %s, or --groups \"\" for none", allGroups(users))
		}
		user.Groups = []string{users.Groups().Admin().UID}
	}
	if err := fieldErrors(f); err != nil {
		return err
	}
	if was == nil && len(users.List()) == 0 && !users.Resolved(user).MayAdminister() {
		return access.ErrLastAdmin
	}
	if was == nil {
		_, err = users.Create(user, c.Password, line)
		return err
	}
	_, err = users.Change(was.Name, func(now *access.User) error { *now = user; return nil }, line)
	return err
}

func (c *UserCommand) writeGroup(users *access.Users, was *access.Group, line audit.LineWriter) error {
	f, err := c.read()
	if err != nil {
		return err
	}
	g := access.Group{Name: c.Name}
	if was != nil {
		g = *was
	}
	users.Groups().Apply(f, &g)
	if err := errors.Join(form.CheckTitle(g.Name), fieldErrors(f)); err != nil {
		return err
	}
	if was == nil {
		_, err = users.Groups().Add(g, line)
		return err
	}
	_, err = users.Groups().Change(was.UID, func(now *access.Group) error { *now = g; return nil }, line)
	return err
}

// read reads the fields of the command.
func (c *UserCommand) read() (*form.Fields, error) {
	if c.Fields == nil {
		return form.Of(nil), nil
	}
	return form.Read(c.Fields)
}

// fieldErrors returns all that is wrong with fields that were applied, a line each: unknown ones too.
func fieldErrors(f *form.Fields) error {
	for _, key := range f.Unread() {
		f.Refuse(key, rule.New("unknown_key", "unknown key"))
	}
	var lines []error
	for _, wrong := range f.Take() {
		lines = append(lines, errors.New(strings.TrimPrefix(wrong.Pointer, "/")+": "+wrong.Rule.Error()))
	}
	return errors.Join(lines...)
}

// tableText returns a table of all users or groups.
func (c *UserCommand) tableText(users *access.Users) string {
	var text strings.Builder
	w := tabwriter.NewWriter(&text, 0, 0, 2, ' ', 0)
	if c.Kind == "group" {
		fmt.Fprintln(w, "NAME\tMEMBERS\tRIGHTS\tSTATE\tDESCRIPTION")
		for _, g := range users.Groups().All() {
			state := "-"
			if g.Locked {
				state = "locked"
			}
			allowed := 0
			for _, verdict := range g.Rights {
				if verdict == right.Allow {
					allowed++
				}
			}
			fmt.Fprintf(w, "%s\t%d\t%d\t%s\t%s\n", Printable(g.Name), len(users.Groups().Members(g.UID)), allowed, state, Printable(g.Description))
		}
	} else {
		fmt.Fprintln(w, "NAME\tGROUPS\tRIGHTS\tSTATE\tDESCRIPTION")
		for _, u := range users.List() {
			fmt.Fprintf(w, "%s\t%s\t%d\t%s\t%s\n", Printable(u.Name), groupNames(users, &u), len(u.Effective()), userState(&u, users.Now()), Printable(u.Description))
		}
	}
	if err := w.Flush(); err != nil {
		return err.Error() // a strings.Builder takes everything
	}
	return text.String()
}

func allGroups(users *access.Users) string {
	var names []string
	for _, g := range users.Groups().All() {
		names = append(names, Printable(g.Name))
	}
	return strings.Join(names, ", ")
}

func groupNames(users *access.Users, u *access.User) string {
	var names []string
	for _, uid := range u.Groups {
		if g, ok := users.Groups().Get(uid); ok {
			names = append(names, Printable(g.Name))
		}
	}
	if len(names) == 0 {
		return "-"
	}
	return strings.Join(names, ",")
}

// userState says why a user cannot sign in, or until when it can.
func userState(u *access.User, now time.Time) string {
	switch {
	case u.Disabled:
		return "disabled"
	case u.Expired(now):
		return "expired"
	case u.Hash == "":
		return "no password"
	case !u.Expires.IsZero():
		return "until " + u.Expires.Format("2006-01-02 15:04")
	}
	return "-"
}
