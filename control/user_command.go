package control

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"text/tabwriter"

	"quaywatch/access"
	"quaywatch/form"
)

// UserCommand is a command on users or groups. It runs on the store of a stopped service, or is sent to the running one.
type UserCommand struct {
	Kind     string          `json:"kind"` // "user" or "group"
	Verb     string          `json:"verb"`
	Name     string          `json:"name"`
	Password string          `json:"password,omitempty"`
	Fields   json.RawMessage `json:"fields,omitempty"` // as in an entry of a document
}

// Run runs the command on the users of a box, notes it in the audit log and gives what it has to say.
func (c *UserCommand) Run(users *access.Users) (string, error) {
	if c.Verb == "list" {
		return c.list(users), nil
	}
	said, err := c.act(users)
	if err != nil {
		return "", err
	}
	var fields map[string]json.RawMessage
	if c.Fields != nil {
		if err := json.Unmarshal(c.Fields, &fields); err != nil {
			return "", err
		}
	}
	users.Audit().Note(access.Event{User: commandLine, Action: c.Kind + " " + c.Verb, Object: c.Name, Result: "ok",
		Detail: strings.Join(slices.Sorted(maps.Keys(fields)), ", ")})
	return said, nil
}

// act runs each verb but list, and tells what was done.
func (c *UserCommand) act(users *access.Users) (string, error) {
	done := map[string]string{"add": "added", "set": "changed", "passwd": "given a new password", "delete": "deleted"}
	said := fmt.Sprintf("%s %s %s", c.Kind, Printable(c.Name), done[c.Verb])
	first := c.Kind == "user" && c.Verb == "add" && len(users.List()) == 0
	err := c.change(users)
	switch {
	case first && errors.Is(err, access.ErrLastAdmin):
		return "", fmt.Errorf("the first user of a box has to be an administrator, of the group %s", Printable(users.AdminGroup().Name))
	case err != nil:
		return "", err
	case first:
		said += " as the first user, an administrator,"
	case c.Kind == "user" && c.Verb == "add":
		if user, ok := users.Find(c.Name); ok {
			said += " with the groups " + groupNames(users, user)
		}
	}
	return said, nil
}

func (c *UserCommand) change(users *access.Users) error {
	user, isUser := users.Find(c.Name)
	group, isGroup := users.Group(c.Name)
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
		return users.SetPassword(user.Name, c.Password)
	case c.Kind == "user" && c.Verb == "delete":
		return users.Delete(user.Name)
	case c.Kind == "group" && c.Verb == "delete":
		return users.DeleteGroup(group.UID)
	case c.Kind == "user":
		return c.writeUser(users, user)
	}
	return c.writeGroup(users, group)
}

// writeUser adds a user, or changes what is given of one.
func (c *UserCommand) writeUser(users *access.Users, was *access.User) error {
	e := access.UserEntry{}
	if err := c.read(&e); err != nil {
		return err
	}
	e.Password = c.Password
	if was != nil {
		overlay(users, &e.ProfileEntry, was.UID, was.Name, &was.Profile)
	} else {
		e.Name = c.Name
		if e.Groups == nil {
			if len(users.List()) > 0 {
				return fmt.Errorf("say which groups: --groups with some of %s, or --groups \"\" for none", allGroups(users))
			}
			e.Groups = []json.RawMessage{json.RawMessage(`"` + users.AdminGroup().UID + `"`)}
		}
	}
	return c.importInto(users, &access.Document{Users: []access.UserEntry{e}})
}

func (c *UserCommand) writeGroup(users *access.Users, was *access.Group) error {
	e := access.GroupEntry{}
	if err := c.read(&e); err != nil {
		return err
	}
	if was != nil {
		overlay(users, &e.ProfileEntry, was.UID, was.Name, &was.Profile)
	} else {
		e.Name = c.Name
	}
	return c.importInto(users, &access.Document{Groups: []access.GroupEntry{e}})
}

