package wal

import (
	"bytes"
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"quaywatch/store/track"
)

// Bundle is records of one segment on their way to the disk; data begins with FrameHeader free bytes.
type Bundle struct {
	sequence uint64
	back     uint32
	base     int64
	data     []byte
	fixes    int
}

// live returns the indexes of the segments from firstLive on, in order of their sequences.
func (w *Log) live(firstLive uint64) []int {
	var list []int
	for i, s := range w.Segments {
		if s.Sequence != 0 && s.Sequence >= firstLive {
			list = append(list, i)
		}
	}
	slices.SortFunc(list, func(a, b int) int { return cmp.Compare(w.Segments[a].Sequence, w.Segments[b].Sequence) })
	return list
}

// Release frees the segments before firstLive.
func (w *Log) Release(firstLive uint64) {
	for i := range w.Segments {
		if i != w.Current && w.Segments[i].Sequence < firstLive {
			w.Segments[i] = Segment{}
		}
	}
}

// Write appends a batch as a frame and syncs it. When it fails nothing counts as written, and the same batch may be given again.
func (w *Log) Write(b *Bundle) error {
	i, s := w.Current, Segment{Sequence: b.sequence}
	if i >= 0 && w.Segments[i].Sequence == b.sequence {
		s = w.Segments[i]
	} else {
		var err error
		if i, err = w.freeSegment(); err != nil {
			return fmt.Errorf("grow log %s: %w", w.Path, err)
		}
	}
	if s.Frames == 1 { // the first frame of a segment is synced
		if err := w.putTip(s.Sequence, s.last); err != nil {
			return fmt.Errorf("write log %s: %w", w.Path, err)
		}
	}
	w.putFrame(b)
	if _, err := w.F.WriteAt(b.data, SegmentAt(i)+int64(s.Used)); err != nil {
		return fmt.Errorf("write log %s: %w", w.Path, err)
	}
	if err := w.Sync(w.F); err != nil {
		return fmt.Errorf("sync log %s: %w", w.Path, err)
	}
	s.Used, s.last = s.Used+len(b.data), w.next
	s.Frames++
	w.Segments[i], w.Current = s, i
	w.next++
	w.Written.Add(uint64(len(b.data)))
	return nil
}

func (w *Log) freeSegment() (int, error) {
	for i, s := range w.Segments {
		if s.Sequence == 0 {
			return i, nil
		}
	}
	if err := w.addSegment(); err != nil {
		return 0, err
	}
	return len(w.Segments) - 1, nil
}

// Prepare writes a segment beforehand when none is free, so that no sync has to wait for it.
func (w *Log) Prepare() error {
	for i, s := range w.Segments {
		if s.Sequence == 0 && i != w.Current {
			return nil
		}
	}
	return w.addSegment()
}

func (w *Log) addSegment() error {
	if err := writeZeros(w.F, SegmentAt(len(w.Segments))); err != nil {
		return err
	}
	if err := w.F.Sync(); err != nil {
		return err
	}
	w.Segments = append(w.Segments, Segment{})
	w.Bytes.Store(w.Size())
	return nil
}

// Trim returns the disk back what a burst of traffic took: free segments at the end, all but spareSegments.
func (w *Log) Trim() error {
	n, free := len(w.Segments), 0
	for _, s := range w.Segments {
		if s.Sequence == 0 {
			free++
		}
	}
	for n > 0 && w.Segments[n-1].Sequence == 0 && free > spareSegments {
		n, free = n-1, free-1
	}
	if n == len(w.Segments) {
		return nil
	}
	w.Segments = w.Segments[:n]
	w.Bytes.Store(w.Size())
	return w.F.Truncate(SegmentAt(n))
}

// Reopen opens the file anew after an error and checks that all that counts as synced is there.
func (w *Log) Reopen() error {
	f, err := os.OpenFile(w.Path, os.O_RDWR, 0o600)
	if err != nil {
		return err
	}
	w.F.Close()
	w.F = f
	buf := make([]byte, SegmentSize)
	for i, s := range w.Segments {
		if s.Sequence == 0 {
			continue
		}
		if _, err := f.ReadAt(buf, SegmentAt(i)); err != nil {
			return err
		}
		if got := w.Frames(s.Sequence, buf[:s.Used], func(Frame, int) {}); got != s {
			return fmt.Errorf("%w: log segment %d of %s has lost synced records", track.ErrCorrupt, s.Sequence, w.Path)
		}
	}
	return nil
}

// Fill makes a file that was cut as long as it should be.
func (w *Log) Fill() error {
	if w.cut < 0 {
		return nil
	}
	info, err := w.F.Stat()
	if err != nil {
		return err
	}
	at := max(info.Size(), walPage)
	if _, err := w.F.WriteAt(make([]byte, SegmentAt(len(w.Segments))-at), at); err != nil {
		return err
	}
	w.cut = -1
	return w.F.Sync()
}

// mostAside is how many files with bytes of damaged segments are kept.
const mostAside = 8

// SetAside copies the bytes of segments in which frames could not be read into files beside the log, named by their sequence. It does so before the segments
// are used again.
func (w *Log) SetAside(save func(path string, b []byte) error) error {
	kept, err := filepath.Glob(w.Path + ".damaged-*")
	if err != nil {
		return err
	}
	buf := make([]byte, SegmentSize)
	for i := range w.Segments {
		path := fmt.Sprintf("%s.damaged-%d", w.Path, w.Segments[i].Sequence)
		if !w.bad[i] || len(kept) >= mostAside || slices.Contains(kept, path) {
			continue
		}
		if err := w.readSegment(i, buf); err != nil {
			return err
		}
		if err := save(path, bytes.TrimRight(buf, "\x00")); err != nil {
			return fmt.Errorf("set aside a segment of the log: %w", err)
		}
		kept = append(kept, path)
	}
	return nil
}
