package store

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	bolt "go.etcd.io/bbolt"

	"quaywatch/ship"
	"quaywatch/store/copies"
	"quaywatch/store/layout"
	"quaywatch/store/records"
)

func writeTest(path string, b []byte) error { return os.WriteFile(path, b, 0o600) }

// TestEveryValueIsSealed: one flipped bit in any value of any bucket is found by the check.
func TestEveryValueIsSealed(t *testing.T) {
	o := quiet(t.TempDir(), true)
	db, err := Open(o)
	must(t, err)
	list := []string{"roof"}
	for _, f := range sail(at0, 20, 10_000) {
		u := heardBy(219000001, f, &list, 1)
		u.Now.Static, u.Change = &ship.Static{Name: "ANNA", At: at0}, u.Change|ship.ChangedStatic
		db.Observe(u)
	}
	must(t, db.flushBlocks(true))
	table, err := records.OpenTable[person](db.Database, "people")
	must(t, err)
	_, err = table.Insert("Anna", person{"Anna", 1})
	must(t, err)
	must(t, db.Close())
	file, err := openBolt(filepath.Join(db.options.Dir, layout.DBName))
	must(t, err)
	type value struct {
		path []string
		key  string
	}
	var places []value
	must(t, file.View(func(tx *bolt.Tx) error {
		return tx.ForEach(func(name []byte, b *bolt.Bucket) error {
			return b.ForEach(func(k, v []byte) error {
				if v != nil {
					places = append(places, value{[]string{string(name)}, string(k)})
					return nil
				}
				return b.Bucket(k).ForEach(func(nested, _ []byte) error {
					places = append(places, value{[]string{string(name), string(k)}, string(nested)})
					return nil
				})
			})
		})
	}))
	if len(places) < 9 {
		t.Fatalf("%d values only", len(places))
	}
	turn := func(p value) {
		must(t, file.Update(func(tx *bolt.Tx) error {
			b := copies.BucketAt(tx, p.path)
			v := slices.Clone(b.Get([]byte(p.key)))
			v[len(v)/2] ^= 8
			return b.Put([]byte(p.key), v)
		}))
	}
	for _, p := range places {
		turn(p)
		var r CheckReport
		f, err := os.Open(file.Path())
		must(t, err)
		r.ReadFile(f)
		must(t, f.Close())
		if len(r.Problems) == 0 {
			t.Errorf("a flipped bit in %v, key %x, is not found", p.path, p.key)
		}
		turn(p)
	}
	must(t, file.Close())
}

// TestOtherFormatsAreRefused: a store of a development build or of a newer program is left as it is, with words.
func TestOtherFormatsAreRefused(t *testing.T) {
	for name, test := range map[string]struct {
		format []byte
		say    string
	}{
		"development build": {[]byte{0, 0, 0, 1}, "before the first release"},
		"version 1":         {layout.Seal(layout.Meta, []byte(layout.MetaFormat), []byte("quaywatch\x00\x00\x00\x01")), "before the first release"},
		"newer":             {layout.Seal(layout.Meta, []byte(layout.MetaFormat), []byte("quaywatch\x00\x00\x00\x03")), "newer program"},
		"nonsense":          {[]byte("nonsense"), "format"},
	} {
		t.Run(name, func(t *testing.T) {
			o := quiet(t.TempDir(), true)
			db, err := Open(o)
			must(t, err)
			must(t, db.Close())
			file, err := openBolt(filepath.Join(db.options.Dir, layout.DBName))
			must(t, err)
			must(t, file.Update(func(tx *bolt.Tx) error {
				return tx.Bucket([]byte(layout.Meta)).Put([]byte(layout.MetaFormat), test.format)
			}))
			must(t, file.Close())
			before := readAll(t, o.Dir)
			if _, err := Open(o); err == nil || !strings.Contains(err.Error(), test.say) || !strings.Contains(err.Error(), layout.DBName) {
				t.Errorf("open: %v", err)
			}
			if r, err := Check(o.Dir); err != nil || len(r.Problems) != 1 || !strings.Contains(r.Problems[0], test.say) {
				t.Errorf("check: %v %q", err, r.Problems)
			}
			if _, err := Restore(t.Context(), t.TempDir(), filepath.Join(db.options.Dir, layout.DBName)); err == nil || !strings.Contains(err.Error(), test.say) {
				t.Errorf("restore: %v", err)
			} else if name == "newer" && strings.Contains(err.Error(), "damaged") {
				t.Errorf("a newer backup is told to be damaged: %v", err)
			}
			if !sameFiles(before, readAll(t, o.Dir)) {
				t.Error("a file changed")
			}
		})
	}
}
