package wms

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"math"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"quaywatch/ais"
	"quaywatch/engine/stats"
	"quaywatch/geo"
	"quaywatch/handlers/request"
	"quaywatch/render"
	"quaywatch/render/rendertest"
	"quaywatch/ship"
)

// result is a small result of a kind, as a reader has it, and the fields of its question.
type result struct {
	asked   string
	records []string
}

const water = `{"type":"Polygon","coordinates":[[[10.2,56.1],[10.8,56.1],[10.8,56.3],[10.5,56.4],[10.2,56.3],[10.2,56.1]]]}`

// results are one for each kind.
func results() map[string]result {
	return map[string]result{
		"area": {`{"shape":` + water + `}`, []string{
			`{"time_in":"2026-11-20T08:00:00Z","position":{"type":"Point","coordinates":[10.2,56.2]},"track":{"type":"LineString","extensions":["time","cog","sog"],"coordinates":[[10.2,56.2,"2026-11-20T08:00:00Z",90,10],[10.8,56.25,"2026-11-20T08:20:00Z",null,null]]}}`,
			`{"time_in":"2026-11-20T08:00:00Z","entered_before":true,"position":{"type":"Point","coordinates":[10.5,56.2]}}`}},
		"passageline": {`{"passageline":{"type":"LineString","coordinates":[[10.3,56.05],[10.5,56.45]]}}`, []string{
			`{"direction_flag":true,"distance":2000}`, `{"direction_flag":true,"distance":20000}`, `{"direction_flag":true,"distance":20100}`, `{"direction_flag":false,"distance":30000}`}},
		"multipassageline": {`{"passagelines":[{"type":"LineString","coordinates":[[10.2,56.1],[10.2,56.3]]},{"type":"LineString","coordinates":[[10.8,56.2],[10.8,56.4]]}]}`, []string{
			`{"direction_index":0}`, `{"direction_index":0}`, `{"direction_index":1}`}},
		"sogdist": {`{"shape":` + water + `}`, []string{`{"result_id":-1,"ship":{"mmsi":219018765}}`, `{"result_id":0,"day":"2026-11-20","sogs":[3600,0,0,0,900,900,0,0,0,0,0,0,0,1800]}`}},
		"density": {`{"shape":` + water + `}`, []string{
			`{"ship":{"mmsi":219018765},"day":"2026-11-20","epsg":6933,"cell":5000,"cells":[[985000,6085000,217,1,1],[990000,6085000,2161,1,1],[995000,6090000,21601,1,1],[1000000,6090000,216001,1,1],[1005000,6090000,2160001,1,1],[1010000,6090000,21600001,1,1],[1015000,6090000,216000001,1,1],[1020000,6090000,217,1,1],[1025000,6090000,2161,1,1],[1025000,6095000,21601,1,1],[1030000,6095000,216001,1,1],[1035000,6095000,2160001,1,1]]}`}},
		"nmss": {`{"shape":` + water + `,"distance":{"max":300}}`, []string{
			`{"distance":40,"ship":[{"cog":90,"position":{"type":"Point","coordinates":[10.4,56.2]}},{"cog":270,"position":{"type":"Point","coordinates":[10.41,56.2]}}]}`,
			`{"distance":150,"ship":[{"cog":0,"position":{"type":"Point","coordinates":[10.6,56.2]}},{"position":{"type":"Point","coordinates":[10.6,56.21]}}]}`,
			`{"distance":290,"ship":[{"cog":45,"position":{"type":"Point","coordinates":[10.5,56.3]}},{"cog":180,"position":{"type":"Point","coordinates":[10.5,56.31]}}]}`}},
		"nmsp": {`{"shape":{"type":"Point","coordinates":[10.5,56.25]},"distance":{"max":9000}}`, []string{
			`{"distance":5000,"ship":{"cog":90,"position":{"type":"Point","coordinates":[10.5,56.2]}}}`, `{"distance":900,"ship":{"position":{"type":"Point","coordinates":[10.51,56.25]}}}`}},
		"historicaltrack": {`{}`, []string{`{"ship":{"mmsi":219018765},"track":{"type":"LineString","extensions":["time","cog","sog"],"coordinates":[[10.1,56.1,"2026-11-20T08:00:00Z",90,0.4],[10.2,56.15,"2026-11-20T08:10:00Z",90,5],` +
			`[10.4,56.2,"2026-11-20T08:20:00Z",90,10],[10.6,56.2,"2026-11-20T08:30:00Z",90,18],[10.7,56.3,"2026-11-20T08:40:00Z",null,null],[10.75,56.4,"2026-11-20T09:40:00Z",90,18],[10.9,56.45,"2026-11-20T09:50:00Z",90,18]]}}`}},
		"multiship": {`{}`, []string{`{"change":1,"longitude":10.2,"latitude":56.2}`, `{"change":2,"longitude":10.35,"latitude":56.3}`, `{"change":3,"longitude":10.5,"latitude":56.2}`,
			`{"change":4,"longitude":10.65,"latitude":56.3}`, `{"change":5,"longitude":10.8,"latitude":56.2}`, `{"change":1}`}},
		"portcalls": {`{}`, []string{`{"port":{"id":1},"ata":"2026-11-20T08:00:00Z","atd":"2026-11-20T20:00:00Z","waiting":"002:30:00"}`, `{"port":{"id":1},"ata":"2026-11-20T08:00:00Z","waiting":"00:30:00"}`,
			`{"port":{"id":1}}`, `{"port":{"id":2},"ata":"2026-11-20T08:00:00Z","atd":"2026-11-20T09:30:00Z"}`, `{"port":{"id":9}}`}},
		"trip": {`{"shape":` + water + `}`, []string{`{"from":{"port":{"id":1}},"to":{"port":{"id":2}}}`, `{"from":{"port":{"id":1}},"to":{"port":{"id":2}}}`, `{"from":{"port":{"id":1}},"to":{"port":{"id":2}}}`,
			`{"from":{"port":{"id":1}},"to":{"port":{"id":2}}}`, `{"from":{"port":{"id":1}},"to":{"port":{"id":2}}}`, `{"from":{"port":{"id":3}},"to":{"port":{"id":2}}}`, `{"from":{"port":{"id":3}}}`}},
		"transitpilot": {`{"shapes":[` + water + `]}`, []string{`{"pilot":[{"index":0,"position":{"type":"Point","coordinates":[10.3,56.15]}},{"index":1,"position":{"type":"Point","coordinates":[10.7,56.3]}}]}`}},
		"pilotboat":    {`{"shape":` + water + `}`, []string{`{"port":{"id":1},"operations":[{"position":{"type":"Point","coordinates":[10.5,56.2]},"kind":"board"},{"position":{"type":"Point","coordinates":[10.6,56.3]},"kind":"disembark"}]}`}},
	}
}

