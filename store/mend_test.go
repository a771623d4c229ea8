//go:build !race

package store

import (
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"quaywatch/ais"
	"quaywatch/store/layout"
	"quaywatch/store/records"
	"quaywatch/store/track"
)

// tracksOf returns the records of the table of tracks.
func tracksOf(t *testing.T, db *DB) stock {
	t.Helper()
	_, rows, err := records.ReadTable[string](db.Database, "tracks")
	must(t, err)
	s := stock{}
	for _, r := range rows {
		s[fmt.Sprint("track ", r.ID)] = r.Value
	}
	return s
}

// TestOnePageThatWasWiped wipes each page of a store in turn. It opens, without what stood there, where that was tracks, and leaves the file as it was
// everywhere else. After it the store does its work and is whole.
func TestOnePageThatWasWiped(t *testing.T) {
	o := quiet(t.TempDir(), true)
	fillStock(t, o)
	db, err := Open(o)
	must(t, err)
	table, err := records.OpenTable[string](db.Database, "tracks")
	must(t, err)
	small, err := records.OpenTable[string](db.Database, "approaches") // of one page
	must(t, err)
	must(t, db.Together(func(tx *records.Tx) error {
		for i := range 300 {
			long := 20 + i%30
			if i%60 == 7 {
				long = 5000 // bytes of several pages
			}
			if _, err := table.SetIn(tx, 0, "", strings.Repeat(fmt.Sprint("way ", i, " "), long)); err != nil {
				return err
			}
		}
		for i := range 30 {
			if _, err := small.SetIn(tx, uint64(i)+1, "", strings.Repeat("a", 300)); err != nil {
				return err
			}
		}
		return nil
	}))
	must(t, db.Close())
	whole := killTest(t, o)
	before, tracked := takeStock(t, whole), tracksOf(t, whole)
	files := readAll(t, o.Dir)
	mended := map[string]int{}
	for page := 2; page < len(files[layout.DBName])/pageSize; page++ {
		dir := t.TempDir()
		b := append([]byte(nil), files[layout.DBName]...)
		clear(b[page*pageSize : (page+1)*pageSize])
		must(t, writeSparse(filepath.Join(dir, layout.DBName), b))
		must(t, writeSparse(filepath.Join(dir, layout.LogName), files[layout.LogName]))
		db, err := Open(quiet(dir, true))
		if errors.Is(err, records.ErrDamaged) {
			if now := readAll(t, dir)[layout.DBName]; string(now) != string(b) {
				t.Fatalf("page %d: the damaged file was changed", page)
			}
			continue
		}
		must(t, err)
		bucket, wiped := "", false
		for _, d := range db.Damages() {
			bucket = strings.Fields(strings.ReplaceAll(d.Where, ",", ""))[1]
			if d.Kind == records.DamagedPage {
				wiped = true
				mended[bucket]++
				if bucket == layout.Blocks && (d.From.IsZero() || !d.From.Before(d.To)) {
					t.Errorf("page %d: %+v", page, d)
				}
			}
		}
		compareWiped(t, page, bucket, before, takeStock(t, db))
		compareWiped(t, page, bucket, tracked, tracksOf(t, db))
		if !wiped { // nothing stood there, or the middle of a long value
			must(t, db.Close())
			continue
		}
		useAfterDamage(t, db)
		must(t, db.Close())
		r, err := Check(dir)
		must(t, err)
		for _, problem := range r.Problems {
			if !strings.Contains(problem, "set aside on") {
				t.Errorf("page %d of %s: after its work the store has %s", page, bucket, problem)
			}
		}
	}
	t.Logf("mended %v", mended)
	if mended[layout.Blocks] < 3 || mended["tracks"] < 8 || mended["approaches"] != 1 {
		t.Errorf("mended %v", mended)
	}
}

// compareWiped holds that nothing is wrong, and that nothing but what stood in a bucket is gone.
func compareWiped(t *testing.T, page int, bucket string, before, now stock) {
	t.Helper()
	gone := 0
	for what, value := range before {
		is, there := now[what]
		switch {
		case there && is != value:
			t.Errorf("page %d of %s: %s is %.80q, and was %.80q", page, bucket, what, is, value)
		case !there:
			gone++
			if is := (bucket == layout.Blocks && strings.HasPrefix(what, "fix ")) || bucket == "tracks" && strings.HasPrefix(what, "track "); !is {
				t.Errorf("page %d of %q: %s is gone", page, bucket, what)
			}
		}
	}
	if gone > len(before)/2 {
		t.Errorf("page %d of %s: %d of %d things are gone", page, bucket, gone, len(before))
	}
}

// useAfterDamage writes to the buckets that were mended.
func useAfterDamage(t *testing.T, db *DB) {
	t.Helper()
	for m := range ais.MMSI(stockShips) {
		observe(db, 219000001+m, sail(at0+10*track.HourMillis, 50, 30_000)...)
		observe(db, 219000001+m, sail(at0+20*track.HourMillis, 50, 30_000)...)
	}
	must(t, db.flushBlocks(true))
	table, err := records.OpenTable[string](db.Database, "tracks")
	must(t, err)
	must(t, db.Together(func(tx *records.Tx) error {
		for i := range 100 {
			if _, err := table.SetIn(tx, 0, "", strings.Repeat("more ", 10+i)); err != nil {
				return err
			}
		}
		return nil
	}))
	rows, err := table.All()
	must(t, err)
	must(t, db.Together(func(tx *records.Tx) error {
		for _, r := range rows {
			if err := table.FreeIn(tx, r.ID); err != nil {
				return err
			}
		}
		return nil
	}))
}
