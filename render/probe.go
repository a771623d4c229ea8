package render

import "math"

// Around returns the frame of the pixels that lie up to reach pixels from a pixel of the picture, in each direction. It is at the scale of the picture.
func (f Viewport) Around(x, y, reach int) Viewport {
	w, h := (f.east-f.west)/float64(f.width), (f.north-f.south)/float64(f.height)
	side := 2*reach + 1
	west, north := f.west+float64(x-reach)*w, f.north-float64(y-reach)*h
	return Viewport{crs: f.crs, west: west, south: north - float64(side)*h, east: west + float64(side)*w, north: north, width: side, height: side}
}

// Nearest returns how far from the pixel in the middle the nearest pixel lies on which something is drawn, in pixels. It also returns on how many something is.
func (c *Canvas) Nearest() (pixels float64, covered int) {
	x, y := c.frame.width/2, c.frame.height/2
	least := math.MaxInt
	for i, what := range c.pixels {
		if what == 0 {
			continue
		}
		dx, dy := i%c.frame.width-x, i/c.frame.width-y
		least = min(least, dx*dx+dy*dy)
		covered++
	}
	return math.Sqrt(float64(least)), covered
}

// Clear makes the picture empty.
func (c *Canvas) Clear() { clear(c.pixels) }
