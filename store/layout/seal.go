package layout

import (
	"encoding/binary"
	"fmt"
	"hash/crc32"

	"quaywatch/store/track"
)

// castagnoli is the table of CRC32C, which the processors of small boxes compute in hardware.
var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// ErrChecksum is what reading gives for a value that is not the one that was written under its key.
var ErrChecksum = fmt.Errorf("%w: checksum", track.ErrCorrupt)

// SealSize is the bytes of a checksum.
const SealSize = 4

// Seal returns a value as it stands in the database: with its checksum behind it. The path is the name of the bucket; for the names of a
// table it is NamesPath.
func Seal(path string, key, value []byte) []byte {
	sealed := make([]byte, len(value)+SealSize)
	binary.BigEndian.PutUint32(sealed[copy(sealed, value):], valueChecksum(path, key, value))
	return sealed
}

// valueChecksum is CRC32C over the path, a zero byte, the length of the key, the key and the value. So a value proves of which bucket it is and
// where its key ends, wherever its page is found.
func valueChecksum(path string, key, value []byte) uint32 {
	head := ^uint32(0) // byte by byte: these few would be an allocation for crc32
	for i := range len(path) {
		head = castagnoli[byte(head)^path[i]] ^ head>>8
	}
	var behind [5]byte
	binary.BigEndian.PutUint32(behind[1:], uint32(len(key)))
	for _, b := range behind {
		head = castagnoli[byte(head)^b] ^ head>>8
	}
	return crc32.Update(crc32.Update(^head, castagnoli, key), castagnoli, value)
}

// NamesPath is the path of the nested bucket of names of a table.
func NamesPath(table string) string { return table + "/" + Names }

// Unseal returns the value that was sealed under a path and a key.
func Unseal(path string, key, sealed []byte) ([]byte, error) {
	n := len(sealed) - SealSize
	if n < 0 || valueChecksum(path, key, sealed[:n]) != binary.BigEndian.Uint32(sealed[n:]) {
		return nil, ErrChecksum
	}
	return sealed[:n:n], nil
}
