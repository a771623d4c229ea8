package resolve

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"quaywatch/engine/tracking"
	"quaywatch/form"
	"quaywatch/geo"
	"quaywatch/geo/chart"
	"quaywatch/geo/route/passage"
	"quaywatch/handlers/request"
	"quaywatch/internal/rule"
	"quaywatch/ship"
	"quaywatch/sight"
)

// Bounds of what is asked of a way.
const (
	mostVia     = 100   // waypoints
	mostDraught = 100.0 // metres
	mostLength  = 1000.0
	mostBeam    = 200.0
	mostAir     = 300.0
	mostZones   = 3 // of a location
)

// Kind is what an end of a way may be.
type Kind string

// The kinds of ends.
const (
	OfPort     Kind = "port"
	OfShip     Kind = "ship"
	OfPosition Kind = "position"
	OfLocation Kind = "location"
)

// RouteEnds are the kinds of ends that a route has.
func RouteEnds() []Kind { return []Kind{OfPort, OfShip, OfPosition} }

// WayEnd is an end of a way as a request has it: one of Ship, Port, Position and Location.
type WayEnd struct {
	Ship     *ship.Identity
	Fields   *form.Fields // of the ship
	Port     *PortRef
	Position *geo.Point
	Location []tracking.LocationPart // at least one
	Draught  float64                 // metres; 0 is that of the ship
}

// ReadEnd reads an end, which is exactly one of some kinds. A location may stand there as the array that it is.
func ReadEnd(f *form.Fields, key string, kinds []Kind) (e WayEnd) {
	if f.Require(key); !f.Given(key) {
		return e
	}
	if slices.Contains(kinds, OfLocation) && bytes.HasPrefix(bytes.TrimSpace(f.Raw(key)), []byte("[")) {
		e.Location = readLocation(f, key)
		return e
	}
	end := f.Inner(key, rule.New("object", "must be an object"))
	given := slices.DeleteFunc(slices.Clone(kinds), func(k Kind) bool { return !end.Given(string(k)) })
	if len(given) != 1 {
		end.Refuse("", rule.New("one_end", "must have exactly one of {kinds}", "kinds", kindsText(kinds)))
		return e
	}
	e.Draught = ReadDraught(end)
	switch given[0] {
	case OfPosition:
		p := end.Point("position")
		e.Position = &p
	case OfLocation:
		e.Location = readLocation(end, string(OfLocation))
	case OfShip:
		e.Fields = end.Inner("ship", rule.New("object", "must be an object"))
		q := e.Fields.Identity()
		e.Fields.Check("draught", checkDraught(q.Draught))
		if e.Ship = &q; e.Draught == 0 {
			e.Draught = q.Draught
		}
	default:
		e.Port = readPort(end)
	}
	return e
}

// kindsText writes kinds as a sentence has them.
func kindsText(kinds []Kind) string {
	words := make([]string, len(kinds))
	for i, k := range kinds {
		words[i] = string(k)
	}
	return strings.Join(words, ", ")
}

// readLocation reads one to three places or areas.
func readLocation(end *form.Fields, field string) (zones []tracking.LocationPart) {
	elements := end.List(field)
	if len(elements) < 1 || len(elements) > mostZones {
		end.Refuse(field, rule.New("location_size", "must have {min} to {max} elements, each a Point or a Polygon", "min", 1, "max", mostZones))
		return nil
	}
	for i, raw := range elements {
		var kind struct{ Type string }
		geometry, _ := geo.Geometry(raw)
		_ = json.Unmarshal(geometry, &kind) // what is no object is no area either, and its error says so
		key := fmt.Sprintf("%s/%d", field, i)
		if kind.Type == "Point" {
			p := end.At(key, raw).Point(key)
			zones = append(zones, tracking.LocationPart{Position: &p})
			continue
		}
		area, err := form.ParsePolygon(raw)
		end.CheckShape(key, err)
		zones = append(zones, tracking.LocationPart{Area: area})
	}
	return zones
}

// ReadDraught reads a draught in metres, 0 for none.
func ReadDraught(f *form.Fields) float64 {
	draught := f.Number("draught")
	f.Check("draught", checkDraught(draught))
	return draught
}

// checkDraught refuses a draught of no ship. One below 0 is refused where it is read.
func checkDraught(metres float64) error { return checkMetres(metres, mostDraught) }

func checkMetres(metres, most float64) error {
	if metres <= most {
		return nil
	}
	return rule.New("metres", "must be metres from {min} to {max}", "min", 0, "max", most)
}

// ReadSize reads the length, the beam and the air draught of a ship in metres, 0 for none.
func ReadSize(f *form.Fields) (size passage.Size) {
	for _, limit := range []struct {
		key  string
		into *float64
		most float64
	}{{"length", &size.Length, mostLength}, {"beam", &size.Beam, mostBeam}, {"air_draught", &size.Air, mostAir}} {
		*limit.into = f.Number(limit.key)
		f.Check(limit.key, checkMetres(*limit.into, limit.most))
	}
	return size
}

// ReadVia reads the places that the way passes.
func ReadVia(f *form.Fields) (places []geo.Point) {
	list := f.List("waypoints")
	if len(list) > mostVia {
		f.Refuse("waypoints", rule.New("too_many_waypoints", "has more than {max} waypoints", "max", mostVia))
		return nil
	}
	for _, object := range f.Objects("waypoints", list) {
		if object.Require("position"); object.Given("position") {
			places = append(places, object.Point("position"))
		}
	}
	return places
}

// FoundEnd is an end that was found.
type FoundEnd struct {
	Ship    *ship.State // as the caller is told of it; nil for what is no ship
	Port    *chart.Port // nil for what is no port
	Place   geo.Point   // of a location the first place
	Draught float64     // metres, of the request, else of the ship; 0 is unknown

	Warnings []string // what of the request contradicts the ship that was found
}

// Find finds an end that was read. A ship may have no position, a port must have one. The pointer is that of the end in the request.
func (e *WayEnd) Find(c *request.Request, v *sight.Viewer, ports *chart.Ports, pointer string) (FoundEnd, error) {
	found := FoundEnd{Draught: e.Draught}
	switch {
	case e.Position != nil:
		found.Place = *e.Position
	case e.Location != nil:
		found.Place = e.Location[0].Middle()
	case e.Ship != nil:
		state, warnings, err := Ship(c.HTTP.Context(), v, *e.Ship, time.Time{})
		if err != nil {
			return found, err
		}
		found.Warnings = warnings
		found.Ship, found.Place = &state, state.Fix.Point()
		if found.Draught == 0 && state.Voyage != nil {
			found.Draught = state.Voyage.Metres()
		}
	default:
		port, err := e.Port.findPort(ports, c.Caller.User, pointer)
		if err != nil {
			return found, err
		}
		if !port.Placed {
			return found, noPosition(rule.New("port_no_position", "the port has no position"))
		}
		found.Port, found.Place = port, port.Position
	}
	return found, nil
}

// Placed refuses a ship without a position.
func (f *FoundEnd) Placed() error {
	if f.Ship != nil && !f.Ship.HasFix {
		return noPosition(rule.New("no_position", "no position of this ship was ever received"))
	}
	return nil
}

func noPosition(why *rule.Rule) error {
	return &request.Problem{Status: http.StatusUnprocessableEntity, Code: request.CodeNoPosition, Rule: why}
}
