package handlers

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"quaywatch/ais"
	"quaywatch/handlers/live"
	"quaywatch/handlers/ports"
	"quaywatch/handlers/wms"
	"quaywatch/users/access"
	"quaywatch/users/selection"
)

// vessel is a ship as the test made it. The test compares the words of a filter with it, not with what the program made of it.
type vessel struct {
	mmsi       ais.MMSI
	imo        int
	name, sign string
	class      string // "" is none that is known
	country    int    // 0 is none
	kinds      []string
	lon        float64
	in, lists  []string // the shapes around it, and the ship lists that name it
	byHand     bool     // no feed hears it
	registered bool
	heard      []string           // by these feeds
	past       map[string]hearing // by the time of a fix
}

// hearing is which feeds heard a ship at a time, and the one that heard the fix itself first.
type hearing struct {
	first string
	feeds []string
}

func vessels() []*vessel {
	return []*vessel{
		{mmsi: 219018765, imo: 9321483, name: "HAVGUDEN", sign: "OXAA", class: "A", country: 219, kinds: []string{"30", "fishing"}, lon: 10.25, in: []string{"west"}, lists: []string{"two"}, registered: true},
		{mmsi: 211222333, name: "TWIN", sign: "DABB", class: "A", country: 211, kinds: []string{"60", "passenger"}, lon: 10.3},
		{mmsi: 244555666, name: "TWIN", sign: "PACC", class: "B", country: 244, kinds: []string{"36", "sailing"}, lon: 10.35, registered: true},
		{mmsi: 512777888, imo: 9074729, name: "BORNHOLM", sign: "ZMDD", class: "A", country: 512, kinds: []string{"70", "cargo"}, lon: 179.99, in: []string{"line"}, lists: []string{"two"}},
		{mmsi: 503999111, class: "A", country: 503, lon: -179.99, in: []string{"line"}},
		{mmsi: 992191234, name: "DROGDEN", class: "aton", country: 219, lon: 10.4},
		{name: "KLAPROGGE", lon: 10.251, in: []string{"west"}, byHand: true, registered: true},
	}
}

// says returns the ship's own messages, its place last.
func (v *vessel) says() []ais.Message {
	head := func(kind uint8) ais.Header { return ais.Header{Type: kind, MMSI: v.mmsi} }
	place := ais.Place{Lon: int32(v.lon * 600000), Lat: 56.14 * 600000}
	code := ais.ShipType(0)
	if len(v.kinds) > 0 {
		fmt.Sscan(v.kinds[0], &code)
	}
	switch {
	case v.class == "B":
		return []ais.Message{&ais.StaticReport{Header: head(24), Name: v.name}, &ais.StaticReport{Header: head(24), Part: 1, ShipType: code, CallSign: v.sign},
			&ais.ClassBReport{Header: head(18), Place: place, COG: 900, Heading: 90, Second: 60}}
	case v.class == "aton":
		return []ais.Message{&ais.AidToNavigation{Header: head(21), AidType: 14, Name: v.name, Place: place, Second: 60}}
	case v.name == "":
		return []ais.Message{position(v.mmsi, v.lon, 56.14, 0, 900)}
	}
	static := voyage(v.mmsi, v.name)
	static.IMO, static.CallSign, static.ShipType = uint32(v.imo), v.sign, code
	return []ais.Message{static, position(v.mmsi, v.lon, 56.14, 0, 900)}
}

// sailsNowhere reports whether what is heard is an aid to navigation, which cannot be tracked.
func sailsNowhere(v *vessel) bool { return v.class == "aton" }

// launch lets the ships be heard, and makes the shapes and lists that they are in.
func launch(s *site) []*vessel {
	s.t.Helper()
	s.post(configPath+"/shape", `{"name":"west","circle":{"center":{"type":"Point","coordinates":[10.25,56.14]},"radius":1500}}`).is(s.t, 200)
	s.post(configPath+"/shape", `{"name":"line","circle":{"center":{"type":"Point","coordinates":[180,56.14]},"radius":5000}}`).is(s.t, 200)
	s.post(configPath+"/shiplist", `{"name":"two","ships":[{"mmsi":219018765},{"name":"Bornholm"}]}`).is(s.t, 200)
	s.post(configPath+"/shiplist", `{"name":"none","ships":[]}`).is(s.t, 200)
	all := vessels()
	for _, v := range all {
		v.past = map[string]hearing{}
		switch {
		case v.byHand:
			a := s.post(registerPath, fmt.Sprintf(`{"name":%q,"position":{"type":"Point","coordinates":[%v,56.14]}}`, v.name, v.lon)).is(s.t, 200)
			v.mmsi = ais.MMSI(a.json(s.t)["mmsi"].(float64))
			continue
		case v.registered:
			s.post(registerPath, fmt.Sprintf(`{"mmsi":%d,"dwt":900}`, v.mmsi)).is(s.t, 200)
		}
		for step := range 3 {
			for _, m := range v.says() {
				s.hear(noon().Add(time.Duration(step)*10*time.Second), m)
			}
		}
	}
	s.settle()
	return all
}

