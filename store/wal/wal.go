// Package wal is the append log of a store. It holds frames of records that prove by themselves what they are, in segments that are used in turn.
//
// It promises that each frame that was synced and is whole is given again, whatever else in the file is damaged. It also promises that what is missing is told.
// It does not know what is in the database: the store says which segments it still needs.
//
// Dangerous: one goroutine at a time may use a Log or a Writer.
package wal

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"os"
	"sync/atomic"

	"quaywatch/store/track"
)

// The append log is one file of segments of equal size. They are written beforehand and overwritten in place, so a sync moves data but no
// file size:
//
//	file:     magic 8 | version 4 | segment size 4 | log id 16 | CRC32C 4 | zeros | tip at 1024 | zeros up to 4096 | segments
//	tip:      segment 8 | number 8 | CRC32C 4: the log reached this frame, or further; after a clean stop it ends with it
//	segment:  frames, one behind the other
//	frame:    marker 4 | length 4 | segment 8 | number 8 | back 4 | base time 8 | CRC32C 4 | records
//
// A segment that is used again gets a new sequence, never given before, which stands in each of its frames. The checksum goes over the id of the log, the
// header and the records. So a frame proves by itself what it is. Reading finds the next frame behind a bad one, and never takes a frame of an earlier use or
// of another log. Frames are numbered through: a gap in the numbers is damage, and no torn end.
//
// Records build on those before them, back to the first frame of their group, which is so many frames back. A new group begins every
// few minutes: so much is lost with one bad frame.
const (
	walMagic      = "QUAYLOG1"
	walVersion    = 1
	walPage       = 4096
	walTip        = 1024
	frameMarker   = "\xF5QWF"
	SegmentSize   = 8 << 20 // bytes
	FrameHeader   = 40      // bytes before the records of a frame
	spareSegments = 2       // segments that are written beforehand at the first start
)

// crcTable is the table of CRC32C.
var crcTable = crc32.MakeTable(crc32.Castagnoli)

// Segment is what the log knows of one of its segments.
type Segment struct {
	Sequence uint64 // 0 was never used
	Used     int    // bytes up to the end of the last whole frame
	last     uint64 // number of that frame
	Frames   int    // whole ones
}

// Frame is what is synced at once.
type Frame struct {
	Segment uint64
	Number  uint64
	back    uint32 // frames since the first of its group
	base    int64  // Unix milliseconds; times of the first records of the group are coded against it
	records []byte
}

// Log is the append log's file. One goroutine at a time may use it.
type Log struct {
	Path     string
	F        *os.File
	ID       [16]byte
	Segments []Segment
	Current  int    // index of the segment being written, -1 before the first
	next     uint64 // number of the next frame
	Sync     func(*os.File) error
	Bytes    atomic.Int64  // size of the file
	Written  atomic.Uint64 // to it, since it was opened
	tip      Frame         // the newest frame that the file says it has; number 0: unknown
	cut      int           // the segment in which the file ends too early, -1 none
	torn     bool          // the last frame was begun and is not whole
	bad      map[int]bool  // segments with bytes that should be frames
}

// Gap is frames that should be in the log and cannot be read.
type Gap struct {
	Segment     uint64 // of the frame behind them, or of the last one
	First, Last uint64 // their numbers; 0 unknown
}

func (g Gap) String() string {
	switch {
	case g.First == 0:
		return fmt.Sprintf("log segment %d, frames up to %d", g.Segment, g.Last)
	case g.Last == 0:
		return fmt.Sprintf("log segment %d, frames from %d on", g.Segment, g.First)
	}
	return fmt.Sprintf("log segment %d, frames %d to %d", g.Segment, g.First, g.Last)
}

// Create makes an empty log and syncs it. Make it beside its final name: it is a log only when it is whole.
func Create(path string, id [16]byte) error {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return err
	}
	defer f.Close()
	page := make([]byte, walPage)
	copy(page, walHeader(id))
	if _, err := f.WriteAt(page, 0); err != nil {
		return err
	}
	for i := range spareSegments {
		if err := writeZeros(f, SegmentAt(i)); err != nil {
			return err
		}
	}
	return f.Sync()
}

// walHeader returns the bytes that a log begins with.
func walHeader(id [16]byte) []byte {
	e := binary.BigEndian
	head := e.AppendUint32(e.AppendUint32([]byte(walMagic), walVersion), SegmentSize)
	head = append(head, id[:]...)
	return e.AppendUint32(head, crc32.Checksum(head, crcTable))
}

func SegmentAt(i int) int64 { return walPage + int64(i)*SegmentSize }

func writeZeros(f *os.File, at int64) error {
	zeros := make([]byte, 256<<10)
	for done := 0; done < SegmentSize; done += len(zeros) {
		if _, err := f.WriteAt(zeros, at+int64(done)); err != nil {
			return err
		}
	}
	return nil
}

// ErrHeader says that the first bytes of a log are not those of a log.
var ErrHeader = fmt.Errorf("%w: header of the log", track.ErrCorrupt)

// ErrVersion says that a log is of a newer program.
var ErrVersion = errors.New("the log was written by a newer program; use that program")

