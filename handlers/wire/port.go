package wire

import (
	"quaywatch/form"
	"quaywatch/geo"
	"quaywatch/geo/chart"
)

// PortJSON is a port in a list.
type PortJSON struct {
	ID          uint64     `json:"id"`
	LOCODE      string     `json:"locode,omitempty"`
	Name        string     `json:"name"`
	Country     string     `json:"country,omitempty"`
	CountryCode string     `json:"country_code,omitempty"`
	Position    *PointJSON `json:"position,omitempty"`
}

// PortOrigin tells what of a port is of the built-in list.
type PortOrigin struct {
	Default bool `json:"default"` // nobody drew the outer border
	Made    bool `json:"made"`    // a user made the port: it is not of the list
}

// PortShapes are the borders of a port, and what else is known of it.
type PortShapes struct {
	Timezone   string        `json:"timezone,omitempty"`
	MaxDraught float64       `json:"max_draught,omitempty"` // metres
	Aliases    []string      `json:"aliases,omitempty"`
	Codes      []string      `json:"other_locodes,omitempty"`
	Outer      geo.Polygon   `json:"outer,omitempty"`
	Inner      []geo.Polygon `json:"inner"`
	Berths     []BerthJSON   `json:"berths,omitempty"`
	Revision   string        `json:"revision"`
}

// BerthJSON is a berth, with its position in GeoJSON.
type BerthJSON struct {
	chart.Berth
	Position *PointJSON `json:"position,omitempty"`
}

// PortOf returns a port as a list has it.
func PortOf(p *chart.Port) PortJSON {
	r := PortJSON{ID: p.ID, LOCODE: p.LOCODE, Name: p.Name, Country: p.Country, CountryCode: p.CountryCode()}
	if p.Placed {
		r.Position = At(p.Position)
	}
	return r
}

// OriginOf tells what of a port is of the built-in list.
func OriginOf(p *chart.Port) PortOrigin {
	return PortOrigin{Default: !p.Drawn(), Made: p.ID >= chart.FirstMadePort}
}

// RevisionOf returns another word after each change of a port by a user.
func RevisionOf(p *chart.Port) string {
	if p.Changed.IsZero() {
		return "list"
	}
	return form.Revision(p.Changed)
}

// ShapesOf returns the borders of a port. Where nobody drew the outer one it is the circle that stands for it.
func ShapesOf(p *chart.Port) PortShapes {
	s := PortShapes{Timezone: p.Timezone, MaxDraught: p.MaxDraught, Aliases: p.OtherNames(), Codes: p.Codes, Outer: p.Area(),
		Inner: append([]geo.Polygon{}, p.Inner...), Revision: RevisionOf(p)}
	for _, b := range p.Berths {
		berth := BerthJSON{Berth: b}
		if b.Position != nil {
			berth.Position = At(*b.Position)
		}
		s.Berths = append(s.Berths, berth)
	}
	return s
}
