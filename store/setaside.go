package store

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
func (db *DB) checkVital() error {
	if db.options.Vital != RefuseVital {
		return nil
	}
	for _, table := range layout.VitalTables() {
		var records []place
		err := db.view(func(tx *bolt.Tx) error {
			records = unsealed(tx, []string{table})
			for _, p := range records {
				db.noteUnreadable(tx, p)
			}
			return nil
		})
		if err != nil {
			return err
		}
		if len(records) > 0 {
			return db.checkTable(table)
		}
	}
	return nil
}

// checkTable tells which records of a table cannot be read.
func (db *DB) checkTable(table string) error {
	var all []string
	for _, d := range db.Damages() {
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
func (db *DB) foundAll(damaged []pages.Suspect) error {
	if len(damaged) == 0 {
		return nil
	}
	return db.view(func(tx *bolt.Tx) error {
		for _, s := range damaged {
			p := placeOf(s.Path, s.Key)
			if b := p.bucketIn(tx); p.bucket != layout.Meta && b != nil {
				db.noteDamaged(p, func() Damage { return describeSuspect(tx, p, &s) })
			}
		}
		return nil
	})
}

// setAsideFound sets aside what readers found.
func (db *DB) setAsideFound() error {
	db.damage.mu.Lock()
	waiting := maps.Clone(db.damage.waiting)
	db.damage.mu.Unlock()
	places := slices.Collect(maps.Keys(waiting))
	places = slices.DeleteFunc(places, func(p place) bool {
		return layout.IsVital(p.bucket) && p.nested == "" && db.options.Vital != SetVitalAside
	})
	for part := range slices.Chunk(places, 100) {
		err := db.update(func(tx *writeTx) error {
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

// setAside moves a damaged value out of the way. It is told after the commit.
func (tx *writeTx) setAside(p place) error {
	tx.aside[p] = describeDamage(tx.tx, p)
	return tx.keepDamaged(p, tx.aside[p])
}

// tellAside tells what a commit has set aside, but what a reader had found and told before.
func (db *DB) tellAside(aside map[place]Damage) {
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
func (tx *writeTx) keepDamaged(p place, d Damage) error {
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
	tx.touched.add(p.bucket, p.nested, []byte(p.key))
	if misplaced {
		return tx.sortAnew(p)
	}
	err := b.Delete([]byte(p.key))
	if again := b.Get([]byte(p.key)); err == nil && again != nil && !p.isReadable(again) {
		return tx.sortAnew(p) // several stand under this key
	}
	return err
}

// copyValue copies what stands in a place of the bucket, nil when nothing does. misplaced tells that no search finds it there.
func (p place) copyValue(b *bolt.Bucket) (sealed []byte, misplaced bool) {
	if sealed = bytes.Clone(b.Get([]byte(p.key))); sealed == nil {
		return findMisplaced(b, []byte(p.key)), true
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
func (tx *writeTx) sortAnew(p place) error {
	in, name := tx.tx.Bucket([]byte(p.bucket)), p.nested
	if p.nested == "" {
		in, name = nil, p.bucket
	}
	b := p.bucketIn(tx.tx)
	sequence := b.Sequence()
	var all []keyValue
	err := b.ForEach(func(k, v []byte) error {
		if v != nil && string(k) != p.key {
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
	path := []string{p.bucket}
	if p.nested != "" {
		path = append(path, p.nested)
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
func (tx *writeTx) mendNames(aside []place) error {
	done := map[string]bool{}
	for _, p := range aside {
		if done[p.bucket] || slices.Contains(layout.OwnBuckets(), p.bucket) || layout.IsSeries(p.bucket) {
			continue
		}
		done[p.bucket] = true
		if err := tx.nameAnew(p.bucket); err != nil {
			return err
		}
	}
	return nil
}

// keepDamage writes what was found into the bucket damaged.
func (tx *writeTx) keepDamage(kept keptDamage) error {
	if _, err := tx.tx.CreateBucketIfNotExists([]byte(layout.Damaged)); err != nil {
		return err
	}
	tx.touched.addBucket(layout.Damaged)
	_, err := setAsideSeries(nil).AppendIn(&Tx{tx}, kept.Found, kept)
	return err
}
