package registry

import (
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"

	"quaywatch/form"
	"quaywatch/geo"
	"quaywatch/geo/chart"
	"quaywatch/internal/wake"
	"quaywatch/users/document"
)

// twoPorts is a chart of Aarhus and Skagen.
func twoPorts() *chart.Ports {
	return chart.NewPorts([]*chart.Port{
		{ID: 1, LOCODE: "DKAAR", Name: "Aarhus", Country: "Denmark", Timezone: "Europe/Copenhagen", Position: geo.Point{Lon: 10.22, Lat: 56.15}, Placed: true},
		{ID: 2, LOCODE: "DKSKA", Name: "Skagen", Country: "Denmark"},
	})
}

func TestThereIsRoomForSoManyPorts(t *testing.T) {
	ports, err := OpenPorts(opened(t), twoPorts(), nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	for i := range uint64(MaxMadePorts) {
		ports.made[chart.FirstMadePort+i] = &chart.Port{ID: chart.FirstMadePort + i, Name: fmt.Sprint(i)}
	}
	var many form.TooMany
	if _, err := ports.Add(chart.Port{Name: "more"}); !errors.As(err, &many) {
		t.Errorf("one more: %v", err)
	}
	delete(ports.made, chart.FirstMadePort+7)
	if _, err := ports.Add(chart.Port{Name: "last"}); err != nil {
		t.Error(err)
	}
}

func square(w, s, e, n float64) geo.Polygon {
	return geo.Polygon{{{Lon: w, Lat: s}, {Lon: e, Lat: s}, {Lon: e, Lat: n}, {Lon: w, Lat: n}, {Lon: w, Lat: s}}}
}

func TestPortsAreKept(t *testing.T) {
	db := opened(t)
	ports, err := OpenPorts(db, twoPorts(), nil, nil)
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
	if _, err := ports.Change(aarhus, now); !errors.Is(err, form.ErrStale) {
		t.Errorf("a second change of what was read before: %v", err)
	}
	made, err := ports.Add(chart.Port{Name: "Ferry", LOCODE: "DKFER", Placed: true, Position: geo.Point{Lon: 11, Lat: 56}})
	if err != nil || made.ID != chart.FirstMadePort || made.Country != "Denmark" {
		t.Fatalf("%+v, %v", made, err)
	}
	for _, twin := range []chart.Port{{Name: "FERRY"}, {Name: "x", LOCODE: "DKFER"}, {Name: "x", LOCODE: "DKSKA"}} {
		if _, err := ports.Add(twin); !errors.Is(err, form.ErrTaken) {
			t.Errorf("%+v: %v", twin, err)
		}
	}

	again, err := OpenPorts(db, twoPorts(), nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	found := again.Current().Find("aarhus") // by the name that the chart has
	if len(found) != 1 || found[0].Name != "Århus" || found[0].Timezone != "Europe/Copenhagen" || len(found[0].Inner) != 1 ||
		!found[0].Outer.Contains(geo.Point{Lon: 10.29, Lat: 56.11}) {
		t.Errorf("%+v", found)
	}
	if len(again.Current().All()) != 3 {
		t.Errorf("%d ports", len(again.Current().All()))
	}

	// An edition of the list that has the port too, under its LOCODE or its name alone, gives way to the one that was made. One far off is another port.
	for name, more := range map[string]chart.Port{
		"":            {ID: 7, LOCODE: "DKFER", Name: "Ferry Harbour", Placed: true, Position: geo.Point{Lon: 11.05, Lat: 56.02}},
		"by its name": {ID: 7, LOCODE: "DKXXX", Name: "FERRY", Placed: true, Position: geo.Point{Lon: 11.05, Lat: 56.02}},
		"far off":     {ID: 7, LOCODE: "DKXXX", Name: "Ferry", Placed: true, Position: geo.Point{Lon: 12, Lat: 56.02}},
	} {
		newer, err := OpenPorts(db, chart.NewPorts(append(twoPorts().All(), &more)), nil, nil)
		if err != nil {
			t.Fatal(err)
		}
		if found := newer.Current().At(nil, geo.Point{Lon: 11.02, Lat: 56.01}); name != "far off" && (len(found) != 1 || found[0].ID != made.ID) {
			t.Errorf("%s: the place is in %+v", name, found)
		}
		if _, listed := newer.Current().ByID(7); listed != (name == "far off") {
			t.Errorf("%s: the port of the list is there: %v", name, listed)
		}
	}

	// An edition of the list without Aarhus loses nothing that was drawn.
	empty, err := OpenPorts(db, chart.NewPorts(nil), nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	if p, ok := empty.Current().ByLOCODE("DKAAR"); !ok || !p.Drawn() {
		t.Errorf("%+v", p)
	}
}

func TestIDsOfRemovedPortsStayTaken(t *testing.T) {
	db := opened(t)
	var generation wake.ChangeCount
	for round := range 3 {
		ports, err := OpenPorts(db, twoPorts(), nil, &generation)
		if err != nil {
			t.Fatal(err)
		}
		before := generation.Load()
		made, err := ports.Add(chart.Port{Name: "Ferry", LOCODE: "DKFER"})
		if err != nil || made.ID != chart.FirstMadePort+uint64(round) {
			t.Fatalf("%+v, %v", made, err)
		}
		if err := ports.Delete(made); err != nil {
			t.Fatal(err)
		}
		if err := ports.Delete(made); !errors.Is(err, form.ErrNotFound) {
			t.Errorf("removed twice: %v", err)
		}
		if changes := generation.Load() - before; changes != 2 {
			t.Errorf("an addition and a removal raised the generation by %d", changes)
		}
		if len(ports.Export("ports")) != 0 || len(ports.Current().All()) != 2 {
			t.Errorf("%v is left", ports.Export("ports"))
		}
	}
}

func TestImportPorts(t *testing.T) {
	db := opened(t)
	ports, err := OpenPorts(db, twoPorts(), nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, row := range [][2]string{
		{`{"id":1,"locode":"DKAAR","name":"Aarhus","position":{"type":"Point","coordinates":[10.22,56.15]},"berths":[{"id":4,"name":"4","position":{"type":"Point","coordinates":[10.22,56.15]}}]}`, ""},
		{`{"locode":"DKAAR","name":"Aarhus"}`, ""},
		{`{"id":3,"name":"gone"}`, "has no port 3"},
		{`{"id":100000001,"name":"x","locode":"DKSKA"}`, "locode: another port has DKSKA"},
		{`{"id":100000001,"name":"7"}`, "name: "},
		{`{"id":100000001,"name":"x","locode":"d"}`, "locode: must be"},
		{`{"id":100000001,"name":"x","position":{"type":"Point","coordinates":[10,91]}}`, "position: must be a Point"},
		{`{"id":100000001,"name":"x","outer":{"type":"Point"}}`, "outer"},
		{`{"id":100000001,"name":"x","outer":{"type":"LineString","coordinates":[[1,2],[3,4]]}}`, "Polygon"},
		{`{"id":100000001,"name":"x","inner":[{"type":"Polygon"}]}`, "inner"},
		{`{"id":100000001,"name":"x","berths":[{"name":"no id"}]}`, ""},
		{`{"id":100000001,"name":"x"},{"name":"X"}`, "twice"},
		{`{"id":100000007,"name":"seven"}`, ""},
		{`{"name":"Seven"}`, ""},
		{`{"id":18446744073709551615,"name":"large"}`, "id: must be an integer"},
		{`{"id":100000008,"name":"large"}`, ""},
	} {
		doc, err := document.Read([]byte(`{"ports":[` + row[0] + `]}`))
		if err == nil {
			_, err = document.NewBox(db, ports).Import(t.Context(), doc, false)
		}
		if row[1] == "" && err != nil || row[1] != "" && (err == nil || !strings.Contains(err.Error(), row[1])) {
			t.Errorf("%s: %v", row[0], err)
		}
	}
	again, err := OpenPorts(db, twoPorts(), nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, ports := range []*PortTable{ports, again} {
		var names []string
		for _, one := range ports.Export("ports") {
			names = append(names, fmt.Sprint(one.(portEntry).ID, one.(portEntry).Name))
		}
		if got := strings.Join(names, ","); got != "1Aarhus,100000001x,100000007Seven,100000008large" {
			t.Errorf("kept are %s", got)
		}
		if _, ok := ports.Current().ByID(100000007); !ok {
			t.Error("it is not found")
		}
	}
}

// Readers find ports while somebody draws.
func TestPortsAreReadWhileWritten(t *testing.T) {
	ports, err := OpenPorts(opened(t), twoPorts(), nil, nil)
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