// shows reports whether the user may see a fix that was heard so.
func (h hearing) shows(p *profile) bool {
	satellite := slices.Contains(receivers[h.first], "satellite") && p.rights["view_satellites"] != nil
	return slices.ContainsFunc(h.feeds, p.hears) && !satellite
}

// hasTrack reports whether the user may see a fix of the ship. It may see the ship and none of its fixes: those that its feeds heard were first heard by
// satellite.
func (v *vessel) hasTrack(p *profile) bool {
	for _, then := range v.past {
		if then.shows(p) {
			return true
		}
	}
	return false
}

// sayings are the keys of one filter with what was said under them.
type sayings map[string]any

func listOf[T any](f sayings, key string) []T { l, _ := f[key].([]T); return l }
func (f sayings) yes(key string) bool         { b, _ := f[key].(bool); return b }

func overlap[T comparable](a, b []T) bool {
	return slices.ContainsFunc(a, func(one T) bool { return slices.Contains(b, one) })
}

// expressions are the expressions to draw from, each with the ships that it is true for.
func expressions() map[string]func(*vessel) bool {
	return map[string]func(*vessel) bool{
		"name = 'HAVGUDEN' or lon > 170": func(v *vessel) bool { return v.name == "HAVGUDEN" || v.lon > 170 },
		"not shiplist = two":             func(v *vessel) bool { return !slices.Contains(v.lists, "two") },
		"pos within shape(1)":            func(v *vessel) bool { return slices.Contains(v.in, "west") }, // by its number
		"type = cargo or class = aton":   func(v *vessel) bool { return slices.Contains(v.kinds, "cargo") || v.class == "aton" },
	}
}

// letsShip reports whether the words of a filter let the ship pass, as far as they are about ships.
func (f sayings) letsShip(v *vessel) bool {
	if inside := append(listOf[string](f, "areas"), listOf[string](f, "regions")...); len(inside) > 0 && !overlap(inside, v.in) {
		return false
	}
	if countries := listOf[int](f, "countries"); len(countries) > 0 && !slices.Contains(countries, v.country) {
		return false
	}
	if classes := listOf[string](f, "mobile_types"); len(classes) > 0 && !slices.Contains(classes, v.class) &&
		(v.class != "" || !f.yes("unsupported_mobile_types")) {
		return false
	}
	if kinds := listOf[string](f, "types_of_ship"); len(kinds) > 0 && !overlap(kinds, v.kinds) && (len(v.kinds) > 0 || !f.yes("unsupported_ship_types")) {
		return false
	}
	given, own := f.yes("include_predefined_ship_list"), f.yes("include_user_defined_ship_list")
	onGiven := given && overlap(listOf[string](f, "predefined_ship_list"), v.lists)
	onOwn := own && (slices.Contains(listOf[int](f, "user_defined_ship_list_mmsi"), int(v.mmsi)) ||
		v.imo != 0 && slices.Contains(listOf[int](f, "user_defined_ship_list_imo"), v.imo) ||
		v.sign != "" && slices.Contains(listOf[string](f, "user_defined_ship_list_callsign"), v.sign))
	if (given || own) && !onGiven && !onOwn {
		return false
	}
	text, _ := f["expression"].(string)
	return text == "" || expressions()[text](v)
}

// namesFeeds reports whether a filter says which feeds it is about.
func (f sayings) namesFeeds() bool {
	return len(listOf[string](f, "psss"))+len(listOf[string](f, "source_tags")) > 0
}

// letsFeed reports whether the words of a filter let pass what a feed heard; "" is a hand.
func (f sayings) letsFeed(feed string) bool {
	feeds, tags := listOf[string](f, "psss"), listOf[string](f, "source_tags")
	named, tagged := slices.Contains(feeds, feed), overlap(tags, receivers[feed])
	switch {
	case !f.namesFeeds():
		return true
	case len(feeds) > 0 && len(tags) > 0 && f.yes("source_mode_is_and"):
		return named && tagged
	}
	return named || tagged
}

// profile is all that is said of a user.
type profile struct {
	own, group sayings // filters
	settings   sayings
	rights     sayings
}

// hears reports whether what a feed heard is for the user.
func (p *profile) hears(feed string) bool {
	among := func(key string) bool {
		feeds := listOf[string](p.settings, key)
		return len(feeds) == 0 || feed == "" || slices.Contains(feeds, feed)
	}
	if !p.own.letsFeed(feed) || !p.group.letsFeed(feed) || !among("allowed_pss_list") {
		return false
	}
	if !p.own.namesFeeds() && !p.group.namesFeeds() && !among("default_pss_list") {
		return false
	}
	return p.rights["view_satellites"] == nil || !slices.Contains(receivers[feed], "satellite")
}

