package store

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"quaywatch/ais"
	"quaywatch/geo"
	"quaywatch/ship"
	"quaywatch/store/layout"
	"quaywatch/store/track"
)

// fleet sails n ships that report every tenth of a minute, a fifth of them at rest, with the noise of real receivers.
type fleet struct {
	random  *rand.Rand
	updates []ship.Update
	speed   []float64 // knots
	course  []float64 // degrees
}

func newFleet(n int) *fleet {
	f := &fleet{random: rand.New(rand.NewPCG(1, 2)), updates: make([]ship.Update, n), speed: make([]float64, n), course: make([]float64, n)}
	for i := range f.updates {
		m := ais.MMSI(200_000_000 + 137*i)
		place := ship.Fix{Lon: int32(f.random.IntN(circleUnits)) - halfUnits, Lat: int32(f.random.IntN(60_000_000)) - 30_000_000}
		f.updates[i] = ship.Update{Now: ship.State{MMSI: m, Class: ship.ClassA, HasFix: true, Fix: place, First: at0, Reports: 10}, Change: ship.ChangedFix}
		if f.course[i] = f.random.Float64() * 360; i%5 != 0 {
			f.speed[i] = 5 + 15*f.random.Float64()
		}
	}
	return f
}

// next moves ship i to the time at and returns its update.
func (f *fleet) next(i int, at int64) *ship.Update {
	u := &f.updates[i]
	fix := &u.Now.Fix
	seconds := float64(at-fix.At) / 1000
	if fix.At == 0 {
		seconds = 0
	}
	f.course[i] = math.Mod(f.course[i]+f.random.NormFloat64()+360, 360)
	units := f.speed[i] * 1852 / 3600 * seconds / unitMetres
	sin, cos := math.Sincos(f.course[i] * math.Pi / 180)
	noise := func() float64 { return 2 * f.random.NormFloat64() }
	fix.Lat = int32(max(-53_000_000, min(53_000_000, float64(fix.Lat)+units*cos+noise())))
	fix.Lon = int32(wrapUnits(int64(float64(fix.Lon) + units*sin/math.Cos(float64(fix.Lat)/600000*math.Pi/180) + noise())))
	fix.At = at
	fix.SOG = ais.SOGTenths(int(10*f.speed[i] + math.Abs(f.random.NormFloat64())))
	fix.COG = ais.COGTenths(int(10*f.course[i]+5*f.random.NormFloat64()+3600) % 3600)
	fix.Heading = ais.HeadingDegrees(int(f.course[i]))
	u.Now.Heard, u.Fix = at, *fix
	return u
}

func BenchmarkObserve(b *testing.B) {
	for _, full := range []bool{true, false} {
		b.Run(fmt.Sprintf("full=%v", full), func(b *testing.B) {
			db := openTest(b, quiet(b.TempDir(), full))
			const ships = 10_000
			f := newFleet(ships)
			updates := make([][]ship.Update, 40)
			for k := range updates {
				updates[k] = make([]ship.Update, ships)
				for i := range ships {
					updates[k][i] = *f.next(i, at0+int64(k)*10_000+int64(i))
				}
			}
			n := 0
			b.ReportAllocs()
			for b.Loop() {
				k := n / ships
				u := &updates[k%len(updates)][n%ships]
				u.Fix.At += int64(k/len(updates)) * int64(len(updates)) * 10_000 // the same sails, later
				db.Observe(u)
				if n++; n%20_000 == 0 {
					b.StopTimer()
					must(b, db.sync())
					b.StartTimer()
				}
				if n%2_000_000 == 0 {
					b.StopTimer()
					must(b, db.flushBlocks(true))
					b.StartTimer()
				}
			}
			if db.dropped > 0 {
				b.Fatalf("%d dropped", db.dropped)
			}
		})
	}
}

// BenchmarkHour plays an hour of traffic with a sync each second and the flush after it, and counts the bytes of the file
// calls; what the device writes is for /sys/block to say.
func BenchmarkHour(b *testing.B) {
	for _, c := range []struct{ ships, rate int }{{1000, 100}, {60_000, 6000}} {
		for _, full := range []bool{true, false} {
			b.Run(fmt.Sprintf("ships=%d/rate=%d/full=%v", c.ships, c.rate, full), func(b *testing.B) {
				for b.Loop() {
					db := openTest(b, quiet(b.TempDir(), full))
					fixes := playHour(b, db, c.ships, c.rate, 3600)
					s := db.Status()
					n := float64(fixes)
					b.ReportMetric(float64(s.LogWritten)/n, "logB/fix")
					b.ReportMetric((float64(s.LogWritten)/4096+3600)*4096/n, "logpagesB/fix")
					b.ReportMetric(float64(s.WrittenToDB())/n, "dbB/fix")
					b.ReportMetric(float64(s.DBBytes-s.FreeBytes)/n, "restB/fix")
					b.ReportMetric(float64(s.LogBytes)/1e6, "logMB")
					if s.Dropped > 0 {
						b.Fatalf("%d dropped", s.Dropped)
					}
				}
			})
		}
	}
}

