package statistics

import (
	"bytes"
	"cmp"
	"context"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"time"

	"quaywatch/engine/stats"
	"quaywatch/geo"
	"quaywatch/geo/grid"
	"quaywatch/handlers/request"
	"quaywatch/handlers/wire"
	"quaywatch/internal/rule"
	"quaywatch/ship/statistic"
)

// Bounds of the sums of a density.
const (
	mostCellPairs  = 2_000_000 // of a cell and a ship in it; beyond them the ships are not told
	mostCellShapes = 100_000   // of GeoJSON
	cellBytes      = 64        // of memory for each cell
	pairBytes      = 24
	monthHours     = 730.5 // of the month of hours_per_km2_month
)

// CellSum is what a reader may know of a cell: the sum over ships and days.
type CellSum struct {
	statistic.LatticeCell
	Millis    int64
	Trips     int64
	Crossings int64
	Ships     int32
}

// DensitySum sums the records of a density. It holds each cell once.
type DensitySum struct {
	EPSG   int
	Size   int64   // of a cell, in metres
	Months float64 // of the period

	// Coarser returns how often the cells of a picture are to be halved in number; nil for never. It is asked once.
	Coarser func(p grid.Projection, size int64) uint

	shift uint
	cells map[statistic.LatticeCell]int32
	sums  []CellSum
	pairs map[cellShip]struct{} // nil where there are too many, or they are not asked for
}

// cellShip is a ship in a cell, by the number of its sum.
type cellShip struct{ cell, mmsi int32 }

// Months returns how long the period of a statistic is, as far as it had passed when it ran.
func Months(j *stats.Job) float64 {
	return MonthsIn(earlier(j.End, j.Started).Sub(j.Begin))
}

// MonthsIn returns how many months a span is: at least a second.
func MonthsIn(span time.Duration) float64 { return max(span, time.Second).Hours() / monthHours }

// NewSums begins the sums of a density over so many months. Ships are counted where that is asked for.
func NewSums(months float64, ships bool) *DensitySum {
	if months <= 0 {
		months = 1
	}
	d := &DensitySum{Months: months, cells: map[statistic.LatticeCell]int32{}}
	if ships {
		d.pairs = map[cellShip]struct{}{}
	}
	return d
}

// Add adds a record.
func (d *DensitySum) Add(record []byte) error {
	var read densityText
	if err := json.Unmarshal(record, &read); err != nil {
		return fmt.Errorf("a record of a density: %w", err)
	}
	if d.Size == 0 {
		d.EPSG, d.Size = read.EPSG, read.Size
		if d.Coarser != nil && d.Size > 0 {
			d.shift = d.Coarser(grid.Of(d.EPSG), d.Size)
		}
	}
	if read.Size < 1 || read.Size != d.Size || read.EPSG != d.EPSG {
		return errCells
	}
	for _, c := range read.Cells {
		i := d.sumIndex(statistic.LatticeCell{X: int32(c[0]/1000/d.Size) >> d.shift, Y: int32(c[1]/1000/d.Size) >> d.shift})
		if i < 0 {
			return errCells
		}
		s := &d.sums[i]
		s.Millis, s.Trips, s.Crossings = s.Millis+c[2], s.Trips+c[3]/1000, s.Crossings+c[4]/1000
		d.countShip(s, i, read.Ship.MMSI)
	}
	return nil
}

// AddTime adds milliseconds to a cell of the lattice. It reports false where there are too many cells.
func (d *DensitySum) AddTime(cell statistic.LatticeCell, millis int64) bool {
	i := d.sumIndex(cell)
	if i >= 0 {
		d.sums[i].Millis += millis
	}
	return i >= 0
}

// sumIndex returns the number of the sum of a cell; below 0 where there are too many.
func (d *DensitySum) sumIndex(cell statistic.LatticeCell) int32 {
	i, there := d.cells[cell]
	if !there {
		if len(d.sums) >= stats.MostCells {
			return -1
		}
		i = int32(len(d.sums))
		d.cells[cell] = i
		d.sums = append(d.sums, CellSum{LatticeCell: cell})
	}
	return i
}

// Len returns how many cells have a sum.
func (d *DensitySum) Len() int { return len(d.sums) }

// countShip counts a ship in a cell once.
func (d *DensitySum) countShip(s *CellSum, cell, mmsi int32) {
	if d.pairs == nil {
		return
	}
	if len(d.pairs) >= mostCellPairs {
		d.pairs = nil
		return
	}
	pair := cellShip{cell, mmsi}
	if _, there := d.pairs[pair]; !there {
		d.pairs[pair] = struct{}{}
		s.Ships++
	}
}

// Sums returns the cells, by rows from the south, each from the west.
func (d *DensitySum) Sums() []CellSum {
	slices.SortFunc(d.sums, func(a, b CellSum) int { return cmp.Or(cmp.Compare(a.Y, b.Y), cmp.Compare(a.X, b.X)) })
	return d.sums
}

// Hours returns the hours in a cell.
func (s *CellSum) Hours() float64 { return float64(s.Millis) / 3.6e6 }

