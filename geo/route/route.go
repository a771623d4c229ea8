// Package route finds the shortest way by sea between two places, over no land of the embedded chart, and through canals where it is allowed.
// Its network is made from the coast ahead of time, and used in place from the binary's own pages.
//
// It promises that no leg of a way crosses land. The exceptions are those of canals, and those of the approach of a port or place that our chart has ashore.
// Such an approach may lead over water that ships taught. It does not know depths, ice, separation schemes or pilots: it is no plan for a voyage.
//
//   - graph is the file of the network, and gen the program that makes it.
//   - fairway is the fairways of a port, which its people draw.
//   - passage is the table of canals and straits, which a person may edit.
//   - sea walks over water.
package route

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"quaywatch/geo"
	"quaywatch/geo/chart/land"
	"quaywatch/geo/chart/water"
	"quaywatch/geo/route/fairway"
	"quaywatch/geo/route/graph"
	"quaywatch/geo/route/passage"
	"quaywatch/geo/route/sea"
)

//go:generate go run ./gen -out route.bin

// networkData is made by gen from the land of the chart and the table of passages.
//
//go:embed route.bin
var networkData string

// Errors of Find. An *UnknownPassage is another. ErrOnLand comes as an *OnLand, which tells the stop.
var (
	ErrNoRoute = errors.New("no way by sea leads there")
	ErrOnLand  = fmt.Errorf("the place is more than %.0f km from water that joins the sea", graph.MostOnLand)
	ErrTooDeep = errors.New("the ship is too deep for each way there")
	// ErrTooLarge says that only passages or fairways lead there that are too short, too narrow or too low for the ship.
	ErrTooLarge = errors.New("the ship is too long, too wide or too high for each way there")
)

// OnLand is the ErrOnLand of one stop of a question.
type OnLand struct {
	Stop  int // 0 is From, then come those of Via, and last To
	place geo.Point
}

func (o *OnLand) Error() string { return fmt.Sprintf("stop %d: %v", o.Stop, ErrOnLand) }

// Unwrap returns ErrOnLand.
func (o *OnLand) Unwrap() error { return ErrOnLand }

// UnknownPassage is the error of a name that no passage has.
type UnknownPassage struct {
	Name  string
	Known []string
}

func (u *UnknownPassage) Error() string {
	return fmt.Sprintf("%q is no passage; known are %s", u.Name, strings.Join(u.Known, ", "))
}

// Query asks for a way.
type Query struct {
	From, To geo.Point
	Via      []geo.Point // places that the way passes, in order
	Closed   []string    // names of passages that the way may not take
	Draught  float64     // metres; 0 is unknown, and closes small passages only
	Length   float64     // the same
	Beam     float64     // the same
	Air      float64     // metres above the water; 0 is unknown and closes nothing
	Through  []string    // names of passages that the ship takes, whatever its size
	Any      bool        // the ship takes any passage that is open, whatever its size; it keeps off flats all the same
}

func (q *Query) shipSize() passage.Size {
	return passage.Size{Draught: q.Draught, Length: q.Length, Beam: q.Beam, Air: q.Air}
}

// Way is a way by sea. Its slices must not be changed.
type Way struct {
	Points         []geo.Point  // from end to end; between two the way is the great circle
	Distance       float64      // metres on WGS 84
	SnapFrom       float64      // metres of the beginning that are land in our chart
	SnapTo         float64      // the same of the end
	Passages       []string     // names, in the order of the table
	Fairways       []string     // names, in the order of the way
	SpeedLimits    []SpeedLimit // each speed once
	DraughtLimited bool         // the draught closed a shorter way
	Obstacles      []Obstacle   // what a shorter way would lead through, in the order of the table
	Tight          []Obstacle   // what the way leads through although the ship may not fit, in the order of the way

	gates  passage.PassageSet
	barred passage.PassageSet // those of the shorter way that the ship may not take
	fixed  []bool             // by leg: along a canal, a fairway, or an approach over what our chart has as land
}

// Line returns the points of the way with more between them, at most so many kilometres apart. So it may be drawn straight from each to the next.
func (w *Way) Line(apart float64) (points []geo.Point) {
	for i, p := range w.Points {
		if i > 0 {
			for _, v := range sea.Between(sea.At(w.Points[i-1]), sea.At(p), apart) {
				points = append(points, v.Point())
			}
		}
		points = append(points, p)
	}
	return points
}

