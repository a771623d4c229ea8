package portcalls

import (
	"bytes"
	"maps"
	"sync"
	"time"

	"quaywatch/ais"
	"quaywatch/geo/chart/water"
	"quaywatch/ship"
	"quaywatch/ship/learn"
	"quaywatch/store/outage"
	"quaywatch/store/records"
)

const (
	doubted    = time.Hour        // a ship that is first heard teaches nothing for so long
	mostUnsure = 20_000           // ships in doubt; when there are more, no ship teaches
	learnEvery = 10 * time.Minute // what ships taught is looked at and stored so often
)

// lessons are what ships teach while the program runs.
//
// Locks: mu is held for a step of a ship, and while what is held is copied. Nothing is locked under it.
type lessons struct {
	mu      sync.Mutex
	learner *learn.Learner // nil when nothing is learned live
	unsure  map[ais.MMSI]learn.Trust
	jumped  bool          // a ship came into doubt by a jump since the last look
	looked  time.Time     // of the picture
	news    uint64        // of the learner, then
	outage  outage.Logger // for the holder of Waters.writing
}

// beginLearning begins anew with an overlay and evidence. Without a chart nothing is learned live.
func (l *lessons) beginLearning(c *Config, o *water.Overlay, evidence []byte) {
	if c.Land == nil {
		return
	}
	learner := learn.New(c.Land, learn.Options{Most: learn.Live, Alone: learn.Alone})
	learner.Follow(o)
	if err := learner.Read(evidence); err != nil && len(evidence) > 0 {
		c.Log.Warn("what ships taught of water that is not learned yet cannot be read; it begins anew", "error", err)
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.learner, l.news = learner, learner.News()
}

// restoreUnsure takes back the ships that were in doubt.
func (l *lessons) restoreUnsure(unsure map[ais.MMSI]learn.Trust) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.unsure = map[ais.MMSI]learn.Trust{}
	for m, so := range unsure {
		if len(l.unsure) < mostUnsure {
			l.unsure[m] = so
		}
	}
}

// doubts returns the ships in doubt.
func (l *lessons) doubts() map[ais.MMSI]learn.Trust {
	l.mu.Lock()
	defer l.mu.Unlock()
	return maps.Clone(l.unsure)
}

// observe lets a ship teach that is not in doubt, near a receiver. Cheap questions come first: hardly any position asks the ellipsoid.
func (l *lessons) observe(c *Config, u *ship.Update) {
	if u.Change&ship.ChangedFix == 0 || c.Land == nil {
		return
	}
	was, heard := fixBefore(u), u.AsHeard()
	unsure := was.At == 0 || u.Now.Conflict != nil || learn.Unsure(was, u.Fix)
	fast := learn.Fast(u.Fix)
	if !unsure && !fast && !isKnown(heard.Static) || !c.isNearReceiver(was.Point(), u.Fix.Point()) {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	switch {
	case unsure || fast && l.learner.Doubts(was, u.Fix):
		l.doubt(u.Now.MMSI, u.Fix.Time(), was.At == 0)
	case !fast && l.teaches(u.Now.MMSI, was, u.Fix):
		l.learner.Leg(u.Now.MMSI, float64(heard.Static.Dimensions.Width()), was, u.Fix)
	}
}

// doubt lets a ship teach nothing for a time: an hour when it is first heard.
func (l *lessons) doubt(m ais.MMSI, now time.Time, first bool) {
	so, known := l.unsure[m]
	if !known && len(l.unsure) >= mostUnsure {
		return
	}
	if first {
		so.Wait(now.Add(doubted))
	} else {
		l.jumped = l.jumped || so.Forget == 0
		so.Doubt(now)
	}
	l.unsure[m] = so
}

// teaches reports whether a ship teaches with the leg between two fixes. It forgets a doubt that is over.
func (l *lessons) teaches(m ais.MMSI, from, to ship.Fix) bool {
	so, doubted := l.unsure[m]
	switch {
	case len(l.unsure) >= mostUnsure, doubted && so.Waits(to):
		return false
	case !doubted && !l.learner.OverLand(from, to): // most legs of most ships
		return false
	case !learn.Teaches(from, to) || doubted && !l.learner.Trusts(&so, to):
		return false
	}
	delete(l.unsure, m)
	return true
}

// copyLearner returns a copy of the learner when it learned anything since the last look, or a ship jumped, nil else; now that is due. The ships whose
// doubt is over are forgotten.
func (l *lessons) copyLearner(now time.Time, due bool) *learn.Learner {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.learner == nil || !due && now.Sub(l.looked).Abs() < learnEvery {
		return nil
	}
	l.looked = now
	for m, so := range l.unsure {
		if so.Over(now) {
			delete(l.unsure, m)
		}
	}
	if l.news == l.learner.News() && !l.jumped {
		return nil
	}
	l.news, l.jumped = l.learner.News(), false
	return l.learner.Clone()
}

// repeatNews has the next look find news, because the last ones were not stored.
func (l *lessons) repeatNews() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.news--
}

// followOverlay goes on from an overlay, and forgets the evidence of what is learned, some cells at a time: the picture does not wait.
func (l *lessons) followOverlay(o *water.Overlay, known []water.Square) {
	const some = 500
	for first := true; first || len(known) > 0; first = false {
		n := min(some, len(known))
		l.mu.Lock()
		l.learner.Follow(o)
		l.learner.Forget(known[:n])
		l.mu.Unlock()
		known = known[n:]
	}
}

// Learn looks at what ships taught, each ten minutes of the picture or at once, and stores it. What could not be stored is tried again; the
// log tells it once.
func (w *Waters) Learn(now time.Time, atOnce bool) {
	w.writing.Lock()
	defer w.writing.Unlock()
	copied := w.lessons.copyLearner(now, atOnce)
	if copied == nil {
		return
	}
	o, _ := copied.Overlay()
	copied.Follow(o)
	known := copied.Known()
	copied.Forget(known)
	var err error
	if bytes.Equal(o.Encode(), w.learned.Encode()) {
		row := storedWater{Evidence: copied.Evidence(), Unsure: w.lessons.doubts()}
		err = w.config.DB.Together(func(tx *records.Tx) error { return w.putEvidence(tx, row) })
	} else {
		err = w.putOverlay(o, copied.Evidence())
	}
	if err == nil {
		w.lessons.followOverlay(o, known)
	} else {
		w.lessons.repeatNews()
	}
	w.lessons.outage.Note(w.config.Log, err, "learned water cannot be stored; it is tried again each ten minutes", "learned water is stored again")
}
