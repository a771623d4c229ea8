// Package ceiling bounds what watchdogs ring: of one definition, of one owner and of all. A definition that rings more is paused, and what it held back is
// counted. The others go on. Time is an argument, in Unix milliseconds, and what it says of one definition it says in a Meter, without a search. It has no lock.
package ceiling

import (
	"math"
	"time"

	"quaywatch/ais"
)

// Rate is how often something may ring: Burst events at once, and PerMinute of them each minute for ever.
type Rate struct {
	Burst     float64
	PerMinute float64
}

// Limits are the ceilings.
type Limits struct {
	Definition, Owner, All Rate

	Pause   time.Duration // how long a definition is paused that was not lately
	Longest time.Duration // each pause that follows soon is twice as long as the one before, at most so long
}

// Usual returns the ceilings that docs/watchdogs.md states. All ships of a busy sea may ring a definition at once when it is made, and some such definitions of
// one owner. For ever an owner may ring twenty times a second, where a watch can bear one alert in ten minutes.
func Usual() Limits {
	return Limits{Definition: Rate{3000, 300}, Owner: Rate{5000, 1200}, All: Rate{20_000, 6000}, Pause: 10 * time.Minute, Longest: 4 * time.Hour}
}

// room is what a pause gives back to the owner and to all. So those which ring seldom find room at the moment at which others are paused.
const room = 2

// None returns ceilings that nothing reaches, for what is told to nobody.
func None() Limits {
	all := Rate{Burst: math.Inf(1)}
	return Limits{Definition: all, Owner: all, All: all}
}

// level is how much of a burst is used. It runs down with time.
type level struct {
	used float64
	at   int64
}

// down lets it run down until now. A clock that goes back changes nothing.
func (l *level) down(now int64, r Rate) {
	if now > l.at {
		l.used = max(0, l.used-float64(now-l.at)*r.PerMinute/60_000)
		l.at = now
	}
}

// rings takes one event, and reports whether that is more than the rate allows. What is beyond it is not owed.
func (l *level) rings(now int64, r Rate) (beyond bool) {
	l.down(now, r)
	if l.used+1 > r.Burst {
		return true
	}
	l.used++
	return false
}

// RingPause is why and until when a definition rings nothing.
type RingPause struct {
	ID    uint64 // of the definition
	Owner string
	Since int64  // Unix milliseconds
	Until int64  // the same
	Held  uint64 // events that were held back so far
}

// Meter is what a definition rings. The zero value is of none.
type Meter struct {
	pause  RingPause
	paused bool
	level  level
	length time.Duration // of the last pause
	ended  int64         // when that was over
	owner  *owner
	held   []uint64 // a bit for each ship that was counted in this pause
}

// Paused reports whether the definition is paused.
func (m *Meter) Paused() bool { return m.paused }

// Pause returns its pause; false where it is not paused.
func (m *Meter) Pause() (RingPause, bool) { return m.pause, m.paused }

// Hold counts an event that the definition holds back in its pause.
func (m *Meter) Hold() { m.pause.Held++ }

// Counted reports whether a ship was counted in this pause, by its number of Ceiling.Number.
func (m *Meter) Counted(ship int) bool {
	return ship>>6 < len(m.held) && m.held[ship>>6]&(1<<(ship&63)) != 0
}

// HoldShip counts a ship that would ring if the definition were not paused.
func (m *Meter) HoldShip(ship int) {
	m.NoteShip(ship)
	m.Hold()
}

// NoteShip notes that a ship was counted in this pause.
func (m *Meter) NoteShip(ship int) {
	for ship>>6 >= len(m.held) {
		m.held = append(m.held, 0)
	}
	m.held[ship>>6] |= 1 << (ship & 63)
}

// owner is what the definitions of one owner ring together.
type owner struct {
	level  level
	meters []*Meter // in the order in which they came
}

// mostNumbers bounds the ships that have a number at once, so that what a paused definition remembers has at most 8 KiB.
const mostNumbers = 1 << 16

// Ceiling is all of it.
type Ceiling struct {
	limits  Limits
	all     level
	owners  map[string]*owner
	meters  map[uint64]*Meter
	paused  int
	next    int64 // when the next pause is over; meaningful while some are paused
	numbers map[ais.MMSI]int
}

// New makes a ceiling.
func New(l Limits) *Ceiling {
	return &Ceiling{limits: l, owners: map[string]*owner{}, meters: map[uint64]*Meter{}, numbers: map[ais.MMSI]int{}}
}

// Meter returns that of a definition, which is made when there was none. One whose owner is another one now counts for that.
func (c *Ceiling) Meter(id uint64, of string) *Meter {
	m := c.meters[id]
	if m == nil {
		m = &Meter{pause: RingPause{ID: id}}
		c.meters[id] = m
	}
	if m.owner == nil || m.pause.Owner != of {
		c.dropMeter(m)
		o := c.owners[of]
		if o == nil {
			o = &owner{}
			c.owners[of] = o
		}
		o.meters = append(o.meters, m)
		m.owner, m.pause.Owner = o, of
	}
	return m
}

