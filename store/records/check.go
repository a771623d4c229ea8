package records

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	bolt "go.etcd.io/bbolt"

	"quaywatch/internal/fold"
	"quaywatch/store/copies"
	"quaywatch/store/files"
	"quaywatch/store/layout"
	"quaywatch/store/pages"
	"quaywatch/store/track"
)

// Inspection is what a check found.
type Inspection struct {
	Blocks, Fixes, Ships, Static, Records int       // in the database; fixes without the leads of blocks
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

// Add tells a problem, up to a hundred of them.
func (r *Inspection) Add(format string, args ...any) {
	if len(r.Problems) < maxProblems {
		r.Problems = append(r.Problems, fmt.Sprintf(format, args...))
	}
}

// CheckFile reads a database file, as a backup is, until ctx ends: the tree of pages, every value against its checksum, the names of tables. What is
// wrong with the data is in the report. It never panics, whatever the bytes are.
func CheckFile(ctx context.Context, path string) (Inspection, error) {
	r := Inspection{stopped: ctx.Err}
	f, err := OpenToRead(path)
	if err != nil {
		return r, fmt.Errorf("check: %w", err)
	}
	defer f.Close()
	r.ReadFile(f)
	return r, ctx.Err()
}

// CheckNow reads the whole database as it is at this moment, while the store goes on. The transaction lasts as long as that takes: pages freed
// meanwhile are not used again until it ends.
func (db *Database) CheckNow(ctx context.Context) (Inspection, error) {
	db.copying.Lock()
	defer db.copying.Unlock()
	r := Inspection{stopped: ctx.Err}
	err := db.View(func(*bolt.Tx) error {
		f, err := os.Open(db.path())
		if err != nil {
			return err
		}
		defer f.Close()
		r.ReadFile(f)
		return ctx.Err()
	})
	return r, err
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

// ReadFile checks a database file. ok is false when it cannot be told which log belongs to it.
func (r *Inspection) ReadFile(f *os.File) (head MetaHead, ok bool) {
	tree, err := r.readTree(f)
	if err != nil {
		r.Add("%s: %v", f.Name(), err)
		return head, false
	}
	for _, fault := range tree.Faults {
		if fault.Key == nil {
			r.Add("%s", fault)
		}
	}
	for _, s := range tree.Suspects() {
		r.Add("%s: damaged", layout.DescribeSuspect(s.Path, &s))
	}
	r.compareNames()
	if err := head.readBucket(func(entry string) []byte { return r.meta[entry] }, r.traces); err != nil {
		r.Add("%s %v", f.Name(), err)
		return head, false
	}
	if _, bad := head.Traces[layout.MetaFormat]; bad {
		r.Add("%s is damaged", layout.Describe(layout.Meta, []byte(layout.MetaFormat)))
	}
	return head, true
}

// readTree reads the tree of a file and counts what it holds.
func (r *Inspection) readTree(f *os.File) (*pages.Tree, error) {
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
		r.Add("%s: meta page %d is damaged: the last change may be missing", f.Name(), 1-metas[0].At)
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
			r.Add("the bucket %s is missing", name)
		}
	}
	return tree, err
}

// checkValue judges a value. The format is judged with words of its own.
func (r *Inspection) checkValue(path string, k, v []byte) error {
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
func (r *Inspection) countValue(path string, k, v []byte) error {
	if r.stopped != nil && r.stopped() != nil {
		return r.stopped()
	}
	table, isName := strings.CutSuffix(path, "/"+layout.Names)
	switch {
	case path == layout.Meta:
		r.meta[string(k)] = slices.Clone(v)
	case path == layout.Feeds:
	case path == layout.Damaged:
		r.Add("%s", setAsideText(v))
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
func (r *Inspection) countBlock(k []byte) {
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

func (r *Inspection) namesOf(table string) *tableNames {
	n := r.names[table]
	if n == nil {
		n = &tableNames{map[string]string{}, map[string]string{}}
		r.names[table] = n
	}
	return n
}

// compareNames tells where a record is not found by its name, or a name leads to another record.
func (r *Inspection) compareNames() {
	for table, n := range r.names {
		for name, key := range n.owners {
			if n.leads[name] != key {
				r.Add("table %s, record %x: its name %q leads elsewhere", table, key, name)
			}
		}
		for name, key := range n.leads {
			if n.owners[name] == "" {
				r.Add("table %s: the name %q leads to record %x, which does not have it", table, name, key)
			}
		}
	}
}

// checkPages returns the damaged values of a database that this process has open. The error is all that is wrong with its pages.
func checkPages(file *bolt.DB) (damaged []pages.Suspect, err error) {
	err = file.View(func(*bolt.Tx) error {
		f, err := os.Open(copies.PathNow(file, layout.DBName))
		if err != nil {
			return err
		}
		defer f.Close()
		var r Inspection
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
		return OpenError(path, err)
	}
	defer f.Close()
	if size == 0 {
		return damagedFile(path, errors.New("it is empty"))
	}
	file, err := pages.Open(f, size, pageSize)
	if err != nil {
		return OpenError(path, err)
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
