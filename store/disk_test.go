package store

import (
	"os"
	"testing"
	"time"

	"quaywatch/internal/await"
	"quaywatch/store/layout"
	"quaywatch/store/records"
	"quaywatch/store/stall"
	"quaywatch/store/wal"
)

// TestStatusDoesNotWaitForTheDisk: it answers while a sync of the log and a commit hang, and says for how long they have.
func TestStatusDoesNotWaitForTheDisk(t *testing.T) {
	db := openTest(t, quiet(t.TempDir(), true))
	observe(db, 219000001, sail(at0, 20, 10_000)...)
	must(t, db.sync())
	must(t, db.flushBlocks(true))
	was := db.Status()
	if was.Stalled != 0 || was.Oldest.UnixMilli() != at0 || was.DBBytes == 0 || was.LogBytes == 0 || was.LogWritten == 0 {
		t.Errorf("before: %+v", was)
	}
	hang, hanging := make(chan struct{}), make(chan struct{})
	db.wal.Sync = func(*os.File) error {
		hanging <- struct{}{}
		<-hang
		return nil
	}
	observe(db, 219000001, sail(at0+1_000_000, 20, 10_000)...)
	ended := make(chan error)
	go func() { ended <- db.sync() }()
	<-hanging
	go func() {
		ended <- db.Update(func(*records.Tx) error {
			hanging <- struct{}{}
			<-hang
			return nil
		})
	}()
	<-hanging
	var s Status
	await.That(t, "the status says for how long they hang", func() bool {
		s = db.Status()
		return s.Stalled >= time.Millisecond
	})
	if s.Fixes != was.Fixes+20 || s.DBBytes != was.DBBytes || s.LogWritten != was.LogWritten {
		t.Errorf("while both hang: %+v", s)
	}
	close(hang)
	for range 2 {
		must(t, <-ended)
	}
	db.wal.Sync = wal.DataSync
	if s := db.Status(); s.Stalled != 0 || s.LogWritten == was.LogWritten {
		t.Errorf("after: %+v", s)
	}
}

// TestIdleStoreIsTold: a store whose goroutines no longer come to work says for how long.
func TestIdleStoreIsTold(t *testing.T) {
	db := openTest(t, quiet(t.TempDir(), true))
	must(t, db.Update(func(tx *records.Tx) error { return tx.Put(layout.Meta, []byte(layout.MetaProbe), nil) }))
	if idle := db.Idle(); idle > time.Minute {
		t.Errorf("idle for %v after a commit", idle)
	}
	db.clock = stall.Stopwatch{Made: time.Now().Add(-time.Hour)}
	db.syncer.Store(1)
	if idle := db.Idle(); idle < time.Hour-db.options.SyncInterval {
		t.Errorf("idle for %v, want an hour: nobody syncs the log", idle)
	}
}
