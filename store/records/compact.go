package records

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"

	bolt "go.etcd.io/bbolt"

	"quaywatch/store/copies"
	"quaywatch/store/files"
	"quaywatch/store/layout"
	"quaywatch/store/track"
)

// touchedSet is the keys written while a compaction copies, so that it can copy them again. A nil set takes nothing.
type touchedSet struct {
	mu      sync.Mutex
	keys    map[touchedKey]bool
	tables  map[string]bool // made meanwhile
	buckets map[string]bool // other buckets made meanwhile
}

type touchedKey struct{ bucket, nested, key string }

func newTouchedSet() *touchedSet {
	return &touchedSet{keys: map[touchedKey]bool{}, tables: map[string]bool{}, buckets: map[string]bool{}}
}

func (t *touchedSet) add(bucket, nested string, key []byte) {
	if t == nil {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.keys[touchedKey{bucket, nested, string(key)}] = true
}

func (t *touchedSet) addTable(name string) {
	if t == nil {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.tables[name] = true
}

func (t *touchedSet) addBucket(name string) {
	if t == nil {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.buckets[name] = true
}

// takeTouched returns what was touched since it was asked last.
func (t *touchedSet) takeTouched() *touchedSet {
	t.mu.Lock()
	defer t.mu.Unlock()
	taken := &touchedSet{keys: t.keys, tables: t.tables, buckets: t.buckets}
	t.keys, t.tables, t.buckets = map[touchedKey]bool{}, map[string]bool{}, map[string]bool{}
	return taken
}

// makeBuckets makes in a copy what was made meanwhile.
func (t *touchedSet) makeBuckets(to *bolt.Tx) error {
	for name := range t.buckets {
		if _, err := to.CreateBucketIfNotExists([]byte(name)); err != nil {
			return err
		}
	}
	for name := range t.tables {
		if err := (&Tx{tx: to}).makeTable(name); err != nil {
			return err
		}
	}
	return nil
}

// Compact writes the database anew, without the space that retention has left, and puts the new file in the place of the old one. The
// store goes on meanwhile: Compact copies in short reads, and copies again what was written since. It holds writers up only for the last
// of that. Killed at any moment, it leaves one whole file under the name.
func (db *Database) Compact(ctx context.Context) error {
	db.copying.Lock()
	defer db.copying.Unlock()
	if err := db.Fault(); err != nil {
		return fmt.Errorf("compact: %w", err)
	}
	if err := db.View(func(*bolt.Tx) error { return mayCopy(db.path()) }); err != nil {
		return fmt.Errorf("compact: %w", err)
	}
	path := db.path() + ".compact"
	copied, err := newCopy(path)
	if err != nil {
		return fmt.Errorf("compact: %w", err)
	}
	touched := newTouchedSet()
	db.watchWrites(touched)
	err = db.copyLive(ctx, copied, touched)
	if err != nil {
		db.watchWrites(nil)
		return errors.Join(fmt.Errorf("compact: %w", err), copied.Close(), os.Remove(path))
	}
	return nil
}

func (db *Database) watchWrites(t *touchedSet) {
	db.writing.Lock()
	defer db.writing.Unlock()
	db.touched = t
}

// newCopy makes an empty file for a copy, in the place of one that an earlier attempt left.
func newCopy(path string) (*bolt.DB, error) {
	if err := os.Remove(path); err != nil && !errors.Is(err, os.ErrNotExist) {
		return nil, err
	}
	copied, _, err := openBolt(path)
	return copied, err
}

// copyLive copies the live database into copied and puts it in its place.
func (db *Database) copyLive(ctx context.Context, copied *bolt.DB, touched *touchedSet) error {
	if err := copies.File(ctx, db.View, copied); err != nil {
		return err
	}
	for range 3 { // most of what was written meanwhile is copied without holding anyone up
		if err := db.copyTouched(copied, touched); err != nil {
			return err
		}
	}
	db.writing.Lock()
	defer db.writing.Unlock()
	defer db.clock.Begin(&db.commit)()
	if err := db.copyTouched(copied, touched); err != nil {
		return err
	}
	if err := db.View(func(tx *bolt.Tx) error { return copies.Sequences(tx, copied) }); err != nil {
		return err
	}
	if err := copied.Sync(); err != nil {
		return err
	}
	if err := os.Rename(copied.Path(), db.path()); err != nil {
		return err
	}
	db.touched = nil
	db.noteFile(&db.folder.database, layout.DBName)
	db.swap.Lock()
	old := db.bolt
	db.bolt = copied
	db.updateFigures()
	db.swap.Unlock()
	// From here on the new file is in use, whatever fails.
	if err := errors.Join(files.SyncDir(db.dir), old.Close()); err != nil {
		db.logger.Error("store: put the compacted file in place", "error", err)
	}
	return nil
}

// copyTouched copies again what was written since the last time.
func (db *Database) copyTouched(copied *bolt.DB, touched *touchedSet) error {
	taken := touched.takeTouched()
	if len(taken.keys)+len(taken.tables)+len(taken.buckets) == 0 {
		return nil
	}
	return copied.Update(func(to *bolt.Tx) error {
		if err := taken.makeBuckets(to); err != nil {
			return err
		}
		return db.View(func(from *bolt.Tx) error {
			for k := range taken.keys {
				if err := copyKey(from, to, k); err != nil {
					return err
				}
			}
			return nil
		})
	})
}

func copyKey(from, to *bolt.Tx, k touchedKey) error {
	src, dst := from.Bucket([]byte(k.bucket)), to.Bucket([]byte(k.bucket))
	if k.nested != "" {
		src, dst = src.Bucket([]byte(k.nested)), dst.Bucket([]byte(k.nested))
	}
	dst.FillPercent = pagesFilled
	if v := src.Get([]byte(k.key)); v != nil {
		return dst.Put([]byte(k.key), bytes.Clone(v))
	}
	return dst.Delete([]byte(k.key))
}

// mayCopy refuses a file whose pages are damaged: a copy would silently lack what they held. A damaged value is copied as it stands.
func mayCopy(path string) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	var r Inspection
	tree, err := r.readTree(f)
	if err != nil {
		return err
	}
	for _, fault := range tree.Faults {
		if fault.Key == nil || fault.Misplaced() {
			return fmt.Errorf("%w, and nothing was changed: %s; 'quaywatch check' tells more, and 'quaywatch salvage' reads what is whole", track.ErrCorrupt, fault)
		}
	}
	return nil
}

// Compact writes the database of a store that is not running anew, without unused space. It returns ErrLocked when the
// store is running.
func Compact(dir string) error {
	path := filepath.Join(dir, layout.DBName)
	file, err := openFile(path, false)
	if err != nil {
		return err
	}
	defer file.Close()
	if _, err := readMeta(file); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	if err := mayCopy(path); err != nil {
		return fmt.Errorf("compact %s: %w", path, err)
	}
	copied, err := newCopy(path + ".compact")
	if err != nil {
		return fmt.Errorf("compact %s: %w", path, err)
	}
	view := func(fn func(*bolt.Tx) error) error { return guard(path, func() error { return file.View(fn) }) }
	err = copies.File(context.Background(), view, copied)
	if err = errors.Join(err, copied.Sync(), copied.Close()); err == nil {
		err = files.RenameSynced(path+".compact", path)
	}
	if err != nil {
		return errors.Join(fmt.Errorf("compact %s: %w", path, err), os.Remove(path+".compact"))
	}
	return nil
}
