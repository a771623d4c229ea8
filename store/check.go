package store

import (
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"hash/fnv"
	"io"
	"os"
	"path/filepath"
	"slices"
	"time"

	bolt "go.etcd.io/bbolt"

	"quaywatch/letters"
	"quaywatch/ship"
	"quaywatch/store/track"
)

// CheckReport is what Check found.
type CheckReport struct {
	Blocks, Fixes, Ships, Static, Records int       // in the database; fixes without the leads of blocks
	LogSegments, LogFixes                 int       // in the log, not yet in the database
	Oldest, Newest                        time.Time // start of the first and end of the last bucket; zero when there is none
	Problems                              []string  // empty when all is well

	scratch []ship.Fix
}

// maxProblems is how many problems are listed; a broken file would give millions.
const maxProblems = 100

func (r *CheckReport) add(format string, args ...any) {
	if len(r.Problems) < maxProblems {
		r.Problems = append(r.Problems, fmt.Sprintf(format, args...))
	}
}

// Check reads the whole store in dir and changes nothing: bbolt's own check of the pages, every value decoded against its
// checksum, the order of keys and times, the names of tables, and the log. It gives ErrLocked when the store is running;
// what is wrong with the data is in the report.
func Check(dir string) (CheckReport, error) {
	var r CheckReport
	path := filepath.Join(dir, dbName)
	info, err := os.Stat(path)
	if err != nil {
		return r, fmt.Errorf("check: %w", err)
	}
	if err := checkFileHead(path, info.Size()); err != nil {
		r.add("%s: %v", path, err)
		return r, nil
	}
	file, err := openReadOnly(path)
	if errors.Is(err, ErrLocked) {
		return r, err
	}
	if err != nil {
		r.add("%v", err)
		return r, nil
	}
	defer file.Close()
	if err := checkPages(file); err != nil {
		r.add("%s: %v", path, err)
		return r, nil
	}
	head, err := readMeta(file)
	if err != nil {
		r.add("%s: %v", path, err)
		return r, nil
	}
	if err := file.View(r.checkValues); err != nil {
		r.add("%s: %v", path, err)
	}
	r.checkLog(filepath.Join(dir, walName), head)
	return r, nil
}

// checkPages is bbolt's check of a whole file, all its findings in one error.
func checkPages(file *bolt.DB) error {
	return file.View(func(tx *bolt.Tx) error {
		var errs []error
		for err := range tx.Check() {
			if len(errs) < maxProblems {
				errs = append(errs, err)
			}
		}
		return errors.Join(errs...)
	})
}

// The layout of a bbolt meta page, in the byte order of the machine: page header 16, then magic 4, version 4, page size 4,
// flags 4, root page 8, root sequence 8, free list 8, pages in use 8, transaction 8, FNV-1a of the 56 bytes before.
const (
	boltMetaAt   = 16
	boltMetaSize = 64
	boltMagic    = 0xED0CDAED
)

// checkFileHead tells whether one of the two meta pages is whole and the file as long as it says. bbolt maps the file, and
// a read behind its end would kill the process.
func checkFileHead(path string, size int64) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	if size == 0 {
		return errors.New("the file is empty")
	}
	head := make([]byte, boltMetaAt+boltMetaSize)
	var best, pages uint64
	var sizeOf1 int64 // of a page
	for _, at := range []int64{0, pageSize} {
		if _, err := f.ReadAt(head, at); err != nil {
			if errors.Is(err, io.EOF) {
				continue
			}
			return err
		}
		m, e := head[boltMetaAt:], binary.NativeEndian
		sum := fnv.New64a()
		sum.Write(m[:56])
		if e.Uint32(m) != boltMagic || e.Uint64(m[56:]) != sum.Sum64() {
			continue
		}
		if tx := e.Uint64(m[48:]) + 1; tx > best {
			best, pages, sizeOf1 = tx, e.Uint64(m[40:]), int64(e.Uint32(m[8:]))
		}
	}
	if best == 0 {
		return errors.New("no whole meta page")
	}
	if want := int64(pages) * sizeOf1; want > size {
		return fmt.Errorf("truncated: %d bytes of %d", size, want)
	}
	return nil
}

func (r *CheckReport) checkValues(tx *bolt.Tx) error {
	return tx.ForEach(func(name []byte, b *bolt.Bucket) error {
		if slices.Contains(ownBuckets(), string(name)) {
			return b.ForEach(func(k, v []byte) error { r.checkValue(string(name), k, v); return nil })
		}
		if isSeries(string(name)) {
			return b.ForEach(func(k, v []byte) error { r.checkSeries(string(name), k, v); return nil })
		}
		return r.checkTable(string(name), b)
	})
}

