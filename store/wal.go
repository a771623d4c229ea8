package store

import (
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"os"
	"quaywatch/store/track"
	"slices"
)

// castagnoli is the table of CRC32C, which the processors of small boxes compute in hardware.
var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// The append log is one file of segments of equal size, written beforehand and overwritten in place, so that a sync moves
// data but no file size:
//
//	file:     magic 8 | version 4 | segment size 4 | log id 16 | CRC32C 4 | zeros up to 4096 | segments
//	segment:  magic 4 | bytes used in the segment before 4 | sequence 8 | base time 8 | log id, first half 8 | 0 4 | CRC32C 4 | frames
//	frame:    length 4 | CRC32C 4 | records
//
// A segment that is used again gets a new sequence, never given before, and the checksum of a frame goes over the
// checksum of what stands before it: so no frame of an earlier use, and none behind a torn one, is ever taken for a new one.
const (
	walMagic      = "QUAYWAL1"
	walVersion    = 1
	walPage       = 4096
	segmentMagic  = "QWSG"
	segmentSize   = 8 << 20
	segmentHeader = 40
	frameHeader   = 8
	batchFront    = segmentHeader + frameHeader // room kept free before the records of a batch
	spareSegments = 2                           // segments that are written beforehand at the first start
)

// segment is what the log knows of one of its segments.
type segment struct {
	sequence uint64 // 0 was never used
	base     int64  // Unix milliseconds; times of the first records are coded against it
	used     int    // bytes, header included, up to the end of the last whole frame
	chain    uint32 // checksum of the last whole frame, or of the header
}

// wal is the append log's file. One goroutine at a time may use it.
type wal struct {
	path     string
	f        *os.File
	id       [16]byte
	segments []segment
	current  int // index of the segment being written, -1 before the first
	datasync func(*os.File) error
	written  uint64
}

