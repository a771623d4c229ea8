package store

import (
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"slices"

	bolt "go.etcd.io/bbolt"

	"quaywatch/store/track"
)

// castagnoli is the table of CRC32C, which the processors of small boxes compute in hardware.
var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// errChecksum is what reading gives for a value that is not the one that was written under its key.
var errChecksum = fmt.Errorf("%w: checksum", track.ErrCorrupt)

// sealSize is the bytes of a checksum.
const sealSize = 4

// seal gives a value as it stands in the database: with the CRC32C of key and value behind it.
func seal(key, value []byte) []byte {
	return binary.BigEndian.AppendUint32(slices.Clip(value), checksum(key, value))
}

func checksum(key, value []byte) uint32 {
	return crc32.Update(crc32.Checksum(key, castagnoli), castagnoli, value)
}

// unseal gives the value that was sealed under a key.
func unseal(key, sealed []byte) ([]byte, error) {
	n := len(sealed) - sealSize
	if n < 0 || checksum(key, sealed[:n]) != binary.BigEndian.Uint32(sealed[n:]) {
		return nil, errChecksum
	}
	return sealed[:n:n], nil
}

// lookUp gives the value under a key, nil when there is none.
func lookUp(b *bolt.Bucket, key []byte) ([]byte, error) {
	sealed := b.Get(key)
	if sealed == nil {
		return nil, nil
	}
	return unseal(key, sealed)
}
