package stats

import (
	"time"

	"quaywatch/form"
	"quaywatch/geo"
	"quaywatch/geo/grid"
	"quaywatch/internal/rule"
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
	Shape    *AreaShape `json:"shape"`
	Cell     int64      `json:"cell"`               // metres
	ShipList string     `json:"shiplist,omitempty"` // "" for all ships
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
	area, err := r.areaWithInside(p.Shape)
	if err != nil {
		return Question{}, err
	}
	of, why := RasterOf(area, p.Cell)
	if why != nil {
		return Question{}, why
	}
	q := &densityAsked{run: r, cell: p.Cell, grid: of.Grid}
	asked := Question{Near: area.Bounds(), Counter: statistic.NewDensity(statistic.DensityQuestion{Period: r.Period, Area: area, Split: q.splitLeg}, q.keepDay)}
	if p.ShipList != "" {
		asked.Only, err = r.shipList(p.ShipList)
	}
	return asked, err
}

// splitLeg cuts a leg at the borders of cells.
func (q *densityAsked) splitLeg(a, b geo.Point, fn func(at statistic.LatticeCell, from, to float64)) {
	q.grid.Split(a, b, float64(q.cell), func(at grid.Cell, from, to float64) { fn(statistic.LatticeCell{X: at.X, Y: at.Y}, from, to) })
}

// densityRecord is a day of a ship, or a part of it.
type densityRecord struct {
	Ship    ResultShip    `json:"ship"`
	Day     string        `json:"day"`
	Seconds float64       `json:"seconds"` // in all cells
	EPSG    int           `json:"epsg"`
	Cell    int64         `json:"cell"`
	Cells   []densityCell `json:"cells"`
}

// densityCell is x and y of the south-west corner in metres, the seconds, the trips and the crossings.
type densityCell [5]float64

// keepDay keeps a day, with the ship as it was at the end of that day.
func (q *densityAsked) keepDay(d statistic.DensityDay) {
	moments := d.Moments()
	q.run.keepFound(found{moments, moments[len(moments)-1]}, func(then *ship.State) any {
		record := densityRecord{Ship: Described(then), Day: d.Day.Format(time.DateOnly), EPSG: q.grid.EPSG(), Cell: q.cell}
		millis := int64(0)
		for _, c := range d.Cells {
			x, y := float64(int64(c.X)*q.cell), float64(int64(c.Y)*q.cell)
			millis += c.Millis
			record.Cells = append(record.Cells, densityCell{x, y, float64(c.Millis) / 1000, float64(c.Trips), float64(c.Crossings)})
		}
		record.Seconds = float64(millis) / 1000
		return record
	})
}

// RasterOf returns the cells over the rectangle of an area. It fails where there are too many.
func RasterOf(area *geo.Area, cell int64) (grid.Raster, *rule.Rule) {
	r := grid.Over(area.Bounds(), cell)
	if r.Columns*r.Rows > MostCells {
		return r, rule.New("stat_cells", "makes {count} cells of the shape, and {max} are the most: take larger cells or a smaller shape",
			"count", r.Columns*r.Rows, "max", MostCells)
	}
	return r, nil
}
