package sight

import (
	"context"
	"errors"
	"math"
	"time"

	"quaywatch/ais"
	"quaywatch/geo"
	"quaywatch/ship"
	"quaywatch/store/records"
)

// Sighting is a ship as it was seen once, as what was kept of it tells: a call, an event.
type Sighting struct {
	MMSI  ais.MMSI
	Time  time.Time
	Place geo.Point
	Feeds []string // that heard the ship; without any those count that hear it now
}

// May reports whether the user may see a ship, and might have seen it then and there, and is told of that time by now.
func (v *Viewer) May(s Sighting) bool {
	if v.Everything() && !v.Late() {
		return true
	}
	found, err := v.lastOf(s.MMSI)
	if err != nil || s.Time.After(v.toldUntil(&found)) || !v.shows(&found) {
		return false
	}
	return v.showsThen(&found, &s)
}

// Expects reports whether the user may be told of a sighting later, though its picture does not hold the ship yet. That comes in steps, up to
// StepsBehind later than the time that it tells. What the user may not see there and then it does not expect.
func Expects(v *Viewer, s Sighting) bool {
	if !v.Late() {
		return false
	}
	if _, err := v.lastOf(s.MMSI); !errors.Is(err, records.ErrNotFound) {
		return false // it holds the ship, so what it says of it counts
	}
	present := Viewer{sight: v.sight, view: v.view, from: v.sight.present}
	found, err := present.lastOf(s.MMSI)
	return err == nil && present.showsThen(&found, &s)
}

// StepsBehind returns how long the picture of a user that is told late may take to hold a ship, beyond its delay.
func StepsBehind(v *Viewer) time.Duration {
	pace := v.view.Pace()
	return pace.Longest() + pace.Delay + stepsTaken
}

// stepsTaken is how long a paced picture may take to show what is old enough.
const stepsTaken = time.Minute

// showsThen reports whether the user might have seen a ship then and there.
func (v *Viewer) showsThen(found *ship.State, s *Sighting) bool {
	then := *found
	then.HasFix = true
	then.Fix = ship.Fix{At: s.Time.UnixMilli(), Lon: aisUnits(s.Place.Lon), Lat: aisUnits(s.Place.Lat), Status: ais.StatusUndefined}
	if heard := s.Feeds[:min(len(s.Feeds), ais.MostFeeds)]; len(heard) > 0 {
		then.Feed, then.Feeds = heard[0], ais.Feeds{Names: &heard}
		for i := range heard {
			then.Feeds.Set |= ais.FeedBit(i)
		}
	}
	return v.view.Shows(&then, s.Time)
}

// MayFix reports whether the user may see a ship, and might have seen it at a fix of its track. The user must also be told of that time by now.
func (v *Viewer) MayFix(m ais.MMSI, f ship.Fix) bool {
	if v.Everything() && !v.Late() {
		return true
	}
	found, err := v.lastOf(m)
	if err != nil || f.Time().After(v.toldUntil(&found)) || !v.shows(&found) {
		return false
	}
	then := found
	then.Feed, then.Feeds = v.heardThen(&found, f.Feeds)
	then.HasFix, then.Fix = true, f
	return v.view.ShowsFix(&f) && v.view.Shows(&then, f.Time())
}

// aisUnits returns degrees in those of AIS.
func aisUnits(degrees float64) int32 { return int32(math.Round(degrees / ais.PlaceUnit)) }

// ToldUntil returns the time up to which the user is told of a ship; false for a user that is told all at once.
func (v *Viewer) ToldUntil(of *ship.State) (until time.Time, late bool) {
	if !v.Late() {
		return time.Time{}, false
	}
	return v.toldUntil(of), true
}

// Awaits returns how long the user of a viewer still waits until it is told all that was known at a time, of whatever ship. It returns 0 where the user is
// told.
func Awaits(v *Viewer, known time.Time) time.Duration {
	if !v.Late() {
		return 0
	}
	return max(0, known.Add(v.view.Pace().Longest()).Sub(v.Now()))
}

// Read reads what is stored of ships, in turns with other callers that read the store. It fails when ctx ends, and as read does.
func (v *Viewer) Read(ctx context.Context, read func() error) error { return v.read(ctx, read) }
