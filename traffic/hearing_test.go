package traffic_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"quaywatch/ais"
	"quaywatch/ship"
	"quaywatch/traffic"
)

// feedsOf names the feeds that hear a ship, sorted.
func feedsOf(s *ship.State) []string {
	var feeds []string
	s.Feeds.Any(func(feed string) bool { feeds = append(feeds, feed); return false })
	slices.Sort(feeds)
	return feeds
}

func hear(p *traffic.Picture, m ais.MMSI) string {
	s, _ := p.Ship(m)
	return strings.Join(feedsOf(&s), " ")
}

// The roof hears the ship first, the pier hears the same a little later; then the pier hears nothing more.
func TestTheRoofAndThePierHearHer(t *testing.T) {
	p := traffic.New(traffic.DefaultConfig())
	hash := uint64(0)
	sail := func(seconds float64, feeds ...string) {
		hash++
		for i, feed := range feeds {
			p.Apply(batch(heardBy(feed, position(anna, at(54, 10+seconds/1e5)), hash, seconds+float64(i)/2)))
		}
	}
	deaf := 0
	for second := 0; second < 3000; second += 10 {
		if second < 600 {
			sail(float64(second), "roof", "pier")
			if got := hear(p, anna); got != "pier roof" {
				t.Fatalf("after %d s: %s", second, got)
			}
			continue
		}
		sail(float64(second), "roof")
		switch got := hear(p, anna); {
		case got == "roof":
			if deaf = second; deaf < 590+360 || deaf > 590+720 {
				t.Errorf("the pier leaves the set %d s after it heard the ship last", deaf-590)
			}
		case got != "pier roof" || deaf > 0:
			t.Fatalf("after %d s: %s", second, got)
		}
		if deaf > 0 {
			break
		}
	}
	if deaf == 0 {
		t.Error("the pier hears the ship for ever")
	}
	sail(float64(deaf+10), "roof", "pier")
	if s, _ := p.Ship(anna); hear(p, anna) != "pier roof" || s.Feed != "roof" {
		t.Errorf("heard again: %s, %s", hear(p, anna), s.Feed)
	}
}

// The feeds that heard a ship last are kept while it is silent, lost and removed. When it comes back, only the feeds that hear it then
// count.
func TestASilentShipKeepsItsFeeds(t *testing.T) {
	p := traffic.New(traffic.DefaultConfig())
	for i := range 4 { // confirmed
		p.Apply(batch(heardBy("roof", position(anna, at(54, 10)), uint64(i+1), float64(i)), heardBy("sky", position(anna, at(54, 10)), uint64(i+1), float64(i)+0.5)))
	}
	count := func() string {
		f := p.Stats().Feeds
		return fmt.Sprint(f["roof"].Ships, f["sky"].Ships, f["pier"].Ships)
	}
	for _, row := range []struct {
		seconds int
		age     ship.Age
		counts  string
	}{{300, ship.Live, "1 1 0"}, {1500, ship.Lost, "1 1 0"}, {7000, ship.Removed, "0 0 0"}} {
		for s := row.seconds - 20; s <= row.seconds; s++ {
			p.Tick(noon.Add(time.Duration(s) * time.Second))
		}
		if s, _ := p.Ship(anna); s.Age != row.age || hear(p, anna) != "roof sky" || count() != row.counts {
			t.Errorf("after %d s: %v, heard by %s, counted %s", row.seconds, s.Age, hear(p, anna), count())
		}
	}
	p.Apply(batch(heardBy("pier", position(anna, at(54, 10)), 9, 7001)))
	if hear(p, anna) != "pier" || count() != "0 0 1" {
		t.Errorf("the ship comes back: heard by %s, counted %s", hear(p, anna), count())
	}
	p.PutEntry(&ship.ManualEntry{MMSI: anna, Static: ship.Static{Name: "ANNA"}}, nil)
	p.Apply(batch())
	if got, _ := p.Ship(anna); got.Static == nil || hear(p, anna) != "pier" || count() != "0 0 1" {
		t.Errorf("an entry changed the name: heard by %s, counted %s", hear(p, anna), count())
	}
}

