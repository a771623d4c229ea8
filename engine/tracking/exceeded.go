package tracking

import (
	"cmp"
	"log/slog"
	"maps"
	"slices"
	"time"

	"quaywatch/ais"
	"quaywatch/geo/route/passage"
	"quaywatch/ship"
	"quaywatch/ship/portcall"
)

// exceeding is a ship that sails through a passage with more than its limit.
type exceeding struct {
	ship    ais.MMSI
	passage string
}

// Exceeded is a limit of a passage beyond which ships sailed through it: the limit may be old, or what the crews typed.
type Exceeded struct {
	Passage string
	Why     passage.Fit // which limit
	Limit   float64     // metres
	Most    float64     // metres, of the largest of these ships
	Ships   int         // since the start, each once a day
	Last    time.Time
}

// limitKey is a limit of a passage.
type limitKey struct {
	passage string
	why     passage.Fit
}

// exceeded are the ships that sailed through passages with more than their limits.
type exceeded struct {
	gates  *passage.Crossings
	last   map[exceeding]portcall.Millis // when it was last counted
	limits map[limitKey]*Exceeded
	count  uint64
}

// Each ship counts once in so long a time at a passage. Beyond so many that are remembered the ones that are over are forgotten, and then no more are taken.
const (
	exceededAgain = 24 * time.Hour
	mostExceeded  = 10_000
)

// newExceeded begins to look at the gates of the passages.
func newExceeded() (exceeded, error) {
	all, err := passage.All()
	return exceeded{passage.NewCrossings(all), map[exceeding]portcall.Millis{}, map[limitKey]*Exceeded{}, 0}, err
}

// countsNow reports whether a ship is to be counted now.
func (e *exceeded) countsNow(key exceeding, now portcall.Millis) bool {
	if at, known := e.last[key]; known && now.Since(at) < exceededAgain {
		return false
	}
	if len(e.last) >= mostExceeded {
		maps.DeleteFunc(e.last, func(_ exceeding, at portcall.Millis) bool { return now.Since(at) >= exceededAgain })
	}
	if len(e.last) >= mostExceeded {
		return false
	}
	e.last[key] = now
	e.count++
	return true
}

// observe looks whether a step of a ship leads through a passage that takes less.
func (e *exceeded) observe(u *ship.Update, log *slog.Logger) {
	if !u.Was.HasFix || !ship.Joins(u.Was.Fix, u.Now.Fix) || u.Now.Fix.Mark&ship.WrongClock != 0 {
		return
	}
	e.gates.Of(u.Was.Fix.Point(), u.Now.Fix.Point(), func(p *passage.Passage) { e.addPassage(u, p, log) })
}

// addPassage takes a passage that a ship has just gone through.
func (e *exceeded) addPassage(u *ship.Update, p *passage.Passage, log *slog.Logger) {
	var size passage.Size
	if u.Now.Voyage != nil {
		size.Draught = u.Now.Voyage.Metres()
	}
	if u.Now.Static != nil {
		size.Length, size.Beam = u.Now.Static.Size()
	}
	why := p.Fit(size)
	if why == passage.Fits || why == passage.Unsure || !e.countsNow(exceeding{u.Now.MMSI, p.Name}, portcall.Millis(u.Now.Fix.At)) {
		return
	}
	has, limit := size.Of(why), p.Limits.Of(why)
	log.Info("a ship sailed through a passage that takes less", "ship", u.Now.MMSI, "passage", p.Name, "metres", has, "limit", limit)
	limited := e.limits[limitKey{p.Name, why}]
	if limited == nil {
		limited = &Exceeded{Passage: p.Name, Why: why, Limit: limit}
		e.limits[limitKey{p.Name, why}] = limited
	}
	limited.Ships++
	limited.Most, limited.Last = max(limited.Most, has), u.Now.Fix.Time()
}

// Exceeded returns the limits beyond which ships sailed since the start, and how many ships did, each once a day and passage. The limit that most ships
// exceeded comes first.
func (t *TrackedShips) Exceeded() (limits []Exceeded, count uint64) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, limit := range t.exceeded.limits {
		limits = append(limits, *limit)
	}
	slices.SortFunc(limits, func(a, b Exceeded) int {
		return cmp.Or(cmp.Compare(b.Ships, a.Ships), cmp.Compare(a.Passage, b.Passage), cmp.Compare(a.Why, b.Why))
	})
	return limits, t.exceeded.count
}
