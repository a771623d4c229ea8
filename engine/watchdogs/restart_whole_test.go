//go:build !race

package watchdogs

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"quaywatch/ais"
	"quaywatch/ship"
	"quaywatch/ship/shiptest"
	"quaywatch/ship/watchdog"
)

// TestRestartsChangeNothing: with restarts at many moments the events are those without one, each with the same end.
func TestRestartsChangeNothing(t *testing.T) {
	const minutes = 600
	whole := newBox(t)
	whole.walk(minutes, func(int) {})
	want := whole.log()
	kinds := map[string]bool{}
	for _, line := range want {
		var of int
		var kind string
		fmt.Sscan(line, &of, &kind)
		kinds[fmt.Sprint(of, kind)] = true
	}
	for _, one := range []string{"2enter", "2leave", "3enter", "3leave", "4cross", "5risk", "5leave", "6enter", "6moored", "6unmoored", "6leave"} {
		if !kinds[one] {
			t.Errorf("the walk raises no %s", one)
		}
	}
	often := newBox(t)
	often.walk(minutes, func(minute int) {
		if minute%23 == 7 {
			often.restart()
		}
	})
	same(t, often.log(), want)
}

// same compares two logs of events, and says where they part.
func same(t *testing.T, got, want []string) {
	t.Helper()
	if slices.Equal(got, want) {
		return
	}
	at := 0
	for at < min(len(got), len(want)) && got[at] == want[at] {
		at++
	}
	t.Errorf("%d events, want %d; they part at %d:\n%v\n%v", len(got), len(want), at, got[at:min(at+4, len(got))], want[at:min(at+4, len(want))])
}

// TestKillsRaiseNothingTwice: after a kill what was active is active, and no ship enters twice without leaving.
func TestKillsRaiseNothingTwice(t *testing.T) {
	b := newBox(t)
	b.walk(600, func(minute int) {
		if minute%11 == 5 {
			b.start() // nothing was stopped
		}
	})
	active, ended := map[string]uint64{}, 0
	for e, err := range b.watch.After(0) {
		if err != nil {
			t.Fatal(err)
		}
		key := fmt.Sprint(e.Watchdog, e.Ship.MMSI)
		switch {
		case e.Kind == watchdog.Enter && active[key] != 0:
			t.Fatalf("%d %s of %s while %d is active", e.ID, e.Kind, key, active[key])
		case e.Kind == watchdog.Enter:
			active[key] = e.ID
		case e.Kind == watchdog.Leave && e.Type != watchdog.Cable:
			if active[key] == 0 {
				t.Fatalf("%d leaves without an enter", e.ID)
			}
			if began, err := b.watch.Get(active[key]); err != nil || began.Deactivated != e.Time {
				t.Errorf("event %d was over at %d, not %d (%v)", active[key], began.Deactivated, e.Time, err)
			}
			delete(active, key)
			ended++
		}
	}
	if ended < 20 {
		t.Errorf("%d alarms ended", ended)
	}
}

// TestRestartsChangeNoKind: with restarts at many moments, so in each state, the events are those without one, each with the same end. While the box
// is off it hears nothing, so a restart may only delay a loss.
func TestRestartsChangeNoKind(t *testing.T) {
	const minutes = 180
	whole := newBox(t)
	whole.play(minutes, func(int) {})
	want, found := whole.log(), whole.kindsOf()
	for _, kind := range []string{"lost lost ", "lost leave ", "anchor dragging ", "anchor leave ", "aton off_position ", "aton leave ", "speed overspeed ", "speed leave ",
		"route off_track ", "route leave ", "silent unidentified ", "silent leave "} {
		if found[kind] < 2 {
			t.Errorf("%d of %q in %v", found[kind], kind, found)
		}
	}
	often := newBox(t)
	often.play(minutes, func(minute int) {
		if minute%11 == 3 && minute%50 < 28 { // while the ship that falls silent is heard
			often.restart()
		}
	})
	same(t, often.log(), want)
	killed := newBox(t)
	killed.play(minutes, func(minute int) {
		if minute%17 == 5 {
			killed.start() // nothing was stopped
		}
	})
	active := map[uint64]bool{}
	for e, err := range killed.watch.After(0) {
		if err != nil {
			t.Fatal(err)
		}
		if begins := e.Kind != watchdog.Leave; begins == active[e.Watchdog] {
			t.Errorf("%s of %s, which is active: %v", e.Kind, e.Name, active[e.Watchdog])
		}
		active[e.Watchdog] = e.Kind != watchdog.Leave
	}
}

// TestTwoShipsThatMeet: one event of the two, over when they have passed, whatever was stopped or killed meanwhile.
func TestTwoShipsThatMeet(t *testing.T) {
	want := "[2 cpa  211000001 00:02:10 until 1772323730000]"
	for name, meanwhile := range map[string]func(b *box, second int){
		"in peace": func(*box, int) {},
		"with restarts": func(b *box, second int) {
			if second%37 == 11 {
				b.restart()
			}
		},
		"with kills": func(b *box, second int) {
			if second%23 == 7 {
				b.start()
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			b := newBox(t)
			b.define(fmt.Sprintf(guard, areaOf(10, 54, 11, 55)))
			b.meeting(1500, func(second int) {
				if second >= 150 {
					meanwhile(b, second)
				}
			})
			if got := fmt.Sprint(b.log()); got != want {
				t.Errorf("%s, want %s", got, want)
			}
		})
	}
	b := newBox(t)
	b.define(fmt.Sprintf(guard, areaOf(10, 54, 11, 55)))
	b.meeting(300, func(int) {})
	e, err := b.watch.Get(1)
	if err != nil || e.Other == nil || e.Other.MMSI != 211000002 || e.CPA > 5 || e.TCPA < 390 || e.TCPA > 410 || e.Deactivated != 0 || !e.Activated ||
		e.Sentence() != "SHIP 211000001 and SHIP 211000002 will come as near as 0 m in 7 min in Roads" {
		t.Errorf("%+v %v: %s", e, err, e.Sentence())
	}
}

