package library

import (
	"bytes"
	"errors"
	"slices"
	"strconv"

	"quaywatch/form"
	"quaywatch/internal/fold"
	"quaywatch/internal/rule"
	"quaywatch/ship"
	"quaywatch/store/records"
	"quaywatch/users/document"
)

// Sections returns ship lists, shapes and filters; filters come last, as they may name the others.
func (l *Library) Sections() []document.Section {
	l.mu.RLock()
	defer l.mu.RUnlock()
	var all []document.Section
	for k := range kinds {
		count := len(l.all[k])
		full, _ := k.fullRules()
		room := func(entries int) error { return form.Room(MaxKept, count, entries, full) }
		all = append(all, document.Section{Key: k.String() + "s", Kind: k.String(), Room: room})
	}
	return all
}

// kindOf returns the kind of a word, in the singular as kinds have it or in the plural as sections do.
func kindOf(word string) (Kind, bool) {
	for k := range kinds {
		if word == k.String() || word == k.String()+"s" {
			return k, true
		}
	}
	return 0, false
}

// Export returns all things of a section.
func (l *Library) Export(section string) (all []any) {
	k, _ := kindOf(section)
	for _, r := range l.keptThings(k) {
		all = append(all, l.recordOf(k, &r))
	}
	return all
}

// Referring returns the things that are shared with a user or group, or name it for their alerts.
func (l *Library) Referring(to form.Reference) (by []form.Referrer) {
	l.mu.RLock()
	defer l.mu.RUnlock()
	for k := range kinds {
		for _, r := range l.all[k] {
			if to.UID != "" && (slices.Contains(r.ACL, to.UID) || slices.Contains(r.alerted(), to.UID)) {
				by = append(by, form.Referrer{Kind: k.String(), Name: r.Name, UID: r.UID})
			}
		}
	}
	return by
}

// Owns reports whether a user owns anything here.
func (l *Library) Owns(uid string) bool {
	l.mu.RLock()
	defer l.mu.RUnlock()
	return slices.ContainsFunc(l.all[:], func(all []Resource) bool {
		return slices.ContainsFunc(all, func(r Resource) bool { return r.Owner == uid })
	})
}

// draft is a copy of a library.
type draft struct {
	trial   *Library // of nothing but what it keeps
	library *Library
	others  document.Others
	version uint64 // of the library that was copied
	dirty   map[string]bool
	before  [kinds]int    // how many there were
	last    [kinds]uint64 // numbers that were given here
	claimed [kinds]map[uint64]string
	lists   map[string]bool // by uid: the watchdogs of the document, and whether they make ship lists
	placed  map[*document.Entry]place
	order   []*document.Entry
	indexes [kinds]index
}

// index finds the things of a kind in a draft.
type index struct {
	at     map[string]int    // places, by uid
	number map[uint64]string // uids
	names  document.NameTable
}

// putResource takes a thing at a place.
func (x *index) putResource(r *Resource, at int) {
	x.at[r.UID] = at
	if x.names.Set(r.UID, r.Name); r.ID != 0 {
		x.number[r.ID] = r.UID
	}
}

// place is what an entry means: what was there (nil for nothing), and the uid.
type place struct {
	kind Kind
	was  *Resource
	uid  string
}

// Draft returns a copy of the library.
func (l *Library) Draft(others document.Others) document.Draft {
	l.mu.RLock()
	defer l.mu.RUnlock()
	d := &draft{trial: &Library{opts: l.opts}, library: l, others: others, version: l.version, dirty: map[string]bool{}, lists: map[string]bool{}, placed: map[*document.Entry]place{}}
	for k := range kinds {
		d.trial.all[k] = slices.Clone(l.all[k])
		d.before[k], d.claimed[k] = len(l.all[k]), map[uint64]string{}
		d.last[k], _ = l.tables[k].Last() // where it cannot be read, nothing can be written
		d.find(k)
	}
	return d
}

// find makes the index of a kind anew.
func (d *draft) find(k Kind) {
	d.indexes[k] = index{at: map[string]int{}, number: map[uint64]string{}}
	for i := range d.trial.all[k] {
		d.indexes[k].putResource(&d.trial.all[k][i], i)
	}
}

// resourceOf returns the thing of a uid.
func (d *draft) resourceOf(k Kind, uid string) *Resource {
	return &d.trial.all[k][d.indexes[k].at[uid]]
}

