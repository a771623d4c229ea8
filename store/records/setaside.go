package records

import (
	"bytes"
	"fmt"
	"maps"
	"slices"
	"strings"

	bolt "go.etcd.io/bbolt"

	"quaywatch/store/copies"
	"quaywatch/store/layout"
	"quaywatch/store/pages"
)

// Vital says what is done with records of which none may be missing, when they cannot be read.
type Vital uint8

const (
	RefuseVital   Vital = iota // the store is not opened: rights would change unseen
	PassVitalOver              // they stay where they are, and the others are given
	SetVitalAside              // they are set aside as all others are
)

// checkVital refuses a store in which a record is damaged of which none may be missing, before anything is written to it.
func (db *Database) checkVital() error {
	if db.vital != RefuseVital {
		return nil
	}
	for _, table := range layout.VitalTables() {
		var records []ValuePlace
		err := db.View(func(tx *bolt.Tx) error {
			records = unsealed(tx, []string{table})
			for _, p := range records {
				db.NoteUnreadable(tx, p)
			}
			return nil
		})
		if err != nil {
			return err
		}
		if len(records) > 0 {
			return checkTable(db.Damages(), table)
		}
	}
	return nil
}

// checkTable tells which records of a table cannot be read.
func checkTable(known []Damage, table string) error {
	var all []string
	for _, d := range known {
		if d.Kind == DamagedRecord && strings.HasPrefix(d.Where, "bucket "+table+",") {
			all = append(all, d.What)
		}
	}
	return vitalError(strings.Join(all, ", ") + " cannot be read; rights depend on it, so the service does not start without it: put a backup in place " +
		"with 'quaywatch restore', or go on without it with 'quaywatch user forget-damaged'")
}

// vitalError is ErrDamaged of a record of which none may be missing.
type vitalError string

func (e vitalError) Error() string { return string(e) }

func (e vitalError) Unwrap() error { return ErrDamaged }

// foundAll notes what a check at the start found.
func (db *Database) foundAll(damaged []pages.Suspect) error {
	if len(damaged) == 0 {
		return nil
	}
	return db.View(func(tx *bolt.Tx) error {
		for _, s := range damaged {
			p := placeOf(s.Path, s.Key)
			if b := p.bucketIn(tx); p.Bucket != layout.Meta && b != nil {
				db.noteDamaged(p, func() Damage { return describeSuspect(tx, p, &s) })
			}
		}
		return nil
	})
}

// SetAsideFound sets aside what readers found.
func (db *Database) SetAsideFound() error {
	db.damage.mu.Lock()
	waiting := maps.Clone(db.damage.waiting)
	db.damage.mu.Unlock()
	places := slices.Collect(maps.Keys(waiting))
	places = slices.DeleteFunc(places, func(p ValuePlace) bool {
		return layout.IsVital(p.Bucket) && p.Nested == "" && db.vital != SetVitalAside
	})
	for part := range slices.Chunk(places, 100) {
		err := db.Update(func(tx *Tx) error {
			for _, p := range part {
				if err := tx.keepDamaged(p, waiting[p]); err != nil {
					return err
				}
			}
			return tx.mendNames(part)
		})
		if err != nil {
			return fmt.Errorf("set damage aside: %w", err)
		}
		db.damage.mu.Lock()
		for _, p := range part {
			delete(db.damage.waiting, p)
		}
		db.damage.mu.Unlock()
	}
	return nil
}

// SetAside moves a damaged value out of the way. It is told after the commit.
func (tx *Tx) SetAside(p ValuePlace) error {
	tx.aside[p] = describeDamage(tx.tx, p)
	return tx.keepDamaged(p, tx.aside[p])
}

// tellAside tells what a commit has set aside, but what a reader had found and told before.
func (db *Database) tellAside(aside map[ValuePlace]Damage) {
	for p, d := range aside {
		db.damage.mu.Lock()
		_, told := db.damage.waiting[p]
		delete(db.damage.waiting, p)
		db.damage.mu.Unlock()
		if !told {
			db.tellDamage(d)
		}
	}
}

