package render

import (
	"math"

	"quaywatch/geo"
)

// MarkShape is that of a mark.
type MarkShape uint8

// The shapes of marks.
const (
	Disc MarkShape = iota
	Ring
	Square
	Diamond
	Up   // a triangle that points up
	Down // and one that points down
	Cross
	Hull // a slender triangle whose tip lies ahead; see Vessel
)

// mostRadius bounds the size of a mark, in pixels.
const mostRadius = 48

// stampKey says what a mark looks like but for its class.
type stampKey struct {
	shape  MarkShape
	radius int
	turn   int  // of turnsAround, clockwise from up
	faint  bool // it covers half
}

// stamp is a mark as it is copied to its places: a level for each pixel of a square.
type stamp struct {
	side   int
	levels []uint8
}

// Mark draws a mark; its radius is in pixels, from 1 to 48.
func (c *Canvas) Mark(at geo.Point, shape MarkShape, of ColorClass, radius int) {
	x, y := c.frame.Pixel(at)
	c.copies(x, x, func(dx float64) { c.markAt(x+dx, y, of, stampKey{shape: shape, radius: radius}) })
}

// markAt is Mark at a place of the picture.
func (c *Canvas) markAt(x, y float64, of ColorClass, k stampKey) {
	if !(math.Abs(y) < MostPixels+mostRadius*2) {
		return
	}
	k.radius = max(1, min(mostRadius, k.radius))
	s := c.stamp(k)
	left, top := int(math.Floor(x))-s.side/2, int(math.Floor(y))-s.side/2
	for i, level := range s.levels {
		if level > 0 {
			c.coverPixel(left+i%s.side, top+i/s.side, of, int(level))
		}
	}
}

// stamp returns the stamp of a look, which is made once.
func (c *Canvas) stamp(k stampKey) *stamp {
	if made := c.stamps[k]; made != nil {
		return made
	}
	made := &stamp{side: 2*k.radius + 3}
	made.levels = make([]uint8, made.side*made.side)
	middle := float64(made.side) / 2
	sin, cos := math.Sincos(float64(k.turn) * 2 * math.Pi / turnsAround)
	all := levels
	if k.faint {
		all = levels / 2
	}
	for i := range made.levels {
		hits := 0
		for n := range 16 {
			x := float64(i%made.side) + (float64(n%4)+0.5)/4 - middle
			y := float64(i/made.side) + (float64(n/4)+0.5)/4 - middle
			if k.shape.coversPlace(x*cos+y*sin, y*cos-x*sin, float64(k.radius)) {
				hits++
			}
		}
		made.levels[i] = uint8(hits * all / 16)
	}
	c.stamps[k] = made
	return made
}

// coversPlace reports whether a mark of radius r covers a place, from its middle.
func (s MarkShape) coversPlace(x, y, r float64) bool {
	const line = 2.0
	ax, ay := math.Abs(x), math.Abs(y)
	switch s {
	case Disc:
		return x*x+y*y <= r*r
	case Ring:
		d := math.Hypot(x, y)
		return d <= r && d >= r-line
	case Square:
		return max(ax, ay) <= r*0.85
	case Diamond:
		return ax+ay <= r*1.1
	case Up:
		return y <= r*0.75 && ax <= (y+r)*0.6
	case Down:
		return -y <= r*0.75 && ax <= (r-y)*0.6
	case Hull:
		return y <= r*0.8 && ax <= (y+r)*0.3
	case Cross:
		return max(ax, ay) <= r*0.85 && math.Abs(ax-ay) <= line*0.7
	}
	return false
}
