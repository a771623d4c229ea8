package traffic_test

import (
	"testing"
	"time"

	"quaywatch/ais"
	"quaywatch/geo"
	"quaywatch/ship"
	"quaywatch/traffic"
)

const barge ais.MMSI = 9900000001

func nameOf(s *ship.State) string {
	if s.Static == nil {
		return ""
	}
	return s.Static.Name
}

// Readers and observers get a ship with its entry, and AsHeard gives it without. Reports, silence and duplicates change what was heard,
// and that is what is left when the entry is removed.
func TestWhatHandsWroteStaysApart(t *testing.T) {
	var j journal
	p := traffic.New(traffic.DefaultConfig())
	told := func(what, shown, radio string) {
		t.Helper()
		s, _ := p.Ship(anna)
		if nameOf(&s) != shown || nameOf(&j.last.Now) != shown || nameOf(j.last.AsHeard()) != radio || len(search(p, "written", 9)) != 0 != (shown == "WRITTEN") {
			t.Errorf("%s: read %q, told %q, of the radio %q", what, nameOf(&s), nameOf(&j.last.Now), nameOf(j.last.AsHeard()))
		}
	}
	for i := range 3 {
		p.Apply(batch(heard(position(anna, at(54, 10)), float64(i))), &j)
	}
	j.lines = nil
	entry := &ship.ManualEntry{MMSI: anna, At: noon.UnixMilli(), Static: ship.Static{Name: "WRITTEN"}, HasPlace: true, Lon: 1, Lat: 1}
	p.PutEntry(entry, nil)
	p.Apply(batch(), &j)
	j.want(t, "211000001 live static entered")
	told("entered", "WRITTEN", "")
	p.Apply(batch(heardBy("roof", position(anna, at(54.001, 10)), 5, 10)), &j)
	j.want(t, "211000001 live fix")
	told("heard", "WRITTEN", "")
	if radio := j.last.AsHeard(); radio.Static != nil || radio.Reports != 4 || j.last.Was.Fix.Lat != 54*600000 || nameOf(&j.last.Was) != "WRITTEN" {
		t.Errorf("the step: %+v, of the radio %+v", j.last, radio)
	}
	p.Apply(batch(heardBy("pier", position(anna, at(54.001, 10)), 5, 12)), &j)
	if s, _ := p.Ship(anna); s.Heard != noon.Add(12*time.Second).UnixMilli() || hear(p, anna) != "pier roof" {
		t.Errorf("heard again: %+v", s)
	}
	for s := 20; s < 7200; s += 10 {
		p.Tick(noon.Add(time.Duration(s)*time.Second), &j)
	}
	j.want(t, "211000001 lost age", "211000001 removed age")
	if told("silent", "WRITTEN", ""); j.last.AsHeard().Age != ship.Removed {
		t.Errorf("of the radio: %+v", j.last.AsHeard())
	}
	p.Apply(batch(heard(name(anna, "SAID"), 7200)), &j)
	told("the name on the air", "SAID", "SAID")
	p.RemoveEntry(anna)
	p.RemoveEntry(anna)
	p.Apply(batch(), &j)
	j.want(t, "211000001 live static age appeared", "211000001 live entered")
	told("taken back", "SAID", "SAID")
	if s, _ := p.Ship(anna); s.Fix.Lat != 54.001*600000 || s.Reports != 5 || s.ByHand || hear(p, anna) != "roof" {
		t.Errorf("what is left: %+v", s)
	}
}

