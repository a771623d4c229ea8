package store

import (
	"bytes"
	"context"
	"errors"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	bolt "go.etcd.io/bbolt"

	"quaywatch/ais"
	"quaywatch/ship"
	"quaywatch/store/layout"
	"quaywatch/store/records"
	"quaywatch/store/track"
)

func TestSecondProcessIsTurnedAway(t *testing.T) {
	o := quiet(t.TempDir(), true)
	db := openTest(t, o)
	before := readAll(t, o.Dir)
	took := time.Duration(0)
	for name, try := range map[string]func() error{
		"open":    func() error { _, err := Open(o); return err },
		"check":   func() error { _, err := Check(o.Dir); return err },
		"compact": func() error { return records.Compact(o.Dir) },
		"restore": func() error {
			_, err := Restore(t.Context(), o.Dir, filepath.Join(db.options.Dir, layout.DBName))
			return err
		},
	} {
		start := time.Now()
		if err := try(); !errors.Is(err, records.ErrLocked) {
			t.Errorf("%s: %v, want ErrLocked", name, err)
		}
		took = max(took, time.Since(start))
	}
	if took > 10*lockWait {
		t.Errorf("a try took %v, want about %v", took, lockWait)
	}
	if !sameFiles(before, readAll(t, o.Dir)) {
		t.Error("a file changed")
	}
}

// readAll returns the contents of the files of a directory.
func readAll(t testing.TB, dir string) map[string][]byte {
	t.Helper()
	files := map[string][]byte{}
	entries, err := os.ReadDir(dir)
	must(t, err)
	for _, e := range entries {
		b, err := os.ReadFile(filepath.Join(dir, e.Name()))
		must(t, err)
		files[e.Name()] = b
	}
	return files
}

func sameFiles(a, b map[string][]byte) bool {
	if len(a) != len(b) {
		return false
	}
	for name := range a {
		if !bytes.Equal(a[name], b[name]) {
			return false
		}
	}
	return true
}

func TestDamagedFilesAreLeftAsTheyAre(t *testing.T) {
	o := quiet(t.TempDir(), true)
	db, err := Open(o)
	must(t, err)
	for m := range ais.MMSI(40) {
		observe(db, 219000001+m, sail(at0, 200, 10_000)...)
	}
	must(t, db.flushBlocks(true))
	observe(db, 219000001, sail(at0+track.HourMillis, 20, 10_000)...)
	table, err := records.OpenTable[string](db.Database, "things")
	must(t, err)
	_, err = table.Insert("thing", "of value")
	must(t, err)
	must(t, db.Close())
	good := readAll(t, o.Dir)
	for _, c := range []struct {
		name, file string
		damage     func(b []byte) []byte
	}{
		{"empty", layout.DBName, func(b []byte) []byte { return nil }},
		{"cut to a page", layout.DBName, func(b []byte) []byte { return b[:pageSize] }},
		{"cut in the middle", layout.DBName, func(b []byte) []byte { return b[:3*pageSize+100] }},
		{"both meta pages", layout.DBName, func(b []byte) []byte { b[40] ^= 1; b[pageSize+40] ^= 1; return b }},
		{"not a database", layout.DBName, func(b []byte) []byte { return bytes.Repeat([]byte("text "), len(b)/5) }},
	} {
		t.Run(c.name, func(t *testing.T) {
			o := quiet(t.TempDir(), true)
			for name, b := range good {
				if name == c.file {
					b = c.damage(slices.Clone(b))
				}
				must(t, os.WriteFile(filepath.Join(o.Dir, name), b, 0o600))
			}
			damaged := readAll(t, o.Dir)
			db, err := Open(o)
			if err == nil {
				db.Close()
				t.Fatal("opened")
			}
			if !strings.Contains(err.Error(), c.file) {
				t.Errorf("the error does not name the file: %v", err)
			}
			if r, err := Check(o.Dir); err == nil && len(r.Problems) == 0 {
				t.Error("check finds nothing")
			}
			if !bytes.Equal(readAll(t, o.Dir)[c.file], damaged[c.file]) {
				t.Error("the damaged file was changed")
			}
		})
	}
}

