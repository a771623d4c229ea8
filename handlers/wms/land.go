package wms

import (
	"context"
	"math"

	"quaywatch/geo/chart"
	"quaywatch/render"
)

// Bounds of the land of a picture.
const (
	landBytes  = 8 << 20 // of memory for the tile that is being drawn
	tilePixels = 512     // how wide a tile of the chart is drawn at most
	mostTiles  = 200     // of one picture; one with more is drawn from larger tiles
)

// drawLand covers what is land on the chart.
func drawLand(ctx context.Context, w *work) error {
	w.polarLand()
	var water [][][]render.Web
	for _, t := range tilesOf(w.frame) {
		if err := ctx.Err(); err != nil {
			return err
		}
		land, learned, err := w.deps.Tiles.Shores(t.z, t.x, t.y)
		if err != nil {
			return err
		}
		for _, area := range land {
			w.canvas.Land(area)
		}
		for _, area := range learned {
			water = append(water, area)
		}
	}
	for _, area := range water { // a tile reaches into its neighbours, so all land comes first
		w.canvas.Water(area)
	}
	return nil
}

// polarLand covers what lies south of the tiles: all of it is land.
func (w *work) polarLand() {
	const south = 9 // some squares of the web's maps further lies nothing but the pole
	w.canvas.Land([][]render.Web{{{0, 1}, {1, 1}, {1, south}, {0, south}, {0, 1}}})
}

// tile is the place of a tile of the chart.
type tile struct{ z, x, y int }

// tilesOf returns the tiles that a picture needs, each once.
func tilesOf(f render.Viewport) (all []tile) {
	z := max(0, min(chart.MaxZoom, int(math.Ceil(math.Log2(f.Turn()/tilePixels)))))
	for ; ; z-- {
		n := 1 << z
		r := f.Bounds(1)
		first, last := int(math.Floor((r.West+180)/360*float64(n))), int(math.Floor((r.East+180)/360*float64(n)))
		if r.West > r.East {
			last += n
		}
		top, bottom := tileRow(r.North, n), tileRow(r.South, n)
		columns := min(n, last-first+1)
		if z > 0 && columns*(bottom-top+1) > mostTiles {
			continue
		}
		for y := top; y <= bottom; y++ {
			for x := first; x < first+columns; x++ {
				all = append(all, tile{z, x % n, y})
			}
		}
		return all
	}
}

// tileRow returns the row of tiles, of n, in which a latitude lies.
func tileRow(lat float64, n int) int {
	const farthest = 85.05 // degrees, where the tiles end
	lat = max(-farthest, min(farthest, lat))
	return max(0, min(n-1, int((1-math.Asinh(math.Tan(lat*math.Pi/180))/math.Pi)/2*float64(n))))
}
