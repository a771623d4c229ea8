package command

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"math"
	"slices"
	"strings"

	"quaywatch/app/control"
	"quaywatch/store"
	"quaywatch/store/records"
	"quaywatch/users"
	"quaywatch/users/access"
	"quaywatch/users/access/right"
)

// userFlags are the flags of the commands on users and groups. Each sets a field of an entry.
type userFlags struct {
	*flags
	kind   string
	fields map[string]json.RawMessage
	rights map[string]string
	from   string
	fresh  bool // add makes a store where there is none
}

func newUserFlags(c console, kind string) *userFlags {
	f := &userFlags{flags: newFlags(c, kind, true), kind: kind, fields: map[string]json.RawMessage{}, rights: map[string]string{}}
	f.StringVar(&f.from, "from", "", "`FILE` (JSON or TOML) with fields as those of PUT /api/config/"+kind+"; flags come on top")
	f.BoolVar(&f.fresh, "new", false, "add: make a store where there is none")
	f.Func("rename", "give it another name", f.textSetter("name"))
	f.Func("description", "what it is for", f.textSetter("description"))
	f.Func("right", "`RIGHT=allow|deny|none`; may be given many times", f.right)
	if kind == "group" {
		f.Func("locked", "`true|false`: only a user with lock_groups changes it or its members", f.truthSetter("locked"))
		return f
	}
	f.Func("common-name", "the person's name", f.textSetter("common_name"))
	f.Func("email", "mail address", f.textSetter("email"))
	f.Func("phone", "telephone number", f.textSetter("phone"))
	f.Func("groups", "`NAME,NAME`: exactly these, \"\" for none; only the first user of a box, an administrator, may do without", f.namesSetter("groups"))
	f.Func("disabled", "`true|false`: may not sign in", f.truthSetter("disabled"))
	f.Func("expires", "`TIME`, as 2026-12-31, from which the user may not sign in; never for never", f.expires)
	f.Func("warn-days", "how many `DAYS` before that the client warns", f.numberSetter("period_before_expire"))
	f.Func("direct-access", "`HOST,HOST`: names, addresses or CIDR that need no password on the NMEA stream; \"\" for none", f.direct)
	return f
}

func (f *userFlags) setField(key string, v any) error {
	raw, err := json.Marshal(v)
	f.fields[key] = raw
	return err
}

func (f *userFlags) textSetter(key string) func(string) error {
	return func(value string) error { return f.setField(key, value) }
}

func (f *userFlags) truthSetter(key string) func(string) error {
	return func(value string) error {
		if value != "true" && value != "false" {
			return errors.New("must be true or false")
		}
		return f.setField(key, value == "true")
	}
}

func (f *userFlags) numberSetter(key string) func(string) error {
	return func(value string) error {
		var n int
		if json.Unmarshal([]byte(value), &n) != nil {
			return errors.New("must be a whole number")
		}
		return f.setField(key, n)
	}
}

func (f *userFlags) namesSetter(key string) func(string) error {
	return func(value string) error { return f.setField(key, commaList(value)) }
}

func (f *userFlags) expires(value string) error {
	if value == "never" {
		value = ""
	}
	return f.setField("expiration_time", value)
}

func (f *userFlags) direct(value string) error {
	hosts := commaList(value)
	return f.setField("direct_access", access.DirectAccess{Enabled: len(hosts) > 0, Hosts: hosts})
}

