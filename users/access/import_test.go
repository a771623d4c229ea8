package access

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"

	"quaywatch/form"
	"quaywatch/store/records"
	"quaywatch/users/access/right"
	"quaywatch/users/document"
	"quaywatch/users/library"
	"quaywatch/users/registry"
)

// take imports a document in JSON and returns what was done, as "added user anna".
func (h *house) take(text string) (string, error) {
	h.t.Helper()
	doc, err := document.Read([]byte(text))
	if err != nil {
		return "", err
	}
	report, err := h.box.Import(h.t.Context(), doc, false)
	if err != nil {
		return "", err
	}
	var did []string
	for _, one := range report.Things {
		did = append(did, one.What+" "+one.Kind+" "+one.Name)
	}
	return strings.Join(did, ", "), nil
}

func (h *house) took(text, want string) {
	h.t.Helper()
	if did, err := h.take(text); err != nil || did != want {
		h.t.Errorf("import %s: %v, %s; want %s", text, err, did, want)
	}
}

const (
	uidA = "aaaaaaaa-aaaa-4aaa-8aaa-aaaaaaaaaaaa"
	uidB = "bbbbbbbb-bbbb-4bbb-8bbb-bbbbbbbbbbbb"
)

// A thing is known by its uid: what has another one here keeps its name, and the document is refused. Nothing takes another uid.
func TestImportRefusesClashesOfNames(t *testing.T) {
	h := newHouse(t)
	h.add("root", GroupAdmin)
	anna := h.add("anna", GroupViewer)
	circle := `"circle":{"center":{"type":"Point","coordinates":[1,2]},"radius":5}`
	h.took(`{"shapes":[{"uid":"`+uidB+`","name":"Outer",`+circle+`,"owner":"anna","acl":["anna"]}]}`, "added shape Outer")
	for text, want := range map[string]string{
		`{"users":[{"uid":"` + uidA + `","name":"Anna"}]}`:                  `user "Anna": name: another user has it here`,
		`{"groups":[{"uid":"` + uidA + `","name":"VIEWER"}]}`:               `group "VIEWER": name: another group has it here`,
		`{"shapes":[{"uid":"` + uidA + `","name":"OUTER",` + circle + `}]}`: `shape "OUTER": name: another shape has it here`,
	} {
		if did, err := h.take(text); err == nil || err.Error() != want {
			t.Errorf("%s: %s %v; want %s", text, did, err, want)
		}
	}
	// By its uid a thing gets another name, and what names it goes on.
	h.took(`{"shapes":[{"uid":"`+uidB+`","name":"Inner"}],"users":[{"uid":"`+anna.UID+`","name":"anne"}]}`, "changed user anne, changed shape Inner")
	h.restart()
	r, ok := h.lib.Get(library.Shapes, "inner")
	if !ok || r.UID != uidB || r.Owner != anna.UID || len(r.ACL) != 1 || r.ACL[0] != anna.UID {
		t.Errorf("the shape is %+v", r)
	}
	if user, ok := h.users.User("anne"); !ok || user.UID != anna.UID || !user.May(right.ViewPort) {
		t.Errorf("anne is %+v", user)
	}
}

// A session outlives an import that changes nothing of the sign-in, and none that does.
func TestImportEndsSessions(t *testing.T) {
	h := newHouse(t)
	h.add("root", GroupAdmin)
	token, err := h.users.Sessions().Begin(h.add("anna", GroupViewer), "192.0.2.1")
	if err != nil {
		t.Fatal(err)
	}
	h.took(`{"users":[{"name":"anna","common_name":"Anna"}]}`, "changed user anna")
	if _, err := h.users.Sessions().User(token, ""); err != nil {
		t.Error("the session ended though nothing of the sign-in changed")
	}
	h.took(`{"users":[{"name":"anna","disabled":true}]}`, "changed user anna")
	if _, err := h.users.Sessions().User(token, ""); !errors.Is(err, ErrWrong) {
		t.Errorf("the session of a disabled user: %v", err)
	}
}

