package statistic

import (
	"maps"
	"math"
	"slices"
	"time"

	"quaywatch/ais"
	"quaywatch/ship"
)

// ChangeCode tells what changed, in the numbers of the specification.
type ChangeCode uint8

// The codes of a change.
const (
	SignalLost    ChangeCode = 1 // the ship is silent for longer than its class and status allow
	StaticChanged ChangeCode = 2 // IMO number, name, call sign, type or dimensions
	VoyageChanged ChangeCode = 3 // destination, ETA or draught
	SignalGot     ChangeCode = 4 // heard for the first time, or after it was lost
	SourceChanged ChangeCode = 5 // from land to satellite or back
)

// Silences are the times after which a ship is lost.
type Silences struct {
	UnderWay time.Duration // class A and SAR aircraft
	AtRest   time.Duration // class A at anchor, moored or aground, class B and others
	Fixed    time.Duration // aids to navigation, base and coast stations
}

// DefaultSilences returns those of the live picture (design, target age).
func DefaultSilences() Silences {
	return Silences{UnderWay: 6 * time.Minute, AtRest: 15 * time.Minute, Fixed: 30 * time.Minute}
}

// ChangesQuestion asks what changed of ships. The caller hands over the ships that it means alone.
type ChangesQuestion struct {
	Period  Period
	Silence Silences
}

// KnownShip is what was known of a ship from a time on. What is nil, and an unknown class, leave what was known before.
type KnownShip struct {
	At     int64 // Unix milliseconds
	Class  ship.Class
	Static *ship.Static
	Voyage *ship.VoyageData
}

// ShipChange is that something changed of a ship.
type ShipChange struct {
	MMSI   ais.MMSI
	At     int64 // Unix milliseconds
	Code   ChangeCode
	First  bool             // what was known when the period began, or the first that is known
	HasFix bool             // a place is known
	Fix    ship.Fix         // the last one at that time
	Static *ship.Static     // of the first record and of StaticChanged; nil where it is not known or did not change
	Voyage *ship.VoyageData // of the first record and of VoyageChanged, as before
	was    ship.Fix         // of SourceChanged: the fix before
}

// Moments returns what a reader must be allowed to have seen. It is the last place at the time of the change, and of SourceChanged the place before too. It is
// empty where no place is known; only readers who may see all get such a record.
func (c ShipChange) Moments() []Moment {
	switch {
	case !c.HasFix:
		return nil
	case c.Code == SourceChanged:
		return []Moment{{c.MMSI, c.was}, {c.MMSI, c.Fix}}
	}
	return []Moment{{c.MMSI, c.Fix}}
}

// ShipChanges tells what changed of ships. The first record of a ship tells what was known when the period began: at its last report before, with SignalGot. If it
// was lost by then, the record has SignalLost. Of a ship of which nothing was known it is the first that is known, with SignalGot.
//
// The caller hands States and Take what begins in an hour, in any order, and then calls Over. Before them come what was known before the
// period, and the last fix before it. It holds what one hour has of each ship.
type ShipChanges struct {
	q     ChangesQuestion
	tell  func(ShipChange)
	ships map[ais.MMSI]*changing
}

// changing is a ship and what is known of it.
type changing struct {
	mmsi   ais.MMSI
	fixes  ship.Track  // not yet looked at
	states []KnownShip // as fixes
	taken  int64       // time of the newest fix in fixes or before

	class  ship.Class
	told   int64 // time at which the class became known
	last   ship.Fix
	hasFix bool
	lost   bool
	static *ship.Static
	voyage *ship.VoyageData
	known  int64 // time of the last report or state, never before there is one
	begun  bool  // the first record was told
}

// NewChanges answers a question and tells each change once, those of a ship in order.
func NewChanges(q ChangesQuestion, tell func(ShipChange)) *ShipChanges {
	return &ShipChanges{q: q, tell: tell, ships: map[ais.MMSI]*changing{}}
}

// shipOf returns what is known of a ship.
func (c *ShipChanges) shipOf(m ais.MMSI) *changing {
	s := c.ships[m]
	if s == nil {
		s = &changing{mmsi: m, taken: never, known: never, told: never, class: ship.ClassOfNumber(m)}
		c.ships[m] = s
	}
	return s
}

// Class tells of which class a ship is, also before anything becomes known of it.
func (c *ShipChanges) Class(m ais.MMSI, class ship.Class) { c.shipOf(m).class = class }

// States takes what became known of a ship in one hour, in order.
func (c *ShipChanges) States(m ais.MMSI, part []KnownShip) {
	s := c.shipOf(m)
	s.states = append(s.states, part...)
}

// Take takes a part of a track.
func (c *ShipChanges) Take(m ais.MMSI, part ship.Track) {
	s := c.shipOf(m)
	part = newer(part, s.taken)
	if len(part) > 0 {
		s.fixes, s.taken = append(s.fixes, part...), part[len(part)-1].At
	}
}

// Over tells that all parts and states before now were taken.
func (c *ShipChanges) Over(now time.Time) { c.advanceShips(now.UnixMilli()) }

// End tells what is left up to the end of the period.
func (c *ShipChanges) End() {
	c.advanceShips(math.MaxInt64)
}

// advanceShips goes on to a time, the ships in the order of their numbers.
func (c *ShipChanges) advanceShips(now int64) {
	for _, m := range slices.Sorted(maps.Keys(c.ships)) {
		s := c.ships[m]
		c.mergeStates(s, now)
		c.passTime(s, min(now, c.q.Period.End.UnixMilli()))
	}
}

