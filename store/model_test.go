package store

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"quaywatch/ais"
	"quaywatch/ship"
)

// model is the store as a map and a slice: what must be there, and since the last sync what may be.
type model struct {
	kept  map[ais.MMSI][]ship.Fix // all, by time
	names map[ais.MMSI]string
}

func driveModel(t *testing.T, random *rand.Rand, steps int) {
	o := quiet(t.TempDir(), true)
	db := openTest(t, o)
	m := model{map[ais.MMSI][]ship.Fix{}, map[ais.MMSI]string{}}
	now := at0
	for range steps {
		switch k := random.IntN(100); {
		case k < 70:
			for range random.IntN(40) {
				now += int64(random.IntN(120_000))
				m.observe(db, random, now)
			}
		case k < 80:
			must(t, db.sync())
		case k < 86:
			db.Tick(time.UnixMilli(now))
			must(t, db.flushBlocks(k == 80))
		case k < 88:
			must(t, db.flushStatics())
		case k < 90:
			must(t, db.Compact(t.Context()))
		case k < 93:
			must(t, db.Close())
			checkTest(t, db.options.Dir)
			db = openTest(t, db.options)
			m.check(t, db)
		case k < 96: // everything was synced before the kill
			must(t, db.sync())
			db = killTest(t, db.options)
			m.check(t, db)
		default:
			m.check(t, db)
		}
	}
	m.check(t, db)
}

func (m *model) observe(db *DB, random *rand.Rand, now int64) {
	mmsi := ais.MMSI(219000001 + random.IntN(5))
	known := m.kept[mmsi]
	f := ship.Fix{At: now, Lon: int32(random.IntN(circleUnits)) - halfUnits, Lat: int32(random.IntN(1000)), SOG: ais.SOGTenths(random.IntN(300)),
		Mark: ship.Mark(random.IntN(2))}
	u := updateOf(mmsi, f)
	if n := len(known); random.IntN(10) == 0 && n > 0 {
		f.At = known[0].At + random.Int64N(known[n-1].At-known[0].At+1)
		u = updateOf(mmsi, f)
		u.Change, u.Now.Fix = ship.LateFix, known[n-1]
	}
	name := m.names[mmsi]
	if random.IntN(30) == 0 {
		name = fmt.Sprint("SHIP ", random.IntN(1000))
		u.Change |= ship.ChangedStatic
	}
	m.names[mmsi] = name
	u.Now.Static = &ship.Static{Name: name, At: f.At}
	i, found := slices.BinarySearchFunc(known, f, byTime)
	if !found {
		m.kept[mmsi] = slices.Insert(known, i, f)
	}
	db.Observe(u)
}

func (m *model) check(t *testing.T, db *DB) {
	t.Helper()
	for mmsi, want := range m.kept {
		got := trackOf(t, db, mmsi)
		if !slices.Equal(got, want) {
			t.Fatalf("ship %d: %d fixes, want %d%s", mmsi, len(got), len(want), firstDifference(got, want))
		}
		s, err := db.Ship(mmsi)
		if err != nil || s.Fix != want[len(want)-1] || s.Static == nil || s.Static.Name != m.names[mmsi] {
			t.Fatalf("ship %d: state %+v (static %+v), %v; want %+v, %q", mmsi, s, s.Static, err, want[len(want)-1], m.names[mmsi])
		}
	}
}

func firstDifference(got, want []ship.Fix) string {
	for i := range min(len(got), len(want)) {
		if got[i] != want[i] {
			return fmt.Sprintf(", first difference at %d: %+v, want %+v", i, got[i], want[i])
		}
	}
	return ""
}