// sees reports whether the user may see the ship.
func (p *profile) sees(v *vessel) bool {
	if !p.own.letsShip(v) || !p.group.letsShip(v) {
		return false
	}
	if v.byHand {
		return p.hears("")
	}
	return slices.ContainsFunc(v.heard, p.hears)
}

// drawn is a key that hides ships: where it stands, what may be said under it, and what must be said beside it to mean anything.
type drawn struct {
	of     string // receive, setting or right
	values *rapid.Generator[any]
	beside []string
}

func some[T comparable](all ...T) *rapid.Generator[any] {
	return rapid.Map(rapid.SliceOfNDistinct(rapid.SampledFrom(all), 1, 2, rapid.ID), func(some []T) any { return some })
}

// draws are all keys that hide ships.
func draws() map[string]drawn {
	yes, feeds := rapid.Just[any](true), some("roof", "pier", "sky", "attic")
	const predefined, own = "include_predefined_ship_list", "include_user_defined_ship_list"
	return map[string]drawn{
		"areas": {"receive", some("west", "line"), nil}, "regions": {"receive", some("west", "line"), nil},
		"countries": {"receive", some(219, 211, 244, 512, 503), nil},
		"psss":      {"receive", feeds, nil}, "source_tags": {"receive", some("shore", "inner", "satellite"), nil}, "source_mode_is_and": {"receive", yes, []string{"psss", "source_tags"}},
		"mobile_types": {"receive", some("A", "B", "aton"), nil}, "unsupported_mobile_types": {"receive", yes, []string{"mobile_types"}},
		"types_of_ship": {"receive", some("30", "cargo", "passenger", "36"), nil}, "unsupported_ship_types": {"receive", yes, []string{"types_of_ship"}},
		predefined: {"receive", yes, []string{"predefined_ship_list"}}, "predefined_ship_list": {"receive", some("two", "none"), []string{predefined}},
		own: {"receive", yes, []string{"user_defined_ship_list_mmsi"}}, "user_defined_ship_list_mmsi": {"receive", some(244555666, 503999111, 5), []string{own}},
		"user_defined_ship_list_imo":      {"receive", some(9321483, 9074729), []string{own}},
		"user_defined_ship_list_callsign": {"receive", some("DABB", "OXAA", "NOBODY"), []string{own}},
		"expression":                      {"receive", rapid.Map(rapid.SampledFrom(slices.Sorted(maps.Keys(expressions()))), func(text string) any { return text }), nil},
		"allowed_pss_list":                {"setting", feeds, nil}, "default_pss_list": {"setting", feeds, nil},
		"view_satellites": {"right", rapid.Just[any]("deny"), nil},
	}
}

// elsewhere are the keys of a receive filter that hide no ship: they say how late and how often a ship is shown, and which messages of
// a stream are passed on.
func elsewhere() []string {
	return []string{"delay", "update_interval", "range_dependant_update", "message_types", "binary_message_content", "allow_addressed_messages",
		"unsupported_message_types"}
}

// TestEveryKeyThatHidesShipsIsDrawn: a new key of a filter, or one of the settings and rights that are seen by the property, has a draw.
func TestEveryKeyThatHidesShipsIsDrawn(t *testing.T) {
	text, err := os.ReadFile("../users/access/filter/table_test.go") // which has every key, or fails
	if err != nil {
		t.Fatal(err)
	}
	table, n := draws(), 0
	for _, m := range regexp.MustCompile(`(?m)^(receive|setting|right) (\w+) (\S+)$`).FindAllStringSubmatch(string(text), -1) {
		n++
		_, is := table[m[2]]
		must := m[1] == "receive" && !slices.Contains(elsewhere(), m[2]) || m[3] == "handlers.TestAHiddenShipStaysHidden"
		if must != (is && table[m[2]].of == m[1]) {
			t.Errorf("%s %s: drawn %v, want %v", m[1], m[2], is, must)
		}
	}
	if n < 60 {
		t.Errorf("only %d keys were found", n)
	}
}

// draw says something under a key, so that it counts, and under some more keys.
func draw(r *rapid.T, first string, more int) *profile {
	p := &profile{sayings{}, sayings{}, sayings{}, sayings{}}
	table := draws()
	say := func(key string, filter sayings) {
		for _, one := range append([]string{key}, table[key].beside...) {
			into := map[string]sayings{"receive": filter, "setting": p.settings, "right": p.rights}[table[one].of]
			if _, said := into[one]; !said {
				into[one] = table[one].values.Draw(r, one)
			}
		}
	}
	say(first, p.own)
	for _, key := range rapid.SliceOfNDistinct(rapid.SampledFrom(slices.Sorted(maps.Keys(table))), 0, more, rapid.ID).Draw(r, "more keys") {
		say(key, []sayings{p.own, p.group}[rapid.IntRange(0, 1).Draw(r, "of the group")])
	}
	return p
}

