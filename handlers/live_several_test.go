package handlers

import (
	"fmt"
	"net/url"
	"reflect"
	"strings"
	"testing"
	"time"

	"quaywatch/ais"
	"quaywatch/handlers/live"
	"quaywatch/handlers/request"
	"quaywatch/users/access"
)

// several is the query of a stream with these filters, in pairs of name and expression.
func several(pairs ...string) string {
	q := url.Values{}
	for i := 0; i < len(pairs); i += 2 {
		q.Set("filters["+pairs[i]+"]", pairs[i+1])
	}
	return q.Encode()
}

// answers is what the client of a stream with several filters knows by each of them.
type answers map[string]map[float64]bool

// take does what a client does with an event.
func (a answers) take(e event) {
	if e.name != "picture" && e.name != "change" {
		return
	}
	name := e.data["filter"].(string)
	if e.name == "picture" || a[name] == nil {
		a[name] = map[float64]bool{}
	}
	for _, r := range e.data["records"].([]any) {
		a[name][r.(map[string]any)["mmsi"].(float64)] = true
	}
	gone, _ := e.data["gone"].([]any)
	for _, m := range gone {
		delete(a[name], m.(float64))
	}
}

// until takes events until the client knows what it should.
func (a answers) until(t *testing.T, l *listener, want answers) (events []string) {
	t.Helper()
	for !reflect.DeepEqual(a, want) {
		e, ok := l.next()
		if !ok {
			t.Fatalf("the client knows %v, want %v", a, want)
		}
		a.take(e)
		if filter, ok := e.data["filter"].(string); ok {
			events = append(events, e.name+" "+filter)
		}
	}
	return events
}

func known(numbers ...ais.MMSI) map[float64]bool {
	m := map[float64]bool{}
	for _, n := range numbers {
		m[float64(n)] = true
	}
	return m
}

// TestOneStreamAnswersSeveralFilters: each gets what a stream of its own would get, and a question that is new does not disturb the others.
func TestOneStreamAnswersSeveralFilters(t *testing.T) {
	s := newSite(t)
	const slow, fast, late = ais.MMSI(219000001), ais.MMSI(219000002), ais.MMSI(219000003)
	s.hear(noon(), position(slow, 10, 56, 10, 900))
	s.hear(noon(), position(fast, 11, 56, 200, 900))
	address := s.serve().URL
	first, told := listen(t, address, several("a", "", "b", "sog > 5"), ""), answers{}
	told.until(t, first, answers{"a": known(slow, fast), "b": known(fast)})
	s.hear(noon().Add(time.Minute), position(slow, 10, 56, 90, 900))
	s.hear(noon().Add(time.Minute), position(fast, 11, 56, 10, 900))
	told.until(t, first, answers{"a": known(slow, fast), "b": known(slow)})
	first.until("status") // its number is that of all parts
	first.close()

	s.hear(noon().Add(2*time.Minute), position(late, 12, 56, 150, 900))
	again := listen(t, address, several("a", "", "b", "sog > 5", "c", "sog > 10"), first.lastID)
	events := told.until(t, again, answers{"a": known(slow, fast, late), "b": known(slow, late), "c": known(late)})
	if got := strings.Join(events, ", "); strings.Contains(got, "picture a") || strings.Contains(got, "picture b") || !strings.Contains(got, "picture c") {
		t.Errorf("the stream went on with %s", got)
	}
	again.until("status")
	again.close()

	renamed := listen(t, address, several("d", "", "b", "sog > 5"), again.lastID)
	delete(told, "c")
	delete(told, "a")
	if got := strings.Join(told.until(t, renamed, answers{"d": known(slow, fast, late), "b": known(slow, late)}), ", "); got != "picture d" {
		t.Errorf("after a question got another name came %s", got)
	}
}

// TestABrokenStreamLosesNoPart: a client that got the change of one part, and not yet of the other, gets both again.
func TestABrokenStreamLosesNoPart(t *testing.T) {
	s := newSite(t)
	s.hear(noon(), position(219000001, 10, 56, 100, 900))
	address := s.serve().URL
	first, told := listen(t, address, several("a", "", "b", "sog > 5"), ""), answers{}
	told.until(t, first, answers{"a": known(219000001), "b": known(219000001)})
	first.until("status")
	s.hear(noon(), position(219000002, 10, 56, 100, 900))
	if e := first.until("change"); e.data["filter"] != "a" {
		t.Fatalf("the first change is of %v", e.data["filter"])
	}
	first.close()
	again := listen(t, address, several("a", "", "b", "sog > 5"), first.lastID)
	events := told.until(t, again, answers{"a": known(219000001, 219000002), "b": known(219000001, 219000002)})
	if got := strings.Join(events, ", "); got != "change a, change b" {
		t.Errorf("the stream went on with %s", got)
	}
}

func TestSeveralFiltersAreRefused(t *testing.T) {
	s := newSite(t)
	many := []string{}
	for i := range 17 {
		many = append(many, fmt.Sprint(i), "")
	}
	for _, row := range []struct{ query, code, parameter string }{
		{several("a", "", "b2", "spede > 3"), request.CodeFilterSyntax, "filters[b2]"},
		{several(many...), request.CodeBadRequest, "filters"},
		{several("", "sog > 1"), request.CodeBadRequest, "filters"},
		{several("a.b", "sog > 1"), request.CodeBadRequest, "filters"},
		{several(strings.Repeat("a", 17), ""), request.CodeBadRequest, "filters"},
		{several("a", "") + "&filter=", request.CodeBadRequest, "filter"},
		{several("a", "") + "&bbox=1,2,3", request.CodeBadRequest, "bbox"},
	} {
		a := s.get(live.Path+"?"+row.query).is(t, 400, row.code).json(t)
		if got := a["errors"].([]any)[0].(map[string]any)["parameter"]; got != row.parameter {
			t.Errorf("%s: parameter %v", row.query, got)
		}
	}
	address, half := s.serve().URL, several(many[:32]...)
	for range 2 {
		listen(t, address, half, "").until("picture")
	}
	s.get(live.Path).is(t, 429, request.CodeLimitReached)
}

// TestAStreamNamesItsUser: a browser learns by it that another user has signed in, or none.
func TestAStreamNamesItsUser(t *testing.T) {
	s := newSite(t)
	l := listen(t, s.serve().URL, "", "")
	uid := s.user(access.AdminName).UID
	if got := l.header.Get(live.UserHeader); got != uid || uid == "" {
		t.Errorf("the stream is for %q, the user is %q", got, uid)
	}
	if got := s.get("/api/session").is(t, 200).json(t)["uid"]; got != uid {
		t.Errorf("the session is of %v", got)
	}
}
