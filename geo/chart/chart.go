// Package chart is the fixed world: where land is. It is read-only and used in place from the binary's own pages; it
// holds no copy of it.
package chart

import (
	_ "embed"
	"sync"

	"quaywatch/geo"
	"quaywatch/geo/chart/land"
	"quaywatch/geo/chart/water"
)

//go:generate go run ./gen -out land.bin

// landData is made by gen; DATA.md names its source, licence and checksum.
//
//go:embed land.bin
var landData string

// Chart is the world's land. It may be used by any number of goroutines.
type Chart struct {
	land    *land.Map
	water   *water.Overlay // learned; nil for none
	writers *sync.Pool     // of *gzip.Writer, for tiles
}

// Load opens the embedded chart. It reads its head only.
func Load() (*Chart, error) {
	m, err := land.Open(landData)
	if err != nil {
		return nil, err
	}
	return &Chart{land: m, writers: &sync.Pool{}}, nil
}

// With returns the chart with learned water over its land. The chart itself stays as it is.
func (c *Chart) With(learned *water.Overlay) *Chart {
	return &Chart{land: c.land, water: learned, writers: c.writers}
}

// Land reports whether p is on land, to the data's 100 m, and not in learned water. A quay's edge may lie on either side of a berthed ship.
func (c *Chart) Land(p geo.Point) bool {
	return c.land.Level(0).Land(p) && (c.water == nil || !c.water.Learned(water.CellAt(p)))
}

// LegCrossesLand reports whether any part of the leg from a to b is on land and not in learned water. The leg is straight in degrees and runs
// the shorter way round, also over 180°.
func (c *Chart) LegCrossesLand(a, b geo.Point) bool {
	l := c.land.Level(0)
	return l.LegCrossesLand(a, b) && (c.water == nil || c.water.Unlearned(a, b, l.LegCrossesLand))
}

// Coast returns the coast in its finest form, without learned water.
func (c *Chart) Coast() *land.Level { return c.land.Level(0) }

// Attribution names the makers of the data, as their licence asks; every map shows it.
func (c *Chart) Attribution() string { return "© OpenStreetMap contributors" }
