package store

import (
	bolt "go.etcd.io/bbolt"

	"quaywatch/ais"
	"quaywatch/ship"
	"quaywatch/store/layout"
	"quaywatch/store/records"
	"quaywatch/store/track"
)

// Feeds returns the feeds that heard a ship at the time of a fix, by the number that the fix carries. It is empty for 0 and for
// a fix that no feed heard, as an imported one.
func (db *DB) Feeds(n ship.FeedSet) ais.Feeds {
	db.mu.Lock()
	defer db.mu.Unlock()
	return db.feeds.Of(n)
}

// putFeeds writes the sets of feeds that are new, before what refers to them. The caller gives them from newFeeds.
func putFeeds(tx *records.Tx, first ship.FeedSet, sets [][]string) error {
	for i, names := range sets {
		if names == nil {
			continue
		}
		if err := tx.Put(layout.Feeds, layout.FeedKey(first+ship.FeedSet(i)), track.AppendNames(nil, names)); err != nil {
			return err
		}
	}
	return nil
}

// newFeeds returns the sets of feeds that are not in the database yet, and the number of the first.
func (db *DB) newFeeds() (first ship.FeedSet, sets [][]string) {
	db.mu.Lock()
	defer db.mu.Unlock()
	return db.feeds.Fresh()
}

// feedsStored notes that all sets before that number are in the database.
func (db *DB) feedsStored(before ship.FeedSet) {
	db.mu.Lock()
	defer db.mu.Unlock()
	db.feeds.Stored(before)
}

// lostFeeds stands for the feeds of a set whose names and number cannot be read, so that no other set gets that number. No feed has this name.
const lostFeeds = "(lost)"

// loadFeeds reads the sets of feeds. For each that cannot be read the next number is taken: it may have been the last.
func (db *DB) loadFeeds() error {
	lost := 0
	err := db.View(func(tx *bolt.Tx) error {
		return tx.Bucket([]byte(layout.Feeds)).ForEach(func(k, v []byte) error {
			n, names, err := layout.ReadFeeds(k, v)
			if err != nil {
				db.NoteUnreadable(tx, records.ValuePlace{Bucket: layout.Feeds, Key: string(k)})
				lost++
			} else {
				db.feeds.Take(n, names)
			}
			return nil
		})
	})
	db.feeds.Stored(db.feeds.Next())
	for range lost {
		db.feeds.Take(db.feeds.Next(), []string{lostFeeds})
	}
	if first, sets := db.newFeeds(); err == nil && len(sets) > 0 {
		err = db.Update(func(tx *records.Tx) error { return putFeeds(tx, first, sets) })
		db.feedsStored(first + ship.FeedSet(len(sets)))
	}
	return err
}
