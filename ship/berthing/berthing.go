// Package berthing finds the places where ships of one size lie again and again: berths where they lie alongside, and anchorages. It opens nothing
// and reads no clock, and equal stays give equal places.
//
// A place of Alongside and Anchorages tells of no ship: three different ones must have lain there, for an hour or more each time. A place of FewAlongside and
// FewAnchorages may tell what a single ship does. It is for callers that may know of every ship whose stays were given. No place promises a depth or a right to
// lie there, and a quay along which ships lie wherever there is room gives none.
package berthing

import (
	"cmp"
	"math"
	"slices"
	"time"

	"quaywatch/ais"
	"quaywatch/geo"
)

// How often a place must be used.
const (
	leastStays = 5
	leastShips = 3 // so that a place tells of none of them
)

// What belongs to one berth.
const (
	narrow, broad = 10.0, 20.0 // metres from the middle of the berth, at least and at most
	share         = 0.2        // of the length of the ship, between these two
	apart         = 2.0        // within so many times that distance few other ships lie
	crowd         = 0.65       // of all in it, at the berth
	oneSize       = 2.0        // the longer ship of two, in lengths of the shorter one
	askew         = 30.0       // degrees between two ships along one quay
	across        = 15.0       // metres, within which ships of two berths would lie on each other
)

// What belongs to one anchorage.
const anchorReach = 250.0 // metres from its middle

// LeastStay is how long a stay lasts that counts. A ship that waits for its pilot lies for less.
const LeastStay = time.Hour

// MostStays bounds the stays that are looked at, since each is compared with its neighbours. The first ones count.
const MostStays = 4000

// BerthStay is a time in which a ship lay somewhere.
type BerthStay struct {
	MMSI      ais.MMSI
	Middle    geo.Point // of the ship, see Middle
	Direction float64   // of its bow, degrees; negative when not known
	Length    float64   // metres; 0 when not known
	Lasted    time.Duration
}

// LyingPlace is where ships lie again and again.
type LyingPlace struct {
	Middle    geo.Point
	Direction float64 // along the quay, degrees from 0 up to 180; negative for an anchorage, and when not known
	Length    float64 // metres of the longest ship; 0 when not known
	Radius    float64 // metres, within which the ships of an anchorage lay; 0 for a berth
	Ships     int     // different ones
	Stays     int
	reach     float64 // metres, within which stays belong to it
}

// Middle returns the middle of a ship whose antenna is at a place. Without dimensions or a heading, which is negative then, it is that place.
func Middle(antenna geo.Point, heading float64, d ais.Dimensions) geo.Point {
	if heading < 0 || d.Length() == 0 {
		return antenna
	}
	ahead, right := (float64(d.Bow)-float64(d.Stern))/2, (float64(d.Starboard)-float64(d.Port))/2
	if d.Bow == 0 || d.Stern == 0 { // only the length is known
		ahead = 0
	}
	if d.Port == 0 || d.Starboard == 0 {
		right = 0
	}
	p := geo.Destination(antenna, heading, ahead)
	return geo.Destination(p, heading+90, right)
}

// Alongside returns the berths at which three ships or more lay alongside, those that were used most first.
func Alongside(stays []BerthStay) []LyingPlace { return find(stays, nil, leastShips, false) }

// Anchorages returns the places at which three ships or more lay at anchor, those that were used most first.
func Anchorages(stays []BerthStay) []LyingPlace { return find(stays, nil, leastShips, true) }

// FewAlongside returns the berths at which any number of ships lay alongside, also a single one, but for those that are known already.
func FewAlongside(stays []BerthStay, known []LyingPlace) []LyingPlace {
	return find(stays, known, 1, false)
}

// FewAnchorages returns the places at which any number of ships lay at anchor, also a single one, but for those that are known already.
func FewAnchorages(stays []BerthStay, known []LyingPlace) []LyingPlace {
	return find(stays, known, 1, true)
}

// find returns the places that so many ships or more used, beside those that are known.
func find(all []BerthStay, known []LyingPlace, ships int, anchored bool) (places []LyingPlace) {
	var stays []BerthStay
	for _, s := range all {
		if s.Lasted >= LeastStay && len(stays) < MostStays {
			stays = append(stays, s)
		}
	}
	if len(stays) < leastStays {
		return nil
	}
	g := newGround(stays, anchored)
	for i := range known {
		g.markStaysGone(g.plane.Vector(known[i].Middle), known[i].reach)
	}
	order, counts := g.byCompany()
	for _, i := range order {
		if counts[i] < leastStays {
			break
		}
		p, ok := g.makePlace(i, ships)
		over := func(o LyingPlace) bool { return overlap(p, o) }
		if ok && !slices.ContainsFunc(places, over) && !slices.ContainsFunc(known, over) {
			places = append(places, p)
		}
	}
	slices.SortStableFunc(places, func(a, b LyingPlace) int { return cmp.Compare(b.Stays, a.Stays) })
	return places
}

// ground is the stays, sorted into squares.
type ground struct {
	stays    []BerthStay
	at       []geo.Vector
	plane    geo.Plane
	anchored bool
	side     float64 // metres of a square
	squares  map[[2]int][]int
	gone     []bool // the stay belongs to a place
}

func newGround(stays []BerthStay, anchored bool) *ground {
	g := &ground{stays: stays, plane: geo.PlaneAt(stays[0].Middle), anchored: anchored, side: apart * broad, squares: map[[2]int][]int{}}
	if anchored {
		g.side = anchorReach
	}
	g.gone = make([]bool, len(stays))
	for i, s := range stays {
		v := g.plane.Vector(s.Middle)
		g.at = append(g.at, v)
		k := g.square(v)
		g.squares[k] = append(g.squares[k], i)
	}
	return g
}

