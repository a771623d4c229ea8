package watchdogs

import (
	"fmt"
	"testing"
	"time"

	"quaywatch/ais"
	"quaywatch/geo"
	"quaywatch/ship"
	"quaywatch/ship/shiptest"
	"quaywatch/users/library"
)

// kindsOf returns how many events of each type and kind are stored.
func (b *box) kindsOf() map[string]int {
	b.t.Helper()
	found := map[string]int{}
	for e, err := range b.watch.After(0) {
		if err != nil {
			b.t.Fatal(err)
		}
		found[fmt.Sprint(e.Type, " ", e.Kind, " ", e.Reason)]++
	}
	return found
}

// TestARecordedShipDrifts: a ship that drifted for hours is a danger to a cable, and leaves the circle in which it was.
func TestARecordedShipDrifts(t *testing.T) {
	log := shiptest.Recording(t, "nmea/drift_538004030_2014-09-28_pghp.ais.gz")
	b := newBox(t)
	b.define(`{"name":"cable","type":"cable","cable":` + areaOf(11.2, 57.7, 11.5, 57.9) + `}`)
	b.define(`{"name":"anchorage","type":"anchor","anchor":{"center":{"type":"Point","coordinates":[11.3686,57.8029]},"radius":500,"mmsi":538004030}}`)
	playLog(t, log, b.watch)
	b.watch.Save(true)
	if found := b.kindsOf(); found["cable risk dragging"] == 0 || found["anchor dragging "] != 1 {
		t.Errorf("%v", found)
	}
}

// sight lets a ship at anchor report, with what is known of it.
func (b *box) sight(s ship.State, at time.Time, p geo.Point, tenths int) {
	was, known := b.states[s.MMSI]
	if !known {
		was, s.First, s.Reports = ship.State{}, at.UnixMilli(), ship.ConfirmedReports
	} else {
		s.First, s.Reports = was.First, was.Reports+1
	}
	s.HasFix, s.Heard = true, at.UnixMilli()
	s.Fix = ship.Fix{At: at.UnixMilli(), Lon: int32(p.Lon * 600000), Lat: int32(p.Lat * 600000), SOG: ais.SOGTenths(tenths), COG: ais.COGTenths(900), Status: ais.StatusAtAnchor}
	b.states[s.MMSI] = s
	b.watch.Observe(&ship.Update{Report: &ais.Report{}, Was: was, Now: s, Fix: s.Fix, Change: ship.ChangedFix})
}

// play lets ships do what each type tells of, and calls each minute what may happen then.
func (b *box) play(minutes int, meanwhile func(minute int)) {
	b.define(`{"name":"one","type":"lost","lost":{"mmsi":211000001}}`)
	b.define(`{"name":"berth","type":"anchor","anchor":{"center":{"type":"Point","coordinates":[10.5,54.5]},"radius":300}}`)
	b.define(`{"name":"buoys","type":"aton","aton":{}}`)
	b.define(`{"name":"sound","type":"speed","samples_to_activate":2,"speed":{"polygon":` + areaOf(10, 54, 11, 55) + `,"limit":12,"least":"00:03:00"}}`)
	b.define(`{"name":"lane","type":"route","route":{"line":{"type":"LineString","coordinates":[[10,54.3],[11,54.3]]},"corridor":400}}`)
	b.define(`{"name":"who","type":"silent","silent":{"after":"00:10:00"}}`)
	named := &ship.Static{Name: "ANNA"}
	for minute := range minutes {
		now, turn := begin.Add(time.Duration(minute)*time.Minute), float64(minute%40)
		if minute%50 < 30 { // silent for twenty minutes
			b.sight(ship.State{MMSI: 211000001, Class: ship.ClassA, Static: named}, now, geo.Point{Lon: 12, Lat: 54}, 0)
		}
		swing := 0.0
		if minute%40 >= 30 {
			swing = 0.006 // 388 m
		}
		b.sight(ship.State{MMSI: 211000002, Class: ship.ClassA, Static: named}, now, geo.Point{Lon: 10.5 + swing, Lat: 54.5}, 5)
		b.sight(ship.State{MMSI: 992111001, Class: ship.ClassAtoN, Static: named, OffPlace: minute%35 > 25}, now, geo.Point{Lon: 13, Lat: 54}, 0)
		b.sight(ship.State{MMSI: 211000003, Class: ship.ClassA, Static: named}, now, geo.Point{Lon: 10.2 + turn/1000, Lat: 54.6}, 100+20*(minute/7%3))
		b.sight(ship.State{MMSI: 211000004, Class: ship.ClassA, Static: named}, now, geo.Point{Lon: 10.1 + 0.005*turn, Lat: 54.3 + 0.006*float64(minute/10%2)}, 100)
		unknown := ship.State{MMSI: 211000005, Class: ship.ClassB}
		if minute%60 > 45 {
			unknown.Static = named
		}
		b.sight(unknown, now, geo.Point{Lon: 14, Lat: 54}, 50)
		b.watch.Tick(now)
		b.watch.Save(false)
		meanwhile(minute)
	}
}

// TestOnlyWhatIsMeantIsAsked: aids meet no watchdog of ships and ships none of aids, and a ship that is named is met anywhere, kept in the picture, and
// heard by its other messages.
func TestOnlyWhatIsMeantIsAsked(t *testing.T) {
	b := newBox(t)
	b.define(`{"name":"area","type":"polygon","polygon":` + areaOf(10, 54, 11, 55) + `}`)
	b.define(`{"name":"buoys","type":"aton","aton":{}}`)
	id := b.define(`{"name":"one","type":"lost","lost":{"mmsi":211000001}}`)
	at := geo.Point{Lon: 10.5, Lat: 54.5}
	b.sight(ship.State{MMSI: 992111001, Class: ship.ClassAtoN, OffPlace: true}, begin, at, 0)
	b.sight(ship.State{MMSI: 211000002, Class: ship.ClassA, OffPlace: true}, begin, at, 0)
	b.watch.Save(true)
	if found := b.kindsOf(); len(found) != 2 || found["aton off_position "] != 1 || found["polygon enter "] != 1 {
		t.Errorf("%v", found)
	}
	if !b.watch.Watched(211000001) || b.watch.Watched(211000009) {
		t.Error("a ship that is named is to keep its place before it was heard, and another one not")
	}
	b.watch.Tick(begin)
	b.sight(ship.State{MMSI: 211000001, Class: ship.ClassA}, begin, geo.Point{Lon: -150, Lat: -40}, 0)
	said := b.states[211000001]
	said.Heard += 10 * 60_000
	b.watch.Observe(&ship.Update{Report: &ais.Report{}, Was: b.states[211000001], Now: said, Change: ship.ChangedStatic})
	b.watch.Tick(begin.Add(25*time.Minute - time.Second))
	b.watch.Save(true)
	if n := b.kindsOf()["lost lost "]; n != 0 {
		t.Errorf("%d losses while its silence lasts less than a quarter of an hour", n)
	}
	b.watch.Tick(begin.Add(25*time.Minute + 5*time.Second))
	b.watch.Save(true)
	if n := b.kindsOf()["lost lost "]; n != 1 {
		t.Errorf("%d losses", n)
	}
	r, _ := b.areas.Library.Get(library.Watchdogs, fmt.Sprint(id))
	if err := b.areas.Library.Delete(library.Watchdogs, r.UID); err != nil {
		t.Fatal(err)
	}
	b.watch.Compile()
	if b.watch.Watched(211000001) {
		t.Error("the watchdog is gone, and its ship keeps its place")
	}
}
