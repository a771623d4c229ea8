package wms

import (
	"encoding/json"
	"fmt"
	"math"

	"quaywatch/geo"
	"quaywatch/render"
	"quaywatch/ship"
)

// drawArea shades the shape, and marks where ships came in. Where the statistic has tracks they are drawn, with a mark where each ship left.
func drawArea(k *sketch) drawing {
	k.drawAsked("shape")
	entries, before, exits := 0, 0, 0
	type visit struct {
		Position *point   `json:"position"`
		Before   bool     `json:"entered_before"`
		TimesIn  []string `json:"times_in"`
		TimesOut []string `json:"times_out"`
	}
	return tracked(func(v *visit, sailed ship.Track) {
		if way := placesOf(sailed); len(way) > 0 {
			k.canvas.Line(way, render.Stroke{Class: render.Third, Width: 1})
			k.canvas.Mark(way[len(way)-1], render.Down, render.Second, 6)
			exits++
		}
		at, ok := v.Position.geoPoint()
		switch {
		case !ok: // of a ship list there are no places
			entries += len(v.TimesIn)
			exits += len(v.TimesOut)
		case v.Before:
			k.canvas.Mark(at, render.Ring, render.Fourth, 6)
			before++
		default:
			k.canvas.Mark(at, render.Up, render.First, 6)
			entries++
		}
	}, func() {
		rows := []render.LegendRow{k.markRow(render.Up, render.First, 6, "came in", entries), k.markRow(render.Ring, render.Fourth, 6, "was inside", before)}
		if exits > 0 { // without tracks nobody knows how many left
			rows = append(rows, k.markRow(render.Down, render.Second, 6, "left", exits))
		}
		k.beginLegend("Visits to the area", append(rows, render.LegendRow{Text: k.formatText("the area"), Sample: render.OfArea, Stroke: askedLook()})...)
	})
}

// bins is into how many pieces a line is cut, and longestBar how long the bar of the fullest is, in pixels.
const (
	bins       = 24
	longestBar = 48
)

// ways are the looks of the two directions: from left to right, or from the first line to the last, and back.
func ways() [2]render.Stroke {
	return [2]render.Stroke{{Class: render.First, Width: 4}, {Class: render.Second, Width: 4, Pattern: render.Pattern{On: 5, Off: 2}}}
}

// drawPassages draws how many ships crossed each piece of the line, as bars to the side to which they went, and arrows with the sums.
func drawPassages(k *sketch) drawing {
	k.drawAsked("passageline")
	line := lineOf(k.asked["passageline"])
	length := line.Length()
	var counts [2][bins]int
	type passage struct {
		Flag     bool    `json:"direction_flag"`
		Distance float64 `json:"distance"`
	}
	return drawingOf(func(p *passage) {
		bin := 0
		if length > 0 {
			bin = max(0, min(bins-1, int(p.Distance/length*bins)))
		}
		way := wayOf(p.Flag)
		counts[way][bin]++
		k.noteGroup([2]int{way, bin}, func() { k.bar(line, length, way, bin, 1) })
	}, func() {
		if len(line) > 1 && length > 0 {
			k.histogram(line, length, &counts)
		}
	})
}

// wayOf returns which of the two directions a passage has.
func wayOf(leftToRight bool) int {
	if leftToRight {
		return 0
	}
	return 1
}

// histogram draws the bars of a line, its arrows and its legend.
func (k *sketch) histogram(line geo.Line, length float64, counts *[2][bins]int) {
	most, sums := 1, [2]int{}
	for way, of := range counts {
		for _, n := range of {
			most = max(most, n)
			sums[way] += n
		}
	}
	for way, look := range ways() {
		side := 90 - 180*float64(way)
		for bin, n := range counts[way] {
			if n == 0 {
				continue
			}
			k.beginGroup([2]int{way, bin})
			k.bar(line, length, way, bin, float64(n)/float64(most))
		}
		k.beginGroup(nil)
		at, bearing := placeAlong(line, length*(0.4+0.2*float64(way)))
		k.arrow(at, bearing+side, look, sums[way])
	}
	look := ways()
	k.beginLegend(k.formatText("Passages, most in a piece: %d", most), k.lined(look[0], "left to right: %d", sums[0]), k.lined(look[1], "right to left: %d", sums[1]))
}

