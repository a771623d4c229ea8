package store

import (
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"time"

	bolt "go.etcd.io/bbolt"

	"quaywatch/ais"
	"quaywatch/ship"
	"quaywatch/store/layout"
	"quaywatch/store/records"
	"quaywatch/store/track"
)

const (
	flushDelay   = 2 * 60 * 1000        // milliseconds after a full hour, for fixes that come a little late
	commitRows   = 2000                 // values in one commit at most
	commitBytes  = 8 << 20              // and bytes
	flushEvery   = 5 * time.Second      // how often full hours leave the log at most while little is open: a recording that is played fast has many a second
	littleOpen   = 4 << 20              // bytes of open blocks
	staticEvery  = time.Minute          // how often changes of static data leave the log for the database
	mostStatics  = 20000                // so many do not wait: a few at a time would write nearly every page anew for each commit
	prunedAfter  = 2 * track.HourMillis // a ship silent for longer takes no memory here
	mostDeparted = 20000                // ships that left the picture; beyond them they take none at once, beyond twice as many no new one is taken
)

// flushJob is one open block on its way into the database.
type flushJob struct {
	v *vessel
	b *openBlock
}

// makeRoom moves what waits in memory into the database: full hours, and open blocks, ships that left and static data where they are too many.
func (db *DB) makeRoom(now time.Time) error {
	db.mu.Lock()
	crowded := db.openBytes > maxOpenBytes
	due := db.fullHour && (db.openBytes > littleOpen || now.Sub(db.flushedAt) >= flushEvery)
	left, statics := db.departed > mostDeparted, db.waitingStatics >= mostStatics
	db.mu.Unlock()
	var err error
	if statics {
		err = db.flushStatics()
	}
	if left {
		err = errors.Join(err, db.flushDeparted())
	}
	if crowded || due {
		err = errors.Join(err, db.flushBlocks(crowded))
	}
	return err
}

// flushBlocks moves open blocks into the database: all of them, or those of every bucket but the current one. What fails stays
// open, and in the log. When all is written, the segments of the log that nothing needs any more are freed.
func (db *DB) flushBlocks(all bool) error {
	db.flushing.Lock()
	defer db.flushing.Unlock()
	db.mu.Lock()
	db.fullHour = false
	db.mu.Unlock()
	if err := db.writeBlocks(func(_ *vessel, bucket uint32) bool { return all || bucket != track.HourOf(db.now) }); err != nil {
		return err
	}
	if err := db.writeStatics(); err != nil {
		return err
	}
	if err := db.flushStates(everyShip); err != nil {
		return err
	}
	if err := db.keepStrangers(); err != nil {
		return err
	}
	return db.freeLog(prunedAfter)
}

// flushDeparted moves all that is open of ships that left the picture into the database, and forgets these ships. Numbers that somebody invents come by the
// hundred thousand, and each leaves the picture for the next. So they take no memory until their hour is full.
func (db *DB) flushDeparted() error {
	db.flushing.Lock()
	defer db.flushing.Unlock()
	if err := db.writeBlocks(func(v *vessel, _ uint32) bool { return v.departed }); err != nil {
		return err
	}
	if err := db.writeStatics(); err != nil {
		return err
	}
	if err := db.flushStates(func(v *vessel) bool { return v.departed }); err != nil {
		return err
	}
	return db.freeLog(0)
}

// writeBlocks moves the open blocks that are due into the database. It calls due with the lock held.
func (db *DB) writeBlocks(due func(v *vessel, bucket uint32) bool) error {
	jobs := db.sealBlocks(due)
	slices.SortStableFunc(jobs, func(a, b flushJob) int {
		return cmp.Or(cmp.Compare(a.b.bucket, b.b.bucket), cmp.Compare(a.v.mmsi, b.v.mmsi))
	})
	for len(jobs) > 0 {
		n := commitSize(jobs)
		if err := db.commitBlocks(jobs[:n]); err != nil {
			db.unseal(jobs)
			return fmt.Errorf("flush %d blocks: %w", len(jobs), err)
		}
		db.forgetBlocks(jobs[:n])
		jobs = jobs[n:]
	}
	return nil
}

