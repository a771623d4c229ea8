package sight

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
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
	return found, nil
}

// Identify gives the ships that a question means: none, the one, or several that fit equally well. Where at is not zero and no ship
// fits as it is now, what the ships were at that time is compared. The fields of the question that contradict the first ship come with it.
func (v *Viewer) Identify(ctx context.Context, q ship.Identity, at time.Time) ([]ship.State, ship.Fields, error) {
	ships, contradict, err := v.identifyNow(ctx, q)
	if err == nil && len(ships) == 0 && !at.IsZero() {
		return v.identifyThen(q, at)
	}
	return ships, contradict, err
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
	ships := v.from.picture.Like(asked)
	var present []ship.State
	if v.from.paced != nil { // what came within the delay may have another name since
		present = v.sight.config.Picture.Like(asked)
		v.sight.config.Picture.Each(func(s *ship.State) bool {
			present = append(present, ship.State{MMSI: s.MMSI})
			return true
		})
	}
	gone, err := v.departed(ctx, v.elsewhere(present, asked...), func(*ship.State) bool { return true })
	if err != nil {
		return nil, 0, fmt.Errorf("identify a ship: %w", err)
	}
	found, contradict := ship.Identify(q, each(v.Shown(append(ships, gone...))))
	return heardOf(found), contradict, nil
}

// elsewhere gives the numbers of ships that may not be in the user's picture: of these of the present picture, and of those that left
// it and may have one of the signatures.
func (v *Viewer) elsewhere(present []ship.State, asked ...ship.Signature) []ais.MMSI {
	var numbers []ais.MMSI
	for _, one := range asked {
		numbers = append(numbers, v.sight.config.Picture.DepartedLike(one)...)
	}
	for i := range present {
		numbers = append(numbers, present[i].MMSI)
	}
	slices.Sort(numbers)
	return slices.Compact(numbers)
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

// identifyThen compares with what the ships were at a time: a ship may have had another name.
func (v *Viewer) identifyThen(q ship.Identity, at time.Time) ([]ship.State, ship.Fields, error) {
	all, err := v.allShips()
	if err != nil {
		return nil, 0, err
	}
	for i := range all {
		now := &all[i]
		if static, voyage, err := v.staticAt(now, at); err == nil && static != nil {
			now.Static, now.Voyage = static, voyage
		}
	}
	ships, contradict := ship.Identify(q, each(all))
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

// allShips gives a copy of every state that the user sees: of the live picture, and of the store those that left it.
func (v *Viewer) allShips() ([]ship.State, error) {
	all := make([]ship.State, 0, v.from.picture.Len()+64)
	live := make(map[ais.MMSI]struct{}, cap(all))
	v.from.picture.Each(func(state *ship.State) bool {
		all = append(all, *state)
		live[state.MMSI] = struct{}{}
		return true
	})
	err := v.sight.config.DB.EachShip(func(state ship.State) error {
		if _, ok := live[state.MMSI]; ok {
			return nil
		}
		known, ok := v.from.picture.Ship(state.MMSI)
		if !ok {
			known, ok = v.told(&state)
			known.Age = ship.Removed // what the picture no longer holds is no longer live, whatever was written last
		}
		if ok {
			all = append(all, known)
		}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("read the ships: %w", err)
	}
	return v.Shown(all), nil
}

// Search gives up to limit ships that a quick term finds, best first. It asks the picture, and where that does not fill the limit, the
// store for ships that left it.
func (v *Viewer) Search(ctx context.Context, query string, limit int) ([]ship.State, error) {
	term := ship.ParseTerm(query)
	ships := v.searchPicture(&term, limit)
	if len(ships) >= limit {
		return ships[:limit], nil
	}
	var present []ship.State
	if v.from.paced != nil {
		present = v.sight.config.Picture.Search(&term, math.MaxInt/8)
	}
	found := func(s *ship.State) bool { return term.Rank(s) != ship.NotFound }
	gone, err := v.departed(ctx, v.elsewhere(present, term.Signature()), found)
	if err != nil {
		return nil, fmt.Errorf("search the store: %w", err)
	}
	ships = append(ships, v.Shown(gone)...)
	slices.SortStableFunc(ships, func(a, b ship.State) int {
		return cmp.Or(cmp.Compare(term.Rank(&b), term.Rank(&a)), cmp.Compare(b.Heard, a.Heard))
	})
	return ships[:min(limit, len(ships))], nil
}

// searchPicture asks the picture for more and more ships until so many of them are seen: the hidden ones must not take their places.
func (v *Viewer) searchPicture(term *ship.Term, limit int) []ship.State {
	const more = 16
	for most := limit; ; most *= more {
		found := v.from.picture.Search(term, most)
		shown := v.Shown(found)
		if len(shown) >= limit || len(found) < most {
			return shown
		}
	}
}

// Inside gives the ships whose latest position is not older than since and lies in the area, also those that left the picture.
func (v *Viewer) Inside(ctx context.Context, area geo.Polygon, since time.Time) ([]ship.State, error) {
	bounds := area.Bounds()
	oldest := since.UnixMilli()
	near := func(state *ship.State) bool {
		return state.HasFix && state.Fix.At >= oldest && bounds.Contains(state.Fix.Point())
	}
	var ships []ship.State
	v.from.picture.Remembered(bounds, func(state *ship.State) bool {
		if near(state) {
			ships = append(ships, *state)
		}
		return true
	})
	numbers := v.sight.config.Picture.DepartedWithin(bounds, oldest)
	if v.from.paced != nil {
		v.sight.config.Picture.Remembered(bounds, func(state *ship.State) bool {
			numbers = append(numbers, state.MMSI)
			return true
		})
	}
	gone, err := v.departed(ctx, numbers, near)
	if err != nil {
		return nil, fmt.Errorf("ships in an area: %w", err)
	}
	ships = v.Shown(append(ships, gone...))
	inside := ships[:0]
	for i := range ships {
		if area.Contains(ships[i].Fix.Point()) {
			inside = append(inside, ships[i])
		}
		if i%1024 == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
	}
	return inside, nil
}
