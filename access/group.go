package access

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"

	"quaywatch/access/right"
	"quaywatch/form"
	"quaywatch/letters"
	"quaywatch/rule"
	"quaywatch/store"
)

// The names of the groups that the first start makes.
const (
	GroupAdmin    = "admin"
	GroupOperator = "operator"
	GroupViewer   = "viewer"
)

// Group is what its members have in common. It is a value: a change makes a new one.
type Group struct {
	UID  string `json:"uid"`
	Name string `json:"name"`
	Profile
	Locked  bool      `json:"locked,omitempty"`  // only a user with lock_groups changes it or its members
	Builtin bool      `json:"builtin,omitempty"` // the group admin: it is never deleted
	Created time.Time `json:"created"`
	Changed time.Time `json:"changed"`
}

// ErrLastAdmin is the error of taking away the last administrator.
var ErrLastAdmin = rule.New("last_administrator", "the last administrator must stay")

func allow(rights []right.Name) map[right.Name]right.Verdict {
	all := map[right.Name]right.Verdict{}
	for _, r := range rights {
		all[r] = right.Allow
	}
	return all
}

// firstGroups are those of the first start; admin comes last, as its presence says that all are there.
func firstGroups() []Group {
	return []Group{
		{UID: firstUID(GroupViewer), Name: GroupViewer, Profile: Profile{Description: "looks", Rights: allow(right.OfViewer())}},
		{UID: firstUID(GroupOperator), Name: GroupOperator, Profile: Profile{Description: "everything but users, groups and the system", Rights: allow(right.OfOperator())}},
		{UID: firstUID(GroupAdmin), Name: GroupAdmin, Profile: Profile{Description: "everything", Rights: allow(right.All())}, Builtin: true},
	}
}

// firstUID gives the uid of a user or group that the first start of each box makes: it is the same on all, so that a document means it.
func firstUID(name string) string {
	return uuid.NewSHA1(uuid.NameSpaceDNS, []byte("quaywatch "+name)).String()
}

// isFirst reports whether the group is one of the first start, under whatever name.
func (g *Group) isFirst() bool {
	return slices.ContainsFunc(firstGroups(), func(first Group) bool { return first.UID == g.UID })
}

type groupEntry struct {
	id    uint64
	group *Group
}

// loadGroups reads the groups, and makes the first ones in a database that has none yet.
func (u *Users) loadGroups(db *store.DB) (err error) {
	if u.groupTable, err = store.OpenTable[Group](db, "groups"); err != nil {
		return fmt.Errorf("open groups: %w", err)
	}
	rows, err := u.groupTable.All()
	if err != nil {
		return fmt.Errorf("read groups: %w", err)
	}
	complete := false
	for i := range rows {
		g := &rows[i].Value
		u.groups[g.UID] = groupEntry{rows[i].ID, g}
		complete = complete || rows[i].Value.Builtin
	}
	if complete {
		return nil
	}
	for _, g := range firstGroups() {
		if _, there := u.group(g.Name); there {
			continue
		}
		if _, err := u.insertGroup(g); err != nil {
			return err
		}
	}
	return nil
}

func (u *Users) insertGroup(g Group) (*Group, error) {
	g.UID, g.Created = cmp.Or(g.UID, uuid.NewString()), u.opts.Now().UTC()
	g.Changed = g.Created
	id, err := u.groupTable.Insert(g.Name, g)
	if err != nil {
		return nil, fmt.Errorf("add group %s: %w", g.Name, err)
	}
	u.mu.Lock()
	defer u.mu.Unlock()
	u.groups[g.UID] = groupEntry{id, &g}
	return &g, nil
}

// group finds a group by uid or name. The caller holds the lock.
func (u *Users) group(ref string) (*Group, bool) {
	if e, ok := u.groups[strings.ToLower(ref)]; ok {
		return e.group, true
	}
	folded := letters.Fold(ref)
	for _, e := range u.groups {
		if form.FoldsTo(e.group.Name, folded) {
			return e.group, true
		}
	}
	return nil, false
}

// AdminGroup gives the group of the administrators, whatever its name is now.
func (u *Users) AdminGroup() *Group {
	u.mu.Lock()
	defer u.mu.Unlock()
	return u.adminGroup()
}