// commitSize returns how many of the jobs go into one commit.
func commitSize(jobs []flushJob) int {
	bytes := 0
	for i, j := range jobs {
		bytes += track.HeaderSize + len(j.b.rows)
		if i == commitRows || (i > 0 && bytes > commitBytes) {
			return i
		}
	}
	return len(jobs)
}

// sealBlocks ends the blocks that are due. It calls due with the lock held.
func (db *DB) sealBlocks(due func(v *vessel, bucket uint32) bool) []flushJob {
	db.mu.Lock()
	defer db.mu.Unlock()
	db.sealedAt = db.log.Sequence
	var jobs []flushJob
	for _, v := range db.list {
		if v.thin.Held && due(v, track.HourOf(v.thin.Pending.At)) {
			v.keepHeld()
		}
		for _, b := range v.blocks {
			if due(v, b.bucket) {
				b.sealed = true
				jobs = append(jobs, flushJob{v, b})
			}
		}
	}
	return jobs
}

func (db *DB) unseal(jobs []flushJob) {
	db.mu.Lock()
	defer db.mu.Unlock()
	for _, j := range jobs {
		j.b.sealed = false
	}
}

// forgetBlocks drops blocks from memory that are in the database now.
func (db *DB) forgetBlocks(jobs []flushJob) {
	db.mu.Lock()
	defer db.mu.Unlock()
	db.flushedAt = time.Now()
	for _, j := range jobs {
		db.openBytes -= len(j.b.rows) + lateBytes*len(j.b.late)
		at := slices.Index(j.v.blocks, j.b)
		j.v.blocks = slices.Delete(j.v.blocks, at, at+1)
	}
}

func (db *DB) commitBlocks(jobs []flushJob) error {
	first, sets := db.newFeeds()
	err := db.Update(func(tx *records.Tx) error {
		if err := putFeeds(tx, first, sets); err != nil {
			return err
		}
		for _, j := range jobs {
			fixes, err := j.b.fixes(nil)
			if err != nil {
				return fmt.Errorf("open block %d of %d: %w", j.b.bucket, j.v.mmsi, err)
			}
			if err := mergeBlock(tx, j.b.bucket, j.v.mmsi, fixes); err != nil {
				return err
			}
		}
		return nil
	})
	if err == nil {
		db.feedsStored(first + ship.FeedSet(len(sets)))
	}
	return err
}

// fixes appends all fixes of an open block to dst: its lead, its rows and the late ones, in no order.
func (b *openBlock) fixes(dst []ship.Fix) ([]ship.Fix, error) {
	if b.hasLead {
		dst = append(dst, b.lead)
	}
	dst, err := track.DecodeRows(dst, track.StartAt(track.HourStart(b.bucket)), b.rows)
	return append(dst, b.late...), err
}

// mergeBlock writes fixes of one ship and bucket, with those that are in the database already. A lead that is missing is taken from the
// bucket before. When the last fix changes, the lead of the bucket after is set right.
func mergeBlock(tx *records.Tx, bucket uint32, m ais.MMSI, fixes []ship.Fix) error {
	key := layout.BlockKey(bucket, m)
	var lastWas int64 = -1
	if old := tx.Bucket(layout.Blocks).Get(key); old != nil {
		known, _, err := layout.ReadBlock(nil, key, old)
		if err != nil {
			if err := tx.SetAside(records.ValuePlace{Bucket: layout.Blocks, Key: string(key)}); err != nil {
				return err
			}
		}
		if len(known) > 0 {
			lastWas = known[len(known)-1].At
		}
		fixes = append(known, fixes...)
	}
	fixes = inOrder(fixes)
	fixes = withLead(tx.Bucket(layout.Blocks), bucket, m, fixes)
	if err := tx.Put(layout.Blocks, key, track.EncodeBlock(bucket, fixes)); err != nil {
		return err
	}
	if last := fixes[len(fixes)-1]; last.At > lastWas {
		return leadNext(tx, bucket+1, m, last)
	}
	return nil
}

