package status

import (
	"errors"
	"fmt"
	"net/http"
	"strings"

	"quaywatch/box/health"
	"quaywatch/form"
	"quaywatch/handlers/request"
	"quaywatch/handlers/wire"
	"quaywatch/internal/rule"
	"quaywatch/sight"
	"quaywatch/store/records"
	"quaywatch/users/access"
	"quaywatch/users/access/right"
)

// noticeRecord is a notice as the API gives it: a sentence as that of an error, with how bad it is and since when.
type noticeRecord struct {
	Rule     string          `json:"rule"`
	Params   map[string]any  `json:"params,omitempty"`
	Detail   string          `json:"detail"`
	Severity health.Severity `json:"severity"`
	Since    string          `json:"since"`
}

// notices returns what an operator must know, but of feeds that are hidden from the caller.
func (s *Server) notices(v *sight.Viewer) []noticeRecord {
	records := []noticeRecord{}
	for _, n := range s.deps.Notices() {
		if n.Feed == "" || v.SeesFeed(n.Feed) {
			records = append(records, noticeRecord{n.Word, n.Params, n.Error(), n.Severity, wire.TimeText(n.Since.UnixMilli())})
		}
	}
	return records
}

// liveNotices returns the notices for the live stream of a user, nil when they are not for it.
func (s *Server) liveNotices(v *sight.Viewer, user *access.User) []noticeRecord {
	if !user.May(right.GetSystemStatusInformation) {
		return nil
	}
	return s.notices(v)
}

// healthz fails when a part of the service no longer moves: it is time to start it anew.
func (s *Server) healthz(c *request.Request) error {
	if stuck := s.deps.Stuck(); len(stuck) > 0 {
		return unwell(request.CodeInternal, rule.New("part_stuck", "a part of the service no longer moves: {part}", "part", stuck[0]))
	}
	return c.SendJSON(http.StatusOK, healthAnswer{"ok"})
}

// readyz fails when the store does not write: the picture goes on, but nothing is recorded.
func (s *Server) readyz(c *request.Request) error {
	st := s.deps.StoreStatus()
	r := health.Unready(st)
	switch {
	case r == nil:
		return c.SendJSON(http.StatusOK, healthAnswer{"ok"})
	case st.Full:
		return unwell(request.CodeStorageFull, r)
	}
	return unwell(request.CodeStorageFailed, r)
}

func unwell(code string, why *rule.Rule) *request.Problem {
	return &request.Problem{Status: http.StatusServiceUnavailable, Code: code, Rule: why}
}

// StorageProblem is what the caller learns when the store cannot write, nil of any other error. A disk that fails is not a full one: it
// helps nothing to make room.
func StorageProblem(err error) *request.Problem {
	switch {
	case errors.Is(err, records.ErrFull):
		return &request.Problem{Status: http.StatusInsufficientStorage, Code: request.CodeStorageFull, Rule: form.ErrFull}
	case errors.Is(err, records.ErrReadOnly):
		return unwell(request.CodeStorageFailed, rule.New("store_full", "the store cannot write"))
	}
	return nil
}

// Words returns the notices of now as one text: it is another one when they are.
func (s *Server) Words() string {
	var text strings.Builder
	for _, n := range s.deps.Notices() {
		fmt.Fprintln(&text, n.Word, n.Feed)
	}
	return text.String()
}
