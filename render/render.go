// Package render draws features of a map into a picture: lines, areas, marks, rays, labels and a legend, in a projection that web maps use.
//
// A Canvas has one byte a pixel, which names a class of colour and how much of it covers the pixel. So a picture of a million places takes no more memory
// than an empty one, and is written as a small PNG. What a class looks like is said by a Style when the picture is written.
//
// The package holds no rule of the domain, and reads no file: the font is part of the program. A Canvas is for one goroutine.
package render

import (
	"image"
	"math"
	"slices"
	"sync"

	"golang.org/x/image/font"

	"quaywatch/geo"
)

// ColorClass is a colour by its place in the palette of a style. Classes differ in brightness as well, but a picture tells them apart by shape, width or pattern
// too: at night hue tells little.
type ColorClass uint8

// The classes. Paper is that of texts and of the ground of a legend. Those from Cargo on are ships by what they are; fast craft have Fourth. There is
// room for no more: a pixel has 256 values.
const (
	Paper ColorClass = iota
	Asked            // what the question names: a shape, a line
	First
	Second
	Third
	Fourth
	Fifth
	Sixth
	Land // which lies under all else and hides the ground
	Cargo
	Tanker
	Passenger
	Service
	Fishing
	Leisure
	Authority
	Other // ships of no other class, and stations
	classes
)

// levels is how many shares of a pixel are told apart.
const levels = 15

// shade is the level of the inside of an area.
const shade = 3

// margin is how far outside of the picture lines are still drawn, in pixels: more than half of the widest line.
const margin = 32

// Canvas is a picture that is being drawn.
type Canvas struct {
	frame   Viewport
	room    *[]uint8    // of the first pixels; nil when it was given back
	pixels  []uint8     // 0 is nothing, else 1 + class * levels + level - 1
	below   []uint8     // the layers that are done; nil for none
	solid   bool        // a pixel is covered or not: on the ground of a legend
	path    []spot      // of the line that is being drawn
	rows    [][]float64 // where the borders of an area cut each row of pixels
	held    [256]uint8  // the level of each index
	stamps  map[stampKey]*stamp
	letters font.Face // nil until a text is drawn
	labels  []image.Rectangle
}

// spot is a place of the picture, in pixels from its top left corner.
type spot struct{ x, y float64 }

// pixelRooms are the pixels of pictures that were dropped. New ones cost more than to clear these, as the system clears them page by page.
var pixelRooms = sync.Pool{New: func() any { return new([]uint8) }}

// New returns an empty picture of a frame.
func New(f Viewport) *Canvas {
	room := pixelRooms.Get().(*[]uint8)
	*room = slices.Grow((*room)[:0], f.width*f.height)[:f.width*f.height]
	clear(*room)
	c := &Canvas{frame: f, room: room, pixels: *room, stamps: map[stampKey]*stamp{}}
	for of := range classes {
		for level := 1; level <= levels; level++ {
			c.held[colourIndex(of, level)] = uint8(level)
		}
	}
	return c
}

// Drop gives the pixels to the next picture. Nothing is drawn or written afterwards; the labels stay.
func (c *Canvas) Drop() {
	if c.room == nil {
		return
	}
	pixelRooms.Put(c.room)
	c.room, c.pixels, c.below = nil, nil, nil
}

// coverPixel covers a share of a pixel with a class, level from 1 to levels. What covers more of a pixel stays.
func (c *Canvas) coverPixel(x, y int, of ColorClass, level int) {
	if uint(x) >= uint(c.frame.width) || uint(y) >= uint(c.frame.height) {
		return
	}
	c.cover(y*c.frame.width+x, of, level)
}

// cover is put of a pixel by its number.
func (c *Canvas) cover(at int, of ColorClass, level int) {
	if c.solid {
		c.coverWhole(at, of, level)
		return
	}
	if int(c.held[c.pixels[at]]) <= level {
		c.pixels[at] = colourIndex(of, level)
	}
}

// coverWhole covers a pixel or leaves it, where nothing lies between.
func (c *Canvas) coverWhole(at int, of ColorClass, level int) {
	if level > levels/2 {
		c.pixels[at] = colourIndex(of, levels)
	}
}

// colourIndex is how a pixel says what covers it.
func colourIndex(of ColorClass, level int) uint8 { return 1 + uint8(of)*levels + uint8(level-1) }

// copies calls fn with each offset, in pixels, at which something from west to east shows: a picture may show the world more than once.
func (c *Canvas) copies(west, east float64, fn func(dx float64)) {
	const farthest = 1e9 // what is no place on earth shows nowhere
	if !(math.Abs(west) < farthest && math.Abs(east) < farthest) {
		return
	}
	turn := c.frame.Turn()
	first := math.Ceil((-margin - east) / turn)
	last := math.Floor((float64(c.frame.width) + margin - west) / turn)
	for k := first; k <= last; k++ {
		fn(k * turn)
	}
}

// trace puts the way of some places into c.path, and returns how far west and east it reaches. Each step runs the shorter way round. A place nearer than step
// pixels to the one before is left out, but for the last.
func (c *Canvas) trace(places []geo.Point, step float64) (west, east float64) {
	c.path = c.path[:0]
	west, east = math.Inf(1), math.Inf(-1)
	lon := 0.0
	for i, p := range places {
		if i == 0 {
			lon = p.Lon
		} else {
			lon += nearer(p.Lon - places[i-1].Lon)
		}
		x, y := c.frame.pixelAt(lon, p.Lat)
		if n := len(c.path); n > 0 && i < len(places)-1 && math.Abs(x-c.path[n-1].x) < step && math.Abs(y-c.path[n-1].y) < step {
			continue
		}
		c.path = append(c.path, spot{x, y})
		west, east = min(west, x), max(east, x)
	}
	return west, east
}

// nearer returns a difference of longitudes the shorter way round, in degrees.
func nearer(d float64) float64 {
	if d > -180 && d <= 180 {
		return d
	}
	return d - 360*math.Floor((d+180)/360)
}
