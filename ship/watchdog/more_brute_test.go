package watchdog_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"quaywatch/ais"
	"quaywatch/geo"
	"quaywatch/ship"
	"quaywatch/ship/watchdog"
)

// moreBook tells what a watchdog of more than a place has to say, by brute force: it keeps the log, and looks back through it for each report. Its
// geometry is that of book.
type moreBook struct {
	*book
	log  []*moreEntry
	told []watchdog.Occurrence
	by   int // the report of the last event, -1 before it
}

// moreEntry is a report, and what it says at once.
type moreEntry struct {
	s                          ship.State
	x, y                       float64
	joined, forgot, in, active bool // active and in are those of its time
	reset                      bool // of a route: the ship left it at an end, or nobody knows how
}

func (b *moreBook) at(i int) int64 { return b.log[i].s.Fix.At }

// reach is how far the circle or corridor reaches.
func (b *moreBook) reach(metres float64) float64 {
	if len(b.told) == 0 || b.told[len(b.told)-1].Kind == watchdog.Leave {
		return metres
	}
	return math.Max(metres/2, metres-math.Max(10, metres*0.1))
}

func (b *moreBook) away(e *moreEntry, p geo.Point) float64 {
	x, y := b.xy(p.Lon, p.Lat)
	east, north := degrees(p.Lat)
	return math.Hypot((e.x-x)*east, (e.y-y)*north)
}

// beside returns the distance from a line, the bearing of its nearest edge, and whether the nearest place is an end of it.
func (b *moreBook) beside(x, y float64) (metres, bearing float64, end bool) {
	metres = math.Inf(1)
	east, north := degrees(y)
	for i := 1; i < len(b.d.Line); i++ {
		x1, y1 := b.xy(b.d.Line[i-1].Lon, b.d.Line[i-1].Lat)
		x2, y2 := b.xy(b.d.Line[i].Lon, b.d.Line[i].Lat)
		dx, dy := (x2-x1)*east, (y2-y1)*north
		t := ((x-x1)*east*dx + (y-y1)*north*dy) / (dx*dx + dy*dy)
		if m := b.edgeMetres(x, y, x1, y1, x2, y2); m < metres {
			metres, bearing = m, math.Atan2(dx, dy)*180/math.Pi
			end = t <= 0 && i == 1 || t >= 1 && i == len(b.d.Line)-1
		}
	}
	return metres, bearing, end
}

// row counts the reports up to n, in a row since the last event, of which something is true. A silence of a day begins anew.
func (b *moreBook) row(n int, is func(i int) bool) (count int) {
	for i := n; i > b.by && is(i); i-- {
		if count++; b.log[i].forgot {
			break
		}
	}
	return count
}

// hear takes a report, and says what happened.
func (b *moreBook) hear(s ship.State) {
	n := len(b.log)
	active := len(b.told) > 0 && b.told[len(b.told)-1].Kind != watchdog.Leave
	p := s.Fix.Point()
	e := &moreEntry{s: s, active: active}
	e.x, e.y = b.xy(p.Lon, p.Lat)
	if n > 0 {
		gap := s.Fix.At - b.at(n-1)
		if gap <= 0 {
			return
		}
		e.joined = gap <= 15*60_000 && s.Fix.Mark&ship.NewSegment == 0
		if b.d.Type == watchdog.LostShip && !active && b.watched(n-1) && gap >= 15*60_000 {
			b.told, b.by, active, e.active = append(b.told, watchdog.Occurrence{Kind: watchdog.SignalLost, At: b.at(n-1) + 15*60_000}), n-1, true, true
		}
		e.forgot = gap >= 24*3600_000 && !active
	}
	e.x, e.y = b.lay.hear(s.Fix, e.x, e.y, e.forgot)
	b.log = append(b.log, e)
	kind, does, initial, at := b.judge(n)
	switch {
	case kind == "":
	case !active && b.row(n, func(i int) bool { return does(i) }) >= b.d.ToActivate && does(n):
		b.told, b.by = append(b.told, watchdog.Occurrence{Kind: kind, At: at, Initial: initial}), n
	case active && b.row(n, func(i int) bool { return !does(i) }) >= b.d.ToDeactivate:
		b.told, b.by = append(b.told, watchdog.Occurrence{Kind: watchdog.Leave, At: s.Fix.At}), n
	}
}

// watched reports whether a ship is lost when it is heard no more after a report.
func (b *moreBook) watched(n int) bool {
	count := 0
	for i := n; i >= 0 && b.log[i].in; i-- {
		count++
		if b.log[i].forgot || i == b.by {
			break
		}
	}
	return count >= b.d.ToActivate
}

