package access

import (
	"encoding/json"
	"errors"
	"strings"
	"sync"
	"testing"

	"quaywatch/geo"
	"quaywatch/geo/chart"
)

// twoPorts is a chart of Aarhus and Skagen.
func twoPorts() *chart.Ports {
	return chart.NewPorts([]*chart.Port{
		{ID: 1, LOCODE: "DKAAR", Name: "Aarhus", Country: "Denmark", Timezone: "Europe/Copenhagen", Position: geo.Point{Lon: 10.22, Lat: 56.15}, Placed: true},
		{ID: 2, LOCODE: "DKSKA", Name: "Skagen", Country: "Denmark"},
	})
}

func square(w, s, e, n float64) geo.Polygon {
	return geo.Polygon{{{Lon: w, Lat: s}, {Lon: e, Lat: s}, {Lon: e, Lat: n}, {Lon: w, Lat: n}, {Lon: w, Lat: s}}}
}

func TestPortsAreKept(t *testing.T) {
	db := newHouse(t).db
	ports, err := OpenPorts(db, twoPorts(), nil)
	if err != nil {
		t.Fatal(err)
	}
	before := ports.Current()
	aarhus, _ := before.ByID(1)
	now := *aarhus
	now.Name, now.Outer, now.Inner = "Århus", square(10.1, 56.1, 10.3, 56.2), []geo.Polygon{square(10.2, 56.12, 10.22, 56.14)}
	if _, err := ports.Change(aarhus, now); err != nil {
		t.Fatal(err)
	}
	if old, _ := before.ByID(1); old.Drawn() || old.Name != "Aarhus" {
		t.Error("what a reader holds changed under it")
	}
	if _, err := ports.Change(aarhus, now); !errors.Is(err, ErrStale) {
		t.Errorf("a second change of what was read before: %v", err)
	}
	made, err := ports.Add(chart.Port{Name: "Ferry", LOCODE: "DKFER", Placed: true, Position: geo.Point{Lon: 11, Lat: 56}})
	if err != nil || made.ID != chart.FirstMadePort || made.Country != "Denmark" {
		t.Fatalf("%+v, %v", made, err)
	}
	for _, twin := range []chart.Port{{Name: "FERRY"}, {Name: "x", LOCODE: "DKFER"}, {Name: "x", LOCODE: "DKSKA"}} {
		if _, err := ports.Add(twin); !errors.Is(err, ErrTaken) {
			t.Errorf("%+v: %v", twin, err)
		}
	}

	again, err := OpenPorts(db, twoPorts(), nil)
	if err != nil {
		t.Fatal(err)
	}
	found := again.Current().Find("aarhus") // by the name that the chart has
	if len(found) != 1 || found[0].Name != "Århus" || found[0].Timezone != "Europe/Copenhagen" || len(found[0].Inner) != 1 || !found[0].Outer.Contains(geo.Point{Lon: 10.29, Lat: 56.11}) {
		t.Errorf("%+v", found)
	}
	if len(again.Current().All()) != 3 {
		t.Errorf("%d ports", len(again.Current().All()))
	}

	// An edition of the list without Aarhus loses nothing that was drawn.
	empty, err := OpenPorts(db, chart.NewPorts(nil), nil)
	if err != nil {
		t.Fatal(err)
	}
	if p, ok := empty.Current().ByLOCODE("DKAAR"); !ok || !p.Drawn() {
		t.Errorf("%+v", p)
	}
}

func TestIDsOfRemovedPortsStayTaken(t *testing.T) {
	db := newHouse(t).db
	for round := range 3 {
		ports, err := OpenPorts(db, twoPorts(), nil)
		if err != nil {
			t.Fatal(err)
		}
		made, err := ports.Add(chart.Port{Name: "Ferry", LOCODE: "DKFER"})
		if err != nil || made.ID != chart.FirstMadePort+uint64(round) {
			t.Fatalf("%+v, %v", made, err)
		}
		if err := ports.Delete(made); err != nil {
			t.Fatal(err)
		}
		if err := ports.Delete(made); !errors.Is(err, ErrUnknown) {
			t.Errorf("removed twice: %v", err)
		}
		if len(ports.Kept()) != 0 || len(ports.Current().All()) != 2 {
			t.Errorf("%v is left", ports.Kept())
		}
	}
}

func TestRestorePort(t *testing.T) {
	ports, err := OpenPorts(newHouse(t).db, twoPorts(), nil)
	if err != nil {
		t.Fatal(err)
	}
	for text, want := range map[string]string{
		`{"id":1,"locode":"DKAAR","name":"Aarhus","position":{"Lon":10.22,"Lat":56.15}}`: "",
		`{"id":3,"name":"gone"}`:                                                                "no such",
		`{"id":100000001,"name":"x","locode":"DKSKA"}`:                                          "already used",
		`{"id":100000001,"name":"7"}`:                                                           "number",
		`{"id":100000001,"name":"x","locode":"dkxxx"}`:                                          "/locode",
		`{"id":100000001,"name":"x","position":{"Lon":10,"Lat":91}}`:                            "/position",
		`{"id":100000001,"name":"x","outer":{"type":"Point"}}`:                                  "outer",
		`{"id":100000001,"name":"x","outer":{"type":"LineString","coordinates":[[1,2],[3,4]]}}`: "Polygon",
		`{"id":100000001,"name":"x","inner":[{"type":"Polygon"}]}`:                              "inner",
		`{"id":100000001,"name":"x","berths":[{"name":"no id"}]}`:                               "/berths/0/id",
		`{"id":100000007,"name":"seven","removed":true}`:                                        "",
		`{"id":18446744073709551615,"name":"large"}`:                                            "",
	} {
		var k KeptPort
		if err := json.Unmarshal([]byte(text), &k); err != nil {
			t.Fatal(err)
		}
		err := ports.Restore(k)
		if want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("%s: %v", text, err)
		}
	}
	for _, k := range ports.Kept() {
		if k.ID > chart.FirstMadePort+10 {
			t.Errorf("%+v", k)
		}
	}
	if n := len(ports.Kept()); n != 3 {
		t.Errorf("%d are kept", n)
	}
}

// Readers find ports while somebody draws.
func TestPortsAreReadWhileWritten(t *testing.T) {
	ports, err := OpenPorts(newHouse(t).db, twoPorts(), nil)
	if err != nil {
		t.Fatal(err)
	}
	var both sync.WaitGroup
	for range 2 {
		both.Go(func() {
			for range 500 {
				if found := ports.Current().Find("dk aar"); len(found) != 1 || found[0].Area() == nil {
					t.Errorf("%v", found)
				}
			}
		})
	}
	for i := range 20 {
		was, _ := ports.Current().ByID(1)
		now := *was
		now.Outer = square(10.1, 56.1, 10.3+float64(i)/100, 56.2)
		if _, err := ports.Change(was, now); err != nil {
			t.Error(err)
		}
	}
	both.Wait()
}
