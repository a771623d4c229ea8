package handlers

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
	"time"

	"quaywatch/form"
	"quaywatch/rule"
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

// problem is an error that is meant for the caller: a problem document of RFC 9457.
type problem struct {
	status     int
	code       string
	rule       *rule.Rule  // nil where the first of fields says all
	fields     form.Errors // what is wrong with the body or the query, by field
	offset     int         // of filter_syntax
	ships      []ship.State
	ports      []portRecord
	referrers  []referrerRecord
	retryAfter time.Duration
}

// Error gives the detail, for the log.
func (p *problem) Error() string { return fmt.Sprintf("%d %s: %s", p.status, p.code, p.detail()) }

// detail gives the sentence of the rule, else that of the first field.
func (p *problem) detail() string {
	if p.rule == nil {
		return p.fields.Error()
	}
	return p.rule.Error()
}

func badRequest(why *rule.Rule) *problem {
	return &problem{status: http.StatusBadRequest, code: codeBadRequest, rule: why}
}

// badFields refuses fields of the body or the query.
func badFields(wrong form.Errors) *problem {
	return &problem{status: http.StatusBadRequest, code: codeBadRequest, fields: wrong}
}

// badField refuses one field of the body, or a parameter of the query.
func badField(pointer string, why *rule.Rule) *problem {
	return badFields(form.Errors{{Pointer: pointer, Rule: why}})
}

func notFound(why *rule.Rule) *problem {
	return &problem{status: http.StatusNotFound, code: codeNotFound, rule: why}
}

func forbidden(why *rule.Rule) *problem {
	return &problem{status: http.StatusForbidden, code: codeForbidden, rule: why}
}

func unauthorized(why *rule.Rule) *problem {
	return &problem{status: http.StatusUnauthorized, code: codeUnauthorized, rule: why}
}

func tooMany(why *rule.Rule, wait time.Duration) *problem {
	return &problem{status: http.StatusTooManyRequests, code: codeLimitReached, rule: why, retryAfter: wait}
}

// document gives the JSON body.
func (p *problem) document(instance string) []byte {
	body := struct {
		Type     string         `json:"type"`
		Title    string         `json:"title"`
		Status   int            `json:"status"`
		Detail   string         `json:"detail"`
		Instance string         `json:"instance,omitempty"`
		Code     string         `json:"code"`
		Rule     string         `json:"rule"`
		Params   map[string]any `json:"params,omitempty"`
		Errors   form.Errors    `json:"errors,omitempty"`
		Offset   *int           `json:"offset,omitempty"`
		Records  []any          `json:"records,omitempty"`
	}{Type: "about:blank", Title: http.StatusText(p.status), Status: p.status, Detail: p.detail(), Instance: instance, Code: p.code, Errors: p.fields}
	why := p.rule
	if why == nil {
		why = p.fields[0].Rule
	}
	body.Rule, body.Params = why.Word, why.Params
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
