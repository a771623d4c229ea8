// Package request is the floor on which the servers of the areas stand. It has a request under way, its caller, its parameters, and the answer or the problem that
// it gets.
//
// It promises that an error is always a problem document, or what the route has in its place. A right is asked for in one place. An area
// needs nothing of the router. The package holds no rule of the domain.
package request

import (
	"errors"
	"log/slog"
	"math"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"quaywatch/form"
	"quaywatch/geo"
	"quaywatch/handlers/inflight"
	"quaywatch/internal/rule"
	"quaywatch/users/access/right"
)

// Need says which caller may use a route at all; a right of the route comes on top.
type Need uint8

// The needs. The zero route is closed.
const (
	SignIn     Need = iota
	Nothing         // anybody
	NoName          // credentials count if there are any; a caller without any is answered too
	UnlessOpen      // sign-in, unless http.metrics_auth is false
)

// Remote says which rights a route takes when the call comes from another machine.
type Remote uint8

// What a call from another machine needs.
const (
	RemoteFree   Remote = iota // nothing more: reading what is shared, and the caller's own profile
	RemoteConfig               // access_remote_configuration
	RemoteUsers                // access_remote_user_configuration as well
)

// Route is one row of the API: its address, the callers that may use it, and the function that answers.
type Route struct {
	Method, Path string
	Need         Need
	Right        right.Name // beside sign-in; "" for none
	Read         bool       // open to all where http.open_reads says so
	Remote       Remote
	Leave        bool   // open to those that came by a link, as Read is
	Personal     bool   // for a person alone: not for a program that calls by a token
	Audit        string // what the audit log calls it; "" is not logged
	Packed       bool   // its answers are compressed already, and go out as they are
	Endless      bool   // a stream, or a wait: how long it takes is no figure of the server
	Takes        bool   // a GET that takes what it gives: the next one gives something else
	Problem      func(*Problem) (contentType string, body []byte)
	Handle       func(*Request) error
}

// Writer writes an answer, and knows what was written so far.
type Writer interface {
	http.ResponseWriter
	Status() int
	Written() bool
}

// Request is one request under way.
type Request struct {
	HTTP   *http.Request
	Writer Writer
	Route  *Route
	Caller *Caller // nil if the route needs no sign-in
	Object string  // what the call is done to, for the audit log; "" is what the path names

	base    *Base
	param   func(name string) string
	written []string       // the fields of the body, for the audit log
	held    *inflight.Hold // of the body
	answer  *inflight.Hold // of the answer
	noted   bool           // the audit log has the line of the call
}

// Begin makes the call of a request; param gives the values of its path.
func (b *Base) Begin(r *http.Request, w Writer, route *Route, param func(name string) string) *Request {
	return &Request{HTTP: r, Writer: w, Route: route, base: b, param: param}
}

// AnswersHead reports whether the route answers HEAD as well. A HEAD that took a result, moved a cursor or waited would cost the caller what it does not get.
func (r *Route) AnswersHead() bool { return r.Method == http.MethodGet && !r.Takes && !r.Endless }

// Param returns a value of the path as it was sent; PathText returns it as the caller meant it.
func (c *Request) Param(name string) string { return c.param(name) }

// Query returns a parameter of the query, "" when it is not given.
func (c *Request) Query(name string) string { return c.HTTP.URL.Query().Get(name) }

// TimeOrder returns what is wrong with a begin that is not before its end, and in which of the two. A time that was not given is told.
func TimeOrder(begin, end time.Time, begins, ends bool) (key string, why *rule.Rule) {
	switch {
	case ends && !begins:
		return "end", rule.New("end_after_usual", "must be after {begin}: that is the begin where none is given", "begin", begin.UTC().Format(time.RFC3339))
	case begins && !ends:
		return "begin", rule.New("begin_before_usual", "must be before {end}: that is the end where none is given", "end", end.UTC().Format(time.RFC3339))
	}
	return "begin", rule.New("begin_before_end", "must be before end")
}

// Log returns the logger with what is known of the call.
func (c *Request) Log() *slog.Logger {
	return c.base.Log.With("user", c.Caller.Name(), "address", c.base.Proxies.Address(c.HTTP))
}

// PathText returns a value of the path as the caller meant it. Where the path holds an escaped slash, the router works on the path as it
// was sent.
func (c *Request) PathText(name string) (string, error) {
	if c.HTTP.URL.RawPath == "" {
		return c.Param(name), nil
	}
	text, err := url.PathUnescape(c.Param(name))
	if err != nil {
		return "", BadField(name, rule.New("path_escape", "must be escaped as a path is"))
	}
	return text, nil
}

// PathNumber returns a number above 0 of the path.
func (c *Request) PathNumber(name string) (int64, error) { return parseNumber(name, c.Param(name)) }

// QueryNumber returns a number above 0 of the query, 0 when it is not given.
func (c *Request) QueryNumber(name string) (int64, error) {
	if c.Query(name) == "" {
		return 0, nil
	}
	return parseNumber(name, c.Query(name))
}

