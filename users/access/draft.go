package access

import (
	"encoding/json"
	"errors"
	"maps"
	"slices"
	"strconv"
	"time"

	"quaywatch/form"
	"quaywatch/internal/fold"
	"quaywatch/internal/rule"
	"quaywatch/store/records"
	"quaywatch/users/access/filter"
	"quaywatch/users/access/right"
	"quaywatch/users/document"
)

// Sections returns groups and users.
func (u *Users) Sections() []document.Section {
	u.mu.Lock()
	defer u.mu.Unlock()
	groups, users := len(u.byUID), len(u.byName)
	return []document.Section{
		{Key: "groups", Kind: GroupKind, Room: func(entries int) error { return roomForGroups(groups, entries) }},
		{Key: "users", Kind: UserKind, Room: func(entries int) error { return roomForUsers(users, entries) }},
	}
}

// entryRecord is a user or group in a document. It has the fields of an answer of the interface. Unknown keys stand under a key of
// their own.
type entryRecord[T any] struct {
	Fields T         `json:"-"`
	Other  form.Keys `json:"other,omitempty"`
}

// MarshalJSON writes the fields and the other keys in one object.
func (r entryRecord[T]) MarshalJSON() ([]byte, error) {
	if len(r.Other) == 0 {
		return json.Marshal(r.Fields)
	}
	other, err := json.Marshal(r.Other)
	if err != nil {
		return nil, err
	}
	return form.WithOther(r.Fields, form.Keys{"other": other})
}

// groupFields is a group in a document.
type groupFields struct {
	profileRecord
	Locked bool `json:"locked"`
}

// Export returns all groups or all users.
func (u *Users) Export(section string) (all []any) {
	if section == "groups" {
		for _, g := range u.groups.All() {
			all = append(all, entryRecord[groupFields]{groupFields{u.profileRecord(g.UID, g.Name, &g.Profile), g.Locked}, g.Other})
		}
		return all
	}
	for _, user := range u.List() {
		all = append(all, entryRecord[userFields]{u.userFields(&user), user.Other})
	}
	return all
}

// Find finds a user or group by the word of its kind.
func (u *Users) Find(kind, ref string) (form.Ref, bool) {
	switch kind {
	case UserKind:
		if user, ok := u.User(ref); ok {
			return form.Ref{Name: user.Name, UID: user.UID}, true
		}
	case GroupKind:
		g, ok := u.findGroup(ref)
		return g.ref(), ok
	}
	return form.Ref{}, false
}

// draft is a copy of all users and groups.
type draft struct {
	*directory
	of        *Users
	others    document.Others
	version   uint64               // of what was copied
	dirty     map[string]bool      // uids of what was changed or made
	gone      []uint64             // the places of groups that are removed
	ended     []string             // uids of the users whose sessions end
	free      []records.CommitPart // what takes their sessions and tokens out of the database
	void      []func()             // and out of memory
	populated bool                 // it brings users of its own, and so may bring the group admin as those left it
	groupsWas map[string]*Group
	usersWas  map[string]*User
	uids      map[*document.Entry]string
	given     map[string]bool  // the uids of the document
	people    map[string]*User // all users, by uid
	named     document.NameTable
	keyed     map[string]bool // uids of users and groups with the filters that the document gives
	usersNow  int
}

// Draft returns a copy of all users and groups.
func (u *Users) Draft(others document.Others) document.Draft {
	u.mu.Lock()
	defer u.mu.Unlock()
	names := filter.NameSource{Find: others.Find, Lookup: form.Existing(others.Find), Feeds: u.opts.Feeds, Outputs: u.opts.Outputs}
	trial := &directory{now: u.now, names: names, byName: map[string]entry{}, byUID: maps.Clone(u.byUID), called: &document.NameTable{}}
	d := &draft{directory: trial, of: u, others: others, version: u.version, dirty: map[string]bool{}, groupsWas: map[string]*Group{},
		usersWas: map[string]*User{}, uids: map[*document.Entry]string{}, given: map[string]bool{}, people: map[string]*User{},
		keyed: map[string]bool{}, usersNow: len(u.byName)}
	for _, e := range u.byName { // by uid until all names are known: two may change theirs with each other
		trial.byName[e.user.UID] = e
		d.usersWas[e.user.UID] = e.user
		d.people[e.user.UID] = e.user
		d.named.Set(e.user.UID, e.user.Name)
	}
	for uid, g := range u.byUID {
		d.groupsWas[uid] = g.group
		d.called.Set(uid, g.group.Name)
	}
	return d
}

