package telling

import (
	"errors"
	"slices"
	"time"

	"quaywatch/engine/portcalls"
	"quaywatch/engine/tracking"
)

// TrackNews tells a listener which tracks changed, came or went, when it may know. It belongs to one goroutine.
type TrackNews struct {
	of      *TrackReader
	now     func() time.Time
	changed <-chan struct{}
	number  uint64         // of the change up to which all is told
	knows   map[int64]bool // tracks that the listener could read
	pending []changedTracks
}

// changedTracks are tracks that changed at a time. A listener that is told late hears of them when it may know.
type changedTracks struct {
	at  time.Time
	ids []int64
}

// mostPending bounds what waits for a listener that is told late: an entry each second of ten minutes. Beyond it entries become one.
const mostPending = 600

// News returns what tells of changes from now on. now returns the time of the picture. The listener has to say then which tracks it knows.
func (k *TrackReader) News(now func() time.Time) *TrackNews {
	n := &TrackNews{of: k, now: now, changed: k.kept.Changed(), knows: map[int64]bool{}}
	_, n.number = k.kept.Since(^uint64(0))
	return n
}

// AllNews is News that tells of every track at first.
func (k *TrackReader) AllNews(now func() time.Time) *TrackNews {
	n := &TrackNews{of: k, now: now, knows: map[int64]bool{}}
	n.readChanges()
	return n
}

// Know notes that the listener can read some tracks.
func (n *TrackNews) Know(tracks []*ToldTrack) {
	for _, t := range tracks {
		n.knows[t.ID] = true
	}
}

// readChanges takes the tracks that changed.
func (n *TrackNews) readChanges() {
	n.changed = n.of.kept.Changed() // before looking, so that what changes meanwhile wakes
	ids, latest := n.of.kept.Since(n.number)
	n.number = latest
	if len(ids) == 0 {
		return
	}
	fresh := changedTracks{n.now(), ids}
	if count := len(n.pending); count >= mostPending {
		fresh.ids = append(n.pending[count-1].ids, ids...)
		slices.Sort(fresh.ids)
		fresh.ids = slices.Compact(fresh.ids)
		n.pending = n.pending[:count-1]
	}
	n.pending = append(n.pending, fresh)
}

// Due returns the tracks of which the listener is to hear now, in order. One that it can read no more is among them once.
func (n *TrackNews) Due(l *Listener) (ids []int64, err error) {
	select {
	case <-n.changed:
		n.readChanges()
	default:
	}
	var told []int64
	for _, id := range n.takeDue(l) {
		sees, err := n.seesTrack(l, id)
		if err != nil {
			return nil, err
		}
		if sees || n.knows[id] {
			told = append(told, id)
		}
		if delete(n.knows, id); sees {
			n.knows[id] = true
		}
	}
	return told, nil
}

// takeDue takes the changes of which a listener may know by now out of those that wait.
func (n *TrackNews) takeDue(l *Listener) (ids []int64) {
	count, until := 0, l.Viewer.Now()
	if !l.KnowsTimes() { // the moment would tell when a ship came
		until = portcalls.AtQuarter(until)
	}
	atOnce := !l.Viewer.Late() && l.KnowsTimes()
	for count < len(n.pending) && (atOnce || !n.pending[count].at.After(until)) {
		ids = append(ids, n.pending[count].ids...)
		count++
	}
	n.pending = n.pending[count:]
	slices.Sort(ids)
	return slices.Compact(ids)
}

// seesTrack reports whether the listener can read a track.
func (n *TrackNews) seesTrack(l *Listener, id int64) (bool, error) {
	_, err := n.of.ByID(l, id)
	if errors.Is(err, tracking.ErrUnknown) {
		return false, nil
	}
	return err == nil, err
}
