//go:build !race

package records

import (
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	bolt "go.etcd.io/bbolt"

	"quaywatch/store/track"
)

func openSeries(t testing.TB, db *Database, keep Keep) *Series[string] {
	t.Helper()
	s, err := OpenSeries[string](db, "calls", keep)
	must(t, err)
	return s
}

// collect returns what a walk over a series gives.
func collect(t testing.TB, walk func(yield func(SeriesEntry[string], error) bool)) (all []SeriesEntry[string]) {
	t.Helper()
	for e, err := range walk {
		must(t, err)
		all = append(all, e)
	}
	return all
}

// TestSeriesAndTableTogether: records and rows of tables are committed together or not at all.
func TestSeriesAndTableTogether(t *testing.T) {
	db := openTest(t, t.TempDir())
	s := openSeries(t, db, Keep{})
	table, err := OpenTable[string](db, "alarms")
	must(t, err)
	stop := errors.New("stop")
	for _, want := range []error{stop, nil} {
		err := db.Together(func(tx *Tx) error {
			_, err1 := table.SetIn(tx, 0, "", "raised")
			_, err2 := s.AppendIn(tx, time.UnixMilli(at0), "event")
			return errors.Join(err1, err2, want)
		})
		if !errors.Is(err, want) {
			t.Fatal(err)
		}
	}
	rows, err := table.All()
	if err != nil || len(rows) != 1 || len(collect(t, s.Forward(Key{}, EndKey()))) != 1 {
		t.Errorf("%d rows, %v", len(rows), err)
	}
}

// TestSeriesKeepsItsDays: the oldest go with what is appended, a few at a time; a record of the future takes few with it.
func TestSeriesKeepsItsDays(t *testing.T) {
	db := openTest(t, t.TempDir())
	hours := func(s *Series[string]) int { return len(collect(t, s.Forward(Key{}, EndKey()))) }
	s := openSeries(t, db, Keep{Age: 24 * time.Hour})
	add := func(s *Series[string], hour int64) {
		t.Helper()
		_, err := s.Append(time.UnixMilli(at0+hour*track.HourMillis), "")
		must(t, err)
	}
	for hour := range int64(100) {
		add(s, hour)
	}
	if n := hours(s); n != 25 {
		t.Errorf("%d hours are kept, want 25", n)
	}
	add(s, 10_000)
	if n := hours(s); n != 25+1-droppedWith {
		t.Errorf("%d are left after one of the future, want %d", n, 25+1-droppedWith)
	}
	few, err := OpenSeries[string](db, "few", Keep{Most: 10})
	must(t, err)
	for hour := range int64(100) {
		add(few, hour)
	}
	if n := hours(few); n != 10 {
		t.Errorf("%d records are kept, want 10", n)
	}
	if n := hours(s); n != 25+1-droppedWith {
		t.Errorf("one series changed another: %d", n)
	}
}

// TestSeriesReadsOverDamage: one record that cannot be read is told, and the others are given.
func TestSeriesReadsOverDamage(t *testing.T) {
	db := openDamaged(t, t.TempDir())
	s := openSeries(t, db, Keep{})
	for i := range int64(600) {
		_, err := s.Append(time.UnixMilli(at0+i), "x")
		must(t, err)
	}
	key := Key{at0 + 300, 301}
	must(t, db.Update(func(tx *Tx) error {
		b := slices.Clone(tx.Bucket(s.name).Get(key.keyBytes()))
		b[1] ^= 1
		return tx.Bucket(s.name).Put(key.keyBytes(), b)
	}))
	for _, walk := range []func(Key, Key) func(func(SeriesEntry[string], error) bool){
		func(a, b Key) func(func(SeriesEntry[string], error) bool) { return s.Forward(a, b) },
		func(a, b Key) func(func(SeriesEntry[string], error) bool) { return s.Backward(a, b) },
	} {
		good, bad := 0, 0
		for e, err := range walk(Key{}, EndKey()) {
			if err == nil {
				good++
			} else if bad++; e.Key != key || !errors.Is(err, track.ErrCorrupt) {
				t.Errorf("%v: %v", e.Key, err)
			}
		}
		if good != 599 || bad != 1 {
			t.Errorf("%d good, %d bad", good, bad)
		}
	}
	must(t, db.Close(true))
	if r, err := CheckFile(t.Context(), db.path()); err != nil || len(r.Problems) != 1 {
		t.Errorf("check: %v %q", err, r.Problems)
	}
}

