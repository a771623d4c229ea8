package library

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"quaywatch/form"
	"quaywatch/store"
	"quaywatch/store/records"
)

// change applies a body to a watchdog, and returns what it becomes and which fields are wrong.
func change(t *testing.T, r Resource, body string) (Resource, []string) {
	t.Helper()
	f, err := form.Read([]byte(body))
	if err != nil {
		t.Fatal(err)
	}
	find := func(kind, ref string) (form.Ref, bool) {
		return form.Ref{Name: ref, UID: "uid of " + ref}, kind == "user"
	}
	if err := applyFields(f, Watchdogs, &r, form.Existing(find), find); err != nil {
		t.Fatal(err)
	}
	var wrong form.Errors
	errors.As(f.Err(), &wrong)
	var pointers []string
	for _, e := range wrong {
		pointers = append(pointers, e.Pointer)
	}
	slices.Sort(pointers)
	return r, pointers
}

func openLibrary(t *testing.T, dir string) (*Library, func()) {
	t.Helper()
	db, err := store.Open(store.Options{Dir: dir})
	if err != nil {
		t.Fatal(err)
	}
	l, err := Open(db.Database, Options{})
	if err != nil {
		t.Fatal(err)
	}
	return l, func() { _ = db.Close() }
}

// TestThereIsOneBuiltInWatchdog: each store has it from its first start on, with the number 1, and it stays.
func TestThereIsOneBuiltInWatchdog(t *testing.T) {
	dir := t.TempDir()
	for range 2 {
		l, end := openLibrary(t, dir)
		all := l.List(Watchdogs)
		if len(all) != 1 || all[0].ID != 1 || !all[0].BuiltIn() || all[0].UID != distressUID || all[0].Name != "Distress" || !all[0].Watchdog.Enabled {
			t.Errorf("%+v", all)
		}
		end()
	}
}

// TestAnOlderStoreGetsTheBuiltInWatchdog beside one that has its number and name.
func TestAnOlderStoreGetsTheBuiltInWatchdog(t *testing.T) {
	dir := t.TempDir()
	db, err := store.Open(store.Options{Dir: dir})
	if err != nil {
		t.Fatal(err)
	}
	table, err := records.OpenTable[Resource](db.Database, "watchdogs")
	if err == nil {
		_, err = table.Insert("distress", Resource{UID: "11111111-0000-4000-8000-000000000000", Name: "distress", Watchdog: &Watchdog{Type: "box"}})
	}
	if err != nil {
		t.Fatal(err)
	}
	_ = db.Close()
	l, end := openLibrary(t, dir)
	defer end()
	if r, ok := l.Get(Watchdogs, distressUID); !ok || r.ID != 2 || r.Name != "Distress 2" || !r.BuiltIn() {
		t.Errorf("%+v", r)
	}
}

// TestLittleOfTheBuiltInWatchdogChanges: the notices, the escalation and whether tests ring; what says what holds may be given.
func TestLittleOfTheBuiltInWatchdogChanges(t *testing.T) {
	l, end := openLibrary(t, t.TempDir())
	defer end()
	r, _ := l.Get(Watchdogs, "1")
	now, wrong := change(t, r, `{"test_mode":true,"mail_to":["anna"],"mqtt":true,"sms_template":"Help: %name%","escalate_after":"00:02:00","escalate_to":["bert"],
		"name":"Distress","type":"distress","enabled":true,"severity":"alert","draught":0,"acl":[],"samples_to_activate":1,"filter":"","min_cog":null,"calendar":null}`)
	if w := now.Watchdog; wrong != nil || !w.TestMode || !w.MQTT || w.SMSTemplate != "Help: %name%" || !slices.Equal(w.MailTo, []string{"uid of anna"}) || w.Escalation == nil || !w.Enabled {
		t.Errorf("%v %+v", wrong, w)
	}
	if r.Watchdog.TestMode {
		t.Error("the watchdog of before was changed")
	}
	_, wrong = change(t, r, `{"name":"Mine","type":"polygon","enabled":false,"severity":"note","draught":5,"acl":["anna"],"samples_to_activate":2,"filter":"tug",
		"min_cog":3,"calendar":{"rules":[]},"send_ship_notification":true,"polygon":{"type":"Polygon"},"lost":{"mmsi":1}}`)
	if got := strings.Join(wrong, " "); got != "/acl /calendar /draught /enabled /filter /lost /min_cog /name /polygon /samples_to_activate /send_ship_notification /severity /type" {
		t.Errorf("%s", got)
	}
	if _, wrong = change(t, Resource{}, `{"name":"A second one","type":"distress"}`); !slices.Equal(wrong, []string{"/type"}) {
		t.Errorf("%v", wrong)
	}
	if _, wrong = change(t, Resource{}, `{"name":"Roads","type":"box","box":{},"test_mode":true}`); !slices.Equal(wrong, []string{"/test_mode"}) {
		t.Errorf("%v", wrong)
	}
}