// Find finds a user or group of the draft.
func (d *draft) Find(kind, ref string) (form.Ref, bool) {
	switch kind {
	case GroupKind:
		g, ok := d.findGroup(ref)
		return g.ref(), ok
	case UserKind:
		user, ok := d.people[ref]
		if uid, named := d.named.First(ref); !ok && named {
			user, ok = d.people[uid]
		}
		if ok {
			return form.Ref{Name: user.Name, UID: user.UID}, true
		}
	}
	return form.Ref{}, false
}

// Announce finds the user or group of an entry, or makes it, with the name that it gets.
func (d *draft) Announce(e *document.Entry) {
	there := func(uid string) bool { _, ok := d.byName[uid]; return ok }
	if e.Section.Kind == GroupKind {
		there = func(uid string) bool { _, ok := d.byUID[uid]; return ok }
	}
	uid, found := e.Identify(there, func(name string) (string, bool) {
		ref, ok := d.Find(e.Section.Kind, name)
		return ref.UID, ok && there(ref.UID)
	})
	d.uids[e], d.given[uid] = uid, true
	if e.Section.Kind == GroupKind {
		g := &Group{UID: uid, Created: d.now().UTC()}
		if found {
			copied := *d.byUID[uid].group
			g = &copied
		}
		e.Check("name", form.CheckTitle(e.Name))
		g.Name = form.Tidy(e.Name)
		d.byUID[uid] = groupEntry{d.byUID[uid].id, g}
		d.called.Set(uid, g.Name)
		return
	}
	d.populated = true
	user := &User{UID: uid, Created: d.now().UTC(), Stamp: 1}
	if found {
		copied := *d.byName[uid].user
		user = &copied
	}
	user.Name = form.Tidy(e.Name)
	e.Check("name", CheckName(user.Name))
	d.byName[uid] = entry{d.byName[uid].id, user}
	d.people[uid] = user
	d.named.Set(uid, user.Name)
}

// Apply takes what an entry says of a user or group. Rights, settings and filters that it gives are taken as a whole.
func (d *draft) Apply(e *document.Entry) {
	uid, how := d.uids[e], taking{true, func(wrong form.Errors) {
		for _, text := range wrong {
			e.Strange(text)
		}
	}}
	var p *Profile
	names := &d.named
	if e.Section.Kind == GroupKind {
		g := d.byUID[uid].group
		d.applyGroup(e.Fields, g, how)
		p, names = &g.Profile, d.called
	} else {
		user := d.byName[uid].user
		if e.Given("direct_access") {
			user.Direct = DirectAccess{}
		}
		d.applyUser(e.Fields, user, how)
		p = &user.Profile
	}
	if names.Shared(uid) {
		e.Refuse("name", rule.New("named_here", "another {kind} has it here", "kind", e.Section.Kind))
	}
	if e.Given("other") {
		var err error
		p.Other, err = form.TakeOther(nil, e.Object("other"))
		e.Check("other", err)
		e.Broken(strayKeys(e.Section.Kind, p.Other))
	}
	for _, key := range []string{"receive_filter", "transmit_filter"} {
		d.keyed[uid+key] = e.Given(key)
	}
	d.markChanges(e, uid)
}

