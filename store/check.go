package store

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	bolt "go.etcd.io/bbolt"

	"quaywatch/internal/fold"
	"quaywatch/ship"
	"quaywatch/store/copies"
	"quaywatch/store/feedset"
	"quaywatch/store/files"
	"quaywatch/store/layout"
	"quaywatch/store/pages"
	"quaywatch/store/track"
	"quaywatch/store/wal"
)

// CheckReport is what a check found.
type CheckReport struct {
	Blocks, Fixes, Ships, Static, Records int       // in the database; fixes without the leads of blocks
	LogSegments, LogFixes                 int       // in the log, not yet in the database
	Oldest, Newest                        time.Time // start of the first and end of the last bucket; zero when there is none
	Problems                              []string  // empty when all is well
	Notes                                 []string  // what may be damage, or the trace of a power cut

	stopped func() error // ends the check when it gives an error; nil never does

	judge  layout.Verifier
	names  map[string]*tableNames // by table
	meta   map[string][]byte      // the bucket meta, sealed
	traces map[string][]byte      // its damaged entries
}

// tableNames is what the two sides of a table say of its names.
type tableNames struct {
	owners map[string]string // normalised name -> key of a record that has it
	leads  map[string]string // normalised name -> key to which the bucket of names leads
}

// maxProblems is how many problems are listed; a broken file would give millions.
const maxProblems = 100

func (r *CheckReport) add(format string, args ...any) {
	if len(r.Problems) < maxProblems {
		r.Problems = append(r.Problems, fmt.Sprintf(format, args...))
	}
}

// Check reads the whole store in dir and changes nothing. It reads the tree of pages, every value against its checksum, the names of tables, and the log. It
// returns ErrLocked when the store is running, and an error when there is no file or it may not be read. What is wrong with the data is in the report. It never
// panics, whatever the bytes are.
func Check(dir string) (CheckReport, error) {
	var r CheckReport
	path := filepath.Join(dir, dbName)
	f, err := OpenToRead(path)
	if err != nil {
		return r, fmt.Errorf("check: %w", err)
	}
	defer f.Close()
	if head, ok := r.checkFile(f); ok {
		r.checkLog(filepath.Join(dir, walName), head)
	}
	return r, nil
}

// CheckFile is Check for one database file, as a backup is, until ctx ends.
func CheckFile(ctx context.Context, path string) (CheckReport, error) {
	r := CheckReport{stopped: ctx.Err}
	f, err := OpenToRead(path)
	if err != nil {
		return r, fmt.Errorf("check: %w", err)
	}
	defer f.Close()
	r.checkFile(f)
	return r, ctx.Err()
}

// Check reads the whole database as it is at this moment, while the store goes on, and what the log holds. The transaction lasts as
// long as that takes: pages freed meanwhile are not used again until it ends.
func (db *DB) Check(ctx context.Context) (CheckReport, error) {
	db.copying.Lock()
	defer db.copying.Unlock()
	r := CheckReport{stopped: ctx.Err}
	err := db.view(func(*bolt.Tx) error {
		f, err := os.Open(db.filePath(dbName))
		if err != nil {
			return err
		}
		defer f.Close()
		r.checkFile(f)
		return ctx.Err()
	})
	if err == nil {
		err = r.checkLiveLog(db)
	}
	if err != nil {
		return r, fmt.Errorf("check: %w", err)
	}
	return r, nil
}

// OpenToRead opens a database file to read its bytes, while no process writes it. It returns ErrLocked when one has the file open.
func OpenToRead(path string) (*os.File, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	if err := files.LockShared(f); err != nil {
		return nil, errors.Join(fmt.Errorf("open %s: %w", path, err), f.Close())
	}
	return f, nil
}

