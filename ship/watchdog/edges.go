package watchdog

import "quaywatch/geo"

// perRun is how many edges stand in one run.
const perRun = 16

// run is a few edges of a line or ring that follow each other.
type run struct {
	line   geo.Line
	bounds geo.Rect // with the buffer
}

// edges are those of lines and rings, so that a leg and a place are compared with the near ones alone.
type edges []run

// newEdges makes runs of lines; the rings of a polygon are lines.
func newEdges[L ~[]geo.Point](buffer float64, lines ...L) (e edges) {
	for _, line := range lines {
		for from := 0; from+1 < len(line); from += perRun {
			r := run{line: geo.Line(line[from:min(len(line), from+perRun+1)])}
			if r.bounds = r.line.Bounds(); buffer > 0 {
				r.bounds = r.bounds.Expand(buffer)
			}
			e = append(e, r)
		}
	}
	return e
}

// legBounds gives the rectangle of a leg. It allocates nothing, as geo.RectOf would.
func legBounds(a, b geo.Point) geo.Rect {
	return geo.Rect{West: a.Lon, South: a.Lat, East: a.Lon, North: a.Lat}.Extend(b)
}
