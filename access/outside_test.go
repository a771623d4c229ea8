package access

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"testing"

	"quaywatch/document"
	"quaywatch/form"
)

// A feed that is not in the configuration is a typing error, and would hide everything. A feed that left the configuration may
// stay.
func TestNamesOfTheConfiguration(t *testing.T) {
	h := newHouse(t)
	h.users.opts.Feeds, h.users.opts.Outputs = []string{"Roof", "pier  north"}, []string{"port"}
	for _, row := range []struct{ was, now, wrong string }{
		{`{}`, `{"psss":["roof"," PIER north"],"allowed_pss_list":[],"lss_group":"Port","countries":[219]}`, ``},
		{`{}`, `{"psss":["roof","rooof"]}`, `psss/1 names "rooof", and no feed is named so; the feeds are Roof, pier  north`},
		{`{"psss":["attic"]}`, `{"psss":["ATTIC","roof"]}`, ``},
		{`{"psss":["attic"]}`, `{"allowed_pss_list":["attic"]}`, `allowed_pss_list/0 names "attic"`},
		{`{}`, `{"default_pss_list":["cellar"]}`, `default_pss_list/0 names "cellar"`},
		{`{}`, `{"lss_group":"prot"}`, `lss_group names "prot", and no output is named so; the outputs are port`},
		{`{"lss_group":"old"}`, `{"lss_group":"old"}`, ``},
		{`{}`, `{"lss_group":""}`, ``},
	} {
		var was, now form.Keys
		if err := errors.Join(json.Unmarshal([]byte(row.was), &was), json.Unmarshal([]byte(row.now), &now)); err != nil {
			t.Fatal(err)
		}
		wrong := h.users.strangers(was, now)
		if row.wrong == "" && len(wrong) > 0 || row.wrong != "" && (len(wrong) != 1 || !strings.HasPrefix(wrong[0].Error(), "/"+row.wrong)) {
			t.Errorf("%s after %s: %v", row.now, row.was, wrong)
		}
	}
	h.users.opts.Feeds = []string{}
	if wrong := h.users.strangers(nil, form.Keys{"psss": json.RawMessage(`["roof"]`)}); len(wrong) != 1 || !strings.Contains(wrong[0].Rule.Error(), "has no feeds") {
		t.Errorf("%v", wrong)
	}
	for i := range 2 * mostListed {
		h.users.opts.Feeds = append(h.users.opts.Feeds, fmt.Sprint("feed ", i))
	}
	if wrong := h.users.strangers(nil, form.Keys{"psss": json.RawMessage(`["roof"]`)}); len(wrong) != 1 || strings.Count(wrong[0].Rule.Error(), "feed ") != mostListed+1 {
		t.Errorf("%v", wrong)
	}
}

// A document comes in on a box without its feeds too, and says so; the log says so at every start.
func TestImportNamesFeedsThatAreNotHere(t *testing.T) {
	h := newHouse(t)
	h.add("root", GroupAdmin)
	h.users.opts.Feeds = []string{"roof"}
	text := `{"users":[{"name":"anna","receive_filter":{"psss":["pier","roof"]}}]}`
	for _, want := range []int{1, 0} { // a second time it says nothing new
		doc, err := document.Read([]byte(text))
		if err != nil {
			t.Fatal(err)
		}
		report, err := h.box.Import(doc, false)
		if err != nil || len(report.Strange) != want {
			t.Fatalf("%v, %+v", err, report)
		}
		if want == 1 && !strings.HasPrefix(report.Strange[0], `user "anna": receive_filter/psss/0: names "pier"`) {
			t.Error(report.Strange)
		}
	}
	if err := h.db.Close(); err != nil {
		t.Fatal(err)
	}
	h.open()
	var log bytes.Buffer
	if _, err := OpenUsers(h.db, Options{Dir: h.dir, Log: slog.New(slog.NewTextHandler(&log, nil)), Feeds: []string{"roof"}}); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(log.String(), "user=anna") || !strings.Contains(log.String(), "pier") {
		t.Errorf("the log says %s", log.String())
	}
}
