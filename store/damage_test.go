//go:build !race

package store

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	bolt "go.etcd.io/bbolt"

	"quaywatch/ais"
	"quaywatch/ship"
	"quaywatch/store/layout"
	"quaywatch/store/records"
	"quaywatch/store/track"
)

// stock is all that a store gives, a line for each thing: "fix 219000001 1772359200000" and its value.
type stock map[string]string

const (
	stockShips = 30
	stockHours = 3
)

// stockTables are the tables of a filled store, with the number of records of each.
func stockTables() map[string]int {
	return map[string]int{"users": 12, "groups": 3, "register": 120, "lists": 9}
}

// fillStock makes a store with every kind of value, and a log with the last hour. It is closed as at the end of a service.
func fillStock(t testing.TB, o Options) {
	t.Helper()
	db, err := Open(o)
	must(t, err)
	feeds := []string{"pier", "roof"}
	for m := range ais.MMSI(stockShips) {
		for hour := range int64(stockHours) {
			for i, f := range sail(at0+hour*track.HourMillis+int64(m), 120, 30_000) {
				u := heardBy(219000001+m, f, &feeds, 1+uint64(i/40)%3)
				if i%60 == 0 {
					u.Now.Static, u.Change = &ship.Static{Name: fmt.Sprint("SHIP ", m, " ", hour, " ", i), At: f.At}, u.Change|ship.ChangedStatic
				}
				db.Observe(u)
			}
		}
	}
	for name, n := range stockTables() {
		table, err := records.OpenTable[string](db.Database, name)
		must(t, err)
		for i := range n {
			_, err := table.Insert(fmt.Sprint(name, " ", i), strings.Repeat("value ", 1+i%20))
			must(t, err)
		}
	}
	series := openSeries(t, db, records.Keep{})
	for i := range 200 {
		_, err := series.Append(time.UnixMilli(at0+int64(i)*1000), fmt.Sprint("line ", i))
		must(t, err)
	}
	db.Tick(time.UnixMilli(at0 + (stockHours-1)*track.HourMillis + 30*60_000))
	must(t, db.sync())
	must(t, db.flushBlocks(false))
	must(t, db.Close())
}

// takeStock reads a store by what a service reads it with.
func takeStock(t testing.TB, db *DB) stock {
	t.Helper()
	s := stock{}
	from, to := time.UnixMilli(at0-track.HourMillis), time.UnixMilli(at0+100*track.HourMillis)
	for m := range ais.MMSI(stockShips) {
		m += 219000001
		fixes, err := db.Track(t.Context(), m, from, to)
		must(t, err)
		for _, f := range fixes {
			var names []string
			db.Feeds(f.Feeds).Any(func(name string) bool { names = append(names, name); return false })
			f.Feeds = 0
			s[fmt.Sprint("fix ", m, " ", f.At)] = fmt.Sprint(f, names)
		}
		changes, err := db.StaticChanges(t.Context(), m, from, to)
		must(t, err)
		for _, c := range changes {
			s[fmt.Sprint("static ", m, " ", c.At.UnixMilli())] = c.Static.Name
		}
		if state, err := db.Ship(m); err == nil {
			s[fmt.Sprint("state ", m)] = fmt.Sprint(state.Fix.At, state.Static)
		}
	}
	for name := range stockTables() {
		table, err := records.OpenTable[string](db.Database, name)
		must(t, err)
		records, err := table.All()
		must(t, err)
		for _, r := range records {
			s[fmt.Sprint("record ", r.ID, " of ", name)] = r.Name + r.Value
		}
	}
	for e, err := range openSeries(t, db, records.Keep{}).Forward(records.Key{}, records.EndKey()) {
		if err == nil {
			s[fmt.Sprintf("line %x", layout.SeriesKey(e.Key.At, e.Key.Sequence))] = e.Value
		}
	}
	return s
}

// judge compares what a store gives with what it gave before the damage. What is missing, or no longer the same, must be named.
func (s stock) judge(t testing.TB, now stock, named []records.Damage) {
	t.Helper()
	unnamed := 0
	for thing, was := range s {
		if now[thing] == was || slices.ContainsFunc(named, func(d records.Damage) bool { return covers(&d, thing) }) {
			continue
		}
		if unnamed++; unnamed < 4 {
			t.Errorf("%s: %q, was %q, and nothing names it", thing, now[thing], was)
		}
	}
	for thing, is := range now {
		if _, known := s[thing]; !known && !strings.HasPrefix(thing, "static") { // an older change shows when the one before it is gone
			t.Errorf("%s: %q was never there", thing, is)
		}
	}
	if unnamed > 0 {
		t.Errorf("%d of %d things are lost unnamed; named is %+v", unnamed, len(s), named)
	}
}