// TestFlippedPages: a bit turned anywhere in the database neither crashes the store nor goes unseen where it touches data.
func TestFlippedPages(t *testing.T) {
	o := quiet(t.TempDir(), true)
	db, err := Open(o)
	must(t, err)
	for m := range ais.MMSI(40) {
		observe(db, 219000001+m, sail(at0, 200, 10_000)...)
	}
	must(t, db.flushBlocks(true))
	must(t, db.Close())
	good := readAll(t, o.Dir)
	random := rand.New(rand.NewPCG(5, 5))
	pages := len(good[layout.DBName]) / pageSize
	for page := 0; page < pages; page += max(1, pages/10) {
		dir := t.TempDir()
		b := slices.Clone(good[layout.DBName])
		for range 3 {
			b[page*pageSize+random.IntN(pageSize)] ^= 1 << random.IntN(8)
		}
		must(t, os.WriteFile(filepath.Join(dir, layout.DBName), b, 0o600))
		must(t, os.WriteFile(filepath.Join(dir, layout.LogName), good[layout.LogName], 0o600))
		_, _ = Check(dir)
		o := quiet(dir, true)
		db, err := Open(o)
		if err != nil {
			continue
		}
		track, err := db.Track(context.Background(), 219000003, time.UnixMilli(at0), time.UnixMilli(at0+track.HourMillis))
		if err == nil && len(track) > 0 && !slices.Equal(track, sail(at0, 200, 10_000)) {
			t.Fatalf("page %d: a wrong track without an error", page)
		}
		db.Close()
	}
}

func TestFirstStartIsAllOrNothing(t *testing.T) {
	// What a kill during the first start may leave: any of the temporary files, in any state.
	for _, leftover := range []string{layout.DBName + ".new", layout.DBName + ".compact", layout.DBName + ".restore", layout.LogName + ".new"} {
		for _, content := range []string{"", "half"} {
			dir := t.TempDir()
			must(t, os.WriteFile(filepath.Join(dir, leftover), []byte(content), 0o600))
			db, err := Open(quiet(dir, true))
			if err != nil {
				t.Errorf("%s with %q: %v", leftover, content, err)
				continue
			}
			observe(db, 219000001, sail(at0, 5, 1000)...)
			closeAndCheck(t, db)
		}
	}
	dir := t.TempDir()
	db := openTest(t, quiet(dir, true))
	must(t, db.Close())
	must(t, os.Remove(filepath.Join(dir, layout.LogName))) // killed between the two files
	file, err := openBolt(filepath.Join(dir, layout.DBName))
	must(t, err)
	must(t, file.Update(func(tx *bolt.Tx) error { return tx.Bucket([]byte(layout.Meta)).Delete([]byte(layout.MetaOpen)) }))
	must(t, file.Close())
	db = openTest(t, quiet(dir, true))
	observe(db, 219000001, sail(at0, 5, 1000)...)
	if got := trackOf(t, killTest(t, func() Options { must(t, db.sync()); return db.options }()), 219000001); len(got) != 5 {
		t.Errorf("%d fixes with a new log", len(got))
	}
}

// TestDatabaseThatIsGone: beside its log no empty store is made.
func TestDatabaseThatIsGone(t *testing.T) {
	o := quiet(t.TempDir(), true)
	db, err := Open(o)
	must(t, err)
	must(t, db.Close())
	must(t, os.Remove(filepath.Join(db.options.Dir, layout.DBName)))
	if _, err := Open(o); err == nil || !strings.Contains(err.Error(), "salvage") {
		t.Errorf("the start says %v", err)
	}
	if there, err := records.Exists(o.Dir); there || err != nil {
		t.Errorf("a store was made: %v", err)
	}
}

func TestUncleanStopIsChecked(t *testing.T) {
	o := quiet(t.TempDir(), true)
	db := openTest(t, o)
	observe(db, 219000001, sail(at0, 5, 1000)...)
	must(t, db.sync())
	killed := killTest(t, o)
	killed.WaitForCheck()
	if s := killed.Status(); s.ReadOnly != "" || len(s.Damaged) > 0 {
		t.Errorf("a sound file: %q, %v", s.ReadOnly, s.Damaged)
	}
}