func TestImportLetsNamesChangePlaces(t *testing.T) {
	h := newHouse(t)
	h.add("root", GroupAdmin)
	h.took(`{"users":[{"uid":"`+uidA+`","name":"anna"},{"uid":"`+uidB+`","name":"bert"}]}`, "added user anna, added user bert")
	h.took(`{"users":[{"uid":"`+uidA+`","name":"bert"},{"uid":"`+uidB+`","name":"anna"}]}`, "changed user bert, changed user anna")
	h.restart()
	if user, _ := h.users.User("anna"); user.UID != uidB {
		t.Errorf("anna is %+v", user)
	}
	if err := h.verify("anna", goodPassword, "10.0.0.1"); !errors.Is(err, ErrWrong) {
		t.Errorf("a user without a password signs in: %v", err)
	}
}

func TestImportRefuses(t *testing.T) {
	h := newHouse(t)
	h.add("root", GroupAdmin)
	h.add("anna", GroupViewer)
	if _, err := h.take(`{"register":[{"mmsi":5,"imo":9321483}]}`); err != nil {
		t.Fatal(err)
	}
	circle := `"circle":{"center":{"type":"Point","coordinates":[1,2]},"radius":5}`
	for text, want := range map[string]string{
		`[]`:                                    "must be an object",
		`{"user":[]}`:                           "user: unknown key",
		`{"users":{}}`:                          "users: must be an array",
		`{"users":[{"name":5}]}`:                "user 1: name: must be a string",
		`{"users":[1]}`:                         "user 1: must be an object",
		`{"users":[{"name":"b c"}]}`:            `user "b c": name: `,
		`{"users":[{}]}`:                        `user 1: name: `,
		`{"groups":[{"name":"  "}]}`:            `group "  ": name: needs 1 to 64 characters`,
		`{"users":[{"name":"b"},{"name":"B"}]}`: `user "B": the same as user "b" of this document`,
		`{"users":[{"uid":"x","name":"b"}]}`:    `uid: "x" is none`,
		`{"users":[{"uid":"` + uidA + `","name":"b"},{"uid":"` + uidA + `","name":"c"}]}`:       `user "c": the same as user "b" of this document`,
		`{"users":[{"name":"b","access_rights":{"view_port":"yes"}}]}`:                          `access_rights/view_port: must be allow, deny or empty`,
		`{"users":[{"name":"b","settings":{"user_type":"king"}}]}`:                              `settings/user_type: must be one of`,
		`{"users":[{"name":"b","receive_filter":{"areas":["none"]}}]}`:                          `receive_filter/areas/0: names "none", which does not exist`,
		`{"users":[{"name":"b","receive_filter":{"expression":"spede > 3"}}]}`:                  `receive_filter/expression`,
		`{"users":[{"name":"b","expiration_time":"soon"}]}`:                                     `expiration_time: must be a time`,
		`{"users":[{"name":"root","groups":[]}]}`:                                               ErrLastAdmin.Error(),
		`{"groups":[{"name":"admin","access_rights":{}}]}`:                                      ErrLastAdmin.Error(),
		`{"shapes":[{"name":"s"}]}`:                                                             `shape "s": needs exactly one of`,
		`{"shapes":[{"name":"s",` + circle + `,"ships":[]}]}`:                                   `shape "s": ships: unknown key`,
		`{"shapes":[{"name":"s",` + circle + `,"owner":"nobody"}]}`:                             `owner: must name a user, and "nobody" is none`,
		`{"shapes":[{"name":"s",` + circle + `,"acl":["root","nobody"]}]}`:                      `acl/1: must name a group or user`,
		`{"shapes":[{"name":"s","polygon":{"type":"LineString","coordinates":[[1,2],[3,4]]}}]}`: `another kind of shape`,
		`{"shiplists":[{"name":"l","max":1,"ships":[{"mmsi":1},{"mmsi":2}]}]}`:                  `ships: 2 ships, and the list takes 1`,
		`{"shiplists":[{"name":"l","ships":[{}]}]}`:                                             `ships/0: needs one of`,
		`{"filters":[{"name":"f"}]}`:                                                            `filter: is required`,
		`{"filters":[{"name":"f","filter":"shiplist = nowhere"}]}`:                              `filter "f": filter: `,
		`{"register":[{}]}`:                                                          `needs one of mmsi, imo and name`,
		`{"register":[{"mmsi":6,"imo":9321483}]}`:                                    `imo: 9321483 is registered for 5 too`,
		`{"register":[{"mmsi":7,"draught":26}]}`:                                     `draught: must be from 0 to 25.5`,
		`{"register":[{"mmsi":7,"class":"C"}]}`:                                      `class: is not one of the classes`,
		`{"register":[{"mmsi":7,"position":{"type":"Point","coordinates":[1,99]}}]}`: `position: must be a Point`,
		`{"register":[{"mmsi":7},{"mmsi":7}]}`:                                       `stands twice`,
	} {
		if did, err := h.take(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v %s; want %s", text, err, did, want)
		}
	}
	if n := len(h.users.List()); n != 2 {
		t.Errorf("%d users after imports that were refused", n)
	}
}