// BenchmarkSeries appends a thousand records in one commit, and reads the latest hundred of a hundred thousand.
func BenchmarkSeries(b *testing.B) {
	db := openTest(b, b.TempDir())
	s := openSeries(b, db, Keep{Most: 100_000})
	at := at0
	add := func() {
		must(b, db.Together(func(batch *Tx) error {
			for range 1000 {
				at += 1000
				if _, err := s.AppendIn(batch, time.UnixMilli(at), "a record of some length, as an event has it"); err != nil {
					return err
				}
			}
			return nil
		}))
	}
	for range 100 {
		add()
	}
	b.Run("append a thousand", func(b *testing.B) {
		for b.Loop() {
			add()
		}
	})
	b.Run("latest hundred", func(b *testing.B) {
		for b.Loop() {
			n := 0
			for _, err := range s.Backward(Key{}, EndKey()) {
				if n++; err != nil || n == 100 {
					break
				}
			}
			if n != 100 {
				b.Fatalf("%d records", n)
			}
		}
	})
	must(b, db.View(func(tx *bolt.Tx) error { b.Logf("%d records", tx.Bucket([]byte(s.name)).Inspect().KeyN); return nil }))
}

// TestARecordIsReplacedWhereItStands under its key, and not when it is gone.
func TestARecordIsReplacedWhereItStands(t *testing.T) {
	db := openTest(t, t.TempDir())
	s := openSeries(t, db, Keep{Most: 2})
	var keys []Key
	for i := range 3 {
		key, err := s.Append(time.UnixMilli(at0), fmt.Sprint(i))
		must(t, err)
		keys = append(keys, key)
	}
	must(t, db.Together(func(tx *Tx) error { return s.PutIn(tx, keys[1], "changed") }))
	if err := db.Together(func(tx *Tx) error { return s.PutIn(tx, keys[0], "gone") }); !errors.Is(err, ErrNotFound) {
		t.Errorf("what was dropped is replaced: %v", err)
	}
	want := []SeriesEntry[string]{{keys[1], "changed"}, {keys[2], "2"}}
	if got := collect(t, s.Forward(Key{}, EndKey())); !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
}

// TestTablesAreMadeTogether: a table or series that was opened and is not there yet reads as empty. The next commit makes all of them, also when its own
// change fails at first.
func TestTablesAreMadeTogether(t *testing.T) {
	dir := t.TempDir()
	db := openTest(t, dir)
	before := lastCommit(t, db)
	series := openSeries(t, db, Keep{})
	tables := map[string]*Table[string]{}
	for _, name := range []string{"lists", "shapes", "filters"} {
		table, rows, err := ReadTable[string](db, name)
		must(t, err)
		if last, err := table.Last(); last != 0 || err != nil || len(rows) != 0 {
			t.Errorf("%s: last %d, %d rows, %v", name, last, len(rows), err)
		}
		if _, err := table.Get(1); !errors.Is(err, ErrNotFound) {
			t.Errorf("%s: %v", name, err)
		}
		tables[name] = table
	}
	if _, err := series.Get(KeyAt(time.UnixMilli(at0))); !errors.Is(err, ErrNotFound) {
		t.Errorf("series: %v", err)
	}
	if n := len(collect(t, series.Backward(Key{}, EndKey()))); n != 0 || lastCommit(t, db) != before {
		t.Errorf("%d entries, commit %d after %d", n, lastCommit(t, db), before)
	}
	stop := errors.New("stop")
	if err := db.Together(func(*Tx) error { return stop }); !errors.Is(err, stop) {
		t.Fatal(err)
	}
	_, err := tables["shapes"].Insert("harbour", "round")
	must(t, err)
	if _, found := named(t, tables["shapes"], "Harbour"); !found || lastCommit(t, db) != before+1 {
		t.Errorf("found %v, commit %d after %d", found, lastCommit(t, db), before)
	}
	_, err = series.Append(time.UnixMilli(at0), "event")
	must(t, err)
	must(t, db.Close(true))
	db = openTest(t, dir)
	before = lastCommit(t, db)
	for name := range tables {
		_, rows, err := ReadTable[string](db, name)
		if must(t, err); len(rows) != map[string]int{"shapes": 1}[name] {
			t.Errorf("%s: %d rows", name, len(rows))
		}
	}
	must(t, db.Together(func(*Tx) error { return nil }))
	if lastCommit(t, db) != before+1 || len(db.wanted) != 0 {
		t.Errorf("commit %d after %d, %d wanted", lastCommit(t, db), before, len(db.wanted))
	}
}

// lastCommit returns the number of the last commit.
func lastCommit(t *testing.T, db *Database) (id int) {
	must(t, db.View(func(tx *bolt.Tx) error { id = tx.ID(); return nil }))
	return id
}
