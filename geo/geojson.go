package geo

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"

	"quaywatch/internal/rule"
)

// MaxShapePoints is the most points that a shape may have, all rings together.
const MaxShapePoints = 10000

// ShapeError says where a GeoJSON shape is broken and which rule it breaks.
type ShapeError struct {
	Pointer string // JSON pointer (RFC 6901) from the shape's own root; "" is the whole
	Rule    *rule.Rule
}

// Error returns both.
func (e *ShapeError) Error() string {
	return fmt.Sprintf("parse shape at %q: %v", e.Pointer, e.Rule)
}

// Unwrap returns the rule.
func (e *ShapeError) Unwrap() error { return e.Rule }

// Geometry returns the geometry of a GeoJSON Feature, and its JSON pointer there. What is no Feature it returns as it came.
func Geometry(data []byte) (geometry []byte, pointer string) {
	var feature struct {
		Type     string          `json:"type"`
		Geometry json.RawMessage `json:"geometry"`
	}
	if json.Unmarshal(data, &feature) != nil || feature.Type != "Feature" {
		return data, ""
	}
	if feature.Geometry == nil {
		feature.Geometry = json.RawMessage("null")
	}
	return feature.Geometry, "/geometry"
}

// ParseShape reads a GeoJSON geometry of type Polygon or LineString, and a Feature as its geometry. A position may carry more than its two numbers (height, or
// the specification's time, course and speed); only longitude and latitude are read. Each edge of the shape runs the shorter way. In a ring, an edge from -180
// to 180, which goes round the world, gets points on its way. Every error is a *ShapeError.
func ParseShape(data []byte) (Shape, error) {
	geometry, pointer := Geometry(data)
	shape, err := parseGeometry(geometry)
	var broken *ShapeError
	if errors.As(err, &broken) {
		return nil, &ShapeError{pointer + broken.Pointer, broken.Rule}
	}
	return shape, err
}

func parseGeometry(data []byte) (Shape, error) {
	var object struct {
		Type        *string         `json:"type"`
		Coordinates json.RawMessage `json:"coordinates"`
	}
	if err := json.Unmarshal(data, &object); err != nil {
		return nil, &ShapeError{"", rule.New("geometry", "must be a GeoJSON geometry object")}
	}
	if object.Type == nil {
		return nil, &ShapeError{"/type", rule.New("required", "is required")}
	}
	if object.Coordinates == nil {
		return nil, &ShapeError{"/coordinates", rule.New("required", "is required")}
	}
	p := parser{}
	switch *object.Type {
	case "Polygon":
		return p.parsePolygon(object.Coordinates)
	case "LineString":
		return p.parseLine(object.Coordinates)
	}
	return nil, &ShapeError{"/type", rule.New("geometry_type", "must be Polygon or LineString")}
}

// parser counts the points of one shape.
type parser struct{ points int }

func (p *parser) parsePolygon(raw json.RawMessage) (Shape, error) {
	const pointer = "/coordinates"
	rings, err := array(raw, pointer)
	if err != nil {
		return nil, err
	}
	if len(rings) == 0 {
		return nil, &ShapeError{pointer, rule.New("outer_ring", "must have an outer ring")}
	}
	g := make(Polygon, len(rings))
	for i, ring := range rings {
		at := pointer + "/" + strconv.Itoa(i)
		if g[i], err = p.parseChain(ring, at); err != nil {
			return nil, err
		}
		if g[i], err = p.roundRing(g[i], at); err != nil {
			return nil, err
		}
	}
	return g, nil
}

// CheckHoles returns what is wrong with the holes of a polygon that somebody sends. One without a corner in the outer ring takes nothing away, or all.
// ParseShape does not ask it, because what is stored stays readable. Every error is a *ShapeError.
func (g Polygon) CheckHoles() error {
	if len(g) < 2 {
		return nil
	}
	outer := NewArea(g[:1])
	for i, hole := range g[1:] {
		if !slices.ContainsFunc(hole, outer.Contains) {
			return &ShapeError{"/coordinates/" + strconv.Itoa(i+1), rule.New("hole_outside", "must lie inside of the outer ring")}
		}
	}
	return nil
}

// roundRing checks a ring, and puts points on the way of its edges that do not run the shorter way.
func (p *parser) roundRing(ring []Point, pointer string) ([]Point, error) {
	if err := checkRing(ring, pointer); err != nil {
		return nil, err
	}
	whole, err := goRound(ring, pointer)
	if err != nil {
		return nil, err
	}
	if err := p.countPoints(len(whole)-len(ring), pointer); err != nil {
		return nil, err
	}
	if flat(whole) {
		return nil, &ShapeError{pointer, rule.New("ring_no_area", "must enclose an area: this ring leads out and back over the same places")}
	}
	return whole, nil
}

