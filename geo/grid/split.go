package grid

import (
	"math"

	"quaywatch/geo"
)

// Bounds of what stands for the curve of a way in the plane.
const (
	nearEnough = 0.5    // metres between the curve and the straight line that stands for it
	straight   = 1000.0 // metres: a shorter way is straight enough at any place within 85° of latitude
	long       = 50_000 // metres: a longer way is halved unseen, since one that bends both ways may cross its straight line in the middle
	deepest    = 12     // halvings
)

// Split parts the way from a place to another by the cells of some metres size that it leads through. The way is straight in degrees and the shorter way round.
// It calls fn with each cell in turn, and from and to which share of the way it lies there. The first part begins at 0, the last ends at 1, and each begins
// where the part before ended. No part is empty but that of a way of no length.
func (p Projection) Split(a, b geo.Point, size float64, fn func(cell Cell, from, to float64)) {
	w := walk{projection: p, size: size, fn: fn, from: a, way: geo.Point{Lon: math.Remainder(b.Lon-a.Lon, 360), Lat: b.Lat - a.Lat}}
	if w.way.Lon == 180 { // half the way round goes west, as that of geo.Between
		w.way.Lon = -180
	}
	edge := 1.0 // the share of the way at which it leaves the plane at 180°
	if end := a.Lon + w.way.Lon; p.epsg == World && math.Abs(end) > 180 {
		edge = (math.Copysign(180, w.way.Lon) - a.Lon) / w.way.Lon
	}
	w.run(0, edge)
	if edge < 1 {
		w.from.Lon -= math.Copysign(360, w.way.Lon)
		w.run(edge, 1)
	}
	w.endPart(1)
}

// walk is a way that is being parted.
type walk struct {
	projection Projection
	size       float64
	fn         func(Cell, float64, float64)
	from       geo.Point
	way        geo.Point // in degrees
	cell       Cell      // in which it is
	since      float64   // from which share on
	began      bool
}

// spot is a place of the way in the plane, and the share of the way before it.
type spot struct{ share, x, y float64 }

func (w *walk) spot(share float64) spot {
	x, y := w.projection.Forward(geo.Point{Lon: w.from.Lon + share*w.way.Lon, Lat: w.from.Lat + share*w.way.Lat})
	return spot{share, x, y}
}

// run walks from one share of the way to another.
func (w *walk) run(from, to float64) {
	a, b := w.spot(from), w.spot(to)
	w.enterCell(CellOf(a.x, a.y, w.size), from)
	w.curve(a, b, deepest)
}

// curve walks a part of the way, halved until a straight line stands for each.
func (w *walk) curve(a, b spot, depth int) {
	if way := math.Abs(b.x-a.x) + math.Abs(b.y-a.y); depth > 0 && way > straight {
		m := w.spot((a.share + b.share) / 2)
		if way > long || math.Hypot(m.x-(a.x+b.x)/2, m.y-(a.y+b.y)/2) > nearEnough {
			w.curve(a, m, depth-1)
			w.curve(m, b, depth-1)
			return
		}
	}
	w.walkLine(a, b)
}

// walkLine walks a straight line from cell to cell: at each step over the border that comes next.
func (w *walk) walkLine(a, b spot) {
	w.enterCell(CellOf(a.x, a.y, w.size), a.share)
	end := CellOf(b.x, b.y, w.size)
	for w.cell != end {
		overX, overY := w.borderShare(a.x, b.x, w.cell.X), w.borderShare(a.y, b.y, w.cell.Y)
		next := w.cell
		switch {
		case overX > 1 && overY > 1:
			next = end // both ends round to other cells than the line says
		case overX <= overY:
			next.X += sign(b.x - a.x)
		default:
			next.Y += sign(b.y - a.y)
		}
		w.enterCell(next, a.share+min(1, overX, overY)*(b.share-a.share))
	}
}

// borderShare returns after which share of a line it leaves a column, or a row; more than 1 for never.
func (w *walk) borderShare(from, to float64, at int32) float64 {
	switch {
	case to > from:
		return max(0, (float64(at+1)*w.size-from)/(to-from))
	case to < from:
		return max(0, (float64(at)*w.size-from)/(to-from))
	}
	return 2
}

func sign(x float64) int32 {
	if x < 0 {
		return -1
	}
	return 1
}

// enterCell ends the part in the last cell and begins that in another.
func (w *walk) enterCell(cell Cell, share float64) {
	if w.began && cell == w.cell {
		return
	}
	if w.began {
		w.endPart(share)
	}
	w.cell, w.began = cell, true
}

// endPart tells the part that ends at a share of the way, if it has a length or is the whole.
func (w *walk) endPart(share float64) {
	if share > w.since || share == 1 && w.since == 0 {
		w.fn(w.cell, w.since, share)
		w.since = share
	}
}