func (u *Users) adminGroup() *Group {
	for _, e := range u.groups {
		if e.group.Builtin {
			return e.group
		}
	}
	return &Group{} // never: it is made at the first start and cannot be deleted
}

// Group finds a group by uid or name.
func (u *Users) Group(ref string) (*Group, bool) {
	u.mu.Lock()
	defer u.mu.Unlock()
	return u.group(ref)
}

// Groups gives all groups by name.
func (u *Users) Groups() []*Group {
	u.mu.Lock()
	defer u.mu.Unlock()
	return u.allGroups()
}

func (u *Users) allGroups() []*Group {
	var all []*Group
	for _, e := range u.groups {
		all = append(all, e.group)
	}
	slices.SortFunc(all, func(a, b *Group) int { return cmp.Compare(letters.Fold(a.Name), letters.Fold(b.Name)) })
	return all
}

// resolved gives a copy of the user that knows its groups. Groups by name, as a caller may give them, become uids.
func (u *Users) resolved(user *User) *User {
	now := *user
	now.Groups, now.groups = nil, nil
	for _, ref := range user.Groups {
		if g, ok := u.group(ref); ok && !slices.Contains(now.Groups, g.UID) {
			now.Groups = append(now.Groups, g.UID)
			now.groups = append(now.groups, g)
		}
	}
	slices.SortFunc(now.groups, func(a, b *Group) int { return cmp.Compare(letters.Fold(a.Name), letters.Fold(b.Name)) })
	return &now
}

// resolveAll lets every user know the groups of now. The caller holds both locks.
func (u *Users) resolveAll() {
	for name, e := range u.byName {
		u.byName[name] = entry{e.id, u.resolved(e.user)}
	}
	u.written()
}

// AddGroup makes a group. It fails with ErrTaken when the name is, or with TooMany.
func (u *Users) AddGroup(g Group) (*Group, error) {
	if err := form.CheckTitle(g.Name); err != nil {
		return nil, fmt.Errorf("add group %q: %w", g.Name, err)
	}
	u.writing.Lock()
	defer u.writing.Unlock()
	if err := roomForGroups(len(u.groups), len(u.groups)+1); err != nil {
		return nil, err
	}
	g.UID, g.Builtin = "", false
	made, err := u.insertGroup(g)
	u.mu.Lock()
	defer u.mu.Unlock()
	u.resolveAll()
	return made, err
}

// CloneGroup makes a group like another, without members and without what is personal of a user's clone.
func (u *Users) CloneGroup(g *Group, name string) (*Group, error) {
	now := *g
	now.Name, now.Profile = name, g.Profile.impersonal()
	return u.AddGroup(now)
}

// ChangeGroup writes a changed copy of the group. It fails with ErrUnknown, ErrTaken, or ErrLastAdmin if no administrator would be
// left to undo the change.
func (u *Users) ChangeGroup(uid string, edit func(*Group) error) (*Group, error) {
	u.writing.Lock()
	defer u.writing.Unlock()
	was, ok := u.groups[uid]
	if !ok {
		return nil, fmt.Errorf("change group: %w", form.ErrNotFound)
	}
	now := *was.group
	if err := edit(&now); err != nil {
		return nil, err
	}
	now.Changed = form.ChangedAt(was.group.Changed, u.opts.Now())
	if !u.adminStays(func() { u.groups[uid] = groupEntry{was.id, &now} }, func() { u.groups[uid] = was }) {
		return nil, fmt.Errorf("change group %s: %w", now.Name, ErrLastAdmin)
	}
	err := u.groupTable.Put(was.id, now.Name, now)
	if err != nil {
		return nil, fmt.Errorf("change group %s: %w", now.Name, err)
	}
	u.mu.Lock()
	defer u.mu.Unlock()
	u.groups[uid] = groupEntry{was.id, &now}
	u.resolveAll()
	return &now, nil
}

