package tracking

import (
	"bytes"
	"errors"
	"math"
	"time"

	"quaywatch/engine/portcalls"
	"quaywatch/engine/tracking"
	"quaywatch/form"
	"quaywatch/geo"
	"quaywatch/handlers/request"
	"quaywatch/handlers/wire"
	"quaywatch/internal/fold"
	"quaywatch/internal/rule"
	"quaywatch/users/access/right"
)

// requested is what the port asks of a ship: to be at a place at a time.
type requested struct {
	Place    portcalls.PlaceKind `json:"place"`
	Time     *string             `json:"time"` // null takes back what was asked for before
	Position *wire.PointJSON     `json:"position,omitempty"`
	Berth    string              `json:"berth,omitempty"` // its name
	Entered  string              `json:"entered"`
	By       string              `json:"by,omitempty"`
}

// requests writes requests. Which berth is meant is for those that may know which there are.
func (t *told) requests(all []tracking.Requested) (list []requested) {
	for _, r := range all {
		if !t.seesBerths() {
			r.Berth = ""
		}
		w := requested{Place: r.Place, Time: knownText(secondsText(r.Value)), Berth: r.Berth, Entered: secondsText(r.Entered), By: r.By}
		if r.Position != nil {
			w.Position = wire.At(*r.Position)
		}
		list = append(list, w)
	}
	return list
}

// addRequestedTime takes when the port asks the ship to be at a place.
func (s *Server) addRequestedTime(c *request.Request) error {
	t, err := s.pathTrack(c)
	if err != nil {
		return err
	}
	f, err := c.Bind(request.MaxBody)
	if err != nil {
		return err
	}
	r, err := s.readRequested(c, f, t)
	if err != nil {
		return err
	}
	switch err := s.deps.Tracks.Ask(t.track, r, c.Line()); {
	case errors.Is(err, tracking.ErrUnknown):
		return noTrack()
	case err != nil:
		return err
	}
	return s.sendChanged(c)
}

// readRequested reads a request: a time, or null, and a place. The berth lies at the end of the way, so it has no position, but may be one of the port.
func (s *Server) readRequested(c *request.Request, f *form.Fields, t *told) (r tracking.Requested, err error) {
	place := portcalls.PlaceKind(f.TextOr("place", string(portcalls.Berth)))
	switch place {
	case portcalls.Pilot, portcalls.Anchorage, portcalls.Border, portcalls.Berth:
	default:
		f.Refuse("place", rule.New("requested_place", "must be pilot, anchorage, border or berth"))
	}
	at := f.Time("time", time.Time{})
	if back := string(bytes.TrimSpace(f.Raw("time"))) == "null"; at.IsZero() && !back && f.Err() == nil {
		f.Refuse("time", rule.New("requested_time", "must be a time, or null to take back what was asked for"))
	}
	var position *geo.Point
	if f.Given("position") {
		p := f.Point("position")
		if position = &p; place == portcalls.Berth {
			f.Refuse("position", rule.New("requested_berth", "must not be given for a berth: it lies at the end of the way"))
		}
	}
	r = tracking.RequestedAt(place, at, position, c.Caller.User.Name, s.deps.Desk.Sight.Now())
	if berth := t.readBerth(f, place); !at.IsZero() {
		r.Berth = berth
	}
	return r, f.Err()
}

// seesBerths reports whether the caller may know which berths the port has.
func (t *told) seesBerths() bool { return t.User.May(right.ViewPort) }

// readBerth reads which berth of the port is asked for, by its name; "" for any.
func (t *told) readBerth(f *form.Fields, place portcalls.PlaceKind) string {
	name := f.Text("berth")
	if name == "" {
		return ""
	}
	if place != portcalls.Berth {
		f.Refuse("berth", rule.New("requested_berth_place", "must not be given for another place than the berth"))
		return ""
	}
	if port, ok := t.ports.ByID(t.track.Destination.Port); ok && t.seesBerths() {
		for _, berth := range port.Berths {
			if fold.Name(berth.Name) == fold.Name(name) {
				return berth.Name
			}
		}
	}
	f.Refuse("berth", rule.New("requested_berth_unknown", "must be the name of a berth of the port"))
	return ""
}

// recordOf writes a track, with the speed for the time of the query, else for the next time that the port asks for.
func (s *Server) recordOf(t *told, asked asked) *record {
	r := t.trackRecord(asked.route)
	want := tracking.RequestedAt(portcalls.Berth, asked.arrival, nil, "", time.Time{})
	if ok := !asked.arrival.IsZero(); !ok {
		if want, ok = t.track.Next(s.deps.Desk.Sight.Now()); !ok {
			return r
		}
	}
	r.SpeedFor = s.speedFor(t, want)
	return r
}

// advice is the speed at which a ship arrives at a time, in knots.
type advice struct {
	Time  string              `json:"time"`
	Place portcalls.PlaceKind `json:"place"`
	Speed float64             `json:"speed"`
	Low   float64             `json:"speed_low"`
	High  float64             `json:"speed_high,omitempty"`
}

// speedFor tells at which speed the ship arrives as it is asked to, nil when it cannot be told.
func (s *Server) speedFor(t *told, r tracking.Requested) *advice {
	speeds, ok := s.deps.Tracks.SpeedFor(t.track, r)
	if !ok {
		return nil
	}
	tenth := func(v float64) float64 { return math.Round(v*10) / 10 }
	return &advice{wire.TimeText(int64(r.Value)), r.Place, tenth(speeds.Usual), tenth(speeds.Low), tenth(speeds.High)}
}
