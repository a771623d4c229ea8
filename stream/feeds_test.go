package stream

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"quaywatch/ais"
	"quaywatch/ais/feed/format"
	"quaywatch/ship"
	"quaywatch/traffic"
)

// receivers are feeds with their tags.
var receivers = map[string][]string{"roof": {"terrestrial"}, "pier": {"terrestrial", "inner"}, "sky": {"satellite"}, "attic": nil}

// choosy are users by settings and filter, and which feeds each of them is for.
var choosy = []struct {
	settings, filter string
	hears            func(feed string) bool
}{
	{"", "", func(string) bool { return true }},
	{"", `"psss":["Roof"]`, func(f string) bool { return f == "roof" }},
	{"", `"psss":["pier","sky"]`, func(f string) bool { return f == "pier" || f == "sky" }},
	{"", `"source_tags":["terrestrial"]`, func(f string) bool { return slices.Contains(receivers[f], "terrestrial") }},
	{"", `"psss":["roof","pier","sky"],"source_tags":["inner","satellite"],"source_mode_is_and":true`, func(f string) bool { return f == "pier" || f == "sky" }},
	{"", `"psss":["attic"],"source_tags":["inner"]`, func(f string) bool { return f == "attic" || f == "pier" }},
	{`"allowed_pss_list":["pier","attic"]`, `"psss":["roof","attic"]`, func(f string) bool { return f == "attic" }},
	{`"default_pss_list":["sky"]`, "", func(f string) bool { return f == "sky" }},
	{`"allowed_pss_list":["nowhere"]`, "", func(string) bool { return false }},
}

// eavesdropper writes down which messages each user gets.
type eavesdropper struct {
	*Relay
	passes []*streamPass
	heard  []map[string]int // by user and message
	places map[string]string
	wrong  []string
}

// listen makes the users.
func listen(t testing.TB) *eavesdropper {
	e := &eavesdropper{Relay: observerFor(t, receivers)}
	for i, one := range choosy {
		e.passes = append(e.passes, e.passOf(t, fmt.Sprint("user", i), one.settings, one.filter))
	}
	return e
}

func (e *eavesdropper) begin() {
	e.heard, e.places, e.wrong = make([]map[string]int, len(e.passes)), map[string]string{}, nil
	for i := range e.heard {
		e.heard[i] = map[string]int{}
	}
}

func (e *eavesdropper) Observe(u *ship.Update) {
	e.Relay.Observe(u)
	e.note(u)
}

func (e *eavesdropper) ObserveAgain(u *ship.Update, before ais.Feeds) {
	e.Relay.ObserveAgain(u, before)
	e.note(u)
}

func (e *eavesdropper) note(u *ship.Update) {
	if u.Report == nil {
		return
	}
	o := &e.out
	key := string(o.Raw)
	for i, pass := range e.passes {
		if pass.May(o, &u.Now) {
			e.heard[i][key]++
		}
	}
	says := fmt.Sprint(o.HasFix, o.Place, o.SOG, o.COG, o.Refused)
	if was, before := e.places[key]; before && was != says {
		e.wrong = append(e.wrong, key+": "+was+", and when it came again: "+says)
	}
	e.places[key] = says
}