// An expression says names. One that the document does not touch must mean what it meant: it would hide every ship when the name is
// gone, or another's ships when the name is another's.
func TestImportRenamesNothingThatAnExpressionSays(t *testing.T) {
	list := func(uid, name string) string { return `{"uid":"` + uid + `","name":"` + name + `","ships":[]}` }
	const says = `{"expression":"not shiplist = \"tugs\" and pos within shape(\"Outer\")"}`
	for name, row := range map[string]struct{ before, document, refused string }{
		"a user's":        {`"users":[{"name":"anna","receive_filter":` + says + `}]`, `"shiplists":[` + list(uidA, "Tow") + `]`, `user "anna": receive_filter/expression: says "tugs"`},
		"a group's":       {`"groups":[{"name":"crew","transmit_filter":` + says + `}]`, `"shiplists":[` + list(uidA, "Tow") + `]`, `group "crew": transmit_filter/expression: says "tugs"`},
		"a shape":         {`"users":[{"name":"anna","receive_filter":` + says + `}]`, `"shapes":[{"uid":"` + uidB + `","name":"Inner"}]`, `says "Outer"`},
		"taken by others": {`"users":[{"name":"anna","receive_filter":` + says + `}]`, `"shiplists":[` + list(uidA, "Pilots") + `,{"name":"Tugs","ships":[]}]`, `says "tugs"`},
		"other fields":    {`"users":[{"name":"anna","receive_filter":` + says + `}]`, `"shiplists":[` + list(uidA, "Tow") + `],"users":[{"name":"anna","transmit_filter":{}}]`, `user "anna": receive_filter/expression: says`},
		"case":            {`"users":[{"name":"anna","receive_filter":` + says + `}]`, `"shiplists":[` + list(uidA, "TUGS") + `]`, ""},
		"with it":         {`"users":[{"name":"anna","receive_filter":` + says + `}]`, `"shiplists":[` + list(uidA, "Tow") + `],"users":[{"name":"anna","receive_filter":{"expression":"not shiplist = tow"}}]`, ""},
		"without it":      {`"users":[{"name":"anna","receive_filter":` + says + `}]`, `"shiplists":[` + list(uidA, "Tow") + `],"users":[{"name":"anna","receive_filter":{}}]`, ""},
		"not with it":     {`"users":[{"name":"anna","receive_filter":` + says + `}]`, `"shiplists":[` + list(uidA, "Tow") + `],"users":[{"name":"anna","receive_filter":` + says + `}]`, `receive_filter/expression: `},
		"by uid":          {`"users":[{"name":"anna","receive_filter":{"predefined_ship_list":["Tugs"]}}]`, `"shiplists":[` + list(uidA, "Tow") + `]`, ""},
	} {
		t.Run(name, func(t *testing.T) {
			h := newHouse(t)
			h.add("root", GroupAdmin)
			if _, err := h.take(`{"shiplists":[` + list(uidA, "Tugs") +
				`],"shapes":[{"uid":"` + uidB + `","name":"Outer","circle":{"center":{"type":"Point","coordinates":[1,2]},"radius":5}}],` + row.before + `}`); err != nil {
				t.Fatal(err)
			}
			did, err := h.take(`{` + row.document + `}`)
			if row.refused == "" && err != nil || row.refused != "" && (err == nil || !strings.Contains(err.Error(), row.refused)) {
				t.Errorf("%v %s; want %q", err, did, row.refused)
			}
			if tugs, _ := h.lib.Get(library.ShipLists, uidA); row.refused != "" && tugs.Name != "Tugs" {
				t.Errorf("the refused import made it %q", tugs.Name)
			}
		})
	}
}

