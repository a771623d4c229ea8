package tracking

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"time"

	"quaywatch/ais"
	"quaywatch/engine/tracking"
	"quaywatch/form"
	"quaywatch/geo"
	"quaywatch/geo/route"
	"quaywatch/handlers/request"
	"quaywatch/handlers/resolve"
	"quaywatch/internal/rule"
	"quaywatch/ship"
	"quaywatch/sight"
	"quaywatch/users/access"
	"quaywatch/users/access/audit"
	"quaywatch/users/access/right"
	"quaywatch/users/registry"
)

// mostERP bounds the ERP information that may be kept.
const mostERP = 1 << 20 // bytes of one track

// longestSearch is how long the caller waits to know that a way leads there. Many waypoints far inland take minutes.
const longestSearch = 20 * time.Second

// order is a track that a caller wants to start.
type order struct {
	source, destination resolve.WayEnd
	via                 []geo.Point // nil keeps those of a track that there is
	create              bool
	erp                 json.RawMessage // nil for none
}

// readOrder reads what is to be tracked.
func readOrder(c *request.Request) (*order, error) {
	f, _, err := c.BindKeeping(request.MaxShapeBody, func(key string) bool { return key == "erp" })
	if err != nil {
		return nil, err
	}
	o := &order{source: resolve.ReadEnd(f, "source", resolve.RouteEnds()), via: resolve.ReadVia(f)}
	if o.via == nil && f.Said("waypoints") {
		o.via = []geo.Point{}
	}
	o.destination = resolve.ReadEnd(f, "destination", []resolve.Kind{resolve.OfPort, resolve.OfShip, resolve.OfPosition, resolve.OfLocation})
	if o.source.Fields != nil {
		o.create = o.source.Fields.Boolean("create", false)
	}
	if f.Said("erp") {
		o.erp, err = compact(f.Raw("erp"))
		f.Check("erp", err)
	}
	return o, f.Err()
}

// compact returns JSON without white space between its parts, and otherwise as it came.
func compact(raw json.RawMessage) (json.RawMessage, error) {
	var b bytes.Buffer
	if err := json.Compact(&b, raw); err != nil {
		return nil, err
	}
	if b.Len() > mostERP {
		return nil, rule.New("erp_large", "must have at most {max} bytes", "max", mostERP)
	}
	return b.Bytes(), nil
}

// startTrack begins to track a ship, or returns the number of the track that the ship has to this destination already.
func (s *Server) startTrack(c *request.Request) error {
	o, err := readOrder(c)
	if err != nil {
		return err
	}
	v, err := s.deps.Desk.Viewer(c)
	if err != nil {
		return err
	}
	destination, err := o.destination.Find(c, v, s.deps.Ports(), "/destination")
	if err != nil {
		return err
	}
	if err := destination.Placed(); err != nil {
		return err
	}
	source, enter, err := s.source(c, v, o)
	if err != nil {
		return err
	}
	if source.Ship != nil && destination.Ship != nil && source.Ship.MMSI == destination.Ship.MMSI && !enter {
		return request.BadField("/destination/ship", rule.New("own_destination", "must be another ship than the source"))
	}
	if source.Ship != nil && isFixed(source.Ship) {
		return request.BadField("/source/ship", rule.New("source_fixed", "must be a ship: stations ashore and aids to navigation do not sail"))
	}
	if err := s.reaches(c, &source, &destination, o.via); err != nil {
		return err
	}
	if enter {
		if source.Ship, err = s.enterShip(c, v, o.source.Fields); err != nil {
			return err
		}
	}
	r := tracking.NewTrack{Owner: c.Caller.User.UID, Source: endOf(&o.source, &source), Destination: endOf(&o.destination, &destination), Waypoints: o.via,
		ERP: o.erp, State: source.Ship, At: s.deps.Desk.Sight.Now()}
	id, _, err := s.deps.Tracks.Start(s.deps.Desk.ListenerOf(c.Caller.User, v), r, func(id int64) audit.LineWriter {
		c.Object = fmt.Sprint(id)
		return c.Line()
	})
	if err != nil && enter {
		err = errors.Join(err, s.deps.Leave(int64(source.Ship.MMSI), c.LineOf("register", fmt.Sprint(source.Ship.MMSI))))
	}
	if err != nil {
		return limitProblem(err)
	}
	return c.SendJSON(http.StatusOK, started{id, append(warningsOf("source", &source), warningsOf("destination", &destination)...)})
}

// isFixed reports whether what has the number of a ship stays where it is. Aircraft and devices of distress do not.
func isFixed(s *ship.State) bool {
	class := s.Class
	if class == ship.ClassUnknown {
		class = ship.ClassOfNumber(s.MMSI)
	}
	return class == ship.ClassBase || class == ship.ClassCoast || class == ship.ClassAtoN
}

// started is the answer about a track that was begun.
type started struct {
	ID       int64    `json:"id"`
	Warnings []string `json:"warnings,omitempty"`
}

// warningsOf returns what of the request contradicts the ship that is an end.
func warningsOf(end string, found *resolve.FoundEnd) (list []string) {
	for _, w := range found.Warnings {
		list = append(list, end+": "+w)
	}
	return list
}

