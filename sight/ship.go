package sight

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"
	"time"

	"quaywatch/ais"
	"quaywatch/geo"
	"quaywatch/ship"
	"quaywatch/store/records"
	"quaywatch/traffic"
)

// Ship returns the last state of a ship, also when it left the picture long ago. It returns an ErrUnknown for a ship that is not known and for
// one that is hidden.
func (v *Viewer) Ship(m ais.MMSI) (ship.State, error) {
	found, err := v.lastOf(m)
	if errors.Is(err, records.ErrNotFound) || err == nil && !v.shows(&found) {
		return ship.State{}, fmt.Errorf("ship %d: %w", m, ErrUnknown)
	}
	if err != nil {
		return ship.State{}, fmt.Errorf("ship %d: %w", m, err)
	}
	return *v.tellOf(&found), nil
}

// shipsElsewhere returns the numbers of ships that may not be in the user's picture. These are ships that left the present one and may have one
// of the signatures. Where the user's picture is another, these are also ships of the present one that may have the signature present.
func (w *work) shipsElsewhere(ctx context.Context, departed []ship.Signature, present ship.Signature) ([]ais.MMSI, error) {
	v := w.viewer
	numbers := v.sight.config.Picture.DepartedLike(departed...)
	if v.from.paced != nil {
		err := w.each(ctx, v.sight.config.Picture.Like(present), func(s *ship.State) error {
			numbers = append(numbers, s.MMSI)
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	slices.Sort(numbers)
	return v.from.picture.Without(slices.Compact(numbers)), nil
}

// shown returns those of the ships with these numbers that the user may see, wherever they are.
func (w *work) shown(ctx context.Context, numbers []ais.MMSI) (ships []ship.State, err error) {
	v := w.viewer
	take := func(s *ship.State) error {
		if v.shows(s) {
			state := *s
			ships = append(ships, *v.tellOf(&state))
		}
		return nil
	}
	if err := w.each(ctx, each(v.from.picture.Ships(numbers)), take); err != nil {
		return nil, err
	}
	err = w.departed(ctx, v.from.picture.Without(numbers), func(*ship.State) bool { return true }, take)
	return ships, err
}

// mostRead is how many ships that left the picture a search reads only to put them in their place among the others. It reads them to count them too.
const mostRead = 10000

// FoundShips is a page of what a search found, best first, and how many ships it found in all. Of very many ships that left the picture it may
// not know how many fit; then Total is the least.
type FoundShips struct {
	Ships   []ship.State
	Total   int
	AtLeast bool
}

// Search returns the ships that a quick term finds, from a place in their order on, up to limit of them. It asks the picture, and the store
// for ships that left it. When very many may have left it, those in the picture come first, and a page of them does not ask the store. It
// works in turns with other callers. Until it knows the page it holds a few bytes of each ship that it found.
func (v *Viewer) Search(ctx context.Context, query string, from, limit int) (FoundShips, error) {
	term := ship.ParseTerm(query)
	w, err := v.beginWork(ctx)
	if err != nil {
		return FoundShips{}, err
	}
	defer w.End()
	present := traffic.NewHits(from + limit)
	if err := w.find(ctx, &term, present, v.from.picture.Like(term.Signature())); err != nil {
		return FoundShips{}, err
	}
	gone, err := w.shipsElsewhere(ctx, []ship.Signature{term.Signature()}, term.Signature())
	if err != nil {
		return FoundShips{}, err
	}
	many := len(gone) > mostRead
	if many && present.Total() >= from+limit {
		ships, err := w.page(ctx, &term, present.Best()[from:])
		return FoundShips{ships, present.Total(), true}, err
	}
	departed := present
	if many {
		departed = traffic.NewHits(from + limit - present.Total())
	}
	if err := w.findDeparted(ctx, &term, departed, without(gone, present.Best())); err != nil {
		return FoundShips{}, fmt.Errorf("search the store: %w", err)
	}
	numbers, total := present.Best(), present.Total()
	if many {
		numbers, total = append(numbers, departed.Best()...), total+departed.Total()
	}
	ships, err := w.page(ctx, &term, numbers[min(from, len(numbers)):])
	return FoundShips{ships, total, false}, err
}

// without returns the numbers that are not among others. One may be when its ship left the picture between two questions.
func without(numbers, others []ais.MMSI) []ais.MMSI {
	slices.Sort(others)
	return slices.DeleteFunc(numbers, func(m ais.MMSI) bool {
		_, among := slices.BinarySearch(others, m)
		return among
	})
}

// find adds the ships that the term finds and the user may see.
func (w *work) find(ctx context.Context, term *ship.Term, hits *traffic.Hits, ships iter.Seq[*ship.State]) error {
	return w.each(ctx, ships, func(s *ship.State) error {
		if rank := term.Rank(s); rank != ship.NotFound && w.viewer.shows(s) {
			hits.Add(rank, s)
		}
		return nil
	})
}

// findDeparted is find in the store.
func (w *work) findDeparted(ctx context.Context, term *ship.Term, hits *traffic.Hits, numbers []ais.MMSI) error {
	return w.departed(ctx, numbers, finds(term), func(s *ship.State) error {
		if w.viewer.shows(s) {
			hits.Add(term.Rank(s), s)
		}
		return nil
	})
}

func finds(term *ship.Term) func(*ship.State) bool {
	return func(s *ship.State) bool { return term.Rank(s) != ship.NotFound }
}

// page returns the ships with these numbers, in their order. One that the term no longer finds, or that the user may no longer see, is left out.
func (w *work) page(ctx context.Context, term *ship.Term, numbers []ais.MMSI) ([]ship.State, error) {
	ships, err := w.shown(ctx, numbers)
	if err != nil {
		return nil, err
	}
	place := make(map[ais.MMSI]int, len(numbers))
	for i, m := range numbers {
		place[m] = i
	}
	ships = slices.DeleteFunc(ships, func(s ship.State) bool { return term.Rank(&s) == ship.NotFound })
	slices.SortFunc(ships, func(a, b ship.State) int { return place[a.MMSI] - place[b.MMSI] })
	return ships, nil
}

// Inside appends to dst the ships whose latest position is not older than since and lies in the area, also those that left the picture. It
// works in turns with other callers.
func (v *Viewer) Inside(ctx context.Context, dst []ship.State, area geo.Polygon, since time.Time) ([]ship.State, error) {
	w, err := v.beginWork(ctx)
	if err != nil {
		return nil, err
	}
	defer w.End()
	within, bounds, oldest := geo.NewArea(area), area.Bounds(), since.UnixMilli()
	near := func(s *ship.State) bool { return s.HasFix && s.Fix.At >= oldest && bounds.Contains(s.Fix.Point()) }
	take := func(s *ship.State) error {
		if near(s) && within.Contains(s.Fix.Point()) && v.shows(s) {
			dst = append(dst, *s)
			v.tellOf(&dst[len(dst)-1])
		}
		return nil
	}
	gone, err := w.shipsNear(ctx, v.from.picture, bounds, oldest, take)
	if err == nil && v.from.paced != nil {
		var present []ais.MMSI
		gone, err = w.shipsNear(ctx, v.sight.config.Picture, bounds, oldest, func(s *ship.State) error {
			present = append(present, s.MMSI)
			return nil
		})
		gone = v.from.picture.Without(append(gone, present...))
	}
	if err != nil {
		return nil, err
	}
	if err := w.departed(ctx, gone, near, take); err != nil {
		return nil, fmt.Errorf("ships in an area: %w", err)
	}
	return dst, nil
}

// shipsNear hands on the ships of a picture that are inside a rectangle, and returns the numbers of those that left it there.
func (w *work) shipsNear(ctx context.Context, p *traffic.Picture, r geo.Rect, since int64, fn func(*ship.State) error) (gone []ais.MMSI, err error) {
	gone = p.Near(r, since, func(s *ship.State) bool {
		if err = w.countLook(ctx); err == nil {
			err = fn(s)
		}
		return err == nil
	})
	return gone, err
}
