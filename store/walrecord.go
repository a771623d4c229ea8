package store

import (
	"fmt"

	"quaywatch/ais"
	"quaywatch/ship"
	"quaywatch/store/track"
)

// The kinds of a record in the log. A record begins with a varint: ship 28 | verdict 2 | kind 2 bits, the ships being
// numbered within their group of frames in the order of the introductions.
const (
	recordFix   = iota // a row of the ship's own stream within the group
	recordIntro        // varint mmsi: the next number is that of the ship; of number 1: a set of feeds
	recordLate         // a row that stands alone, coded against the base time of the group
	recordShip         // varint length, then the last state: what the ship is, changed
)

// maxIntro is the most bytes that an introduction takes, maxHead a record's first varint.
const (
	maxHead  = 10
	maxIntro = maxHead + 10
)

// introFeeds is the number of an introduction of a set of feeds: varint number, varint count, names.
const introFeeds = 1

// logStream is what a ship's records in the log need to know.
type logStream struct {
	group  uint64 // the group of frames that number and coder are for, 0 none
	number uint32
	coder  track.Coder
}

// logWriter turns what is observed into batches of records. It is guarded by the mutex of DB.
type logWriter struct {
	sequence uint64   // of the segment being filled
	used     int      // bytes of it that are taken, pending ones included
	group    uint64   // counts the groups of frames since the start
	base     int64    // of the group
	frames   uint32   // of the group
	ships    uint32   // introduced in it
	feeds    []uint64 // by number of a set of feeds: the group in which it was introduced last
	sets     *feedSets
	clock    int64 // the last Tick
	began    int64 // the group, by that clock
	over     bool  // the next frame begins a group
	filled   []*batch
	open     *batch
	spare    []*batch
	pending  int // bytes of records that are not yet synced
}

// groupMillis is how long a group of frames lasts.
const groupMillis = 5 * 60 * 1000

// tick tells the time, by which groups of frames end.
func (w *logWriter) tick(now int64) {
	w.clock = now
	if now-w.began >= groupMillis || now < w.began {
		w.over = true
	}
}

// begin makes room for n bytes of records, in the open batch or, when its segment is full, in the next segment.
func (w *logWriter) begin(n int, now int64) {
	full := w.sequence == 0 || w.used+frameHeader+n > segmentSize
	if full {
		w.sequence++
		w.used = 0
	}
	if full || w.over {
		w.cut()
		w.group++
		w.base, w.frames, w.ships, w.began, w.over = now, 0, 0, w.clock, false
	}
	if w.open == nil {
		w.open = w.blank()
		w.open.sequence, w.open.back, w.open.base = w.sequence, w.frames, w.base
		w.frames++
		w.used += frameHeader
	}
}

func (w *logWriter) blank() *batch {
	if n := len(w.spare); n > 0 {
		b := w.spare[n-1]
		w.spare = w.spare[:n-1]
		return b
	}
	return &batch{data: make([]byte, frameHeader, 16<<10)}
}

// cut ends the open batch.
func (w *logWriter) cut() {
	if w.open != nil {
		w.filled = append(w.filled, w.open)
		w.open = nil
	}
}

// recycle takes a batch back whose records are synced.
func (w *logWriter) recycle(b *batch) {
	w.pending -= len(b.data) - frameHeader
	if cap(b.data) <= 1<<20 && len(w.spare) < 4 {
		b.data, b.fixes = b.data[:frameHeader], 0
		w.spare = append(w.spare, b)
	}
}

// introduce gives the ship a number in the group being filled, unless it has one.
func (w *logWriter) introduce(s *logStream, m ais.MMSI) {
	if s.group == w.group {
		return
	}
	*s = logStream{group: w.group, number: w.ships, coder: track.StartAt(w.base)}
	w.ships++
	w.open.data = track.AppendVarint(track.AppendVarint(w.open.data, recordIntro), uint64(m))
}

// tell makes room for n bytes as begin does, and introduces a set of feeds when the group does not know it yet.
func (w *logWriter) tell(set ship.FeedSet, n int, now int64) {
	w.begin(n, now)
	if set == 0 || int(set) < len(w.feeds) && w.feeds[set] == w.group {
		return
	}
	names := w.sets.names[set]
	w.begin(n+namesSize(names), now)
	from := len(w.open.data)
	w.open.data = track.AppendVarint(w.open.data, introFeeds<<4|recordIntro)
	w.open.data = appendNames(track.AppendVarint(w.open.data, uint64(set)), names)
	w.account(from)
	for int(set) >= len(w.feeds) {
		w.feeds = append(w.feeds, 0)
	}
	w.feeds[set] = w.group
}

