package portcalls

import (
	"bytes"
	"maps"
	"math"
	"sync"
	"testing"
	"time"

	"pgregory.net/rapid"

	"quaywatch/ais"
	"quaywatch/geo"
	"quaywatch/geo/chart"
	"quaywatch/geo/chart/water"
	"quaywatch/ship"
	"quaywatch/ship/learn"
)

// liveCanal is a canal whose ships teach while they are heard.
func liveCanal(t *testing.T) *canal { return canalHeardAt(t, geo.Destination(fjord, 90, 30_000)) }

func canalHeardAt(t *testing.T, receiver geo.Point) *canal {
	t.Helper()
	land, err := chart.Load()
	if err != nil {
		t.Fatal(err)
	}
	return newCanal(t, Config{Land: land, Receivers: []geo.Point{receiver}})
}

// TestShipsTeachLive holds that three ships on three days teach as they are heard, over a restart after each day, and that they teach what
// learn-water finds in what was recorded of them.
func TestShipsTeachLive(t *testing.T) {
	c := liveCanal(t)
	for day := range 3 {
		c.sail(ais.MMSI(219000001+day), day)
		if c.taught(inland) {
			t.Fatalf("water is learned on day %d", day)
		}
		c.Learn(begin.Add(time.Duration(24*day+23)*time.Hour), false)
		if got, want := c.taught(inland), day == 2; got != want {
			t.Fatalf("after %d days water is learned: %v", day+1, got)
		}
		c.restart()
	}
	if !c.taught(inland) {
		t.Error("a restart forgot what was learned")
	}
	live, seen := c.overlay.Cells()
	if _, err := c.LearnWater(t.Context(), Learning{}); err != nil {
		t.Fatal(err)
	}
	past, seenThen := c.overlay.Cells()
	if len(live) < 100 || len(live) != len(past) || len(seen) != len(seenThen) {
		t.Errorf("%d cells learned and %d seen live, %d and %d in the past", len(live), len(seen), len(past), len(seenThen))
	}
	if _, _, err := c.Reject(Rejected{Area: square(inland, 150)}); err != nil || c.taught(inland) {
		t.Errorf("rejected: %v", err)
	}
	c.sail(219000004, 3)
	c.Learn(begin.Add(96*time.Hour), true)
	if c.taught(inland) {
		t.Error("a ship taught what is rejected")
	}
}

// TestEvidenceIsKept holds that what ships taught is kept without a stop too, from the last look on, and when water is learned anew from what is
// recorded.
func TestEvidenceIsKept(t *testing.T) {
	c := liveCanal(t)
	c.sail(219000001, 0)
	c.sail(219000002, 1)
	c.Learn(begin.Add(48*time.Hour), false)
	if err := c.db.Close(); err != nil { // as a kill: nothing is stopped
		t.Fatal(err)
	}
	c.open()
	if l, err := c.LearnWater(t.Context(), Learning{}); err != nil || l.Learned > 0 || l.Seen < 100 {
		t.Fatalf("%+v, %v", l, err)
	}
	c.sail(219000003, 2)
	c.Learn(begin.Add(72*time.Hour), false)
	if !c.taught(inland) {
		t.Error("the first two ships are forgotten")
	}
}

// TestWhatTeachesNothingLive has three ships sail as they do when they teach, but for one thing.
func TestWhatTeachesNothingLive(t *testing.T) {
	positions := func(change func(n int, p *ais.PositionReport) ais.Message) func() func(ais.Message) ais.Message {
		return func() func(ais.Message) ais.Message {
			n := 0
			return func(m ais.Message) ais.Message {
				if p, ok := m.(*ais.PositionReport); ok {
					n++
					return change(n, p)
				}
				return m
			}
		}
	}
	for name, change := range map[string]func() func(ais.Message) ais.Message{
		"no static data": func() func(ais.Message) ais.Message {
			return func(m ais.Message) ais.Message {
				if _, ok := m.(*ais.StaticVoyage); ok {
					return nil
				}
				return m
			}
		},
		"heard for less than an hour": positions(func(n int, p *ais.PositionReport) ais.Message {
			if n <= 20 {
				return nil
			}
			return p
		}),
		"slower than two knots": positions(func(_ int, p *ais.PositionReport) ais.Message { p.SOG = ais.SOGTenths(19); return p }),
		"a jump before it": positions(func(n int, p *ais.PositionReport) ais.Message {
			if n > 10 && n < 15 {
				p.Place.Lat += 600000
			}
			return p
		}),
	} {
		c := liveCanal(t)
		for day := range 3 {
			c.sail(ais.MMSI(219000001+day), day, change())
		}
		c.Learn(begin.Add(72*time.Hour), true)
		if c.taught(inland) {
			t.Errorf("%s: water is learned", name)
		}
	}
	far := liveCanal(t)
	far.Calls.Waters.config.Receivers = []geo.Point{geo.Destination(fjord, 90, 70_000)}
	for day := range 3 {
		far.sail(ais.MMSI(219000001+day), day)
	}
	far.Learn(begin.Add(72*time.Hour), true)
	if far.taught(inland) {
		t.Error("70 km from the receiver: water is learned")
	}
}