// batch is records of one segment on their way to the disk; data begins with batchFront free bytes.
type batch struct {
	sequence uint64
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

// openWAL opens a log and reads the headers of its segments; replay must follow before the first write.
func openWAL(path string) (*wal, error) {
	f, err := os.OpenFile(path, os.O_RDWR, 0o600)
	if err != nil {
		return nil, err
	}
	w := &wal{path: path, f: f, current: -1, datasync: dataSync}
	if err := w.readHeaders(); err != nil {
		f.Close()
		return nil, fmt.Errorf("read log %s: %w", path, err)
	}
	return w, nil
}

func (w *wal) readHeaders() error {
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
	for i := range w.segments {
		b := make([]byte, segmentHeader)
		if _, err := w.f.ReadAt(b, segmentAt(i)); err != nil {
			return err
		}
		w.segments[i] = w.parseHeader(b)
	}
	return nil
}

// parseHeader gives an unused segment for bytes that are no header of this log.
func (w *wal) parseHeader(b []byte) segment {
	e := binary.BigEndian
	sum := e.Uint32(b[36:])
	if string(b[:4]) != segmentMagic || crc32.Checksum(b[:36], castagnoli) != sum || string(b[24:32]) != string(w.id[:8]) {
		return segment{}
	}
	return segment{sequence: e.Uint64(b[8:]), base: int64(e.Uint64(b[16:])), used: segmentHeader, chain: sum}
}

// putHeader writes the header of s into b and gives its checksum.
func (w *wal) putHeader(b []byte, s segment, before int) uint32 {
	e := binary.BigEndian
	clear(b[:segmentHeader])
	copy(b, segmentMagic)
	e.PutUint32(b[4:], uint32(before))
	e.PutUint64(b[8:], s.sequence)
	e.PutUint64(b[16:], uint64(s.base))
	copy(b[24:32], w.id[:8])
	sum := crc32.Checksum(b[:36], castagnoli)
	e.PutUint32(b[36:], sum)
	return sum
}

// frameSum chains the checksum of a frame to that of the frame before it.
func frameSum(chain uint32, records []byte) uint32 {
	var b [8]byte
	binary.BigEndian.PutUint32(b[:4], chain)
	binary.BigEndian.PutUint32(b[4:], uint32(len(records)))
	return crc32.Update(crc32.Checksum(b[:], castagnoli), castagnoli, records)
}

// frames calls fn with the records of each whole frame of a segment's bytes, in order, and gives where the last whole
// frame ends and its checksum. It stops at the first frame that is broken, by checksum or by what fn says.
func frames(s segment, b []byte, fn func(records []byte) error) (segment, error) {
	for s.used+frameHeader <= len(b) {
		n := int(binary.BigEndian.Uint32(b[s.used:]))
		if n == 0 || n > len(b)-s.used-frameHeader {
			return s, nil
		}
		records := b[s.used+frameHeader : s.used+frameHeader+n]
		sum := frameSum(s.chain, records)
		if sum != binary.BigEndian.Uint32(b[s.used+4:]) {
			return s, nil
		}
		if err := fn(records); err != nil {
			return s, err
		}
		s.used, s.chain = s.used+frameHeader+n, sum
	}
	return s, nil
}

// replay hands the records of every live segment, first to last, to fn, and makes the log ready to be continued after the
// last whole frame. A gap in what must be whole does not stop it, but is reported in damage.
func (w *wal) replay(firstLive uint64, begin func(segment), fn func(records []byte) error) (damage []error, err error) {
	buf := make([]byte, segmentSize)
	before := segment{}
	for _, i := range w.live(firstLive) {
		s := w.segments[i]
		if _, err := w.f.ReadAt(buf, segmentAt(i)); err != nil && !errors.Is(err, io.EOF) {
			return damage, fmt.Errorf("read segment %d of %s: %w", i, w.path, err)
		}
		if want := int(binary.BigEndian.Uint32(buf[4:])); before.sequence == s.sequence-1 && before.used != want {
			damage = append(damage, fmt.Errorf("log segment %d: %d of %d bytes are whole", before.sequence, before.used, want))
		} else if before.sequence != 0 && before.sequence != s.sequence-1 {
			damage = append(damage, fmt.Errorf("log segments %d to %d are missing", before.sequence+1, s.sequence-1))
		}
		begin(s)
		s, err := frames(s, buf, fn)
		if err != nil {
			damage = append(damage, fmt.Errorf("log segment %d at byte %d: %w", s.sequence, s.used, err))
		}
		w.segments[i], before, w.current = s, s, i
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

// write appends a batch and syncs it. When it fails nothing counts as written, and the same batch may be given again.
func (w *wal) write(b *batch) error {
	var s segment
	i, from := w.current, segmentHeader
	if i >= 0 {
		s = w.segments[i]
	}
	if s.sequence != b.sequence {
		before := s.used
		var err error
		if i, err = w.freeSegment(); err != nil {
			return fmt.Errorf("grow log %s: %w", w.path, err)
		}
		s = segment{sequence: b.sequence, base: b.base, used: segmentHeader}
		s.chain = w.putHeader(b.data, s, before)
		from = 0
	}
	records := b.data[batchFront:]
	sum := frameSum(s.chain, records)
	binary.BigEndian.PutUint32(b.data[segmentHeader:], uint32(len(records)))
	binary.BigEndian.PutUint32(b.data[segmentHeader+4:], sum)
	if _, err := w.f.WriteAt(b.data[from:], segmentAt(i)+int64(s.used-segmentHeader+from)); err != nil {
		return fmt.Errorf("write log %s: %w", w.path, err)
	}
	if err := w.datasync(w.f); err != nil {
		return fmt.Errorf("sync log %s: %w", w.path, err)
	}
	s.used, s.chain = s.used+frameHeader+len(records), sum
	w.segments[i], w.current = s, i
	w.written += uint64(len(b.data) - from)
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
		got, _ := frames(w.parseHeader(buf), buf[:s.used], func([]byte) error { return nil })
		if got != s {
			return fmt.Errorf("%w: log segment %d of %s has lost synced records", track.ErrCorrupt, s.sequence, w.path)
		}
	}
	return nil
}

func (w *wal) size() int64 { return segmentAt(len(w.segments)) }
