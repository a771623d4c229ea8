package store

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"quaywatch/ais"
	"quaywatch/geo"
	"quaywatch/internal/fold"
	"quaywatch/ship"
	"quaywatch/store/layout"
	"quaywatch/store/records"
	"quaywatch/store/track"
)

// quiet is options for a test directory, without a log on the screen.
func quiet(dir string, full bool) Options {
	return Options{Dir: dir, FullRate: full, Log: slog.New(slog.NewTextHandler(io.Discard, nil))}
}

// openTest opens a store that is closed and checked at the end of the test.
func openTest(t testing.TB, o Options) *DB {
	t.Helper()
	db, err := Open(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := db.Close(); err != nil {
			t.Errorf("close: %v", err)
		}
		checkTest(t, o.Dir)
	})
	return db
}

func checkTest(t testing.TB, dir string) CheckReport {
	t.Helper()
	r, err := Check(dir)
	if err != nil || len(r.Problems) > 0 {
		t.Errorf("check: %v %q", err, r.Problems)
	}
	return r
}

// killTest copies the files of a running store as a kill would leave them, and opens the copy.
func killTest(t testing.TB, o Options) *DB {
	t.Helper()
	o2 := o
	o2.Dir = t.TempDir()
	for _, name := range []string{layout.DBName, layout.LogName} {
		copyTest(t, filepath.Join(o2.Dir, name), filepath.Join(o.Dir, name))
	}
	return openTest(t, o2)
}

