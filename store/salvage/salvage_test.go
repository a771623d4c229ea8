package salvage_test

import (
	"bytes"
	"context"
	"encoding/hex"
	"fmt"
	"io"
	"log/slog"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"quaywatch/ais"
	"quaywatch/ship"
	"quaywatch/store"
	"quaywatch/store/pages"
	"quaywatch/store/salvage"
)

const (
	at0     = int64(1772359200000) // 2026-03-01 10:00 UTC
	hour    = int64(3600_000)
	page    = 16 << 10
	dbFile  = "quaywatch.db"
	logFile = "quaywatch.wal"
)

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// harbour makes a store of every kind of value, with a log that holds the last hour, and gives its two files as a kill leaves them.
func harbour(t testing.TB, ships, hours int) (db, log []byte) {
	t.Helper()
	dir := t.TempDir()
	s, err := store.Open(store.Options{Dir: dir, FullRate: true, Log: slog.New(slog.DiscardHandler)})
	must(t, err)
	list := []string{"roof", "quay"}
	rng := rand.New(rand.NewPCG(7, 7))
	for h := range hours {
		for i := range ships {
			sail(s, ais.MMSI(219000001+7*i), at0+int64(h)*hour, &list, rng)
		}
		if h == hours-1 {
			break
		}
		s.Tick(time.UnixMilli(at0 + int64(h+1)*hour))
		must(t, s.Settle())
		if h == hours/2 {
			written(t, s)
		}
		must(t, s.Backup(io.Discard)) // which moves all that was heard into the database
	}
	must(t, s.Settle())
	db, err = os.ReadFile(filepath.Join(dir, dbFile))
	must(t, err)
	log, err = os.ReadFile(filepath.Join(dir, logFile))
	must(t, err)
	must(t, s.Close())
	return db, log
}

// sail gives a ship the fixes of an hour, and another destination.
func sail(s *store.DB, m ais.MMSI, from int64, list *[]string, rng *rand.Rand) {
	for i := range 30 {
		at := from + int64(i)*110_000
		f := ship.Fix{At: at, Lon: int32(6_000_000 + rng.IntN(100_000)), Lat: int32(33_000_000 + rng.IntN(100_000)), SOG: ais.SOGTenths(rng.IntN(200))}
		u := ship.Update{Change: ship.ChangedFix, Fix: f}
		u.Now = ship.State{MMSI: m, Heard: at, First: at0, Reports: 5, HasFix: true, Fix: f, Feeds: ais.Feeds{Set: uint64(1 + rng.IntN(3)), Names: list},
			Static: &ship.Static{Name: fmt.Sprintf("SHIP %d", m), At: at0}, Voyage: &ship.VoyageData{Destination: fmt.Sprint("PORT ", from/hour), At: from}}
		if i == 0 {
			u.Change |= ship.ChangedStatic | ship.ChangedVoyage
		}
		s.Observe(&u)
	}
}

type thing struct {
	Text string `json:"text"`
	N    int    `json:"n"`
}

// written fills the tables, changes some and deletes some, and the audit log.
func written(t testing.TB, s *store.DB) {
	t.Helper()
	audit, err := store.OpenSeries[thing](s, "audit", store.Keep{})
	must(t, err)
	for name, most := range map[string]int{"users": 6, "groups": 2, "sessions": 3, "lists": 200, "shapes": 30, "register": 300} {
		table, err := store.OpenTable[thing](s, name)
		must(t, err)
		must(t, s.Together(func(b *store.Batch) error {
			for i := range most {
				if _, err := table.SetIn(b, 0, fmt.Sprint(name, " ", i), thing{strings.Repeat(name, 1+i%40), i}); err != nil {
					return err
				}
			}
			for i := range most {
				if _, err := audit.AppendIn(b, time.UnixMilli(at0+int64(i)), thing{name, i}); err != nil {
					return err
				}
			}
			return nil
		}))
		must(t, table.Put(1, name+" one", thing{"changed", 1}))
		must(t, table.Delete(2))
	}
}

