package render

import (
	"math"
	"strings"
)

// Sample is how a row of a legend shows what it explains.
type Sample uint8

// The samples.
const (
	OfNothing Sample = iota
	OfLine
	OfMark
	OfArea
	OfBar  // as long as its Share says
	OfCell // filled with the Level of its ColorClass
)

// LegendRow is one row of a legend.
type LegendRow struct {
	Text   string
	Sample Sample
	Stroke Stroke    // of a line, an area or a bar
	Shape  MarkShape // of a mark, with its class and radius
	Class  ColorClass
	Radius int
	Level  int     // of a cell, from 1 to Levels
	Share  float64 // of a bar, from 0 to 1
}

// Legend explains a picture.
type Legend struct {
	Title string
	Rows  []LegendRow
}

// mostRows bounds a legend.
const mostRows = 24

// samplePixels is how wide samples are.
const samplePixels = 44

// Alone returns a picture that has a legend and nothing else.
func (l Legend) Alone() *Canvas {
	width, height := New(Viewport{}).legendSize(l)
	c := New(Viewport{width: width, height: height})
	c.Legend(0, 0, l)
	return c
}

// legendSize returns how large a legend is, in pixels.
func (c *Canvas) legendSize(l Legend) (width, height int) {
	rows := l.Rows[:min(len(l.Rows), mostRows)]
	_, width = c.mask(l.Title)
	for _, r := range rows {
		_, w := c.mask(r.Text)
		width = max(width, samplePixels+6+w)
	}
	return width + 12, rowPixels*(len(rows)+1) + 8
}

// Legend draws a legend with its top left corner at a place of the picture, in pixels. What does not fit is cut.
func (c *Canvas) Legend(left, top int, l Legend) {
	rows := l.Rows[:min(len(l.Rows), mostRows)]
	width, height := c.legendSize(l)
	c.fillBlock(left, top, width, height)
	c.solid = true
	defer func() { c.solid = false }()
	y := float64(top + 4)
	c.drawText(float64(left+6), y, l.Title, false)
	for _, r := range rows {
		y += rowPixels
		c.drawSample(float64(left+6), y, &r)
		c.drawText(float64(left+6+samplePixels+6), y, r.Text, false)
	}
}

// pixelShare returns where in a row of pixels the middle of a line of so many pixels lies, to cover whole ones. One of a pixel between two rows would cover neither.
func pixelShare(width float64) float64 {
	if int(math.Round(width))%2 == 1 {
		return 0.5
	}
	return 0
}

// drawSample draws what a row explains.
func (c *Canvas) drawSample(x, y float64, r *LegendRow) {
	within := pixelShare(r.Stroke.Width)
	middle := y + rowPixels/2
	switch r.Sample {
	case OfLine:
		c.stroke([]spot{{x, middle + within}, {x + samplePixels, middle + within}}, 0, r.Stroke)
	case OfMark:
		c.markAt(x+samplePixels/2, middle, r.Class, stampKey{shape: r.Shape, radius: min(r.Radius, rowPixels/2)})
	case OfBar:
		thick := r.Stroke
		thick.Width = rowPixels - 7
		c.stroke([]spot{{x, middle}, {x + samplePixels*max(0.02, min(1, r.Share)), middle}}, 0, thick)
	case OfCell:
		c.cellAt(int(x)+8, int(y)+3, r)
	case OfArea:
		west, east, top, bottom := x+8+within, x+samplePixels-8-within, y+3+within, y+rowPixels-4-within
		border := []spot{{west, top}, {east, top}, {east, bottom}, {west, bottom}, {west, top}}
		c.stroke(border, 0, r.Stroke)
	}
}

// cellAt draws the sample of a cell, with its shade.
func (c *Canvas) cellAt(left, top int, r *LegendRow) {
	c.solid = false
	defer func() { c.solid = true }()
	for y := range rowPixels - 7 {
		for x := range samplePixels - 16 {
			if at := (top+y)*c.frame.width + left + x; uint(left+x) < uint(c.frame.width) && uint(top+y) < uint(c.frame.height) {
				c.pixels[at] = colourIndex(r.Class, r.Level)
			}
		}
	}
}

// splitWords splits a text at its blanks.
func splitWords(text string) []string { return strings.Fields(text) }
