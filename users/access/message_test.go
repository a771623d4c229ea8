package access

import (
	"encoding/json"
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

// messagesOfTest are what the rows of the tests let through or not, each named by a letter.
func messagesOfTest() map[string]*ais.Traits {
	return map[string]*ais.Traits{
		"p": {MMSI: 219018765, Type: 1},
		"s": {MMSI: 219018765, Type: 5},
		"l": {MMSI: 219018765, Type: 27},
		"n": {MMSI: 219018765, Type: 28},                                                                                 // of a later standard
		"a": {MMSI: 219018765, Type: 6, Addressed: true, To: [4]ais.MMSI{219000001}, Structured: true, DAC: 1, FI: 31},   // to an own ship
		"b": {MMSI: 219018765, Type: 6, Addressed: true, To: [4]ais.MMSI{219000009}, Structured: true, DAC: 200, FI: 10}, // to another
		"c": {MMSI: 219018765, Type: 8, Structured: true, DAC: 1, FI: 31},                                                // to all
		"d": {MMSI: 219018765, Type: 25, Addressed: true, To: [4]ais.MMSI{219000009}},                                    // without an application
		"e": {MMSI: 219018765, Type: 26, Structured: true, DAC: 200, FI: 10},
		"k": {MMSI: 219018765, Type: 7, Addressed: true, To: [4]ais.MMSI{219000009, 219000002}}, // the second is an own ship
		"t": {MMSI: 219018765, Type: 12, Addressed: true, To: [4]ais.MMSI{219000009}},
		"u": {MMSI: 219018765, Type: 13, Addressed: true, To: [4]ais.MMSI{219000003}}, // to the default ship
		"i": {MMSI: 219018765, Type: 15, Addressed: true, To: [4]ais.MMSI{219000009}}, // an interrogation is for everybody
	}
}

const allMessages = "abcdeiklnpstu"

func passed(v *filter.View, s *ship.State, now time.Time) string {
	all, got := messagesOfTest(), ""
	for _, letter := range allMessages {
		if v.ShowsMessage(all[string(letter)], s, now) {
			got += string(letter)
		}
	}
	return got
}

// TestEachKeyOfSingleMessages tests the effect of filter keys on single messages, for the user and for a group. It looks at what
// the user receives. If the transmit filter knows the key, it also looks at what the box accepts from the user.
func TestEachKeyOfSingleMessages(t *testing.T) {
	h := newHouse(t)
	own := h.keysOf(filter.Settings, `{"mmsi_list":[219000002,219000001],"default_mmsi":219000003}`)
	for _, row := range []struct {
		filter, passes string
		receive        bool // known to the receive filter alone
	}{
		{`{}`, allMessages, false},
		{`{"message_types":[1,5]}`, "ps", false},
		{`{"message_types":[]}`, allMessages, false},
		{`{"message_types":[1],"unsupported_message_types":true}`, "np", false},
		{`{"unsupported_message_types":false}`, allMessages, false},
		{`{"binary_message_content":[{"dac":1,"fi":31}]}`, "aciklnpstu", false},
		{`{"binary_message_content":[{"dac":1,"fi":31,"type":"addressed"}]}`, "aiklnpstu", false},
		{`{"binary_message_content":[{"dac":1,"fi":31,"type":"broadcast"},{"dac":200,"fi":10,"type":""}]}`, "bceiklnpstu", false},
		{`{"binary_message_content":[{"dac":1,"fi":31,"type":"broadcast"},{"dac":1,"fi":31,"type":"addressed"}]}`, "aciklnpstu", false},
		{`{"binary_message_content":[]}`, allMessages, false},
		{`{"allow_addressed_messages":false}`, "acdeiklnpsu", true},
		{`{"allow_addressed_messages":true}`, allMessages, true},
		{`{"message_types":[6,12],"allow_addressed_messages":false}`, "a", true},
		{`{"countries":[211]}`, "", true},
	} {
		keys := h.keysOf(filter.Receive, row.filter)
		for name, user := range map[string]*User{
			"own":   {Profile: Profile{Rights: allowRights(right.All()), Settings: own, ReceiveFilter: keys}},
			"group": {Profile: Profile{Settings: own}, groups: []*Group{{Profile: Profile{Rights: allowRights(right.All()), ReceiveFilter: keys}}}},
		} {
			view := h.users.View(user, noTags)
			if got := passed(view, anna(), h.now()); got != row.passes {
				t.Errorf("%s %s lets %q pass, want %q", name, row.filter, got, row.passes)
			}
			if row.filter != `{"countries":[211]}` && !view.Everything() {
				t.Errorf("%s: what is about messages hides a ship", row.filter)
			}
		}
		want := row.passes
		if row.receive { // it is kept, but the transmit filter does not know the key
			want = allMessages
			if row.filter == `{"message_types":[6,12],"allow_addressed_messages":false}` {
				want = "abt"
			}
		}
		user := &User{Profile: Profile{TransmitFilter: keys}, groups: []*Group{{Profile: Profile{TransmitFilter: h.keysOf(filter.Transmit, `{}`)}}}}
		if got := passed(h.users.TransmitView(user), anna(), h.now()); got != want {
			t.Errorf("transmit %s lets %q pass, want %q", row.filter, got, want)
		}
	}
	// All filters have to let a message pass.
	both := &User{Profile: Profile{Rights: allowRights(right.All()),
		ReceiveFilter: h.keysOf(filter.Receive, `{"message_types":[1,5,8],"binary_message_content":[{"dac":1,"fi":31}]}`)},
		groups: []*Group{{Profile: Profile{ReceiveFilter: h.keysOf(filter.Receive, `{"message_types":[5,8,25],"binary_message_content":[{"dac":200,"fi":10}]}`)}}}}
	if got := passed(h.users.View(both, noTags), anna(), h.now()); got != "s" {
		t.Errorf("two filters let %q pass", got)
	}
	if got := passed(nil, anna(), h.now()); got != allMessages {
		t.Errorf("no view at all lets %q pass", got)
	}
}

// TestEachKeyOfTheTransmitFilter sees every condition on ships hold for what a user sends.
func TestEachKeyOfTheTransmitFilter(t *testing.T) {
	h := newHouse(t)
	if _, err := h.lib.Insert(library.ShipLists, library.Resource{Name: "tugs", Ships: []ship.Listed{{MMSI: 219018765}}}); err != nil {
		t.Fatal(err)
	}
	other := &ship.State{MMSI: 211000001, Class: ship.ClassUnknown}
	message := &ais.Traits{Type: 1}
	for text, takes := range map[string]string{ // of Anna and the other
		`{"mobile_types":["A"]}`: "a", `{"mobile_types":["A"],"unsupported_mobile_types":true}`: "ao",
		`{"types_of_ship":["tanker"]}`: "a", `{"types_of_ship":["tanker"],"unsupported_ship_types":true}`: "ao",
		`{"include_predefined_ship_list":true,"predefined_ship_list":["Tugs"]}`:               "a",
		`{"include_user_defined_ship_list":true,"user_defined_ship_list_mmsi":[211000001]}`:   "o",
		`{"include_user_defined_ship_list":true,"user_defined_ship_list_imo":[9321483]}`:      "a",
		`{"include_user_defined_ship_list":true,"user_defined_ship_list_callsign":["owkn2"]}`: "a",
		`{"expression":"mmsi = 211000001"}`:                                                   "o",
	} {
		user := &User{Profile: Profile{TransmitFilter: h.keysOf(filter.Transmit, text)}}
		for _, of := range []*User{user, {groups: []*Group{{Profile: user.Profile}}}} {
			view, got := h.users.TransmitView(of), ""
			if view.ShowsMessage(message, anna(), h.now()) {
				got += "a"
			}
			if view.ShowsMessage(message, other, h.now()) {
				got += "o"
			}
			if got != takes || !view.Pace().Zero() {
				t.Errorf("%s takes %q, want %q", text, got, takes)
			}
		}
	}
}

func TestPace(t *testing.T) {
	h := newHouse(t)
	at := func(metresEast int) *ship.State { // on the equator a minute is 1855 m
		return &ship.State{HasFix: true, Fix: ship.Fix{Lon: int32(metresEast * 10000 / 1855)}}
	}
	near, mid, far, unplaced := at(500), at(3000), at(90000), &ship.State{}
	for _, row := range []struct {
		own, group string
		delay      time.Duration
		seconds    [4]int // near, mid, far, unplaced
	}{
		{`{}`, `{}`, 0, [4]int{}},
		{`{"delay":30}`, `{"delay":20}`, 30 * time.Second, [4]int{}},
		{`{"update_interval":10}`, `{"update_interval":60,"delay":5}`, 5 * time.Second, [4]int{60, 60, 60, 60}},
		{`{"range_dependant_update":{"position":[0,0],"ranges":[{"distance":1000,"interval":0},{"distance":5000,"interval":30}]}}`, `{}`, 0, [4]int{0, 30, 30, 0}},
		{`{"range_dependant_update":{"position":[0,0],"ranges":[{"distance":5000,"interval":30},{"distance":1000,"interval":2},{"distance":20000,"interval":300}]}}`, `{}`, 0, [4]int{30, 30, 300, 0}},
		{`{"update_interval":10,"range_dependant_update":{"position":[0,0],"ranges":[{"distance":5000,"interval":30}]}}`,
			`{"range_dependant_update":{"position":[0.8,0],"ranges":[{"distance":5000,"interval":60},{"distance":1000000,"interval":5}]}}`, 0, [4]int{30, 30, 60, 10}},
		{`{"range_dependant_update":{"position":[0,0],"ranges":[]}}`, `{}`, 0, [4]int{}},
	} {
		user := &User{Profile: Profile{Rights: allowRights(right.All()), ReceiveFilter: h.keysOf(filter.Receive, row.own)},
			groups: []*Group{{Profile: Profile{ReceiveFilter: h.keysOf(filter.Receive, row.group)}}}}
		view := h.users.View(user, noTags)
		pace := view.Pace()
		var got [4]int
		for i, s := range []*ship.State{near, mid, far, unplaced} {
			got[i] = int(pace.Interval(s) / time.Second)
		}
		if pace.Delay != row.delay || got != row.seconds {
			t.Errorf("%s and %s: late by %s, every %v seconds; want %s, %v", row.own, row.group, pace.Delay, got, row.delay, row.seconds)
		}
		if longest := time.Duration(slices.Max(row.seconds[:])) * time.Second; pace.Longest() != longest {
			t.Errorf("%s and %s: the longest interval is %s, want %s", row.own, row.group, pace.Longest(), longest)
		}
		thins := row.seconds != [4]int{}
		if pace.Thins() != thins || pace.Zero() != (row.delay == 0 && !thins) || (pace.Key() == "") != pace.Zero() || !view.Everything() {
			t.Errorf("%s and %s: thins %v, zero %v, key %q", row.own, row.group, pace.Thins(), pace.Zero(), pace.Key())
		}
		if again := h.users.View(user, noTags).Pace(); again.Key() != pace.Key() {
			t.Errorf("the same pace has the keys %q and %q", pace.Key(), again.Key())
		}
	}
	if !(*filter.View)(nil).Pace().Zero() {
		t.Error("no view at all has a pace")
	}
}

func TestDefaultFeeds(t *testing.T) {
	h := newHouse(t)
	tags := func(feed string) []string { return map[string][]string{"tower": {"north"}}[feed] }
	for _, row := range []struct{ settings, filter, group, shows string }{ // of roof, tower, pier and a ship that no feed heard
		{`{"default_pss_list":["Roof"]}`, `{}`, `{}`, "roof entered "},
		{`{"default_pss_list":["roof","tower"],"allowed_pss_list":["tower","pier"]}`, `{}`, `{}`, "tower entered "},
		{`{"default_pss_list":["roof"]}`, `{"psss":["tower"]}`, `{}`, "tower "},
		{`{"default_pss_list":["roof"]}`, `{}`, `{"psss":["pier"]}`, "pier "},
		{`{"default_pss_list":["roof"]}`, `{"source_tags":["north"]}`, `{}`, "tower "},
		{`{"default_pss_list":[]}`, `{}`, `{}`, "roof tower pier entered "},
		{`{"allowed_pss_list":["cellar"]}`, `{}`, `{}`, "entered "},
	} {
		user := &User{Profile: Profile{Rights: allowRights(right.All()), Settings: h.keysOf(filter.Settings, row.settings),
			ReceiveFilter: h.keysOf(filter.Receive, row.filter)},
			groups: []*Group{{Profile: Profile{ReceiveFilter: h.keysOf(filter.Receive, row.group)}}}}
		view, got := h.users.View(user, tags), ""
		for _, feed := range []string{"roof", "tower", "pier", ""} {
			if view.Shows(&ship.State{MMSI: 1, Feed: feed}, h.now()) {
				if feed == "" {
					feed = "entered"
				}
				got += feed + " "
			}
		}
		if got != row.shows {
			t.Errorf("%s with %s and %s shows %q, want %q", row.settings, row.filter, row.group, got, row.shows)
		}
	}
}

// A list without anything in it is as one that is not set: it restricts nothing, and takes no place of a group's.
func TestEmptyListsAreNotSet(t *testing.T) {
	h := newHouse(t)
	lists := map[filter.KnownKeys]string{
		filter.Settings: "allowed_pss_list default_pss_list mmsi_list",
		filter.Receive:  "areas binary_message_content countries message_types mobile_types predefined_ship_list psss regions source_tags types_of_ship user_defined_ship_list_callsign user_defined_ship_list_imo user_defined_ship_list_mmsi",
		filter.Transmit: "binary_message_content message_types mobile_types predefined_ship_list types_of_ship user_defined_ship_list_callsign user_defined_ship_list_imo user_defined_ship_list_mmsi",
	}
	for set, names := range lists {
		var takes []string
		for _, key := range set.Keys() {
			for _, none := range []string{`[]`, "[ \n]"} {
				kept, wrong := h.users.names.Take(set, nil, form.Keys{key: json.RawMessage(none)})
				if len(wrong) > 0 {
					continue
				}
				if none == `[]` {
					takes = append(takes, key)
				}
				user := &User{Profile: Profile{Rights: allowRights(right.All())}, groups: []*Group{{Profile: Profile{Settings: form.Keys{key: json.RawMessage(`["roof"]`)}}}}}
				switch set {
				case filter.Settings:
					user.Settings = kept
					if v, ok := user.Setting(key); !ok || string(v) != `["roof"]` {
						t.Errorf("%s %s instead of that of the group: %s", key, none, v)
					}
				case filter.Receive:
					user.ReceiveFilter = kept
				case filter.Transmit:
					user.TransmitFilter = kept
				}
				user.groups = nil
				for _, view := range []*filter.View{h.users.View(user, noTags), h.users.TransmitView(user)} {
					for kind := range uint8(28) {
						if !view.ShowsMessage(&ais.Traits{Type: kind, DAC: 1, FI: 31, Addressed: kind == 6}, &ship.State{MMSI: 1, Feed: "roof"}, h.now()) {
							t.Errorf("%s %s hides messages %d", key, none, kind)
						}
					}
				}
				if !h.users.View(user, noTags).Everything() || user.OwnShip() != 0 {
					t.Errorf("%s %s says something", key, none)
				}
			}
		}
		if slices.Sort(takes); strings.Join(takes, " ") != names {
			t.Errorf("lists of %d: %q", set, takes)
		}
	}
}

// If a filter names its feeds, default_pss_list hides nothing. A user with default_pss_list alone cannot make a user with such a
// filter.
func TestDefaultFeedsNarrowWhereTheyCount(t *testing.T) {
	h := newHouse(t)
	defaults := h.keysOf(filter.Settings, `{"default_pss_list":["roof"]}`)
	clerk := &User{Profile: Profile{Settings: defaults}}
	freed := &User{Profile: Profile{Settings: defaults}, groups: []*Group{{Profile: Profile{ReceiveFilter: h.keysOf(filter.Receive, `{"psss":["pier"]}`)}}}}
	if freed.NarrowedAs(clerk) || !clerk.NarrowedAs(clerk) || !clerk.Narrowed() {
		t.Error("another feed than the caller's is shown")
	}
	if blank := (&User{Profile: Profile{Settings: h.keysOf(filter.Settings, `{"default_pss_list":[],"allowed_pss_list":[]}`)}}); blank.Narrowed() ||
		blank.NarrowedAs(clerk) {
		t.Error("empty lists narrow")
	}
}
