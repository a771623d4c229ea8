package wal

import (
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"time"
)

// LogCopy is what CopyLog found in a log.
type LogCopy struct {
	Frames  int      // that are whole, of the segments that are needed
	Damage  []string // in words
	Missing []LogGap
}

// LogGap is a part of a log that cannot be read: what was heard between two times may be missing, of any ship.
type LogGap struct {
	From, To time.Time // To is zero when nothing follows
	Text     string
}

// copiedFrame is where a whole frame stands, without its records.
type copiedFrame struct {
	segment, number uint64
	back            uint32
	base            int64
	end             int // in its segment
}

// CopyLog copies the log of the store in a folder into another folder, as far as the medium gives it. The copy has a header that is whole. first is the first
// segment that is needed. copied is false when there is no log that belongs to the id.
func CopyLog(to, from string, id [16]byte, first uint64) (c LogCopy, copied bool, err error) {
	src, err := os.Open(filepath.Join(from, fileName))
	if errors.Is(err, os.ErrNotExist) {
		c.Damage = append(c.Damage, "there is no log: what was heard last and was not yet in the database is missing")
		c.Missing = append(c.Missing, LogGap{Text: "what the log held: up to an hour and a few minutes before the stop, of all ships"})
		return c, false, nil
	}
	if err != nil {
		return c, false, err
	}
	defer src.Close()
	info, err := src.Stat()
	if err != nil {
		return c, false, err
	}
	w := &Log{Path: src.Name(), F: src}
	if err := w.readHeader(); err != nil {
		c.Damage = append(c.Damage, fmt.Sprintf("the header of the log: %v", err))
	} else if w.ID != id {
		c.Damage = append(c.Damage, "the log belongs to another database, and was left out")
		return c, false, nil
	}
	w.ID = id
	dst, err := os.OpenFile(filepath.Join(to, fileName), os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return c, false, err
	}
	err = c.copySegments(dst, w, info.Size(), first)
	return c, true, errors.Join(err, dst.Sync(), dst.Close())
}

// LogID returns the id of the log in a folder, when its header can be read.
func LogID(dir string) (id [16]byte, ok bool) {
	f, err := os.Open(filepath.Join(dir, fileName))
	if err != nil {
		return id, false
	}
	defer f.Close()
	w := &Log{Path: f.Name(), F: f}
	err = w.readHeader()
	return w.ID, err == nil
}

// fileName is the name of the log in the folder of a store.
const fileName = "quaywatch.wal"

// copySegments copies the segments and looks at their frames.
func (c *LogCopy) copySegments(dst *os.File, w *Log, size int64, first uint64) error {
	if _, err := dst.WriteAt(walHeader(w.ID), 0); err != nil {
		return err
	}
	if size < walPage || (size-walPage)%SegmentSize != 0 {
		c.Damage = append(c.Damage, fmt.Sprintf("the log is cut: it has %d bytes", size))
		c.Missing = append(c.Missing, LogGap{Text: "what stood in the log behind the cut, if anything did"})
	}
	var frames []copiedFrame
	buf := make([]byte, SegmentSize)
	for i := 0; SegmentAt(i) < size; i++ {
		clear(buf)
		c.read(w.F, buf, SegmentAt(i), size)
		if _, err := dst.WriteAt(buf, SegmentAt(i)); err != nil {
			return err
		}
		frames = append(frames, c.segmentFrames(w, buf, first)...)
	}
	slices.SortFunc(frames, func(a, b copiedFrame) int {
		return cmp.Or(cmp.Compare(a.segment, b.segment), cmp.Compare(a.number, b.number))
	})
	c.Frames = len(frames)
	c.gaps(frames, first)
	c.compareTip(frames, w.tip, first)
	return nil
}

// compareTip compares the last frame with the one that the log is known to have reached.
func (c *LogCopy) compareTip(frames []copiedFrame, tip Frame, first uint64) {
	var last copiedFrame
	if n := len(frames); n > 0 {
		last = frames[n-1]
	}
	if tip.Number <= last.number || tip.Segment < first {
		return
	}
	gap := LogGap{Text: "what was heard last before the stop, of all ships"}
	if last.number > 0 {
		gap.From = time.UnixMilli(last.base).UTC()
	}
	c.Damage = append(c.Damage, fmt.Sprintf("the log is damaged: it reached frame %d, and what is behind frame %d is missing", tip.Number, last.number))
	c.Missing = append(c.Missing, gap)
}

