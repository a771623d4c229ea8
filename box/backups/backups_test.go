package backups_test

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"quaywatch/box/backups"
	"quaywatch/store"
	"quaywatch/store/records"
)

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// box is a store with a schedule whose clock the test sets.
type box struct {
	t    *testing.T
	o    backups.Options
	now  time.Time
	fail error // of writing
}

func newBox(t *testing.T) *box {
	dir := t.TempDir()
	db, err := store.Open(store.Options{Dir: dir, Log: slog.New(slog.DiscardHandler)})
	must(t, err)
	t.Cleanup(func() { must(t, db.Close()) })
	table, err := records.OpenTable[string](db.Database, "users")
	must(t, err)
	_, err = table.Insert("anna", "x")
	must(t, err)
	b := &box{t: t, now: time.Date(2026, 3, 1, 10, 0, 0, 0, time.UTC)}
	b.o = backups.Options{Every: 24 * time.Hour, Keep: 3, To: t.TempDir(), Dir: dir, Log: slog.New(slog.DiscardHandler),
		Now: func() time.Time { return b.now },
		Write: func(w io.Writer) error {
			if b.fail != nil {
				return b.fail
			}
			return db.Backup(w)
		}}
	return b
}

// step lets a schedule look at the clock once, and returns the files and the status.
func (b *box) step(s *backups.Schedule) ([]string, backups.Status) {
	b.t.Helper()
	s.Step(context.Background())
	list, err := os.ReadDir(b.o.To)
	must(b.t, err)
	var names []string
	for _, entry := range list {
		names = append(names, entry.Name())
	}
	status, ok := s.Status()
	if !ok {
		b.t.Fatal("no schedule")
	}
	return names, status
}

func TestSchedule(t *testing.T) {
	b := newBox(t)
	s := backups.New(b.o)
	names, status := b.step(s)
	if !slices.Equal(names, []string{"quaywatch-20260301T100000Z.backup"}) || status.Result != backups.OK || status.Bytes == 0 || !status.Newest.Equal(b.now) {
		t.Fatalf("the first: %v %+v", names, status)
	}
	if r, err := records.CheckFile(t.Context(), filepath.Join(b.o.To, names[0])); err != nil || len(r.Problems) > 0 || r.Records != 1 {
		t.Errorf("%+v %v", r, err)
	}
	b.now = b.now.Add(23 * time.Hour)
	if names, _ := b.step(backups.New(b.o)); len(names) != 1 { // a restart moves nothing
		t.Errorf("too early: %v", names)
	}
	must(t, os.WriteFile(filepath.Join(b.o.To, "holiday.jpg"), nil, 0o600))
	for range 5 {
		b.now = b.now.Add(24 * time.Hour)
		names, status = b.step(s)
	}
	if len(names) != 4 || names[0] != "holiday.jpg" || status.Files != 3 || status.Late(b.now, b.now) {
		t.Errorf("after six: %v %+v", names, status)
	}
}

func TestFailureKeepsTheOldOnes(t *testing.T) {
	b := newBox(t)
	s := backups.New(b.o)
	for range 3 {
		b.step(s)
		b.now = b.now.Add(24 * time.Hour)
	}
	b.fail = errors.New("the disk is gone")
	names, status := b.step(s)
	if len(names) != 3 || status.Result != backups.Failed || status.Error != "the disk is gone" || status.Files != 3 {
		t.Errorf("%v %+v", names, status)
	}
	b.fail, b.now = nil, b.now.Add(time.Minute)
	if _, status = b.step(s); status.Result != backups.Failed {
		t.Error("tried again after a minute")
	}
	b.now = b.now.Add(20 * time.Minute)
	if names, status = b.step(s); len(names) != 3 || status.Result != backups.OK || status.Error != "" {
		t.Errorf("tried again: %v %+v", names, status)
	}
	b.now = b.now.Add(37 * time.Hour)
	if _, status := s.Status(); !status {
		t.Error("no schedule")
	}
	if status, _ := s.Status(); !status.Late(b.now, b.now) {
		t.Error("a backup of 37 hours is not late")
	}
}

// TestDamagedStore: what is whole of it is written under another name, and no good backup goes.
func TestDamagedStore(t *testing.T) {
	b := newBox(t)
	s := backups.New(b.o)
	b.step(s)
	write := b.o.Write
	b.o.Write = func(w io.Writer) error {
		path := filepath.Join(t.TempDir(), "image")
		f, err := os.Create(path)
		must(t, err)
		must(t, errors.Join(write(f), f.Close()))
		image, err := os.ReadFile(path)
		must(t, err)
		at := len(image) - 1
		for ; at > 0; at-- {
			if string(image[at-4:at]) == "anna" {
				break
			}
		}
		image[at] ^= 1
		_, err = w.Write(image)
		return err
	}
	s = backups.New(b.o)
	for range 5 {
		b.now = b.now.Add(24 * time.Hour)
		names, status := b.step(s)
		if status.Result != backups.Incomplete || status.Files != 1 || !slices.Contains(names, "quaywatch-20260301T100000Z.backup") {
			t.Fatalf("%v %+v", names, status)
		}
		if len(names) > 1+b.o.Keep {
			t.Errorf("%v", names)
		}
	}
}

