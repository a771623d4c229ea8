package track

import (
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"slices"

	"quaywatch/ais"
	"quaywatch/geo"
	"quaywatch/ship"
)

// castagnoli is the table of CRC32C, which the processors of small boxes compute in hardware.
var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// HeaderSize is the bytes of a block before its first row.
const HeaderSize = 32

const (
	blockVersion = 1
	flagLead     = 1 // the first row is the last fix of the hour before
)

// A block holds the fixes of one ship in one bucket of time, in order, each time once:
//
//	version 1 | flags 1 | max SOG 2 | count 4 | west 4 | south 4 | east 4 | north 4 | 0 4 | CRC32C 4 | rows
//
// The checksum is over the key, the header up to it and the rows, so a block under a wrong key is found too.

// EncodeBlock gives the value of a block. The fixes must be in order of time, without two of one time; a first fix from
// before the bucket is the lead.
func EncodeBlock(bucket uint32, m ais.MMSI, fixes []ship.Fix) []byte {
	b := make([]byte, HeaderSize, HeaderSize+16+10*len(fixes))
	b[0] = blockVersion
	if len(fixes) > 0 && fixes[0].At < HourStart(bucket) {
		b[1] = flagLead
	}
	coder, box, fastest := StartAt(HourStart(bucket)), Bounds{}, ais.SOG(0)
	for _, f := range fixes {
		b = coder.Append(b, f)
		box.Add(f)
		fastest = max(fastest, f.SOG)
	}
	e := binary.BigEndian
	e.PutUint16(b[2:], uint16(fastest))
	e.PutUint32(b[4:], uint32(len(fixes)))
	for i, v := range [4]int32{box.west, box.south, box.east, box.north} {
		e.PutUint32(b[8+4*i:], uint32(v))
	}
	e.PutUint32(b[28:], blockSum(bucket, m, b))
	return b
}

func blockSum(bucket uint32, m ais.MMSI, b []byte) uint32 {
	var k [12]byte
	binary.BigEndian.PutUint32(k[:4], bucket)
	binary.BigEndian.PutUint64(k[4:], uint64(m))
	sum := crc32.Update(0, castagnoli, k[:])
	sum = crc32.Update(sum, castagnoli, b[:28])
	return crc32.Update(sum, castagnoli, b[HeaderSize:])
}

// Head is what a block says of itself before its rows.
type Head struct {
	Lead    bool // the first fix is the last one of the hour before
	Count   int  // of its fixes, the lead included
	MaxSOG  ais.SOG
	Touches geo.Rect // all legs; a leg bulges towards the pole beyond it
}

// ReadHead gives the head of a block. It does not look at the checksum.
func ReadHead(b []byte) (Head, error) {
	if len(b) < HeaderSize || b[0] != blockVersion || b[1]&^flagLead != 0 {
		return Head{}, ErrCorrupt
	}
	e := binary.BigEndian
	at := func(i int) int32 { return int32(e.Uint32(b[i:])) }
	box := Bounds{west: at(8), south: at(12), east: at(16), north: at(20)}
	return Head{b[1]&flagLead != 0, int(e.Uint32(b[4:])), ais.SOG(e.Uint16(b[2:])), box.Rect()}, nil
}

// DecodeBlock appends the fixes of a block to dst, its lead included, and gives whether there is a lead.
func DecodeBlock(dst []ship.Fix, bucket uint32, m ais.MMSI, b []byte) (fixes []ship.Fix, lead bool, err error) {
	head, err := ReadHead(b)
	if err != nil {
		return dst, false, err
	}
	if blockSum(bucket, m, b) != binary.BigEndian.Uint32(b[28:]) {
		return dst, false, fmt.Errorf("%w: checksum", ErrCorrupt)
	}
	n := len(dst)
	dst, err = DecodeRows(slices.Grow(dst, min(head.Count, len(b)/2)), StartAt(HourStart(bucket)), b[HeaderSize:])
	if err != nil {
		return dst[:n], false, err
	}
	if len(dst)-n != head.Count || (head.Lead && head.Count == 0) {
		return dst[:n], false, fmt.Errorf("%w: %d fixes, header says %d", ErrCorrupt, len(dst)-n, head.Count)
	}
	return dst, head.Lead, nil
}

// DecodeRows appends all fixes of a stream to dst.
func DecodeRows(dst []ship.Fix, coder Coder, rows []byte) ([]ship.Fix, error) {
	r := Reader{b: rows}
	for r.More() {
		dst = append(dst, ship.Fix{})
		if !coder.Next(&r, &dst[len(dst)-1]) {
			return dst[:len(dst)-1], ErrCorrupt
		}
	}
	return dst, nil
}
