package records

import (
	"cmp"

	bolt "go.etcd.io/bbolt"

	"quaywatch/store/layout"
)

// pagesFilled is how full bbolt makes pages: keys come in order, so they may be full.
const pagesFilled = 0.95

// lookUp returns the value under a key of the bucket with that path, nil when there is none.
func lookUp(b *bolt.Bucket, path string, key []byte) ([]byte, error) {
	var sealed []byte
	if b != nil {
		sealed = b.Get(key)
	}
	if sealed == nil {
		return nil, nil
	}
	return layout.Unseal(path, key, sealed)
}

// View reads the database in one transaction, which must be short: it holds up compaction, and pages that are freed
// meanwhile are not used again.
func (db *Database) View(fn func(tx *bolt.Tx) error) error {
	db.swap.RLock()
	defer db.swap.RUnlock()
	return guard(db.bolt.Path(), func() error { return db.bolt.View(fn) })
}

// keyValue is a key with its value, copied from a page.
type keyValue struct{ key, value []byte }

// Tx is a transaction that writes: changes that are committed together. It notes what it wrote for a compaction that is under way.
type Tx struct {
	tx      *bolt.Tx
	touched *touchedSet
	touches map[string]uint64     // how many values were written, by table or series
	aside   map[ValuePlace]Damage // values that were set aside
}

// Update commits what fn writes. It returns ErrFull or ErrReadOnly, without trying, while the disk is at fault.
func (db *Database) Update(fn func(tx *Tx) error) error {
	db.writing.Lock()
	defer db.writing.Unlock()
	if err := cmp.Or(db.Fault(), db.Away()); err != nil {
		return err
	}
	return db.commitUpdate(fn)
}

// commitUpdate is Update without asking whether the disk is at fault. The caller holds writing.
func (db *Database) commitUpdate(fn func(tx *Tx) error) error {
	var inner error
	touches := map[string]uint64{}
	var aside map[ValuePlace]Damage
	db.swap.RLock()
	defer db.swap.RUnlock()
	done, before := db.clock.Begin(&db.commit), db.bolt.Stats()
	err := guard(db.bolt.Path(), func() error {
		return db.bolt.Update(func(tx *bolt.Tx) error {
			w := &Tx{tx: tx, touched: db.touched, touches: touches, aside: map[ValuePlace]Damage{}}
			for _, makeBucket := range db.wanted {
				inner = cmp.Or(inner, makeBucket(w))
			}
			if inner == nil {
				inner = fn(w)
			}
			aside = w.aside
			return inner
		})
	})
	done()
	db.Attend()
	if err != nil && inner == nil {
		return db.fault.note(db.logger, err)
	}
	if err == nil {
		db.wanted = nil
		db.tellAside(aside)
	}
	after := db.bolt.Stats()
	db.written.add(after.TxStats.GetPageAlloc()-before.TxStats.GetPageAlloc()+int64(db.bolt.Info().PageSize), touches) // and the page of the state
	db.updateFigures()
	return err
}

// want has the next commit make a bucket that is not there. A first start opens some forty tables and series, and a commit of each would cost it many syncs.
func (db *Database) want(name string, makeBucket func(tx *Tx) error) error {
	db.writing.Lock()
	defer db.writing.Unlock()
	return db.View(func(tx *bolt.Tx) error {
		if tx.Bucket([]byte(name)) == nil {
			db.wanted = append(db.wanted, makeBucket)
		}
		return nil
	})
}

func (tx *Tx) touch(bucket, nested string, key []byte) {
	tx.touched.add(bucket, nested, key)
	tx.count(bucket)
}

func (tx *Tx) touchTable(name string) {
	tx.touched.addTable(name)
	tx.count(name)
}

func (tx *Tx) touchBucket(name string) {
	tx.touched.addBucket(name)
	tx.count(name)
}

func (tx *Tx) count(bucket string) {
	if tx.touches != nil { // a compaction's copy counts nothing
		tx.touches[bucket]++
	}
}

// Bucket returns a bucket that is there.
func (tx *Tx) Bucket(name string) *bolt.Bucket {
	b := tx.tx.Bucket([]byte(name))
	b.FillPercent = pagesFilled
	return b
}

// Get returns the value under a key, nil when there is none.
func (tx *Tx) Get(bucket string, key []byte) ([]byte, error) {
	return lookUp(tx.Bucket(bucket), bucket, key)
}

// Put writes a value and its checksum.
func (tx *Tx) Put(bucket string, key, value []byte) error {
	tx.touch(bucket, "", key)
	return tx.Bucket(bucket).Put(key, layout.Seal(bucket, key, value))
}

// Delete removes what stands under a key.
func (tx *Tx) Delete(bucket string, key []byte) error {
	tx.touch(bucket, "", key)
	return tx.Bucket(bucket).Delete(key)
}

// CommitPart does its part of a commit, by the methods that end in In.
type CommitPart func(*Tx) error

// Together commits all that the changes do to tables and series, one after the other, or none of it when one fails.
func (db *Database) Together(first CommitPart, also ...CommitPart) error {
	return db.Update(func(tx *Tx) error {
		err := first(tx)
		for i := 0; i < len(also) && err == nil; i++ {
			err = also[i](tx)
		}
		return err
	})
}