// Network answers questions about ways. It may be used by any number of goroutines.
type Network struct {
	file     *graph.Block
	coast    *land.Level
	water    *sea.Water
	learned  atomic.Pointer[water.Overlay] // by ships; nil for none
	fairways atomic.Pointer[fairways]      // nil for none
	passages []passage.Passage
	gates    *passage.Gates
	shut     passage.PassageSet
	flats    passage.PassageSet
	scratch  sync.Pool // of *search
	asked    *memory
}

// Open opens the embedded network on the coast that it was made from. It takes some milliseconds and hardly any heap.
func Open(coast *land.Level) (*Network, error) {
	passages, err := passage.All()
	if err != nil {
		return nil, err
	}
	return open(networkData, coast, passages)
}

func open(data string, coast *land.Level, passages []passage.Passage) (*Network, error) {
	file, err := graph.Open(data, passages)
	if err != nil {
		return nil, err
	}
	n := &Network{file: file, coast: coast, water: sea.NewWater(coast, file.Field()), passages: passages, gates: passage.NewGates(passages),
		shut:  passage.Shut(passages),
		flats: passage.Flats(passages),
		asked: newMemory(mostAsked)}
	n.scratch.New = func() any { return newSearch(file.Vertices()) }
	return n, nil
}

// Passages returns the table of passages. It must not be changed.
func (n *Network) Passages() []passage.Passage { return n.passages }

// passageSet returns the passages of some names.
func (n *Network) passageSet(names []string) (s passage.PassageSet, err error) {
	for _, name := range names {
		i, ok := passage.Find(n.passages, name)
		if !ok {
			return 0, &UnknownPassage{Name: name, Known: passage.Names(n.passages)}
		}
		s |= 1 << i
	}
	return s, nil
}

// reached returns the passages that are open because an end lies beyond them.
func (n *Network) reached(from, to geo.Point) (s passage.PassageSet) {
	for i, p := range n.passages {
		if p.South < 0 && min(from.Lat, to.Lat) < p.South {
			s |= 1 << i
		}
	}
	return s
}

// Check tells what is wrong with a question before it is asked: an *UnknownPassage.
func (n *Network) Check(q Query) error {
	_, err := n.passageSet(q.Closed)
	return err
}

// Find returns the shortest way. It fails with ErrNoRoute, ErrOnLand, ErrTooDeep, ErrTooLarge, an *UnknownPassage, or the error of the context. The
// ErrNoRoute is a *Closed where closed passages are why.
func (n *Network) Find(ctx context.Context, q Query) (Way, error) {
	closed, err := n.passageSet(q.Closed)
	if err != nil {
		return Way{}, err
	}
	taken, err := n.takenPassages(&q)
	if err != nil {
		return Way{}, err
	}
	size := fairway.ShipSize{Draught: q.Draught, Length: q.Length, Beam: q.Beam}
	if q.Any {
		size = fairway.ShipSize{}
	}
	stops := slices.Concat([]geo.Point{q.From}, q.Via, []geo.Point{q.To})
	for i, p := range stops {
		if !p.Valid() {
			return Way{}, fmt.Errorf("place %d is not on the earth", i)
		}
		stops[i] = p.Normalized()
	}
	var whole Way
	for i := 1; i < len(stops); i++ {
		w, err := n.findLeg(ctx, n.question(&q, stops[i-1], stops[i], closed, taken), size)
		var ashore *OnLand
		if errors.As(err, &ashore) {
			ashore.Stop = i - 1
			if ashore.place != stops[i-1] {
				ashore.Stop = i
			}
		}
		if err != nil {
			return Way{}, err
		}
		whole.add(w, i == 1)
	}
	whole.Passages = n.gates.Names(whole.gates)
	whole.Obstacles = n.obstacles(whole.barred, q.shipSize())
	whole.Tight = n.tight(&whole, q.shipSize())
	return whole, nil
}

