package access

import (
	"slices"
	"strings"

	"quaywatch/form"
	"quaywatch/ship"
	"quaywatch/users/access/filter"
	"quaywatch/users/access/right"
)

// The words of the interface for users and groups.
const (
	UserKind  = "user"
	GroupKind = "group"
)

// Referring returns the users and groups that refer to something by a setting or a filter, and the members of a group.
func (u *Users) Referring(to form.Reference) (by []form.Referrer) {
	for _, user := range u.List() {
		if user.Profile.refers(to) || to.UID != "" && slices.Contains(user.Groups, to.UID) {
			by = append(by, form.Referrer{Kind: UserKind, Name: user.Name, UID: user.UID})
		}
	}
	for _, g := range u.groups.All() {
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
	return filter.Refers(p.Settings, to) || filter.Refers(p.ReceiveFilter, to) || filter.Refers(p.TransmitFilter, to)
}

// MayTurn reports whether the user may change a ship list, shape or port. turned is how filters refer to it, and to what depends on it.
//
// Its ships and its place are part of every filter that names it, and so is a name that a filter waits for. A user without the
// right to write filters must not widen its own filter in this way. If a filter narrows the user, it must not widen the filters of
// others either.
func (u *Users) MayTurn(user *User, turned ...form.Reference) bool {
	return !slices.ContainsFunc(turned, func(t form.Reference) bool { return !u.mayTurn(user, t) })
}

func (u *Users) mayTurn(user *User, turned form.Reference) bool {
	if user.May(right.ChangeFilterSettings) {
		return true
	}
	for _, of := range []func(*Profile) form.Keys{receives, transmits} {
		for _, keys := range user.filters(of) {
			if filter.Refers(keys, turned) {
				return false
			}
		}
	}
	if !user.Narrowed() {
		return true
	}
	received := func(p *Profile) bool { return filter.Refers(p.ReceiveFilter, turned) }
	return !slices.ContainsFunc(u.List(), func(of User) bool { return received(&of.Profile) }) &&
		!slices.ContainsFunc(u.groups.All(), func(g *Group) bool { return received(&g.Profile) })
}

// Bears reports whether no receive filter asks too much of each ship by a change of a shape. turned is how filters refer to it, and lookup gives it as it
// becomes.
func (u *Users) Bears(turned form.Reference, lookup ship.Lookup) bool {
	breaks := func(p *Profile) bool {
		return filter.Refers(p.ReceiveFilter, turned) && filter.Costly(p.ReceiveFilter, lookup) && !filter.Costly(p.ReceiveFilter, u.names.Lookup)
	}
	return !slices.ContainsFunc(u.List(), func(of User) bool { return breaks(&of.Profile) }) &&
		!slices.ContainsFunc(u.groups.All(), func(g *Group) bool { return breaks(&g.Profile) })
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

// warnStrangers writes to the log which users and groups name a feed or output that is not in the configuration. A user of a feed
// that is gone hears nothing.
func (u *Users) warnStrangers() {
	tell := func(kind, name string, p *Profile) {
		for _, keys := range []form.Keys{p.Settings, p.ReceiveFilter} {
			for _, w := range u.names.Strangers(nil, keys) {
				u.opts.Log.Warn("a setting or filter names what is not configured", kind, name, "key", strings.TrimPrefix(w.Pointer, "/"), "rule", w.Rule.Error())
			}
		}
	}
	for _, g := range u.groups.All() {
		tell(GroupKind, g.Name, &g.Profile)
	}
	for _, user := range u.List() {
		tell(UserKind, user.Name, &user.Profile)
	}
}