// setProfile says it of a user and of the group crew, and nothing else under these keys.
func (s *site) setProfile(user string, p *profile) string {
	s.t.Helper()
	whole := func(of string, said sayings, none any) map[string]any {
		all := map[string]any{}
		for key, one := range draws() {
			if one.of == of {
				all[key] = none
			}
		}
		maps.Copy(all, said)
		return all
	}
	text := func(v any) string {
		b, err := json.Marshal(v)
		if err != nil {
			s.t.Fatal(err)
		}
		return string(b)
	}
	s.call("admin", "PUT", usersPath+"/"+user, text(map[string]any{
		"receive_filter": whole("receive", p.own, nil), "settings": whole("setting", p.settings, nil), "access_rights": whole("right", p.rights, ""),
	})).is(s.t, 200)
	s.call("admin", "PUT", groups+"/crew", text(map[string]any{"receive_filter": whole("receive", p.group, nil)})).is(s.t, 200)
	return text(map[string]sayings{"own": p.own, "crew": p.group, "settings": p.settings, "rights": p.rights})
}

// identity is what a ship is asked for by.
type identity struct{ number, imo, name, sign string }

func (v *vessel) identity() identity {
	id := identity{number: fmt.Sprint(v.mmsi), name: v.name, sign: v.sign}
	if v.imo != 0 {
		id.imo = fmt.Sprint(v.imo)
	}
	return id
}

// nobody is a ship that does not exist, with as much to be asked for by.
func (id identity) nobody() identity {
	none := identity{number: "219777001"}
	if len(id.number) > 9 {
		none.number = "9900000777"
	}
	if id.imo != "" {
		none.imo = "9999993"
	}
	if id.name != "" {
		none.name = "QXQXQX"
	}
	if id.sign != "" {
		none.sign = "QQXX9"
	}
	return none
}

// as returns an answer about another ship as if it were about this one.
func (id identity) as(a answer, other identity) string {
	var pairs []string
	for _, pair := range [][2]string{{other.number, id.number}, {other.imo, id.imo}, {other.name, id.name}, {other.sign, id.sign}} {
		if pair[0] != "" {
			pairs = append(pairs, pair[0], pair[1])
		}
	}
	return strings.NewReplacer(pairs...).Replace(a.text())
}

// text is all of an answer that tells something.
func (a answer) text() string {
	return fmt.Sprintf("%d %s %s %s\n%s", a.status, a.header.Get("Content-Type"), a.header.Get("Content-Disposition"), a.header.Get("Retry-After"), a.body)
}

// asking is a way to ask for one ship; it does not ask for a ship that has not got what it asks by.
type asking struct {
	name, route string
	ask         func(s *site, user string, id identity) answer
	missing     func(v *vessel) bool // ships that it leaves out though they are shown
	refuses     int                  // what it answers of a ship that is shown, other than 200
}

const everywhere = `{"type":"Polygon","coordinates":[[[-179.9,50],[0,50],[179.9,50],[179.9,60],[0,60],[-179.9,60],[-179.9,50]]]}`

