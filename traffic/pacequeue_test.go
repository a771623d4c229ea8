package traffic

import (
	"runtime"
	"testing"
	"time"

	"pgregory.net/rapid"

	"quaywatch/ais"
	"quaywatch/ship"
)

// However the buckets are stretched and shrunk, no step comes before its second is old enough, and the latest step of a ship comes last.
// The count is that of the steps that wait. At the end all of them come, late by the longest bucket at most.
func TestTheQueueOfAPacedPicture(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		q := paceQueue{every: 1}
		now, latest := int64(1000), map[*vessel]int64{}
		vessels := []*vessel{{bucket: noBucket}, {bucket: noBucket}, {bucket: noBucket}}
		given := map[*vessel]int64{}
		const delay, ahead = 86400, 60
		longest := q.every
		take := func(until int64) {
			for steps, ok := q.takeBucket(until); ok; steps, ok = q.takeBucket(until) {
				for _, s := range steps {
					if s.heard > until || s.heard < given[s.vessel] {
						t.Fatalf("a step of %d at %d, after one of %d", s.heard, until, given[s.vessel])
					}
					given[s.vessel] = s.heard
				}
			}
		}
		t.Repeat(map[string]func(*rapid.T){
			"put": func(t *rapid.T) {
				v := rapid.SampledFrom(vessels).Draw(t, "vessel")
				at := max(latest[v], now-int64(rapid.IntRange(-ahead, 50).Draw(t, "ago")))
				latest[v] = at
				q.putStep(v.waiting(&ship.State{MMSI: 1, Heard: at}), at)
			},
			"pass": func(t *rapid.T) { now += int64(rapid.IntRange(1, 20).Draw(t, "seconds")) },
			"take": func(*rapid.T) { take(now - 50) },
			"stretch": func(*rapid.T) {
				if q.every < delay { // as a picture does
					q.rescale(2 * q.every)
					longest = max(longest, q.every)
				}
			},
			"shrink": func(*rapid.T) { q.rescale(max(1, q.every/2)) },
			"": func(t *rapid.T) {
				waiting := 0
				for _, b := range q.buckets {
					waiting += len(b)
				}
				if waiting != q.waiting {
					t.Fatalf("%d wait, %d are counted", waiting, q.waiting)
				}
			},
		})
		take(now + ahead + longest)
		for v, at := range latest {
			if given[v] != at {
				t.Fatalf("the last was of %d, want %d", given[v], at)
			}
		}
	})
}

// What waits stays within its bounds, and a flood of invented numbers does not drive out the ships.
func TestWhatWaitsIsBounded(t *testing.T) {
	now := time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)
	d := NewPaced(New(DefaultConfig()), Pace{Delay: time.Hour}, now)
	d.limit.Store(2000)
	invented := ais.MMSI(300000000)
	for range 1800 {
		now = now.Add(time.Second)
		second := &second{now: now.Unix()}
		for i := range ais.MMSI(100) {
			second.steps = append(second.steps, step{state: ship.State{MMSI: 200000000 + i, Feed: "roof", Reports: 10, First: now.UnixMilli(),
				Heard: now.UnixMilli()}, timed: true})
			invented++
			second.steps = append(second.steps, step{state: ship.State{MMSI: invented, Feed: "roof", Reports: 1, First: now.UnixMilli(),
				Heard: now.UnixMilli()}, timed: true})
		}
		d.processSecond(second)
		if d.queue.waiting > 4000 {
			t.Fatalf("%d wait after %d s", d.queue.waiting, 1800)
		}
	}
	for i := range ais.MMSI(100) {
		if v := d.vessels[200000000+i]; v == nil || v.latest < now.Unix() {
			t.Fatal("a ship is gone")
		}
	}
	if d.queue.every <= d.pace.finest() {
		t.Error("nothing was told apart more coarsely")
	}
}

