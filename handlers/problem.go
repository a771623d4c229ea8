package handlers

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"

	"quaywatch/ship"
)

// The codes of problems, as the interface lists them.
const (
	codeBadRequest    = "bad_request"
	codeUnauthorized  = "unauthorized"
	codeForbidden     = "forbidden"
	codeNotFound      = "not_found"
	codeShipNotFound  = "ship_not_found"
	codeAmbiguousShip = "ambiguous_ship"
	codeAmbiguousPort = "ambiguous_port"
	codeNoPosition    = "no_position"
	codeTimeout       = "timeout"
	codeConflict      = "conflict"
	codeNameTaken     = "name_taken"
	codeLimitReached  = "limit_reached"
	codeTooLarge      = "too_large"
	codeUnsupported   = "unsupported"
	codeFilterSyntax  = "filter_syntax"
	codeStorageFull   = "storage_full"
	codeInternal      = "internal"
)

// fieldError names a field of a request by JSON pointer and the rule that it breaks.
type fieldError struct {
	Pointer string `json:"pointer"`
	Detail  string `json:"detail"`
}

// problem is an error that is meant for the caller: a problem document of RFC 9457.
type problem struct {
	status     int
	code       string
	detail     string
	fields     []fieldError
	offset     int // of filter_syntax
	ships      []ship.State
	ports      []portRecord
	referrers  []referrerRecord
	retryAfter time.Duration
}

// Error gives the detail, for the log.
func (p *problem) Error() string { return fmt.Sprintf("%d %s: %s", p.status, p.code, p.detail) }

func badRequest(detail string, fields ...fieldError) *problem {
	return &problem{status: http.StatusBadRequest, code: codeBadRequest, detail: detail, fields: fields}
}

// badField refuses one field of the body.
func badField(pointer, rule string) *problem {
	return badRequest(broken(pointer, rule), fieldError{pointer, rule})
}

// broken words a rule that a field breaks; of the body as a whole the rule alone.
func broken(pointer, rule string) string { return strings.TrimSpace(pointer + " " + rule) }

func notFound(detail string) *problem {
	return &problem{status: http.StatusNotFound, code: codeNotFound, detail: detail}
}

func forbidden(detail string) *problem {
	return &problem{status: http.StatusForbidden, code: codeForbidden, detail: detail}
}

func unauthorized(detail string) *problem {
	return &problem{status: http.StatusUnauthorized, code: codeUnauthorized, detail: detail}
}

func tooMany(detail string, wait time.Duration) *problem {
	return &problem{status: http.StatusTooManyRequests, code: codeLimitReached, detail: detail, retryAfter: wait}
}

// document gives the JSON body.
func (p *problem) document(instance string) []byte {
	body := struct {
		Type     string       `json:"type"`
		Title    string       `json:"title"`
		Status   int          `json:"status"`
		Detail   string       `json:"detail,omitempty"`
		Instance string       `json:"instance,omitempty"`
		Code     string       `json:"code"`
		Errors   []fieldError `json:"errors,omitempty"`
		Offset   *int         `json:"offset,omitempty"`
		Records  []any        `json:"records,omitempty"`
	}{Type: "about:blank", Title: http.StatusText(p.status), Status: p.status, Detail: p.detail, Instance: instance, Code: p.code, Errors: p.fields}
	if p.code == codeFilterSyntax {
		body.Offset = &p.offset
	}
	for i := range p.ships {
		body.Records = append(body.Records, json.RawMessage(shipRecord(&p.ships[i], nil, nil)))
	}
	for _, port := range p.ports {
		body.Records = append(body.Records, port)
	}
	for _, by := range p.referrers {
		body.Records = append(body.Records, by)
	}
	text, err := json.Marshal(body)
	if err != nil {
		return []byte(`{"type":"about:blank","title":"Internal Server Error","status":500,"code":"internal"}`)
	}
	return text
}

// wait gives whole seconds for Retry-After, at least one.
func wait(d time.Duration) string {
	return strconv.FormatInt(max(1, int64((d+time.Second-1)/time.Second)), 10)
}