// waysToAskForOne are the routes that are asked for one ship.
func waysToAskForOne() []asking {
	const info, infoAt, search = portserver + "/ship/info/", portserver + "/ship/info", portserver + "/ship/search/"
	get := func(path, query string) func(*site, string, identity) answer {
		return func(s *site, user string, id identity) answer { return s.call(user, "GET", path+id.number+query, "") }
	}
	nameless := func(v *vessel) bool { return v.name == "" || v.name == "TWIN" } // the name of two ships is asked for by itself
	var all []asking
	for _, form := range []string{"json", "geojson", "csv"} {
		query := "?format=" + form
		all = append(all,
			asking{"info " + form, "GET " + info + ":mmsi", get(info, query), nil, 0},
			asking{"info at " + form, "POST " + infoAt, func(s *site, user string, id identity) answer {
				return s.call(user, "POST", infoAt+query, `{"mmsi":`+id.number+`}`)
			}, nil, 0},
			asking{"position " + form, "GET " + portserver + "/ship/position/:mmsi", get(portserver+"/ship/position/", query), nil, 0},
			asking{"search " + form, "GET " + search + ":querystring", get(search, query), nil, 0},
			asking{"search name " + form, "GET " + search + ":querystring", func(s *site, user string, id identity) answer {
				return s.call(user, "GET", search+id.name+query, "")
			}, nameless, 0})
	}
	for _, form := range []string{"json", "geojson", "csv", "gpx", "kml"} {
		all = append(all, asking{"track " + form, "GET " + trackPath, func(s *site, user string, id identity) answer {
			a := s.call(user, "POST", trackPath, `{"mmsi":`+id.number+`,"begin":"2026-11-20","end":"2026-11-22"}`)
			if a.status != 202 {
				return a
			}
			return s.finish(user, fmt.Sprintf("%s?id=%.0f&format=%s", trackPath, a.json(s.t)["id"], form))
		}, nil, 0})
	}
	for name, path := range map[string]string{"calls": callsPath, "trips": tripsPath} {
		all = append(all, asking{name, "POST " + path, func(s *site, user string, id identity) answer {
			return s.call(user, "POST", path, `{"mmsi":`+id.number+`}`)
		}, nil, 0})
	}
	return append(all,
		asking{"changes", "GET " + changesPath + "/:mmsi", get(changesPath+"/", ""), nil, 0},
		asking{"info by name", "POST " + infoAt, func(s *site, user string, id identity) answer {
			return s.call(user, "POST", infoAt, `{"name":"`+id.name+`"}`)
		}, nameless, 0},
		asking{"info by name then", "POST " + infoAt, func(s *site, user string, id identity) answer {
			return s.call(user, "POST", infoAt, `{"name":"`+id.name+`","time":"2026-11-20T12:00:20Z"}`)
		}, nameless, 0},
		asking{"info by call sign", "POST " + infoAt, func(s *site, user string, id identity) answer {
			return s.call(user, "POST", infoAt, `{"callsign":"`+id.sign+`"}`)
		}, func(v *vessel) bool { return v.sign == "" }, 0},
		asking{"info by IMO", "GET " + info + ":mmsi", func(s *site, user string, id identity) answer {
			return s.call(user, "GET", info+id.imo, "")
		}, func(v *vessel) bool { return v.imo == 0 }, 0},
		asking{"route", "GET " + routePath + "/:id", func(s *site, user string, id identity) answer {
			a := s.call(user, "POST", routePath, routeOf(`"mmsi":`+id.number))
			if a.status != 200 {
				return a
			}
			return s.finish(user, fmt.Sprintf("%s/%.0f", routePath, a.json(s.t)["id"]))
		}, nil, 0},
		asking{"route at once", "POST " + routePath + "/execute", func(s *site, user string, id identity) answer {
			return s.call(user, "POST", routePath+"/execute", routeOf(`"mmsi":`+id.number))
		}, nil, 0},
		asking{"route to a ship", "POST " + routePath + "/execute", func(s *site, user string, id identity) answer {
			return s.call(user, "POST", routePath+"/execute", `{"source":{"position":{"type":"Point","coordinates":[10.5,56.1]}},"destination":{"ship":{"name":"`+id.name+`"}}}`)
		}, nameless, 0},
		asking{"to be tracked", "POST " + shipTrackPath, func(s *site, user string, id identity) answer {
			a := s.call(user, "POST", shipTrackPath, `{"source":{"ship":{"mmsi":`+id.number+`}},"destination":`+kattegat+`}`)
			if a.status != 200 {
				return a
			}
			return s.call(user, "GET", fmt.Sprintf("%s/%.0f", shipTrackPath, a.json(s.t)["id"]), "")
		}, sailsNowhere, 0},
		asking{"preview of a notice", "POST " + previewPath, func(s *site, user string, id identity) answer {
			return s.call(user, "POST", previewPath, `{"definition":{"type":"polygon"},"mmsi":`+id.number+`}`)
		}, nil, 0},
		asking{"a zone that moves with it", "GET " + definitionPath + "/:name", func(s *site, user string, id identity) answer {
			body := `{"name":"Ring","type":"zone","zone":{"mmsi":` + id.number + `,"radius":20000}}`
			if a := s.call(user, "POST", definitionPath, body); a.status != 200 {
				return a
			}
			a := s.call(user, "GET", definitionPath+"/Ring", "")
			s.call(user, "DELETE", definitionPath+"/Ring", "").is(s.t, 204)
			a.body = regexp.MustCompile(`"(id|uid|revision)":"?[^",}]*`).ReplaceAll(a.body, nil)
			return a
		}, func(v *vessel) bool { return v.byHand }, 0}, // which has no number of a radio
		asking{"select", "POST " + selectPath, func(s *site, user string, id identity) answer {
			return s.call(user, "POST", selectPath, `{"ships":[{"mmsi":`+id.number+`}]}`)
		}, nil, 0},
		asking{"select by name", "POST " + selectPath, func(s *site, user string, id identity) answer {
			return s.call(user, "POST", selectPath, `{"ships":[{"name":"`+id.name+`"}]}`)
		}, nameless, 0},
		asking{"registered", "GET " + registerPath + "/:mmsi", get(registerPath+"/", ""), func(v *vessel) bool { return !v.registered }, 0},
		asking{"register again", "PUT " + registerPath + "/:mmsi", func(s *site, user string, id identity) answer {
			return s.call(user, "PUT", registerPath+"/"+id.number, `{"note":"x","revision":"of long ago"}`)
		}, func(v *vessel) bool { return !v.registered }, 409})
}

