package records

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"quaywatch/internal/fold"

	bolt "go.etcd.io/bbolt"

	"quaywatch/store/copies"
	"quaywatch/store/layout"
)

// Table holds records of a kind as JSON by id, unique by name where a name is given. Names that differ in case or in white space only are the same. What it
// acknowledges is committed; it gives ErrFull or ErrReadOnly while nothing can be.
type Table[T any] struct {
	db   *Database
	name string
}

// Record is one row of a Table.
type Record[T any] struct {
	ID    uint64 `json:"-"`
	Name  string `json:"name,omitempty"` // as given; "" when the record has none
	Value T      `json:"value"`
}

// OpenTable returns the table of a name. Where there is none, the next commit makes it. Records that cannot be read are set aside and told. Of users and groups
// none may be missing: with one that cannot be read OpenTable returns an error that wraps ErrDamaged, unless Options.Vital says otherwise.
func OpenTable[T any](db *Database, name string) (*Table[T], error) {
	if name == "" || slices.Contains(layout.OwnBuckets(), name) || layout.IsSeries(name) {
		return nil, fmt.Errorf("open table %q: reserved name", name)
	}
	err := db.want(name, func(tx *Tx) error { return tx.makeTable(name) })
	if err = cmp.Or(err, db.mendTable(name)); err != nil {
		return nil, fmt.Errorf("open table %s: %w", name, err)
	}
	return &Table[T]{db, name}, nil
}

// ReadTable is OpenTable and Table.All in one.
func ReadTable[T any](db *Database, name string) (*Table[T], []Record[T], error) {
	table, err := OpenTable[T](db, name)
	if err != nil {
		return nil, nil, err
	}
	rows, err := table.All()
	return table, rows, err
}

// mendTable sets aside the records of a table that cannot be read, and makes its names anew when one of them cannot.
func (db *Database) mendTable(table string) error {
	var records, names []ValuePlace
	err := db.View(func(tx *bolt.Tx) error {
		records = unsealed(tx, []string{table})
		names = unsealed(tx, []string{table, layout.Names})
		for _, p := range append(slices.Clone(records), names...) {
			db.NoteUnreadable(tx, p)
		}
		return nil
	})
	if err != nil || len(records)+len(names) == 0 {
		return err
	}
	if layout.IsVital(table) && len(records) > 0 && db.vital == RefuseVital {
		return checkTable(db.Damages(), table)
	}
	return db.SetAsideFound()
}

// unsealed returns the places of the values of a bucket whose checksums are wrong.
func unsealed(tx *bolt.Tx, path []string) (bad []ValuePlace) {
	b := copies.BucketAt(tx, path)
	if b == nil {
		return nil
	}
	_ = b.ForEach(func(k, v []byte) error { // this function gives no error
		p := placeAt(path, k)
		if _, err := layout.Unseal(p.bucketPath(), k, v); v != nil && err != nil {
			bad = append(bad, p)
		}
		return nil
	})
	return bad
}

// nameAnew makes the names of a table from its records.
func (tx *Tx) nameAnew(table string) error {
	b, err := copies.MakeBucket(tx.tx, []string{table, layout.Names})
	if err != nil {
		return err
	}
	names := map[string][]byte{}
	err = tx.tx.Bucket([]byte(table)).ForEach(func(k, v []byte) error {
		var r Record[json.RawMessage]
		if value, err := layout.Unseal(table, k, v); err == nil && json.Unmarshal(value, &r) == nil && r.Name != "" {
			names[fold.Name(r.Name)] = bytes.Clone(k)
		}
		return nil
	})
	if err != nil {
		return err
	}
	err = b.ForEach(func(k, v []byte) error {
		if id, err := layout.Unseal(layout.NamesPath(table), k, v); err == nil && bytes.Equal(id, names[string(k)]) {
			delete(names, string(k)) // it is right
		} else {
			names[string(k)] = names[string(k)]
		}
		return nil
	})
	for name, id := range names {
		tx.touch(table, layout.Names, []byte(name))
		if id == nil {
			err = errors.Join(err, b.Delete([]byte(name)))
		} else {
			err = errors.Join(err, b.Put([]byte(name), layout.Seal(layout.NamesPath(table), []byte(name), id)))
		}
	}
	return err
}

