package form

import (
	"encoding/json"

	"quaywatch/geo"
	"quaywatch/rule"
)

// PlainPoint is a GeoJSON Point.
type PlainPoint struct {
	Type        string     `json:"type"`
	Coordinates [2]float64 `json:"coordinates"`
}

// PointOf writes a place in GeoJSON, nil for none.
func PointOf(p *geo.Point) *PlainPoint {
	if p == nil {
		return nil
	}
	return &PlainPoint{"Point", [2]float64{p.Lon, p.Lat}}
}

// ParsePoint reads a GeoJSON Point, also in its extended form.
func ParsePoint(raw json.RawMessage) (geo.Point, error) {
	var p struct {
		Type        string            `json:"type"`
		Coordinates []json.RawMessage `json:"coordinates"`
	}
	wrong := rule.New("point", "must be a Point with longitude and latitude")
	if json.Unmarshal(raw, &p) != nil || p.Type != "Point" || len(p.Coordinates) < 2 {
		return geo.Point{}, wrong
	}
	var at geo.Point
	if json.Unmarshal(p.Coordinates[0], &at.Lon) != nil || json.Unmarshal(p.Coordinates[1], &at.Lat) != nil || !at.Valid() {
		return geo.Point{}, wrong
	}
	return at, nil
}
