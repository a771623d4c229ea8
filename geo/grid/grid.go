// Package grid lays a lattice of cells of equal area over the earth. It projects places into a plane, and parts the way of a ship by the cells that it leads
// through.
//
// It promises that the parts of a way join exactly, so that no time is lost or counted twice. It also promises that a border is right to a metre.
package grid

import (
	"math"

	"quaywatch/geo"
)

// The numbers by which EPSG names the two projections.
const (
	Europe = 3035 // ETRS89-extended / LAEA Europe, of the reference grid of the European Environment Agency
	World  = 6933 // WGS 84 / NSIDC EASE-Grid 2.0 Global, which shows what lies within 86° of latitude
)

// Projection is a plane of equal area. It is made by For or Of.
type Projection struct {
	plane
	epsg int
}

// plane shows the earth.
type plane interface {
	// Forward returns where a place lies in the plane: metres east and north. It takes a longitude as it is: of the world, 190° lies beside 180°.
	Forward(at geo.Point) (x, y float64)
	// Inverse returns which place lies at metres east and north in the plane. What lies outside of the world is moved to its edge.
	Inverse(x, y float64) geo.Point
}

// For returns the projection for what lies in a rectangle. It is that of Europe where all of it lies in its area of use, else that of the world.
func For(bounds geo.Rect) Projection {
	use := geo.Rect{West: -35.58, South: 24.6, East: 44.83, North: 84.73} // of EPSG:3035
	if bounds.West <= bounds.East && bounds.West >= use.West && bounds.East <= use.East && bounds.South >= use.South && bounds.North <= use.North {
		return Of(Europe)
	}
	return Of(World)
}

// Of returns the projection with a number of EPSG; any but Europe is that of the world.
func Of(epsg int) Projection {
	const equator = 6378137 // metres, of both ellipsoids
	if epsg == Europe {
		return Projection{newAzimuthal(newEllipsoid(equator, 1/298.257222101), 10, 52, 4321000, 3210000), Europe}
	}
	return Projection{newCylindrical(newEllipsoid(equator, 1/298.257223563), 30), World}
}

// EPSG returns the number of the projection.
func (p Projection) EPSG() int { return p.epsg }

// Cell is a square of a lattice whose lines lie at whole multiples of its size: column and row of its lower left corner.
type Cell struct{ X, Y int32 }

// CellOf returns the cell of some metres size in which a place of the plane lies. The left and the lower border belong to it.
func CellOf(x, y, size float64) Cell {
	return Cell{int32(math.Floor(x / size)), int32(math.Floor(y / size))}
}
