package wms

import (
	"context"
	"slices"

	"quaywatch/geo"
	"quaywatch/geo/chart"
	"quaywatch/render"
	"quaywatch/sight/telling"
	"quaywatch/users/access/right"
	"quaywatch/users/library"
)

// Bounds of the places of a picture.
const (
	shapeBytes  = 4 << 20   // of memory for the shape that is being drawn
	mostCorners = 2_000_000 // of all borders
	nearby      = 16        // pixels around the picture, from which lines and marks reach into it
	mostNamed   = 200       // ports of a picture with names, and ships too
	mostPlaces  = 20_000    // ports
)

// drawPorts marks the ports that the caller may know of, with their borders. They have names where those fit and few are shown.
func drawPorts(ctx context.Context, w *work) error {
	seen := slices.DeleteFunc(slices.Clone(w.deps.Ports.Current().In(w.frame.Bounds(nearby))), func(p *chart.Port) bool { return !telling.SeesPort(w.who, p.ID) })
	seen = seen[:min(len(seen), mostPlaces)]
	b := borders{canvas: w.canvas, left: mostCorners}
	for _, p := range seen {
		if err := ctx.Err(); err != nil {
			return err
		}
		b.drawPolygon(p.Outer, render.Stroke{Class: render.Third, Width: 2})
		for _, inner := range p.Inner {
			b.drawPolygon(inner, render.Stroke{Class: render.Third, Width: 1, Pattern: render.Dashed()})
		}
	}
	for _, p := range seen {
		if p.Placed {
			w.canvas.Mark(p.Position, render.Disc, render.Third, 4)
		}
	}
	if len(seen) > mostNamed {
		return nil
	}
	for _, p := range seen {
		if p.Placed {
			w.canvas.Name(p.Position, p.Name, 9, -8)
		}
	}
	return nil
}

// drawShapes draws the saved shapes that the caller may use, with their names where those fit.
func drawShapes(ctx context.Context, w *work) error {
	type name struct {
		at   geo.Point
		text string
	}
	var names []name
	view := w.frame.Bounds(nearby)
	b := borders{canvas: w.canvas, left: mostCorners}
	admin, _ := library.Shapes.Rights()
	for _, r := range w.deps.Library.List(library.Shapes) {
		if err := ctx.Err(); err != nil {
			return err
		}
		if !w.who.MayUse(r.Owned, right.Name(admin)) {
			continue
		}
		shape, err := r.Geometry()
		if err != nil || !shape.Bounds().Intersects(view) {
			continue // one that is not right was refused when it came
		}
		if at, ok := b.drawBorders(shape); ok && len(names) < mostNamed {
			names = append(names, name{at, r.Name})
		}
	}
	for _, label := range names {
		w.canvas.Name(label.at, label.text, 4, 4)
	}
	return nil
}

// borders draws lines, up to so many corners.
type borders struct {
	canvas *render.Canvas
	left   int
}

// drawBorders draws a shape, and returns the place of its name.
func (b *borders) drawBorders(shape geo.Shape) (at geo.Point, ok bool) {
	look := render.Stroke{Class: render.Asked, Width: 2}
	switch drawn := shape.(type) {
	case geo.Polygon:
		if len(drawn) > 0 && len(drawn[0]) > 0 {
			return northernmost(drawn[0]), b.drawPolygon(drawn, look)
		}
	case geo.Line:
		if len(drawn) > 0 {
			return drawn[0], b.drawLine(drawn, look)
		}
	case geo.Circle:
		border := geo.Polygon{render.Round(drawn.Center, drawn.Radius)}
		return drawn.Center, b.drawPolygon(border, look)
	}
	return at, false
}

// drawPolygon draws the borders of an area. Its inside stays as it is, so that the map below shows.
func (b *borders) drawPolygon(area geo.Polygon, look render.Stroke) (drawn bool) {
	for _, ring := range area {
		drawn = b.drawLine(ring, look)
	}
	return drawn
}

// drawLine draws a line, where there are corners left for it.
func (b *borders) drawLine(way []geo.Point, look render.Stroke) bool {
	if b.left -= len(way); b.left < 0 {
		return false
	}
	b.canvas.Line(way, look)
	return true
}

// northernmost returns the corner that lies highest on a map.
func northernmost(ring []geo.Point) geo.Point {
	return slices.MaxFunc(ring, func(a, b geo.Point) int {
		switch {
		case a.Lat < b.Lat:
			return -1
		case a.Lat > b.Lat:
			return 1
		}
		return 0
	})
}
