package statistics

import (
	"errors"
	"net/http"

	"quaywatch/handlers/request"
	"quaywatch/internal/rule"
)

// estimate is about what a statistic reads: Ships and Fixes, or Calls where it reads the calls at ports. All are missing where the caller may not know.
type estimate struct {
	Hours int    `json:"hours"`
	Read  int    `json:"hours_read"`
	Ships *int   `json:"ships,omitempty"`
	Fixes *int64 `json:"fixes,omitempty"`
	Calls *int   `json:"calls,omitempty"`
}

// sendEstimate tells about what a definition would read. Nothing is kept of it. How much is recorded tells of ships that are hidden, so one from whom ships
// are hidden is told no figures.
func (s *Server) sendEstimate(c *request.Request) error {
	asked, _, err := s.readAsked(c)
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
	about, err := s.deps.Stats.Estimate(c.HTTP.Context(), &asked, c.Caller.User.UID)
	var why *rule.Rule
	if errors.As(err, &why) {
		return request.BadRequest(why)
	}
	if err != nil {
		return err
	}
	if about.OfCalls {
		return c.SendJSON(http.StatusOK, estimate{Calls: &about.Calls})
	}
	return c.SendJSON(http.StatusOK, estimate{Hours: about.Hours, Read: about.Read, Ships: &about.Ships, Fixes: &about.Fixes})
}