// waysToAskForAll are the routes that give out lists; each gives the text in which a ship is, or is not.
func waysToAskForAll() []asking {
	all := []asking{
		{"register", "GET " + registerPath, func(s *site, user string, _ identity) answer { return s.call(user, "GET", registerPath, "") }, func(v *vessel) bool { return !v.registered }, 0},
		{"ships that are tracked", "GET " + shipTrackPath, func(s *site, user string, _ identity) answer { return s.call(user, "GET", shipTrackPath, "") }, sailsNowhere, 0},
		{"selected", "GET " + selectPath, func(s *site, user string, _ identity) answer { return s.call(user, "GET", selectPath, "") }, nil, 0},
		{"selected of the bridge", "GET " + selectPath + "/:owner", func(s *site, user string, _ identity) answer {
			return s.call(user, "GET", selectPath+"/bridge", "")
		}, nil, 0},
	}
	// Of a ship that it sees the user is told no call that began unseen: TestAHiddenCallStaysHidden tells which ones it has.
	unseen := func(*vessel) bool { return true }
	// Each list has something to hide: the query asks for it in a form, and admin is told of that ship.
	list := func(s *site, user, path, known string) answer {
		if all := s.get(path).is(s.t, 200); !strings.Contains(string(all.body), known) {
			s.t.Errorf("%s does not tell of %s: %s", path, known, all.body)
		}
		return s.call(user, "GET", path, "").is(s.t, 200)
	}
	for _, form := range []string{"json", "csv"} {
		all = append(all, asking{"calls at a port " + form, "GET " + visitsPath + "/:id", func(s *site, user string, _ identity) answer {
			s.voyages.Save()
			both := list(s, user, visitsPath+"/22781475?begin=2026-11-01&end=2026-11-30&format="+form, "219018765")
			both.body = append(both.body, s.call(user, "GET", visitsPath+"/22781475?open=true&format="+form, "").is(s.t, 200).body...)
			return both
		}, unseen, 0}, asking{"expected at a port " + form, "GET " + arrivalsPath + "/:id", func(s *site, user string, _ identity) answer {
			return list(s, user, arrivalsPath+"/22781475?announced=true&format="+form, "512777888")
		}, unseen, 0})
	}
	all = append(all, asking{"ships in port", "GET " + inPortPath, func(s *site, user string, _ identity) answer {
		return list(s, user, inPortPath, "219018765")
	}, unseen, 0})
	for _, form := range []string{"json", "geojson", "csv"} {
		all = append(all, asking{"area " + form, "GET " + areaPath + "/:id", func(s *site, user string, _ identity) answer {
			a := s.call(user, "POST", areaPath, `{"area":`+everywhere+`,"duration":"P4D"}`).is(s.t, 200).json(s.t)
			return s.finish(user, fmt.Sprintf("%s/%.0f?format=%s", areaPath, a["id"], form))
		}, func(v *vessel) bool { return v.lon < -179.9 || v.lon > 179.9 }, 0})
	}
	all = append(all, asking{"at a pixel of the map", "GET " + wms.Path, func(s *site, user string, _ identity) answer {
		const pixel = "&crs=CRS:84&bbox=-180,-90,180,90&width=1&height=1&i=0&j=0&feature_count=50"
		return list(s, user, wms.Path+"?request=GetFeatureInfo&version=1.3.0&layers=ships&query_layers=ships&info_format=application/json"+pixel, "219018765")
	}, nil, 0})
	return append(all, asking{"dry run of a shape that was drawn", "GET " + dryrunPath + "/:id", func(s *site, user string, _ identity) answer {
		try := func(user string) answer {
			a := s.call(user, "POST", dryrunPath, `{"definition":{"type":"polygon","polygon":`+everywhere+`},"from":"2026-11-20","to":"2026-12-10"}`).is(s.t, 200)
			return s.finish(user, fmt.Sprintf("%s/%.0f", dryrunPath, a.json(s.t)["id"])).is(s.t, 200)
		}
		if known := try("admin"); !strings.Contains(string(known.body), `"mmsi":219018765`) {
			s.t.Errorf("no ship is in the shape: %s", known.body)
		}
		return try(user)
	}, unseen, 0}) // of a ship that it saw once or twice the user is told nothing
}

