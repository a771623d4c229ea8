package render

import (
	"math"

	"quaywatch/geo"
)

// turnsAround is how many directions of a hull are told apart.
const turnsAround = 64

// Vessel draws a ship whose bow points to a bearing in degrees; its radius is in pixels. A faint one covers half of what it lies on.
func (c *Canvas) Vessel(at geo.Point, bearing float64, of ColorClass, radius int, faint bool) {
	x, y := c.frame.Pixel(at)
	turn := int(math.Round(c.frame.direction(at, bearing)*turnsAround/(2*math.Pi)))%turnsAround + turnsAround
	k := stampKey{Hull, radius, turn % turnsAround, faint}
	c.copies(x, x, func(dx float64) { c.markAt(x+dx, y, of, k) })
}

// FaintMark is Mark of what covers half of what it lies on.
func (c *Canvas) FaintMark(at geo.Point, shape MarkShape, of ColorClass, radius int) {
	x, y := c.frame.Pixel(at)
	c.copies(x, x, func(dx float64) { c.markAt(x+dx, y, of, stampKey{shape: shape, radius: radius, faint: true}) })
}

// direction returns which way a bearing runs on the picture, in radians clockwise from up. It is toward without an ellipsoid, for very many marks.
func (f Viewport) direction(at geo.Point, bearing float64) float64 {
	sin, cos := math.Sincos(bearing * math.Pi / 180)
	if f.crs != EPSG3857 {
		sin /= max(0.01, math.Cos(at.Lat*math.Pi/180))
	}
	return math.Atan2(sin*float64(f.width)/(f.east-f.west), cos*float64(f.height)/(f.north-f.south))
}

// Name writes a text beside a place, moved by dx and dy pixels, where its layer has room for it. Then nothing of it lies outside of the picture or on what is
// drawn there.
func (c *Canvas) Name(at geo.Point, text string, dx, dy float64) {
	if text == "" {
		return
	}
	x, y := c.frame.Pixel(at)
	c.copies(x, x, func(turn float64) {
		left, top := x+turn+dx, y+dy
		if _, width := c.mask(text); c.isFree(int(math.Floor(left))-2, int(math.Floor(top)), width+4, rowPixels) {
			c.drawText(left, top, text, true)
		}
	})
}

// isFree reports whether a piece lies in the picture, and nothing is drawn there in this layer.
func (c *Canvas) isFree(left, top, width, height int) bool {
	if left < 0 || top < 0 || left+width > c.frame.width || top+height > c.frame.height {
		return false
	}
	for y := top; y < top+height; y++ {
		for _, what := range c.pixels[y*c.frame.width+left:][:width] {
			if what != 0 {
				return false
			}
		}
	}
	return true
}
