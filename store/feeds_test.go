package store

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"quaywatch/ais"
	"quaywatch/ship"
	"quaywatch/store/layout"
	"quaywatch/store/track"
	"quaywatch/store/wal"
)

// heardBy is the update of a fix with the feeds that heard the ship lately, as bits of a list of the picture.
func heardBy(m ais.MMSI, f ship.Fix, list *[]string, set uint64) *ship.Update {
	u := updateOf(m, f)
	u.Now.Feeds = ais.Feeds{Set: set, Names: list}
	return u
}

// feedsOf returns the names of the feeds of each fix of a track.
func feedsOf(db *DB, fixes ship.Track) (all []string) {
	for _, f := range fixes {
		var names []string
		db.Feeds(f.Feeds).Any(func(name string) bool { names = append(names, name); return false })
		all = append(all, strings.Join(names, "+"))
	}
	return all
}

// TestFixesTellTheirFeeds: the feeds that heard a ship are known later by name, whatever the bits mean after a restart and however feeds are called then.
func TestFixesTellTheirFeeds(t *testing.T) {
	const m = 219000001
	o := quiet(t.TempDir(), true)
	db := openTest(t, o)
	fixes := sail(at0, 40, 10_000)
	first, second := []string{"roof", "pier"}, []string{"mast", "pier", "roof"} // the roof was called mast, and is another one since
	var want []string
	for i, f := range fixes[:20] {
		db.Observe(heardBy(m, f, &first, uint64(1+i/7)))
		want = append(want, []string{"roof", "pier", "pier+roof"}[i/7])
	}
	check := func(when string, db *DB) {
		t.Helper()
		got := feedsOf(db, trackOf(t, db, m))
		if !slices.Equal(got, want) {
			t.Fatalf("%s: %q, want %q", when, got, want)
		}
		s, err := db.Ship(m)
		if heard := feedsOf(db, ship.Track{s.Fix}); err != nil || heard[0] != want[len(want)-1] {
			t.Fatalf("%s: the ship was heard by %q, %v", when, heard, err)
		}
	}
	check("in memory", db)
	must(t, db.sync())
	db = killTest(t, o)
	check("after a kill", db)
	if s, err := db.Ship(m); err != nil || !s.HeardBy(func(feed string) bool { return feed == "pier" }) ||
		s.HeardBy(func(feed string) bool { return feed == "mast" }) {
		t.Errorf("the state tells %v, %v", s.Feeds, err)
	}
	must(t, db.flushBlocks(true))
	check("in the database", db)
	for i, f := range fixes[20:] {
		db.Observe(heardBy(m, f, &second, uint64(1+i/10)))
		want = append(want, []string{"mast", "pier"}[i/10])
	}
	must(t, db.sync())
	must(t, db.Compact(t.Context()))
	check("with other bits", db)
	must(t, db.Close())
	db = openTest(t, db.options)
	check("after a restart", db)
	u := updateOf(m, sail(at0+track.HourMillis, 1, 0)[0]) // there are more feeds than bits
	u.Now.Feed, want = "buoy", append(want, "buoy")
	db.Observe(u)
	check("one feed beyond the bits", db)
}

// TestFeedsCostLittle: of ships that three stations hear, with the gaps of real receivers, the feeds take at most 0.3 bytes a fix.
func TestFeedsCostLittle(t *testing.T) {
	const ships, hours = 60, 6
	random := rand.New(rand.NewPCG(8, 8))
	for _, full := range []bool{true, false} {
		f := newFleet(ships)
		bytes, without, kept := 0, 0, 0
		for i := range f.updates {
			chances := []float64{0, 0.01, 0.05, 0.5, 0.9} // that a station hears a report; it changes each quarter of an hour or so
			var chance [3]float64
			var heard [3]int64
			var fixes []ship.Fix
			for at := at0; at < at0+hours*track.HourMillis; at += 10_000 {
				fix := f.next(i, at).Fix
				for k := range chance {
					if random.IntN(90) == 0 {
						chance[k] = chances[random.IntN(len(chances))]
					}
					if random.Float64() < chance[k] {
						heard[k] = at
					}
					if at-heard[k] < 9*60_000 { // between one and two terms of the picture
						fix.Feeds |= 1 << k
					}
				}
				fixes = append(fixes, fix)
			}
			for _, hour := range hoursOf(track.Thin(fixes, full)) {
				kept += len(hour)
				bytes += len(track.EncodeBlock(track.HourOf(hour[0].At), hour))
				for k := range hour {
					hour[k].Feeds = 0
				}
				without += len(track.EncodeBlock(track.HourOf(hour[0].At), hour)) - 1
			}
		}
		each := float64(bytes-without) / float64(kept)
		t.Logf("full rate %v: feeds take %.3f bytes of %.2f a fix", full, each, float64(bytes)/float64(kept))
		if each > 0.3 {
			t.Errorf("full rate %v: feeds take %.2f bytes a fix, want 0.3 at most", full, each)
		}
	}
}