// TestListsAreTheShipsInside: ships sail to and fro, the box restarts, and at each minute a list has the ships whose events go on. That of a line has
// those whose last crossing is younger than the time-out, by the events alone.
func TestListsAreTheShipsInside(t *testing.T) {
	b := newBox(t)
	area := b.define(`{"name":"roads","type":"polygon","create_shiplist":true,"polygon":` + areaOf(10.1, 54.1, 10.3, 54.9) + `}`)
	cable := b.define(`{"name":"wire","type":"cable","create_shiplist":true,"cable":{"type":"LineString","coordinates":[[10.4,54],[10.4,55]]}}`)
	gate := b.define(`{"name":"in","type":"line","create_shiplist":true,"shiplist_timeout":"00:20:00","line":{"type":"LineString","coordinates":[[10.25,54],[10.25,55]]}}`)
	most := map[uint64]int{}
	b.walk(300, func(minute int) {
		if minute%37 == 0 {
			b.restart()
			b.watch.Tick(begin.Add(time.Duration(minute) * time.Minute))
		}
		want := map[uint64][]ais.MMSI{area: {}, cable: {}, gate: b.crossedSince(gate, minute-20)}
		for _, one := range InsideNow(b.watch, 0) {
			want[one.Watchdog] = append(want[one.Watchdog], one.MMSI)
		}
		for _, id := range []uint64{area, cable, gate} {
			slices.Sort(want[id])
			if got := b.listed(id); !slices.Equal(got, want[id]) {
				t.Fatalf("minute %d, %d: %v, want %v", minute, id, got, want[id])
			}
			most[id] = max(most[id], len(want[id]))
		}
	})
	if most[area] == 0 || most[cable] == 0 || most[gate] == 0 {
		t.Errorf("a list was always empty: %v", most)
	}
}

// TestAZoneFindsItsShips wherever the ship that it moves with has come to, also over restarts and kills, and raises nothing twice.
func TestAZoneFindsItsShips(t *testing.T) {
	want := []string{"2 enter  211000002 00:15:00 until 1772324255000", "2 leave  211000002 00:17:35 until 0"}
	for name, meanwhile := range map[string]func(*box, int){
		"in peace": func(*box, int) {},
		"with restarts": func(b *box, second int) {
			if second%101 == 50 {
				b.restart()
			}
		},
		"with kills": func(b *box, second int) {
			if second%101 == 50 {
				b.kill()
			}
		},
		"with changes of another watchdog": func(b *box, second int) {
			if second%101 == 50 {
				b.define(fmt.Sprintf(`{"name":"other %d","type":"box","box":{}}`, second))
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			b := newBox(t)
			b.define(`{"name":"Tanker","type":"zone","zone":{"mmsi":211000001,"radius":500}}`)
			b.escort(1200, func(second int) { meanwhile(b, second) })
			if got := b.log(); !slices.Equal(got, want) {
				t.Errorf("%q, want %q", got, want)
			}
			e, err := b.watch.Get(1)
			if err != nil || e.Initial || e.Other == nil || e.Other.MMSI != 211000001 || e.Other.Fix == nil || e.Sentence() != "SHIP 211000002 came into the zone of SHIP 211000001" {
				t.Errorf("%+v %v: %s", e, err, e.Sentence())
			}
		})
	}
}

// TestPairsOfRecordings tells which pairs ring over whole recordings with the defaults, and how near the ships came. docs/watchdogs.md has the table.
func TestPairsOfRecordings(t *testing.T) {
	for _, row := range []struct {
		file                     string
		west, south, east, north float64
		rings                    int
	}{
		{"kadetrenden_2013-07-31.nmea.gz", 11, 54, 14, 56, 3},
		{"sanfrancisco_bay_2008-07-14.nmea.gz", -123.5, 37, -121.5, 38.6, 19},
		{"denmark_2013-11-12_pghp.txt.gz", 4, 53, 17, 60, 0},
	} {
		t.Run(row.file, func(t *testing.T) {
			log := shiptest.Recording(t, "nmea/"+row.file)
			b := newBox(t)
			b.define(fmt.Sprintf(guard, areaOf(row.west, row.south, row.east, row.north)))
			w := &wakes{b, map[ais.MMSI][]ship.Fix{}}
			playLog(t, log, w)
			b.watch.Save(true)
			n := 0
			for e, err := range b.watch.After(0) {
				if err != nil {
					t.Fatal(err)
				}
				n++
				over := "goes on"
				if e.Deactivated != 0 {
					over = fmt.Sprintf("over after %d s", (e.Deactivated-e.Time)/1000)
				}
				metres, after, heard := w.closest(e.Ship.MMSI, e.Other.MMSI, e.Time, e.TCPA+300)
				t.Logf("%s %s (%d %s %.1f kn) and %s (%d %s %.1f kn): %.0f m in %d s; true: %.0f m after %d s (%v), %s", e.At().Format(time.TimeOnly),
					e.Ship.Called(), e.Ship.MMSI, ais.ShipType(e.Ship.TypeCode), knots(e.Fix), e.Other.Called(), e.Other.MMSI,
					ais.ShipType(e.Other.TypeCode), knots(e.Other.Fix), e.CPA, e.TCPA, metres, after, heard, over)
			}
			if n != row.rings {
				t.Errorf("%d rings, want %d", n, row.rings)
			}
		})
	}
}
