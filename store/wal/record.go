package wal

import (
	"fmt"
	"slices"

	"quaywatch/ais"
	"quaywatch/ship"
	"quaywatch/store/track"
)

// The kinds of a record in the log. A record begins with a varint: ship 28 | verdict 2 | kind 2 bits. The ships are numbered within their group of frames in
// the order of the introductions.
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

// Stream is what a ship's records in the log need to know.
type Stream struct {
	group  uint64 // the group of frames that number and coder are for, 0 none
	number uint32
	coder  track.Coder
}

// Writer turns what is observed into batches of records. It is guarded by the mutex of DB.
type Writer struct {
	Sequence uint64                      // of the segment being filled
	Used     int                         // bytes of it that are taken, pending ones included
	group    uint64                      // counts the groups of frames since the start
	base     int64                       // of the group
	frames   uint32                      // of the group
	ships    uint32                      // introduced in it
	feeds    []uint64                    // by number of a set of feeds: the group in which it was introduced last
	Names    func(ship.FeedSet) []string // of a set of feeds
	clock    int64                       // the last Tick
	began    int64                       // the group, by that clock
	Over     bool                        // the next frame begins a group; of a log that is played fast, many minutes are in a frame
	Filled   []*Bundle
	open     *Bundle
	spare    []*Bundle
	Pending  int // bytes of records that are not yet synced
}

// groupMillis is how long a group of frames lasts.
const GroupMillis = 5 * 60 * 1000

// Tick tells the time, by which groups of frames end.
func (w *Writer) Tick(now int64) {
	w.clock = now
	if now-w.began >= GroupMillis || now < w.began {
		w.Over = true
	}
}

// beginRecords makes room for n bytes of records, in the open batch or, when its segment is full, in the next segment.
func (w *Writer) beginRecords(n int, now int64) {
	full := w.Sequence == 0 || w.Used+FrameHeader+n > SegmentSize
	if full {
		w.Sequence++
		w.Used = 0
	}
	if full || w.Over && w.open == nil {
		w.Cut()
		w.group++
		w.base, w.frames, w.ships, w.began, w.Over = now, 0, 0, w.clock, false
	}
	if w.open == nil {
		w.open = w.blankBatch()
		w.open.sequence, w.open.back, w.open.base = w.Sequence, w.frames, w.base
		w.frames++
		w.Used += FrameHeader
	}
	if size := cap(w.open.data); size-len(w.open.data) < n { // append would grow it by a quarter again and again
		w.open.data = slices.Grow(w.open.data, max(n, size))
	}
}

func (w *Writer) blankBatch() *Bundle {
	if n := len(w.spare); n > 0 {
		b := w.spare[n-1]
		w.spare = w.spare[:n-1]
		return b
	}
	return &Bundle{data: make([]byte, FrameHeader, 16<<10)}
}

// Cut ends the open batch.
func (w *Writer) Cut() {
	if w.open != nil {
		w.Filled = append(w.Filled, w.open)
		w.open = nil
	}
}

// Recycle takes a batch back whose records are synced.
func (w *Writer) Recycle(b *Bundle) {
	w.Pending -= len(b.data) - FrameHeader
	if cap(b.data) <= 1<<20 && len(w.spare) < 4 {
		b.data, b.fixes = b.data[:FrameHeader], 0
		w.spare = append(w.spare, b)
	}
}

// introduceShip gives the ship a number in the group being filled, unless it has one.
func (w *Writer) introduceShip(s *Stream, m ais.MMSI) {
	if s.group == w.group {
		return
	}
	*s = Stream{group: w.group, number: w.ships, coder: track.StartAt(w.base)}
	w.ships++
	w.open.data = track.AppendVarint(track.AppendVarint(w.open.data, recordIntro), uint64(m))
}

// introduceFeeds makes room for n bytes as beginRecords does, and introduces a set of feeds when the group does not know it yet.
func (w *Writer) introduceFeeds(set ship.FeedSet, n int, now int64) {
	w.beginRecords(n, now)
	if set == 0 || int(set) < len(w.feeds) && w.feeds[set] == w.group {
		return
	}
	names := w.Names(set)
	w.beginRecords(n+track.NamesSize(names), now)
	from := len(w.open.data)
	w.open.data = track.AppendVarint(w.open.data, introFeeds<<4|recordIntro)
	w.open.data = track.AppendNames(track.AppendVarint(w.open.data, uint64(set)), names)
	w.account(from)
	for int(set) >= len(w.feeds) {
		w.feeds = append(w.feeds, 0)
	}
	w.feeds[set] = w.group
}

func (w *Writer) writeHead(s *Stream, k track.Keeping, kind int) {
	w.open.data = track.AppendVarint(w.open.data, uint64(s.number)<<4|uint64(k)<<2|uint64(kind))
}

