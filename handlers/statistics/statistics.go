// Package statistics answers the calls about statistics: it takes their definitions, tells how they do, and gives their results. What a result
// tells is cut for each reader when it is read, whoever ran it.
package statistics

import (
	"errors"
	"slices"

	"quaywatch/engine/stats"
	"quaywatch/handlers/inflight"
	"quaywatch/handlers/request"
	"quaywatch/internal/rule"
	"quaywatch/notify"
	"quaywatch/ship"
	"quaywatch/users/access"
	"quaywatch/users/access/right"
	"quaywatch/users/document"
	"quaywatch/users/registry"
)

// Path is that of the statistics.
const Path = "/api/jobserver/stat"

// Deps is what the calls about statistics are made of.
type Deps struct {
	Stats  *stats.Statistics
	Users  *access.Users
	Box    *document.Box // finds groups and users
	Ports  *registry.PortTable
	Desk   *request.Desk
	Lookup func(*access.User) ship.Lookup // the names that a user may use

	Notices *notify.Outbox   // mails results
	Answers *inflight.Budget // the memory of long answers, among them the tables that are mailed
}

// Server answers about statistics.
type Server struct{ deps Deps }

// New makes the server.
func New(d Deps) *Server { return &Server{d} }

// Routes are the calls about statistics.
func (s *Server) Routes() []request.Route {
	const all, byID = Path + "/statistic", Path + "/statistic/:id"
	return []request.Route{
		{Method: "POST", Path: Path + "/:type", Audit: "statistic", Handle: s.web(s.add)},
		{Method: "POST", Path: Path + "/:type/estimate", Handle: s.web(s.sendEstimate)},
		{Method: "GET", Path: Path + "/:type/:id", Handle: s.web(s.definition)},
		{Method: "GET", Path: Path + "/:type/result/:id", Handle: s.web(s.result)},
		{Method: "GET", Path: Path + "/:type/lateral/:id", Handle: s.web(s.lateral)},
		{Method: "GET", Path: all, Handle: s.web(s.listStatistics)},
		{Method: "GET", Path: byID, Handle: s.web(s.sendAskedStatus)},
		{Method: "PUT", Path: byID, Audit: "statistic", Handle: s.web(s.execute)},
		{Method: "DELETE", Path: byID, Audit: "statistic", Handle: s.web(s.remove)},
	}
}

// web asks for the right of the statistics pages where the caller comes by the web client.
func (s *Server) web(handle func(*request.Request) error) func(*request.Request) error {
	return func(c *request.Request) error {
		if c.Caller.Token != "" {
			if err := request.Entitled(c.Caller.User, right.WebReportAccess); err != nil {
				return err
			}
		}
		return handle(c)
	}
}

// needs returns the rights without which nobody defines or reads statistics of a kind: what other calls hide, these do not show.
func needs(kind string) []right.Name {
	if kind == "historicaltrack" {
		return []right.Name{right.ViewHistoricalTracks}
	}
	return []right.Name{right.ViewHistory}
}

// ofCalls reports whether a kind tells of calls at ports, and so of their times.
func ofCalls(kind string) bool {
	return slices.Contains([]string{"portcalls", "trip", "pilotboat"}, kind)
}

func noStatistic() error {
	return request.NotFound(rule.New("no_statistic", "there is no such statistic"))
}

// shares reports whether a user may see a statistic. These are its owner, those of the access list, and without a list those that have a group in common with
// the owner.
func (s *Server) shares(who *access.User, j *stats.Job) bool {
	if who.MayUse(j.Owned, right.AdminReports) {
		return true
	}
	if !j.Shared {
		return false
	}
	owner, ok := s.deps.Users.User(j.Owner)
	return ok && owner.UID == j.Owner && slices.ContainsFunc(owner.Groups, func(g string) bool { return slices.Contains(who.Groups, g) })
}

// Shows reports whether a user may see the statistic of a uid.
func (s *Server) Shows(who *access.User, uid string) bool {
	return slices.ContainsFunc(s.deps.Stats.All(), func(j stats.Job) bool { return j.UID == uid && s.shares(who, &j) })
}

// askedJob returns the statistic of the path, as far as the caller may see it.
func (s *Server) askedJob(c *request.Request) (stats.Job, error) {
	id, err := c.PathNumber("id")
	if err != nil {
		return stats.Job{}, err
	}
	j, err := s.deps.Stats.Get(id)
	if err != nil || !s.shares(c.Caller.User, &j) {
		return j, noStatistic()
	}
	return j, nil
}

// own returns the statistic of the path, if the caller may change it.
func (s *Server) own(c *request.Request) (stats.Job, error) {
	j, err := s.askedJob(c)
	if err == nil && !c.Caller.User.MayChange(j.Owned, right.AdminReports) {
		err = request.Forbidden(rule.New("needs_right", "needs the right {right}", "right", right.AdminReports))
	}
	return j, err
}

// remove deletes a statistic; one that runs is aborted first.
func (s *Server) remove(c *request.Request) error {
	j, err := s.own(c)
	if err != nil {
		return err
	}
	if err := s.deps.Stats.Delete(j.ID, c.Line()); err != nil {
		return goneProblem(err)
	}
	return c.NoContent()
}

// goneProblem makes of an unknown statistic the problem that it is.
func goneProblem(err error) error {
	if errors.Is(err, stats.ErrUnknown) {
		return noStatistic()
	}
	return err
}
