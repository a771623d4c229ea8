package form

import (
	"encoding/json"
	"fmt"
	"slices"

	"quaywatch/internal/rule"
)

// Ref is how a reference is read: the name of a thing and its uid.
type Ref struct {
	Name string `json:"name"`
	UID  string `json:"uid,omitempty"`
}

// ParseRef reads a reference as it is written: a name, or an object with uid or name.
func ParseRef(raw json.RawMessage) (string, bool) {
	var text string
	if json.Unmarshal(raw, &text) == nil {
		return text, text != ""
	}
	var ref Ref
	if json.Unmarshal(raw, &ref) != nil {
		return "", false
	}
	if ref.UID != "" {
		return ref.UID, true
	}
	return ref.Name, ref.Name != ""
}

// Finder finds a thing by what names it: its uid, else its number where it has one, else its name. The kind is the word of the interface.
type Finder func(kind, ref string) (Ref, bool)

// holder returns the group or the user that is named; of the same name the group is meant.
func (find Finder) holder(ref string) (Ref, bool) {
	found, ok := find("group", ref)
	if !ok {
		found, ok = find("user", ref)
	}
	return found, ok
}

// Holders reads a list of groups and users, as an access list is, and returns their uids, each once. It refuses more than most names, and each that names
// nobody.
func (f *Fields) Holders(key string, most int, find Finder) (uids []string) {
	written := f.List(key)
	if len(written) > most {
		f.Refuse(key, rule.New("too_many_names", "may name at most {max}", "max", most))
		return nil
	}
	for i, raw := range written {
		ref, ok := ParseRef(raw)
		found, known := find.holder(ref)
		if !ok || !known {
			f.Refuse(fmt.Sprintf("%s/%d", key, i), rule.New("no_group_or_user", "must name a group or user"))
			continue
		}
		if !slices.Contains(uids, found.UID) {
			uids = append(uids, found.UID)
		}
	}
	return uids
}

// Named returns the groups and users of uids. One that is gone is left out.
func (find Finder) Named(uids []string) []Ref {
	refs := []Ref{}
	for _, uid := range uids {
		if found, ok := find.holder(uid); ok {
			refs = append(refs, found)
		}
	}
	return refs
}
