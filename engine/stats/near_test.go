package stats

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"quaywatch/ais"
	"quaywatch/form"
	"quaywatch/geo"
	"quaywatch/internal/rule"
	"quaywatch/ship"
	"quaywatch/ship/statistic"
	"quaywatch/store"
)

// box is a shape around the ships of these tests.
const box = `{"type":"Polygon","coordinates":[[[9.9,55.9],[10.2,55.9],[10.2,56.1],[9.9,56.1],[9.9,55.9]]]}`

// sailing records a ship that sails east at 10 knots from a place on, with a fix a minute from 10:00 on.
func (b *bench) sailing(m ais.MMSI, name string, from geo.Point, bearing float64, minutes int) {
	b.t.Helper()
	var track ship.Track
	for n := range minutes {
		p := geo.Destination(from, bearing, float64(n)*308.667)
		track = append(track, ship.Fix{At: noon().Add(-2*time.Hour + time.Duration(n)*time.Minute).UnixMilli(), Lon: int32(p.Lon / ais.PlaceUnit),
			Lat: int32(p.Lat / ais.PlaceUnit), SOG: ais.SOGTenths(100), COG: ais.COGTenths(int(10 * bearing))})
	}
	b.put(m, track, store.Said{Static: &ship.Static{Name: name, IMO: 9321483, CallSign: "OWKN2", At: track[0].At - 60_000}})
}

func (b *bench) put(m ais.MMSI, track ship.Track, said ...store.Said) {
	b.t.Helper()
	if _, err := b.db.ImportTracks([]store.Imported{{MMSI: m, Class: ship.ClassA, Fixes: track, Said: said}}); err != nil {
		b.t.Fatal(err)
	}
}

// meeting records two ships that meet at half past ten, and one that is far away.
func (b *bench) meeting() {
	at := geo.Point{Lon: 10, Lat: 56}
	b.sailing(219000001, "EASTWARD", geo.Destination(at, 270, 30*308.667), 90, 60)
	b.sailing(219000002, "WESTWARD", geo.Destination(geo.Destination(at, 90, 30*308.667), 0, 100), 270, 60)
	b.sailing(219000003, "FAR", geo.Point{Lon: 10, Lat: 55}, 90, 60)
}

// asked runs a statistic and returns its records.
func (b *bench) asked(kind, more string, may func(statistic.Moment) bool) ([]string, Job) {
	b.t.Helper()
	id := b.add(kind, "anna", more, 0)
	j := b.over(id)
	if j.State != Completed {
		b.t.Fatalf("%s: %+v", kind, j.Error)
	}
	return b.found(id, may), j
}

// refusals are definitions that are refused, and where.
func (b *bench) refusals(kind string, rows map[string]string) {
	b.t.Helper()
	for more, want := range rows {
		f, err := form.Read([]byte(`{"begin":"2026-11-20","end":"2026-11-21"` + more + `}`))
		if err != nil {
			b.t.Fatal(err)
		}
		k, _ := b.Kind(kind)
		_, err = b.Read(f, k, b.asker())
		var wrong form.Errors
		if err != nil || !errors.As(f.Err(), &wrong) || wrong[0].Pointer != want {
			b.t.Errorf("%s %s: %v, %v; want %s", kind, more, err, f.Err(), want)
		}
	}
}

// asker may name any ship but one.
func (b *bench) asker() Asker {
	return Asker{Names: b.names, Ship: func(q ship.Identity, _ time.Time) (ais.MMSI, error) {
		if q.Name == "NOBODY" {
			return 0, rule.New("no_match", "no known ship matches")
		}
		return q.MMSI, nil
	}}
}

// hiding hides a ship.
func hiding(m ais.MMSI) func(statistic.Moment) bool {
	return func(of statistic.Moment) bool { return of.MMSI != m }
}

