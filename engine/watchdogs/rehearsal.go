package watchdogs

import (
	"cmp"
	"log/slog"
	"slices"
	"time"

	"quaywatch/ais"
	"quaywatch/engine/watchdogs/ceiling"
	"quaywatch/engine/watchdogs/playback"
	"quaywatch/geo"
	"quaywatch/geo/chart"
	"quaywatch/internal/rule"
	"quaywatch/ship"
	"quaywatch/ship/watchdog"
	"quaywatch/users/library"
)

// MostTried is how many events of a rehearsal are kept, the earliest.
const MostTried = 1000

// Rehearsal is a watchdog that is tried on the past. It is a Watch with one watchdog and without a database, so that it raises what that watchdog
// would have raised. It is for one goroutine.
//
// Most watchdogs ask each ship by itself. So the ships may be handed over one after the other, each in the order of its time. Where the watchdog asks for
// several ships at once (Together), the reports of an hour are kept, and played in the order of time.
type Rehearsal struct {
	w        *Watch
	d        *dog
	from, to int64
	bounds   geo.Rect
	ships    map[ais.MMSI]tried
	inPort   int64      // as tried.inPort, of the ship that is handed over
	state    ship.State // of the report that is handed over
	past     *ShipPast
	report   ais.Report
	began    map[*began]*Event
	events   []*Event
	result   Rehearsed
	why      *inquiry // nil where nobody asks
	asked    ais.MMSI // the ship that somebody asks for
	fleet    *fleet   // of a watchdog that asks for several ships at once
}

// tried is how far a ship was handed over.
type tried struct {
	last   int64 // the time of its latest report
	counts bool  // it was heard often enough to be a ship
	fixes  uint8 // before that
	near   bool
	inPort int64 // when it was last inside of the border of a port
	heard  int64 // its latest message, where that came before the end; else 0
}

// Rehearsed is what a Rehearsal gave.
type Rehearsed struct {
	Ships   int            // that came near
	Reports int            // of them, near the place or while they had an alarm
	Filled  int            // of these, those that were filled in
	Count   int            // of the events
	Events  []*Event       // the earliest of them
	Why     []SilentReason // why the ship that was asked for raised nothing
}

// ShipPast is what a Rehearsal asks of the past of a ship.
type ShipPast struct {
	Ship    *ship.State                              // as it is known by now
	LeftOut func(kept, next ship.Fix) (int, int64)   // how many were left out between two fixes, and until when
	Then    func(s *ship.State)                      // puts in what was known of the ship at its fix
	Said    func(at int64) int                       // how many reports without a place it is known to have sent by a time
	AtSea   func(at time.Time) (time.Duration, bool) // how long it had been outside of every port
}

// NewRehearsal prepares to try a watchdog on from <= time < to. Last gives a ship as it was last heard by a time. Of a ship that is asked for, not 0, the obstacles are
// noted, for Why. It fails where the watchdog would watch nothing, and with a *watchdog.FieldError.
func NewRehearsal(w *Watch, r library.Resource, from, to time.Time, asked ais.MMSI, last func(m ais.MMSI, now time.Time) (ship.State, bool)) (*Rehearsal, error) {
	if err := mayRehearse(r.Watchdog.Type); err != nil {
		return nil, err
	}
	x := &Rehearsal{from: from.UnixMilli(), to: to.UnixMilli(), ships: map[ais.MMSI]tried{}, began: map[*began]*Event{}, asked: asked}
	x.w = &Watch{dogs: map[uint64]*dog{}, alarms: map[ais.MMSI][]*alarm{}, inPort: map[ais.MMSI]*visit{}}
	x.w.guards.watch, x.w.zones.watch = x.w, x.w
	x.w.situations = situations{watch: x.w, all: map[subject]*situation{}, of: map[string]int{}}
	x.w.pauses = pauses{watch: x.w, Ceiling: ceiling.New(ceiling.None())}
	x.w.config = Config{Names: w.config.Names, Ports: w.config.Ports, Most: MostAlarms, Log: slog.New(slog.DiscardHandler),
		LostAfter: w.config.LostAfter, Charted: w.config.Charted,
		AtSea: func(_ ais.MMSI, now time.Time) (time.Duration, bool) { return x.atSea(now) },
		Ship:  func(m ais.MMSI) (ship.State, bool) { return last(m, x.w.now) }}
	var err error
	if x.d, err = x.w.dogOf(r, w.config.Ports()); err != nil {
		return nil, err
	}
	if asked != 0 {
		x.why = &inquiry{}
		if r.Watchdog.Type != watchdog.CPA { // it asks of all ships whether they are meant
			x.d.machine = x.d.machine.Traced(x.noteObstacle)
		}
	}
	if t := r.Watchdog.Type; t == watchdog.CPA || t == watchdog.Around {
		x.makeFleet()
	}
	found := newMeets()
	found.add(x.d)
	x.w.useWatchdogs(map[uint64]*dog{x.d.id: x.d}, nil, found)
	if x.why != nil && x.d.pairs != nil {
		x.d.pairs.Trace(asked, x.noteObstacle)
	}
	if x.bounds, _ = x.d.machine.Bounds(); x.d.port != nil {
		x.bounds = aroundPort(x.d.port)
	}
	x.w.Tick(from)
	return x, nil
}