// strayKeys returns an error for each unknown key that looks like a right or a limit, and would do nothing.
func strayKeys(kind string, other form.Keys) (wrong form.Errors) {
	for _, key := range slices.Sorted(maps.Keys(other)) {
		switch {
		case kind == GroupKind && slices.Contains(ofUser(), key):
			wrong = append(wrong, form.Error{Pointer: "/other/" + key, Rule: errOfUser()})
		case slices.Contains(right.All(), right.Name(key)):
			wrong = append(wrong, form.Error{Pointer: "/other/" + key, Rule: errRightOutside()})
		}
	}
	return wrong
}

// markChanges compares what was with what is to be, and marks what has to be written.
func (d *draft) markChanges(e *document.Entry, uid string) {
	if e.Section.Kind == GroupKind {
		g := d.byUID[uid].group
		d.noteChange(e, uid, g.Name, d.groupsWas[uid] != nil, d.groupsWas[uid], g, &g.Changed)
		return
	}
	user, was := d.byName[uid].user, d.usersWas[uid]
	d.noteChange(e, uid, user.Name, was != nil, was, user, &user.Changed)
	if was != nil && user.supersede(was, d.now()) {
		d.ended = append(d.ended, uid)
	}
	if user.Hash == "" {
		e.Unarmed(user.Name)
	}
}

// noteChange marks a user or group for writing if it is new or differs from what it was.
func (d *draft) noteChange(e *document.Entry, uid, name string, there bool, was, now any, at *time.Time) {
	changed := !there || !form.Same(was, now)
	if changed {
		*at, d.dirty[uid] = form.ChangedAt(*at, d.now()), true
	}
	e.Done(name, there, changed)
}

// Check refuses more than there may be, and an expression that the document does not give but that would mean something else by it.
func (d *draft) Check(r *document.ImportReport) {
	d.keepExpressions(r)
	d.updateUsers()
	if !d.given[firstUID(GroupAdmin)] {
		d.checkRoom(r)
		return
	}
	for _, g := range d.allGroups() { // a whole export lacks the groups of the first start that the other box deleted
		if d.given[g.UID] || !g.isFirst() || g.Builtin || !g.Changed.Equal(g.Created) || len(d.membersOf(g.UID)) > 0 || d.others.Shared(g.UID) {
			continue
		}
		d.gone = append(d.gone, d.byUID[g.UID].id)
		delete(d.byUID, g.UID)
		d.called.Drop(g.UID)
		r.Removed(GroupKind, g.Name)
	}
	d.checkRoom(r)
}

func (d *draft) membersOf(uid string) (members []string) {
	for _, e := range d.byName {
		if slices.Contains(e.user.Groups, uid) {
			members = append(members, e.user.Name)
		}
	}
	return members
}

func (d *draft) checkRoom(r *document.ImportReport) {
	r.Check(roomForUsers(d.usersNow, len(d.byName)))
	r.Check(roomForGroups(len(d.groupsWas), len(d.byUID)))
}

// updateUsers lets users be found by their names again, and know the groups of now.
func (d *draft) updateUsers() {
	named := map[string]entry{}
	for _, e := range d.byName {
		named[fold.Name(e.user.Name)] = entry{e.id, d.resolved(e.user)}
	}
	d.byName = named
}

// keepExpressions refuses a document by which the expression of a filter that it leaves as it is would mean nothing, or something else. Such a filter would
// hide every ship, or the ships of another list.
func (d *draft) keepExpressions(r *document.ImportReport) {
	check := func(kind, name, uid string, p *Profile) {
		for key, keys := range map[string]form.Keys{"receive_filter": p.ReceiveFilter, "transmit_filter": p.TransmitFilter} {
			if d.keyed[uid+key] {
				continue
			}
			for _, w := range filter.WordsOf(keys) {
				was, meant := d.of.names.Find(w.Kind, w.Text)
				if now, means := d.others.Find(w.Kind, w.Text); meant && (!means || now.UID != was.UID) {
					r.Refuse(kind, name, key+"/expression", rule.New("says_renamed",
						"says {word}, which would mean something else by this document: change that first, or in this document",
						"word", strconv.Quote(w.Text)))
				}
			}
		}
	}
	for _, g := range d.allGroups() {
		check(GroupKind, g.Name, g.UID, &g.Profile)
	}
	for _, e := range d.byName {
		check(UserKind, e.user.Name, e.user.UID, &e.user.Profile)
	}
}

