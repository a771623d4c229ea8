package store

import (
	"bytes"
	"cmp"
	"crypto/rand"
	"encoding/binary"
	"errors"
	"fmt"
	"math/bits"
	"os"
	"path/filepath"
	"strconv"
	"time"

	bolt "go.etcd.io/bbolt"
	berrors "go.etcd.io/bbolt/errors"

	"quaywatch/ais"
	"quaywatch/store/files"
	"quaywatch/store/layout"
)

// formatName and formatVersion are what the entry "format" says. Each build from the first release on reads every store of version 2.
const (
	formatName    = "quaywatch"
	formatVersion = 2
)

// lockWait is how long Open waits for another process to let go of the file.
const lockWait = 1500 * time.Millisecond

// pageSize of a new database. A ship's hour at full rate takes two or three thousand bytes: pages of 4 KiB would stand
// half empty.
const pageSize = 16 << 10

// fileOptions are bbolt's options for a live store. A remap waits for readers, so the first map is large; a 32-bit
// process has no room for more than half a gigabyte.
func fileOptions() *bolt.Options {
	o := &bolt.Options{Timeout: lockWait, FreelistType: bolt.FreelistMapType, PageSize: pageSize}
	if strconv.IntSize == 64 {
		gigabyte := 1 << 30
		o.InitialMmapSize, o.MaxSize = 4*gigabyte, 1024*gigabyte
	} else {
		o.InitialMmapSize = 512 << 20
	}
	return o
}

// openFile opens a database file that is whole as far as its first pages say, or makes an empty one.
func openFile(path string, create bool) (*bolt.DB, error) {
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, os.ErrNotExist) && create:
		log := filepath.Join(filepath.Dir(path), walName)
		if _, err := os.Lstat(log); err == nil { // an empty store would hide that all is gone
			return nil, fmt.Errorf("%s is missing beside its log: use 'quaywatch restore' or 'quaywatch salvage', or move %s away for an empty store", path, log)
		}
		return createFile(path)
	case err != nil:
		return nil, openError(path, err)
	}
	if err := checkFileHead(path, info.Size()); err != nil {
		return nil, err
	}
	file, opened, err := openBolt(path)
	if err != nil {
		return nil, err
	}
	// Another process may have put a compacted file in the place of the one that we waited for.
	named, err := os.Stat(path)
	if err != nil || !os.SameFile(named, opened) {
		file.Close()
		return nil, fmt.Errorf("open %s: %w", path, ErrLocked)
	}
	return file, nil
}

// openBolt opens a bbolt file. What bbolt finds wrong by a panic or a fault of the map becomes an error.
func openBolt(path string) (file *bolt.DB, info os.FileInfo, err error) {
	err = guard(path, func() error {
		file, info, err = openUnguarded(path)
		return err
	})
	if err != nil {
		return nil, nil, err
	}
	return file, info, nil
}

func openUnguarded(path string) (file *bolt.DB, info os.FileInfo, err error) {
	o := fileOptions()
	o.OpenFile = func(name string, flag int, mode os.FileMode) (*os.File, error) {
		f, err := os.OpenFile(name, flag, mode)
		if err == nil {
			info, err = f.Stat()
		}
		return f, err
	}
	file, err = bolt.Open(path, 0o600, o)
	if errors.Is(err, berrors.ErrTimeout) {
		return nil, nil, fmt.Errorf("open %s: %w", path, ErrLocked)
	}
	if err != nil {
		return nil, nil, openError(path, err)
	}
	file.AllocSize = 1 << 20 // the file grows in steps of this
	return file, info, nil
}

// createFile makes an empty database beside its final name, syncs it and renames it: a power cut leaves all or nothing.
func createFile(path string) (*bolt.DB, error) {
	if err := discard(path + ".new"); err != nil {
		return nil, err
	}
	file, _, err := openBolt(path + ".new")
	if err != nil {
		return nil, err
	}
	if err = initFile(file); err == nil {
		err = file.Sync()
	}
	if err == nil {
		err = files.RenameSynced(path+".new", path)
	}
	if err != nil {
		file.Close()
		return nil, fmt.Errorf("make %s: %w", path, err)
	}
	return file, nil
}

// discard removes what a first start left that was cut short, unless another process is at it just now.
func discard(path string) error {
	if _, err := os.Stat(path); errors.Is(err, os.ErrNotExist) {
		return nil
	}
	file, _, err := openBolt(path)
	if errors.Is(err, ErrLocked) {
		return err
	}
	if err == nil {
		file.Close()
	}
	return removeIfThere(path)
}

