package sim

import (
	"encoding/json"
	"fmt"
	"io"
	"math"
)

// feature is a feature of GeoJSON about a port, as quaywatch import-ports reads it.
type feature struct {
	Type       string     `json:"type"`
	Properties properties `json:"properties"`
	Geometry   geometry   `json:"geometry"`
}

type properties struct {
	Kind       string  `json:"kind"`
	Port       string  `json:"port"` // LOCODE or name
	Name       string  `json:"name,omitempty"`
	LOCODE     string  `json:"locode,omitempty"`
	Length     float64 `json:"length,omitempty"`      // metres
	MaxDraught float64 `json:"max_draught,omitempty"` // metres
}

type geometry struct {
	Type        string `json:"type"`
	Coordinates any    `json:"coordinates"`
}

// WritePorts writes the ports of the harbours, and that of their ferries, as GeoJSON. It writes the outer border of each, an inner shape for the water of each
// berth, and the berths. Every berthing of the truth lies in the inner shape of its berth. It fails with the error of w.
func (h *Harbour) WritePorts(w io.Writer) error {
	before := "{\"type\":\"FeatureCollection\",\"features\":[\n"
	for _, f := range h.mapFeatures() {
		line, err := json.Marshal(f)
		if err != nil {
			return fmt.Errorf("write the ports: %w", err)
		}
		if _, err := fmt.Fprintf(w, "%s%s", before, line); err != nil {
			return fmt.Errorf("write the ports: %w", err)
		}
		before = ",\n"
	}
	if _, err := io.WriteString(w, "]}\n"); err != nil {
		return fmt.Errorf("write the ports: %w", err)
	}
	return nil
}

func (h *Harbour) mapFeatures() (all []feature) {
	for _, a := range h.areas {
		for _, p := range []*port{a.home, a.landing} {
			if p != nil {
				all = append(all, p.mapFeatures()...)
			}
		}
	}
	return all
}

func (p *port) mapFeatures() []feature {
	add := func(all []feature, kind string, more properties, form string, coordinates any) []feature {
		more.Kind, more.Port = kind, p.ref()
		return append(all, feature{"Feature", more, geometry{form, coordinates}})
	}
	deepest := 0.0
	for _, b := range p.berths {
		deepest = max(deepest, b.depth())
	}
	all := add(nil, "port", properties{Name: p.name, LOCODE: p.code, MaxDraught: deepest}, "Point", [2]float64{p.at.Lon, p.at.Lat})
	all = add(all, "outer", properties{}, "Polygon", p.ring(p.border))
	for _, b := range p.berths {
		all = add(all, "inner", properties{}, "Polygon", p.ring(b.waterCorners()))
	}
	for _, b := range p.berths {
		about := properties{Name: b.name, Length: b.quayLength(), MaxDraught: b.depth()}
		all = add(all, "berth", about, "Point", p.coordinates(b.wall))
	}
	return all
}

// ring returns a closed ring, to 0.1 m.
func (p *port) ring(corners []vec) [1][][2]float64 {
	var ring [][2]float64
	for i := range len(corners) + 1 {
		ring = append(ring, p.coordinates(corners[i%len(corners)]))
	}
	return [1][][2]float64{ring}
}

func (p *port) coordinates(v vec) [2]float64 {
	at := p.area.water.pointOf(v)
	return [2]float64{math.Round(at.Lon*1e6) / 1e6, math.Round(at.Lat*1e6) / 1e6}
}
