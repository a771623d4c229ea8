package handlers

import (
	"crypto/rand"
	"encoding/binary"
	"fmt"
	"strconv"
	"strings"
	"sync"
	"time"

	"quaywatch/ais"
	"quaywatch/ship"
)

// Bounds of the live stream.
const (
	resumeFor   = 60 * time.Second // how long a client may be away and go on where it was
	mostChanges = 500000           // ships whose last change is remembered; beyond it clients get a fresh picture
	liveOfOne   = 32               // streams of one caller
)

// Live turns the steps of the picture into what each live stream has to send. All streams share one list of ships in the
// order of their latest change, each change with a number that only grows. A stream is a place in that list: what lies
// behind it is what it has not sent yet, each ship once, however often she moved meanwhile. So a step costs the same
// whether nobody listens or hundreds, a slow client merely skips intermediate states, and a client that comes back goes
// on from the number that it saw last.
//
// It is a traffic.Observer.
type Live struct {
	now   func() time.Time
	most  int
	epoch uint64 // random: the numbers of another run of the program mean nothing

	mu             sync.Mutex
	last           uint64 // number of the latest change
	floor          uint64 // changes up to this number may be forgotten
	ships          map[ais.MMSI]*change
	oldest, newest *change
	marks          []mark // which change was the latest at which time, for resumeFor
	streams        map[string]int
	count          int
	dropped        uint64
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

func newLive(now func() time.Time, most int) *Live {
	var b [8]byte
	rand.Read(b[:])
	return &Live{now: now, most: most, epoch: binary.LittleEndian.Uint64(b[:]) >> 16, ships: map[ais.MMSI]*change{}, streams: map[string]int{}}
}

// Observe notes that a ship changed.
func (l *Live) Observe(u *ship.Update) {
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
		l.forget()
	}
}

// Tick forgets what no client can ask for any more.
func (l *Live) Tick(time.Time) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.age()
}

// age moves the floor with the time of our clock; that of the picture may be a log's.
func (l *Live) age() {
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
	l.forget()
}

func (l *Live) forget() {
	for l.oldest != nil && l.oldest.number <= l.floor {
		c := l.oldest
		l.unlink(c)
		delete(l.ships, c.mmsi)
	}
}

func (l *Live) unlink(c *change) {
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

// changed is a ship that changed after some number, and which parts of her did.
type changed struct {
	mmsi           ais.MMSI
	motion, static bool
}

// since gives what changed after the number, oldest first, and the number to ask for next. It is not ok when part of it
// is forgotten.
func (l *Live) since(number uint64) (ships []changed, next uint64, ok bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.age()
	if number < l.floor || number > l.last {
		return nil, l.last, false
	}
	for c := l.newest; c != nil && c.number > number; c = c.older {
		ships = append(ships, changed{c.mmsi, c.motion > number, c.static > number})
	}
	for i, k := 0, len(ships)-1; i < k; i, k = i+1, k-1 {
		ships[i], ships[k] = ships[k], ships[i]
	}
	return ships, l.last, true
}

// latest gives the number of now.
func (l *Live) latest() uint64 {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.last
}

// eventID is what a client says to go on: the run of the program, the number, and the hash of what it asked for.
func (l *Live) eventID(number uint64, asked uint32) string {
	return fmt.Sprintf("%x-%d-%x", l.epoch, number, asked)
}

// parseID gives the number of an event of this run with the same question.
func (l *Live) parseID(id string, asked uint32) (uint64, bool) {
	parts := strings.Split(id, "-")
	if len(parts) != 3 || parts[0] != strconv.FormatUint(l.epoch, 16) || parts[2] != strconv.FormatUint(uint64(asked), 16) {
		return 0, false
	}
	number, err := strconv.ParseUint(parts[1], 10, 64)
	return number, err == nil
}

// enter takes a place for a stream of the caller, if there is one.
func (l *Live) enter(owner string) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.count >= l.most || l.streams[owner] >= liveOfOne {
		return false
	}
	l.count++
	l.streams[owner]++
	return true
}

// leave gives the place back; dropped tells that the client did not read.
func (l *Live) leave(owner string, dropped bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.count--
	if l.streams[owner]--; l.streams[owner] <= 0 {
		delete(l.streams, owner)
	}
	if dropped {
		l.dropped++
	}
}

// clients gives how many streams are open and how many were cut off because they did not read.
func (l *Live) clients() (open int, dropped uint64) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.count, l.dropped
}