func (p *parser) parseLine(raw json.RawMessage) (Shape, error) {
	const pointer = "/coordinates"
	l, err := p.parseChain(raw, pointer)
	if err != nil {
		return nil, err
	}
	for i := 1; i < len(l); i++ {
		if math.Abs(l[i].Lon-l[i-1].Lon) == 180 {
			return nil, undecided(pointer + "/" + strconv.Itoa(i))
		}
	}
	if distinct(l) < 2 {
		return nil, &ShapeError{pointer, rule.New("line_points", "must have at least two different points")}
	}
	return Line(l), nil
}

func checkRing(ring []Point, pointer string) error {
	if len(ring) < 4 {
		return &ShapeError{pointer, rule.New("ring_points", "must have at least four points")}
	}
	if ring[0] != ring[len(ring)-1] {
		return &ShapeError{pointer + "/" + strconv.Itoa(len(ring)-1), rule.New("ring_open", "must close the ring: the last point is the first again")}
	}
	if distinct(ring) < 3 {
		return &ShapeError{pointer, rule.New("ring_flat", "must have at least three different points")}
	}
	return nil
}

// distinct counts different points, up to three.
func distinct(chain []Point) int {
	var seen [3]Point
	n := 0
next:
	for _, p := range chain {
		for _, s := range seen[:n] {
			if s == p {
				continue next
			}
		}
		seen[n] = p
		if n++; n == len(seen) {
			break
		}
	}
	return n
}

// parseChain reads an array of positions.
func (p *parser) parseChain(raw json.RawMessage, pointer string) ([]Point, error) {
	positions, err := array(raw, pointer)
	if err != nil {
		return nil, err
	}
	if err := p.countPoints(len(positions), pointer); err != nil {
		return nil, err
	}
	chain := make([]Point, len(positions))
	for i, position := range positions {
		at := pointer + "/" + strconv.Itoa(i)
		if chain[i], err = parsePosition(position, at); err != nil {
			return nil, err
		}
	}
	return chain, nil
}

// countPoints takes further points of the shape.
func (p *parser) countPoints(more int, pointer string) error {
	if p.points += more; p.points > MaxShapePoints {
		return &ShapeError{pointer, rule.New("shape_points", "must not bring the shape above {max} points", "max", MaxShapePoints)}
	}
	return nil
}

func parsePosition(raw json.RawMessage, pointer string) (Point, error) {
	values, err := array(raw, pointer)
	if err != nil {
		return Point{}, err
	}
	if len(values) < 2 {
		return Point{}, &ShapeError{pointer, rule.New("position", "must be [longitude, latitude]")}
	}
	var p Point
	for i, target := range []*float64{&p.Lon, &p.Lat} {
		if err := json.Unmarshal(values[i], target); err != nil || string(values[i]) == "null" {
			return Point{}, &ShapeError{pointer + "/" + strconv.Itoa(i), rule.New("number", "must be a number")}
		}
	}
	if math.Abs(p.Lon) > 180 {
		return Point{}, &ShapeError{pointer + "/0", rule.New("longitude", "must be a longitude from -180 to 180")}
	}
	if math.Abs(p.Lat) > 90 {
		return Point{}, &ShapeError{pointer + "/1", rule.New("latitude", "must be a latitude from -90 to 90")}
	}
	return p, nil
}

func array(raw json.RawMessage, pointer string) ([]json.RawMessage, error) {
	var items []json.RawMessage
	if err := json.Unmarshal(raw, &items); err != nil || items == nil {
		return nil, &ShapeError{pointer, rule.New("array", "must be an array")}
	}
	return items, nil
}

// MarshalJSON writes a GeoJSON geometry of type Polygon.
func (g Polygon) MarshalJSON() ([]byte, error) {
	b := []byte(`{"type":"Polygon","coordinates":[`)
	for i, ring := range g {
		if i > 0 {
			b = append(b, ',')
		}
		b = appendPositions(b, ring)
	}
	return append(b, "]}"...), nil
}

// MarshalJSON writes a GeoJSON geometry of type LineString.
func (l Line) MarshalJSON() ([]byte, error) {
	b := appendPositions([]byte(`{"type":"LineString","coordinates":`), l)
	return append(b, '}'), nil
}

func appendPositions(b []byte, chain []Point) []byte {
	b = append(b, '[')
	for i, p := range chain {
		if i > 0 {
			b = append(b, ',')
		}
		b = append(b, '[')
		b = appendDegrees(b, p.Lon)
		b = append(b, ',')
		b = appendDegrees(b, p.Lat)
		b = append(b, ']')
	}
	return append(b, ']')
}

// appendDegrees writes a number exactly. A very small one has an exponent: without it, it would have hundreds of digits.
func appendDegrees(b []byte, v float64) []byte {
	if v != 0 && math.Abs(v) < 1e-6 {
		return strconv.AppendFloat(b, v, 'e', -1, 64)
	}
	return strconv.AppendFloat(b, v, 'f', -1, 64)
}