// playHour observes rate fixes in each of n seconds.
func playHour(b testing.TB, db *DB, ships, rate, n int) int {
	f := newFleet(ships)
	next, fixes := 0, 0
	for second := range int64(n) {
		for k := range rate {
			db.Observe(f.next(next%ships, at0+second*1000+int64(k)*1000/int64(rate)))
			next++
			fixes++
		}
		must(b, db.sync())
	}
	db.Tick(time.UnixMilli(at0 + track.HourMillis + flushDelay))
	must(b, db.flushBlocks(false))
	return fixes
}

func BenchmarkOpenAfterKill(b *testing.B) {
	o := quiet(b.TempDir(), true)
	db := openTest(b, o)
	const ships, rounds = 100_000, 50
	f := newFleet(ships)
	for r := range int64(rounds) {
		for i := range ships {
			db.Observe(f.next(i, at0+r*60_000+int64(i)/2))
			if i%10_000 == 0 {
				must(b, db.sync())
			}
		}
	}
	must(b, db.sync())
	b.Logf("log of %d bytes", db.Status().LogBytes)
	for b.Loop() {
		b.StopTimer()
		o2 := o
		o2.Dir = b.TempDir()
		copyTest(b, o2.Dir+"/"+layout.DBName, o.Dir+"/"+layout.DBName)
		copyTest(b, o2.Dir+"/"+layout.LogName, o.Dir+"/"+layout.LogName)
		b.StartTimer()
		killed, err := Open(o2)
		if err != nil {
			b.Fatal(err)
		}
		if n := len(killed.States()); n != ships {
			b.Fatalf("%d ships", n)
		}
		track, err := killed.Track(context.Background(), f.updates[0].Now.MMSI, time.UnixMilli(at0), time.UnixMilli(at0+track.HourMillis))
		if err != nil || len(track) != rounds {
			b.Fatalf("%d fixes: %v", len(track), err)
		}
		b.StopTimer()
		killed.Close()
		b.StartTimer()
	}
}

func BenchmarkShipHour(b *testing.B) {
	db := openTest(b, quiet(b.TempDir(), true))
	playHour(b, db, 2000, 200, 3600)
	m := ais.MMSI(200_000_000 + 137*77)
	n := 0
	for b.Loop() {
		track, err := db.Track(context.Background(), m, time.UnixMilli(at0), time.UnixMilli(at0+track.HourMillis))
		if err != nil {
			b.Fatal(err)
		}
		n = len(track)
	}
	if n == 0 {
		b.Fatal("the ship has no track")
	}
	b.ReportMetric(float64(n), "fixes")
}

func BenchmarkScan(b *testing.B) {
	db := openTest(b, quiet(b.TempDir(), true))
	fixes := playHour(b, db, 2000, 200, 3600)
	one, err := db.Ship(200_000_000 + 137*77)
	must(b, err)
	at := one.Fix.Point()
	for _, c := range []struct {
		name string
		area geo.Rect
	}{{"everything", geo.Rect{West: -180, South: -90, East: 180, North: 90}}, {"one degree", geo.Rect{West: at.Lon - 0.5, South: at.Lat - 0.5, East: at.Lon + 0.5, North: at.Lat + 0.5}}} {
		b.Run(c.name, func(b *testing.B) {
			passed := 0
			for b.Loop() {
				must(b, db.Passing(context.Background(), c.area, time.UnixMilli(at0), time.UnixMilli(at0+track.HourMillis),
					func(ais.MMSI, ship.Track) error {
						passed++
						return nil
					}))
			}
			if passed == 0 {
				b.Fatal("no ship passed")
			}
			b.ReportMetric(float64(passed)/float64(b.N), "tracks/op")
			b.ReportMetric(float64(fixes)*float64(b.N)/b.Elapsed().Seconds()/1e6, "Mfixes/s")
		})
	}
}
