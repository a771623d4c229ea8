package store

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"quaywatch/ais"
	"quaywatch/ship"
	"quaywatch/store/copies"
	"quaywatch/store/layout"
)

// TestCompactionKilled: whatever a kill leaves of a compaction, one whole file stands under the name.
func TestCompactionKilled(t *testing.T) {
	o := quiet(t.TempDir(), true)
	db := openTest(t, o)
	want := map[ais.MMSI][]ship.Fix{}
	for m := range ais.MMSI(20) {
		want[219000001+m] = sail(at0+int64(m)*1000, 500, 10_000)
		observe(db, 219000001+m, want[219000001+m]...)
	}
	must(t, db.flushBlocks(true))
	must(t, db.sync())
	temporary := filepath.Join(db.options.Dir, layout.DBName+".compact")
	copied, err := openBolt(temporary)
	must(t, err)
	must(t, copies.File(t.Context(), db.View, copied))
	must(t, copied.Close())
	whole, err := os.ReadFile(temporary)
	must(t, err)
	must(t, os.Remove(temporary))
	for name, step := range map[string]func(dir string) error{
		"before the first byte": func(dir string) error { return os.WriteFile(filepath.Join(dir, layout.DBName+".compact"), nil, 0o600) },
		"half copied": func(dir string) error {
			return os.WriteFile(filepath.Join(dir, layout.DBName+".compact"), whole[:len(whole)/2], 0o600)
		},
		"copied": func(dir string) error {
			return os.WriteFile(filepath.Join(dir, layout.DBName+".compact"), whole, 0o600)
		},
		"renamed": func(dir string) error { return os.WriteFile(filepath.Join(dir, layout.DBName), whole, 0o600) },
	} {
		t.Run(name, func(t *testing.T) {
			o := quiet(t.TempDir(), true)
			copyTest(t, filepath.Join(o.Dir, layout.DBName), filepath.Join(db.options.Dir, layout.DBName))
			copyTest(t, filepath.Join(o.Dir, layout.LogName), db.filePath(layout.LogName))
			must(t, step(o.Dir))
			killed := openTest(t, o)
			for m := range want {
				if got := trackOf(t, killed, m); !slices.Equal(got, want[m]) {
					t.Fatalf("ship %d: %d fixes", m, len(got))
				}
			}
			if _, err := os.Stat(filepath.Join(o.Dir, layout.DBName+".compact")); !errors.Is(err, os.ErrNotExist) {
				t.Errorf("the half-made file is still there: %v", err)
			}
		})
	}
}
