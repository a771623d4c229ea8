package store

import (
	"encoding/binary"
	"errors"

	"quaywatch/ais"
	"quaywatch/ship"
)

// errCorrupt is what every decoder of this package gives for bytes that no encoder of it wrote.
var errCorrupt = errors.New("corrupt record")

// The flags of a row, its first byte (docs/format.md draws the row).
const (
	rowMillis    = 1 << iota // the time delta is in milliseconds, else in whole seconds
	rowPredicted             // the place is the predicted one: no residuals follow
	rowSOG
	rowCOG
	rowHeading
	rowROT
	rowStatus
	rowMark
)

// maxRow is the most bytes that one row takes.
const maxRow = 1 + 10 + 2*5 + 3*3 + 3

// restSOG is the speed in tenths of a knot up to which a ship counts as at rest: her jitter is noise, so the last place
// predicts the next one better than a line through the last two.
const restSOG = 5

// predictLimit is the longest step in milliseconds from which, and over which, a straight line predicts.
const predictLimit = 10 * 60 * 1000

// rowCoder is the memory of both the encoder and the decoder of a stream of fixes: the last two of it. Its zero value is
// the start of a stream.
type rowCoder struct {
	last, before ship.Fix
	n            uint8 // fixes seen, at most 2
}

// startAt begins a stream whose first time is coded against ms.
func startAt(ms int64) rowCoder { return rowCoder{last: ship.Fix{At: ms}} }

func (c *rowCoder) push(f ship.Fix) {
	c.before, c.last = c.last, f
	if c.n < 2 {
		c.n++
	}
}

// predict gives the place expected at the time at: on the line through the last two fixes when she moves, else the last.
func (c *rowCoder) predict(at int64) (lon, lat int64) {
	lon, lat = int64(c.last.Lon), int64(c.last.Lat)
	was, step := c.last.At-c.before.At, at-c.last.At
	tenths, known := c.last.SOG.Tenths()
	if c.n < 2 || (known && tenths <= restSOG) || was <= 0 || was > predictLimit || step <= 0 || step > predictLimit {
		return lon, lat
	}
	lon += (lon - int64(c.before.Lon)) * step / was
	lat += (lat - int64(c.before.Lat)) * step / was
	return lon, lat
}

// append codes f after what the stream has seen. In a stream that has begun, f must be later than the last fix.
func (c *rowCoder) append(dst []byte, f ship.Fix) []byte {
	at := len(dst)
	dst = append(dst, 0)
	var flags byte
	step := f.At - c.last.At
	if step%1000 != 0 {
		flags |= rowMillis
	} else {
		step /= 1000
	}
	if c.n == 0 {
		dst = appendSigned(dst, step)
	} else {
		dst = appendVarint(dst, uint64(step))
	}
	lon, lat := c.predict(f.At)
	if lon == int64(f.Lon) && lat == int64(f.Lat) {
		flags |= rowPredicted
	} else {
		dst = appendSigned(dst, int64(f.Lon)-lon)
		dst = appendSigned(dst, int64(f.Lat)-lat)
	}
	var more byte
	dst, more = c.appendMotion(dst, f)
	dst[at] = flags | more
	c.push(f)
	return dst
}

func (c *rowCoder) appendMotion(dst []byte, f ship.Fix) ([]byte, byte) {
	var flags byte
	if f.SOG != c.last.SOG {
		flags |= rowSOG
		dst = appendSigned(dst, int64(int16(f.SOG-c.last.SOG)))
	}
	if f.COG != c.last.COG {
		flags |= rowCOG
		dst = appendSigned(dst, int64(int16(f.COG-c.last.COG)))
	}
	if f.Heading != c.last.Heading {
		flags |= rowHeading
		dst = appendSigned(dst, int64(int16(f.Heading-c.last.Heading)))
	}
	if f.ROT != c.last.ROT {
		flags |= rowROT
		dst = append(dst, byte(f.ROT))
	}
	if f.Status != c.last.Status {
		flags |= rowStatus
		dst = append(dst, byte(f.Status))
	}
	if f.Mark != 0 {
		flags |= rowMark
		dst = append(dst, byte(f.Mark))
	}
	return dst, flags
}

