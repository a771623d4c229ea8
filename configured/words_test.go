package configured

import (
	"bytes"
	"encoding/json"
	"log/slog"
	"strings"
	"testing"

	"quaywatch/access"
	"quaywatch/form"
	"quaywatch/library"
	"quaywatch/store"
)

// Filters that an older build stored pick what they picked: what would mean something else stands in quotes, once.
func TestStoredFiltersKeepTheirMeaning(t *testing.T) {
	o := store.Options{Dir: t.TempDir()}
	var lines bytes.Buffer
	open := func() (*store.DB, Areas) {
		t.Helper()
		db, err := store.Open(o)
		if err != nil {
			t.Fatal(err)
		}
		areas, err := Open(db, access.Options{Dir: o.Dir, Log: slog.New(slog.NewTextHandler(&lines, nil))})
		if err != nil {
			t.Fatal(err)
		}
		return db, areas
	}
	db, areas := open()
	filters := map[string]string{"tugs": "tug and sog > 3", "typed": "type = tug", "names": `"tug"`, "danes": "country = DK"}
	for name, text := range filters {
		if _, err := areas.Library.Insert(library.Filters, library.Resource{Name: name, Filter: text}); err != nil {
			t.Fatal(err)
		}
	}
	words := form.Keys{"expression": json.RawMessage(`"not moored"`), "delay": json.RawMessage("5")}
	if _, err := areas.Users.Create(access.User{Name: "anna", Profile: access.Profile{ReceiveFilter: words}}, "a long password of anna"); err != nil {
		t.Fatal(err)
	}
	if _, err := areas.Users.Groups().Add(access.Group{Name: "danes", Profile: access.Profile{TransmitFilter: words}}); err != nil {
		t.Fatal(err)
	}
	forget(t, db)
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}

	lines.Reset()
	db, areas = open()
	kept := func() map[string]string {
		all := map[string]string{}
		for _, r := range areas.Library.List(library.Filters) {
			all[r.Name] = r.Filter
		}
		return all
	}
	if got := kept(); got["tugs"] != `"tug" and sog > 3` || got["typed"] != "type = tug" || got["names"] != `"tug"` || got["danes"] != "country = DK" {
		t.Errorf("filters are %q", got)
	}
	anna, _ := areas.Users.User("anna")
	group, _ := areas.Users.Groups().Get("danes")
	for _, keys := range []form.Keys{anna.ReceiveFilter, group.TransmitFilter} {
		if expression(keys) != `not "moored"` || string(keys["delay"]) != "5" {
			t.Errorf("kept %s", keys)
		}
	}
	if told := lines.String(); strings.Count(told, "filter rewritten") != 3 || strings.Count(told, "agrees with more") != 1 {
		t.Errorf("told %s", told)
	}

	_, err := areas.Library.Insert(library.Filters, library.Resource{Name: "new", Filter: "tug"})
	if err != nil {
		t.Fatal(err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	db, areas = open()
	defer db.Close()
	if got := kept(); got["new"] != "tug" || got["tugs"] != `"tug" and sog > 3` {
		t.Errorf("after another start filters are %q", got)
	}
}

// forget makes the store one of a build before.
func forget(t *testing.T, db *store.DB) {
	t.Helper()
	table, rows, err := store.ReadTable[amendment](db, "amendments")
	if err != nil || len(rows) != 1 {
		t.Fatalf("%d amendments, %v", len(rows), err)
	}
	if err := table.Delete(rows[0].ID); err != nil {
		t.Fatal(err)
	}
}
