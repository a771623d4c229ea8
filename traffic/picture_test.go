package traffic_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"quaywatch/ais"
	"quaywatch/geo"
	"quaywatch/ship"
	"quaywatch/traffic"
)

var noon = time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)

const anna ais.MMSI = 211000001

func at(lat, lon float64) ais.Place {
	return ais.Place{Lon: int32(lon * 600000), Lat: int32(lat * 600000)}
}

func position(m ais.MMSI, where ais.Place) *ais.PositionReport {
	return &ais.PositionReport{Header: ais.Header{Type: 1, MMSI: m}, Place: where, SOG: ais.SOGTenths(120)}
}

func name(m ais.MMSI, text string) *ais.StaticReport {
	return &ais.StaticReport{Header: ais.Header{Type: 24, MMSI: m}, Name: text}
}

// heard makes a report that the feed roof received so many seconds after noon.
func heard(message ais.Message, seconds float64) ais.Report {
	return ais.Report{Message: message, Received: noon.Add(time.Duration(seconds * float64(time.Second))), Feed: "roof"}
}

func batch(reports ...ais.Report) *ais.Batch { return &ais.Batch{Reports: reports} }

// journal writes down what an observer is told.
type journal struct {
	lines []string
	ticks []time.Time
	last  ship.Update
}

func (j *journal) Observe(u *ship.Update) {
	j.last = *u
	words := ""
	for i, word := range []string{"fix", "static", "voyage", "age", "appeared", "late", "entered"} {
		if u.Change&(1<<i) != 0 {
			words += " " + word
		}
	}
	j.lines = append(j.lines, fmt.Sprintf("%d %v%s", u.Now.MMSI, u.Now.Age, words))
}

func (j *journal) Tick(now time.Time) { j.ticks = append(j.ticks, now) }

func (j *journal) want(t *testing.T, lines ...string) {
	t.Helper()
	if diff := cmp.Diff(lines, j.lines); diff != "" {
		t.Error(diff)
	}
	j.lines = nil
}

func logConfig() traffic.Config {
	c := traffic.DefaultConfig()
	c.Clock = ais.LogClock
	return c
}

func TestUpdatesCarryBothEnds(t *testing.T) {
	var j journal
	p := traffic.New(traffic.DefaultConfig())
	p.Apply(batch(heard(position(anna, at(54, 10)), 0)), &j)
	if j.last.Was.MMSI != 0 || j.last.Now.MMSI != anna || j.last.Report == nil {
		t.Errorf("first: %+v", j.last)
	}
	p.Apply(batch(heard(position(anna, at(54.001, 10)), 10)), &j)
	if j.last.Was.Fix.Lat != 54*600000 || j.last.Now.Fix.Lat != 54.001*600000 || j.last.Fix != j.last.Now.Fix {
		t.Errorf("second: %+v", j.last)
	}
	p.Apply(batch(heard(name(anna, "ANNA"), 11)), &j)
	p.Apply(batch(heard(name(anna, "ANNA"), 12)), &j)
	j.want(t, "211000001 live fix appeared", "211000001 live fix", "211000001 live static", "211000001 live")
	s, ok := p.Ship(anna)
	if !ok || s.Reports != 4 || p.Len() != 1 || s.Static.Name != "ANNA" {
		t.Errorf("the ship: %+v", s)
	}
	if _, ok := p.Ship(1); ok {
		t.Error("a ship that was never heard")
	}
}

func TestDuplicatesOnlyRefresh(t *testing.T) {
	var j journal
	p := traffic.New(traffic.DefaultConfig())
	say := func(hash uint64, feed string, seconds float64) {
		r := heard(position(anna, at(54, 10)), seconds)
		r.Hash, r.Feed = hash, feed
		p.Apply(batch(r), &j)
	}
	say(7, "roof", 0)
	say(7, "pier", 1)
	say(7, "pier", 9.9)
	j.want(t, "211000001 live fix appeared")
	say(7, "pier", 10)
	say(7, "pier", 10.5) // a feed that repeats itself hears nothing first by another
	say(0, "roof", 11)
	say(0, "roof", 11)
	j.want(t, "211000001 live fix", "211000001 live fix", "211000001 live")
	s, _ := p.Ship(anna)
	stats := p.Stats()
	if s.Heard != noon.Add(11*time.Second).UnixMilli() || stats.Duplicates != 3 || stats.Feeds["pier"].Duplicates != 2 {
		t.Errorf("heard %v, stats %+v", s.Heard, stats)
	}
	if f := stats.Feeds["pier"]; f.Ships != 1 || f.Reports != 1 || !f.LastHeard.Equal(noon.Add(10500*time.Millisecond)) {
		t.Errorf("pier: %+v", f)
	}
}

