package settings

import (
	"net/http"
	"strings"
	"time"

	"quaywatch/handlers/request"
	"quaywatch/handlers/wire"
	"quaywatch/internal/fold"
	"quaywatch/internal/rule"
	"quaywatch/users/access/audit"
)

// mostEvents bounds a page of the audit log.
const mostEvents = 10000

// readAudit returns a page of the audit log, latest first. A caller from whom something is hidden is not told what others did things to: that names ships,
// lists and places.
func (s *Server) readAudit(c *request.Request) error {
	q, err := auditQuery(c)
	if err != nil {
		return err
	}
	page, err := s.deps.Users.Audit().Read(c.HTTP.Context(), q)
	if err != nil {
		return err
	}
	answer := auditAnswer{Records: make([]auditRecord, 0, len(page.Events)), Next: page.Next.String()}
	who := c.Caller.User
	narrowed, own := who.Narrowed(), fold.Name(who.Name)
	for _, e := range page.Events {
		if narrowed && fold.Name(e.User) != own {
			e.Object, e.Detail = "", ""
		}
		answer.Records = append(answer.Records, auditRecord{wire.TimeText(e.Time.UnixMilli()), e.User, e.Token, e.Address, e.Action, e.Object, e.Result,
			e.Detail, e.Count})
	}
	return c.SendJSON(http.StatusOK, answer)
}

func auditQuery(c *request.Request) (q audit.Query, err error) {
	for name, at := range map[string]*time.Time{"from": &q.From, "to": &q.To} {
		if *at, err = c.QueryTime(name); err != nil {
			return q, err
		}
	}
	if word := c.Query("kind"); word != "" {
		k, ok := audit.KindOf(word)
		if !ok {
			return q, request.BadField("kind", rule.New("one_of", "must be one of {words}", "words", strings.Join(audit.Words(), ", ")))
		}
		q.Kinds = []audit.Kind{k}
	}
	if text := c.Query("before"); text != "" {
		if q.Before, err = audit.ParsePlace(text); err != nil {
			return q, request.BadField("before", rule.Of(err))
		}
	}
	q.User = c.Query("user")
	q.Limit, err = c.QueryWithin("limit", mostEvents, mostEvents)
	return q, err
}

// auditAnswer is a page; Next asks for the page before it, and is empty when there is none.
type auditAnswer struct {
	Records []auditRecord `json:"records"`
	Next    string        `json:"next,omitempty"`
}

type auditRecord struct {
	Time    string `json:"time"`
	User    string `json:"user"`
	Token   string `json:"token,omitempty"`
	Address string `json:"address"`
	Action  string `json:"action"`
	Object  string `json:"object,omitempty"`
	Result  string `json:"result"`
	Detail  string `json:"detail,omitempty"`
	Count   int    `json:"count,omitempty"` // of equal refusals; none is one
}
