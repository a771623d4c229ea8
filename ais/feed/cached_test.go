package feed

import (
	"slices"
	"testing"

	"quaywatch/ais"
	"quaywatch/ais/feed/format"
)

// TestStaticHeardAgain: of the latest static data of a ship it is known which feeds heard them. Older data that are heard again do not
// replace them.
func TestStaticHeardAgain(t *testing.T) {
	c := cachedStatic{slots: map[ais.MMSI]int{}}
	say := func(text string, hash uint64, feed string, again bool, before uint64) {
		c.keepMessage(&format.Outgoing{
			Raw: []byte(text), Traits: ais.Traits{MMSI: 7, Type: 5}, Feed: feed, Hash: hash, Again: again,
			Heard: ais.Feeds{Set: before, Names: &[]string{"roof", "pier", "sky"}},
		}, 0)
	}
	heardBy := func() (feeds []string) {
		var d described
		if !c.copyShip(0, &d) || string(d.parts[0].Raw) != "!new" || d.parts[0].Feed != "roof" {
			t.Fatalf("%+v", d.parts[0])
		}
		d.parts[0].Heard.Any(func(name string) bool { feeds = append(feeds, name); return false })
		return feeds
	}
	say("!strange", 9, "pier", true, 1) // of no ship
	if c.len() != 0 {
		t.Fatal("a ship that is not known")
	}
	say("!old", 1, "roof", false, 0)
	say("!new", 2, "roof", false, 0)
	say("!old", 1, "pier", true, 1)
	if feeds := heardBy(); feeds != nil {
		t.Errorf("heard by %q", feeds)
	}
	say("!new of the pier", 2, "pier", true, 1)
	say("!new of the sky", 2, "sky", true, 1|2)
	if feeds := heardBy(); !slices.Equal(feeds, []string{"roof", "pier", "sky"}) {
		t.Errorf("heard by %q", feeds)
	}
}