// Blanks that do not count in a name are not kept.
func TestImportTidiesNames(t *testing.T) {
	h := newHouse(t)
	h.took(`{"groups":[{"name":" Harbour   office "}],"filters":[{"name":"Fast  ships ","filter":"sog > 20"}]}`,
		"added group Harbour office, added filter Fast ships")
	h.took(`{"groups":[{"name":"Harbour office"}],"filters":[{"name":"fast ships","filter":"sog > 20"}]}`,
		"unchanged group Harbour office, changed filter fast ships")
}

func TestImportChangesWhatIsGivenAlone(t *testing.T) {
	h := newHouse(t)
	h.add("root", GroupAdmin)
	h.took(`{"shiplists":[{"name":"Tugs","ships":[{"mmsi":5}]}],"filters":[{"name":"f","filter":"shiplist = \"Tugs\""}],"users":[{"name":"anna","email":"a@port","groups":["Viewer"],"settings":{"web_max_lookback_time":5},"receive_filter":{"predefined_ship_list":["tugs"]}}]}`,
		"added user anna, added shiplist Tugs, added filter f")
	h.took(`{"users":[{"name":"ANNA","phone":"1"}]}`, "changed user ANNA")
	user, _ := h.users.User("anna")
	if user.Email != "a@port" || user.Phone != "1" || len(user.Groups) != 1 || string(user.Settings["web_max_lookback_time"]) != "5" {
		t.Errorf("%+v", user)
	}
	h.took(`{"users":[{"name":"ANNA","phone":"1","direct_access":{"enabled":false,"hosts":[]},"access_rights":{}}],"shiplists":[{"name":"Tugs"}]}`,
		"unchanged user ANNA, unchanged shiplist Tugs")
	h.took(`{"register":[{"name":"Barge","dwt":5}]}`, "added register Barge")
	h.took(`{"register":[{"name":"BARGE","dwt":6},{"name":"Other"}]}`, "changed register BARGE, added register Other")
	if e, ok := h.register.Get(registry.FirstPseudoMMSI + 1); !ok || e.Name != "Other" {
		t.Errorf("%+v", e)
	}
}

// Users that were imported have no passwords; the first start gives one to admin, so that somebody can sign in.
func TestAnImportedBoxHasAWayIn(t *testing.T) {
	for _, text := range []string{
		`{"users":[{"name":"admin","groups":["admin"]},{"name":"anna"}]}`,
		`{"users":[{"name":"admin","disabled":true,"access_rights":{"change_user":"deny"}}]}`,
		`{"users":[{"name":"anna","groups":["admin"]}]}`,
		`{"groups":[{"name":"Harbour office","uid":"` + firstUID(GroupAdmin) + `"}],"users":[{"name":"anna"}]}`,
		`{"groups":[{"name":"Harbour office","uid":"` + firstUID(GroupAdmin) + `"},{"name":"admin","uid":"` + uidA + `"}],"users":[{"name":"admin"}]}`,
		`{"groups":[{"name":"admin","access_rights":{"view_port":"allow","change_user":"deny"}}],"users":[{"name":"anna"}]}`,
		`{"users":[{"name":"admin","groups":["admin"],"settings":{"user_type":"proxy"}}]}`,
	} {
		h := newHouse(t)
		if _, err := h.take(text); err != nil {
			t.Fatal(err)
		}
		if _, err := h.users.EnsureAdmin(goodPassword); err != nil {
			t.Fatal(err)
		}
		if err := h.verify(AdminName, goodPassword, "10.0.0.1"); err != nil {
			t.Errorf("%s: %v", text, err)
		}
		if user, ok := h.users.User(AdminName); !ok || !user.administers() {
			t.Errorf("%s: admin is %+v", text, user)
		}
		if again, err := h.users.EnsureAdmin("another password"); again != "" || err != nil || h.verify(AdminName, goodPassword, "10.0.0.1") != nil {
			t.Errorf("%s: the password was changed again: %v", text, err)
		}
	}
}