// TestRunWhileReading runs the store under load with readers, compactions and backups beside it; the end is a check.
func TestRunWhileReading(t *testing.T) {
	o := quiet(t.TempDir(), true)
	o.SyncInterval = time.Millisecond
	o.Retention = 3 * time.Hour
	db := openTest(t, o)
	ctx, cancel := context.WithCancel(context.Background())
	var group sync.WaitGroup
	group.Go(func() { must(t, db.Run(ctx)) })
	area := ship.Track(sail(at0, 2000, 10_000)).Bounds()
	for _, work := range []func() error{
		func() error {
			_, err := db.Track(ctx, 219000002, time.UnixMilli(at0), time.UnixMilli(at0+10*track.HourMillis))
			return err
		},
		func() error {
			return db.Passing(ctx, area, time.UnixMilli(at0), time.UnixMilli(at0+10*track.HourMillis), func(m ais.MMSI, tr ship.Track) error {
				if !slices.IsSortedFunc(tr, byTime) {
					return errors.New("not in order")
				}
				return nil
			})
		},
		func() error { return db.Compact(ctx) },
		func() error { return db.Backup(io.Discard) },
		func() error { db.Status(); return db.EachShip(func(ship.State) error { return nil }) },
	} {
		group.Go(func() {
			for ctx.Err() == nil {
				if err := work(); err != nil && !errors.Is(err, context.Canceled) {
					t.Error(err)
					return
				}
			}
		})
	}
	fixes := sail(at0, 2000, 10_000)
	for _, f := range fixes {
		for m := range ais.MMSI(20) {
			f.Lat += 100
			observe(db, 219000001+m, f)
		}
		db.Tick(f.Time())
	}
	cancel()
	group.Wait()
	must(t, db.flushBlocks(true))
	last := trackOf(t, db, 219000001)
	if len(last) == 0 || last[len(last)-1].At != fixes[len(fixes)-1].At {
		t.Errorf("%d fixes at the end", len(last))
	}
	if n := db.Status().Dropped; n > 0 {
		t.Errorf("%d dropped", n)
	}
}

func TestBackupEquals(t *testing.T) {
	o := quiet(t.TempDir(), true)
	db := openTest(t, o)
	for m := range ais.MMSI(30) {
		observe(db, 219000001+m, sail(at0+int64(m)*1000, 700, 10_000)...)
	}
	users, err := records.OpenTable[string](db.Database, "users")
	must(t, err)
	_, err = users.Insert("Anna", "x")
	must(t, err)
	db.Tick(time.UnixMilli(at0 + track.HourMillis + flushDelay))
	must(t, db.flushBlocks(false))
	file := filepath.Join(t.TempDir(), "backup")
	f, err := os.Create(file)
	must(t, err)
	must(t, db.Backup(f))
	must(t, f.Close())
	observe(db, 219000001, sail(at0+3*track.HourMillis, 5, 1000)...) // after the backup
	dir := t.TempDir()
	old := openTest(t, quiet(dir, true)) // a store that is replaced, its log too
	observe(old, 219000077, sail(at0, 50, 10_000)...)
	must(t, old.Close())
	_, err = Restore(t.Context(), dir, file)
	must(t, err)
	restored := openTest(t, quiet(dir, true))
	for m := range ais.MMSI(30) {
		if got := trackOf(t, restored, 219000001+m); !slices.Equal(got, sail(at0+int64(m)*1000, 700, 10_000)) {
			t.Fatalf("ship %d: %d fixes", m, len(got))
		}
	}
	if got := trackOf(t, restored, 219000077); len(got) != 0 {
		t.Error("a ship of the old store came back")
	}
	if n := len(restored.States()); n != 30 {
		t.Errorf("%d states", n)
	}
	again, err := records.OpenTable[string](restored.Database, "users")
	must(t, err)
	if r, ok := named(t, again, " ANNA "); !ok || r.Value != "x" {
		t.Errorf("user: %+v", r)
	}
	observe(restored, 219000001, sail(at0+3*track.HourMillis, 5, 1000)...)
	if got := trackOf(t, restored, 219000001); !slices.Equal(got, trackOf(t, db, 219000001)) {
		t.Error("the restored store does not go on as the old one")
	}
}

