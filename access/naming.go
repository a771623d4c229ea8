package access

import (
	"bytes"
	"slices"

	"quaywatch/access/right"
	"quaywatch/form"
	"quaywatch/ship"
)

// The words of the interface for users and groups.
const (
	UserKind  = "user"
	GroupKind = "group"
)

// Referring gives the users and groups that refer to something by a setting or a filter, and the members of a group.
func (u *Users) Referring(to form.Reference) (by []form.Referrer) {
	for _, user := range u.List() {
		if user.Profile.refers(to) || to.UID != "" && slices.Contains(user.Groups, to.UID) {
			by = append(by, form.Referrer{Kind: UserKind, Name: user.Name, UID: user.UID})
		}
	}
	for _, g := range u.Groups() {
		if g.Profile.refers(to) {
			by = append(by, form.Referrer{Kind: GroupKind, Name: g.Name, UID: g.UID})
		}
	}
	return by
}

// Owns returns false: the things that users own are in other areas.
func (u *Users) Owns(string) bool { return false }

// refers reports whether a setting or filter refers to something.
func (p *Profile) refers(to form.Reference) bool {
	return refers(p.Settings, to) || refers(p.ReceiveFilter, to) || refers(p.TransmitFilter, to)
}

// refers reports whether a key refers to something by its uid, or an expression by a word that means it.
func refers(keys form.Keys, to form.Reference) bool {
	for _, raw := range keys {
		if to.UID != "" && bytes.Contains(raw, []byte(`"`+to.UID+`"`)) {
			return true
		}
	}
	if to.Means == nil {
		return false
	}
	return slices.ContainsFunc(wordsOf(keys), func(w word) bool { return w.kind == to.Kind && to.Means(w.text) })
}

// word is what an expression calls a ship list or shape.
type word struct{ kind, text string }

// wordsOf gives the words for ship lists and shapes in the expression of a filter.
func wordsOf(keys form.Keys) (words []word) {
	if text := get[string](keys, "expression"); text != "" {
		hear := func(kind, ref string) (form.Ref, bool) {
			words = append(words, word{kind, ref})
			return form.Ref{}, true
		}
		_, _ = ship.ParseFilter(text, form.Existing(hear)) // it was checked when it was written
	}
	return words
}

// MayTurn reports whether the user may change a ship list or shape. turned is how filters refer to it.
//
// Its ships and its place are part of every filter that names it, and so is a name that a filter waits for. A user without the
// right to write filters must not widen its own filter in this way. If a filter narrows the user, it must not widen the filters of
// others either.
func (u *Users) MayTurn(user *User, turned form.Reference) bool {
	if user.May(right.ChangeFilterSettings) {
		return true
	}
	for _, of := range []func(*Profile) form.Keys{receives, transmits} {
		for _, keys := range user.filters(of) {
			if refers(keys, turned) {
				return false
			}
		}
	}
	if !user.Narrowed() {
		return true
	}
	received := func(p *Profile) bool { return refers(p.ReceiveFilter, turned) }
	return !slices.ContainsFunc(u.List(), func(of User) bool { return received(&of.Profile) }) &&
		!slices.ContainsFunc(u.Groups(), func(g *Group) bool { return received(&g.Profile) })
}

func receives(p *Profile) form.Keys { return p.ReceiveFilter }

func transmits(p *Profile) form.Keys { return p.TransmitFilter }

// MayUse reports whether the user may see and use a thing. The owner may, users and groups in the access list may, and a user with
// the right admin over things of others.
func (u *User) MayUse(o form.Owned, admin right.Name) bool {
	if u.MayChange(o, admin) || u.UID != "" && slices.Contains(o.ACL, u.UID) {
		return true
	}
	return slices.ContainsFunc(u.groups, func(g *Group) bool { return slices.Contains(o.ACL, g.UID) })
}

// MayChange reports whether the user may change and delete a thing: the owner, or a user with the right admin over things of
// others.
func (u *User) MayChange(o form.Owned, admin right.Name) bool {
	return u.UID != "" && o.Owner == u.UID || u.May(admin)
}
