//go:build !race

package handlers

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"quaywatch/form"
	"quaywatch/handlers/request"
	"quaywatch/users/document"
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

// grownKeys returns the keys of the bodies of a route, by a part of its path.
func grownKeys() map[string][]string {
	owned := []string{"name", "acl", "revision", "unknown"}
	profile := []string{"name", "access_rights", "settings", "receive_filter", "transmit_filter", "groups", "direct_access", "unknown"}
	identity := []string{"mmsi", "name", "time"}
	return map[string][]string{
		"/shiplist": append(owned, "ships"), "/shape": append(owned, "polygon", "line", "circle", "sector"), "/filter": append(owned, "filter"),
		"/user": profile, "/group": profile, "/clone": {"name"}, "/reassign": {"name"}, "/port": {"name", "locode", "position", "outer", "inner", "berths"},
		"/ship/info": identity, "/ship/area": {"area", "duration", "time"}, "/chart/rejected": {"area"}, "/watchdog/definition": append(owned, "polygon", "line", "cable", "fishing", "cpa", "filter", "port", "severity", "inactivity_timeout", "create_shiplist", "shiplist_timeout", "lost", "anchor", "aton", "speed", "route", "silent", "calendar", "escalate_after", "escalate_to"), "/watchdog/event": {"time"}, "/event/manual": {"message", "position", "unknown"}, "/watchdog/preview": {"definition", "event", "unknown"},
		"/notice/test":     {"mail_to", "sms_to", "webhooks", "mqtt", "unknown"},
		"/watchdog/dryrun": {"definition", "from", "unknown"}, "/api/messages": {"text", "unknown"}, "/ack": {"for", "unknown"}, "/silence": {"unknown"}, "/transfer": {"to", "unknown"}, "/useful": {"useful", "unknown"}, "/requested": {"time", "place", "position", "berth", "unknown"}, "/ship/track": {"source", "destination", "waypoints", "erp"}, "/historical/track": append(identity, "begin", "resolution"),
		"/ship/select": {"owner", "ships"}, "/ship/register": {"name", "note", "position", "mmsi", "unknown"}, "/api/session": {"name", "password"},
		"/stat/:type":    {"name", "acl", "filter", "begin", "execute", "repeat", "mail_to", "shape", "mmsi", "ports", "shiplist", "ships", "passageline", "passagelines", "a_team", "b_team", "shapes", "distance", "sog", "unknown"},
		"/statistic/:id": {"execute", "repeat", "mail_to", "unknown"}, "/api/token": {"name", "rights", "link", "unknown"}, "/api/distress/acknowledge": {"mmsi", "before", "unknown"},
	}
}

// plainKeys take texts alone, and no lists or objects.
func plainKeys() []string {
	return []string{"place", "name", "message", "filter", "locode", "note", "owner", "time", "begin", "resolution", "revision", "duration", "password", "severity", "inactivity_timeout", "escalate_after", "for", "text", "from"}
}