func (tx *Tx) makeTable(name string) error {
	b, err := tx.tx.CreateBucketIfNotExists([]byte(name))
	if err != nil {
		return err
	}
	tx.touchTable(name)
	_, err = b.CreateBucketIfNotExists([]byte(layout.Names))
	return err
}

func readRecord[T any](tx *bolt.Tx, table string, id uint64) (Record[T], error) {
	b, r := tx.Bucket([]byte(table)), Record[T]{ID: id}
	value, err := lookUp(b, table, layout.RecordKey(id))
	if err == nil && value == nil {
		err = ErrNotFound
	}
	if err != nil {
		return r, err
	}
	return r, json.Unmarshal(value, &r)
}

// Insert adds a record, in one commit with also, and returns its id, which was never given before. It returns ErrExists when the name is taken.
func (t *Table[T]) Insert(name string, v T, also ...CommitPart) (uint64, error) {
	var id uint64
	err := t.db.Together(func(tx *Tx) (err error) { id, err = t.SetIn(tx, 0, name, v); return err }, also...)
	return id, err
}

// SetIn writes a record under an id, whether there is one or not, and under the next free id for 0. It returns the id, which is never given again. It returns
// ErrExists when another record has the name.
func (t *Table[T]) SetIn(batch *Tx, id uint64, name string, v T) (uint64, error) {
	tx, b := batch, batch.tx.Bucket([]byte(t.name))
	err := t.freeIn(tx, id)
	switch {
	case err != nil:
	case id == 0:
		id, err = b.NextSequence()
	case id > b.Sequence():
		err = b.SetSequence(id)
	}
	if err == nil {
		err = t.write(tx, id, name, v)
	}
	if err != nil {
		return 0, fmt.Errorf("insert into %s %q: %w", t.name, name, err)
	}
	return id, nil
}

// FreeIn removes a record, if there is one, so that its name can be another's in the same batch.
func (t *Table[T]) FreeIn(batch *Tx, id uint64) error {
	if err := t.freeIn(batch, id); err != nil {
		return fmt.Errorf("delete %s %d: %w", t.name, id, err)
	}
	return nil
}

func (t *Table[T]) freeIn(tx *Tx, id uint64) error {
	err := t.remove(tx, id)
	if errors.Is(err, ErrNotFound) {
		return nil
	}
	return err
}

// Put replaces a record, its name too. It returns ErrNotFound when there is none of that id, and ErrExists when another
// record has the name.
func (t *Table[T]) Put(id uint64, name string, v T, also ...CommitPart) error {
	return t.db.Together(func(tx *Tx) error { return t.PutIn(tx, id, name, v) }, also...)
}

// PutIn is Put together with other changes.
func (t *Table[T]) PutIn(batch *Tx, id uint64, name string, v T) error {
	was, err := t.was(batch, id)
	if err == nil && fold.Name(was.Name) != fold.Name(name) {
		err = t.dropName(batch, was.Name)
	}
	if err == nil {
		err = t.write(batch, id, name, v)
	}
	if err != nil {
		return fmt.Errorf("put %s %d: %w", t.name, id, err)
	}
	return nil
}

func (t *Table[T]) write(tx *Tx, id uint64, name string, v T) error {
	value, err := json.Marshal(Record[T]{Name: name, Value: v})
	if err != nil {
		return err
	}
	b := tx.tx.Bucket([]byte(t.name))
	if folded := []byte(fold.Name(name)); len(folded) > 0 {
		names := b.Bucket([]byte(layout.Names))
		owner, err := lookUp(names, layout.NamesPath(t.name), folded)
		if err == nil && len(owner) == 8 && binary.BigEndian.Uint64(owner) != id {
			return ErrExists
		}
		tx.touch(t.name, layout.Names, folded)
		if err := names.Put(folded, layout.Seal(layout.NamesPath(t.name), folded, layout.RecordKey(id))); err != nil {
			return err
		}
	}
	tx.touch(t.name, "", layout.RecordKey(id))
	return b.Put(layout.RecordKey(id), layout.Seal(t.name, layout.RecordKey(id), value))
}

