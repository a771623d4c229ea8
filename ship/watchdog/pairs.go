package watchdog

import (
	"cmp"
	"math"
	"slices"
	"time"

	"quaywatch/ais"
	"quaywatch/geo"
	"quaywatch/internal/rule"
	"quaywatch/ship"
)

// The numbers of a danger of collision (docs/watchdogs.md says where they come from).
const (
	defaultCPA  = 556.0 // metres: 0.3 nautical miles
	defaultTCPA = 12 * time.Minute
	mostCPA     = 18_520.0 // metres
	leastTCPA   = 10 * time.Second
	mostTCPA    = time.Hour

	leastSailing   = 3.0               // knots: slower ships meet nobody
	sailedMetres   = 50.0              // so far a ship must have sailed: a place that leaps is no voyage
	leastClosing   = 0.5               // metres a second between the velocities of two ships; below it they sail as one
	steadyTime     = 120 * time.Second // so long a danger must be seen
	urgentTime     = 3 * time.Minute   // but not where there is less time than this
	heldDegrees    = 10.0              // a ship that turns by more begins a new course
	heldKnots      = 1.0               // and one whose speed changes by more than this and a share of it
	heldShare      = 0.2               // of its speed
	unnamedTime    = 7 * time.Minute   // so long a ship is heard before it counts without its static data, which come each six minutes
	clearFactor    = 1.5               // of both limits: beyond it two ships are clear of each other
	clearTime      = time.Minute
	pairSilence    = 5 * time.Minute // of one of the two, after which an event is over
	togetherMetres = 150.0           // two ships so near, and with velocities so alike, go together
	togetherSpeed  = 1.0             // metres a second
	partMetres     = 500.0           // beyond it they no longer do
	servedMetres   = 50.0            // length of a ship that pilots and tugs serve

	marginMetres = 2000.0 // outside of the area a meeting that goes on is followed so far
	judgeEvery   = 2000   // milliseconds between two looks round a ship
	mostSailing  = 1000   // ships that are followed in one area: each is compared with all others
	mostPairs    = 2000   // pairs that are remembered
)

// DefaultPairBetween is the least time between two events of one pair that a definition of type cpa has where it names none.
const DefaultPairBetween = 30 * time.Minute

// Pair is two ships, that with the lower number first.
type Pair struct {
	A ais.MMSI `json:"a"`
	B ais.MMSI `json:"b"`
}

// PairOf returns the pair of two ships.
func PairOf(a, b ais.MMSI) Pair { return Pair{min(a, b), max(a, b)} }

func (p Pair) compare(q Pair) int { return cmp.Or(cmp.Compare(p.A, q.A), cmp.Compare(p.B, q.B)) }

// PairMemory is what is to be kept of a pair over a restart.
type PairMemory struct {
	Pair
	Active bool  `json:"active,omitempty"` // the danger goes on
	Since  int64 `json:"since"`            // when it began, Unix milliseconds
}

// Danger is an event of a pair: that two ships will come too close to each other, or that this is over.
type Danger struct {
	PairMemory
	At          int64         // Unix milliseconds
	Ship, Other *ship.State   // as they were heard last; valid until the next call. Not there when it is over
	CPA         float64       // metres between them at their closest
	TCPA        time.Duration // until then
}

// Pairs are the ships in the area of a definition of type CPA, and what it remembers of pairs of them. The same reports and ticks in the same order
// give the same events. One goroutine at a time may use it.
type Pairs struct {
	m       *Machine
	ships   []sailing
	places  map[ais.MMSI]int // in ships
	pairs   []pairing
	index   map[Pair]int // in pairs
	active  int          // of them
	crowded uint64
	traced  ais.MMSI // of its pairs told is told
	told    func(Hindrance)
}

// sailing is a ship under way in the area.
type sailing struct {
	state    ship.State
	velocity geo.Vector // metres a second to the east and north
	speed    float64    // metres a second
	mark     geo.Point  // where it was first seen under way
	sailed   bool       // it has come so far that it is under way
	meets    bool       // it is in the area and as fast as it must be; else only what goes on is followed
	named    bool       // its static data were heard, or waited for in vain
	judged   int64      // when it was compared with the others
	holds    int64      // when it turned last, or changed its speed; 0 where it was not seen to
	course   float64    // degrees, that it holds since
	knots    float64    // the same of its speed
	pairs    int        // that are active
	does     work
}