func (w *logWriter) head(s *logStream, k track.Keeping, kind int) {
	w.open.data = track.AppendVarint(w.open.data, uint64(s.number)<<4|uint64(k)<<2|uint64(kind))
}

// fix writes a fix that is later than the last one of the ship, with the verdict of the thinner on it.
func (w *logWriter) fix(s *logStream, m ais.MMSI, f ship.Fix, k track.Keeping) {
	w.tell(f.Feeds, maxIntro+maxHead+track.MaxRow, f.At)
	n := len(w.open.data)
	w.introduce(s, m)
	w.head(s, k, recordFix)
	w.open.data = s.coder.Append(w.open.data, f)
	w.open.fixes++
	w.account(n)
}

// late writes a fix that is older than the last one of the ship.
func (w *logWriter) late(s *logStream, m ais.MMSI, f ship.Fix) {
	w.tell(f.Feeds, maxIntro+maxHead+track.MaxRow, f.At)
	n := len(w.open.data)
	w.introduce(s, m)
	w.head(s, 0, recordLate)
	alone := track.StartAt(w.base)
	w.open.data = alone.Append(w.open.data, f)
	w.open.fixes++
	w.account(n)
}

// ship writes what a ship is, encoded as for the bucket ships; set is the one of its fix.
func (w *logWriter) ship(s *logStream, m ais.MMSI, state []byte, set ship.FeedSet, now int64) {
	w.tell(set, maxIntro+maxHead+10+len(state), now)
	n := len(w.open.data)
	w.introduce(s, m)
	w.head(s, 0, recordShip)
	w.open.data = append(track.AppendVarint(w.open.data, uint64(len(state))), state...)
	w.account(n)
}

func (w *logWriter) account(from int) {
	n := len(w.open.data) - from
	w.used += n
	w.pending += n
}

// logReader decodes the records of one group of frames after the other.
type logReader struct {
	base  int64
	next  uint64 // the frame that goes on with the group
	ships []introduced
}

// introduced is a ship of one group.
type introduced struct {
	mmsi   ais.MMSI
	coder  track.Coder
	vessel *vessel // for the visitor to remember it by
}

// logVisitor is told what a log says, in order.
type logVisitor struct {
	feeds func(set ship.FeedSet, names []string) bool // false: cannot be
	fix   func(in *introduced, f ship.Fix, k track.Keeping)
	late  func(in *introduced, f ship.Fix)
	ship  func(in *introduced, s ship.State)
}

// errLostFrames is what reading gives for a frame that goes on with what was lost.
var errLostFrames = fmt.Errorf("%w: builds on frames before it that were lost", track.ErrCorrupt)

// read decodes the records of one frame. What stands before an error was already handed to v. After an error it goes on with the
// next group.
func (l *logReader) read(f frame, v logVisitor) error {
	if f.back == 0 {
		*l = logReader{base: f.base, next: f.number}
	}
	if f.number != l.next {
		return errLostFrames
	}
	l.next = 0
	r := track.NewReader(f.records)
	for r.More() {
		head := r.Varint()
		kind, k, number := int(head&3), track.Keeping(head>>2&3), head>>4
		if kind == recordIntro {
			if !l.introduce(&r, number, v) {
				return track.ErrCorrupt
			}
			continue
		}
		if r.Bad || number >= uint64(len(l.ships)) {
			return track.ErrCorrupt
		}
		if err := l.record(&r, &l.ships[number], kind, k, v); err != nil {
			return err
		}
	}
	l.next = f.number + 1
	return nil
}

// introduce reads what a number of the group means.
func (l *logReader) introduce(r *track.Reader, number uint64, v logVisitor) bool {
	if number == introFeeds {
		set := r.Varint()
		names := readNames(r)
		return !r.Bad && set < mostFeedSets && v.feeds(ship.FeedSet(set), names)
	}
	m := ais.MMSI(r.Varint())
	l.ships = append(l.ships, introduced{mmsi: m, coder: track.StartAt(l.base)})
	return !r.Bad && number == 0 && m > 0
}

func (l *logReader) record(r *track.Reader, s *introduced, kind int, k track.Keeping, v logVisitor) error {
	var f ship.Fix
	switch kind {
	case recordFix:
		if !s.coder.Next(r, &f) {
			return track.ErrCorrupt
		}
		v.fix(s, f, k)
	case recordLate:
		alone := track.StartAt(l.base)
		if !alone.Next(r, &f) {
			return track.ErrCorrupt
		}
		v.late(s, f)
	case recordShip:
		value := r.Text()
		state, err := track.DecodeState(s.mmsi, []byte(value))
		if r.Bad || err != nil {
			return track.ErrCorrupt
		}
		v.ship(s, state)
	}
	return nil
}
