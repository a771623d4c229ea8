package statistics

import (
	"net/http"
	"time"

	"quaywatch/engine/stats"
	"quaywatch/engine/stats/repeat"
	"quaywatch/handlers/request"
	"quaywatch/internal/rule"
	"quaywatch/sight"
	"quaywatch/sight/telling"
	"quaywatch/users/access"
	"quaywatch/users/access/right"
	"quaywatch/users/library"
)

// record is how a statistic does.
type record struct {
	ID       int64           `json:"id"`
	Type     string          `json:"type"`
	Name     string          `json:"name,omitempty"`
	Status   string          `json:"status"`
	Progress int             `json:"progress"`
	Begin    string          `json:"begin"`
	End      string          `json:"end"`
	Created  string          `json:"created"`
	Start    string          `json:"start,omitempty"`
	Held     bool            `json:"held,omitempty"`
	Repeat   repeat.Interval `json:"repeat,omitempty"`
	Next     string          `json:"next,omitempty"`    // when it runs again
	MailTo   []string        `json:"mail_to,omitempty"` // for those that may change it
	Mails    []mailRecord    `json:"mails,omitempty"`   // of one statistic, the same
	Started  string          `json:"started,omitempty"`
	Finished string          `json:"finished,omitempty"`
	Owner    string          `json:"owner,omitempty"`
	Error    string          `json:"error,omitempty"`
	Why      *rule.Rule      `json:"error_rule,omitempty"`
	Warnings []*rule.Rule    `json:"warnings"`
	Records  *int64          `json:"records,omitempty"` // of all readers: not told to one from whom ships are hidden
}

// mailRecord is what became of a mail.
type mailRecord struct {
	To    string `json:"to"`
	State string `json:"state"`
	Time  string `json:"time"`
	Error string `json:"error,omitempty"`
}

// mails returns the users and addresses that a result is mailed to, for a user that may change the statistic.
func (s *Server) mails(who *access.User, j *stats.Job) []string {
	if !who.MayChange(j.Owned, right.AdminReports) {
		return nil
	}
	return library.MailNames(j.MailTo, s.deps.Box.Find)
}

// timeText returns a time as the interface writes it, "" for none. The beginning of 1970 is one: a period may begin then.
func timeText(at time.Time) string {
	if at.IsZero() {
		return ""
	}
	return at.UTC().Format("2006-01-02T15:04:05.999Z07:00")
}

// owner returns the name of the owner, "" when it is gone.
func (s *Server) owner(j *stats.Job) string {
	if u, ok := s.deps.Users.User(j.Owner); ok && u.UID == j.Owner {
		return u.Name
	}
	return ""
}

func (s *Server) statisticRecord(j *stats.Job) record {
	r := record{ID: j.ID, Type: j.Kind, Name: j.Name, Status: string(j.State), Progress: j.Progress, Begin: timeText(j.Begin), End: timeText(j.End),
		Created: timeText(j.Created), Start: timeText(j.Start), Held: j.Held && j.State == stats.Idle, Started: timeText(j.Started), Finished: timeText(j.Finished), Owner: s.owner(j), Warnings: []*rule.Rule{},
		Repeat: j.Repeat, Next: timeText(j.Next())}
	for i := range j.Warnings {
		r.Warnings = append(r.Warnings, j.Warnings[i].Rule())
	}
	if j.Stuck != nil {
		r.Warnings = append(r.Warnings, j.Stuck.Rule())
	}
	if j.Error != nil {
		r.Why = j.Error.Rule()
		r.Error = r.Why.Error()
	}
	return r
}

// toldRecord is the record of a statistic as a reader is told of it. How many records all readers together could have tells of ships that are hidden. So
// does a warning that says why there is none, and that the result was cut: what is missing to the limit are hidden records.
func (s *Server) toldRecord(who *access.User, v *sight.Viewer, j *stats.Job) record {
	r := s.statisticRecord(j)
	if v.Everything() && !awaitsRun(s.deps.Desk.ListenerOf(who, v), j) {
		r.Records = &j.Records
	} else {
		r.Warnings = warningsFor(r.Warnings)
	}
	return r
}

// awaitsRun reports whether a reader that is told late is not told as yet all that the run of a statistic knew.
func awaitsRun(l *telling.Listener, j *stats.Job) bool {
	switch {
	case !l.Viewer.Late():
		return false
	case j.State != stats.Completed:
		return true
	case ofCalls(j.Kind):
		return l.AwaitsCalls(j.Finished, j.Kind == "portcalls") > 0
	}
	return sight.Awaits(l.Viewer, j.Finished) > 0
}

// warningsFor leaves out what tells of the traffic, as why a result has no records.
func warningsFor(all []*rule.Rule) []*rule.Rule {
	kept := []*rule.Rule{}
	for _, warning := range all {
		switch warning.Word {
		case "stat_nothing", "stat_filtered", "stat_none", "stat_cut", "stat_rafted", "stat_long", "stat_thinned":
		default:
			kept = append(kept, warning)
		}
	}
	return kept
}

// listStatistics returns all statistics that the caller may see.
func (s *Server) listStatistics(c *request.Request) error {
	v, err := s.deps.Desk.Viewer(c)
	if err != nil {
		return err
	}
	answer := request.Records[record]{Records: []record{}}
	for _, j := range s.deps.Stats.All() {
		if s.shares(c.Caller.User, &j) {
			r := s.toldRecord(c.Caller.User, v, &j)
			r.MailTo = s.mails(c.Caller.User, &j)
			answer.Records = append(answer.Records, r)
		}
	}
	return c.SendJSON(http.StatusOK, answer)
}

// sendAskedStatus returns one of them.
func (s *Server) sendAskedStatus(c *request.Request) error {
	j, err := s.askedJob(c)
	if err != nil {
		return err
	}
	return s.sendStatus(c, &j)
}

func (s *Server) sendStatus(c *request.Request, j *stats.Job) error {
	v, err := s.deps.Desk.Viewer(c)
	if err != nil {
		return err
	}
	r := s.toldRecord(c.Caller.User, v, j)
	if r.MailTo = s.mails(c.Caller.User, j); c.Caller.User.MayChange(j.Owned, right.AdminReports) {
		for _, m := range s.deps.Notices.Parcels(j.ID) {
			r.Mails = append(r.Mails, mailRecord{m.To, string(m.State), timeText(m.Time), m.Error})
		}
	}
	return c.SendJSON(http.StatusOK, r)
}
