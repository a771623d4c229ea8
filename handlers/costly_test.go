//go:build !race

package handlers

import (
	"fmt"
	"net/url"
	"strings"
	"testing"

	"quaywatch/handlers/live"
	"quaywatch/users/access"
)

// A filter that was quick when it was saved becomes costly when its shapes grow. A receive filter keeps its shapes from growing so far. A saved
// filter is refused with words when it is used, and an open stream ends, so that its client comes again and is told.
func TestAShapeMakesNoFilterCostly(t *testing.T) {
	const one, two = configPath + "/shape/one", configPath + "/shape/two"
	const both, small = `pos within shape(one) or pos within shape(two)`, `{"polygon":` + harbour + `}`
	comb := `{"polygon":` + polygonOf(9000) + `}`
	s := newSite(t)
	s.hear(noon(), position(nordic, 10.3, 56.14, 112, 1814))
	s.settle()
	s.addUser("anna", access.GroupOperator)
	for _, name := range []string{"one", "two"} {
		s.post(configPath+"/shape", `{"name":"`+name+`",`+small[1:]).is(t, 200)
	}
	for _, row := range []struct{ path, filter, none string }{
		{usersPath + "/anna", `{"receive_filter":{"areas":["one","two"]}}`, `{"receive_filter":{"areas":null}}`},
		{groups + "/operator", `{"receive_filter":{"expression":"` + both + `"}}`, `{"receive_filter":{"expression":null}}`},
	} {
		s.call("admin", "PUT", row.path, row.filter).is(t, 200)
		s.call("admin", "PUT", one, comb).is(t, 200)
		a := s.call("admin", "PUT", two, comb).is(t, 400, "bad_request")
		if !strings.Contains(string(a.body), "a receive filter names this shape, and would ask too much of each ship") || !strings.Contains(string(a.body), `"/polygon"`) {
			t.Errorf("%s: %s", row.filter, a.body)
		}
		s.call("admin", "PUT", two, `{"color":"#FF0000"}`).is(t, 200)
		s.call("admin", "PUT", row.path, row.none).is(t, 200)
		s.call("admin", "PUT", two, comb).is(t, 200)
		s.call("admin", "PUT", row.path, row.filter).is(t, 400)
		s.call("admin", "PUT", one, small).is(t, 200)
		s.call("admin", "PUT", two, small).is(t, 200)
	}
	s.post(configPath+"/filter", `{"name":"both","filter":"`+both+`"}`).is(t, 200)
	query := "filter=" + url.QueryEscape(both)
	l := listen(t, s.serve().URL, query, "")
	defer l.close()
	l.until("picture")
	s.call("admin", "PUT", one, comb).is(t, 200)
	s.call("admin", "PUT", two, comb).is(t, 200)
	for {
		if _, ok := l.next(); !ok {
			break
		}
	}
	if err := l.body.Err(); err != nil {
		t.Errorf("the stream did not end: %v", err)
	}
	if a := s.get(live.Path+"?"+query).is(t, 400); !strings.Contains(string(a.body), "asks too much of each ship") {
		t.Errorf("a filter that became costly: %s", a.body)
	}
}

// polygonOf returns a ring of n points with edges that lie above one another.
func polygonOf(n int) string {
	var b strings.Builder
	b.WriteString(`{"type":"Polygon","coordinates":[[`)
	for i := range n {
		fmt.Fprintf(&b, "[%g,%g],", 10+float64(i%2), 50+float64(i)/float64(n))
	}
	b.WriteString("[10,50]]]}")
	return b.String()
}
