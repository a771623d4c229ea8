package access

import (
	"encoding/json"
	"errors"
	"strconv"
	"strings"
	"testing"

	"quaywatch/form"
	"quaywatch/users/access/filter"
	"quaywatch/users/library"
)

// keep inserts a thing of a kind.
func (h *house) keep(k library.Kind, r library.Resource) library.Resource {
	h.t.Helper()
	made, err := h.lib.Insert(k, r)
	if err != nil {
		h.t.Fatal(err)
	}
	return made
}

func circleAt(lon, lat string) *library.CircleJSON {
	return &library.CircleJSON{Center: json.RawMessage(`{"type":"Point","coordinates":[` + lon + `,` + lat + `]}`), Radius: 500}
}

func TestNamesOfDigitsAlone(t *testing.T) {
	for name, ok := range map[string]bool{"13": false, " 1 3 ": false, "٣": false, "13a": true, "Berth 13": true, "1.3": true, "": false, "-": true} {
		if err := library.CheckName(name); (err == nil) != ok {
			t.Errorf("%q: %v", name, err)
		}
	}
	h := newHouse(t)
	h.add("root", GroupAdmin)
	if did, err := h.take(`{"shiplists":[{"name":"13","ships":[]}]}`); err == nil || !strings.Contains(err.Error(), "digits alone") {
		t.Errorf("imported: %s, %v", did, err)
	}
	h.took(`{"shapes":[{"name":"13 b","circle":{"center":{"type":"Point","coordinates":[1,2]},"radius":5}}]}`, "added shape 13 b")
}

// What a filter names in its words is not deleted, whichever way it is named; what it names by its name alone is not renamed.
func TestWhatAnExpressionNamesIsKept(t *testing.T) {
	h := newHouse(t)
	h.add("anna", GroupViewer)
	lib := h.lib
	for _, k := range []library.Kind{library.ShipLists, library.Shapes} {
		r := h.keep(k, library.Resource{Name: "Outer", Circle: circleAt("10", "56")})
		for word, renamed := range map[string]bool{"outer": false, r.UID: true, strconv.FormatUint(r.ID, 10): true} {
			text := `pos within shape("` + word + `")`
			if k == library.ShipLists {
				text = `not shiplist = "` + word + `"`
			}
			written, _ := json.Marshal(text)
			keys, wrong := h.users.names.Take(filter.Receive, nil, form.Keys{"expression": written})
			if len(wrong) > 0 {
				t.Fatal(wrong)
			}
			if _, err := h.users.Change("anna", func(u *User) error { u.ReceiveFilter = keys; return nil }); err != nil {
				t.Fatal(err)
			}
			if err := lib.Delete(k, r.UID); !errors.Is(err, form.ErrReferenced) {
				t.Errorf("%s said as %q is deleted: %v", k, word, err)
			}
			name := func(name string) error {
				_, err := lib.Change(k, r.UID, func(r *library.Resource) error { r.Name = name; return nil })
				return err
			}
			if err := name("Inner"); (err == nil) != renamed || err != nil && !errors.Is(err, form.ErrReferenced) {
				t.Errorf("%s said as %q is renamed: %v", k, word, err)
			}
			if err := name("Outer"); err != nil {
				t.Error(err)
			}
		}
		if _, err := h.users.Change("anna", func(u *User) error { u.ReceiveFilter = nil; return nil }); err != nil {
			t.Fatal(err)
		}
		if err := lib.Delete(k, r.UID); err != nil {
			t.Error(err)
		}
	}
}

// A document brings its numbers to a box that never gave them; elsewhere its filters do not say a number that is another thing's.
func TestImportKeepsNumbersApart(t *testing.T) {
	const doc = `{"shapes":[{"id":3,"uid":"` + uidA + `","name":"Outer","circle":{"center":{"type":"Point","coordinates":[1,2]},"radius":5}}],
		"users":[{"name":"bert","receive_filter":{"expression":"pos within shape(\"3\")"}}]}`
	fresh := newHouse(t)
	fresh.add("root", GroupAdmin)
	fresh.took(doc, "added user bert, added shape Outer")
	if r, ok := fresh.lib.Get(library.Shapes, "3"); !ok || r.UID != uidA {
		t.Errorf("number 3 is %+v", r)
	}
	fresh.took(doc, "unchanged user bert, unchanged shape Outer")

	h := newHouse(t)
	h.add("root", GroupAdmin)
	var last library.Resource
	for _, name := range []string{"a", "b", "c"} {
		last = h.keep(library.Shapes, library.Resource{Name: name, Circle: circleAt("10", "56")})
	}
	if _, err := h.take(doc); err == nil || !strings.Contains(err.Error(), "unknown shape '3'") {
		t.Errorf("a filter means another shape: %v", err)
	}
	if err := h.lib.Delete(library.Shapes, last.UID); err != nil {
		t.Fatal(err)
	}
	named := strings.Replace(doc, `\"3\"`, `\"outer\"`, 1)
	h.took(named, "added user bert, added shape Outer")
	if r, ok := h.lib.Get(library.Shapes, "3"); ok {
		t.Errorf("number 3 was given again, to %+v", r)
	}
}

// A number of a region means one shape.
func TestNoTwoShapesAreOneRegion(t *testing.T) {
	h := newHouse(t)
	h.add("root", GroupAdmin)
	lib := h.lib
	h.keep(library.Shapes, library.Resource{Name: "a", Circle: circleAt("10", "56"), Region: 3})
	b := h.keep(library.Shapes, library.Resource{Name: "b", Circle: circleAt("10", "56"), Region: 4})
	_, err := lib.Insert(library.Shapes, library.Resource{Name: "c", Circle: circleAt("10", "56"), Region: 3})
	var taken *library.RegionTaken
	if !errors.As(err, &taken) || taken.By.Name != "a" || !errors.Is(err, form.ErrTaken) {
		t.Errorf("a second region 3: %v", err)
	}
	edit := func(region int, color string) error {
		_, err := lib.Change(library.Shapes, b.UID, func(r *library.Resource) error { r.Region, r.Color = region, color; return nil })
		return err
	}
	if err := edit(3, ""); !errors.As(err, &taken) || taken.By.Name != "a" {
		t.Errorf("another becomes region 3: %v", err)
	}
	if _, err := h.take(`{"shapes":[{"name":"b","region":3}]}`); err == nil || !strings.Contains(err.Error(), `region: 3 is the shape "a"`) {
		t.Errorf("imported: %v", err)
	}
	h.took(`{"shapes":[{"name":"b","region":3},{"name":"a","region":4}]}`, "changed shape b, changed shape a")
	if err := edit(0, ""); err != nil {
		t.Error(err)
	}
}

// A document that gives more than the last number that is exact in JSON is refused: the next ones could not be given.
func TestADocumentTakesNotTheLastNumber(t *testing.T) {
	h := newHouse(t)
	for _, number := range []string{"18446744073709551615", "9007199254740992"} {
		if _, err := h.take(`{"shapes":[{"id":` + number +
			`,"name":"Roads","circle":{"center":{"type":"Point","coordinates":[10,56]},"radius":500}}]}`); err == nil || !strings.Contains(err.Error(), "id: must be") {
			t.Errorf("%s: %v", number, err)
		}
	}
}