// read fills buf from the file. What the medium does not give stays zero.
func (c *LogCopy) read(f *os.File, buf []byte, at, size int64) {
	const part = 64 << 10
	for done := int64(0); done < SegmentSize && at+done < size; done += part {
		n := min(part, size-at-done)
		if _, err := f.ReadAt(buf[done:done+n], at+done); err != nil && err != io.EOF {
			c.Damage = append(c.Damage, fmt.Sprintf("read the log at byte %d: %v", at+done, err))
		}
	}
}

// segmentFrames returns the frames of the last use of a segment, when it is needed. It also tells of a segment that ends in bytes that are no frame.
func (c *LogCopy) segmentFrames(w *Log, buf []byte, first uint64) (frames []copiedFrame) {
	newest := uint64(0)
	w.eachFrame(buf, func(f Frame, _ int) { newest = max(newest, f.Segment) })
	if newest < first {
		newest = first
	}
	w.eachFrame(buf, func(f Frame, at int) {
		if f.Segment == newest {
			frames = append(frames, copiedFrame{f.Segment, f.Number, f.back, f.base, at + FrameHeader + len(f.records)})
		}
	})
	if len(frames) == 0 {
		if slices.ContainsFunc(buf, func(b byte) bool { return b != 0 }) && newest == first {
			c.noteBadSegment(w, buf)
		}
		return nil
	}
	last := frames[len(frames)-1]
	if b := buf[last.end:]; looksLikeFrame(b, last.segment, last.number+1) {
		c.Damage = append(c.Damage, fmt.Sprintf("log segment %d: frame %d, the last one, is cut or damaged", last.segment, last.number+1))
		c.Missing = append(c.Missing, LogGap{From: time.UnixMilli(last.base).UTC(), Text: "what was heard in the last moments before the stop"})
	}
	return frames
}

// noteBadSegment tells of a segment without one whole frame of a use that is needed. One that was freed holds whole frames of earlier uses.
func (c *LogCopy) noteBadSegment(w *Log, buf []byte) {
	old := false
	w.eachFrame(buf, func(Frame, int) { old = true })
	if !old {
		c.Damage = append(c.Damage, "a segment of the log holds no whole frame")
		c.Missing = append(c.Missing, LogGap{Text: "what a segment of the log held: up to 8 MiB of what was heard last"})
	}
}

// looksLikeFrame reports whether bytes look like the next frame of a segment that is not whole: most of its header is right.
func looksLikeFrame(b []byte, segment, number uint64) bool {
	if len(b) < FrameHeader {
		return false
	}
	right := 0
	for _, fits := range []bool{string(b[:4]) == frameMarker, binary.BigEndian.Uint64(b[8:]) == segment, binary.BigEndian.Uint64(b[16:]) == number} {
		if fits {
			right++
		}
	}
	return right >= 2
}

// gaps compares the numbers of frames in their order.
func (c *LogCopy) gaps(frames []copiedFrame, first uint64) {
	for i, f := range frames {
		var before copiedFrame
		if i > 0 {
			before = frames[i-1]
		}
		switch {
		case i == 0 && f.segment == max(first, 1) && f.number > 1 && f.back > 0:
			c.gap(frames, i, time.Time{}, fmt.Sprintf("the frames before %d", f.number))
		case i == 0 && first > 0 && f.segment > first:
			c.gap(frames, i, time.Time{}, fmt.Sprintf("segments %d to %d", first, f.segment-1))
		case i > 0 && f.number != before.number+1:
			c.gap(frames, i, time.UnixMilli(before.base).UTC(), fmt.Sprintf("frames %d to %d", before.number+1, f.number-1))
		}
	}
}

// gap tells that frames before frame i are missing. What follows up to the next group builds on them.
func (c *LogCopy) gap(frames []copiedFrame, i int, from time.Time, what string) {
	gap := LogGap{From: from, Text: "what was heard meanwhile, of all ships"}
	for _, f := range frames[i:] {
		if f.back == 0 {
			gap.To = time.UnixMilli(f.base).UTC()
			break
		}
	}
	c.Damage = append(c.Damage, "the log is damaged: "+what+" are missing")
	c.Missing = append(c.Missing, gap)
}
