package store

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"os"
	"slices"
	"sync/atomic"

	"quaywatch/store/track"
)

// The append log is one file of segments of equal size. They are written beforehand and overwritten in place, so a sync moves data but no
// file size:
//
//	file:     magic 8 | version 4 | segment size 4 | log id 16 | CRC32C 4 | zeros up to 4096 | segments
//	segment:  frames, one behind the other
//	frame:    marker 4 | length 4 | segment 8 | number 8 | back 4 | base time 8 | CRC32C 4 | records
//
// A segment that is used again gets a new sequence, never given before, which stands in each of its frames. The checksum goes over the
// id of the log, the header and the records. So a frame proves by itself what it is: reading finds the next one behind a bad one, and never
// takes one of an earlier use or of another log. Frames are numbered through: a gap in the numbers is damage, and no torn end.
//
// Records build on those before them, back to the first frame of their group, which is so many frames back. A new group begins every
// few minutes: so much is lost with one bad frame.
const (
	walMagic      = "QUAYLOG1"
	walVersion    = 1
	walPage       = 4096
	frameMarker   = "\xF5QWF"
	segmentSize   = 8 << 20
	frameHeader   = 40
	spareSegments = 2 // segments that are written beforehand at the first start
)

// segment is what the log knows of one of its segments.
type segment struct {
	sequence uint64 // 0 was never used
	used     int    // bytes up to the end of the last whole frame
	last     uint64 // number of that frame
	frames   int    // whole ones
}

// frame is what is synced at once.
type frame struct {
	segment uint64
	number  uint64
	back    uint32 // frames since the first of its group
	base    int64  // Unix milliseconds; times of the first records of the group are coded against it
	records []byte
}

// wal is the append log's file. One goroutine at a time may use it.
type wal struct {
	path     string
	f        *os.File
	id       [16]byte
	segments []segment
	current  int    // index of the segment being written, -1 before the first
	next     uint64 // number of the next frame
	datasync func(*os.File) error
	bytes    atomic.Int64  // size of the file
	written  atomic.Uint64 // to it, since it was opened
}

// batch is records of one segment on their way to the disk; data begins with frameHeader free bytes.
type batch struct {
	sequence uint64
	back     uint32
	base     int64
	data     []byte
	fixes    int
}

// createWAL makes an empty log beside its final name, syncs it and renames it.
func createWAL(path string, id [16]byte) error {
	f, err := os.OpenFile(path+".new", os.O_RDWR|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return err
	}
	defer f.Close()
	page := make([]byte, walPage)
	copy(page, walMagic)
	binary.BigEndian.PutUint32(page[8:], walVersion)
	binary.BigEndian.PutUint32(page[12:], segmentSize)
	copy(page[16:], id[:])
	binary.BigEndian.PutUint32(page[32:], crc32.Checksum(page[:32], castagnoli))
	if _, err := f.WriteAt(page, 0); err != nil {
		return err
	}
	for i := range spareSegments {
		if err := writeZeros(f, segmentAt(i)); err != nil {
			return err
		}
	}
	if err := f.Sync(); err != nil {
		return err
	}
	return renameSynced(path+".new", path)
}

func segmentAt(i int) int64 { return walPage + int64(i)*segmentSize }

func writeZeros(f *os.File, at int64) error {
	zeros := make([]byte, 256<<10)
	for done := 0; done < segmentSize; done += len(zeros) {
		if _, err := f.WriteAt(zeros, at+int64(done)); err != nil {
			return err
		}
	}
	return nil
}

// openWAL opens a log. Of one that may hold anything, readSequences and replay must follow before the first write.
func openWAL(path string) (*wal, error) {
	f, err := os.OpenFile(path, os.O_RDWR, 0o600)
	if err != nil {
		return nil, err
	}
	w := &wal{path: path, f: f, current: -1, next: 1, datasync: dataSync}
	if err := w.readHeader(); err != nil {
		f.Close()
		return nil, fmt.Errorf("read log %s: %w", path, err)
	}
	return w, nil
}

func (w *wal) readHeader() error {
	head := make([]byte, 36)
	if _, err := w.f.ReadAt(head, 0); err != nil {
		return err
	}
	e := binary.BigEndian
	if string(head[:8]) != walMagic || crc32.Checksum(head[:32], castagnoli) != e.Uint32(head[32:]) {
		return fmt.Errorf("%w: file header", track.ErrCorrupt)
	}
	if e.Uint32(head[8:]) != walVersion || e.Uint32(head[12:]) != segmentSize {
		return fmt.Errorf("format version %d with segments of %d bytes is not known", e.Uint32(head[8:]), e.Uint32(head[12:]))
	}
	copy(w.id[:], head[16:])
	info, err := w.f.Stat()
	if err != nil {
		return err
	}
	w.segments = make([]segment, max(0, (info.Size()-walPage)/segmentSize))
	w.bytes.Store(w.size())
	return nil
}