// TestAnImportRemovesFirstGroupsOfNoUse: a box deleted a group of the first start, and another box imports its document. The other
// box loses the group too, unless a user there used or changed it. A document written by hand, without the group of administrators,
// removes nothing.
func TestAnImportRemovesFirstGroupsOfNoUse(t *testing.T) {
	h := newHouse(t)
	h.took(`{"groups":[{"name":"Pilots"}]}`, "added group Pilots")
	h.add("anna", GroupViewer)
	whole := `{"groups":[{"name":"admin"}]}`
	h.took(whole, "unchanged group admin, removed group operator")
	h.took(whole, "unchanged group admin")
	h.restart()
	if _, there := h.users.Groups().Get(GroupOperator); there {
		t.Error("operator is there again")
	}
	if err := h.users.Delete("anna"); err != nil {
		t.Fatal(err)
	}
	viewer, _ := h.users.Groups().Get(GroupViewer)
	list, err := h.lib.Insert(library.ShipLists, library.Resource{Name: "Tugs", Owned: form.Owned{ACL: []string{viewer.UID}}})
	if err != nil {
		t.Fatal(err)
	}
	h.took(whole, "unchanged group admin")
	if err := h.lib.Delete(library.ShipLists, list.UID); err != nil {
		t.Fatal(err)
	}
	h.pass(time.Second)
	if _, err := h.users.Groups().Change(viewer.UID, func(g *Group) error { g.Description = "our guests"; return nil }); err != nil {
		t.Fatal(err)
	}
	h.took(whole, "unchanged group admin")
}

// Sessions of a database that did not keep addresses go on.
func TestSessionsOfOlderDatabases(t *testing.T) {
	h := newHouse(t)
	anna := h.add("anna", GroupViewer)
	table, err := records.OpenTable[map[string]any](h.db.Database, "sessions")
	if err != nil {
		t.Fatal(err)
	}
	began := h.now().Add(-time.Hour).Format(time.RFC3339)
	if _, err := table.Insert(hashToken("old"), map[string]any{"token": hashToken("old"), "name": "anna", "uid": anna.UID, "stamp": anna.Stamp,
		"created": began, "seen": began}); err != nil {
		t.Fatal(err)
	}
	h.restart()
	list := h.users.Sessions().Of(anna, "old")
	if len(list) != 1 || !list[0].Current || list[0].Address != "" || !list[0].Used.Equal(list[0].Since) {
		t.Fatalf("%+v", list)
	}
	if _, err := h.users.Sessions().User("old", "192.0.2.7"); err != nil {
		t.Fatal(err)
	}
	if list := h.users.Sessions().Of(anna, ""); list[0].Address != "192.0.2.7" || list[0].Current || !list[0].Used.After(list[0].Since) {
		t.Errorf("%+v", list)
	}
}

