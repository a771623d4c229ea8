package access

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"quaywatch/form"
	"quaywatch/ship"
	"quaywatch/store/records"
	"quaywatch/users/access/filter"
	"quaywatch/users/access/right"
	"quaywatch/users/library"
)

func (h *house) add(name string, groups ...string) *User {
	h.t.Helper()
	user, err := h.users.Create(User{Name: name, Groups: groups}, goodPassword)
	if err != nil {
		h.t.Fatal(err)
	}
	return user
}

func TestFirstGroupsAndOldUsers(t *testing.T) {
	h := newHouse(t)
	for name, count := range map[string]int{GroupAdmin: 73, GroupOperator: 59, GroupViewer: 11} {
		g, ok := h.users.Groups().Get(" " + strings.ToUpper(name) + " ")
		if !ok || len(g.Rights) != count {
			t.Errorf("group %s: %v, %d rights, want %d", name, ok, len(g.Rights), count)
		}
	}
	anna := h.add("anna", GroupViewer)
	table, err := records.OpenTable[map[string]any](h.db.Database, "users")
	if err != nil {
		t.Fatal(err)
	}
	// As the program wrote users before it knew groups.
	old := map[string]any{"uid": "11111111-1111-4111-8111-111111111111", "name": "old", "hash": anna.Hash, "groups": []string{"admin"}, "stamp": 1}
	if _, err := table.Insert("old", old); err != nil {
		t.Fatal(err)
	}
	h.restart()
	if user, ok := h.users.User("OLD"); !ok || !user.May(right.LockGroups) || len(user.Effective()) != 73 {
		t.Errorf("the old administrator is %+v", user)
	}
	if n := len(h.users.Groups().All()); n != 3 {
		t.Errorf("%d groups after a restart", n)
	}
	if user, ok := h.users.User(anna.UID); !ok || !user.May(right.ViewPort) || user.May(right.ChangeUser) {
		t.Errorf("anna is %+v", user)
	}
}

func TestTheLastAdministratorStays(t *testing.T) {
	h := newHouse(t)
	h.add("root", GroupAdmin)
	h.add("anna", GroupViewer)
	admins, _ := h.users.Groups().Get(GroupAdmin)
	attempts := map[string]func() error{
		"delete": func() error { return h.users.Delete("root") },
		"disable": func() error {
			_, err := h.users.Change("root", func(u *User) error { u.Disabled = true; return nil })
			return err
		},
		"expire": func() error {
			_, err := h.users.Change("root", func(u *User) error { u.Expires = h.now().Add(time.Hour); return nil })
			return err
		},
		"demote": func() error {
			_, err := h.users.Change("root", func(u *User) error { u.Groups = nil; return nil })
			return err
		},
		"deny": func() error {
			_, err := h.users.Change("root", func(u *User) error { u.Rights = map[right.Name]right.Verdict{right.ChangeUser: right.Deny}; return nil })
			return err
		},
		"no sign-in": func() error {
			_, err := h.users.Change("root", func(u *User) error { u.Settings = form.Keys{"user_type": json.RawMessage(`"proxy"`)}; return nil })
			return err
		},
		"empty the group": func() error {
			_, err := h.users.Groups().Change(admins.UID, func(g *Group) error { g.Rights = nil; return nil })
			return err
		},
	}
	refused := func() {
		for name, attempt := range attempts {
			if err := attempt(); !errors.Is(err, ErrLastAdmin) {
				t.Errorf("%s: %v", name, err)
			}
		}
	}
	refused()
	deputy := User{Name: "deputy", Profile: Profile{Rights: allowRights([]right.Name{right.AddRemoveUsers, right.ChangeUser, right.ChangeAccessRights,
		right.UserConfigurationAccess, right.AllowWebService})}}
	if _, err := h.users.Create(deputy, goodPassword); err != nil {
		t.Fatal(err)
	}
	refused() // the deputy could not give back what root had
	if err := h.users.Groups().Delete(admins.UID); !errors.Is(err, form.ErrReferenced) {
		t.Errorf("the group admin: %v", err)
	}
	h.add("second", GroupAdmin)
	if err := h.users.Delete("root"); err != nil {
		t.Errorf("with a second one: %v", err)
	}
}