// askedElsewhere are the other routes that tell of ships, by where they are asked: by the property itself, or by a test of their own.
func askedElsewhere() map[string]string {
	return map[string]string{
		"POST " + areaPath:                         "TestAHiddenShipStaysHidden, as the result",
		"POST " + trackPath:                        "TestAHiddenShipStaysHidden, as the result",
		"POST " + routePath:                        "TestAHiddenShipStaysHidden, as the result",
		"GET " + live.Path:                         "TestAHiddenShipStaysHidden",
		"GET /api/status":                          "TestAHiddenShipStaysHidden",
		"DELETE " + registerPath + "/:mmsi":        "TestAHiddenShipStaysHidden",
		"POST " + usersPath + "/:name/reassign":    "TestAHiddenShipStaysHidden",
		"PUT " + callsPath + "/:id":                "TestAHiddenCallStaysHidden",
		"DELETE " + callsPath + "/:id":             "TestAHiddenCallStaysHidden",
		"GET " + shipTrackPath + "/:id":            "TestAHiddenTrackStaysHidden",
		"PUT " + shipTrackPath + "/:id":            "TestAHiddenTrackStaysHidden",
		"PUT " + shipTrackPath + "/:id/requested":  "TestAHiddenTrackStaysHidden",
		"DELETE " + shipTrackPath + "/:id":         "TestAHiddenTrackStaysHidden",
		"POST " + registerPath:                     "TestANumberThatAHiddenShipHasIsTaken",
		"GET /api/distress":                        "TestAHiddenAlarmStaysHidden",
		"GET " + suggestionsPath + "/:id":          "TestAHiddenShipsBerthStaysHidden",
		"GET " + homePath:                          "TestAHiddenShipMovesNoOffer",
		"POST /api/distress/acknowledge":           "TestAHiddenAlarmStaysHidden",
		"GET " + eventPath:                         "TestAHiddenShipsEventsStayHidden",
		"POST " + eventPath + "/:id/ack":           "TestAHiddenShipsEventsStayHidden",
		"POST " + eventPath + "/manual":            "TestAHiddenShipsManualEventStaysHidden",
		"DELETE " + eventPath + "/:id":             "TestAHiddenShipsManualEventStaysHidden",
		"GET " + streamPath:                        "TestTheStreamOfEvents",
		"GET " + definitionPath + "/:name/active":  "TestTheShipsInside",
		"GET " + definitionPath:                    "TestTheShipsInside",
		"POST " + definitionPath + "/:name/resume": "TestAPausedWatchdogSaysSo",
		"PUT " + definitionPath + "/:name":         "TestTheShipsInside",
		"GET " + waitPath:                          "TestAHiddenShipsEventsStayHidden",
		"POST /api/messages":                       "TestASentMessageStaysHidden",
		"GET /api/messages":                        "TestAHiddenShipStaysHidden, TestAHiddenMessageStaysHidden and TestASentMessageStaysHidden",
		"GET " + alertPath:                         "TestAHiddenShipsAlertStaysHidden",
		"POST " + alertPath + "/:id/ack":           "TestAHiddenShipsAlertStaysHidden",
		"POST " + alertPath + "/:id/silence":       "TestAHiddenShipsAlertStaysHidden",
		"POST " + alertPath + "/:id/transfer":      "TestAHiddenShipsAlertStaysHidden and TestNobodyTakesAnAlertUnseen",
		"POST " + alertPath + "/:id/useful":        "TestAHiddenShipsAlertStaysHidden",
		"GET " + loadPath:                          "TestAHiddenShipsAlertStaysHidden",
		"GET /api/audit":                           "TestTheAuditLogHidesWhatIsHidden",
		"POST " + dryrunPath:                       "TestAHiddenShipStaysHidden, as the result",
		"DELETE " + dryrunPath + "/:id":            "TestADryRunIsAborted",
		"GET " + statPath + "/:type/result/:id":    "TestAHiddenShipIsInNoResult and TestAHiddenShipIsInNoTable",
		"GET " + statPath + "/:type/lateral/:id":   "TestLateralDistributionIsCutForItsReader",
		"GET " + wms.Path + "/":                    "as without the slash; TestAHiddenShipIsOnNoMap, TestTracksOnTheMap, TestAHiddenShipIsInNoPicture, TestACallIsInNoPictureOfOthers and TestACallIsToldAtNoPlaceToOthers",
		"GET " + statPath + "/statistic":           "TestAHiddenShipIsInNoResult",
		"GET " + statPath + "/statistic/:id":       "TestAHiddenShipIsInNoResult",
		"PUT " + statPath + "/statistic/:id":       "TestAHiddenShipIsInNoResult and TestTheMailedTableIsCutForItsReader",
		"POST " + statPath + "/:type/estimate":     "TestTheEstimateOfAStatistic",
	}
}

