package access

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"

	"quaywatch/form"
	"quaywatch/internal/fold"
	"quaywatch/internal/rule"
	"quaywatch/store/records"
	"quaywatch/users/access/right"
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

func allowRights(rights []right.Name) map[right.Name]right.Verdict {
	all := map[right.Name]right.Verdict{}
	for _, r := range rights {
		all[r] = right.Allow
	}
	return all
}

// firstGroups are those of the first start; admin comes last, as its presence says that all are there.
func firstGroups() []Group {
	return []Group{
		{UID: firstUID(GroupViewer), Name: GroupViewer, Profile: Profile{Description: "looks", Rights: allowRights(right.OfViewer())}},
		{UID: firstUID(GroupOperator), Name: GroupOperator,
			Profile: Profile{Description: "everything but users, groups and the system", Rights: allowRights(right.OfOperator())}},
		{UID: firstUID(GroupAdmin), Name: GroupAdmin, Profile: Profile{Description: "everything", Rights: allowRights(right.All())}, Builtin: true},
	}
}

// firstUID returns the uid of a user or group that the first start of each box makes. It is the same on all, so that a document means it.
func firstUID(name string) string {
	return uuid.NewSHA1(uuid.NameSpaceDNS, []byte("quaywatch "+name)).String()
}

// isFirst reports whether the group is one of the first start, under whatever name.
func (g *Group) isFirst() bool {
	return slices.ContainsFunc(firstGroups(), func(first Group) bool { return first.UID == g.UID })
}

// Groups are all groups.
type Groups struct {
	*directory
	table *records.Table[Group]
}

// openGroups reads the groups, and makes the first ones in a database that has none yet.
func openGroups(db *records.Database, d *directory) (gs *Groups, err error) {
	table, rows, err := records.ReadTable[Group](db, "groups")
	if err != nil {
		return nil, err
	}
	gs = &Groups{d, table}
	complete := false
	for i := range rows {
		g := &rows[i].Value
		gs.byUID[g.UID] = groupEntry{rows[i].ID, g}
		complete = complete || rows[i].Value.Builtin
	}
	if complete {
		return gs, nil
	}
	for _, g := range firstGroups() {
		if _, there := gs.groupNamed(g.Name); there {
			continue
		}
		if _, err := gs.insertGroup(g, nil); err != nil {
			return nil, err
		}
	}
	return gs, nil
}

func (gs *Groups) insertGroup(g Group, also []records.CommitPart) (*Group, error) {
	g.UID, g.Created = cmp.Or(g.UID, uuid.NewString()), gs.now().UTC()
	g.Changed = g.Created
	id, err := gs.table.Insert(g.Name, g, also...)
	if err != nil {
		return nil, fmt.Errorf("add group %s: %w", g.Name, err)
	}
	gs.mu.Lock()
	defer gs.mu.Unlock()
	gs.byUID[g.UID] = groupEntry{id, &g}
	return &g, nil
}

// Admin returns the group of the administrators, whatever its name is now.
func (gs *Groups) Admin() *Group {
	gs.mu.Lock()
	defer gs.mu.Unlock()
	return gs.adminGroup()
}

// Get finds a group by uid or name.
func (gs *Groups) Get(ref string) (*Group, bool) { return gs.findGroup(ref) }

// All returns all groups by name.
func (gs *Groups) All() []*Group {
	gs.mu.Lock()
	defer gs.mu.Unlock()
	return gs.allGroups()
}

// Add makes a group, in one commit with also. It fails with ErrTaken when the name is, or with TooMany.
func (gs *Groups) Add(g Group, also ...records.CommitPart) (*Group, error) {
	if err := form.CheckTitle(g.Name); err != nil {
		return nil, fmt.Errorf("add group %q: %w", g.Name, err)
	}
	gs.writing.Lock()
	defer gs.writing.Unlock()
	if err := roomForGroups(len(gs.byUID), len(gs.byUID)+1); err != nil {
		return nil, err
	}
	g.UID, g.Builtin = "", false
	made, err := gs.insertGroup(g, also)
	gs.mu.Lock()
	defer gs.mu.Unlock()
	gs.resolveAll()
	return made, err
}

// Clone makes a group like another, in one commit with also, without members and without what is personal of a user's clone.
func (gs *Groups) Clone(g *Group, name string, also ...records.CommitPart) (*Group, error) {
	now := *g
	now.Name, now.Profile = name, g.Profile.impersonal()
	return gs.Add(now, also...)
}

// Change writes a changed copy of the group, in one commit with also. It fails with form.ErrNotFound, ErrTaken, or ErrLastAdmin if no
// administrator would be left to undo the change.
func (gs *Groups) Change(uid string, edit func(*Group) error, also ...records.CommitPart) (*Group, error) {
	gs.writing.Lock()
	defer gs.writing.Unlock()
	was, ok := gs.byUID[uid]
	if !ok {
		return nil, fmt.Errorf("change group: %w", form.ErrNotFound)
	}
	now := *was.group
	if err := edit(&now); err != nil {
		return nil, err
	}
	now.Changed = form.ChangedAt(was.group.Changed, gs.now())
	if !gs.adminStays(func() { gs.byUID[uid] = groupEntry{was.id, &now} }, func() { gs.byUID[uid] = was }) {
		return nil, fmt.Errorf("change group %s: %w", now.Name, ErrLastAdmin)
	}
	err := gs.table.Put(was.id, now.Name, now, also...)
	if err != nil {
		return nil, fmt.Errorf("change group %s: %w", now.Name, err)
	}
	gs.mu.Lock()
	defer gs.mu.Unlock()
	gs.byUID[uid] = groupEntry{was.id, &now}
	gs.resolveAll()
	return &now, nil
}