func TestGroupsAreNotLostWhileNamed(t *testing.T) {
	h := newHouse(t)
	g, err := h.users.Groups().Add(Group{Name: "Harbour  Office", Profile: own(right.ViewPort, right.Allow)})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := h.users.Groups().Add(Group{Name: " harbour office"}); !errors.Is(err, form.ErrTaken) {
		t.Errorf("the same name: %v", err)
	}
	user := h.add("anna", "HARBOUR OFFICE")
	if !user.May(right.ViewPort) {
		t.Error("a member lacks the right of the group")
	}
	if err := h.users.Groups().Delete(g.UID); !errors.Is(err, form.ErrReferenced) {
		t.Errorf("a group with a member: %v", err)
	}
	if _, err := h.users.Groups().Change(g.UID, func(g *Group) error {
		g.Rights = own(right.ViewPort, right.Deny).Rights
		g.Name = "Office"
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	if user, _ := h.users.User("anna"); user.May(right.ViewPort) {
		t.Error("the member keeps a right that the group lost")
	}
	h.restart()
	if user, _ := h.users.User("anna"); len(user.groups) != 1 || user.groups[0].Name != "Office" {
		t.Error("the renamed group lost its member")
	}
	if err := h.users.Delete("anna"); err != nil {
		t.Fatal(err)
	}
	if err := h.users.Groups().Delete(g.UID); err != nil {
		t.Error(err)
	}
}

func TestOnlyWhatIsOfTheSignInEndsSessions(t *testing.T) {
	h := newHouse(t)
	h.add("root", GroupAdmin)
	for name, row := range map[string]struct {
		edit func(*User)
		ends bool
	}{
		"description": {func(u *User) { u.Description = "pilot" }, false},
		"rights":      {func(u *User) { u.Rights = own(right.ViewPort, right.Deny).Rights }, false},
		"password":    {func(u *User) { u.Hash = hashPassword("another password", hashMemoryKiB) }, true},
		"disabled":    {func(u *User) { u.Disabled = true }, true},
		"expired":     {func(u *User) { u.Expires = h.now() }, true},
		"expiring":    {func(u *User) { u.Expires = h.now().Add(time.Hour) }, false},
		"name":        {func(u *User) { u.Name = "renamed" }, true},
	} {
		t.Run(name, func(t *testing.T) {
			user := h.add("anna", GroupViewer)
			token, err := h.users.Sessions().Begin(user, "192.0.2.1")
			if err != nil {
				t.Fatal(err)
			}
			now, err := h.users.Change("anna", func(u *User) error { row.edit(u); return nil })
			if err != nil {
				t.Fatal(err)
			}
			_, current := h.users.Current(user)
			if _, err := h.users.Sessions().User(token, ""); (err != nil) != row.ends || current == row.ends {
				t.Errorf("session: %v, current %v", err, current)
			}
			if err := h.users.Delete(now.Name); err != nil {
				t.Fatal(err)
			}
		})
	}
}

func TestClone(t *testing.T) {
	h := newHouse(t)
	h.add("anna", GroupViewer)
	kept, wrong := h.users.names.Take(filter.Receive, nil, form.Keys{"user_defined_ship_list_mmsi": json.RawMessage(`[1]`),
		"countries": json.RawMessage(`[219]`), "new_key": json.RawMessage(`{"a":1}`)})
	if len(wrong) > 0 {
		t.Fatal(wrong)
	}
	settings, _ := h.users.names.Take(filter.Settings, nil, form.Keys{"mmsi_list": json.RawMessage(`[219018765]`),
		"default_mmsi": json.RawMessage(`219000002`), "user_type": json.RawMessage(`"client"`)})
	user, err := h.users.Change("anna", func(u *User) error {
		u.ReceiveFilter, u.Settings, u.Direct = kept, settings, DirectAccess{Enabled: true, Hosts: []string{"10.0.0.1"}}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	clone, err := h.users.Clone(user, "bert")
	if err != nil {
		t.Fatal(err)
	}
	if own := clone.OwnShips(); len(own) > 0 {
		t.Errorf("the ships of another are the clone's own: %v", own)
	}
	if clone.UID == user.UID || clone.Hash != user.Hash || len(clone.Direct.Hosts) != 0 || len(clone.Settings) != 1 || len(clone.ReceiveFilter) != 2 {
		t.Errorf("the clone is %+v", clone)
	}
	if err := h.verify("bert", goodPassword, "::1"); err != nil {
		t.Error(err)
	}
	if _, err := h.users.Clone(user, "Bert"); !errors.Is(err, form.ErrTaken) {
		t.Errorf("a second time: %v", err)
	}
}

func TestKeysAreCheckedByNameAndUnknownOnesKept(t *testing.T) {
	h := newHouse(t)
	shape, err := h.lib.Insert(library.Shapes, library.Resource{Name: "Outer",
		Circle: &library.CircleJSON{Center: json.RawMessage(`{"type":"Point","coordinates":[10,56]}`), Radius: 1000}})
	if err != nil {
		t.Fatal(err)
	}
	for _, row := range []struct {
		set     filter.KnownKeys
		text    string
		refused string
	}{
		{filter.Settings, `{"user_type":"king"}`, "user_type"}, {filter.Settings, `{"mmsi_list":["x"]}`, "mmsi_list"}, {filter.Settings, `{"use_timestamp":1}`, "use_timestamp"},
		{filter.Settings, `{"priority":"high","region_mask":"0aF","report_permissions":{"area":"allow"},"of_tomorrow":[1]}`, ""},
		{filter.Settings, `{"region_mask":"x"}`, "region_mask"}, {filter.Settings, `{"report_permissions":{"area":"maybe"}}`, "report_permissions"},
		{filter.Receive, `{"areas":["outer",{"uid":"` + shape.UID + `"}],"countries":[219],"psss":["roof"]}`, ""},
		{filter.Receive, `{"areas":["nowhere"]}`, "areas/0"}, {filter.Receive, `{"areas":"outer"}`, "areas"}, {filter.Receive, `{"expression":"spede > 3"}`, "expression"},
		{filter.Receive, `{"message_types":[28]}`, "message_types"}, {filter.Receive, `{"mobile_types":["C"]}`, "mobile_types"},
		{filter.Receive, `{"range_dependant_update":{"position":[1]}}`, "range_dependant_update"},
		{filter.Receive, `{"range_dependant_update":{"position":[null,56]}}`, "range_dependant_update"},
		{filter.Receive, `{"range_dependant_update":{"position":[10,56],"ranges":[{"distance":1000,"interval":10}]}}`, ""},
		{filter.Receive, `{"binary_message_content":[{"dac":1,"fi":31,"type":"broadcast"}]}`, ""},
		{filter.Settings, `{"web_max_lookback_time":1000000}`, ""}, {filter.Settings, `{"web_max_lookback_time":5124096}`, "web_max_lookback_time"}, // of nanoseconds in 64 bits
		{filter.Receive, `{"range_dependant_update":{"position":[10,56],"ranges":[{"distance":1000,"interval":86401}]}}`, "range_dependant_update"},
		{filter.Receive, `{"types_of_ship":["Tanker","hsc","Cargo*","35"]}`, ""}, {filter.Receive, `{"types_of_ship":["tankers"]}`, "types_of_ship"},
		{filter.Transmit, `{"types_of_ship":["256"]}`, "types_of_ship"}, {filter.Receive, `{"types_of_ship":["30","5"]}`, "types_of_ship"},
		{filter.Receive, `{"types_of_ship":["0"]}`, "types_of_ship"}, {filter.Receive, `{"types_of_ship":["100"]}`, "types_of_ship"}, {filter.Receive, `{"types_of_ship":["20","99"]}`, ""},
		{filter.Receive, `{"types_of_ship":[35]}`, "types_of_ship"},
		{filter.Transmit, `{"binary_message_content":[{"dac":2000,"fi":31}]}`, "binary_message_content"},
		{filter.Transmit, `{"countries":[219]}`, "countries"}, {filter.Transmit, `{"of_tomorrow":[1]}`, ""},
	} {
		var written form.Keys
		if err := json.Unmarshal([]byte(row.text), &written); err != nil {
			t.Fatal(err)
		}
		kept, wrong := h.users.names.Take(row.set, nil, written)
		if row.refused == "" && (len(wrong) > 0 || len(kept) != len(written)) || row.refused != "" && (len(wrong) == 0 || wrong[0].Pointer != "/"+row.refused) {
			t.Errorf("%s: %v, kept %s", row.text, wrong, kept)
		}
	}
	kept, _ := h.users.names.Take(filter.Receive, nil, form.Keys{"areas": json.RawMessage(`["OUTER "]`)})
	if _, err := h.lib.Change(library.Shapes, shape.UID, func(r *library.Resource) error { r.Name = "Renamed"; return nil }); err != nil {
		t.Fatal(err)
	}
	if given := h.users.names.Give(filter.Receive, kept); string(given["areas"]) != `[{"name":"Renamed","uid":"`+shape.UID+`"}]` {
		t.Errorf("read as %s", given["areas"])
	}
	h.add("root", GroupAdmin)
	if _, err := h.users.Change("root", func(u *User) error { u.ReceiveFilter = kept; return nil }); err != nil {
		t.Fatal(err)
	}
	if err := h.lib.Delete(library.Shapes, shape.UID); !errors.Is(err, form.ErrReferenced) {
		t.Errorf("a shape that a filter names: %v", err)
	}
}

// An empty text is none, whatever the setting: that of a group counts instead, and what is read may be written again.
func TestAnEmptyTextIsNone(t *testing.T) {
	h := newHouse(t)
	given := map[string]string{
		"custom_tag_info": `"x"`, "lss_group": `"pilots"`, "output_format": `"xml"`, "priority": `"high"`, "region_mask": `"f"`,
		"report_priority": `"low"`, "time_stamp_method": `"tag"`, "user_type": `"client"`,
	}
	empty, of := form.Keys{}, form.Keys{}
	for _, key := range filter.Settings.Keys() {
		_, wrong := h.users.names.Take(filter.Settings, nil, form.Keys{key: json.RawMessage(`""`)})
		text := len(wrong) == 0
		if value, known := given[key]; text {
			empty[key], of[key] = json.RawMessage(`""`), json.RawMessage(value)
			if !known {
				t.Errorf("%s takes a text, and this test has none for it", key)
			}
		} else if known {
			t.Errorf("%s takes no empty text", key)
		}
	}
	set := func(written form.Keys) form.Keys {
		t.Helper()
		kept, wrong := h.users.names.Take(filter.Settings, nil, written)
		if len(wrong) > 0 {
			t.Fatal(wrong)
		}
		return kept
	}
	group, err := h.users.Groups().Add(Group{Name: "crew", Profile: Profile{Settings: set(of)}})
	if err != nil {
		t.Fatal(err)
	}
	user := h.users.Resolved(User{Name: "anna", Groups: []string{group.UID}, Profile: Profile{Settings: set(empty)}})
	for key := range given {
		if v, ok := user.Setting(key); !ok || string(v) != string(group.Settings[key]) {
			t.Errorf("%s is %s, %v", key, v, ok)
		}
	}
	read := h.users.names.Give(filter.Settings, user.Settings)
	for key, raw := range set(read) {
		if string(raw) != `""` {
			t.Errorf("%s is read as %s and then kept as %s", key, read[key], raw)
		}
	}
	if blank := set(form.Keys{"lss_group": json.RawMessage(`" "`)}); string(blank["lss_group"]) != `""` {
		t.Errorf("blanks are kept as %s", blank["lss_group"])
	}
	for _, set := range []filter.KnownKeys{filter.Receive, filter.Transmit} {
		kept, wrong := h.users.names.Take(set, nil, form.Keys{"expression": json.RawMessage(`""`)})
		if len(wrong) > 0 {
			t.Fatal(wrong)
		}
		seer := h.users.Resolved(User{Profile: Profile{ReceiveFilter: kept, TransmitFilter: kept}})
		if at := h.now(); !h.users.View(seer, func(string) []string { return nil }).Shows(&ship.State{MMSI: 1}, at) ||
			!h.users.TransmitView(seer).Shows(&ship.State{MMSI: 1}, at) {
			t.Error("an empty expression hides a ship")
		}
	}
}

// TestEachFilterKeyHidesAndShows sees the effect of every key that judges ships.
func TestEachFilterKeyHidesAndShows(t *testing.T) {
	h := newHouse(t)
	for _, r := range []library.Resource{
		{Name: "here", Circle: &library.CircleJSON{Center: json.RawMessage(`{"type":"Point","coordinates":[10,56]}`), Radius: 5000}},
		{Name: "there", Polygon: json.RawMessage(`{"type":"Polygon","coordinates":[[[179,0],[-179,0],[-179,1],[179,1],[179,0]]]}`)},
	} {
		if _, err := h.lib.Insert(library.Shapes, r); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := h.lib.Insert(library.ShipLists, library.Resource{Name: "tugs", Ships: []ship.Listed{{Name: "anna"}, {IMO: 9074729}}}); err != nil {
		t.Fatal(err)
	}
	tags := func(feed string) []string { return map[string][]string{"roof": {"shore"}, "sky": {"satellite"}}[feed] }
	anna := ship.State{MMSI: 219018765, Class: ship.ClassA, Feed: "roof", HasFix: true, Fix: ship.Fix{Lon: 6000000, Lat: 33600000},
		Static: &ship.Static{Name: "ANNA ", CallSign: "OWKN2", IMO: 9321483, Type: 80}}
	far := ship.State{MMSI: 992111234, Class: ship.ClassAtoN, Feed: "tower", HasFix: true, Fix: ship.Fix{Lon: -107700000, Lat: 300000},
		Static: &ship.Static{IMO: 9074729, Type: 30}}
	mute := ship.State{MMSI: 111219001, Class: ship.ClassUnknown, Feed: "sky"}
	for _, row := range []struct {
		filter string
		shown  string // of anna, far, mute
	}{
		{`{}`, "afm"}, {`{"areas":["here"]}`, "a"}, {`{"areas":["here"],"regions":["there"]}`, "af"}, {`{"regions":["there"]}`, "f"},
		{`{"countries":[219]}`, "am"}, {`{"countries":[211]}`, "f"}, {`{"psss":["Roof"]}`, "a"}, {`{"source_tags":["shore","satellite"]}`, "am"},
		{`{"psss":["tower"],"source_tags":["shore"]}`, "af"}, {`{"psss":["roof","tower"],"source_tags":["shore"],"source_mode_is_and":true}`, "a"},
		{`{"mobile_types":["A","aton"]}`, "af"}, {`{"mobile_types":["A"],"unsupported_mobile_types":true}`, "am"},
		{`{"types_of_ship":["tanker"]}`, "a"}, {`{"types_of_ship":["30"]}`, "f"}, {`{"types_of_ship":["fishing"],"unsupported_ship_types":true}`, "fm"},
		{`{"include_predefined_ship_list":true,"predefined_ship_list":["Tugs"]}`, "af"}, {`{"predefined_ship_list":["Tugs"]}`, "afm"},
		{`{"include_user_defined_ship_list":true,"user_defined_ship_list_mmsi":[111219001]}`, "m"},
		{`{"include_user_defined_ship_list":true,"user_defined_ship_list_imo":[9321483]}`, "a"},
		{`{"include_user_defined_ship_list":true,"user_defined_ship_list_callsign":["owkn2"]}`, "a"},
		{`{"include_user_defined_ship_list":true}`, ""}, {`{"expression":"shiplist = tugs and pos within shape(here)"}`, "a"},
		{`{"countries":[219],"mobile_types":["A"]}`, "a"},
	} {
		var written form.Keys
		if err := json.Unmarshal([]byte(row.filter), &written); err != nil {
			t.Fatal(err)
		}
		kept, wrong := h.users.names.Take(filter.Receive, nil, written)
		if len(wrong) > 0 {
			t.Fatal(row.filter, wrong)
		}
		for _, user := range []*User{{Profile: Profile{Rights: allowRights(right.All()), ReceiveFilter: kept}},
			{groups: []*Group{{Profile: Profile{Rights: allowRights(right.All()), ReceiveFilter: kept}}}}} {
			view, shown := h.users.View(user, tags), ""
			for i, s := range []*ship.State{&anna, &far, &mute} {
				if view.Shows(s, h.now()) {
					shown += string("afm"[i])
				}
			}
			if shown != row.shown || view.Everything() != (row.shown == "afm") {
				t.Errorf("%s shows %q, want %q", row.filter, shown, row.shown)
			}
		}
	}
	noSatellites := &User{Profile: own(right.ViewPort, right.Allow)}
	if v := h.users.View(noSatellites, tags); !v.Shows(&anna, h.now()) || v.Shows(&mute, h.now()) {
		t.Error("view_satellites")
	}
	feeds := &User{Profile: Profile{Rights: allowRights(right.All()), Settings: form.Keys{"allowed_pss_list": json.RawMessage(`["tower"]`)}}}
	if v := h.users.View(feeds, tags); v.Shows(&anna, h.now()) || !v.Shows(&far, h.now()) {
		t.Error("allowed_pss_list")
	}
}

// A filter whose expression names a deleted thing shows nothing. To show too much would be worse.
func TestAFilterThatBrokeShowsNothing(t *testing.T) {
	h := newHouse(t)
	user := &User{Profile: Profile{Rights: allowRights(right.All()), ReceiveFilter: form.Keys{"expression": json.RawMessage(`"shiplist = gone"`)}}}
	if h.users.View(user, func(string) []string { return nil }).Shows(&ship.State{MMSI: 1}, h.now()) {
		t.Error("it shows")
	}
}

func TestPasswordsAreInNoFile(t *testing.T) {
	h := newHouse(t)
	if _, err := h.users.Clone(h.add("anna", GroupAdmin), "bert"); err != nil {
		t.Fatal(err)
	}
	if _, err := h.users.Passwords().Verify(context.Background(), "bert", goodPassword, "::1"); err != nil {
		t.Fatal(err)
	}
	if err := h.db.Settle(); err != nil {
		t.Fatal(err)
	}
	body, err := os.ReadFile(filepath.Join(h.dir, "quaywatch.db"))
	if err != nil || strings.Contains(string(body), goodPassword) {
		t.Errorf("the password stands in the database: %v", err)
	}
}

// TestABoxWithoutUsersKeepsItsFirstAdministrator: while no user can sign in, the group admin keeps the rights that the first
// administrator needs. The first user that can sign in must be an administrator.
func TestABoxWithoutUsersKeepsItsFirstAdministrator(t *testing.T) {
	h := newHouse(t)
	deny := func() error {
		_, err := h.users.Groups().Change(h.users.Groups().Admin().UID, func(g *Group) error {
			g.Rights = map[right.Name]right.Verdict{right.ChangeUser: right.Deny}
			return nil
		})
		return err
	}
	take := func(text string) error { _, err := h.take(text); return err }
	if err := deny(); !errors.Is(err, ErrLastAdmin) {
		t.Errorf("the group admin of a new box is emptied: %v", err)
	}
	if err := take(`{"groups":[{"name":"admin","access_rights":{"change_user":"deny"}}]}`); !errors.Is(err, ErrLastAdmin) {
		t.Errorf("by an import: %v", err)
	}
	if err := take(`{"users":[{"name":"looker","groups":["viewer"]}]}`); err != nil {
		t.Errorf("a user that cannot sign in yet: %v", err)
	}
	if err := h.users.SetPassword("looker", goodPassword); !errors.Is(err, ErrLastAdmin) {
		t.Errorf("now the viewer can: %v", err)
	}
	if err := deny(); !errors.Is(err, ErrLastAdmin) {
		t.Errorf("with users that cannot sign in: %v", err)
	}
	if _, err := h.users.Create(User{Name: "root", Groups: []string{GroupAdmin}}, goodPassword); err != nil {
		t.Fatal(err)
	}
	if err := h.users.SetPassword("looker", goodPassword); err != nil {
		t.Errorf("beside an administrator: %v", err)
	}
	if err := deny(); !errors.Is(err, ErrLastAdmin) {
		t.Errorf("the last administrator's group: %v", err)
	}
}
