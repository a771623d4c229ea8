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
	return found, nil
}

// Identify gives the ships that a question means: none, the one, or several that fit equally well. Where at is not zero and no ship
// fits as it is now, what the ships were at that time is compared. The fields of the question that contradict the first ship come with it.
func (v *Viewer) Identify(q ship.Identity, at time.Time) ([]ship.State, ship.Fields, error) {
	ships, contradict, err := v.identifyNow(q)
	if err == nil && len(ships) == 0 && !at.IsZero() {
		return v.identifyThen(q, at)
	}
	return ships, contradict, err
}

// identifyNow compares with every ship of the picture and of the store. An MMSI alone needs no search.
func (v *Viewer) identifyNow(q ship.Identity) ([]ship.State, ship.Fields, error) {
	if q == (ship.Identity{MMSI: q.MMSI, Draught: q.Draught}) {
		found, err := v.Ship(q.MMSI)
		if errors.Is(err, ErrUnknown) {
			return nil, 0, nil
		}
		return []ship.State{found}, 0, err
	}
	return v.identifyAmong(q, func(ship.State) (ship.State, bool) { return ship.State{}, false })
}

// identifyThen compares with what the ships were at a time: a ship may have had another name.
func (v *Viewer) identifyThen(q ship.Identity, at time.Time) ([]ship.State, ship.Fields, error) {
	return v.identifyAmong(q, func(now ship.State) (ship.State, bool) {
		static, voyage, err := v.staticAt(&now, at)
		now.Static, now.Voyage = static, voyage
		return now, err == nil && static != nil
	})
}

// identifyAmong compares q with all ships; then may put an older state of a ship in the place of the latest one.
func (v *Viewer) identifyAmong(q ship.Identity, then func(ship.State) (ship.State, bool)) ([]ship.State, ship.Fields, error) {
	if v.all == nil { // a selection asks for many ships
		all, err := v.allShips()
		if err != nil {
			return nil, 0, err
		}
		if v.all = all; all == nil {
			v.all = []ship.State{}
		}
	}
	ships, contradict := ship.Identify(q, func(yield func(*ship.State) bool) {
		for i := range v.all {
			s := &v.all[i]
			if was, ok := then(*s); ok {
				s = &was
			}
			if !yield(s) {
				return
			}
		}
	})
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
func (v *Viewer) Search(query string, limit int) ([]ship.State, error) {
	most := limit
	if !v.view.Everything() {
		most = v.from.picture.Len() + limit // the hidden ones must not take the places of those that are shown
	}
	ships := v.Shown(v.from.picture.Search(query, most))
	if len(ships) >= limit {
		return ships[:limit], nil
	}
	term := ship.ParseTerm(query)
	found := func(s *ship.State) bool { return term.Rank(s) != ship.NotFound }
	err := v.eachStored(found, func(s *ship.State) {
		if found(s) && v.shows(s) {
			v.view.Tell(s)
			ships = append(ships, *s)
		}
	})
	if err != nil {
		return nil, fmt.Errorf("search the store: %w", err)
	}
	slices.SortStableFunc(ships, func(a, b ship.State) int {
		return cmp.Or(cmp.Compare(term.Rank(&b), term.Rank(&a)), cmp.Compare(b.Heard, a.Heard))
	})
	return ships[:min(limit, len(ships))], nil
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
	err := v.eachStored(func(state *ship.State) bool { return ctx.Err() == nil && near(state) }, func(state *ship.State) {
		if near(state) {
			ships = append(ships, *state)
		}
	})
	if err == nil {
		err = ctx.Err()
	}
	if err != nil {
		return nil, fmt.Errorf("ships in an area: %w", err)
	}
	ships = v.Shown(ships)
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