// ports are those of the results.
func ports(id uint64) (geo.Point, bool) {
	at, ok := map[uint64]geo.Point{1: {Lon: 10.2, Lat: 56.15}, 2: {Lon: 10.75, Lat: 56.35}, 3: {Lon: 10.3, Lat: 56.4}}[id]
	return at, ok
}

// sailed reads the track of a record.
func sailed(t *testing.T, record string) (track ship.Track) {
	t.Helper()
	var one struct {
		Track struct {
			Coordinates [][5]any `json:"coordinates"`
		} `json:"track"`
	}
	if err := json.Unmarshal([]byte(record), &one); err != nil {
		t.Fatal(err)
	}
	for _, c := range one.Track.Coordinates {
		at, err := time.Parse(time.RFC3339, c[2].(string))
		if err != nil {
			t.Fatal(err)
		}
		f := ship.Fix{At: at.UnixMilli(), Lon: int32(math.Round(c[0].(float64) * 600_000)), Lat: int32(math.Round(c[1].(float64) * 600_000))}
		if sog, known := c[4].(float64); known {
			f.SOG = ais.SOGTenths(int(math.Round(10 * sog)))
		}
		track = append(track, f)
	}
	return track
}

// drawn returns the picture of a result, with its legend where the records have no places.
func drawn(t *testing.T, kind string, r result, crs render.CRS, box [4]float64) *render.Canvas {
	t.Helper()
	f, err := render.NewFrame(crs, box, 200, 150)
	if err != nil {
		t.Fatal(err)
	}
	k := &sketch{canvas: render.New(f), port: ports}
	if err := json.Unmarshal([]byte(r.asked), &k.asked); err != nil {
		t.Fatal(err)
	}
	each := func(_ context.Context, fn func([]byte, ship.Track) error) error {
		for _, one := range r.records {
			if err := fn([]byte(one), sailed(t, one)); err != nil {
				return err
			}
		}
		return nil
	}
	if err := k.draw(t.Context(), kind, each); err != nil {
		t.Fatal(err)
	}
	if k.legend.Title == "" {
		t.Errorf("%s has no legend", kind)
	}
	if kind == "sogdist" {
		k.canvas.Legend(4, 4, k.legend)
	}
	return k.canvas
}

