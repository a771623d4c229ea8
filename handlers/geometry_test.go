package handlers

import (
	"fmt"
	"strings"
	"testing"

	"quaywatch/ais"
)

// Geometries that are asked for.
const (
	aPoint   = `{"type":"Point","coordinates":[10.3,56.14]}`
	aLine    = `{"type":"LineString","coordinates":[[10.3,56.14],[10.4,56.2]]}`
	aPolygon = `{"type":"Polygon","coordinates":[[[10.3,56.14],[10.4,56.14],[10.4,56.2],[10.3,56.14]]]}`
)

// asksGeometry is a door that asks for a geometry, as $G, and for a name that is new, as $N.
type asksGeometry struct{ method, path, body, geometry string }

// geometryDoors are the doors that ask for a geometry.
func (s *site) geometryDoors() []asksGeometry {
	watchdogs, stat := "/api/watchdog/definition", func(kind, fields string) asksGeometry {
		return asksGeometry{"POST", statPath + "/" + kind, `{"name":"$N","begin":"2026-11-19","end":"2026-11-20","execute":false,` + fields + `}`, ""}
	}
	of := func(d asksGeometry, geometry string) asksGeometry { d.geometry = geometry; return d }
	north := `"destination":` + skagen
	track := s.tracked("admin", aTrack)
	return []asksGeometry{
		{"POST", areaPath, `{"area":$G}`, aPolygon},
		{"POST", portserver + "/ship/route/execute", `{"source":{"position":$G},` + north + `}`, aPoint},
		{"POST", portserver + "/ship/route/execute", `{"source":{"position":` + aPoint + `},"waypoints":[{"position":$G}],` + north + `}`, aPoint},
		{"POST", shipTrackPath, `{"source":{"ship":{"mmsi":219018765}},"destination":{"position":$G}}`, aPoint},
		{"POST", shipTrackPath, `{"source":{"ship":{"mmsi":219018765}},"destination":{"location":[$G]}}`, aPoint},
		{"POST", shipTrackPath, `{"source":{"ship":{"mmsi":219018765}},"destination":{"location":[` + aPoint + `,$G]}}`, aPolygon},
		{"PUT", track + "/requested", `{"time":"2026-11-20T20:00:00Z","place":"pilot","position":$G}`, aPoint},
		{"POST", registerPath, `{"name":"$N","position":$G}`, aPoint},
		{"POST", portPath, `{"name":"$N","position":$G}`, aPoint},
		{"POST", portPath, `{"name":"$N","position":` + aPoint + `,"outer":$G}`, `{"type":"Polygon","coordinates":[[[10.2,56.1],[10.4,56.1],[10.4,56.2],[10.2,56.2],[10.2,56.1]]]}`},
		{"POST", portPath, `{"name":"$N","position":` + aPoint + `,"inner":[$G]}`, `{"type":"Polygon","coordinates":[[[10.3,56.14],[10.31,56.14],[10.31,56.15],[10.3,56.14]]]}`},
		{"POST", portPath, `{"name":"$N","position":` + aPoint + `,"berths":[{"name":"1","position":$G}]}`, aPoint},
		{"POST", configPath + "/shape", `{"name":"$N","polygon":$G}`, aPolygon},
		{"POST", configPath + "/shape", `{"name":"$N","line":$G}`, aLine},
		{"POST", configPath + "/shape", `{"name":"$N","circle":{"center":$G,"radius":500}}`, aPoint},
		{"POST", watchdogs, `{"name":"$N","type":"line","line":$G}`, aLine},
		{"POST", watchdogs, `{"name":"$N","type":"polygon","polygon":$G}`, aPolygon},
		{"POST", watchdogs, `{"name":"$N","type":"fishing","fishing":$G}`, aPolygon},
		{"POST", watchdogs, `{"name":"$N","type":"cable","cable":$G}`, aLine},
		{"POST", watchdogs, `{"name":"$N","type":"cable","cable":{"geometry":$G,"buffer":500}}`, aLine},
		{"POST", watchdogs, `{"name":"$N","type":"cpa","cpa":{"polygon":$G,"cpa_m":556,"tcpa_s":720}}`, aPolygon},
		{"POST", watchdogs, `{"name":"$N","type":"lost","lost":{"mmsi":219018765,"polygon":$G}}`, aPolygon},
		{"POST", watchdogs, `{"name":"$N","type":"anchor","anchor":{"center":$G,"radius":200,"mmsi":219018765}}`, aPoint},
		{"POST", watchdogs, `{"name":"$N","type":"route","route":{"line":$G,"corridor":500}}`, aLine},
		{"POST", watchdogs + "/../event/manual", `{"message":"$N","position":$G}`, aPoint},
		of(stat("portcalls", `"shape":$G`), aPolygon),
		of(stat("area", `"shape":$G`), aPolygon),
		of(stat("passageline", `"passageline":$G`), aLine),
		of(stat("nmsp", `"shape":$G,"distance":{"max":300}`), aPoint),
	}
}

