package sight

import (
	"context"
	"errors"
	"fmt"
	"math"
	"time"

	"quaywatch/ais"
	"quaywatch/geo"
	"quaywatch/ship"
	"quaywatch/store/records"
	"quaywatch/users/access/filter"
)

// Viewer is what one user sees. It holds for the user as the user was when it was made (Changed), and is for one goroutine at a time.
type Viewer struct {
	sight *Sight
	view  *filter.View
	from  *pacedPicture
	key   Key

	caller string // that takes the turns
}

// Key returns what the answers depend on.
func (v *Viewer) Key() Key { return v.key }

// Changed tells that the user, or what the rights of the user name, may have changed since: then Of has to be asked again.
func (v *Viewer) Changed() bool { return v.sight.config.Users.Generation() != v.key.Generation }

// Over tells that nothing new comes any more: then Of has to be asked again.
func (v *Viewer) Over() bool { return v.from.isOver() }

// Now returns the time in which the user lives. For a user with a delay it is earlier.
func (v *Viewer) Now() time.Time {
	if v.from.paced == nil {
		return v.sight.Now()
	}
	return v.from.picture.Now()
}

// PictureTime returns the time of the picture that the user sees, zero before it has one.
func (v *Viewer) PictureTime() time.Time { return v.from.picture.Now() }

// Everything reports whether no ship is hidden from the user.
func (v *Viewer) Everything() bool { return v.view.Everything() }

// Late reports whether the user is told late or seldom.
func (v *Viewer) Late() bool { return v.from.paced != nil }

// SeesFeed reports whether the user may hear of a feed at all.
func (v *Viewer) SeesFeed(feed string) bool { return v.view.SeesFeed(feed) }

// Ships hands each ship of the live picture that the user sees to fn until fn says false: those inside within, nil for everywhere.
// The state is a copy that is valid only during the call. Nothing is locked meanwhile, so fn may take its time.
// It works in turns with other callers. So fn waits for nothing, and asks nothing else of the Viewer. It fails when ctx ends.
func (v *Viewer) Ships(ctx context.Context, within *geo.Rect, fn func(*ship.State) bool) error {
	w, err := v.beginWork(ctx)
	if err != nil {
		return err
	}
	defer w.End()
	now, told := v.Now(), ship.State{}
	show := func(s *ship.State) bool {
		if err = w.countLook(ctx); err != nil {
			return false
		}
		if !v.view.Shows(s, now) {
			return true
		}
		return fn(v.tellShip(s, &told))
	}
	if within != nil {
		v.from.picture.Within(*within, show)
	} else {
		v.from.picture.Each(show)
	}
	return err
}

// tellShip returns a ship with the feeds that the user may hear of. It uses the room where the state has to differ.
func (v *Viewer) tellShip(s, room *ship.State) *ship.State {
	if !v.view.Chooses() && s.Conflict == nil {
		return s
	}
	*room = *s
	return v.tellOf(room)
}

// tellOf leaves of a ship, which is given again, what the user may be told.
func (v *Viewer) tellOf(s *ship.State) *ship.State {
	v.view.Tell(s)
	v.tellConflict(s)
	return s
}

// tellConflict leaves the conflict of a ship to a user that may see both places, with the feeds that the user may hear of. To any other user
// there is none: it would tell of a place that is hidden. A user with a delay or an interval is told of nothing that was heard after the state.
func (v *Viewer) tellConflict(s *ship.State) {
	if s.Conflict == nil || v.view.Everything() && !v.Late() {
		return
	}
	told := *s.Conflict
	for i := range told.Places {
		place := &told.Places[i]
		if v.Late() && place.Fix.At > s.Heard {
			s.Conflict = nil
			return
		}
		alone := *s
		alone.HasFix, alone.Fix, alone.Feed, alone.Feeds = true, place.Fix, place.Feed, place.Feeds
		if !v.shows(&alone) || !v.view.ShowsFix(&place.Fix) {
			s.Conflict = nil
			return
		}
		v.view.Tell(&alone)
		place.Feed, place.Feeds = alone.Feed, alone.Feeds
	}
	s.Conflict = &told
}

// shows reports whether the user may see the ship.
func (v *Viewer) shows(s *ship.State) bool { return v.view.Shows(s, v.Now()) }

