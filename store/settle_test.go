//go:build !race

package store

import (
	"slices"
	"testing"
	"time"

	"quaywatch/ais"
	"quaywatch/ship"
	"quaywatch/store/track"
)

// play observes a fix a minute of each ship for an hour and ends that hour, as a recording does that is played as fast as it goes.
func play(db *DB, f *fleet, from int64) {
	for at := from; at < from+track.HourMillis; at += 60_000 {
		for i := range f.updates {
			db.Observe(f.next(i, at+int64(i)))
		}
		db.Tick(time.UnixMilli(at))
	}
	db.Tick(time.UnixMilli(from + track.HourMillis + flushDelay))
}

func openBytes(db *DB) int {
	db.mu.Lock()
	defer db.mu.Unlock()
	return db.openBytes
}

// TestHoursThatPassQuicklyAreWrittenTogether: the first full hour goes into the database at once, those that come in the five seconds after it wait while
// they are small, and Settle does not wait.
func TestHoursThatPassQuicklyAreWrittenTogether(t *testing.T) {
	db := openTest(t, quiet(t.TempDir(), true))
	f := newFleet(5)
	must(t, db.makeRoom(time.Now())) // nothing waits, so this is no flush
	play(db, f, at0)
	must(t, db.makeRoom(time.Now()))
	if n := openBytes(db); n != 0 {
		t.Fatalf("after the first hour %d bytes are open", n)
	}
	for h := range int64(5) {
		play(db, f, at0+(h+1)*track.HourMillis)
		before := openBytes(db)
		if must(t, db.makeRoom(db.flushedAt.Add(flushEvery-time.Millisecond))); openBytes(db) != before || before == 0 {
			t.Fatalf("hour %d: %d bytes were open and %d are", h, before, openBytes(db))
		}
	}
	must(t, db.makeRoom(db.flushedAt.Add(flushEvery)))
	if n := openBytes(db); n != 0 {
		t.Fatalf("five seconds later %d bytes are open", n)
	}
	play(db, f, at0+6*track.HourMillis)
	must(t, db.Settle())
	if n := openBytes(db); n != 0 {
		t.Fatalf("after Settle %d bytes are open", n)
	}
	if got := trackOf(t, db, f.updates[0].Now.MMSI); len(got) != 7*60 {
		t.Errorf("%d fixes, want %d", len(got), 7*60)
	}
}

// TestMuchThatIsOpenDoesNotWait: full hours of many ships are written when they are full, however short ago others were.
func TestMuchThatIsOpenDoesNotWait(t *testing.T) {
	db := openTest(t, quiet(t.TempDir(), true))
	f := newFleet(12_000)
	for h := range int64(2) {
		play(db, f, at0+h*track.HourMillis)
		must(t, db.sync())
		if n := openBytes(db); n <= littleOpen {
			t.Fatalf("hour %d: only %d bytes are open", h, n)
		}
		if must(t, db.makeRoom(db.flushedAt)); openBytes(db) != 0 {
			t.Fatalf("hour %d: %d bytes are open after the flush", h, openBytes(db))
		}
	}
}

// TestALogThatIsPlayedFastIntroducesAShipOnce: while nothing is synced, hours of the log are one frame, in which each ship is introduced once. A kill loses
// nothing of it.
func TestALogThatIsPlayedFastIntroducesAShipOnce(t *testing.T) {
	o := quiet(t.TempDir(), true)
	db := openTest(t, o)
	f := newFleet(20)
	for h := range int64(3) {
		play(db, f, at0+h*track.HourMillis)
	}
	db.mu.Lock()
	filled := len(db.log.Filled)
	db.mu.Unlock()
	if filled != 0 {
		t.Errorf("%d frames are full, want one open one for all three hours", filled)
	}
	must(t, db.sync())
	play(db, f, at0+3*track.HourMillis) // a new group begins
	must(t, db.sync())
	killed := killTest(t, o)
	for i := range f.updates {
		m := f.updates[i].Now.MMSI
		if got, want := trackOf(t, killed, m), trackOf(t, db, m); len(want) != 4*60 || !slices.Equal([]ship.Fix(got), []ship.Fix(want)) {
			t.Errorf("ship %d: %d fixes after a kill, want %d", ais.MMSI(m), len(got), len(want))
		}
	}
}