// summed reads the rest of a result into the sums of a density.
func (s *source) summed(ctx context.Context, ships bool) (*DensitySum, error) {
	d := NewSums(Months(s.job), ships)
	for {
		for _, row := range s.part {
			if err := d.Add(row.text); err != nil {
				return nil, err
			}
		}
		if s.isOver() {
			return d, nil
		}
		var err error
		if s.part, err = s.next(ctx); err != nil {
			return nil, err
		}
	}
}

// sumBytes returns the memory that the sums of a result take in a layout, at most; 0 where there are none.
func sumBytes(j *stats.Job, l request.Layout) int64 {
	if j.Kind != "density" || l.Name == "json" {
		return 0
	}
	all := j.Records * statistic.MostDayCells
	return min(all, stats.MostCells)*cellBytes + min(all, mostCellPairs)*pairBytes
}

// rounded rounds to so many places.
func rounded(v float64, places int) float64 {
	scale := math.Pow10(places)
	return math.Round(v*scale) / scale
}

// densityCSV writes the cells as a table.
func (s *source) densityCSV(ctx context.Context, to io.Writer) error {
	d, err := s.summed(ctx, true)
	if err != nil {
		return err
	}
	w := csv.NewWriter(to)
	_ = w.Write(wire.ColumnNames(sheetOf("density").columns)) // a writer that fails says so at the flush
	sums, p := d.Sums(), grid.Of(d.EPSG)
	number := func(v float64, places int) string { return strconv.FormatFloat(rounded(v, places), 'f', -1, 64) }
	for i := range sums {
		sum := &sums[i]
		middle := d.cellMiddle(p, sum.LatticeCell)
		ships := ""
		if d.pairs != nil {
			ships = strconv.Itoa(int(sum.Ships))
		}
		err := w.Write([]string{strconv.FormatInt(int64(sum.X)*d.Size, 10), strconv.FormatInt(int64(sum.Y)*d.Size, 10), number(middle.Lon, 6), number(middle.Lat, 6),
			number(sum.Hours(), 7), number(d.Dense(sum), 6), strconv.FormatInt(sum.Trips, 10), strconv.FormatInt(sum.Crossings, 10), ships})
		if err != nil {
			return nil // the client went away
		}
	}
	w.Flush()
	return nil
}

// cellMiddle returns the centre of a cell.
func (d *DensitySum) cellMiddle(p grid.Projection, c statistic.LatticeCell) geo.Point {
	return p.Inverse((float64(c.X)+0.5)*float64(d.Size), (float64(c.Y)+0.5)*float64(d.Size))
}

// densityGeoJSON writes the cells as polygons.
func (s *source) densityGeoJSON(ctx context.Context, w io.Writer) error {
	d, err := s.summed(ctx, true)
	if err != nil {
		return err
	}
	if len(d.sums) > mostCellShapes {
		return request.BadField("format",
			rule.New("stat_cell_shapes", "is not geojson for more than {max} cells, and these are {count}: take csv", "max", mostCellShapes, "count", len(d.sums)))
	}
	sums, p := d.Sums(), grid.Of(d.EPSG)
	var b bytes.Buffer
	before := `{"type":"FeatureCollection","features":[`
	for i := range sums {
		text, err := json.Marshal(d.cellFeature(p, &sums[i]))
		if err != nil {
			return err
		}
		b.WriteString(before)
		b.Write(text)
		before = ","
		if _, err := b.WriteTo(w); err != nil {
			return nil // the client went away
		}
	}
	if before == "," {
		before = ""
	}
	_, _ = io.WriteString(w, before+"]}") // what fails was noted
	return nil
}

// cellFeature returns a cell on the map.
func (d *DensitySum) cellFeature(p grid.Projection, s *CellSum) feature {
	var border [][2]float64
	for _, corner := range [][2]float64{{0, 0}, {1, 0}, {1, 1}, {0, 1}, {0, 0}} {
		at := p.Inverse((float64(s.X)+corner[0])*float64(d.Size), (float64(s.Y)+corner[1])*float64(d.Size))
		border = append(border, [2]float64{rounded(at.Lon, 7), rounded(at.Lat, 7)})
	}
	all := map[string]any{"x": int64(s.X) * d.Size, "y": int64(s.Y) * d.Size, "hours": rounded(s.Hours(), 7), "hours_per_km2_month": rounded(d.Dense(s), 6),
		"trips": s.Trips, "crossings": s.Crossings}
	if d.pairs != nil {
		all["ships"] = s.Ships
	}
	return feature{Type: "Feature", Geometry: &geometry{"Polygon", [][][2]float64{border}}, Properties: all}
}

// Side returns how long the sides of the cells are that are summed, in metres.
func (d *DensitySum) Side() float64 { return float64(d.Size << d.shift) }

// Dense returns the hours in a square kilometre and a month.
func (d *DensitySum) Dense(s *CellSum) float64 {
	km := d.Side() / 1000
	return s.Hours() / (km * km) / d.Months
}

// Hours returns the hours of all cells.
func (d *DensitySum) Hours() (all float64) {
	for i := range d.sums {
		all += d.sums[i].Hours()
	}
	return all
}
