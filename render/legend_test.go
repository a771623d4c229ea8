package render

import "testing"

// TestEachSampleOfALegendShows: of a line of any width and pattern, of a bar, an area, a mark and a cell something is seen, wherever the legend stands.
func TestEachSampleOfALegendShows(t *testing.T) {
	rows := []LegendRow{{Sample: OfMark, Class: Third, Radius: 4}, {Sample: OfCell, Class: Third, Level: levels}}
	for _, width := range []float64{1, 1.5, 2, 3} {
		for _, pattern := range []Pattern{{}, Dashed(), Dotted()} {
			look := Stroke{Class: Third, Width: width, Pattern: pattern}
			rows = append(rows, LegendRow{Sample: OfLine, Stroke: look}, LegendRow{Sample: OfArea, Stroke: look}, LegendRow{Sample: OfBar, Stroke: look, Share: 0.5})
		}
	}
	for _, row := range rows {
		for _, top := range []int{0, 1, 10} {
			c := New(frame(t, CRS84, [4]float64{0, 0, 10, 10}, 200, 100))
			c.Legend(top, top, Legend{Rows: []LegendRow{row}})
			seen := 0
			for _, p := range c.pixels {
				if p >= colourIndex(Third, 1) && p <= colourIndex(Third, levels) {
					seen++
				}
			}
			if seen < 8 {
				t.Errorf("%+v at %d: %d pixels are seen", row, top, seen)
			}
		}
	}
}

// TestASampleIsAsWideAsItsLine counts the pixels of a line across it.
func TestASampleIsAsWideAsItsLine(t *testing.T) {
	for width := 1; width <= 6; width++ {
		c := New(frame(t, CRS84, [4]float64{0, 0, 10, 10}, 100, 60))
		c.Legend(0, 0, Legend{Rows: []LegendRow{{Sample: OfLine, Stroke: Stroke{Class: Third, Width: float64(width)}}}})
		across := 0
		for y := range 60 {
			if c.pixels[y*100+20] == colourIndex(Third, levels) {
				across++
			}
		}
		if across != width {
			t.Errorf("a line of %d pixels is %d wide", width, across)
		}
	}
}
