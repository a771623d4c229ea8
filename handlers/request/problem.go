package request

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"

	"quaywatch/form"
	"quaywatch/internal/rule"
	"quaywatch/ship"
	"quaywatch/sight"
	"quaywatch/users/access"
)

// The codes of problems, as the interface lists them.
const (
	CodeBadRequest    = "bad_request"
	CodeUnauthorized  = "unauthorized"
	CodeForbidden     = "forbidden"
	CodeNotFound      = "not_found"
	CodeShipNotFound  = "ship_not_found"
	CodePortNotFound  = "port_not_found"
	CodeAmbiguousShip = "ambiguous_ship"
	CodeAmbiguousPort = "ambiguous_port"
	CodeNoPosition    = "no_position"
	CodeNoRoute       = "no_route"
	CodeTooOld        = "too_old"
	CodeTimeout       = "timeout"
	CodeConflict      = "conflict"
	CodeNameTaken     = "name_taken"
	CodeLimitReached  = "limit_reached"
	CodeTooLarge      = "too_large"
	CodeUnsupported   = "unsupported"
	CodeFilterSyntax  = "filter_syntax"
	CodeStorageFull   = "storage_full"
	CodeStorageFailed = "storage_failed"
	CodeBusy          = "busy"
	CodeInternal      = "internal"
)

// Problem is an error that is meant for the caller: a problem document of RFC 9457.
type Problem struct {
	Status     int
	Code       string
	Rule       *rule.Rule  // nil where the first of Fields says all
	Fields     form.Errors // what is wrong with the body or the query, by field
	Offset     int         // of filter_syntax
	Records    []any       // what the answer is about, as ships or ports that match equally well
	RetryAfter time.Duration
}

// Error returns the sentence, for the log.
func (p *Problem) Error() string { return fmt.Sprintf("%d %s: %s", p.Status, p.Code, p.Detail()) }

// Detail returns the sentence of the rule, else that of the first field.
func (p *Problem) Detail() string {
	if p.Rule == nil {
		return p.Fields.Error()
	}
	return p.Rule.Error()
}

// BadRequest refuses the request as a whole.
func BadRequest(why *rule.Rule) *Problem {
	return &Problem{Status: http.StatusBadRequest, Code: CodeBadRequest, Rule: why}
}

// BadFields refuses fields of the body or the query. When the first of them is a filter, the problem is that of the filter.
func BadFields(wrong form.Errors) *Problem {
	p := &Problem{Status: http.StatusBadRequest, Code: CodeBadRequest, Fields: wrong}
	if first := wrong[0].Rule; first.Word == ship.FilterRule {
		p.Code = CodeFilterSyntax
		p.Rule, _ = first.Params["problem"].(*rule.Rule)
		p.Offset, _ = first.Params["offset"].(int)
	}
	return p
}

// BadFilter refuses a filter by the field of the body, or the parameter of the query, that it came in. Any other error stays as it is.
func BadFilter(pointer string, err error) error {
	var syntax *ship.SyntaxError
	if !errors.As(err, &syntax) {
		return err
	}
	return BadField(pointer, rule.Of(err))
}

// BadField refuses one field of the body, or a parameter of the query.
func BadField(pointer string, why *rule.Rule) *Problem {
	return BadFields(form.Errors{{Pointer: pointer, Rule: why}})
}

// NotFound says that there is no such thing, or none for this caller.
func NotFound(why *rule.Rule) *Problem {
	return &Problem{Status: http.StatusNotFound, Code: CodeNotFound, Rule: why}
}

// Forbidden says that the caller may not.
func Forbidden(why *rule.Rule) *Problem {
	return &Problem{Status: http.StatusForbidden, Code: CodeForbidden, Rule: why}
}

// Unauthorized is the problem of a request whose caller is not known.
func Unauthorized(why *rule.Rule) *Problem {
	return &Problem{Status: http.StatusUnauthorized, Code: CodeUnauthorized, Rule: why}
}

// TooMany says that there is too much of something, and when to come again.
func TooMany(why *rule.Rule, wait time.Duration) *Problem {
	return &Problem{Status: http.StatusTooManyRequests, Code: CodeLimitReached, Rule: why, RetryAfter: wait}
}

// Conflict says that the call contradicts what there is.
func Conflict(code string, why *rule.Rule) *Problem {
	return &Problem{Status: http.StatusConflict, Code: code, Rule: why}
}

// Stale refuses a change of what somebody else changed after the caller read it.
func Stale() *Problem {
	p := Conflict(CodeConflict, form.ErrStale)
	p.Fields = form.Errors{{Pointer: "/revision", Rule: rule.New("old_revision", "is not that of now")}}
	return p
}

