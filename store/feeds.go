package store

import (
	"encoding/binary"
	"slices"
	"strings"

	bolt "go.etcd.io/bbolt"

	"quaywatch/ais"
	"quaywatch/ship"
	"quaywatch/store/track"
)

// feedSets numbers the sets of feeds that heard ships, by the names of the feeds. Bits of the picture mean something else after a restart, and a feed that was
// renamed is another feed. A number is never given twice. It is guarded by the mutex of DB.
type feedSets struct {
	known   []ais.Feeds // by number; the first is the set that is not known
	names   [][]string  // the same, sorted
	numbers map[string]ship.FeedSet
	stored  int // so many are in the database

	list  *[]string               // the feeds of the picture, by bit
	sets  map[uint64]ship.FeedSet // its sets
	last  uint64                  // the set asked for last; most ships have the same
	lastN ship.FeedSet            // its number
}

func newFeedSets() feedSets {
	return feedSets{known: make([]ais.Feeds, 1), names: make([][]string, 1), numbers: map[string]ship.FeedSet{}, stored: 1}
}

// Feeds returns the feeds that heard a ship at the time of a fix, by the number that the fix carries. It is empty for 0 and for
// a fix that no feed heard, as an imported one.
func (db *DB) Feeds(n ship.FeedSet) ais.Feeds {
	db.mu.Lock()
	defer db.mu.Unlock()
	return db.feeds.of(n)
}

func (s *feedSets) of(n ship.FeedSet) ais.Feeds {
	if int(n) >= len(s.known) {
		return ais.Feeds{}
	}
	return s.known[n]
}

// number returns the number of the feeds that hear a ship, a new one when there is none.
func (s *feedSets) number(state *ship.State) ship.FeedSet {
	f := state.Feeds
	if f.Set == 0 { // there are more feeds than bits: the one that heard it counts
		if state.Feed == "" {
			return 0
		}
		return s.add([]string{state.Feed})
	}
	if s.list == f.Names && s.last == f.Set {
		return s.lastN
	}
	if s.list != f.Names {
		s.list, s.sets = f.Names, map[uint64]ship.FeedSet{}
	}
	n, ok := s.sets[f.Set]
	if !ok {
		n = s.add(f.List())
		s.sets[f.Set] = n
	}
	s.last, s.lastN = f.Set, n
	return n
}

func (s *feedSets) add(names []string) ship.FeedSet {
	slices.Sort(names)
	key := strings.Join(names, "\x00")
	n, ok := s.numbers[key]
	if !ok && len(s.known) < track.MostFeedSets {
		n = ship.FeedSet(len(s.known))
		s.take(n, names)
	}
	return n
}

// take learns a set from the disk or makes one. It returns false when the number is that of another set.
func (s *feedSets) take(n ship.FeedSet, names []string) bool {
	if n == 0 || n >= track.MostFeedSets || len(names) > ais.MostFeeds {
		return false
	}
	for int(n) >= len(s.known) {
		s.known, s.names = append(s.known, ais.Feeds{}), append(s.names, nil)
	}
	if s.names[n] != nil {
		return slices.Equal(s.names[n], names)
	}
	s.names[n] = names
	s.known[n] = ais.Feeds{Set: 1<<len(names) - 1, Names: &names}
	s.numbers[strings.Join(names, "\x00")] = n
	return true
}

// fresh returns the sets that are not in the database yet.
func (s *feedSets) fresh() [][]string { return s.names[s.stored:] }

// putFeeds writes the sets of feeds that are new, before what refers to them. The caller gives them from newFeeds.
func (tx *writeTx) putFeeds(first int, sets [][]string) error {
	for i, names := range sets {
		if names == nil {
			continue
		}
		if err := tx.put(bucketFeeds, feedKey(ship.FeedSet(first+i)), track.AppendNames(nil, names)); err != nil {
			return err
		}
	}
	return nil
}

// newFeeds returns the sets of feeds that are not in the database yet, and the number of the first.
func (db *DB) newFeeds() (first int, sets [][]string) {
	db.mu.Lock()
	defer db.mu.Unlock()
	return db.feeds.stored, db.feeds.fresh()
}

// feedsStored notes that all sets before that number are in the database.
func (db *DB) feedsStored(before int) {
	db.mu.Lock()
	defer db.mu.Unlock()
	db.feeds.stored = max(db.feeds.stored, before)
}

// lostFeeds stands for the feeds of a set whose names and number cannot be read, so that no other set gets that number. No feed has this name.
const lostFeeds = "(lost)"

// loadFeeds reads the sets of feeds. For each that cannot be read the next number is taken: it may have been the last.
func (db *DB) loadFeeds() error {
	lost := 0
	err := db.view(func(tx *bolt.Tx) error {
		return tx.Bucket([]byte(bucketFeeds)).ForEach(func(k, v []byte) error {
			n, names, err := readFeeds(k, v)
			if err != nil {
				db.found(tx, place{bucket: bucketFeeds, key: string(k)})
				lost++
			} else {
				db.feeds.take(n, names)
			}
			return nil
		})
	})
	db.feeds.stored = len(db.feeds.names)
	for range lost {
		db.feeds.take(ship.FeedSet(len(db.feeds.names)), []string{lostFeeds})
	}
	if first, sets := db.newFeeds(); err == nil && len(sets) > 0 {
		err = db.update(func(tx *writeTx) error { return tx.putFeeds(first, sets) })
		db.feedsStored(first + len(sets))
	}
	return err
}

// readFeeds reads a value of the bucket of the sets of feeds.
func readFeeds(k, sealed []byte) (ship.FeedSet, []string, error) {
	v, err := unseal(bucketFeeds, k, sealed)
	if err != nil || len(k) != 4 {
		return 0, nil, errChecksum
	}
	r := track.NewReader(v)
	names := track.ReadNames(&r)
	return ship.FeedSet(binary.BigEndian.Uint32(k)), names, r.End()
}

// feedKey is number 4.
func feedKey(n ship.FeedSet) []byte { return binary.BigEndian.AppendUint32(nil, uint32(n)) }
