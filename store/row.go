package store

import (
	"encoding/binary"
	"errors"
	"math/bits"

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

// next decodes one row and gives what follows it. The fixes it accepts can all be coded again.
func (c *rowCoder) next(src []byte) (ship.Fix, []byte, error) {
	r := reader{b: src}
	flags := r.byte()
	var step int64
	if c.n == 0 {
		step = r.signed()
	} else {
		step = int64(r.varint())
	}
	if flags&rowMillis == 0 {
		hi, lo := bits.Mul64(uint64(max(step, -step)), 1000)
		if hi != 0 || lo > maxMillis {
			return ship.Fix{}, nil, errCorrupt
		}
		step *= 1000
	}
	f := ship.Fix{At: c.last.At + step}
	if r.bad || f.At < 0 || f.At > maxMillis || (c.n > 0 && step <= 0) {
		return f, nil, errCorrupt
	}
	lon, lat := c.predict(f.At)
	if flags&rowPredicted == 0 {
		lon, lat = lon+r.signed(), lat+r.signed()
	}
	c.nextMotion(&r, flags, &f)
	f.Lon, f.Lat = int32(lon), int32(lat)
	if r.bad || int64(f.Lon) != lon || int64(f.Lat) != lat {
		return f, nil, errCorrupt
	}
	c.push(f)
	return f, r.b, nil
}

func (c *rowCoder) nextMotion(r *reader, flags byte, f *ship.Fix) {
	f.SOG, f.COG, f.Heading = c.last.SOG, c.last.COG, c.last.Heading
	f.ROT, f.Status = c.last.ROT, c.last.Status
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

// reader takes values off the front of b. After a value that is not there it is bad, and gives zeros.
type reader struct {
	b   []byte
	bad bool
}

func (r *reader) byte() byte {
	if len(r.b) == 0 {
		r.bad = true
		return 0
	}
	v := r.b[0]
	r.b = r.b[1:]
	return v
}

func (r *reader) varint() uint64 {
	if len(r.b) > 0 && r.b[0] < 0x80 {
		v := r.b[0]
		r.b = r.b[1:]
		return uint64(v)
	}
	v, n := binary.Uvarint(r.b)
	if n <= 0 {
		r.bad, r.b = true, nil
		return 0
	}
	r.b = r.b[n:]
	return v
}

func (r *reader) signed() int64 {
	v := r.varint()
	return int64(v>>1) ^ -int64(v&1)
}

func (r *reader) text() string {
	n := r.varint()
	if n > uint64(len(r.b)) {
		r.bad, r.b = true, nil
		return ""
	}
	v := string(r.b[:n])
	r.b = r.b[n:]
	return v
}