// entries gives all values of a database by the path of their bucket and their key.
func entries(t testing.TB, path string) map[string]string {
	t.Helper()
	image, err := os.ReadFile(path)
	must(t, err)
	file, err := pages.Open(bytes.NewReader(image), int64(len(image)), page)
	must(t, err)
	found := map[string]string{}
	var judge store.Judge
	tree, err := file.Walk(file.Metas()[0], pages.Visitor{Whole: judge.Value, Value: func(path string, key, value []byte) error {
		if path != "meta" {
			found[path+":"+string(key)] = string(value)
		}
		return nil
	}})
	must(t, err)
	if len(tree.Faults) > 0 {
		t.Fatalf("the new store is damaged: %v", tree.Faults)
	}
	return found
}

// put writes the two files of a store into a folder of its own.
func put(t testing.TB, db, log []byte) string {
	t.Helper()
	dir := t.TempDir()
	if db != nil {
		must(t, os.WriteFile(filepath.Join(dir, dbFile), db, 0o600))
	}
	if log != nil {
		must(t, os.WriteFile(filepath.Join(dir, logFile), log, 0o600))
	}
	return dir
}

func rescued(t testing.TB, dir string) (*salvage.Report, map[string]string) {
	t.Helper()
	out := filepath.Join(t.TempDir(), "out")
	r, err := salvage.Run(context.Background(), dir, out)
	if err != nil {
		t.Fatalf("salvage: %v", err)
	}
	return r, entries(t, filepath.Join(out, dbFile))
}

// told tells whether a report says that a value may be missing.
func told(r *salvage.Report, k string) bool {
	path, key, _ := strings.Cut(k, ":")
	for _, m := range r.Missing {
		from, _ := hex.DecodeString(m.FromKey)
		to, _ := hex.DecodeString(m.ToKey)
		switch {
		case m.What == "all":
			return true
		case m.What == "log" && (path == "blocks" || path == "ships" || path == "static" || path == "feeds"):
			return true
		case m.Bucket == strings.TrimSuffix(path, "/names") && (path != m.Bucket || key >= string(from) && (m.ToKey == "" || key < string(to))):
			return true
		case m.Bucket == "" && m.What == "record":
			return true
		}
	}
	return false
}

// TestWholeStore: of a store that is not damaged everything is there, and nothing is told.
func TestWholeStore(t *testing.T) {
	db, log := harbour(t, 12, 4)
	dir := put(t, db, log)
	r, found := rescued(t, dir)
	if !r.Whole() {
		t.Errorf("%+v", r)
	}
	if r.Ships != 12 || r.Blocks != 48 || r.Fixes != 48*30 || r.Astray != 0 {
		t.Errorf("%+v", r)
	}
	for k := range entries(t, filepath.Join(dir, dbFile)) {
		if found[k] == "" {
			t.Errorf("%q is missing", k)
		}
	}
	if _, err := salvage.Run(context.Background(), dir, r.To); err == nil {
		t.Error("a folder that holds a store was taken")
	}
	if _, err := salvage.Run(context.Background(), dir, filepath.Join(dir, "out")); err == nil {
		t.Error("the folder that is read was written to")
	}
}

// tries gives how many damages of a kind are made: few, or all with QUAYWATCH_FAULTS=all.
func tries(few, all int) int {
	if os.Getenv("QUAYWATCH_FAULTS") == "all" {
		return all
	}
	return few
}

// damage is one thing done to the files of a store.
type damage struct {
	name    string
	db, log []byte
	most    int // values that may be lost of the database, at most
}