// A new expiry ends the sessions of a user only if the user is expired by it. A user that becomes active again has to sign in
// again.
func TestSessionsAndExpiry(t *testing.T) {
	h := newHouse(t)
	h.add("root", GroupAdmin)
	anna := h.add("anna", GroupViewer)
	signIn := func() string {
		t.Helper()
		now, _ := h.users.User("anna")
		token, err := h.users.Sessions().Begin(now, "192.0.2.1")
		if err != nil {
			t.Fatal(err)
		}
		return token
	}
	expires := func(at time.Time) {
		t.Helper()
		if _, err := h.users.Change("anna", func(u *User) error { u.Expires = at; return nil }); err != nil {
			t.Fatal(err)
		}
	}
	token := signIn()
	holds := func(want bool) {
		t.Helper()
		if _, err := h.users.Sessions().User(token, ""); (err == nil) != want {
			t.Errorf("the session: %v", err)
		}
	}
	for _, in := range []time.Duration{time.Hour, 48 * time.Hour, time.Minute} {
		expires(h.now().Add(in))
		holds(true)
	}
	h.took(`{"users":[{"name":"anna","expiration_time":"2026-11-20T13:00:00Z"}]}`, "changed user anna")
	holds(true)
	if _, current := h.users.Current(anna); !current {
		t.Error("a stream of before ends though the expiry has not come")
	}
	h.pass(time.Hour)
	if _, current := h.users.Current(anna); current {
		t.Error("a stream goes on at the second of the expiry")
	}
	expires(h.now().Add(time.Hour)) // the session was not used while the user was expired
	holds(false)
	if _, current := h.users.Current(anna); current {
		t.Error("what was verified before the expiry counts again")
	}
	token = signIn()
	expires(h.now())
	if left := len(h.users.sessions.open); left != 0 {
		t.Errorf("%d sessions of a user that a change expired", left)
	}
	expires(time.Time{})
	holds(false)
	token = signIn()
	h.took(`{"users":[{"name":"anna","expiration_time":"2026-11-20"}]}`, "changed user anna")
	if left := len(h.users.sessions.open); left != 0 {
		t.Errorf("%d sessions of a user that an import expired", left)
	}
}

// A session belongs to a user, not to a name. A session of a deleted user, or of no user, does not sign in a new user with the same
// name and stamp.
func TestSessionOfAnotherOfTheName(t *testing.T) {
	for _, uid := range []string{"", uidA} {
		h := newHouse(t)
		anna := h.add("anna", GroupViewer)
		table, err := records.OpenTable[session](h.db.Database, "sessions")
		if err != nil {
			t.Fatal(err)
		}
		began := session{Token: hashToken("old"), Name: "anna", UID: uid, Stamp: anna.Stamp, Created: h.now(), Seen: h.now()}
		if _, err := table.Insert(began.Token, began); err != nil {
			t.Fatal(err)
		}
		h.restart()
		if list := h.users.Sessions().Of(anna, ""); len(list) != 0 {
			t.Errorf("uid %q: %+v", uid, list)
		}
		if _, err := h.users.Sessions().User("old", ""); !errors.Is(err, ErrWrong) {
			t.Errorf("uid %q: %v", uid, err)
		}
	}
}

