package handlers

import (
	"context"
	"errors"
	"fmt"
	"math"
	"sync"
	"time"

	"quaywatch/access"
	"quaywatch/ais"
	"quaywatch/ship"
	"quaywatch/store"
)

// door is the server as one caller sees it: the one place in front of everything that gives out ships. What reads ships from
// the picture or the store is a method of door, reads the picture of its world, and asks shows; what it takes from the store it
// asks told, or cuts at the world's turn.
type door struct {
	*Server
	view  *access.View
	world *world
	all   []ship.State // every ship, once it was asked who is meant; not to be changed
}

// as gives the door of a caller. It fails when no picture can be had at the caller's pace.
func (s *Server) as(ctx context.Context, who *caller) (*door, error) {
	view := s.viewOf(who)
	w, err := s.worldAt(ctx, view.Pace())
	if err != nil {
		return nil, err
	}
	return &door{Server: s, view: view, world: w}, nil
}

// door gives the door of who calls.
func (s *Server) door(c *call) (*door, error) { return s.as(c.Request.Context(), c.caller) }

// viewOf works out what a caller may see.
func (s *Server) viewOf(who *caller) *access.View {
	tags := sync.OnceValue(func() map[string][]string {
		byFeed := map[string][]string{}
		for _, f := range s.deps.Feeds() {
			byFeed[f.Name] = f.Tags
		}
		return byFeed
	})
	return s.deps.Users.View(who.user, func(feed string) []string {
		if feed == "" {
			return nil
		}
		return tags()[feed]
	})
}

// now gives the time in which the caller lives: who is told late lives in the past.
func (d *door) now() time.Time {
	if d.world.paced == nil {
		return d.pictureNow()
	}
	return d.world.picture.Now()
}

// shows tells whether the caller may see the ship.
func (d *door) shows(s *ship.State) bool { return d.view.Shows(s, d.now()) }

// hides tells whether the caller may not see the ship; one that is not known is not hidden.
func (d *door) hides(m ais.MMSI) bool {
	if d.view.Everything() {
		return false
	}
	found, err := d.lastOf(m)
	return err == nil && !d.shows(&found)
}

// lastOf gives the last state of a ship, shown or hidden, of the picture or of the store, as far as the caller may be told;
// store.ErrNotFound when nothing is.
func (d *door) lastOf(m ais.MMSI) (ship.State, error) {
	if found, ok := d.world.picture.Ship(m); ok {
		return found, nil
	}
	return d.storedShip(m)
}

// storedShip gives the last state of a ship from the store, as far as the caller may be told; store.ErrNotFound when nothing is.
func (d *door) storedShip(m ais.MMSI) (ship.State, error) {
	found, err := d.deps.DB.Ship(m)
	if err != nil {
		return found, err
	}
	told, ok := d.told(&found)
	if !ok {
		return told, fmt.Errorf("ship %d: %w", m, store.ErrNotFound)
	}
	return told, nil
}

// heardLongAgo gives what the store has of a ship, to go under what hands write of her; nil for nothing.
func (s *Server) heardLongAgo(m ais.MMSI) *ship.State {
	found, err := s.deps.DB.Ship(m)
	if err == nil {
		return &found
	}
	if !errors.Is(err, store.ErrNotFound) {
		s.deps.Log.Warn("a registered ship could not be read", "mmsi", m, "error", err)
	}
	return nil
}

// eachStored calls fn with every ship of the store that is not in the caller's picture, as far as the caller may be told. wanted
// is asked first, of her last state.
func (d *door) eachStored(wanted func(*ship.State) bool, fn func(*ship.State)) error {
	return d.deps.DB.EachShip(func(state ship.State) error {
		if !wanted(&state) {
			return nil
		}
		if _, known := d.world.picture.Ship(state.MMSI); known {
			return nil
		}
		if told, ok := d.told(&state); ok {
			told.Age = ship.Removed // what the picture no longer holds is no longer live, whatever was written last
			fn(&told)
		}
		return nil
	})
}

// told gives what of a state of the store the caller may be told: all of it, or where some of it is too young, what she was
// before, without a place. It is not ok when nothing was known of her then, and never for a number that no radio has: such ships
// are there by hand or not at all, whatever an older version wrote of them.
func (d *door) told(s *ship.State) (told ship.State, ok bool) {
	if s.MMSI > ship.LargestMMSI {
		return ship.State{}, false
	}
	if d.world.paced == nil || d.world.pace.Tells(s, d.world.present()) {
		return *s, true
	}
	turn := d.turn(s)
	static, voyage, err := d.deps.DB.StaticAt(s.MMSI, turn)
	if err != nil || s.First > turn.UnixMilli() {
		return ship.State{}, false
	}
	told = ship.State{MMSI: s.MMSI, Class: s.Class, Age: ship.Removed, First: s.First, Feed: s.Feed, Reports: s.Reports, Static: static, Voyage: voyage}
	told.Fix.Status = ais.StatusUndefined
	told.Heard = max(told.First, staticChanged(&told))
	return told, true
}

// turn gives the time up to which the caller may be told of a ship.
func (d *door) turn(s *ship.State) time.Time {
	if d.world.paced == nil {
		return time.UnixMilli(math.MaxInt64)
	}
	return d.world.pace.Turn(s, d.world.present())
}

// staticAt gives what a ship was at a time, or at the latest time that the caller may be told of.
func (d *door) staticAt(s *ship.State, at time.Time) (*ship.Static, *ship.VoyageData, error) {
	if s.MMSI > ship.LargestMMSI { // she has no past; what the store may have is of an older version
		return nil, nil, nil
	}
	if turn := d.turn(s); at.After(turn) {
		at = turn
	}
	return d.deps.DB.StaticAt(s.MMSI, at)
}

// shownOf keeps the ships that the caller may see, with the feeds that the caller may hear of.
func (d *door) shownOf(ships []ship.State) []ship.State {
	if d.view.Everything() {
		return ships
	}
	var shown []ship.State
	for i := range ships {
		if d.shows(&ships[i]) {
			shown = append(shown, ships[i])
			d.view.Tell(&shown[len(shown)-1])
		}
	}
	return shown
}

// shownFixes keeps the fixes at which the caller might have seen the ship: a filter by place hides her where she was outside, and
// what satellites heard is not for everybody. A segment that began with a hidden fix begins with the next one that is shown.
func (d *door) shownFixes(of *ship.State, track ship.Track) ship.Track {
	if d.view.Everything() {
		return track
	}
	shown := track[:0:0]
	var begun ship.Mark
	for _, f := range track {
		begun |= f.Mark & ship.NewSegment
		then := *of
		then.HasFix, then.Fix = true, f
		if d.view.ShowsFix(&f) && d.view.Shows(&then, f.Time()) {
			f.Mark |= begun
			shown, begun = append(shown, f), 0
		}
	}
	return shown
}
