package ships

import (
	"errors"
	"fmt"
	"net/http"
	"time"

	"quaywatch/ais"
	"quaywatch/form"
	"quaywatch/handlers/request"
	"quaywatch/handlers/wire"
	"quaywatch/internal/rule"
	"quaywatch/ship"
	"quaywatch/sight"
	"quaywatch/users/access"
	"quaywatch/users/access/audit"
	"quaywatch/users/access/right"
	"quaywatch/users/registry"
)

// registeredRecord is an entry of the register as a caller reads it.
type registeredRecord struct {
	registry.Registered
	Type     string          `json:"type,omitempty"`
	Class    string          `json:"class"`
	Source   string          `json:"source"`
	Country  string          `json:"country,omitempty"`
	Code     string          `json:"country_code,omitempty"`
	Position *wire.PointJSON `json:"position,omitempty"`
	Updated  string          `json:"updated"`
	Revision string          `json:"revision"`
}

// registered makes the record of an entry. Without a length or width the record has those of the dimensions.
func registered(e registry.Registered) registeredRecord {
	state := e.Entry().Overlay(&ship.State{})
	r := registeredRecord{Registered: e, Class: state.Class.String(), Source: "register", Type: ship.TypeText(ais.ShipType(e.TypeCode)),
		Updated: wire.TimeText(e.Updated.UnixMilli()), Revision: e.Revision()}
	r.Country, r.Code = state.Country()
	if e.Position != nil {
		r.Position = wire.At(*e.Position)
	}
	if r.Length == 0 {
		r.Length = int(e.DimA) + int(e.DimB)
	}
	if r.Width == 0 {
		r.Width = int(e.DimC) + int(e.DimD)
	}
	return r
}

// mayRegister asks for the further right that an aid to navigation needs.
func mayRegister(who *access.User, e *registry.Registered) error {
	if e.Class != ship.ClassAtoN.String() {
		return nil
	}
	if e.Virtual {
		return request.Entitled(who, right.AddRemoveVirtualAtoN)
	}
	return request.Entitled(who, right.AddRemoveAtoN)
}

// addEntry adds an entry.
func (s *Server) addEntry(c *request.Request) error {
	f, err := c.BindConfig(request.MaxBody)
	if err != nil {
		return err
	}
	made, err := s.Enter(c, f, func(made registry.Registered) audit.LineWriter {
		c.Object = fmt.Sprint(made.MMSI)
		return c.Line()
	})
	if err != nil {
		return err
	}
	return c.SendJSON(http.StatusOK, map[string]int64{"mmsi": made.MMSI})
}

// Enter adds the entry that fields describe, in one commit with the line of the audit log. The caller has the right add_remove_mmsi_entries.
func (s *Server) Enter(c *request.Request, f *form.Fields, line func(made registry.Registered) audit.LineWriter) (made registry.Registered, err error) {
	var e registry.Registered
	e.MMSI = f.Integer("mmsi", 0, form.MaxInteger)
	e.Apply(f)
	if err := f.Err(); err != nil {
		return made, err
	}
	if s.deps.Register.Gone(e.MMSI) {
		return made, takenProblem(f, registry.EntryTaken{Key: "mmsi"})
	}
	if err := mayRegister(c.Caller.User, &e); err != nil {
		return made, err
	}
	if e.MMSI == 0 && e.IMO != 0 {
		if e.MMSI, err = s.hullOf(c, e.IMO); err != nil {
			return made, err
		}
	}
	if err := s.mayUncover(c, &e); err != nil {
		return made, err
	}
	made, err = s.deps.Register.Add(e, line)
	return made, takenProblem(f, err)
}

// takenProblem makes the answer to a number that is in the register already: it names the field. Any other error stays as it is.
func takenProblem(f *form.Fields, err error) error {
	var taken registry.EntryTaken
	if !errors.As(err, &taken) {
		return err
	}
	if !f.Given(taken.Key) { // the ship was found by the other number
		taken.Key = "imo"
	}
	why := rule.New("entry_taken", "is that of another entry")
	return &request.Problem{Status: http.StatusConflict, Code: request.CodeNameTaken, Fields: form.Errors{{Pointer: f.Pointer(taken.Key), Rule: why}}}
}

