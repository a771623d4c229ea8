package registry

import (
	"errors"
	"maps"
	"slices"
	"strconv"

	"quaywatch/form"
	"quaywatch/geo"
	"quaywatch/geo/chart"
	"quaywatch/internal/fold"
	"quaywatch/internal/rule"
	"quaywatch/store/records"
	"quaywatch/users/document"
)

// portEntry is a port in a document: one that was made by hand, or the changes of a port of the chart.
type portEntry struct {
	keptPort
	Position *form.PlainPoint `json:"position,omitempty"`
	Berths   []berthEntry     `json:"berths,omitempty"`
	Changed  *struct{}        `json:"changed,omitempty"`  // never: another box has its own times
	Imported *struct{}        `json:"imported,omitempty"` // never: to another box it came by hand
}

type berthEntry struct {
	chart.Berth
	Position *form.PlainPoint `json:"position,omitempty"`
}

// Sections returns the section of the ports.
func (p *PortTable) Sections() []document.Section {
	p.mu.Lock()
	defer p.mu.Unlock()
	made, listed := p.countMade(), len(p.chart.All())
	return []document.Section{{Key: "ports", Kind: "port", Room: func(entries int) error { return roomForPorts(made, entries-listed) }}}
}

// Export returns all ports that were written by hand, sorted by id.
func (p *PortTable) Export(string) (all []any) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, id := range slices.Sorted(maps.Keys(p.kept)) {
		k := p.kept[id]
		if k.Removed {
			continue
		}
		e := portEntry{keptPort: k, Position: form.PointOf(k.Position)}
		for _, b := range k.Berths {
			e.Berths = append(e.Berths, berthEntry{b, form.PointOf(b.Position)})
		}
		all = append(all, e)
	}
	return all
}

// portDraft is what an import does to the ports.
type portDraft struct {
	document.FreeDraft
	ports  *PortTable
	before map[uint64]keptPort // what it was made of
	trial  *PortTable
	codes  map[string]uint64 // ids by LOCODE
	named  map[string]uint64 // ids of the ports that were made here, by folded name
	next   uint64            // the id of the next one
	write  []uint64
	twice  map[uint64]bool // the same
	made   int             // ports that were made here before
}

// Draft returns a copy of the ports.
func (p *PortTable) Draft(document.Others) document.Draft {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.draft()
}

// draft is Draft under the lock of writers.
func (p *PortTable) draft() *portDraft {
	trial := &PortTable{now: p.now, chart: p.chart, rows: maps.Clone(p.rows), kept: maps.Clone(p.kept), made: maps.Clone(p.made)}
	d := &portDraft{ports: p, before: maps.Clone(p.kept), trial: trial, codes: map[string]uint64{},
		named: map[string]uint64{}, next: p.nextID(), twice: map[uint64]bool{}, made: p.countMade()}
	for _, port := range p.Current().All() {
		d.codes[port.LOCODE] = port.ID
	}
	for id, here := range d.before {
		if id >= chart.FirstMadePort && !here.Removed {
			d.named[fold.Name(here.Name)] = id
		}
	}
	return d
}

// Apply takes a port as a whole.
func (d *portDraft) Apply(e *document.Entry) {
	port := chart.Port{ID: uint64(e.Integer("id", 0, largestID))}
	Apply(e.Fields, &port)
	if e.Err() != nil {
		return
	}
	if err := d.identify(&port); err != nil {
		e.Check("id", err)
		return
	}
	if other, taken := d.codes[port.LOCODE]; taken && port.LOCODE != "" && other != port.ID {
		e.Refuse("locode", rule.New("locode_taken", "another port has {locode}", "locode", port.LOCODE))
	}
	if d.twice[port.ID] {
		e.Refuse("", rule.New("twice", "stands twice in this document"))
	}
	k, err := d.trial.makeKept(&port)
	if err != nil {
		e.Check("", err)
		return
	}
	was, there := d.trial.kept[k.ID]
	there = there && !was.Removed
	k.Changed = was.Changed
	changed := !there || !form.Same(was, k)
	if changed {
		k.Changed = form.ChangedAt(was.Changed, d.trial.now())
		d.addPort(e, k)
	}
	e.Done(e.Name, there, changed)
}

