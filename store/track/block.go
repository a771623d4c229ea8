package track

import (
	"encoding/binary"
	"fmt"
	"math"
	"slices"

	"quaywatch/ais"
	"quaywatch/geo"
	"quaywatch/ship"
)

// HeaderSize is the bytes of a block before its first row, but one or more that tell the feeds of the first fix.
const HeaderSize = 24

const (
	blockVersion = 2
	flagLead     = 1 // the first row is the last fix of the hour before
)

// A block holds the fixes of one ship in one hour, in order, each time once:
//
//	version 1 | flags 1 | max SOG 2 | count 4 | west 4 | south 4 | east 4 | north 4 | feeds varint | rows

// EncodeBlock returns the value of a block. The fixes must be in order of time, without two of one time; a first fix from
// before the hour is the lead.
func EncodeBlock(hour uint32, fixes []ship.Fix) []byte {
	b := make([]byte, HeaderSize, HeaderSize+16+10*len(fixes))
	b[0] = blockVersion
	coder, box, fastest := StartAt(HourStart(hour)), Bounds{}, ais.SOG(0)
	if len(fixes) > 0 {
		if fixes[0].At < HourStart(hour) {
			b[1] = flagLead
		}
		coder.last.Feeds = fixes[0].Feeds
	}
	b = AppendVarint(b, uint64(coder.last.Feeds))
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
	return b
}

// Head is what a block says of itself before its rows.
type Head struct {
	Lead    bool // the first fix is the last one of the hour before
	Count   int  // of its fixes, the lead included
	MaxSOG  ais.SOG
	Touches geo.Rect // all legs; a leg bulges towards the pole beyond it
}

// ReadHead returns the head of a block. It reads nothing behind it.
func ReadHead(b []byte) (Head, error) {
	if len(b) < HeaderSize || b[0] != blockVersion || b[1]&^flagLead != 0 {
		return Head{}, ErrCorrupt
	}
	e := binary.BigEndian
	at := func(i int) int32 { return int32(e.Uint32(b[i:])) }
	box := Bounds{west: at(8), south: at(12), east: at(16), north: at(20)}
	return Head{b[1]&flagLead != 0, int(e.Uint32(b[4:])), ais.SOG(e.Uint16(b[2:])), box.Rect()}, nil
}

// DecodeBlock appends the fixes of a block to dst, its lead included, and returns whether there is a lead.
func DecodeBlock(dst []ship.Fix, hour uint32, b []byte) (fixes []ship.Fix, lead bool, err error) {
	return DecodeUntil(dst, hour, b, math.MaxInt64)
}

// DecodeUntil is DecodeBlock up to the first fix at that time or later, in Unix milliseconds.
func DecodeUntil(dst []ship.Fix, hour uint32, b []byte, until int64) (fixes []ship.Fix, lead bool, err error) {
	head, err := ReadHead(b)
	if err != nil {
		return dst, false, err
	}
	r, coder, n := NewReader(b[HeaderSize:]), StartAt(HourStart(hour)), len(dst)
	coder.last.Feeds = r.readFeeds()
	dst, err = decodeRows(slices.Grow(dst, min(head.Count, len(b)/2)), coder, r, until)
	if err != nil {
		return dst[:n], false, err
	}
	cut := len(dst) > n && dst[len(dst)-1].At >= until
	if len(dst)-n != head.Count && !cut || (head.Lead && head.Count == 0) {
		return dst[:n], false, fmt.Errorf("%w: %d fixes, header says %d", ErrCorrupt, len(dst)-n, head.Count)
	}
	return dst, head.Lead, nil
}

// DecodeRows appends all fixes of a stream to dst.
func DecodeRows(dst []ship.Fix, coder Coder, rows []byte) ([]ship.Fix, error) {
	return decodeRows(dst, coder, NewReader(rows), math.MaxInt64)
}

func decodeRows(dst []ship.Fix, coder Coder, r Reader, until int64) ([]ship.Fix, error) {
	for r.More() {
		dst = append(dst, ship.Fix{})
		if !coder.Next(&r, &dst[len(dst)-1]) {
			return dst[:len(dst)-1], ErrCorrupt
		}
		if dst[len(dst)-1].At >= until {
			break
		}
	}
	if r.Bad {
		return dst, ErrCorrupt
	}
	return dst, nil
}
