package statistics

import (
	"cmp"
	"errors"
	"net/http"
	"slices"
	"time"

	"quaywatch/ais"
	"quaywatch/engine/stats"
	"quaywatch/engine/stats/repeat"
	"quaywatch/form"
	"quaywatch/geo/chart"
	"quaywatch/handlers/request"
	"quaywatch/handlers/resolve"
	"quaywatch/internal/rule"
	"quaywatch/ship"
	"quaywatch/sight/telling"
	"quaywatch/users/access"
	"quaywatch/users/access/right"
)

// mostRefs is how many groups and users an access list may name.
const mostRefs = 100

// fullRetry is when a caller that has too many statistics may ask again.
const fullRetry = time.Minute

// pathKind returns the kind that the path names, if the caller may ask for it.
func (s *Server) pathKind(c *request.Request) (*stats.Kind, error) {
	word, err := c.PathText("type")
	if err != nil {
		return nil, err
	}
	name, ok := stats.NameOf(word)
	if !ok {
		return nil, request.NotFound(stats.Unknown(form.CutName(word)))
	}
	if err := mayReport(c.Caller.User, name); err != nil {
		return nil, err
	}
	k, ok := s.deps.Stats.Kind(name)
	if !ok {
		return nil, request.NotFound(stats.Unknown(name))
	}
	return k, nil
}

// mayReport refuses a kind that the user may not ask for.
func mayReport(who *access.User, kind string) error {
	if err := request.MayReport(who, kind); err != nil {
		return err
	}
	return request.Entitled(who, needs(kind)...)
}

// mayTracks refuses tracks to a user that may not have them.
func mayTracks(who *access.User, f *form.Fields) error {
	if !f.Boolean("tracks", false) {
		return nil
	}
	return request.Entitled(who, withTracks()...)
}

// mayRun refuses a statistic that its owner may not ask for: it may have come in a document, or from another owner.
func (s *Server) mayRun(owner *access.User, j *stats.Job) error {
	if err := mayReport(owner, j.Kind); err != nil {
		return err
	}
	posted, err := s.deps.Stats.Posted(j.ID)
	if err != nil {
		return err
	}
	if err := mayTracks(owner, form.Of(posted)); err != nil {
		return err
	}
	return s.mayAsk(owner, j.Kind, &j.Definition, nil)
}

// started tells the number of a statistic.
type started struct {
	ID int64 `json:"id"`
}

// readAsked reads a definition that the caller may ask for, and whose it is.
func (s *Server) readAsked(c *request.Request) (stats.ParsedDefinition, stats.Job, error) {
	k, err := s.pathKind(c)
	if err != nil {
		return stats.ParsedDefinition{}, stats.Job{}, err
	}
	f, err := c.Bind(request.MaxShapeBody)
	if err != nil {
		return stats.ParsedDefinition{}, stats.Job{}, err
	}
	who := c.Caller.User
	asked, err := s.deps.Stats.Read(f, k, s.asker(c))
	if err != nil {
		return asked, stats.Job{}, err
	}
	j := stats.Job{Owned: form.Owned{Owner: who.UID}, Shared: !f.Given("acl"), Priority: who.ReportPriority(), Most: who.ReportLimit()}
	if !j.Shared {
		j.ACL = f.Holders("acl", mostRefs, s.deps.Box.Find)
	}
	j.Repeat, j.Kind = repeat.Read(f, repeat.Never), k.Name
	if j.MailTo, err = s.mailTo(c, f, who, &j); err != nil {
		return asked, j, err
	}
	if err := fieldsProblem(f); err != nil {
		return asked, j, err
	}
	if err := mayTracks(who, f); err != nil {
		return asked, j, err
	}
	return asked, j, s.mayAsk(who, k.Name, &asked.Definition, j.ACL)
}

// add takes the definition of a statistic.
func (s *Server) add(c *request.Request) error {
	asked, j, err := s.readAsked(c)
	if err != nil {
		return err
	}
	j, err = s.deps.Stats.Add(asked, j, c.Line())
	if err != nil {
		return fullProblem(err)
	}
	return c.SendJSON(http.StatusOK, started{j.ID})
}

// asker returns what a user may name.
func (s *Server) asker(c *request.Request) stats.Asker {
	who := c.Caller.User
	return stats.Asker{Names: s.deps.Lookup(who), Ports: func(ref string) []*chart.Port {
		return telling.PortsSeen(who, s.deps.Ports.Current(), ref)
	}, Ship: s.finder(c)}
}

// finder returns how the caller finds a ship. Of a problem it returns the rule, which broken knows.
func (s *Server) finder(c *request.Request) func(q ship.Identity, at time.Time) (ais.MMSI, error) {
	v, wrong := s.deps.Desk.Viewer(c)
	return func(q ship.Identity, at time.Time) (ais.MMSI, error) {
		if err := cmp.Or(wrong, c.HTTP.Context().Err()); err != nil { // or the caller has gone
			return 0, err
		}
		found, _, err := resolve.Ship(c.HTTP.Context(), v, q, at)
		var p *request.Problem
		if errors.As(err, &p) {
			err = p.Rule
		}
		return found.MMSI, err
	}
}

// fieldsProblem returns the problem of what is wrong with fields. A port or ship that is not known, or is one of several, has the answer that it has elsewhere.
func fieldsProblem(f *form.Fields) error {
	var wrong form.Errors
	if !errors.As(f.Err(), &wrong) {
		return f.Err()
	}
	p := request.BadFields(wrong)
	switch wrong[0].Rule.Word {
	case "port_unknown":
		p.Status, p.Code = http.StatusUnprocessableEntity, request.CodePortNotFound
	case "ambiguous_port":
		p.Status, p.Code = http.StatusConflict, request.CodeAmbiguousPort
	case "no_match":
		p.Status, p.Code = http.StatusUnprocessableEntity, request.CodeShipNotFound
	case "ambiguous_ship":
		p.Status, p.Code = http.StatusConflict, request.CodeAmbiguousShip
	}
	return p
}