// readSequences finds out what the segments were used for last. A log that was just made needs none of it.
func (w *wal) readSequences() error {
	buf := make([]byte, segmentSize)
	for i := range w.segments {
		if err := w.readSequence(i, buf); err != nil {
			return err
		}
	}
	return nil
}

// readSequence finds out what a segment was used for last: its first frame says it, or when that is bad, the newest that is there.
func (w *wal) readSequence(i int, buf []byte) error {
	if _, err := w.f.ReadAt(buf, segmentAt(i)); err != nil {
		return err
	}
	if f, ok := w.frameAt(buf); ok {
		w.segments[i].sequence = f.segment
		return nil
	}
	w.eachFrame(buf, func(f frame, _ int) {
		w.segments[i].sequence = max(w.segments[i].sequence, f.segment)
	})
	return nil
}

// putFrame writes the header of a frame into the bytes kept free before its records.
func (w *wal) putFrame(b *batch) {
	h, e := b.data[:frameHeader], binary.BigEndian
	copy(h, frameMarker)
	e.PutUint32(h[4:], uint32(len(b.data)-frameHeader))
	e.PutUint64(h[8:], b.sequence)
	e.PutUint64(h[16:], w.next)
	e.PutUint32(h[24:], b.back)
	e.PutUint64(h[28:], uint64(b.base))
	e.PutUint32(h[36:], w.frameSum(b.data))
}

// frameSum gives the checksum of a whole frame.
func (w *wal) frameSum(b []byte) uint32 {
	sum := crc32.Update(crc32.Checksum(w.id[:], castagnoli), castagnoli, b[:36])
	return crc32.Update(sum, castagnoli, b[frameHeader:])
}

// frameAt gives the frame that b begins with, if it is whole.
func (w *wal) frameAt(b []byte) (frame, bool) {
	if len(b) < frameHeader || string(b[:4]) != frameMarker {
		return frame{}, false
	}
	e := binary.BigEndian
	n := uint64(e.Uint32(b[4:]))
	if n == 0 || n > uint64(len(b)-frameHeader) || w.frameSum(b[:frameHeader+n]) != e.Uint32(b[36:]) {
		return frame{}, false
	}
	return frame{e.Uint64(b[8:]), e.Uint64(b[16:]), e.Uint32(b[24:]), int64(e.Uint64(b[28:])), b[frameHeader : frameHeader+n]}, true
}

// eachFrame calls fn with every whole frame in b and where it begins, of whatever use of the segment.
func (w *wal) eachFrame(b []byte, fn func(f frame, at int)) {
	for at := 0; ; {
		if f, ok := w.frameAt(b[at:]); ok {
			fn(f, at)
			at += frameHeader + len(f.records)
			continue
		}
		next := bytes.Index(b[min(at+1, len(b)):], []byte(frameMarker))
		if next < 0 {
			return
		}
		at += 1 + next
	}
}

// frames calls fn with every whole frame of a segment and where it begins, in order, and gives what is known of the segment then.
func (w *wal) frames(sequence uint64, b []byte, fn func(f frame, at int)) segment {
	s := segment{sequence: sequence}
	w.eachFrame(b, func(f frame, at int) {
		if f.segment == sequence {
			s.used, s.last = at+frameHeader+len(f.records), f.number
			s.frames++
			fn(f, at)
		}
	})
	return s
}

// replay gives fn every whole frame of the live segments, first to last, and makes the log ready to be continued behind
// the last one. What is missing between them does not stop it, but is reported in damage.
func (w *wal) replay(firstLive uint64, fn func(f frame) error) (damage []error, err error) {
	buf := make([]byte, segmentSize)
	var before frame // the last one that was read
	for _, i := range w.live(firstLive) {
		sequence := w.segments[i].sequence
		if _, err := w.f.ReadAt(buf, segmentAt(i)); err != nil && !errors.Is(err, io.EOF) {
			return damage, fmt.Errorf("read segment %d of %s: %w", i, w.path, err)
		}
		if before.segment != 0 && before.segment+1 != sequence {
			damage = append(damage, fmt.Errorf("log segments %d to %d are missing", before.segment+1, sequence-1))
		}
		s := w.frames(sequence, buf, func(f frame, at int) {
			switch {
			case (before.number == 0 || f.segment > before.segment+1) && at > 0:
				damage = append(damage, fmt.Errorf("log segment %d: the frames before %d are damaged", f.segment, f.number))
			case f.segment <= before.segment+1 && before.number != 0 && f.number != before.number+1:
				damage = append(damage, fmt.Errorf("log segment %d: frames %d to %d are damaged", f.segment, before.number+1, f.number-1))
			}
			if err := fn(f); err != nil {
				damage = append(damage, fmt.Errorf("log segment %d, frame %d: %w", f.segment, f.number, err))
			}
			before = f
		})
		w.segments[i], w.current, w.next = s, i, max(w.next, s.last+1)
	}
	return damage, nil
}

