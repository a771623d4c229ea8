package ports

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"quaywatch/ais"
	"quaywatch/engine/portcalls"
	"quaywatch/engine/tracking"
	"quaywatch/form"
	"quaywatch/geo/chart"
	"quaywatch/geo/route"
	"quaywatch/handlers/request"
	"quaywatch/handlers/wire"
	"quaywatch/ship"
	"quaywatch/sight"
	"quaywatch/sight/telling"
	"quaywatch/users/access"
	"quaywatch/users/access/right"
)

// Bounds of the list of ships that announce a port: of ships in all, and of those for which the way is looked for.
const (
	mostAnnounced = 1000
	mostWays      = 50
)

// arrival is a ship that is expected at a port.
type arrival struct {
	Announced bool            `json:"announced"`
	Ship      announcer       `json:"ship"`
	ETACrew   string          `json:"eta_crew,omitempty"`
	Crew      *crewRecord     `json:"crew_record,omitempty"`
	ETA       string          `json:"eta,omitempty"`
	Distance  *int64          `json:"distance,omitempty"` // metres
	Heard     string          `json:"last_position_time,omitempty"`
	Position  json.RawMessage `json:"last_position,omitempty"`
	SOG       *float64        `json:"last_sog,omitempty"` // knots
	crew      time.Time       // zero for none
	from      uint64          // the port at which the ship lay alongside last, as the caller is told; 0 for none
	state     ship.State      // as the caller is told of it
}

// announcer is a ship and what it says of itself.
type announcer struct {
	wire.Vessel
	Draught     float64 `json:"draught,omitempty"` // metres
	Destination string  `json:"destination"`       // as the crew typed it
}

// crewRecord tells how good the ETAs of the crew were on the ship's last calls.
type crewRecord struct {
	Calls int    `json:"calls"`
	Late  string `json:"late"` // HHH:MM:SS by which the ship came after them, as the median; with a minus for before
}

// arrivals returns the ships that are expected at a port: those that are tracked there, by their ETAs. With announced those follow whose crews
// typed it as their destination. With mmsi it is that ship alone.
func (s *Server) arrivals(c *request.Request) error {
	layout, err := c.Choose(request.TableLayouts())
	if err != nil {
		return err
	}
	port, err := s.pathPort(c)
	if err != nil {
		return err
	}
	announced, err := c.QueryTruth("announced", false)
	if err != nil {
		return err
	}
	only, err := c.QueryNumber("mmsi")
	if err != nil {
		return err
	}
	v, err := s.deps.Desk.Viewer(c)
	if err != nil {
		return err
	}
	list, coming, err := s.deps.Tracked(c, v, port.ID)
	if err != nil {
		return err
	}
	var e expected
	if announced {
		key := fmt.Sprintf("%d %d %s", port.ID, only, v.Key())
		e, err = s.kept.answerOf(c.HTTP.Context(), key, v.Now(), func() (expected, error) { return s.announced(c, v, port, ais.MMSI(only)) })
		if err != nil {
			return err
		}
	}
	return sendArrivals(c, layout, port, v.Now(), func(yield func(any) bool) {
		for arrival := range list {
			if !yield(arrival) {
				return
			}
		}
		for _, record := range e.Records {
			if !coming[record.state.MMSI] && !yield(record) {
				return
			}
		}
	}, e.More)
}

// expected are the ships that announce a port.
type expected struct {
	Records []*arrival
	More    bool // there are more ships
}

// announced returns the ships that the caller sees and that announce a port, in the order of the crews' ETAs. A number leaves out all other ships.
func (s *Server) announced(c *request.Request, v *sight.Viewer, port *chart.Port, only ais.MMSI) (e expected, err error) {
	ctx, now, l := c.HTTP.Context(), v.Now(), s.deps.Desk.ListenerOf(c.Caller.User, v)
	var list []*arrival
	take := func(told *ship.State) bool {
		if s.announces(told, port) {
			list = append(list, arrivalOf(told))
		}
		return true
	}
	if only == 0 {
		err = v.Ships(ctx, nil, take)
	} else if state, unknown := v.Ship(only); unknown == nil {
		take(&state)
	} else if !errors.Is(unknown, sight.ErrUnknown) {
		err = unknown
	}
	if err != nil {
		return e, err
	}
	slices.SortFunc(list, func(a, b *arrival) int {
		return cmp.Or(cmp.Compare(a.etaRank(now), b.etaRank(now)), a.crew.Compare(b.crew), cmp.Compare(a.Ship.MMSI, b.Ship.MMSI))
	})
	e.More = len(list) > mostAnnounced
	for _, coming := range list[:min(len(list), mostAnnounced)] {
		arrived, err := s.lookBack(ctx, l, coming, port)
		if err != nil {
			return e, err
		}
		if arrived {
			continue
		}
		if len(e.Records) < mostWays {
			if err := s.addEstimate(ctx, v, l.User, coming, port); err != nil {
				return e, err
			}
		}
		e.Records = append(e.Records, coming)
	}
	return e, nil
}

// longPast is how old an ETA is that the crew has forgotten.
const longPast = 12 * time.Hour

// etaRank puts ships with an ETA that may come true before those without one, and forgotten ETAs last.
func (a *arrival) etaRank(now time.Time) int {
	switch {
	case a.crew.IsZero():
		return 1
	case now.Sub(a.crew) > longPast:
		return 2
	}
	return 0
}

