//go:build !race

package store

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
)

// TestFolderThatGoesIsNoticed: nothing is acknowledged into files that the next start would not find. When the folder is back, writing goes on.
func TestFolderThatGoesIsNoticed(t *testing.T) {
	for name, take := range map[string]func(dir string) error{
		"renamed": func(dir string) error { return os.Rename(dir, dir+".away") },
		"replaced": func(dir string) error {
			if err := os.Rename(dir, dir+".away"); err != nil {
				return err
			}
			other, err := Open(quiet(dir, true))
			if err != nil {
				return err
			}
			return other.Close()
		},
		"without its log": func(dir string) error {
			if err := os.Mkdir(dir+".away", 0o700); err != nil {
				return err
			}
			return os.Rename(filepath.Join(dir, walName), filepath.Join(dir+".away", walName))
		},
	} {
		t.Run(name, func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "data")
			db := openTest(t, quiet(dir, true))
			users, err := OpenTable[int](db, "users")
			must(t, err)
			must(t, db.Compact(t.Context())) // the file of the database is another one from here on
			for range 3 {
				db.lookAtFolder()
			}
			if f := db.Folder(); f.Gone || f.Size == 0 || f.Free > f.Size {
				t.Fatalf("before: %+v", f)
			}
			must(t, take(dir))
			db.lookAtFolder()
			if db.Folder().Gone {
				t.Error("gone after one look: a compaction would be taken for that")
			}
			db.lookAtFolder()
			_, err = users.Insert("anna", 1)
			if s := db.Status(); !s.Folder.Gone || s.ReadOnly == "" || !errors.Is(err, ErrReadOnly) {
				t.Errorf("gone: %+v, a change %v", s, err)
			}
			if name == "without its log" {
				must(t, os.Rename(filepath.Join(dir+".away", walName), filepath.Join(dir, walName)))
			} else {
				must(t, os.RemoveAll(dir))
				must(t, os.Rename(dir+".away", dir))
			}
			db.lookAtFolder()
			_, err = users.Insert("anna", 1)
			if s := db.Status(); s.Folder.Gone || s.ReadOnly != "" || err != nil {
				t.Errorf("back: %+v, a change %v", s, err)
			}
		})
	}
}

// TestNewestFixIsKnownAtTheStart: by it a clock is found out that was set back.
func TestNewestFixIsKnownAtTheStart(t *testing.T) {
	o := quiet(t.TempDir(), true)
	db := openTest(t, o)
	if at := db.Status().NewestFix; !at.IsZero() {
		t.Errorf("%v in an empty store", at)
	}
	fixes := sail(at0, 60, 10_000)
	observe(db, 219000001, fixes...)
	must(t, db.sync())
	if at := killTest(t, o).Status().NewestFix; !at.Equal(fixes[59].Time()) {
		t.Errorf("newest fix at %v, want %v", at, fixes[59].Time())
	}
}
