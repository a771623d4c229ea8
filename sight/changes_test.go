package sight

import (
	"maps"
	"testing"
	"time"

	"pgregory.net/rapid"

	"quaywatch/ais"
	"quaywatch/ship"
)

// noon is when the tests begin.
func noon() time.Time { return time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC) }

// The list of changes against a plain map: since(n) gives each ship that changed after n, once, latest last.
func TestChangesSinceANumber(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		now := noon()
		l := newChangeList(func() time.Time { return now })
		number, latest, static := map[ais.MMSI]uint64{}, uint64(0), map[ais.MMSI]uint64{}
		type point struct {
			at     time.Time
			number uint64
		}
		points := []point{{now, 0}}
		t.Repeat(map[string]func(*rapid.T){
			"observe": func(t *rapid.T) {
				m := ais.MMSI(rapid.IntRange(1, 6).Draw(t, "mmsi"))
				change := rapid.SampledFrom([]ship.Change{ship.ChangedFix, ship.ChangedStatic, 0}).Draw(t, "change")
				l.Observe(&ship.Update{Was: ship.State{MMSI: m}, Now: ship.State{MMSI: m}, Change: change})
				latest++
				number[m] = latest
				if change == ship.ChangedStatic {
					static[m] = latest
				}
			},
			"tick": func(t *rapid.T) {
				now = now.Add(time.Duration(rapid.IntRange(1, 20).Draw(t, "seconds")) * time.Second)
				l.Tick(now)
				points = append(points, point{now, latest})
			},
			"ask": func(t *rapid.T) {
				from := rapid.SampledFrom(points).Draw(t, "from")
				got, next, ok := l.changesSince(from.number)
				if !ok {
					if now.Sub(from.at) <= resumeFor {
						t.Fatalf("%d of %s ago is forgotten", from.number, now.Sub(from.at))
					}
					return
				}
				want := maps.Clone(number)
				maps.DeleteFunc(want, func(_ ais.MMSI, n uint64) bool { return n <= from.number })
				if next != latest || len(got) != len(want) {
					t.Fatalf("since %d: %v up to %d, want %v up to %d", from.number, got, next, want, latest)
				}
				before := from.number
				for _, c := range got {
					if want[c.mmsi] <= before || c.static != (static[c.mmsi] > from.number) {
						t.Fatalf("since %d: %+v is out of order or wrong, %v", from.number, got, want)
					}
					before = want[c.mmsi]
				}
			},
		})
	})
}

func TestOldChangesAreForgotten(t *testing.T) {
	now := noon()
	l := newChangeList(func() time.Time { return now })
	for i := range 1000 {
		l.Observe(&ship.Update{Now: ship.State{MMSI: ais.MMSI(i + 1)}, Change: ship.Appeared})
	}
	for range 130 {
		now = now.Add(time.Second)
		l.Tick(now)
	}
	if len(l.ships) != 0 || l.newest != nil || len(l.marks) > 62 {
		t.Errorf("%d changes and %d marks are kept", len(l.ships), len(l.marks))
	}
}

// BenchmarkObserve is what the list of changes costs the writer of the picture, with 60,000 ships.
func BenchmarkObserve(b *testing.B) {
	l := newChangeList(time.Now)
	i := 0
	for b.Loop() {
		u := ship.Update{Now: ship.State{MMSI: ais.MMSI(219000000 + i%60000)}, Change: ship.ChangedFix}
		l.Observe(&u)
		i++
	}
	if l.latestNumber() != uint64(i) {
		b.Fatalf("%d changes of %d", l.latestNumber(), i)
	}
}
