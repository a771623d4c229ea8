package ships

import (
	"net/http"
	"time"

	"quaywatch/access"
	"quaywatch/handlers/call"
	"quaywatch/rule"
)

// lookback refuses times further back than the user's web_max_lookback_time.
func (s *Server) lookback(who *access.User, begin time.Time) error {
	reach := who.Lookback()
	if reach > 0 && begin.Before(s.deps.Desk.Sight.Now().Add(-reach)) {
		return call.Forbidden(rule.New("lookback", "the setting web_max_lookback_time reaches {hours} hours back", "hours", int64(reach/time.Hour)))
	}
	return nil
}

// mayReport refuses a kind of report that the user's settings do not allow.
func mayReport(who *access.User, kind string) error {
	if !who.MayReport(kind) {
		return call.Forbidden(rule.New("report_kind", "the setting report_permissions does not allow the kind {kind}", "kind", kind))
	}
	return nil
}

// tooLarge refuses an area of more ships than the user's report_max_job_size, 0 for any number.
func tooLarge(count, limit int) error {
	if limit == 0 || count <= limit {
		return nil
	}
	return &call.Problem{Status: http.StatusBadRequest, Code: call.CodeLimitReached,
		Rule: rule.New("area_large", "the result has {count} records, the setting report_max_job_size allows {max}: ask for a smaller area or a shorter duration",
			"count", count, "max", limit)}
}
