package store

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	bolt "go.etcd.io/bbolt"

	"quaywatch/ais"
	"quaywatch/ship"
	"quaywatch/store/track"
)

// loadStates reads the last states of all ships.
func (db *DB) loadStates() error {
	return db.view(func(tx *bolt.Tx) error {
		b := tx.Bucket([]byte(bucketShips))
		return b.ForEach(func(k, v []byte) error {
			s, err := db.readState(k, v)
			if err != nil {
				return fmt.Errorf("last state under key %x: %w", k, err)
			}
			db.states = append(db.states, s)
			return nil
		})
	})
}

// openLog opens the log that belongs to the database, makes one when there is none, and replays it.
func (db *DB) openLog(id [16]byte) error {
	path := filepath.Join(db.options.Dir, walName)
	_, err := os.Stat(path)
	if err == nil {
		db.wal, err = openWAL(path)
		switch {
		case err != nil:
		case db.wal.id != id:
			err = db.setAside(path)
		default:
			if err = db.wal.readSequences(); err != nil {
				err = fmt.Errorf("read log %s: %w", path, err)
			}
		}
	}
	if errors.Is(err, os.ErrNotExist) {
		if err = createWAL(path, id); err == nil {
			db.wal, err = openWAL(path)
		}
	}
	if err != nil {
		return fmt.Errorf("%w (to go on without what it holds, move %s away)", err, path)
	}
	if err := db.replay(); err != nil {
		return fmt.Errorf("replay log: %w (to go on without what it holds, move %s away)", err, path)
	}
	db.wal.release(db.firstLive.Load())
	return db.wal.trim()
}

// setAside renames a log that belongs to another database, as one does after Restore was interrupted.
func (db *DB) setAside(path string) error {
	db.wal.f.Close()
	db.wal = nil
	if err := os.Rename(path, path+".old"); err != nil {
		return err
	}
	db.logger.Error("the log belongs to another database; it was set aside", "file", path+".old")
	return os.ErrNotExist
}

// replay builds the open blocks and the last states from the log.
func (db *DB) replay() error {
	known := make(map[ais.MMSI]int, len(db.states))
	for i := range db.states {
		known[db.states[i].MMSI] = i
	}
	var reader logReader
	sequence := uint64(0)
	visit := logVisitor{
		feeds: db.feeds.take,
		fix: func(in *introduced, f ship.Fix, k track.Keeping) {
			db.replayFix(db.revive(in, known, sequence), f, k, sequence)
		},
		late: func(in *introduced, f ship.Fix) {
			db.revive(in, known, sequence).takeLate(f, sequence)
			db.openBytes += lateBytes
		},
		ship: func(in *introduced, s ship.State) { db.replayShip(db.revive(in, known, sequence), s) },
	}
	damage, err := db.wal.replay(db.firstLive.Load(), func(f frame) error {
		sequence = f.segment
		return reader.read(f, visit)
	})
	for _, d := range damage {
		db.logger.Error("the log is damaged; what it holds after that is read on", "error", d)
	}
	if err != nil {
		return err
	}
	db.continueLog()
	db.takeStates(known)
	return nil
}

// revive gives the memory of a ship, with its state from the database when there is one.
func (db *DB) revive(in *introduced, known map[ais.MMSI]int, sequence uint64) *vessel {
	if in.vessel != nil {
		return in.vessel
	}
	in.vessel = db.ships[in.mmsi]
	if in.vessel != nil {
		return in.vessel
	}
	v := db.vesselOf(in.mmsi)
	v.state.MMSI = in.mmsi
	if i, ok := known[in.mmsi]; ok {
		v.state = db.states[i]
	}
	v.dirty, v.since, in.vessel = true, sequence, v
	return v
}

func (db *DB) replayFix(v *vessel, f ship.Fix, k track.Keeping, sequence uint64) {
	again := f.At < v.lastAt // after a wrong time
	db.openBytes += v.take(f, k, sequence)
	s := &v.state
	if again || !s.HasFix || f.At >= s.Fix.At {
		s.Fix, s.HasFix = f, true
		s.Reports++
	}
	s.Heard = max(s.Heard, f.At)
	if s.First == 0 {
		s.First = f.At
	}
}

// replayShip takes a logged state: all but the fix, which has its own records.
func (db *DB) replayShip(v *vessel, s ship.State) {
	was := v.state
	v.state = s
	if was.HasFix && (!s.HasFix || was.Fix.At > s.Fix.At) {
		v.state.Fix, v.state.HasFix = was.Fix, true
	}
	v.state.Heard, v.state.Reports = max(was.Heard, s.Heard), max(was.Reports, s.Reports)
	if !track.SameKnown(was.Static, s.Static, was.Voyage, s.Voyage) || len(v.statics) == 0 {
		db.change(v)
	}
}

// continueLog makes the log writer go on where the last whole frame ended, with a new group.
func (db *DB) continueLog() {
	w := &db.log
	w.over = true
	if db.wal.current >= 0 {
		s := db.wal.segments[db.wal.current]
		w.sequence, w.used = s.sequence, s.used
	} else if first := db.firstLive.Load(); first > 0 {
		// The log was lost or moved away: no sequence is given twice all the same.
		w.sequence, w.used = first, segmentSize
	}
}

// takeStates puts what the log knew into the states that Open gives.
func (db *DB) takeStates(known map[ais.MMSI]int) {
	for _, v := range db.list {
		v.state.Feeds = db.feeds.of(v.state.Fix.Feeds)
		if i, ok := known[v.mmsi]; ok {
			db.states[i] = v.state
		} else {
			db.states = append(db.states, v.state)
		}
		db.now = max(db.now, v.lastAt)
	}
	_, newest := db.span()
	db.now = max(db.now, newest-track.HourMillis)
}

// States gives the last known states as of Open, from the database and the log, until the first Tick: by then the picture has
// them, and nothing here keeps a second copy.
func (db *DB) States() []ship.State {
	db.mu.Lock()
	defer db.mu.Unlock()
	return db.states
}