// importInto imports a document with one entry. Its errors name neither the entry nor the import, because the command does. A feed or an output
// that is not configured is an error here.
func (c *UserCommand) importInto(users *access.Users, doc *access.Document) error {
	report, err := users.Import(doc, access.Beside{}, true)
	if err == nil && len(report.Strange) > 0 {
		err = access.DocumentError(report.Strange)
	}
	if err == nil {
		_, err = users.Import(doc, access.Beside{}, false)
	}
	var wrong access.DocumentError
	if !errors.As(err, &wrong) {
		if inner := errors.Unwrap(err); inner != nil {
			return inner
		}
		return err
	}
	var lines []error
	for _, line := range wrong {
		lines = append(lines, errors.New(strings.TrimPrefix(line, fmt.Sprintf("%s %q: ", c.Kind, c.Name))))
	}
	return errors.Join(lines...)
}

// read reads the fields of an entry.
func (c *UserCommand) read(entry any) error {
	if c.Fields == nil {
		return nil
	}
	decoder := json.NewDecoder(bytes.NewReader(c.Fields))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(entry); err != nil {
		return fmt.Errorf("%s", strings.Replace(strings.TrimPrefix(err.Error(), "json: "), "unknown field", "unknown key", 1))
	}
	return nil
}

// overlay puts the given keys over those that stand there. An empty right and a null remove theirs.
func overlay(users *access.Users, e *access.ProfileEntry, uid, name string, p *access.Profile) {
	e.UID = uid
	if e.Name == "" {
		e.Name = name
	}
	if e.Rights != nil {
		rights := maps.Clone(p.Rights)
		if rights == nil {
			rights = map[access.Right]access.Verdict{}
		}
		maps.Copy(rights, e.Rights)
		e.Rights = rights
	}
	for _, k := range []struct {
		set   access.KeySet
		kept  form.Keys
		given *form.Keys
	}{
		{access.SettingKeys, p.Settings, &e.Settings},
		{access.ReceiveKeys, p.ReceiveFilter, &e.ReceiveFilter},
		{access.TransmitKeys, p.TransmitFilter, &e.TransmitFilter},
	} {
		if *k.given != nil {
			keys := users.GiveKeys(k.set, k.kept)
			maps.Copy(keys, *k.given)
			*k.given = keys
		}
	}
}

// list gives a table of all users or groups.
func (c *UserCommand) list(users *access.Users) string {
	var text strings.Builder
	w := tabwriter.NewWriter(&text, 0, 0, 2, ' ', 0)
	if c.Kind == "group" {
		fmt.Fprintln(w, "NAME\tMEMBERS\tRIGHTS\tSTATE\tDESCRIPTION")
		for _, g := range users.Groups() {
			state := "-"
			if g.Locked {
				state = "locked"
			}
			allowed := 0
			for _, verdict := range g.Rights {
				if verdict == access.Allow {
					allowed++
				}
			}
			fmt.Fprintf(w, "%s\t%d\t%d\t%s\t%s\n", Printable(g.Name), len(users.Members(g.UID)), allowed, state, Printable(g.Description))
		}
	} else {
		fmt.Fprintln(w, "NAME\tGROUPS\tRIGHTS\tSTATE\tDESCRIPTION")
		for _, u := range users.List() {
			fmt.Fprintf(w, "%s\t%s\t%d\t%s\t%s\n", Printable(u.Name), groupNames(users, &u), len(u.Effective()), userState(&u), Printable(u.Description))
		}
	}
	if err := w.Flush(); err != nil {
		return err.Error() // a strings.Builder takes everything
	}
	return text.String()
}

func allGroups(users *access.Users) string {
	var names []string
	for _, g := range users.Groups() {
		names = append(names, Printable(g.Name))
	}
	return strings.Join(names, ", ")
}

func groupNames(users *access.Users, u *access.User) string {
	var names []string
	for _, uid := range u.Groups {
		if ref, ok := users.NameOf(uid); ok {
			names = append(names, Printable(ref.Name))
		}
	}
	if len(names) == 0 {
		return "-"
	}
	return strings.Join(names, ",")
}

func userState(u *access.User) string {
	switch {
	case u.Disabled:
		return "disabled"
	case u.Hash == "":
		return "no password"
	case !u.Expires.IsZero():
		return "until " + u.Expires.Format("2006-01-02 15:04")
	}
	return "-"
}
