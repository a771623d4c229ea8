package access

import (
	"bytes"
	"cmp"
	"slices"

	"quaywatch/form"
	"quaywatch/geo"
	"quaywatch/ship"
)

// Referrer is somebody or something that refers to another: a user or group by a filter or as a member, a ship list, shape or
// saved filter by its access list. Kind is the word of the interface.
type Referrer struct{ Kind, Name, UID string }

// The kinds of referrers beside those of the library.
const (
	UserKind  = "user"
	GroupKind = "group"
)

// Referenced is the error of deleting or renaming what others still refer to; it is an ErrReferenced. By is empty for a group that
// is never deleted.
type Referenced struct{ By []Referrer }

// Error says that it is still referred to; by whom is not for everybody.
func (r *Referenced) Error() string { return ErrReferenced.Error() }

// Unwrap makes it an ErrReferenced.
func (r *Referenced) Unwrap() error { return ErrReferenced }

func sortReferrers(by []Referrer) []Referrer {
	slices.SortFunc(by, func(a, b Referrer) int {
		return cmp.Or(cmp.Compare(a.Kind, b.Kind), cmp.Compare(form.Fold(a.Name), form.Fold(b.Name)))
	})
	return by
}

// referring gives the users and groups whose profile passes a test.
func (u *Users) referring(test func(*Profile) bool) (by []Referrer) {
	for _, user := range u.List() {
		if test(&user.Profile) {
			by = append(by, Referrer{UserKind, user.Name, user.UID})
		}
	}
	for _, g := range u.Groups() {
		if test(&g.Profile) {
			by = append(by, Referrer{GroupKind, g.Name, g.UID})
		}
	}
	return sortReferrers(by)
}

// names tells whether a setting or filter refers to the uid.
func (p *Profile) names(uid string) bool {
	return names(p.Settings, uid) || names(p.ReceiveFilter, uid) || names(p.TransmitFilter, uid)
}

// names tells whether a key refers to the uid.
func names(keys form.Keys, uid string) bool {
	for _, raw := range keys {
		if bytes.Contains(raw, []byte(`"`+uid+`"`)) {
			return true
		}
	}
	return false
}

// says tells whether the expression of a filter names a ship list or shape by a word that is meant.
func (p *Profile) says(k Kind, meant func(word string) bool) bool {
	return say(p.ReceiveFilter, k, meant) || say(p.TransmitFilter, k, meant)
}

// say tells whether the expression of a filter names a ship list or shape by a word that is meant.
func say(keys form.Keys, k Kind, meant func(word string) bool) bool {
	return says(get[string](keys, "expression"), k, meant)
}

// says tells whether a filter names a ship list or shape by a word that is meant.
func says(filter string, k Kind, meant func(word string) bool) (said bool) {
	hear := func(of Kind, word string) { said = said || of == k && meant(word) }
	look := ship.Lookup{
		ShipList: func(word string) (func(*ship.State) bool, bool) {
			hear(ShipLists, word)
			return func(*ship.State) bool { return false }, true
		},
		Shape: func(word string) (geo.Shape, bool) { hear(Shapes, word); return geo.Circle{Radius: 1}, true },
	}
	if filter != "" {
		_, _ = ship.ParseFilter(filter, look) // it was checked when it was written
	}
	return said
}

// sharedWith gives the things whose access list names a user or group.
func (l *Library) sharedWith(uid string) (by []Referrer) {
	l.mu.RLock()
	defer l.mu.RUnlock()
	for k := range kinds {
		for _, r := range l.all[k] {
			if slices.Contains(r.ACL, uid) {
				by = append(by, Referrer{k.String(), r.Name, r.UID})
			}
		}
	}
	return by
}
