package store

import (
	"crypto/rand"
	"errors"
	"fmt"
	"os"
	"slices"
	"time"

	bolt "go.etcd.io/bbolt"

	"quaywatch/ais"
	"quaywatch/ship"
	"quaywatch/store/files"
	"quaywatch/store/layout"
	"quaywatch/store/records"
	"quaywatch/store/track"
	"quaywatch/store/unconfirmed"
	"quaywatch/store/wal"
)

// loadStates reads the last states of all ships.
func (db *DB) loadStates() error {
	return db.View(func(tx *bolt.Tx) error {
		b := tx.Bucket([]byte(layout.Ships))
		db.states = slices.Grow(db.states, b.Stats().KeyN) // growing by and by would copy half a million states again and again
		return b.ForEach(func(k, v []byte) error {
			s, err := db.readState(k, v)
			if err != nil {
				db.NoteUnreadable(tx, records.ValuePlace{Bucket: layout.Ships, Key: string(k)})
				return nil
			}
			db.states = append(db.states, s)
			return nil
		})
	})
}

// openLog opens the log that belongs to the database, makes one when there is none, and replays it. What is missing is told.
func (db *DB) openLog(head *records.MetaHead) error {
	path := db.filePath(layout.LogName)
	err := db.findLog(path, head)
	if errors.Is(err, os.ErrNotExist) {
		if head.HadLog {
			db.tellLog("the log is missing", layout.LogName, 0, db.newestHeard())
		}
		err = db.makeLog(path, head)
	}
	if err != nil {
		return err
	}
	if err := db.replay(); err != nil {
		return fmt.Errorf("replay log: %w", err)
	}
	db.wal.Release(db.firstLive.Load())
	if err := db.wal.Fill(); err != nil {
		return records.OpenError(path, err)
	}
	return db.wal.Trim()
}

// findLog opens the log if it belongs to the database. It returns os.ErrNotExist when there is none or it was set aside.
func (db *DB) findLog(path string, head *records.MetaHead) (err error) {
	if _, err := os.Stat(path); errors.Is(err, os.ErrNotExist) {
		return os.ErrNotExist
	}
	db.wal, err = wal.Open(path)
	ours := err == nil && db.wal.ID == head.LogID
	switch {
	case errors.Is(err, wal.ErrHeader) && head.KnowsLog:
		if ours, err = db.wal.Adopt(head.LogID); ours && err == nil {
			db.TellUnwritten(records.Damage{Kind: records.DamagedEntry, Where: layout.LogName + ", header", What: "the header of the log, which was made anew", Found: time.Now().UTC()})
		}
	case errors.Is(err, wal.ErrHeader):
		err = nil
	case err == nil && !head.KnowsLog && records.Nearly(head.Traces, layout.MetaLog, db.wal.ID[:]):
		head.LogID, head.KnowsLog, ours = db.wal.ID, true, true
	}
	if err != nil {
		return records.OpenError(path, err)
	}
	if !ours {
		return db.setLogAside(path)
	}
	if err := db.wal.ReadSequences(); err != nil {
		return records.OpenError(path, err)
	}
	return nil
}

// setLogAside renames a log that is not of this database, as one is after Restore was interrupted.
func (db *DB) setLogAside(path string) error {
	err := db.wal.F.Close()
	db.wal = nil
	if err := errors.Join(err, os.Rename(path, path+".old")); err != nil {
		return err
	}
	db.logger.Error("the log does not belong to the database; it was set aside", "file", path+".old")
	return os.ErrNotExist
}

func (db *DB) makeLog(path string, head *records.MetaHead) (err error) {
	if !head.KnowsLog {
		if _, err := rand.Read(head.LogID[:]); err != nil {
			return err
		}
	}
	if err := wal.Create(path+".new", head.LogID); err != nil {
		return records.OpenError(path, err)
	}
	if err := files.RenameSynced(path+".new", path); err != nil {
		return records.OpenError(path, err)
	}
	if db.wal, err = wal.Open(path); err != nil {
		return records.OpenError(path, err)
	}
	return nil
}

// newestHeard returns the time at which a ship of the states was heard last, 0 without any.
func (db *DB) newestHeard() (newest int64) {
	for i := range db.states {
		newest = max(newest, db.states[i].Heard)
	}
	return newest
}

// tellLog tells that the log lacks what was heard between two times, unless that was told at an earlier start. Where the first is 0 it is
// the end of what the database has.
func (db *DB) tellLog(what, where string, from, to int64) bool {
	if slices.ContainsFunc(db.Damages(), func(d records.Damage) bool { return d.Kind == records.DamagedLog && d.Where == where }) {
		return false
	}
	if _, stored := db.StoredSpan(); from == 0 {
		from = min(stored, to-track.HourMillis)
		if stored > 0 && stored < to {
			from = stored
		}
	}
	from, to = max(from, 0), max(from, to)+1
	length := time.Duration(to-from) * time.Millisecond
	text := fmt.Sprintf("%s: of the %s from %s to %s what the database did not have yet is lost", what, length.Round(time.Second), layout.InWords(from), layout.InWords(to))
	db.TellUnwritten(records.Damage{Kind: records.DamagedLog, Where: where, What: text, From: time.UnixMilli(from).UTC(), To: time.UnixMilli(to).UTC(), Found: time.Now().UTC()})
	return true
}

