// Package tracking answers about ships that are tracked to their destinations, and takes the orders to track them.
//
// A track belongs to the user that started it, and is shared with the users that have a group in common with it. A caller is told of a track what it is told of
// its ships. Of a hidden ship there is no track, and a caller that is told late gets what was known then.
package tracking

import (
	"context"
	"encoding/json"
	"errors"
	"iter"
	"net/http"
	"slices"

	"quaywatch/ais"
	"quaywatch/engine/tracking"
	"quaywatch/form"
	"quaywatch/geo/chart"
	"quaywatch/geo/route"
	"quaywatch/handlers/request"
	"quaywatch/internal/fairshare"
	"quaywatch/internal/rule"
	"quaywatch/sight/telling"
	"quaywatch/users/access/audit"
	"quaywatch/users/access/right"
	"quaywatch/users/registry"
)

// Path is that of the tracks.
const Path = "/api/portserver/ship/track"

// Deps is what the calls about tracks are made of.
type Deps struct {
	Tracks         *telling.TrackReader
	Desk           *request.Desk
	Ports          func() *chart.Ports            // the ports of now
	Network        func() (*route.Network, error) // of sea ways
	ClosedPassages []string                       // that no way takes
	IncludeRoute   bool                           // answers tell the way ahead

	// Enter adds the ship that fields describe to the register, in one commit with the line.
	Enter func(c *request.Request, f *form.Fields, line func(registry.Registered) audit.LineWriter) (registry.Registered, error)
	// Leave takes a ship out of the register again, in one commit with the line.
	Leave func(mmsi int64, line audit.LineWriter) error
}

// Server answers about tracks.
type Server struct {
	deps  Deps
	ways  *fairshare.Places // of searches for ways, which may be long
	lists *fairshare.Places // of lists of tracks that are made, which take memory
}

// New makes the server.
func New(d Deps) *Server { return &Server{d, fairshare.New(1), fairshare.New(1)} }

// Routes are the calls about tracks.
func (s *Server) Routes() []request.Route {
	return []request.Route{
		{Method: "POST", Path: Path, Right: right.PCSAccess, Audit: "track", Handle: s.startTrack},
		{Method: "GET", Path: Path, Right: right.PCSAccess, Handle: s.sendTracks},
		{Method: "GET", Path: Path + "/:id", Right: right.PCSAccess, Handle: s.readTrack},
		{Method: "PUT", Path: Path + "/:id", Right: right.PCSAccess, Audit: "track", Handle: s.update},
		{Method: "PUT", Path: Path + "/:id/requested", Right: right.PCSAccess, Audit: "track", Handle: s.addRequestedTime},
		{Method: "DELETE", Path: Path + "/:id", Right: right.PCSAccess, Audit: "track", Handle: s.remove},
	}
}

// noTrack says that there is no such track, or none for this caller.
func noTrack() error { return request.NotFound(rule.New("no_track", "there is no such track")) }

// pathTrack returns the track that the path names, as the caller is told of it.
func (s *Server) pathTrack(c *request.Request) (*told, error) {
	id, err := c.PathNumber("id")
	if err != nil {
		return nil, err
	}
	l, err := s.deps.Desk.Listener(c)
	if err != nil {
		return nil, err
	}
	t, err := s.trackByID(l, id)
	if err == nil && t == nil {
		err = noTrack()
	}
	return t, err
}

// listTracks returns the tracks that a caller sees and that are asked for, the oldest first. One list is made at a time.
func (s *Server) listTracks(ctx context.Context, l *telling.Listener, asked func(*tracking.TrackedShip) bool) ([]*telling.ToldTrack, error) {
	turn, err := s.lists.Take(ctx, l.User.UID)
	if err != nil {
		return nil, err
	}
	defer turn.End()
	return s.deps.Tracks.All(ctx, l, asked)
}

