package handlers

import (
	"sync"

	"quaywatch/access"
	"quaywatch/ais"
	"quaywatch/ship"
)

// door is the server as one caller sees it: the one place in front of everything that gives out ships. What reads ships from
// the picture or the store is a method of door and asks shows.
type door struct {
	*Server
	view *access.View
}

// as gives the door of a caller.
func (s *Server) as(who *caller) *door { return &door{s, s.viewOf(who)} }

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

// shows tells whether the caller may see the ship.
func (d *door) shows(s *ship.State) bool { return d.view.Shows(s, d.pictureNow()) }

// hides tells whether there is such a ship and the caller may not see her.
func (d *door) hides(m ais.MMSI) bool {
	if d.view.Everything() {
		return false
	}
	found, ok := d.deps.Picture.Ship(m)
	if !ok {
		var err error
		found, err = d.deps.DB.Ship(m)
		ok = err == nil
	}
	return ok && !d.shows(&found)
}

// shownOf keeps the ships that the caller may see.
func (d *door) shownOf(ships []ship.State) []ship.State {
	if d.view.Everything() {
		return ships
	}
	var shown []ship.State
	for i := range ships {
		if d.shows(&ships[i]) {
			shown = append(shown, ships[i])
		}
	}
	return shown
}

// shownFixes keeps the fixes at which the caller might have seen the ship: a filter by place hides her where she was outside.
func (d *door) shownFixes(of *ship.State, track ship.Track) ship.Track {
	if d.view.Everything() {
		return track
	}
	shown := track[:0:0]
	for _, f := range track {
		then := *of
		then.HasFix, then.Fix = true, f
		if d.view.Shows(&then, f.Time()) {
			shown = append(shown, f)
		}
	}
	return shown
}
