package track

import (
	"errors"

	"quaywatch/ais"
	"quaywatch/ship"
)

// ErrCorrupt is what every decoder of this package gives for bytes that no encoder of it wrote.
var ErrCorrupt = errors.New("corrupt record")

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

// What the byte that rowMark announces tells of the fixes that were left out before this fix. It is one more than expected or one fewer, or with both bits the
// difference follows.
const (
	markMore  = 1 << 5
	markFewer = 1 << 6
	markCount = markMore | markFewer
)

// markFeeds in the byte that rowMark announces tells that the number of the set of feeds differs from that of the last fix, and follows.
const markFeeds = 1 << 7

// markOf returns the bits of a mark. An untrusted fix is ship.Doubtful that begins no segment, which no other fix is; legs to it and from it are none
// anyway.
func markOf(m ship.Mark) byte {
	if m&ship.Untrusted != 0 {
		m = m&^(ship.Untrusted|ship.NewSegment) | ship.Doubtful
	}
	return byte(m)
}

// markFromBits returns the mark of bits.
func markFromBits(bits byte) ship.Mark {
	m := ship.Mark(bits)
	if m&(ship.Doubtful|ship.NewSegment) == ship.Doubtful {
		m = m&^ship.Doubtful | ship.Untrusted
	}
	return m
}

// MaxRow is the most bytes that one row takes.
const MaxRow = 1 + 10 + 2*5 + 3*3 + 3 + 5 + 2

// restSOG is the speed in tenths of a knot up to which a ship counts as at rest. Its jitter is noise, so the last place predicts the next one better than a
// line through the last two.
const restSOG = 5

// predictLimit is the longest step in milliseconds from which, and over which, a straight line predicts.
const predictLimit = 10 * 60 * 1000

// Coder is the memory of both the encoder and the decoder of a stream of fixes: the last two of it. Its zero value is
// the start of a stream.
type Coder struct {
	last, before ship.Fix
	n            uint8 // fixes seen, at most 2
	every        int64 // milliseconds between two reports when fixes were left out last, 0 before
}

// StartAt begins a stream whose first time is coded against ms.
func StartAt(ms int64) Coder { return Coder{last: ship.Fix{At: ms}} }

// LastAt returns the time of the last fix of the stream.
func (c *Coder) LastAt() int64 { return c.last.At }

func (c *Coder) push(f ship.Fix) {
	if f.LeftOut > 0 && c.n > 0 {
		c.every = (f.At - c.last.At) / (int64(f.LeftOut) + 1)
	}
	c.before, c.last = c.last, f
	if c.n < 2 {
		c.n++
	}
}

// leftOut returns how many fixes are expected to be left out before one: as often as lately, where any may be.
func (c *Coder) leftOut(f *ship.Fix) int {
	if c.every == 0 || c.n == 0 || LeftOut(c.last, *f) == c.last.At {
		return 0
	}
	return int(max(0, min((f.At-c.last.At+c.every/2)/c.every-1, ship.MostLeftOut)))
}

// predict returns the place expected at the time at: on the line through the last two fixes when the ship moves, else the last.
func (c *Coder) predict(at int64) (lon, lat int64) {
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

// Append codes f after what the stream has seen. In a stream that has begun, f must be later than the last fix.
func (c *Coder) Append(dst []byte, f ship.Fix) []byte {
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
		dst = AppendVarint(dst, uint64(step))
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

func (c *Coder) appendMotion(dst []byte, f ship.Fix) ([]byte, byte) {
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
	mark, off := markOf(f.Mark), int(f.LeftOut)-c.leftOut(&f)
	switch {
	case off == 1:
		mark |= markMore
	case off == -1:
		mark |= markFewer
	case off != 0:
		mark |= markCount
	}
	if f.Feeds != c.last.Feeds {
		mark |= markFeeds
	}
	if mark == 0 {
		return dst, flags
	}
	dst = append(dst, mark)
	if mark&markFeeds != 0 {
		dst = AppendVarint(dst, uint64(f.Feeds))
	}
	if mark&markCount == markCount {
		dst = appendSigned(dst, int64(off))
	}
	return dst, flags | rowMark
}

// Next decodes one row of r into f. What it accepts can be coded again. After false the stream is of no more use.
func (c *Coder) Next(r *Reader, f *ship.Fix) bool {
	flags := r.Byte()
	var step int64
	if c.n == 0 {
		step = r.Signed()
	} else {
		step = int64(r.Varint())
	}
	if flags&rowMillis == 0 {
		if step > MaxMillis/1000 || step < -MaxMillis/1000 {
			return false
		}
		step *= 1000
	}
	at := c.last.At + step
	if r.Bad || at < 0 || at > MaxMillis || (c.n > 0 && step <= 0) {
		return false
	}
	lon, lat := c.predict(at)
	if flags&rowPredicted == 0 {
		lon, lat = lon+r.Signed(), lat+r.Signed()
	}
	*f = c.last
	f.At, f.Lon, f.Lat, f.Mark = at, int32(lon), int32(lat), 0
	mark := byte(0)
	if flags&^(rowMillis|rowPredicted) != 0 {
		mark = nextMotion(r, flags, f)
	}
	left := c.nextLeftOut(r, mark, f)
	if f.LeftOut = uint8(left); left < 0 || left > ship.MostLeftOut {
		return false
	}
	if r.Bad || int64(f.Lon) != lon || int64(f.Lat) != lat {
		return false
	}
	c.push(*f)
	return true
}

// nextLeftOut decodes how many fixes were left out before f.
func (c *Coder) nextLeftOut(r *Reader, mark byte, f *ship.Fix) int64 {
	left := int64(c.leftOut(f))
	switch mark & markCount {
	case markMore:
		return left + 1
	case markFewer:
		return left - 1
	case markCount:
		return left + max(-ship.MostLeftOut-1, min(r.Signed(), ship.MostLeftOut+1))
	}
	return left
}

// nextMotion decodes the rest of a row, but how many fixes were left out, and returns its byte of marks.
func nextMotion(r *Reader, flags byte, f *ship.Fix) (mark byte) {
	if flags&rowSOG != 0 {
		f.SOG += ais.SOG(r.Signed())
	}
	if flags&rowCOG != 0 {
		f.COG += ais.COG(r.Signed())
	}
	if flags&rowHeading != 0 {
		f.Heading += ais.Heading(r.Signed())
	}
	if flags&rowROT != 0 {
		f.ROT = ais.ROT(r.Byte())
	}
	if flags&rowStatus != 0 {
		f.Status = ais.NavStatus(r.Byte())
	}
	if flags&rowMark != 0 {
		mark = r.Byte()
		if f.Mark = markFromBits(mark &^ (markFeeds | markCount)); mark&markFeeds != 0 {
			f.Feeds = r.readFeeds()
		}
	}
	return mark
}
