package handlers

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"time"

	"quaywatch/ais"
	"quaywatch/ship"
	"quaywatch/store"
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
	q, at := f.identity(), f.time("time", time.Time{})
	if err := f.err(); err != nil {
		return err
	}
	if !at.IsZero() {
		if err := s.lookback(c.caller.user, at); err != nil {
			return err
		}
	}
	d, err := s.door(c)
	if err != nil {
		return err
	}
	found, warnings, err := d.identifyShip(q, at)
	if err != nil {
		return err
	}
	if !at.IsZero() {
		if err := d.asOf(&found, at); err != nil {
			return err
		}
	}
	return s.sendShip(c, &found, warnings)
}

// asOf puts the static and voyage data that were valid at that time into the state, none where nothing was known yet. What hands
// wrote counts from its last change on: what they wrote before is not kept.
func (d *door) asOf(found *ship.State, at time.Time) error {
	static, voyage, err := d.staticAt(found, at)
	if err != nil && !errors.Is(err, store.ErrNotFound) {
		return fmt.Errorf("static data of %d: %w", found.MMSI, err)
	}
	newest := staticChanged(found)
	if newest != 0 && newest <= at.UnixMilli() {
		return nil // what is valid now was valid then; the store may not have it yet
	}
	found.Static, found.Voyage = static, voyage
	if e, ok := d.registry.Find(int64(found.MMSI)); ok && !e.Updated.After(at) && !e.Updated.After(d.turn(found)) {
		then := e.Entry().Over(found)
		found.Static, found.Voyage = then.Static, then.Voyage
	}
	return nil
}