// inOrder sorts fixes by time and drops all but the first of one time, and coarse ones beside exact ones.
func inOrder(fixes []ship.Fix) []ship.Fix {
	if !slices.IsSortedFunc(fixes, byTime) {
		slices.SortStableFunc(fixes, byTime)
	}
	return ship.DropCoarse(slices.CompactFunc(fixes, func(a, b ship.Fix) bool { return a.At == b.At }))
}

func byTime(a, b ship.Fix) int { return cmp.Compare(a.At, b.At) }

// withLead leaves one fix before the bucket, the last one known, or looks for it in the block before.
func withLead(blocks *bolt.Bucket, bucket uint32, m ais.MMSI, fixes []ship.Fix) []ship.Fix {
	start, n := track.HourStart(bucket), 0
	for n < len(fixes) && fixes[n].At < start {
		n++
	}
	before, found := lastOf(blocks, bucket-1, m)
	if n > 0 && (!found || before.At <= fixes[n-1].At) {
		return fixes[n-1:]
	}
	if !found {
		return fixes
	}
	return slices.Insert(slices.Clone(fixes[n:]), 0, before)
}

// lastOf returns the last fix of a block, and false when there is no such block or it is damaged.
func lastOf(blocks *bolt.Bucket, bucket uint32, m ais.MMSI) (ship.Fix, bool) {
	key := layout.BlockKey(bucket, m)
	b := blocks.Get(key)
	if b == nil {
		return ship.Fix{}, false
	}
	fixes, _, err := layout.ReadBlock(nil, key, b)
	if err != nil || len(fixes) == 0 {
		return ship.Fix{}, false
	}
	return fixes[len(fixes)-1], true
}

// leadNext makes f the lead of a block, if there is that block.
func leadNext(tx *records.Tx, bucket uint32, m ais.MMSI, f ship.Fix) error {
	key := layout.BlockKey(bucket, m)
	b := tx.Bucket(layout.Blocks).Get(key)
	if b == nil {
		return nil
	}
	fixes, lead, err := layout.ReadBlock(nil, key, b)
	if err != nil {
		return nil // it is set aside when it is written next
	}
	if lead {
		fixes = fixes[1:]
	}
	return tx.Put(layout.Blocks, key, track.EncodeBlock(bucket, slices.Insert(fixes, 0, f)))
}

// staticJob is the changes of one ship on their way into the database.
type staticJob struct {
	v       *vessel
	changes []staticChange
}

// flushStatics writes the changes of static and voyage data that wait in the log.
func (db *DB) flushStatics() error {
	db.flushing.Lock()
	defer db.flushing.Unlock()
	return db.writeStatics()
}

// writeStatics is flushStatics for a caller that holds flushing: two at a time would forget changes that neither has written.
func (db *DB) writeStatics() error {
	db.mu.Lock()
	var jobs []staticJob
	for _, v := range db.list {
		if len(v.statics) > 0 {
			jobs = append(jobs, staticJob{v, slices.Clone(v.statics)})
		}
	}
	db.mu.Unlock()
	slices.SortFunc(jobs, func(a, b staticJob) int { return cmp.Compare(a.v.mmsi, b.v.mmsi) })
	for part := range slices.Chunk(jobs, commitRows) {
		err := db.Update(func(tx *records.Tx) error {
			for _, j := range part {
				for _, c := range j.changes {
					if err := putStatic(tx, j.v.mmsi, c); err != nil {
						return err
					}
				}
			}
			return nil
		})
		if err != nil {
			return fmt.Errorf("write static data: %w", err)
		}
		db.forgetStatics(part)
	}
	return nil
}

