package watchdogs

import (
	"errors"
	"net/http"

	"quaywatch/handlers/request"
	"quaywatch/internal/rule"
	"quaywatch/notify"
)

// test sends a test to targets, on the way that the notices of a watchdog would go to them.
func (s *Server) test(c *request.Request) error {
	by := c.Caller.User.UID
	if by == "" {
		return request.Forbidden(rule.New("test_nameless", "without a name you test nothing: somebody answers for each notice"))
	}
	f, err := c.BindConfig(request.MaxBody)
	if err != nil {
		return err
	}
	targets, err := s.deps.Targets(c, f)
	if err != nil {
		return err
	}
	if len(targets) == 0 {
		return request.BadRequest(rule.New("no_test_target", "name at least one target in mail_to, sms_to, webhooks or mqtt"))
	}
	made, err := notify.Test(s.deps.Notices, by, targets, c.Line())
	var many *notify.TooManyTests
	switch {
	case errors.As(err, &many) && many.Wait > 0:
		return request.TooMany(many.Rule, many.Wait)
	case errors.As(err, &many):
		return request.BadRequest(many.Rule)
	case err != nil:
		return err
	}
	return c.SendJSON(http.StatusOK, testsAnswer{noticeRecords(made)})
}

// tests answers what became of the tests that the caller asked for in the last hour.
func tests(s *Server, c *request.Request) error {
	return c.SendJSON(http.StatusOK, testsAnswer{noticeRecords(notify.Tests(s.deps.Notices, c.Caller.User.UID))})
}

// testsAnswer lists tests.
type testsAnswer struct {
	Records []noticeRecord `json:"records"`
}

// noticeRecords returns notices as the API writes them.
func noticeRecords(notices []notify.Record) []noticeRecord {
	records := make([]noticeRecord, 0, len(notices))
	for _, n := range notices {
		records = append(records, noticeRecord{n.Channel, n.To, string(n.State), timeText(n.Time), n.Error})
	}
	return records
}