// Delete deletes a group without members that stands in no access list, in one commit with also. It fails with form.ErrNotFound or
// form.ErrReferenced.
func (gs *Groups) Delete(uid string, also ...records.CommitPart) error {
	for {
		seen := gs.generation.Load()
		by := gs.near.Box.Referring(form.Reference{Kind: GroupKind, UID: uid}) // before the lock: other areas have locks of their own
		if done, err := gs.remove(uid, seen, by, also); done {
			return err
		}
	}
}

// remove is not done when something was changed since its referrers were read.
func (gs *Groups) remove(uid string, seen uint64, by []form.Referrer, also []records.CommitPart) (done bool, err error) {
	gs.writing.Lock()
	defer gs.writing.Unlock()
	was, ok := gs.byUID[uid]
	switch {
	case !ok:
		return true, fmt.Errorf("delete group: %w", form.ErrNotFound)
	case gs.generation.Load() != seen:
		return false, nil
	case was.group.Builtin || len(by) > 0:
		return true, fmt.Errorf("delete group %s: %w", was.group.Name, &form.Referenced{By: by})
	}
	if err := gs.table.Delete(was.id, also...); err != nil {
		return true, fmt.Errorf("delete group %s: %w", was.group.Name, err)
	}
	gs.mu.Lock()
	defer gs.mu.Unlock()
	delete(gs.byUID, uid)
	gs.resolveAll()
	return true, nil
}

// Members returns the users of a group, by name.
func (gs *Groups) Members(uid string) []*User {
	gs.mu.Lock()
	defer gs.mu.Unlock()
	var members []*User
	for _, e := range gs.byName {
		if slices.Contains(e.user.Groups, uid) {
			members = append(members, e.user)
		}
	}
	slices.SortFunc(members, func(a, b *User) int { return strings.Compare(a.Name, b.Name) })
	return members
}

// Record returns a group as an answer has it.
func (gs *Groups) Record(g *Group) GroupRecord {
	r := GroupRecord{profileRecord: gs.profileRecord(g.UID, g.Name, &g.Profile), Locked: g.Locked, Members: []form.Ref{}}
	r.Revision = g.Revision()
	for _, user := range gs.Members(g.UID) {
		r.Members = append(r.Members, form.Ref{Name: user.Name, UID: user.UID})
	}
	r.Warn = len(r.Members) > 0
	return r
}

func (d *directory) applyGroup(f *form.Fields, g *Group, how taking) {
	if name := f.TextOr("name", g.Name); name != g.Name {
		f.Check("name", form.CheckTitle(name))
		g.Name = form.Tidy(name)
	}
	d.refuseOfUser(f, g)
	d.applyProfile(f, &g.Profile, how)
	g.Locked = f.Boolean("locked", g.Locked)
}

// ofUser are the keys of users that look like rights or limits, and that a group does not have.
func ofUser() []string {
	return []string{"disabled", "expiration_time", "period_before_expire", "direct_access", "groups", "password", "effective_rights"}
}

// errOfUser is the error of a key of users in a group.
func errOfUser() *rule.Rule { return rule.New("of_user", "is of users alone: a group has none") }

// refuseOfUser refuses what would do nothing in a group, and other members than it has. Members may come back as they were read.
func (d *directory) refuseOfUser(f *form.Fields, g *Group) {
	for _, key := range ofUser() {
		if f.Given(key) {
			f.Refuse(key, errOfUser())
		}
		f.Drop(key)
	}
	if f.Given("members") && !d.areMembers(f.List("members"), g) {
		f.Refuse("members", rule.New("members_by_user", "do not change here: write the groups of each user"))
	}
}

// areMembers reports whether references are all members of a group and no others.
func (d *directory) areMembers(refs []json.RawMessage, g *Group) bool {
	named := map[string]bool{}
	for _, raw := range refs {
		ref, _ := form.ParseRef(raw)
		named[fold.Name(ref)] = true
	}
	members := (&Groups{directory: d}).Members(g.UID)
	for _, m := range members {
		if !named[m.UID] && !named[fold.Name(m.Name)] {
			return false
		}
	}
	return len(refs) == len(members)
}

// Apply takes the fields of a group, as Apply does those of a user.
func (gs *Groups) Apply(f *form.Fields, g *Group) { gs.applyGroup(f, g, taking{strange: f.Broken}) }

// GroupRecord is a group as an answer has it.
type GroupRecord struct {
	profileRecord
	Locked  bool       `json:"locked"`
	Warn    bool       `json:"warn_on_deletion"`
	Members []form.Ref `json:"members"`
}

// MarshalJSON writes the group, unknown keys included.
func (r GroupRecord) MarshalJSON() ([]byte, error) {
	type plain GroupRecord
	return form.WithOther(plain(r), r.other)
}

// ref is how others name the group.
func (g *Group) ref() form.Ref {
	if g == nil {
		return form.Ref{}
	}
	return form.Ref{Name: g.Name, UID: g.UID}
}

// Revision is another one after each change of the group; its members are not of the group.
func (g *Group) Revision() string { return form.Revision(g.Changed) }

// CoversGroup reports whether the user has every right that the group allows.
func (u *User) CoversGroup(g *Group) bool {
	for _, r := range right.All() { // an unknown right opens nothing
		if g.Rights[r] == right.Allow && !u.May(r) {
			return false
		}
	}
	return true
}

// Resolved returns the user with the groups of now, for asking what it would be allowed to do.
func (u *Users) Resolved(user User) *User {
	u.mu.Lock()
	defer u.mu.Unlock()
	return u.resolved(&user)
}