// checkFile checks a database file. ok is false when it cannot be told which log belongs to it.
func (r *CheckReport) checkFile(f *os.File) (head metaHead, ok bool) {
	tree, err := r.readTree(f)
	if err != nil {
		r.add("%s: %v", f.Name(), err)
		return head, false
	}
	for _, fault := range tree.Faults {
		if fault.Key == nil {
			r.add("%s", fault)
		}
	}
	for _, s := range tree.Suspects() {
		r.add("%s: damaged", layout.DescribeSuspect(s.Path, &s))
	}
	r.compareNames()
	if err := head.readBucket(func(entry string) []byte { return r.meta[entry] }, r.traces); err != nil {
		r.add("%s %v", f.Name(), err)
		return head, false
	}
	if _, bad := head.traces[layout.MetaFormat]; bad {
		r.add("%s is damaged", layout.Describe(layout.Meta, []byte(layout.MetaFormat)))
	}
	return head, true
}

// readTree reads the tree of a file and counts what it holds.
func (r *CheckReport) readTree(f *os.File) (*pages.Tree, error) {
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	file, err := pages.Open(f, info.Size(), pageSize)
	if err != nil {
		return nil, err
	}
	metas := file.Metas()
	switch len(metas) {
	case 0:
		return nil, fmt.Errorf("%w: no whole meta page", track.ErrCorrupt)
	case 1:
		r.add("%s: meta page %d is damaged: the last change may be missing", f.Name(), 1-metas[0].At)
	}
	r.names, r.meta, r.traces = map[string]*tableNames{}, map[string][]byte{}, map[string][]byte{}
	var buckets []string
	tree, err := file.Walk(metas[0], pages.TreeVisitor{
		Whole: r.checkValue,
		Value: r.countValue,
		Bucket: func(path string, _ uint64) error {
			buckets = append(buckets, path)
			return nil
		},
	})
	for _, name := range layout.OwnBuckets() {
		if !layout.IsOnDemand(name) && !slices.Contains(buckets, name) {
			r.add("the bucket %s is missing", name)
		}
	}
	return tree, err
}

// checkValue judges a value. The format is judged with words of its own.
func (r *CheckReport) checkValue(path string, k, v []byte) error {
	err := r.judge.Value(path, k, v)
	if path == layout.Meta && err != nil {
		r.traces[string(k)] = slices.Clone(v)
		if string(k) == layout.MetaFormat {
			return nil
		}
	}
	return err
}

// countValue counts a value that is whole.
func (r *CheckReport) countValue(path string, k, v []byte) error {
	if r.stopped != nil && r.stopped() != nil {
		return r.stopped()
	}
	table, isName := strings.CutSuffix(path, "/"+layout.Names)
	switch {
	case path == layout.Meta:
		r.meta[string(k)] = slices.Clone(v)
	case path == layout.Feeds:
	case path == layout.Damaged:
		r.add("%s", setAsideText(v))
	case path == layout.Blocks:
		r.countBlock(k)
	case path == layout.Ships:
		r.Ships++
	case path == layout.Static:
		r.Static++
	case layout.IsSeries(path):
		r.Records++
	case isName:
		r.namesOf(table).leads[string(k)] = string(v[:8])
	default:
		r.Records++
		if folded := fold.Name(r.judge.Name); folded != "" {
			r.namesOf(path).owners[folded] = string(k)
		}
	}
	return nil
}

// countBlock counts the block that was judged last.
func (r *CheckReport) countBlock(k []byte) {
	hour, _, _ := layout.ReadBlockKey(k)
	start, end := time.UnixMilli(track.HourStart(hour)).UTC(), time.UnixMilli(track.HourStart(hour)+track.HourMillis).UTC()
	if r.Blocks == 0 || start.Before(r.Oldest) {
		r.Oldest = start
	}
	if end.After(r.Newest) {
		r.Newest = end
	}
	r.Blocks++
	r.Fixes += r.judge.Fixes
}

func (r *CheckReport) namesOf(table string) *tableNames {
	n := r.names[table]
	if n == nil {
		n = &tableNames{map[string]string{}, map[string]string{}}
		r.names[table] = n
	}
	return n
}

// compareNames tells where a record is not found by its name, or a name leads to another record.
func (r *CheckReport) compareNames() {
	for table, n := range r.names {
		for name, key := range n.owners {
			if n.leads[name] != key {
				r.add("table %s, record %x: its name %q leads elsewhere", table, key, name)
			}
		}
		for name, key := range n.leads {
			if n.owners[name] == "" {
				r.add("table %s: the name %q leads to record %x, which does not have it", table, name, key)
			}
		}
	}
}