// A ship of the store has the feed that was stored, and the others from when they hear it.
func TestARestoredShipHasItsFeed(t *testing.T) {
	p := traffic.New(traffic.DefaultConfig())
	p.Restore([]ship.State{
		{MMSI: anna, Class: ship.ClassA, Feed: "roof", Reports: 5, Heard: noon.Add(-time.Minute).UnixMilli()},
		{MMSI: 211000002, Class: ship.ClassA, Feed: "roof", Reports: 5, Heard: noon.Add(-20 * time.Minute).UnixMilli()},
		{MMSI: 9900000001, Heard: noon.UnixMilli()},
	})
	p.Tick(noon)
	if hear(p, anna) != "roof" || hear(p, 9900000001) != "" || p.Stats().Feeds["roof"].Ships != 2 {
		t.Errorf("restored: %q, %q, %d", hear(p, anna), hear(p, 9900000001), p.Stats().Feeds["roof"].Ships)
	}
	p.Apply(batch(heardBy("pier", position(anna, at(54, 10)), 1, 1), heardBy("pier", position(211000002, at(54, 10)), 2, 1)))
	if hear(p, anna) != "pier roof" || hear(p, 211000002) != "pier" {
		t.Errorf("a minute and twenty after the roof: %q, %q", hear(p, anna), hear(p, 211000002))
	}
}

// A clock that is set back makes no feed hear the ship for years.
func TestAClockSetBackLetsGoOfFeeds(t *testing.T) {
	p := traffic.New(logConfig())
	p.Apply(batch(heardBy("roof", position(anna, at(54, 10)), 1, 1e6)))
	for second := 0; second <= 1500; second += 10 {
		p.Apply(batch(heardBy("pier", position(anna, at(54, 10)), uint64(second+2), float64(second))))
	}
	if got := hear(p, anna); got != "pier" {
		t.Errorf("heard by %q", got)
	}
}

// Of more feeds than a set tells apart the rest is in none: it never stands for another one. The counts are those of the first ones.
func TestVeryManyFeedsHearHer(t *testing.T) {
	p := traffic.New(traffic.DefaultConfig())
	for i := range 80 {
		p.Apply(batch(heardBy(fmt.Sprint("feed", i), position(ais.MMSI(211000001+i), at(54, 10)), uint64(i+1), 0)))
		p.Apply(batch(heardBy(fmt.Sprint("feed", i), position(anna, at(54, 10)), 1000, 0)))
	}
	for i := range 80 {
		s, _ := p.Ship(ais.MMSI(211000001 + i))
		want := []string{fmt.Sprint("feed", i)}
		switch {
		case i == 0:
			want = nil
			for k := range 64 {
				want = append(want, fmt.Sprint("feed", k))
			}
			slices.Sort(want)
		case i >= 64:
			want = nil
		}
		ships := p.Stats().Feeds[fmt.Sprint("feed", i)].Ships
		if !slices.Equal(feedsOf(&s), want) || s.Feed != fmt.Sprint("feed", i) || i > 0 && i < 64 && ships != 2 || i >= 64 && ships != 0 {
			t.Errorf("ship %d: %q, %s, feed of %d ships", i, feedsOf(&s), s.Feed, ships)
		}
	}
	for s := range 4000 {
		p.Tick(noon.Add(time.Duration(s) * time.Second))
	}
	for name, f := range p.Stats().Feeds {
		if f.Ships != 0 {
			t.Errorf("%s counts %d ships when all are gone", name, f.Ships)
		}
	}
}

