package handlers

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"quaywatch/handlers/call"
)

// grown are the kinds of bodies that grow: what stands for a key at a size of so many elements or letters.
func grown() map[string]func(n int) string {
	list := func(one string) func(int) string {
		return func(n int) string { return "[" + strings.TrimSuffix(strings.Repeat(one+",", n), ",") + "]" }
	}
	numbered := func(form string) func(int) string {
		return func(n int) string {
			var b strings.Builder
			for i := range n {
				fmt.Fprintf(&b, form, i)
				b.WriteByte(',')
			}
			return strings.TrimSuffix(b.String(), ",")
		}
	}
	return map[string]func(int) string{
		"empty objects":   list("{}"),
		"numbers":         func(n int) string { return "[" + numbered("%d")(n) + "]" },
		"texts":           func(n int) string { return "[" + numbered(`"t%d"`)(n) + "]" },
		"equal texts":     list(`"admin"`),
		"ships":           func(n int) string { return "[" + numbered(`{"mmsi":%d}`)(n) + "]" },
		"equal ships":     list(`{"name":"A"}`),
		"berths":          func(n int) string { return "[" + numbered(`{"name":"b%d"}`)(n) + "]" },
		"wrong keys":      func(n int) string { return "{" + numbered(`"k%d":[]`)(n) + "}" },
		"objects in one":  func(n int) string { return "{" + numbered(`"areas%d":{"a":"b"}`)(n) + "}" },
		"names of areas":  func(n int) string { return `{"areas":[` + numbered(`"t%d"`)(n) + "]}" },
		"own ships":       func(n int) string { return `{"user_defined_ship_list_mmsi":[` + numbered("2%08d")(n) + "]}" },
		"types":           func(n int) string { return `{"types_of_ship":[` + numbered(`"t%d"`)(n) + "]}" },
		"terms":           func(n int) string { return `{"expression":"` + strings.Repeat("*q|", n) + `a"}` },
		"letters":         func(n int) string { return `"` + strings.Repeat("a", n) + `"` },
		"wild letters":    func(n int) string { return `"` + strings.Repeat("a*", n) + `"` },
		"letters and or":  func(n int) string { return `"` + strings.Repeat("a|", n) + `a"` },
		"brackets":        func(n int) string { return strings.Repeat("[", n) + strings.Repeat("]", n) },
		"bracket letters": func(n int) string { return `"` + strings.Repeat("(", n) + `"` },
		"hosts":           func(n int) string { return `{"enabled":true,"hosts":[` + numbered(`"h%d"`)(n) + "]}" },
		"polygon":         func(n int) string { return polygonOf(n) },
		"polygons":        func(n int) string { return list(harbour)(n / 4) },
		"rings": func(n int) string {
			return `{"type":"Polygon","coordinates":` + list("[[1,1],[1,2],[2,2],[1,1]]")(n/4) + "}"
		},
		"line": func(n int) string { return `{"type":"LineString","coordinates":[` + numbered("[1,0.%d]")(n) + "]}" },
	}
}

// polygonOf gives a ring of n points with edges that lie above one another.
func polygonOf(n int) string {
	var b strings.Builder
	b.WriteString(`{"type":"Polygon","coordinates":[[`)
	for i := range n {
		fmt.Fprintf(&b, "[%g,%g],", 10+float64(i%2), 50+float64(i)/float64(n))
	}
	b.WriteString("[10,50]]]}")
	return b.String()
}

// grownKeys gives the keys of the bodies of a route, by a part of its path.
func grownKeys() map[string][]string {
	owned := []string{"name", "acl", "revision", "unknown"}
	profile := []string{"name", "access_rights", "settings", "receive_filter", "transmit_filter", "groups", "direct_access", "unknown"}
	identity := []string{"mmsi", "name", "time"}
	return map[string][]string{
		"/shiplist": append(owned, "ships"), "/shape": append(owned, "polygon", "line", "circle"), "/filter": append(owned, "filter"),
		"/user": profile, "/group": profile, "/clone": {"name"}, "/reassign": {"name"}, "/port": {"name", "locode", "position", "outer", "inner", "berths"},
		"/ship/info": identity, "/ship/area": {"area", "duration", "time"}, "/historical/track": append(identity, "begin", "resolution"),
		"/ship/select": {"owner", "ships"}, "/ship/register": {"name", "note", "position", "mmsi", "unknown"}, "/api/session": {"name", "password"},
		"/api/token": {"name", "rights", "unknown"},
	}
}

