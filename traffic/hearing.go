package traffic

import (
	"math/bits"
	"slices"
	"time"

	"quaywatch/ais"
	"quaywatch/ship"
)

// hearing remembers for one ship which feeds heard it, and roughly when. Time is cut into terms, and hearing knows the feeds of the
// present term. The set of the ship holds those of the term before as well. So a feed leaves the set one to two terms after it heard the
// ship last.
type hearing struct {
	lately uint64        // the feeds of the term that runs
	since  time.Duration // when that began, since Picture.base
}

// hearFeed returns the set of a ship after a feed heard it. It reads no clock: the set changes only when a feed hears the ship. So a ship that
// became lost because a feed was switched off still shows that feed.
func (h *hearing) hearFeed(set, feed uint64, at, term time.Duration) uint64 {
	for range 2 {
		if at-h.since < term {
			break
		}
		set, h.lately = h.lately, 0
		h.since += term
	}
	if at-h.since >= term || at < h.since-term { // silent for long, or a clock that was set back
		h.since = at
	}
	h.lately |= feed
	return set | feed
}

// hears notes that a feed hears the ship of e. It writes the feeds that hear the ship into s, which becomes the state of e. After a ship
// was removed the set begins anew. The caller holds the lock.
func (p *Picture) hears(e *entry, s *ship.State, feed int, at time.Duration) {
	set := e.state.Feeds.Set
	if e.state.Age == ship.Removed {
		set, e.hearing = 0, hearing{}
	}
	set = e.hearing.hearFeed(set, ais.FeedBit(feed), at, p.config.ages(s).Lost)
	s.Feeds = ais.Feeds{Set: set, Names: p.names}
}

// restoreFeeds gives a ship of the store the one feed that was stored with it.
func (p *Picture) restoreFeeds(e *entry, s *ship.State) {
	s.Feeds = ais.Feeds{}
	if s.Feed != "" {
		e.hearing = hearing{lately: ais.FeedBit(p.feedOf(s.Feed)), since: e.heard}
		s.Feeds = ais.Feeds{Set: e.hearing.lately, Names: p.names}
	}
}

// countFeeds counts the ships of each feed when those that hear one of them change. A picture that follows another one has no
// feeds of its own and counts none. The caller holds the lock.
func (p *Picture) countFeeds(was, now uint64) {
	for turned := was ^ now; turned != 0; turned &= turned - 1 {
		i := bits.TrailingZeros64(turned)
		switch {
		case i >= len(p.feeds):
			return
		case now&ais.FeedBit(i) != 0:
			p.feeds[i].Ships++
		default:
			p.feeds[i].Ships--
		}
	}
}

// countingFeeds returns the feeds that count a ship: those that hear it, while it is in the live picture.
func countingFeeds(s *ship.State) uint64 {
	if s.Age == ship.Removed {
		return 0
	}
	return s.Feeds.Set
}

// addFeedName puts one more feed at the end of the names. Sets that were given out keep the list that they have.
func (p *Picture) addFeedName(feed string) {
	var names []string
	if p.names != nil {
		names = slices.Clone(*p.names)
	}
	names = append(names, feed)
	p.names = &names
}
