package records

import (
	"bytes"
	"encoding/json"
	"fmt"
	"iter"
	"slices"
	"time"

	bolt "go.etcd.io/bbolt"

	"quaywatch/store/layout"
	"quaywatch/store/track"
)

// seriesPage is how many records are read at once, and droppedWith how many are dropped at most with each one that is appended.
const (
	seriesPage  = 256
	seriesBytes = 1 << 20 // of a page; one record may have more
	droppedWith = 4
)

// Series holds records of one kind as JSON in the order of their times. What it acknowledges is committed; it gives ErrFull or ErrReadOnly
// while nothing can be. Nothing of it is held in memory.
type Series[T any] struct {
	db   *Database
	name string // of its bucket
	keep Keep
}

// Keep says how long the records of a Series are kept. The oldest go when others are appended, a few with each. So no clock but that of the records counts, and
// a record with a wrong time takes few others with it.
type Keep struct {
	Age  time.Duration // before the record that is appended; 0 for ever
	Most uint64        // records, about; 0 any number
}

// Key is the place of a record in a Series. Records of one time are in the order in which they were appended. The zero Key comes before
// all others.
type Key struct {
	At       int64 // Unix milliseconds
	Sequence uint64
}

// KeyAt returns the first key of a time.
func KeyAt(at time.Time) Key { return Key{At: track.ClampMillis(at.UnixMilli())} }

// EndKey comes after all keys.
func EndKey() Key { return Key{At: track.MaxMillis + 1} }

// SeriesEntry is one record of a Series.
type SeriesEntry[T any] struct {
	Key   Key
	Value T
}

