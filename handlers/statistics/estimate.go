package statistics

import (
	"errors"
	"net/http"

	"quaywatch/handlers/call"
	"quaywatch/rule"
)

// estimate is about what a statistic reads. Ships and Fixes are missing where that is not known, or not for the caller.
type estimate struct {
	Hours int    `json:"hours"`
	Read  int    `json:"hours_read"`
	Ships *int   `json:"ships,omitempty"`
	Fixes *int64 `json:"fixes,omitempty"`
}

// estimate tells about what a definition would read. Nothing is kept of it. How much is recorded tells of ships that are hidden, so one from whom ships
// are hidden is told no figures.
func (s *Server) estimate(c *call.Call) error {
	asked, _, err := s.asked(c)
	if err != nil {
		return err
	}
	v, err := s.deps.Desk.Viewer(c)
	if err != nil {
		return err
	}
	if !v.Everything() || v.Late() {
		return c.SendJSON(http.StatusOK, estimate{})
	}
	about, known, err := s.deps.Stats.Estimate(c.Request.Context(), &asked, c.Caller.User.UID)
	var why *rule.Rule
	if errors.As(err, &why) {
		return call.BadRequest(why)
	}
	if err != nil {
		return err
	}
	if !known {
		return c.SendJSON(http.StatusOK, estimate{})
	}
	return c.SendJSON(http.StatusOK, estimate{Hours: about.Hours, Read: about.Read, Ships: &about.Ships, Fixes: &about.Fixes})
}