// mayUncover refuses an entry that would let a ship pass the filters of the caller. It counts a ship that they hide now, and one that they
// would hide once it is heard.
func (s *Server) mayUncover(c *request.Request, e *registry.Registered) error {
	if e.MMSI == 0 || e.MMSI > ship.LargestMMSI || c.Caller.User.May(right.ChangeFilterSettings) {
		return nil
	}
	v, err := s.deps.Desk.Viewer(c)
	if err != nil {
		return err
	}
	if err = v.CheckEntry(e.Entry()); errors.Is(err, sight.ErrHides) {
		return request.Forbidden(rule.New("filter_may_hide", "you see no ship of this number, and a filter of yours may hide it: that needs the right {right}",
			"right", right.ChangeFilterSettings))
	}
	return err
}

// hullOf returns the MMSI of the ship with an IMO number, of those that the caller sees. Of several it is the one heard last, 0 for none.
func (s *Server) hullOf(c *request.Request, imo uint32) (int64, error) {
	v, err := s.deps.Desk.Viewer(c)
	if err != nil {
		return 0, err
	}
	ships, _, err := v.Identify(c.HTTP.Context(), ship.Identity{IMO: imo}, time.Time{})
	var latest ship.State
	for i := range ships {
		if !ships[i].ByHand && ships[i].Heard >= latest.Heard {
			latest = ships[i]
		}
	}
	return int64(latest.MMSI), err
}

// registeredShips returns the entries of the ships that the caller sees.
func (s *Server) registeredShips(c *request.Request) error {
	v, err := s.deps.Desk.Viewer(c)
	if err != nil {
		return err
	}
	records := []registeredRecord{}
	for _, e := range s.deps.Register.All() {
		if told, shown := v.Entry(e); shown {
			records = append(records, registered(told))
		}
	}
	return c.SendJSON(http.StatusOK, request.Records[registeredRecord]{Records: records})
}

// pathEntry returns the entry of the ship in the path: as it is, and as the caller may read it.
func (s *Server) pathEntry(c *request.Request) (e, told registry.Registered, err error) {
	number, err := c.PathNumber("mmsi")
	if err != nil {
		return e, told, err
	}
	v, err := s.deps.Desk.Viewer(c)
	if err != nil {
		return e, told, err
	}
	e, ok := s.deps.Register.Get(number)
	if ok {
		told, ok = v.Entry(e)
	}
	if !ok {
		err = request.NotFound(rule.New("not_registered", "no ship {mmsi} is registered", "mmsi", number))
	}
	return e, told, err
}

// registeredShip returns one entry.
func (s *Server) registeredShip(c *request.Request) error {
	_, told, err := s.pathEntry(c)
	if err != nil {
		return err
	}
	return c.SendJSON(http.StatusOK, registered(told))
}

// changeRegistered changes the keys of an entry that the body has.
func (s *Server) changeRegistered(c *request.Request) error {
	e, _, err := s.pathEntry(c)
	if err != nil {
		return err
	}
	f, err := c.BindConfig(request.MaxBody)
	if err != nil {
		return err
	}
	trial := e
	trial.Apply(f)
	if err := f.Err(); err != nil {
		return err
	}
	for _, entry := range []*registry.Registered{&e, &trial} {
		if err := mayRegister(c.Caller.User, entry); err != nil {
			return err
		}
	}
	if err := request.Fresh(f, e.Revision()); err != nil {
		return err
	}
	now, err := s.deps.Register.Change(e.MMSI, func(was *registry.Registered) error {
		if !was.Updated.Equal(e.Updated) {
			return request.Stale()
		}
		*was = trial
		return nil
	}, c.Line())
	if err != nil {
		return takenProblem(f, err)
	}
	return c.SendJSON(http.StatusOK, registered(now))
}

// unregister removes an entry. A ship that was never heard leaves the picture with it.
func (s *Server) unregister(c *request.Request) error {
	e, _, err := s.pathEntry(c)
	if err != nil {
		return err
	}
	if err := mayRegister(c.Caller.User, &e); err != nil {
		return err
	}
	if err := s.deps.Register.Delete(e.MMSI, c.Line()); err != nil {
		return err
	}
	return c.NoContent()
}
