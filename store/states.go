package store

import (
	"bytes"
	"context"
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

// StaticAt returns the static and voyage data that was valid at a time; one of them may be nil when it was not known. It
// returns records.ErrNotFound when neither was.
func (db *DB) StaticAt(m ais.MMSI, at time.Time) (*ship.Static, *ship.VoyageData, error) {
	ms := track.ClampMillis(at.UnixMilli())
	known := slices.DeleteFunc(db.waitingOf(m), func(c staticChange) bool { return c.at > ms })
	best := staticChange{at: -1}
	err := db.View(func(tx *bolt.Tx) error {
		best = db.storedStatic(tx, m, ms)
		return nil
	})
	if err != nil {
		return nil, nil, fmt.Errorf("static data of %d: %w", m, err)
	}
	for _, c := range known {
		if c.at >= best.at {
			best = c.onto(best)
		}
	}
	if best.at < 0 {
		return nil, nil, fmt.Errorf("static data of %d: %w", m, records.ErrNotFound)
	}
	return best.static, best.voyage, nil
}

// storedStatic returns the last stored change of a ship at or before ms that can be read. Its time is -1 when there is none.
func (db *DB) storedStatic(tx *bolt.Tx, m ais.MMSI, ms int64) staticChange {
	for ms >= 0 {
		k, b := staticBefore(tx.Bucket([]byte(layout.Static)).Cursor(), m, ms)
		_, at, ok := layout.ReadStaticKey(k)
		if !ok {
			break
		}
		st, v, err := layout.ReadStatic(k, b)
		if err == nil {
			return staticChange{at: at, static: st, voyage: v}
		}
		db.NoteUnreadable(tx, records.ValuePlace{Bucket: layout.Static, Key: string(k)})
		ms = at - 1
	}
	return staticChange{at: -1}
}

// StaticChange is what was known of a ship from a time on.
type StaticChange struct {
	At     time.Time
	Static *ship.Static     // nil when it was not known
	Voyage *ship.VoyageData // nil when it was not known
}

// StaticChanges returns what was known of a ship in from <= time < to. It returns what held at the beginning, if that is known, and each change after that, in
// order. Records that say the same are one.
func (db *DB) StaticChanges(ctx context.Context, m ais.MMSI, from, to time.Time) ([]StaticChange, error) {
	begin, end := track.ClampMillis(from.UnixMilli()), track.ClampMillis(to.UnixMilli())
	changes := db.waitingOf(m)
	for after, more := begin, end > begin; more; {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		err := db.View(func(tx *bolt.Tx) error {
			changes, after, more = db.someStatics(tx, changes, m, after, end)
			return nil
		})
		if err != nil {
			return nil, fmt.Errorf("static data of %d: %w", m, err)
		}
	}
	slices.SortStableFunc(changes, staticChange.compare)
	for i := range changes {
		changes[i] = changes[i].onto(changes[max(0, i-1)])
	}
	return changesBetween(changes, begin, end), nil
}

// waitingOf returns the changes of a ship that are not yet in the database, in order of time.
func (db *DB) waitingOf(m ais.MMSI) (changes []staticChange) {
	db.mu.Lock()
	if v := db.ships[m]; v != nil {
		changes = slices.Clone(v.statics)
	}
	db.mu.Unlock()
	slices.SortStableFunc(changes, staticChange.compare)
	return changes
}

// someStatics appends up to a thousand stored changes of a ship, from the last one at or before a time on.
func (db *DB) someStatics(tx *bolt.Tx, dst []staticChange, m ais.MMSI, after, end int64) (changes []staticChange, next int64, more bool) {
	c := tx.Bucket([]byte(layout.Static)).Cursor()
	start := after
	if before := db.storedStatic(tx, m, after); before.at >= 0 {
		start = before.at
	}
	n := 0
	for k, b := c.Seek(layout.StaticKey(m, start)); k != nil; k, b = c.Next() {
		found, at, ok := layout.ReadStaticKey(k)
		if !ok || found != m || at >= end {
			break
		}
		if n++; n > 1000 {
			return dst, at, true
		}
		st, v, err := layout.ReadStatic(k, b)
		if err != nil {
			db.NoteUnreadable(tx, records.ValuePlace{Bucket: layout.Static, Key: string(k)})
			continue
		}
		dst = append(dst, staticChange{at: at, static: st, voyage: v})
	}
	return dst, 0, false
}

// changesBetween returns the changes of a time out of a list in order: the last one from before begins with it.
func changesBetween(list []staticChange, begin, end int64) (changes []StaticChange) {
	for i, c := range list {
		was := len(changes) - 1
		switch {
		case c.at >= end || i+1 < len(list) && list[i+1].at <= begin:
			continue
		case was >= 0 && track.SameKnown(changes[was].Static, c.static, changes[was].Voyage, c.voyage):
			continue
		}
		changes = append(changes, StaticChange{time.UnixMilli(c.at).UTC(), c.static, c.voyage})
	}
	return changes
}

// Ship returns the last state of a ship, also when it left the picture long ago. It returns records.ErrNotFound for one never stored, or heard before retention only.
func (db *DB) Ship(m ais.MMSI) (ship.State, error) {
	states, err := db.Ships(nil, []ais.MMSI{m})
	if err == nil && len(states) == 0 {
		err = fmt.Errorf("ship %d: %w", m, records.ErrNotFound)
	}
	if err != nil {
		return ship.State{}, err
	}
	return states[0], nil
}

// Ships appends to dst the last states of those ships that Ship would give, in no order. The database is read in one transaction: ask for
// some hundreds at once at most.
func (db *DB) Ships(dst []ship.State, numbers []ais.MMSI) ([]ship.State, error) {
	var written []ais.MMSI // those that are in the database alone
	db.mu.Lock()
	for _, m := range numbers {
		if v := db.ships[m]; v != nil {
			dst = append(dst, v.state)
		} else {
			written = append(written, m)
		}
	}
	db.mu.Unlock()
	if len(written) == 0 {
		return dst, nil
	}
	err := db.View(func(tx *bolt.Tx) error {
		bucket := tx.Bucket([]byte(layout.Ships))
		for _, m := range written {
			k := layout.ShipKey(m)
			b := bucket.Get(k)
			if b == nil {
				continue
			}
			s, err := db.readState(k, b)
			if err != nil {
				db.NoteUnreadable(tx, records.ValuePlace{Bucket: layout.Ships, Key: string(k)})
				continue
			}
			dst = append(dst, s)
		}
		return nil
	})
	return dst, err
}

// EachShip calls fn with the last state of every ship stored and heard within retention, in no order. An error of fn ends it and is returned.
func (db *DB) EachShip(fn func(ship.State) error) error {
	seen := map[ais.MMSI]bool{}
	db.mu.Lock()
	list := db.list
	db.mu.Unlock()
	for part := range slices.Chunk(list, 256) {
		states := make([]ship.State, len(part))
		db.mu.Lock()
		for i, v := range part {
			states[i] = v.state
		}
		db.mu.Unlock()
		for _, s := range states {
			seen[s.MMSI] = true
			if err := fn(s); err != nil {
				return err
			}
		}
	}
	var states []ship.State
	for after, more := ais.MMSI(0), true; more; {
		err := db.View(func(tx *bolt.Tx) error {
			states, after, more = db.someStates(tx, states[:0], after)
			return nil
		})
		if err != nil {
			return err
		}
		for _, s := range states {
			if seen[s.MMSI] {
				continue
			}
			if err := fn(s); err != nil {
				return err
			}
		}
	}
	return nil
}

// someStates appends up to a thousand states to an empty list, from the ship after on.
func (db *DB) someStates(tx *bolt.Tx, dst []ship.State, after ais.MMSI) (states []ship.State, next ais.MMSI, more bool) {
	states = dst
	c := tx.Bucket([]byte(layout.Ships)).Cursor()
	for k, b := c.Seek(layout.ShipKey(after)); k != nil; k, b = c.Next() {
		m, ok := layout.ReadShipKey(k)
		if len(states) == 1000 && ok {
			return states, m, true
		}
		s, err := db.readState(k, b)
		if err != nil {
			db.NoteUnreadable(tx, records.ValuePlace{Bucket: layout.Ships, Key: string(k)})
			continue
		}
		states = append(states, s)
	}
	return states, 0, false
}

// readState returns a sealed last state, with the feeds that heard the ship at its last fix.
func (db *DB) readState(k, sealed []byte) (ship.State, error) {
	s, err := layout.ReadState(k, sealed)
	s.Feeds = db.Feeds(s.Fix.Feeds)
	return s, err
}

// staticBefore returns the last static record of a ship at or before ms, sealed, nil when there is none.
func staticBefore(c *bolt.Cursor, m ais.MMSI, ms int64) (key, sealed []byte) {
	want := layout.StaticKey(m, ms)
	k, v := c.Seek(want)
	if k == nil {
		k, v = c.Last()
	} else if !bytes.Equal(k, want) {
		k, v = c.Prev()
	}
	if k == nil || !bytes.HasPrefix(k, want[:8]) {
		return nil, nil
	}
	return k, v
}
