package access

import (
	"encoding/json"
	"errors"
	"strconv"
	"strings"
	"testing"

	"quaywatch/form"
)

// keep inserts a thing of a kind.
func (h *house) keep(k Kind, r Resource) Resource {
	h.t.Helper()
	made, err := h.users.Library().Insert(k, r)
	if err != nil {
		h.t.Fatal(err)
	}
	return made
}

func circleAt(lon, lat string) *Circle {
	return &Circle{Center: json.RawMessage(`{"type":"Point","coordinates":[` + lon + `,` + lat + `]}`), Radius: 500}
}

// Who may give a thing any name reaches nobody else's thing by it, nor puts it in the place of one that a filter means.
func TestNumbersComeBeforeNames(t *testing.T) {
	h := newHouse(t)
	for k := range kinds {
		meant := h.keep(k, Resource{Name: "meant"})
		number := strconv.FormatUint(meant.ID, 10)
		old := h.keep(k, Resource{Name: number}) // as old databases have them
		ahead := strconv.FormatUint(old.ID+2, 10)
		named := h.keep(k, Resource{Name: ahead})
		next := h.keep(k, Resource{Name: "next"})
		if next.ID != named.ID+2 || strconv.FormatUint(named.ID+1, 10) != ahead {
			t.Errorf("%s: a number that is a name was given: %d, %d", k, named.ID, next.ID)
		}
		for range 2 {
			for ref, want := range map[string]string{
				meant.UID: meant.UID, number: meant.UID, " 0" + number + " ": meant.UID, "MEANT": meant.UID,
				old.UID: old.UID, ahead: named.UID, strings.ToUpper(named.UID): named.UID,
			} {
				if r, ok := h.users.Library().Find(k, ref); !ok || r.UID != want {
					t.Errorf("%s %q finds %+v", k, ref, r)
				}
			}
			h.restart()
		}
	}
}

func TestNamesOfDigitsAlone(t *testing.T) {
	for name, ok := range map[string]bool{"13": false, " 1 3 ": false, "٣": false, "13a": true, "Berth 13": true, "1.3": true, "": false, "-": true} {
		if err := CheckKeptName(name); (err == nil) != ok {
			t.Errorf("%q: %v", name, err)
		}
	}
	h := newHouse(t)
	h.add("root", GroupAdmin)
	if did, err := h.take(`{"shiplists":[{"name":"13","ships":[]}]}`); err == nil || !strings.Contains(err.Error(), "digits alone") {
		t.Errorf("imported: %s, %v", did, err)
	}
	h.keep(ShipLists, Resource{Name: "13"}) // as old databases have them
	h.took(`{"shiplists":[{"name":"13","max":4}]}`, "changed shiplist 13")
	h.took(`{"shapes":[{"name":"13 b","circle":{"center":{"type":"Point","coordinates":[1,2]},"radius":5}}]}`, "added shape 13 b")
}