// add joins the way to the next stop on.
func (w *Way) add(next *Way, first bool) {
	if first {
		w.SnapFrom, w.Points = next.SnapFrom, slices.Clone(next.Points)
	} else {
		w.Points = append(w.Points, next.Points[1:]...)
	}
	w.fixed = append(w.fixed, next.fixed...)
	w.Distance += next.Distance
	w.SnapTo = next.SnapTo
	w.gates |= next.gates
	w.barred |= next.barred
	w.DraughtLimited = w.DraughtLimited || next.DraughtLimited
	for _, s := range next.SpeedLimits {
		w.addLimit(s)
	}
	for _, name := range next.Fairways {
		if !slices.Contains(w.Fairways, name) {
			w.Fairways = append(w.Fairways, name)
		}
	}
}

// findLeg returns the way between two stops for a ship.
func (n *Network) findLeg(ctx context.Context, q question, size fairway.ShipSize) (*Way, error) {
	w, err := n.unguided(ctx, q)
	if f := n.fairways.Load(); f != nil {
		q.size = size
		return f.guided(ctx, q, w, err)
	}
	return w, err
}

// unguided returns the way between two stops without fairways. It is found from the one farther west, so that there and back are one way.
func (n *Network) unguided(ctx context.Context, q question) (*Way, error) {
	turned := q.to.Lon < q.from.Lon || q.to.Lon == q.from.Lon && q.to.Lat < q.from.Lat
	if turned {
		q.from, q.to = q.to, q.from
	}
	w, round, ok := n.asked.get(q)
	if !ok {
		var err error
		if w, err = n.limited(ctx, q); err != nil {
			return nil, err
		}
		n.asked.putWay(q, w, round)
	}
	if turned {
		w = w.turnedBack()
	}
	return w, nil
}

// turnedBack returns the way back.
func (w *Way) turnedBack() *Way {
	back := *w
	back.SnapFrom, back.SnapTo = w.SnapTo, w.SnapFrom
	back.Points, back.fixed = slices.Clone(w.Points), slices.Clone(w.fixed)
	slices.Reverse(back.Points)
	slices.Reverse(back.fixed)
	return &back
}

// usualClosed returns what is closed to most ships: the landmarks and reaches of the network are those of ways that keep off it.
func (n *Network) usualClosed() passage.PassageSet { return n.shut | n.flats }

// pair are the ends of a way, with the way that the quick search found. That search does not know what else is closed, so it is made once for a pair.
type pair struct {
	from, to *end
	sought   bool
	quick    *Way // nil for none
}

// wayBetween finds the way between two ends. Most ways take no closed passage anyway, and the quick search finds those.
func (n *Network) wayBetween(ctx context.Context, p *pair, closed passage.PassageSet) (*Way, error) {
	if usual := n.usualClosed(); closed&usual == usual {
		if !p.sought {
			w, err := n.findWay(ctx, p, limits{closed: usual, quick: true})
			if err != nil && !errors.Is(err, ErrNoRoute) {
				return nil, err
			}
			p.sought, p.quick = true, w
		}
		if p.quick != nil && p.quick.gates&closed == 0 {
			w := *p.quick // the caller notes in it what closed a shorter way
			return &w, nil
		}
	}
	return n.findWay(ctx, p, limits{closed: closed})
}

// findWay searches and draws a way. It begins at an end on the open sea. From there the search is quick, and the first leg is drawn as far as it is free.
func (n *Network) findWay(ctx context.Context, p *pair, l limits) (*Way, error) {
	s := n.scratch.Get().(*search)
	defer n.scratch.Put(s)
	from, to := p.from, p.to
	back := from.coastal() && !to.coastal()
	if back {
		from, to = to, from
	}
	line, err := n.drawnLine(ctx, s, from, to, l)
	if err != nil {
		return nil, err
	}
	for _, first := range []bool{true, false} {
		if line, from, to, err = n.throughMouth(ctx, s, line, from, to, first, l); err != nil {
			return nil, err
		}
	}
	w := n.makeWay(line, from.onLand, to.onLand)
	if back {
		w = w.turnedBack()
	}
	return w, nil
}

// drawnLine searches and draws.
func (n *Network) drawnLine(ctx context.Context, s *search, from, to *end, l limits) (*line, error) {
	path, err := s.find(ctx, n, from, to, l)
	if err != nil {
		return nil, err
	}
	return n.draw(from, to, path, l.closed), nil
}
