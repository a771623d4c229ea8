package store

import (
	"bytes"
	"context"
	"time"

	bolt "go.etcd.io/bbolt"

	"quaywatch/ais"
	"quaywatch/ship"
	"quaywatch/store/layout"
	"quaywatch/store/records"
	"quaywatch/store/track"
)

const (
	retainSlice = 1000 // keys dropped in one commit
	// leap is how much history may go at once. More than that is too old after months without power. It is also too old when the clock has leapt ahead, as that
	// of a box without a battery may on any start. Then it goes a leapSlice at a time, each after a leapPatience of running. So a wrong year can be put right
	// before much is lost. No restart hastens that.
	leap         = 48 * time.Hour
	leapSlice    = 24 * time.Hour
	leapPatience = time.Hour
)

// retain drops what is older than the retention, once in each hour. wall is the time of this machine. The smaller of it and the picture's clock rules. Neither
// data from the future nor a picture that plays an old log may make history old.
func (db *DB) retain(ctx context.Context, wall time.Time) error {
	db.mu.Lock()
	clock, ticked := track.ClampMillis(min(db.now, wall.UnixMilli())), db.ticked
	db.mu.Unlock()
	if !ticked || db.options.Retention <= 0 || (track.HourOf(clock) == track.HourOf(db.kept) && db.heldSince.IsZero()) {
		return nil
	}
	db.kept = clock
	cutoff := db.cutoff(clock, wall)
	if cutoff <= 0 {
		return nil
	}
	// A bucket goes when all of it is too old.
	if err := db.dropBlocks(ctx, track.HourOf(cutoff)); err != nil {
		return err
	}
	if err := db.dropShips(ctx, track.HourStart(track.HourOf(cutoff))); err != nil {
		return err
	}
	return db.dropStatics(ctx, cutoff)
}

// cutoff returns the time before which history goes now, 0 when nothing may go.
func (db *DB) cutoff(clock int64, wall time.Time) int64 {
	cutoff := clock - db.options.Retention.Milliseconds()
	oldest, newest := db.StoredSpan()
	played := wall.UnixMilli()-clock > leap.Milliseconds()
	if played || newest == 0 || cutoff-oldest <= leap.Milliseconds() {
		db.heldSince = time.Time{}
		return cutoff
	}
	if db.heldSince.IsZero() {
		db.heldSince = wall
		db.logger.Warn("much history is too old at once, as when the clock is wrong; it goes a day in each hour",
			"from", time.UnixMilli(oldest).UTC(), "to", time.UnixMilli(cutoff).UTC())
	}
	if wall.Sub(db.heldSince) < leapPatience {
		return 0
	}
	db.heldSince = wall
	return oldest + leapSlice.Milliseconds()
}

// dropBlocks drops all blocks before a bucket, oldest first. It seeks anew for each slice, because a cursor may skip keys
// after a delete.
func (db *DB) dropBlocks(ctx context.Context, before uint32) error {
	limit := layout.BlockKey(before, 0)
	return db.dropSlices(ctx, layout.Blocks, func(tx *bolt.Tx) [][]byte {
		var keys [][]byte
		c := tx.Bucket([]byte(layout.Blocks)).Cursor()
		for k, _ := c.First(); k != nil && bytes.Compare(k, limit) < 0 && len(keys) < retainSlice; k, _ = c.Next() {
			keys = append(keys, bytes.Clone(k))
		}
		return keys
	})
}

// dropSlices deletes the keys that find gives, slice by slice, until it returns none.
func (db *DB) dropSlices(ctx context.Context, bucket string, find func(tx *bolt.Tx) [][]byte) error {
	for {
		if err := ctx.Err(); err != nil {
			return err
		}
		var keys [][]byte
		if err := db.View(func(tx *bolt.Tx) error { keys = find(tx); return nil }); err != nil || len(keys) == 0 {
			return err
		}
		err := db.Update(func(tx *records.Tx) error {
			for _, k := range keys {
				if err := tx.Delete(bucket, k); err != nil {
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

// dropShips drops the last states of ships that were heard before the cutoff only: nothing else of them is left then.
func (db *DB) dropShips(ctx context.Context, cutoff int64) error {
	var after ais.MMSI
	return db.dropSlices(ctx, layout.Ships, func(tx *bolt.Tx) [][]byte {
		var states []ship.State
		for more := true; more; {
			states, after, more = db.someStates(tx, states[:0], after)
			if keys := db.silentKeys(states, cutoff); len(keys) > 0 {
				return keys
			}
		}
		return nil
	})
}

// silentKeys returns the keys of the ships that were heard before the cutoff only. A ship in memory stays: a replay of the log may
// build on its state.
func (db *DB) silentKeys(states []ship.State, cutoff int64) (keys [][]byte) {
	db.mu.Lock()
	defer db.mu.Unlock()
	for i := range states {
		if s := &states[i]; s.Heard < cutoff && db.ships[s.MMSI] == nil {
			keys = append(keys, layout.ShipKey(s.MMSI))
		}
	}
	return keys
}

// dropStatics drops the static records that were replaced by another record before the cutoff. The newest stays, however old, as long as the ship's last state
// does.
func (db *DB) dropStatics(ctx context.Context, cutoff int64) error {
	var after []byte
	return db.dropSlices(ctx, layout.Static, func(tx *bolt.Tx) [][]byte {
		var keys [][]byte
		keys, after = replacedStatics(tx, after, cutoff, db.isGone)
		return keys
	})
}

// replacedStatics returns up to a slice of keys from the key after on, and the key to go on with. gone tells of which ships nothing
// else is left.
func replacedStatics(tx *bolt.Tx, after []byte, cutoff int64, gone func(*bolt.Tx, ais.MMSI) bool) (keys [][]byte, next []byte) {
	c := tx.Bucket([]byte(layout.Static)).Cursor()
	var before []byte
	for k, _ := c.Seek(after); len(keys) < retainSlice; k, _ = c.Next() {
		m, at, ok := layout.ReadStaticKey(k)
		if k != nil && !ok {
			continue
		}
		was, wasAt, some := layout.ReadStaticKey(before)
		switch {
		case !some:
		case was == m && at <= cutoff, was != m && wasAt <= cutoff && gone(tx, was):
			keys = append(keys, before)
		}
		if k == nil {
			break
		}
		before = bytes.Clone(k)
	}
	return keys, before
}

// isGone reports whether a ship has neither a last state nor anything in memory.
func (db *DB) isGone(tx *bolt.Tx, m ais.MMSI) bool {
	if tx.Bucket([]byte(layout.Ships)).Get(layout.ShipKey(m)) != nil {
		return false
	}
	db.mu.Lock()
	defer db.mu.Unlock()
	return db.ships[m] == nil
}