// However many messages come within the window, each is known again.
func TestDuplicatesAmongMany(t *testing.T) {
	p := traffic.New(traffic.DefaultConfig())
	random := rand.New(rand.NewPCG(1, 2))
	var reports []ais.Report
	for i := range 100000 {
		r := heard(position(ais.MMSI(200000000+i%500), at(54, 10)), float64(i)/20000)
		r.Hash = random.Uint64()
		reports = append(reports, r)
	}
	p.Apply(batch(reports...))
	if n := p.Stats().Duplicates; n != 0 {
		t.Errorf("%d duplicates of none", n)
	}
	for i := range reports {
		reports[i].Received = noon.Add(6 * time.Second)
	}
	p.Apply(batch(reports...))
	if n := p.Stats().Duplicates; n != 100000 {
		t.Errorf("%d duplicates of 100000", n)
	}
}

func TestSilenceByClassAndStatus(t *testing.T) {
	moored := position(211000002, at(54, 10))
	moored.Status = ais.StatusMoored
	small := &ais.ClassBReport{Header: ais.Header{Type: 18, MMSI: 211000003}, Place: at(54, 10)}
	buoy := &ais.AidToNavigation{Header: ais.Header{Type: 21, MMSI: 992110004}, Place: at(54, 10)}
	sart := position(970000005, at(54, 10))
	tests := []struct {
		message       ais.Message
		lost, removed time.Duration
	}{
		{position(anna, at(54, 10)), 6 * time.Minute, 30 * time.Minute},
		{moored, 15 * time.Minute, time.Hour},
		{small, 15 * time.Minute, time.Hour},
		{sart, 15 * time.Minute, time.Hour},
		{buoy, 30 * time.Minute, 24 * time.Hour},
	}
	for _, test := range tests {
		m := test.message.Head().MMSI
		var j journal
		p := traffic.New(traffic.DefaultConfig())
		p.Tick(noon, &j)
		p.Apply(batch(heard(test.message, 0)), &j)
		ageAt := func(d time.Duration) ship.Age {
			for s := time.Duration(0); s <= 10*time.Second; s += time.Second { // a whole walk
				p.Tick(noon.Add(d+s), &j)
			}
			s, _ := p.Ship(m)
			return s.Age
		}
		j.lines = nil
		if got := ageAt(test.lost - 12*time.Second); got != ship.Live {
			t.Errorf("%d: %v before its time", m, got)
		}
		if got := ageAt(test.lost); got != ship.Lost {
			t.Errorf("%d: %v after %v", m, got, test.lost)
		}
		if got := ageAt(test.removed - 12*time.Second); got != ship.Lost || p.Len() != 1 {
			t.Errorf("%d: %v before its removal", m, got)
		}
		if got := ageAt(test.removed); got != ship.Removed || p.Len() != 0 {
			t.Errorf("%d: %v after %v", m, got, test.removed)
		}
		j.want(t, fmt.Sprintf("%d lost age", m), fmt.Sprintf("%d removed age", m))
		if inside(p, geo.Rect{West: 9, South: 53, East: 11, North: 55}) != nil {
			t.Errorf("%d: removed, but still within", m)
		}
		p.Apply(batch(heard(test.message, test.removed.Seconds()+60)), &j)
		j.want(t, fmt.Sprintf("%d live fix age appeared", m))
	}
}

func TestLogClockRules(t *testing.T) {
	var j journal
	p := traffic.New(logConfig())
	p.Apply(batch(heard(position(anna, at(54, 10)), 0.5), heard(position(211000002, at(54, 10)), 3)), &j)
	if len(j.ticks) != 4 || !j.ticks[3].Equal(noon.Add(3*time.Second)) {
		t.Errorf("ticks %v", j.ticks)
	}
	j.ticks, j.lines = nil, nil
	p.Apply(batch(heard(position(211000002, at(54, 10)), 6*3600)), &j)
	if n := len(j.ticks); n < 30 || n > 70 || !j.ticks[n-1].Equal(noon.Add(6*time.Hour)) {
		t.Errorf("%d ticks over a gap of six hours", len(j.ticks))
	}
	j.want(t, "211000001 lost age", "211000002 lost age", "211000002 removed age", "211000001 removed age", "211000002 live fix age appeared")
	if !p.Now().Equal(noon.Add(6 * time.Hour)) {
		t.Errorf("now %v", p.Now())
	}
	p.Apply(batch(heard(position(211000002, at(54, 10)), 0)), &j)
	if len(j.ticks) > 70 || !p.Now().Equal(noon.Add(6*time.Hour)) {
		t.Error("a log that steps back took the clock with it")
	}
}

