package stats

import (
	"math"
	"time"

	"quaywatch/form"
	"quaywatch/geo"
	"quaywatch/geo/grid"
	"quaywatch/rule"
	"quaywatch/ship"
	"quaywatch/ship/statistic"
)

// Bounds of the cells of a density.
const (
	UsualCell  = 1000 // metres
	leastCell  = 50
	widestCell = 50_000
	MostCells  = 4_000_000 // of the rectangle of a shape
)

// density is where ships spend their time, by cells of a lattice.
func density() Kind {
	return Kind{Name: "density", Keys: []string{"shape", "cell", "shiplist"}, Check: checkDensity, Open: openDensity}
}

// densityPlan is what is asked.
type densityPlan struct {
	Shape    *Area  `json:"shape"`
	Cell     int64  `json:"cell"`               // metres
	ShipList string `json:"shiplist,omitempty"` // "" for all ships
}

func checkDensity(f *form.Fields, who Asker) (any, error) {
	p := densityPlan{Cell: f.Within("cell", UsualCell, leastCell, widestCell)}
	f.Require("shape")
	p.Shape = ReadArea(f, "shape", who)
	if f.Given("shiplist") {
		p.ShipList = ReadShipList(f, "shiplist", who)
	}
	if p.Shape == nil || p.Cell == 0 {
		return p, nil
	}
	area, err := p.Shape.Open(who.Names)
	if err != nil {
		return p, nil // it was just there; the run says that it is gone
	}
	if _, why := RasterOf(area, p.Cell); why != nil {
		f.Refuse("cell", why)
	}
	return p, nil
}

// densityAsked is a question about density.
type densityAsked struct {
	run  *Run
	cell int64
	grid grid.Projection
}

func openDensity(r *Run) (Question, error) {
	var p densityPlan
	if err := r.Plan(&p); err != nil {
		return Question{}, err
	}
	area, err := r.inside(p.Shape)
	if err != nil {
		return Question{}, err
	}
	of, why := RasterOf(area, p.Cell)
	if why != nil {
		return Question{}, why
	}
	q := &densityAsked{run: r, cell: p.Cell, grid: of.Grid}
	asked := Question{Near: area.Bounds(), Counter: statistic.NewDensity(statistic.DensityQuestion{Period: r.Period, Area: area, Split: q.split}, q.day)}
	if p.ShipList != "" {
		asked.Only, err = r.shipList(p.ShipList)
	}
	return asked, err
}

// split cuts a leg at the borders of cells.
func (q *densityAsked) split(a, b geo.Point, fn func(at statistic.Cell, from, to float64)) {
	q.grid.Split(a, b, float64(q.cell), func(at grid.Cell, from, to float64) { fn(statistic.Cell{X: at.X, Y: at.Y}, from, to) })
}

// densityRecord is a day of a ship, or a part of it.
type densityRecord struct {
	Ship    Ship          `json:"ship"`
	Day     string        `json:"day"`
	Seconds float64       `json:"seconds"` // in all cells
	EPSG    int           `json:"epsg"`
	Cell    int64         `json:"cell"`
	Cells   []densityCell `json:"cells"`
}

// densityCell is x and y of the south-west corner in metres, the seconds, the trips and the crossings.
type densityCell [5]float64

// day keeps a day, with the ship as it was at the end of that day.
func (q *densityAsked) day(d statistic.DensityDay) {
	moments := d.Moments()
	q.run.keepFound(found{moments, moments[len(moments)-1]}, func(then *ship.State) any {
		one := densityRecord{Ship: Described(then), Day: d.Day.Format(time.DateOnly), EPSG: q.grid.EPSG(), Cell: q.cell}
		millis := int64(0)
		for _, c := range d.Cells {
			x, y := float64(int64(c.X)*q.cell), float64(int64(c.Y)*q.cell)
			millis += c.Millis
			one.Cells = append(one.Cells, densityCell{x, y, float64(c.Millis) / 1000, float64(c.Trips), float64(c.Crossings)})
		}
		one.Seconds = float64(millis) / 1000
		return one
	})
}

// Raster is the cells over the rectangle of a shape. Column and row 0 are the western and the southern ones.
type Raster struct {
	Grid          grid.Projection
	Cell          int64 // metres
	West, South   int64 // metres
	Columns, Rows int
}

// RasterOf gives the cells over the rectangle of an area. It fails where there are too many.
func RasterOf(area *geo.Area, cell int64) (Raster, *rule.Rule) {
	bounds := area.Bounds()
	r := Raster{Grid: grid.For(bounds), Cell: cell}
	west, south, east, north := r.extent(bounds)
	r.West, r.South = floorTo(west, cell), floorTo(south, cell)
	columns, rows := (floorTo(east, cell)-r.West)/cell+1, (floorTo(north, cell)-r.South)/cell+1
	if columns*rows > MostCells {
		return r, rule.New("stat_cells", "makes {count} cells of the shape, and {max} are the most: take larger cells or a smaller shape",
			"count", columns*rows, "max", MostCells)
	}
	r.Columns, r.Rows = int(columns), int(rows)
	return r, nil
}

// extent gives the rectangle of the lattice that holds a rectangle of the sphere, in metres.
func (r *Raster) extent(of geo.Rect) (west, south, east, north float64) {
	const steps = 90
	west, south, east, north = math.Inf(1), math.Inf(1), math.Inf(-1), math.Inf(-1)
	width := of.East - of.West
	if width < 0 {
		width += 360
	}
	for i := range steps + 1 {
		for k := range steps + 1 {
			share, rise := float64(i)/steps, float64(k)/steps
			x, y := r.Grid.Forward(geo.Point{Lon: of.West + share*width, Lat: of.South + rise*(of.North-of.South)})
			west, east, south, north = min(west, x), max(east, x), min(south, y), max(north, y)
		}
	}
	return west, south, east, north
}

// floorTo gives the multiple of a size that is not above a value.
func floorTo(v float64, size int64) int64 { return int64(math.Floor(v/float64(size))) * size }
