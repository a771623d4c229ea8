package alert

import (
	"strconv"
	"sync"
	"time"

	"quaywatch/engine/watchdogs"
	"quaywatch/geo"
	"quaywatch/users/library"
)

// Planner names the users that events concern: the groups of the sectors that they happened in. Where a watchdog says itself when its alerts go on, and
// to which users, its word counts.
type Planner struct {
	Library    *library.Library
	Generation func() uint64 // another number when sectors may be others

	mu      sync.Mutex
	at      uint64
	made    bool
	sectors []sector
}

// sector is an area that operators look after.
type sector struct {
	area *geo.Area
	of   *library.Sector
}

// Of returns the plan of an event.
func (p *Planner) Of(e *watchdogs.Event) (plan Plan) {
	if at, known := e.Point(); known {
		for _, s := range p.currentSectors() {
			if !s.area.Contains(at) {
				continue
			}
			plan.First = joinLists(plan.First, s.of.Groups)
			if next := s.of.Escalation; next != nil {
				plan.Next = joinLists(plan.Next, next.To)
				if after := time.Duration(next.After); plan.After == 0 || after < plan.After {
					plan.After = after
				}
			}
		}
	}
	r, ok := p.Library.Get(library.Watchdogs, strconv.FormatUint(e.Watchdog, 10))
	if ok && r.ID == e.Watchdog && r.Watchdog.Escalation != nil {
		plan.Next, plan.After = r.Watchdog.Escalation.To, time.Duration(r.Watchdog.Escalation.After)
	}
	return plan
}

// currentSectors returns the sectors of now.
func (p *Planner) currentSectors() []sector {
	p.mu.Lock()
	defer p.mu.Unlock()
	if now := p.Generation(); !p.made || p.at != now {
		p.at, p.made, p.sectors = now, true, nil
		for _, r := range p.Library.List(library.Shapes) {
			if r.Sector == nil {
				continue
			}
			if shape, err := r.Geometry(); err == nil { // else it was checked by an older build
				p.sectors = append(p.sectors, sector{geo.NewArea(shape), r.Sector})
			}
		}
	}
	return p.sectors
}