func TestRestoreRefusesWhatIsNoBackup(t *testing.T) {
	dir := t.TempDir()
	db := openTest(t, quiet(dir, true))
	observe(db, 219000001, sail(at0, 5, 1000)...)
	must(t, db.Close())
	before := readAll(t, dir)
	foreign := filepath.Join(t.TempDir(), "other.db")
	b, err := bolt.Open(foreign, 0o600, nil)
	must(t, err)
	must(t, b.Close())
	text := filepath.Join(t.TempDir(), "text")
	must(t, os.WriteFile(text, []byte("no database"), 0o600))
	future := filepath.Join(t.TempDir(), "future.db")
	copyTest(t, future, filepath.Join(dir, layout.DBName))
	b, err = bolt.Open(future, 0o600, nil)
	must(t, err)
	must(t, b.Update(func(tx *bolt.Tx) error {
		return tx.Bucket([]byte(layout.Meta)).Put([]byte(layout.MetaFormat), []byte{0, 0, 0, 99})
	}))
	must(t, b.Close())
	for _, file := range []string{foreign, text, future, filepath.Join(dir, "missing")} {
		if _, err := Restore(t.Context(), dir, file); err == nil {
			t.Errorf("%s was restored", file)
		}
	}
	if !sameFiles(before, readAll(t, dir)) {
		t.Error("the store was changed")
	}
}

// TestStatesAreHandedOver: once the picture runs, the store keeps no second copy of its states.
func TestStatesAreHandedOver(t *testing.T) {
	db := openTest(t, quiet(t.TempDir(), true))
	observe(db, 219000001, sail(at0, 5, 1000)...)
	must(t, db.sync())
	again := killTest(t, db.options)
	for range 2 {
		if n := len(again.States()); n != 1 {
			t.Errorf("%d states after Open", n)
		}
	}
	again.Tick(time.UnixMilli(at0))
	if n := len(again.States()); n != 0 {
		t.Errorf("%d states are kept", n)
	}
}

// TestFixFromTheFutureIsOvercome: after the clock was set back, a ship's fixes are thinned as ever and not taken for late ones.
func TestFixFromTheFutureIsOvercome(t *testing.T) {
	o := quiet(t.TempDir(), true)
	db := openTest(t, o)
	before, wrong := sail(at0, 5, 10_000), sail(at0+9*365*24*track.HourMillis, 2, 10_000)
	after := sail(at0+100_000, 40, 10_000)
	observe(db, 219000001, before...)
	observe(db, 219000001, wrong...)
	db.Tick(time.UnixMilli(at0 + 100_000))
	observe(db, 219000001, after...)
	must(t, db.sync())
	want := slices.Concat(before, after, wrong)
	for name, store := range map[string]*DB{"live": db, "replayed": killTest(t, o)} {
		all, err := store.Track(t.Context(), 219000001, time.UnixMilli(0), wrong[1].Time().Add(time.Second))
		if err != nil || !slices.Equal(all, want) {
			t.Errorf("%s: %d fixes of %d, %v", name, len(all), len(want), err)
		}
		v := store.ships[219000001]
		if late := v.blocks[0].late; len(late) > 0 || v.lastAt != after[len(after)-1].At {
			t.Errorf("%s: %d fixes are taken for late, the latest is of %v", name, len(late), time.UnixMilli(v.lastAt).UTC())
		}
		if s, err := store.Ship(219000001); err != nil || s.Fix != after[len(after)-1] {
			t.Errorf("%s: last state at %v, %v", name, s.Fix.Time(), err)
		}
		must(t, store.flushBlocks(true))
		flushed, err := store.Track(t.Context(), 219000001, time.UnixMilli(0), wrong[1].Time().Add(time.Second))
		if err != nil || !slices.Equal(flushed, want) {
			t.Errorf("%s, flushed: %d fixes, %v", name, len(flushed), err)
		}
	}
}
