package store

import (
	"quaywatch/ais"
	"quaywatch/ship"
	"quaywatch/store/track"
)

// The kinds of a record in the log. A record begins with a varint: ship 28 | verdict 2 | kind 2 bits, the ship being
// numbered within its segment in the order of the introductions.
const (
	recordFix   = iota // a row of the ship's own stream within the segment
	recordIntro        // varint mmsi: the next number is hers
	recordLate         // a row that stands alone, coded against the base time of the segment
	recordShip         // varint length, then the value of the bucket ships: what she is, changed
)

// maxIntro is the most bytes that an introduction takes, maxHead a record's first varint.
const (
	maxHead  = 10
	maxIntro = maxHead + 10
)

// logStream is what a ship's records in the log need to know.
type logStream struct {
	sequence uint64 // the segment that number and coder are for
	number   uint32
	coder    track.Coder
}

// logWriter turns what is observed into batches of records. It is guarded by the mutex of DB.
type logWriter struct {
	sequence uint64 // of the segment being filled
	base     int64
	ships    uint32 // introduced in it
	used     int    // bytes of it that are taken, pending ones included
	filled   []*batch
	open     *batch
	spare    []*batch
	pending  int // bytes of records that are not yet synced
}

// begin makes room for n bytes of records, in the open batch or, when its segment is full, in the next segment.
func (w *logWriter) begin(n int, now int64) {
	if w.sequence == 0 || w.used+frameHeader+n > segmentSize {
		w.cut()
		w.sequence++
		w.base, w.ships, w.used = now, 0, segmentHeader
	}
	if w.open == nil {
		w.open = w.blank()
		w.open.sequence, w.open.base = w.sequence, w.base
		w.used += frameHeader
	}
}

func (w *logWriter) blank() *batch {
	if n := len(w.spare); n > 0 {
		b := w.spare[n-1]
		w.spare = w.spare[:n-1]
		return b
	}
	return &batch{data: make([]byte, batchFront, 16<<10)}
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
	w.pending -= len(b.data) - batchFront
	if cap(b.data) <= 1<<20 && len(w.spare) < 4 {
		b.data, b.fixes = b.data[:batchFront], 0
		w.spare = append(w.spare, b)
	}
}

// introduce gives the ship a number in the segment being filled, unless she has one.
func (w *logWriter) introduce(s *logStream, m ais.MMSI) {
	if s.sequence == w.sequence {
		return
	}
	*s = logStream{sequence: w.sequence, number: w.ships, coder: track.StartAt(w.base)}
	w.ships++
	w.open.data = track.AppendVarint(track.AppendVarint(w.open.data, recordIntro), uint64(m))
}

func (w *logWriter) head(s *logStream, k track.Keeping, kind int) {
	w.open.data = track.AppendVarint(w.open.data, uint64(s.number)<<4|uint64(k)<<2|uint64(kind))
}

// fix writes a fix that is later than the last one of the ship, with the verdict of the thinner on it.
func (w *logWriter) fix(s *logStream, m ais.MMSI, f ship.Fix, k track.Keeping) {
	w.begin(maxIntro+maxHead+track.MaxRow, f.At)
	n := len(w.open.data)
	w.introduce(s, m)
	w.head(s, k, recordFix)
	w.open.data = s.coder.Append(w.open.data, f)
	w.open.fixes++
	w.account(n)
}

// late writes a fix that is older than the last one of the ship.
func (w *logWriter) late(s *logStream, m ais.MMSI, f ship.Fix) {
	w.begin(maxIntro+maxHead+track.MaxRow, f.At)
	n := len(w.open.data)
	w.introduce(s, m)
	w.head(s, 0, recordLate)
	alone := track.StartAt(w.base)
	w.open.data = alone.Append(w.open.data, f)
	w.open.fixes++
	w.account(n)
}

// ship writes what she is, encoded as for the bucket ships.
func (w *logWriter) ship(s *logStream, m ais.MMSI, state []byte, now int64) {
	w.begin(maxIntro+maxHead+10+len(state), now)
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

// logReader decodes the records of one segment.
type logReader struct {
	base  int64
	ships []introduced
}

// introduced is a ship of one segment.
type introduced struct {
	mmsi   ais.MMSI
	coder  track.Coder
	vessel *vessel // for the visitor to remember her by
}

// logVisitor is told what a log says, in order.
type logVisitor struct {
	fix  func(in *introduced, f ship.Fix, k track.Keeping)
	late func(in *introduced, f ship.Fix)
	ship func(in *introduced, s ship.State)
}

// read decodes the records of one frame. What stands before an error was already handed to v.
func (l *logReader) read(records []byte, v logVisitor) error {
	r := track.NewReader(records)
	for r.More() {
		head := r.Varint()
		kind, k, number := int(head&3), track.Keeping(head>>2&3), head>>4
		if kind == recordIntro {
			m := ais.MMSI(r.Varint())
			if r.Bad || number != 0 || m <= 0 {
				return track.ErrCorrupt
			}
			l.ships = append(l.ships, introduced{mmsi: m, coder: track.StartAt(l.base)})
			continue
		}
		if r.Bad || number >= uint64(len(l.ships)) {
			return track.ErrCorrupt
		}
		if err := l.record(&r, &l.ships[number], kind, k, v); err != nil {
			return err
		}
	}
	return nil
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
