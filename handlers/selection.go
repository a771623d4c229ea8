package handlers

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"quaywatch/ais"
	"quaywatch/geo"
	"quaywatch/ship"
	"quaywatch/store"
)

// selectedShip is one ship that a user selected for its open clients to pan and zoom to.
type selectedShip struct {
	Owner string `json:"owner"`
	MMSI  int64  `json:"mmsi"`
	Name  string `json:"name,omitempty"`
	Time  string `json:"time"`
}

// selection is what one user selected for one owner.
type selection struct {
	User    string         `json:"user"` // uid
	Owner   string         `json:"owner"`
	Zoom    float64        `json:"zoom,omitempty"`
	Ships   []selectedShip `json:"ships"`
	Version uint64         `json:"version"`
}

// selections are those of all users, in memory and in the database.
type selections struct {
	table *store.Table[selection]
	mu    sync.Mutex
	all   []store.Record[selection]
	last  uint64 // version of the latest
}

func openSelections(db *store.DB) (*selections, error) {
	table, err := store.OpenTable[selection](db, "selections")
	if err != nil {
		return nil, fmt.Errorf("open selections: %w", err)
	}
	rows, err := table.All()
	if err != nil {
		return nil, fmt.Errorf("read selections: %w", err)
	}
	s := &selections{table: table, all: rows}
	for _, row := range rows {
		s.last = max(s.last, row.Value.Version)
	}
	return s, nil
}

// put replaces the selection of a user and owner.
func (s *selections) put(sel selection) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	sel.Version = s.last + 1
	name := sel.User + " " + sel.Owner
	i := slices.IndexFunc(s.all, func(r store.Record[selection]) bool { return r.Value.User == sel.User && r.Value.Owner == sel.Owner })
	if i >= 0 {
		if err := s.table.Put(s.all[i].ID, "", sel); err != nil {
			return fmt.Errorf("select for %s: %w", name, err)
		}
		s.all[i].Value = sel
	} else {
		id, err := s.table.Insert("", sel)
		if err != nil {
			return fmt.Errorf("select for %s: %w", name, err)
		}
		s.all = append(s.all, store.Record[selection]{ID: id, Value: sel})
	}
	s.last = sel.Version
	return nil
}

// of gives the selections of a user after a version, oldest first, and the latest version of all.
func (s *selections) of(user string, after uint64) (found []selection, last uint64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if after == s.last {
		return nil, after
	}
	for _, r := range s.all {
		if r.Value.User == user && r.Value.Version > after {
			found = append(found, r.Value)
		}
	}
	slices.SortFunc(found, func(a, b selection) int { return int(int64(a.Version) - int64(b.Version)) })
	return found, s.last
}

// Bounds of a selection.
const (
	mostSelected = 1000
	mostOwner    = 64
	mostOwners   = 100
	mostZoom     = 24
)

// selectShips replaces the selection of the caller for an owner.
func (s *Server) selectShips(c *call) error {
	f, err := c.bindConfig(maxBody)
	if err != nil {
		return err
	}
	sel := selection{User: c.caller.user.UID, Owner: f.text("owner"), Zoom: f.number("zoom"), Ships: []selectedShip{}}
	if len(sel.Owner) > mostOwner {
		f.refuse("owner", fmt.Sprintf("may have at most %d bytes", mostOwner))
	}
	if sel.Zoom > mostZoom {
		f.refuse("zoom", fmt.Sprintf("must be from 0 to %d", mostZoom))
	}
	list := f.list("ships")
	if !f.given("ships") {
		f.refuse("ships", "is required")
	}
	if len(list) > mostSelected {
		f.refuse("ships", fmt.Sprintf("may have at most %d", mostSelected))
	}
	if err := f.err(); err != nil {
		return err
	}
	own, _ := s.selections.of(sel.User, 0)
	if len(own) >= mostOwners && !slices.ContainsFunc(own, func(o selection) bool { return o.Owner == sel.Owner }) {
		return tooMany("too many owners", areaRetry)
	}
	if err := s.pick(c, list, &sel); err != nil {
		return err
	}
	if err := s.selections.put(sel); err != nil {
		return err
	}
	return s.sendJSON(c, http.StatusOK, recordsAnswer[selectedShip]{sel.Ships})
}

// pick finds the ships that are to be selected. One that is unknown refuses all.
func (s *Server) pick(c *call, list []json.RawMessage, sel *selection) error {
	d, err := s.door(c)
	if err != nil {
		return err
	}
	at := timeText(s.config.Now().UnixMilli())
	for i, raw := range list {
		one := fields{}
		if json.Unmarshal(raw, &one.raw) != nil {
			return badField(fmt.Sprintf("/ships/%d", i), "must be an object")
		}
		q := one.identity()
		if err := one.err(); err != nil {
			return badField(fmt.Sprintf("/ships/%d%s", i, one.errs[0].Pointer), one.errs[0].Detail)
		}
		if err := c.Request.Context().Err(); err != nil { // nobody waits for it any more
			return err
		}
		found, _, err := d.identifyShip(q, time.Time{})
		var p *problem
		if errors.As(err, &p) {
			p.fields = append(p.fields, fieldError{fmt.Sprintf("/ships/%d", i), p.detail})
		}
		if err != nil {
			return err
		}
		chosen := selectedShip{Owner: sel.Owner, MMSI: int64(found.MMSI), Time: at}
		if found.Static != nil {
			chosen.Name = strings.TrimSpace(found.Static.Name)
		}
		sel.Ships = append(sel.Ships, chosen)
	}
	return nil
}

// selected gives the caller's selection, of all owners or of the one of the path.
func (s *Server) selected(c *call) error {
	owner, err := pathText(c, "owner")
	if err != nil {
		return err
	}
	d, err := s.door(c)
	if err != nil {
		return err
	}
	records := []selectedShip{}
	all, _ := s.selections.of(c.caller.user.UID, 0)
	for _, sel := range all {
		if owner == "" || sel.Owner == owner {
			records = append(records, d.stillShown(sel.Ships)...)
		}
	}
	return s.sendJSON(c, http.StatusOK, recordsAnswer[selectedShip]{records})
}

// stillShown gives the ships that the user may know of, by the names that the user may know: one may have been hidden since, and what
// was somebody else's selection may be of a ship or a name that a user who is told late has not heard of yet.
func (d *door) stillShown(ships []selectedShip) []selectedShip {
	shown := []selectedShip{}
	for _, one := range ships {
		found, err := d.knownShip(ais.MMSI(one.MMSI))
		switch {
		case err == nil && found.Static != nil:
			one.Name = strings.TrimSpace(found.Static.Name)
		case d.world.paced != nil:
			one.Name = ""
		}
		gone := one.MMSI > ship.LargestMMSI // a ship of hands is known or is no more
		if err == nil || d.world.paced == nil && !gone && !d.hides(ais.MMSI(one.MMSI)) {
			shown = append(shown, one)
		}
	}
	return shown
}

// selectEvent is the select event of the live stream: the ships, and where they are.
func (d *door) selectEvent(sel *selection) ([]byte, error) {
	event := struct {
		Time    string         `json:"time"`
		Owner   string         `json:"owner"`
		Zoom    float64        `json:"zoom,omitempty"`
		Bounds  []float64      `json:"bbox,omitempty"` // west, south, east, north
		Records []selectedShip `json:"records"`
	}{timeText(d.config.Now().UnixMilli()), sel.Owner, sel.Zoom, nil, d.stillShown(sel.Ships)}
	var places []geo.Point
	for _, one := range event.Records {
		if found, err := d.knownShip(ais.MMSI(one.MMSI)); err == nil && found.HasFix {
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