// counts reports whether a ship is known well enough to be a danger.
func (s *sailing) counts() bool { return s.meets && s.sailed && s.named }

// pairing is what is remembered of a pair.
type pairing struct {
	PairMemory
	count, off int32
	from       int64 // since when the danger is seen without a break, 0 while it is not
	clear      int64 // since when the two are clear of each other, 0 while they are not
	together   bool  // they go together, as a tug and its tow do
	heard      int64 // when it was judged last
}

// NewPairs makes the memory of a machine of type CPA.
func NewPairs(m *Machine) *Pairs {
	return &Pairs{m: m, places: map[ais.MMSI]int{}, index: map[Pair]int{}}
}

// Use goes on with another machine: the definition was changed.
func (p *Pairs) Use(m *Machine) { p.m = m }

// Crowded returns how many reports counted for nothing, because there were too many ships in the area.
func (p *Pairs) Crowded() uint64 { return p.crowded }

// Followed reports whether a ship is under way in the area, so that it keeps its place in the picture.
func (p *Pairs) Followed(m ais.MMSI) bool { _, is := p.places[m]; return is }

// Remember takes what was kept of a pair. Silence is counted from a time on, in Unix milliseconds.
func (p *Pairs) Remember(k PairMemory, heard int64) {
	if _, found := p.index[k.Pair]; !found && len(p.pairs) < mostPairs {
		p.add(pairing{PairMemory: k, heard: heard})
		if k.Active {
			p.active++
		}
	}
}

// Deaf tells that nobody could be heard until a time, in Unix milliseconds.
func (p *Pairs) Deaf(until int64) {
	for i := range p.pairs {
		p.pairs[i].heard = max(p.pairs[i].heard, until)
	}
}

// add takes a pair in, and returns its place.
func (p *Pairs) add(k pairing) int {
	p.index[k.Pair] = len(p.pairs)
	p.pairs = append(p.pairs, k)
	return len(p.pairs) - 1
}

// Report takes a position of a ship. It appends what happened to dst, in the order of the numbers of the other ships.
func (p *Pairs) Report(r Position, dst []Danger) []Danger {
	s := r.State
	if s.Class != ship.ClassA && s.Class != ship.ClassB || r.Before.At != 0 && s.Fix.At <= r.Before.At {
		return dst
	}
	i, known := p.places[s.MMSI]
	knots, moves := s.Fix.SOG.Knots()
	course, steers := s.Fix.COG.Degrees()
	at := s.Fix.Point()
	meets := moves && steers && knots >= leastSailing && p.m.area.Contains(at)
	switch active := known && p.ships[i].pairs > 0 || !known && p.countActive(s.MMSI) > 0; {
	case active && p.m.bounds.Contains(at):
	case !meets:
		p.dropShip(s.MMSI)
		return dst
	}
	if !known {
		if len(p.ships) >= mostSailing {
			p.crowded++
			return dst
		}
		i = len(p.ships)
		p.ships = append(p.ships, sailing{mark: at})
		p.places[s.MMSI] = i
		p.ships[i].pairs = p.countActive(s.MMSI)
	}
	own := &p.ships[i]
	if known && !ship.Joins(r.Before, s.Fix) {
		own.mark, own.sailed = at, false
	}
	own.state, own.meets = *s, meets
	own.does = workOf(s)
	own.sailed = own.sailed || metresBetween(own.mark, at) >= sailedMetres
	own.named = s.Static != nil || s.Fix.At-s.First >= unnamedTime.Milliseconds()
	own.speed = knots * 1852 / 3600
	own.keeps(course, knots, known)
	own.velocity = geo.Vector{}
	if moves && steers {
		sin, cos := math.Sincos(course * math.Pi / 180)
		own.velocity = geo.Vector{X: own.speed * sin, Y: own.speed * cos}
	}
	if s.Fix.At-own.judged < judgeEvery && s.Fix.At >= own.judged {
		return dst
	}
	own.judged = s.Fix.At
	return p.lookRound(i, dst)
}

