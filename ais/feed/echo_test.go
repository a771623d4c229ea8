package feed

import (
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"quaywatch/ais"
	"quaywatch/ais/feed/format"
)

// TestAnEchoIsNotSentAgain: what an aggregator gives back is not sent again for ten minutes. A user without the feed that told it first gets it,
// and what the same feed tells again is another message.
func TestAnEchoIsNotSentAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := newQuay(t)
		every, _ := q.connect(&Pass[int]{User: "every"})
		all := collect(every)
		choosy, _ := q.connect(&Pass[int]{User: "choosy", SeesFeed: func(feed string) bool { return feed == "sky" },
			May: func(o *format.Outgoing, _ *int) bool { return o.Feed == "sky" }})
		sky := collect(choosy)
		about := 1
		tell := func(feed, text string, hash uint64) {
			q.Publish(&format.Outgoing{Raw: []byte(text), Traits: ais.Traits{MMSI: 211000001, Type: 1}, Received: time.Now(), Feed: feed, Hash: hash}, &about)
		}
		tell("roof", "!first", 1)
		tell("roof", "!rest", 2)
		tell("sky", "!sky", 3)
		time.Sleep(75 * time.Second)
		tell("sky", "!first back", 1)
		tell("sky", "!rest back", 2)
		tell("sky", "!sky again", 3)
		time.Sleep(105 * time.Second)
		tell("roof", "!rest again", 2)
		tell("sky", "!rest back again", 2)
		tell("pier", "!new", 4)
		time.Sleep(11 * time.Minute)
		tell("sky", "!first much later", 1)
		time.Sleep(time.Second)
		q.end()
		if got, want := <-all, []string{"!first", "!rest", "!sky", "!sky again", "!rest again", "!new", "!first much later"}; !slices.Equal(got, want) {
			t.Errorf("every feed: %q, want %q", got, want)
		}
		if got, want := <-sky, []string{"!sky", "!first back", "!rest back", "!sky again", "!rest back again", "!first much later"}; !slices.Equal(got, want) {
			t.Errorf("one feed: %q, want %q", got, want)
		}
	})
}
