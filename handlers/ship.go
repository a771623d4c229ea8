package handlers

import (
	"context"
	"errors"
	"fmt"
	"math"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"quaywatch/ais"
	"quaywatch/rule"
	"quaywatch/ship"
	"quaywatch/sight"
)

// Most records of a search.
const (
	searchDefault = 100
	searchMost    = 1000
	searchLength  = 4000 // characters of a query
)

// shipInfoAt answers what a ship was at a time.
func (s *Server) shipInfoAt(c *call) error {
	f, err := bind(c.Writer, c.Request, maxBody)
	if err != nil {
		return err
	}
	q, at := f.Identity(), f.Time("time", time.Time{})
	if err := f.Err(); err != nil {
		return err
	}
	if !at.IsZero() {
		if err := s.lookback(c.caller.user, at); err != nil {
			return err
		}
	}
	v, err := s.viewer(c)
	if err != nil {
		return err
	}
	found, warnings, err := identifyShip(c.Request.Context(), v, q, at)
	if err != nil {
		return err
	}
	if !at.IsZero() {
		if err := v.StaticAt(&found, at); err != nil {
			return err
		}
	}
	return s.sendShip(c, &found, warnings)
}

// shipInfo answers the latest static data by MMSI or IMO number.
func (s *Server) shipInfo(c *call) error {
	number, err := pathNumber(c, "mmsi")
	if err != nil {
		return err
	}
	v, err := s.viewer(c)
	if err != nil {
		return err
	}
	if number <= math.MaxUint32 && ship.ValidIMO(uint32(number)) {
		ships, _, err := v.Identify(c.Request.Context(), ship.Identity{IMO: uint32(number)}, time.Time{})
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
	found, err := knownShip(v, number)
	if err != nil {
		return err
	}
	return s.sendShip(c, &found, nil)
}

// shipSearch answers the ships that a text matches.
func (s *Server) shipSearch(c *call) error {
	query, err := pathText(c, "querystring")
	if err != nil {
		return err
	}
	if len(query) > searchLength {
		return badRequest(rule.New("query_long", "the query may have at most {max} characters", "max", searchLength))
	}
	limit := searchDefault
	if text := c.Query("limit"); text != "" {
		n, err := strconv.Atoi(text)
		if err != nil || n < 1 || n > searchMost {
			return badField("limit", rule.New("range", "must be from {min} to {max}", "min", 1, "max", searchMost))
		}
		limit = n
	}
	f, err := chooseForm(c, shipForms())
	if err != nil {
		return err
	}
	v, err := s.viewer(c)
	if err != nil {
		return err
	}
	ships, err := v.Search(c.Request.Context(), query, limit)
	if err != nil {
		return err
	}
	switch f.name {
	case "geojson":
		return s.sendForm(c, f, "", shipsGeoJSON(ships))
	case "csv":
		return s.sendForm(c, f, "ships", shipsCSV(ships))
	}
	return s.sendList(c, f, ships, (*object).staticRecord)
}

// shipPosition answers where a ship is.
func (s *Server) shipPosition(c *call) error {
	number, err := pathNumber(c, "mmsi")
	if err != nil {
		return err
	}
	f, err := chooseForm(c, shipForms())
	if err != nil {
		return err
	}
	v, err := s.viewer(c)
	if err != nil {
		return err
	}
	found, err := knownShip(v, number)
	if err != nil {
		return err
	}
	if !found.HasFix {
		return &problem{status: http.StatusNotFound, code: codeNoPosition, rule: rule.New("no_position", "no position of this ship was ever received")}
	}
	if f.name == "json" {
		return s.sendForm(c, f, "", positionRecord(&found))
	}
	return s.sendOne(c, f, &found)
}

// sendShip sends the static record of one ship.
func (s *Server) sendShip(c *call, found *ship.State, warnings []string) error {
	f, err := chooseForm(c, shipForms())
	if err != nil {
		return err
	}
	if f.name == "json" {
		return s.sendForm(c, f, "", shipRecord(found, warnings, s.deps.Register.Find))
	}
	return s.sendOne(c, f, found)
}

// sendOne sends one ship as a feature or a table of one row.
func (s *Server) sendOne(c *call, f layout, found *ship.State) error {
	if f.name == "csv" {
		return s.sendForm(c, f, fmt.Sprintf("ship-%d", found.MMSI), shipsCSV([]ship.State{*found}))
	}
	return s.sendForm(c, f, "", shipGeoJSON(found))
}

// identifyShip finds the one ship that a body describes; at, when given, is when it is to fit. What contradicts it is
// named in the warnings.
func identifyShip(ctx context.Context, v *sight.Viewer, q ship.Identity, at time.Time) (ship.State, []string, error) {
	ships, contradict, err := v.Identify(ctx, q, at)
	switch {
	case err != nil:
		return ship.State{}, nil, err
	case len(ships) == 0:
		return ship.State{}, nil, &problem{status: http.StatusUnprocessableEntity, code: codeShipNotFound, rule: rule.New("no_match", "no known ship matches")}
	case len(ships) > 1:
		return ship.State{}, nil, &problem{status: http.StatusConflict, code: codeAmbiguousShip, rule: rule.New("ambiguous_ship", "{count} ships match equally well", "count", len(ships)), ships: ships}
	}
	var warnings []string
	for _, name := range contradict.Names() {
		warnings = append(warnings, name+" is not that of the ship found")
	}
	return ships[0], warnings, nil
}

// knownShip gives the last state of a ship that the caller sees.
func knownShip(v *sight.Viewer, number int64) (ship.State, error) {
	found, err := v.Ship(ais.MMSI(number))
	if errors.Is(err, sight.ErrUnknown) {
		err = notFound(rule.New("unknown_ship", "no ship {mmsi} is known", "mmsi", number))
	}
	return found, err
}

// pathText gives a value of the path as the caller meant it. Where the path holds an escaped slash, the router works on the
// path as it was sent.
func pathText(c *call, name string) (string, error) {
	if c.Request.URL.RawPath == "" {
		return c.Param(name), nil
	}
	text, err := url.PathUnescape(c.Param(name))
	if err != nil {
		return "", badField(name, rule.New("escaped", "must be escaped as a path is"))
	}
	return text, nil
}

// pathNumber reads an MMSI or IMO number of the path.
func pathNumber(c *call, name string) (int64, error) {
	n, err := strconv.ParseInt(c.Param(name), 10, 64)
	if err != nil || n < 1 {
		return 0, badField(name, rule.New("above_zero", "must be a whole number above 0"))
	}
	return n, nil
}