// A paced picture whose goroutine stands still is given up, and nothing waits for it.
func TestAPacedPictureThatIsBehindIsGivenUp(t *testing.T) {
	var paces PacedSet
	d := NewPaced(New(DefaultConfig()), Pace{Delay: time.Minute}, time.Unix(1000, 0))
	paces.Add(d)
	for i := range mostBehind/1000 + 2 {
		for range 1000 {
			paces.Observe(&ship.Update{Now: ship.State{MMSI: 1}})
		}
		paces.Tick(time.Unix(int64(1000+i), 0))
	}
	if !d.Behind() || d.inbox != nil {
		t.Error("it still waits")
	}
	paces.Remove(d)
	paces.Observe(&ship.Update{Now: ship.State{MMSI: 1}})
	paces.Tick(time.Unix(5000, 0))
	if paces.second != nil {
		t.Error("what no picture wants is kept")
	}
}

// BenchmarkPacedSetObserve is what paced pictures cost the goroutine of the picture for each step: none in use, and some.
func BenchmarkPacedSetObserve(b *testing.B) {
	for name, count := range map[string]int{"unused": 0, "one": 1, "thirty-two": 32} {
		b.Run(name, func(b *testing.B) {
			var paces PacedSet
			for range count {
				paces.Add(NewPaced(New(DefaultConfig()), Pace{Delay: time.Hour}, time.Unix(0, 0)))
			}
			u := ship.Update{Now: ship.State{MMSI: 219018765}}
			i := 0
			b.ReportAllocs()
			for b.Loop() {
				paces.Observe(&u)
				if i++; i%3000 == 0 { // a second
					paces.Tick(time.Unix(int64(i/3000), 0))
					for _, d := range paces.list {
						d.came()
					}
				}
			}
		})
	}
}

// BenchmarkPacedSecond is a second of 20,000 ships of which 2,000 report, with different delays; run it with
// -benchtime 3000x, or 90000x for a whole day. It gives the steps that wait and the heap.
func BenchmarkPacedSecond(b *testing.B) {
	for name, pace := range map[string]Pace{
		"delay=10m":              {Delay: 10 * time.Minute},
		"delay=24h":              {Delay: 24 * time.Hour},
		"delay=24h-interval=10m": {Delay: 24 * time.Hour, Interval: func(*ship.State) time.Duration { return 10 * time.Minute }},
		"interval=1m":            {Interval: func(*ship.State) time.Duration { return time.Minute }},
	} {
		b.Run(name, func(b *testing.B) {
			var before, after runtime.MemStats
			runtime.GC()
			runtime.ReadMemStats(&before)
			now := time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)
			begin := now.UnixMilli()
			d := NewPaced(New(DefaultConfig()), pace, now)
			turn := 0
			for b.Loop() {
				now = now.Add(time.Second)
				second := &second{now: now.Unix(), steps: make([]step, 0, 2000)}
				for range 2000 {
					turn++
					m := turn % 20000
					second.steps = append(second.steps, step{timed: true, state: ship.State{
						MMSI: ais.MMSI(219000000 + m), Feed: "roof", Reports: 10, First: begin + int64(m), Heard: now.UnixMilli(), HasFix: true,
						Fix: ship.Fix{At: now.UnixMilli(), Lon: int32(m * 1000), Lat: int32(turn % 1000)},
					}})
				}
				d.processSecond(second)
			}
			b.StopTimer()
			runtime.GC()
			runtime.ReadMemStats(&after)
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/2000, "ns/step")
			if d.queue.waiting == 0 && d.Picture().Len() == 0 {
				b.Fatal("the steps are lost")
			}
			b.ReportMetric(float64(d.queue.waiting), "waiting")
			b.ReportMetric(float64(d.queue.every), "s/bucket")
			b.ReportMetric(float64(after.HeapAlloc-before.HeapAlloc)/(1<<20), "MB")
			runtime.KeepAlive(d)
		})
	}
}
