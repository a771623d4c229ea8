package ships

import (
	"cmp"
	"context"
	"errors"
	"math"
	"net/http"
	"time"

	"quaywatch/form"
	"quaywatch/geo"
	"quaywatch/geo/route"
	"quaywatch/geo/route/passage"
	"quaywatch/handlers/request"
	"quaywatch/handlers/resolve"
	"quaywatch/handlers/wire"
	"quaywatch/internal/rule"
	"quaywatch/ship"
	"quaywatch/sight"
)

// drawnApart is how many kilometres lie between two points of the line.
const drawnApart = 100

// routeAsked is what a caller asks of a route.
type routeAsked struct {
	query       route.Query
	source      routeEnd
	destination routeEnd
	ship        *ship.State // the source, nil for none
}

// routeEnd is one end of a route, as the answer tells it.
type routeEnd struct {
	Position *wire.PointJSON `json:"position"`
	MMSI     int64           `json:"mmsi,omitempty"` // of a ship
	Port     *wire.PortJSON  `json:"port,omitempty"`
	Warnings []string        `json:"warnings,omitempty"` // what of the request contradicts the ship

	draught float64 // metres, of the request, else of the ship; 0 is unknown
	ship    *ship.State
}

// routeAnswer is the result of a route.
type routeAnswer struct {
	Source          routeEnd     `json:"source"`
	Destination     routeEnd     `json:"destination"`
	Waypoints       []routeStop  `json:"waypoints"`
	Route           routeLine    `json:"route"`
	Distance        float64      `json:"distance"`         // metres
	SnapSource      float64      `json:"snap_source"`      // metres on land
	SnapDestination float64      `json:"snap_destination"` // metres on land
	Passages        []string     `json:"passages"`
	PassageLimits   []limit      `json:"passage_limits"`     // of those passages that have one, in their order
	Warnings        []*rule.Rule `json:"warnings,omitempty"` // passages that closed a shorter way
	Fairways        []string     `json:"fairways,omitempty"`
	SpeedLimits     []slowly     `json:"speed_limits,omitempty"`
	Draught         float64      `json:"draught,omitempty"` // metres
	DraughtLimited  bool         `json:"draught_limited"`
	Speed           float64      `json:"speed,omitempty"` // knots
	Duration        string       `json:"duration,omitempty"`
	ETA             string       `json:"eta,omitempty"`

	ship *ship.State
}

// limit is the largest ship that a passage lets through, in metres.
type limit struct {
	Name          string  `json:"name"`
	MaxDraught    float64 `json:"max_draught,omitempty"`
	MaxLength     float64 `json:"max_length,omitempty"`
	MaxBeam       float64 `json:"max_beam,omitempty"`
	MaxAirDraught float64 `json:"max_air_draught,omitempty"`
}

// limitsOf returns the limits of passages on a way.
func limitsOf(network *route.Network, names []string) []limit {
	limits := []limit{}
	all := network.Passages()
	for _, name := range names {
		if i, ok := passage.Find(all, name); ok && all[i].Limits != (passage.Size{}) {
			most := all[i].Limits
			limits = append(limits, limit{name, most.Draught, most.Length, most.Beam, most.Air})
		}
	}
	return limits
}

// warningsOf tells what closed a shorter way.
func warningsOf(obstacles []route.Obstacle) (warnings []*rule.Rule) {
	for _, o := range obstacles {
		switch o.Fit {
		case passage.Fits:
			warnings = append(warnings, rule.New("passage_closed", "a much shorter way leads through {passage}, which is closed", "passage", o.Passage))
		case passage.Unsure:
			warnings = append(warnings, rule.New("passage_unsure", "a shorter way leads through {passage}: only small ships fit, and the size of this one is not known",
				"passage", o.Passage))
		case passage.TooDeep:
			warnings = append(warnings, rule.New("passage_too_deep", "a shorter way leads through {passage}, which takes {max} m of draught", "passage", o.Passage, "max", o.Most))
		case passage.TooLong:
			warnings = append(warnings, rule.New("passage_too_long", "a shorter way leads through {passage}, which takes {max} m of length", "passage", o.Passage, "max", o.Most))
		case passage.TooWide:
			warnings = append(warnings, rule.New("passage_too_wide", "a shorter way leads through {passage}, which takes {max} m of beam", "passage", o.Passage, "max", o.Most))
		case passage.TooHigh:
			warnings = append(warnings, rule.New("passage_too_high", "a shorter way leads through {passage}, which takes {max} m of height above the water",
				"passage", o.Passage, "max", o.Most))
		}
	}
	return warnings
}