// Open opens a log. Of one that may hold anything, readSequences and replay must follow before the first write. Beside errHeader it returns
// the log all the same, without an id.
func Open(path string) (*Log, error) {
	f, err := os.OpenFile(path, os.O_RDWR, 0o600)
	if err != nil {
		return nil, err
	}
	w, err := Read(path, f)
	if err != nil && !errors.Is(err, ErrHeader) {
		f.Close()
		return nil, err
	}
	return w, err
}

// Read reads the header of a log.
func Read(path string, f *os.File) (*Log, error) {
	w := &Log{Path: path, F: f, Current: -1, next: 1, Sync: DataSync, cut: -1, bad: map[int]bool{}}
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	w.Segments = make([]Segment, (max(0, info.Size()-walPage)+SegmentSize-1)/SegmentSize)
	w.Bytes.Store(w.Size())
	if info.Size() < SegmentAt(len(w.Segments)) {
		w.cut = len(w.Segments) - 1
	}
	return w, w.readHeader()
}

func (w *Log) readHeader() error {
	head := make([]byte, walTip+20)
	if _, err := w.F.ReadAt(head, 0); err != nil && !errors.Is(err, io.EOF) {
		return err
	}
	e := binary.BigEndian
	if string(head[:8]) != walMagic || crc32.Checksum(head[:32], crcTable) != e.Uint32(head[32:]) {
		return ErrHeader
	}
	if e.Uint32(head[8:]) != walVersion || e.Uint32(head[12:]) != SegmentSize {
		return fmt.Errorf("%w: its version is %d, with segments of %d bytes", ErrVersion, e.Uint32(head[8:]), e.Uint32(head[12:]))
	}
	copy(w.ID[:], head[16:])
	if tip := head[walTip:]; w.tipSum(tip) == e.Uint32(tip[16:]) {
		w.tip = Frame{Segment: e.Uint64(tip), Number: e.Uint64(tip[8:])}
		w.next = max(w.next, w.tip.Number+1)
	}
	return nil
}

func (w *Log) tipSum(tip []byte) uint32 {
	return crc32.Update(crc32.Checksum(w.ID[:], crcTable), crcTable, tip[:16])
}

// putTip notes a frame that is synced. The note itself lasts from the next sync on.
func (w *Log) putTip(segment, number uint64) error {
	e := binary.BigEndian
	tip := e.AppendUint64(e.AppendUint64(nil, segment), number)
	_, err := w.F.WriteAt(e.AppendUint32(tip, w.tipSum(tip)), walTip)
	return err
}

// Finish notes where the log ends, so that the next start knows whether all of it is there.
func (w *Log) Finish() error {
	if w.Current < 0 {
		return nil
	}
	if err := w.putTip(w.Segments[w.Current].Sequence, w.next-1); err != nil {
		return err
	}
	return w.Sync(w.F)
}

// Adopt makes a log with a damaged header one with this id, if it holds frames with that id, or nothing at all. It returns false for
// any other.
func (w *Log) Adopt(id [16]byte) (bool, error) {
	w.ID = id
	empty := true
	buf := make([]byte, SegmentSize)
	for i := range w.Segments {
		if err := w.readSequence(i, buf); err != nil {
			return false, err
		}
		if w.Segments[i].Sequence != 0 {
			_, err := w.F.WriteAt(walHeader(id), 0)
			return true, err
		}
		empty = empty && len(bytes.Trim(buf, "\x00")) == 0
	}
	if empty {
		_, err := w.F.WriteAt(walHeader(id), 0)
		return true, err
	}
	return false, nil
}

// ReadSequences finds out what the segments were used for last. A log that was just made needs none of it.
func (w *Log) ReadSequences() error {
	buf := make([]byte, SegmentSize)
	for i := range w.Segments {
		if err := w.readSequence(i, buf); err != nil {
			return err
		}
	}
	return nil
}

// readSequence finds out what a segment was used for last: its first frame says it, or when that is bad, the newest that is there.
func (w *Log) readSequence(i int, buf []byte) error {
	if err := w.readSegment(i, buf); err != nil {
		return err
	}
	if f, ok := w.frameAt(buf); ok {
		w.Segments[i].Sequence = f.Segment
		return nil
	}
	w.eachFrame(buf, func(f Frame, _ int) {
		w.Segments[i].Sequence = max(w.Segments[i].Sequence, f.Segment)
	})
	w.bad[i] = w.Segments[i].Sequence == 0 && bytes.Contains(buf, []byte(frameMarker))
	return nil
}

// readSegment reads a whole segment. What the disk does not give, and what was cut, is zeros.
func (w *Log) readSegment(i int, buf []byte) error {
	n, err := w.F.ReadAt(buf, SegmentAt(i))
	if err == nil || errors.Is(err, io.EOF) {
		clear(buf[n:])
		return nil
	}
	for at := 0; at < len(buf); at += walPage {
		part := buf[at : at+walPage]
		if n, err := w.F.ReadAt(part, SegmentAt(i)+int64(at)); err != nil {
			clear(part[n:])
		}
	}
	return nil
}