// Random feeds hear random ships, first or again, over random times and silence. A feed is in the set if it heard the ship less than a
// term ago, and is not if that was two terms ago. Sets that were given out stay as they are.
func TestHearingFeedsAgainstAModel(t *testing.T) {
	feeds := []string{"roof", "pier", "sky", "attic"}
	limits := traffic.DefaultConfig()
	term := 20 * time.Second
	rapid.Check(t, func(t *rapid.T) {
		limits.UnderWay = traffic.AgeLimits{Lost: term, Removed: rapid.SampledFrom([]time.Duration{21, 60}).Draw(t, "removed") * time.Second}
		limits.AtRest, limits.Fixed = limits.UnderWay, limits.UnderWay
		p := traffic.New(limits)
		last := map[ais.MMSI]map[string]time.Duration{} // since the ship appeared
		then := map[ais.MMSI]time.Duration{}            // of the latest hearing
		type copied struct {
			state ship.State
			set   []string
		}
		given := map[ais.MMSI]copied{}
		now, hash := time.Duration(0), uint64(0)
		check := func(m ais.MMSI) {
			s, _ := p.Ship(m)
			set := feedsOf(&s)
			for _, feed := range feeds {
				heard, ever := last[m][feed]
				in := slices.Contains(set, feed)
				if ago := then[m] - heard; ever && ago < term && !in || in && (!ever || ago >= 2*term) {
					t.Fatalf("%d at %v: %q; %s heard the ship %v before that (ever: %v)", m, then[m], set, feed, ago, ever)
				}
			}
			if !slices.Contains(set, s.Feed) {
				t.Fatalf("%d: %q without %s", m, set, s.Feed)
			}
		}
		for range rapid.IntRange(1, 80).Draw(t, "steps") {
			pass := time.Duration(rapid.SampledFrom([]int{0, 1, 5, 10, 19, 20, 31, 39, 40, 90}).Draw(t, "pass")) * time.Second
			for range int(pass / time.Second) {
				now += time.Second
				p.Tick(noon.Add(now))
			}
			m := ais.MMSI(970000001 + rapid.IntRange(0, 2).Draw(t, "ship"))
			if s, known := p.Ship(m); known && s.Age == ship.Removed {
				delete(last, m)
			}
			if last[m] == nil {
				last[m] = map[string]time.Duration{}
			}
			hash++
			for range rapid.IntRange(1, 4).Draw(t, "hearings") {
				feed := rapid.SampledFrom(feeds).Draw(t, "feed")
				p.Apply(batch(heardBy(feed, position(m, at(54, 10+float64(hash)/1e4)), hash, now.Seconds())))
				last[m][feed], then[m] = now, now
				check(m)
			}
			for k := range ais.MMSI(3) { // a ship that is not heard keeps its feeds
				if other := 970000001 + k; other != m && then[other] != 0 {
					if s, _ := p.Ship(other); s.Age != ship.Removed {
						check(other)
					}
				}
			}
			if was := given[m]; !slices.Equal(feedsOf(&was.state), was.set) {
				t.Fatalf("a copy says %q, and said %q", feedsOf(&was.state), was.set)
			}
			s, _ := p.Ship(m)
			given[m] = copied{s, feedsOf(&s)}
			counts := map[string]int{}
			p.Each(func(s *ship.State) bool {
				for _, feed := range feedsOf(s) {
					counts[feed]++
				}
				return true
			})
			for feed, f := range p.Stats().Feeds {
				if f.Ships != counts[feed] {
					t.Fatalf("%s counts %d ships and hears %d", feed, f.Ships, counts[feed])
				}
			}
		}
	})
}

// A late picture knows which feeds heard the ship then, not which hear it now.
func TestALatePictureKnowsTheFeedsOfThatTime(t *testing.T) {
	p := traffic.New(traffic.DefaultConfig())
	var paces traffic.PacedSet
	d := traffic.NewPaced(p, traffic.Pace{Delay: 100 * time.Second}, noon)
	paces.Add(d)
	for second := 1; second <= 400; second++ {
		message, hash := position(anna, at(54, 10+float64(second)/1e5)), uint64(second)
		p.Apply(batch(heardBy("roof", message, hash, float64(second)-0.5)), &paces)
		if second > 200 {
			p.Apply(batch(heardBy("pier", message, hash, float64(second)-0.25)), &paces)
		}
		p.Tick(noon.Add(time.Duration(second)*time.Second), &paces)
		d.CatchUp()
		want := "roof"
		if second-100 > 201 { // the pier's first hearing comes after the message of its second
			want = "pier roof"
		}
		if got := hear(d.Picture(), anna); second > 110 && got != want {
			t.Fatalf("after %d s: %q, want %q", second, got, want)
		}
	}
}

// A ship that three feeds hear, each message three times, costs no memory for each message. The set is replaced many times.
func TestSetsOfFeedsAllocateNothing(t *testing.T) {
	c := traffic.DefaultConfig()
	c.UnderWay.Lost = time.Second
	p := traffic.New(c)
	s := newSailing(fleet(100))
	observers := []traffic.Observer{&again{}}
	step := 0
	one := func() {
		s.batch.Reports = s.batch.Reports[:1]
		b := s.one()
		step++
		for i, feed := range []string{"roof", "pier", "sky"}[:1+step%3] {
			if i > 0 {
				b.Reports = append(b.Reports, b.Reports[0])
				b.Reports[i].Feed = feed
			}
		}
		p.Apply(b, observers...)
	}
	for range 20000 {
		one()
	}
	if n := testing.AllocsPerRun(5000, one); n != 0 {
		t.Errorf("%v allocations", n)
	}
}