// mayAsk refuses a definition that the user may not make.
func (s *Server) mayAsk(who *access.User, kind string, d *stats.Definition, acl []string) error {
	if err := s.deps.Desk.LookBack(who, d.Begin); err != nil {
		return err
	}
	if ofCalls(kind) && !who.May(right.ViewATAATD) && !(wholeDay(d.Begin) && wholeDay(d.End)) {
		// by periods of minutes it would find the times that it is not told
		return request.Forbidden(rule.New("stat_days", "without the right {right} begin and end must be dates", "right", right.ViewATAATD))
	}
	others := slices.ContainsFunc(acl, func(uid string) bool { return uid != who.UID })
	if others && !who.May(right.AdminReports) {
		return request.Entitled(who, right.ShareReports)
	}
	return nil
}

func wholeDay(at time.Time) bool { return at.Equal(at.Truncate(24 * time.Hour)) }

// fullProblem is the problem of a user that has too many statistics: it names those that may be deleted.
func fullProblem(err error) error {
	var many *stats.Full
	if !errors.As(err, &many) {
		return goneProblem(err)
	}
	p := request.TooMany(many.Rule, fullRetry)
	for _, j := range many.Oldest {
		p.Records = append(p.Records, struct {
			ID      int64  `json:"id"`
			Type    string `json:"type"`
			Name    string `json:"name,omitempty"`
			Created string `json:"created"`
		}{j.ID, j.Kind, j.Name, timeText(j.Created)})
	}
	return p
}

// definition returns what was asked.
func (s *Server) definition(c *request.Request) error {
	j, err := s.askedJob(c)
	if err != nil {
		return err
	}
	if word, err := c.PathText("type"); err != nil {
		return err
	} else if name, ok := stats.NameOf(word); !ok || name != j.Kind {
		return noStatistic()
	}
	posted, err := s.deps.Stats.Posted(j.ID)
	if err != nil {
		return err
	}
	answer := map[string]any{"id": j.ID, "type": j.Kind, "owner": s.owner(&j), "created": timeText(j.Created), "begin": timeText(j.Begin), "end": timeText(j.End)}
	for key, value := range posted {
		answer[key] = value
	}
	for key, value := range map[string]string{"name": j.Name, "filter": j.Filter} {
		if value != "" {
			answer[key] = value
		}
	}
	answer["execute"] = execution(&j)
	if names := s.mails(c.Caller.User, &j); len(names) > 0 {
		answer["mail_to"] = names
	}
	if j.Repeat != repeat.Never {
		answer["repeat"] = j.Repeat
	}
	if !j.Shared {
		answer["acl"] = form.Finder(s.deps.Box.Find).Named(j.ACL)
	}
	return c.SendJSON(http.StatusOK, answer)
}

func execution(j *stats.Job) any {
	if j.Start.IsZero() {
		return !j.Held
	}
	return timeText(j.Start)
}

// execute says when a statistic is to run, how often again, and to whom it is mailed.
func (s *Server) execute(c *request.Request) error {
	j, err := s.own(c)
	if err != nil {
		return err
	}
	f, err := c.Bind(request.MaxBody)
	if err != nil {
		return err
	}
	if !f.Given("repeat") && !f.Given("mail_to") {
		f.Require("execute")
	}
	held, start := stats.ReadExecute(f)
	again, who := repeat.Read(f, j.Repeat), s.answersFor(c, &j)
	to, err := s.mailTo(c, f, who, &j)
	if err = cmp.Or(err, f.Err()); err != nil {
		return err
	}
	order := stats.ChangeOrder{Repeat: &again, MailTo: &to}
	if f.Given("execute") || again != j.Repeat && again != repeat.Never {
		if err := s.mayRun(who, &j); err != nil {
			return err
		}
		if f.Given("execute") {
			order.When = &stats.When{Held: held, Start: start, Priority: who.ReportPriority(), Most: who.ReportLimit()}
		}
	}
	j, err = s.deps.Stats.Execute(j.ID, order, c.Line())
	if errors.Is(err, stats.ErrOver) {
		return request.Conflict(request.CodeConflict, stats.ErrOver)
	}
	if err != nil {
		return fullProblem(err)
	}
	return s.sendStatus(c, &j)
}

// answersFor returns the owner of a statistic, and the caller where that is gone.
func (s *Server) answersFor(c *request.Request, j *stats.Job) *access.User {
	if owner, ok := s.deps.Users.User(j.Owner); ok && owner.UID == j.Owner {
		return owner
	}
	return c.Caller.User
}

// Again says how a statistic that repeats runs again, or why its owner may not ask for it any more.
func (s *Server) Again(j *stats.Job) (when stats.When, err error) {
	owner, ok := s.deps.Users.User(j.Owner)
	if !ok || owner.UID != j.Owner || !owner.Active(s.deps.Desk.Sight.Now()) {
		return when, rule.New("owner_gone", "the owner is gone or disabled")
	}
	if err = s.mayRun(owner, j); err == nil {
		return stats.When{Priority: owner.ReportPriority(), Most: owner.ReportLimit()}, nil
	}
	var p *request.Problem
	if errors.As(err, &p) && p.Rule != nil {
		err = p.Rule
	}
	return when, err
}
