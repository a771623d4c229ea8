package app

import (
	"strings"
	"time"

	"quaywatch/ais"
	"quaywatch/box/health"
	"quaywatch/engine/watchdogs"
)

// tellWatchdogs tells the watchdogs how receivers and the box are. A recording ends when it ends, and nobody waits for it.
func (a *App) tellWatchdogs(now time.Time, feeds []ais.FeedStatus, notices []health.Notice) {
	if a.Config.LogClock() {
		return
	}
	var f watchdogs.BoxFigures
	heard := a.picture.Stats().Feeds
	for i := range feeds {
		feed := &feeds[i]
		if feed.Clock == ais.LogClock || strings.HasPrefix(feed.URL, "file:") || strings.HasPrefix(feed.URL, "stdin:") {
			continue
		}
		f.Feeds = append(f.Feeds, watchdogs.FeedFigures{Name: feed.Name, Last: feed.LastMessage, Ships: heard[feed.Name].Ships})
	}
	for _, n := range notices {
		f.Notices = append(f.Notices, watchdogs.BoxNotice{Rule: n.Rule, Feed: n.Feed, Since: n.Since})
	}
	a.watch.Look(now, f)
}
