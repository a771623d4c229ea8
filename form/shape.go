package form

import (
	"encoding/json"
	"errors"
	"strings"

	"quaywatch/geo"
	"quaywatch/internal/rule"
)

// Polygon returns the shape of a field, which must be given and be a GeoJSON Polygon.
func (f *Fields) Polygon(key string) geo.Polygon {
	before := len(f.body.errs)
	f.Require(key)
	if len(f.body.errs) > before {
		return nil
	}
	area, err := ParsePolygon(f.keys[key])
	if err == nil {
		err = area.CheckHoles()
	}
	f.CheckShape(key, err)
	return area
}

// ParsePolygon reads a GeoJSON Polygon, and a Feature as its geometry. Every error is a *geo.ShapeError.
func ParsePolygon(raw json.RawMessage) (geo.Polygon, error) {
	shape, err := geo.ParseShape(raw)
	if area, ok := shape.(geo.Polygon); ok {
		return area, nil
	}
	return nil, ofType(raw, err, rule.New("polygon", "must be Polygon"))
}

// ParseLine reads a GeoJSON LineString, and a Feature as its geometry. Every error is a *geo.ShapeError.
func ParseLine(raw json.RawMessage) (geo.Line, error) {
	shape, err := geo.ParseShape(raw)
	if line, ok := shape.(geo.Line); ok {
		return line, nil
	}
	return nil, ofType(raw, err, rule.New("stat_linestring", "must be LineString"))
}

// ofType returns the error of a geometry that is not of the type that is taken. It is that type's rule, or err where that is about something else.
func ofType(raw json.RawMessage, err error, only *rule.Rule) error {
	var broken *geo.ShapeError
	if errors.As(err, &broken) && broken.Rule.Word != "geometry_type" {
		return err
	}
	_, pointer := geo.Geometry(raw)
	return &geo.ShapeError{Pointer: pointer + "/type", Rule: only}
}

// CheckShape notes the rule of an error of a shape, where there is one, at the place in the shape that the error names.
func (f *Fields) CheckShape(key string, err error) {
	var broken *geo.ShapeError
	if errors.As(err, &broken) {
		key, err = strings.TrimPrefix(key+broken.Pointer, "/"), broken.Rule
	}
	f.Check(key, err)
}

// Point returns the place of a field, which is given, as a GeoJSON Point.
func (f *Fields) Point(key string) geo.Point {
	at, err := ParsePoint(f.keys[key])
	f.Check(key, err)
	return at
}
