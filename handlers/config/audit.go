package config

import (
	"net/http"
	"strconv"
	"time"

	"quaywatch/form"
	"quaywatch/handlers/call"
	"quaywatch/handlers/wire"
	"quaywatch/rule"
)

// readAudit gives the audit log, latest first.
func (s *Server) readAudit(c *call.Call) error {
	var from, to time.Time
	for name, at := range map[string]*time.Time{"from": &from, "to": &to} {
		text := c.Query(name)
		if text == "" {
			continue
		}
		t, err := form.ParseTime(text)
		if err != nil {
			return call.BadField(name, rule.Of(err))
		}
		*at = t
	}
	const mostEvents = 10000
	limit := mostEvents
	if text := c.Query("limit"); text != "" {
		var err error
		if limit, err = strconv.Atoi(text); err != nil || limit < 1 || limit > mostEvents {
			return call.BadField("limit", rule.New("range", "must be from {min} to {max}", "min", 1, "max", mostEvents))
		}
	}
	events, err := s.deps.Users.Audit().Read(from, to, c.Query("user"), limit)
	if err != nil {
		return err
	}
	records := make([]auditRecord, 0, len(events))
	for _, e := range events {
		records = append(records, auditRecord{wire.TimeText(e.Time.UnixMilli()), e.User, e.Token, e.Address, e.Action, e.Object, e.Result, e.Detail})
	}
	return c.SendJSON(http.StatusOK, call.Records[auditRecord]{Records: records})
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
}
