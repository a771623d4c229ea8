package traffic

import (
	"sync"
	"sync/atomic"

	"quaywatch/ais"
	"quaywatch/internal/wake"
	"quaywatch/ship"
)

// manualEntry is what was entered by hand for a ship of the picture. What was heard of the ship stands beside it, and reports are merged
// into that. So nothing of the entry stays when it is removed.
type manualEntry struct {
	entry *ship.ManualEntry
	heard ship.State // the zero State when nothing was heard
}

// manualEdits are the edits that the goroutine of Run has not yet applied. Its lock is never held together with the lock of the picture.
type manualEdits struct {
	running atomic.Bool
	wake    wake.Kick // an edit came

	mu    sync.Mutex
	edits []manualEdit
	taken chan struct{} // closed when they are applied; nil when there are none
}

// manualEdit sets or removes the entry of a ship.
type manualEdit struct {
	mmsi   ais.MMSI
	entry  *ship.ManualEntry // nil to remove it
	before *ship.State       // of a store, for a ship that is not in the picture; nil when nothing is known
}

// PutEntry lays an entry made by hand over what is heard of a ship, and replaces the one before. While there is an entry, the ship is
// never evicted; a ship that was never heard does not become lost. For a ship that is not in the picture, before is what was heard of it
// long ago, or nil. The goroutine of Run applies the edit and tells the observers. The channel is closed when readers see it, and at once
// while Run does not run.
func (p *Picture) PutEntry(e *ship.ManualEntry, before *ship.State) <-chan struct{} {
	return p.queueEdit(manualEdit{e.MMSI, e, before})
}

// RemoveEntry removes the entry of a ship, as PutEntry sets it. A ship that was never heard leaves the picture.
func (p *Picture) RemoveEntry(m ais.MMSI) <-chan struct{} { return p.queueEdit(manualEdit{mmsi: m}) }

func (p *Picture) queueEdit(d manualEdit) <-chan struct{} {
	h := &p.manual
	h.mu.Lock()
	h.edits = append(h.edits, d)
	if h.taken == nil {
		h.taken = make(chan struct{})
	}
	taken := h.taken
	h.mu.Unlock()
	h.wake.Wake()
	if !h.running.Load() {
		taken = make(chan struct{})
		close(taken)
	}
	return taken
}

// applyEdits applies the edits that came since.
func (p *Picture) applyEdits(observers []Observer) {
	h := &p.manual
	h.mu.Lock()
	edits, taken := h.edits, h.taken
	h.edits, h.taken = nil, nil
	h.mu.Unlock()
	if taken == nil {
		return
	}
	for i := range edits {
		p.applyEdit(&edits[i], observers)
	}
	close(taken)
}

// applyEdit applies one edit.
func (p *Picture) applyEdit(d *manualEdit, observers []Observer) {
	e := p.ships[d.mmsi]
	if d.mmsi <= 0 || d.entry == nil && (e == nil || e.manual == nil) {
		return
	}
	u := ship.Update{Change: ship.Entered}
	p.mu.Lock()
	switch {
	case e != nil:
		u.Was = e.state
	default:
		e = p.add(d.mmsi)
	}
	if d.entry == nil {
		p.dropManual(e, &u)
	} else {
		p.putManual(e, d, &u)
	}
	p.mu.Unlock()
	u.Change |= ship.Differences(&u.Was, &u.Now)
	u.Fix = u.Now.Fix
	p.tellGone(observers)
	tellObservers(observers, &u)
}

// putManual puts an entry over a ship. The caller holds the lock.
func (p *Picture) putManual(e *entry, d *manualEdit, u *ship.Update) {
	heard := *e.asHeard()
	if heard.MMSI == 0 && e.manual == nil && d.before != nil && d.mmsi <= ship.LargestMMSI {
		heard = *d.before
		heard.Age, heard.Feeds = ship.Removed, ais.Feeds{}
	}
	e.manual, e.kept = &manualEntry{d.entry, heard}, true
	u.Now, u.Heard = d.entry.Overlay(&heard), &e.manual.heard
	p.putState(e, &u.Now)
}

// dropManual leaves what was heard. The caller holds the lock.
func (p *Picture) dropManual(e *entry, u *ship.Update) {
	heard := e.manual.heard
	e.manual, e.kept = nil, false
	if heard.MMSI != 0 {
		u.Now = heard
		p.putState(e, &u.Now)
		return
	}
	u.Now = u.Was
	u.Now.Age = ship.Removed
	p.remove(e)
}

// asHeard is what was heard of the ship, without its entry.
func (e *entry) asHeard() *ship.State {
	if e.manual != nil {
		return &e.manual.heard
	}
	return &e.state
}

// overlay makes a step of what was heard one of the ship as readers see it. It allocates nothing for a report without new static data.
func (e *entry) overlay(u *ship.Update) {
	w := e.manual
	if w == nil {
		return
	}
	heard := u.Now
	u.Was, u.Now = e.state, w.entry.Next(&w.heard, &e.state, &heard)
	w.heard = heard
	u.Heard = &w.heard
}
