package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"path/filepath"
	"slices"
	"strings"
	"text/tabwriter"

	"quaywatch/access"
	"quaywatch/store"
)

// order is what a user or group command does to a box: on the store of a stopped service, or handed to the running one.
type order struct {
	Kind     string          `json:"kind"` // "user" or "group"
	Verb     string          `json:"verb"`
	Name     string          `json:"name"`
	Password string          `json:"password,omitempty"`
	Fields   json.RawMessage `json:"fields,omitempty"` // of a document's entry
}

// orderPath is where the running service takes orders, on the control socket.
const orderPath = "/order"

// give carries an order out wherever the store is, and gives what it has to say.
func (o *order) give(ctx context.Context, config Config) (said string, err error) {
	err = onStore(config, func(users *access.Users, _ access.Beside) error {
		said, err = o.run(users)
		return err
	})
	if !errors.Is(err, store.ErrLocked) {
		return said, err
	}
	body, err := json.Marshal(o)
	if err != nil {
		return "", err
	}
	answer, err := tellControl(ctx, filepath.Join(config.DataDir, controlName), orderPath, body)
	if err != nil {
		return "", err
	}
	return said, json.Unmarshal(answer, &said)
}

// takeOrder is an order on the running service.
func (a *app) takeOrder(w http.ResponseWriter, r *http.Request) {
	var o order
	var said string
	err := json.NewDecoder(http.MaxBytesReader(w, r.Body, mostDocument)).Decode(&o)
	if err == nil {
		said, err = o.run(a.users)
	}
	a.answerControl(w, said, err)
}

// run carries the order out and notes it in the audit log.
func (o *order) run(users *access.Users) (string, error) {
	if o.Verb == "list" {
		return o.list(users), nil
	}
	said, err := o.act(users)
	if err != nil {
		return "", err
	}
	var fields map[string]json.RawMessage
	if o.Fields != nil {
		if err := json.Unmarshal(o.Fields, &fields); err != nil {
			return "", err
		}
	}
	users.Audit().Note(access.Event{User: commandLine, Action: o.Kind + " " + o.Verb, Object: o.Name, Result: "ok",
		Detail: strings.Join(slices.Sorted(maps.Keys(fields)), ", ")})
	return said, nil
}

// act carries out what is no list, and gives what was done.
func (o *order) act(users *access.Users) (string, error) {
	done := map[string]string{"add": "added", "set": "changed", "passwd": "given a new password", "delete": "deleted"}
	said := fmt.Sprintf("%s %s %s", o.Kind, printable(o.Name), done[o.Verb])
	first := o.Kind == "user" && o.Verb == "add" && len(users.List()) == 0
	err := o.change(users)
	switch {
	case first && errors.Is(err, access.ErrLastAdmin):
		return "", fmt.Errorf("the first user of a box has to be an administrator, of the group %s", printable(users.AdminGroup().Name))
	case err != nil:
		return "", err
	case first:
		said += " as the first user, an administrator,"
	case o.Kind == "user" && o.Verb == "add":
		if user, ok := users.Find(o.Name); ok {
			said += " with the groups " + groupNames(users, user)
		}
	}
	return said, nil
}

func (o *order) change(users *access.Users) error {
	user, isUser := users.Find(o.Name)
	group, isGroup := users.Group(o.Name)
	there := isUser
	if o.Kind == "group" {
		there = isGroup
	}
	switch {
	case o.Verb == "add" && there:
		return fmt.Errorf("there is one of that name already")
	case o.Verb != "add" && !there:
		return fmt.Errorf("there is none of that name")
	case o.Kind == "user" && o.Verb == "passwd":
		return users.SetPassword(user.Name, o.Password)
	case o.Kind == "user" && o.Verb == "delete":
		return users.Delete(user.Name)
	case o.Kind == "group" && o.Verb == "delete":
		return users.DeleteGroup(group.UID)
	case o.Kind == "user":
		return o.writeUser(users, user)
	}
	return o.writeGroup(users, group)
}