// source finds what is to be tracked. With enter it is a ship that is not known, and is to be added to the register.
func (s *Server) source(c *request.Request, v *sight.Viewer, o *order) (found resolve.FoundEnd, enter bool, err error) {
	found, err = o.source.Find(c, v, s.deps.Ports(), "/source")
	var unknown *request.Problem
	if !errors.As(err, &unknown) || unknown.Code != request.CodeShipNotFound {
		return found, false, err
	}
	if !o.create {
		unknown.Rule = rule.New("no_match_create", "no known ship matches; source.ship.create adds it to the register")
		return found, false, unknown
	}
	found.Ship = &ship.State{MMSI: o.source.Ship.MMSI}
	return found, true, request.Entitled(c.Caller.User, right.AddRemoveMMSIEntries)
}

// enterShip adds a ship to the register.
func (s *Server) enterShip(c *request.Request, v *sight.Viewer, f *form.Fields) (*ship.State, error) {
	made, err := s.deps.Enter(c, f, func(made registry.Registered) audit.LineWriter { return c.LineOf("register", fmt.Sprint(made.MMSI)) })
	if err != nil {
		return nil, err
	}
	now, err := v.Ship(ais.MMSI(made.MMSI))
	if errors.Is(err, sight.ErrUnknown) { // the caller is told late
		return &ship.State{MMSI: ais.MMSI(made.MMSI)}, nil
	}
	return &now, err
}

// reaches refuses a track to where no way leads, as far as it is known where it begins. Each user has one such search at a time.
func (s *Server) reaches(c *request.Request, from, to *resolve.FoundEnd, via []geo.Point) error {
	network, err := s.deps.Network()
	if err != nil {
		return err
	}
	slow := rule.New("track_slow", "the way takes too long to find: give fewer waypoints on land")
	ctx, cancel := context.WithTimeoutCause(c.HTTP.Context(), longestSearch,
		&request.Problem{Status: http.StatusRequestTimeout, Code: request.CodeTimeout, Rule: slow})
	defer cancel()
	turn, err := s.ways.Take(ctx, c.Caller.User.UID)
	if err != nil {
		return context.Cause(ctx)
	}
	defer turn.End()
	stops, first := append(via[:len(via):len(via)], to.Place), 1
	if from.Ship == nil || from.Ship.HasFix {
		stops, first = append([]geo.Point{from.Place}, stops...), 0
	}
	q := route.Query{Closed: s.deps.ClosedPassages, Draught: from.Draught}
	if from.Ship != nil {
		q.Length, q.Beam = from.Ship.Static.Size()
	}
	for i := 1; i < len(stops); i++ {
		q.From, q.To = stops[i-1], stops[i]
		if _, err := network.Find(ctx, q); ctx.Err() != nil {
			return context.Cause(ctx)
		} else if err != nil {
			return resolve.WayProblem(err, first+i-1, len(via))
		}
		if err := turn.Rest(ctx); err != nil {
			return context.Cause(ctx)
		}
	}
	return nil
}

// endOf returns an end as it is tracked.
func endOf(e *resolve.WayEnd, found *resolve.FoundEnd) tracking.End {
	end := tracking.End{Position: e.Position, Location: e.Location, Draught: e.Draught}
	if found.Ship != nil {
		end.Ship = found.Ship.MMSI
	}
	if found.Port != nil {
		end.Port = found.Port.ID
	}
	return end
}

// limitProblem returns the problem of an error of tracks: whoever keeps too much has to delete something.
func limitProblem(err error) error {
	for _, bound := range []*rule.Rule{tracking.ErrFull, tracking.ErrOwnTracks, tracking.ErrOwnBytes} {
		if errors.Is(err, bound) {
			return request.Conflict(request.CodeLimitReached, bound)
		}
	}
	return err
}

// wrapped reports whether a body has ERP information under its key erp. It may have it alone, beside the number of a track, or as an order or an answer has it.
// All else is ERP information itself, which may have any members.
func wrapped(f *form.Fields, track int64) bool {
	if !f.Said("erp") {
		return false
	}
	number, err := strconv.ParseInt(string(bytes.Trim(f.Raw("id"), `"`)), 10, 64)
	numbered := err == nil
	switch len(f.Names()) {
	case 1:
		return true
	case 2:
		return numbered
	}
	return numbered && number == track || f.Given("source") && f.Given("destination")
}

// update takes the ERP information of a body: its key erp, or all of it.
func (s *Server) update(c *request.Request) error {
	t, err := s.pathTrack(c)
	if err != nil {
		return err
	}
	f, body, err := c.BindAny(request.MaxShapeBody)
	if err != nil {
		return err
	}
	raw := json.RawMessage(bytes.TrimPrefix(body, []byte("\xef\xbb\xbf")))
	if wrapped(f, t.track.ID) {
		request.Same(f, "id", strconv.FormatInt(t.track.ID, 10))
		raw = f.Raw("erp")
	}
	raw, err = compact(raw)
	if f.Check("erp", err); f.Err() != nil {
		return f.Err()
	}
	switch err := s.deps.Tracks.Update(t.track, raw, s.deps.Desk.Sight.Now(), c.Line()); {
	case errors.Is(err, tracking.ErrUnknown):
		return noTrack()
	case err != nil:
		return limitProblem(err)
	}
	return s.sendChanged(c)
}

// sendChanged answers with a track that was changed.
func (s *Server) sendChanged(c *request.Request) error {
	t, err := s.pathTrack(c)
	if err != nil {
		return err
	}
	return s.sendTrack(c, t, asked{route: true, sailed: usualSailedBy(t.User)})
}

// usualSailedBy returns the time of which a user is told what a ship sailed.
func usualSailedBy(who *access.User) time.Duration {
	if !who.May(right.ViewHistoricalTracks) {
		return 0
	}
	return usualSailed
}
