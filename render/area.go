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
		c.fill(rings, dx, look.Class, shade)
		for _, r := range rings {
			c.stroke(r, dx, look)
		}
	})
}

// Circle is Area of a circle; its radius is in metres.
func (c *Canvas) Circle(centre geo.Point, metres float64, look Stroke) {
	const corners = 72
	border := make([]geo.Point, 0, corners+1)
	for i := range corners {
		border = append(border, geo.Destination(centre, float64(i)*360/corners, metres))
	}
	c.Area(geo.Polygon{append(border, border[0])}, look)
}

// rings gives the borders of a polygon, all in the same turn of the world.
func (c *Canvas) rings(area geo.Polygon) (rings []ring, west, east float64) {
	west, east = math.Inf(1), math.Inf(-1)
	for _, border := range area {
		if len(border) == 0 {
			continue
		}
		c.trace(border, 0)
		one := ring(slices.Clone(c.path))
		if len(rings) > 0 { // a hole lies where the area does
			first := rings[0][0].x
			move := math.Round((first-one[0].x)/c.frame.Turn()) * c.frame.Turn()
			for i := range one {
				one[i].x += move
			}
		}
		one = c.overPole(one, border)
		for _, s := range one {
			west, east = min(west, s.x), max(east, s.x)
		}
		rings = append(rings, one)
	}
	return rings, west, east
}

// overPole closes a border that goes round the earth over the pole that it is nearer to.
func (c *Canvas) overPole(one ring, border []geo.Point) ring {
	first, last := one[0], one[len(one)-1]
	if math.Abs(last.x-first.x) < c.frame.Turn()/2 {
		return one
	}
	sum := 0.0
	for _, p := range border {
		sum += p.Lat
	}
	_, y := c.frame.at(0, math.Copysign(90, sum))
	return append(one, spot{last.x, y}, spot{first.x, y}, first)
}

// fill covers what lies inside of an odd number of borders.
func (c *Canvas) fill(rings []ring, dx float64, of Class, level int) {
	top, bottom := math.Inf(1), math.Inf(-1)
	for _, r := range rings {
		for _, s := range r {
			top, bottom = min(top, s.y), max(bottom, s.y)
		}
	}
	for y := int(max(0, top)); y < int(min(float64(c.frame.height), bottom+1)); y++ {
		middle := float64(y) + 0.5
		c.cuts = c.cuts[:0]
		for _, r := range rings {
			for i := 1; i < len(r); i++ {
				a, b := r[i-1], r[i]
				if (a.y <= middle) != (b.y <= middle) {
					c.cuts = append(c.cuts, a.x+dx+(b.x-a.x)*(middle-a.y)/(b.y-a.y))
				}
			}
		}
		slices.Sort(c.cuts)
		for i := 1; i < len(c.cuts); i += 2 {
			from, to := max(0, math.Ceil(c.cuts[i-1]-0.5)), min(float64(c.frame.width-1), math.Ceil(c.cuts[i]-0.5)-1)
			for x := int(from); x <= int(to); x++ {
				c.put(x, y, of, level)
			}
		}
	}
}