// writeUser adds a user, or changes what is given of one.
func (o *order) writeUser(users *access.Users, was *access.User) error {
	e := access.UserEntry{}
	if err := o.read(&e); err != nil {
		return err
	}
	e.Password = o.Password
	if was != nil {
		overlay(users, &e.ProfileEntry, was.UID, was.Name, &was.Profile)
	} else {
		e.Name = o.Name
		if e.Groups == nil {
			if len(users.List()) > 0 {
				return fmt.Errorf("say which groups: --groups with some of %s, or --groups \"\" for none", allGroups(users))
			}
			e.Groups = []json.RawMessage{json.RawMessage(`"` + users.AdminGroup().UID + `"`)}
		}
	}
	return o.importInto(users, &access.Document{Users: []access.UserEntry{e}})
}

func (o *order) writeGroup(users *access.Users, was *access.Group) error {
	e := access.GroupEntry{}
	if err := o.read(&e); err != nil {
		return err
	}
	if was != nil {
		overlay(users, &e.ProfileEntry, was.UID, was.Name, &was.Profile)
	} else {
		e.Name = o.Name
	}
	return o.importInto(users, &access.Document{Groups: []access.GroupEntry{e}})
}

// importInto takes a document with one entry in; what is wrong with it is said without the name, which is known, and not as of an
// import, which nobody asked for. Names of feeds and outputs that are not configured are a slip of the pen here.
func (o *order) importInto(users *access.Users, doc *access.Document) error {
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
		lines = append(lines, errors.New(strings.TrimPrefix(line, fmt.Sprintf("%s %q: ", o.Kind, o.Name))))
	}
	return errors.Join(lines...)
}

// read reads the fields of an entry.
func (o *order) read(entry any) error {
	if o.Fields == nil {
		return nil
	}
	decoder := json.NewDecoder(bytes.NewReader(o.Fields))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(entry); err != nil {
		return fmt.Errorf("%s", strings.Replace(strings.TrimPrefix(err.Error(), "json: "), "unknown field", "unknown key", 1))
	}
	return nil
}

// overlay puts what is given over what is there, key by key: an empty right and a null remove theirs.
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
		kept  access.Keys
		given *access.Keys
	}{{access.SettingKeys, p.Settings, &e.Settings}, {access.ReceiveKeys, p.ReceiveFilter, &e.ReceiveFilter}, {access.TransmitKeys, p.TransmitFilter, &e.TransmitFilter}} {
		if *k.given != nil {
			keys := users.GiveKeys(k.set, k.kept)
			maps.Copy(keys, *k.given)
			*k.given = keys
		}
	}
}

// list gives a table of all users or groups.
func (o *order) list(users *access.Users) string {
	var text strings.Builder
	w := tabwriter.NewWriter(&text, 0, 0, 2, ' ', 0)
	if o.Kind == "group" {
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
			fmt.Fprintf(w, "%s\t%d\t%d\t%s\t%s\n", printable(g.Name), len(users.Members(g.UID)), allowed, state, printable(g.Description))
		}
	} else {
		fmt.Fprintln(w, "NAME\tGROUPS\tRIGHTS\tSTATE\tDESCRIPTION")
		for _, u := range users.List() {
			fmt.Fprintf(w, "%s\t%s\t%d\t%s\t%s\n", printable(u.Name), groupNames(users, &u), len(u.Effective()), userState(&u), printable(u.Description))
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
		names = append(names, printable(g.Name))
	}
	return strings.Join(names, ", ")
}