func initFile(file *bolt.DB) error {
	return file.Update(func(tx *bolt.Tx) error {
		for _, name := range layout.OwnBuckets() {
			if layout.IsOnDemand(name) {
				continue
			}
			if _, err := tx.CreateBucketIfNotExists([]byte(name)); err != nil {
				return err
			}
		}
		meta := tx.Bucket([]byte(layout.Meta))
		if meta.Get([]byte(layout.MetaLog)) == nil {
			if err := newLogID(meta); err != nil {
				return err
			}
		}
		return putMeta(meta, layout.MetaFormat, formatEntry())
	})
}

func formatEntry() []byte { return binary.BigEndian.AppendUint32([]byte(formatName), formatVersion) }

// newLogID ties the file to a log that does not exist yet.
func newLogID(meta *bolt.Bucket) error {
	id := make([]byte, 16)
	if _, err := rand.Read(id); err != nil {
		return err
	}
	return putMeta(meta, layout.MetaLog, id)
}

func putMeta(meta *bolt.Bucket, entry string, value []byte) error {
	return meta.Put([]byte(entry), layout.Seal(layout.Meta, []byte(entry), value))
}

// metaHead is what the bucket meta says.
type metaHead struct {
	logID     [16]byte
	knowsLog  bool // logID could be read
	firstLive uint64
	hadLog    bool              // the log was made
	open      bool              // the store was not closed
	traces    map[string][]byte // damaged entries
}

func readMeta(file *bolt.DB) (h metaHead, err error) {
	err = guard(file.Path(), func() error { return file.View(func(tx *bolt.Tx) error { return h.read(tx) }) })
	return h, err
}

func (h *metaHead) read(tx *bolt.Tx) error {
	meta := tx.Bucket([]byte(layout.Meta))
	if meta == nil {
		return fmt.Errorf("not a Quaywatch database: no bucket %q", layout.Meta)
	}
	if err := h.readBucket(func(entry string) []byte { return meta.Get([]byte(entry)) }, traces(meta)); err != nil {
		return err
	}
	for _, name := range layout.OwnBuckets() {
		if tx.Bucket([]byte(name)) == nil && !layout.IsOnDemand(name) {
			return fmt.Errorf("not a Quaywatch database: no bucket %q", name)
		}
	}
	return nil
}

// traces returns the damaged values of the bucket meta by their keys.
func traces(meta *bolt.Bucket) map[string][]byte {
	found := map[string][]byte{}
	_ = meta.ForEach(func(k, v []byte) error { // this function gives no error
		if _, err := layout.Unseal(layout.Meta, k, v); err != nil {
			found[string(k)] = bytes.Clone(v)
		}
		return nil
	})
	return found
}

// nearly reports whether one of the damaged values was this one: all but a few bits are the same.
func nearly(traces map[string][]byte, entry string, value []byte) bool {
	const mostFlipped = 8
	want := layout.Seal(layout.Meta, []byte(entry), value)
	for _, v := range traces {
		if len(v) != len(want) {
			continue
		}
		flipped := 0
		for i := range v {
			flipped += bits.OnesCount8(v[i] ^ want[i])
		}
		if flipped <= mostFlipped {
			return true
		}
	}
	return false
}

// CheckFormat tells why this program does not read a database whose sealed entry "format" is given, and its damaged entries.
func CheckFormat(sealed []byte, traces map[string][]byte) error {
	ofDevelopment := errors.New("was written by a development build from before the first release, which no release reads; " +
		"move the data directory away and start with an empty one")
	if len(sealed) == 4 {
		return ofDevelopment
	}
	format, err := layout.Unseal(layout.Meta, []byte(layout.MetaFormat), sealed)
	name := len(formatName)
	switch {
	case err != nil && nearly(traces, layout.MetaFormat, formatEntry()):
		return nil // it was ours
	case err != nil || len(format) != name+4 || string(format[:name]) != formatName:
		return fmt.Errorf("%w (the entry of its format cannot be read)", ErrDamaged)
	}
	switch v := binary.BigEndian.Uint32(format[name:]); {
	case v < formatVersion:
		return ofDevelopment
	case v > formatVersion:
		return fmt.Errorf("%w: it has format version %d, and this program reads version %d", ErrNewer, v, formatVersion)
	}
	return nil
}

