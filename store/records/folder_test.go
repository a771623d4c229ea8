package records

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"quaywatch/store/layout"
)

// TestFolderThatGoesIsNoticed: nothing is acknowledged into files that the next start would not find. When the folder is back, writing goes on.
func TestFolderThatGoesIsNoticed(t *testing.T) {
	for name, take := range map[string]func(dir string) error{
		"renamed": func(dir string) error { return os.Rename(dir, dir+".away") },
		"replaced": func(dir string) error {
			if err := errors.Join(os.Rename(dir, dir+".away"), os.Mkdir(dir, 0o700)); err != nil {
				return err
			}
			return openDamaged(t, dir).Close(true)
		},
		"without its log": func(dir string) error {
			if err := os.Mkdir(dir+".away", 0o700); err != nil {
				return err
			}
			return os.Rename(filepath.Join(dir, layout.LogName), filepath.Join(dir+".away", layout.LogName))
		},
	} {
		t.Run(name, func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "data")
			must(t, os.Mkdir(dir, 0o700))
			db := openTest(t, dir)
			must(t, os.WriteFile(filepath.Join(dir, layout.LogName), nil, 0o600))
			db.NoteLog()
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
			if f := db.Folder(); !f.Gone || db.Away() == nil || !errors.Is(err, ErrReadOnly) {
				t.Errorf("gone: %+v, a change %v", f, err)
			}
			if name == "without its log" {
				must(t, os.Rename(filepath.Join(dir+".away", layout.LogName), filepath.Join(dir, layout.LogName)))
			} else {
				must(t, os.RemoveAll(dir))
				must(t, os.Rename(dir+".away", dir))
			}
			db.lookAtFolder()
			_, err = users.Insert("anna", 1)
			if f := db.Folder(); f.Gone || db.Away() != nil || err != nil {
				t.Errorf("back: %+v, a change %v", f, err)
			}
		})
	}
}