// Shares returns false: users and groups are not shared.
func (d *draft) Shares(string) bool { return false }

// Reassign makes the members of a group members of another.
func (d *draft) Reassign(kind, from, to string) map[string]int {
	d.updateUsers()
	if kind != GroupKind {
		return nil
	}
	count := 0
	for name, e := range d.byName {
		groups := form.Replaced(e.user.Groups, from, to)
		if slices.Equal(groups, e.user.Groups) {
			continue
		}
		now := *e.user
		now.Groups, now.Changed = groups, form.ChangedAt(now.Changed, d.now())
		d.byName[name] = entry{e.id, d.resolved(&now)}
		d.dirty[now.UID] = true
		count++
	}
	return map[string]int{"users": count}
}

// Lock keeps others from changing users and groups. They can be read. It finds which sessions and tokens end with the changes. They are those of the users that
// the import may have locked out, and the tokens of those that it disabled.
func (d *draft) Lock() {
	d.of.writing.Lock()
	for _, uid := range d.ended {
		now, _ := d.ofUID(uid)
		free, void := d.of.voiding(uid, now.user.Disabled)
		d.free, d.void = append(d.free, free), append(d.void, void)
	}
}

// Unlock lets it go.
func (d *draft) Unlock() { d.of.writing.Unlock() }

// Stands fails if something has changed since the copy. It fails with ErrLastAdmin if no administrator would be left.
func (d *draft) Stands() error {
	if d.of.version != d.version {
		return document.ErrMeanwhile
	}
	was := d.of.footing()
	was.group = was.group && !d.populated
	if !d.footing().keeps(was) {
		return ErrLastAdmin
	}
	return nil
}

// Write deletes what the draft deletes. Then it renames what changed to free names, so that two entries may exchange their names.
// Last it writes the changes.
func (d *draft) Write(tx *records.Tx) (err error) {
	var errs []error
	for _, id := range d.gone {
		errs = append(errs, d.of.groups.table.FreeIn(tx, id))
	}
	for _, e := range d.byName {
		if d.dirty[e.user.UID] && e.id != 0 {
			errs = append(errs, d.of.table.FreeIn(tx, e.id))
		}
	}
	for uid, e := range d.byUID {
		if d.dirty[uid] && e.id != 0 {
			errs = append(errs, d.of.groups.table.FreeIn(tx, e.id))
		}
	}
	if err := errors.Join(errs...); err != nil {
		return err
	}
	for key, e := range d.byName {
		if d.dirty[e.user.UID] {
			if e.id, err = d.of.table.SetIn(tx, e.id, e.user.Name, *e.user); err != nil {
				return err
			}
			d.byName[key] = e
		}
	}
	for uid, e := range d.byUID {
		if d.dirty[uid] {
			if e.id, err = d.of.groups.table.SetIn(tx, e.id, e.group.Name, *e.group); err != nil {
				return err
			}
			d.byUID[uid] = e
		}
	}
	for _, free := range d.free {
		errs = append(errs, free(tx))
	}
	return errors.Join(errs...)
}

// Adopt makes the draft the users and groups.
func (d *draft) Adopt() {
	d.of.mu.Lock()
	defer d.of.mu.Unlock()
	d.of.byName, d.of.byUID = d.byName, d.byUID
	d.of.raiseGeneration()
}

// Follow ends in memory what ended in the database.
func (d *draft) Follow() error {
	d.of.passwords.forgetVerified()
	for _, void := range d.void {
		void()
	}
	return nil
}
