package records

import (
	"maps"
	"strings"
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

// TestWritesAreCountedByTable: the bytes of a commit are those of its pages, and each table has the share of its values.
func TestWritesAreCountedByTable(t *testing.T) {
	db := openTest(t, t.TempDir())
	large, err := OpenTable[string](db, "large")
	must(t, err)
	small, err := OpenTable[string](db, "small")
	must(t, err)
	page := uint64(db.bolt.Info().PageSize)
	value := strings.Repeat("x", int(page)*2)
	before := db.Written()
	for range 9 {
		_, err := large.Insert("", value)
		must(t, err)
	}
	_, err = small.Insert("", "y")
	must(t, err)
	after := db.Written()
	if n := after["large"] - before["large"]; n < 9*uint64(len(value)) || n > 9*(uint64(len(value))*3+10*page) {
		t.Errorf("%d bytes were written for nine values of %d bytes", n, len(value))
	}
	if n := after["small"] - before["small"]; n == 0 || n > 8*page {
		t.Errorf("%d bytes were written for a value of one byte, with pages of %d", n, page)
	}
}

// TestSharesOfACommit: the shares of a commit are as many bytes as it wrote.
func TestSharesOfACommit(t *testing.T) {
	var c writeCounts
	c.add(100, map[string]uint64{"blocks": 2, "ships": 1})
	c.add(7, nil)
	want := map[string]uint64{"blocks": 66, "ships": 33, layout.Meta: 1 + 7}
	if got := c.copyCounts(); !maps.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
}
