package access

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"quaywatch/ais"
	"quaywatch/form"
	"quaywatch/ship"
	"quaywatch/users/access/filter"
	"quaywatch/users/access/right"
	"quaywatch/users/library"
)

// keysOf takes keys as they are written.
func (h *house) keysOf(set filter.KnownKeys, text string) form.Keys {
	h.t.Helper()
	var written form.Keys
	if err := json.Unmarshal([]byte(text), &written); err != nil {
		h.t.Fatal(text, err)
	}
	kept, wrong := h.users.names.Take(set, nil, written)
	if len(wrong) > 0 {
		h.t.Fatal(text, wrong)
	}
	return kept
}

func noTags(string) []string { return nil }

// fullFilter says something under every key of a filter.
const fullFilter = `{"areas":["here"],"regions":["there"],"countries":[211,219],"psss":["Roof","tower"],"source_tags":["shore"],
	"source_mode_is_and":true,"mobile_types":["A","B"],"unsupported_mobile_types":true,"types_of_ship":["tanker","cargo","30"],
	"unsupported_ship_types":true,"include_predefined_ship_list":true,"predefined_ship_list":["tugs"],"include_user_defined_ship_list":true,
	"user_defined_ship_list_mmsi":[211000001],"user_defined_ship_list_callsign":["OWKN2"],"user_defined_ship_list_imo":[9321483],
	"message_types":[1,2,3,5,6,8],"binary_message_content":[{"dac":1,"fi":31}],"allow_addressed_messages":false,
	"expression":"sog < 30 and age < 60 and name = AN* and type = tanker","delay":5,"update_interval":10,
	"range_dependant_update":{"position":[10,56],"ranges":[{"distance":1000,"interval":10},{"distance":5000,"interval":60}]}}`

func (h *house) fullView() *filter.View {
	h.t.Helper()
	for _, r := range []library.Resource{
		{Name: "here", Circle: &library.CircleJSON{Center: json.RawMessage(`{"type":"Point","coordinates":[10,56]}`), Radius: 5000}},
		{Name: "there", Polygon: json.RawMessage(`{"type":"Polygon","coordinates":[[[179,0],[-179,0],[-179,1],[179,1],[179,0]]]}`)},
	} {
		if _, err := h.lib.Insert(library.Shapes, r); err != nil {
			h.t.Fatal(err)
		}
	}
	var ships []ship.Listed
	for i := range 500 {
		ships = append(ships, ship.Listed{MMSI: int64(230000000 + i)}, ship.Listed{Name: fmt.Sprint("ship ", i)})
	}
	if _, err := h.lib.Insert(library.ShipLists, library.Resource{Name: "tugs", Ships: ships}); err != nil {
		h.t.Fatal(err)
	}
	settings := h.keysOf(filter.Settings, `{"allowed_pss_list":["roof"],"mmsi_list":[219000001,219000002],"default_mmsi":219000003}`)
	user := &User{Profile: Profile{Settings: settings, ReceiveFilter: h.keysOf(filter.Receive, fullFilter)}}
	tags := []string{"Shore", "north"}
	return h.users.View(user, func(string) []string { return tags })
}

func anna() *ship.State {
	return &ship.State{MMSI: 219018765, Class: ship.ClassA, Feed: "roof", Heard: 1795176000000, HasFix: true,
		Fix:    ship.Fix{Lon: 6000000, Lat: 33600000, At: 1795176000000, SOG: 121},
		Static: &ship.Static{Name: "ANNA", CallSign: "OWKN2", IMO: 9321483, Type: 80}}
}

// A stream calls the view for each message and each subscriber.
func TestAViewAllocatesNothing(t *testing.T) {
	h := newHouse(t)
	view, s, now := h.fullView(), anna(), time.UnixMilli(1795176010000)
	message := &ais.Traits{MMSI: s.MMSI, Type: 6, Addressed: true, To: [4]ais.MMSI{219000002}, Structured: true, DAC: 1, FI: 31}
	if !view.ShowsMessage(message, s, now) {
		t.Fatal("the filter does not let its own ship through")
	}
	if n := testing.AllocsPerRun(100, func() { view.ShowsMessage(message, s, now); view.Pace().Interval(s) }); n > 0 {
		t.Errorf("%v allocations for each message", n)
	}
	names := []string{"sky", "pier", "roof"}
	s.Feed, s.Feeds = "sky", ais.Feeds{Set: 7, Names: &names}
	if n := testing.AllocsPerRun(100, func() { view.Shows(s, now); view.Tell(s) }); n > 0 {
		t.Errorf("%v allocations for each ship that many feeds hear", n)
	}
}

func BenchmarkShowsMessage(b *testing.B) {
	h := newHouse(b)
	view, s, now := h.fullView(), anna(), time.UnixMilli(1795176010000)
	message := &ais.Traits{MMSI: s.MMSI, Type: 6, Addressed: true, To: [4]ais.MMSI{219000002}, Structured: true, DAC: 1, FI: 31}
	b.ReportAllocs()
	for b.Loop() {
		if !view.ShowsMessage(message, s, now) { // then not all rules were asked
			b.Fatal("the message is hidden")
		}
	}
}

