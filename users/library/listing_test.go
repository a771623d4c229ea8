package library

import (
	"errors"
	"testing"

	"quaywatch/ais"
	"quaywatch/form"
	"quaywatch/ship"
	"quaywatch/ship/watchdog"
)

// lister is a watchdog that makes a ship list.
func lister(name string) Resource {
	return Resource{Name: name, Owned: form.Owned{Owner: "anna"}, Watchdog: &Watchdog{Type: watchdog.Polygon, CreateShipList: true}}
}

// TestTheListOfAWatchdogIsAView: it is found by the uid and the name of its watchdog, stands among the lists by name, and is not kept.
func TestTheListOfAWatchdogIsAView(t *testing.T) {
	l := opened(t)
	l.opts.Listed = func(id uint64, m ais.MMSI) bool { return id == 2 && m == 219018765 } // the built-in watchdog is the first
	made, err := l.Insert(Watchdogs, lister("Roads"))
	if err != nil || made.ID != 2 {
		t.Fatal(made.ID, err)
	}
	for _, name := range []string{"Anchorage", "Tugs"} {
		if _, err := l.Insert(ShipLists, Resource{Name: name}); err != nil {
			t.Fatal(err)
		}
	}
	for _, ref := range []string{made.UID, " roads"} {
		if r, ok := l.Get(ShipLists, ref); !ok || r.Of != made.ID || r.ID != 0 || r.Owner != "anna" || !l.Record(ShipLists, &r).ReadOnly {
			t.Errorf("%q finds %+v", ref, r)
		}
	}
	if _, ok := l.Get(ShipLists, "0"); ok {
		t.Error("the list has a number")
	}
	if all := l.List(ShipLists); len(all) != 3 || all[1].Name != "Roads" || len(l.Export("shiplists")) != 2 {
		t.Errorf("%d lists, %d in a document", len(all), len(l.Export("shiplists")))
	}
	names := l.Anything()
	f, err := ship.ParseFilter("shiplist = Roads", names)
	if err != nil || !f.Timely() || !f.Match(&ship.State{MMSI: 219018765}, made.Created) || f.Match(&ship.State{MMSI: 211222333}, made.Created) {
		t.Errorf("the filter does not follow the list: %v", err)
	}
	if f, err := ship.ParseFilter("shiplist = Tugs", names); err != nil || f.Timely() {
		t.Errorf("a list that is kept moves: %v", err)
	}
	if err := l.Delete(Watchdogs, made.UID); err != nil {
		t.Fatal(err)
	}
	if _, ok := l.Get(ShipLists, "Roads"); ok {
		t.Error("the list outlives its watchdog")
	}
}

// TestAListTakesNoNameOfAnother: neither a new one nor one that is renamed.
func TestAListTakesNoNameOfAnother(t *testing.T) {
	l := opened(t)
	tugs, err := l.Insert(ShipLists, Resource{Name: "Tugs"})
	if err != nil {
		t.Fatal(err)
	}
	roads, err := l.Insert(Watchdogs, lister("Roads"))
	if err != nil {
		t.Fatal(err)
	}
	called := func(name string) func(*Resource) error {
		return func(r *Resource) error { r.Name = name; return nil }
	}
	_, byInsert := l.Insert(Watchdogs, lister("TUGS"))
	_, byRename := l.Change(Watchdogs, roads.UID, called("tugs"))
	_, ofList := l.Change(ShipLists, tugs.UID, called("roads"))
	for _, err := range []error{byInsert, byRename, ofList} {
		var taken *ListTaken
		if !errors.Is(err, form.ErrTaken) || !errors.As(err, &taken) {
			t.Errorf("%v", err)
		}
	}
	if _, err := l.Change(Watchdogs, roads.UID, called("ROADS")); err != nil {
		t.Errorf("its own name: %v", err)
	}
}