func (f *userFlags) right(value string) error {
	name, verdict, _ := strings.Cut(value, "=")
	switch {
	case verdict == "none":
		verdict = ""
	case verdict != string(right.Allow) && verdict != string(right.Deny):
		return errors.New("must be RIGHT=allow, RIGHT=deny or RIGHT=none")
	}
	if !slices.Contains(right.All(), right.Name(name)) {
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

// read reads the verb, then the name and the flags in any order.
func (f *userFlags) read(args []string, verbs ...string) (*control.UserCommand, error) {
	if len(args) == 0 || !strings.HasPrefix(args[0], "-") && !slices.Contains(verbs, args[0]) {
		return nil, f.wrong("name one of %s; 'quaywatch %s --help' tells the flags", strings.Join(verbs, ", "), f.kind)
	}
	if strings.HasPrefix(args[0], "-") { // --help, or a mistake
		if err := f.parse(args, 0, math.MaxInt); err != nil {
			return nil, err
		}
		return nil, f.wrong("name one of %s first", strings.Join(verbs, ", "))
	}
	cmd := &control.UserCommand{Kind: f.kind, Verb: args[0]}
	if err := f.parse(args[1:], 0, math.MaxInt); err != nil {
		return nil, err
	}
	names := f.Args()
	fields, err := f.entryFields()
	if err != nil {
		return nil, err
	}
	writes := cmd.Verb == "add" || cmd.Verb == "set"
	switch {
	case cmd.Verb == "list" && len(names) > 0:
		return nil, f.wrong("list takes no name")
	case cmd.Verb != "list" && len(names) != 1:
		return nil, f.wrong("%s takes one NAME, got %d", cmd.Verb, len(names))
	case !writes && fields != nil:
		return nil, f.wrong("%s takes no field of a %s; use set", cmd.Verb, f.kind)
	case cmd.Verb == "set" && fields == nil:
		return nil, f.wrong("set needs a flag that says what")
	case cmd.Verb != "add" && f.fresh:
		return nil, f.wrong("%s makes no store; only add takes --new", cmd.Verb)
	case cmd.Verb == "add" && f.fields["name"] != nil:
		return nil, f.wrong("add takes no --rename")
	}
	if cmd.Verb != "list" {
		cmd.Name = names[0]
	}
	cmd.Fields = fields
	return cmd, nil
}

// entryFields returns the fields of the file, and those of the flags on top. It returns nil for none.
func (f *userFlags) entryFields() (json.RawMessage, error) {
	all := map[string]json.RawMessage{}
	if f.from != "" {
		body, err := readFields(f.from)
		if err != nil {
			return nil, fmt.Errorf("read %s: %w", f.from, err)
		}
		if json.Unmarshal(body, &all) != nil || all == nil {
			return nil, fmt.Errorf("read %s: must be an object", f.from)
		}
		delete(all, "uid") // as the API does: these are not set by a body
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

// runCommand runs one of the commands on users and groups.
func (f *userFlags) runCommand(ctx context.Context, args []string, verbs ...string) error {
	cmd, err := f.read(args, verbs...)
	if err != nil {
		return err
	}
	cfg, err := f.origin().Read()
	if err != nil {
		return err
	}
	need := needStore
	if cmd.Verb == "add" {
		need = needOf(f.fresh)
	}
	if err := findStore(f.c, cfg, need); err != nil {
		return fmt.Errorf("%s %s: %w", cmd.Kind, cmd.Verb, err)
	}
	if cmd.Kind == "user" && (cmd.Verb == "add" || cmd.Verb == "passwd") {
		if cmd.Password, err = readPassword(f.c); err != nil {
			return err
		}
	}
	var said string
	vital := records.RefuseVital
	if cmd.Verb == "list" {
		vital = records.PassVitalOver
	}
	err = onStore(f.c, cfg, vital,
		func(_ *store.DB, c users.Areas) (err error) { said, err = cmd.Run(c.Users); return err },
		func() (err error) { said, err = cmd.Send(ctx, cfg.DataDir); return err })
	if err != nil {
		return fmt.Errorf("%s %s: %w", cmd.Kind, strings.TrimSpace(cmd.Verb+" "+cmd.Name), err)
	}
	if cmd.Verb == "list" {
		fmt.Fprintf(f.c.err, "in %s\n", cfg.Folder())
		_, err = io.WriteString(f.c.out, said)
	} else {
		_, err = fmt.Fprintf(f.c.out, "%s in %s\n", said, cfg.Folder())
	}
	return err
}
