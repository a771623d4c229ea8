package records

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	bolt "go.etcd.io/bbolt"

	"quaywatch/internal/fold"
	"quaywatch/store/copies"
	"quaywatch/store/layout"
	"quaywatch/store/track"
)

// Builder writes a database anew, a value at a time. It serves salvage: it takes sealed values as they stand on pages. It makes what hangs together of them
// itself, the names of tables and the sequences.
type Builder struct {
	file      *bolt.DB
	waiting   []builtValue
	bytes     int
	sequences map[string]uint64 // by bucket
}

// builtAtOnce is how many values, and bytes of them, a Builder writes in one commit at most.
const (
	builtAtOnce = 2000
	builtBytes  = 8 << 20
)

type builtValue struct {
	path       string
	key, value []byte
}

// NewBuilder makes an empty database in dir, where none may stand.
func NewBuilder(dir string) (*Builder, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, err
	}
	path := filepath.Join(dir, layout.DBName)
	if there, err := Exists(dir); err != nil || there {
		return nil, errors.Join(fmt.Errorf("build a store in %s: there is one", dir), err)
	}
	file, err := createFile(path)
	if err != nil {
		return nil, err
	}
	return &Builder{file: file, sequences: map[string]uint64{}}, nil
}

// Put takes a value as it stands on a page. Names of tables are made at the end, and of the bucket meta only what ties the log is taken.
func (b *Builder) Put(path string, key, sealed []byte) error {
	if strings.Contains(path, "/"+layout.Names) || path == layout.Meta && string(key) != layout.MetaLog && string(key) != layout.MetaFirstLive {
		return nil
	}
	b.waiting = append(b.waiting, builtValue{path, bytes.Clone(key), bytes.Clone(sealed)})
	b.bytes += len(key) + len(sealed)
	if len(b.waiting) < builtAtOnce && b.bytes < builtBytes {
		return nil
	}
	return b.writeWaiting()
}

// Sequence tells the sequence of a bucket, which goes on from there. It makes the bucket.
func (b *Builder) Sequence(bucket string, n uint64) {
	b.sequences[bucket] = max(b.sequences[bucket], n)
}

func (b *Builder) writeWaiting() error {
	list := b.waiting
	b.waiting, b.bytes = nil, 0
	return b.file.Update(func(tx *bolt.Tx) error {
		for _, waiting := range list {
			bucket, err := copies.MakeBucket(tx, []string{waiting.path})
			if err == nil {
				err = bucket.Put(waiting.key, waiting.value)
			}
			if err != nil {
				return err
			}
		}
		return nil
	})
}

// Get returns the sealed value under a key, nil when none was put.
func (b *Builder) Get(path string, key []byte) (sealed []byte, err error) {
	if err := b.writeWaiting(); err != nil {
		return nil, err
	}
	err = b.file.View(func(tx *bolt.Tx) error {
		if bucket := tx.Bucket([]byte(path)); bucket != nil {
			sealed = bytes.Clone(bucket.Get(key))
		}
		return nil
	})
	return sealed, err
}

// ReadLogFrom makes the store read its log from a segment on; with 0 all that is there.
func (b *Builder) ReadLogFrom(sequence uint64) error {
	key := []byte(layout.MetaFirstLive)
	return b.Put(layout.Meta, key, layout.Seal(layout.Meta, key, binary.BigEndian.AppendUint64(nil, sequence)))
}

// UseLog ties the database to a log.
func (b *Builder) UseLog(id [16]byte) error {
	return b.Put(layout.Meta, []byte(layout.MetaLog), layout.Seal(layout.Meta, []byte(layout.MetaLog), id[:]))
}

// Log returns the id of the log that belongs to the database, and its first segment that is needed.
func (b *Builder) Log() (id [16]byte, first uint64, err error) {
	if err := b.writeWaiting(); err != nil {
		return id, 0, err
	}
	head, err := readMeta(b.file)
	return head.LogID, head.FirstLive, err
}

// Finish makes the names of tables and the sequences, and closes the file. twice names the records that lost their name because
// another record has it.
func (b *Builder) Finish() (twice []string, err error) {
	err = b.writeWaiting()
	if err == nil {
		err = b.file.Update(func(tx *bolt.Tx) error {
			for name := range b.sequences {
				if _, err := tx.CreateBucketIfNotExists([]byte(name)); err != nil {
					return err
				}
			}
			return tx.ForEach(func(name []byte, bucket *bolt.Bucket) error {
				clashes, err := b.finishBucket(string(name), bucket)
				twice = append(twice, clashes...)
				return err
			})
		})
	}
	if err == nil {
		err = b.file.Sync()
	}
	return twice, errors.Join(err, b.file.Close())
}

// finishBucket sets the sequence of a bucket, and of a table the names.
func (b *Builder) finishBucket(name string, bucket *bolt.Bucket) (twice []string, err error) {
	sequence := b.sequences[name]
	if slices.Contains(layout.OwnBuckets(), name) {
		return nil, bucket.SetSequence(sequence)
	}
	var names map[string][]byte
	if !layout.IsSeries(name) {
		names = map[string][]byte{}
	}
	var nameless [][]byte
	err = bucket.ForEach(func(k, v []byte) error {
		if v == nil {
			return nil
		}
		if key, ok := readKey(k); ok && names == nil {
			sequence = max(sequence, key.Sequence)
			return nil
		}
		var j layout.Verifier
		if err := j.Value(name, k, v); err != nil {
			return err
		}
		sequence = max(sequence, binary.BigEndian.Uint64(k))
		if folded := fold.Name(j.Name); folded != "" && names[folded] != nil {
			twice = append(twice, fmt.Sprintf("%s %q", layout.Describe(name, k), j.Name))
			nameless = append(nameless, bytes.Clone(k))
		} else if folded != "" {
			names[folded] = bytes.Clone(k)
		}
		return nil
	})
	for _, k := range nameless {
		err = errors.Join(err, bucket.Delete(k))
	}
	if err == nil && names != nil {
		err = putNames(name, bucket, names)
	}
	return twice, errors.Join(err, bucket.SetSequence(sequence))
}

// putNames writes the names of a table.
func putNames(table string, bucket *bolt.Bucket, names map[string][]byte) error {
	nested, err := bucket.CreateBucketIfNotExists([]byte(layout.Names))
	if err != nil {
		return err
	}
	for name, key := range names {
		if err := nested.Put([]byte(name), layout.Seal(layout.NamesPath(table), []byte(name), key)); err != nil {
			return err
		}
	}
	return nil
}

// Abort closes the file of a Builder that is not finished.
func (b *Builder) Abort() error { return b.file.Close() }

// Better reports whether, of two whole values that stand under a key, the first is the value to take. That is the later state, and the block with more fixes.
func Better(path string, key, first, other []byte) bool {
	switch path {
	case layout.Ships:
		m, _ := layout.ReadShipKey(key)
		a, err1 := track.DecodeState(m, first[:len(first)-layout.SealSize])
		b, err2 := track.DecodeState(m, other[:len(other)-layout.SealSize])
		return err1 == nil && (err2 != nil || a.Heard > b.Heard)
	case layout.Blocks:
		var a, b layout.Verifier
		return a.Value(path, key, first) == nil && (b.Value(path, key, other) != nil || a.Fixes > b.Fixes)
	}
	return false
}