// Announce finds the thing of an entry, or makes it, with the name that it gets.
func (d *draft) Announce(e *document.Entry) {
	k, _ := kindOf(e.Section.Kind)
	x := &d.indexes[k]
	uid, there := e.Identify(func(uid string) bool { _, ok := x.at[uid]; return ok }, x.names.First)
	p := place{kind: k, uid: uid}
	if there {
		was := *d.resourceOf(k, uid)
		p.was = &was
	} else {
		d.trial.all[k] = append(d.trial.all[k], Resource{UID: uid, Created: d.library.opts.Now().UTC()})
		x.at[uid] = len(d.trial.all[k]) - 1
	}
	r := d.resourceOf(k, uid)
	e.Check("name", CheckName(e.Name))
	if r.Name = form.Tidy(e.Name); r.BuiltIn() {
		r.Name = p.was.Name // each box has its own one
		e.Drop("name")
	}
	if number := uint64(e.Integer("id", 0, mostGiven)); number != 0 {
		if p.was == nil && number > d.last[k] && d.claimed[k][number] == "" {
			r.ID = number
		}
		d.claimed[k][number] = uid
	}
	x.putResource(r, x.at[uid])
	if k == Watchdogs && e.Given("create_shiplist") {
		d.lists[uid] = string(bytes.TrimSpace(e.Raw("create_shiplist"))) == "true"
	}
	d.placed[e], d.order = p, append(d.order, e)
}

// mostGiven bounds the numbers that a document gives: those that come after it must still be exact in JSON.
const mostGiven = 1 << 52

// Apply takes what an entry says of a thing.
func (d *draft) Apply(e *document.Entry) {
	p := d.placed[e]
	r := d.resourceOf(p.kind, p.uid)
	if d.indexes[p.kind].names.Shared(p.uid) {
		e.Refuse("name", rule.New("named_here", "another {kind} has it here", "kind", p.kind.String()))
	}
	if e.Given("owner") {
		r.Owner = e.Reference("owner", "user", d.others.Find)
	}
	err := applyFields(e.Fields, p.kind, r, form.Existing(d.others.Find), d.others.Find)
	var syntax *ship.SyntaxError
	switch {
	case errors.As(err, &syntax):
		e.Check("filter", err)
	case err != nil:
		e.Check("ships", err)
	}
	if e.Given("other") {
		r.Other, err = form.TakeOther(nil, e.Object("other"))
		e.Check("other", err)
	}
	changed := p.was == nil || !form.Same(*p.was, *r)
	if changed {
		r.Changed = form.ChangedAt(r.Changed, d.library.opts.Now())
		d.dirty[r.UID] = true
	}
	e.Done(r.Name, p.was != nil, changed)
}

// Check refuses more things than the limit, and two shapes of the same region. It does not limit the things of one owner. What
// deleted users left belongs to others or to no user, and a second box must be able to import it.
func (d *draft) Check(report *document.ImportReport) {
	for k := range kinds {
		d.trial.sort(k)
		d.find(k)
		full, _ := k.fullRules()
		report.Check(form.Room(MaxKept, d.before[k], len(d.trial.all[k]), full))
	}
	d.checkLists(report)
	regions := map[int][]Resource{}
	for _, r := range d.trial.all[Shapes] {
		if len(regions[r.Region]) < 2 { // one of two is another
			regions[r.Region] = append(regions[r.Region], r)
		}
	}
	for _, e := range d.order {
		p := d.placed[e]
		if p.kind != Shapes {
			continue
		}
		was, now := 0, d.resourceOf(Shapes, p.uid)
		if p.was != nil {
			was = p.was.Region
		}
		if by, taken := regionTaken(regions[now.Region], was, now); taken {
			report.Refuse("shape", now.Name, "region", rule.New("region_taken_by", "{region} is the shape {name}", "region", now.Region, "name", strconv.Quote(by.Name)))
		}
	}
}

// checkLists refuses names that a ship list and the list of a watchdog would share, and watchdogs that depend on their own lists.
func (d *draft) checkLists(report *document.ImportReport) {
	for _, e := range d.order {
		p := d.placed[e]
		if p.kind != ShipLists && p.kind != Watchdogs {
			continue
		}
		r := d.resourceOf(p.kind, p.uid)
		var taken *ListTaken
		if errors.As(d.trial.listTaken(p.kind, r), &taken) {
			report.Refuse(p.kind.String(), r.Name, "name", taken.Rule)
		}
		if key := d.trial.circleKey(r); key != "" {
			report.Refuse(p.kind.String(), r.Name, key, circleRule())
		}
	}
}

