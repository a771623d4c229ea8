package sight

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"quaywatch/ais"
	"quaywatch/ship"
)

// Identify returns the ships that a question means: none, the one, or several that fit equally well. Where at is not zero the ships are
// compared as they were at that time, and as they are now where none fits. Without a time, a ship is found also by what it was called before. The fields
// of the question that contradict the first ship come with it.
func (v *Viewer) Identify(ctx context.Context, q ship.Identity, at time.Time) (ships []ship.State, contradict ship.IdentityFields, err error) {
	if q == (ship.Identity{MMSI: q.MMSI, Draught: q.Draught}) { // it needs no search
		found, err := v.Ship(q.MMSI)
		if errors.Is(err, ErrUnknown) {
			return nil, 0, nil
		}
		return []ship.State{found}, 0, err
	}
	now, before, err := v.shipsAlike(ctx, q)
	if err != nil {
		return nil, 0, fmt.Errorf("identify a ship: %w", err)
	}
	if !at.IsZero() {
		then := slices.Concat(now, before)
		if err := v.asAt(ctx, then, at); err != nil {
			return nil, 0, fmt.Errorf("identify a ship: %w", err)
		}
		ships, contradict = ship.Identify(q, each(then))
	}
	if len(ships) == 0 {
		ships, contradict = ship.Identify(q, each(now))
	}
	if len(ships) == 0 && at.IsZero() {
		if before, err = v.lastAlike(ctx, q, before); err != nil {
			return nil, 0, fmt.Errorf("identify a ship: %w", err)
		}
		ships, contradict = ship.Identify(q, each(before))
	}
	return oneHull(heardOf(ships), at), contradict, nil
}

// silentFor is how long a transmitter must have been silent for another one to be the only transmitter of that hull. The other one has the same IMO number.
const silentFor = 24 * time.Hour

// oneHull keeps a single one of transmitters with the same IMO number that follow each other. It is that which the ship used at a time, or was heard with last
// for the zero time. A ship that changes its flag gets another MMSI. Two that are on the air together stay two, until somebody looks.
func oneHull(ships []ship.State, at time.Time) []ship.State {
	if len(ships) < 2 || slices.ContainsFunc(ships, func(s ship.State) bool {
		return s.Static == nil || !ship.ValidIMO(s.Static.IMO) || s.Static.IMO != ships[0].Static.IMO
	}) {
		return ships
	}
	last := slices.MaxFunc(ships, func(a, b ship.State) int { return cmp.Compare(a.Heard, b.Heard) })
	alone := max(last.Static.At, last.Heard-silentFor.Milliseconds())
	if slices.ContainsFunc(ships, func(s ship.State) bool { return s.MMSI != last.MMSI && s.Heard >= alone }) {
		return ships
	}
	if at.IsZero() {
		return []ship.State{last}
	}
	return []ship.State{slices.MaxFunc(ships, func(a, b ship.State) int { return cmp.Compare(sinceWhen(&a, at), sinceWhen(&b, at)) })}
}

// sinceWhen returns since when a ship was what it was at a time, in Unix milliseconds; -1 when that came later.
func sinceWhen(s *ship.State, at time.Time) int64 {
	if s.Static.At > at.UnixMilli() {
		return -1
	}
	return s.Static.At
}

// shipsAlike returns the ships that agree with a question now in some field, and further ones that may have done so before.
func (v *Viewer) shipsAlike(ctx context.Context, q ship.Identity) (now, before []ship.State, err error) {
	asked := q.Signatures()
	w, err := v.beginWork(ctx)
	if err != nil {
		return nil, nil, err
	}
	defer w.End()
	agrees := func(s *ship.State) error {
		if agree, _ := q.Compare(s); agree != 0 && v.shows(s) {
			state := *s
			now = append(now, *v.tellOf(&state))
		}
		return nil
	}
	if err := w.each(ctx, v.from.picture.Like(asked...), agrees); err != nil {
		return nil, nil, err
	}
	gone, err := w.shipsElsewhere(ctx, asked, ship.Signature{}) // after the present ones: what came within the delay may have another name since
	if err == nil {
		err = w.departed(ctx, gone, func(*ship.State) bool { return true }, agrees)
	}
	if err != nil || v.sight.config.Former == nil {
		return now, nil, err
	}
	numbers, err := v.sight.config.Former(ctx, q)
	if err == nil && len(numbers) > 0 {
		numbers = slices.DeleteFunc(numbers, func(m ais.MMSI) bool {
			return slices.ContainsFunc(now, func(s ship.State) bool { return s.MMSI == m })
		})
		before, err = w.shown(ctx, numbers)
	}
	return now, before, err
}

// AsAt returns a ship with what was known of it at a time, as far as the user of v may be told. Where nothing was known yet, it has what was known first after
// that time.
func AsAt(ctx context.Context, v *Viewer, of *ship.State, at time.Time) (ship.State, error) {
	then := *of
	err := v.knownAt(ctx, &then, at)
	return then, err
}

// asAt is AsAt for ships that were found, in turns with other callers that read the store.
func (v *Viewer) asAt(ctx context.Context, ships []ship.State, at time.Time) error {
	return v.read(ctx, func() error {
		for i := range ships {
			if err := v.knownAt(ctx, &ships[i], at); err != nil {
				return err
			}
		}
		return nil
	})
}

func (v *Viewer) knownAt(ctx context.Context, s *ship.State, at time.Time) error {
	then := *s
	if err := v.StaticAt(&then, at); err != nil {
		return err
	}
	if then.Static == nil {
		later, err := v.descriptions(ctx, s, at, endOfTime)
		if err != nil {
			return err
		}
		if first := slices.IndexFunc(later, func(d Description) bool { return d.Static != nil }); first >= 0 {
			then.Static = later[first].Static
		}
	}
	*s = then
	return nil
}

// endOfTime is after all that is recorded.
var endOfTime = time.Date(9999, 12, 31, 0, 0, 0, 0, time.UTC)

// lastAlike returns, of ships that may have agreed with a question before, those that did, as they were last then. They have no place: where the
// transmitter is now is not where that ship is.
func (v *Viewer) lastAlike(ctx context.Context, q ship.Identity, before []ship.State) (then []ship.State, err error) {
	err = v.read(ctx, func() error {
		for i := range before {
			s := &before[i]
			all, err := v.descriptions(ctx, s, time.UnixMilli(0), endOfTime)
			if err != nil {
				return err
			}
			for _, d := range slices.Backward(all) {
				was := ship.State{MMSI: s.MMSI, Class: s.Class, Age: ship.Removed, First: s.First, Heard: d.From, Static: d.Static, Voyage: d.Voyage}
				was.Fix.Status = ais.StatusUndefined
				if agree, _ := q.Compare(&was); agree != 0 {
					then = append(then, was)
					break
				}
			}
		}
		return nil
	})
	return then, err
}

// heardOf leaves out a ship that was entered by the IMO number of a ship that is heard: they are one hull.
func heardOf(ships []ship.State) []ship.State {
	return slices.DeleteFunc(ships, func(s ship.State) bool {
		return s.ByHand && s.Static.IMO != 0 && slices.ContainsFunc(ships, func(o ship.State) bool {
			return !o.ByHand && o.Static != nil && o.Static.IMO == s.Static.IMO
		})
	})
}
