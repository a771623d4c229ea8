//go:build !race

package salvage_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"log/slog"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"quaywatch/ais"
	"quaywatch/ship"
	"quaywatch/store"
	"quaywatch/store/layout"
	"quaywatch/store/pages"
	"quaywatch/store/records"
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

// harbour makes a store of every kind of value, with a log that holds the last hour, and returns its two files as a kill leaves them.
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
	audit, err := records.OpenSeries[thing](s.Database, "audit", records.Keep{})
	must(t, err)
	for name, most := range map[string]int{"users": 6, "groups": 2, "sessions": 3, "lists": 200, "shapes": 30, "register": 300} {
		table, err := records.OpenTable[thing](s.Database, name)
		must(t, err)
		must(t, s.Together(func(tx *records.Tx) error {
			for i := range most {
				if _, err := table.SetIn(tx, 0, fmt.Sprint(name, " ", i), thing{strings.Repeat(name, 1+i%40), i}); err != nil {
					return err
				}
			}
			for i := range most {
				if _, err := audit.AppendIn(tx, time.UnixMilli(at0+int64(i)), thing{name, i}); err != nil {
					return err
				}
			}
			return nil
		}))
		must(t, table.Put(1, name+" one", thing{"changed", 1}))
		must(t, table.Delete(2))
	}
}