// announces reports whether a ship is on its way to a port by what its crew typed. A ship that rests in the port has arrived.
func (s *Server) announces(told *ship.State, port *chart.Port) bool {
	if told.Voyage == nil || told.Voyage.Destination == "" || told.Class != ship.ClassA && told.Class != ship.ClassB {
		return false
	}
	if s.readings.portOf(s.deps.Ports.Current(), told.Voyage.Destination, s.deps.Bound) != port.ID {
		return false
	}
	if !told.HasFix {
		return true
	}
	tenths, known := told.Fix.SOG.Tenths()
	rests := told.AtRest() || known && tenths < 5
	return !rests || !slices.Contains(s.deps.Ports.Current().At(nil, told.Fix.Point()), port)
}

func arrivalOf(told *ship.State) *arrival {
	a := &arrival{Announced: true, state: *told, Ship: announcer{Vessel: wire.VesselOf(told), Destination: told.Voyage.Destination}}
	a.Ship.Draught = told.Voyage.Metres()
	if at, ok := told.Voyage.ETA.At(ship.Time(told.Voyage.At)); ok {
		a.crew, a.ETACrew = at, wire.TimeText(at.UnixMilli())
		if !told.Voyage.ETA.HasHour() {
			a.ETACrew = at.Format(time.DateOnly)
		}
	}
	if told.HasFix {
		a.Heard, a.Position = wire.TimeText(told.Fix.At), wire.Extended(told.Fix)
		if knots, ok := told.Fix.SOG.Knots(); ok {
			a.SOG = &knots
		}
	}
	return a
}

// latestCalls is how many of the latest calls of a ship are looked at.
const latestCalls = 20

// lookBack reports whether what the crew announces is a call that the ship has made, as far as the caller is told. It adds how good the crew's
// ETAs were, for a caller that may know of all calls.
func (s *Server) lookBack(ctx context.Context, l *telling.Listener, a *arrival, port *chart.Port) (arrived bool, err error) {
	var calls []*portcalls.KeptCall
	n := 0
	err = l.Viewer.Read(ctx, func() error {
		return s.deps.Calls.OfShip(ctx, l, &a.state, time.Time{}, l.Viewer.Now(), func(told *telling.ToldCall) bool {
			if n++; told.Shown() {
				calls = append(calls, &told.KeptCall)
			}
			return n < latestCalls
		})
	})
	alongside := slices.IndexFunc(calls, func(c *portcalls.KeptCall) bool { return c.Found.Alongside() })
	if alongside >= 0 {
		a.from = calls[alongside].Found.Port
	}
	arrived = alongside >= 0 && calls[alongside].Found.Port == port.ID && a.meant(calls[alongside])
	if r, ok := portcalls.CrewRecordOf(calls); ok && l.KnowsCalls() {
		a.Crew = &crewRecord{Calls: r.Calls, Late: form.DurationText(r.Late)}
	}
	return arrived, err
}

// meant reports whether the crew announces the latest call of the ship, and not a further one at the same port. Then the ETA is not after it.
func (a *arrival) meant(latest *portcalls.KeptCall) bool {
	over := cmp.Or(latest.Departed(), latest.Found.Left.Time())
	return over.IsZero() || a.crew.IsZero() || !a.crew.After(over)
}

// addEstimate adds our own ETA, for a caller that may know where a ship will be. It is of the way by sea at the ship's own speed, and of the last miles into the
// port.
func (s *Server) addEstimate(ctx context.Context, v *sight.Viewer, who *access.User, a *arrival, port *chart.Port) error {
	if !port.Placed || !a.state.HasFix || a.state.AtRest() || !who.May(right.ViewPredictedPosition) {
		return nil
	}
	network, err := s.deps.Network()
	if err != nil {
		return err
	}
	length, beam := a.state.Static.Size()
	way, err := network.Find(ctx, route.Query{
		From: a.state.Fix.Point(), To: port.Position, Closed: s.deps.ClosedPassages, Draught: a.state.Voyage.Metres(),
		Length: length, Beam: beam,
	})
	if err != nil {
		return ctx.Err() // no way leads there: no ETA
	}
	knots, err := request.SpeedOf(ctx, v, &a.state, who)
	if err != nil {
		return err
	}
	metres := way.Distance
	rounded := int64(metres)
	a.Distance = &rounded
	eta := s.deps.Arrival(&tracking.Announced{Port: port.ID, From: a.from, Ship: &a.state, Metres: metres, Sails: way.Time(knots)})
	a.ETA = wire.TimeText(eta.Truncate(time.Second).UnixMilli())
	return nil
}

// readings keeps which port each typed destination names: many ships type the same, and a reading takes longer than a look.
type readings struct {
	mu    sync.Mutex
	ports *chart.Ports
	read  map[string]uint64
}

// mostReadings bounds what is kept. Whoever types other destinations all the time makes it begin anew.
const mostReadings = 50_000

// portOf returns the id of the port that a destination names, 0 for none.
func (r *readings) portOf(ports *chart.Ports, text string, bound wire.BoundPort) (id uint64) {
	r.mu.Lock()
	if r.ports != ports || len(r.read) >= mostReadings {
		r.ports, r.read = ports, map[string]uint64{}
	}
	id, known := r.read[text]
	r.mu.Unlock()
	if known {
		return id
	}
	if port := bound(text); port != nil {
		id = port.ID
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.ports == ports {
		r.read[text] = id
	}
	return id
}
