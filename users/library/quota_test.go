package library

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"quaywatch/form"
	"quaywatch/ship"
	"quaywatch/store"
	"quaywatch/users/document"
)

// ring returns a shape of so many points, written with white space and foreign members.
func ring(points int) *form.Fields {
	var b strings.Builder
	b.WriteString(`{"type": "Polygon", "bbox": [1,2,3,4], "crs": {"a": "` + strings.Repeat("x", 5000) + `"}, "coordinates": [[ [10.0, 56.0, 7]`)
	for i := range points - 2 {
		fmt.Fprintf(&b, ",\n   [10.%04d0, 56.5]", i)
	}
	b.WriteString(", [1e1, 56.0e0]] ]}")
	return form.Of(form.Keys{"polygon": json.RawMessage(b.String())})
}

// TestGeometryIsKeptAsItIsUnderstood: foreign members, heights and white space are not kept, and the places are exactly those that came.
func TestGeometryIsKeptAsItIsUnderstood(t *testing.T) {
	l := opened(t)
	for in, want := range map[string]string{
		`{"polygon":{"type":"Polygon","x":{"y":[1,2]},"coordinates":[ [[1.50,2,99],[3,2],[3,4.0e0],[1.5,2]] ]}}`: `{"type":"Polygon","coordinates":[[[1.5,2],[3,2],[3,4],[1.5,2]]]}`,
		`{"line":{ "coordinates":[[-0.1,2],[5e-324,0.30000000000000004]], "type":"LineString","type2":1}}`:       `{"type":"LineString","coordinates":[[-0.1,2],[5e-324,0.30000000000000004]]}`,
		`{"circle":{"radius":5,"more":1,"center":{"coordinates":[1.0 ,2],"type":"Point","x":"y"}}}`:              `{"center":{"type":"Point","coordinates":[1,2]},"radius":5}`,
	} {
		f, err := form.Read([]byte(in))
		if err != nil {
			t.Fatal(err)
		}
		var r Resource
		if err := l.Apply(f, Shapes, &r, ship.Lookup{}); err != nil || f.Err() != nil {
			t.Fatal(err, f.Err())
		}
		kept := []byte(string(r.Polygon) + string(r.Line))
		if r.Circle != nil {
			if kept, err = json.Marshal(r.Circle); err != nil {
				t.Fatal(err)
			}
		}
		if string(kept) != want {
			t.Errorf("%s\nis kept as %s\nwant %s", in, kept, want)
		}
	}
}

// TestOneOwnerFillsNoBox: an owner makes nothing that brings what it keeps above the quota; what an import brought above it may shrink,
// and what others keep does not count.
func TestOneOwnerFillsNoBox(t *testing.T) {
	db, err := store.Open(store.Options{Dir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	const quota = 20000
	l, err := Open(db.Database, Options{Quota: quota})
	if err != nil {
		t.Fatal(err)
	}
	l.Join(document.NewBox(db.Database, l))
	shape := func(name, owner string, points int) Resource {
		r := Resource{Name: name, Owned: form.Owned{Owner: owner}}
		f := ring(points)
		if err := l.Apply(f, Shapes, &r, ship.Lookup{}); err != nil || f.Err() != nil {
			t.Fatal(err, f.Err())
		}
		return r
	}
	full := func(err error) {
		t.Helper()
		var many form.TooMany
		if !errors.As(err, &many) || many.Rule.Word != "too_many_bytes" {
			t.Errorf("above the quota: %v", err)
		}
	}
	sums := func() {
		t.Helper()
		for owner, sum := range l.bytesByOwner() {
			if now, _ := l.Stored(owner); now != sum {
				t.Errorf("%s keeps %d, said are %d", owner, sum, now)
			}
		}
	}
	first, err := l.Insert(Shapes, shape("first", "anna", 500))
	if err != nil {
		t.Fatal(err)
	}
	if now, most := l.Stored("anna"); now < 500*10 || now > 500*16 || most != quota {
		t.Errorf("500 points are %d bytes of %d", now, most)
	}
	_, err = l.Insert(Shapes, shape("second", "anna", 1500))
	full(err)
	if _, err = l.Insert(Shapes, shape("second", "bert", 1000)); err != nil {
		t.Errorf("the quota of another: %v", err)
	}
	second, err := l.Insert(Shapes, shape("third", "anna", 500))
	if err != nil {
		t.Fatal(err)
	}
	sums()
	_, err = l.Change(Shapes, second.UID, func(r *Resource) error { r.Polygon = shape("", "", 1500).Polygon; return nil })
	full(err)

	report := func(d document.Draft) { // a reassignment takes what bert has to anna
		t.Helper()
		d.Reassign("user", "bert", "anna")
		if err := db.Together(d.Write); err != nil {
			t.Fatal(err)
		}
		d.Adopt()
	}
	report(l.Draft(document.Others{Find: l.Find, Shared: func(string) bool { return false }}))
	sums()
	if now, _ := l.Stored("anna"); now <= quota {
		t.Fatalf("anna keeps %d", now)
	}
	_, err = l.Insert(Filters, Resource{Name: "small", Filter: "sog > 3", Owned: form.Owned{Owner: "anna"}})
	full(err)
	if _, err = l.Change(Shapes, first.UID, func(r *Resource) error { r.Polygon = shape("", "", 100).Polygon; return nil }); err != nil {
		t.Errorf("what shrinks: %v", err)
	}
	if err := l.Delete(Shapes, second.UID); err != nil {
		t.Fatal(err)
	}
	sums()
	if _, err = l.Insert(Filters, Resource{Name: "small", Filter: "sog > 3", Owned: form.Owned{Owner: "anna"}}); err != nil {
		t.Errorf("below the quota again: %v", err)
	}
	again, err := Open(db.Database, Options{Quota: quota})
	if err != nil {
		t.Fatal(err)
	}
	before, _ := l.Stored("anna")
	if after, _ := again.Stored("anna"); after != before {
		t.Errorf("%d bytes, after a start %d", before, after)
	}
}