// A ship that was never heard stands where its entry puts it, moves with the entry, and leaves with it. What is heard of it later stays.
func TestAShipNeverHeardGoesWithItsEntry(t *testing.T) {
	var j journal
	p := traffic.New(traffic.DefaultConfig())
	south, north := geo.Rect{West: 9, East: 11, South: 53, North: 54.5}, geo.Rect{West: 9, East: 11, South: 54.5, North: 56}
	look := func(what string, inSouth, inNorth, all int) {
		t.Helper()
		p.Apply(batch(), &j)
		if a, b, n := len(inside(p, south)), len(inside(p, north)), p.Len(); a != inSouth || b != inNorth || n != all || len(search(p, "9900000001", 9)) != all {
			t.Errorf("%s: %d in the south, %d in the north, %d in all", what, a, b, n)
		}
	}
	e := ship.ManualEntry{MMSI: barge, At: 1, HasPlace: true, Lon: 10 * 600000, Lat: 54 * 600000}
	moved, unplaced := e, e
	moved.At, moved.Lat = 2, 55*600000
	unplaced.At, unplaced.HasPlace = 3, false
	for _, step := range []struct {
		what                    string
		entry                   *ship.ManualEntry
		inSouth, inNorth, count int
	}{{"entered", &e, 1, 0, 1}, {"moved", &moved, 0, 1, 1}, {"without a place", &unplaced, 0, 0, 1}, {"gone", nil, 0, 0, 0},
		{"gone twice", nil, 0, 0, 0}, {"entered anew", &e, 1, 0, 1}, {"gone", nil, 0, 0, 0}} {
		if step.entry == nil {
			p.RemoveEntry(barge)
		} else {
			p.PutEntry(step.entry, nil)
		}
		look(step.what, step.inSouth, step.inNorth, step.count)
	}
	if s, ok := p.Ship(barge); ok || j.last.Now.Age != ship.Removed || !j.last.Now.ByHand {
		t.Errorf("left: %+v; told: %+v", s, j.last.Now)
	}
	if n := p.Stats().Ships[ship.ClassUnknown]; n != [3]int{} {
		t.Errorf("counted: %v", n)
	}
	p.Restore([]ship.State{{MMSI: barge, Heard: 1, HasFix: true}})
	p.PutEntry(&unplaced, &ship.State{MMSI: barge, Heard: 1, HasFix: true})
	look("no radio has the number", 0, 0, 1)
	p.RemoveEntry(barge)
	e.MMSI = anna
	p.PutEntry(&e, &ship.State{MMSI: anna, Heard: 1, Reports: 9, Feed: "roof", Static: &ship.Static{Name: "OF THE STORE"}})
	p.Apply(batch(), &j)
	if s, _ := p.Ship(anna); s.Age != ship.Removed || nameOf(&s) != "OF THE STORE" || s.ByHand {
		t.Errorf("heard long ago: %+v", s)
	}
}

// A position report of a ship with an entry makes nothing new.
func TestAReportOfAWrittenShipAllocatesNothing(t *testing.T) {
	p := traffic.New(traffic.DefaultConfig())
	states := fleet(100)
	p.Restore(states)
	for i := range states {
		p.PutEntry(&ship.ManualEntry{MMSI: states[i].MMSI, At: 1, Static: ship.Static{Name: "WRITTEN", IMO: 9321483}, Voyage: ship.VoyageData{Destination: "KIEL"}}, nil)
	}
	p.Apply(batch())
	s := newSailing(states)
	if n := testing.AllocsPerRun(5000, func() { p.Apply(s.one()) }); n != 0 {
		t.Errorf("%v allocations a report", n)
	}
	if found := search(p, "9321483", 200); len(found) != 100 || found[0].Voyage.Destination != "KIEL" {
		t.Errorf("%d ships have what was written", len(found))
	}
}

// A late picture follows entries late, and keeps nothing of a ship that is removed.
func TestALatePictureFollowsTheRegister(t *testing.T) {
	var paces traffic.PacedSet
	p := traffic.New(pacedConfig())
	second := 0
	tick := func(seconds int) {
		for range seconds {
			p.Tick(noon.Add(time.Duration(second)*time.Second), &paces)
			second++
		}
	}
	tick(1)
	d := traffic.NewPaced(p, traffic.Pace{Delay: 10 * time.Second}, noon)
	paces.Add(d)
	for i := range 3 {
		p.Apply(batch(heard(position(anna, at(54, 10)), float64(i))), &paces)
	}
	late := func(what, want string) {
		t.Helper()
		d.CatchUp()
		text := ""
		for _, m := range []ais.MMSI{anna, barge} {
			if s, ok := d.Picture().Ship(m); ok {
				text += nameOf(&s) + " "
			}
		}
		if text != want {
			t.Errorf("%s: the late picture has %q, want %q", what, text, want)
		}
	}
	entry := func(m ais.MMSI, text string) *ship.ManualEntry {
		return &ship.ManualEntry{MMSI: m, At: noon.Add(time.Duration(second) * time.Second).UnixMilli(), Static: ship.Static{Name: text}}
	}
	tick(20)
	late("before", " ")
	p.PutEntry(entry(anna, "ANNA"), nil)
	p.PutEntry(entry(barge, "BARGE"), nil)
	p.Apply(batch(), &paces)
	tick(5)
	late("too early", " ")
	tick(10)
	late("entered", "ANNA BARGE ")
	tick(7200) // anna is removed
	p.PutEntry(entry(anna, "OTHER"), nil)
	p.RemoveEntry(barge)
	p.Apply(batch(), &paces)
	tick(5)
	late("too early", "ANNA BARGE ")
	tick(10)
	late("changed and gone", "OTHER ")
	if s, _ := d.Picture().Ship(anna); s.Age != ship.Removed {
		t.Errorf("an entry brought the ship back: %+v", s)
	}
}