// putFrame writes the header of a frame into the bytes kept free before its records.
func (w *Log) putFrame(b *Bundle) {
	h, e := b.data[:FrameHeader], binary.BigEndian
	copy(h, frameMarker)
	e.PutUint32(h[4:], uint32(len(b.data)-FrameHeader))
	e.PutUint64(h[8:], b.sequence)
	e.PutUint64(h[16:], w.next)
	e.PutUint32(h[24:], b.back)
	e.PutUint64(h[28:], uint64(b.base))
	e.PutUint32(h[36:], w.frameSum(b.data))
}

// frameSum returns the checksum of a whole frame.
func (w *Log) frameSum(b []byte) uint32 {
	sum := crc32.Update(crc32.Checksum(w.ID[:], crcTable), crcTable, b[:36])
	return crc32.Update(sum, crcTable, b[FrameHeader:])
}

// frameAt returns the frame that b begins with, if it is whole.
func (w *Log) frameAt(b []byte) (Frame, bool) {
	if len(b) < FrameHeader || string(b[:4]) != frameMarker {
		return Frame{}, false
	}
	e := binary.BigEndian
	n := uint64(e.Uint32(b[4:]))
	if n == 0 || n > uint64(len(b)-FrameHeader) || w.frameSum(b[:FrameHeader+n]) != e.Uint32(b[36:]) {
		return Frame{}, false
	}
	return Frame{e.Uint64(b[8:]), e.Uint64(b[16:]), e.Uint32(b[24:]), int64(e.Uint64(b[28:])), b[FrameHeader : FrameHeader+n]}, true
}

// eachFrame calls fn with every whole frame in b and where it begins, of whatever use of the segment.
func (w *Log) eachFrame(b []byte, fn func(f Frame, at int)) {
	for at := 0; ; {
		if f, ok := w.frameAt(b[at:]); ok {
			fn(f, at)
			at += FrameHeader + len(f.records)
			continue
		}
		next := bytes.Index(b[min(at+1, len(b)):], []byte(frameMarker))
		if next < 0 {
			return
		}
		at += 1 + next
	}
}

// Frames calls fn with every whole frame of a segment and where it begins, in order, and returns what is known of the segment then.
func (w *Log) Frames(sequence uint64, b []byte, fn func(f Frame, at int)) Segment {
	s := Segment{Sequence: sequence}
	w.eachFrame(b, func(f Frame, at int) {
		if f.Segment == sequence {
			s.Used, s.last = at+FrameHeader+len(f.records), f.Number
			s.Frames++
			fn(f, at)
		}
	})
	return s
}

// Replay hands fn every whole frame of the live segments, first to last, and makes the log ready to be continued behind
// the last one. It returns lost what is missing before a frame, and at the end.
func (w *Log) Replay(firstLive uint64, fn func(f Frame), lost func(Gap)) error {
	live := w.live(firstLive)
	var buf []byte
	if len(live) > 0 { // a log that was just made has none
		buf = make([]byte, SegmentSize)
	}
	var before Frame // the last one that was read
	for _, i := range live {
		sequence := w.Segments[i].Sequence
		if err := w.readSegment(i, buf); err != nil {
			return fmt.Errorf("read segment %d of %s: %w", i, w.Path, err)
		}
		s := w.Frames(sequence, buf, func(f Frame, at int) {
			missing := before.Number == 0 && (at > 0 || firstLive > 0 && f.Segment > firstLive)
			if missing || before.Number != 0 && f.Number != before.Number+1 {
				w.spoilt(at, i)
				g := Gap{Segment: f.Segment, Last: f.Number - 1}
				if before.Number != 0 {
					g.First = before.Number + 1
				}
				lost(g)
			}
			fn(f)
			before = f
		})
		w.Segments[i], w.Current, w.next = s, i, max(w.next, s.last+1)
		w.torn = s.Frames > 0 && looksLikeFrame(buf[s.Used:], s.Sequence, s.last+1)
	}
	switch {
	case w.tip.Number > before.Number && w.tip.Segment >= firstLive:
		w.spoilt(1, w.Current)
		g := Gap{Segment: w.tip.Segment, Last: w.tip.Number}
		if before.Number != 0 {
			g.First = before.Number + 1
		}
		lost(g)
	case len(w.Segments) == 0: // a log is made with some
		lost(Gap{First: 1})
	case w.cut >= 0 && w.cut == w.Current: // a segment in use is whole on the disk
		lost(Gap{Segment: before.Segment, First: before.Number + 1})
	}
	return nil
}

// Torn tells, after Replay, that a frame was begun behind the last whole one. The stop cut it off, or it is damaged: that cannot be told apart.
func (w *Log) Torn() bool { return w.torn }

// spoilt notes the segment that holds what stood before a frame of the segment i.
func (w *Log) spoilt(at, i int) {
	if at == 0 {
		i = w.Current
	}
	if i >= 0 {
		w.bad[i] = true
	}
}

func (w *Log) Size() int64 { return SegmentAt(len(w.Segments)) }
