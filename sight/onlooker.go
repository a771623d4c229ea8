package sight

import (
	"time"

	"quaywatch/traffic"
	"quaywatch/users/access"
)

// Onlooker is what a user may see by now, for others that ask whether the user knows of something. It makes no picture at the pace of the user, and
// waits for nothing. It holds as a Viewer does.
type Onlooker struct {
	viewer Viewer // without the pace
	pace   traffic.Pace
}

// Onlooker returns what a user may see by now.
func (s *Sight) Onlooker(user *access.User) *Onlooker {
	view := s.config.Users.View(user, s.config.Tags)
	return &Onlooker{viewer: Viewer{sight: s, view: view, from: s.present}, pace: paceOf(view.Pace())}
}

// Everything reports whether no ship is hidden from the user, and it is told all at once.
func (o *Onlooker) Everything() bool {
	return o.viewer.Everything() && o.pace.Delay == 0 && o.pace.Interval == nil
}

// ToldUntil returns the time up to which the user is told of anything.
func (o *Onlooker) ToldUntil() time.Time { return o.pace.Latest(o.viewer.Now()) }

// SeesFeed reports whether the user may hear of a feed at all.
func (o *Onlooker) SeesFeed(feed string) bool { return o.viewer.SeesFeed(feed) }

// May reports whether the user may see a ship, and might have seen it then and there, and is told of that time by now.
func (o *Onlooker) May(s Sighting) bool {
	if o.Everything() {
		return true
	}
	if !o.viewer.May(s) {
		return false
	}
	if o.pace.Delay == 0 && o.pace.Interval == nil {
		return true
	}
	found, err := o.viewer.lastOf(s.MMSI)
	return err == nil && !s.Time.After(o.pace.SampleTime(&found, o.viewer.Now()))
}
