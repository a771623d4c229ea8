package handlers

import (
	"fmt"
	"net/http"
	"time"

	"quaywatch/access"
)

// lookback refuses times further back than the user's web_max_lookback_time.
func (s *Server) lookback(who *access.User, begin time.Time) error {
	reach := who.Lookback()
	if reach > 0 && begin.Before(s.deps.Sight.Now().Add(-reach)) {
		return forbidden(fmt.Sprintf("the setting web_max_lookback_time reaches %d hours back", reach/time.Hour))
	}
	return nil
}

// mayReport refuses a kind of report that the user's settings do not allow.
func mayReport(who *access.User, kind string) error {
	if !who.MayReport(kind) {
		return forbidden("the setting report_permissions does not allow the kind " + kind)
	}
	return nil
}

// tooLarge refuses a result of more records than the user's report_max_job_size, 0 for any number.
func tooLarge(count, limit int, instead string) error {
	if limit == 0 || count <= limit {
		return nil
	}
	return &problem{status: http.StatusBadRequest, code: codeLimitReached,
		detail: fmt.Sprintf("the result has %d records, the setting report_max_job_size allows %d: %s", count, limit, instead)}
}