// checkPages returns the damaged values of a database that this process has open. The error is all that is wrong with its pages.
func checkPages(file *bolt.DB) (damaged []pages.Suspect, err error) {
	err = file.View(func(*bolt.Tx) error {
		f, err := os.Open(copies.PathNow(file, dbName))
		if err != nil {
			return err
		}
		defer f.Close()
		var r CheckReport
		tree, err := r.readTree(f)
		if err != nil {
			return err
		}
		var errs []error
		for _, fault := range tree.Faults {
			if fault.Key == nil && len(errs) < maxProblems {
				errs = append(errs, errors.New(fault.String()))
			}
		}
		damaged = tree.Suspects()
		return errors.Join(errs...)
	})
	return damaged, err
}

// checkFileHead reports whether one of the two meta pages is whole and the file as long as it says. bbolt maps the file, and
// a read behind its end would kill the process.
func checkFileHead(path string, size int64) error {
	f, err := os.Open(path)
	if err != nil {
		return openError(path, err)
	}
	defer f.Close()
	if size == 0 {
		return damagedFile(path, errors.New("it is empty"))
	}
	file, err := pages.Open(f, size, pageSize)
	if err != nil {
		return openError(path, err)
	}
	metas := file.Metas()
	if len(metas) == 0 {
		return damagedFile(path, errors.New("no whole meta page"))
	}
	if want := int64(metas[0].Pages) * pageSize; want > size {
		return damagedFile(path, fmt.Errorf("it was cut to %d of %d bytes", size, want))
	}
	return nil
}

// tornText says that the last frame of a log is not whole.
const tornText = "the last frame of the log is not whole: the stop cut it off, or it is damaged; what was heard in the last moment before may be missing"

// checkLog reads the log as Open would.
func (r *CheckReport) checkLog(path string, head metaHead) {
	f, err := os.Open(path)
	if errors.Is(err, os.ErrNotExist) {
		if head.hadLog {
			r.add("%s is missing", path)
		}
		return
	}
	if err != nil {
		r.add("log: %v", err)
		return
	}
	defer f.Close()
	feeds := feedset.New()
	w, err := wal.Read(path, f)
	if errors.Is(err, wal.ErrHeader) && head.knowsLog {
		r.add("%s: %v", path, err)
		w.ID, err = head.logID, nil
	}
	if err != nil {
		r.add("%s: %v", path, err)
		return
	}
	if head.knowsLog && w.ID != head.logID {
		r.add("%s belongs to another database", path)
		return
	}
	if err := w.ReadSequences(); err != nil {
		r.add("%s: %v", path, err)
		return
	}
	reader, holes := wal.Reader{}, wal.Holes{}
	visit := r.countFixes(feeds.Take, holes.Heard)
	segment := uint64(0)
	err = w.Replay(head.firstLive, func(f wal.Frame) {
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
		r.add("the log is damaged: %v", h)
	}
	if err != nil {
		r.add("%v", err)
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
			r.add("log segment %d has lost synced records: %d whole frames of %d", s.Sequence, got.Frames, s.Frames)
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

// readBucket reads what the bucket meta says; get gives a sealed entry, and traces are those that are damaged.
func (h *metaHead) readBucket(get func(entry string) []byte, traces map[string][]byte) error {
	h.traces = traces
	if err := CheckFormat(get(layout.MetaFormat), traces); err != nil {
		return err
	}
	id, err := layout.Unseal(layout.Meta, []byte(layout.MetaLog), get(layout.MetaLog))
	h.knowsLog = err == nil && len(id) == len(h.logID)
	copy(h.logID[:], id)
	if first, err := layout.Unseal(layout.Meta, []byte(layout.MetaFirstLive), get(layout.MetaFirstLive)); err == nil && len(first) == 8 {
		h.firstLive = binary.BigEndian.Uint64(first)
	}
	state, err := layout.Unseal(layout.Meta, []byte(layout.MetaOpen), get(layout.MetaOpen))
	h.hadLog = err == nil || traces[layout.MetaOpen] != nil
	h.open = traces[layout.MetaOpen] != nil || len(state) == 1 && state[0] == layout.StateOpen
	return nil
}