// FuzzImport: whatever a document says, it is refused, or taken in so that what is exported then changes nothing when it is taken in again.
func FuzzImport(f *testing.F) {
	f.Add([]byte(`{"groups":[{"name":"g","settings":{"a":[1,null,1e400],"lss_group":"x"}}],"users":[{"name":"a","groups":["g"],"receive_filter":{"areas":["s"],"predefined_ship_list":["l"]},"direct_access":{"enabled":true}}],
		"shapes":[{"id":7,"name":"s","circle":{"center":{"type":"Point","coordinates":[1,2]},"radius":5},"acl":["a","g"],"owner":"a"}],"shiplists":[{"name":"l","ships":[{"mmsi":5}]}],"filters":[{"name":"f","filter":"shiplist = l"}],"register":[{"mmsi":5,"position":{"type":"Point","coordinates":[1,2]}},{"name":"b"}]}`))
	f.Add([]byte(`{"users":[{"uid":"` + uidA + `","name":"root","expiration_time":"2099-01-01","access_rights":{"view_port":"","x":"deny"}}]}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		doc, err := document.Read(text)
		if err != nil {
			return
		}
		h := newHouse(t)
		if _, err := h.box.Import(t.Context(), doc, false); err != nil {
			return
		}
		check := func() {
			out, err := h.box.Export()
			if err != nil {
				t.Fatal(err)
			}
			again, err := json.Marshal(out)
			if err != nil {
				t.Fatal(err)
			}
			doc, err := document.Read(again)
			if err != nil {
				t.Fatalf("%v\n%s", err, again)
			}
			report, err := h.box.Import(t.Context(), doc, true)
			if err != nil {
				t.Fatalf("%v\n%s", err, again)
			}
			for _, one := range report.Things {
				if one.What != "unchanged" {
					t.Fatalf("%+v\n%s", one, again)
				}
			}
		}
		check()
		h.restart()
		check()
	})
}

// An import keeps unknown keys, and limits their number and size too.
func TestImportTakesUnknownKeys(t *testing.T) {
	const doc = `{"groups":[{"name":"crew","other":{"a":[1]}}],"users":[{"name":"bert","other":{"b":{"c":null}}}],"shiplists":[{"name":"tugs","ships":[],"other":{"d":1.5}}]}`
	h := newHouse(t)
	h.add("root", GroupAdmin)
	h.took(doc, "added group crew, added user bert, added shiplist tugs")
	h.took(doc, "unchanged group crew, unchanged user bert, unchanged shiplist tugs")
	h.restart()
	out, err := h.box.Export()
	if err != nil {
		t.Fatal(err)
	}
	text, err := json.Marshal(out)
	for _, want := range []string{`"other":{"a":[1]}`, `"other":{"b":{"c":null}}`, `"other":{"d":1.5}`} {
		if err != nil || strings.Count(string(text), want) != 1 {
			t.Errorf("%v, no %s in %s", err, want, text)
		}
	}
	if _, err := h.take(`{"groups":[{"name":"crew","other":{"a":"` + strings.Repeat("x", 9000) + `"}}]}`); err == nil ||
		!strings.Contains(err.Error(), "other: ") {
		t.Errorf("too much: %v", err)
	}
}

// A document with thousands of faults is told by the first of them, and one with more things than there may be by that alone.
func TestImportTellsTheFirstFaults(t *testing.T) {
	h := newHouse(t)
	h.add("root", GroupAdmin)
	_, err := h.take(`{"users":[` + strings.Repeat(`{},`, 4000) + `{}]}`)
	var wrong document.Error
	if !errors.As(err, &wrong) || len(wrong) != form.MaxErrors+1 || !strings.Contains(wrong[form.MaxErrors], "there may be more") {
		t.Errorf("%d faults: %v", len(wrong), err)
	}
	_, err = h.take(`{"users":[` + strings.Repeat(`{},`, 100_000) + `{}],"shapes":[{}],"` + strings.Repeat("k", 1000) + `":[]}`)
	if errors.As(err, &wrong); len(wrong) != 2 || wrong[0] != "there may be at most 5000 users" || len(wrong[1]) > 100 {
		t.Errorf("%d faults: %v", len(wrong), err)
	}
}

// An import whose caller goes changes nothing.
func TestImportEndsWithItsCaller(t *testing.T) {
	h := newHouse(t)
	h.add("root", GroupAdmin)
	doc, err := document.Read([]byte(`{"users":[{"name":"anna"}]}`))
	if err != nil {
		t.Fatal(err)
	}
	ctx, gone := context.WithCancel(t.Context())
	gone()
	if _, err := h.box.Import(ctx, doc, false); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	if _, there := h.users.User("anna"); there {
		t.Error("an import without a caller made a user")
	}
}

// A user is found as a user alone: its name is not that of a ship list.
func TestImportTakesNoUserForAShipList(t *testing.T) {
	h := newHouse(t)
	h.add("root", GroupAdmin)
	h.add("anna", GroupViewer)
	if did, err := h.take(`{"filters":[{"name":"f","filter":"shiplist = anna"}]}`); err == nil {
		t.Errorf("a filter names the ship list anna, which is a user: %s", did)
	}
	h.took(`{"shiplists":[{"name":"anna","ships":[]}],"filters":[{"name":"f","filter":"shiplist = anna"}]}`, "added shiplist anna, added filter f")
}