// covers reports whether a damage names a thing of a stock.
func covers(d *records.Damage, thing string) bool {
	kind, rest, _ := strings.Cut(thing, " ")
	var m ais.MMSI
	var at int64
	_, _ = fmt.Sscan(rest, &m, &at)
	ofShip := d.Ship == m
	if strings.Contains(d.Where, ", keys from ") && d.Kind != records.DamagedFeeds {
		return encloses(d, thing)
	}
	switch kind {
	case "fix":
		when := time.UnixMilli(at)
		within := !d.From.IsZero() && !when.Before(d.From) && when.Before(d.To)
		return d.Kind == records.DamagedFeeds || within && (ofShip || d.Kind == records.DamagedLog)
	case "static":
		return d.Kind == records.DamagedStatic && ofShip || d.Kind == records.DamagedLog
	case "state":
		return d.Kind == records.DamagedState && ofShip || d.Kind == records.DamagedLog || d.Kind == records.DamagedStatic && ofShip
	case "record":
		return d.Kind == records.DamagedRecord && strings.Contains(d.What+",", "the "+thing+",")
	}
	return d.Kind == records.DamagedLine && strings.HasSuffix(d.Where, rest)
}

// encloses reports whether a damage that names a part of a bucket names a thing of a stock by that.
func encloses(d *records.Damage, thing string) bool {
	kind, rest, _ := strings.Cut(thing, " ")
	var m ais.MMSI
	var at int64
	_, _ = fmt.Sscan(rest, &m, &at)
	bucket, keys, _ := strings.Cut(strings.TrimPrefix(d.Where, "bucket "), ", keys from ")
	from, to, _ := strings.Cut(keys, " to ")
	is, key := "", ""
	switch kind {
	case "fix":
		is, key = layout.Blocks, fmt.Sprintf("%x", layout.BlockKey(track.HourOf(at), m))
	case "static":
		is, key = layout.Static, fmt.Sprintf("%x", layout.StaticKey(m, at))
	case "state":
		is, key = layout.Ships, fmt.Sprintf("%x", layout.ShipKey(m))
	case "record":
		_, is, _ = strings.Cut(rest, " of ")
		key = fmt.Sprintf("%x", layout.RecordKey(uint64(m)))
	default:
		is, key = layout.SeriesPrefix+"calls", rest
	}
	return bucket == is && key >= from && (to == "" || key < to)
}

// live has a store do what a service does in an hour, for every ship.
func live(t testing.TB, db *DB) {
	t.Helper()
	at := at0 + (stockHours+1)*track.HourMillis
	for m := range ais.MMSI(stockShips) {
		u := updateOf(219000001+m, sail(at, 1, 0)[0])
		u.Now.Static, u.Change = &ship.Static{Name: "NEW", At: at}, u.Change|ship.ChangedStatic
		db.Observe(u)
	}
	db.Tick(time.UnixMilli(at + 2*track.HourMillis))
	must(t, db.sync())
	must(t, db.flushBlocks(false))
	for m := range ais.MMSI(stockShips) {
		if st, _, err := db.StaticAt(219000001+m, time.UnixMilli(at)); err != nil || st.Name != "NEW" {
			t.Errorf("ship %d: %+v, %v after an hour", 219000001+m, st, err)
		}
	}
	for name := range stockTables() {
		table, err := records.OpenTable[string](db.Database, name)
		must(t, err)
		_, err = table.Insert(name+" more", "")
		must(t, err)
	}
}

// TestEveryKindOfValueCanBeSetAside: with a bit flipped in any one value the store opens, names what is lost, and does its work for all
// others. Users and groups alone refuse, until the operator gives them up.
func TestEveryKindOfValueCanBeSetAside(t *testing.T) {
	o := quiet(t.TempDir(), true)
	fillStock(t, o)
	db := killTest(t, o)
	before := takeStock(t, db)
	seen := map[string]int{}
	for _, p := range placesOf(t, o.Dir) {
		kind := p.bucket + "/" + p.nested
		if p.bucket == layout.Meta {
			kind += p.key
		}
		if seen[kind]++; seen[kind] > 2 {
			continue
		}
		t.Run(fmt.Sprintf("%s %x", p.bucketPath(), p.key), func(t *testing.T) { damageOne(t, o, p, before) })
	}
	if len(seen) < 5+4+2*len(stockTables()) {
		t.Errorf("kinds of values: %v", seen)
	}
}