// TestNearMisses: two ships that meet are one record, with what was known of each and where it was; a reader from whom one is hidden has none.
func TestNearMisses(t *testing.T) {
	b := newBench(t, Kinds()...)
	b.meeting()
	found, j := b.asked("nmss", `,"shape":`+box+`,"distance":{"max":300},"duration":["00:01:00"]`, everybody)
	if len(found) != 1 || len(j.Warnings) != 1 || j.Warnings[0].Text != "duration is not supported" {
		t.Fatalf("%q, %+v", found, j)
	}
	var one struct {
		Timestamp time.Time
		Distance  float64
		Ship      []nearReport
	}
	if err := json.Unmarshal([]byte(found[0]), &one); err != nil {
		t.Fatal(err)
	}
	first, other := one.Ship[0], one.Ship[1]
	if one.Distance < 99 || one.Distance > 101 || one.Timestamp.Sub(noon().Add(-90*time.Minute)).Abs() > time.Second ||
		first.MMSI != 219000001 || first.Name != "EASTWARD" || first.CallSign != "OWKN2" || first.IMO != 9321483 || *first.SOG != 10 || *first.COG != 90 ||
		other.MMSI != 219000002 || *other.COG != 270 || fmt.Sprintf("%.3f", first.Position.Coordinates) != "[10.000 56.000]" {
		t.Errorf("%s", found[0])
	}
	id := j.ID
	if got := b.found(id, hiding(219000002)); len(got) != 0 {
		t.Errorf("hidden: %q", got)
	}
	for more, want := range map[string]int{
		`,"distance":{"max":50}`:                                       0,
		`,"distance":{"max":300},"sog":{"min":12}`:                     0,
		`,"distance":{"max":300},"dcog":{"min":170}`:                   1,
		`,"distance":{"max":300},"dcog":{"max":20}`:                    0,
		`,"distance":{"max":300},"dsog":{"min":1}`:                     0,
		`,"distance":{"max":300},"a_team":[219000002]`:                 1,
		`,"distance":{"max":300},"a_team":[219000003]`:                 0,
		`,"distance":{"max":300},"filter":"name = 'EASTWARD'"`:         0,
		`,"distance":{"max":300},"filter":"name = '*WARD'"`:            1,
		`,"distance":{"max":300},"dsog":{},"sog":{"min":9,"max":10.5}`: 1,
	} {
		if found, _ := b.asked("nmss", `,"shape":`+box+more, everybody); len(found) != want {
			t.Errorf("%s: %q", more, found)
		}
	}
}

// TestNearMissesByDomain: the record says how deep a ship was, in whose domain, how both met, and that a length is not known.
func TestNearMissesByDomain(t *testing.T) {
	b := newBench(t, Kinds()...)
	b.meeting()
	for more, want := range map[string]string{
		``:                  `"distance":100,"meeting":"head-on","ship"`,
		`,"domain":"fujii"`: ``, // 80 m abeam, of 50 m assumed
		`,"domain":{"type":"ellipse","ahead":4,"abeam":4}`:    `"meeting":"head-on","domain":0.5,"domain_of":0,"length_assumed":true,"ship"`,
		`,"domain":{"type":"ellipse","ahead":4,"abeam":1.99}`: ``,
		`,"domain":{"type":"ellipse","ahead":9,"abeam":2.5}`:  `"domain":0.8,"domain_of":0,"length_assumed":true`,
		`,"meeting":["head-on"]`:                              `"meeting":"head-on","ship"`,
		`,"meeting":["crossing","overtaking"]`:                ``,
		`,"domain":null,"meeting":null`:                       `"meeting":"head-on","ship"`,
	} {
		found, _ := b.asked("nmss", `,"shape":`+box+`,"distance":{"max":300}`+more, everybody)
		if got := strings.Join(found, ""); (got == "") != (want == "") || !strings.Contains(got, want) {
			t.Errorf("%s: %s", more, got)
		}
	}
	one := ship.Static{Name: "LONG", At: noon().Add(-115 * time.Minute).UnixMilli(), Dimensions: ais.Dimensions{Bow: 60, Stern: 20, Port: 8, Starboard: 8}}
	b.put(219000002, nil, store.Said{Static: &one})
	found, _ := b.asked("nmss", `,"shape":`+box+`,"distance":{"max":300},"domain":"fujii"`, everybody)
	if len(found) != 1 || !strings.Contains(found[0], `"meeting":"head-on","domain":0.78,"domain_of":1,"ship"`) {
		t.Errorf("of 80 m: %q", found)
	}
}