// TestShipsTeachWhileItIsLookedAt has ships teach while what they taught is looked at, learned anew and rejected. The race detector watches.
func TestShipsTeachWhileItIsLookedAt(t *testing.T) {
	c := liveCanal(t)
	var all sync.WaitGroup
	for m := range 4 {
		all.Go(func() {
			for day := range 10 {
				for _, u := range legs(&ship.Static{Name: "SHIP"}) {
					u.Now.MMSI = ais.MMSI(219000001 + m)
					u.Fix.At += int64(day) * 24 * time.Hour.Milliseconds()
					u.Was.Fix.At += int64(day) * 24 * time.Hour.Milliseconds()
					c.lessons.observe(&c.config, &u)
				}
			}
		})
	}
	for i := range 8 {
		c.Learn(begin, true)
		if i%4 == 0 {
			if _, err := c.LearnWater(t.Context(), Learning{}); err != nil {
				t.Fatal(err)
			}
		}
		if _, _, err := c.Reject(Rejected{Area: square(fjord, 10)}); err != nil {
			t.Fatal(err)
		}
		_ = c.Rejected()
	}
	all.Wait()
	for m := range 3 {
		for day := range 3 {
			for _, u := range legs(&ship.Static{Name: "SHIP"}) {
				u.Now.MMSI = ais.MMSI(219000001 + m)
				u.Fix.At += int64(day) * 24 * time.Hour.Milliseconds()
				u.Was.Fix.At += int64(day) * 24 * time.Hour.Milliseconds()
				c.lessons.observe(&c.config, &u)
			}
		}
	}
	if c.Learn(begin, true); !c.taught(geo.Destination(fjord, 270, 1500)) {
		t.Error("the ships taught nothing")
	}
}

// legs returns the steps of a ship that sails into the canal.
func legs(static *ship.Static) (all []ship.Update) {
	track := ship.Track{}
	for i := range 60 {
		p := geo.Destination(fjord, 270, float64(i)*41.156)
		track = append(track, ship.Fix{At: begin.Add(time.Duration(i) * 10 * time.Second).UnixMilli(), Lon: int32(p.Lon * 600000), Lat: int32(p.Lat * 600000),
			SOG: ais.SOGTenths(80), COG: ais.COGTenths(2700)})
	}
	for i := 1; i < len(track); i++ {
		u := ship.Update{Change: ship.ChangedFix, Fix: track[i]}
		u.Was.MMSI, u.Was.HasFix, u.Was.Fix = 219000001, true, track[i-1]
		u.Now.MMSI, u.Now.Static = 219000001, static
		all = append(all, u)
	}
	return all
}

// TestTeachingAllocatesNothing holds that a ship that sails where it sailed before costs no memory, whether the water is learned or not.
func TestTeachingAllocatesNothing(t *testing.T) {
	c := liveCanal(t)
	all := legs(&ship.Static{Name: "SHIP"})
	sail := func() {
		for i := range all {
			c.lessons.observe(&c.config, &all[i])
		}
	}
	sail()
	if c.lessons.learner.News() == 0 {
		t.Fatal("the ship teaches nothing")
	}
	if n := testing.AllocsPerRun(20, sail); n > 0 {
		t.Errorf("%.0f allocations for %d positions", n, len(all))
	}
	var cells []water.Square
	for i := range all {
		cells = append(cells, water.CellAt(all[i].Fix.Point()))
	}
	o, _ := water.New(cells, nil)
	c.lessons.followOverlay(o, nil)
	if n := testing.AllocsPerRun(20, sail); n > 0 {
		t.Errorf("%.0f allocations for %d positions in learned water", n, len(all))
	}
}

// BenchmarkTeaching is a position of a ship that sails on what the chart has as land, in cells that it sailed before.
func BenchmarkTeaching(b *testing.B) {
	land, err := chart.Load()
	if err != nil {
		b.Fatal(err)
	}
	c := Config{Land: land}
	var l lessons
	l.restoreUnsure(nil)
	l.beginLearning(&c, nil, nil)
	all := legs(&ship.Static{Name: "SHIP"})
	b.ReportAllocs()
	for b.Loop() {
		for i := range all {
			l.observe(&c, &all[i])
		}
	}
	if l.learner.News() == 0 {
		b.Fatal("the ship teaches nothing")
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*len(all)), "ns/position")
}