// findList finds the ship list that a watchdog of the draft makes, also before its entry is taken.
func (d *draft) findList(ref string) (form.Ref, bool) {
	folded := fold.Name(ref)
	for i := range d.trial.all[Watchdogs] {
		r := &d.trial.all[Watchdogs][i]
		lists, said := d.lists[r.UID]
		if (said && lists || !said && r.Lists()) && (r.UID == folded || fold.Name(r.Name) == folded) {
			return form.Ref{Name: r.Name, UID: r.UID}, true
		}
	}
	return form.Ref{}, false
}

// Find finds a thing of the draft. A number that the document gives to what has another one here finds nothing.
func (d *draft) Find(kind, ref string) (form.Ref, bool) {
	k, known := kindOf(kind)
	if !known {
		return form.Ref{}, false
	}
	x, folded := &d.indexes[k], fold.Name(ref)
	uid, ok := folded, false
	if _, ok = x.at[uid]; !ok {
		number, err := strconv.ParseUint(folded, 10, 64)
		if uid, ok = x.number[number]; err == nil {
			if claimed := d.claimed[k][number]; claimed != "" && (!ok || claimed != uid) {
				return form.Ref{}, false
			}
		}
		if !ok {
			uid, ok = x.names.First(ref)
		}
	}
	if !ok && k == ShipLists {
		return d.findList(ref)
	}
	if !ok {
		return form.Ref{}, false
	}
	return form.Ref{Name: d.resourceOf(k, uid).Name, UID: uid}, true
}

// Shares reports whether something is shared with a user or group.
func (d *draft) Shares(uid string) bool { return len(d.trial.Referring(form.Reference{UID: uid})) > 0 }

// Reassign hands what a user owns to another, or puts a group in the place of another in the access lists.
func (d *draft) Reassign(kind, from, to string) map[string]int {
	counts := map[string]int{}
	for k := range kinds {
		word := k.String() + "s"
		counts[word] = 0
		for i := range d.trial.all[k] {
			r := &d.trial.all[k][i]
			renamed := r.realert(from, to)
			switch acl := form.Replaced(r.ACL, from, to); {
			case kind == "user" && r.Owner == from:
				r.Owner = to
			case kind == "group" && !slices.Equal(acl, r.ACL):
				r.ACL = acl
			case !renamed:
				continue
			}
			r.Changed = form.ChangedAt(r.Changed, d.library.opts.Now())
			d.dirty[r.UID] = true
			counts[word]++
		}
	}
	return counts
}

// Lock keeps others from changing the library. It can be read.
func (d *draft) Lock() { d.library.writing.Lock() }

// Unlock lets it go.
func (d *draft) Unlock() { d.library.writing.Unlock() }

// Stands fails if the library has changed since the copy.
func (d *draft) Stands() error {
	if d.library.version != d.version {
		return document.ErrMeanwhile
	}
	return nil
}

// Write first frees the names of what changed, so that two things may exchange their names. Then it writes the changes, those with
// a number first.
func (d *draft) Write(tx *records.Tx) (err error) {
	for _, pass := range []func(k Kind, r *Resource) error{
		func(k Kind, r *Resource) error {
			if r.ID == 0 {
				return nil
			}
			return d.library.tables[k].FreeIn(tx, r.ID)
		},
		func(k Kind, r *Resource) error {
			if r.ID == 0 {
				return nil
			}
			_, err := d.library.tables[k].SetIn(tx, r.ID, r.Name, *r)
			return err
		},
		func(k Kind, r *Resource) (err error) {
			if r.ID == 0 {
				r.ID, err = d.library.tables[k].SetIn(tx, 0, r.Name, *r)
			}
			return err
		},
	} {
		for k := range kinds {
			for i := range d.trial.all[k] {
				if r := &d.trial.all[k][i]; d.dirty[r.UID] {
					if err := pass(k, r); err != nil {
						return err
					}
				}
			}
		}
	}
	return nil
}

// Adopt makes the draft the library.
func (d *draft) Adopt() {
	d.library.mu.Lock()
	defer d.library.mu.Unlock()
	d.library.all = d.trial.all
	d.library.stored = d.library.bytesByOwner()
	d.library.raiseVersion()
}

// Follow does nothing: readers ask for the things of now.
func (d *draft) Follow() error { return nil }
