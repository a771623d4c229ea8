package store

import (
	"context"
	"fmt"
	"maps"
	"math"
	"slices"
	"time"

	bolt "go.etcd.io/bbolt"

	"quaywatch/ais"
	"quaywatch/geo"
	"quaywatch/ship"
	"quaywatch/store/layout"
	"quaywatch/store/records"
	"quaywatch/store/track"
)

// viewTime is how long one transaction reads at most before it is resumed by key.
const viewTime = 50 * time.Millisecond

// legMargin widens a question's area in metres when blocks are chosen, because a leg bulges towards the pole beyond the bounds of its ends. A leg of an hour at
// 60 knots bulges by less than this up to 80° of latitude.
const legMargin = 1500

// openCopy is a snapshot of an open block.
type openCopy struct {
	mmsi ais.MMSI
	openBlock
	tail []ship.Fix // the fix that the thinner holds back
}

// fixes returns all fixes of the snapshot, in no order.
func (c *openCopy) fixes() ([]ship.Fix, error) {
	list, err := c.openBlock.fixes(nil)
	return append(list, c.tail...), err
}

// snapshot appends copies of the open blocks of a ship with from <= bucket <= to. The caller holds db.mu.
func (v *vessel) snapshot(dst []openCopy, from, to uint32) []openCopy {
	n := len(dst)
	for _, b := range v.blocks {
		if b.bucket >= from && b.bucket <= to {
			c := openCopy{mmsi: v.mmsi, openBlock: *b}
			c.late = slices.Clone(b.late)
			dst = append(dst, c)
		}
	}
	f := v.thin.Pending
	bucket := track.HourOf(f.At)
	if !v.thin.Held || bucket < from || bucket > to {
		return dst
	}
	for i := n; i < len(dst); i++ {
		if dst[i].bucket == bucket {
			dst[i].tail = []ship.Fix{f}
			dst[i].box.Add(f)
			return dst
		}
	}
	c := openCopy{mmsi: v.mmsi, openBlock: openBlock{bucket: bucket}, tail: []ship.Fix{f}}
	if v.thin.HasKept {
		c.setLead(v.thin.Kept)
	}
	c.box.Add(f)
	return append(dst, c)
}

// Track returns the fixes of a ship with from <= time < to, in order, each time once. It adds the ends of the legs that begin before or end
// after (ship.Track.Overlapping). A ship that is not known has no fixes. With thinning the latest fix is there too. It gives way to the
// next fix when that shows that it says nothing.
func (db *DB) Track(ctx context.Context, m ais.MMSI, from, to time.Time) (ship.Track, error) {
	begin, end := track.ClampMillis(from.UnixMilli()), track.ClampMillis(to.UnixMilli())
	if end <= begin {
		return nil, ctx.Err()
	}
	first, last := track.HourOf(begin), lastHour(end)
	db.mu.Lock()
	var open []openCopy
	if v := db.ships[m]; v != nil {
		open = v.snapshot(nil, max(first, 1)-1, last) // a late fix of the hour before may be the last of it
	}
	db.mu.Unlock()
	fixes, err := db.storedFixes(ctx, m, first, last, end)
	if err != nil {
		return nil, err
	}
	for i := range open {
		more, err := open[i].fixes()
		if err != nil {
			return nil, fmt.Errorf("open block %d of %d: %w", open[i].bucket, m, err)
		}
		fixes = append(fixes, more...)
	}
	fixes = inOrder(fixes)
	if len(fixes) > 0 && fixes[0].At > begin && len(open) > 0 { // an open block need not know what stood before it
		err = db.View(func(tx *bolt.Tx) error {
			fixes = withLead(tx.Bucket([]byte(layout.Blocks)), track.HourOf(fixes[0].At), m, fixes)
			return nil
		})
	}
	return slices.Clip(ship.Track(fixes).Overlapping(from, to)), err
}

// Recorded returns the times from <= time < to of which the store may hold fixes of a ship, 0 for any. There are none when to is before from.
func (db *DB) Recorded(m ais.MMSI) (from, to time.Time, err error) {
	first, last := int64(math.MaxUint32), int64(-1)
	note := func(hour uint32) { first, last = min(first, int64(hour)), max(last, int64(hour)) }
	db.mu.Lock()
	list := []*vessel{db.ships[m]}
	if m == 0 {
		list = db.list
	}
	for _, v := range list {
		if v != nil {
			for _, c := range v.snapshot(nil, 0, math.MaxUint32) {
				note(c.bucket)
			}
		}
	}
	db.mu.Unlock()
	err = db.View(func(tx *bolt.Tx) error {
		c := tx.Bucket([]byte(layout.Blocks)).Cursor()
		for at, step := range []func() (k, v []byte){c.First, c.Last} {
			if k, _ := step(); k != nil {
				hour, _, ok := layout.ReadBlockKey(k)
				if !ok { // damaged: it says nothing
					hour = [...]uint32{0, math.MaxUint32}[at]
				}
				note(hour)
			}
		}
		return nil
	})
	return time.UnixMilli(first * 3_600_000), time.UnixMilli((last + 1) * 3_600_000), err
}