// plainly does what observe does, with each question asked of the ellipsoid and in the order of the rules.
func plainly(l *lessons, u *ship.Update) {
	was, heard := fixBefore(u), u.AsHeard()
	unsure := was.At == 0 || u.Now.Conflict != nil || learn.Unsure(was, u.Fix)
	fast := learn.Fast(u.Fix)
	teaches := !unsure && !fast && learn.Teaches(was, u.Fix) && isKnown(heard.Static)
	so, doubted := l.unsure[u.Now.MMSI]
	switch {
	case unsure || fast && l.learner.Doubts(was, u.Fix):
		l.doubt(u.Now.MMSI, u.Fix.Time(), was.At == 0)
	case teaches && len(l.unsure) < mostUnsure && (!doubted || l.learner.Trusts(&so, u.Fix)):
		delete(l.unsure, u.Now.MMSI)
		l.learner.Leg(u.Now.MMSI, float64(heard.Static.Dimensions.Width()), was, u.Fix)
	}
}

// astray draws a step of one of a few ships in or off the fjord: sailing, resting, jumping, too fast, unknown, or out of order.
func astray(t *rapid.T, last map[ais.MMSI]ship.Fix) ship.Update {
	u := ship.Update{Change: ship.ChangedFix}
	u.Now.MMSI = ais.MMSI(219000001 + rapid.IntRange(0, 3).Draw(t, "ship"))
	if rapid.IntRange(0, 9).Draw(t, "known") > 0 {
		u.Now.Static = &ship.Static{Name: "SHIP"}
	}
	was, known := last[u.Now.MMSI]
	u.Was.MMSI, u.Was.HasFix, u.Was.Fix = u.Now.MMSI, known, was
	if !known {
		was.At = begin.UnixMilli()
	}
	from := was.Point()
	if !known || rapid.IntRange(0, 19).Draw(t, "jump") == 0 {
		from = geo.Destination(fjord, rapid.Float64Range(0, 360).Draw(t, "to"), rapid.Float64Range(0, 4_000).Draw(t, "off"))
	}
	course, knots := rapid.Float64Range(0, 360).Draw(t, "course"), rapid.SampledFrom([]float64{0, 1, 5, 8, 8, 8, 15, 25, 40}).Draw(t, "knots")
	seconds := rapid.SampledFrom([]float64{-10, 0, 10, 10, 10, 60, 200, 3_600, 90_000}).Draw(t, "seconds")
	to := geo.Destination(from, course, math.Abs(seconds)*knots*1852/3600)
	u.Fix = ship.Fix{At: was.At + int64(seconds*1000), Lon: int32(to.Lon * 600000), Lat: int32(to.Lat * 600000),
		SOG: ais.SOGTenths(int(knots * 10)), COG: ais.COGTenths(int(course * 10)),
		Mark: rapid.SampledFrom([]ship.Mark{0, 0, 0, 0, 0, 0, ship.NewSegment, ship.Doubtful}).Draw(t, "mark")}
	last[u.Now.MMSI] = u.Fix
	return u
}

// later returns a voyage that begins ten seconds after what was last heard of its ship.
func later(voyage []ship.Update, last map[ais.MMSI]ship.Fix) []ship.Update {
	shift := max(0, last[voyage[0].Now.MMSI].At+10_000-voyage[0].Was.Fix.At)
	for i := range voyage {
		voyage[i].Was.Fix.At += shift
		voyage[i].Fix.At += shift
	}
	return voyage
}

// TestCheapQuestionsLearnTheSame holds that the order of the questions changes nothing of what is learned, and of which ships are in doubt.
func TestCheapQuestionsLearnTheSame(t *testing.T) {
	land, err := chart.Load()
	if err != nil {
		t.Fatal(err)
	}
	c, forgiven := Config{Land: land}, 0
	rapid.Check(t, func(t *rapid.T) {
		var cheap, plain lessons
		for _, l := range []*lessons{&cheap, &plain} {
			l.restoreUnsure(nil)
			l.beginLearning(&c, nil, nil)
		}
		last := map[ais.MMSI]ship.Fix{}
		all := legs(&ship.Static{Name: "SHIP"}) // so each run has lessons, whatever is drawn
		for range rapid.IntRange(1, 200).Draw(t, "steps") {
			all = append(all, astray(t, last))
		}
		all = append(all, later(legs(&ship.Static{Name: "SHIP"}), last)...)
		for i := range all {
			u, n := all[i], len(plain.unsure)
			cheap.observe(&c, &u)
			plainly(&plain, &u)
			if len(plain.unsure) < n {
				forgiven++
			}
			if !maps.Equal(cheap.unsure, plain.unsure) || cheap.jumped != plain.jumped {
				t.Fatalf("in doubt are %v, and should be %v", cheap.unsure, plain.unsure)
			}
		}
		if !bytes.Equal(cheap.learner.Evidence(), plain.learner.Evidence()) {
			t.Fatal("something else is learned")
		}
		if plain.learner.News() == 0 {
			t.Fatal("the ship teaches nothing")
		}
	})
	if forgiven == 0 { // some 40
		t.Error("no doubt ended")
	}
}
