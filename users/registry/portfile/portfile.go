// Package portfile reads files about ports: the World Port Index as CSV, and own borders and berths as GeoJSON.
//
// It decides nothing about the ports of this box. It returns what a file says, with the line of each, and what of it is wrong. It opens nothing.
package portfile

import (
	"fmt"
	"strings"

	"quaywatch/geo"
	"quaywatch/geo/chart"
)

// NamedFile is a file with its name. Text is unpacked.
type NamedFile struct {
	Name string `json:"name"`
	Text string `json:"text"`
}

// mostRows bounds the ports of a file.
const mostRows = 100_000

// PortRow is what a file says of one port.
type PortRow struct {
	Line       int    // at which it begins, from 1 on
	Own        bool   // of an own file (GeoJSON), not of an index of the world
	Index      string // number in the World Port Index
	Ref        string // of an own file: which port is meant, by id, LOCODE or name
	LOCODE     string // "" for none
	Name       string
	Aliases    []string
	Country    string
	Position   *geo.Point
	MaxDraught float64 // metres; 0 when not known
	Outer      geo.Polygon
	Inner      []geo.Polygon
	Berths     []chart.Berth // without ids
}

// RefusedLine tells why a line of a file was not taken.
type RefusedLine struct {
	Line   int    `json:"line"`
	Column string `json:"column,omitempty"` // of a CSV file; a JSON pointer into a feature
	Why    string `json:"why"`
}

// Error tells the line and the reason.
func (r RefusedLine) Error() string {
	if r.Column == "" {
		return fmt.Sprintf("line %d: %s", r.Line, r.Why)
	}
	return fmt.Sprintf("line %d, %s: %s", r.Line, r.Column, r.Why)
}

// Read returns what a file says, in its order, and what of it is refused. It fails with a RefusedLine when the file is of neither kind.
func Read(f NamedFile) (rows []PortRow, refused []RefusedLine, err error) {
	text := strings.TrimPrefix(f.Text, "\ufeff")
	if strings.HasPrefix(strings.TrimSpace(text), "{") {
		return readFeatures(text)
	}
	return readIndex(text)
}
