package ships

import (
	"errors"
	"fmt"
	"io"
	"math"
	"net/http"
	"time"

	"quaywatch/ais"
	"quaywatch/geo/chart"
	"quaywatch/handlers/request"
	"quaywatch/handlers/resolve"
	"quaywatch/handlers/wire"
	"quaywatch/internal/rule"
	"quaywatch/ship"
	"quaywatch/sight"
	"quaywatch/sight/telling"
)

// Bounds of a search.
const (
	searchDefault  = 100     // records, when the caller does not say
	searchMost     = 1000    // records
	searchLength   = 4000    // characters of a query
	searchFarthest = 100_000 // the last place from which a page begins
)

// infoAt answers what the ship of the body was at a time, or is now.
func (s *Server) infoAt(c *request.Request) error {
	f, err := c.Bind(request.MaxBody)
	if err != nil {
		return err
	}
	q, at := f.Identity(), f.Time("time", time.Time{})
	if err := f.Err(); err != nil {
		return err
	}
	if !at.IsZero() {
		if err := s.deps.Desk.LookBack(c.Caller.User, at); err != nil {
			return err
		}
	}
	v, err := s.deps.Desk.Viewer(c)
	if err != nil {
		return err
	}
	found, warnings, err := resolve.Ship(c.HTTP.Context(), v, q, at)
	if err != nil {
		return err
	}
	if !at.IsZero() {
		if err := v.StaticAt(&found, at); err != nil {
			return err
		}
		if found.Static == nil && found.Voyage == nil && at.Before(ship.Time(found.First)) {
			return &request.Problem{Status: http.StatusUnprocessableEntity, Code: request.CodeTooOld,
				Rule: rule.New("too_old", "nothing was known of the ship {mmsi} before {first}", "mmsi", int64(found.MMSI), "first", wire.TimeText(found.First))}
		}
		found.Conflict = nil // which is of now
	}
	return s.sendShip(c, &found, warnings)
}

// sendInfo answers the latest static data by MMSI or IMO number. Of several ships with one IMO number it is the one heard last.
func (s *Server) sendInfo(c *request.Request) error {
	imo, hull := ship.NumberIMO(c.Param("mmsi"))
	number := int64(imo)
	if !hull {
		var err error
		if number, err = c.PathNumber("mmsi"); err != nil {
			return err
		}
	}
	v, err := s.deps.Desk.Viewer(c)
	if err != nil {
		return err
	}
	if hull || number <= math.MaxUint32 && ship.ValidIMO(uint32(number)) {
		ships, _, err := v.Identify(c.HTTP.Context(), ship.Identity{IMO: uint32(number)}, time.Time{})
		if err != nil {
			return err
		}
		if len(ships) > 0 {
			latest := ships[0]
			for _, other := range ships[1:] { // an IMO number moves with the hull to a new MMSI
				if other.Heard > latest.Heard {
					latest = other
				}
			}
			return s.sendShip(c, &latest, nil)
		}
	}
	if hull {
		return request.NotFound(rule.New("unknown_ship", "no ship {mmsi} is known", "mmsi", number))
	}
	found, err := knownShip(v, number)
	if err != nil {
		return err
	}
	return s.sendShip(c, &found, nil)
}

// sendMatches answers the ships that a text matches.
func (s *Server) sendMatches(c *request.Request) error {
	query, err := c.PathText("querystring")
	if err != nil {
		return err
	}
	if len(query) > searchLength {
		return request.BadRequest(rule.New("query_long", "the query may have at most {max} characters", "max", searchLength))
	}
	offset, limit, err := c.QueryPage(request.Page{Most: searchMost, Usual: searchDefault, Farthest: searchFarthest})
	if err != nil {
		return err
	}
	f, err := c.Choose(request.ShipLayouts())
	if err != nil {
		return err
	}
	v, err := s.deps.Desk.Viewer(c)
	if err != nil {
		return err
	}
	found, err := v.Search(c.HTTP.Context(), query, offset, limit)
	if err != nil {
		return err
	}
	if err := c.HoldResult(bytesOf(len(found.Ships))); err != nil {
		return err
	}
	return sendShips(c, f, "ships", found.Ships, func(w io.Writer) {
		wire.Page(w, found.Ships, s.deps.Register.Get, (*wire.Object).StaticRecord, found.Total, found.AtLeast)
	})
}

// sendPosition answers where a ship is.
func (s *Server) sendPosition(c *request.Request) error {
	number, err := c.PathNumber("mmsi")
	if err != nil {
		return err
	}
	f, err := c.Choose(request.ShipLayouts())
	if err != nil {
		return err
	}
	v, err := s.deps.Desk.Viewer(c)
	if err != nil {
		return err
	}
	found, err := knownShip(v, number)
	if err != nil {
		return err
	}
	if !found.HasFix {
		return &request.Problem{Status: http.StatusNotFound, Code: request.CodeNoPosition, Rule: rule.New("no_position", "no position of this ship was ever received")}
	}
	if f.Name == "json" {
		return c.SendAs(f, "", wire.Position(&found))
	}
	return s.sendOne(c, f, &found)
}

// sendShip sends the static record of one ship.
func (s *Server) sendShip(c *request.Request, found *ship.State, warnings []string) error {
	f, err := c.Choose(request.ShipLayouts())
	if err != nil {
		return err
	}
	if f.Name == "json" {
		return c.SendAs(f, "", wire.Ship(found, warnings, s.deps.Register.Get, s.boundPorts(c)))
	}
	return s.sendOne(c, f, found)
}

// boundPorts returns the ports of destinations that the caller may know of.
func (s *Server) boundPorts(c *request.Request) wire.BoundPort {
	return func(destination string) *chart.Port {
		port := s.deps.Bound(destination)
		if port != nil && !telling.SeesPort(c.Caller.User, port.ID) {
			return nil
		}
		return port
	}
}

// sendOne sends one ship as a feature or a table of one row.
func (s *Server) sendOne(c *request.Request, f request.Layout, found *ship.State) error {
	if f.Name == "csv" {
		return c.SendParts(f, fmt.Sprintf("ship-%d", found.MMSI), func(w io.Writer) { wire.ShipsCSV(w, []ship.State{*found}) })
	}
	return c.SendAs(f, "", wire.ShipGeoJSON(found))
}

// knownShip returns the latest state of a ship that the caller sees.
func knownShip(v *sight.Viewer, number int64) (ship.State, error) {
	found, err := v.Ship(ais.MMSI(number))
	if errors.Is(err, sight.ErrUnknown) {
		err = request.NotFound(rule.New("unknown_ship", "no ship {mmsi} is known", "mmsi", number))
	}
	return found, err
}
