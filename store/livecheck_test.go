package store

import (
	"runtime"
	"slices"
	"testing"
	"time"

	"quaywatch/ais"
	"quaywatch/store/layout"
	"quaywatch/store/track"
)

// TestBackgroundCheckHoldsNobodyUp: the check ends while a commit is under way, and finds what is damaged.
func TestBackgroundCheckHoldsNobodyUp(t *testing.T) {
	db, err := Open(quiet(t.TempDir(), true))
	must(t, err)
	users, err := OpenTable[string](db, "users")
	must(t, err)
	for m := range ais.MMSI(20) {
		observe(db, 219000001+m, sail(at0, 50, 10_000)...)
		_, err := users.Insert(string(rune('a'+m)), "x")
		must(t, err)
	}
	must(t, db.flushBlocks(true))
	check := func() map[string]int {
		db.writing.Lock()
		defer db.writing.Unlock()
		db.background.Add(1)
		done := make(chan struct{})
		go func() { db.checkInBackground(); close(done) }()
		select {
		case <-done:
		case <-time.After(2 * time.Minute):
			t.Fatal("the check waits for a commit")
		}
		return db.Status().Damaged
	}
	if found := check(); len(found) > 0 {
		t.Errorf("a sound store: %v", found)
	}
	key := layout.BlockKey(track.HourOf(at0), 219000007)
	must(t, db.update(func(tx *writeTx) error {
		b := slices.Clone(tx.bucketOf(layout.Blocks).Get(key))
		b[len(b)-1] ^= 1
		return tx.bucketOf(layout.Blocks).Put(key, b)
	}))
	if found := check(); found[DamagedHour] != 1 || len(found) != 1 {
		t.Errorf("with a damaged block: %v", found)
	}
	must(t, db.Close())
}

// TestCutShortCheckIsMadeAgain: a store that is closed before its check has ended is checked at the next start.
func TestCutShortCheckIsMadeAgain(t *testing.T) {
	db, err := Open(quiet(t.TempDir(), true))
	must(t, err)
	marked := func() (head metaHead) {
		file, _, err := openBolt(db.filePath(dbName))
		must(t, err)
		defer file.Close()
		must(t, file.View(head.read))
		return head
	}
	db.background.Add(1)
	db.swap.Lock() // the check cannot read yet
	go db.checkInBackground()
	closing := make(chan error)
	go func() {
		for !db.closed.Load() {
			runtime.Gosched()
		}
		db.swap.Unlock()
		closing <- nil
	}()
	must(t, db.Close())
	<-closing
	if !marked().open {
		t.Error("the store counts as checked")
	}
}