// judge returns the kind of event, whether each report does what the watchdog tells of, and of the last one whether it is initial, and when it happened.
func (b *moreBook) judge(n int) (kind watchdog.Kind, does func(i int) bool, initial bool, at int64) {
	e := b.log[n]
	at = e.s.Fix.At
	switch b.d.Type {
	case watchdog.LostShip:
		e.in = b.contains(e.x, e.y)
		return watchdog.SignalLost, func(int) bool { return false }, false, at
	case watchdog.Anchor:
		e.in = b.away(e, *b.d.Center) <= b.reach(b.d.Radius)
		one := b.d.Ships.MMSI != 0
		lay := b.since(n, func(i int) (yes, no bool) { return b.log[i].in && (one || b.lies(i)), !one && b.sails(i) })
		e.reset = !(!e.in && (one || lay) && (one || !b.sails(n)))
		return watchdog.Adrift, func(i int) bool { return !b.log[i].reset }, !lay, at
	case watchdog.Aid:
		e.in = !e.s.OffPlace && b.away(e, b.log[0].s.Fix.Point()) <= b.reach(b.d.Radius)
		return watchdog.OffPosition, func(i int) bool { return !b.log[i].in }, n == 0, at
	case watchdog.Nameless:
		return watchdog.Unidentified, func(i int) bool {
			return b.at(i)-b.at(0) >= b.d.After.Milliseconds() && b.contains(b.log[i].x, b.log[i].y)
		}, false, at
	case watchdog.Speed:
		return watchdog.Overspeed, b.fast, false, at
	}
	return b.route(n)
}

// since looks back for the last report that says yes or no.
func (b *moreBook) since(n int, says func(i int) (yes, no bool)) bool {
	for i := n; i >= 0; i-- {
		if yes, no := says(i); yes || no {
			return yes && !no
		}
		if b.log[i].forgot {
			return false
		}
	}
	return false
}

// knots returns the speed that a ship tells, else that of its leg; false where there is none.
func (b *moreBook) knots(i int) (float64, bool) {
	e := b.log[i]
	if knots, known := e.s.Fix.SOG.Knots(); known || !e.joined {
		return knots, known
	}
	return b.metres(b.log[i-1].x, b.log[i-1].y, e.x, e.y) / 1852 * 3600_000 / float64(b.at(i)-b.at(i-1)), true
}

func (b *moreBook) lies(i int) bool {
	knots, known := b.knots(i)
	return b.log[i].s.Fix.Status == ais.StatusAtAnchor && (!known || knots <= 5)
}

func (b *moreBook) sails(i int) bool {
	knots, _ := b.knots(i)
	return knots > 5 || knots >= 3 && b.log[i].s.Fix.Status != ais.StatusAtAnchor
}

// fast reports whether each report of the least time before one was above the limit inside; of an active alarm whether not each was at or below it.
func (b *moreBook) fast(i int) bool {
	e := b.log[i]
	if !b.contains(e.x, e.y) {
		return false
	}
	is := func(k int, above bool) bool {
		knots, known := b.knots(k)
		return known && (knots > b.d.Limit) == above
	}
	if !is(i, !e.active) {
		return e.active
	}
	first := i
	for first-1 > b.before(i) && b.log[first].joined && b.contains(b.log[first-1].x, b.log[first-1].y) && is(first-1, !e.active) {
		first--
	}
	return (b.at(i)-b.at(first) >= b.d.Least.Milliseconds()) != e.active
}

// before returns the report at which the alarm became what it was at a report.
func (b *moreBook) before(i int) int {
	k := i
	for k > 0 && b.log[k-1].active == b.log[i].active {
		k--
	}
	return k - 1
}

// route reports whether the ship is off the corridor that it followed.
func (b *moreBook) route(n int) (kind watchdog.Kind, does func(i int) bool, initial bool, at int64) {
	e := b.log[n]
	at = e.s.Fix.At
	metres, _, _ := b.beside(e.x, e.y)
	if e.in = metres <= b.reach(b.d.Buffer); !e.in && !e.active && n > 0 && b.log[n-1].in {
		lo, hi := 0.0, 1.0
		was := b.log[n-1]
		for range 40 {
			mid := (lo + hi) / 2
			if m, _, _ := b.beside(was.x+mid*(e.x-was.x), was.y+mid*(e.y-was.y)); m <= b.d.Buffer {
				lo = mid
			} else {
				hi = mid
			}
		}
		_, _, end := b.beside(was.x+lo*(e.x-was.x), was.y+lo*(e.y-was.y))
		inside, _, _ := b.beside(was.x, was.y)
		e.reset = !e.joined || end || inside > b.d.Buffer
		if b.d.ToActivate == 1 {
			at = b.at(n-1) + int64(lo*float64(at-b.at(n-1)))
		}
	}
	return watchdog.OffTrack, func(i int) bool {
		return !b.log[i].in && (b.log[i].active || b.since(i, func(k int) (yes, no bool) { return b.follows(k), b.log[k].reset }))
	}, false, at
}

