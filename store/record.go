package store

import (
	"time"

	"quaywatch/ais"
	"quaywatch/ship"
	"quaywatch/store/track"
	"quaywatch/store/unconfirmed"
	"quaywatch/store/wal"
)

const (
	// maxPending is how many bytes of records wait for a sync at most; what comes when the disk stands still is dropped and counted.
	maxPending = 8 << 20
	// earlySync is how many bytes do not wait for the interval.
	earlySync = 256 << 10
	// maxOpenBytes is how much memory open blocks may take. Beyond it they are flushed before their hour is full. Beyond twice as much
	// fixes are dropped.
	maxOpenBytes = 160 << 20
	// lateBytes is the memory that a late fix takes.
	lateBytes = 40
)

// Observe takes one step of a ship: its fix into the open block and the log, changes of what the ship is into the log. It
// never waits for the disk. An update without anything to store costs a map look-up. What was entered by hand is not stored, only what
// was heard.
func (db *DB) Observe(u *ship.Update) {
	if u.Now.MMSI <= 0 || u.Change&ship.Entered != 0 {
		return
	}
	db.mu.Lock()
	defer db.mu.Unlock()
	v := db.ships[u.Now.MMSI]
	if db.isFull() {
		if u.Change&(ship.ChangedFix|ship.LateFix) != 0 {
			db.dropped++
		}
		if v != nil && u.Change&changedKnown != 0 {
			v.owed = true
		}
		return
	}
	heard := db.feeds.Number(u.AsHeard())
	if v == nil {
		if s := *u.AsHeard(); s.Reports < unconfirmed.Confirmed {
			s.Fix.Feeds = heard
			f := u.Fix
			f.Feeds = heard
			db.strangers.Meet(&s, f, u.Change&(ship.ChangedFix|ship.LateFix) != 0, db.now)
			return
		}
		if db.departed > 2*mostDeparted { // the disk does not keep up
			db.dropped++
			return
		}
		v = db.admitShip(u, heard)
	} else {
		db.updateState(v, u, heard)
	}
	if u.Change&ship.ToldLate != 0 {
		db.noteLate(v, u.Late)
	}
	if u.Change&(ship.ChangedFix|ship.LateFix) != 0 {
		f := u.Fix
		f.Feeds = heard
		db.storeFix(v, f)
	}
	if gone := u.Now.Age == ship.Removed; gone != v.departed {
		db.markDeparted(v, gone)
	}
	if db.log.Pending > earlySync {
		db.wantSync.Wake()
	}
}

// markDeparted notes that a ship left the picture, or came back.
func (db *DB) markDeparted(v *vessel, gone bool) {
	if v.departed = gone; !gone {
		db.departed--
	} else if db.departed++; db.departed > mostDeparted {
		db.wantKeeper.Wake()
	}
}

// isFull reports whether nothing more may be taken because the disk does not keep up.
func (db *DB) isFull() bool { return db.log.Pending > maxPending || db.openBytes > 2*maxOpenBytes }

// Tick tells the time by which buckets are full; it is the clock of the traffic picture.
func (db *DB) Tick(now time.Time) {
	ms := track.ClampMillis(now.UnixMilli())
	db.mu.Lock()
	was := db.now
	db.now, db.ticked, db.states = ms, true, nil
	db.log.Tick(ms)
	db.mu.Unlock()
	if track.HourOf(max(0, ms-flushDelay)) != track.HourOf(max(0, was-flushDelay)) {
		db.wantFlush()
	}
}

// wantFlush makes the keeper flush full hours.
func (db *DB) wantFlush() {
	db.mu.Lock()
	db.fullHour = true
	db.mu.Unlock()
	db.wantKeeper.Wake()
}

// vesselOf returns the memory of a ship, a new one when there is none.
func (db *DB) vesselOf(m ais.MMSI) *vessel {
	v := db.ships[m]
	if v == nil {
		v = &vessel{mmsi: m, lastAt: -1}
		db.ships[m] = v
		db.list = append(db.list, v)
	}
	return v
}

// admitShip begins to store a ship: what it is, and the fixes that were remembered of it.
func (db *DB) admitShip(u *ship.Update, heard ship.FeedSet) *vessel {
	v := db.vesselOf(u.Now.MMSI)
	v.state = *u.AsHeard()
	v.state.Fix.Feeds = heard
	db.logShip(v)
	db.noteStatic(v)
	for _, f := range db.strangers.Recall(v.mmsi) {
		if f.At != u.Fix.At {
			db.storeFix(v, f)
		}
	}
	return v
}

// logStrangers logs what is new of ships that are not confirmed, a few at a time, so that they are there after a restart.
func (db *DB) logStrangers() {
	for more := true; more; {
		db.mu.Lock()
		more = db.strangers.Log(64, db.logStranger)
		db.mu.Unlock()
	}
}

func (db *DB) logStranger(s *ship.State) {
	var stream wal.Stream
	db.scratch = track.EncodeState(db.scratch[:0], s)
	db.log.Ship(&stream, s.MMSI, db.scratch, s.Fix.Feeds, track.ClampMillis(s.Heard))
}

