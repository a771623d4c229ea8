package records

import (
	"bytes"
	"context"
	"log/slog"
	"os"
	"path/filepath"
	"testing"

	"quaywatch/store/layout"
)

// at0 is 2026-03-01 10:00:00 UTC, the start of an hour.
const at0 = int64(1772359200000)

// openDamaged opens a database that may be damaged by the end of the test.
func openDamaged(t testing.TB, dir string) *Database {
	t.Helper()
	db, err := Open(Options{Dir: dir, Log: slog.New(slog.DiscardHandler), Wake: func() {}})
	must(t, err)
	must(t, db.Begin())
	t.Cleanup(func() { _ = db.Close(false) })
	return db
}

// openTest opens a database that is closed and checked at the end of the test.
func openTest(t testing.TB, dir string) *Database {
	t.Helper()
	db := openDamaged(t, dir)
	t.Cleanup(func() {
		if err := db.Close(true); err != nil {
			t.Errorf("close: %v", err)
		}
		if r, err := CheckFile(context.Background(), filepath.Join(dir, layout.DBName)); err != nil || len(r.Problems) > 0 {
			t.Errorf("check: %v %q", err, r.Problems)
		}
	})
	return db
}

// killTest copies the file of an open database as a kill would leave it, and opens the copy.
func killTest(t testing.TB, db *Database) *Database {
	t.Helper()
	dir := t.TempDir()
	copyTest(t, filepath.Join(dir, layout.DBName), db.path())
	return openTest(t, dir)
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

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
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