// TestABuoyIsNoNearMiss, of a ship nor of a place: neither is an aircraft, nor a device of distress. They count where the question names them.
func TestABuoyIsNoNearMiss(t *testing.T) {
	at := geo.Point{Lon: 10, Lat: 56}
	for m, class := range map[ais.MMSI]ship.Class{992191234: ship.ClassAtoN, 111219501: ship.ClassSAR, 972123456: ship.ClassMOB, 219000002: ship.ClassB} {
		b := newBench(t, Kinds()...)
		b.sailing(219000001, "EASTWARD", geo.Destination(at, 270, 30*308.667), 90, 60)
		other := ship.Track{}
		for n := range 60 {
			other = append(other, ship.Fix{At: noon().Add(-2*time.Hour + time.Duration(n)*time.Minute).UnixMilli(), Lon: int32(at.Lon / ais.PlaceUnit),
				Lat: int32(at.Lat / ais.PlaceUnit), SOG: ais.SOGTenths(0)})
		}
		if _, err := b.db.ImportTracks([]store.Imported{{MMSI: m, Class: class, Fixes: other}}); err != nil {
			t.Fatal(err)
		}
		const ask = `,"shape":` + box + `,"distance":{"max":300}`
		found, _ := b.asked("nmss", ask, everybody)
		if counts := class == ship.ClassB; len(found) == 1 != counts {
			t.Errorf("class %s: %q", class, found)
		}
		if found, _ = b.asked("nmss", ask+fmt.Sprintf(`,"a_team":[%d]`, m), everybody); len(found) != 1 {
			t.Errorf("class %s, named: %q", class, found)
		}
		const place = `,"shape":{"type":"Point","coordinates":[10,56]},"distance":{"max":300}`
		found, _ = b.asked("nmsp", place, everybody) // the ship that passes, and what lies there
		if counts := class == ship.ClassB; len(found) == 2 != counts || len(found) == 0 {
			t.Errorf("class %s at a place: %q", class, found)
		}
		if found, _ = b.asked("nmsp", place+fmt.Sprintf(`,"a_team":[%d]`, m), everybody); len(found) != 1 {
			t.Errorf("class %s at a place, named: %q", class, found)
		}
	}
}

// TestRaftedShipsAreCounted: two that lie beside each other are no record, and the warning tells how many there are.
func TestRaftedShipsAreCounted(t *testing.T) {
	b := newBench(t, Kinds()...)
	for i := range 2 {
		var track ship.Track
		for n := range 40 {
			at := noon().Add(-2*time.Hour + time.Duration(n)*time.Minute)
			track = append(track, ship.Fix{At: at.UnixMilli(), Lon: 6_000_000 + int32(i)*100, Lat: 33_600_000, SOG: ais.SOGTenths(0)})
		}
		b.put(ais.MMSI(219000001+i), track)
	}
	const ask = `,"shape":` + box + `,"distance":{"max":300}`
	found, j := b.asked("nmss", ask, everybody)
	if len(found) != 0 || j.Warnings[0].Word != "stat_rafted" || fmt.Sprint(j.Warnings[0].Params["count"]) != "1" {
		t.Errorf("%q, %+v", found, j.Warnings)
	}
	if found, _ = b.asked("nmss", ask+`,"sog":{"min":0}`, everybody); len(found) != 1 {
		t.Errorf("with sog.min: %q", found)
	}
}

// TestANearMissNeedsAnInside: a saved shape may be a circle, and not a line.
func TestANearMissNeedsAnInside(t *testing.T) {
	b := newBench(t, Kinds()...)
	b.meeting()
	k, _ := b.Kind("nmss")
	at := geo.Point{Lon: 10, Lat: 56}
	names := ship.Lookup{Shape: func(name string) (*geo.Area, bool) {
		if name == "roads" {
			return geo.NewArea(geo.Circle{Center: at, Radius: 500}), true
		}
		return geo.NewArea(geo.Line{at, {Lon: 11, Lat: 56}}), true
	}}
	b.config.Names = func(string) ship.Lookup { return names }
	for name, want := range map[string]RunState{"roads": Completed, "fairway": Aborted} {
		f, _ := form.Read([]byte(`{"begin":"2026-11-20","end":"2026-11-21","shape":{"shape_id":"` + name + `"},"distance":{"max":300}}`))
		a, err := b.Read(f, k, Asker{Names: names})
		if f.Err() != nil {
			if want != Aborted || !strings.HasPrefix(f.Err().Error(), "/shape") {
				t.Errorf("%s: %v", name, f.Err())
			}
			continue
		}
		j, wrong := b.Add(a, Job{Owned: form.Owned{Owner: "anna"}})
		if err = errors.Join(err, wrong); err != nil {
			t.Fatal(err)
		}
		if j = b.over(j.ID); j.State != want || want == Completed && j.Records != 1 {
			t.Errorf("%s: %+v", name, j)
		}
	}
}

