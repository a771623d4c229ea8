package wms

import (
	"context"
	"encoding/json"
	"fmt"

	"quaywatch/form"
	"quaywatch/geo"
	"quaywatch/render"
	"quaywatch/ship"
)

// sketch is a result that is being drawn. What it holds has a bound, whatever the result has: records are drawn and dropped, or counted.
type sketch struct {
	canvas *render.Canvas
	asked  map[string]json.RawMessage                  // the fields of the definition
	shapes func(name string) (area *geo.Area, ok bool) // the saved shapes that the reader may name; nil for none
	port   func(id uint64) (geo.Point, bool)
	legend render.Legend
	months float64 // of the period; 0 counts as one
	german bool    // the language of its words; else English
	probe  *probe  // nil while a picture is drawn
}

// drawing draws the result of one kind: record is called with each record and its track, then end. Either may be nil.
type drawing struct {
	record func(text []byte, track ship.Track) error
	end    func()
}

// kinds begins the drawing of a result, by the kind of its statistic. What a kind looks like stands in one function, which is named here.
func kinds() map[string]func(*sketch) drawing {
	return map[string]func(*sketch) drawing{
		"area":             drawArea,
		"historicaltrack":  drawTracks,
		"passageline":      drawPassages,
		"multipassageline": drawMultiPassages,
		"sogdist":          drawSpeeds,
		"density":          drawDensity,
		"nmss":             drawNearMisses,
		"nmsp":             drawNearPoints,
		"multiship":        drawChanges,
		"portcalls":        drawCalls,
		"transitpilot":     drawTransitPilots,
		"pilotboat":        drawPilotBoats,
		"trip":             drawTrips,
	}
}

// draw draws a result, which each reads record by record.
func (k *sketch) draw(ctx context.Context, kind string, each func(context.Context, func([]byte, ship.Track) error) error) error {
	begin, ok := kinds()[kind]
	if !ok {
		return nil // a kind without a picture has an empty one
	}
	d := begin(k)
	if d.record == nil {
		d.record = func([]byte, ship.Track) error { return nil }
	}
	if k.probe != nil {
		d.record = k.probed(d.record)
	}
	if err := each(ctx, d.record); err != nil {
		return err
	}
	k.beginGroup(nil)
	if d.end != nil {
		d.end()
	}
	k.beginGroup(nil)
	return nil
}

// probed has what a record draws taken for that record.
func (k *sketch) probed(record func([]byte, ship.Track) error) func([]byte, ship.Track) error {
	return func(text []byte, track ship.Track) error {
		k.probe.beginRecord(text, track)
		err := record(text, track)
		k.probe.drawn()
		return err
	}
}

// drawingOf returns a drawing whose records are read as a T.
func drawingOf[T any](record func(*T), end func()) drawing {
	return tracked(func(read *T, _ ship.Track) { record(read) }, end)
}

// tracked is of where the records have tracks.
func tracked[T any](record func(*T, ship.Track), end func()) drawing {
	return drawing{func(text []byte, track ship.Track) error {
		var read T
		if err := json.Unmarshal(text, &read); err != nil {
			return fmt.Errorf("a record of a result: %w", err)
		}
		record(&read, track)
		return nil
	}, end}
}

// askedLook is how the shape of a question is drawn.
func askedLook() render.Stroke {
	return render.Stroke{Class: render.Asked, Width: 2, Pattern: render.Dashed()}
}

// drawAsked draws the shape of the question, under one of some keys. A saved one that the reader may not name is left out.
func (k *sketch) drawAsked(keys ...string) {
	for _, key := range keys {
		k.drawShape(k.asked[key])
	}
}

// drawShape draws a polygon, a line, a point or a saved shape.
func (k *sketch) drawShape(text json.RawMessage) {
	var saved struct {
		ID json.RawMessage `json:"shape_id"`
	}
	if json.Unmarshal(text, &saved) != nil {
		return
	}
	if at, err := form.ParsePoint(text); err == nil {
		k.canvas.Mark(at, render.Cross, render.Asked, 8)
		return
	}
	shape, err := geo.ParseShape(text)
	if saved.ID != nil {
		shape, err = k.saved(saved.ID)
	}
	if err != nil {
		return // what is posted was checked; a saved shape may be gone
	}
	switch drawn := shape.(type) {
	case geo.Polygon:
		k.canvas.Area(drawn, askedLook())
	case geo.Circle:
		k.canvas.Circle(drawn.Center, drawn.Radius, askedLook())
	case geo.Line:
		k.canvas.Line(drawn, askedLook())
	}
}

// saved returns a saved shape by its id, uid or name.
func (k *sketch) saved(id json.RawMessage) (geo.Shape, error) {
	var name string
	if json.Unmarshal(id, &name) != nil {
		name = string(id)
	}
	if k.shapes != nil {
		if area, ok := k.shapes(name); ok {
			return area.Shape(), nil
		}
	}
	return nil, form.ErrNotFound
}

// beginLegend begins the legend; rows are added in the order in which they are explained.
func (k *sketch) beginLegend(title string, rows ...render.LegendRow) {
	k.legend = render.Legend{Title: k.formatText(title), Rows: rows}
}

// markRow is a row of the legend about a kind of mark.
func (k *sketch) markRow(shape render.MarkShape, of render.ColorClass, radius int, text string, count int) render.LegendRow {
	return render.LegendRow{Text: k.formatText(text) + ": " + k.formatText("%d", count), Sample: render.OfMark, Shape: shape, Class: of, Radius: radius}
}

// lined is a row of the legend about a kind of line.
func (k *sketch) lined(look render.Stroke, text string, values ...any) render.LegendRow {
	return render.LegendRow{Text: k.formatText(text, values...), Sample: render.OfLine, Stroke: look}
}

// point is a GeoJSON Point of a record.
type point struct {
	Coordinates []json.Number `json:"coordinates"`
}

// geoPoint returns where a point lies; false for none.
func (p *point) geoPoint() (geo.Point, bool) {
	if p == nil || len(p.Coordinates) < 2 {
		return geo.Point{}, false
	}
	lon, wrong := p.Coordinates[0].Float64()
	lat, also := p.Coordinates[1].Float64()
	return geo.Point{Lon: lon, Lat: lat}, wrong == nil && also == nil
}
