package render

import (
	"math"

	"quaywatch/geo"
)

// Next ends a layer: what is drawn from now on lies over what was drawn so far, however little of a pixel that covered. Without it what covers more of a
// pixel stays.
func (c *Canvas) Next() {
	if c.below == nil {
		c.below = make([]uint8, len(c.pixels))
	}
	for at, top := range c.pixels {
		if top != 0 && (c.below[at] == 0 || c.hides(top)) {
			c.below[at] = top
		}
	}
	clear(c.pixels)
}

// hides reports whether what a layer has at a pixel hides the layers below. A shade and the rim of a line do not: the pixel would show the ground.
func (c *Canvas) hides(top uint8) bool {
	of := ColorClass((top - 1) / levels)
	return of == Paper || of == Land || c.held[top] > shade
}

// flatten makes one layer of all.
func (c *Canvas) flatten() {
	if c.below == nil {
		return
	}
	c.Next()
	c.pixels, c.below = c.below, nil
}

// Bounds returns the piece of the earth that the picture shows, and so many pixels around it.
func (f Viewport) Bounds(around int) geo.Rect {
	w, h := (f.east-f.west)/float64(f.width)*float64(around), (f.north-f.south)/float64(f.height)*float64(around)
	west, south, east, north := f.west-w, f.south-h, f.east+w, f.north+h
	if f.crs == EPSG3857 {
		west, east = west*180/half, east*180/half
		south, north = math.Atan(math.Sinh(south*math.Pi/half))*180/math.Pi, math.Atan(math.Sinh(north*math.Pi/half))*180/math.Pi
	}
	r := geo.Rect{West: -180, East: 180, South: max(-90, min(90, south)), North: max(-90, min(90, north))}
	if east-west < 360 {
		r.West, r.East = geo.Point{Lon: west}.Normalized().Lon, geo.Point{Lon: east}.Normalized().Lon
	}
	return r
}

// Web is a place on the square on which the web's maps lie, by the projection of EPSG:3857. x runs from 0 at 180° W to 1 at 180° E, y from 0 in the north to 1
// in the south. Places beyond the square go on.
type Web = [2]float64

// web returns where such a place lies, in pixels.
func (f Viewport) web(p Web) spot {
	east, north := (2*p[0]-1)*half, (1-2*p[1])*half
	if f.crs != EPSG3857 {
		east, north = east*180/half, math.Atan(math.Sinh(north*math.Pi/half))*180/math.Pi
	}
	return spot{(east - f.west) * float64(f.width) / (f.east - f.west), (f.north - north) * float64(f.height) / (f.north - f.south)}
}

// Land covers the inside of an area of land. It hides what was drawn in its layer before.
func (c *Canvas) Land(area [][]Web) { c.fillArea(area, colourIndex(Land, levels)) }

// Water takes away what was drawn in the layer inside an area.
func (c *Canvas) Water(area [][]Web) { c.fillArea(area, 0) }

// fillArea puts a value into each pixel inside an area.
func (c *Canvas) fillArea(area [][]Web, value uint8) {
	var rings []ring
	west, east := math.Inf(1), math.Inf(-1)
	for _, border := range area {
		outline := make(ring, len(border))
		for i, p := range border {
			outline[i] = c.frame.web(p)
			west, east = min(west, outline[i].x), max(east, outline[i].x)
		}
		rings = append(rings, outline)
	}
	c.copies(west, east, func(dx float64) { c.eachInside(rings, dx, func(at int) { c.pixels[at] = value }) })
}
