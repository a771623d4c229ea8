package form

import (
	"encoding/json"

	"quaywatch/geo"
	"quaywatch/rule"
)

// Ref is how a reference is read: the name of a thing and its uid.
type Ref struct {
	Name string `json:"name"`
	UID  string `json:"uid,omitempty"`
}

// ParseRef reads a reference as it is written: a name, or an object with uid or name.
func ParseRef(raw json.RawMessage) (string, bool) {
	var text string
	if json.Unmarshal(raw, &text) == nil {
		return text, text != ""
	}
	var ref Ref
	if json.Unmarshal(raw, &ref) != nil {
		return "", false
	}
	if ref.UID != "" {
		return ref.UID, true
	}
	return ref.Name, ref.Name != ""
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
