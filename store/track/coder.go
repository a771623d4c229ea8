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

// markFeeds in the byte that rowMark announces tells that the number of the set of feeds differs from that of the last fix, and follows.
const markFeeds = 1 << 7

// MaxRow is the most bytes that one row takes.
const MaxRow = 1 + 10 + 2*5 + 3*3 + 3 + 5

// restSOG is the speed in tenths of a knot up to which a ship counts as at rest: its jitter is noise, so the last place
// predicts the next one better than a line through the last two.
const restSOG = 5

// predictLimit is the longest step in milliseconds from which, and over which, a straight line predicts.
const predictLimit = 10 * 60 * 1000

// Coder is the memory of both the encoder and the decoder of a stream of fixes: the last two of it. Its zero value is
// the start of a stream.
type Coder struct {
	last, before ship.Fix
	n            uint8 // fixes seen, at most 2
}

// StartAt begins a stream whose first time is coded against ms.
func StartAt(ms int64) Coder { return Coder{last: ship.Fix{At: ms}} }

// LastAt gives the time of the last fix of the stream.
func (c *Coder) LastAt() int64 { return c.last.At }

func (c *Coder) push(f ship.Fix) {
	c.before, c.last = c.last, f
	if c.n < 2 {
		c.n++
	}
}

// predict gives the place expected at the time at: on the line through the last two fixes when the ship moves, else the last.
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
	switch {
	case f.Feeds != c.last.Feeds:
		flags |= rowMark
		dst = AppendVarint(append(dst, byte(f.Mark)|markFeeds), uint64(f.Feeds))
	case f.Mark != 0:
		flags |= rowMark
		dst = append(dst, byte(f.Mark))
	}
	return dst, flags
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
	if flags&^(rowMillis|rowPredicted) != 0 {
		nextMotion(r, flags, f)
	}
	if r.Bad || int64(f.Lon) != lon || int64(f.Lat) != lat {
		return false
	}
	c.push(*f)
	return true
}

func nextMotion(r *Reader, flags byte, f *ship.Fix) {
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
		mark := r.Byte()
		if f.Mark = ship.Mark(mark &^ markFeeds); mark&markFeeds != 0 {
			f.Feeds = r.feeds()
		}
	}
}