func (b *moreBook) follows(i int) bool {
	e := b.log[i]
	course, _ := e.s.Fix.COG.Degrees()
	knots, known := e.s.Fix.SOG.Knots()
	_, bearing, _ := b.beside(e.x, e.y)
	off := math.Abs(math.Remainder(course-bearing, 180))
	return e.in && (!known || knots >= 0.5) && off <= 30
}

// TestMoreAgainstBruteForce holds the types that watch more than a place against moreBook, with alarms that are forgotten, written down, read back
// and ticked by chance.
func TestMoreAgainstBruteForce(t *testing.T) {
	types := []watchdog.Type{watchdog.LostShip, watchdog.Anchor, watchdog.Aid, watchdog.Speed, watchdog.Route, watchdog.Nameless}
	kinds := map[string]int{}
	for seed := range uint64(1200) {
		d := &dice{rand.New(rand.NewPCG(seed, 77)), []geo.Point{{Lon: 10, Lat: 54}, {Lon: 180, Lat: -17}, {Lon: -70, Lat: 70}, {Lon: 0, Lat: 0}}[seed/6%4]}
		def := watchdog.Spec{Type: types[seed%6], ToActivate: 1 + d.IntN(3), ToDeactivate: 1}
		at := d.place()
		switch def.Type {
		case watchdog.Anchor:
			def.Center, def.Radius, def.ToDeactivate = &at, 500+2000*d.Float64(), 1+d.IntN(2)
			if d.one(2) {
				def.Ships.MMSI = 211000001
			}
		case watchdog.Aid:
			def.Radius, def.ToDeactivate = 200+3000*d.Float64(), 1+d.IntN(2)
		case watchdog.Route:
			def.Line, def.Buffer, def.ToDeactivate = d.line(), 200+800*d.Float64(), 1+d.IntN(2)
		case watchdog.Speed:
			def.Polygon, def.Limit, def.Least = d.area(), 4, time.Duration(d.IntN(4))*time.Minute
		case watchdog.Nameless:
			def.Polygon, def.After, def.ToDeactivate = d.area(), 20*time.Minute, 1+d.IntN(2)
		case watchdog.LostShip:
			def.Polygon, def.Ships.MMSI = d.area(), 211000001
		}
		m := machine(t, def)
		b := &moreBook{book: newBook(def, d.base), by: -1}
		var got []watchdog.Occurrence
		var a watchdog.ShipMemory
		var last ship.Fix
		for _, s := range d.voyage(&def) {
			if s.Class, s.First = ship.ClassA, s.Fix.At; len(b.log) > 0 {
				s.First = b.log[0].s.Fix.At
			}
			if s.OffPlace = d.one(9); def.Type == watchdog.Nameless {
				s.Static = nil
			}
			if d.one(3) && s.Fix.At > last.At && last.At != 0 {
				for share := range int64(7) {
					got = m.Tick(&a, last.At+(s.Fix.At-last.At)*share/7, got)
				}
			}
			if d.one(10) && !a.Kept() {
				a = watchdog.ShipMemory{}
			}
			if d.one(10) {
				a = *again(t, &a)
			}
			got = m.Report(&a, watchdog.Position{Before: last, State: &s}, got)
			b.hear(s)
			if s.Fix.At > last.At {
				last = s.Fix
			}
		}
		for i := range max(len(got), len(b.told)) {
			if i >= len(got) || i >= len(b.told) || got[i].Kind != b.told[i].Kind || math.Abs(float64(got[i].At-b.told[i].At)) > 300 || got[i].Initial != b.told[i].Initial {
				is, want := "none", "none"
				if i < len(got) {
					is = fmt.Sprintf("%s at %d initial %v", got[i].Kind, got[i].At, got[i].Initial)
				}
				if i < len(b.told) {
					want = fmt.Sprintf("%s at %d initial %v", b.told[i].Kind, b.told[i].At, b.told[i].Initial)
				}
				t.Errorf("seed %d, %s: event %d is %s, want %s", seed, def.Type, i, is, want)
				break
			}
		}
		for _, e := range got {
			kinds[fmt.Sprintf("%s %s", def.Type, e.Kind)]++
		}
	}
	for _, kind := range []string{"lost lost", "lost leave", "anchor dragging", "anchor leave", "aton off_position", "aton leave", "speed overspeed", "speed leave",
		"route off_track", "route leave", "silent unidentified", "silent leave"} {
		if kinds[kind] < 20 {
			t.Errorf("%d events %q in %v", kinds[kind], kind, kinds)
		}
	}
}
