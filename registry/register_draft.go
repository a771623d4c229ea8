package registry

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"quaywatch/document"
	"quaywatch/form"
	"quaywatch/letters"
	"quaywatch/rule"
	"quaywatch/store"
)

// Sections gives the section of the register.
func (r *Register) Sections() []document.Section {
	return []document.Section{{Key: "register", Kind: "register"}}
}

// Export gives the entries of the register.
func (r *Register) Export(string) (all []any) {
	for _, e := range r.All() {
		all = append(all, struct {
			Registered
			Position *form.PlainPoint `json:"position,omitempty"`
		}{e, form.PointOf(e.Position)})
	}
	return all
}

// registerDraft is what an import does to the register.
type registerDraft struct {
	document.FreeDraft
	register *Register
	before   map[int64]Registered // the register that it was made of
	after    map[int64]Registered
	write    []int64          // numbers of what was added or changed
	ids      map[int64]uint64 // of the rows
	next     int64            // the number of the next ship that brings none
	given    map[int64]bool   // numbers that the document gives

	hulls map[uint32][]int64 // numbers of the ships that have, or had, the IMO number
	named map[string][]int64 // and the name, folded
}

// Draft gives a copy of the register.
func (r *Register) Draft(document.Others) document.Draft {
	r.mu.RLock()
	defer r.mu.RUnlock()
	d := &registerDraft{register: r, before: maps.Clone(r.byMMSI), after: maps.Clone(r.byMMSI), ids: maps.Clone(r.ids), next: r.nextNumber(),
		given: map[int64]bool{}, hulls: map[uint32][]int64{}, named: map[string][]int64{}}
	for _, e := range d.before {
		d.index(e)
	}
	return d
}

func (d *registerDraft) index(e Registered) {
	if e.IMO != 0 && !slices.Contains(d.hulls[e.IMO], e.MMSI) {
		d.hulls[e.IMO] = append(d.hulls[e.IMO], e.MMSI)
	}
	if name := letters.Fold(e.Name); name != "" && !slices.Contains(d.named[name], e.MMSI) {
		d.named[name] = append(d.named[name], e.MMSI)
	}
}

// Announce takes the number of an entry, so that no other is given it.
func (d *registerDraft) Announce(e *document.Entry) {
	d.given[e.Integer("mmsi", 0, LargestNumber)] = true
}

// Apply takes an entry as a whole.
func (d *registerDraft) Apply(entry *document.Entry) {
	e := Registered{MMSI: entry.Integer("mmsi", 0, LargestNumber)}
	e.Apply(entry.Fields)
	e.Updated = entry.Time("updated", e.Updated)
	if e.MMSI == 0 {
		e.MMSI = d.number(&e)
	}
	if slices.Contains(d.write, e.MMSI) {
		entry.Refuse("", rule.New("twice", "stands twice in this document"))
	}
	was, there := d.before[e.MMSI]
	changed := !there || !sameEntry(was, e)
	if changed {
		if e.Updated.IsZero() {
			e.Updated = d.register.now().UTC()
		}
		if there {
			e.Updated = form.ChangedAt(was.Updated, e.Updated)
		}
		d.after[e.MMSI] = e
		d.index(e)
		d.write = append(d.write, e.MMSI)
	}
	entry.Done(e.label(), there, changed)
}

// Check refuses more ships than there may be, and an IMO number of two.
func (d *registerDraft) Check(r *document.Report) {
	r.Check(roomInRegister(len(d.before), len(d.after)))
	for _, mmsi := range d.write {
		e := d.after[mmsi]
		for _, number := range d.hulls[e.IMO] {
			if other := d.after[number]; number != mmsi && other.IMO == e.IMO {
				r.Refuse("register", e.label(), "imo", rule.New("imo_taken", "{imo} is registered for {other} too", "imo", e.IMO, "other", other.label()))
			}
		}
	}
}

// label names an entry for a person.
func (e *Registered) label() string {
	return cmp.Or(strings.TrimSpace(e.Name), fmt.Sprint(cmp.Or(e.MMSI, int64(e.IMO))))
}

// sameEntry reports whether two entries say the same. A later time of change makes them different; an earlier one does not.
func sameEntry(was, now Registered) bool {
	if !now.Updated.After(was.Updated) {
		now.Updated = was.Updated
	}
	return form.Same(was, now)
}

// number gives the number of an entry without an MMSI: that of the same ship, by IMO number or else by name, or the next free one.
func (d *registerDraft) number(e *Registered) int64 {
	numbers := d.hulls[e.IMO]
	if e.IMO == 0 {
		numbers = d.named[letters.Fold(e.Name)]
	}
	for _, mmsi := range slices.Sorted(slices.Values(numbers)) {
		if other := d.after[mmsi]; other.IMO == e.IMO && e.IMO != 0 || e.IMO == 0 && letters.Fold(other.Name) == letters.Fold(e.Name) {
			return mmsi
		}
	}
	for d.given[d.next] {
		d.next++
	}
	d.next++
	return d.next - 1
}

// Lock keeps others from changing the register. It can be read.
func (d *registerDraft) Lock() { d.register.writing.Lock() }

// Unlock lets it go.
func (d *registerDraft) Unlock() { d.register.writing.Unlock() }

// Stands fails if the register has changed since the copy.
func (d *registerDraft) Stands() error {
	if !maps.Equal(d.register.byMMSI, d.before) {
		return document.ErrMeanwhile
	}
	return nil
}

// Write writes what was added or changed.
func (d *registerDraft) Write(b *store.Batch) (err error) {
	for _, mmsi := range d.write {
		if d.ids[mmsi], err = d.register.table.SetIn(b, d.ids[mmsi], fmt.Sprint(mmsi), keptShip{Registered: d.after[mmsi]}); err != nil {
			return err
		}
	}
	return nil
}

// Adopt makes the draft the register.
func (d *registerDraft) Adopt() {
	d.register.mu.Lock()
	defer d.register.mu.Unlock()
	d.register.ids, d.register.byMMSI = d.ids, d.after
}

// Follow tells the picture of the changed entries.
func (d *registerDraft) Follow() error {
	d.register.tell(d.write...)
	return nil
}