// live gives the indexes of the segments from firstLive on, in order of their sequences.
func (w *wal) live(firstLive uint64) []int {
	var list []int
	for i, s := range w.segments {
		if s.sequence != 0 && s.sequence >= firstLive {
			list = append(list, i)
		}
	}
	slices.SortFunc(list, func(a, b int) int { return cmp.Compare(w.segments[a].sequence, w.segments[b].sequence) })
	return list
}

// release frees the segments before firstLive.
func (w *wal) release(firstLive uint64) {
	for i := range w.segments {
		if i != w.current && w.segments[i].sequence < firstLive {
			w.segments[i] = segment{}
		}
	}
}

// write appends a batch as a frame and syncs it. When it fails nothing counts as written, and the same batch may be given again.
func (w *wal) write(b *batch) error {
	i, s := w.current, segment{sequence: b.sequence}
	if i >= 0 && w.segments[i].sequence == b.sequence {
		s = w.segments[i]
	} else {
		var err error
		if i, err = w.freeSegment(); err != nil {
			return fmt.Errorf("grow log %s: %w", w.path, err)
		}
	}
	w.putFrame(b)
	if _, err := w.f.WriteAt(b.data, segmentAt(i)+int64(s.used)); err != nil {
		return fmt.Errorf("write log %s: %w", w.path, err)
	}
	if err := w.datasync(w.f); err != nil {
		return fmt.Errorf("sync log %s: %w", w.path, err)
	}
	s.used, s.last = s.used+len(b.data), w.next
	s.frames++
	w.segments[i], w.current = s, i
	w.next++
	w.written.Add(uint64(len(b.data)))
	return nil
}

func (w *wal) freeSegment() (int, error) {
	for i, s := range w.segments {
		if s.sequence == 0 {
			return i, nil
		}
	}
	if err := w.grow(); err != nil {
		return 0, err
	}
	return len(w.segments) - 1, nil
}

// prepare writes a segment beforehand when none is free, so that no sync has to wait for it.
func (w *wal) prepare() error {
	for i, s := range w.segments {
		if s.sequence == 0 && i != w.current {
			return nil
		}
	}
	return w.grow()
}

func (w *wal) grow() error {
	if err := writeZeros(w.f, segmentAt(len(w.segments))); err != nil {
		return err
	}
	if err := w.f.Sync(); err != nil {
		return err
	}
	w.segments = append(w.segments, segment{})
	w.bytes.Store(w.size())
	return nil
}

// trim gives the disk back what a burst of traffic took: free segments at the end, all but spareSegments.
func (w *wal) trim() error {
	n, free := len(w.segments), 0
	for _, s := range w.segments {
		if s.sequence == 0 {
			free++
		}
	}
	for n > 0 && w.segments[n-1].sequence == 0 && free > spareSegments {
		n, free = n-1, free-1
	}
	if n == len(w.segments) {
		return nil
	}
	w.segments = w.segments[:n]
	w.bytes.Store(w.size())
	return w.f.Truncate(segmentAt(n))
}

// reopen opens the file anew after an error and checks that all that counts as synced is there.
func (w *wal) reopen() error {
	f, err := os.OpenFile(w.path, os.O_RDWR, 0o600)
	if err != nil {
		return err
	}
	w.f.Close()
	w.f = f
	buf := make([]byte, segmentSize)
	for i, s := range w.segments {
		if s.sequence == 0 {
			continue
		}
		if _, err := f.ReadAt(buf, segmentAt(i)); err != nil {
			return err
		}
		if got := w.frames(s.sequence, buf[:s.used], func(frame, int) {}); got != s {
			return fmt.Errorf("%w: log segment %d of %s has lost synced records", track.ErrCorrupt, s.sequence, w.path)
		}
	}
	return nil
}

func (w *wal) size() int64 { return segmentAt(len(w.segments)) }