// flatsOn tells the flats that the way leads over, since no other way leads there.
func flatsOn(network *route.Network, way *route.Way) (warnings []*rule.Rule) {
	all := network.Passages()
	for _, o := range way.Tight {
		if i, ok := passage.Find(all, o.Passage); ok && all[i].Flat {
			warnings = append(warnings, rule.New("passage_flat", "no way leads there but over {passage}, which takes {max} m of draught", "passage", o.Passage,
				"max", all[i].Limits.Draught))
		}
	}
	return warnings
}

// slowly is how much of the way has a limit of speed.
type slowly struct {
	Speed    float64 `json:"speed"`    // knots
	Distance float64 `json:"distance"` // metres
}

// speedLimits returns the limits of speed on a way, each once.
func speedLimits(w *route.Way) (limits []slowly) {
	for _, slow := range w.SpeedLimits {
		limits = append(limits, slowly{slow.Knots, math.Round(slow.Metres)})
	}
	return limits
}

// routeStop is a point where the way turns.
type routeStop struct {
	Position *wire.PointJSON `json:"position"`
}

// routeLine is the way as a GeoJSON LineString.
type routeLine struct {
	Type        string       `json:"type"`
	Coordinates [][2]float64 `json:"coordinates"`
}

// Bytes tells how much memory the result holds.
func (a *routeAnswer) Bytes() int64 {
	if a == nil {
		return 0
	}
	return int64(len(a.Waypoints))*64 + int64(len(a.Route.Coordinates))*16
}

// startRoute starts a job that finds a way by sea.
func (s *Server) startRoute(c *request.Request) error {
	v, work, err := s.routeWork(c)
	if err != nil {
		return err
	}
	return s.routes.Start(c, http.StatusOK, v, work)
}

// executeRoute finds a way by sea and answers with it.
func (s *Server) executeRoute(c *request.Request) error {
	v, work, err := s.routeWork(c)
	if err != nil {
		return err
	}
	answer, v, err := s.routes.Execute(c, v, work)
	if err != nil {
		return err
	}
	return sendRoute(c, v, answer)
}

// routeResult returns the way that a job found, once.
func (s *Server) routeResult(c *request.Request) error {
	id, err := c.PathNumber("id")
	if err != nil {
		return err
	}
	answer, _, v, err := s.routes.Result(c, id)
	if v == nil || err != nil {
		return err
	}
	return sendRoute(c, v, answer)
}

// sendRoute sends a way. That of a ship which the caller no longer sees is gone.
func sendRoute(c *request.Request, v *sight.Viewer, answer *routeAnswer) error {
	for _, of := range []*ship.State{answer.ship, answer.Destination.ship} {
		if of == nil {
			continue
		}
		if ships, err := v.Shown(c.HTTP.Context(), []ship.State{*of}); err != nil || len(ships) == 0 {
			return errors.Join(err, request.NoJob())
		}
	}
	return c.SendJSON(http.StatusOK, answer)
}