// TestEveryKindHasAPicture: the table of pictures has the kinds of the statistics, no more and no less.
func TestEveryKindHasAPicture(t *testing.T) {
	all := kinds()
	for _, name := range stats.Names() {
		if all[name] == nil {
			t.Errorf("%s has no picture", name)
		}
		if _, ok := results()[name]; !ok {
			t.Errorf("%s has no golden picture", name)
		}
		delete(all, name)
	}
	for name := range all {
		t.Errorf("there is no kind %s", name)
	}
}

// TestPictures compares the picture of each kind, in each style, with the one that was looked at.
func TestPictures(t *testing.T) {
	for kind, r := range results() {
		c := drawn(t, kind, r, render.EPSG4326, [4]float64{56, 10, 56.5, 11})
		for _, style := range render.Styles() {
			ground := style.Ground()
			file, err := c.PNG(&style, &ground)
			if err != nil {
				t.Fatal(err)
			}
			rendertest.Golden(t, filepath.Join("testdata", kind+"-"+style.Name()+".png"), file)
		}
	}
}

// TestLegendsInGerman: whatever has words in English has others in German, and numbers have a comma.
func TestLegendsInGerman(t *testing.T) {
	frame, err := render.NewFrame(render.EPSG4326, [4]float64{56, 10, 56.5, 11}, 200, 150)
	if err != nil {
		t.Fatal(err)
	}
	for kind, r := range results() {
		texts := map[bool][]string{}
		for _, german := range []bool{false, true} {
			k := &sketch{canvas: render.New(frame), port: ports, german: german}
			if err := json.Unmarshal([]byte(r.asked), &k.asked); err != nil {
				t.Fatal(err)
			}
			err := k.draw(t.Context(), kind, func(_ context.Context, fn func([]byte, ship.Track) error) (err error) {
				for _, one := range r.records {
					err = errors.Join(err, fn([]byte(one), sailed(t, one)))
				}
				return err
			})
			if err != nil {
				t.Fatal(err)
			}
			texts[german] = []string{k.legend.Title}
			for _, row := range k.legend.Rows {
				texts[german] = append(texts[german], row.Text)
			}
		}
		for i, english := range texts[false] {
			if german := texts[true][i]; german == english || strings.Contains(german, ".") {
				t.Errorf("%s: %q is %q in German", kind, english, german)
			}
		}
	}
}

