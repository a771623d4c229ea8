package store

import (
	"context"
	"fmt"
	"io"
	"runtime"
	"sync"
	"testing"

	"quaywatch/ais"
	"quaywatch/ship"
)

// TestStaticsLeaveTheLogOnce: a backup and the keeper write static data at the same time, while ships go on changing
// theirs; every change is in the database afterwards.
func TestStaticsLeaveTheLogOnce(t *testing.T) {
	db := openTest(t, quiet(t.TempDir(), true))
	ctx, stop := context.WithCancel(t.Context())
	var running sync.WaitGroup
	running.Go(func() {
		for ctx.Err() == nil {
			if err := db.flushStatics(); err != nil {
				t.Errorf("keeper: %v", err)
			}
		}
	})
	running.Go(func() {
		for ctx.Err() == nil {
			if err := db.Backup(io.Discard); err != nil {
				t.Errorf("backup: %v", err)
			}
		}
	})
	const ships, changes = 300, 30
	for n := range changes {
		for i := range ships {
			f := sail(at0+int64(n)*1000, 1, 0)[0]
			u := updateOf(ais.MMSI(219000001+i), f)
			u.Now.Static = &ship.Static{Name: fmt.Sprint("NAME ", n), At: f.At}
			u.Change |= ship.ChangedStatic
			db.Observe(u)
		}
		for waiting := ships; waiting >= ships; { // they must catch up, so that they write many times
			runtime.Gosched()
			db.mu.Lock()
			waiting = db.waitingStatics
			db.mu.Unlock()
		}
	}
	stop()
	running.Wait()
	must(t, db.flushBlocks(true))
	for i := range ships {
		for n := range changes {
			at := ship.Time(at0 + int64(n)*1000)
			st, _, err := db.StaticAt(ais.MMSI(219000001+i), at)
			if want := fmt.Sprint("NAME ", n); err != nil || st.Name != want {
				t.Fatalf("ship %d at %v: %+v, %v; want %s", i, at, st, err, want)
			}
		}
	}
}
