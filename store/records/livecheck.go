package records

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"time"

	bolt "go.etcd.io/bbolt"

	"quaywatch/store/copies"
	"quaywatch/store/layout"
)

// checkView is how long one read of the check in the background lasts: nothing that it does may be felt.
const checkView = 100 * time.Millisecond

// errStopped ends a check because the store is being closed.
var errStopped = errors.New("stopped")

// checkInBackground reads the whole file. What is damaged is told and set aside. Reading, the log and commits go on meanwhile.
func (db *Database) checkInBackground() {
	err := db.checkLive()
	switch {
	case errors.Is(err, errStopped):
		db.cutShort.Store(true)
	case err != nil:
		db.tellDamage(Damage{Kind: DamagedPage, Where: db.path(), Found: time.Now().UTC(),
			What: "a part of the database; stop the service, and 'quaywatch salvage' gives what can still be read"})
		db.logger.Debug("check of the database", "error", err)
	default:
		db.logger.Debug("the database was read whole", "file", db.path())
	}
}

// checkLive reads every key and value while the store goes on, in short reads that go on behind the last key. bbolt's own check would hold up every commit for
// as long as it reads, since it compares the free list. What it finds beyond this, pages that are lost or freed twice, 'quaywatch check' finds.
func (db *Database) checkLive() error {
	var paths [][]string
	err := db.View(func(tx *bolt.Tx) error {
		return tx.ForEach(func(name []byte, _ *bolt.Bucket) error {
			if string(name) != layout.Damaged {
				paths = append(paths, []string{string(name)})
			}
			return nil
		})
	})
	for i := 0; i < len(paths) && err == nil; i++ {
		var nested [][]string
		nested, err = db.checkBucket(paths[i])
		paths = append(paths, nested...)
	}
	return err
}

// checkBucket reads one bucket and returns the buckets nested in it.
func (db *Database) checkBucket(path []string) (nested [][]string, err error) {
	var after []byte
	for more := true; more; {
		if db.closing.Load() {
			return nil, errStopped
		}
		err := db.View(func(tx *bolt.Tx) error {
			more = false
			b := copies.BucketAt(tx, path)
			if b == nil {
				return nil // made and gone meanwhile
			}
			until := time.Now().Add(checkView)
			c := b.Cursor()
			k, v := c.Seek(after)
			if after != nil && bytes.Equal(k, after) {
				k, v = c.Next()
			}
			for ; k != nil; k, v = c.Next() {
				if after != nil && bytes.Compare(k, after) <= 0 {
					return fmt.Errorf("bucket %s: key %x after key %x", strings.Join(path, "/"), k, after)
				}
				after = append(after[:0], k...)
				if v == nil {
					nested = append(nested, append(path[:len(path):len(path)], string(k)))
				} else if p := placeAt(path, k); !p.isReadable(v) {
					db.NoteUnreadable(tx, p)
				}
				if more = time.Now().After(until); more {
					return nil
				}
			}
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	return nested, nil
}
