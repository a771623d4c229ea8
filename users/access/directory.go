package access

import (
	"cmp"
	"slices"
	"strings"
	"sync"
	"time"

	"quaywatch/form"
	"quaywatch/internal/fold"
	"quaywatch/internal/wake"
	"quaywatch/users/access/filter"
	"quaywatch/users/document"
)

// directory is all users and groups, in memory. Users, Groups and the draft of a document each have their rules about them here.
type directory struct {
	now        func() time.Time
	generation *wake.ChangeCount
	near       Neighbours
	names      filter.NameSource // what settings and filters may name

	writing sync.Mutex            // held by a change from its first look to the answer of the database; taken before mu
	mu      sync.Mutex            // guards what follows; held for a moment, so that a slow disk keeps no caller from signing in
	version uint64                // grows with each change
	byName  map[string]entry      // folded name
	byUID   map[string]groupEntry // groups
	called  *document.NameTable   // of the groups of a draft; nil: few ask, and each group is compared
}

// entry is a user with its id in the table.
type entry struct {
	id   uint64
	user *User
}

// groupEntry is a group with its id in the table.
type groupEntry struct {
	id    uint64
	group *Group
}

// raiseGeneration raises the generation after a change. The caller holds both locks.
func (d *directory) raiseGeneration() {
	d.version++
	d.generation.Add()
}

// ofUID returns the user with that uid. The caller holds the lock.
func (d *directory) ofUID(uid string) (entry, bool) {
	for _, e := range d.byName {
		if e.user.UID == uid {
			return e, true
		}
	}
	return entry{}, false
}

// groupNamed finds a group by uid or name. The caller holds the lock.
func (d *directory) groupNamed(ref string) (*Group, bool) {
	if e, ok := d.byUID[strings.ToLower(ref)]; ok {
		return e.group, true
	}
	if d.called != nil {
		uid, _ := d.called.First(ref)
		e, ok := d.byUID[uid]
		return e.group, ok
	}
	folded := fold.Name(ref)
	for _, e := range d.byUID {
		if form.FoldsTo(e.group.Name, folded) {
			return e.group, true
		}
	}
	return nil, false
}

// findGroup is group for a caller that does not hold the lock.
func (d *directory) findGroup(ref string) (*Group, bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.groupNamed(ref)
}

func (d *directory) adminGroup() *Group {
	for _, e := range d.byUID {
		if e.group.Builtin {
			return e.group
		}
	}
	return &Group{} // never: it is made at the first start and cannot be deleted
}

func (d *directory) allGroups() []*Group {
	var all []*Group
	for _, e := range d.byUID {
		all = append(all, e.group)
	}
	slices.SortFunc(all, func(a, b *Group) int { return cmp.Compare(fold.Name(a.Name), fold.Name(b.Name)) })
	return all
}

// resolved returns a copy of the user that knows its groups, with all of its rights. Groups by name, as a caller may give them, become uids.
func (d *directory) resolved(user *User) *User {
	now := *user
	now.Groups, now.groups, now.token = nil, nil, nil
	for _, ref := range user.Groups {
		if g, ok := d.groupNamed(ref); ok && !slices.Contains(now.Groups, g.UID) {
			now.Groups = append(now.Groups, g.UID)
			now.groups = append(now.groups, g)
		}
	}
	slices.SortFunc(now.groups, func(a, b *Group) int { return cmp.Compare(fold.Name(a.Name), fold.Name(b.Name)) })
	return &now
}

// resolveAll lets every user know the groups of now. The caller holds both locks.
func (d *directory) resolveAll() {
	for name, e := range d.byName {
		d.byName[name] = entry{e.id, d.resolved(e.user)}
	}
	d.raiseGeneration()
}

// adminStays reports whether an administrator is left after a step. It takes the step, looks, and takes the step back. A database
// that had no administrator before passes.
func (d *directory) adminStays(step, back func()) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	had := d.footing()
	step()
	has := d.footing()
	back()
	return has.keeps(had)
}

// footing is what a change of users and groups must not take away. That is the best administrator. While no user can sign in, it is
// the first administrator that the next start makes, and the group admin that gives it its rights.
type footing struct {
	best  int  // the best administrator that there is
	first bool // no user can sign in
	group bool // a member of the group admin is an administrator by it alone
}

func (f footing) keeps(was footing) bool {
	switch {
	case was.best > noAdmin:
		return f.best >= was.best
	case was.first && f.best == noAdmin:
		return f.first && (f.group || !was.group)
	}
	return true
}

func (d *directory) footing() footing {
	f := footing{best: d.bestAdmin(), first: true}
	for _, e := range d.byName {
		f.first = f.first && e.user.Hash == ""
	}
	f.group = d.resolved(&User{Groups: []string{d.adminGroup().UID}}).MayAdminister()
	return f
}

// The kinds of administrators, from none to the best. No user can give away a right that it has not. So an administrator outside
// the group admin may be unable to give back what the last member of that group had.
const (
	noAdmin = iota
	otherAdmin
	memberOfAdmin
)

// bestAdmin returns the best administrator that there is.
func (d *directory) bestAdmin() int {
	best := noAdmin
	for _, e := range d.byName {
		user := d.resolved(e.user)
		switch {
		case !user.administers():
		case slices.ContainsFunc(user.groups, func(g *Group) bool { return g.Builtin }):
			return memberOfAdmin
		default:
			best = otherAdmin
		}
	}
	return best
}