// bar draws the bar of a piece of a line, as long as its share of the longest. Whoever points at the piece itself means it too.
func (k *sketch) bar(line geo.Line, length float64, way, bin int, share float64) {
	look := ways()[way]
	at, bearing := placeAlong(line, length*(float64(bin)+0.5)/bins)
	k.canvas.Ray(at, bearing+90-180*float64(way), longestBar*share, look, false)
	if k.probe != nil {
		from, _ := placeAlong(line, length*float64(bin)/bins)
		to, _ := placeAlong(line, length*float64(bin+1)/bins)
		k.canvas.Line([]geo.Point{from, at, to}, render.Stroke{Class: render.Asked, Width: 2})
	}
}

// arrow draws a direction with its count.
func (k *sketch) arrow(at geo.Point, bearing float64, look render.Stroke, count int) {
	if count == 0 {
		return
	}
	look.Width = 2
	k.canvas.Ray(at, bearing, longestBar+16, look, true)
	a := bearing * math.Pi / 180
	const beyond = longestBar + 28
	k.canvas.Label(at, fmt.Sprint(count), beyond*math.Sin(a)-6, -beyond*math.Cos(a)-8)
}

// placeAlong returns the place on a line so many metres from its first point, and the bearing of the line there.
func placeAlong(line geo.Line, metres float64) (at geo.Point, bearing float64) {
	for i := 1; i < len(line); i++ {
		a, b := line[i-1], line[i]
		step := geo.Distance(a, b)
		if metres <= step || i == len(line)-1 {
			share := 0.0
			if step > 0 {
				share = max(0, min(1, metres/step))
			}
			return geo.Between(a, b, share), geo.Bearing(a, b)
		}
		metres -= step
	}
	return at, 0
}

// lineOf reads a line of a definition, which was checked when it came; nil for none.
func lineOf(text json.RawMessage) geo.Line {
	shape, err := geo.ParseShape(text)
	if err != nil {
		return nil
	}
	line, _ := shape.(geo.Line)
	return line
}

// drawMultiPassages draws the lines, and between the first and the last an arrow each way with its count. With tracks they are drawn too.
func drawMultiPassages(k *sketch) drawing {
	var lines []json.RawMessage
	_ = json.Unmarshal(k.asked["passagelines"], &lines) // it was checked when it came
	for _, line := range lines {
		k.drawShape(line)
	}
	var ends [2]geo.Line
	if len(lines) > 1 {
		ends = [2]geo.Line{lineOf(lines[0]), lineOf(lines[len(lines)-1])}
	}
	var counts [2]int
	type passage struct {
		Index int `json:"direction_index"`
	}
	return tracked(func(p *passage, sailed ship.Track) {
		way := wayOf(p.Index == 0)
		counts[way]++
		look := ways()[way]
		look.Width = 1
		k.canvas.Line(placesOf(sailed), look)
		k.noteGroup(way, func() { k.drawArrow(ends, way, 1) })
	}, func() { k.drawArrows(ends, counts) })
}

// drawArrows draws the arrows from line to line.
func (k *sketch) drawArrows(ends [2]geo.Line, counts [2]int) {
	if len(ends[0]) < 2 || len(ends[1]) < 2 {
		return
	}
	for way, count := range counts {
		k.beginGroup(way)
		k.drawArrow(ends, way, count)
	}
	k.beginGroup(nil)
	look := ways()
	k.beginLegend("Passages of all lines", k.lined(look[0], "first to last: %d", counts[0]), k.lined(look[1], "last to first: %d", counts[1]))
}

// drawArrow draws the arrow of one direction between two lines, with its count.
func (k *sketch) drawArrow(ends [2]geo.Line, way, count int) {
	if count == 0 || len(ends[0]) < 2 || len(ends[1]) < 2 {
		return
	}
	share := 0.4 + 0.2*float64(way)
	from, _ := placeAlong(ends[way], ends[way].Length()*share)
	to, _ := placeAlong(ends[1-way], ends[1-way].Length()*share)
	look := ways()[way]
	look.Width = 2
	k.canvas.Line([]geo.Point{from, to}, look)
	k.arrow(from, geo.Bearing(from, to), look, count)
}
