package tracking

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"time"
	"unsafe"

	"quaywatch/handlers/request"
	"quaywatch/handlers/wire"
	"quaywatch/internal/rule"
	"quaywatch/ship"
	"quaywatch/sight"
	"quaywatch/users/access/right"
)

// Bounds of what ships sailed.
const (
	usualSailed       = 24 * time.Hour
	mostSailed        = 31 * 24 * time.Hour
	mostSailedOfLists = 24 * time.Hour
	thinnedTo         = 200 // fixes of a track in a list
	mostFixes         = 10_000
	fixBytes          = int64(unsafe.Sizeof(ship.Fix{}))
)

// asked is what a caller wants to know of tracks.
type asked struct {
	sailed  time.Duration // what the ship sailed in that time; 0 for nothing
	route   bool          // the way ahead and the place of arrival
	arrival time.Time     // at which the ship is to arrive, zero for none
}

// askedOf reads the query.
func (s *Server) askedOf(c *request.Request, most time.Duration, route bool) (a asked, err error) {
	tracks, err := c.QueryTruth("tracks", true)
	if err != nil {
		return a, err
	}
	if a.route, err = c.QueryTruth("route", route); err != nil {
		return a, err
	}
	if a.sailed, err = c.QueryDuration("duration", usualSailed); err != nil {
		return a, err
	}
	if a.sailed > most {
		return a, request.BadField("duration", rule.New("duration_long", "must be at most {hours} hours", "hours", int64(most/time.Hour)))
	}
	if !tracks || !c.Caller.User.May(right.ViewHistoricalTracks) {
		a.sailed = 0
	}
	a.arrival, err = c.QueryTime("speed_for_arrival")
	return a, err
}

// sailedTrack returns what the ship sailed in the last time, as far back as the caller may look. It returns at most so many fixes, and nil for nothing.
func (s *Server) sailedTrack(ctx context.Context, t *told, last time.Duration, most int) (json.RawMessage, error) {
	if t.track.Ship == nil || last == 0 || slices.Contains(t.track.Unknown, t.track.Ship.MMSI) {
		return nil, nil
	}
	if reach := t.User.Lookback(); reach > 0 {
		last = min(last, reach)
	}
	now := t.Viewer.Now()
	begin, end, err := t.Viewer.Recorded(t.track.Ship, now.Add(-last), now.Add(time.Second))
	if err != nil {
		return nil, err
	}
	var resolution time.Duration
	if most == thinnedTo {
		resolution = last / time.Duration(most)
	}
	track, err := t.Viewer.Track(ctx, t.track.Ship, begin, end, resolution, 2*most)
	if errors.Is(err, sight.ErrTooLong) {
		track, err = t.Viewer.Track(ctx, t.track.Ship, begin, end, last/time.Duration(most), 2*most)
	}
	if err != nil {
		return nil, err
	}
	return wire.Line(track[max(0, len(track)-most):]), nil
}