// TestWipedKeysAreNamedByTheirNeighbours: values whose keys were wiped are named by the whole values between which they stand, and all others
// are there.
func TestWipedKeysAreNamedByTheirNeighbours(t *testing.T) {
	o := quiet(t.TempDir(), true)
	fillStock(t, o)
	db := killTest(t, o)
	before := takeStock(t, db)
	byBucket := map[string][]place{}
	for _, p := range placesOf(t, o.Dir) {
		if p.bucket != layout.Meta {
			byBucket[p.bucketPath()] = append(byBucket[p.bucketPath()], p)
		}
	}
	files := readAll(t, o.Dir)
	for path, places := range byBucket {
		for _, first := range []int{0, len(places) / 2} {
			wiped := places[first:min(first+3, len(places))]
			t.Run(fmt.Sprintf("%s from %d", path, first), func(t *testing.T) {
				dir := t.TempDir()
				for name, b := range files {
					must(t, writeSparse(dir+"/"+name, b))
				}
				wipeKeys(t, dir+"/"+layout.DBName, o.Dir, wiped)
				if outcome := tryDamaged(t, dir, before); outcome != "named" {
					t.Error(outcome)
				}
			})
		}
	}
}

// wipeKeys writes zeros over keys in a database file, which is a copy of that of the store in dir, on every page that holds them.
func wipeKeys(t *testing.T, path, dir string, wiped []place) {
	t.Helper()
	whole, err := openBolt(dir + "/" + layout.DBName)
	must(t, err)
	file, err := os.ReadFile(path)
	must(t, err)
	must(t, whole.View(func(tx *bolt.Tx) error {
		for _, p := range wiped {
			with := append([]byte(p.key), p.bucketIn(tx).Get([]byte(p.key))...)
			n := 0
			for at := bytes.Index(file, with); at >= 0; at = bytes.Index(file, with) {
				clear(file[at : at+len(p.key)])
				n++
			}
			if n == 0 {
				t.Errorf("%x of %s does not stand in the file", p.key, p.bucketPath())
			}
		}
		return nil
	}))
	must(t, errors.Join(whole.Close(), writeSparse(path, file)))
}

// placesOf lists every value of a closed store.
func placesOf(t testing.TB, dir string) (places []place) {
	t.Helper()
	file, err := openBolt(dir + "/" + layout.DBName)
	must(t, err)
	var walk func(path []string, b *bolt.Bucket) error
	walk = func(path []string, b *bolt.Bucket) error {
		return b.ForEach(func(k, v []byte) error {
			if v == nil {
				return walk(append(path, string(k)), b.Bucket(k))
			}
			places = append(places, placeAt(path, k))
			return nil
		})
	}
	must(t, file.View(func(tx *bolt.Tx) error {
		return tx.ForEach(func(name []byte, b *bolt.Bucket) error { return walk([]string{string(name)}, b) })
	}))
	must(t, file.Close())
	return places
}

// damageOne flips a bit in one value of a copy of a store and uses the store.
func damageOne(t *testing.T, o Options, p place, before stock) {
	dir := t.TempDir()
	for _, name := range []string{layout.DBName, layout.LogName} {
		copyTest(t, dir+"/"+name, o.Dir+"/"+name)
	}
	o.Dir = dir
	file, err := openBolt(dir + "/" + layout.DBName)
	must(t, err)
	must(t, file.Update(func(tx *bolt.Tx) error {
		v := slices.Clone(p.bucketIn(tx).Get([]byte(p.key)))
		v[len(v)/2] ^= 8
		return p.bucketIn(tx).Put([]byte(p.key), v)
	}))
	must(t, file.Close())
	if layout.IsVital(p.bucket) && p.nested == "" {
		was, err := os.ReadFile(dir + "/" + layout.DBName)
		must(t, err)
		_, err = Open(o)
		if !errors.Is(err, records.ErrDamaged) || !strings.Contains(err.Error(), "named \""+p.bucket) || !strings.Contains(err.Error(), "forget-damaged") ||
			!strings.Contains(err.Error(), layout.DBName) {
			t.Fatalf("open: %v", err)
		}
		if now, err := os.ReadFile(dir + "/" + layout.DBName); err != nil || !bytes.Equal(now, was) {
			t.Fatalf("a store that was refused was changed (%v)", err)
		}
		o.Vital = records.SetVitalAside
	}
	db, err := Open(o)
	must(t, err)
	now := takeStock(t, db)
	named := db.Damages()
	before.judge(t, now, named)
	if len(named) != 1 || db.Status().Damaged[named[0].Kind] != 1 {
		t.Errorf("named is %+v, counted %v", named, db.Status().Damaged)
	}
	live(t, db)
	lived := takeStock(t, db)
	must(t, db.Close())
	db, err = Open(o)
	must(t, err)
	if again := db.Damages(); len(again) != 1 || again[0].What != named[0].What {
		t.Errorf("after another start named is %+v", again)
	}
	lived.judge(t, takeStock(t, db), nil)
	must(t, db.Close())
	if r, err := Check(dir); err != nil || len(r.Problems) != 1 {
		t.Errorf("check: %v, %q, want what was set aside alone", err, r.Problems)
	}
}