func (db *DB) forgetStatics(jobs []staticJob) {
	db.mu.Lock()
	defer db.mu.Unlock()
	for _, j := range jobs {
		j.v.statics = slices.Delete(j.v.statics, 0, len(j.changes))
		db.waitingStatics -= len(j.changes)
	}
}

// putStatic writes a change, unless the record that held until then says the same. Damaged records in its way are set aside.
func putStatic(tx *records.Tx, m ais.MMSI, c staticChange) error {
	for range records.MostDamages {
		k, sealed := staticBefore(tx.Bucket(layout.Static).Cursor(), m, c.at)
		if sealed == nil {
			break
		}
		st, v, err := layout.ReadStatic(k, sealed)
		if err == nil {
			if c = c.onto(staticChange{static: st, voyage: v}); track.SameKnown(st, c.static, v, c.voyage) {
				return nil
			}
			break
		}
		if err := tx.SetAside(records.ValuePlace{Bucket: layout.Static, Key: string(k)}); err != nil {
			return err
		}
	}
	c = c.onto(staticChange{})
	return tx.Put(layout.Static, layout.StaticKey(m, c.at), track.EncodeStatic(c.static, c.voyage))
}

func everyShip(*vessel) bool { return true }

// flushStates writes the last states that changed, of some ships. It calls of with the lock held.
func (db *DB) flushStates(of func(*vessel) bool) error {
	type stateJob struct {
		v     *vessel
		state ship.State
	}
	db.mu.Lock()
	var jobs []stateJob
	for _, v := range db.list {
		if v.dirty && of(v) {
			jobs = append(jobs, stateJob{v, v.state})
		}
	}
	db.mu.Unlock()
	slices.SortFunc(jobs, func(a, b stateJob) int { return cmp.Compare(a.v.mmsi, b.v.mmsi) })
	first, sets := db.newFeeds()
	var encoded []byte // used anew for each ship: put takes a copy
	for part := range slices.Chunk(jobs, commitRows) {
		err := db.Update(func(tx *records.Tx) error {
			if err := putFeeds(tx, first, sets); err != nil {
				return err
			}
			for i := range part {
				j := &part[i]
				encoded = track.EncodeState(encoded[:0], &j.state)
				if err := tx.Put(layout.Ships, layout.ShipKey(j.v.mmsi), encoded); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			return fmt.Errorf("write last states: %w", err)
		}
		first, sets = first+ship.FeedSet(len(sets)), nil
		db.feedsStored(first)
		db.mu.Lock()
		for _, j := range part {
			j.v.dirty = j.v.state != j.state
			if j.v.dirty || len(j.v.statics) > 0 {
				j.v.since = max(j.v.since, db.sealedAt) // what changed since then is still in the log
			}
		}
		db.mu.Unlock()
	}
	return nil
}

// freeLog frees the segments of the log that no ship needs, and forgets ships that have nothing open. These are ships that were silent for two hours, and ships
// that left the picture and were silent for so many milliseconds.
func (db *DB) freeLog(silent int64) error {
	db.mu.Lock()
	first := min(max(db.log.Sequence, 1), db.strangersSince)
	list := make([]*vessel, 0, len(db.list))
	db.departed = 0
	for _, v := range db.list {
		need, some := v.oldest()
		if some {
			first = min(first, need)
		}
		if age := db.now - v.lastAt; !some && (age > prunedAfter || v.departed && age >= silent) {
			delete(db.ships, v.mmsi)
			continue
		}
		if v.departed {
			db.departed++
		}
		list = append(list, v)
	}
	db.list = list
	db.mu.Unlock()
	if first <= db.firstLive.Load() {
		return nil
	}
	err := db.Update(func(tx *records.Tx) error {
		return tx.Put(layout.Meta, []byte(layout.MetaFirstLive), binary.BigEndian.AppendUint64(nil, first))
	})
	if err != nil {
		return fmt.Errorf("free the log: %w", err)
	}
	db.firstLive.Store(first)
	db.walMu.Lock()
	db.wal.Release(first)
	db.walMu.Unlock()
	return nil
}