// What was worked out of ship lists and shapes follows every change of them.
func TestAChangedListOrShapeCountsAtOnce(t *testing.T) {
	h := newHouse(t)
	list, err := h.lib.Insert(library.ShipLists, library.Resource{Name: "tugs", Ships: []ship.Listed{{MMSI: 219018765}}})
	if err != nil {
		t.Fatal(err)
	}
	shape, err := h.lib.Insert(library.Shapes, library.Resource{Name: "here",
		Circle: &library.CircleJSON{Center: json.RawMessage(`{"type":"Point","coordinates":[10,56]}`), Radius: 5000}})
	if err != nil {
		t.Fatal(err)
	}
	user := &User{Profile: Profile{Rights: allowRights(right.All()), ReceiveFilter: h.keysOf(filter.Receive,
		`{"areas":["here"],"include_predefined_ship_list":true,"predefined_ship_list":["tugs"],"expression":"shiplist = tugs and pos within shape(here)"}`)}}
	shows := func() bool { return h.users.View(user, noTags).Shows(anna(), h.now()) }
	for range 2 { // the second time it is known already
		if !shows() {
			t.Fatal("the ship is hidden from the beginning")
		}
	}
	for _, step := range []struct {
		edit func() error
		want bool
	}{
		{func() error {
			_, err := h.lib.Change(library.ShipLists, list.UID, func(r *library.Resource) error { r.Ships = nil; return nil })
			return err
		}, false},
		{func() error {
			_, err := h.lib.Change(library.ShipLists, list.UID, func(r *library.Resource) error { r.Ships = []ship.Listed{{Name: "Anna"}}; return nil })
			return err
		}, true},
		{func() error {
			_, err := h.lib.Change(library.Shapes, shape.UID, func(r *library.Resource) error {
				r.Circle = &library.CircleJSON{Center: r.Circle.Center, Radius: 1}
				return nil
			})
			return err
		}, true},
		{func() error {
			_, err := h.lib.Change(library.Shapes, shape.UID, func(r *library.Resource) error {
				r.Circle = &library.CircleJSON{Center: json.RawMessage(`{"type":"Point","coordinates":[11,56]}`), Radius: 5000}
				return nil
			})
			return err
		}, false},
	} {
		if err := step.edit(); err != nil {
			t.Fatal(err)
		}
		for range 2 {
			if got := shows(); got != step.want {
				t.Errorf("shown: %v, want %v", got, step.want)
			}
		}
	}
}

func BenchmarkMakeView(b *testing.B) {
	h := newHouse(b)
	h.fullView()
	user := &User{Profile: Profile{ReceiveFilter: h.keysOf(filter.Receive, fullFilter)}}
	for b.Loop() {
		h.users.View(user, noTags)
	}
}

// A user sees a ship while one of the feeds that hear it passes all rules about feeds, whichever feed heard it first. Two feeds
// that each pass a part do not count. The user is told of no other feed.
func TestAShipIsSeenByTheUsersOfItsFeeds(t *testing.T) {
	h := newHouse(t)
	tagged := map[string][]string{"roof": {"shore"}, "pier": {"shore", "inner"}, "sky": {"satellite"}, "yard": {"inner"}}
	tags := func(feed string) []string { return tagged[feed] }
	names := []string{"roof", "pier", "sky", "yard"}
	for _, row := range []struct{ settings, filter, group, hears string }{
		{`{}`, `{"psss":["pier"]}`, `{}`, "pier"},
		{`{}`, `{"source_tags":["inner"]}`, `{}`, "pier yard"},
		{`{}`, `{"psss":["roof"],"source_tags":["inner"]}`, `{}`, "roof pier yard"},
		{`{}`, `{"psss":["roof","yard"],"source_tags":["inner"],"source_mode_is_and":true}`, `{}`, "yard"},
		{`{}`, `{"psss":["roof","pier"]}`, `{"source_tags":["satellite","inner"]}`, "pier"},
		{`{"allowed_pss_list":["roof","yard"]}`, `{"source_tags":["inner"]}`, `{}`, "yard"},
		{`{"default_pss_list":["sky"]}`, `{}`, `{}`, "sky"},
		{`{}`, `{}`, `{}`, "roof pier sky yard"},
		{`{}`, `{"psss":["nowhere"]}`, `{}`, ""},
	} {
		for _, satellites := range []bool{true, false} {
			user := &User{Profile: Profile{Rights: allowRights(right.All()), Settings: h.keysOf(filter.Settings, row.settings),
				ReceiveFilter: h.keysOf(filter.Receive, row.filter)},
				groups: []*Group{{Profile: Profile{ReceiveFilter: h.keysOf(filter.Receive, row.group)}}}}
			if !satellites {
				user.Rights[right.ViewSatellites] = right.Deny
			}
			view := h.users.View(user, tags)
			for set := range uint64(1) << len(names) {
				for first, feed := range names {
					if set>>first&1 == 0 {
						continue
					}
					s := anna()
					s.Feed, s.Feeds = feed, ais.Feeds{Set: set, Names: &names}
					var its []string
					for i, name := range names {
						if set>>i&1 != 0 && slices.Contains(strings.Fields(row.hears), name) && (satellites || name != "sky") {
							its = append(its, name)
						}
					}
					if shown := view.Shows(s, h.now()); shown != (len(its) > 0) {
						t.Errorf("%s %s %s, satellites %v: heard by %b, first by %s: %v", row.settings, row.filter, row.group, satellites, set, feed, shown)
					}
					if len(its) == 0 {
						continue
					}
					told := *s
					view.Tell(&told)
					var named []string
					told.Feeds.Any(func(name string) bool { named = append(named, name); return false })
					if !slices.Equal(named, its) || !slices.Contains(its, told.Feed) || slices.Contains(its, feed) && told.Feed != feed {
						t.Errorf("%s %s: told of %q and %s, want %q", row.settings, row.filter, named, told.Feed, its)
					}
				}
			}
		}
	}
}
