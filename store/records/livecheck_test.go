package records

import (
	"runtime"
	"slices"
	"testing"
	"time"

	"quaywatch/ais"
	"quaywatch/ship"
	"quaywatch/store/layout"
	"quaywatch/store/track"
)

// TestBackgroundCheckHoldsNobodyUp: the check ends while a commit is under way, and finds what is damaged.
func TestBackgroundCheckHoldsNobodyUp(t *testing.T) {
	db := openDamaged(t, t.TempDir())
	users, err := OpenTable[string](db, "users")
	must(t, err)
	hour, fixes := track.HourOf(at0), []ship.Fix{{At: at0, Lon: 6_130_000, Lat: 33_690_000}}
	for m := range ais.MMSI(20) {
		must(t, db.Update(func(tx *Tx) error {
			return tx.Put(layout.Blocks, layout.BlockKey(hour, 219000001+m), track.EncodeBlock(hour, fixes))
		}))
		_, err := users.Insert(string(rune('a'+m)), "x")
		must(t, err)
	}
	check := func() map[string]int {
		db.writing.Lock()
		defer db.writing.Unlock()
		done := make(chan struct{})
		go func() { db.checkInBackground(); close(done) }()
		select {
		case <-done:
		case <-time.After(2 * time.Minute):
			t.Fatal("the check waits for a commit")
		}
		return db.DamageCounts()
	}
	if found := check(); len(found) > 0 {
		t.Errorf("a sound store: %v", found)
	}
	key := layout.BlockKey(hour, 219000007)
	must(t, db.Update(func(tx *Tx) error {
		b := slices.Clone(tx.Bucket(layout.Blocks).Get(key))
		b[len(b)-1] ^= 1
		return tx.Bucket(layout.Blocks).Put(key, b)
	}))
	if found := check(); found[DamagedHour] != 1 || len(found) != 1 {
		t.Errorf("with a damaged block: %v", found)
	}
}

// TestCutShortCheckIsMadeAgain: a store that is closed before its check has ended is checked at the next start.
func TestCutShortCheckIsMadeAgain(t *testing.T) {
	db := openDamaged(t, t.TempDir())
	marked := func() (head MetaHead) {
		file, _, err := openBolt(db.path())
		must(t, err)
		defer file.Close()
		must(t, file.View(head.read))
		return head
	}
	db.swap.Lock() // the check cannot read yet
	db.background.Go(db.checkInBackground)
	closing := make(chan error)
	go func() {
		for !db.closing.Load() {
			runtime.Gosched()
		}
		db.swap.Unlock()
		closing <- nil
	}()
	must(t, db.Close(true))
	<-closing
	if !marked().Open {
		t.Error("the store counts as checked")
	}
}
