// Package copies copies the buckets of a bbolt file into another file. It does so in short reads, so that nobody who writes to the first waits for long.
package copies

import (
	"bytes"
	"context"
	"fmt"

	bolt "go.etcd.io/bbolt"

	"quaywatch/store/track"
)

const (
	// PagesFilled is how full pages are made: keys come in order, so they may be full.
	PagesFilled = 0.95

	partRows  = 2000    // values that are copied at once at most
	partBytes = 8 << 20 // and bytes
)

// File copies all buckets of a file, and those nested in them, in short reads, and the numbers that they have given. view runs a read of the original.
func File(ctx context.Context, view func(func(*bolt.Tx) error) error, copied *bolt.DB) error {
	var paths [][]string
	err := view(func(tx *bolt.Tx) error {
		return tx.ForEach(func(name []byte, b *bolt.Bucket) error {
			paths = append(paths, []string{string(name)})
			return b.ForEachBucket(func(nested []byte) error {
				paths = append(paths, []string{string(name), string(nested)})
				return nil
			})
		})
	})
	if err != nil {
		return err
	}
	for _, path := range paths {
		if err := copyBucket(ctx, view, copied, path); err != nil {
			return fmt.Errorf("copy bucket %v: %w", path, err)
		}
	}
	return view(func(tx *bolt.Tx) error { return Sequences(tx, copied) })
}

// pair is a key with its value.
type pair struct{ key, value []byte }

func copyBucket(ctx context.Context, view func(func(*bolt.Tx) error) error, copied *bolt.DB, path []string) error {
	for after, last, more := []byte(nil), []byte(nil), true; more; {
		if err := ctx.Err(); err != nil {
			return err
		}
		var part []pair
		err := view(func(tx *bolt.Tx) error {
			part, after, more = someKeys(BucketAt(tx, path), after)
			return nil
		})
		if err != nil {
			return err
		}
		err = copied.Update(func(tx *bolt.Tx) error {
			b, err := MakeBucket(tx, path)
			if err != nil {
				return err
			}
			last, err = copySome(b, part, last)
			return err
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// BucketAt returns the bucket of that path, nil for none.
func BucketAt(tx *bolt.Tx, path []string) *bolt.Bucket {
	b := tx.Bucket([]byte(path[0]))
	for _, nested := range path[1:] {
		if b != nil {
			b = b.Bucket([]byte(nested))
		}
	}
	return b
}

// MakeBucket returns the bucket of that path, a new one when there is none.
func MakeBucket(tx *bolt.Tx, path []string) (*bolt.Bucket, error) {
	b, err := tx.CreateBucketIfNotExists([]byte(path[0]))
	for _, nested := range path[1:] {
		if err != nil {
			return nil, err
		}
		b, err = b.CreateBucketIfNotExists([]byte(nested))
	}
	if err == nil {
		b.FillPercent = PagesFilled
	}
	return b, err
}

// copySome writes values that come behind the key after, and returns the last key. One out of order would take the place of another.
func copySome(b *bolt.Bucket, part []pair, after []byte) (last []byte, err error) {
	for last = after; len(part) > 0 && err == nil; part = part[1:] {
		if last != nil && bytes.Compare(part[0].key, last) <= 0 {
			return nil, fmt.Errorf("%w: key %x stands in a wrong place", track.ErrCorrupt, part[0].key)
		}
		last, err = part[0].key, b.Put(part[0].key, part[0].value)
	}
	return last, err
}

// someKeys copies keys and values from the key after on, up to one commit of them.
func someKeys(b *bolt.Bucket, after []byte) (part []pair, next []byte, more bool) {
	if b == nil {
		return nil, nil, false
	}
	bytesCopied := 0
	c := b.Cursor()
	for k, v := c.Seek(after); k != nil; k, v = c.Next() {
		if len(part) >= partRows || bytesCopied > partBytes {
			return part, bytes.Clone(k), true
		}
		if v != nil {
			part = append(part, pair{bytes.Clone(k), bytes.Clone(v)})
			bytesCopied += len(k) + len(v)
		}
	}
	return part, nil, false
}

// Sequences makes the copy go on counting ids where the original stands.
func Sequences(from *bolt.Tx, copied *bolt.DB) error {
	return copied.Update(func(to *bolt.Tx) error {
		return from.ForEach(func(name []byte, b *bolt.Bucket) error {
			dst := to.Bucket(name)
			if dst == nil || dst.Sequence() == b.Sequence() {
				return nil
			}
			return dst.SetSequence(b.Sequence())
		})
	})
}