// damages makes damages at random: single bits, cuts and wiped pages, in the database and in what the log holds.
func damages(db, log []byte, bits, cuts, wiped int) []damage {
	rng := rand.New(rand.NewPCG(11, 12))
	used := bytes.LastIndexByte(log, 'Q') + 4096
	for i := range log {
		if log[len(log)-1-i] != 0 {
			used = len(log) - i
			break
		}
	}
	var list []damage
	for i := range bits {
		d := damage{db: db, log: log}
		if i%4 == 3 {
			d.log = bytes.Clone(log)
			at := rng.IntN(used)
			d.log[at] ^= 1 << rng.IntN(8)
			d.name = fmt.Sprintf("a bit of byte %d of the log", at)
		} else {
			d.db = bytes.Clone(db)
			at := rng.IntN(len(db))
			d.db[at] ^= 1 << rng.IntN(8)
			d.name, d.most = fmt.Sprintf("a bit of byte %d of page %d", at%page, at/page), 1
		}
		list = append(list, d)
	}
	for i := range cuts {
		d := damage{db: db, log: log, most: 1 << 30}
		if i%2 == 0 {
			at := rng.IntN(len(db))
			d.db, d.name = db[:at], fmt.Sprintf("database cut to %d bytes", at)
		} else {
			at := rng.IntN(used)
			d.log, d.name, d.most = log[:at], fmt.Sprintf("log cut to %d bytes", at), 0
		}
		list = append(list, d)
	}
	for range wiped {
		at := rng.IntN(len(db)/page) * page
		d := damage{db: bytes.Clone(db), log: log, name: fmt.Sprintf("page %d wiped", at/page), most: 1000}
		clear(d.db[at : at+page])
		list = append(list, d)
	}
	return list
}

// TestDamageIsTold: whatever was damaged, what is lost is named, and what was not touched is there.
func TestDamageIsTold(t *testing.T) {
	db, log := harbour(t, 40, 12)
	dir := put(t, db, log)
	_, want := rescued(t, dir)
	t.Logf("database %d KiB, %d values", len(db)>>10, len(want))
	lost, tried := 0, 0
	for _, d := range damages(db, log, tries(60, 2000), tries(10, 300), tries(10, 100)) {
		dir := put(t, d.db, d.log)
		r, found := rescued(t, dir)
		gone := 0
		for k, v := range want {
			if found[k] == v {
				continue
			}
			if !strings.Contains(k, "/names:") { // a name goes with its record
				gone++
			}
			if !told(r, k) {
				t.Errorf("%s: %.40q is missing without a word; told is %+v", d.name, k, r.Missing)
				break
			}
		}
		for k := range found {
			if want[k] == "" {
				t.Errorf("%s: %.40q was not there", d.name, k)
				break
			}
		}
		if d.most > 0 && gone > d.most {
			t.Errorf("%s: %d values are missing, %d may be: %+v", d.name, gone, d.most, r)
		}
		lost += gone
		tried++
		must(t, os.RemoveAll(dir))
		must(t, os.RemoveAll(filepath.Dir(r.To)))
		if t.Failed() {
			return
		}
	}
	t.Logf("%d damages, %d values lost and told", tried, lost)
}

// TestMissingFiles: without its log, or without its database, a store gives what is left.
func TestMissingFiles(t *testing.T) {
	db, log := harbour(t, 12, 4)
	r, found := rescued(t, put(t, db, nil))
	if r.Blocks != 36 || len(r.Missing) != 1 || r.Missing[0].What != "log" {
		t.Errorf("without a log: %+v", r)
	}
	r, found = rescued(t, put(t, nil, log))
	if r.Ships != 12 || r.Fixes < 12*30 || len(r.Missing) == 0 || r.Missing[0].What != "all" || len(found) == 0 {
		t.Errorf("without a database: %+v", r)
	}
	r, _ = rescued(t, put(t, append(make([]byte, 2*page), db[2*page:]...), log))
	if r.Ships != 12 || r.Blocks != 48 || r.Whole() {
		t.Errorf("without meta pages: %+v", r)
	}
}