// entries returns all values of a database by the path of their bucket and their key.
func entries(t testing.TB, path string) map[string]string {
	t.Helper()
	image, err := os.ReadFile(path)
	must(t, err)
	file, err := pages.Open(bytes.NewReader(image), int64(len(image)), page)
	must(t, err)
	found := map[string]string{}
	var judge layout.Verifier
	tree, err := file.Walk(file.Metas()[0], pages.TreeVisitor{Whole: judge.Value, Value: func(path string, key, value []byte) error {
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

func rescued(t testing.TB, dir string) (*salvage.Findings, map[string]string) {
	t.Helper()
	out := filepath.Join(t.TempDir(), "out")
	r, err := salvage.Run(context.Background(), dir, out)
	if err != nil {
		t.Fatalf("salvage: %v", err)
	}
	return r, entries(t, filepath.Join(out, dbFile))
}

// told reports whether a report says that a value may be missing.
func told(r *salvage.Findings, k string) bool {
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
	if check, err := store.Check(r.To); err != nil || len(check.Problems) > 0 {
		t.Errorf("a check of the new store: %v %v", check.Problems, err)
	}
	s, err := store.Open(store.Options{Dir: r.To, Log: slog.New(slog.DiscardHandler)})
	must(t, err)
	if list := s.Damages(); len(list) > 0 {
		t.Errorf("a start of the new store tells of %+v", list)
	}
	must(t, s.Close())
	if _, err := salvage.Run(context.Background(), dir, r.To); err == nil {
		t.Error("a folder that holds a store was taken")
	}
	if _, err := salvage.Run(context.Background(), t.TempDir(), filepath.Join(t.TempDir(), "out")); err == nil {
		t.Error("an empty folder was taken for a store")
	}
	if _, err := salvage.Run(context.Background(), dir, filepath.Join(dir, "out")); err == nil {
		t.Error("the folder that is read was written to")
	}
}

// tries returns how many damages of a kind are made: few, or all with QUAYWATCH_FAULTS=all.
func tries(few, all int) int {
	if os.Getenv("QUAYWATCH_FAULTS") == "all" {
		return all
	}
	return few
}

// damage is one thing done to the files of a store. do gives them damaged, and leaves what it is given.
type damage struct {
	name string
	do   func(db, log []byte) ([]byte, []byte)
	most int // values that may be lost of the database, at most
}

// flipped returns bytes with another bit.
func flipped(b []byte, at int, bit byte) []byte {
	b = bytes.Clone(b)
	b[at] ^= bit
	return b
}

// damages makes damages at random: single bits, cuts and wiped pages, in the database and in what the log holds.
func damages(db, log []byte, bits, cuts, wiped int) []damage {
	rng := rand.New(rand.NewPCG(11, 12))
	used := len(log)
	for i := range log {
		if log[len(log)-1-i] != 0 {
			used = len(log) - i
			break
		}
	}
	var list []damage
	for i := range bits {
		if i%4 == 3 {
			at, bit := rng.IntN(used), byte(1)<<rng.IntN(8)
			do := func(db, log []byte) ([]byte, []byte) { return db, flipped(log, at, bit) }
			list = append(list, damage{fmt.Sprintf("a bit of byte %d of the log", at), do, 0})
			continue
		}
		at, bit := rng.IntN(len(db)), byte(1)<<rng.IntN(8)
		do := func(db, log []byte) ([]byte, []byte) { return flipped(db, at, bit), log }
		list = append(list, damage{fmt.Sprintf("a bit of byte %d of page %d", at%page, at/page), do, 1})
	}
	for i := range cuts {
		if i%2 == 0 {
			at := rng.IntN(len(db))
			do := func(db, log []byte) ([]byte, []byte) { return db[:at], log }
			list = append(list, damage{fmt.Sprintf("database cut to %d bytes", at), do, 0})
			continue
		}
		at := rng.IntN(used)
		do := func(db, log []byte) ([]byte, []byte) { return db, log[:at] }
		list = append(list, damage{fmt.Sprintf("log cut to %d bytes", at), do, 0})
	}
	for range wiped {
		at := rng.IntN(len(db)/page) * page
		do := func(db, log []byte) ([]byte, []byte) {
			db = bytes.Clone(db)
			clear(db[at : at+page])
			return db, log
		}
		list = append(list, damage{fmt.Sprintf("page %d wiped", at/page), do, 1000})
	}
	return list
}

// TestDamageIsTold: whatever was damaged, what is lost is named, what was not touched is there, and each command ends with words.
func TestDamageIsTold(t *testing.T) {
	db, log := harbour(t, 40, 12)
	dir := put(t, db, log)
	_, want := rescued(t, dir)
	t.Logf("database %d KiB, %d values", len(db)>>10, len(want))
	lost, tried := 0, 0
	for _, d := range damages(db, log, tries(48, 2000), tries(8, 300), tries(8, 100)) {
		badDB, badLog := d.do(db, log)
		dir := put(t, badDB, badLog)
		r, found := rescued(t, dir)
		gone := d.judge(t, r, want, found)
		commands(t, d, dir, gone > 0)
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

// judge compares what was read after a damage with what there was, and returns how many values are lost or are no longer the same.
func (d *damage) judge(t *testing.T, r *salvage.Findings, want, found map[string]string) (gone int) {
	t.Helper()
	for k, v := range want {
		if found[k] == v {
			continue
		}
		if !strings.Contains(k, "/names:") { // a name goes with its record
			gone++
		}
		if !told(r, k) {
			t.Errorf("%s: %.40q is missing without a word; told is %+v", d.name, k, r.Missing)
			return gone
		}
	}
	for k := range found {
		if want[k] == "" {
			t.Errorf("%s: %.40q was not there", d.name, k)
		}
	}
	if d.most > 0 && gone > d.most {
		t.Errorf("%s: %d values are missing, %d may be: %+v", d.name, gone, d.most, r)
	}
	return gone
}

// commands runs what else an operator does with a store. None panics, none passes damage on, and check tells of what is lost.
func commands(t *testing.T, d damage, dir string, lost bool) {
	t.Helper()
	check := d.check(t, dir, lost)
	d.backup(t, dir, lost)
	if err := records.Compact(dir); err == nil {
		if again, err := store.Check(dir); err != nil || again.Blocks < check.Blocks || again.Static < check.Static || again.Records < check.Records {
			t.Errorf("%s: compact lost something: %+v, before %+v (%v)", d.name, again, check, err)
		}
	}
	d.start(t, dir, slog.New(slog.DiscardHandler), func(*store.DB) {})
}

// check reads the store as quaywatch check does.
func (d *damage) check(t *testing.T, dir string, lost bool) store.CheckReport {
	t.Helper()
	check, err := store.Check(dir)
	if lost && err == nil && len(check.Problems)+len(check.Notes) == 0 {
		t.Errorf("%s: something is lost, and check says nothing", d.name)
	}
	return check
}

// backup writes a backup of the store as it lies. It is whole, and when it lacks something it says so.
func (d *damage) backup(t *testing.T, dir string, lost bool) {
	t.Helper()
	file := filepath.Join(t.TempDir(), "backup")
	report, err := salvage.Backup(context.Background(), dir, nil, file)
	if err == nil {
		if lost && report.Whole() {
			t.Errorf("%s: a backup says nothing", d.name)
		}
		if r, err := records.CheckFile(t.Context(), file); err != nil || len(r.Problems) > 0 {
			t.Errorf("%s: the backup is not whole: %v %v", d.name, err, r.Problems)
		}
		must(t, os.Remove(file))
	}
}

// start opens the store, or is refused in words; use is what is done with it then.
func (d *damage) start(t *testing.T, dir string, log *slog.Logger, use func(*store.DB)) {
	t.Helper()
	s, err := store.Open(store.Options{Dir: dir, FullRate: true, Log: log})
	if err != nil {
		if strings.Contains(err.Error(), "panic") || len(err.Error()) < 20 {
			t.Errorf("%s: the start says %v", d.name, err)
		}
		return
	}
	use(s)
	if err := s.Close(); err != nil && strings.Contains(err.Error(), "panic") {
		t.Errorf("%s: the stop says %v", d.name, err)
	}
}

// TestLargeStore damages a store of 200 MiB a hundred times, as a kill left it. Salvage, check, backup and start each tell what is lost, and end
// with words. It takes minutes, so only make faults runs it.
func TestLargeStore(t *testing.T) {
	if os.Getenv("QUAYWATCH_FAULTS") != "all" {
		t.Skip("takes minutes; make faults runs this")
	}
	db, log := harbour(t, 40, 12)
	dir := put(t, db, log)
	s, err := store.Open(store.Options{Dir: dir, FullRate: true, Log: slog.New(slog.DiscardHandler)})
	must(t, err)
	table, err := records.OpenTable[string](s.Database, "shapes")
	must(t, err)
	lines, err := records.OpenSeries[string](s.Database, "audit", records.Keep{})
	must(t, err)
	rng := rand.New(rand.NewPCG(21, 22))
	for i := range 2600 {
		text := strings.Repeat(fmt.Sprint(rng.Int64()), 1+rng.IntN(8000))
		if i%8 == 0 {
			_, err = table.Insert(fmt.Sprint("large ", i), text)
		} else {
			_, err = lines.Append(time.UnixMilli(at0+int64(i)), text) // is read faster than a record of a table
		}
		must(t, err)
	}
	must(t, s.Settle())
	path := filepath.Join(dir, dbFile)
	image, err := os.ReadFile(path)
	must(t, err)
	log, err = os.ReadFile(filepath.Join(dir, logFile))
	must(t, err)
	must(t, s.Close())
	dir = put(t, image, log)
	path = filepath.Join(dir, dbFile)
	_, want := rescued(t, dir)
	t.Logf("database %d MiB, %d values", len(image)>>20, len(want))
	var took [4]time.Duration // of salvage, check, backup and start
	named := 0
	for _, d := range damages(image, log, 60, 20, 20) {
		badDB, badLog := d.do(image, log)
		must(t, os.WriteFile(path, badDB, 0o600))
		must(t, os.WriteFile(filepath.Join(dir, logFile), badLog, 0o600))
		begin := time.Now()
		r, found := rescued(t, dir)
		salvaged := time.Now()
		lost := d.judge(t, r, want, found) > 0
		must(t, os.RemoveAll(filepath.Dir(r.To)))
		judged := time.Now()
		torn := len(d.check(t, dir, lost).Notes) > 0 // the end of the log may as well be the trace of a power cut
		checked := time.Now()
		d.backup(t, dir, lost)
		saved := time.Now()
		read := readWhole{done: make(chan struct{}, 1)}
		d.start(t, dir, slog.New(&read), func(s *store.DB) {
			<-read.done
			if n := len(s.Damages()); n > 0 {
				named++
			} else if lost && !torn {
				t.Errorf("%s: something is lost, and the start does not name it", d.name)
			}
		})
		for i, one := range []time.Duration{salvaged.Sub(begin), checked.Sub(judged), saved.Sub(checked), time.Since(saved)} {
			took[i] = max(took[i], one)
		}
		if t.Failed() {
			return
		}
	}
	t.Logf("of 100 damages %d starts named what is lost; the longest salvage, check, backup and start took %v", named, took)
}

// readWhole is a log that waits until the store has been read whole in the background.
type readWhole struct {
	slog.Handler
	done chan struct{}
}

func (r *readWhole) Enabled(context.Context, slog.Level) bool { return true }

func (r *readWhole) Handle(_ context.Context, record slog.Record) error {
	if record.Message == "the database was read whole" || record.Message == "check of the database" {
		select {
		case r.done <- struct{}{}:
		default:
		}
	}
	return nil
}

// TestSwappedPages: of two pages that stand in each other's place everything is there, or told.
func TestSwappedPages(t *testing.T) {
	db, log := harbour(t, 12, 4)
	_, want := rescued(t, put(t, db, log))
	file, err := pages.Open(bytes.NewReader(db), int64(len(db)), page)
	must(t, err)
	var judge layout.Verifier
	tree, err := file.Walk(file.Metas()[0], pages.TreeVisitor{Whole: judge.Value,
		Value: func(string, []byte, []byte) error { return nil }})
	must(t, err)
	unused := file.Unused(tree)
	var leaves []int
	for at := 2 * page; at < len(db); at += page {
		if binary.NativeEndian.Uint16(db[at+8:]) == 2 && !slices.Contains(unused, uint64(at/page)) {
			leaves = append(leaves, at)
		}
	}
	last := slices.IndexFunc(leaves, func(at int) bool { return bytes.Contains(db[at:at+page], []byte(`{"name":"lists 199"`)) })
	for _, b := range leaves {
		a := leaves[last] // keys of every other table fit behind those before it
		bad := bytes.Clone(db)
		copy(bad[a:a+page], db[b:b+page])
		copy(bad[b:b+page], db[a:a+page])
		d := damage{name: fmt.Sprintf("pages %d and %d are swapped", a/page, b/page), most: len(want)}
		r, found := rescued(t, put(t, bad, log))
		d.judge(t, r, want, found)
	}
}

// TestMissingFiles: without its log, or without its database, a store gives what is left.
func TestMissingFiles(t *testing.T) {
	db, log := harbour(t, 12, 4)
	r, _ := rescued(t, put(t, db, nil))
	if r.Blocks != 36 || len(r.Missing) != 1 || r.Missing[0].What != "log" {
		t.Errorf("without a log: %+v", r)
	}
	r, _ = rescued(t, put(t, db, log[:4096]))
	if r.Blocks != 36 || r.Whole() || len(r.Missing) == 0 || r.Missing[0].What != "log" {
		t.Errorf("with a log that was cut behind its header: %+v", r)
	}
	for _, size := range []int{0, 1014, 4000, 4096} {
		dir := put(t, db, log[:size])
		if r, _ := rescued(t, dir); r.Whole() {
			t.Errorf("log cut to %d bytes: salvage says nothing", size)
		}
		if r, err := store.Check(dir); err == nil && len(r.Problems) == 0 {
			t.Errorf("log cut to %d bytes: check says nothing", size)
		}
	}
	r, found := rescued(t, put(t, nil, log))
	if r.Ships != 12 || r.Fixes < 12*30 || len(r.Missing) == 0 || r.Missing[0].What != "all" || len(found) == 0 {
		t.Errorf("without a database: %+v", r)
	}
	r, _ = rescued(t, put(t, append(make([]byte, 2*page), db[2*page:]...), log))
	if r.Ships != 12 || r.Blocks != 48 || r.Whole() {
		t.Errorf("without meta pages: %+v", r)
	}
}

// TestANewerStoreIsNotMadeAnOlder: what a newer program holds beyond our format would be lost without a word.
func TestANewerStoreIsNotMadeAnOlder(t *testing.T) {
	db, log := harbour(t, 2, 2)
	newer := func(version byte) []byte {
		key, value := "format", append([]byte("quaywatch\x00\x00\x00"), version)
		sum := crc32.Checksum([]byte("meta\x00\x00\x00\x00\x06"+key+string(value)), crc32.MakeTable(crc32.Castagnoli))
		return binary.BigEndian.AppendUint32(append([]byte(key), value...), sum)
	}
	if !bytes.Contains(db, newer(2)) {
		t.Fatal("the entry of the format is not found")
	}
	dir, to := put(t, bytes.ReplaceAll(db, newer(2), newer(3)), log), filepath.Join(t.TempDir(), "new")
	if _, err := salvage.Run(t.Context(), dir, to); !errors.Is(err, records.ErrNewer) {
		t.Errorf("salvage: %v", err)
	}
	if _, err := os.Stat(filepath.Join(to, dbFile)); err == nil {
		t.Error("a store was written")
	}
}
