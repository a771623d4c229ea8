package route

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"quaywatch/geo"
	"quaywatch/geo/route/passage"
	"quaywatch/geo/route/sea"
)

// Obstacle is a passage that a shorter way would lead through.
type Obstacle struct {
	Passage string
	Fit     passage.Fit // why the ship may not take it; Fits says that it is closed to all
	Has     float64     // metres of the ship
	Most    float64     // metres of the limit that it exceeds
	Ahead   float64     // metres from the beginning of a way that leads through it
	Inside  bool        // that way begins inside of it
}

// Closed is the ErrNoRoute of two places that only closed passages join.
type Closed struct{ Passages []string }

func (c *Closed) Error() string {
	return fmt.Sprintf("%v while %s is closed", ErrNoRoute, strings.Join(c.Passages, ", "))
}

// Unwrap returns ErrNoRoute.
func (c *Closed) Unwrap() error { return ErrNoRoute }

// question says what the way between two stops depends on.
func (n *Network) question(q *Query, from, to geo.Point, closed, taken passage.PassageSet) question {
	asked := question{from: from, to: to, closed: closed &^ n.reached(from, to)}
	asked.tooSmall, asked.unsure = passage.Closed(n.passages, q.shipSize())
	asked.deep, _ = passage.Closed(n.passages, passage.Size{Draught: q.Draught})
	asked.tooSmall, asked.unsure, asked.deep = asked.tooSmall&^taken, asked.unsure&^taken, asked.deep&^taken
	asked.flats = (asked.tooSmall | asked.unsure) & n.flats
	asked.tooSmall, asked.unsure, asked.deep = asked.tooSmall&^n.flats, asked.unsure&^n.flats, asked.deep&^n.flats
	return asked
}

// takenPassages returns the passages that the ship takes whatever its size.
func (n *Network) takenPassages(q *Query) (passage.PassageSet, error) {
	taken, err := n.passageSet(q.Through)
	if q.Any {
		taken |= ^n.flats
	}
	return taken, err
}

// limited finds a way off the flats, and a way over them where no other leads. Such a way is to a harbour behind them, or for a ship that lies there. What is
// closed beside them stays closed.
func (n *Network) limited(ctx context.Context, q question) (*Way, error) {
	off := q
	off.closed |= q.flats
	w, err := n.findPassing(ctx, off)
	if q.flats&^q.closed == 0 || !errors.Is(err, ErrNoRoute) {
		return w, err
	}
	if w, err = n.findPassing(ctx, q); err != nil {
		return w, err
	}
	for i := range n.passages {
		bit := passage.PassageSet(1) << i
		if w.gates&q.flats&bit == 0 {
			continue
		}
		less := off
		less.closed = q.closed | q.flats&^w.gates | bit
		if round, err := n.findPassing(ctx, less); err == nil {
			w = round
		} else if !errors.Is(err, ErrNoRoute) {
			return nil, err
		}
	}
	return w, nil
}

// findPassing finds a way without regard to the size of the ship. It finds another way where that leads through a passage that is too small for it, or may be. The
// latter is taken where no other way leads.
func (n *Network) findPassing(ctx context.Context, q question) (*Way, error) {
	from, err := n.joinStop(ctx, q.from)
	if err != nil {
		return nil, err
	}
	if q.from == q.to { // not out to sea and back
		return &Way{Points: []geo.Point{q.from}}, nil
	}
	to, err := n.joinStop(ctx, q.to)
	if err != nil {
		return nil, err
	}
	p := &pair{from: from, to: to}
	w, err := n.wayBetween(ctx, p, q.closed)
	if errors.Is(err, ErrNoRoute) {
		return nil, n.closedBetween(ctx, p, q)
	}
	if err != nil {
		return nil, err
	}
	if barred := w.gates & (q.tooSmall | q.unsure); barred != 0 {
		if w, err = n.fitting(ctx, p, q); err != nil {
			return nil, tooLarge(err, barred, q)
		}
		w.barred = barred &^ w.gates
		w.DraughtLimited = w.barred&q.deep != 0
	}
	return w, n.detour(ctx, p, q, w)
}