// The same log gives the same updates, in whatever batches it comes.
func TestSameLogSameUpdates(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	var reports []ais.Report
	seconds := 0.0
	for range 3000 {
		if seconds += random.Float64() * 4; random.IntN(200) == 0 {
			seconds += 2000
		}
		m := ais.MMSI(211000000 + random.IntN(20))
		reports = append(reports, heard(position(m, at(54+random.Float64(), 10)), seconds))
	}
	play := func(size int) []string {
		var j journal
		p := traffic.New(logConfig())
		for part := range slices.Chunk(reports, size) {
			p.Apply(batch(part...), &j)
		}
		return j.lines
	}
	if diff := cmp.Diff(play(1), play(700)); diff != "" {
		t.Error(diff)
	}
}

func TestEnterGoesThroughTheWriter(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var j journal
		p := traffic.New(traffic.DefaultConfig())
		in := make(chan *ais.Batch)
		ended := make(chan error)
		ctx, cancel := context.WithCancel(t.Context())
		go func() { ended <- p.Run(ctx, in, &j) }()
		synctest.Wait() // it runs
		barge := &ship.ManualEntry{MMSI: 9900000001, HasPlace: true, Lat: 54 * 600000, Lon: 10 * 600000, Static: ship.Static{Name: "BARGE"}}
		<-p.PutEntry(barge, nil)
		if s, ok := p.Ship(9900000001); !ok || !s.HasFix {
			t.Errorf("entered, and readers do not see the ship: %+v", s)
		}
		synctest.Wait()
		j.want(t, "9900000001 live fix static appeared entered")
		p.PutEntry(barge, nil)
		synctest.Wait()
		j.want(t, "9900000001 live entered")
		time.Sleep(2 * time.Hour) // of the bubble's clock
		synctest.Wait()
		if s, ok := p.Ship(9900000001); !ok || s.Age != ship.Live {
			t.Errorf("a ship without a transponder fell silent: %+v", s)
		}
		if n := len(j.ticks); n < 7190 {
			t.Errorf("%d ticks in two hours", n)
		}
		cancel()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	})
}

func TestRunEndsWithItsInput(t *testing.T) {
	var j journal
	p := traffic.New(logConfig())
	in := make(chan *ais.Batch, 2)
	pool := ais.NewPool(2)
	b := pool.Get()
	b.Reports = append(b.Reports, heard(position(anna, at(54, 10)), 0))
	in <- b
	close(in)
	if err := p.Run(t.Context(), in, &j); err != nil {
		t.Error(err)
	}
	j.want(t, "211000001 live fix appeared")
	if pool.Get() != b {
		t.Error("the batch was not released")
	}
}

func TestRestore(t *testing.T) {
	p := traffic.New(traffic.DefaultConfig())
	fix := ship.Fix{Lat: 54 * 600000, Lon: 10 * 600000}
	p.Restore([]ship.State{
		{MMSI: anna, Class: ship.ClassA, Feed: "roof", HasFix: true, Fix: fix, Heard: noon.UnixMilli(), Reports: 5, Static: &ship.Static{Name: "ANNA"}},
		{MMSI: 211000002, Class: ship.ClassA, Feed: "roof", HasFix: true, Fix: fix, Heard: noon.Add(-time.Hour).UnixMilli(), Reports: 5},
		{MMSI: 0},
	})
	var j journal
	for s := range 10 {
		p.Tick(noon.Add(time.Duration(s)*time.Second), &j)
	}
	j.want(t, "211000002 removed age")
	if got := inside(p, geo.Rect{West: 9, South: 53, East: 11, North: 55}); len(got) != 1 || got[0] != anna {
		t.Errorf("within: %v", got)
	}
	var remembered []ais.MMSI
	p.Near(geo.Rect{West: 9, South: 53, East: 11, North: 55}, 0, func(s *ship.State) bool {
		remembered = append(remembered, s.MMSI)
		return true
	})
	if len(remembered) != 2 {
		t.Errorf("remembered: %v", remembered)
	}
	p.Apply(batch(heard(position(anna, at(54, 10)), 20)), &j)
	if s, _ := p.Ship(anna); s.Static == nil || s.Reports != 6 {
		t.Errorf("restored and heard: %+v", s)
	}
}

