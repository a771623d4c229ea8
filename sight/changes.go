package sight

import (
	"context"
	"crypto/rand"
	"encoding/binary"
	"slices"
	"sync"
	"time"

	"quaywatch/ais"
	"quaywatch/internal/wake"
	"quaywatch/ship"
)

// Bounds of the list of latest changes.
const (
	resumeFor   = 60 * time.Second // how long a reader may be away and go on where it was
	mostChanges = 500000           // ships whose last change is remembered; beyond it readers start anew
)

// changeList is the ships of a picture in the order of their latest change. Each change has a number, and numbers only grow. All streams
// share one list, and a stream is a place in it. What lies behind the place is what the stream has not sent yet: each ship once, however
// often it moved meanwhile. So a step costs the same for no listener and for hundreds. A slow client merely skips intermediate states. A
// client that comes back goes on from the number that it saw last.
//
// It is a traffic.Observer.
type changeList struct {
	now   func() time.Time
	epoch uint64 // random: the numbers of another list mean nothing
	woken wake.Signal

	mu             sync.Mutex
	last           uint64 // number of the latest change
	floor          uint64 // changes up to this number may be forgotten
	ships          map[ais.MMSI]*change
	oldest, newest *change
	marks          []mark // which change was the latest at which time, for resumeFor
}

// change is the latest change of one ship. Motion and static are the numbers of the latest changes of these parts.
type change struct {
	mmsi         ais.MMSI
	number       uint64
	motion       uint64
	static       uint64
	older, newer *change
}

type mark struct {
	at     time.Time
	number uint64
}

func newChangeList(now func() time.Time) *changeList {
	var b [8]byte
	rand.Read(b[:])
	return &changeList{now: now, epoch: binary.LittleEndian.Uint64(b[:]) >> 16, ships: map[ais.MMSI]*change{}}
}

// Observe notes that a ship changed.
func (l *changeList) Observe(u *ship.Update) {
	l.addUpdate(u)
	l.woken.Raise()
}

func (l *changeList) addUpdate(u *ship.Update) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.last++
	c := l.ships[u.Now.MMSI]
	if c == nil {
		c = &change{mmsi: u.Now.MMSI}
		l.ships[c.mmsi] = c
	} else {
		l.unlink(c)
	}
	c.number = l.last
	whole := u.Change&(ship.Appeared|ship.Entered) != 0
	if whole || u.Change&ship.ChangedFix != 0 {
		c.motion = l.last
	}
	if whole || u.Change&(ship.ChangedStatic|ship.ChangedVoyage) != 0 || u.Was.Class != u.Now.Class {
		c.static = l.last
	}
	c.older, c.newer = l.newest, nil
	if l.newest != nil {
		l.newest.newer = c
	} else {
		l.oldest = c
	}
	l.newest = c
	if len(l.ships) > mostChanges {
		l.floor = l.oldest.number
		l.dropOld()
	}
}

// Tick forgets what no reader can ask for any more.
func (l *changeList) Tick(time.Time) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.age()
}

// age moves the floor with the time of our clock; that of the picture may be a log's.
func (l *changeList) age() {
	now := l.now()
	if n := len(l.marks); n == 0 || now.Sub(l.marks[n-1].at) >= time.Second {
		l.marks = append(l.marks, mark{now, l.last})
	}
	keep := 0
	for keep < len(l.marks) && now.Sub(l.marks[keep].at) > resumeFor {
		l.floor = max(l.floor, l.marks[keep].number)
		keep++
	}
	l.marks = append(l.marks[:0], l.marks[keep:]...)
	l.dropOld()
}

func (l *changeList) dropOld() {
	for l.oldest != nil && l.oldest.number <= l.floor {
		c := l.oldest
		l.unlink(c)
		delete(l.ships, c.mmsi)
	}
}

func (l *changeList) unlink(c *change) {
	if c.older != nil {
		c.older.newer = c.newer
	} else {
		l.oldest = c.newer
	}
	if c.newer != nil {
		c.newer.older = c.older
	} else {
		l.newest = c.older
	}
}

