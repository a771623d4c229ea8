package store

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"

	"quaywatch/ship"
	"quaywatch/store/feedset"
	"quaywatch/store/layout"
	"quaywatch/store/records"
	"quaywatch/store/track"
	"quaywatch/store/wal"
)

// CheckReport is what a check of a store found: of the database and of the log.
type CheckReport struct {
	records.Inspection
	LogSegments, LogFixes int // in the log, not yet in the database
}

// Check reads the whole store in dir and changes nothing. It reads the tree of pages, every value against its checksum, the names of tables, and the log. It
// returns records.ErrLocked when the store is running, and an error when there is no file or it may not be read. What is wrong with the data is in the report. It never
// panics, whatever the bytes are.
func Check(dir string) (CheckReport, error) {
	var r CheckReport
	path := filepath.Join(dir, layout.DBName)
	f, err := records.OpenToRead(path)
	if err != nil {
		return r, fmt.Errorf("check: %w", err)
	}
	defer f.Close()
	if head, ok := r.ReadFile(f); ok {
		r.checkLog(filepath.Join(dir, layout.LogName), head)
	}
	return r, nil
}

// Check reads the whole database as it is at this moment, while the store goes on, and what the log holds. The transaction lasts as
// long as that takes: pages freed meanwhile are not used again until it ends.
func (db *DB) Check(ctx context.Context) (CheckReport, error) {
	report, err := db.CheckNow(ctx)
	r := CheckReport{Inspection: report}
	if err == nil {
		err = r.checkLiveLog(db)
	}
	if err != nil {
		return r, fmt.Errorf("check: %w", err)
	}
	return r, nil
}

// tornText says that the last frame of a log is not whole.
const tornText = "the last frame of the log is not whole: the stop cut it off, or it is damaged; what was heard in the last moment before may be missing"

// checkLog reads the log as Open would.
func (r *CheckReport) checkLog(path string, head records.MetaHead) {
	f, err := os.Open(path)
	if errors.Is(err, os.ErrNotExist) {
		if head.HadLog {
			r.Add("%s is missing", path)
		}
		return
	}
	if err != nil {
		r.Add("log: %v", err)
		return
	}
	defer f.Close()
	feeds := feedset.New()
	w, err := wal.Read(path, f)
	if errors.Is(err, wal.ErrHeader) && head.KnowsLog {
		r.Add("%s: %v", path, err)
		w.ID, err = head.LogID, nil
	}
	if err != nil {
		r.Add("%s: %v", path, err)
		return
	}
	if head.KnowsLog && w.ID != head.LogID {
		r.Add("%s belongs to another database", path)
		return
	}
	if err := w.ReadSequences(); err != nil {
		r.Add("%s: %v", path, err)
		return
	}
	reader, holes := wal.Reader{}, wal.Holes{}
	visit := r.countFixes(feeds.Take, holes.Heard)
	segment := uint64(0)
	err = w.Replay(head.FirstLive, func(f wal.Frame) {
		if f.Segment != segment {
			segment = f.Segment
			r.LogSegments++
		}
		if err := reader.Read(f, visit); err != nil {
			holes.Add(wal.Gap{Segment: f.Segment, First: f.Number, Last: f.Number})
		}
	}, holes.Add)
	if w.Torn() {
		r.Notes = append(r.Notes, tornText)
	}
	for _, h := range holes.Closed(0) {
		r.Add("the log is damaged: %v", h)
	}
	if err != nil {
		r.Add("%v", err)
	}
}

// countFixes returns what counts the fixes of a log, and tells heard their times.
func (r *CheckReport) countFixes(feeds func(ship.FeedSet, []string) bool, heard func(int64)) wal.LogVisitor {
	fix := func(_ *wal.Introduced, f ship.Fix, _ track.Keeping) { r.LogFixes++; heard(f.At) }
	return wal.LogVisitor{Feeds: feeds, Fix: fix, Late: func(*wal.Introduced, ship.Fix) { r.LogFixes++ }, Ship: func(*wal.Introduced, ship.State) {}}
}

// checkLiveLog reads the segments that the log of a running store has in use. It reads a segment at a time, and holds up no writer.
func (r *CheckReport) checkLiveLog(db *DB) error {
	db.walMu.Lock()
	segments := slices.Clone(db.wal.Segments)
	reader := &wal.Log{Path: db.wal.Path, ID: db.wal.ID}
	db.walMu.Unlock()
	f, err := os.Open(reader.Path)
	if err != nil {
		return err
	}
	defer f.Close()
	buf, frames := make([]byte, wal.SegmentSize), wal.Reader{}
	visit := r.countFixes(func(ship.FeedSet, []string) bool { return true }, func(int64) {})
	for i, s := range segments {
		if s.Sequence == 0 || s.Sequence < db.firstLive.Load() {
			continue
		}
		if _, err := f.ReadAt(buf[:s.Used], wal.SegmentAt(i)); err != nil && !errors.Is(err, io.EOF) {
			return err
		}
		if got := reader.Frames(s.Sequence, buf[:s.Used], func(f wal.Frame, _ int) { _ = frames.Read(f, visit) }); got != s && db.stillHas(i, s) {
			r.Add("log segment %d has lost synced records: %d whole frames of %d", s.Sequence, got.Frames, s.Frames)
		}
		r.LogSegments++
	}
	return nil
}

// stillHas reports whether a segment of the log is in the same use as it was.
func (db *DB) stillHas(i int, s wal.Segment) bool {
	db.walMu.Lock()
	defer db.walMu.Unlock()
	return i < len(db.wal.Segments) && db.wal.Segments[i].Sequence == s.Sequence
}
