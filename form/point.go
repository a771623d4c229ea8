package form

import (
	"encoding/json"

	"quaywatch/geo"
	"quaywatch/internal/rule"
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

// ParsePoint reads a GeoJSON Point, also in its extended form, and a Feature as its geometry.
func ParsePoint(raw json.RawMessage) (geo.Point, error) {
	raw, _ = geo.Geometry(raw)
	var p struct {
		Type        string            `json:"type"`
		Coordinates []json.RawMessage `json:"coordinates"`
	}
	wrong := rule.New("point", "must be a Point with longitude and latitude")
	if json.Unmarshal(raw, &p) != nil || p.Type != "Point" || len(p.Coordinates) < 2 {
		return geo.Point{}, wrong
	}
	var lon, lat *float64 // null is no number
	if json.Unmarshal(p.Coordinates[0], &lon) != nil || json.Unmarshal(p.Coordinates[1], &lat) != nil || lon == nil || lat == nil {
		return geo.Point{}, wrong
	}
	at := geo.Point{Lon: *lon, Lat: *lat}
	if !at.Valid() {
		return geo.Point{}, wrong
	}
	return at, nil
}
