package chart

import (
	"bytes"
	"fmt"
	"math"

	"github.com/klauspost/compress/gzip"
	"github.com/paulmach/orb"
	"github.com/paulmach/orb/encoding/mvt"
	"github.com/paulmach/orb/geojson"

	"quaywatch/geo"
	"quaywatch/geo/chart/land"
)

// MaxZoom is the highest zoom level that Tile cuts; clients enlarge it beyond.
const MaxZoom = 12

const (
	extent = 4096 // tile units a side
	// margin is what a tile holds beyond its sides, so that their outlines are not seen. It is no whole number of
	// units: no point of the grid lies on the rim.
	margin = 64.37
)

// levelOf chooses the resolution by zoom: a level's tolerance is about half a pixel of 256 to the tile.
func levelOf(z int) int {
	switch {
	case z <= 2:
		return 3
	case z <= 4:
		return 2
	case z <= 7:
		return 1
	}
	return 0
}

// Tile cuts a Mapbox vector tile (version 2, gzip) with a layer, "land", of polygons; XYZ numbering in EPSG:3857. With learned water it has
// the layers "learned" and "seen" too, which lie over the land. A tile without land is nil. A zoom, column or row that does not exist is an
// error.
func (c *Chart) Tile(z, x, y int) ([]byte, error) { return c.tile(z, x, y, true) }

// tile is Tile, with the layer "seen" or without it.
func (c *Chart) tile(z, x, y int, withSeen bool) ([]byte, error) {
	if z < 0 || z > MaxZoom || x < 0 || y < 0 || x >= 1<<z || y >= 1<<z {
		return nil, fmt.Errorf("cut tile %d/%d/%d: there is no such tile", z, x, y)
	}
	polygons := c.polygons(z, x, y)
	if len(polygons) == 0 {
		return nil, nil
	}
	layers := mvt.Layers{layerOf("land", polygons)}
	if c.water != nil && z >= learnedZoom {
		learned, seen := c.learned(z, x, y)
		layers = append(layers, layerOf("learned", learned))
		if withSeen {
			layers = append(layers, layerOf("seen", seen))
		}
	}
	data, err := mvt.Marshal(layers)
	if err != nil {
		return nil, fmt.Errorf("encode tile %d/%d/%d: %w", z, x, y, err)
	}
	return c.compress(data)
}

func layerOf(name string, polygons []orb.Polygon) *mvt.Layer {
	layer := &mvt.Layer{Name: name, Version: 2, Extent: extent}
	for _, p := range polygons {
		layer.Features = append(layer.Features, geojson.NewFeature(p))
	}
	return layer
}

// learnedZoom is the first zoom level at which learned cells are drawn. A cell is a pixel there.
const learnedZoom = 11

// learned returns the learned and the seen cells of a tile: each row of cells that lie side by side is a rectangle.
func (c *Chart) learned(z, x, y int) (learned, seen []orb.Polygon) {
	f := frame{scale: math.Exp2(float64(z)), x: float64(x), y: float64(y)}
	box := orb.Bound{Min: orb.Point{-margin, -margin}, Max: orb.Point{extent + margin, extent + margin}}
	south, north := f.pointOf(orb.Point{0, box.Max[1]}), f.pointOf(orb.Point{0, box.Min[1]})
	west, east := f.pointOf(orb.Point{0, 0}).Lon, f.pointOf(orb.Point{extent - 1e-6, 0}).Lon
	rectangle := func(r geo.Rect) orb.Polygon {
		a, b := f.pointAt(r.West, r.South), f.pointAt(r.East, r.North)
		return orb.Polygon{{a, {b[0], a[1]}, b, {a[0], b[1]}, a}}
	}
	bounds := geo.Rect{West: west, South: south.Lat, East: east, North: north.Lat}
	c.water.Rows(bounds, func(r geo.Rect, isLearned bool) {
		if isLearned {
			learned = append(learned, rectangle(r))
		} else {
			seen = append(seen, rectangle(r))
		}
	})
	return learned, seen
}

// compress writes gzip. The writers are kept, since each has some 800 KiB of tables.
func (c *Chart) compress(data []byte) ([]byte, error) {
	var b bytes.Buffer
	w, kept := c.writers.Get().(*gzip.Writer)
	if kept {
		w.Reset(&b)
	} else {
		var err error
		if w, err = gzip.NewWriterLevel(&b, gzip.BestSpeed); err != nil {
			return nil, err
		}
	}
	defer c.writers.Put(w)
	if _, err := w.Write(data); err != nil {
		return nil, err
	}
	if err := w.Close(); err != nil {
		return nil, err
	}
	return b.Bytes(), nil
}

// polygons returns a tile's land in tile units.
func (c *Chart) polygons(z, x, y int) []orb.Polygon {
	level := c.land.Level(levelOf(z))
	f := frame{scale: math.Exp2(float64(z)), x: float64(x), y: float64(y), units: float64(level.UnitsPerDegree())}
	s := newSheet(orb.Bound{Min: orb.Point{-margin, -margin}, Max: orb.Point{extent + margin, extent + margin}}, tolerance(z))
	for _, chain := range level.Chains(f.window(s.box)) {
		line := make(orb.LineString, len(chain))
		for i, v := range chain {
			line[i] = f.project(v)
		}
		s.add(line)
	}
	return s.polygons(func(p orb.Point) bool { return level.Land(f.pointOf(p)) })
}

// tolerance of thinning in tile units; the highest zoom is kept whole, since clients enlarge it.
func tolerance(z int) float64 {
	if z == MaxZoom {
		return 0
	}
	return 5
}

// frame converts degrees into units of one tile, by the spherical Mercator projection.
type frame struct{ scale, x, y, units float64 }

func (f frame) project(v land.CoastPoint) orb.Point {
	return f.pointAt(float64(v.X)/f.units, max(-89.9, min(89.9, float64(v.Y)/f.units)))
}

func (f frame) pointAt(lon, lat float64) orb.Point {
	north := math.Asinh(math.Tan(lat * math.Pi / 180))
	return orb.Point{
		((lon+180)/360*f.scale - f.x) * extent,
		((1-north/math.Pi)/2*f.scale - f.y) * extent,
	}
}

// pointOf is the way back.
func (f frame) pointOf(p orb.Point) geo.Point {
	north := (1 - 2*(p[1]/extent+f.y)/f.scale) * math.Pi
	return geo.Point{
		Lon: (p[0]/extent+f.x)/f.scale*360 - 180,
		Lat: math.Atan(math.Sinh(north)) * 180 / math.Pi,
	}.Normalized()
}

// window returns a rectangle that holds a box, in the level's units.
func (f frame) window(box orb.Bound) land.Window {
	lon := func(x float64) float64 { return ((x/extent+f.x)/f.scale*360 - 180) * f.units }
	south, north := f.pointOf(box.Max).Lat*f.units, f.pointOf(box.Min).Lat*f.units
	return land.Window{
		West: int64(math.Floor(lon(box.Min[0]))) - 1, South: int64(math.Floor(south)) - 1,
		East: int64(math.Ceil(lon(box.Max[0]))) + 1, North: int64(math.Ceil(north)) + 1,
	}
}
