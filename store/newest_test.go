package store

import (
	"testing"
)

// TestNewestFixIsKnownAtTheStart: by it a clock is found out that was set back.
func TestNewestFixIsKnownAtTheStart(t *testing.T) {
	o := quiet(t.TempDir(), true)
	db := openTest(t, o)
	if at := db.Status().NewestFix; !at.IsZero() {
		t.Errorf("%v in an empty store", at)
	}
	fixes := sail(at0, 60, 10_000)
	observe(db, 219000001, fixes...)
	must(t, db.sync())
	if at := killTest(t, o).Status().NewestFix; !at.Equal(fixes[59].Time()) {
		t.Errorf("newest fix at %v, want %v", at, fixes[59].Time())
	}
}