// next decodes one row of r into f. What it accepts can be coded again. After false the stream is of no more use.
func (c *rowCoder) next(r *reader, f *ship.Fix) bool {
	flags := r.byte()
	var step int64
	if c.n == 0 {
		step = r.signed()
	} else {
		step = int64(r.varint())
	}
	if flags&rowMillis == 0 {
		if step > maxMillis/1000 || step < -maxMillis/1000 {
			return false
		}
		step *= 1000
	}
	at := c.last.At + step
	if r.bad || at < 0 || at > maxMillis || (c.n > 0 && step <= 0) {
		return false
	}
	lon, lat := c.predict(at)
	if flags&rowPredicted == 0 {
		lon, lat = lon+r.signed(), lat+r.signed()
	}
	*f = c.last
	f.At, f.Lon, f.Lat, f.Mark = at, int32(lon), int32(lat), 0
	if flags&^(rowMillis|rowPredicted) != 0 {
		nextMotion(r, flags, f)
	}
	if r.bad || int64(f.Lon) != lon || int64(f.Lat) != lat {
		return false
	}
	c.push(*f)
	return true
}

func nextMotion(r *reader, flags byte, f *ship.Fix) {
	if flags&rowSOG != 0 {
		f.SOG += ais.SOG(r.signed())
	}
	if flags&rowCOG != 0 {
		f.COG += ais.COG(r.signed())
	}
	if flags&rowHeading != 0 {
		f.Heading += ais.Heading(r.signed())
	}
	if flags&rowROT != 0 {
		f.ROT = ais.ROT(r.byte())
	}
	if flags&rowStatus != 0 {
		f.Status = ais.NavStatus(r.byte())
	}
	if flags&rowMark != 0 {
		f.Mark = ship.Mark(r.byte())
	}
}

// appendVarint writes v seven bits at a time, least first. It is binary.AppendUvarint with the short cases in line.
func appendVarint(dst []byte, v uint64) []byte {
	if v < 0x80 {
		return append(dst, byte(v))
	}
	if v < 0x4000 {
		return append(dst, byte(v)|0x80, byte(v>>7))
	}
	return binary.AppendUvarint(dst, v)
}

// appendSigned writes v in zig-zag: small numbers of either sign are short.
func appendSigned(dst []byte, v int64) []byte { return appendVarint(dst, uint64(v<<1)^uint64(v>>63)) }

// reader takes values off b, from at on. After a value that is not there it is bad, and gives zeros. It moves a number
// and not the slice, which would cost a write barrier for each value.
type reader struct {
	b   []byte
	at  int
	bad bool
}

// more tells whether anything is left.
func (r *reader) more() bool { return r.at < len(r.b) }

func (r *reader) byte() byte {
	if r.at >= len(r.b) {
		r.bad = true
		return 0
	}
	v := r.b[r.at]
	r.at++
	return v
}

func (r *reader) varint() uint64 {
	if r.at < len(r.b) && r.b[r.at] < 0x80 {
		r.at++
		return uint64(r.b[r.at-1])
	}
	return r.longVarint()
}

func (r *reader) longVarint() uint64 {
	if r.at+1 < len(r.b) && r.b[r.at+1] < 0x80 {
		v := uint64(r.b[r.at]&0x7f) | uint64(r.b[r.at+1])<<7
		r.at += 2
		return v
	}
	v, n := binary.Uvarint(r.b[r.at:])
	if n <= 0 {
		r.bad, r.at = true, len(r.b)
		return 0
	}
	r.at += n
	return v
}

func (r *reader) signed() int64 {
	v := r.varint()
	return int64(v>>1) ^ -int64(v&1)
}

func (r *reader) text() string {
	n := r.varint()
	if n > uint64(len(r.b)-r.at) {
		r.bad, r.at = true, len(r.b)
		return ""
	}
	v := string(r.b[r.at : r.at+int(n)])
	r.at += int(n)
	return v
}

// end gives an error when something was missing or is left over.
func (r *reader) end() error {
	if r.bad || r.more() {
		return errCorrupt
	}
	return nil
}
