package store

import (
	"context"
	"slices"
	"time"

	bolt "go.etcd.io/bbolt"

	"quaywatch/ais"
	"quaywatch/geo"
	"quaywatch/store/layout"
	"quaywatch/store/track"
)

// Heads tells fn the heads of the blocks of an hour until it says false. They are those of all ships, or of some in the order of their numbers. A ship may have
// several. It reads nothing behind a head and proves no checksum, so it is good for estimates alone. fn must be quick: the database is open meanwhile.
func (db *DB) Heads(ctx context.Context, hour time.Time, ships []ais.MMSI, fn func(ais.MMSI, track.Head) bool) error {
	bucket := track.HourOf(track.ClampMillis(hour.UnixMilli()))
	for _, copies := range db.openTouching(geo.Rect{West: -180, South: -90, East: 180, North: 90}, bucket, bucket)[bucket] {
		for _, c := range copies {
			if _, named := slices.BinarySearch(ships, c.mmsi); ships != nil && !named {
				continue
			}
			if fixes, err := c.fixes(); err == nil && !fn(c.mmsi, track.Head{Count: len(fixes), Touches: c.box.Rect()}) {
				return ctx.Err()
			}
		}
	}
	from := []ais.MMSI{0}
	if ships != nil {
		from = ships
	}
	return db.View(func(tx *bolt.Tx) error {
		c := tx.Bucket([]byte(layout.Blocks)).Cursor()
		for _, first := range from {
			for k, b := c.Seek(layout.BlockKey(bucket, first)); k != nil && ctx.Err() == nil; k, b = c.Next() {
				at, m, ok := layout.ReadBlockKey(k)
				if !ok || at != bucket || ships != nil && m != first {
					break
				}
				if head, err := track.ReadHead(b); err == nil && !fn(m, head) {
					return nil
				}
			}
		}
		return ctx.Err()
	})
}