// mayRehearse refuses the types that no track tells.
func mayRehearse(t watchdog.Type) error {
	why := rule.New("dryrun_type", "{type} cannot be tried on the past", "type", string(t))
	switch t {
	case watchdog.Line, watchdog.Polygon, watchdog.Port, watchdog.Cable, watchdog.Fishing,
		watchdog.LostShip, watchdog.Anchor, watchdog.Aid, watchdog.Speed, watchdog.Route, watchdog.Nameless, watchdog.CPA, watchdog.Around:
		return nil
	case watchdog.Distress, watchdog.Feed, watchdog.Box:
		why = rule.New("dryrun_no_track", "{type} cannot be tried on the past: no track tells it", "type", string(t))
	}
	return &watchdog.FieldError{Pointer: "/type", Rule: why}
}

// beyondPort is how far outside of the border of a port a ship is still followed, in metres.
const beyondPort = 1000

func aroundPort(p *chart.Port) geo.Rect {
	if p.Drawn() {
		return p.Outer.Bounds().Expand(beyondPort)
	}
	at := geo.Rect{West: p.Position.Lon, South: p.Position.Lat, East: p.Position.Lon, North: p.Position.Lat}
	return at.Expand(chart.DefaultRadius + beyondPort)
}

// Ship returns the one ship that the watchdog names, 0 where it names none.
func (x *Rehearsal) Ship() ais.MMSI { return x.d.machine.Ship() }

// looksAt reports whether the watchdog asks for ships like this one.
func (x *Rehearsal) looksAt(s *ship.State) bool {
	switch named := x.Ship(); {
	case x.moves(s.MMSI):
		return x.asked != s.MMSI
	case x.fleet != nil:
		return meetsOthers(x.d.of.Watchdog.Type, s.Class)
	case named != 0 && named != s.MMSI:
		return false
	}
	return s.Class != ship.ClassBase && (s.Class == ship.ClassAtoN) == x.d.machine.Aids()
}

// Concerns reports whether the watchdog asks for a part of the track of a ship. Of one that it does not ask for nothing is to be taken, unless somebody asks
// why.
func (x *Rehearsal) Concerns(s *ship.State, part ship.Track) bool {
	if x.why != nil && (x.fleet == nil || s.MMSI == x.asked) {
		return true
	}
	if !x.looksAt(s) {
		return false
	}
	if x.moves(s.MMSI) {
		return true
	}
	before := ship.Fix{}
	for _, f := range part {
		if x.concerns(s.MMSI, before, f) {
			return true
		}
		before = f
	}
	return false
}

// Take takes a part of the track of a ship. Fixes that were taken before are passed over.
func (x *Rehearsal) Take(p *ShipPast, part ship.Track) {
	m := p.Ship.MMSI
	if !x.looksAt(p.Ship) {
		if x.why != nil && m == x.asked {
			x.why.other = x.whyOther(p.Ship)
		}
		return
	}
	if x.fleet != nil {
		x.joinFleet(p, part)
		return
	}
	t := x.ships[m]
	x.past, x.state = p, stateOf(p)
	before := ship.Fix{}
	for _, f := range part {
		if f.Mark&ship.WrongClock != 0 || !f.Trusted() {
			continue
		}
		if f.At > t.last && f.At >= x.from && before.At < x.to {
			t.last = f.At
			if x.takeLeg(m, &t, before, f) {
				t.near = true
			}
		}
		before = f
	}
	if p.Ship.Heard < x.to {
		t.heard = p.Ship.Heard
	}
	if !x.ships[m].near && t.near {
		x.result.Ships++
	}
	x.ships[m] = t
}

