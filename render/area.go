package render

import (
	"math"
	"slices"

	"quaywatch/geo"
)

// ring is the border of an area or of a hole, in pixels.
type ring []spot

// Area shades the inside of a polygon, by the even-odd rule, and draws its borders.
func (c *Canvas) Area(area geo.Polygon, look Stroke) {
	rings, west, east := c.rings(area)
	if len(rings) == 0 {
		return
	}
	c.copies(west, east, func(dx float64) {
		c.fillRings(rings, dx, look.Class, shade)
		for _, r := range rings {
			c.stroke(r, dx, look)
		}
	})
}

// Circle is Area of a circle; its radius is in metres.
func (c *Canvas) Circle(centre geo.Point, metres float64, look Stroke) {
	c.Area(geo.Polygon{Round(centre, metres)}, look)
}

// Round returns the border of a circle; its radius is in metres.
func Round(centre geo.Point, metres float64) []geo.Point {
	const corners = 72
	border := make([]geo.Point, 0, corners+1)
	for i := range corners {
		border = append(border, geo.Destination(centre, float64(i)*360/corners, metres))
	}
	return append(border, border[0])
}

// rings returns the borders of a polygon, all in the same turn of the world.
func (c *Canvas) rings(area geo.Polygon) (rings []ring, west, east float64) {
	west, east = math.Inf(1), math.Inf(-1)
	for _, border := range area {
		if len(border) == 0 {
			continue
		}
		c.trace(border, 0)
		drawn := ring(slices.Clone(c.path))
		if len(rings) > 0 { // a hole lies where the area does
			first := rings[0][0].x
			move := math.Round((first-drawn[0].x)/c.frame.Turn()) * c.frame.Turn()
			for i := range drawn {
				drawn[i].x += move
			}
		}
		drawn = c.overPole(drawn, border)
		for _, s := range drawn {
			west, east = min(west, s.x), max(east, s.x)
		}
		rings = append(rings, drawn)
	}
	return rings, west, east
}

// overPole closes a border that goes round the earth over the pole that it is nearer to.
func (c *Canvas) overPole(drawn ring, border []geo.Point) ring {
	first, last := drawn[0], drawn[len(drawn)-1]
	if math.Abs(last.x-first.x) < c.frame.Turn()/2 {
		return drawn
	}
	sum := 0.0
	for _, p := range border {
		sum += p.Lat
	}
	_, y := c.frame.pixelAt(0, math.Copysign(90, sum))
	return append(drawn, spot{last.x, y}, spot{first.x, y}, first)
}

// fillRings covers what lies inside of an odd number of borders.
func (c *Canvas) fillRings(rings []ring, dx float64, of ColorClass, level int) {
	c.eachInside(rings, dx, func(at int) { c.cover(at, of, level) })
}

// eachInside calls fn with the number of each pixel whose middle lies inside of an odd number of borders. Its cost is that of the pixels, and of the rows that
// each piece of the borders crosses.
func (c *Canvas) eachInside(rings []ring, dx float64, fn func(at int)) {
	if c.rows == nil {
		c.rows = make([][]float64, c.frame.height)
	}
	first, last := c.frame.height, -1
	for _, r := range rings {
		for i := 1; i < len(r); i++ {
			from, to := c.cutRows(r[i-1], r[i], dx)
			if from <= to {
				first, last = min(first, from), max(last, to)
			}
		}
	}
	for y := first; y <= last; y++ {
		cuts := c.rows[y]
		slices.Sort(cuts)
		for i := 1; i < len(cuts); i += 2 {
			from, to := max(0, math.Ceil(cuts[i-1]-0.5)), min(float64(c.frame.width-1), math.Ceil(cuts[i]-0.5)-1)
			for x := int(from); x <= int(to); x++ {
				fn(y*c.frame.width + x)
			}
		}
		c.rows[y] = cuts[:0]
	}
}

// cutRows notes where a piece of a border cuts the middles of rows, and returns the first and the last of these rows.
func (c *Canvas) cutRows(a, b spot, dx float64) (first, last int) {
	top, bottom := min(a.y, b.y), max(a.y, b.y)
	if !(top < bottom) { // or one is no place
		return 0, -1
	}
	first = int(math.Ceil(max(0, top-0.5)))
	last = int(math.Ceil(min(float64(c.frame.height), bottom-0.5))) - 1
	for y := first; y <= last; y++ {
		c.rows[y] = append(c.rows[y], a.x+dx+(b.x-a.x)*(float64(y)+0.5-a.y)/(b.y-a.y))
	}
	return first, last
}
