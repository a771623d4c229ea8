package registry

import (
	"cmp"
	"container/heap"
	"fmt"
	"maps"
	"strings"

	"quaywatch/form"
	"quaywatch/internal/fold"
	"quaywatch/internal/rule"
	"quaywatch/store/records"
	"quaywatch/users/document"
)

// Sections returns the section of the register.
func (r *Register) Sections() []document.Section {
	r.mu.RLock()
	defer r.mu.RUnlock()
	count := len(r.byMMSI)
	return []document.Section{{Key: "register", Kind: "register", Room: func(entries int) error { return roomInRegister(count, entries) }}}
}

// Export returns the entries of the register.
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
	written  map[int64]bool   // the same
	ids      map[int64]uint64 // of the rows
	next     int64            // the number of the next ship that brings none
	given    map[int64]bool   // numbers that the document gives

	hulls map[uint32]*lowest // numbers of the ships that have, or had, the IMO number
	named map[string]*lowest // and the name, folded
}

// lowest is a heap of numbers of ships.
type lowest []int64

// Len returns how many there are.
func (l lowest) Len() int { return len(l) }

// Less puts the lowest number on top.
func (l lowest) Less(i, j int) bool { return l[i] < l[j] }

// Swap exchanges two.
func (l lowest) Swap(i, j int) { l[i], l[j] = l[j], l[i] }

// Push takes a number.
func (l *lowest) Push(number any) { *l = append(*l, number.(int64)) }

// Pop returns the last number.
func (l *lowest) Pop() any {
	last := (*l)[len(*l)-1]
	*l = (*l)[:len(*l)-1]
	return last
}

// putNumber puts a number into the heap of a key.
func putNumber[K comparable](heaps map[K]*lowest, key K, number int64) {
	if heaps[key] == nil {
		heaps[key] = &lowest{}
	}
	heap.Push(heaps[key], number)
}

// lowestFit returns the lowest number of a ship that still fits, and forgets the lower ones.
func lowestFit[K comparable](heaps map[K]*lowest, key K, fits func(mmsi int64) bool) (mmsi int64, ok bool) {
	for numbers := heaps[key]; numbers != nil && len(*numbers) > 0; heap.Pop(numbers) {
		if mmsi = (*numbers)[0]; fits(mmsi) {
			return mmsi, true
		}
	}
	return 0, false
}

// Draft returns a copy of the register.
func (r *Register) Draft(document.Others) document.Draft {
	r.mu.RLock()
	defer r.mu.RUnlock()
	d := &registerDraft{register: r, before: maps.Clone(r.byMMSI), after: maps.Clone(r.byMMSI), ids: maps.Clone(r.ids), next: r.nextNumber(),
		given: map[int64]bool{}, written: map[int64]bool{}, hulls: map[uint32]*lowest{}, named: map[string]*lowest{}}
	for _, e := range d.before {
		d.indexEntry(e)
	}
	return d
}

func (d *registerDraft) indexEntry(e Registered) {
	if e.IMO != 0 {
		putNumber(d.hulls, e.IMO, e.MMSI)
	}
	if name := fold.Name(e.Name); name != "" {
		putNumber(d.named, name, e.MMSI)
	}
}

// Announce takes the number of an entry, so that no other is given it.
func (d *registerDraft) Announce(e *document.Entry) {
	d.given[e.Integer("mmsi", 0, form.MaxInteger)] = true
}

// Apply takes an entry as a whole.
func (d *registerDraft) Apply(entry *document.Entry) {
	e := Registered{MMSI: entry.Integer("mmsi", 0, form.MaxInteger)}
	e.Apply(entry.Fields)
	e.Updated = entry.Time("updated", e.Updated)
	if e.MMSI == 0 {
		e.MMSI = d.entryNumber(&e)
	}
	if d.written[e.MMSI] {
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
		d.indexEntry(e)
		d.write, d.written[e.MMSI] = append(d.write, e.MMSI), true
	}
	entry.Done(e.label(), there, changed)
}

// Check refuses more ships than there may be, and an IMO number of two.
func (d *registerDraft) Check(r *document.ImportReport) {
	r.Check(roomInRegister(len(d.before), len(d.after)))
	two := d.twoOfEach()
	for _, mmsi := range d.write {
		e := d.after[mmsi]
		for _, number := range two[e.IMO] {
			if other := d.after[number]; number != 0 && number != mmsi {
				r.Refuse("register", e.label(), "imo", rule.New("imo_taken", "{imo} is registered for {other} too", "imo", e.IMO, "other", other.label()))
				break
			}
		}
	}
}

// twoOfEach returns, by IMO number, the numbers of a ship that has it and of one more, 0 where there is none.
func (d *registerDraft) twoOfEach() map[uint32][2]int64 {
	two := map[uint32][2]int64{}
	for mmsi, e := range d.after {
		if had := two[e.IMO]; e.IMO != 0 && had[1] == 0 {
			two[e.IMO] = [2]int64{mmsi, had[0]}
		}
	}
	return two
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

// entryNumber returns the number of an entry without an MMSI. It is that of the same ship, by IMO number or else by name, or the next free number.
func (d *registerDraft) entryNumber(e *Registered) int64 {
	name := fold.Name(e.Name)
	mmsi, found := lowestFit(d.hulls, e.IMO, func(mmsi int64) bool { return d.after[mmsi].IMO == e.IMO })
	if e.IMO == 0 {
		mmsi, found = lowestFit(d.named, name, func(mmsi int64) bool { return fold.Name(d.after[mmsi].Name) == name })
	}
	if found {
		return mmsi
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
func (d *registerDraft) Write(tx *records.Tx) (err error) {
	for _, mmsi := range d.write {
		if d.ids[mmsi], err = d.register.table.SetIn(tx, d.ids[mmsi], fmt.Sprint(mmsi), keptShip{Registered: d.after[mmsi]}); err != nil {
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