func (g *ground) square(v geo.Vector) [2]int {
	return [2]int{int(math.Floor(v.X / g.side)), int(math.Floor(v.Y / g.side))}
}

// visitNear visits the stays within some metres of a place, at most the side of a square, that belong to no place yet.
func (g *ground) visitNear(v geo.Vector, metres float64, visit func(i int)) {
	k := g.square(v)
	for x := k[0] - 1; x <= k[0]+1; x++ {
		for y := k[1] - 1; y <= k[1]+1; y++ {
			for _, i := range g.squares[[2]int{x, y}] {
				if !g.gone[i] && g.at[i].To(v).Length() <= metres {
					visit(i)
				}
			}
		}
	}
}

// byCompany returns the stays in the order of how many like them lie near, and these numbers.
func (g *ground) byCompany() (order, counts []int) {
	order, counts = make([]int, len(g.stays)), make([]int, len(g.stays))
	for i := range g.stays {
		order[i] = i
		g.visitNear(g.at[i], g.reachOf(i), func(j int) {
			if g.areAlike(i, j) {
				counts[i]++
			}
		})
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(counts[b], counts[a]) })
	return order, counts
}

// reachOf returns how far from the middle of its berth or anchorage a ship may lie.
func (g *ground) reachOf(i int) float64 {
	if g.anchored {
		return anchorReach
	}
	return min(max(share*g.stays[i].Length, narrow), broad)
}

// areAlike reports whether two ships are of one size, and lie along the same quay.
func (g *ground) areAlike(i, j int) bool {
	a, b := &g.stays[i], &g.stays[j]
	if a.Length > 0 && b.Length > 0 && max(a.Length, b.Length) > oneSize*min(a.Length, b.Length) {
		return false
	}
	return g.anchored || a.Direction < 0 || b.Direction < 0 || Askew(a.Direction, b.Direction) <= askew
}

// Askew returns the degrees between two directions, whichever way the bow points: from 0 to 90.
func Askew(a, b float64) float64 { return math.Abs(math.Remainder(a-b, 180)) }

// makePlace makes a place of a stay and those like it near their middle. Those within its reach belong to it then, also the ships of other sizes.
// It is none when fewer ships lay there.
func (g *ground) makePlace(i, least int) (LyingPlace, bool) {
	at, reach := g.at[i], g.reachOf(i)
	var like []int
	for range 2 {
		like = like[:0]
		g.visitNear(at, reach, func(j int) {
			if g.areAlike(i, j) {
				like = append(like, j)
			}
		})
		if len(like) < leastStays {
			return LyingPlace{}, false
		}
		at = g.middleOf(like)
	}
	ships := map[ais.MMSI]bool{}
	for _, j := range like {
		ships[g.stays[j].MMSI] = true
	}
	if len(ships) < least || !g.anchored && !g.crowded(at, reach) {
		return LyingPlace{}, false
	}
	p := g.describePlace(at, like)
	p.Ships, p.reach = len(ships), reach
	g.visitNear(at, reach, func(j int) { p.Length = max(p.Length, g.stays[j].Length) })
	g.markStaysGone(at, reach)
	return p, true
}

// markStaysGone leaves the stays within some metres of a place to it.
func (g *ground) markStaysGone(at geo.Vector, metres float64) {
	g.visitNear(at, metres, func(j int) { g.gone[j] = true })
}

func (g *ground) middleOf(of []int) (m geo.Vector) {
	for _, j := range of {
		m.X += g.at[j].X / float64(len(of))
		m.Y += g.at[j].Y / float64(len(of))
	}
	return m
}

// crowded reports whether ships lie at a place rather than beside it.
func (g *ground) crowded(at geo.Vector, reach float64) bool {
	here, around := 0, 0
	g.visitNear(at, reach, func(int) { here++ })
	g.visitNear(at, apart*reach, func(int) { around++ })
	return float64(here) >= crowd*float64(around)
}

// describePlace returns the place with a middle and its stays.
func (g *ground) describePlace(at geo.Vector, of []int) LyingPlace {
	p := LyingPlace{Middle: g.plane.Point(at), Direction: -1, Stays: len(of)}
	x, y := 0.0, 0.0
	for _, j := range of {
		s := &g.stays[j]
		if g.anchored {
			p.Radius = max(p.Radius, g.at[j].To(at).Length())
			continue
		}
		if s.Direction >= 0 { // the mean of directions that are the same the other way round
			sin, cos := math.Sincos(2 * s.Direction * math.Pi / 180)
			x, y = x+cos, y+sin
		}
	}
	if x != 0 || y != 0 {
		p.Direction = math.Mod(math.Atan2(y, x)*90/math.Pi+180, 180)
	}
	return p
}

// overlap reports whether ships at two berths would lie on each other, or two anchorages are one.
func overlap(a, b LyingPlace) bool {
	metres := geo.Distance(a.Middle, b.Middle)
	if a.Radius > 0 {
		return metres < anchorReach
	}
	if metres < narrow {
		return true
	}
	along := a.Direction
	if along < 0 {
		along = b.Direction
	}
	if along < 0 {
		return metres < (a.Length+b.Length)/4
	}
	sin, cos := math.Sincos((geo.Bearing(a.Middle, b.Middle) - along) * math.Pi / 180)
	return math.Abs(metres*cos) < (a.Length+b.Length)/4 && math.Abs(metres*sin) < across
}