// lookUp returns the value under a key of the bucket with that path, nil when there is none.
func lookUp(b *bolt.Bucket, path string, key []byte) ([]byte, error) {
	var sealed []byte
	if b != nil {
		sealed = b.Get(key)
	}
	if sealed == nil {
		return nil, nil
	}
	return layout.Unseal(path, key, sealed)
}

// view reads the database in one transaction, which must be short: it holds up compaction, and pages that are freed
// meanwhile are not used again.
func (db *DB) view(fn func(tx *bolt.Tx) error) error {
	db.swap.RLock()
	defer db.swap.RUnlock()
	return guard(db.bolt.Path(), func() error { return db.bolt.View(fn) })
}

// keyValue is a key with its value, copied from a page.
type keyValue struct{ key, value []byte }

// writeTx is a transaction that writes, and notes what it wrote for a compaction that is under way.
type writeTx struct {
	tx      *bolt.Tx
	touched *touchedSet
	written uint64
	aside   map[place]Damage // values that were set aside
}

// update commits what fn writes. It returns ErrFull or ErrReadOnly, without trying, while the disk is at fault.
func (db *DB) update(fn func(tx *writeTx) error) error {
	db.writing.Lock()
	defer db.writing.Unlock()
	if err := cmp.Or(db.fault.db(), db.folder.away()); err != nil {
		return err
	}
	return db.commitUpdate(fn)
}

// commitUpdate is update without asking whether the disk is at fault. The caller holds writing.
func (db *DB) commitUpdate(fn func(tx *writeTx) error) error {
	var inner error
	var written uint64
	var aside map[place]Damage
	db.swap.RLock()
	defer db.swap.RUnlock()
	done := db.disk.startWait(&db.disk.commit)
	err := guard(db.bolt.Path(), func() error {
		return db.bolt.Update(func(tx *bolt.Tx) error {
			w := &writeTx{tx: tx, touched: db.touched, aside: map[place]Damage{}}
			for _, makeBucket := range db.wanted {
				inner = cmp.Or(inner, makeBucket(w))
			}
			if inner == nil {
				inner = fn(w)
			}
			written, aside = w.written, w.aside
			return inner
		})
	})
	done()
	db.disk.keeper.Store(db.disk.now())
	if err != nil && inner == nil {
		return db.fault.noteDB(db.logger, err)
	}
	if err == nil {
		db.wanted = nil
		db.tellAside(aside)
	}
	db.written.Add(written)
	db.updateFigures()
	return err
}

// want has the next commit make a bucket that is not there. A first start opens some forty tables and series, and a commit of each would cost it many syncs.
func (db *DB) want(name string, makeBucket func(tx *writeTx) error) error {
	db.writing.Lock()
	defer db.writing.Unlock()
	return db.view(func(tx *bolt.Tx) error {
		if tx.Bucket([]byte(name)) == nil {
			db.wanted = append(db.wanted, makeBucket)
		}
		return nil
	})
}

func (tx *writeTx) bucketOf(name string) *bolt.Bucket {
	b := tx.tx.Bucket([]byte(name))
	b.FillPercent = pagesFilled
	return b
}

// get returns the value under a key, nil when there is none.
func (tx *writeTx) get(bucket string, key []byte) ([]byte, error) {
	return lookUp(tx.bucketOf(bucket), bucket, key)
}

// putValue writes a value and its checksum.
func (tx *writeTx) putValue(bucket string, key, value []byte) error {
	tx.touched.add(bucket, "", key)
	tx.written += uint64(len(key) + len(value) + layout.SealSize)
	return tx.bucketOf(bucket).Put(key, layout.Seal(bucket, key, value))
}

func (tx *writeTx) deleteKey(bucket string, key []byte) error {
	tx.touched.add(bucket, "", key)
	return tx.bucketOf(bucket).Delete(key)
}

// staticBefore returns the last static record of a ship at or before ms, sealed, nil when there is none.
func staticBefore(c *bolt.Cursor, m ais.MMSI, ms int64) (key, sealed []byte) {
	want := layout.StaticKey(m, ms)
	k, v := c.Seek(want)
	if k == nil {
		k, v = c.Last()
	} else if !bytes.Equal(k, want) {
		k, v = c.Prev()
	}
	if k == nil || !bytes.HasPrefix(k, want[:8]) {
		return nil, nil
	}
	return k, v
}
