//go:build !race

package store

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"quaywatch/ais"
	"quaywatch/ship"
	"quaywatch/store/layout"
	"quaywatch/store/records"
	"quaywatch/store/track"
	"quaywatch/store/wal"
)

func TestLogRecoversFromAnInputOutputError(t *testing.T) {
	o := quiet(t.TempDir(), true)
	db := openTest(t, o)
	fixes := sail(at0, 60, 10_000)
	observe(db, 219000001, fixes[:20]...)
	must(t, db.sync())
	db.wal.Sync = func(*os.File) error { return syscall.EIO }
	observe(db, 219000001, fixes[20:30]...)
	if err := db.sync(); !errors.Is(err, syscall.EIO) {
		t.Fatalf("sync: %v", err)
	}
	observe(db, 219000001, fixes[30:40]...)
	db.recover(time.Now())
	if s := db.Status(); s.ReadOnly == "" || s.Pending == 0 {
		t.Errorf("status does not say so: %+v", s)
	}
	if got := trackOf(t, db, 219000001); !slices.Equal(got, fixes[:40]) {
		t.Errorf("%d fixes while the log is at fault", len(got))
	}
	db.wal.Sync = wal.DataSync
	db.recover(time.Now())
	if s := db.Status(); s.ReadOnly != "" || s.Pending != 0 {
		t.Errorf("not recovered: %+v", s)
	}
	observe(db, 219000001, fixes[40:]...)
	must(t, db.sync())
	if got := trackOf(t, killTest(t, o), 219000001); !slices.Equal(got, fixes) {
		t.Errorf("%d fixes after a kill", len(got))
	}
}

func TestLogThatLostSyncedRecordsIsNotTrusted(t *testing.T) {
	o := quiet(t.TempDir(), true)
	db, err := Open(o)
	must(t, err)
	observe(db, 219000001, sail(at0, 20, 10_000)...)
	must(t, db.sync())
	db.wal.Sync = func(*os.File) error { return syscall.EIO }
	observe(db, 219000001, sail(at0+track.HourMillis, 20, 10_000)...)
	_ = db.sync()
	_, err = db.wal.F.WriteAt(make([]byte, 64), wal.SegmentAt(0)+wal.FrameHeader+20)
	must(t, err)
	db.wal.Sync = wal.DataSync
	db.recover(time.Now())
	if db.Status().ReadOnly == "" {
		t.Error("synced records are gone, and the log is taken for whole")
	}
	must(t, errors.Join(db.Database.Close(false), db.wal.F.Close()))
}

func TestStalledDiskDropsAndCounts(t *testing.T) {
	db := openTest(t, quiet(t.TempDir(), true))
	f := newFleet(100)
	n := 0
	for at := at0; db.Status().Dropped == 0; at += 1000 {
		for i := range f.updates {
			db.Observe(f.next(i, at+int64(i)))
			n++
		}
		if n > 5_000_000 {
			t.Fatal("nothing is ever dropped")
		}
	}
	s := db.Status()
	if s.Pending > maxPending+1000 || s.Fixes+s.Dropped != uint64(n) {
		t.Errorf("of %d fixes: %+v", n, s)
	}
	must(t, db.sync())
	at := f.updates[0].Now.Fix.At + 100_000
	u := f.next(0, at)
	db.Observe(u)
	if got := trackOf(t, db, u.Now.MMSI); got[len(got)-1] != u.Fix {
		t.Error("not stored after the disk came back")
	}
}

// TestStalledDiskOwesStaticData: what a ship became while nothing could be taken is in the history once there is room.
func TestStalledDiskOwesStaticData(t *testing.T) {
	db := openTest(t, quiet(t.TempDir(), true))
	fixes := sail(at0, 3, 60_000)
	u := updateOf(219000001, fixes[0])
	u.Now.Static, u.Change = &ship.Static{Name: "OLD", At: fixes[0].At}, ship.ChangedFix|ship.ChangedStatic
	db.Observe(u)
	db.log.Pending += 2 * maxPending // the disk stands still
	u.Now.Static, u.Fix = &ship.Static{Name: "NEW", At: fixes[1].At}, fixes[1]
	db.Observe(u)
	db.log.Pending -= 2 * maxPending
	u.Change, u.Fix = ship.ChangedFix, fixes[2]
	db.Observe(u)
	must(t, db.sync())
	must(t, db.flushBlocks(true))
	for i, want := range []string{"OLD", "NEW"} {
		if st, _, err := db.StaticAt(219000001, fixes[i].Time()); err != nil || st.Name != want {
			t.Errorf("static data at fix %d: %+v %v, want %s", i, st, err, want)
		}
	}
}