// checkValue checks one value of a bucket that is no table.
func (r *CheckReport) checkValue(bucket string, k, v []byte) {
	switch bucket {
	case bucketMeta:
		if _, err := unseal(bucketMeta, k, v); err != nil {
			r.add("meta, %s: %v", k, err)
		}
	case bucketFeeds:
		if _, _, err := readFeeds(k, v); err != nil {
			r.add("set of feeds under key %x: %v", k, err)
		}
	case bucketDamaged:
		r.add("block under key %x was damaged and set aside", k)
	case bucketBlocks:
		r.checkBlock(k, v)
	case bucketShips:
		m, ok := readShipKey(k)
		state, err := unseal(bucketShips, k, v)
		if err == nil {
			_, err = track.DecodeState(m, state)
		}
		if err != nil || !ok {
			r.add("last state under key %x: %v", k, err)
		}
		r.Ships++
	case bucketStatic:
		_, _, ok := readStaticKey(k)
		if _, _, err := readStatic(k, v); err != nil || !ok {
			r.add("static data under key %x: %v", k, err)
		}
		r.Static++
	}
}

// checkBlock decodes a block; blocks come in the order of their keys.
func (r *CheckReport) checkBlock(k, v []byte) {
	bucket, m, ok := readBlockKey(k)
	if !ok {
		r.add("block under key %x", k)
		return
	}
	fixes, lead, err := readBlock(r.scratch[:0], k, v)
	if err != nil {
		r.add("block %d of %d: %v", bucket, m, err)
		return
	}
	r.scratch = fixes
	if lead {
		fixes = fixes[1:]
	}
	for _, f := range fixes {
		if track.HourOf(f.At) != bucket {
			r.add("block %d of %d: a fix of %v", bucket, m, f.Time())
		}
	}
	if r.Blocks == 0 {
		r.Oldest = time.UnixMilli(track.HourStart(bucket)).UTC()
	}
	r.Newest = time.UnixMilli(track.HourStart(bucket) + track.HourMillis).UTC()
	r.Blocks++
	r.Fixes += len(fixes)
}

func (r *CheckReport) checkTable(table string, b *bolt.Bucket) error {
	names := b.Bucket([]byte(bucketNames))
	if names == nil {
		r.add("table %s: no names", table)
		return nil
	}
	named := 0
	err := b.ForEach(func(k, v []byte) error {
		if v == nil {
			return nil
		}
		rec, ok := r.checkRecord(table, k, v)
		if folded := letters.Fold(rec.Name); ok && folded != "" {
			named++
			if owner, _ := lookUp(names, namesPath(table), []byte(folded)); string(owner) != string(k) {
				r.add("table %s, record %x: its name %q leads elsewhere", table, k, rec.Name)
			}
		}
		return nil
	})
	if n := names.Inspect().KeyN; err == nil && n != named {
		r.add("table %s: %d names for %d named records", table, n, named)
	}
	return err
}

func (r *CheckReport) checkRecord(table string, k, v []byte) (rec Record[json.RawMessage], ok bool) {
	value, err := unseal(table, k, v)
	if err == nil {
		err = json.Unmarshal(value, &rec)
	}
	if err != nil || len(k) != 8 {
		r.add("table %s, record %x: %v", table, k, err)
		return rec, false
	}
	r.Records++
	return rec, true
}

// checkLog reads the log as Open would.
func (r *CheckReport) checkLog(path string, head metaHead) {
	f, err := os.Open(path)
	if errors.Is(err, os.ErrNotExist) {
		return // a backup has none
	}
	if err != nil {
		r.add("log: %v", err)
		return
	}
	defer f.Close()
	w, feeds := &wal{path: path, f: f, current: -1, next: 1}, newFeedSets()
	if err := w.readHeader(); err != nil {
		r.add("%s: %v", path, err)
		return
	}
	if w.id != head.logID {
		r.add("%s belongs to another database", path)
		return
	}
	if err := w.readSequences(); err != nil {
		r.add("%s: %v", path, err)
		return
	}
	var reader logReader
	visit := logVisitor{
		feeds: feeds.take,
		fix:   func(*introduced, ship.Fix, track.Keeping) { r.LogFixes++ },
		late:  func(*introduced, ship.Fix) { r.LogFixes++ },
		ship:  func(*introduced, ship.State) {},
	}
	segment := uint64(0)
	damage, err := w.replay(head.firstLive, func(f frame) error {
		if f.segment != segment {
			segment = f.segment
			r.LogSegments++
		}
		return reader.read(f, visit)
	})
	for _, d := range append(damage, err) {
		if d != nil {
			r.add("%v", d)
		}
	}
}

// openReadOnly opens a database without changing a byte of it.
func openReadOnly(path string) (file *bolt.DB, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("%s is damaged: %v", path, p)
		}
	}()
	o := fileOptions()
	o.ReadOnly, o.PreLoadFreelist = true, true
	if file, err = bolt.Open(path, 0o600, o); err != nil {
		if isTimeout(err) {
			err = ErrLocked
		}
		return nil, fmt.Errorf("open %s: %w", path, err)
	}
	return file, nil
}
