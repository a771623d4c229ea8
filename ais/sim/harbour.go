// Package sim simulates a harbour that does not exist, or two with the sea between them. Its ships follow plans on real water, in real or faster time. It gives
// the AIS messages that the ships send and, beside them, the truth of what the ships did. The same options give the same harbour, second by second. No ship
// crosses land, as far as the functions in Options know the land. The place that a ship reports is within 15 metres of its true place.
//
// Each ship follows a rail: a planned line with rounded corners. Ships do not see each other and do not give way, so the
// close encounters in the truth are real ones.
//
// Dangerous: Step uses its messages again in the next second.
package sim

import (
	"cmp"
	"errors"
	"math"
	"math/rand/v2"
	"time"

	"quaywatch/ais"
	"quaywatch/geo"
)

// Options say where and when a harbour is.
type Options struct {
	At      geo.Point                 // the middle of the harbour; its ships sail within 25 km of it
	Second  *geo.Point                // the middle of a second harbour; merchant ships sail between the two. nil is none
	Seed    int64                     // the same seed gives the same day
	Ships   int                       // how many ships; 0 is 180, fewer than 30 are 30
	Start   time.Time                 // when the simulation begins; ships are under way already
	Land    func(geo.Point) bool      // whether a place is land
	Crosses func(a, b geo.Point) bool // whether the leg from a to b, straight in degrees, touches land
	Clock   LogClock                  // how the sentences of Run tell the time
}

// DefaultAt is the place of the demo: the harbour of Copenhagen. It has docks and a canal, islands in front, a coast for
// ferries opposite, and open sea on both sides.
var DefaultAt = geo.Point{Lon: 12.62, Lat: 55.69}

// DefaultSecond is the second harbour of the demo: Aarhus. Ships from Copenhagen sail 105 nautical miles through the Sound and the Kattegat.
var DefaultSecond = geo.Point{Lon: 10.235, Lat: 56.152}

// warmUp is how long, in seconds, ships sail before the beginning, so that the first picture shows full traffic.
const warmUp = 3 * 3600

// Harbour is the simulated harbour, with the second one and the sea between them. One goroutine at a time may use it.
type Harbour struct {
	stamps  LogClock
	areas   []*area // the first, and the second where there is one
	sea     *seaWay // between the two, or nil
	narrows narrows // near the first
	rng     *rand.Rand
	reg     *register
	start   time.Time
	now     int64 // seconds since start

	ships      []*ship // pilot boats and tugs stand behind the ships that they serve
	wind       float64
	radio      transmitter
	emit       func(at time.Time, m ais.Message, channel byte)
	truth      func(Truth)
	moving     []mover
	encounters map[pair]*encounter
}

// New builds the harbour. It is an error when no navigable water lies within 25 km of its middle, or of the middle of the second harbour. It is also an error
// when no way over water joins the two.
func New(o Options) (*Harbour, error) {
	if o.Land == nil || o.Crosses == nil {
		return nil, errors.New("build a harbour: needs to know where land is")
	}
	rng := rand.New(rand.NewPCG(uint64(o.Seed), 0x5175617977617463))
	h := &Harbour{rng: rng, stamps: o.Clock, start: o.Start.UTC().Truncate(time.Second), encounters: map[pair]*encounter{}}
	if err := h.open(o); err != nil {
		return nil, err
	}
	h.reg = newRegister(rng, o.At.Lon, o.At.Lat)
	h.wind = float64(rng.IntN(360))
	h.now = -warmUp
	h.emit, h.truth = func(time.Time, ais.Message, byte) {}, func(Truth) {}
	h.populate(max(30, cmp.Or(o.Ships, 180)))
	for i, a := range h.areas {
		a.station = newTransmitter(a, i)
	}
	h.warm()
	return h, nil
}

// open reads the water of the harbours and of the sea between them.
func (h *Harbour) open(o Options) (err error) {
	if h.narrows, err = newNarrows(o.At, mostSpan); err != nil {
		return err
	}
	for i, at := range []*geo.Point{&o.At, o.Second} {
		if at == nil {
			break
		}
		a, err := newArea(h, *at, o, i)
		if err != nil {
			return err
		}
		h.areas = append(h.areas, a)
	}
	if len(h.areas) < 2 {
		return nil
	}
	sea, err := newSeaWay(h.areas[0], h.areas[1], o)
	h.sea = sea
	return err
}

// warm sails the time before the beginning, without messages.
func (h *Harbour) warm() {
	for h.now < 0 {
		h.now++
		h.second()
	}
	clear(h.encounters)
}

// Step sails on until now, a second at a time. It hands each message to emit and each event to truth; either may be nil.
// An encounter is reported when it is over, with the time when the ships were closest. A time before that of the last Step
// does nothing.
func (h *Harbour) Step(now time.Time, emit func(at time.Time, m ais.Message, channel byte), truth func(Truth)) {
	h.emit, h.truth = emit, truth
	if emit == nil {
		h.emit = func(time.Time, ais.Message, byte) {}
	}
	if truth == nil {
		h.truth = func(Truth) {}
	}
	for until := int64(now.Sub(h.start) / time.Second); h.now < until; {
		h.now++
		h.second()
		h.sendDueMessages()
	}
}

// second sails all ships one second.
func (h *Harbour) second() {
	for _, s := range h.ships {
		h.moveShip(s)
		if s.cond != nil && s.cond() {
			then := s.then
			s.cond, s.then = nil, nil
			then()
		}
	}
	if h.now%5 == 0 {
		h.watchEncounters()
	}
	if h.now%60 == 0 {
		h.tellPlaces()
	}
}

// moveShip moves one ship one second.
func (h *Harbour) moveShip(s *ship) {
	switch {
	case s.silent:
	case s.swing != nil:
		s.swingAtAnchor(float64(h.now))
	case s.partner != nil:
		s.followPartner(float64(h.now), s.in.water.land)
	case s.escort != nil:
		s.lead()
	case s.role == aircraft || s.role == beacon:
		s.move(s.cruise)
	case s.in == nil:
		s.move(math.Inf(1))
	default:
		s.move(float64(s.in.water.roomAt(s.place)) * 2.1)
	}
}

func (h *Harbour) clockTime() time.Time { return h.start.Add(time.Duration(h.now) * time.Second) }

// afterSeconds returns a condition that holds in a number of seconds from now.
func (h *Harbour) afterSeconds(seconds float64) func() bool {
	end := h.now + int64(seconds)
	return func() bool { return h.now >= end }
}

// Now returns the simulated time.
func (h *Harbour) Now() time.Time { return h.clockTime() }

// Ships returns the number of ships within range now, with aircraft and beacons.
func (h *Harbour) Ships() int {
	n := 0
	for _, s := range h.ships {
		if !s.silent {
			n++
		}
	}
	return n
}

// Place returns the true place of a ship; not ok when the ship is out of range or unknown.
func (h *Harbour) Place(m ais.MMSI) (p geo.Point, ok bool) {
	for _, s := range h.ships {
		if s.mmsi == m && !s.silent {
			return s.geoPoint(), true
		}
	}
	return geo.Point{}, false
}
