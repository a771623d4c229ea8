package statistics

import (
	"context"
	"encoding/csv"
	"encoding/json"
	"io"
	"strconv"
	"strings"

	"quaywatch/handlers/request"
	"quaywatch/handlers/wire"
)

// source is a result that is being read, and the part of it that is read.
type source struct {
	*cursor
	part []row
}

// each calls fn with each record that the caller has, and after each part flush. It ends with an error of reading, or when the client has gone.
func (s *source) each(ctx context.Context, fn func(record map[string]any) error, flush func() error) (err error) {
	for {
		for _, row := range s.part {
			record, err := wire.ReadRecord(row.text)
			if err != nil {
				return err
			}
			if err := fn(record); err != nil {
				return nil // the client went away
			}
		}
		if err := flush(); err != nil || s.isOver() {
			return nil
		}
		if s.part, err = s.next(ctx); err != nil {
			return err
		}
	}
}

// csv writes the records as a table with a header line; what is not known is empty.
func (s *source) csv(ctx context.Context, to io.Writer) error {
	if s.job.Kind == "density" {
		return s.densityCSV(ctx, to)
	}
	w := csv.NewWriter(to)
	table := sheetOf(s.job.Kind)
	cells := wire.ColumnNames(table.columns)
	_ = w.Write(cells) // a writer that fails says so at the flush
	row := func(record map[string]any, of any) error {
		for i, c := range table.columns {
			if at, element := strings.CutPrefix(c.At, "@."); element {
				cells[i] = wire.ValueText(wire.ValueAt(of, at))
			} else {
				cells[i] = wire.ValueText(wire.ValueAt(record, c.At))
			}
		}
		return w.Write(cells)
	}
	return s.each(ctx, func(record map[string]any) error {
		list, _ := wire.ValueAt(record, table.rows).([]any)
		if len(list) == 0 {
			return row(record, nil)
		}
		for _, item := range list {
			if err := row(record, item); err != nil {
				return err
			}
		}
		return nil
	}, func() error {
		w.Flush()
		return w.Error()
	})
}

// feature is a record on a map.
type feature struct {
	Type       string         `json:"type"`
	Geometry   *geometry      `json:"geometry"`
	Properties map[string]any `json:"properties"`
}

// geometry is a Point, a MultiPoint, a LineString, a MultiLineString or a Polygon.
type geometry struct {
	Type        string `json:"type"`
	Coordinates any    `json:"coordinates"`
}

// geoJSON writes the records as features. One without a place of its own has no geometry.
func (s *source) geoJSON(ctx context.Context, w io.Writer) error {
	if s.job.Kind == "density" {
		return s.densityGeoJSON(ctx, w)
	}
	before := `{"type":"FeatureCollection","features":[`
	err := s.each(ctx, func(record map[string]any) error {
		text, err := json.Marshal(s.recordFeature(record))
		if err != nil {
			return err
		}
		_, err = w.Write(append([]byte(before), text...))
		before = ","
		return err
	}, func() error { return nil })
	if err != nil {
		return err
	}
	if before == "," {
		before = ""
	}
	_, _ = io.WriteString(w, before+"]}") // what fails was noted
	return nil
}

// recordFeature puts a record on the map.
func (s *source) recordFeature(record map[string]any) feature {
	f := feature{Type: "Feature", Properties: record}
	points := s.points(record)
	switch many := s.job.Kind == "nmss" || s.job.Kind == "pilotboat"; {
	case len(points) == 1:
		f.Geometry = &geometry{"Point", points[0]}
	case len(points) > 1 && many:
		f.Geometry = &geometry{"MultiPoint", points}
	case len(points) > 1:
		f.Geometry = lineOf(points)
	}
	return f
}

// points returns the places of a record.
func (s *source) points(record map[string]any) (points []any) {
	add := func(lon, lat any) {
		if lon != nil && lat != nil {
			points = append(points, []any{lon, lat})
		}
	}
	of := func(at string) {
		add(wire.ValueAt(record, at+".position.coordinates.0"), wire.ValueAt(record, at+".position.coordinates.1"))
	}
	switch s.job.Kind {
	case "nmss":
		of("ship.0")
		of("ship.1")
	case "nmsp":
		of("ship")
	case "transitpilot":
		of("pilot.0")
		of("pilot.1")
	case "multiship":
		add(record["longitude"], record["latitude"])
	case "pilotboat":
		list, _ := record["operations"].([]any)
		for i := range list {
			of("operations." + strconv.Itoa(i))
		}
	case "portcalls":
		add(s.portPlace(record, "port"))
	case "trip":
		add(s.portPlace(record, "from.port"))
		add(s.portPlace(record, "to.port"))
	default:
		add(wire.ValueAt(record, "position.coordinates.0"), wire.ValueAt(record, "position.coordinates.1"))
		list, _ := wire.ValueAt(record, "track.coordinates").([]any)
		for i := range list {
			if record["position"] == nil {
				add(wire.ValueAt(list, strconv.Itoa(i)+".0"), wire.ValueAt(list, strconv.Itoa(i)+".1"))
			}
		}
	}
	return points
}

// portPlace returns the place of a port that the caller may know by name.
func (s *source) portPlace(record map[string]any, at string) (lon, lat any) {
	id, _ := wire.ValueAt(record, at+".id").(json.Number)
	n, err := strconv.ParseUint(id.String(), 10, 64)
	if err != nil || wire.ValueAt(record, at+".name") == nil && wire.ValueAt(record, at+".locode") == nil {
		return nil, nil
	}
	p, ok := s.server.deps.Ports.Current().ByID(n)
	if !ok || !p.Placed {
		return nil, nil
	}
	return p.Position.Lon, p.Position.Lat
}

// write writes a result in a layout that is not JSON.
func (s *source) write(ctx context.Context, w io.Writer, l request.Layout) error {
	switch l.Name {
	case "csv":
		return s.csv(ctx, w)
	case "tiff":
		return s.geoTIFF(ctx, w)
	case "iwrap":
		return s.iwrap(ctx, w)
	}
	return s.geoJSON(ctx, w)
}
