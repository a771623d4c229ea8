package watchdogs

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"quaywatch/ais"
	"quaywatch/geo"
	"quaywatch/ship"
	"quaywatch/users/library"
)

// meeting lets two ships sail towards each other and past, for so many seconds, and calls each second what may happen then.
func (b *box) meeting(seconds int, meanwhile func(second int)) {
	for second := range seconds {
		now := begin.Add(time.Duration(second) * time.Second)
		if second%10 == 0 {
			for i, course := range []float64{90, 270} {
				start := geo.Point{Lon: 10.45 + 0.1*float64(i), Lat: 54.5}
				at := geo.Destination(start, course, 6.173*float64(second))
				b.hearOn(ais.MMSI(211000001+i), now, at, 120, course)
			}
		}
		b.watch.Tick(now)
		b.watch.Save(false)
		meanwhile(second)
	}
}

// hearOn is hear of a ship with a course.
func (b *box) hearOn(m ais.MMSI, at time.Time, p geo.Point, tenths int, course float64) {
	was := b.states[m]
	now := was
	now.MMSI, now.Class, now.HasFix, now.Static = m, ship.ClassA, true, &ship.Static{Name: fmt.Sprint("SHIP ", m), Type: 70}
	now.Reports = max(was.Reports+1, ship.ConfirmedReports)
	now.Fix = ship.Fix{At: at.UnixMilli(), Lon: int32(p.Lon * 600000), Lat: int32(p.Lat * 600000), SOG: ais.SOGTenths(tenths), COG: ais.COGTenths(int(course * 10))}
	b.states[m] = now
	b.watch.Observe(&ship.Update{Report: &ais.Report{}, Was: was, Now: now, Fix: now.Fix, Change: ship.ChangedFix})
}

const guard = `{"name":"Roads","type":"cpa","severity":"warning","cpa":{"polygon":%s}}`

// TestAMuteShipMeetsInSilence: while either ship is mute nothing is told of the pair, nor later.
func TestAMuteShipMeetsInSilence(t *testing.T) {
	b := newBox(t)
	b.define(fmt.Sprintf(guard, areaOf(10, 54, 11, 55)))
	b.watch.mutes[pair{watchdog: 2, mmsi: 211000002}] = muted{until: begin.Add(5 * time.Minute).UnixMilli()}
	b.meeting(900, func(int) {})
	if got := b.log(); len(got) != 0 {
		t.Errorf("%q", got)
	}
	if len(b.watch.situations.all) != 1 {
		t.Errorf("%d situations", len(b.watch.situations.all))
	}
	b.watch.Tick(begin.Add(time.Hour))
	b.watch.Save(false)
	if rows, err := b.watch.situations.rows.All(); err != nil || len(rows) != 0 {
		t.Errorf("%d rows are left, %v", len(rows), err)
	}
}

// TestAWatchdogOfPairsThatGoes leaves no row, and its event is over with it.
func TestAWatchdogOfPairsThatGoes(t *testing.T) {
	b := newBox(t)
	b.define(fmt.Sprintf(guard, areaOf(10, 54, 11, 55)))
	b.meeting(300, func(int) {})
	r, _ := b.areas.Library.Get(library.Watchdogs, "Roads")
	if err := b.areas.Library.Delete(library.Watchdogs, r.UID); err != nil {
		t.Fatal(err)
	}
	gone := b.watch.now
	b.watch.Compile()
	b.meeting(600, func(int) {})
	rows, err := b.watch.situations.rows.All()
	if err != nil || len(rows) != 0 || !slices.Equal(b.log(), []string{fmt.Sprint("2 cpa  211000001 00:02:10 until ", gone.UnixMilli())}) {
		t.Errorf("%d rows are left, %v: %q", len(rows), err, b.log())
	}
}