// Hides reports whether a number is that of a ship that the user may not see; a ship that is not known is not hidden.
func (v *Viewer) Hides(m ais.MMSI) bool {
	if v.view.Everything() {
		return false
	}
	found, err := v.lastOf(m)
	return err == nil && !v.shows(&found)
}

// lastOf returns the last state of a ship, shown or hidden, as far as the user may be told. It comes from the picture or from the store.
// When nothing may be told it returns records.ErrNotFound.
func (v *Viewer) lastOf(m ais.MMSI) (ship.State, error) {
	if found, ok := v.from.picture.Ship(m); ok {
		return found, nil
	}
	found, err := v.sight.config.DB.Ship(m)
	if err != nil {
		return found, err
	}
	if !v.limitState(&found) {
		return ship.State{}, fmt.Errorf("ship %d: %w", m, records.ErrNotFound)
	}
	return found, nil
}

// limitState leaves of a state of the store what the user may be told. That is all of it, or where some of it is too young, what the ship was before, without a
// place. It is not ok when nothing was known of the ship then. It is never ok for a number that no radio has: the register alone gives such numbers, whatever
// the store has of them.
func (v *Viewer) limitState(s *ship.State) (ok bool) {
	if s.MMSI > ship.LargestMMSI {
		return false
	}
	if v.from.paced == nil || v.from.pace.Released(s, v.from.present()) {
		return true
	}
	turn := v.toldUntil(s)
	static, voyage, err := v.sight.config.DB.StaticAt(s.MMSI, turn)
	if err != nil || s.First > turn.UnixMilli() {
		return false
	}
	*s = ship.State{MMSI: s.MMSI, Class: s.Class, Age: ship.Removed, First: s.First, Feed: s.Feed, Reports: s.Reports, Static: static, Voyage: voyage}
	s.Fix.Status = ais.StatusUndefined
	s.Heard = max(s.First, s.StaticChanged())
	return true
}

// toldUntil returns the time up to which the user may be told of a ship.
func (v *Viewer) toldUntil(s *ship.State) time.Time {
	if v.from.paced == nil {
		return time.UnixMilli(math.MaxInt64)
	}
	return v.from.pace.SampleTime(s, v.from.present())
}

// staticAt returns what a ship was at a time, or at the latest time that the user may be told of.
func (v *Viewer) staticAt(s *ship.State, at time.Time) (*ship.Static, *ship.VoyageData, error) {
	if s.MMSI > ship.LargestMMSI { // the register keeps no past
		return nil, nil, nil
	}
	if turn := v.toldUntil(s); at.After(turn) {
		at = turn
	}
	return v.sight.config.DB.StaticAt(s.MMSI, at)
}

// StaticAt puts the static and voyage data that were valid at that time into a ship, none where nothing was known yet. What the
// register says counts from the last change of the entry on: what it said before is not kept.
func (v *Viewer) StaticAt(found *ship.State, at time.Time) error {
	static, voyage, err := v.staticAt(found, at)
	if err != nil && !errors.Is(err, records.ErrNotFound) {
		return fmt.Errorf("static data of %d: %w", found.MMSI, err)
	}
	newest := found.StaticChanged()
	if newest != 0 && newest <= at.UnixMilli() {
		return nil // what is valid now was valid then; the store may not have it yet
	}
	found.Static, found.Voyage = static, voyage
	if e, ok := v.sight.config.Register.Get(int64(found.MMSI)); ok && !e.Updated.After(at) && !e.Updated.After(v.toldUntil(found)) {
		then := e.Entry().Overlay(found)
		found.Static, found.Voyage = then.Static, then.Voyage
	}
	return nil
}

// Shown keeps the ships that the user may see, with the feeds that the user may hear of. It is for results that were kept. It works in turns
// with other callers, and fails when ctx ends.
func (v *Viewer) Shown(ctx context.Context, ships []ship.State) ([]ship.State, error) {
	if v.view.Everything() {
		return ships, nil
	}
	w, err := v.beginWork(ctx)
	if err != nil {
		return nil, err
	}
	defer w.End()
	var shown []ship.State
	for i := range ships {
		if err := w.countLook(ctx); err != nil {
			return nil, err
		}
		if v.shows(&ships[i]) {
			shown = append(shown, ships[i])
			v.tellOf(&shown[len(shown)-1])
		}
	}
	return shown, nil
}