// TestMeansOfCalls: a port tells how long ships lay there and waited before, each of those calls alone of which that is known.
func TestMeansOfCalls(t *testing.T) {
	k := &sketch{}
	for want, one := range map[string]stays{
		"3":                        {calls: 3},
		"3 · 1.5 h":                {calls: 3, timed: 2, sum: 3 * time.Hour},
		"3 · 1.5 h · waited 0.5 h": {calls: 3, timed: 2, sum: 3 * time.Hour, anchored: 1, waited: 30 * time.Minute},
		"4 · waited 1.3 h":         {calls: 4, anchored: 2, waited: 160 * time.Minute},
	} {
		if got := one.callsText(k); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

// TestPicturesOfEachAxisOrder: in systems that name the axes in another order the picture is the same.
func TestPicturesOfEachAxisOrder(t *testing.T) {
	day := render.Styles()[0]
	for kind, r := range results() {
		lat, err := drawn(t, kind, r, render.EPSG4326, [4]float64{56, 10, 56.5, 11}).PNG(&day, nil)
		lon, also := drawn(t, kind, r, render.CRS84, [4]float64{10, 56, 11, 56.5}).PNG(&day, nil)
		if err != nil || also != nil || !bytes.Equal(lat, lon) {
			t.Errorf("%s differs: %v %v", kind, err, also)
		}
	}
}

// TestOddRecords: what a record lacks is left out, and what it has too much of counts once.
func TestOddRecords(t *testing.T) {
	odd := []string{`{}`, `{"position":null,"ship":null,"pilot":[{},{},{}],"operations":[{}],"port":{},"from":{},"to":{}}`,
		`{"position":{"coordinates":[10]},"ship":[{}],"sogs":[],"change":77,"longitude":400,"latitude":99}`,
		`{"position":{"coordinates":[1e9,-1e9]},"distance":1e300}`,
		`{"position":{"coordinates":[1e300,1e300]},"longitude":-1e300,"latitude":1,"change":1,"distance":1,"ship":{"position":{"coordinates":[1e200,0]},"cog":1e9}}`}
	const far, farthest = math.MinInt32, math.MaxInt32
	tracks := []ship.Track{nil, {{}}, {{Lon: far, Lat: farthest, At: math.MinInt64}, {Lon: farthest, Lat: far, SOG: math.MaxUint16, At: math.MaxInt64}}, {{Lon: far}, {Lon: farthest}, {Lat: far}, {Lat: farthest}}}
	for kind := range kinds() {
		for i := range len(odd) * len(tracks) {
			one, track := odd[i/len(tracks)], tracks[i%len(tracks)]
			f, err := render.NewFrame(render.EPSG3857, [4]float64{-2e7, -2e7, 2e7, 2e7}, 64, 64)
			if err != nil {
				t.Fatal(err)
			}
			k := &sketch{canvas: render.New(f), port: ports, asked: map[string]json.RawMessage{"shape": json.RawMessage(`{"shape_id":7}`), "passageline": json.RawMessage(`null`)}}
			_ = k.draw(t.Context(), kind, func(_ context.Context, fn func([]byte, ship.Track) error) error { return fn([]byte(one), track) }) // of another form is an error
		}
	}
}

// TestPicturesWaitTheirTurn: while as many pictures are drawn as may be, another one waits, and ends with its caller.
func TestPicturesWaitTheirTurn(t *testing.T) {
	s := New(Deps{})
	drawn := 0
	draw := func(context.Context) error { drawn++; return nil }
	for range atOnce {
		s.slots <- struct{}{}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	c := &request.Request{HTTP: httptest.NewRequest("GET", Path, nil).WithContext(ctx)}
	if err := s.inTurn(c, 1, draw); !errors.Is(err, context.Canceled) || drawn != 0 {
		t.Errorf("%v", err)
	}
	<-s.slots
	c.HTTP = httptest.NewRequest("GET", Path, nil)
	if err := s.inTurn(c, 1, draw); err != nil || drawn != 1 || len(s.slots) != atOnce-1 {
		t.Errorf("%v, %d are drawn", err, len(s.slots))
	}
}