// plainKeys take texts alone, and no lists or objects.
func plainKeys() []string {
	return []string{"name", "filter", "locode", "note", "owner", "time", "begin", "resolution", "revision", "duration", "password"}
}

// TestWorkGrowsNoFasterThanItsBody sends bodies of many kinds to every route that takes one. Eight times the body may cost eight times the
// work, and three times as much by chance or by a logarithm; what grows with the square costs 64 times.
func TestWorkGrowsNoFasterThanItsBody(t *testing.T) {
	if raceDetector {
		t.Skip("the race detector's own work is not that of the server")
	}
	const small, factor = 1000, 8
	s := newSite(t)
	s.hear(noon(), position(nordic, 10.3, 56.14, 112, 1814))
	s.settle()
	s.post(groups, `{"name":"crew"}`).is(t, 200)
	s.may("owner", keepers()...)
	table, keys, kinds := whoMayCallWhat(), grownKeys(), grown()
	number := 0
	for _, r := range (&Server{}).routeTable() {
		if r.Method != "POST" && r.Method != "PUT" {
			continue
		}
		row, path := table[r.Method+" "+r.Path], r.Path
		part := lastIn(keys, r.Path)
		if part == "" {
			t.Errorf("%s %s: no row has the keys of its body", r.Method, r.Path)
			continue
		}
		if row.thing != nil && strings.Contains(path, ":") {
			thing := row.thing(s, strconv.Itoa(100+number%900))
			path = strings.NewReplacer(":name", thing, ":mmsi", thing, ":id", thing, ":owner", thing).Replace(path)
		}
		for _, key := range keys[part] {
			for _, kind := range slices.Sorted(maps.Keys(kinds)) {
				if number++; slices.Contains(plainKeys(), key) != strings.Contains(kind, "letters") {
					continue
				}
				body := func(n int) string {
					fields := map[string]json.RawMessage{}
					if json.Unmarshal([]byte(strings.ReplaceAll(row.body, "N", strconv.Itoa(100+number%900))), &fields) != nil {
						t.Fatalf("%s: %s", r.Path, row.body)
					}
					delete(fields, key)
					delete(fields, "password") // which costs the same at any size
					text, err := json.Marshal(fields)
					if err != nil {
						t.Fatal(err)
					}
					return strings.Replace(string(text), "{", `{"`+key+`":`+kinds[kind](n)+strings.Repeat(",", min(1, len(fields))), 1)
				}
				cost := func(n int) time.Duration { return s.workOf(r.Method, path, body(n)) }
				s.growth(fmt.Sprintf("%s %s, %s of %s", r.Method, r.Path, key, kind), cost, small, factor)
			}
		}
	}
}

// lastIn gives which of the parts stands last in a path.
func lastIn(parts map[string][]string, path string) (last string) {
	at := -1
	for part := range parts {
		if i := strings.LastIndex(path, part); i > at || i >= 0 && i == at && len(part) > len(last) {
			last, at = part, i
		}
	}
	return last
}

// growth compares the cost of two sizes. A cost that is high once says nothing: of five comparisons one has to do.
func (s *site) growth(what string, cost func(n int) time.Duration, small, factor int) {
	s.t.Helper()
	const least = 20 * time.Millisecond // of the larger one: less than that is no harm, whatever it grows with
	var seen []string
	for range 5 {
		large := cost(small * factor)
		if large < least {
			return
		}
		little := min(cost(small), cost(small))
		if large <= time.Duration(3*factor)*little {
			return
		}
		seen = append(seen, fmt.Sprint(little, " and ", large))
	}
	s.t.Errorf("%s: %d and %d elements cost %v", what, small, small*factor, seen)
}

// workOf gives the processor time that an answer takes.
func (s *site) workOf(method, path, body string) time.Duration {
	s.t.Helper()
	for _, u := range s.users.List() {
		s.server.jobs.Forget(call.OwnerKey(u.UID)) // room for a job
	}
	before := busy(s.t)
	a := s.call("admin", method, path, body)
	if a.status >= 500 {
		s.t.Errorf("%s %s: %d %.200s", method, path, a.status, a.body)
	}
	return busy(s.t) - before
}
