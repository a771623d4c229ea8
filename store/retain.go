package store

import (
	"bytes"
	"context"
	"time"

	bolt "go.etcd.io/bbolt"
)

const (
	retainSlice = 1000 // keys dropped in one commit
	// leap is how far the clock may jump ahead before retention believes it only after leapPatience: a box without a
	// battery may wake up in any year, and must not drop its history for that.
	leap         = 48 * time.Hour
	leapPatience = time.Hour
)

// retain drops what is older than the retention, once in each hour of the picture's time. wall is the time of this
// machine; it only measures how long a leap of the clock has lasted.
func (db *DB) retain(ctx context.Context, wall time.Time) error {
	db.mu.Lock()
	now := db.now
	db.mu.Unlock()
	if db.options.Retention <= 0 || bucketOf(now) == bucketOf(max(0, db.kept)) {
		return nil
	}
	if db.leapt(now, wall) {
		return nil
	}
	db.kept = now
	cutoff := now - db.options.Retention.Milliseconds()
	if cutoff <= 0 {
		return nil
	}
	// A bucket goes when all of it is too old.
	if err := db.dropBlocks(ctx, bucketOf(cutoff)); err != nil {
		return err
	}
	return db.dropStatics(ctx, cutoff)
}

// leapt tells whether the clock jumped ahead so far that it may be wrong, and has not yet shown for long that it is not.
func (db *DB) leapt(now int64, wall time.Time) bool {
	db.mu.Lock()
	from := db.leapFrom
	if from != 0 && now-from <= leap.Milliseconds() {
		from, db.leapFrom = 0, 0 // it was put right
	}
	db.mu.Unlock()
	if from == 0 {
		db.holdUntil = time.Time{}
		return false
	}
	if db.holdUntil.IsZero() {
		db.holdUntil = wall.Add(leapPatience)
		db.logger.Warn("the clock leapt ahead; nothing is dropped for being too old until that has lasted",
			"from", time.UnixMilli(from).UTC(), "to", time.UnixMilli(now).UTC(), "patience", leapPatience)
	}
	if wall.Before(db.holdUntil) {
		return true
	}
	db.mu.Lock()
	db.leapFrom = 0
	db.mu.Unlock()
	return false
}

// dropBlocks drops all blocks before a bucket, oldest first. It seeks anew for each slice, because a cursor may skip keys
// after a delete.
func (db *DB) dropBlocks(ctx context.Context, before uint32) error {
	limit := blockKey(before, 0)
	return db.dropSlices(ctx, bucketBlocks, func(tx *bolt.Tx) [][]byte {
		var keys [][]byte
		c := tx.Bucket([]byte(bucketBlocks)).Cursor()
		for k, _ := c.First(); k != nil && bytes.Compare(k, limit) < 0 && len(keys) < retainSlice; k, _ = c.Next() {
			keys = append(keys, bytes.Clone(k))
		}
		return keys
	})
}

// dropSlices deletes the keys that find gives, slice by slice, until it gives none.
func (db *DB) dropSlices(ctx context.Context, bucket string, find func(tx *bolt.Tx) [][]byte) error {
	for {
		if err := ctx.Err(); err != nil {
			return err
		}
		var keys [][]byte
		if err := db.view(func(tx *bolt.Tx) error { keys = find(tx); return nil }); err != nil || len(keys) == 0 {
			return err
		}
		err := db.update(func(tx *writeTx) error {
			for _, k := range keys {
				if err := tx.delete(bucket, k); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
}

// dropStatics drops the static records that were replaced by another one before the cutoff: the newest stays, however old.
func (db *DB) dropStatics(ctx context.Context, cutoff int64) error {
	var after []byte
	return db.dropSlices(ctx, bucketStatic, func(tx *bolt.Tx) [][]byte {
		var keys [][]byte
		keys, after = replacedStatics(tx, after, cutoff)
		return keys
	})
}

// replacedStatics gives up to a slice of keys from the key after on, and the key to go on with.
func replacedStatics(tx *bolt.Tx, after []byte, cutoff int64) (keys [][]byte, next []byte) {
	c := tx.Bucket([]byte(bucketStatic)).Cursor()
	var before []byte // the record before, of the same ship
	for k, _ := c.Seek(after); k != nil; k, _ = c.Next() {
		m, at, ok := readStaticKey(k)
		if !ok {
			continue
		}
		if was, _, ok := readStaticKey(before); ok && was == m && at <= cutoff {
			if keys = append(keys, before); len(keys) == retainSlice {
				return keys, bytes.Clone(k)
			}
		}
		before = bytes.Clone(k)
	}
	return keys, before
}
