package wms

import (
	"quaywatch/geo"
	"quaywatch/render"
)

// outing is the look of the way from one work of a pilot to the next.
func outing() render.Stroke {
	return render.Stroke{Class: render.Third, Width: 1.5, Pattern: render.Dashed()}
}

// drawTransitPilots marks where a pilot came aboard and went, with a line between both.
func drawTransitPilots(k *sketch) drawing {
	k.shapeList("shapes")
	var counts [2]int
	marks := boarding()
	type transit struct {
		Pilot []struct {
			Position *point `json:"position"`
		} `json:"pilot"`
	}
	return drawingOf(func(t *transit) {
		var way []geo.Point
		for i, place := range t.Pilot {
			at, ok := place.Position.geoPoint()
			if !ok || i >= len(counts) {
				continue
			}
			way = append(way, at)
			k.canvas.Mark(at, marks[i].shape, marks[i].class, 6)
			counts[i]++
		}
		if len(way) == len(counts) {
			k.canvas.Line(way, outing())
		}
	}, func() {
		k.beginLegend("Pilots in transit", k.markRow(marks[0].shape, marks[0].class, 6, "first", counts[0]), k.markRow(marks[1].shape, marks[1].class, 6, "second", counts[1]),
			k.lined(outing(), "between both"))
	})
}

// boarding are the marks of the two works of a pilot.
func boarding() [2]changeMark {
	return [2]changeMark{{"aboard", render.Up, render.First, 0}, {"ashore", render.Down, render.Second, 0}}
}

// drawPilotBoats draws each outing of a pilot boat as a line from its port over its works and back, with a mark for each.
func drawPilotBoats(k *sketch) drawing {
	k.drawAsked("shape")
	marks := boarding()
	outings := 0
	type boat struct {
		Port       portName `json:"port"`
		Operations []struct {
			Position *point `json:"position"`
			Kind     string `json:"kind"`
		} `json:"operations"`
	}
	return drawingOf(func(b *boat) {
		home, known := k.port(b.Port.ID)
		var way []geo.Point
		if known {
			way = append(way, home)
		}
		outings++
		for _, operation := range b.Operations {
			at, ok := operation.Position.geoPoint()
			if !ok {
				continue
			}
			mark := &marks[wayOf(operation.Kind == "board")]
			k.canvas.Mark(at, mark.shape, mark.class, 6)
			mark.count++
			way = append(way, at)
		}
		if known {
			way = append(way, home)
		}
		k.canvas.Line(way, outing())
	}, func() {
		k.beginLegend(k.formatText("Outings of pilot boats: %d", outings), k.markRow(marks[0].shape, marks[0].class, 6, "boarded", marks[0].count),
			k.markRow(marks[1].shape, marks[1].class, 6, "disembarked", marks[1].count), k.lined(outing(), "outing"))
	})
}