func (t *Table[T]) dropName(tx *Tx, name string) error {
	folded := []byte(fold.Name(name))
	if len(folded) == 0 {
		return nil
	}
	tx.touch(t.name, layout.Names, folded)
	return tx.tx.Bucket([]byte(t.name)).Bucket([]byte(layout.Names)).Delete(folded)
}

// was returns the record that stands under an id. A damaged one is set aside, and the name that leads to it is given.
func (t *Table[T]) was(tx *Tx, id uint64) (Record[json.RawMessage], error) {
	r, err := readRecord[json.RawMessage](tx.tx, t.name, id)
	if !errors.Is(err, layout.ErrChecksum) {
		return r, err
	}
	return Record[json.RawMessage]{ID: id, Name: nameOf(tx.tx, t.name, layout.RecordKey(id))}, tx.SetAside(ValuePlace{Bucket: t.name, Key: string(layout.RecordKey(id))})
}

// Delete removes a record. It returns ErrNotFound when there is none of that id.
func (t *Table[T]) Delete(id uint64, also ...CommitPart) error {
	if err := t.db.Together(func(tx *Tx) error { return t.remove(tx, id) }, also...); err != nil {
		return fmt.Errorf("delete %s %d: %w", t.name, id, err)
	}
	return nil
}

func (t *Table[T]) remove(tx *Tx, id uint64) error {
	b := tx.tx.Bucket([]byte(t.name))
	was, err := t.was(tx, id)
	if err != nil {
		return err
	}
	if err := t.dropName(tx, was.Name); err != nil {
		return err
	}
	tx.touch(t.name, "", layout.RecordKey(id))
	return b.Delete(layout.RecordKey(id))
}

// Get returns the record of an id. It returns ErrNotFound when there is none.
func (t *Table[T]) Get(id uint64) (r Record[T], err error) {
	err = t.db.View(func(tx *bolt.Tx) (err error) { r, err = readRecord[T](tx, t.name, id); return err })
	if err != nil {
		return r, fmt.Errorf("read table %s, %d: %w", t.name, id, err)
	}
	return r, nil
}

// Last returns the highest id that was ever given, 0 before the first.
func (t *Table[T]) Last() (last uint64, err error) {
	err = t.db.View(func(tx *bolt.Tx) error {
		if b := tx.Bucket([]byte(t.name)); b != nil {
			last = b.Sequence()
		}
		return nil
	})
	if err != nil {
		return 0, fmt.Errorf("%s: read table %s: %w", t.db.path(), t.name, err)
	}
	return last, nil
}

// All returns every record, in the order of their ids.
func (t *Table[T]) All() ([]Record[T], error) {
	var all []Record[T]
	for after, more := uint64(0), true; more; {
		var part []Record[T]
		err := t.db.View(func(tx *bolt.Tx) (err error) {
			part, after, more, err = t.someRecords(tx, after)
			return err
		})
		if err != nil {
			return nil, fmt.Errorf("%s: read table %s: %w", t.db.path(), t.name, err)
		}
		all = append(all, part...)
	}
	return all, nil
}

// someRecords reads up to a thousand records from the id after on.
func (t *Table[T]) someRecords(tx *bolt.Tx, after uint64) (part []Record[T], next uint64, more bool, err error) {
	b := tx.Bucket([]byte(t.name))
	if b == nil {
		return nil, 0, false, nil
	}
	c := b.Cursor()
	for k, v := c.Seek(layout.RecordKey(after)); k != nil; k, v = c.Next() {
		if v == nil || len(k) != 8 {
			continue // the nested bucket of names
		}
		r := Record[T]{ID: binary.BigEndian.Uint64(k)}
		if len(part) == 1000 {
			return part, r.ID, true, nil
		}
		value, err := layout.Unseal(t.name, k, v)
		if err != nil {
			t.db.NoteUnreadable(tx, ValuePlace{Bucket: t.name, Key: string(k)})
			continue
		}
		if err := json.Unmarshal(value, &r); err != nil {
			return nil, 0, false, fmt.Errorf("record %d: %w", r.ID, err)
		}
		part = append(part, r)
	}
	return part, 0, false, nil
}