// TestDiskFull runs a store in a process of its own whose files cannot grow: the nearest thing to a full disk that needs
// no rights.
func TestDiskFull(t *testing.T) {
	if dir := os.Getenv("QUAYWATCH_TEST_FULL_DISK"); dir != "" {
		if err := fillDisk(dir); err != nil {
			fmt.Println(err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	dir := t.TempDir()
	c := exec.Command(os.Args[0], "-test.run=^TestDiskFull$")
	c.Env = append(os.Environ(), "QUAYWATCH_TEST_FULL_DISK="+dir)
	if out, err := c.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	db := openTest(t, quiet(dir, true))
	if n := len(trackOf(t, db, 219000001)); n != 2*diskFullFixes {
		t.Errorf("%d fixes after a restart, want %d", n, 2*diskFullFixes)
	}
}

const diskFullFixes = 300

func fillDisk(dir string) error {
	signal.Ignore(syscall.SIGXFSZ)
	db, err := Open(quiet(dir, true))
	if err != nil {
		return err
	}
	events, err := records.OpenTable[string](db.Database, "events")
	if err != nil {
		return err
	}
	limit := func(bytes uint64) error {
		return syscall.Setrlimit(syscall.RLIMIT_FSIZE, &syscall.Rlimit{Cur: bytes, Max: ^uint64(0)})
	}
	// The log is longer than the database and may still be overwritten in place.
	if err := limit(uint64(db.wal.Size())); err != nil {
		return err
	}
	text, n := string(make([]byte, 100_000)), 0
	for ; err == nil && n < 1000; n++ {
		_, err = events.Insert("", text)
	}
	if !errors.Is(err, records.ErrFull) {
		return fmt.Errorf("insert %d on a full disk: %v, want ErrFull", n, err)
	}
	// There may be room for a little, in pages that are free; blocks fill that too.
	fixes := sail(at0, 2*diskFullFixes, 10_000)
	err = nil
	for m := ais.MMSI(0); err == nil && m < 10_000; m++ {
		observe(db, 219000001+m, fixes[:diskFullFixes]...)
		if err := db.sync(); err != nil {
			return fmt.Errorf("sync in place on a full disk: %w", err)
		}
		if db.recover(time.Now()); m%200 == 0 {
			err = db.flushBlocks(true)
		}
	}
	if !errors.Is(err, records.ErrFull) || db.Status().ReadOnly == "" {
		return fmt.Errorf("flush on a full disk: %v, want ErrFull", err)
	}
	if track, err := db.Track(ctxOf(), 219000001, time.UnixMilli(at0), time.UnixMilli(at0+10*track.HourMillis)); err != nil || len(track) != diskFullFixes {
		return fmt.Errorf("%d fixes on a full disk: %v", len(track), err)
	}
	if all, err := events.All(); err != nil || len(all) != n-1 {
		return fmt.Errorf("%d of %d acknowledged records on a full disk: %v", len(all), n-1, err)
	}
	var copied bytes.Buffer
	if err := db.Backup(&copied); !errors.Is(err, records.ErrFull) || copied.Len() > 0 || !strings.Contains(err.Error(), "make room") {
		return fmt.Errorf("backup of %d bytes on a full disk: %v", copied.Len(), err)
	}
	if err := limit(^uint64(0)); err != nil {
		return err
	}
	if db.recover(time.Now()); db.Status().ReadOnly != "" {
		return fmt.Errorf("with room again: %s", db.Status().ReadOnly)
	}
	if _, err := events.Insert("", "more"); err != nil {
		return err
	}
	observe(db, 219000001, fixes[diskFullFixes:]...)
	if err := db.flushBlocks(true); err != nil {
		return err
	}
	return db.Close()
}

func TestDamagedBlockIsSetAside(t *testing.T) {
	o := quiet(t.TempDir(), true)
	db, err := Open(o)
	must(t, err)
	observe(db, 219000001, sail(at0, 20, 10_000)...)
	must(t, db.flushBlocks(true))
	key := layout.BlockKey(track.HourOf(at0), 219000001)
	must(t, db.Update(func(tx *records.Tx) error {
		b := slices.Clone(tx.Bucket(layout.Blocks).Get(key))
		b[len(b)-1] ^= 1
		return tx.Bucket(layout.Blocks).Put(key, b)
	}))
	from, to := time.UnixMilli(at0), time.UnixMilli(at0+track.HourMillis)
	if got, err := db.Track(t.Context(), 219000001, from, to); err != nil || len(got) != 0 {
		t.Errorf("reading a damaged block: %d fixes, %v", len(got), err)
	}
	if missing := db.Missing(219000001, from, to); len(missing) != 1 || missing[0].Kind != records.DamagedHour || missing[0].Ship != 219000001 {
		t.Errorf("what is missing: %+v", missing)
	}
	if missing := slices.Concat(db.Missing(219000002, from, to), db.Missing(219000001, to, to.Add(time.Hour))); len(missing) > 0 {
		t.Errorf("of another ship or hour is missing %+v", missing)
	}
	more := sail(at0+1_000_000, 20, 10_000)
	observe(db, 219000001, more...)
	must(t, db.flushBlocks(true))
	must(t, db.Compact(t.Context()))
	got := trackOf(t, db, 219000001)
	if s := db.Status(); !slices.Equal(got[len(got)-len(more):], ship.Track(more)) || s.ReadOnly != "" || s.Damaged[records.DamagedHour] != 1 {
		t.Errorf("%d fixes, status %q, damage %v", len(got), s.ReadOnly, s.Damaged)
	}
	must(t, db.Close())
	if r, err := Check(o.Dir); err != nil || len(r.Problems) != 1 {
		t.Errorf("check: %v %q, want the block that was set aside", err, r.Problems)
	}
}