// lastHour returns the last hour whose block may have a leg that begins before the time end.
func lastHour(end int64) uint32 {
	return track.HourOf(track.ClampMillis(end - 1 + ship.GapLimit.Milliseconds()))
}

// storedFixes returns the fixes of a ship in the blocks first to last, leads included, in order of their blocks. Of each block it returns all
// up to the first fix at the time until or later.
func (db *DB) storedFixes(ctx context.Context, m ais.MMSI, first, last uint32, until int64) (fixes []ship.Fix, err error) {
	for bucket, more := first, true; more; {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		err := db.View(func(tx *bolt.Tx) error {
			var err error
			fixes, bucket, more, err = db.readBlocks(tx, fixes, m, bucket, last, until)
			return err
		})
		if err != nil {
			return nil, err
		}
	}
	return fixes, nil
}

// readBlocks reads blocks of one ship for viewTime at most; more tells that it goes on at bucket next.
func (db *DB) readBlocks(tx *bolt.Tx, dst []ship.Fix, m ais.MMSI, bucket, last uint32, until int64) (fixes []ship.Fix, next uint32, more bool, err error) {
	c := tx.Bucket([]byte(layout.Blocks)).Cursor()
	start := time.Now()
	for n := 1; ; n++ {
		k, b := c.Seek(layout.BlockKey(bucket, m))
		at, found, ok := layout.ReadBlockKey(k)
		if k == nil || (ok && at > last) {
			return dst, 0, false, nil
		}
		if !ok {
			return dst, 0, false, fmt.Errorf("bucket blocks: %w: key %x", track.ErrCorrupt, k)
		}
		switch {
		case at == bucket && found == m:
			n := len(dst)
			if dst, _, err = layout.ReadBlockUntil(dst, k, b, until); err != nil {
				dst = dst[:n]
				db.NoteUnreadable(tx, records.ValuePlace{Bucket: layout.Blocks, Key: string(k)})
			}
			bucket++
		case at == bucket || found > m:
			bucket = at + 1
		default:
			bucket = at
		}
		if bucket > last || bucket == 0 {
			return dst, 0, false, nil
		}
		if n%64 == 0 && time.Since(start) > viewTime {
			return dst, bucket, true, nil
		}
	}
}

// Passing calls fn, hour by hour in order of time, with the legs of each ship that overlap from <= time < to (ship.Track.Overlapping). It
// returns those that come near the area in that hour: it chooses by the bounds of an hour, so the caller must test exactly. A track begins
// with the last fix of the hour before, when there is one. So every leg lies whole in one call. A track is valid until fn returns, which may change it. An
// error of fn ends it.
func (db *DB) Passing(ctx context.Context, area geo.Rect, from, to time.Time, fn func(ais.MMSI, ship.Track) error) error {
	begin, end := track.ClampMillis(from.UnixMilli()), track.ClampMillis(to.UnixMilli())
	if end <= begin {
		return ctx.Err()
	}
	area = area.Expand(legMargin)
	bucket, last := track.HourOf(begin), lastHour(end)
	open, room := db.openTouching(area, bucket, last), &room{}
	for ; ; bucket++ {
		next, err := db.nextBucket(bucket, last, open)
		if err != nil || next < 0 {
			return err
		}
		bucket = uint32(next)
		if err = db.passingHour(ctx, area, bucket, open[bucket], room, from, to, fn); err != nil || bucket == last {
			return err
		}
	}
}

// openTouching returns snapshots of the open blocks that may touch an area, by bucket and ship.
func (db *DB) openTouching(area geo.Rect, first, last uint32) openHours {
	open := openHours{}
	db.mu.Lock()
	list := db.list
	db.mu.Unlock()
	var copies []openCopy
	for part := range slices.Chunk(list, 256) {
		copies = copies[:0]
		db.mu.Lock()
		for _, v := range part {
			copies = v.snapshot(copies, first, last)
		}
		db.mu.Unlock()
		for _, c := range copies {
			if c.hasLead && len(c.late) == 0 && !c.box.Empty() && !area.Intersects(c.box.Rect()) {
				continue // of the others only the merge with the stored block tells the bounds
			}
			open.add(c)
			if len(c.late) > 0 && c.bucket < last {
				// The last of the late ones may be the lead of a stored block.
				open.add(openCopy{mmsi: c.mmsi, openBlock: openBlock{bucket: c.bucket + 1, hasLead: true, lead: slices.MaxFunc(c.late, byTime)}})
			}
		}
	}
	return open
}

// openHours is snapshots of open blocks by bucket and ship.
type openHours map[uint32]map[ais.MMSI][]openCopy

func (o openHours) add(c openCopy) {
	if o[c.bucket] == nil {
		o[c.bucket] = map[ais.MMSI][]openCopy{}
	}
	o[c.bucket][c.mmsi] = append(o[c.bucket][c.mmsi], c)
}

