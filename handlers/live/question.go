package live

import (
	"fmt"
	"hash/fnv"
	"net/http"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"quaywatch/geo"
	"quaywatch/handlers/request"
	"quaywatch/internal/rule"
	"quaywatch/ship"
	"quaywatch/ship/reading"
	"quaywatch/sight"
)

// Bounds of the questions of one stream.
const (
	mostAsks     = 16
	longestName  = 16
	nameAlphabet = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
)

// ask is one question as the client put it.
type ask struct {
	name   string // "" of the one question of filter
	bbox   string
	bounds *geo.Rect
	filter string
}

// parameter names the parameter of the query that the filter came in.
func (a *ask) parameter() string {
	if a.name == "" {
		return "filter"
	}
	return "filters[" + a.name + "]"
}

// asksOf reads what the client asks for: bbox, and filter or several filters with names.
func asksOf(c *request.Request) ([]ask, error) {
	bounds, err := c.QueryBounds("bbox")
	if err != nil {
		return nil, err
	}
	first := ask{"", c.Query("bbox"), bounds, c.Query("filter")}
	query := c.HTTP.URL.Query()
	var asks []ask
	for key, values := range query {
		name, ok := strings.CutPrefix(key, "filters[")
		if !ok {
			continue
		}
		name, ok = strings.CutSuffix(name, "]")
		if !ok || name == "" || len(name) > longestName || strings.Trim(name, nameAlphabet) != "" {
			return nil, request.BadField("filters", rule.New("filters_name", "a name has 1 to {most} letters and digits", "most", longestName))
		}
		asks = append(asks, ask{name, first.bbox, bounds, values[0]})
	}
	switch {
	case len(asks) == 0:
		return []ask{first}, nil
	case len(asks) > mostAsks:
		return nil, request.BadField("filters", rule.New("filters_many", "a stream has at most {most} filters", "most", mostAsks))
	case query.Has("filter"):
		return nil, request.BadField("filter", rule.New("filters_both", "cannot be given beside filters"))
	}
	slices.SortFunc(asks, func(a, b ask) int { return strings.Compare(a.name, b.name) })
	return asks, nil
}

// question is what a live client asked for, for a viewer.
type question struct {
	name     string
	bounds   *geo.Rect
	filter   *ship.Filter
	plain    bool // it is answered the same, whatever users keep
	whole    bool // every ship is in the answer, for a caller from whom none is hidden
	volatile bool // the filter's answer may change without a report
	hash     uint32
}

// question works out what a caller asked for.
func (s *Server) question(who *request.Caller, v *sight.Viewer, a ask) (question, error) {
	q := question{name: a.name, bounds: a.bounds, volatile: !v.Everything()}
	if strings.TrimSpace(a.filter) != "" {
		filter, err := ship.ParseFilter(a.filter, s.deps.Lookup(who.User))
		if err != nil {
			return q, err
		}
		q.filter, q.volatile = filter, q.volatile || filter.Timely()
	}
	q.plain = q.filter == nil && v.Everything()
	q.whole = q.plain && q.bounds == nil
	h := fnv.New32a()
	fmt.Fprintf(h, "%s\x00%s\x00%s\x00%s", a.name, a.bbox, a.filter, v.Key())
	q.hash = h.Sum32()
	return q, nil
}

// questionNow works a question out anew while the stream runs. A filter that names what is gone, or is hidden now, matches nothing. One that has
// become too costly is an error: the client comes again and is told.
func (s *Server) questionNow(who *request.Caller, v *sight.Viewer, a ask) (question, error) {
	q, err := s.question(who, v, a)
	if err == nil || ship.IsCostly(err) {
		return q, err
	}
	q.filter, err = ship.ParseFilter("mmsi = 0", ship.Lookup{})
	q.volatile = true
	return q, err
}

// wantsShip reports whether the client wants a ship that the caller sees.
func (q *question) wantsShip(s *ship.State, now time.Time) bool {
	if q.bounds != nil && (!s.HasFix || !q.bounds.Contains(s.Fix.Point())) {
		return false
	}
	return q.filter == nil || q.filter.Match(s, now)
}

// condition is a reading.Condition of the interface.
type condition struct {
	Start int        `json:"start"`
	End   int        `json:"end"`
	Text  string     `json:"text"`
	Says  string     `json:"says,omitempty"`
	Wrong *rule.Rule `json:"wrong,omitempty"`
}

// sendReading answers how a filter is read: its conditions, and what of it is wrong.
func (s *Server) sendReading(c *request.Request) error {
	text := c.Query("filter")
	if n := utf8.RuneCountInString(text); n > ship.MaxFilter {
		return request.BadField("filter", rule.New("filter_long", "a filter has at most {max} characters, this one {count}", "max", ship.MaxFilter, "count", n))
	}
	read := reading.Of(text, s.deps.Lookup(c.Caller.User))
	conditions := []condition{}
	for _, part := range read.Conditions {
		conditions = append(conditions, condition(part))
	}
	return c.SendJSON(http.StatusOK, map[string]any{"any": read.Any, "conditions": conditions})
}
