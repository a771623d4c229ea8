package chart

import (
	"fmt"
	"math"

	"github.com/paulmach/orb"
	"github.com/paulmach/orb/encoding/mvt"
)

// Shore is the borders of an area, the outer one first. A place on it is a place of the square of the web's maps. There x runs from 0 at 180° W to 1 at 180° E,
// and y from 0 in the north to 1 in the south. Areas reach a little beyond their tile.
type Shore [][][2]float64

// Shores returns the land of a tile and the learned water that lies over it, to be drawn elsewhere than in a client. What single ships sailed is not in
// it. Errors are those of Chart.Tile.
func (t *Tiles) Shores(z, x, y int) (land, learned []Shore, err error) {
	tile, err := t.TileWithoutSeen(z, x, y)
	if err != nil || len(tile.Data) == 0 {
		return nil, nil, err
	}
	layers, err := mvt.UnmarshalGzipped(tile.Data)
	if err != nil {
		return nil, nil, fmt.Errorf("read tile %d/%d/%d: %w", z, x, y, err)
	}
	scale := math.Exp2(float64(-z))
	onSquare := func(p orb.Point) [2]float64 {
		return [2]float64{(p[0]/extent + float64(x)) * scale, (p[1]/extent + float64(y)) * scale}
	}
	for _, layer := range layers {
		var areas []Shore
		for _, feature := range layer.Features {
			areas = append(areas, shoresOf(feature.Geometry, onSquare)...)
		}
		switch layer.Name {
		case "land":
			land = areas
		case "learned":
			learned = areas
		}
	}
	return land, learned, nil
}

// shoresOf returns the polygons of a feature.
func shoresOf(of orb.Geometry, place func(orb.Point) [2]float64) (areas []Shore) {
	switch shape := of.(type) {
	case orb.Polygon:
		area := make(Shore, len(shape))
		for i, ring := range shape {
			for _, p := range ring {
				area[i] = append(area[i], place(p))
			}
		}
		return []Shore{area}
	case orb.MultiPolygon:
		for _, polygon := range shape {
			areas = append(areas, shoresOf(polygon, place)...)
		}
	}
	return areas
}
