package records

import (
	"testing"
	"time"

	"quaywatch/store/layout"
	"quaywatch/store/stall"
)

// TestWhoIsAwayIsTold: how long nobody kept the database is known, and a commit of any caller counts as keeping it.
func TestWhoIsAwayIsTold(t *testing.T) {
	db := openTest(t, t.TempDir())
	db.clock = stall.Stopwatch{Made: db.clock.Made.Add(-time.Hour)}
	if away := db.Unattended(); away < time.Hour {
		t.Errorf("unattended for %v, want an hour", away)
	}
	must(t, db.Update(func(tx *Tx) error { return tx.Put(layout.Meta, []byte(layout.MetaProbe), nil) }))
	if away := db.Unattended(); away > time.Minute {
		t.Errorf("unattended for %v after a commit", away)
	}
}