// mergeStates takes the states and fixes of a ship before a time in their order; a state comes before a fix of the same time.
func (c *ShipChanges) mergeStates(s *changing, now int64) {
	for {
		states := len(s.states) > 0 && s.states[0].At < now
		fixes := len(s.fixes) > 0 && s.fixes[0].At < now
		switch {
		case states && (!fixes || s.states[0].At <= s.fixes[0].At):
			c.addState(s, s.states[0])
			s.states = s.states[1:]
		case fixes:
			c.addFix(s, s.fixes[0])
			s.fixes = s.fixes[1:]
		default:
			return
		}
	}
}

// silence returns after how many milliseconds the ship is lost.
func (c *ShipChanges) silence(s *changing) int64 {
	state := ship.State{Class: s.class, HasFix: s.hasFix, Fix: s.last}
	switch s.class {
	case ship.ClassAtoN, ship.ClassBase, ship.ClassCoast:
		return c.q.Silence.Fixed.Milliseconds()
	case ship.ClassA, ship.ClassSAR:
		if !state.AtRest() {
			return c.q.Silence.UnderWay.Milliseconds()
		}
	}
	return c.q.Silence.AtRest.Milliseconds()
}

// passTime lets time pass for a ship up to a report or state, or the end of a part. It may be lost by then; and if the period began, its first record
// is told.
func (c *ShipChanges) passTime(s *changing, now int64) {
	begin, lost := c.q.Period.Begin.UnixMilli(), max(s.last.At+c.silence(s), s.told)
	if s.hasFix && !s.lost && lost < min(now, begin) {
		s.lost, s.known = true, max(s.known, lost)
	}
	if now >= begin && !s.begun && s.known != never {
		c.tellFirst(s)
	}
	if s.hasFix && !s.lost && lost < now {
		s.lost = true
		c.tellChange(s, lost, SignalLost, ShipChange{})
	}
}

// tellFirst tells what was known when the period began.
func (c *ShipChanges) tellFirst(s *changing) {
	code := SignalGot
	if s.lost || !s.hasFix {
		code, s.lost = SignalLost, true
	}
	s.begun = true
	c.tellRecord(s, ShipChange{At: s.known, Code: code, First: true, Static: s.static, Voyage: s.voyage})
}

// tellChange tells a change in the period. Of a ship of which nothing was known it is the first record, once.
func (c *ShipChanges) tellChange(s *changing, at int64, code ChangeCode, with ShipChange) {
	if !c.q.Period.Holds(at) {
		return
	}
	with.At, with.Code = at, code
	c.tellRecord(s, with)
}

// tellRecord tells a record of a ship.
func (c *ShipChanges) tellRecord(s *changing, with ShipChange) {
	with.MMSI, with.HasFix, with.Fix = s.mmsi, s.hasFix, s.last
	c.tell(with)
}

// appears tells a ship of which nothing was known.
func (c *ShipChanges) appears(s *changing, at int64) {
	if at >= c.q.Period.Begin.UnixMilli() {
		s.begun = true
		c.tellChange(s, at, SignalGot, ShipChange{First: true, Static: s.static, Voyage: s.voyage})
	}
}

// addFix takes a report.
func (c *ShipChanges) addFix(s *changing, f ship.Fix) {
	c.passTime(s, f.At)
	was, unheard, lost := s.last, s.known == never, s.lost
	source := s.hasFix && (was.Mark^f.Mark)&ship.BySatellite != 0
	s.last, s.hasFix, s.lost, s.known = f, true, false, max(s.known, f.At)
	switch {
	case unheard:
		c.appears(s, f.At)
	case lost:
		c.tellChange(s, f.At, SignalGot, ShipChange{})
	}
	if source {
		c.tellChange(s, f.At, SourceChanged, ShipChange{was: was})
	}
}

// addState takes what became known.
func (c *ShipChanges) addState(s *changing, k KnownShip) {
	c.passTime(s, k.At)
	unheard := s.known == never
	static := k.Static != nil && (s.static == nil || !sameStatic(*s.static, *k.Static))
	voyage := k.Voyage != nil && (s.voyage == nil || !sameVoyage(*s.voyage, *k.Voyage))
	if k.Class != ship.ClassUnknown && k.Class != s.class {
		s.class, s.told = k.Class, k.At
	}
	if static {
		s.static = k.Static
	}
	if voyage {
		s.voyage = k.Voyage
	}
	s.known = max(s.known, k.At)
	if unheard {
		c.appears(s, k.At)
		return
	}
	if static {
		c.tellChange(s, k.At, StaticChanged, ShipChange{Static: s.static})
	}
	if voyage {
		c.tellChange(s, k.At, VoyageChanged, ShipChange{Voyage: s.voyage})
	}
}

// sameStatic reports whether a change of static data is none.
func sameStatic(a, b ship.Static) bool {
	return a.IMO == b.IMO && a.Name == b.Name && a.CallSign == b.CallSign && a.Type == b.Type && a.Dimensions == b.Dimensions
}

// sameVoyage reports whether a change of voyage data is none.
func sameVoyage(a, b ship.VoyageData) bool {
	return a.Destination == b.Destination && a.ETA == b.ETA && a.Centimetres() == b.Centimetres()
}
