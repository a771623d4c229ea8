package sight

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"quaywatch/ais"
	"quaywatch/geo"
	"quaywatch/ship"
	"quaywatch/store"
)

// Ship gives the last state of a ship, also when it left the picture long ago. It gives an ErrUnknown for a ship that is not known and for
// one that is hidden.
func (v *Viewer) Ship(m ais.MMSI) (ship.State, error) {
	found, err := v.lastOf(m)
	if errors.Is(err, store.ErrNotFound) || err == nil && !v.shows(&found) {
		return ship.State{}, fmt.Errorf("ship %d: %w", m, ErrUnknown)
	}
	if err != nil {
		return ship.State{}, fmt.Errorf("ship %d: %w", m, err)
	}
	v.view.Tell(&found)
	v.tellConflict(&found)
	return found, nil
}

// Identify gives the ships that a question means: none, the one, or several that fit equally well. Where at is not zero and no ship
// fits as it is now, what the ships were at that time is compared. The fields of the question that contradict the first ship come with it.
// It gives an ErrTooMany when too many ships would have to be compared.
func (v *Viewer) Identify(ctx context.Context, q ship.Identity, at time.Time) ([]ship.State, ship.Fields, error) {
	ships, contradict, err := v.identifyNow(ctx, q)
	if err == nil && len(ships) == 0 && !at.IsZero() {
		ships, contradict, err = v.identifyThen(ctx, q, at)
	}
	if err != nil {
		return nil, 0, fmt.Errorf("identify a ship: %w", err)
	}
	return ships, contradict, nil
}

// identifyNow compares with the ships whose signature may fit. An MMSI alone needs no search.
func (v *Viewer) identifyNow(ctx context.Context, q ship.Identity) ([]ship.State, ship.Fields, error) {
	if q == (ship.Identity{MMSI: q.MMSI, Draught: q.Draught}) {
		found, err := v.Ship(q.MMSI)
		if errors.Is(err, ErrUnknown) {
			return nil, 0, nil
		}
		return []ship.State{found}, 0, err
	}
	asked := q.Signatures()
	var ships []ship.State
	for s := range v.from.picture.Like(asked...) {
		ships = append(ships, *s)
	}
	gone := v.elsewhere(asked, ship.Signature{}) // what came within the delay may have another name since
	ships, err := v.departed(ctx, ships, gone, func(*ship.State) bool { return true })
	if err != nil {
		return nil, 0, err
	}
	found, contradict := ship.Identify(q, each(v.Shown(ships)))
	return heardOf(found), contradict, nil
}

// elsewhere gives the numbers of ships that may not be in the user's picture. These are ships that left the present one and may have one
// of the signatures. Where the user's picture is another, these are also ships of the present one that may have the signature present.
func (v *Viewer) elsewhere(departed []ship.Signature, present ship.Signature) []ais.MMSI {
	numbers := v.sight.config.Picture.DepartedLike(departed...)
	if v.from.paced != nil {
		for s := range v.sight.config.Picture.Like(present) {
			numbers = append(numbers, s.MMSI)
		}
	}
	slices.Sort(numbers)
	return v.from.picture.Without(slices.Compact(numbers))
}

// each hands over ships one by one.
func each(ships []ship.State) func(yield func(*ship.State) bool) {
	return func(yield func(*ship.State) bool) {
		for i := range ships {
			if !yield(&ships[i]) {
				return
			}
		}
	}
}

// mostThen is how many ships one question compares with what they were: half a second's work at most.
const mostThen = 100000

// identifyThen compares with what the ships were at a time: a ship may have had another name. One whose static data did not change since
// was compared as it is now.
func (v *Viewer) identifyThen(ctx context.Context, q ship.Identity, at time.Time) ([]ship.State, ship.Fields, error) {
	numbers := v.sight.config.Picture.NamedAfter(at)
	if len(numbers) > mostThen {
		return nil, 0, ErrTooMany
	}
	var like []ship.State
	for some := range slices.Chunk(numbers, readAtOnce) {
		ships, err := v.departed(ctx, v.from.picture.Ships(some), v.from.picture.Without(some), func(*ship.State) bool { return true })
		if err != nil {
			return nil, 0, err
		}
		for _, s := range v.Shown(ships) {
			if static, voyage, err := v.staticAt(&s, at); err == nil && static != nil {
				s.Static, s.Voyage = static, voyage
			}
			if agree, _ := q.Compare(&s); agree != 0 {
				like = append(like, s)
			}
		}
	}
	ships, contradict := ship.Identify(q, each(like))
	return heardOf(ships), contradict, nil
}