// Internal is what the caller learns of an error of ours.
func Internal() *Problem {
	return &Problem{Status: http.StatusInternalServerError, Code: CodeInternal, Rule: rule.New("internal", "internal error, see the log")}
}

// problemOf returns the problem of an error of form, access or sight, nil for any other error.
func problemOf(err error) *Problem {
	var p *Problem
	var many form.TooMany
	var busy *sight.BusyError
	var wrong form.Errors
	var field form.Error
	var syntax *ship.SyntaxError
	switch {
	case errors.As(err, &p):
		return p
	case errors.As(err, &wrong):
		return BadFields(wrong)
	case errors.As(err, &field):
		return BadFields(form.Errors{field})
	case errors.As(err, &syntax):
		return BadFields(form.Errors{{Rule: rule.Of(err)}})
	case errors.As(err, &busy):
		return TooMany(busy.Rule, busy.Retry)
	case errors.As(err, &many):
		return Conflict(CodeLimitReached, many.Rule)
	case errors.Is(err, form.ErrTaken):
		return Conflict(CodeNameTaken, form.ErrTaken)
	case errors.Is(err, access.ErrLastAdmin):
		return Conflict(CodeConflict, access.ErrLastAdmin)
	case errors.Is(err, form.ErrReferenced):
		return Conflict(CodeConflict, form.ErrReferenced)
	case errors.Is(err, form.ErrNotFound):
		return NotFound(form.ErrNotFound)
	}
	return nil
}

// Refuse answers with the problem that an error is. Of an error of ours the log gets all and the caller nothing.
func (c *Request) Refuse(err error) {
	p := problemOf(err)
	if p == nil {
		if c.HTTP.Context().Err() != nil {
			return // the client is gone
		}
		p = c.unexpected(err)
	}
	h := c.Writer.Header()
	if p.RetryAfter > 0 {
		h.Set("Retry-After", Seconds(p.RetryAfter))
	}
	if p.Status == http.StatusUnauthorized && !fromScript(c.HTTP) {
		h.Set("WWW-Authenticate", `Basic realm="quaywatch", charset="UTF-8"`)
	}
	switch {
	case c.Writer.Written(): // in the middle of a long answer; it breaks off
	case c.Route.Problem != nil:
		contentType, body := c.Route.Problem(p)
		c.Send(p.Status, contentType, body)
	default:
		c.Send(p.Status, "application/problem+json", p.document(c.HTTP.URL.EscapedPath()))
	}
}

// unexpected is an error of ours: logged once with the request's number, which is all that the caller gets.
func (c *Request) unexpected(err error) *Problem {
	c.base.Log.Error("request failed", "request", c.Writer.Header().Get("X-Request-Id"), "method", c.HTTP.Method,
		"path", c.HTTP.URL.EscapedPath(), "error", err)
	if c.base.Known != nil {
		if p := c.base.Known(err); p != nil {
			return p
		}
	}
	return Internal()
}

// fromScript reports whether a script of a page sent the request, not a person. Then the browser must not open its own sign-in
// dialog over the client.
func fromScript(r *http.Request) bool {
	return r.Header.Get("Sec-Fetch-Dest") == "empty" || strings.EqualFold(r.Header.Get("X-Requested-With"), "XMLHttpRequest")
}

// PlainProblem is the form of errors for readers that show text: the sentence alone.
func PlainProblem(p *Problem) (contentType string, body []byte) {
	return "text/plain; charset=utf-8", []byte(p.Detail() + "\n")
}

// document returns the JSON body.
func (p *Problem) document(instance string) []byte {
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
	}{Type: "about:blank", Title: http.StatusText(p.Status), Status: p.Status, Detail: p.Detail(), Instance: instance, Code: p.Code,
		Errors: p.Fields, Records: p.Records}
	why := p.Rule
	if why == nil {
		why = p.Fields[0].Rule
	}
	body.Rule, body.Params = why.Word, why.Params
	if p.Code == CodeFilterSyntax {
		body.Offset = &p.Offset
	}
	text, err := json.Marshal(body)
	if err != nil {
		return []byte(`{"type":"about:blank","title":"Internal Server Error","status":500,"code":"internal"}`)
	}
	return text
}

// Seconds returns whole seconds for Retry-After, at least one.
func Seconds(d time.Duration) string {
	return strconv.FormatInt(max(1, int64((d+time.Second-1)/time.Second)), 10)
}