// sendTracks returns the tracks that the caller sees.
func (s *Server) sendTracks(c *request.Request) error {
	asked, err := s.askedOf(c, mostSailedOfLists, true)
	if err != nil {
		return err
	}
	l, err := s.deps.Desk.Listener(c)
	if err != nil {
		return err
	}
	mmsi, imo, err := shipAsked(c)
	if err != nil {
		return err
	}
	list, err := s.listTracks(c.HTTP.Context(), l, func(t *tracking.TrackedShip) bool { return mmsi == 0 || t.Source.Ship == mmsi })
	if err != nil {
		return err
	}
	if imo != 0 {
		list = slices.DeleteFunc(list, func(t *telling.ToldTrack) bool {
			return t.Ship == nil || t.Ship.Static == nil || int64(t.Ship.Static.IMO) != imo
		})
	}
	records, err := s.trackRecords(c, l, list, asked)
	if err != nil {
		return err
	}
	return c.SendRecords(records, false)
}

// shipAsked reads which ship the tracks are to be of, 0 for any.
func shipAsked(c *request.Request) (mmsi ais.MMSI, imo int64, err error) {
	number, err := c.QueryNumber("mmsi")
	if err == nil {
		imo, err = c.QueryNumber("imo")
	}
	return ais.MMSI(number), imo, err
}

// Memory that a track of a list takes while the list is sent, and one of its waypoints, in bytes.
const (
	toldBytes     = 2 << 10
	waypointBytes = 64
)

// trackRecords returns the tracks of a list as they are written, each made when it is sent: a way has thousands of points.
func (s *Server) trackRecords(c *request.Request, l *telling.Listener, list []*telling.ToldTrack, asked asked) (iter.Seq[any], error) {
	bytes := int64(0)
	for _, t := range list {
		bytes += toldBytes + int64(len(t.Waypoints))*waypointBytes
	}
	if asked.sailed > 0 {
		bytes += int64(len(list)) * thinnedTo * fixBytes
	}
	if err := c.HoldResult(bytes); err != nil {
		return nil, err
	}
	sailed := make([]json.RawMessage, len(list))
	for i, t := range list {
		var err error
		if sailed[i], err = s.sailedTrack(c.HTTP.Context(), s.writerOf(l, t), asked.sailed, thinnedTo); err != nil {
			return nil, err
		}
	}
	return func(yield func(any) bool) {
		for i, t := range list {
			r := s.recordOf(s.writerOf(l, t), asked)
			if r.Track = sailed[i]; !yield(r) {
				return
			}
		}
	}, nil
}

// readTrack returns one track.
func (s *Server) readTrack(c *request.Request) error {
	asked, err := s.askedOf(c, mostSailed, true)
	if err != nil {
		return err
	}
	t, err := s.pathTrack(c)
	if err != nil {
		return err
	}
	return s.sendTrack(c, t, asked)
}

// sendTrack answers with one track and its history.
func (s *Server) sendTrack(c *request.Request, t *told, asked asked) (err error) {
	bytes := 2 * int64(len(t.track.ERP))
	if asked.sailed > 0 {
		bytes += 2 * mostFixes * fixBytes
	}
	if err := c.HoldResult(bytes); err != nil {
		return err
	}
	r := s.recordOf(t, asked)
	r.History, r.Asked = t.history(), t.requests(t.track.Requests)
	if r.Track, err = s.sailedTrack(c.HTTP.Context(), t, asked.sailed, mostFixes); err != nil {
		return err
	}
	return c.SendJSON(http.StatusOK, r)
}

// remove ends a track and forgets it.
func (s *Server) remove(c *request.Request) error {
	t, err := s.pathTrack(c)
	if err != nil {
		return err
	}
	switch err := s.deps.Tracks.Delete(t.track, c.Line()); {
	case errors.Is(err, tracking.ErrUnknown):
		return noTrack()
	case err != nil:
		return err
	}
	return c.NoContent()
}
