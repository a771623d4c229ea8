package audit

import (
	"errors"
	"log/slog"
	"testing"
	"time"

	"quaywatch/store"
	"quaywatch/store/records"
)

// box is a log on a store, and a clock that tests set.
type box struct {
	*Log
	t   testing.TB
	dir string
	db  *store.DB
	at  time.Time
}

func newBox(t testing.TB) *box {
	b := &box{t: t, dir: t.TempDir(), at: time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)}
	b.open()
	t.Cleanup(func() { b.db.Close() })
	return b
}

func (b *box) open() {
	b.t.Helper()
	var err error
	if b.db, err = store.Open(store.Options{Dir: b.dir}); err != nil {
		b.t.Fatal(err)
	}
	if b.Log, err = Open(b.db.Database, func() time.Time { return b.at }, slog.New(slog.DiscardHandler)); err != nil {
		b.t.Fatal(err)
	}
}

func (b *box) restart() {
	b.t.Helper()
	if err := b.db.Close(); err != nil {
		b.t.Fatal(err)
	}
	b.open()
}

func (b *box) read(user string) []LogEntry {
	b.t.Helper()
	page, err := b.Read(b.t.Context(), Query{User: user, Limit: 100})
	if err != nil {
		b.t.Fatal(err)
	}
	return page.Events
}

func TestLinesAreKeptForNinetyDays(t *testing.T) {
	b := newBox(t)
	b.Note(LogEntry{User: "anna", Address: "10.0.0.1", Action: "DELETE user", Result: "ok"})
	b.at = b.at.Add(kept - time.Hour)
	b.Note(LogEntry{User: "bert", Address: "10.0.0.2", Action: "PUT user", Object: "anna", Result: "ok", Detail: "password"})
	if all := b.read(""); len(all) != 2 || all[0].User != "bert" {
		t.Fatal(all)
	}
	if some := b.read("ANNA"); len(some) != 1 {
		t.Errorf("of anna: %v", some)
	}
	lately := Query{From: b.at.Add(-time.Minute), To: b.at.Add(time.Minute), Limit: 10}
	if some, _ := b.Read(t.Context(), lately); len(some.Events) != 1 || some.Events[0].User != "bert" {
		t.Errorf("of the last minute: %v", some)
	}
	b.at = b.at.Add(2 * time.Hour)
	if all := b.read(""); len(all) != 1 {
		t.Errorf("after ninety days: %v", all)
	}
	b.restart()
	b.Note(LogEntry{User: "anna", Action: "DELETE user", Result: "ok"})
	stored := 0
	for _, err := range b.lines[Changes].Forward(records.Key{}, records.EndKey()) {
		if stored++; err != nil {
			t.Error(err)
		}
	}
	if stored != 2 {
		t.Errorf("%d lines are stored", stored)
	}
}

// TestALineIsOneCommitWithItsChange: where the change fails, its line is not there; where the line cannot be written, the change is not made.
func TestALineIsOneCommitWithItsChange(t *testing.T) {
	b := newBox(t)
	table, err := records.OpenTable[string](b.db.Database, "things")
	if err != nil {
		t.Fatal(err)
	}
	line := b.Line(func() LogEntry { return LogEntry{User: "anna", Action: "POST thing", Result: "ok"} })
	broken := errors.New("broken")
	if _, err := table.Insert("a", "", line, func(*records.Tx) error { return broken }); !errors.Is(err, broken) {
		t.Errorf("a commit that breaks after the line: %v", err)
	}
	if _, err := table.Insert("b", "", line); err != nil {
		t.Fatal(err)
	}
	if _, err := table.Insert("B", "", line); !errors.Is(err, records.ErrExists) {
		t.Errorf("a second b: %v", err)
	}
	if err := table.Delete(99, line); !errors.Is(err, records.ErrNotFound) {
		t.Errorf("what is not there is deleted: %v", err)
	}
	b.restart()
	if table, err = records.OpenTable[string](b.db.Database, "things"); err != nil {
		t.Fatal(err)
	}
	rows, err := table.All()
	if lines := b.read(""); err != nil || len(rows) != 1 || rows[0].Name != "b" || len(lines) != 1 || lines[0].Time != b.at {
		t.Errorf("%v, %v; lines %v", rows, err, lines)
	}
}
