package traffic

import (
	"time"

	"quaywatch/ship"
)

// walkTime is how long a walk over all ships takes. Each second looks at a share of them, so a ship is found lost at most so much later
// than it is.
const walkTime = 10 * time.Second

// mostTicks is how many seconds of a gap in a log are told one by one; a longer gap is told in so many steps.
const mostTicks = 60

// sinceBase returns t as a duration after base, by the monotonic clock where t has one. So a clock that is set does not make every ship silent
// for years.
func (p *Picture) sinceBase(t time.Time) time.Duration {
	if p.base.IsZero() {
		p.setBase(t)
	}
	return t.Sub(p.base)
}

func (p *Picture) setBase(t time.Time) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.base = t
	for _, e := range p.ships {
		e.heard = p.pastDuration(e.state.Heard)
		e.hearing.since = e.heard
	}
}

// pastDuration returns Unix milliseconds of the past as a duration. A time after base was told by a clock that was wrong then, or is wrong now;
// it counts as base.
func (p *Picture) pastDuration(milliseconds int64) time.Duration {
	return min(0, time.UnixMilli(milliseconds).Sub(p.base))
}

// followLog lets the seconds up to now pass that the log has reached.
func (p *Picture) followLog(now time.Time, observers []Observer) {
	if !p.ticked.IsZero() && now.Sub(p.ticked) < time.Second {
		return // most of all: many lines of a log are of one second
	}
	second := now.UTC().Truncate(time.Second)
	if p.ticked.IsZero() {
		p.Tick(second, observers...)
		return
	}
	gap := second.Sub(p.ticked)
	if gap <= 0 {
		return
	}
	step := max(time.Second, (gap / mostTicks).Truncate(time.Second))
	for t := p.ticked.Add(step); t.Before(second); t = t.Add(step) {
		p.Tick(t, observers...)
	}
	p.Tick(second, observers...)
}

// Tick does what Run does each second: ships that were silent for too long become lost or removed, and the observers
// are told the time. It is for the goroutine that writes the picture.
func (p *Picture) Tick(now time.Time, observers ...Observer) {
	at := p.sinceBase(now)
	if p.ticked.IsZero() {
		p.walked = at - walkTime // a ship that fell silent while the program did not run is found at once
	}
	p.ticked = now
	p.mu.Lock()
	p.now = ship.Later(p.now, now)
	p.mu.Unlock()
	p.findSilent(at, observers)
	for _, o := range observers {
		o.Tick(now)
	}
}

// findSilent looks at the share of the ships that the time since the last walk asks for.
func (p *Picture) findSilent(at time.Duration, observers []Observer) {
	passed := min(max(at-p.walked, time.Second), walkTime)
	p.walked = at
	share := (len(p.all)*int(passed/time.Millisecond) + int(walkTime/time.Millisecond) - 1) / int(walkTime/time.Millisecond)
	for range min(share, len(p.all)) {
		if p.silentAt >= len(p.all) {
			p.silentAt = 0
		}
		if e := p.all[p.silentAt]; e != nil {
			p.judgeSilence(e, at, observers)
		}
		p.silentAt++
	}
}

// judgeSilence makes e lost or removed when it is due. A ship that is only entered by hand is not expected to report.
func (p *Picture) judgeSilence(e *entry, at time.Duration, observers []Observer) {
	if e.state.ByHand || e.state.Age == ship.Removed {
		return
	}
	age := p.ageAfter(&e.state, at-e.heard)
	if age <= e.state.Age {
		return
	}
	u := ship.Update{Was: e.state, Now: *e.asHeard(), Change: ship.ChangedAge}
	u.Now.Age = age
	p.mu.Lock()
	e.overlay(&u)
	p.putState(e, &u.Now)
	p.mu.Unlock()
	tellObservers(observers, &u)
}

func (p *Picture) ageAfter(s *ship.State, silence time.Duration) ship.Age {
	limits := p.config.ages(s)
	switch {
	case silence >= limits.Removed:
		return ship.Removed
	case silence >= limits.Lost:
		return ship.Lost
	}
	return ship.Live
}
