package handlers

import (
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"quaywatch/access"
	"quaywatch/ais"
	"quaywatch/form"
	"quaywatch/handlers/call"
	"quaywatch/handlers/wire"
	"quaywatch/rule"
	"quaywatch/ship"
	"quaywatch/sight"
)

// registeredRecord is an entry of the register as it is read.
type registeredRecord struct {
	access.Registered
	Type     string      `json:"type,omitempty"`
	Class    string      `json:"class"`
	Source   string      `json:"source"`
	Country  string      `json:"country,omitempty"`
	Code     string      `json:"country_code,omitempty"`
	Position *wire.Point `json:"position,omitempty"`
	Updated  string      `json:"updated"`
	Revision string      `json:"revision"`
}

func registered(e access.Registered) registeredRecord {
	state := e.Entry().Overlay(&ship.State{})
	r := registeredRecord{Registered: e, Class: state.Class.String(), Source: "register", Type: ship.TypeText(ais.ShipType(e.TypeCode)), Updated: wire.TimeText(e.Updated.UnixMilli()), Revision: e.Revision()}
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

// takeRegistered reads the fields of an entry; what is not given keeps its value, also one that an older version took.
func takeRegistered(f *form.Fields, e *access.Registered) {
	limits := access.RegisterLimits()
	whole := func(key string, was int64) int64 { return f.Integer(key, was, limits[key]) }
	e.IMO, e.TypeCode = uint32(whole("imo", int64(e.IMO))), uint8(whole("type_code", int64(e.TypeCode)))
	e.Name, e.CallSign = f.TextOr("name", e.Name), f.TextOr("callsign", e.CallSign)
	e.Destination, e.Note = f.TextOr("destination", e.Destination), f.TextOr("note", e.Note)
	e.Length, e.Width = int(whole("length", int64(e.Length))), int(whole("width", int64(e.Width)))
	for key, v := range map[string]*uint16{"dim_a": &e.DimA, "dim_b": &e.DimB, "dim_c": &e.DimC, "dim_d": &e.DimD} {
		*v = uint16(whole(key, int64(*v)))
	}
	e.Deadweight, e.GrossTonnage = whole("dwt", e.Deadweight), whole("gt", e.GrossTonnage)
	e.Virtual = f.Boolean("virtual", e.Virtual)
	for key, v := range map[string]*float64{"draught": &e.Draught, "displacement": &e.Displacement} {
		f.Into(key, v, rule.New("number", "must be a number"))
	}
	takeType(f, e)
	e.Class, e.ETA = f.TextOr("class", e.Class), f.TextOr("eta", e.ETA)
	if eta, err := access.ParseETA(e.ETA); err == nil {
		e.ETA = eta
	}
	if f.Said("position") && !f.Given("position") {
		e.Position = nil // null takes it back: there is no empty place
	}
	if f.Given("position") {
		at := f.Point("position")
		e.Position = &at
	}
	f.Broken(slices.DeleteFunc(e.Check(), func(w form.Error) bool { return w.Pointer != "" && !f.Given(w.Pointer[1:]) }))
}

// takeType reads the ship type in words, beside its code or in its place.
func takeType(f *form.Fields, e *access.Registered) {
	if !f.Given("type") {
		return
	}
	text := f.Text("type")
	code, known := ship.ParseType(text)
	coded := f.Given("type_code") && e.TypeCode != 0
	switch {
	case text == "" && !coded:
		e.TypeCode = 0
	case text == "" || strings.EqualFold(text, ship.TypeText(ais.ShipType(e.TypeCode))):
	case coded:
		f.Refuse("type", rule.New("type_contradicts", "is not that of the type_code"))
	case !known:
		f.Refuse("type", rule.New("no_type", "is not one of the ship types of AIS"))
	default:
		e.TypeCode = uint8(code)
	}
}

// mayRegister asks for the rights over aids to navigation on top.
func mayRegister(who *access.User, e *access.Registered) error {
	if e.Class != ship.ClassAtoN.String() {
		return nil
	}
	if e.Virtual {
		return call.Entitled(who, access.AddRemoveVirtualAtoN)
	}
	return call.Entitled(who, access.AddRemoveAtoN)
}

// register enters a ship by hand.
func (s *Server) register(c *call.Call) error {
	f, err := c.BindConfig(call.MaxBody)
	if err != nil {
		return err
	}
	var e access.Registered
	e.MMSI = f.Integer("mmsi", 0, access.RegisterLimits()["mmsi"])
	takeRegistered(f, &e)
	if err := f.Err(); err != nil {
		return err
	}
	if e.MMSI > ship.LargestMMSI {
		return call.BadField("/mmsi", rule.New("mmsi_large", "must be at most {max}; larger ones are given here, to a ship that has none", "max", ship.LargestMMSI))
	}
	if err := mayRegister(c.Caller.User, &e); err != nil {
		return err
	}
	if e.MMSI == 0 && e.IMO != 0 {
		if e.MMSI, err = s.hullOf(c, e.IMO); err != nil {
			return err
		}
	}
	if err := s.mayUncover(c, &e); err != nil {
		return err
	}
	made, err := s.deps.Register.Add(e)
	if err != nil {
		return err
	}
	c.Object = fmt.Sprint(made.MMSI)
	s.deps.Sight.Follow(made.MMSI)
	return c.SendJSON(http.StatusOK, map[string]int64{"mmsi": made.MMSI})
}

// mayUncover refuses to enter of a ship that filters hide from the caller, or would once it is heard, what would let it pass them.
func (s *Server) mayUncover(c *call.Call, e *access.Registered) error {
	if e.MMSI == 0 || c.Caller.User.May(access.ChangeFilterSettings) {
		return nil
	}
	v, err := s.viewer(c)
	if err != nil {
		return err
	}
	err = v.CheckEntry(e.Entry())
	switch {
	case errors.Is(err, sight.ErrHidesUnnamed):
		return call.Forbidden(rule.New("filter_would_hide", "a filter of yours would hide a ship of which only number and position are known: that needs the right {right}", "right", access.ChangeFilterSettings))
	case errors.Is(err, sight.ErrHides):
		return call.Forbidden(rule.New("filter_hides", "a filter of yours hides the ship: that needs the right {right}", "right", access.ChangeFilterSettings))
	}
	return err
}

// hullOf gives the MMSI of the ship that was heard, last of them, with an IMO number, as far as the caller sees; 0 for none.
func (s *Server) hullOf(c *call.Call, imo uint32) (int64, error) {
	v, err := s.viewer(c)
	if err != nil {
		return 0, err
	}
	ships, _, err := v.Identify(c.Request.Context(), ship.Identity{IMO: imo}, time.Time{})
	var latest ship.State
	for i := range ships {
		if !ships[i].ByHand && ships[i].Heard >= latest.Heard {
			latest = ships[i]
		}
	}
	return int64(latest.MMSI), err
}

func (s *Server) registeredShips(c *call.Call) error {
	v, err := s.viewer(c)
	if err != nil {
		return err
	}
	records := []registeredRecord{}
	for _, e := range s.deps.Register.All() {
		if told, shown := v.Entry(e); shown {
			records = append(records, registered(told))
		}
	}
	return c.SendJSON(http.StatusOK, call.Records[registeredRecord]{Records: records})
}

// pathEntry gives the entry of the path, and as the caller may be told.
func (s *Server) pathEntry(c *call.Call) (e, told access.Registered, err error) {
	number, err := c.PathNumber("mmsi")
	if err != nil {
		return e, told, err
	}
	v, err := s.viewer(c)
	if err != nil {
		return e, told, err
	}
	e, ok := s.deps.Register.Find(number)
	if ok {
		told, ok = v.Entry(e)
	}
	if !ok {
		err = call.NotFound(rule.New("not_registered", "no ship {mmsi} is registered", "mmsi", number))
	}
	return e, told, err
}

func (s *Server) registeredShip(c *call.Call) error {
	_, told, err := s.pathEntry(c)
	if err != nil {
		return err
	}
	return c.SendJSON(http.StatusOK, registered(told))
}

func (s *Server) changeRegistered(c *call.Call) error {
	e, _, err := s.pathEntry(c)
	if err != nil {
		return err
	}
	f, err := c.BindConfig(call.MaxBody)
	if err != nil {
		return err
	}
	trial := e
	takeRegistered(f, &trial)
	if err := f.Err(); err != nil {
		return err
	}
	for _, one := range []*access.Registered{&e, &trial} {
		if err := mayRegister(c.Caller.User, one); err != nil {
			return err
		}
	}
	if err := fresh(f, e.Revision()); err != nil {
		return err
	}
	now, err := s.deps.Register.Change(e.MMSI, func(was *access.Registered) error {
		if !was.Updated.Equal(e.Updated) {
			return call.Stale()
		}
		*was = trial
		return nil
	})
	if err != nil {
		return err
	}
	s.deps.Sight.Follow(now.MMSI)
	v, err := s.viewer(c)
	if err != nil {
		return err
	}
	told, _ := v.Entry(now)
	answer := registered(now)
	answer.Class = told.Class
	return c.SendJSON(http.StatusOK, answer)
}

// unregister removes an entry; a ship that was never heard leaves the picture with it.
func (s *Server) unregister(c *call.Call) error {
	e, _, err := s.pathEntry(c)
	if err != nil {
		return err
	}
	if err := mayRegister(c.Caller.User, &e); err != nil {
		return err
	}
	if err := s.deps.Register.Delete(e.MMSI); err != nil {
		return err
	}
	s.deps.Sight.Follow(e.MMSI)
	return c.NoContent()
}
