package ships

import (
	"cmp"
	"errors"
	"fmt"
	"net/http"
	"time"

	"quaywatch/engine/portcalls"
	"quaywatch/form"
	"quaywatch/handlers/request"
	"quaywatch/handlers/wire"
	"quaywatch/internal/rule"
	"quaywatch/ship"
	"quaywatch/sight/telling"
	"quaywatch/users/access/right"
)

// pastCalls answers at which ports a ship called, the latest first.
func (s *Server) pastCalls(c *request.Request) error {
	h, err := s.history(c)
	if err != nil {
		return err
	}
	if err := c.HoldResult(int64(h.limit) << 10); err != nil { // a call has stays and times
		return err
	}
	records := []callRecord{}
	var unread error
	err = h.each(c.HTTP.Context(), s.deps.Calls, h.begin, h.end, func(made *portcalls.KeptCall, shown bool) bool {
		if shown {
			var then ship.State
			then, unread = h.ShipAt(c.HTTP.Context(), h.shipOf(made), made)
			records = append(records, callRecord{h.Record(made), wire.VesselOf(&then)})
		}
		return len(records) < h.limit && unread == nil
	})
	if err := cmp.Or(err, unread); err != nil {
		return fmt.Errorf("calls of %d: %w", h.ship.MMSI, err)
	}
	return c.SendJSON(http.StatusOK, answerOf(s, h, records))
}

// callRecord is a call with its ship as it was then.
type callRecord struct {
	wire.CallRecord
	Ship wire.Vessel `json:"ship"`
}

// noCall says that there is no such call, or none for this caller.
func noCall() error { return request.NotFound(rule.New("no_call", "there is no such call")) }

// namedCall is a call that a path names, as its caller is told of it.
type namedCall struct {
	*telling.Listener
	call telling.ToldCall
	ship ship.State
}

// pathCall returns the call that the path names, when the caller may know of it.
func (s *Server) pathCall(c *request.Request) (*namedCall, error) {
	id, err := c.PathNumber("id")
	if err != nil {
		return nil, err
	}
	l, err := s.deps.Desk.Listener(c)
	if err != nil {
		return nil, err
	}
	n := &namedCall{Listener: l}
	n.call, n.ship, err = s.deps.Calls.ByID(c.HTTP.Context(), l, id)
	if errors.Is(err, portcalls.ErrUnknown) {
		return nil, noCall()
	}
	if err != nil {
		return nil, err
	}
	c.Object = fmt.Sprintf("%d %s", n.call.MMSI, s.portTitle(n.call.Found.Port))
	return n, nil
}

// portTitle returns the name of a port, or its number when it is no longer there.
func (s *Server) portTitle(id uint64) string {
	if p, ok := s.deps.Ports().ByID(id); ok {
		return p.Name
	}
	return fmt.Sprint(id)
}

// changeCall confirms a call, or corrects its times.
func (s *Server) changeCall(c *request.Request) error {
	f, err := c.BindConfig(request.MaxBody)
	if err != nil {
		return err
	}
	who := c.Caller.User
	corrects := f.Said("ata") || f.Said("atd")
	edit := portcalls.Edit{ATA: correction(f, "ata"), ATD: correction(f, "atd"), By: who.Name, At: s.deps.Desk.Sight.Now()}
	s.checkEdit(f, &edit, corrects)
	wanted := []right.Name{right.ViewATAATD, right.AckATAATD} // nobody vouches for times that are not told to them
	if corrects {
		wanted = []right.Name{right.ViewATAATD, right.AdminATAATD}
		if f.Given("confirmed") {
			wanted = append(wanted, right.AckATAATD)
		}
	}
	if err := cmp.Or(request.Entitled(who, wanted...), f.Err()); err != nil {
		return err
	}
	found, err := s.pathCall(c)
	if err != nil {
		return err
	}
	if late := found.Viewer.Now(); found.Viewer.Late() { // a time that is still to come for the caller would tell what the ship does then
		refuseFuture(f, &edit, late)
		if err := f.Err(); err != nil {
			return err
		}
	}
	told, err := s.deps.Calls.Change(found.Listener, &found.ship, found.call.ID, edit, c.Line())
	var why *rule.Rule
	switch {
	case errors.Is(err, portcalls.ErrUnknown):
		return noCall()
	case errors.As(err, &why):
		return request.BadField(wrongTime(f, why), why)
	case err != nil:
		return err
	}
	t := wire.TellingTo(found.Listener, s.deps.Ports())
	return c.SendJSON(http.StatusOK, t.Record(&told.KeptCall))
}

// correction returns the time that a field corrects. It returns nil where the body does not say it, and the zero time for null, which takes a correction back.
func correction(f *form.Fields, key string) *time.Time {
	if !f.Said(key) {
		return nil
	}
	at := f.Time(key, time.Time{})
	return &at
}

// checkEdit refuses what cannot be said of a call.
func (s *Server) checkEdit(f *form.Fields, e *portcalls.Edit, corrects bool) {
	confirmed := f.Boolean("confirmed", corrects)
	switch {
	case f.Given("confirmed") && !confirmed:
		f.Refuse("confirmed", rule.New("only_true", "must be true"))
	case !confirmed:
		f.Refuse("", rule.New("no_edit", "needs one of ata, atd and confirmed"))
	}
	refuseFuture(f, e, e.At)
}

// refuseFuture refuses times that are later than now.
func refuseFuture(f *form.Fields, e *portcalls.Edit, now time.Time) {
	future := rule.New("in_future", "must not be in the future")
	if e.ATA != nil && e.ATA.After(now) {
		f.Refuse("ata", future)
	}
	if e.ATD != nil && e.ATD.After(now) {
		f.Refuse("atd", future)
	}
}

// wrongTime returns the field that a rule about times speaks of: that of the rule, or the one that was sent.
func wrongTime(f *form.Fields, why *rule.Rule) string {
	if why.Word == "ata_before_call" || !f.Given("atd") {
		return "/ata"
	}
	return "/atd"
}

// deleteCall takes away a call that was none.
func (s *Server) deleteCall(c *request.Request) error {
	if err := request.Entitled(c.Caller.User, right.ViewATAATD); err != nil {
		return err
	}
	found, err := s.pathCall(c)
	if err != nil {
		return err
	}
	if found.call.Found.Open() { // also when the ship has left, and the caller is told of it later
		return request.Conflict(request.CodeConflict, portcalls.ErrOpen())
	}
	err = s.deps.Calls.Delete(found.call.ID, c.Caller.User.Name, c.Line())
	var why *rule.Rule
	switch {
	case errors.Is(err, portcalls.ErrUnknown):
		return noCall()
	case errors.As(err, &why):
		return request.Conflict(request.CodeConflict, why)
	case err != nil:
		return err
	}
	return c.NoContent()
}
