package render

import (
	"math"

	"quaywatch/geo"
)

// Levels is how many shades a pixel of Cells may have.
const Levels = levels

// block is the side of a square of pixels in which places are interpolated.
const block = 16

// placeAt is Pixel the other way round: the place of a spot of the picture.
func (f Viewport) placeAt(x, y float64) geo.Point {
	east, north := f.west+x*(f.east-f.west)/float64(f.width), f.north-y*(f.north-f.south)/float64(f.height)
	if f.crs == EPSG3857 {
		east, north = east*180/half, math.Atan(math.Sinh(north*math.Pi/half))*180/math.Pi
	}
	return geo.Point{Lon: east, Lat: max(-90, min(90, north))}.Normalized()
}

// Projector returns where a place lies on a plane, in metres or whatever counts there.
type Projector func(geo.Point) (x, y float64)

// PixelSize returns about how large a pixel of the picture is on a plane. It is the smaller of a pixel in the middle and another beside it.
// A pixel where the plane is torn, as at 180°, seems to be large.
func (c *Canvas) PixelSize(of Projector) float64 {
	width, y := float64(c.frame.width), float64(c.frame.height)/2
	return min(c.pixelSize(of, width/2, y), c.pixelSize(of, width/4, y))
}

// pixelSize returns how large the pixel round a spot is.
func (c *Canvas) pixelSize(of Projector, x, y float64) float64 {
	ax, ay := of(c.frame.placeAt(x-0.5, y-0.5))
	bx, by := of(c.frame.placeAt(x+0.5, y+0.5))
	return math.Hypot(bx-ax, by-ay) / math.Sqrt2
}

// Cells shades each pixel with a class, by the place of its middle on a plane. shade returns a level from 1 to Levels, or 0 for nothing. Its cost is that of
// the pixels, however many cells there are.
func (c *Canvas) Cells(on Projector, of ColorClass, shade func(x, y float64) int) {
	for top := 0; top < c.frame.height; top += block {
		for left := 0; left < c.frame.width; left += block {
			c.block16(left, top, on, of, shade)
		}
	}
}

// block16 shades a square of pixels. Where the plane bends too much or has its edge, the place of each pixel is calculated.
func (c *Canvas) block16(left, top int, on Projector, of ColorClass, shade func(x, y float64) int) {
	at := func(dx, dy float64) spot {
		x, y := on(c.frame.placeAt(float64(left)+dx, float64(top)+dy))
		return spot{x, y}
	}
	a, b, d, e, middle := at(0, 0), at(block, 0), at(0, block), at(block, block), at(block/2, block/2)
	pixel := math.Hypot(e.x-a.x, e.y-a.y) / block
	even := math.Hypot((a.x+b.x+d.x+e.x)/4-middle.x, (a.y+b.y+d.y+e.y)/4-middle.y) < pixel/8
	for dy := range min(block, c.frame.height-top) {
		v := (float64(dy) + 0.5) / block
		from, to := spot{a.x + v*(d.x-a.x), a.y + v*(d.y-a.y)}, spot{b.x + v*(e.x-b.x), b.y + v*(e.y-b.y)}
		row := (top+dy)*c.frame.width + left
		for dx := range min(block, c.frame.width-left) {
			u := (float64(dx) + 0.5) / block
			point := spot{from.x + u*(to.x-from.x), from.y + u*(to.y-from.y)}
			if !even {
				point = at(float64(dx)+0.5, float64(dy)+0.5)
			}
			if level := shade(point.x, point.y); level > 0 {
				c.cover(row+dx, of, min(level, levels))
			}
		}
	}
}
