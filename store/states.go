package store

import (
	"fmt"
	"slices"
	"time"

	bolt "go.etcd.io/bbolt"

	"quaywatch/ais"
	"quaywatch/ship"
	"quaywatch/store/track"
)

// StaticAt gives the static and voyage data that was valid at a time; one of them may be nil when it was not known. It
// gives ErrNotFound when neither was.
func (db *DB) StaticAt(m ais.MMSI, at time.Time) (*ship.Static, *ship.VoyageData, error) {
	ms := track.ClampMillis(at.UnixMilli())
	best := staticChange{at: -1}
	db.mu.Lock()
	if v := db.ships[m]; v != nil {
		for _, c := range v.statics {
			if c.at <= ms && c.at >= best.at {
				best = c
			}
		}
	}
	db.mu.Unlock()
	err := db.view(func(tx *bolt.Tx) error {
		k, b := staticBefore(tx.Bucket([]byte(bucketStatic)).Cursor(), m, ms)
		_, stored, ok := readStaticKey(k)
		if !ok || stored <= best.at {
			return nil
		}
		st, v, err := readStatic(k, b)
		best = staticChange{stored, st, v}
		return err
	})
	if err != nil {
		return nil, nil, fmt.Errorf("static data of %d: %w", m, err)
	}
	if best.at < 0 {
		return nil, nil, fmt.Errorf("static data of %d: %w", m, ErrNotFound)
	}
	return best.static, best.voyage, nil
}

// Ship gives the last state of a ship, also when she left the picture long ago. It gives ErrNotFound for one never stored, or heard before retention only.
func (db *DB) Ship(m ais.MMSI) (ship.State, error) {
	db.mu.Lock()
	v := db.ships[m]
	if v != nil {
		s := v.state
		db.mu.Unlock()
		return s, nil
	}
	db.mu.Unlock()
	var s ship.State
	err := db.view(func(tx *bolt.Tx) error {
		k := shipKey(m)
		b := tx.Bucket([]byte(bucketShips)).Get(k)
		if b == nil {
			return ErrNotFound
		}
		var err error
		s, err = db.readState(k, b)
		return err
	})
	if err != nil {
		return ship.State{}, fmt.Errorf("ship %d: %w", m, err)
	}
	return s, nil
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
	for after, more := ais.MMSI(0), true; more; {
		var states []ship.State
		err := db.view(func(tx *bolt.Tx) (err error) {
			states, after, more, err = db.someStates(tx, after)
			return err
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

// someStates reads up to a thousand states from the ship after on.
func (db *DB) someStates(tx *bolt.Tx, after ais.MMSI) (states []ship.State, next ais.MMSI, more bool, err error) {
	c := tx.Bucket([]byte(bucketShips)).Cursor()
	for k, b := c.Seek(shipKey(after)); k != nil; k, b = c.Next() {
		m, ok := readShipKey(k)
		if len(states) == 1000 && ok {
			return states, m, true, nil
		}
		s, err := db.readState(k, b)
		if err != nil {
			return nil, 0, false, fmt.Errorf("last state under key %x: %w", k, err)
		}
		states = append(states, s)
	}
	return states, 0, false, nil
}
