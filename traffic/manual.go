package traffic

import (
	"sync"
	"sync/atomic"

	"quaywatch/ais"
	"quaywatch/ship"
)

// written is what hands wrote of a ship of the picture. What was heard of her stands beside it, so that reports are merged into what
// was heard, and nothing of the entry stays when it is taken back.
type written struct {
	entry *ship.Entry
	heard ship.State // the zero State when nothing was
}

// hands is what was written and is not yet taken.
type hands struct {
	running atomic.Bool
	wake    chan struct{} // something was written

	mu    sync.Mutex
	deeds []deed
	taken chan struct{} // closed when they are; nil when there are none
}

// deed is that hands wrote of a ship, or took that back.
type deed struct {
	mmsi   ais.MMSI
	entry  *ship.Entry // nil to take it back
	before *ship.State // of a store, for a ship that is not in the picture; nil when nothing is known
}

// PutEntry puts what hands wrote of a ship over what is heard of her, in the place of what they wrote before. While there is such an
// entry she is never forgotten to make room for others, and who was never heard does not fall silent. Of a ship that is not in the
// picture before is what was heard long ago; nil for nothing. The goroutine of Run does it and tells the observers; the channel is
// closed when readers see it, and at once while nobody runs the picture.
func (p *Picture) PutEntry(e *ship.Entry, before *ship.State) <-chan struct{} {
	return p.do(deed{e.MMSI, e, before})
}

// RemoveEntry takes back what hands wrote of a ship: of who was never heard nothing is left. It is done as PutEntry is.
func (p *Picture) RemoveEntry(m ais.MMSI) <-chan struct{} { return p.do(deed{mmsi: m}) }

func (p *Picture) do(d deed) <-chan struct{} {
	h := &p.hands
	h.mu.Lock()
	h.deeds = append(h.deeds, d)
	if h.taken == nil {
		h.taken = make(chan struct{})
	}
	taken := h.taken
	h.mu.Unlock()
	select {
	case h.wake <- struct{}{}:
	default:
	}
	if !h.running.Load() {
		taken = make(chan struct{})
		close(taken)
	}
	return taken
}

// takeWritten does what was written since.
func (p *Picture) takeWritten(observers []Observer) {
	h := &p.hands
	h.mu.Lock()
	deeds, taken := h.deeds, h.taken
	h.deeds, h.taken = nil, nil
	h.mu.Unlock()
	if taken == nil {
		return
	}
	for i := range deeds {
		p.write(&deeds[i], observers)
	}
	close(taken)
}

// write does one deed.
func (p *Picture) write(d *deed, observers []Observer) {
	e := p.ships[d.mmsi]
	if d.mmsi <= 0 || d.entry == nil && (e == nil || e.written == nil) {
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
		p.takeBack(e, &u)
	} else {
		p.writeOver(e, d, &u)
	}
	p.mu.Unlock()
	u.Change |= ship.Differences(&u.Was, &u.Now)
	u.Fix = u.Now.Fix
	p.tellGone(observers)
	tell(observers, &u)
}

// writeOver puts an entry over a ship. The caller holds the lock.
func (p *Picture) writeOver(e *entry, d *deed, u *ship.Update) {
	heard := *e.radio()
	if heard.MMSI == 0 && e.written == nil && d.before != nil && d.mmsi <= ship.LargestMMSI {
		heard = *d.before
		heard.Age, heard.Feeds = ship.Removed, ais.Feeds{}
	}
	e.written, e.kept = &written{d.entry, heard}, true
	u.Now, u.Heard = d.entry.Overlay(&heard), &e.written.heard
	p.put(e, &u.Now)
}

// takeBack leaves what was heard. The caller holds the lock.
func (p *Picture) takeBack(e *entry, u *ship.Update) {
	heard := e.written.heard
	e.written, e.kept = nil, false
	if heard.MMSI != 0 {
		u.Now = heard
		p.put(e, &u.Now)
		return
	}
	u.Now = u.Was
	u.Now.Age = ship.Removed
	p.remove(e)
}

// radio is what was heard of her, without what hands wrote.
func (e *entry) radio() *ship.State {
	if e.written != nil {
		return &e.written.heard
	}
	return &e.state
}

// giveOut makes a step of what was heard one of the ship as she is given out. It makes nothing new for a report that tells nothing
// new of what she is.
func (e *entry) giveOut(u *ship.Update) {
	w := e.written
	if w == nil {
		return
	}
	heard := u.Now
	u.Was, u.Now = e.state, w.entry.Next(&w.heard, &e.state, &heard)
	w.heard = heard
	u.Heard = &w.heard
}