// TestWorkGrowsNoFasterThanItsBody sends bodies of many kinds to every route that takes one. Eight times the body may cost eight times the
// work, and three times as much by chance or by a logarithm; what grows with the square costs 64 times.
func TestWorkGrowsNoFasterThanItsBody(t *testing.T) {
	const small, factor = 1000, 8
	s := newSite(t)
	s.hear(noon(), position(nordic, 10.3, 56.14, 112, 1814))
	s.settle()
	s.post(groups, `{"name":"crew"}`).is(t, 200)
	s.may("owner", keepers()...)
	table, keys, kinds := whoMayCallWhat(), grownKeys(), grown()
	number, things := 0, 100
	kindWith := map[string]string{"shape": "area", "ships": "multiship", "passageline": "passageline", "passagelines": "multipassageline", "a_team": "nmss", "b_team": "transitpilot", "shapes": "transitpilot", "distance": "nmss", "sog": "nmss"}
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
		for _, key := range keys[part] {
			if path = r.Path; row.thing != nil && strings.Contains(path, ":") {
				things++ // a new one: what an old one has grown to would cost the small body too
				thing := row.thing(s, strconv.Itoa(things))
				if thing == "owner" {
					thing = anotherUser(s, strconv.Itoa(things))
				}
				path = strings.NewReplacer(":name", thing, ":mmsi", thing, ":id", thing, ":owner", thing).Replace(path)
			}
			path = strings.Replace(path, ":type", cmp.Or(kindWith[key], "portcalls"), 1)
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

// crowds are documents with many things, by what is many in them; fewest is how many there are in the smaller one.
func crowds() map[string]struct {
	fewest int
	of     func(n int) string
} {
	section := func(key, entry string) func(n int) string {
		return func(n int) string {
			var b strings.Builder
			for i := range n {
				b.WriteString(strings.ReplaceAll(entry, "%", strconv.Itoa(i)) + ",")
			}
			return fmt.Sprintf("%q:[%s]", key, strings.TrimSuffix(b.String(), ","))
		}
	}
	whole := func(sections ...func(n int) string) func(n int) string {
		return func(n int) string {
			text := `{"version":1`
			for _, section := range sections {
				text += "," + section(n)
			}
			return text + "}"
		}
	}
	const spot = `"circle":{"center":{"type":"Point","coordinates":[1,2]},"radius":5}`
	users, groups := section("users", `{"name":"user %"}`), section("groups", `{"name":"group %"}`)
	lists, shapes := section("shiplists", `{"name":"list %","ships":[]}`), section("shapes", `{"name":"shape %",`+spot+`}`)
	return map[string]struct {
		fewest int
		of     func(n int) string
	}{
		"users":                 {600, whole(users)},
		"users of one name":     {600, whole(section("users", `{"name":"a"}`))},
		"groups":                {110, whole(groups)},
		"members":               {110, whole(groups, section("users", `{"name":"user %","groups":["group %"]}`))},
		"ship lists":            {600, whole(lists)},
		"lists of one name":     {600, whole(section("shiplists", `{"name":"a","ships":[]}`))},
		"shapes":                {600, whole(shapes)},
		"shapes of one region":  {600, whole(section("shapes", `{"name":"shape %","region":7,`+spot+`}`))},
		"shapes of regions":     {600, whole(section("shapes", `{"name":"shape %","region":1%,`+spot+`}`))},
		"shapes with owners":    {600, whole(users, section("shapes", `{"name":"shape %","owner":"user %","acl":["user %"],`+spot+`}`))},
		"filters":               {600, whole(shapes, lists, section("filters", `{"name":"filter %","filter":"shiplist = 'list %' and pos within shape('shape %')"}`))},
		"ports":                 {600, whole(section("ports", `{"name":"port %"}`))},
		"ports of one name":     {600, whole(section("ports", `{"name":"port"}`))},
		"register":              {6000, whole(section("register", `{"name":"ship %"}`))},
		"ships of one name":     {6000, whole(section("register", `{"mmsi":2%,"name":"barge"}`))},
		"ships of one IMO":      {6000, whole(section("register", `{"mmsi":2%,"imo":9074729}`))},
		"one ship again":        {6000, whole(section("register", `{"name":"barge"}`))},
		"unknown sections":      {20000, func(n int) string { return `{"k":1` + strings.Repeat(`,"kk":[]`, n) + "}" }},
		"entries that are none": {6000, whole(section("register", `%`))},
	}
}

// TestImportGrowsNoFasterThanItsDocument reads documents in that have many things, and things that have much of something.
func TestImportGrowsNoFasterThanItsDocument(t *testing.T) {
	const small, factor = 1000, 8
	s := newSite(t)
	all := crowds()
	for _, what := range slices.Sorted(maps.Keys(all)) {
		s.growth("a document of "+what, func(n int) time.Duration { return s.workOfImport(all[what].of(n)) }, all[what].fewest, factor)
	}
	kinds, keys := grown(), grownKeys()
	for section, path := range map[string]string{"users": "/user", "groups": "/group", "shiplists": "/shiplist", "shapes": "/shape", "filters": "/filter",
		"ports": "/port", "register": "/ship/register"} {
		for _, key := range append(slices.Clone(keys[path]), "other", "uid", "owner") {
			for _, kind := range slices.Sorted(maps.Keys(kinds)) {
				if slices.Contains(plainKeys(), key) != strings.Contains(kind, "letters") {
					continue
				}
				cost := func(n int) time.Duration {
					return s.workOfImport(fmt.Sprintf(`{"%s":[{"name":"grown","%s":%s}]}`, section, key, kinds[kind](n)))
				}
				s.growth(fmt.Sprintf("one of the %s, %s of %s", section, key, kind), cost, small, factor)
			}
		}
	}
}

// workOfImport returns the processor time that it takes to read a document in, without a commit.
func (s *site) workOfImport(text string) time.Duration {
	s.t.Helper()
	before := busy(s.t)
	doc, err := document.Read([]byte(text))
	if err == nil {
		_, err = s.areas.Box.Import(s.t.Context(), doc, true)
	}
	var wrong document.Error
	if err != nil && !errors.As(err, &wrong) {
		s.t.Errorf("%.200s: %v", text, err)
	}
	if len(wrong) > form.MaxErrors+1 {
		s.t.Errorf("%.200s: %d faults are told", text, len(wrong))
	}
	return busy(s.t) - before
}

// lastIn returns which of the parts stands last in a path.
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

// workOf returns the processor time that an answer takes.
func (s *site) workOf(method, path, body string) time.Duration {
	s.t.Helper()
	for _, u := range s.users.List() {
		s.server.jobs.Forget(request.OwnerKey(u.UID)) // room for a job
	}
	before := busy(s.t)
	a := s.call("admin", method, path, body)
	took := busy(s.t) - before
	if a.status >= 500 {
		s.t.Errorf("%s %s: %d %.200s", method, path, a.status, a.body)
	}
	if a.status == 200 && strings.HasPrefix(path, statPath) && method == "POST" && !strings.HasSuffix(path, "/estimate") { // room for a statistic
		s.call("admin", "DELETE", fmt.Sprintf("%s/statistic/%.0f", statPath, a.json(s.t)["id"]), "").is(s.t, 204)
	}
	return took
}