// stateOf returns a ship of the past, without its fix.
func stateOf(p *ShipPast) ship.State {
	s := *p.Ship
	s.Age, s.Reports, s.HasFix = ship.Live, ship.ConfirmedReports, true
	s.OffPlace = false // the store keeps the latest alone
	return s
}

// takeLeg takes the way from one fix to the next, with what was left out of it, before the end of the rehearsal. It reports whether the watchdog is concerned.
// Before is the zero Fix where nothing was heard of the ship.
func (x *Rehearsal) takeLeg(m ais.MMSI, t *tried, before, f ship.Fix) bool {
	ends := f.At < x.to
	if !ends && before.At == 0 {
		return false
	}
	if ends {
		x.noteInPort(t, f)
		if x.why != nil {
			x.noteApproach(f)
		}
	}
	concerned := x.concerns(m, before, f)
	if !concerned && t.counts {
		return false
	}
	last := x.fillLeg(t, before, f, concerned)
	if ends && x.believe(t, f.At) && concerned {
		x.sendReport(last, f)
	}
	return concerned
}

// fillLeg takes what was left out of a leg, and returns the last fix before its end.
func (x *Rehearsal) fillLeg(t *tried, before, f ship.Fix, concerned bool) (last ship.Fix) {
	last = before
	if before.At == 0 || !ship.Joins(before, f) {
		return last
	}
	every, count := x.missingReports(before, f)
	for at := before.At + every; count > 0 && at < min(f.At, x.to); at += every {
		count--
		filled := playback.Between(before, f, at)
		if x.believe(t, at) && concerned && at >= x.from {
			x.sendReport(last, filled)
			x.result.Filled++
		}
		last = filled
	}
	return last
}

// atSea returns how long the ship that is handed over had been out of every port and its border.
func (x *Rehearsal) atSea(now time.Time) (time.Duration, bool) {
	out, known := x.past.AtSea(now)
	if x.inPort == 0 {
		return out, known
	}
	if since := now.Sub(time.UnixMilli(x.inPort)); !known || since < out {
		return since, true
	}
	return out, known
}

// noteInPort notes when a ship is inside of the border of a port, for the types that ask it.
func (x *Rehearsal) noteInPort(t *tried, f ship.Fix) {
	if k := x.d.of.Watchdog.Type; k != watchdog.Fishing && k != watchdog.Cable {
		return
	}
	if x.w.borders = x.w.config.Ports().At(x.w.borders[:0], f.Point()); len(x.w.borders) > 0 {
		t.inPort = f.At
	}
	x.inPort = t.inPort
}

// believe counts a report, and reports whether the ship was heard often enough by then. One that was heard once or twice may be none, and raises nothing.
func (x *Rehearsal) believe(t *tried, at int64) bool {
	if !t.counts {
		t.fixes++
		t.counts = x.past.Ship.First < x.from || int(t.fixes)+x.past.Said(at) >= ship.ConfirmedReports
	}
	return t.counts
}

// concerns reports whether the watchdog asks for a leg.
func (x *Rehearsal) concerns(m ais.MMSI, before, f ship.Fix) bool {
	if len(x.w.alarms[m]) > 0 || x.w.inPort[m] != nil {
		return true
	}
	p := f.Point()
	way := geo.Rect{West: p.Lon, South: p.Lat, East: p.Lon, North: p.Lat}
	if before.At != 0 {
		way = way.Extend(before.Point())
	}
	return x.bounds.Intersects(way)
}

// silentFor is how long a ship may be silent before a time is told at which nothing was heard of it. What silence raises has the time at which it was due.
const silentFor = 15 * time.Minute

// sendReport hands a report over.
func (x *Rehearsal) sendReport(before, f ship.Fix) {
	m := x.state.MMSI
	if before.At != 0 && f.At-before.At >= silentFor.Milliseconds() {
		x.passShip(m, f.At-1)
	}
	x.state.Fix, x.state.Heard = f, f.At
	x.past.Then(&x.state)
	if x.why != nil && m == x.asked {
		x.why.state = x.state
	}
	u := ship.Update{Report: &x.report, Was: ship.State{MMSI: m, HasFix: before.At != 0, Fix: before}, Now: x.state, Fix: f, Change: ship.ChangedFix}
	x.w.Observe(&u)
	x.result.Reports++
	x.drainEvents()
}

