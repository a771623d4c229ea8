package store

import (
	"time"

	bolt "go.etcd.io/bbolt"

	"quaywatch/store/copies"
)

// pageSize is that of a database, and lockWait how long Open waits for another process, with some reserve.
const (
	pageSize = 16 << 10
	lockWait = 1500 * time.Millisecond
)

// openBolt opens the database of a closed store, past all that Open does.
func openBolt(path string) (*bolt.DB, error) {
	return bolt.Open(path, 0o600, &bolt.Options{Timeout: lockWait, FreelistType: bolt.FreelistMapType, PageSize: pageSize})
}

// place is where a value stands.
type place struct{ bucket, nested, key string }

// placeAt returns the place of a key in the bucket with that path.
func placeAt(path []string, key []byte) place {
	p := place{bucket: path[0], key: string(key)}
	if len(path) > 1 {
		p.nested = path[1]
	}
	return p
}

func (p place) bucketPath() string {
	if p.nested != "" {
		return p.bucket + "/" + p.nested
	}
	return p.bucket
}

func (p place) bucketIn(tx *bolt.Tx) *bolt.Bucket {
	if p.nested != "" {
		return copies.BucketAt(tx, []string{p.bucket, p.nested})
	}
	return copies.BucketAt(tx, []string{p.bucket})
}