// with returns the body with a geometry, and a name that was not used.
func (d asksGeometry) with(geometry, name string) string {
	return strings.NewReplacer("$G", geometry, "$N", name).Replace(d.body)
}

// TestGeometriesAtEachDoor: a Feature is taken as its geometry, and null is no number of a place.
func TestGeometriesAtEachDoor(t *testing.T) {
	s := newSite(t)
	s.hear(noon(), voyage(nordic, "NORDIC HAV"))
	s.underWay(nordic, noon(), 5)
	names := 0
	for _, d := range s.geometryDoors() {
		d.path = strings.ReplaceAll(d.path, "/definition/..", "")
		ask := func(geometry string) answer {
			names++
			return s.call("admin", d.method, d.path, d.with(geometry, fmt.Sprintf("thing N%d", names)))
		}
		feature := `{"type":"Feature","id":7,"properties":{"name":"a"},"geometry":` + d.geometry + `}`
		for _, geometry := range []string{d.geometry, feature} {
			if a := ask(geometry); a.status != 200 {
				t.Errorf("%s %s %s: %d %s", d.path, d.body, geometry, a.status, a.body)
			}
		}
		for _, broken := range []string{strings.Replace(d.geometry, "[10.3,", "[null,", 1), strings.Replace(d.geometry, "56.14]", "null]", 1), `{"type":"Feature","properties":{}}`,
			`{"type":"Feature","properties":{},"geometry":null}`, `{"type":"FeatureCollection","features":[` + feature + `]}`} {
			if broken == d.geometry {
				broken = strings.Replace(d.geometry, "[10.2,", "[null,", 1)
			}
			if a := ask(broken); a.status != 400 {
				t.Errorf("%s %s %s: %d %s", d.path, d.body, broken, a.status, a.body)
			}
		}
	}
}

// TestAnErrorInAFeatureSaysWhereItIs: the pointer leads into the geometry of the Feature.
func TestAnErrorInAFeatureSaysWhereItIs(t *testing.T) {
	s := newSite(t)
	for geometry, want := range map[string]string{
		`{"type":"Feature","geometry":{"type":"Polygon","coordinates":[[[10,56],[11,null],[11,57],[10,56]]]}}`: "/area/geometry/coordinates/0/1/1",
		`{"type":"Feature","geometry":` + aLine + `}`:                                                          "/area/geometry/type",
		`{"type":"Feature","properties":{}}`:                                                                   "/area/geometry/type",
		`{"type":"Feature","geometry":{"type":"Feature","geometry":` + aPolygon + `}}`:                         "/area/geometry/coordinates",
	} {
		wrong := s.post(areaPath, `{"area":`+geometry+`}`).is(t, 400, "bad_request").json(t)["errors"].([]any)[0].(map[string]any)
		if wrong["pointer"] != want {
			t.Errorf("%s: %v", geometry, wrong)
		}
	}
}

// TestAFeatureComesBackAsItsGeometry: what is kept of a Feature is its geometry, and it means the same place.
func TestAFeatureComesBackAsItsGeometry(t *testing.T) {
	s := newSite(t)
	s.hear(noon(), position(ais.MMSI(219000001), 10.38, 56.16, 0, 0))
	s.post(configPath+"/shape", `{"name":"Sound","polygon":{"type":"Feature","properties":{"a":1},"geometry":`+aPolygon+`}}`).is(t, 200)
	read := s.get(configPath+"/shape/Sound").is(t, 200).json(t)["polygon"].(map[string]any)
	if read["type"] != "Polygon" || read["geometry"] != nil {
		t.Errorf("%v", read)
	}
	path := areaPath + "/" + s.started(s.post(areaPath, `{"area":{"type":"Feature","geometry":`+aPolygon+`}}`), 200)
	if found := recordsOf(t, s.finish("admin", path).is(t, 200)); len(found) != 1 {
		t.Errorf("%v", found)
	}
	line := `{"type":"Feature","geometry":` + aLine + `}`
	for kind, fields := range map[string]string{
		"passageline": `"passageline":` + line, "multipassageline": `"passagelines":[` + line + `,` + strings.Replace(line, "10.3,", "10.35,", 1) + `]`,
	} {
		id := s.statistic("admin", kind, `{"name":"`+kind+`","begin":"2026-11-19","end":"2026-11-20","execute":false,`+fields+`}`)
		if text := s.get(statPath+"/"+kind+id).is(t, 200).body; strings.Contains(string(text), "Feature") || !strings.Contains(string(text), "LineString") {
			t.Errorf("%s", text)
		}
	}
}