func copyTest(t testing.TB, to, from string) {
	t.Helper()
	b, err := os.ReadFile(from)
	if err == nil {
		err = os.WriteFile(to, b, 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// updateOf is the update that the picture gives for a fix of a confirmed ship.
func updateOf(m ais.MMSI, f ship.Fix) *ship.Update {
	now := ship.State{MMSI: m, Class: ship.ClassA, HasFix: true, Fix: f, First: at0, Heard: f.At, Reports: 10}
	return &ship.Update{Now: now, Fix: f, Change: ship.ChangedFix}
}

func observe(db *DB, m ais.MMSI, fixes ...ship.Fix) {
	for _, f := range fixes {
		u := updateOf(m, f)
		db.Observe(u)
	}
}

func trackOf(t testing.TB, db *DB, m ais.MMSI) ship.Track {
	t.Helper()
	track, err := db.Track(context.Background(), m, time.UnixMilli(0), time.UnixMilli(at0+100*24*track.HourMillis))
	if err != nil {
		t.Fatal(err)
	}
	return track
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func TestFixesSurviveAKillAtAnyStage(t *testing.T) {
	o := quiet(t.TempDir(), true)
	db := openTest(t, o)
	fixes := sail(at0+track.HourMillis-600_000, 120, 10_000) // over the full hour
	same := func(db *DB, want []ship.Fix) {
		t.Helper()
		if got := trackOf(t, db, 219000001); !slices.Equal(got, want) {
			t.Fatalf("got %d fixes, want %d", len(got), len(want))
		}
	}
	observe(db, 219000001, fixes[:50]...)
	same(db, fixes[:50])
	must(t, db.sync())
	observe(db, 219000001, fixes[50:60]...)
	same(killTest(t, o), fixes[:50]) // what was not synced is lost, what was is not
	observe(db, 219000001, fixes[60:]...)
	must(t, db.sync())
	same(killTest(t, o), fixes)
	db.Tick(time.UnixMilli(at0 + track.HourMillis + flushDelay))
	must(t, db.flushBlocks(false))
	same(db, fixes)
	again := killTest(t, o)
	same(again, fixes)
	must(t, again.flushBlocks(true))
	same(again, fixes)
	must(t, again.Close())
	reopened := openTest(t, again.options)
	same(reopened, fixes)
	if s := reopened.States(); len(s) != 1 || s[0].Fix != fixes[len(fixes)-1] {
		t.Errorf("states after restart: %+v", s)
	}
}

func TestPassingGivesWholeLegs(t *testing.T) {
	db := openTest(t, quiet(t.TempDir(), true))
	fixes := sail(at0, 720, 10_000) // two hours
	far := sail(at0, 720, 10_000)
	for i := range far {
		far[i].Lat -= 6_000_000
	}
	for _, m := range []ais.MMSI{219000001, 219000002} {
		observe(db, m, fixes...)
	}
	observe(db, 219000003, far...)
	area := ship.Track(fixes[300:420]).Bounds()
	ask := func() map[ais.MMSI][]ship.Track {
		got := map[ais.MMSI][]ship.Track{}
		err := db.Passing(context.Background(), area, time.UnixMilli(at0+5000), time.UnixMilli(at0+track.HourMillis*3), func(m ais.MMSI, track ship.Track) error {
			got[m] = append(got[m], slices.Clone(track))
			return nil
		})
		must(t, err)
		return got
	}
	check := func(when string) {
		t.Helper()
		got := ask()
		for _, m := range []ais.MMSI{219000001, 219000002} {
			if len(got[m]) != 2 || !slices.Equal(got[m][0], fixes[:360]) || !slices.Equal(got[m][1], fixes[359:]) {
				t.Fatalf("%s: ship %d: %d calls", when, m, len(got[m]))
			}
		}
		if len(got) != 2 {
			t.Fatalf("%s: %d ships", when, len(got))
		}
	}
	check("open")
	db.Tick(time.UnixMilli(at0 + track.HourMillis + flushDelay))
	must(t, db.flushBlocks(false))
	check("half flushed")
	must(t, db.flushBlocks(true))
	check("flushed")
	stop := errors.New("enough")
	err := db.Passing(context.Background(), area, time.UnixMilli(at0), time.UnixMilli(at0+track.HourMillis), func(ais.MMSI, ship.Track) error { return stop })
	if !errors.Is(err, stop) {
		t.Errorf("error of the caller: %v", err)
	}
}

func TestPassingOverTheDateLine(t *testing.T) {
	db := openTest(t, quiet(t.TempDir(), true))
	a := ship.Fix{At: at0, Lon: 107_990_000, Lat: 600_000}
	b := ship.Fix{At: at0 + 60_000, Lon: -107_990_000, Lat: 600_000}
	observe(db, 219000001, a, b)
	for _, flushed := range []bool{false, true} {
		if flushed {
			must(t, db.flushBlocks(true))
		}
		for _, c := range []struct {
			name string
			area geo.Rect
			want int
		}{
			{"spanning 180°", geo.Rect{West: 179.9, South: 0, East: -179.9, North: 2}, 1},
			{"at 180° west", geo.Rect{West: -180, South: 0, East: -179.99, North: 2}, 1},
			{"Greenwich", geo.Rect{West: -1, South: 0, East: 1, North: 2}, 0},
		} {
			n := 0
			must(t, db.Passing(context.Background(), c.area, time.UnixMilli(at0), time.UnixMilli(at0+track.HourMillis), func(_ ais.MMSI, track ship.Track) error {
				n += len(track) / 2
				return nil
			}))
			if n != c.want {
				t.Errorf("%s, flushed %v: %d tracks, want %d", c.name, flushed, n, c.want)
			}
		}
	}
}

func TestLateFixesFindTheirHour(t *testing.T) {
	o := quiet(t.TempDir(), true)
	db := openTest(t, o)
	fixes := sail(at0, 1080, 10_000) // three hours
	late := []int{5, 100, 358, 359, 361, 500, 719, 900}
	var prompt []ship.Fix
	for i, f := range fixes {
		if !slices.Contains(late, i) {
			prompt = append(prompt, f)
		}
	}
	observe(db, 219000001, prompt...)
	db.Tick(time.UnixMilli(at0 + 2*track.HourMillis + flushDelay))
	must(t, db.flushBlocks(false))
	for _, i := range late {
		u := updateOf(219000001, fixes[i])
		u.Change, u.Now.Fix = ship.LateFix, fixes[len(fixes)-1]
		db.Observe(u)
	}
	same := func(when string, db *DB) {
		t.Helper()
		if got := trackOf(t, db, 219000001); !slices.Equal(got, fixes) {
			t.Fatalf("%s: %d fixes, want %d", when, len(got), len(fixes))
		}
		var legs []ship.Track
		must(t, db.Passing(context.Background(), ship.Track(fixes).Bounds(), time.UnixMilli(at0), time.UnixMilli(at0+track.HourMillis*3),
			func(_ ais.MMSI, tr ship.Track) error {
				legs = append(legs, slices.Clone(tr))
				return nil
			}))
		if len(legs) != 3 || legs[1][0] != fixes[359] || legs[2][0] != fixes[719] {
			t.Fatalf("%s: the hours do not begin with the last fix of the one before", when)
		}
	}
	same("open", db)
	must(t, db.sync())
	same("killed", killTest(t, o))
	db.Tick(time.UnixMilli(at0 + 3*track.HourMillis + flushDelay))
	must(t, db.flushBlocks(false))
	same("flushed", db)
}

func TestUnconfirmedShipsAreNotStored(t *testing.T) {
	db := openTest(t, quiet(t.TempDir(), true))
	fixes := sail(at0, 3, 10_000)
	for i, f := range fixes[:2] {
		u := updateOf(219000001, f)
		u.Now.Reports = uint32(i + 1)
		db.Observe(u)
		if got := trackOf(t, db, 219000001); len(got) != 0 {
			t.Fatalf("after %d reports: %d fixes", i+1, len(got))
		}
	}
	u := updateOf(219000001, fixes[2])
	u.Now.Reports = 3
	db.Observe(u)
	if got := trackOf(t, db, 219000001); !slices.Equal(got, fixes) {
		t.Errorf("after the third report: %v, want all three", got)
	}
	hand := ship.Update{Now: ship.State{MMSI: 9900000001, Heard: at0, Reports: 3, ByHand: true}, Change: ship.Entered | ship.Appeared}
	db.Observe(&hand)
	if _, err := db.Ship(9900000001); !errors.Is(err, records.ErrNotFound) {
		t.Errorf("entered by hand: %v", err)
	}
	u = updateOf(219000001, sail(at0, 4, 0)[3])
	u.Now.Reports, u.Heard = 4, &ship.State{MMSI: 219000001, Reports: 4}
	u.Now.Static = &ship.Static{Name: "BY HAND"}
	db.Observe(u)
	if s, err := db.Ship(219000001); err != nil || s.Static != nil {
		t.Errorf("%+v, %v: what was entered by hand is stored", s, err)
	}
}

func TestStaticAt(t *testing.T) {
	o := quiet(t.TempDir(), false)
	db := openTest(t, o)
	anna := &ship.Static{Name: "ANNA", IMO: 9000001, CallSign: "OX1", Type: 70, At: at0, Dimensions: ais.Dimensions{Bow: 100, Stern: 20, Port: 7, Starboard: 8}}
	berta := &ship.Static{Name: "BERTA", IMO: 9000001, At: at0 + 2*track.HourMillis}
	bound := &ship.VoyageData{Destination: "DKAAR", ETA: ais.ETA{Month: 3, Day: 2, Hour: 4}, Draught: 62, At: at0 + track.HourMillis}
	tell := func(st *ship.Static, v *ship.VoyageData, c ship.Change, at int64) {
		u := updateOf(219000001, sail(at, 1, 0)[0])
		u.Now.Static, u.Now.Voyage, u.Change = st, v, u.Change|c
		db.Observe(u)
	}
	tell(anna, nil, ship.ChangedStatic, at0)
	tell(anna, bound, ship.ChangedVoyage, at0+track.HourMillis)
	tell(berta, bound, ship.ChangedStatic, at0+2*track.HourMillis)
	check := func(when string, db *DB) {
		t.Helper()
		for _, c := range []struct {
			at     int64
			name   string
			voyage bool
		}{{at0, "ANNA", false}, {at0 + track.HourMillis, "ANNA", true}, {at0 + 2*track.HourMillis - 1, "ANNA", true},
			{at0 + 2*track.HourMillis, "BERTA", true}, {at0 + 100*track.HourMillis, "BERTA", true}} {
			st, v, err := db.StaticAt(219000001, time.UnixMilli(c.at))
			if err != nil || st.Name != c.name || (v != nil) != c.voyage {
				t.Fatalf("%s, %v: %+v %+v %v", when, time.UnixMilli(c.at), st, v, err)
			}
			if v != nil && *v != *bound {
				t.Fatalf("%s: voyage %+v", when, v)
			}
			if c.name == "ANNA" && *st != *anna {
				t.Fatalf("%s: static %+v", when, st)
			}
		}
		for _, m := range []ais.MMSI{219000001, 219000009} {
			if _, _, err := db.StaticAt(m, time.UnixMilli(at0-1)); !errors.Is(err, records.ErrNotFound) {
				t.Fatalf("%s, before the first: %v", when, err)
			}
		}
	}
	checkChanges := func(when string, db *DB) {
		t.Helper()
		for _, c := range []struct {
			from, to int64
			want     string
		}{
			{at0 - 5, at0 + 100*track.HourMillis, "ANNA@0 ANNA>DKAAR@1 BERTA>DKAAR@2"},
			{at0 - 5, at0, ""},
			{at0, at0 + 1, "ANNA@0"},
			{at0 + 1, at0 + track.HourMillis, "ANNA@0"},
			{at0 + track.HourMillis, at0 + 2*track.HourMillis, "ANNA>DKAAR@1"},
			{at0 + track.HourMillis + 1, at0 + 2*track.HourMillis + 1, "ANNA>DKAAR@1 BERTA>DKAAR@2"},
			{at0 + 50*track.HourMillis, at0 + 60*track.HourMillis, "BERTA>DKAAR@2"},
			{at0, at0, ""},
		} {
			changes, err := db.StaticChanges(t.Context(), 219000001, time.UnixMilli(c.from), time.UnixMilli(c.to))
			var got []string
			for _, change := range changes {
				text := change.Static.Name
				if change.Voyage != nil {
					text += ">" + change.Voyage.Destination
				}
				got = append(got, fmt.Sprint(text, "@", (change.At.UnixMilli()-at0)/track.HourMillis))
			}
			if err != nil || strings.Join(got, " ") != c.want {
				t.Fatalf("%s, from %d to %d: %q, %v, want %q", when, c.from-at0, c.to-at0, got, err, c.want)
			}
		}
		if changes, err := db.StaticChanges(t.Context(), 219000009, time.UnixMilli(0), time.UnixMilli(at0*2)); err != nil || len(changes) > 0 {
			t.Fatalf("%s, of an unknown ship: %v %v", when, changes, err)
		}
	}
	check("in the log", db)
	checkChanges("in the log", db)
	must(t, db.sync())
	killed := killTest(t, o)
	check("after a kill", killed)
	checkChanges("after a kill", killed)
	if s, err := killed.Ship(219000001); err != nil || s.Static.Name != "BERTA" || s.Fix.At != at0+2*track.HourMillis {
		t.Errorf("state after a kill: %+v %v", s, err)
	}
	must(t, db.flushStatics())
	check("in the database", db)
	checkChanges("in the database", db)
	must(t, killed.flushBlocks(true))
	must(t, killed.flushBlocks(true))
	if r := closeAndCheck(t, killed); r.Static != 3 {
		t.Errorf("%d static records, want 3", r.Static)
	}
}

func closeAndCheck(t testing.TB, db *DB) CheckReport {
	t.Helper()
	must(t, db.Close())
	return checkTest(t, db.options.Dir)
}

func TestEachShip(t *testing.T) {
	db := openTest(t, quiet(t.TempDir(), true))
	for m := range ais.MMSI(2500) {
		observe(db, m+1, sail(at0, 1, 0)...)
	}
	must(t, db.flushBlocks(true))
	db.Tick(time.UnixMilli(at0 + 10*track.HourMillis))
	must(t, db.flushBlocks(true)) // the silent ones leave memory
	observe(db, 3000, sail(at0+10*track.HourMillis, 1, 0)...)
	seen := map[ais.MMSI]int{}
	must(t, db.EachShip(func(s ship.State) error { seen[s.MMSI]++; return nil }))
	if len(seen) != 2501 || seen[3000] != 1 || seen[1] != 1 || seen[2500] != 1 {
		t.Errorf("%d ships", len(seen))
	}
	if s := db.Status(); s.OpenShips != 1 {
		t.Errorf("%d ships in memory, want 1", s.OpenShips)
	}
	if _, err := db.Ship(999999999); !errors.Is(err, records.ErrNotFound) {
		t.Errorf("unknown ship: %v", err)
	}
}

// Ships that are only in the database, and ships that are also in memory, come in one answer; a ship that was never stored is left out.
func TestShipsOfMemoryAndDatabase(t *testing.T) {
	db := openTest(t, quiet(t.TempDir(), false))
	fixes := sail(at0, 4, 0)
	observe(db, 219000001, fixes...)
	observe(db, 219000002, fixes...)
	db.Tick(time.UnixMilli(fixes[3].At + prunedAfter + 1000))
	must(t, db.flushBlocks(true))
	observe(db, 219000003, fixes...)
	if db.ships[219000001] != nil || db.ships[219000003] == nil {
		t.Fatal("the ships are not where this test needs them")
	}
	states, err := db.Ships(nil, []ais.MMSI{219000003, 219000099, 219000001, 219000002})
	must(t, err)
	var got []ais.MMSI
	for _, s := range states {
		if s.Fix.At != fixes[3].At {
			t.Errorf("ship %d: %+v", s.MMSI, s.Fix)
		}
		got = append(got, s.MMSI)
	}
	slices.Sort(got)
	if want := []ais.MMSI{219000001, 219000002, 219000003}; !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
}

// TestCoarseFixesBesideExact: what a satellite tells late, to a tenth of a minute, is no part of a track that was heard exactly, before and after
// it is written to the disk. In an hour that only the satellite heard it is.
func TestCoarseFixesBesideExact(t *testing.T) {
	db := openTest(t, quiet(t.TempDir(), false))
	defer db.Close()
	fixes := sail(at0, 360, 10_000) // an hour
	observe(db, 219000001, fixes...)
	var want []ship.Fix
	for i := range 40 { // two hours, the first beside the exact ones
		f := fixes[0]
		f.At, f.Mark = at0+int64(i)*180_000+5_000, ship.Coarse
		u := updateOf(219000001, f)
		if u.Change = ship.LateFix; f.At > fixes[len(fixes)-1].At {
			u.Change = ship.ChangedFix
		}
		db.Observe(u)
		if f.At > fixes[len(fixes)-1].At+30_000 {
			want = append(want, f)
		}
	}
	check := func(when string) {
		t.Helper()
		got := slices.DeleteFunc(trackOf(t, db, 219000001), func(f ship.Fix) bool { return f.Mark&ship.Coarse == 0 })
		if len(want) < 15 || !slices.Equal(got, ship.Track(want)) {
			t.Errorf("%s: %d coarse fixes, want %d", when, len(got), len(want))
		}
	}
	check("in memory")
	db.Tick(time.UnixMilli(at0 + 3*track.HourMillis + flushDelay))
	must(t, db.flushBlocks(false))
	check("on the disk")
}

func ctxOf() context.Context { return context.Background() }

// named finds a record by its name.
func named[T any](t *testing.T, table *records.Table[T], name string) (records.Record[T], bool) {
	t.Helper()
	rows, err := table.All()
	must(t, err)
	i := slices.IndexFunc(rows, func(r records.Record[T]) bool { return fold.Name(r.Name) == fold.Name(name) })
	if i < 0 {
		return records.Record[T]{}, false
	}
	return rows[i], true
}

type person struct {
	Name string `json:"name"`
	Age  int    `json:"age"`
}

func openSeries(t testing.TB, db *DB, keep records.Keep) *records.Series[string] {
	t.Helper()
	s, err := records.OpenSeries[string](db.Database, "calls", keep)
	must(t, err)
	return s
}

func byKey(a, b records.SeriesEntry[string]) int {
	return cmp.Or(cmp.Compare(a.Key.At, b.Key.At), cmp.Compare(a.Key.Sequence, b.Key.Sequence))
}

// collect returns what a walk over a series gives.
func collect(t testing.TB, walk func(yield func(records.SeriesEntry[string], error) bool)) (all []records.SeriesEntry[string]) {
	t.Helper()
	for e, err := range walk {
		must(t, err)
		all = append(all, e)
	}
	return all
}