// keeps notes when the ship turns or changes its speed.
func (s *sailing) keeps(course, knots float64, known bool) {
	turned := math.Abs(math.Mod(course-s.course+540, 360) - 180)
	switch {
	case !known:
		s.course, s.knots = course, knots
	case turned > heldDegrees, math.Abs(knots-s.knots) > heldKnots+heldShare*s.knots:
		s.holds, s.course, s.knots = s.state.Fix.At, course, knots
	}
}

// countActive counts the meetings of a ship that go on.
func (p *Pairs) countActive(m ais.MMSI) (n int) {
	for i := 0; i < len(p.pairs) && p.active > 0; i++ {
		if k := &p.pairs[i]; k.Active && (k.A == m || k.B == m) {
			n++
		}
	}
	return n
}

// dropShip forgets a ship that is no longer under way in the area.
func (p *Pairs) dropShip(m ais.MMSI) {
	i, known := p.places[m]
	if !known {
		return
	}
	last := len(p.ships) - 1
	if i != last {
		p.ships[i] = p.ships[last]
		p.places[p.ships[i].state.MMSI] = i
	}
	p.ships[last] = sailing{}
	p.ships = p.ships[:last]
	delete(p.places, m)
}

// Tick takes a time, in Unix milliseconds. An event of a pair is over when one of the two was not heard for some minutes. Events do not depend on
// how often a Tick comes.
func (p *Pairs) Tick(now int64, dst []Danger) []Danger {
	silence, between, first := p.silence(), p.m.d.BetweenTimes.Milliseconds(), len(dst)
	for i := len(p.pairs) - 1; i >= 0; i-- {
		k := &p.pairs[i]
		if now-k.heard < silence {
			continue
		}
		if k.Active {
			dst = p.endDanger(k, k.heard+silence, dst)
		}
		if k.Since == 0 || now-k.Since >= between {
			p.dropPair(i)
		}
	}
	inOrder(dst[first:])
	for i := len(p.ships) - 1; i >= 0; i-- {
		if s := &p.ships[i].state; now-s.Fix.At > silence {
			p.dropShip(s.MMSI)
		}
	}
	return dst
}

// dropPair lets a pair go.
func (p *Pairs) dropPair(i int) {
	last := len(p.pairs) - 1
	delete(p.index, p.pairs[i].Pair)
	if i != last {
		p.pairs[i] = p.pairs[last]
		p.index[p.pairs[i].Pair] = i
	}
	p.pairs = p.pairs[:last]
}

// silence returns after how many milliseconds of silence an event is over.
func (p *Pairs) silence() int64 {
	return cmp.Or(p.m.d.Inactivity, pairSilence).Milliseconds()
}

// Kept returns the pairs that are to be kept over a restart, in the order of their numbers.
func (p *Pairs) Kept() (all []PairMemory) {
	for i := range p.pairs {
		if p.pairs[i].Since != 0 {
			all = append(all, p.pairs[i].PairMemory)
		}
	}
	slices.SortFunc(all, func(x, y PairMemory) int { return x.compare(y.Pair) })
	return all
}

// checkCPA checks what only pairs of ships have, and that nothing is asked of them that they have not.
func (d *Spec) checkCPA() error {
	only := func(of string) *rule.Rule {
		return rule.New("watchdog_type", "goes with watchdogs of type {type} only", "type", of)
	}
	switch {
	case d.Type != CPA && d.CPA != 0:
		return &FieldError{"/cpa/cpa_m", only(string(CPA))}
	case d.Type != CPA && d.TCPA != 0:
		return &FieldError{"/cpa/tcpa_s", only(string(CPA))}
	case d.Type == CPA && d.BetweenTriggers != 0:
		return &FieldError{"/samples_between_trigger", rule.New("no_pair", "is not for pairs of ships; use time_between_triggers")}
	case !(d.CPA >= 0 && d.CPA <= mostCPA):
		return outOfRange("/cpa/cpa_m", 0, mostCPA)
	case d.TCPA != 0 && (d.TCPA < leastTCPA || d.TCPA > mostTCPA):
		return outOfRange("/cpa/tcpa_s", leastTCPA.Seconds(), mostTCPA.Seconds())
	}
	return nil
}