// TestNearPoints: a ship that passes a place is one record.
func TestNearPoints(t *testing.T) {
	b := newBench(t, Kinds()...)
	b.meeting()
	const place = `,"shape":{"type":"Point","coordinates":[10,56]}`
	found, j := b.asked("nmsp", place+`,"distance":{"max":50},"dcog":{"min":3}`, everybody)
	if len(found) != 1 || !strings.Contains(found[0], `"mmsi":219000001,"name":"EASTWARD","position":{"type":"Point"`) ||
		!strings.HasPrefix(found[0], `{"timestamp":"2026-11-20T10:`) || len(j.Warnings) != 0 {
		t.Errorf("%q, %+v", found, j)
	}
	found, j = b.asked("nmsp", place+`,"distance":{"max":200}`, everybody)
	if len(found) != 2 || len(b.found(j.ID, hiding(219000001))) != 1 {
		t.Errorf("%q", found)
	}
	if found, _ = b.asked("nmsp", place+`,"distance":{"max":200},"a_team":[219000002],"sog":{"max":11}`, everybody); len(found) != 1 {
		t.Errorf("%q", found)
	}
}

// TestWrongNearDefinitions: each wrong field is named.
func TestWrongNearDefinitions(t *testing.T) {
	b := newBench(t, Kinds()...)
	const far = `,"distance":{"max":300}`
	both := map[string]string{
		"":                               "/distance",
		`,"distance":300`:                "/distance",
		`,"distance":{}`:                 "/distance/max",
		`,"distance":{"max":0}`:          "/distance/max",
		`,"distance":{"max":1e999}`:      "/distance/max",
		`,"distance":{"max":-1}`:         "/distance/max",
		`,"distance":{"max":10001}`:      "/distance/max",
		`,"distance":{"max":"NaN"}`:      "/distance/max",
		far:                              "/shape",
		far + `,"sog":{"min":5,"max":4}`: "/sog/min",
		far + `,"sog":{"min":"NaN"}`:     "/sog/min",
		far + `,"sog":[1,2]`:             "/sog",
		far + `,"a_team":[0]`:            "/a_team/0",
		far + `,"a_team":[]`:             "/a_team",
	}
	b.refusals("nmss", both)
	b.refusals("nmsp", both)
	b.refusals("nmss", map[string]string{
		far + `,"shape":{"type":"Polygon","coordinates":[[[1,1],[2,1],[2,2],[1,2]]]}`: "/shape/coordinates/0/3",
		far + `,"shape":{"type":"LineString","coordinates":[[1,1],[2,1]]}`:            "/shape/type",
		far + `,"shape":{"shape_id":"none"}`:                                          "/shape/shape_id",
		far + `,"shape":` + box + `,"dsog":{"min":2,"max":1}`:                         "/dsog/min",
		far + `,"shape":` + box + `,"dcog":{"min":2,"max":1}`:                         "/dcog/min",

		far + `,"shape":` + box + `,"domain":"goodwin"`:                                    "/domain",
		far + `,"shape":` + box + `,"domain":7`:                                            "/domain",
		far + `,"shape":` + box + `,"domain":[]`:                                           "/domain",
		far + `,"shape":` + box + `,"domain":{"ahead":4,"abeam":2}`:                        "/domain/type",
		far + `,"shape":` + box + `,"domain":{"type":"circle","ahead":4,"abeam":2}`:        "/domain/type",
		far + `,"shape":` + box + `,"domain":{"type":"ellipse","abeam":2}`:                 "/domain/ahead",
		far + `,"shape":` + box + `,"domain":{"type":"ellipse","ahead":0,"abeam":2}`:       "/domain/ahead",
		far + `,"shape":` + box + `,"domain":{"type":"ellipse","ahead":50.1,"abeam":2}`:    "/domain/ahead",
		far + `,"shape":` + box + `,"domain":{"type":"ellipse","ahead":50,"abeam":-1}`:     "/domain/abeam",
		far + `,"shape":` + box + `,"domain":{"type":"ellipse","ahead":50,"abeam":"wide"}`: "/domain/abeam",
		far + `,"shape":` + box + `,"meeting":"crossing"`:                                  "/meeting",
		far + `,"shape":` + box + `,"meeting":[]`:                                          "/meeting",
		far + `,"shape":` + box + `,"meeting":["head-on","passing"]`:                       "/meeting/1",
		far + `,"shape":` + box + `,"meeting":[7]`:                                         "/meeting/0",
	})
	b.refusals("nmsp", map[string]string{far + `,"shape":` + box: "/shape", far + `,"shape":{"type":"Point","coordinates":[10,91]}`: "/shape"})
}
