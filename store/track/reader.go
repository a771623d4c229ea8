package track

import (
	"encoding/binary"
	"math"

	"quaywatch/ship"
)

// AppendVarint writes v seven bits at a time, least first. It is binary.AppendUvarint with the short cases in line.
func AppendVarint(dst []byte, v uint64) []byte {
	if v < 0x80 {
		return append(dst, byte(v))
	}
	if v < 0x4000 {
		return append(dst, byte(v)|0x80, byte(v>>7))
	}
	return binary.AppendUvarint(dst, v)
}

// appendSigned writes v in zig-zag: small numbers of either sign are short.
func appendSigned(dst []byte, v int64) []byte { return AppendVarint(dst, uint64(v<<1)^uint64(v>>63)) }

// Reader takes values off bytes, one after another. After a value that is not there it is Bad, and gives zeros. It moves a number and
// not the slice, which would cost a write barrier for each value.
type Reader struct {
	b   []byte
	at  int
	Bad bool
}

// NewReader returns a reader at the beginning of b.
func NewReader(b []byte) Reader { return Reader{b: b} }

// More reports whether anything is left.
func (r *Reader) More() bool { return r.at < len(r.b) }

// Byte takes one byte.
func (r *Reader) Byte() byte {
	if r.at >= len(r.b) {
		r.Bad = true
		return 0
	}
	v := r.b[r.at]
	r.at++
	return v
}

// Varint takes a number as AppendVarint writes it.
func (r *Reader) Varint() uint64 {
	if r.at < len(r.b) && r.b[r.at] < 0x80 {
		r.at++
		return uint64(r.b[r.at-1])
	}
	return r.longVarint()
}

func (r *Reader) longVarint() uint64 {
	if r.at+1 < len(r.b) && r.b[r.at+1] < 0x80 {
		v := uint64(r.b[r.at]&0x7f) | uint64(r.b[r.at+1])<<7
		r.at += 2
		return v
	}
	v, n := binary.Uvarint(r.b[r.at:])
	if n <= 0 {
		r.Bad, r.at = true, len(r.b)
		return 0
	}
	r.at += n
	return v
}

// Signed takes a number in zig-zag.
func (r *Reader) Signed() int64 {
	v := r.Varint()
	return int64(v>>1) ^ -int64(v&1)
}

// readFeeds takes the number of a set of feeds.
func (r *Reader) readFeeds() ship.FeedSet {
	n := r.Varint()
	if n > math.MaxUint32 {
		r.Bad = true
	}
	return ship.FeedSet(n)
}

// Text takes a text after its length.
func (r *Reader) Text() string {
	n := r.Varint()
	if n > uint64(len(r.b)-r.at) {
		r.Bad, r.at = true, len(r.b)
		return ""
	}
	v := string(r.b[r.at : r.at+int(n)])
	r.at += int(n)
	return v
}

// End returns ErrCorrupt when something was missing or is left over.
func (r *Reader) End() error {
	if r.Bad || r.More() {
		return ErrCorrupt
	}
	return nil
}