// adminStays reports whether an administrator is left after a step. It takes the step, looks, and takes the step back. A database
// that had no administrator before passes.
func (u *Users) adminStays(step, back func()) bool {
	u.mu.Lock()
	defer u.mu.Unlock()
	had := u.footing()
	step()
	has := u.footing()
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

func (u *Users) footing() footing {
	f := footing{best: u.bestAdmin(), first: true}
	for _, e := range u.byName {
		f.first = f.first && e.user.Hash == ""
	}
	f.group = u.resolved(&User{Groups: []string{u.adminGroup().UID}}).MayAdminister()
	return f
}

// The kinds of administrators, from none to the best. No user can give away a right that it has not. So an administrator outside
// the group admin may be unable to give back what the last member of that group had.
const (
	noAdmin = iota
	otherAdmin
	memberOfAdmin
)

// bestAdmin gives the best administrator that there is.
func (u *Users) bestAdmin() int {
	best := noAdmin
	for _, e := range u.byName {
		user := u.resolved(e.user)
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

// DeleteGroup deletes a group without members that stands in no access list. It fails with form.ErrNotFound or form.ErrReferenced.
func (u *Users) DeleteGroup(uid string) error {
	for {
		seen := u.Generation()
		by := u.near.Box.Referring(form.Reference{Kind: GroupKind, UID: uid}) // before the lock: other areas have locks of their own
		if done, err := u.deleteGroup(uid, seen, by); done {
			return err
		}
	}
}

// deleteGroup is not done when something was changed since its referrers were read.
func (u *Users) deleteGroup(uid string, seen uint64, by []form.Referrer) (done bool, err error) {
	u.writing.Lock()
	defer u.writing.Unlock()
	was, ok := u.groups[uid]
	switch {
	case !ok:
		return true, fmt.Errorf("delete group: %w", form.ErrNotFound)
	case u.Generation() != seen:
		return false, nil
	case was.group.Builtin || len(by) > 0:
		return true, fmt.Errorf("delete group %s: %w", was.group.Name, &form.Referenced{By: by})
	}
	if err := u.groupTable.Delete(was.id); err != nil {
		return true, fmt.Errorf("delete group %s: %w", was.group.Name, err)
	}
	u.mu.Lock()
	defer u.mu.Unlock()
	delete(u.groups, uid)
	u.resolveAll()
	return true, nil
}

// Members gives the users of a group, by name.
func (u *Users) Members(uid string) []*User {
	var members []*User
	for _, user := range u.List() {
		if slices.Contains(user.Groups, uid) {
			members = append(members, &user)
		}
	}
	return members
}

// GroupRecord is a group as an answer has it.
type GroupRecord struct {
	profileRecord
	Locked  bool       `json:"locked"`
	Warn    bool       `json:"warn_on_deletion"`
	Members []form.Ref `json:"members"`
}

// GroupRecord gives a group as an answer has it.
func (u *Users) GroupRecord(g *Group) GroupRecord {
	r := GroupRecord{profileRecord: u.profileRecord(g.UID, g.Name, &g.Profile), Locked: g.Locked, Members: []form.Ref{}}
	r.Revision = g.Revision()
	for _, user := range u.Members(g.UID) {
		r.Members = append(r.Members, form.Ref{Name: user.Name, UID: user.UID})
	}
	r.Warn = len(r.Members) > 0
	return r
}

// MarshalJSON writes the group, unknown keys included.
func (r GroupRecord) MarshalJSON() ([]byte, error) {
	type plain GroupRecord
	return form.WithOther(plain(r), r.other)
}

// Revision is another one after each change of the group; its members are not of the group.
func (g *Group) Revision() string { return form.Revision(g.Changed) }

// ApplyGroup takes the fields of a group, as Apply does those of a user.
func (u *Users) ApplyGroup(f *form.Fields, g *Group) { u.applyGroup(f, g, taking{strange: f.Broken}) }

func (u *Users) applyGroup(f *form.Fields, g *Group, how taking) {
	if name := f.TextOr("name", g.Name); name != g.Name {
		f.Check("name", form.CheckTitle(name))
		g.Name = form.Tidy(name)
	}
	u.applyProfile(f, &g.Profile, how)
	g.Locked = f.Boolean("locked", g.Locked)
}

// CoversGroup reports whether the user has every right that the group allows.
func (u *User) CoversGroup(g *Group) bool {
	for _, r := range right.All() { // an unknown right opens nothing
		if g.Rights[r] == right.Allow && !u.May(r) {
			return false
		}
	}
	return true
}

// Resolved gives the user with the groups of now, for asking what it would be allowed to do.
func (u *Users) Resolved(user User) *User {
	u.mu.Lock()
	defer u.mu.Unlock()
	return u.resolved(&user)
}