// TestEachMessageOnceByWhateverFeed lets any feeds hear any messages in any order. A user gets a message exactly once if one of the user's
// feeds heard it within the window, and else never. What is told of it is the same for any feed that heard it.
func TestEachMessageOnceByWhateverFeed(t *testing.T) {
	e := listen(t)
	names := []string{"roof", "pier", "sky", "attic"}
	rules := traffic.DefaultConfig()
	rules.Clock = ais.LogClock
	again := 0
	rapid.Check(t, func(r *rapid.T) {
		e.begin()
		picture := traffic.New(rules)
		want := make([]map[string]int, len(choosy))
		for i := range want {
			want[i] = map[string]int{}
		}
		type window struct {
			began time.Time
			n     int
			feeds []string
		}
		windows := map[int]*window{}
		now := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
		for range rapid.IntRange(1, 60).Draw(r, "hearings") {
			now = now.Add(time.Duration(rapid.IntRange(0, 3000).Draw(r, "ms")) * time.Millisecond)
			which := rapid.IntRange(0, 9).Draw(r, "message")
			feed := rapid.SampledFrom(names).Draw(r, "feed")
			w := windows[which]
			if w == nil || now.Sub(w.began) >= 10*time.Second {
				if w == nil {
					w = &window{}
					windows[which] = w
				}
				*w = window{began: now, n: w.n + 1}
			}
			raw := fmt.Sprint(which, ".", w.n)
			w.feeds = append(w.feeds, feed)
			for i, one := range choosy {
				want[i][raw] = 0
				if slices.ContainsFunc(w.feeds, one.hears) {
					want[i][raw] = 1
				}
			}
			m := spoken(which)
			report := ais.Report{Message: m, Raw: []byte(raw), Received: now, Feed: feed, Hash: uint64(which+1) * 0x9E3779B97F4A7C15}
			picture.Apply(&ais.Batch{Reports: []ais.Report{report}}, e)
			if len(w.feeds) > 1 {
				again++
			}
		}
		for i := range choosy {
			for raw, n := range want[i] {
				if e.heard[i][raw] != n {
					r.Fatalf("user %d %s %s: message %s came %d times, not %d", i, choosy[i].settings, choosy[i].filter, raw, e.heard[i][raw], n)
				}
			}
		}
		if len(e.wrong) > 0 {
			r.Fatalf("%s", strings.Join(e.wrong, "\n"))
		}
	})
	if again < 100 { // some 1,500, now and then below 1,000
		t.Errorf("only %d messages came again: the runs say little", again)
	}
}

// spoken returns one of ten messages of three ships: places, names, and a place that no ship reaches.
func spoken(which int) ais.Message {
	mmsi := ais.MMSI(211000001 + which%3)
	switch which {
	case 3, 4:
		return &ais.StaticVoyage{Header: ais.Header{Type: 5, MMSI: mmsi}, Name: fmt.Sprint("VESSEL ", which)}
	case 5:
		far := aPlace(mmsi, 0)
		far.Place.Lon += 20 * 600000
		return far
	}
	return aPlace(mmsi, which)
}

// TestKnownStaticFollowsFeeds: static data that is sent before the stream is for the users of a feed that heard it.
func TestKnownStaticFollowsFeeds(t *testing.T) {
	e := listen(t)
	names := []string{"roof", "pier", "sky", "attic"}
	about := &ship.State{MMSI: 211000001, Feed: "pier"}
	o := &format.Outgoing{Feed: "sky", Heard: ais.Feeds{Set: 1 << 1, Names: &names}, Traits: ais.Traits{MMSI: 211000001, Type: 5}}
	for i, one := range choosy {
		want := one.hears("pier") // it is the feed of the ship now, and heard the message too
		if may := e.passes[i].May(o, about); may != want {
			t.Errorf("user %d %s %s: %v", i, one.settings, one.filter, may)
		}
	}
	o.Heard = ais.Feeds{}
	for i, one := range choosy {
		if want := one.hears("pier") && one.hears("sky"); e.passes[i].May(o, about) != want {
			t.Errorf("heard by one feed alone, user %d %s %s: not %v", i, one.settings, one.filter, want)
		}
	}
	o.Feed, about.Feed, about.Feeds = "pier", "roof", ais.Feeds{Set: 1<<0 | 1<<1, Names: &names} // the pier hears the ship too
	for i, one := range choosy {
		if want := one.hears("pier"); e.passes[i].May(o, about) != want {
			t.Errorf("the roof heard the latest message first, user %d %s %s: not %v", i, one.settings, one.filter, want)
		}
	}
}
