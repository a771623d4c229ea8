package wms

import (
	"encoding/json"

	"quaywatch/render"
)

// speedStep is how many indexes of half a knot a row of the legend has, and speedRows how many rows there are. The last has all that is faster.
const (
	speedStep = 4
	speedRows = 12
)

// drawSpeeds draws the shape. The records have no places, so the distribution stands in the legend: the share of the time at each speed.
func drawSpeeds(k *sketch) drawing {
	k.drawAsked("shape", "polygon")
	var seconds [speedRows]int64
	type day struct {
		SOGs []int64 `json:"sogs"`
	}
	return drawingOf(func(d *day) {
		for index, n := range d.SOGs {
			seconds[min(speedRows-1, index/speedStep)] += n
		}
	}, func() {
		all, most := int64(0), int64(1)
		for _, n := range seconds {
			all += n
			most = max(most, n)
		}
		var rows []render.LegendRow
		for i, n := range seconds {
			if n > 0 {
				text := k.formatText("%d to %d kn", i*2, i*2+2)
				if i == speedRows-1 {
					text = k.formatText("%d kn and more", i*2)
				}
				rows = append(rows, render.LegendRow{Text: text + ": " + k.tenthsText(100*float64(n)/float64(all)) + " %", Sample: render.OfBar,
					Share: float64(n) / float64(most), Stroke: render.Stroke{Class: render.First}})
			}
		}
		k.beginLegend(k.formatText("Speed over %s h", k.tenthsText(float64(all)/3600)), rows...)
	})
}

// shapeList draws a list of shapes of the question.
func (k *sketch) shapeList(key string) {
	var all []json.RawMessage
	_ = json.Unmarshal(k.asked[key], &all) // it was checked when it came
	for _, shape := range all {
		k.drawShape(shape)
	}
}
