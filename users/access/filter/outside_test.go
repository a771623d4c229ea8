package filter

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"quaywatch/form"
)

// A feed that is not in the configuration is a typing error, and would hide everything. A feed that left the configuration may
// stay.
func TestNamesOfTheConfiguration(t *testing.T) {
	names := NameSource{Feeds: []string{"Roof", "pier  north"}, Outputs: []string{"port"}}
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
		wrong := names.Strangers(was, now)
		if row.wrong == "" && len(wrong) > 0 || row.wrong != "" && (len(wrong) != 1 || !strings.HasPrefix(wrong[0].Error(), "/"+row.wrong)) {
			t.Errorf("%s after %s: %v", row.now, row.was, wrong)
		}
	}
	names.Feeds = []string{}
	if wrong := names.Strangers(nil, form.Keys{"psss": json.RawMessage(`["roof"]`)}); len(wrong) != 1 || !strings.Contains(wrong[0].Rule.Error(), "has no feeds") {
		t.Errorf("%v", wrong)
	}
	for i := range 2 * mostListed {
		names.Feeds = append(names.Feeds, fmt.Sprint("feed ", i))
	}
	if wrong := names.Strangers(nil, form.Keys{"psss": json.RawMessage(`["roof"]`)}); len(wrong) != 1 ||
		strings.Count(wrong[0].Rule.Error(), "feed ") != mostListed+1 {
		t.Errorf("%v", wrong)
	}
}

// A filter with too many names is refused before any of the names is looked up.
func TestAFilterNamesSoMany(t *testing.T) {
	var known NameSource
	names := `["x"` + strings.Repeat(`,"x"`, maxRefs) + `]`
	if _, wrong := known.Take(Receive, nil, form.Keys{"psss": []byte(names)}); len(wrong) != 1 || wrong[0].Pointer != "/psss" {
		t.Errorf("%v", wrong)
	}
	if _, wrong := known.Take(Settings, nil, form.Keys{"custom_tag_info": []byte(`"` + strings.Repeat("x", form.MaxText+1) + `"`)}); len(wrong) != 1 {
		t.Errorf("%v", wrong)
	}
}
