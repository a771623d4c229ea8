package portcall

import (
	"math"
	"slices"
	"time"

	"quaywatch/geo"
	"quaywatch/ship"
)

// What tells a ship at anchor from a ship alongside (docs/voyage.md says where the numbers come from).
const (
	anchorTurn   = 20.0 // degrees between headings: a ship alongside does not turn
	anchorSpread = 25.0 // metres, the mean distance from the middle: a ship alongside does not swing
	steadySpread = 4.0  // metres, below which a ship that seems to turn has a wrong compass
	turnOfMetre  = 6.0  // degrees for each metre of spread: the most that a ship turns on the shortest chain, of 40 m

	swings       = 1.0 // of swing.Index: above it a ship is at anchor
	swingsStill  = 0.7 // the same of a ship that was taken to be at anchor before
	swingsMoored = 4.0 // the same of a ship whose crew says that it is moored

	middlePart = 0.9 // of the headings and places count: a wild compass or place now and then tells nothing
)

// The moments at which a swing looks.
const (
	mostMoments = 40
	firstStep   = 15 * time.Second
)

// moment is where a ship lay at a time.
type moment struct {
	X    int16 `json:"x"` // decimetres east of the first place
	Y    int16 `json:"y"` // decimetres north of it
	Turn int16 `json:"t"` // of the bow from that of the first heading, degrees from -180 to 179; noTurn for none
}

// noTurn is the turn of a ship that tells no heading.
const noTurn = math.MinInt16

// swing is how much a ship that lies swings. It looks at even intervals, which grow with the time that the ship lies. So how often it reports changes nothing,
// and neither does what a store leaves out. Each moment has what was heard last before it.
type swing struct {
	Index   float64  `json:"index"` // how much it swings: above 1 as a ship at anchor does
	Bow     int16    `json:"bow"`   // the first heading, degrees; -1 for none
	Lon     float64  `json:"lon"`   // of the first place, degrees
	Lat     float64  `json:"lat"`
	Step    Millis   `json:"step"` // between two moments
	Next    Millis   `json:"next"` // when the next moment is; 0 before the first
	Held    moment   `json:"held"` // what was heard last
	Moments []moment `json:"moments,omitempty"`
}

func newSwing() swing {
	return swing{Bow: -1, Step: Millis(firstStep.Milliseconds()), Held: moment{Turn: noTurn}}
}

// addFix adds a position. Until it is known to lie a ship may still turn while it comes alongside.
func (s *swing) addFix(f ship.Fix, stopped bool) {
	now, before := fixMillis(f), len(s.Moments)
	if s.Next == 0 {
		s.Lon, s.Lat, s.Next = f.Point().Lon, f.Point().Lat, now
	}
	for s.Next < now {
		s.add()
	}
	s.keepFix(f)
	if s.Next == now {
		s.add()
	}
	if !stopped && s.Held.Turn != noTurn && s.turnedArc() > anchorTurn {
		room := s.Moments[:0]
		*s = newSwing()
		s.Moments = room
		s.addFix(f, true)
		return
	}
	if len(s.Moments) != before {
		s.Index = s.swingIndex()
	}
}

// keepFix notes what was heard last.
func (s *swing) keepFix(f ship.Fix) {
	away := geo.PlaneAt(geo.Point{Lon: s.Lon, Lat: s.Lat}).Vector(f.Point())
	s.Held.X, s.Held.Y = decimetres(away.X), decimetres(away.Y)
	degrees, ok := f.Heading.Degrees()
	if !ok {
		return
	}
	if s.Bow < 0 {
		s.Bow = int16(degrees)
	}
	s.Held.Turn = (int16(degrees)-s.Bow+540)%360 - 180
}

// add adds the next moment. When there are too many, every second one is dropped, and the interval doubles.
func (s *swing) add() {
	if s.Moments == nil {
		s.Moments = make([]moment, 0, mostMoments)
	}
	s.Moments = append(s.Moments, s.Held)
	s.Next += s.Step
	if len(s.Moments) < mostMoments {
		return
	}
	for i := range mostMoments / 2 {
		s.Moments[i] = s.Moments[2*i]
	}
	s.Moments, s.Step = s.Moments[:mostMoments/2], 2*s.Step
}

// swingIndex returns how much the ship swings: by its turn, by its places, or by a little of both.
func (s *swing) swingIndex() float64 {
	spread := s.meanSpread()
	if spread <= steadySpread {
		return 0
	}
	return min(s.turnedArc(), turnOfMetre*spread)/anchorTurn + spread/anchorSpread
}

// turnedArc returns the narrowest arc with the middle part of the headings, in degrees.
func (s *swing) turnedArc() float64 {
	var room [2 * mostMoments]int16
	turns := room[:0]
	for _, m := range s.Moments {
		if m.Turn != noTurn {
			turns = append(turns, m.Turn)
		}
	}
	n := len(turns)
	if n == 0 {
		return 0
	}
	slices.Sort(turns)
	for _, t := range turns {
		turns = append(turns, t+360)
	}
	narrowest, inside := int16(360), middleCount(n)
	for i := range n {
		narrowest = min(narrowest, turns[i+inside-1]-turns[i])
	}
	return float64(narrowest)
}

// meanSpread returns the mean distance of the places from their middle, in metres, without the farthest ones.
func (s *swing) meanSpread() float64 {
	var room [3][mostMoments]float64
	n := len(s.Moments)
	x, y, apart := room[0][:n], room[1][:n], room[2][:n]
	for i, m := range s.Moments {
		x[i], y[i] = float64(m.X)/10, float64(m.Y)/10
	}
	slices.Sort(x)
	slices.Sort(y)
	center := geo.Vector{X: x[n/2], Y: y[n/2]}
	for i, m := range s.Moments {
		apart[i] = center.To(geo.Vector{X: float64(m.X) / 10, Y: float64(m.Y) / 10}).Length()
	}
	slices.Sort(apart)
	sum, inside := 0.0, middleCount(n)
	for _, metres := range apart[:inside] {
		sum += metres
	}
	return sum / float64(inside)
}

// decimetres returns metres as they are kept. A ship that lies is never farther off than 3 km.
func decimetres(metres float64) int16 {
	return int16(min(max(math.Round(10*metres), math.MinInt16), math.MaxInt16))
}

// middleCount returns how many of n belong to the middle part.
func middleCount(n int) int { return int(math.Ceil(middlePart * float64(n))) }