// OpenSeries returns the series of a name. Where there is none, the next commit makes it.
func OpenSeries[T any](db *Database, name string, keep Keep) (*Series[T], error) {
	s := &Series[T]{db, layout.SeriesPrefix + name, keep}
	err := db.want(s.name, func(tx *Tx) error {
		tx.touchBucket(s.name)
		_, err := tx.tx.CreateBucketIfNotExists([]byte(s.name))
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("open series %s: %w", name, err)
	}
	return s, nil
}

// Append adds a record of a time and returns its key, which was never given before.
func (s *Series[T]) Append(at time.Time, v T) (key Key, err error) {
	err = s.db.Together(func(tx *Tx) (err error) { key, err = s.AppendIn(tx, at, v); return err })
	return key, err
}

// AppendIn is Append together with other changes.
func (s *Series[T]) AppendIn(batch *Tx, at time.Time, v T) (Key, error) {
	tx, key := batch, KeyAt(at)
	value, err := json.Marshal(v)
	if err == nil {
		key.Sequence, err = tx.Bucket(s.name).NextSequence()
	}
	if err == nil {
		err = tx.Put(s.name, key.keyBytes(), value)
	}
	if err == nil {
		err = s.dropOld(tx, key)
	}
	if err != nil {
		return Key{}, fmt.Errorf("append to %s: %w", s.name, err)
	}
	return key, nil
}

// PutIn replaces the record under a key that an Append gave, together with other changes. It returns ErrNotFound when the record is gone.
func (s *Series[T]) PutIn(batch *Tx, key Key, v T) error {
	value, err := json.Marshal(v)
	if err == nil && batch.Bucket(s.name).Get(key.keyBytes()) == nil {
		err = ErrNotFound
	}
	if err == nil {
		err = batch.Put(s.name, key.keyBytes(), value)
	}
	if err != nil {
		return fmt.Errorf("put into %s: %w", s.name, err)
	}
	return nil
}

// RemoveIn removes the record under a key that an Append gave, together with other changes. It returns ErrNotFound when the record is gone.
func (s *Series[T]) RemoveIn(batch *Tx, key Key) error {
	var err error = ErrNotFound
	if batch.Bucket(s.name).Get(key.keyBytes()) != nil {
		err = batch.Delete(s.name, key.keyBytes())
	}
	if err != nil {
		return fmt.Errorf("remove from %s: %w", s.name, err)
	}
	return nil
}

// dropOld removes some of the records that are too old beside one that was appended, or too many.
func (s *Series[T]) dropOld(tx *Tx, newest Key) error {
	var old [][]byte
	c := tx.Bucket(s.name).Cursor()
	for k, _ := c.First(); len(old) < droppedWith; k, _ = c.Next() {
		key, ok := readKey(k)
		aged := s.keep.Age > 0 && newest.At-key.At > s.keep.Age.Milliseconds()
		many := s.keep.Most > 0 && key.Sequence+s.keep.Most <= newest.Sequence
		if k == nil || ok && !aged && !many {
			break
		}
		old = append(old, bytes.Clone(k))
	}
	for _, k := range old {
		if err := tx.Delete(s.name, k); err != nil {
			return err
		}
	}
	return nil
}

// Get returns the record under a key that an Append gave. It returns ErrNotFound when the record is gone.
func (s *Series[T]) Get(key Key) (e SeriesEntry[T], err error) {
	kv := keyValue{key: key.keyBytes()}
	err = s.db.View(func(tx *bolt.Tx) error {
		if b := tx.Bucket([]byte(s.name)); b != nil {
			kv.value = slices.Clone(b.Get(kv.key))
		}
		return nil
	})
	if err == nil && kv.value == nil {
		err = ErrNotFound
	}
	if err != nil {
		return SeriesEntry[T]{Key: key}, fmt.Errorf("read %s: %w", s.name, err)
	}
	return s.parseEntry(kv)
}

// Forward returns the records with from <= key < to, first to last. It reads page by page, so the loop may take its time and what is appended
// meanwhile is given too. Of a record that cannot be read it returns the key and an error; the next one may be sound.
func (s *Series[T]) Forward(from, to Key) iter.Seq2[SeriesEntry[T], error] {
	return s.walkEntries(from, to, false)
}

// Backward returns the records with from <= key < to, last to first, as Forward does.
func (s *Series[T]) Backward(from, to Key) iter.Seq2[SeriesEntry[T], error] {
	return s.walkEntries(from, to, true)
}

func (s *Series[T]) walkEntries(from, to Key, back bool) iter.Seq2[SeriesEntry[T], error] {
	return func(yield func(SeriesEntry[T], error) bool) {
		for more := true; more; {
			var page []keyValue
			err := s.db.View(func(tx *bolt.Tx) error {
				page, more = seriesPart(tx.Bucket([]byte(s.name)), from, to, back)
				return nil
			})
			if err != nil {
				yield(SeriesEntry[T]{}, fmt.Errorf("read %s: %w", s.name, err))
				return
			}
			for _, kv := range page {
				entry, err := s.parseEntry(kv)
				if !yield(entry, err) {
					return
				}
				if back {
					to = entry.Key
				} else {
					from = Key{entry.Key.At, entry.Key.Sequence + 1}
				}
			}
		}
	}
}

// seriesPart copies a page of records out of a transaction; more tells that others may follow.
func seriesPart(b *bolt.Bucket, from, to Key, back bool) (page []keyValue, more bool) {
	if b == nil {
		return nil, false
	}
	c, begin, end := b.Cursor(), from.keyBytes(), to.keyBytes()
	step := c.Next
	k, v := c.Seek(begin)
	if back {
		step = c.Prev
		if after, _ := c.Seek(end); after == nil {
			k, v = c.Last()
		} else {
			k, v = c.Prev()
		}
	}
	held := 0
	for ; k != nil && bytes.Compare(k, begin) >= 0 && bytes.Compare(k, end) < 0; k, v = step() {
		if len(page) == seriesPage || held > seriesBytes {
			return page, true
		}
		if _, ok := readKey(k); ok {
			held += len(v)
			page = append(page, keyValue{bytes.Clone(k), slices.Clone(v)})
		}
	}
	return page, false
}

func (s *Series[T]) parseEntry(kv keyValue) (e SeriesEntry[T], err error) {
	e.Key, _ = readKey(kv.key)
	value, err := layout.Unseal(s.name, kv.key, kv.value)
	if err != nil {
		_ = s.db.View(func(tx *bolt.Tx) error {
			s.db.NoteUnreadable(tx, ValuePlace{Bucket: s.name, Key: string(kv.key)})
			return nil
		}) // the read was sound
	} else {
		err = json.Unmarshal(value, &e.Value)
	}
	if err != nil {
		return e, fmt.Errorf("%s, record %x: %w", s.name, kv.key, err)
	}
	return e, nil
}

// keyBytes returns the key as it stands in the database.
func (k Key) keyBytes() []byte { return layout.SeriesKey(k.At, k.Sequence) }

func readKey(k []byte) (key Key, ok bool) {
	key.At, key.Sequence, ok = layout.ReadSeriesKey(k)
	return key, ok
}