func parseNumber(name, text string) (int64, error) {
	n, err := strconv.ParseInt(text, 10, 64)
	if errors.Is(err, strconv.ErrRange) && n > 0 {
		return 0, BadField(name, rule.New("range", "must be from {min} to {max}", "min", 1, "max", int64(math.MaxInt64)))
	}
	if err != nil || n < 1 {
		return 0, BadField(name, rule.New("above_zero", "must be a whole number above 0"))
	}
	return n, nil
}

// QueryWithin returns a number from 1 to most of the query, otherwise when it is not given.
func (c *Request) QueryWithin(name string, most, otherwise int) (int, error) {
	return c.QueryFrom(name, 1, most, otherwise)
}

// QueryFrom returns a number from least to most of the query, otherwise when it is not given.
func (c *Request) QueryFrom(name string, least, most, otherwise int) (int, error) {
	text := c.Query(name)
	if text == "" {
		return otherwise, nil
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < least || n > most {
		return 0, BadField(name, rule.New("range", "must be from {min} to {max}", "min", least, "max", most))
	}
	return n, nil
}

// Page bounds the part of a list that a caller may ask for.
type Page struct {
	Most     int // records of one answer
	Usual    int // those if the caller names no limit
	Farthest int // records that may stand before the first of the answer
}

// QueryPage returns what ?offset= and ?limit= ask for: how many records to leave out, and how many to give at most.
func (c *Request) QueryPage(p Page) (offset, limit int, err error) {
	if limit, err = c.QueryWithin("limit", p.Most, p.Usual); err != nil {
		return 0, 0, err
	}
	offset, err = c.QueryFrom("offset", 0, p.Farthest, 0)
	return offset, limit, err
}

// QueryTruth returns a query parameter that is true or false, otherwise when it is not given.
func (c *Request) QueryTruth(name string, otherwise bool) (bool, error) {
	switch strings.ToLower(c.Query(name)) { // Python writes True
	case "":
		return otherwise, nil
	case "true":
		return true, nil
	case "false":
		return false, nil
	}
	return false, BadField(name, rule.New("boolean", "must be true or false"))
}

// QueryTime returns a time of the query, the zero time when it is not given.
func (c *Request) QueryTime(name string) (time.Time, error) {
	if c.Query(name) == "" {
		return time.Time{}, nil
	}
	at, err := form.ParseTime(c.Query(name))
	if err != nil {
		return at, BadField(name, rule.Of(err))
	}
	return at, nil
}

// QueryDuration returns a duration above zero of the query, otherwise when it is not given.
func (c *Request) QueryDuration(name string, otherwise time.Duration) (time.Duration, error) {
	if c.Query(name) == "" {
		return otherwise, nil
	}
	d, err := form.ParseDuration(c.Query(name))
	if err == nil && d <= 0 {
		err = rule.New("no_duration", "must be longer than nothing")
	}
	if err != nil {
		return 0, BadField(name, rule.Of(err))
	}
	return d, nil
}

// BindConfig is Bind of a call that changes the configuration: the audit log notes which fields the body writes.
func (c *Request) BindConfig(most int64) (*form.Fields, error) {
	f, err := c.Bind(most)
	if err == nil {
		c.noteFields(f)
	}
	return f, err
}

// noteFields keeps the names of what the body writes, for the audit log.
func (c *Request) noteFields(f *form.Fields) {
	c.written = slices.DeleteFunc(f.Names(), func(key string) bool { return key == "revision" }) // it writes nothing
	c.written = c.written[:min(len(c.written), 40)]
	for i, name := range c.written {
		c.written[i] = form.CutName(name)
	}
}

// BoundName reads a body that is a name alone, which has to pass a check.
func (c *Request) BoundName(check func(name string) error) (string, error) {
	f, err := c.BindConfig(MaxBody)
	if err != nil {
		return "", err
	}
	name := f.RequiredText("name")
	if name != "" {
		f.Check("name", check(name))
	}
	return form.Tidy(name), f.Err()
}

// QueryBounds returns a rectangle west,south,east,north of the query, nil when it is not given.
func (c *Request) QueryBounds(name string) (*geo.Rect, error) {
	text := c.Query(name)
	if text == "" {
		return nil, nil
	}
	wrong := BadField(name, rule.New("bbox", "must be west,south,east,north in degrees"))
	parts := strings.Split(text, ",")
	if len(parts) != 4 {
		return nil, wrong
	}
	var n [4]float64
	for i, part := range parts {
		v, err := strconv.ParseFloat(strings.TrimSpace(part), 64)
		if err != nil || v != v {
			return nil, wrong
		}
		n[i] = v
	}
	r := geo.Rect{West: n[0], South: n[1], East: n[2], North: n[3]}
	if !r.Valid() {
		return nil, wrong
	}
	return &r, nil
}
