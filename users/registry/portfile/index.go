package portfile

import (
	"cmp"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"quaywatch/form"
	"quaywatch/geo"
	"quaywatch/geo/chart"
)

// Columns of the World Port Index.
const (
	columnNumber  = "World Port Index Number"
	columnName    = "Main Port Name"
	columnNames   = "Alternate Port Name"
	columnLOCODE  = "UN/LOCODE"
	columnCountry = "Country Code"
	columnDraught = "Maximum Vessel Draft (m)"
	columnLat     = "Latitude"
	columnLon     = "Longitude"
)

// largestDraught is in metres: deeper than any ship.
const largestDraught = 100

// indexReader reads the World Port Index.
type indexReader struct {
	csv    *csv.Reader
	column map[string]int
	record []string
}

func readIndex(text string) (rows []PortRow, refused []RefusedLine, err error) {
	r := indexReader{csv: csv.NewReader(strings.NewReader(text)), column: map[string]int{}}
	r.csv.FieldsPerRecord = -1
	if err := r.readHead(); err != nil {
		return nil, nil, err
	}
	for {
		row, err := r.next()
		var refusal RefusedLine
		switch {
		case errors.Is(err, io.EOF):
			return rows, refused, nil
		case errors.As(err, &refusal):
			refused = append(refused, refusal)
		case err != nil:
			return nil, nil, err
		default:
			rows = append(rows, row)
		}
		if len(rows)+len(refused) > mostRows {
			return nil, nil, RefusedLine{Line: row.Line, Why: fmt.Sprintf("a file may have at most %d ports", mostRows)}
		}
	}
}

// readHead reads the names of the columns.
func (r *indexReader) readHead() error {
	head, err := r.csv.Read()
	if err != nil {
		return csvRefusal(err, "the file is empty")
	}
	for i, name := range head {
		r.column[strings.TrimSpace(name)] = i
	}
	for _, name := range []string{columnName, columnLat, columnLon} {
		if _, ok := r.column[name]; !ok {
			return RefusedLine{Line: 1, Column: name, Why: "is no column of this file: it is neither a World Port Index (CSV) nor GeoJSON"}
		}
	}
	return nil
}

// csvRefusal returns what the reader of CSV found as a Refusal.
func csvRefusal(err error, atEnd string) error {
	var fault *csv.ParseError
	switch {
	case errors.As(err, &fault):
		return RefusedLine{Line: fault.StartLine, Column: fmt.Sprintf("character %d", fault.Column), Why: fault.Err.Error()}
	case errors.Is(err, io.EOF):
		return RefusedLine{Line: 1, Why: atEnd}
	}
	return err
}

// next returns the port of the next row. It fails with io.EOF, or with a RefusedLine for a row that says no port.
func (r *indexReader) next() (row PortRow, err error) {
	if r.record, err = r.csv.Read(); errors.Is(err, io.EOF) {
		return row, err
	} else if err != nil {
		return row, csvRefusal(err, "")
	}
	row.Line, _ = r.csv.FieldPos(0)
	row.Index, row.Name, row.Country = r.fieldText(columnNumber), r.fieldText(columnName), r.fieldText(columnCountry)
	refuse := func(column, why string) (PortRow, error) { return row, RefusedLine{row.Line, column, why} }
	if err := cmp.Or(form.CheckTitle(row.Name), chart.CheckPortName(row.Name)); err != nil {
		return refuse(columnName, err.Error())
	}
	if code := r.fieldText(columnLOCODE); code != "" {
		var ok bool
		if row.LOCODE, ok = chart.ParseLOCODE(code); !ok {
			return refuse(columnLOCODE, fmt.Sprintf("%.20q is no LOCODE", code))
		}
	}
	var at geo.Point
	for _, field := range []struct {
		column  string
		degrees *float64
		most    float64
	}{{columnLat, &at.Lat, 90}, {columnLon, &at.Lon, 180}} {
		var ok bool
		if *field.degrees, ok = r.fieldNumber(field.column); !ok || math.Abs(*field.degrees) > field.most {
			return refuse(field.column, fmt.Sprintf("%.20q is no number of degrees", r.fieldText(field.column)))
		}
	}
	if at == (geo.Point{}) {
		return refuse(columnLat, "0° 0° is no place of a port")
	}
	row.Position = &at
	if r.fieldText(columnDraught) != "" {
		var ok bool
		if row.MaxDraught, ok = r.fieldNumber(columnDraught); !ok || row.MaxDraught < 0 || row.MaxDraught > largestDraught {
			return refuse(columnDraught, fmt.Sprintf("%.20q is no number of metres from 0 to %d", r.fieldText(columnDraught), largestDraught))
		}
	}
	row.Aliases = r.otherNames()
	return row, nil
}

// fieldText returns a field, "" for one that the row has not.
func (r *indexReader) fieldText(column string) string {
	i, ok := r.column[column]
	if !ok || i >= len(r.record) {
		return ""
	}
	return form.Tidy(r.record[i])
}

func (r *indexReader) fieldNumber(column string) (float64, bool) {
	n, err := strconv.ParseFloat(r.fieldText(column), 64)
	return n, err == nil && !math.IsNaN(n)
}

// otherNames returns the other names of the row that can be names of a port.
func (r *indexReader) otherNames() []string {
	names := strings.Split(r.fieldText(columnNames), ";")
	for i := range names {
		names[i] = form.Tidy(names[i])
	}
	return slices.DeleteFunc(names, func(name string) bool { return cmp.Or(form.CheckTitle(name), chart.CheckPortName(name)) != nil })
}