// TestCountsCostLittle: how many fixes were left out takes a tenth of a byte of a kept fix where all reports are heard, a byte where two of three
// are not, and nothing where every fix is kept.
func TestCountsCostLittle(t *testing.T) {
	for _, c := range []struct {
		name  string
		full  bool
		hears float64
		most  float64
	}{{"full rate", true, 1, 0}, {"all are heard", false, 1, 0.1}, {"a third is heard", false, 0.33, 1.2}} {
		random, f := rand.New(rand.NewPCG(8, 8)), newFleet(60)
		bytes, without, kept, left := 0, 0, 0, 0
		for i := range f.updates {
			var fixes []ship.Fix
			for at := at0; at < at0+3*track.HourMillis; at += 10_000 {
				if fix := f.next(i, at+random.Int64N(1000)).Fix; random.Float64() < c.hears {
					fixes = append(fixes, fix)
				}
			}
			for _, hour := range hoursOf(track.Thin(fixes, c.full)) {
				kept += len(hour)
				bytes += len(track.EncodeBlock(track.HourOf(hour[0].At), hour))
				for k := range hour {
					left += int(hour[k].LeftOut)
					hour[k].LeftOut = 0
				}
				without += len(track.EncodeBlock(track.HourOf(hour[0].At), hour))
			}
		}
		each := float64(bytes-without) / float64(kept)
		t.Logf("%s: counts take %.3f bytes of %.2f a kept fix, for %d left out of %d", c.name, each, float64(bytes)/float64(kept), left, left+kept)
		if each > c.most || (left > 0) == c.full {
			t.Errorf("%s: counts take %.2f bytes a fix, want %.2f at most; %d are left out", c.name, each, c.most, left)
		}
	}
}

// hoursOf cuts fixes into hours.
func hoursOf(fixes []ship.Fix) (hours [][]ship.Fix) {
	for len(fixes) > 0 {
		n := sameHour(fixes)
		hours, fixes = append(hours, fixes[:n:n]), fixes[n:]
	}
	return hours
}

// TestLogLosesOneGroupWithAFrame: what was heard a few minutes after a bad frame is there.
func TestLogLosesOneGroupWithAFrame(t *testing.T) {
	o := quiet(t.TempDir(), true)
	db := openTest(t, o)
	list := []string{"roof", "pier"}
	fixes := sail(at0, 200, 10_000)
	for i, f := range fixes {
		for m := range ais.MMSI(5) {
			db.Observe(heardBy(219000001+m, f, &list, uint64(1+i/100)))
		}
		db.Tick(time.UnixMilli(f.At))
		must(t, db.sync())
	}
	killed := quiet(t.TempDir(), true)
	copyTest(t, killed.Dir+"/"+layout.DBName, o.Dir+"/"+layout.DBName)
	copyTest(t, killed.Dir+"/"+layout.LogName, o.Dir+"/"+layout.LogName)
	spoil(t, killed.Dir+"/"+layout.LogName, wal.SegmentAt(0)+int64(db.wal.Segments[0].Used)/2)
	again, err := Open(killed)
	must(t, err)
	defer again.Close()
	got := trackOf(t, again, 219000003)
	lost := len(fixes) - len(got)
	if lost < 1 || lost > wal.GroupMillis/10_000+1 || got[len(got)-1] != trackOf(t, db, 219000003)[len(fixes)-1] {
		t.Errorf("%d of %d fixes are lost, want those of one group", lost, len(fixes))
	}
	if s := again.Status(); s.LogBytes == 0 {
		t.Error("no log")
	}
}

// spoil turns a bit of a file.
func spoil(t testing.TB, path string, at int64) {
	t.Helper()
	b := readAll(t, path[:strings.LastIndexByte(path, '/')])[path[strings.LastIndexByte(path, '/')+1:]]
	b[at] ^= 4
	must(t, writeTest(path, b))
}