// keepDamaged moves a value that is still damaged into the bucket damaged.
func (tx *Tx) keepDamaged(p ValuePlace, d Damage) error {
	b := p.bucketIn(tx.tx)
	if b == nil {
		return nil
	}
	raw, misplaced := p.copyValue(b)
	if raw == nil || p.isReadable(raw) {
		return nil // it was written anew meanwhile
	}
	if err := tx.keepDamage(keptDamage{d, raw}); err != nil {
		return err
	}
	tx.touch(p.Bucket, p.Nested, []byte(p.Key))
	if misplaced {
		return tx.sortAnew(p)
	}
	err := b.Delete([]byte(p.Key))
	if again := b.Get([]byte(p.Key)); err == nil && again != nil && !p.isReadable(again) {
		return tx.sortAnew(p) // several stand under this key
	}
	return err
}

// copyValue copies what stands in a place of the bucket, nil when nothing does. misplaced tells that no search finds it there.
func (p ValuePlace) copyValue(b *bolt.Bucket) (sealed []byte, misplaced bool) {
	if sealed = bytes.Clone(b.Get([]byte(p.Key))); sealed == nil {
		return findMisplaced(b, []byte(p.Key)), true
	}
	return sealed, false
}

// findMisplaced looks for a key that no search finds, because a bit of it was flipped and it stands in a wrong place. It returns nil in a large database.
func findMisplaced(b *bolt.Bucket, key []byte) (value []byte) {
	if b.Tx().Size() > checkedAtStart {
		return nil
	}
	_ = b.ForEach(func(k, v []byte) error { // this function gives no error
		if bytes.Equal(k, key) {
			value = bytes.Clone(v)
		}
		return nil
	})
	return value
}

// sortAnew writes a bucket anew without a key that stands in a wrong place. While it is there, a search may miss the keys beside it.
func (tx *Tx) sortAnew(p ValuePlace) error {
	in, name := tx.tx.Bucket([]byte(p.Bucket)), p.Nested
	if p.Nested == "" {
		in, name = nil, p.Bucket
	}
	b := p.bucketIn(tx.tx)
	sequence := b.Sequence()
	var all []keyValue
	err := b.ForEach(func(k, v []byte) error {
		if v != nil && string(k) != p.Key {
			all = append(all, keyValue{bytes.Clone(k), bytes.Clone(v)})
		}
		return nil
	})
	if err != nil {
		return err
	}
	if in == nil {
		err = tx.tx.DeleteBucket([]byte(name))
	} else {
		err = in.DeleteBucket([]byte(name))
	}
	if err != nil {
		return err
	}
	path := []string{p.Bucket}
	if p.Nested != "" {
		path = append(path, p.Nested)
	}
	if b, err = copies.MakeBucket(tx.tx, path); err != nil {
		return err
	}
	for _, kv := range all {
		if err := b.Put(kv.key, kv.value); err != nil {
			return err
		}
	}
	return b.SetSequence(sequence)
}

// mendNames makes the names of the tables anew of which values were set aside.
func (tx *Tx) mendNames(aside []ValuePlace) error {
	done := map[string]bool{}
	for _, p := range aside {
		if done[p.Bucket] || slices.Contains(layout.OwnBuckets(), p.Bucket) || layout.IsSeries(p.Bucket) {
			continue
		}
		done[p.Bucket] = true
		if err := tx.nameAnew(p.Bucket); err != nil {
			return err
		}
	}
	return nil
}

// keepDamage writes what was found into the bucket damaged.
func (tx *Tx) keepDamage(kept keptDamage) error {
	if _, err := tx.tx.CreateBucketIfNotExists([]byte(layout.Damaged)); err != nil {
		return err
	}
	tx.touchBucket(layout.Damaged)
	_, err := setAsideSeries(nil).AppendIn(tx, kept.Found, kept)
	return err
}
