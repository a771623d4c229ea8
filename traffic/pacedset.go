package traffic

import (
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"quaywatch/ship"
)

// PacedSet passes the steps of a picture on to the paced pictures that are in use. While there is none it costs next to nothing. A step
// is stored once for all of them. It is an Observer.
//
// Its lock guards the list. Add and Remove take no other lock under it; Tick takes it and lets it go before it calls a Paced.
type PacedSet struct {
	inUse atomic.Int32

	mu   sync.Mutex
	list []*Paced

	second *second // the writer's alone: what came since the last tick
}

// Add lets a paced picture take part from now on.
func (p *PacedSet) Add(d *Paced) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.list = append(slices.Clone(p.list), d)
	p.shareRoom()
}

// Remove ends it.
func (p *PacedSet) Remove(d *Paced) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.list = slices.DeleteFunc(slices.Clone(p.list), func(other *Paced) bool { return other == d })
	p.shareRoom()
}

// shareRoom divides the room for what waits. The caller holds the lock.
func (p *PacedSet) shareRoom() {
	p.inUse.Store(int32(len(p.list)))
	for _, d := range p.list {
		d.limit.Store(int64(mostWaiting / len(p.list)))
	}
}

// Observe stores a step while a paced picture is in use.
func (p *PacedSet) Observe(u *ship.Update) {
	if p.inUse.Load() == 0 {
		return
	}
	if p.second == nil {
		p.second = &second{}
	}
	aged := u.Report == nil && u.Now.Age != ship.Live && (u.Change&ship.Entered == 0 || u.Now.ByHand)
	p.second.steps = append(p.second.steps, step{state: u.Now, timed: u.Report != nil, aged: aged})
}

// Tick passes on what a second brought.
func (p *PacedSet) Tick(now time.Time) {
	if p.inUse.Load() == 0 {
		p.second = nil
		return
	}
	p.mu.Lock()
	list := p.list
	p.mu.Unlock()
	brought := p.second
	if brought == nil {
		brought = &second{}
	}
	brought.now = now.Unix()
	for _, d := range list {
		d.hand(brought)
	}
	p.second = &second{steps: make([]step, 0, len(brought.steps)+len(brought.steps)/8)}
}