// heardOf leaves out a ship that was entered by the IMO number of a ship that is heard: they are one hull.
func heardOf(ships []ship.State) []ship.State {
	return slices.DeleteFunc(ships, func(s ship.State) bool {
		return s.ByHand && s.Static.IMO != 0 && slices.ContainsFunc(ships, func(o ship.State) bool {
			return !o.ByHand && o.Static != nil && o.Static.IMO == s.Static.IMO
		})
	})
}

// mostRead is how many ships that left the picture one search reads only to put them in their place among the others, and to count them.
const mostRead = 10000

// Found is a page of what a search found, best first, and how many ships it found in all. Of very many ships that left the picture it may
// not know how many fit; then Total is the least.
type Found struct {
	Ships   []ship.State
	Total   int
	AtLeast bool
}

// Search gives the ships that a quick term finds, from a place in their order on, up to limit of them. It asks the picture, and the store
// for ships that left it. When very many may have left it, those in the picture come first, and a page of them does not ask the store.
func (v *Viewer) Search(ctx context.Context, query string, from, limit int) (Found, error) {
	term := ship.ParseTerm(query)
	ships, total := v.from.picture.Search(&term, from+limit, v.shows)
	v.tellAll(ships)
	signature := term.Signature()
	gone := v.elsewhere([]ship.Signature{signature}, signature)
	gone = slices.DeleteFunc(gone, func(m ais.MMSI) bool { // it left the picture between the two questions
		return slices.ContainsFunc(ships, func(s ship.State) bool { return s.MMSI == m })
	})
	many := len(gone) > mostRead
	if many && len(ships) >= from+limit {
		return Found{ships[from:], total, true}, nil
	}
	found := func(s *ship.State) bool { return term.Rank(s) != ship.NotFound }
	departed, err := v.departed(ctx, nil, gone, found)
	if err != nil {
		return Found{}, fmt.Errorf("search the store: %w", err)
	}
	departed = v.Shown(departed)
	total += len(departed)
	byRank := func(a, b ship.State) int {
		return cmp.Or(cmp.Compare(term.Rank(&b), term.Rank(&a)), cmp.Compare(b.Heard, a.Heard), cmp.Compare(a.MMSI, b.MMSI))
	}
	slices.SortFunc(departed, byRank)
	if ships = append(ships, departed...); !many {
		slices.SortFunc(ships, byRank)
	}
	return Found{ships[min(from, len(ships)):min(from+limit, len(ships))], total, false}, nil
}

// Inside appends to dst the ships whose latest position is not older than since and lies in the area, also those that left the picture.
func (v *Viewer) Inside(ctx context.Context, dst []ship.State, area geo.Polygon, since time.Time) ([]ship.State, error) {
	within, bounds, oldest := geo.NewArea(area), area.Bounds(), since.UnixMilli()
	near := func(s *ship.State) bool { return s.HasFix && s.Fix.At >= oldest && bounds.Contains(s.Fix.Point()) }
	ships, gone := v.from.picture.Near(dst, bounds, oldest)
	if v.from.paced != nil {
		var present []ship.State
		present, gone = v.sight.config.Picture.Near(nil, bounds, oldest)
		for i := range present {
			gone = append(gone, present[i].MMSI)
		}
		gone = v.from.picture.Without(gone)
	}
	ships, err := v.departed(ctx, ships, gone, near)
	if err != nil {
		return nil, fmt.Errorf("ships in an area: %w", err)
	}
	inside := ships[:len(dst)]
	for i := len(dst); i < len(ships); i++ {
		if s := &ships[i]; near(s) && within.Contains(s.Fix.Point()) && v.shows(s) {
			inside = append(inside, *s)
		}
		if i%1024 == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
	}
	v.tellAll(inside[len(dst):])
	return inside, nil
}
