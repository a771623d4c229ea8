package handlers

import (
	"path/filepath"
	"strings"
	"testing"
	"time"

	"quaywatch/ais"
	"quaywatch/handlers/wms"
	"quaywatch/render/rendertest"
)

// drawnSea lets ships of several types be heard in the bay of Aarhus: under way, at anchor, and one of which nothing is known but its place. A shape lies there too.
func drawnSea(t *testing.T) *site {
	s := newSite(t, withChart(t))
	s.post(configPath+"/shape", `{"name":"Roads","circle":{"center":{"type":"Point","coordinates":[10.45,56.05]},"radius":6000}}`).is(t, 200)
	for i, shipType := range []ais.ShipType{70, 80, 60, 52, 36, 0} {
		m := ais.MMSI(219000001 + i)
		if shipType > 0 {
			static := voyage(m, "TESTSHIP "+string(rune('A'+i)))
			static.ShipType, static.IMO = shipType, 0
			s.hear(noon(), static)
		}
		for minute := range 30 {
			sailed := float64(minute) * float64(i) / 3000
			p := position(m, 10.3+float64(i)/15+sailed/2, 55.98+float64(i)/20-sailed, 45*i, 1200+100*i)
			if i == 0 {
				p.Status = ais.StatusAtAnchor
			}
			s.hear(noon().Add(time.Duration(minute)*time.Minute), p)
		}
	}
	s.settle()
	return s
}

// TestPicturesOfLayers compares the layers of the map, alone and all together, in each style with pictures that were looked at.
func TestPicturesOfLayers(t *testing.T) {
	s := drawnSea(t)
	for _, layers := range []string{"land", "shapes", "ports", "ships", "tracks", "density", "land,shapes,density,tracks,ports,ships"} {
		for _, style := range []string{"day", "dusk", "night"} {
			background := map[string]string{"day": "0xDCE9F1", "dusk": "0x24384A", "night": "0x0B1116"}[style]
			file := s.get(wms.Path+"?request=GetMap&version=1.3.0&crs=EPSG:4326&bbox=55.9,10,56.4,10.8&width=320&height=240&format=image/png&layers="+layers+
				"&styles="+strings.Repeat(","+style, strings.Count(layers, ",")+1)[1:]+"&bgcolor="+background+"&time=2026-11-20T00:00:00Z/2026-11-21T00:00:00Z").is(t, 200).body
			name := layers
			if len(name) > 10 {
				name = "all"
			}
			rendertest.Golden(t, filepath.Join("testdata", "layers", name+"-"+style+".png"), file)
		}
	}
}