// fitting finds a way that the ship fits through.
func (n *Network) fitting(ctx context.Context, p *pair, q question) (*Way, error) {
	w, err := n.wayBetween(ctx, p, q.closed|q.tooSmall|q.unsure)
	if errors.Is(err, ErrNoRoute) && q.unsure != 0 {
		return n.wayBetween(ctx, p, q.closed|q.tooSmall)
	}
	return w, err
}

// tooLarge tells why a ship has no way where a smaller one has.
func tooLarge(err error, barred passage.PassageSet, q question) error {
	switch {
	case !errors.Is(err, ErrNoRoute):
		return err
	case barred&q.deep != 0:
		return ErrTooDeep
	}
	return ErrTooLarge
}

// closedBetween returns the ErrNoRoute of two ends: with what is closed between them, if a way would lead there otherwise.
func (n *Network) closedBetween(ctx context.Context, p *pair, q question) error {
	if q.closed == 0 {
		return ErrNoRoute
	}
	switch open, err := n.wayBetween(ctx, p, q.tooSmall); {
	case errors.Is(err, ErrNoRoute):
		return ErrNoRoute
	case err != nil:
		return err
	default:
		return &Closed{n.gates.Names(open.gates & q.closed)}
	}
}

// A way is a detour when it is so many times as long as the great circle, and so many metres longer.
const (
	detourTimes  = 20
	detourMetres = 3000 * 1852
)

// detour notes what closes the short way between two ends where the one that was found leads round half the world.
func (n *Network) detour(ctx context.Context, p *pair, q question, w *Way) error {
	direct := geo.Distance(q.from, q.to)
	if q.closed == 0 || w.Distance < detourTimes*direct || w.Distance < direct+detourMetres {
		return nil
	}
	open, err := n.wayBetween(ctx, p, q.tooSmall|q.unsure|q.flats)
	if errors.Is(err, ErrNoRoute) {
		return nil
	}
	if err == nil {
		w.barred |= open.gates & q.closed &^ w.gates
	}
	return err
}

// obstacles tells why a ship may not take passages.
func (n *Network) obstacles(barred passage.PassageSet, size passage.Size) (all []Obstacle) {
	for i := range n.passages {
		if barred&(1<<i) != 0 {
			all = append(all, obstacle(&n.passages[i], size))
		}
	}
	return all
}

// obstacle tells why a ship may not take a passage.
func obstacle(p *passage.Passage, size passage.Size) Obstacle {
	fit := p.Fit(size)
	return Obstacle{Passage: p.Name, Fit: fit, Has: size.Of(fit), Most: p.Limits.Of(fit)}
}

// tight returns the passages on a way that the ship may not fit through.
func (n *Network) tight(w *Way, size passage.Size) (all []Obstacle) {
	tooSmall, unsure := passage.Closed(n.passages, size)
	rest, sailed := w.gates&(tooSmall|unsure), 0.0
	for i := 1; i < len(w.Points) && rest != 0; i++ {
		from, to := w.Points[i-1], w.Points[i]
		if n.gates.Of(sea.At(from), sea.At(to))&rest == 0 {
			sailed += geo.Distance(from, to)
			continue
		}
		for _, v := range append(sea.Between(sea.At(from), sea.At(to), tightPiece), sea.At(to)) {
			through := n.gates.Of(sea.At(from), v) & rest
			rest &^= through
			for k := range n.passages {
				if through&(1<<k) == 0 {
					continue
				}
				o := obstacle(&n.passages[k], size)
				o.Ahead = sailed
				o.Inside = sailed <= 1000*(insideKm-tightPiece) || n.passages[k].Holds(w.Points[0], insideKm/2)
				all = append(all, o)
			}
			sailed += geo.Distance(from, v.Point())
			from = v.Point()
		}
	}
	return all
}

// A way begins inside of a passage when it crosses its gate within so many kilometres, or begins half as far from its canal. The gate is found to a piece.
const (
	insideKm   = 4
	tightPiece = 1
)
