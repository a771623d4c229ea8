package watchdogs

import (
	"net/http"
	"time"

	"quaywatch/engine/alert"
	"quaywatch/form"
	"quaywatch/handlers/request"
	"quaywatch/internal/rule"
	"quaywatch/sight"
	"quaywatch/users/access"
	"quaywatch/users/access/right"
	"quaywatch/users/library"
)

// alertsAnswer is alerts as a caller sees them.
type alertsAnswer struct {
	Records []alertRecord `json:"records"`
	Time    string        `json:"time"`
}

// listAlerts returns the alerts that are not normal, or the latest ones.
func (s *Server) listAlerts(c *request.Request) error {
	latest, err := c.QueryWithin("latest", mostRecords, 0)
	if err != nil {
		return err
	}
	v, err := s.deps.Desk.Viewer(c)
	if err != nil {
		return err
	}
	ctx, user := c.HTTP.Context(), c.Caller.User
	answer := alertsAnswer{Time: timeText(v.Now())}
	if latest > 0 {
		answer.Records, err = s.latestAlerts(ctx, v, user, latest)
	} else {
		answer.Records, err = s.currentAlerts(ctx, v, user)
	}
	if err != nil {
		return err
	}
	return c.SendJSON(http.StatusOK, answer)
}

// deed is what a call does to an alert that the caller sees.
type deed struct {
	*request.Request
	viewer *sight.Viewer
	alert  *seenAlert
	past   bool
	now    time.Time
}

// findAlert finds the alert of a call.
func (s *Server) findAlert(c *request.Request) (*deed, error) {
	if err := request.Entitled(c.Caller.User, right.ViewWatchdog); err != nil { // the answer tells the events
		return nil, err
	}
	id, err := c.PathNumber("id")
	if err != nil {
		return nil, err
	}
	d := &deed{Request: c, now: s.deps.Desk.Sight.Now()}
	if d.viewer, err = s.deps.Desk.Viewer(c); err != nil {
		return nil, err
	}
	if d.alert, d.past, err = s.oneAlert(c.HTTP.Context(), d.viewer, c.Caller.User, uint64(id)); isUnknown(err) {
		return nil, request.NotFound(alert.ErrUnknown)
	}
	return d, err
}

// finishDeed answers with the alert as it is now.
func (s *Server) finishDeed(d *deed, now alert.Standing, err error) error {
	switch {
	case isUnknown(err): // it was put away meanwhile
		return refusal(alert.ErrDone)
	case err != nil:
		return refusal(err)
	}
	var r alertRecord
	err = d.viewer.InTurns(d.HTTP.Context(), 1, func(int) {
		if a := s.see(s.deps.Desk.ListenerOf(d.Caller.User, d.viewer), now); a != nil {
			r = a.makeRecord(s, d.viewer, true)
		}
	})
	if err != nil {
		return err
	}
	return d.SendJSON(http.StatusOK, r)
}

// refusal makes a conflict of what an alert refuses.
func refusal(err error) error {
	for _, why := range []*rule.Rule{alert.ErrQuiet, alert.ErrDone} {
		if err == error(why) {
			return request.Conflict(request.CodeConflict, why)
		}
	}
	return err
}

// acknowledgeAlert notes that the user has seen what it sees of an alert.
func (s *Server) acknowledgeAlert(c *request.Request) error {
	d, err := s.findAlert(c)
	if err != nil {
		return err
	}
	now := d.alert.Standing
	if !d.past {
		now, err = s.deps.Alerts.Acknowledge(d.alert.ID, d.alert.reader, c.Caller.Name(), c.Line())
	}
	if isUnknown(err) { // somebody else acknowledged it meanwhile, which put it away
		if d, err = s.findAlert(c); err != nil {
			return err
		}
		now = d.alert.Standing
	}
	return s.finishDeed(d, now, err)
}

// silenceAlert lets the sound of an alert rest on all screens.
func (s *Server) silenceAlert(c *request.Request) error {
	d, err := s.findAlert(c)
	if err != nil {
		return err
	}
	if d.past {
		return refusal(alert.ErrQuiet)
	}
	now, err := s.deps.Alerts.Change(d.alert.ID, func(a *alert.Alert) error { return a.Hush(d.alert.reader, c.Caller.Name()) }, c.Line())
	return s.finishDeed(d, now, err)
}

// transferAlert hands an alert to a user, a group or the operators of a sector.
func (s *Server) transferAlert(c *request.Request) error {
	d, err := s.findAlert(c)
	if err != nil {
		return err
	}
	f, err := c.Bind(request.MaxBody)
	if err != nil {
		return err
	}
	f.Require("to")
	to, ok := form.ParseRef(f.Raw("to"))
	var uids []string
	if f.Given("to") {
		if uids = s.takers(d.alert, to); !ok || len(uids) == 0 {
			f.Refuse("to", rule.New("alert_taker", "must name a user or group that may use the watchdog and sees the ship by now, or a sector with one"))
		}
	}
	if err := f.Err(); err != nil {
		return err
	}
	if d.past {
		return refusal(alert.ErrDone)
	}
	plan := s.deps.Plan(d.alert.Events[d.alert.Seen[len(d.alert.Seen)-1]])
	now, err := s.deps.Alerts.Change(d.alert.ID, func(a *alert.Alert) error { return a.Hand(d.alert.reader, uids, c.Caller.Name(), plan) }, c.Line())
	return s.finishDeed(d, now, err)
}

// takers returns the uids that an alert may be given to under a name. A name that means nothing gives no uid. Nor does the name of a user that may not use the
// watchdog or not see the ship. So nobody learns names by it.
func (s *Server) takers(a *seenAlert, name string) (uids []string) {
	users := s.deps.Base.Users
	if r, ok := s.deps.Library.Get(library.Shapes, name); ok && r.Sector != nil {
		for _, uid := range r.Sector.Groups {
			if s.takesAlert(uid, a) {
				uids = append(uids, uid)
			}
		}
		return uids
	}
	for _, kind := range []string{access.GroupKind, access.UserKind} {
		if ref, ok := users.Find(kind, name); ok && s.takesAlert(ref.UID, a) {
			return []string{ref.UID}
		}
	}
	return nil
}

// judgeAlert notes whether an alert was useful.
func (s *Server) judgeAlert(c *request.Request) error {
	d, err := s.findAlert(c)
	if err != nil {
		return err
	}
	f, err := c.Bind(request.MaxBody)
	if err != nil {
		return err
	}
	f.Require("useful")
	useful := f.Boolean("useful", true)
	if err := f.Err(); err != nil {
		return err
	}
	mark := func(a *alert.Alert) error {
		if a.Useless = nil; !useful {
			a.Useless = &alert.UserMark{By: c.Caller.Name(), At: d.now.UnixMilli()}
		}
		return nil
	}
	if !d.past {
		now, err := s.deps.Alerts.Change(d.alert.ID, mark, c.Line())
		if !isUnknown(err) {
			return s.finishDeed(d, now, err)
		}
	}
	now, err := s.deps.Alerts.ChangePast(d.alert.ID, mark, c.Line())
	if err != nil {
		return s.finishDeed(d, alert.Standing{}, err)
	}
	return s.finishDeed(d, alert.Standing{Alert: now, Events: d.alert.Events}, nil)
}