// changesSince returns what changed after the number, oldest first, and the number to ask for next. It is not ok when part of it
// is forgotten.
func (l *changeList) changesSince(number uint64) (ships []changed, next uint64, ok bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.age()
	if number < l.floor || number > l.last {
		return nil, l.last, false
	}
	for c := l.newest; c != nil && c.number > number; c = c.older {
		ships = append(ships, changed{c.mmsi, c.motion > number, c.static > number})
	}
	slices.Reverse(ships)
	return ships, l.last, true
}

// latestNumber returns the number of now.
func (l *changeList) latestNumber() uint64 {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.last
}

// changed is a ship that changed after some number, and which parts of it did.
type changed struct {
	mmsi           ais.MMSI
	motion, static bool
}

// ChangedShips are the ships that changed after some number, each once, with its latest state.
type ChangedShips struct {
	Next   uint64 // the number to ask for next
	viewer *Viewer
	ships  []changed
}

// ChangedShip is a ship that changed.
type ChangedShip struct {
	MMSI           ais.MMSI
	Ship           *ship.State // nil when it is gone, or the user may not see it; valid only during the call
	Motion, Static bool        // what of it changed; both of a ship that appeared
}

// InTurnsOf lets the changes be read in the turns of another caller. That is for what many share: where Everything holds, viewers of one Epoch see the same.
func (c *ChangedShips) InTurnsOf(caller string) {
	shared := *c.viewer
	shared.caller = caller
	c.viewer = &shared
}

// Len returns how many ships there are.
func (c *ChangedShips) Len() int { return len(c.ships) }

// Epoch names the list that the numbers of Latest and Changes are of; those of another list mean nothing.
func (v *Viewer) Epoch() uint64 { return v.from.changes.epoch }

// Latest returns the number of the latest change. Ask it before Ships: then Changes after it misses nothing.
func (v *Viewer) Latest() uint64 { return v.from.changes.latestNumber() }

// Wake returns a channel that is closed when any ship changes next. Take it before Changes: then no change is missed.
func (v *Viewer) Wake() <-chan struct{} { return v.from.changes.woken.Next() }

// Changes returns the ships that changed after the number. It is not ok when the number is too old, or is none of this Epoch: then
// the reader starts anew, with Latest and Ships.
func (v *Viewer) Changes(after uint64) (c ChangedShips, ok bool) {
	ships, next, ok := v.from.changes.changesSince(after)
	return ChangedShips{next, v, ships}, ok
}

// Present returns ships by their numbers as if they had just appeared. Its Next means nothing.
func (v *Viewer) Present(numbers []ais.MMSI) ChangedShips {
	c := ChangedShips{viewer: v, ships: make([]changed, len(numbers))}
	for i, m := range numbers {
		c.ships[i] = changed{m, true, true}
	}
	return c
}

// First takes the first changes out, at most so many, and is not ok when there are none. Each of a part ends before its answer is written,
// which may wait for a client.
func (c *ChangedShips) First(most int) (part ChangedShips, ok bool) {
	n := min(most, len(c.ships))
	part, c.ships = ChangedShips{c.Next, c.viewer, c.ships[:n]}, c.ships[n:]
	return part, n > 0
}

// Each hands on every ship that the user sees, in the order of the latest change. A ship that is gone or may not be seen is named only
// where known says that the reader knows it. It works in turns with other callers, as Ships does.
func (c *ChangedShips) Each(ctx context.Context, known func(ais.MMSI) bool, fn func(*ChangedShip)) error {
	w, err := c.viewer.beginWork(ctx)
	if err != nil {
		return err
	}
	defer w.End()
	now, told := c.viewer.Now(), ship.State{}
	for _, entry := range c.ships {
		if err := w.countLook(ctx); err != nil {
			return err
		}
		change := ChangedShip{entry.mmsi, nil, entry.motion, entry.static}
		if s, ok := c.viewer.from.picture.Ship(entry.mmsi); ok && s.Age != ship.Removed && c.viewer.view.Shows(&s, now) {
			change.Ship = c.viewer.tellShip(&s, &told)
		}
		if change.Ship != nil || known(entry.mmsi) {
			fn(&change)
		}
	}
	return nil
}
