// Package fairway is the fairways of a port as its people draw them. They are lines that ships keep to, with what they let through, and areas in which ships
// keep to the lines. It reads them from GeoJSON and joins them where they meet. It opens nothing.
package fairway

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strings"

	"quaywatch/geo"
)

// Bounds of a file.
const (
	MostBytes    = 4 << 20
	MostFeatures = 1000
	MostPoints   = 2000    // of all lines together
	LongestLeg   = 50_000  // metres between two points of a line
	WidestArea   = 200_000 // metres from side to side
	MostLatitude = 85
	mostName     = 100
)

// ShipSize is that of a ship in metres. 0 is unknown and passes everywhere.
type ShipSize struct{ Draught, Length, Beam float64 }

// Fairway is a fairway.
type Fairway struct {
	Name   string
	Points geo.Line
	OneWay bool     // from the first point to the last
	Limits ShipSize // the largest ship that it lets through; 0 is no limit
	Speed  float64  // knots, the most that a ship sails; 0 is no limit
}

// Passes reports whether a ship fits.
func (l *Fairway) Passes(s ShipSize) bool {
	fits := func(has, limit float64) bool { return limit == 0 || has <= limit }
	return fits(s.Draught, l.Limits.Draught) && fits(s.Length, l.Limits.Length) && fits(s.Beam, l.Limits.Beam)
}

// Fairways are those of a file.
type Fairways struct {
	Lines []Fairway
	Areas []FairwayWater
}

// feature is a GeoJSON feature (RFC 7946).
type feature struct {
	Type       string          `json:"type"`
	Geometry   json.RawMessage `json:"geometry"`
	Properties properties      `json:"properties"`
}

// properties are those that a fairway has. Others are for the program that drew it.
type properties struct {
	Name       string   `json:"name"`
	OneWay     bool     `json:"one_way"`
	MaxDraught *float64 `json:"max_draught"` // metres
	MaxLength  *float64 `json:"max_length"`  // metres
	MaxBeam    *float64 `json:"max_beam"`    // metres
	Speed      *float64 `json:"speed"`       // knots
}

// Parse reads a GeoJSON FeatureCollection: a LineString is a fairway and a Polygon an area. The error tells the feature by its number, from 1 on,
// and its name.
func Parse(data []byte) (*Fairways, error) {
	if len(data) > MostBytes {
		return nil, fmt.Errorf("the file has more than %d bytes", MostBytes)
	}
	var collection struct {
		Type     string            `json:"type"`
		Features []json.RawMessage `json:"features"`
	}
	if err := json.Unmarshal(data, &collection); err != nil || collection.Type != "FeatureCollection" {
		return nil, errors.Join(errors.New("must be a GeoJSON FeatureCollection"), err)
	}
	if len(collection.Features) > MostFeatures {
		return nil, fmt.Errorf("there are %d features, at most %d can be", len(collection.Features), MostFeatures)
	}
	f := &Fairways{}
	points := 0
	for i, raw := range collection.Features {
		more, name, err := f.add(raw)
		if err != nil {
			return nil, fmt.Errorf("feature %d%s: %w", i+1, name, err)
		}
		if points += more; points > MostPoints {
			return nil, fmt.Errorf("the lines have more than %d points", MostPoints)
		}
	}
	if len(f.Lines) == 0 {
		return nil, errors.New("there is no fairway: a fairway is a LineString")
	}
	return f, nil
}

// add takes a feature. It returns how many points of lines it has, and its name for an error.
func (f *Fairways) add(raw json.RawMessage) (points int, name string, err error) {
	var read feature
	if err := json.Unmarshal(raw, &read); err != nil {
		var field *json.UnmarshalTypeError
		if errors.As(err, &field) {
			return 0, "", fmt.Errorf("%s must not be %s", field.Field, field.Value)
		}
		return 0, "", err
	}
	p := &read.Properties
	if p.Name = strings.TrimSpace(p.Name); p.Name != "" {
		name = fmt.Sprintf(" (%.*q)", mostName, p.Name)
	}
	if read.Type != "Feature" {
		return 0, name, errors.New("must be a GeoJSON Feature")
	}
	if err := p.checkProperties(); err != nil {
		return 0, name, err
	}
	shape, err := geo.ParseShape(read.Geometry)
	if err != nil {
		var where *geo.ShapeError
		if errors.As(err, &where) {
			return 0, name, fmt.Errorf("geometry%s %v", where.Pointer, where.Rule)
		}
		return 0, name, err
	}
	switch shape := shape.(type) {
	case geo.Line:
		l := p.makeLine(shape)
		f.Lines = append(f.Lines, l)
		return len(shape), name, checkLine(&l)
	case geo.Polygon:
		a, err := newArea(p.Name, shape)
		f.Areas = append(f.Areas, a)
		return 0, name, err
	}
	return 0, name, errors.New("geometry must be a LineString or a Polygon")
}

// checkProperties tells which property is wrong.
func (p *properties) checkProperties() error {
	if len(p.Name) > mostName {
		return fmt.Errorf("name must have at most %d bytes", mostName)
	}
	for _, r := range p.Name {
		if r < ' ' || r == 0x7f {
			return errors.New("name must have no control characters")
		}
	}
	for _, n := range []struct {
		name  string
		value *float64
		most  float64
	}{{"max_draught", p.MaxDraught, 50}, {"max_length", p.MaxLength, 1000}, {"max_beam", p.MaxBeam, 200}, {"speed", p.Speed, 100}} {
		if n.value != nil && !(*n.value > 0 && *n.value <= n.most) {
			return fmt.Errorf("%s must be above 0, and at most %g", n.name, n.most)
		}
	}
	return nil
}

// makeLine returns a fairway with the properties.
func (p *properties) makeLine(points geo.Line) Fairway {
	number := func(n *float64) float64 {
		if n == nil {
			return 0
		}
		return *n
	}
	return Fairway{Name: p.Name, Points: points, OneWay: p.OneWay, Speed: number(p.Speed),
		Limits: ShipSize{number(p.MaxDraught), number(p.MaxLength), number(p.MaxBeam)}}
}

// checkLine tells what is wrong with the place of a fairway.
func checkLine(l *Fairway) error {
	for i, p := range l.Points {
		if math.Abs(p.Lat) > MostLatitude {
			return fmt.Errorf("point %d must lie within %d° of latitude", i+1, MostLatitude)
		}
		if i > 0 && geo.Distance(l.Points[i-1], p) > LongestLeg {
			return fmt.Errorf("point %d is more than %d km from the one before", i+1, LongestLeg/1000)
		}
	}
	return nil
}
