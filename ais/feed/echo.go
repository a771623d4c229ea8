package feed

import (
	"slices"
	"time"

	"quaywatch/ais/feed/format"
	"quaywatch/ais/recall"
)

// echoes tells messages that an aggregator gives back: another feed told the same within ten minutes. What the
// same feed tells again is another message.
type echoes struct {
	memory recall.Memory
	feeds  []string // by tag
}

// of gives the feed that told a message before, or "" for one that is new.
func (e *echoes) of(o *format.Outgoing, at time.Duration) string {
	if o.Hash == 0 || o.Again {
		return ""
	}
	tag := slices.Index(e.feeds, o.Feed)
	if tag < 0 {
		tag, e.feeds = len(e.feeds), append(e.feeds, o.Feed)
	}
	_, first, again := e.memory.Heard(o.Hash, at, uint32(tag))
	switch {
	case !again:
		return ""
	case int(first) == tag:
		e.memory.Renew(o.Hash, at, uint32(tag))
		return ""
	}
	return e.feeds[first]
}
