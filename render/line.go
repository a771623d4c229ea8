package render

import (
	"math"

	"quaywatch/geo"
)

// Pattern is how a line is broken: so many pixels drawn, then so many left out. The zero Pattern is a whole line.
type Pattern struct{ On, Off float64 }

// Dashed is a line of long pieces.
func Dashed() Pattern { return Pattern{9, 5} }

// Dotted is a line of short pieces.
func Dotted() Pattern { return Pattern{2, 4} }

// Stroke is how a line looks. Width is in pixels, at most 24.
type Stroke struct {
	Class   ColorClass
	Width   float64
	Pattern Pattern
}

// widest bounds the width of a line.
const widest = 24

// Line draws a line from place to place, each step the shorter way round.
func (c *Canvas) Line(places []geo.Point, look Stroke) {
	west, east := c.trace(places, 0.75)
	if len(c.path) == 0 {
		return
	}
	c.copies(west, east, func(dx float64) { c.stroke(c.path, dx, look) })
}

// Ray draws a straight line from a place towards a bearing in degrees; its length is in pixels. With head it is an arrow.
func (c *Canvas) Ray(from geo.Point, bearing, length float64, look Stroke, head bool) {
	x, y := c.frame.Pixel(from)
	ux, uy := c.toward(from, bearing)
	tip := spot{x + ux*length, y + uy*length}
	c.copies(x, x, func(dx float64) {
		c.stroke([]spot{{x, y}, tip}, dx, look)
		if head {
			barb := min(7, length/2) + look.Width/2
			plain := look
			plain.Pattern = Pattern{}
			left, right := spot{tip.x - barb*(ux-uy*0.6), tip.y - barb*(uy+ux*0.6)}, spot{tip.x - barb*(ux+uy*0.6), tip.y - barb*(uy-ux*0.6)}
			c.stroke([]spot{left, tip, right}, dx, plain)
		}
	})
}

// toward returns which way a bearing runs on the picture, as a step of one pixel.
func (c *Canvas) toward(from geo.Point, bearing float64) (x, y float64) {
	const metres = 100
	to := geo.Destination(from, bearing, metres)
	x0, y0 := c.frame.Pixel(from)
	x1, y1 := c.frame.pixelAt(from.Lon+nearer(to.Lon-from.Lon), to.Lat)
	n := math.Hypot(x1-x0, y1-y0)
	if !(n > 0) {
		return 0, -1 // at a pole
	}
	return (x1 - x0) / n, (y1 - y0) / n
}

// stroke draws a way over the picture, moved by dx.
func (c *Canvas) stroke(way []spot, dx float64, look Stroke) {
	reach := max(0.5, min(widest, look.Width)/2)
	phase := 0.0
	if len(way) == 1 {
		c.drawSegment(way[0].x+dx, way[0].y, way[0].x+dx, way[0].y, reach, look, &phase)
	}
	for i := 1; i < len(way); i++ {
		c.drawSegment(way[i-1].x+dx, way[i-1].y, way[i].x+dx, way[i].y, reach, look, &phase)
	}
}

// drawSegment draws one piece, of which phase pixels of the pattern lie behind.
func (c *Canvas) drawSegment(x0, y0, x1, y1, reach float64, look Stroke, phase *float64) {
	from, to, ok := c.visible(x0, y0, x1, y1)
	begin := *phase
	if period := look.Pattern.On + look.Pattern.Off; period > 0 {
		length := math.Hypot(x1-x0, y1-y0)
		*phase = math.Mod(begin+length, period)
		begin += from * length
	}
	if !ok {
		return
	}
	x0, y0, x1, y1 = x0+(x1-x0)*from, y0+(y1-y0)*from, x0+(x1-x0)*to, y0+(y1-y0)*to
	if math.Abs(x1-x0) >= math.Abs(y1-y0) {
		c.drawColumns(x0, y0, x1, y1, reach, look, begin, false)
	} else {
		c.drawColumns(y0, x0, y1, x1, reach, look, begin, true)
	}
}

// visible returns which share of a piece may show (Liang and Barsky); false for none.
func (c *Canvas) visible(x0, y0, x1, y1 float64) (from, to float64, ok bool) {
	to = 1
	width, height := float64(c.frame.width), float64(c.frame.height)
	if min(x0, x1) >= 0 && max(x0, x1) <= width && min(y0, y1) >= 0 && max(y0, y1) <= height {
		return 0, 1, true
	}
	clip := func(step, room float64) bool {
		switch t := room / step; {
		case step == 0:
			return room >= 0
		case step < 0:
			from = max(from, t)
		default:
			to = min(to, t)
		}
		return from <= to
	}
	ok = clip(x0-x1, x0+margin) && clip(x1-x0, width+margin-x0) &&
		clip(y0-y1, y0+margin) && clip(y1-y0, height+margin-y0)
	return from, to, ok
}

// drawColumns draws a piece column by column along its longer axis u; v is the other one. Where they are swapped, u runs down.
func (c *Canvas) drawColumns(u0, v0, u1, v1, reach float64, look Stroke, begin float64, swapped bool) {
	slope := 0.0
	if u1 != u0 {
		slope = (v1 - v0) / (u1 - u0)
	}
	slant := math.Sqrt(1 + slope*slope)
	wide := reach * slant
	period := look.Pattern.On + look.Pattern.Off
	mostU, mostV, stepU, stepV := c.frame.width-1, c.frame.height-1, 1, c.frame.width
	if swapped {
		mostU, mostV, stepU, stepV = mostV, mostU, stepV, stepU
	}
	first, last := max(0, int(min(u0, u1)+margin)-margin), min(mostU, int(max(u0, u1)+margin)-margin)
	for u := first; u <= last; u++ {
		middle := float64(u) + 0.5
		if period > 0 && math.Mod(begin+math.Abs(middle-u0)*slant, period) > look.Pattern.On {
			continue
		}
		v := v0 + (middle-u0)*slope
		from, to := max(0, int(v-wide+margin)-margin), min(mostV, int(v+wide+margin)-margin)
		at := u*stepU + from*stepV
		rest := (wide + 0.5) * levels
		for d := (float64(from) + 0.5 - v) * levels; from <= to; from++ {
			if level := min(levels, int(rest-math.Abs(d))); level > 0 {
				c.cover(at, look.Class, level)
			}
			d += levels
			at += stepV
		}
	}
}