// strangerAge is how long before now a ship that is not confirmed was heard at least, to be logged anew.
const strangerAge = 24 * track.HourMillis

// keepStrangers logs anew what is known of ships that are not confirmed, when it holds back segments that the last flush could free.
func (db *DB) keepStrangers() error {
	db.mu.Lock()
	since := max(db.log.Sequence, 1)
	holds := db.strangersSince < db.sealedAt
	if holds {
		db.strangers.MarkAll(db.now - strangerAge)
	}
	db.mu.Unlock()
	if !holds {
		return nil
	}
	if err := db.sync(); err != nil {
		return err
	}
	db.strangersSince = since
	return nil
}

// changedKnown is the changes that make a record of static data.
const changedKnown = ship.ChangedStatic | ship.ChangedVoyage

// updateState takes the new state, and logs what the ship is when that changed.
func (db *DB) updateState(v *vessel, u *ship.Update, heard ship.FeedSet) {
	was, now := &v.state, u.AsHeard()
	changed := was.Class != now.Class || was.OffPlace != now.OffPlace || was.First != now.First
	static := v.owed || u.Change&changedKnown != 0
	v.owed = false
	v.state = *now
	v.state.Fix.Feeds = heard
	if changed || static {
		db.logShip(v)
	} else {
		db.markDirty(v)
	}
	if static {
		db.noteStatic(v)
	}
}

// logShip logs what a ship is.
func (db *DB) logShip(v *vessel) {
	db.scratch = track.EncodeState(db.scratch[:0], &v.state)
	db.log.Ship(&v.stream, v.mmsi, db.scratch, v.state.Fix.Feeds, track.ClampMillis(v.state.Heard))
	db.markDirty(v)
}

func (db *DB) markDirty(v *vessel) {
	if !v.dirty && len(v.statics) == 0 {
		v.since = db.log.Sequence
	}
	v.dirty = true
}

// noteStatic notes that static or voyage data changed.
func (db *DB) noteStatic(v *vessel) {
	s := &v.state
	if s.Static == nil && s.Voyage == nil {
		return
	}
	db.addStatic(v, staticChange{at: changedAt(s.Static, s.Voyage, s.Heard), static: s.Static, voyage: s.Voyage})
}

// noteLate notes what was told of a time before what is known. What was told just before says it already. Where the ship told what is known before that time,
// it told it again by the time at which it was heard last.
func (db *DB) noteLate(v *vessel, told *ship.LateStatic) {
	at, s := track.ClampMillis(told.At), &v.state
	for _, c := range v.statics[max(0, len(v.statics)-2):] {
		if c.late != nil && c.at <= at && c.late.Same(told) {
			return
		}
	}
	db.markDirty(v)
	db.addStatic(v, staticChange{at: at, late: told})
	if changedAt(s.Static, s.Voyage, s.Heard) < at {
		db.addStatic(v, staticChange{at: s.Heard, static: s.Static, voyage: s.Voyage})
	}
}

func (db *DB) addStatic(v *vessel, c staticChange) {
	v.statics = append(v.statics, c)
	db.waitingStatics++
	if db.waitingStatics == mostStatics {
		db.wantKeeper.Wake()
	}
}

// changedAt returns the time of the last change of what is known of a ship, or else the time heard.
func changedAt(st *ship.Static, vd *ship.VoyageData, heard int64) int64 {
	var at int64
	if st != nil {
		at = st.At
	}
	if vd != nil {
		at = max(at, vd.At)
	}
	if at <= 0 {
		at = heard
	}
	return track.ClampMillis(at)
}

// storeFix stores one fix. One of the same second as the last one, or of one before in it, is the same fix heard again.
func (db *DB) storeFix(v *vessel, f ship.Fix) {
	if db.wronglyTimed(v, f) {
		v.restart()
		v.stream = wal.Stream{} // its rows only go forward: the ship is introduced anew
	}
	switch {
	case f.At < 0 || f.At > track.MaxMillis:
		db.dropped++
		return
	case f.At == v.lastAt || f.At < v.lastAt && f.At/1000 == v.lastAt/1000:
		return
	case f.At < v.lastAt:
		db.log.Late(&v.stream, v.mmsi, f)
		v.takeLate(f, db.log.Sequence)
		db.openBytes += lateBytes
	default:
		k := v.thin.Judge(f, db.options.FullRate)
		if v.forced {
			k |= track.KeepPrevious
			v.forced = false
		}
		db.log.Fix(&v.stream, v.mmsi, f, k)
		db.openBytes += v.thinFix(f, k, db.log.Sequence)
	}
	db.markDirty(v)
	db.fixes++
	if db.openBytes > maxOpenBytes {
		db.wantKeeper.Wake()
	}
}

// wronglyTimed reports whether the ship's latest fix lies in the future, as after the clock was set back. Then f is more than wrongBy behind it, and the clock
// agrees with f. All its fixes would be late ones until that time came.
func (db *DB) wronglyTimed(v *vessel, f ship.Fix) bool {
	const wrongBy = 24 * track.HourMillis
	off := db.now - f.At
	return db.ticked && v.lastAt-f.At > wrongBy && -wrongBy/2 < off && off < wrongBy/2 && !v.has(f.At)
}