// routeWork reads a request and returns the work that answers it.
func (s *Server) routeWork(c *request.Request) (*sight.Viewer, func(context.Context) (*routeAnswer, error), error) {
	f, err := c.Bind(request.MaxBody)
	if err != nil {
		return nil, nil, err
	}
	source, destination := resolve.ReadEnd(f, "source", resolve.RouteEnds()), resolve.ReadEnd(f, "destination", resolve.RouteEnds())
	asked := routeAsked{query: route.Query{Via: resolve.ReadVia(f), Closed: append(readTexts(f, "avoid"), s.deps.ClosedPassages...)}}
	draught, size := resolve.ReadDraught(f), resolve.ReadSize(f)
	if err := f.Err(); err != nil {
		return nil, nil, err
	}
	v, err := s.deps.Desk.Viewer(c)
	if err != nil {
		return nil, nil, err
	}
	if asked.source, err = s.resolveEnd(c, v, &source, "/source"); err != nil {
		return nil, nil, err
	}
	if asked.destination, err = s.resolveEnd(c, v, &destination, "/destination"); err != nil {
		return nil, nil, err
	}
	asked.ship = asked.source.ship
	asked.query.From, asked.query.To = pointOf(asked.source), pointOf(asked.destination)
	if asked.query.Draught = draught; draught == 0 {
		asked.query.Draught = asked.source.draught
	}
	asked.query.Length, asked.query.Beam, asked.query.Air = size.Length, size.Beam, size.Air
	if s := asked.ship; s != nil {
		length, beam := s.Static.Size()
		asked.query.Length, asked.query.Beam = cmp.Or(size.Length, length), cmp.Or(size.Beam, beam)
	}
	network, err := s.deps.Network()
	if err != nil {
		return nil, nil, err
	}
	if err := network.Check(asked.query); err != nil {
		return nil, nil, resolve.WayProblem(err, 0, len(asked.query.Via))
	}
	return v, func(ctx context.Context) (*routeAnswer, error) {
		way, err := network.Find(ctx, asked.query)
		if err != nil {
			return nil, resolve.WayProblem(err, 0, len(asked.query.Via))
		}
		answer := asked.wayAnswer(&way)
		answer.PassageLimits = limitsOf(network, way.Passages)
		answer.SpeedLimits = speedLimits(&way)
		answer.Warnings = append(warningsOf(way.Obstacles), flatsOn(network, &way)...)
		if asked.ship != nil {
			speed, err := request.SpeedOf(ctx, v, asked.ship, c.Caller.User)
			if err != nil {
				return nil, err
			}
			answer.arrive(speed, way.Time(speed), sailsFrom(asked.ship, v.Now()))
		}
		return answer, nil
	}, nil
}

// pointOf returns the place of an end.
func pointOf(e routeEnd) geo.Point {
	return geo.Point{Lon: e.Position.Coordinates[0], Lat: e.Position.Coordinates[1]}
}

// wayAnswer writes a way.
func (a *routeAsked) wayAnswer(w *route.Way) *routeAnswer {
	answer := &routeAnswer{Source: a.source, Destination: a.destination, Distance: math.Round(w.Distance), SnapSource: math.Round(w.SnapFrom),
		SnapDestination: math.Round(w.SnapTo), Passages: w.Passages, Fairways: w.Fairways, Draught: a.query.Draught, DraughtLimited: w.DraughtLimited, ship: a.ship,
		Route: routeLine{Type: "LineString"}}
	for _, p := range w.Points {
		answer.Waypoints = append(answer.Waypoints, routeStop{wire.At(roundPlace(p))})
	}
	for _, p := range w.Line(drawnApart) {
		p = roundPlace(p)
		answer.Route.Coordinates = append(answer.Route.Coordinates, [2]float64{p.Lon, p.Lat})
	}
	if line := &answer.Route.Coordinates; len(*line) == 1 { // both ends are one place
		*line = append(*line, (*line)[0])
	}
	return answer
}

// roundPlace rounds a place to a decimetre.
func roundPlace(p geo.Point) geo.Point {
	return geo.Point{Lon: math.Round(p.Lon*1e6) / 1e6, Lat: math.Round(p.Lat*1e6) / 1e6}
}

// sailsFrom returns when a ship is at the beginning of its way: at its last position, or now when it rests.
func sailsFrom(s *ship.State, now time.Time) time.Time {
	if s.AtRest() {
		return now
	}
	return s.Fix.Time()
}

// arrive tells when a ship arrives that sails on at a speed in knots, and takes so long.
func (a *routeAnswer) arrive(speed float64, lasts time.Duration, from time.Time) {
	lasts = lasts.Round(time.Second)
	a.Speed = math.Round(speed*10) / 10
	a.Duration = form.DurationText(lasts)
	a.ETA = wire.TimeText(from.Add(lasts).Truncate(time.Second).UnixMilli())
}

// readTexts reads an array of texts.
func readTexts(f *form.Fields, key string) (list []string) {
	f.Into(key, &list, rule.New("texts", "must be an array of strings"))
	return list
}