// dropMeter takes a meter from its owner. What that has rung stays, so that no definition made anew rings more.
func (c *Ceiling) dropMeter(m *Meter) {
	if m.owner == nil {
		return
	}
	rest := m.owner.meters[:0]
	for _, other := range m.owner.meters {
		if other != m {
			rest = append(rest, other)
		}
	}
	clear(m.owner.meters[len(rest):])
	m.owner.meters, m.owner = rest, nil
}

// Keep forgets the definitions for which is is false, and the owners without any that have nothing to remember.
func (c *Ceiling) Keep(now int64, is func(id uint64) bool) {
	for id, m := range c.meters {
		if !is(id) {
			if m.paused {
				c.endPause(m, now)
			}
			c.dropMeter(m)
			delete(c.meters, id)
		}
	}
	for name, o := range c.owners {
		if o.level.down(now, c.limits.Owner); len(o.meters) == 0 && o.level.used == 0 {
			delete(c.owners, name)
		}
	}
}

// Ring takes an event of a definition. It reports whether the event is told; else it was counted. Where that is more than there may be, one definition is
// paused. It is this definition where it rings too much itself. Else it is that of its owner, or of the owner with most of all, that rang most of late.
func (c *Ceiling) Ring(m *Meter, now int64) (told bool, paused *Meter) {
	if m.paused {
		m.Hold()
		return false, nil
	}
	switch {
	case m.level.rings(now, c.limits.Definition):
		paused = m
	case m.owner.level.rings(now, c.limits.Owner):
		paused = c.loudest(m.owner, m, now)
	case c.all.rings(now, c.limits.All):
		paused = c.loudest(c.largest(m.owner, now), m, now)
	}
	if paused != nil {
		paused.owner.level.used, c.all.used = max(0, paused.owner.level.used-room), max(0, c.all.used-room)
		c.beginPause(paused, now, c.pauseLength(paused, now))
	}
	if m.paused {
		m.Hold()
	}
	return !m.paused, paused
}

// largest returns the owner that rang most of late and has a definition to pause; of equal ones the one given.
func (c *Ceiling) largest(o *owner, now int64) *owner {
	o.level.down(now, c.limits.Owner)
	for _, other := range c.owners {
		if other.level.down(now, c.limits.Owner); other.level.used > o.level.used && c.loudest(other, nil, now) != nil {
			o = other
		}
	}
	return o
}

// loudest returns the definition of an owner that rang most of late and is not paused; of equal ones the one given.
func (c *Ceiling) loudest(o *owner, m *Meter, now int64) *Meter {
	if m != nil && m.owner != o {
		m = nil
	}
	for _, other := range o.meters {
		if other.level.down(now, c.limits.Definition); !other.paused && (m == nil || other.level.used > m.level.used) {
			m = other
		}
	}
	return m
}

// pauseLength returns how long the next pause of a definition is.
func (c *Ceiling) pauseLength(m *Meter, now int64) time.Duration {
	if m.length > 0 && now-m.ended < 2*m.length.Milliseconds() {
		return min(2*m.length, c.limits.Longest)
	}
	return c.limits.Pause
}

func (c *Ceiling) beginPause(m *Meter, now int64, length time.Duration) {
	m.paused, m.length, m.held = true, length, nil
	m.pause.Since, m.pause.Until, m.pause.Held = now, now+length.Milliseconds(), 0
	if c.paused == 0 || m.pause.Until < c.next {
		c.next = m.pause.Until
	}
	c.paused++
}

func (c *Ceiling) endPause(m *Meter, now int64) RingPause {
	m.paused, m.ended, m.held = false, now, nil
	if c.paused--; c.paused == 0 {
		clear(c.numbers)
	}
	return m.pause
}

// Resume takes up a pause from before a restart.
func (c *Ceiling) Resume(m *Meter, p RingPause) {
	if m.paused {
		return
	}
	c.beginPause(m, p.Since, time.Duration(max(0, p.Until-p.Since))*time.Millisecond)
	m.pause.Held = p.Held
}

// Over ends the pauses whose time has come, and returns them. Between two of them it costs nothing.
func (c *Ceiling) Over(now int64) (over []RingPause) {
	if c.paused == 0 || now < c.next {
		return nil
	}
	c.next = now + c.limits.Longest.Milliseconds()
	for _, m := range c.meters {
		switch {
		case m.paused && m.pause.Until <= now:
			over = append(over, c.endPause(m, now))
		case m.paused:
			c.next = min(c.next, m.pause.Until)
		}
	}
	return over
}

// Release ends the pause of a definition early; false where there is none. The definition and its owner ring as much as before the pause at once.
func (c *Ceiling) Release(m *Meter, now int64) (RingPause, bool) {
	if !m.paused {
		return RingPause{}, false
	}
	return c.endPause(m, now), true
}

// Paused returns how many definitions are paused.
func (c *Ceiling) Paused() int { return c.paused }

// Number returns the number of a ship in the pauses of now. Where very many ships have one, all are counted anew: a ship may be counted twice then.
func (c *Ceiling) Number(m ais.MMSI) int {
	n, known := c.numbers[m]
	if !known {
		if len(c.numbers) == mostNumbers {
			clear(c.numbers)
			for _, meter := range c.meters {
				clear(meter.held)
			}
		}
		n = len(c.numbers)
		c.numbers[m] = n
	}
	return n
}
