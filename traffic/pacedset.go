package traffic

import (
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"quaywatch/ship"
)

// PacedSet hands the steps of a picture to the paced pictures that are in use. While there is none it costs next to nothing,
// and for any number of them a step is written down once. It is an Observer.
type PacedSet struct {
	inUse atomic.Int32

	mu   sync.Mutex
	list []*Paced

	second *passed // the writer's alone: what came since the last tick
}

// Add lets a paced picture take part from now on.
func (p *PacedSet) Add(d *Paced) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.list = append(slices.Clone(p.list), d)
	p.share()
}

// Remove ends it.
func (p *PacedSet) Remove(d *Paced) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.list = slices.DeleteFunc(slices.Clone(p.list), func(other *Paced) bool { return other == d })
	p.share()
}

// share divides the room for what waits. The caller holds the lock.
func (p *PacedSet) share() {
	p.inUse.Store(int32(len(p.list)))
	for _, d := range p.list {
		d.limit.Store(int64(mostWaiting / len(p.list)))
	}
}

// Observe writes a step down while anybody wants it.
func (p *PacedSet) Observe(u *ship.Update) {
	if p.inUse.Load() == 0 {
		return
	}
	if p.second == nil {
		p.second = &passed{}
	}
	aged := u.Report == nil && u.Now.Age != ship.Live && (u.Change&ship.Entered == 0 || u.Now.ByHand)
	p.second.steps = append(p.second.steps, passedStep{state: u.Now, timed: u.Report != nil, aged: aged})
}

// Tick hands over what a second brought.
func (p *PacedSet) Tick(now time.Time) {
	if p.inUse.Load() == 0 {
		p.second = nil
		return
	}
	p.mu.Lock()
	list := p.list
	p.mu.Unlock()
	second := p.second
	if second == nil {
		second = &passed{}
	}
	second.now = now.Unix()
	for _, d := range list {
		d.hand(second)
	}
	p.second = &passed{steps: make([]passedStep, 0, len(second.steps)+len(second.steps)/8)}
}