// replay builds the open blocks and the last states from the log.
func (db *DB) replay() error {
	known := make(map[ais.MMSI]int, len(db.states))
	for i := range db.states {
		known[db.states[i].MMSI] = i
	}
	var reader wal.Reader
	var holes wal.Holes
	sequence := uint64(0)
	visit := wal.LogVisitor{
		Feeds: db.feeds.Take,
		Fix: func(in *wal.Introduced, f ship.Fix, k track.Keeping) {
			holes.Heard(f.At)
			db.replayFix(db.revive(in, known, sequence), f, k, sequence)
		},
		Late: func(in *wal.Introduced, f ship.Fix) {
			db.revive(in, known, sequence).takeLate(f, sequence)
			db.openBytes += lateBytes
		},
		Ship: func(in *wal.Introduced, s ship.State) {
			if _, stored := known[s.MMSI]; !stored && db.ships[s.MMSI] == nil && s.Reports < unconfirmed.Confirmed {
				db.strangers.Restore(&s)
				return
			}
			db.replayShip(db.revive(in, known, sequence), s)
		},
	}
	stopped := db.newestHeard()
	err := db.wal.Replay(db.firstLive.Load(), func(f wal.Frame) {
		sequence = f.Segment
		if err := reader.Read(f, visit); err != nil {
			holes.Add(wal.Gap{Segment: f.Segment, First: f.Number, Last: f.Number})
		}
	}, holes.Add)
	if err != nil {
		return err
	}
	if db.wal.Torn() {
		db.logger.Warn("store: " + tornText)
	}
	told := false
	for _, h := range holes.Closed(stopped) {
		told = db.tellLog("the log is damaged", h.String(), h.From, h.To) || told
	}
	if told {
		if err := db.wal.SetAside(files.Write); err != nil {
			db.logger.Warn("store: the bytes of the damaged log are not kept", "error", err)
		}
	}
	db.continueLog()
	db.takeStates(known)
	return nil
}

// revive returns the memory of a ship, with its state from the database when there is one.
func (db *DB) revive(in *wal.Introduced, known map[ais.MMSI]int, sequence uint64) *vessel {
	if v, ok := in.Known.(*vessel); ok {
		return v
	}
	if v := db.ships[in.Mmsi]; v != nil {
		in.Known = v
		return v
	}
	v := db.vesselOf(in.Mmsi)
	v.state.MMSI = in.Mmsi
	if i, ok := known[in.Mmsi]; ok {
		v.state = db.states[i]
	}
	v.dirty, v.since, in.Known = true, sequence, v
	return v
}

func (db *DB) replayFix(v *vessel, f ship.Fix, k track.Keeping, sequence uint64) {
	again := f.At < v.lastAt // after a wrong time
	db.openBytes += v.thinFix(f, k, sequence)
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
		db.noteStatic(v)
	}
}

// continueLog makes the log writer go on where the last whole frame ended, with a new group.
func (db *DB) continueLog() {
	w := &db.log
	w.Over = true
	if db.wal.Current >= 0 {
		s := db.wal.Segments[db.wal.Current]
		w.Sequence, w.Used = s.Sequence, s.Used
	} else if first := db.firstLive.Load(); first > 0 {
		// The log was lost or moved away: no sequence is given twice all the same.
		w.Sequence, w.Used = first, 0
	}
}

// takeStates puts what the log knew into the states that Open gives.
func (db *DB) takeStates(known map[ais.MMSI]int) {
	fresh := 0
	db.strangers.Each(func(*ship.State) { fresh++ })
	for _, v := range db.list {
		if _, ok := known[v.mmsi]; !ok {
			fresh++
		}
	}
	db.states = slices.Grow(db.states, fresh)
	for _, v := range db.list {
		v.state.Feeds = db.feeds.Of(v.state.Fix.Feeds)
		if i, ok := known[v.mmsi]; ok {
			db.states[i] = v.state
		} else {
			db.states = append(db.states, v.state)
		}
		db.now = max(db.now, v.lastAt)
	}
	_, newest := db.StoredSpan()
	db.now = max(db.now, newest-track.HourMillis)
	db.takeStrangers(known)
}

// takeStrangers adds the ships that were not confirmed to the states that Open gives.
func (db *DB) takeStrangers(known map[ais.MMSI]int) {
	db.strangersSince = max(db.firstLive.Load(), 1)
	db.strangers.Each(func(s *ship.State) {
		if _, stored := known[s.MMSI]; stored || db.ships[s.MMSI] != nil {
			db.strangers.Recall(s.MMSI)
			return
		}
		s.Feeds = db.feeds.Of(s.Fix.Feeds)
		db.states = append(db.states, *s)
	})
}

// States returns the last known states as of Open, from the database and the log, until the first Tick. By then the picture has them, and nothing here keeps a
// second copy.
func (db *DB) States() []ship.State {
	db.mu.Lock()
	defer db.mu.Unlock()
	return db.states
}