func groupNames(users *access.Users, u *access.User) string {
	var names []string
	for _, uid := range u.Groups {
		if ref, ok := users.NameOf(uid); ok {
			names = append(names, printable(ref.Name))
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

// orderFlags are the flags of the commands that give orders; each sets a field of an entry.
type orderFlags struct {
	*flags
	kind   string
	fields map[string]json.RawMessage
	rights map[string]string
	from   string
	fresh  bool // add makes a store where there is none
}

func newOrderFlags(c console, kind string) *orderFlags {
	f := &orderFlags{flags: newFlags(c, kind, true), kind: kind, fields: map[string]json.RawMessage{}, rights: map[string]string{}}
	f.StringVar(&f.from, "from", "", "`FILE` (JSON or TOML) with fields as those of PUT /api/config/"+kind+"; flags come on top")
	f.BoolVar(&f.fresh, "new", false, "add: make a store where there is none")
	f.Func("rename", "give it another name", f.text("name"))
	f.Func("description", "what it is for", f.text("description"))
	f.Func("right", "`RIGHT=allow|deny|none`; may be given many times", f.right)
	if kind == "group" {
		f.Func("locked", "`true|false`: only who has lock_groups changes it or its members", f.truth("locked"))
		return f
	}
	f.Func("common-name", "the person's name", f.text("common_name"))
	f.Func("email", "mail address", f.text("email"))
	f.Func("phone", "telephone number", f.text("phone"))
	f.Func("groups", "`NAME,NAME`: exactly these, \"\" for none; only the first user of a box, an administrator, may do without", f.names("groups"))
	f.Func("disabled", "`true|false`: may not sign in", f.truth("disabled"))
	f.Func("expires", "`TIME`, as 2026-12-31, from which the user may not sign in; never for never", f.expires)
	f.Func("warn-days", "how many `DAYS` before that the client warns", f.number("period_before_expire"))
	f.Func("direct-access", "`HOST,HOST`: names, addresses or CIDR that need no password on the NMEA stream; \"\" for none", f.direct)
	return f
}

func (f *orderFlags) set(key string, v any) error {
	raw, err := json.Marshal(v)
	f.fields[key] = raw
	return err
}

func (f *orderFlags) text(key string) func(string) error {
	return func(value string) error { return f.set(key, value) }
}

func (f *orderFlags) truth(key string) func(string) error {
	return func(value string) error {
		if value != "true" && value != "false" {
			return errors.New("must be true or false")
		}
		return f.set(key, value == "true")
	}
}

func (f *orderFlags) number(key string) func(string) error {
	return func(value string) error {
		var n int
		if json.Unmarshal([]byte(value), &n) != nil {
			return errors.New("must be a whole number")
		}
		return f.set(key, n)
	}
}

func (f *orderFlags) names(key string) func(string) error {
	return func(value string) error { return f.set(key, commaList(value)) }
}

func (f *orderFlags) expires(value string) error {
	if value == "never" {
		value = ""
	}
	return f.set("expiration_time", value)
}

func (f *orderFlags) direct(value string) error {
	hosts := commaList(value)
	return f.set("direct_access", access.DirectAccess{Enabled: len(hosts) > 0, Hosts: hosts})
}

func (f *orderFlags) right(value string) error {
	name, verdict, _ := strings.Cut(value, "=")
	switch {
	case verdict == "none":
		verdict = ""
	case verdict != string(access.Allow) && verdict != string(access.Deny):
		return errors.New("must be RIGHT=allow, RIGHT=deny or RIGHT=none")
	}
	if !slices.Contains(access.Rights(), access.Right(name)) {
		return fmt.Errorf("%q is none of the rights", name)
	}
	f.rights[name] = verdict
	return nil
}

func commaList(text string) []string {
	list := []string{}
	for part := range strings.SplitSeq(text, ",") {
		if part = strings.TrimSpace(part); part != "" {
			list = append(list, part)
		}
	}
	return list
}

// order reads the verb, the name and the flags, in any order after the verb.
func (f *orderFlags) order(args []string, verbs ...string) (*order, error) {
	wrong := func(format string, a ...any) error {
		return usageError(fmt.Sprintf("quaywatch %s: ", f.kind) + fmt.Sprintf(format, a...))
	}
	if len(args) == 0 || !strings.HasPrefix(args[0], "-") && !slices.Contains(verbs, args[0]) {
		return nil, wrong("name one of %s; 'quaywatch %s --help' tells the flags", strings.Join(verbs, ", "), f.kind)
	}
	if strings.HasPrefix(args[0], "-") { // --help, or a mistake
		if err := f.parse(args); err != nil {
			return nil, err
		}
		return nil, wrong("name one of %s first", strings.Join(verbs, ", "))
	}
	o := &order{Kind: f.kind, Verb: args[0]}
	var names []string
	for rest := args[1:]; ; rest = f.Args()[1:] {
		if err := f.parse(rest); err != nil {
			return nil, err
		}
		if f.NArg() == 0 {
			break
		}
		names = append(names, f.Arg(0))
	}
	fields, err := f.entry()
	if err != nil {
		return nil, err
	}
	writes := o.Verb == "add" || o.Verb == "set"
	switch {
	case o.Verb == "list" && len(names) > 0:
		return nil, wrong("list takes no name")
	case o.Verb != "list" && len(names) != 1:
		return nil, wrong("%s takes one NAME, got %d", o.Verb, len(names))
	case !writes && fields != nil:
		return nil, wrong("%s takes no field of a %s; use set", o.Verb, f.kind)
	case o.Verb == "set" && fields == nil:
		return nil, wrong("set needs a flag that says what")
	case o.Verb != "add" && f.fresh:
		return nil, wrong("%s makes no store; only add takes --new", o.Verb)
	case o.Verb == "add" && f.fields["name"] != nil:
		return nil, wrong("add takes no --rename")
	}
	if o.Verb != "list" {
		o.Name = names[0]
	}
	o.Fields = fields
	return o, nil
}

// entry gives the fields of the file and, on top, those of the flags; nil for none.
func (f *orderFlags) entry() (json.RawMessage, error) {
	all := map[string]json.RawMessage{}
	if f.from != "" {
		body, err := readFields(f.from)
		if err != nil {
			return nil, fmt.Errorf("read %s: %w", f.from, err)
		}
		if json.Unmarshal(body, &all) != nil || all == nil {
			return nil, fmt.Errorf("read %s: must be an object", f.from)
		}
		delete(all, "uid") // as the interface, which ignores what it gives itself
		delete(all, "name")
	}
	maps.Copy(all, f.fields)
	if len(f.rights) > 0 {
		rights := map[string]string{}
		if raw, ok := all["access_rights"]; ok {
			if err := json.Unmarshal(raw, &rights); err != nil {
				return nil, fmt.Errorf("read %s: access_rights: %w", f.from, err)
			}
		}
		maps.Copy(rights, f.rights)
		raw, err := json.Marshal(rights)
		if err != nil {
			return nil, err
		}
		all["access_rights"] = raw
	}
	if len(all) == 0 {
		return nil, nil
	}
	return json.Marshal(all)
}

func readFields(path string) ([]byte, error) {
	form, err := formOf("", path)
	if err != nil {
		return nil, err
	}
	text, err := readBounded(path)
	if err != nil {
		return nil, err
	}
	return asJSON(text, form)
}

// command runs one of the commands that give orders.
func (f *orderFlags) command(ctx context.Context, args []string, verbs ...string) error {
	o, err := f.order(args, verbs...)
	if err != nil {
		return err
	}
	config, err := f.load()
	if err != nil {
		return err
	}
	need := needStore
	if o.Verb == "add" {
		need = needOf(f.fresh)
	}
	if err := findStore(f.c, config, need); err != nil {
		return fmt.Errorf("%s %s: %w", o.Kind, o.Verb, err)
	}
	if o.Kind == "user" && (o.Verb == "add" || o.Verb == "passwd") {
		if o.Password, err = readPassword(f.c); err != nil {
			return err
		}
	}
	said, err := o.give(ctx, config)
	if err != nil {
		return fmt.Errorf("%s %s: %w", o.Kind, strings.TrimSpace(o.Verb+" "+o.Name), err)
	}
	if o.Verb == "list" {
		fmt.Fprintf(f.c.err, "in %s\n", config.folder())
		_, err = io.WriteString(f.c.out, said)
	} else {
		_, err = fmt.Fprintf(f.c.out, "%s in %s\n", said, config.folder())
	}
	return err
}