// Fix writes a fix that is later than the last one of the ship, with the verdict of the thinner on it.
func (w *Writer) Fix(s *Stream, m ais.MMSI, f ship.Fix, k track.Keeping) {
	w.introduceFeeds(f.Feeds, maxIntro+maxHead+track.MaxRow, f.At)
	n := len(w.open.data)
	w.introduceShip(s, m)
	w.writeHead(s, k, recordFix)
	w.open.data = s.coder.Append(w.open.data, f)
	w.open.fixes++
	w.account(n)
}

// Late writes a fix that is older than the last one of the ship.
func (w *Writer) Late(s *Stream, m ais.MMSI, f ship.Fix) {
	w.introduceFeeds(f.Feeds, maxIntro+maxHead+track.MaxRow, f.At)
	n := len(w.open.data)
	w.introduceShip(s, m)
	w.writeHead(s, 0, recordLate)
	alone := track.StartAt(w.base)
	w.open.data = alone.Append(w.open.data, f)
	w.open.fixes++
	w.account(n)
}

// Ship writes what a ship is, encoded as for the bucket ships; set is the one of its fix.
func (w *Writer) Ship(s *Stream, m ais.MMSI, state []byte, set ship.FeedSet, now int64) {
	w.introduceFeeds(set, maxIntro+maxHead+10+len(state), now)
	n := len(w.open.data)
	w.introduceShip(s, m)
	w.writeHead(s, 0, recordShip)
	w.open.data = append(track.AppendVarint(w.open.data, uint64(len(state))), state...)
	w.account(n)
}

func (w *Writer) account(from int) {
	n := len(w.open.data) - from
	w.Used += n
	w.Pending += n
}

// Reader decodes the records of one group of frames after the other.
type Reader struct {
	base  int64
	next  uint64 // the frame that goes on with the group
	ships []Introduced
}

// Introduced is a ship of one group. It is valid until the next group.
type Introduced struct {
	Mmsi  ais.MMSI
	coder track.Coder
	Known any // for the visitor to remember it by
}

// LogVisitor is told what a log says, in order.
type LogVisitor struct {
	Feeds func(set ship.FeedSet, names []string) bool // false: cannot be
	Fix   func(in *Introduced, f ship.Fix, k track.Keeping)
	Late  func(in *Introduced, f ship.Fix)
	Ship  func(in *Introduced, s ship.State)
}

// errLostFrames is what reading gives for a frame that goes on with what was lost.
var errLostFrames = fmt.Errorf("%w: builds on frames before it that were lost", track.ErrCorrupt)

// Read decodes the records of one frame. What stands before an error was already handed to v. After an error it goes on with the
// next group.
func (l *Reader) Read(f Frame, v LogVisitor) error {
	if f.back == 0 {
		*l = Reader{base: f.base, next: f.Number, ships: l.ships[:0]}
	}
	if f.Number != l.next {
		return errLostFrames
	}
	l.next = 0
	r := track.NewReader(f.records)
	for r.More() {
		head := r.Varint()
		kind, k, number := int(head&3), track.Keeping(head>>2&3), head>>4
		if kind == recordIntro {
			if !l.readIntroduction(&r, number, v) {
				return track.ErrCorrupt
			}
			continue
		}
		if r.Bad || number >= uint64(len(l.ships)) {
			return track.ErrCorrupt
		}
		if err := l.readRecord(&r, &l.ships[number], kind, k, v); err != nil {
			return err
		}
	}
	l.next = f.Number + 1
	return nil
}

// readIntroduction reads what a number of the group means.
func (l *Reader) readIntroduction(r *track.Reader, number uint64, v LogVisitor) bool {
	if number == introFeeds {
		set := r.Varint()
		names := track.ReadNames(r)
		return !r.Bad && set < track.MostFeedSets && v.Feeds(ship.FeedSet(set), names)
	}
	m := ais.MMSI(r.Varint())
	l.ships = append(l.ships, Introduced{Mmsi: m, coder: track.StartAt(l.base)})
	return !r.Bad && number == 0 && m > 0
}

func (l *Reader) readRecord(r *track.Reader, s *Introduced, kind int, k track.Keeping, v LogVisitor) error {
	var f ship.Fix
	switch kind {
	case recordFix:
		if !s.coder.Next(r, &f) {
			return track.ErrCorrupt
		}
		v.Fix(s, f, k)
	case recordLate:
		alone := track.StartAt(l.base)
		if !alone.Next(r, &f) {
			return track.ErrCorrupt
		}
		v.Late(s, f)
	case recordShip:
		value := r.Text()
		state, err := track.DecodeState(s.Mmsi, []byte(value))
		if r.Bad || err != nil {
			return track.ErrCorrupt
		}
		v.Ship(s, state)
	}
	return nil
}