// noShips are the routes that show no ship, or only what a user with the right wrote.
func noShips() []string {
	all := []string{
		"POST /api/session", "POST /api/session/first", "POST /api/session/link", "GET /api/session", "DELETE /api/session", "GET /api/chart", "GET /api/chart/:z/:x/:y", "GET /api/chart/rejected", "POST /api/chart/rejected", "DELETE /api/chart/rejected/:id", "GET /api/openapi.yaml", "GET /api/tls", "GET /api/tls/ca.crt", "GET /healthz", "GET /readyz",
		"GET /api/filter/reading", // words of the caller, and names that it may use
		"GET /metrics",            // counts of the program as a whole
		"GET " + configPath + "/running", "POST " + usersPath, "GET " + usersPath, "GET " + usersPath + "/:name", "PUT " + usersPath + "/:name", "DELETE " + usersPath + "/:name", "POST " + usersPath + "/:name/clone",
		"GET " + usersPath + "/:name/tokens", "DELETE " + usersPath + "/:name/tokens/:id", "GET " + tokensPath, "POST " + tokensPath, "DELETE " + tokensPath + "/:id",
		"GET " + usersPath + "/:name/sessions", "DELETE " + usersPath + "/:name/sessions", "DELETE " + usersPath + "/:name/sessions/:id", "GET " + sessionsPath, "DELETE " + sessionsPath, "DELETE " + sessionsPath + "/:id",
		"POST " + groups, "PUT " + groups, "GET " + groups, "GET " + groups + "/:name", "PUT " + groups + "/:name", "DELETE " + groups + "/:name", "POST " + groups + "/:name/clone", "POST " + groups + "/:name/reassign",
		"POST " + testPath, "GET " + testPath, // targets that the caller named
		"POST " + eventPath, "POST " + definitionPath, "DELETE " + definitionPath + "/:name",
		"GET " + ports.Path + "/list", "GET " + ports.Path + "/info/:id",
		"POST " + statPath + "/:type", "GET " + statPath + "/:type/:id", "DELETE " + statPath + "/statistic/:id",
		"GET " + portPath, "GET " + portPath + "/:id", "POST " + portPath, "PUT " + portPath + "/:id", "DELETE " + portPath + "/:id",
	}
	for _, kind := range []string{"shiplist", "shape", "filter"} {
		path := configPath + "/" + kind
		all = append(all, "POST "+path, "GET "+path, "GET "+path+"/:name", "PUT "+path+"/:name", "DELETE "+path+"/:name")
	}
	return all
}

// TestEveryRouteIsAskedOrTellsOfNoShip: a new route is asked for ships that are hidden, or stands among those that tell of none.
func TestEveryRouteIsAskedOrTellsOfNoShip(t *testing.T) {
	places := map[string]int{}
	for _, d := range append(waysToAskForOne(), waysToAskForAll()...) {
		places[d.route] = 1
	}
	for route := range askedElsewhere() {
		places[route]++
	}
	for _, route := range noShips() {
		places[route]++
	}
	for _, r := range (&Server{}).routeTable() {
		what := r.Method + " " + r.Path
		if places[what] != 1 {
			t.Errorf("%s stands at %d places", what, places[what])
		}
		delete(places, what)
	}
	for route := range places {
		t.Errorf("%s: there is no such route", route)
	}
}

// routesShowing asks everything that gives out ships for one ship by its number, and returns the routes that show it.
func (s *site) routesShowing(user string, m ais.MMSI) []string {
	s.t.Helper()
	id := identity{number: fmt.Sprint(m)}
	var open []string
	for _, d := range append(waysToAskForOne(), waysToAskForAll()...) {
		if d.missing != nil && !strings.HasPrefix(d.name, "area") {
			continue // it asks by something else, or for something else
		}
		if a := d.ask(s, user, id); a.status == 200 && strings.Contains(string(a.body), id.number) {
			open = append(open, d.name)
		}
	}
	return open
}

// calling is what a ship says to the next one of those that have a radio.
func calling(v *vessel, all []*vessel, text string) ais.Message {
	i := slices.Index(all, v)
	return &ais.AddressedSafety{Header: ais.Header{Type: 12, MMSI: v.mmsi}, Destination: all[(i+1)%(len(all)-1)].mmsi, Text: text}
}

// sendersOf returns the ships that say something in a list of messages, each with the ship that it is for, 0 where that is not told.
func sendersOf(records any, text string) map[float64]float64 {
	senders := map[float64]float64{}
	for _, one := range records.([]any) {
		record := one.(map[string]any)
		if record["text"] != text {
			continue
		}
		to, _ := record["to"].(map[string]any)
		number, _ := to["mmsi"].(float64)
		senders[record["mmsi"].(float64)] = number
	}
	return senders
}

// trackTimes returns the times of the fixes that a user is given of a ship.
func (s *site) trackTimes(user string, m ais.MMSI) (times []string) {
	s.t.Helper()
	a := s.call(user, "POST", trackPath, fmt.Sprintf(`{"mmsi":%d,"begin":"2026-11-20","end":"2026-11-24"}`, m)).is(s.t, 202)
	for _, fix := range coordinates(s.t, s.finish(user, fmt.Sprintf("%s?id=%.0f", trackPath, a.json(s.t)["id"]))) {
		times = append(times, fix[2].(string))
	}
	return times
}

// selectionOf returns what a user selected for an owner.
func (s *site) selectionOf(user *access.User, owner string) []selection.SelectedShip {
	all, _ := s.server.deps.Selections.Of(user.UID, 0)
	for _, sel := range all {
		if sel.Owner == owner {
			return sel.Ships
		}
	}
	return nil
}