func search(p *traffic.Picture, query string, limit int) []ship.State {
	term := ship.ParseTerm(query)
	hits := traffic.NewHits(limit)
	for s := range p.Like(term.Signature()) {
		if rank := term.Rank(s); rank != ship.NotFound {
			hits.Add(rank, s)
		}
	}
	var found []ship.State
	for _, m := range hits.Best() {
		s, _ := p.Ship(m)
		found = append(found, s)
	}
	return found
}

func TestSearch(t *testing.T) {
	p := traffic.New(traffic.DefaultConfig())
	known := func(m ais.MMSI, text string, imo uint32, seconds float64) ship.State {
		return ship.State{MMSI: m, Heard: noon.Add(time.Duration(seconds) * time.Second).UnixMilli(), Static: &ship.Static{Name: text, IMO: imo}}
	}
	p.Restore([]ship.State{
		known(211000001, "SEA STAR", 9321483, 1), known(211000002, "STAR", 0, 2), known(211000003, "STARLIGHT", 0, 3),
		known(211000004, "STARFISH", 0, 4), known(211000005, "BLUE STAR", 0, 5), {MMSI: 2110006},
	})
	tests := []struct {
		query string
		limit int
		want  []ais.MMSI
	}{
		{"star", 10, []ais.MMSI{211000002, 211000004, 211000003, 211000005, 211000001}},
		{"star", 2, []ais.MMSI{211000002, 211000004}},
		{"STAR*", 10, []ais.MMSI{211000004, 211000003, 211000002}},
		{"9321483", 10, []ais.MMSI{211000001}},
		{"211000003", 10, []ais.MMSI{211000003}},
		{"0021", 10, []ais.MMSI{2110006}},
		{" blue  star ", 10, nil},
		{" blue star@@", 10, []ais.MMSI{211000005}},
		{"", 10, nil},
		{"star", 0, nil},
		{"nobody", 10, nil},
	}
	for _, test := range tests {
		var got []ais.MMSI
		for _, s := range search(p, test.query, test.limit) {
			got = append(got, s.MMSI)
		}
		if !slices.Equal(got, test.want) {
			t.Errorf("%q: %v, want %v", test.query, got, test.want)
		}
	}
}

func TestFarthestReception(t *testing.T) {
	c := traffic.DefaultConfig()
	antenna := geo.Point{Lon: 10, Lat: 54}
	c.FeedPositions = map[string]geo.Point{"roof": antenna}
	p := traffic.New(c)
	repeated := position(211000004, at(57, 10))
	repeated.Repeat = 1
	p.Apply(batch(
		heard(position(211000001, at(54.5, 10)), 0),
		heard(position(211000002, at(55, 10)), 1),
		heard(position(211000003, at(54.1, 10)), 2),
		heard(repeated, 3),
		heard(position(211000005, at(-20, 10)), 4),
	))
	f := p.Stats().Feeds["roof"]
	if want := geo.Distance(antenna, geo.Point{Lon: 10, Lat: 55}); f.Farthest != want || f.Bearing != 0 || !f.FarthestAt.Equal(noon.Add(time.Second)) {
		t.Errorf("%+v, want %v metres", f, want)
	}
	if f.Ships != 5 || f.Reports != 5 {
		t.Errorf("%+v", f)
	}
}

func TestStatsCountReasons(t *testing.T) {
	p := traffic.New(traffic.DefaultConfig())
	p.Apply(batch(
		heard(position(0, at(54, 10)), 0), heard(position(anna, at(91, 181)), 0), heard(position(anna, at(54, 10)), 0),
		heard(position(anna, at(58, 10)), 1), heard(name(2110001, "KIEL"), 1),
	))
	s := p.Stats()
	if s.Reports != 4 || s.Fixes != 1 || s.Rejected[ship.BadMMSI] != 1 || s.Rejected[ship.NoPlace] != 1 || s.Rejected[ship.Jump] != 1 {
		t.Errorf("%+v", s)
	}
	if s.Ships[ship.ClassA][ship.Live] != 1 || s.Ships[ship.ClassCoast][ship.Live] != 1 || s.Unconfirmed != 1 {
		t.Errorf("%+v", s)
	}
}

func inside(p *traffic.Picture, r geo.Rect) []ais.MMSI {
	var found []ais.MMSI
	p.Within(r, func(s *ship.State) bool {
		found = append(found, s.MMSI)
		return true
	})
	slices.Sort(found)
	return found
}
