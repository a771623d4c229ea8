package watchdogs

import (
	"net/http"

	"quaywatch/engine/watchdogs"
	"quaywatch/handlers/request"
	"quaywatch/internal/rule"
	"quaywatch/users/access/right"
	"quaywatch/users/library"
)

// resumed is the answer to a caller that ends a pause.
type resumed struct {
	Resumed bool `json:"resumed"` // false where the watchdog was not paused
}

// resume ends the pause of a watchdog that rings too often. It is for those that may change the watchdog.
func (s *Server) resume(c *request.Request) error {
	name, err := c.PathText("name")
	if err != nil {
		return err
	}
	user := c.Caller.User
	r, ok := s.deps.Library.Get(library.Watchdogs, name)
	if !ok || !user.MayUse(r.Owned, right.AdminWatchdogDefinitions) {
		return request.NotFound(rule.New("no_such_kind", "there is no such {kind}", "kind", library.Watchdogs.String()))
	}
	if !user.MayChange(r.Owned, right.AdminWatchdogDefinitions) {
		return request.Forbidden(rule.New("watchdog_resume", "belongs to another user, and only those that may change it end its pause"))
	}
	return c.SendJSON(http.StatusOK, resumed{watchdogs.Release(s.deps.Watch, r.ID, s.deps.Desk.Sight.Now())})
}