// shipInfo answers the latest static data by MMSI or IMO number.
func (s *Server) shipInfo(c *call) error {
	number, err := pathNumber(c, "mmsi")
	if err != nil {
		return err
	}
	d, err := s.door(c)
	if err != nil {
		return err
	}
	if number <= math.MaxUint32 && ship.ValidIMO(uint32(number)) {
		ships, _, err := d.identifyAll(ship.Identity{IMO: uint32(number)})
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
	found, err := d.knownShip(ais.MMSI(number))
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
		return badRequest(fmt.Sprintf("the query may have at most %d characters", searchLength))
	}
	limit := searchDefault
	if text := c.Query("limit"); text != "" {
		n, err := strconv.Atoi(text)
		if err != nil || n < 1 || n > searchMost {
			return badRequest(fmt.Sprintf("limit must be from 1 to %d", searchMost), fieldError{"limit", fmt.Sprintf("must be from 1 to %d", searchMost)})
		}
		limit = n
	}
	f, err := chooseForm(c, shipForms())
	if err != nil {
		return err
	}
	d, err := s.door(c)
	if err != nil {
		return err
	}
	ships, err := d.searchShips(query, limit)
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

// searchShips asks the picture, and where that does not fill the limit, the store for ships that are long gone.
func (d *door) searchShips(query string, limit int) ([]ship.State, error) {
	most := limit
	if !d.view.Everything() {
		most = d.world.picture.Len() + limit // the hidden ones must not take the places of those that are shown
	}
	ships := d.shownOf(d.world.picture.Search(query, most))
	if len(ships) >= limit {
		ships = ships[:limit]
		return ships, nil
	}
	term := ship.ParseTerm(query)
	found := func(s *ship.State) bool { return term.Rank(s) != ship.NotFound }
	err := d.eachStored(found, func(s *ship.State) {
		if found(s) && d.shows(s) {
			d.view.Tell(s)
			ships = append(ships, *s)
		}
	})
	if err != nil {
		return nil, fmt.Errorf("search the store: %w", err)
	}
	slices.SortStableFunc(ships, func(a, b ship.State) int {
		return cmp.Or(cmp.Compare(term.Rank(&b), term.Rank(&a)), cmp.Compare(b.Heard, a.Heard))
	})
	return ships[:min(limit, len(ships))], nil
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
	d, err := s.door(c)
	if err != nil {
		return err
	}
	found, err := d.knownShip(ais.MMSI(number))
	if err != nil {
		return err
	}
	if !found.HasFix {
		return &problem{status: http.StatusNotFound, code: codeNoPosition, detail: "no position of this ship was ever received"}
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
		return s.sendForm(c, f, "", shipRecord(found, warnings, s.registry.Find))
	}
	return s.sendOne(c, f, found)
}

// sendOne sends one ship as a feature or a table of one row.
func (s *Server) sendOne(c *call, f form, found *ship.State) error {
	if f.name == "csv" {
		return s.sendForm(c, f, fmt.Sprintf("ship-%d", found.MMSI), shipsCSV([]ship.State{*found}))
	}
	return s.sendForm(c, f, "", shipGeoJSON(found))
}

// knownShip gives the last state of a ship, of the picture or of the store.
func (d *door) knownShip(m ais.MMSI) (ship.State, error) {
	found, err := d.lastOf(m)
	if errors.Is(err, store.ErrNotFound) || err == nil && !d.shows(&found) {
		return found, notFound(fmt.Sprintf("no ship %d is known", m))
	}
	if err != nil {
		return found, fmt.Errorf("ship %d: %w", m, err)
	}
	d.view.Tell(&found)
	return found, nil
}

// identifyShip finds the one ship that a body describes; at, when given, is when it is to fit. What contradicts her is
// named in the warnings.
func (d *door) identifyShip(q ship.Identity, at time.Time) (ship.State, []string, error) {
	ships, contradict, err := d.identifyAll(q)
	if err == nil && len(ships) == 0 && !at.IsZero() {
		ships, contradict, err = d.identifyThen(q, at)
	}
	switch {
	case err != nil:
		return ship.State{}, nil, err
	case len(ships) == 0:
		return ship.State{}, nil, &problem{status: http.StatusUnprocessableEntity, code: codeShipNotFound, detail: "no known ship matches"}
	case len(ships) > 1:
		return ship.State{}, nil, &problem{status: http.StatusConflict, code: codeAmbiguousShip, detail: fmt.Sprintf("%d ships match equally well", len(ships)), ships: ships}
	}
	var warnings []string
	for _, name := range contradict.Names() {
		warnings = append(warnings, name+" is not that of the ship found")
	}
	return ships[0], warnings, nil
}

// identifyAll compares with every ship of the picture and of the store. An MMSI alone needs no search.
func (d *door) identifyAll(q ship.Identity) ([]ship.State, ship.Fields, error) {
	if q == (ship.Identity{MMSI: q.MMSI, Draught: q.Draught}) {
		found, err := d.knownShip(q.MMSI)
		var unknown *problem
		if errors.As(err, &unknown) {
			return nil, 0, nil
		}
		return []ship.State{found}, 0, err
	}
	return d.identifyAmong(q, func(ship.State) (ship.State, bool) { return ship.State{}, false })
}

// identifyThen compares with what the ships were at a time: a ship may have had another name.
func (d *door) identifyThen(q ship.Identity, at time.Time) ([]ship.State, ship.Fields, error) {
	return d.identifyAmong(q, func(now ship.State) (ship.State, bool) {
		static, voyage, err := d.staticAt(&now, at)
		now.Static, now.Voyage = static, voyage
		return now, err == nil && static != nil
	})
}

// identifyAmong compares q with all ships; then may put an older state of a ship in the place of the latest one.
func (d *door) identifyAmong(q ship.Identity, then func(ship.State) (ship.State, bool)) ([]ship.State, ship.Fields, error) {
	if d.all == nil { // a selection asks for many ships
		all, err := d.allShips()
		if err != nil {
			return nil, 0, err
		}
		if d.all = all; all == nil {
			d.all = []ship.State{}
		}
	}
	ships, contradict := ship.Identify(q, func(yield func(*ship.State) bool) {
		for i := range d.all {
			s := &d.all[i]
			if was, ok := then(*s); ok {
				s = &was
			}
			if !yield(s) {
				return
			}
		}
	})
	return heardOf(ships), contradict, nil
}

// heardOf leaves out who was entered by the IMO number of a ship that is heard: they are one hull.
func heardOf(ships []ship.State) []ship.State {
	return slices.DeleteFunc(ships, func(s ship.State) bool {
		return s.ByHand && s.Static.IMO != 0 && slices.ContainsFunc(ships, func(o ship.State) bool {
			return !o.ByHand && o.Static != nil && o.Static.IMO == s.Static.IMO
		})
	})
}

// allShips gives a copy of every state that is known: of the live picture, and of the store those that left it.
func (d *door) allShips() ([]ship.State, error) {
	all := make([]ship.State, 0, d.world.picture.Len()+64)
	live := make(map[ais.MMSI]struct{}, cap(all))
	d.world.picture.Each(func(state *ship.State) bool {
		all = append(all, *state)
		live[state.MMSI] = struct{}{}
		return true
	})
	err := d.deps.DB.EachShip(func(state ship.State) error {
		if _, ok := live[state.MMSI]; ok {
			return nil
		}
		known, ok := d.world.picture.Ship(state.MMSI)
		if !ok {
			known, ok = d.told(&state)
			known.Age = ship.Removed // what the picture no longer holds is no longer live, whatever was written last
		}
		if ok {
			all = append(all, known)
		}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("read the ships: %w", err)
	}
	return d.shownOf(all), nil
}

// pathText gives a value of the path as the caller meant it. Where the path holds an escaped slash, the router works on the
// path as it was sent.
func pathText(c *call, name string) (string, error) {
	if c.Request.URL.RawPath == "" {
		return c.Param(name), nil
	}
	text, err := url.PathUnescape(c.Param(name))
	if err != nil {
		return "", badRequest(name+" is not escaped as a path is", fieldError{name, "must be escaped as a path is"})
	}
	return text, nil
}

// pathNumber reads an MMSI or IMO number of the path.
func pathNumber(c *call, name string) (int64, error) {
	n, err := strconv.ParseInt(c.Param(name), 10, 64)
	if err != nil || n < 1 {
		return 0, badRequest(name+" must be a whole number above 0", fieldError{name, "must be a whole number above 0"})
	}
	return n, nil
}
