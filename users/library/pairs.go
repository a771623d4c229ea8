package library

import (
	"encoding/json"
	"strings"

	"quaywatch/form"
	"quaywatch/internal/rule"
	"quaywatch/ship/watchdog"
)

// WatchedPairs is a guarded water, and how close ships in it may come to each other.
type WatchedPairs struct {
	Polygon json.RawMessage `json:"polygon"`          // GeoJSON
	Metres  float64         `json:"cpa_m,omitempty"`  // at the closest point of approach; 0 is what the machine takes
	Seconds int             `json:"tcpa_s,omitempty"` // until then
}

// AllFeeds stands for every feed.
const AllFeeds = "*"

// mostFeedName bounds the name of a feed. It may be one that is not there yet.
const mostFeedName = 64

// pairsOf reads what a watchdog of pairs watches.
func pairsOf(f *form.Fields) *WatchedPairs {
	inner := f.Inner("cpa", rule.New("object", "must be an object"))
	inner.Require("polygon")
	return &WatchedPairs{plainShape(inner.Raw("polygon")), inner.Number("cpa_m"), int(inner.Integer("tcpa_s", 0, mostCount))}
}

// checkShipless returns what is wrong with a watchdog that watches no ships.
func (w *Watchdog) checkShipless() (wrong form.Errors) {
	switch {
	case !w.Type.Shipless():
	case w.Type == watchdog.Feed && w.Feed == "", w.Type == watchdog.Box && w.Box == nil:
		wrong = append(wrong, wrongKey(string(w.Type), rule.New("required", "is required")))
	case w.Type == watchdog.Feed && (len(w.Feed) > mostFeedName || strings.ContainsFunc(w.Feed, func(c rune) bool { return c < ' ' })):
		wrong = append(wrong, wrongKey("feed", rule.New("feed_name", "must be the name of a feed, or * for all")))
	}
	return wrong
}