// What a filter names in its words is not deleted, whichever way it is named; what it names by its name alone is not renamed.
func TestWhatAnExpressionNamesIsKept(t *testing.T) {
	h := newHouse(t)
	h.add("anna", GroupViewer)
	lib := h.users.Library()
	for _, k := range []Kind{ShipLists, Shapes} {
		r := h.keep(k, Resource{Name: "Outer", Circle: circleAt("10", "56")})
		for word, renamed := range map[string]bool{"outer": false, r.UID: true, strconv.FormatUint(r.ID, 10): true} {
			text := `pos within shape("` + word + `")`
			if k == ShipLists {
				text = `not shiplist = "` + word + `"`
			}
			written, _ := json.Marshal(text)
			keys, wrong := h.users.TakeKeys(ReceiveKeys, nil, form.Keys{"expression": written})
			if len(wrong) > 0 {
				t.Fatal(wrong)
			}
			if _, err := h.users.Change("anna", func(u *User) error { u.ReceiveFilter = keys; return nil }); err != nil {
				t.Fatal(err)
			}
			if err := lib.Delete(k, r.UID); !errors.Is(err, ErrReferenced) {
				t.Errorf("%s said as %q is deleted: %v", k, word, err)
			}
			name := func(name string) error {
				_, err := lib.Change(k, r.UID, func(r *Resource) error { r.Name = name; return nil })
				return err
			}
			if err := name("Inner"); (err == nil) != renamed || err != nil && !errors.Is(err, ErrReferenced) {
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
	if r, ok := fresh.users.Library().Find(Shapes, "3"); !ok || r.UID != uidA {
		t.Errorf("number 3 is %+v", r)
	}
	fresh.took(doc, "unchanged user bert, unchanged shape Outer")

	h := newHouse(t)
	h.add("root", GroupAdmin)
	var last Resource
	for _, name := range []string{"a", "b", "c"} {
		last = h.keep(Shapes, Resource{Name: name, Circle: circleAt("10", "56")})
	}
	if _, err := h.take(doc); err == nil || !strings.Contains(err.Error(), "not its number here") {
		t.Errorf("a filter means another shape: %v", err)
	}
	if err := h.users.Library().Delete(Shapes, last.UID); err != nil {
		t.Fatal(err)
	}
	named := strings.Replace(doc, `\"3\"`, `\"outer\"`, 1)
	h.took(named, "added user bert, added shape Outer")
	if r, ok := h.users.Library().Find(Shapes, "3"); ok {
		t.Errorf("number 3 was given again, to %+v", r)
	}
	// Who takes another uid is lost to a filter that says the old one, and that the document leaves as it is.
	there := h.keep(Shapes, Resource{Name: "Inner", Circle: circleAt("10", "56")})
	if _, err := h.users.Change("root", func(u *User) error {
		u.ReceiveFilter = form.Keys{"expression": json.RawMessage(`"not pos within shape('` + there.UID + `')"`)}
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	if _, err := h.take(`{"shapes":[{"uid":"` + uidB + `","name":"Inner"}]}`); err == nil || !strings.Contains(err.Error(), "expression of a filter") {
		t.Errorf("it took another uid: %v", err)
	}
}

// A number of a region means one shape. Those of older versions that share one may stay.
func TestNoTwoShapesAreOneRegion(t *testing.T) {
	h := newHouse(t)
	h.add("root", GroupAdmin)
	lib := h.users.Library()
	h.keep(Shapes, Resource{Name: "a", Circle: circleAt("10", "56"), Region: 3})
	b := h.keep(Shapes, Resource{Name: "b", Circle: circleAt("10", "56"), Region: 4})
	_, err := lib.Insert(Shapes, Resource{Name: "c", Circle: circleAt("10", "56"), Region: 3})
	var taken *RegionTaken
	if !errors.As(err, &taken) || taken.By.Name != "a" || !errors.Is(err, form.ErrTaken) {
		t.Errorf("a second region 3: %v", err)
	}
	edit := func(region int, color string) error {
		_, err := lib.Change(Shapes, b.UID, func(r *Resource) error { r.Region, r.Color = region, color; return nil })
		return err
	}
	if err := edit(3, ""); !errors.As(err, &taken) || taken.By.Name != "a" {
		t.Errorf("another becomes region 3: %v", err)
	}
	if _, err := h.take(`{"shapes":[{"name":"b","region":3}]}`); err == nil || !strings.Contains(err.Error(), `region: 3 is the shape "a"`) {
		t.Errorf("imported: %v", err)
	}
	h.took(`{"shapes":[{"name":"b","region":3},{"name":"a","region":4}]}`, "changed shape b, changed shape a")
	for i := range lib.all[Shapes] {
		lib.all[Shapes][i].Region = 5 // as old databases may have it
	}
	if err := edit(5, "#ff0000"); err != nil {
		t.Error(err)
	}
	h.took(`{"shapes":[{"name":"b","region":5,"color":"#0000ff"}]}`, "changed shape b")
	if err := edit(0, ""); err != nil {
		t.Error(err)
	}
}

// A document that gives the last number that there is leaves the next ones to be given.
func TestADocumentTakesNotTheLastNumber(t *testing.T) {
	h := newHouse(t)
	const circle = `"circle":{"center":{"type":"Point","coordinates":[10,56]},"radius":500}`
	h.took(`{"shapes":[{"id":18446744073709551615,"name":"Roads",`+circle+`}]}`, "added shape Roads")
	h.took(`{"shapes":[{"name":"Basin",`+circle+`}]}`, "added shape Basin")
	for name, id := range map[string]uint64{"Roads": 1, "Basin": 2} {
		if r, ok := h.users.Library().Find(Shapes, name); !ok || r.ID != id {
			t.Errorf("%s: %v, number %d, want %d", name, ok, r.ID, id)
		}
	}
}
