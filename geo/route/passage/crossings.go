package passage

import (
	"math"
	"slices"

	"quaywatch/geo"
)

// Bounds of the cells in which the gates are found.
const (
	columns = 360
	rows    = 180
	longest = 0.5 // degrees of latitude beside a gate, from which a leg may cross it: half an hour at 60 knots
)

// Crossings finds the passages whose gates the leg of a ship crosses. Only those that have a limit count, and no flats. Elsewhere a leg costs one look into a
// table of the whole earth.
type Crossings struct {
	passages []Passage
	cells    [rows * columns]uint8 // of a degree: 0 is none, else the number of the passages near it
	near     [][]int               // passages by that number, from 1
}

// NewCrossings prepares the gates of a table.
func NewCrossings(all []Passage) *Crossings {
	c := &Crossings{passages: all, near: [][]int{nil}}
	for i := range all {
		if p := &all[i]; !p.Flat && p.Limits != (Size{}) {
			for _, gate := range p.Gates {
				c.registerGate(i, gate)
			}
		}
	}
	return c
}

// registerGate notes the cells round a gate.
func (c *Crossings) registerGate(passage int, gate []geo.Point) {
	south, north := gate[0].Lat, gate[0].Lat
	west, east := 0.0, 0.0 // of the first point
	for _, p := range gate {
		south, north = min(south, p.Lat), max(north, p.Lat)
		lon := math.Remainder(p.Lon-gate[0].Lon, 360)
		west, east = min(west, lon), max(east, lon)
	}
	south, north = max(-90, south-longest), min(90, north+longest)
	aside := min(180, longest/math.Cos(min(89, max(-south, north))*math.Pi/180))
	for lat := math.Floor(south); lat <= north; lat++ {
		for lon := math.Floor(gate[0].Lon + west - aside); lon <= gate[0].Lon+east+aside; lon++ {
			c.add(cellOf(geo.Point{Lon: lon + 0.5, Lat: lat + 0.5}), passage)
		}
	}
}

// add notes a passage in a cell.
func (c *Crossings) add(cell, passage int) {
	had := c.near[c.cells[cell]]
	if slices.Contains(had, passage) {
		return
	}
	all := append(slices.Clone(had), passage)
	number := slices.IndexFunc(c.near, func(known []int) bool { return slices.Equal(known, all) })
	if number < 0 {
		number = len(c.near)
		c.near = append(c.near, all)
	}
	c.cells[cell] = uint8(number)
}

// cellOf returns the cell of a place.
func cellOf(p geo.Point) int {
	column := int(math.Floor(p.Normalized().Lon)) + 180
	row := int(math.Floor(p.Lat)) + 90
	return min(max(row, 0), rows-1)*columns + min(max(column, 0), columns-1)
}

// Of calls fn with each passage that a leg from a to b goes through. A leg is at most half an hour of a ship.
func (c *Crossings) Of(a, b geo.Point, fn func(*Passage)) {
	for _, i := range c.near[c.cells[cellOf(b)]] {
		if p := &c.passages[i]; p.CrossedBy(a, b) {
			fn(p)
		}
	}
}
