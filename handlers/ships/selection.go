package ships

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"quaywatch/ais"
	"quaywatch/form"
	"quaywatch/geo"
	"quaywatch/handlers/request"
	"quaywatch/handlers/resolve"
	"quaywatch/handlers/wire"
	"quaywatch/internal/rule"
	"quaywatch/ship"
	"quaywatch/sight"
	"quaywatch/users/selection"
)

// Bounds of a selection. Its owner is the program that selected, by its own name.
const (
	mostSelected = 1000 // ships
	mostOwner    = 64   // bytes of an owner
	mostOwners   = 100  // owners of one user
	mostZoom     = 24
)

// selectShips replaces what the caller selected for an owner.
func (s *Server) selectShips(c *request.Request) error {
	f, err := c.BindConfig(request.MaxBody)
	if err != nil {
		return err
	}
	sel := selection.Selection{User: c.Caller.User.UID, Owner: f.Text("owner"), Zoom: f.Number("zoom"), Ships: []selection.SelectedShip{}}
	if len(sel.Owner) > mostOwner {
		f.Refuse("owner", rule.New("too_long", "may have at most {max} bytes", "max", mostOwner))
	}
	if sel.Zoom > mostZoom {
		f.Refuse("zoom", rule.New("range", "must be from {min} to {max}", "min", 0, "max", mostZoom))
	}
	f.Require("ships")
	list := f.List("ships")
	if len(list) > mostSelected {
		f.Refuse("ships", rule.New("too_many_selected", "may have at most {max}", "max", mostSelected))
		return f.Err()
	}
	objects := f.Objects("ships", list)
	if err := f.Err(); err != nil {
		return err
	}
	own, _ := s.deps.Selections.Of(sel.User, 0)
	if len(own) >= mostOwners && !slices.ContainsFunc(own, func(o selection.Selection) bool { return o.Owner == sel.Owner }) {
		return request.TooMany(rule.New("too_many_owners", "too many owners"), areaRetry)
	}
	if err := s.addShips(c, objects, &sel); err != nil {
		return err
	}
	if err := s.deps.Selections.Put(sel); err != nil {
		return err
	}
	return c.SendJSON(http.StatusOK, request.Records[selection.SelectedShip]{Records: sel.Ships})
}

// addShips adds the ships of a list to a selection. One unknown ship refuses the whole list.
func (s *Server) addShips(c *request.Request, list []*form.Fields, sel *selection.Selection) error {
	v, err := s.deps.Desk.Viewer(c)
	if err != nil {
		return err
	}
	at := wire.TimeText(s.deps.Now().UnixMilli())
	for i, fields := range list {
		q := fields.Identity()
		if err := fields.Err(); err != nil {
			return err
		}
		if err := c.HTTP.Context().Err(); err != nil { // the caller has gone
			return err
		}
		found, _, err := resolve.Ship(c.HTTP.Context(), v, q, time.Time{})
		var p *request.Problem
		if errors.As(err, &p) {
			p.Fields = append(p.Fields, form.Error{Pointer: fmt.Sprintf("/ships/%d", i), Rule: p.Rule})
		}
		if err != nil {
			return err
		}
		chosen := selection.SelectedShip{Owner: sel.Owner, MMSI: int64(found.MMSI), Time: at}
		if found.Static != nil {
			chosen.Name = strings.TrimSpace(found.Static.Name)
		}
		sel.Ships = append(sel.Ships, chosen)
	}
	return nil
}

// selected returns the ships that the caller selected, for all owners or for the owner in the path.
func (s *Server) selected(c *request.Request) error {
	owner, err := c.PathText("owner")
	if err != nil {
		return err
	}
	v, err := s.deps.Desk.Viewer(c)
	if err != nil {
		return err
	}
	records := []selection.SelectedShip{}
	all, _ := s.deps.Selections.Of(c.Caller.User.UID, 0)
	for _, sel := range all {
		if owner == "" || sel.Owner == owner {
			records = append(records, stillShown(v, sel.Ships)...)
		}
	}
	return c.SendJSON(http.StatusOK, request.Records[selection.SelectedShip]{Records: records})
}

// stillShown returns the selected ships that the user may know of, by the names that the user may know. A ship may have been hidden since
// it was selected. A reassigned selection may hold a ship or a name of which a user with a delay has not heard yet.
func stillShown(v *sight.Viewer, ships []selection.SelectedShip) []selection.SelectedShip {
	shown := []selection.SelectedShip{}
	for _, picked := range ships {
		found, err := v.Ship(ais.MMSI(picked.MMSI))
		switch {
		case err == nil && found.Static != nil:
			picked.Name = strings.TrimSpace(found.Static.Name)
		case v.Late():
			picked.Name = ""
		}
		gone := picked.MMSI > ship.LargestMMSI // a ship that only the register knows is gone with its entry
		if err == nil || !v.Late() && !gone && !v.Hides(ais.MMSI(picked.MMSI)) {
			shown = append(shown, picked)
		}
	}
	return shown
}

// Event returns the select event of the live stream as JSON: the ships that the viewer may know of, and the box around them.
func (s *Server) Event(v *sight.Viewer, sel *selection.Selection) ([]byte, error) {
	event := struct {
		Time    string                   `json:"time"`
		Owner   string                   `json:"owner"`
		Zoom    float64                  `json:"zoom,omitempty"`
		Bounds  []float64                `json:"bbox,omitempty"` // west, south, east, north
		Records []selection.SelectedShip `json:"records"`
	}{wire.TimeText(s.deps.Now().UnixMilli()), sel.Owner, sel.Zoom, nil, stillShown(v, sel.Ships)}
	var places []geo.Point
	for _, record := range event.Records {
		if found, err := v.Ship(ais.MMSI(record.MMSI)); err == nil && found.HasFix {
			places = append(places, found.Fix.Point())
		}
	}
	if len(places) > 0 {
		r := geo.RectOf(places...)
		event.Bounds = []float64{r.West, r.South, r.East, r.North}
	}
	body, err := json.Marshal(event)
	if err != nil {
		return nil, fmt.Errorf("encode a selection: %w", err)
	}
	return body, nil
}