// identify finds which port is meant: by its id, else by LOCODE, else one made here of that name, else a new one.
func (d *portDraft) identify(p *chart.Port) error {
	if p.ID == 0 && p.LOCODE != "" {
		p.ID = d.codes[p.LOCODE]
	}
	if p.ID != 0 && p.ID < chart.FirstMadePort {
		if _, ok := d.trial.chart.ByID(p.ID); !ok {
			return rule.New("no_chart_port", "the chart of this program has no port {id}", "id", p.ID)
		}
		return nil
	}
	if id, here := d.named[fold.Name(p.Name)]; here {
		p.ID = id
		return nil
	}
	if here, used := d.trial.kept[p.ID]; p.ID == 0 || used && !(here.Removed && fold.Name(here.Name) == fold.Name(p.Name)) {
		p.ID = d.next
	}
	return nil
}

// addPort checks a port and holds it in the trial.
func (d *portDraft) addPort(e *document.Entry, k keptPort) {
	port, err := d.trial.chartPort(&k)
	if err == nil {
		err = CheckPort(port)
	}
	var broken *geo.ShapeError
	if errors.As(err, &broken) {
		e.CheckShape("", err)
	} else {
		e.Check("", err)
	}
	d.putPort(k, port)
}

// putPort puts a port into the trial.
func (d *portDraft) putPort(k keptPort, port *chart.Port) {
	d.trial.kept[k.ID], d.trial.made[k.ID] = k, port
	d.codes[k.LOCODE] = k.ID
	if k.ID >= chart.FirstMadePort {
		d.named[fold.Name(k.Name)], d.next = k.ID, max(d.next, k.ID+1)
	}
	if !d.twice[k.ID] {
		d.write, d.twice[k.ID] = append(d.write, k.ID), true
	}
}

// Find finds a port by its number, its LOCODE or, where it was made here, its name. Its uid is its number.
func (d *portDraft) Find(kind, ref string) (form.Ref, bool) {
	if kind != "port" {
		return form.Ref{}, false
	}
	id, err := strconv.ParseUint(ref, 10, 64)
	if code, ok := chart.ParseLOCODE(ref); err != nil && ok {
		id = d.codes[code]
	}
	if id == 0 {
		id = d.named[fold.Name(ref)]
	}
	if port := d.trial.made[id]; port != nil {
		return form.Ref{Name: port.Name, UID: strconv.FormatUint(id, 10)}, true
	}
	return form.Ref{}, false
}

// Check refuses more ports than there may be.
func (d *portDraft) Check(r *document.ImportReport) {
	r.Check(roomForPorts(d.made, d.trial.countMade()))
}

// Lock takes the lock of the ports' writers.
func (d *portDraft) Lock() { d.ports.mu.Lock() }

// Unlock lets it go.
func (d *portDraft) Unlock() { d.ports.mu.Unlock() }

// Stands fails if a port has changed since the copy.
func (d *portDraft) Stands() error {
	if !maps.EqualFunc(d.ports.kept, d.before, func(a, b keptPort) bool { return a.Changed.Equal(b.Changed) }) {
		return document.ErrMeanwhile
	}
	return nil
}

// Write writes what was added or changed.
func (d *portDraft) Write(tx *records.Tx) (err error) {
	for _, id := range d.write {
		k, name := d.trial.kept[id], ""
		if id >= chart.FirstMadePort {
			name = k.Name
		}
		if d.trial.rows[id], err = d.ports.table.SetIn(tx, d.trial.rows[id], name, k); err != nil {
			return err
		}
	}
	return nil
}

// Adopt makes the draft the ports.
func (d *portDraft) Adopt() {
	if len(d.write) > 0 {
		d.ports.rows, d.ports.kept, d.ports.made = d.trial.rows, d.trial.kept, d.trial.made
		d.ports.publish()
	}
}
