package store

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"time"

	bolt "go.etcd.io/bbolt"
)

// checkView is how long one read of the check in the background lasts: nothing that it does may be felt.
const checkView = 100 * time.Millisecond

// errStopped ends a check because the store is being closed.
var errStopped = errors.New("stopped")

// checkInBackground checks the whole file and says so loudly when it is damaged. Reading, the log and commits go on meanwhile.
// Whether to restore a backup is for the operator to decide.
func (db *DB) checkInBackground() {
	defer db.background.Done()
	err := db.checkLive()
	switch {
	case errors.Is(err, errStopped):
		db.unchecked.Store(true)
	case err != nil:
		db.fault.damaged(err)
		db.logger.Error("the database is damaged: stop, keep the file, and restore the last backup", "file", db.path(dbName), "error", err)
	default:
		db.logger.Info("the database is whole", "file", db.path(dbName))
	}
}

// checkLive reads every key and value while the store goes on, in short reads that go on behind the last key. bbolt's own check
// would hold up every commit for as long as it reads, since it compares the free list; what it finds beyond this, pages
// that are lost or freed twice, 'quaywatch check' finds.
func (db *DB) checkLive() error {
	var paths [][]string
	err := db.view(func(tx *bolt.Tx) error {
		return tx.ForEach(func(name []byte, _ *bolt.Bucket) error {
			paths = append(paths, []string{string(name)})
			return nil
		})
	})
	var r CheckReport
	for i := 0; i < len(paths) && err == nil; i++ {
		var nested [][]string
		nested, err = db.checkBucket(&r, paths[i])
		paths = append(paths, nested...)
	}
	if len(r.Problems) > 0 {
		err = errors.Join(errors.New(strings.Join(r.Problems, "; ")), err)
	}
	return err
}

// checkBucket reads one bucket and gives the buckets nested in it.
func (db *DB) checkBucket(r *CheckReport, path []string) (nested [][]string, err error) {
	var after []byte
	for more := true; more; {
		if db.closed.Load() {
			return nil, errStopped
		}
		err := db.view(func(tx *bolt.Tx) error {
			more = false
			b := bucketAt(tx, path)
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
				} else {
					r.checkEntry(path, k, v)
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

// checkEntry checks one value of any bucket.
func (r *CheckReport) checkEntry(path []string, k, v []byte) {
	name := strings.Join(path, "/")
	if name == bucketDamaged {
		r.add("%s: damaged and set aside", Describe(name, k))
	} else if err := r.judge.Value(name, k, v); err != nil {
		r.add("%s: %v", Describe(name, k), err)
	}
}