// passShip tells a time at which nothing was heard of a ship.
func (x *Rehearsal) passShip(m ais.MMSI, at int64) {
	now := time.UnixMilli(at)
	if v := x.w.inPort[m]; v != nil && now.Sub(x.w.heard) >= silentInPort {
		v.passSilence(x.w, now)
	}
	passAlarms(x.w, m, x.w.alarms[m], at)
	x.drainEvents()
}

// Pass tells that all of the time before now was handed over. It is to be called until it is done. Of several ships it plays some reports each time. It plays
// none that came less than ship.GapLimit before now, since the leg that they lie on may end later.
func (x *Rehearsal) Pass(now time.Time) (done bool) {
	if x.fleet != nil {
		now = ship.Time(min(now.Add(-ship.GapLimit).UnixMilli(), x.to))
		if now.Before(x.w.now) {
			return true
		}
		if !x.playReports(now.UnixMilli()) {
			return false
		}
	}
	x.past = &ShipPast{AtSea: func(time.Time) (time.Duration, bool) { return 0, false }}
	x.w.Tick(now)
	x.drainEvents()
	return true
}

// drainEvents takes what was raised. Nothing of it is to be stored.
func (x *Rehearsal) drainEvents() {
	w := x.w
	for i := range w.pending {
		r := &w.pending[i]
		if r.event.Time >= x.to || r.event.Time < x.from || r.begins && !x.partner(&r.event) {
			continue
		}
		e := r.event
		if !r.untold { // else it only ends another one
			x.result.Count++
			x.events = append(x.events, &e)
		}
		switch {
		case r.begins:
			x.began[r.began] = &e
		case r.ends && r.began != nil:
			if first := x.began[r.began]; first != nil {
				first.Deactivated = e.Time
				delete(x.began, r.began)
			}
		}
	}
	for _, a := range w.urgent {
		a.urgent = false
	}
	for _, v := range w.moved {
		v.urgent = false
	}
	for _, standing := range w.situations.moved {
		standing.urgent = false
	}
	clear(w.situations.moved)
	w.situations.moved = w.situations.moved[:0]
	w.pending, w.urgent, w.moved, w.gone, w.left = w.pending[:0], w.urgent[:0], w.moved[:0], w.gone[:0], w.left[:0]
	if len(x.events) >= 2*MostTried {
		x.trimEvents()
	}
}

// trimEvents keeps the earliest events.
func (x *Rehearsal) trimEvents() {
	slices.SortStableFunc(x.events, func(a, b *Event) int {
		return cmp.Or(watchdog.Compare(watchdog.Occurrence{Kind: a.Kind, At: a.Time}, watchdog.Occurrence{Kind: b.Kind, At: b.Time}), cmp.Compare(a.Ship.MMSI, b.Ship.MMSI))
	})
	if n := min(len(x.events), MostTried); n < len(x.events) {
		clear(x.events[n:])
		x.events = x.events[:n]
	}
}

// End returns the result. The times at which the last silences are told end with the rehearsal. Reports of several ships are to be passed before, up to
// ship.GapLimit after the end.
func (x *Rehearsal) End() Rehearsed {
	if x.d.of.Watchdog.Type == watchdog.LostShip {
		x.hearLast()
	}
	x.Pass(time.UnixMilli(x.to))
	x.trimEvents()
	x.result.Events = x.events
	if x.why != nil && x.result.Count == 0 {
		x.result.Why = x.reasons()
	}
	return x.result
}

// hearLast takes the latest message of each ship that came before the end. The store may have left out its place, and those of others before it.
func (x *Rehearsal) hearLast() {
	for m, list := range x.w.alarms {
		for _, a := range list {
			if !a.memory.Active {
				a.memory.Silent = max(a.memory.Silent, x.ships[m].heard)
			} else if x.w.events = a.dog.machine.Hears(&a.memory, x.ships[m].heard, x.w.events[:0]); len(x.w.events) > 0 {
				x.w.raiseSilence(a)
			}
		}
	}
	x.drainEvents()
}