// TestFilesOfTheFuture: what a clock that was ahead left counts for nothing, pushes out no backup, and stays.
func TestFilesOfTheFuture(t *testing.T) {
	b := newBox(t)
	future := []string{"quaywatch-20270101T000000Z.backup", "quaywatch-20280101T000000Z.backup", "quaywatch-20290101T000000Z.backup"}
	for _, name := range future {
		must(t, os.WriteFile(filepath.Join(b.o.To, name), []byte("x"), 0o600))
	}
	s := backups.New(b.o)
	if status, _ := s.Status(); status.Files != 0 || !status.Newest.IsZero() || !status.Late(b.now, b.now.Add(-37*time.Hour)) {
		t.Errorf("before the first: %+v", status)
	}
	var names []string
	var status backups.Status
	for i := range 5 {
		if i > 0 {
			b.now = b.now.Add(24 * time.Hour)
		}
		names, status = b.step(s)
		if status.Result != backups.OK || status.Files != min(i+1, 3) || !status.Newest.Equal(b.now) {
			t.Fatalf("backup %d: %v %+v", i, names, status)
		}
	}
	want := []string{"quaywatch-20260303T100000Z.backup", "quaywatch-20260304T100000Z.backup", "quaywatch-20260305T100000Z.backup"}
	if want = append(want, future...); !slices.Equal(names, want) {
		t.Errorf("%v, want %v", names, want)
	}
	if b.now = b.now.Add(37 * time.Hour); !status.Late(b.now, b.now) {
		t.Error("a backup of 37 hours is not late beside one of the future")
	}
	b.now = time.Date(2026, 3, 5, 9, 0, 0, 0, time.UTC) // the clock is set back by an hour
	if names, status = b.step(backups.New(b.o)); len(names) != 6 || status.Files != 3 {
		t.Errorf("one that is ahead by an hour: %v %+v", names, status)
	}
}

// TestTheFolderVanishes: it is told at once and for as long, with no files in it, and the next good backup ends it.
func TestTheFolderVanishes(t *testing.T) {
	b := newBox(t)
	s := backups.New(b.o)
	b.step(s)
	written, away := b.now, b.o.To+"-away"
	must(t, os.Rename(b.o.To, away))
	for range 3 {
		b.now = b.now.Add(16 * time.Hour)
		s.Step(t.Context())
		status, _ := s.Status()
		if status.Result != backups.Failed || status.Error == "" || status.Files != 0 || !status.Newest.IsZero() || status.Bytes != 0 || !status.Unread {
			t.Fatalf("after %v: %+v", b.now.Sub(written), status)
		}
		if late := b.now.Sub(written) > 36*time.Hour; status.Late(b.now, written.Add(-99*time.Hour)) != late {
			t.Errorf("after %v: late is %v", b.now.Sub(written), !late)
		}
	}
	must(t, os.Rename(away, b.o.To))
	b.now = b.now.Add(time.Minute)
	if names, status := b.step(s); len(names) != 1 || status.Result != backups.Failed || status.Unread || !status.Newest.Equal(written) {
		t.Errorf("when it is back: %v %+v", names, status)
	}
	b.now = b.now.Add(16 * time.Minute)
	if names, status := b.step(s); len(names) != 2 || status.Result != backups.OK || status.Error != "" {
		t.Errorf("when it was tried again: %v %+v", names, status)
	}
}

// TestAFailureEndsWithAGoodBackup: it is tried again soon, also where the newest is young.
func TestAFailureEndsWithAGoodBackup(t *testing.T) {
	b := newBox(t)
	s := backups.New(b.o)
	b.step(s)
	must(t, os.Rename(b.o.To, b.o.To+"-away"))
	b.now = b.now.Add(time.Minute)
	s.Step(t.Context())
	must(t, os.Rename(b.o.To+"-away", b.o.To))
	b.now = b.now.Add(16 * time.Minute)
	if names, status := b.step(s); len(names) != 2 || status.Result != backups.OK {
		t.Errorf("%v %+v", names, status)
	}
}

// TestNoFolder: a medium that is not there is told, and its folder is not made.
func TestNoFolder(t *testing.T) {
	b := newBox(t)
	gone := filepath.Join(b.o.To, "media")
	b.o.To = gone
	s := backups.New(b.o)
	s.Step(context.Background())
	if status, _ := s.Status(); status.Result != backups.Failed || status.Error == "" {
		t.Errorf("%+v", status)
	}
	if _, err := os.Stat(gone); err == nil {
		t.Error("the folder was made")
	}
	b.o.To = ""
	if _, ok := backups.New(b.o).Status(); ok {
		t.Error("a schedule without a folder")
	}
}