// nextBucket returns the first bucket from bucket to last that holds anything, -1 when there is none.
func (db *DB) nextBucket(bucket, last uint32, open openHours) (int64, error) {
	next := int64(-1)
	for b := range open {
		if b >= bucket && b <= last && (next < 0 || int64(b) < next) {
			next = int64(b)
		}
	}
	err := db.View(func(tx *bolt.Tx) error {
		k, _ := tx.Bucket([]byte(layout.Blocks)).Cursor().Seek(layout.BlockKey(bucket, 0))
		if at, _, ok := layout.ReadBlockKey(k); ok && at <= last && (next < 0 || int64(at) < next) {
			next = int64(at)
		}
		return nil
	})
	return next, err
}

// storedBlock is a block copied out of a transaction.
type storedBlock struct {
	mmsi  ais.MMSI
	value []byte
}

// room is the memory that one question takes again and again.
type room struct {
	fixes  []ship.Fix
	blocks []byte // of one part
}

// passingHour hands fn what touches the area in one bucket: stored blocks in parts, each with its open ones, then the rest.
func (db *DB) passingHour(ctx context.Context, area geo.Rect, bucket uint32, open map[ais.MMSI][]openCopy, room *room,
	from, to time.Time, fn func(ais.MMSI, ship.Track) error) error {
	hand := func(m ais.MMSI, stored []byte) error {
		fixes, err := db.hourFixes(room.fixes[:0], bucket, m, stored, open[m], area)
		delete(open, m)
		if err != nil {
			return err
		}
		room.fixes = fixes
		legs := slices.Clip(ship.Track(fixes).Overlapping(from, to))
		if len(legs) == 0 {
			return nil
		}
		return fn(m, legs)
	}
	for after, more := ais.MMSI(0), true; more; {
		if err := ctx.Err(); err != nil {
			return err
		}
		var part []storedBlock
		err := db.View(func(tx *bolt.Tx) error {
			part, after, more = db.touching(tx, bucket, after, area, open, room, !to.After(time.UnixMilli(track.HourStart(bucket))))
			return nil
		})
		if err != nil {
			return err
		}
		for _, s := range part {
			if err := hand(s.mmsi, s.value); err != nil {
				return err
			}
		}
	}
	for _, m := range slices.Sorted(maps.Keys(open)) {
		if err := hand(m, nil); err != nil {
			return err
		}
	}
	return nil
}

// touching copies the stored blocks of a bucket, from the ship after on, that touch the area or have an open block. Of an hour that begins when the time is
// over it copies only those with a leg from the hour before.
func (db *DB) touching(tx *bolt.Tx, bucket uint32, after ais.MMSI, area geo.Rect, open map[ais.MMSI][]openCopy, room *room, over bool) (
	part []storedBlock, next ais.MMSI, more bool) {
	c := tx.Bucket([]byte(layout.Blocks)).Cursor()
	start, n := time.Now(), 0
	room.blocks = room.blocks[:0]
	for k, b := c.Seek(layout.BlockKey(bucket, after)); k != nil; k, b = c.Next() {
		at, m, ok := layout.ReadBlockKey(k)
		if !ok || at != bucket {
			break
		}
		if n++; len(room.blocks) > 4<<20 || (n%256 == 0 && time.Since(start) > viewTime) {
			return part, m, true
		}
		value, err := layout.Unseal(layout.Blocks, k, b)
		var head track.Head
		if err == nil {
			head, err = track.ReadHead(value)
		}
		if err != nil {
			db.NoteUnreadable(tx, records.ValuePlace{Bucket: layout.Blocks, Key: string(k)})
			continue
		}
		if _, isOpen := open[m]; isOpen || (head.Lead || !over) && area.Intersects(head.Touches) {
			begin := len(room.blocks)
			room.blocks = append(room.blocks, b...)
			part = append(part, storedBlock{m, room.blocks[begin:]})
		}
	}
	return part, 0, false
}

// hourFixes joins a stored block with the open ones in dst; nothing when together they do not touch the area.
func (db *DB) hourFixes(dst []ship.Fix, bucket uint32, m ais.MMSI, stored []byte, open []openCopy, area geo.Rect) (fixes []ship.Fix, err error) {
	if fixes = dst; stored != nil {
		if fixes, _, err = layout.ReadBlock(dst, layout.BlockKey(bucket, m), stored); err != nil {
			return nil, fmt.Errorf("block %d of %d: %w", bucket, m, err)
		}
	}
	if len(open) == 0 {
		return fixes, nil
	}
	for i := range open {
		more, err := open[i].fixes()
		if err != nil {
			return nil, fmt.Errorf("open block %d of %d: %w", bucket, m, err)
		}
		fixes = append(fixes, more...)
	}
	fixes = inOrder(fixes)
	err = db.View(func(tx *bolt.Tx) error {
		fixes = withLead(tx.Bucket([]byte(layout.Blocks)), bucket, m, fixes)
		return nil
	})
	if err != nil {
		return nil, err
	}
	var box track.Bounds
	for _, f := range fixes {
		box.Add(f)
	}
	if fixes[len(fixes)-1].At < track.HourStart(bucket) || !area.Intersects(box.Rect()) {
		return nil, nil
	}
	return fixes, nil
}