// TestADangerGoesOnWhileOthersChange: a watchdog of pairs that was there before rings as ever while other watchdogs are made.
func TestADangerGoesOnWhileOthersChange(t *testing.T) {
	b := newBox(t)
	id := b.define(fmt.Sprintf(guard, areaOf(10, 54, 11, 55)))
	b.meeting(300, func(second int) {
		if second%60 == 30 {
			b.define(fmt.Sprintf(`{"name":"area %d","type":"polygon","polygon":%s}`, second, areaOf(20, 54, 21, 55)))
		}
	})
	if got, want := b.log(), []string{fmt.Sprint(id, " cpa  211000001 00:02:10 until 0")}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

// TestAPairIsRememberedUntilItMayRingAgain: a pair that rang is stored for as long as it may not ring again after a restart, and no longer.
func TestAPairIsRememberedUntilItMayRingAgain(t *testing.T) {
	for _, off := range atABound {
		b := newBox(t)
		b.define(fmt.Sprintf(guard, areaOf(10, 54, 11, 55)))
		b.meeting(900, func(int) {})
		e, err := b.watch.Get(1)
		if err != nil || e.Deactivated == 0 {
			t.Fatalf("%+v %v", e, err)
		}
		b.watch.Tick(e.At().Add(30*time.Minute + off)) // time_between_triggers
		b.watch.Save(false)
		if rows, err := b.watch.situations.rows.All(); err != nil || len(rows) != map[bool]int{true: 1, false: 0}[off < 0] {
			t.Errorf("%v after it may ring again: %d rows, %v", off, len(rows), err)
		}
	}
}

// BenchmarkGuard is a position of one of 60,000 ships, of which 500 sail in a guarded water.
func BenchmarkGuard(b *testing.B) {
	const ships, inside = 60_000, 500
	x := newBox(b)
	x.define(fmt.Sprintf(guard, areaOf(10, 54, 10.5, 54.3)))
	random := rand.New(rand.NewPCG(11, 12))
	states := make([]ship.State, ships)
	for i := range states {
		at := geo.Point{Lon: 11 + random.Float64()*20, Lat: 55 + random.Float64()*10}
		if i%(ships/inside) == 0 {
			at = geo.Point{Lon: 10 + random.Float64()*0.5, Lat: 54 + random.Float64()*0.3}
		}
		states[i] = ship.State{MMSI: ais.MMSI(211000001 + i), Class: ship.ClassA, Reports: 9, HasFix: true, Static: &ship.Static{Type: 70},
			Fix: ship.Fix{At: begin.UnixMilli(), Lon: int32(at.Lon * 600000), Lat: int32(at.Lat * 600000), SOG: ais.SOGTenths(100), COG: ais.COGTenths(900 + 1800*(i/120%2))}}
	}
	u := ship.Update{Report: &ais.Report{}, Change: ship.ChangedFix}
	b.ReportAllocs()
	for i := range b.N {
		s := &states[i%ships]
		u.Was = *s
		s.Fix.At += 10_000
		s.Fix.Lon += 50 - 100*int32(i%ships/120%2)
		u.Now, u.Fix = *s, s.Fix
		x.watch.Observe(&u)
		if i%100_000 == 0 {
			x.watch.Tick(s.Fix.Time())
			x.watch.Save(false)
		}
	}
	b.StopTimer()
	x.watch.Save(true)
	if b.N > 20*ships && x.watch.Last() == 0 {
		b.Fatal("no pair rang")
	}
	b.ReportMetric(float64(x.watch.Last()), "rings")
}

// TestOneOwnerHasSoManyGuards: watchdogs that compare ships with ships cost time while reports wait, so that one owner has ten at work.
func TestOneOwnerHasSoManyGuards(t *testing.T) {
	b := newBox(t)
	for i := range mostOwnGuards + 2 {
		b.define(fmt.Sprintf(`{"name":"guard %d","type":"cpa","cpa":{"polygon":%s}}`, i, areaOf(10, 54, 11, 55)))
	}
	if s := b.watch.Status(); s.Watching != mostOwnGuards+1 || s.Idle != 2 {
		t.Errorf("%d watch, %d do not", s.Watching, s.Idle)
	}
}
