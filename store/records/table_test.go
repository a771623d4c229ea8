package records

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"slices"
	"testing"

	"quaywatch/internal/fold"
	"quaywatch/store/track"
)

type person struct {
	Name string `json:"name"`
	Age  int    `json:"age"`
}

// named finds a record by its name.
func named[T any](t *testing.T, table *Table[T], name string) (Record[T], bool) {
	t.Helper()
	rows, err := table.All()
	must(t, err)
	i := slices.IndexFunc(rows, func(r Record[T]) bool { return fold.Name(r.Name) == fold.Name(name) })
	if i < 0 {
		return Record[T]{}, false
	}
	return rows[i], true
}

func TestTable(t *testing.T) {
	db := openTest(t, t.TempDir())
	users, err := OpenTable[person](db, "users")
	must(t, err)
	anna, err := users.Insert("Anna  Berg", person{"Anna", 1})
	must(t, err)
	bert, err := users.Insert("Bert", person{"Bert", 2})
	must(t, err)
	t.Run("ErrExists", func(t *testing.T) {
		for _, name := range []string{"Anna Berg", " anna\tBERG ", "ANNA BERG"} {
			if _, err := users.Insert(name, person{}); !errors.Is(err, ErrExists) {
				t.Errorf("insert %q: %v", name, err)
			}
			if err := users.Put(bert, name, person{}); !errors.Is(err, ErrExists) {
				t.Errorf("rename to %q: %v", name, err)
			}
		}
		if r, ok := named(t, users, "bert"); !ok || r.Value.Age != 2 {
			t.Errorf("after a refused rename: %+v", r)
		}
	})
	t.Run("rename", func(t *testing.T) {
		must(t, users.Put(anna, "Anna Dahl", person{"Anna", 3}))
		if r, ok := named(t, users, "anna berg"); ok {
			t.Errorf("old name: %+v", r)
		}
		if r, ok := named(t, users, "ANNA dahl"); !ok || r.ID != anna || r.Name != "Anna Dahl" || r.Value.Age != 3 {
			t.Errorf("new name: %+v", r)
		}
		must(t, users.Put(anna, "ANNA DAHL", person{"Anna", 4})) // its own name in other case
	})
	t.Run("ErrNotFound", func(t *testing.T) {
		for _, err := range []error{users.Put(99, "x", person{}), users.Delete(99)} {
			if !errors.Is(err, ErrNotFound) {
				t.Error(err)
			}
		}
	})
	t.Run("without a name", func(t *testing.T) {
		for range 2 {
			if _, err := users.Insert("", person{}); err != nil {
				t.Error(err)
			}
		}
	})
	t.Run("an id is never given twice", func(t *testing.T) {
		id, err := users.Insert("gone", person{})
		must(t, err)
		must(t, users.Delete(id))
		must(t, db.Compact(t.Context()))
		if next, err := users.Insert("gone", person{}); err != nil || next <= id {
			t.Errorf("%d after %d: %v", next, id, err)
		}
	})
	t.Run("together", func(t *testing.T) {
		boats, err := OpenTable[person](db, "boats")
		must(t, err)
		boat, err := boats.Insert("Hav", person{"Hav", 1})
		must(t, err)
		refused := errors.New("refused")
		both := func(last error) error {
			return db.Together(func(tx *Tx) error {
				must(t, users.FreeIn(tx, anna))
				must(t, users.FreeIn(tx, bert))
				must(t, users.FreeIn(tx, 9999)) // of none
				_, err1 := users.SetIn(tx, anna, "Bert", person{"Bert", 5})
				_, err2 := users.SetIn(tx, bert, "Anna Dahl", person{"Anna", 6})
				_, err3 := boats.SetIn(tx, boat+40, "Sol", person{"Sol", 2})
				return errors.Join(err1, err2, err3, last)
			})
		}
		if err := both(refused); !errors.Is(err, refused) {
			t.Fatal(err)
		}
		if r, ok := named(t, users, "bert"); !ok || r.ID != bert || r.Value.Age != 2 {
			t.Errorf("after a refused batch: %+v", r)
		}
		if r, ok := named(t, boats, "sol"); ok {
			t.Errorf("half of a refused batch: %+v", r)
		}
		must(t, both(nil))
		if r, ok := named(t, users, "bert"); !ok || r.ID != anna || r.Value.Age != 5 {
			t.Errorf("names that changed places: %+v", r)
		}
		if next, err := boats.Insert("Luna", person{}); err != nil || next <= boat+40 {
			t.Errorf("%d after %d: %v", next, boat+40, err)
		}
		if err := db.Together(func(tx *Tx) error { _, err := boats.SetIn(tx, boat, "SOL", person{}); return err }); !errors.Is(err, ErrExists) {
			t.Errorf("a name that is taken: %v", err)
		}
	})
	t.Run("ErrReserved", func(t *testing.T) {
		for _, name := range []string{"", "meta", "blocks"} {
			if _, err := OpenTable[person](db, name); err == nil {
				t.Errorf("a table of the name %q", name)
			}
		}
	})
	killed, err := OpenTable[person](killTest(t, db), "users")
	must(t, err)
	want, err := users.All()
	must(t, err)
	if got, err := killed.All(); err != nil || !slices.Equal(got, want) || len(got) != 5 {
		t.Errorf("after a kill: %+v %v, want %+v", got, err, want)
	}
}

func TestTableHoldsMany(t *testing.T) {
	db := openTest(t, t.TempDir())
	events, err := OpenTable[int](db, "events")
	must(t, err)
	must(t, db.Update(func(tx *Tx) error {
		for i := range 2500 {
			if err := events.write(tx, uint64(i+1), fmt.Sprint("event ", i), i); err != nil {
				return err
			}
		}
		return nil
	}))
	all, err := events.All()
	if err != nil || len(all) != 2500 || all[2499].Value != 2499 {
		t.Errorf("%d records: %v", len(all), err)
	}
}

// A key with a flipped bit is the key of another record, or stands in a wrong place. A copy by keys would lose a record that is whole.
func TestCompactRefusesAKeyInAWrongPlace(t *testing.T) {
	for _, flip := range []struct{ record, bit int }{{30, 0}, {31, 0}, {30, 3}, {30, 6}, {9, 2}} {
		dir := t.TempDir()
		db := openTest(t, dir)
		table, err := OpenTable[person](db, "people")
		must(t, err)
		for i := range 60 {
			_, err := table.Insert(fmt.Sprintf("person %d", i), person{Name: fmt.Sprintf("person %d", i)})
			must(t, err)
		}
		must(t, db.Close(true))
		whole, err := os.ReadFile(db.path())
		must(t, err)
		file, flipped := bytes.Clone(whole), 0
		for at := 0; ; { // also in old pages, which stand there still
			i := bytes.Index(file[at:], fmt.Appendf(nil, `{"name":"person %d"`, flip.record))
			if i < 0 {
				break
			}
			at += i + 1
			file[at-2] ^= 1 << flip.bit // the end of the key, which stands before its value
			flipped++
		}
		must(t, os.WriteFile(db.path(), file, 0o600))
		before := readAll(t, dir)
		if err := Compact(dir); flipped == 0 || !errors.Is(err, track.ErrCorrupt) {
			t.Errorf("%+v: %d flipped; compact says %v", flip, flipped, err)
		}
		if !sameFiles(before, readAll(t, dir)) {
			t.Errorf("%+v: compact changed a file", flip)
		}
		must(t, os.WriteFile(db.path(), whole, 0o600))
	}
}
