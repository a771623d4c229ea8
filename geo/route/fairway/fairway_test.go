package fairway

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"quaywatch/geo"
	"quaywatch/geo/route/sea"
)

const (
	plainLine = `{"type":"LineString","coordinates":[[10,56],[10.1,56]]}`
	square    = `{"type":"Polygon","coordinates":[[[10,56],[11,56],[11,57],[10,57],[10,56]]]}`
)

func file(features ...string) string {
	return `{"type":"FeatureCollection","features":[` + strings.Join(features, ",") + `]}`
}

func feature1(properties, geometry string) string {
	return fmt.Sprintf(`{"type":"Feature","properties":{%s},"geometry":%s}`, properties, geometry)
}

func TestParse(t *testing.T) {
	f, err := Parse([]byte(file(
		feature1(`"name":" Inner harbour ","one_way":true,"max_draught":8.5,"max_length":190,"max_beam":30,"speed":6,"stroke":"#ff0000"`, plainLine),
		feature1(`"name":"Roads"`, square),
		`{"type":"Feature","properties":null,"geometry":`+plainLine+`}`,
	)))
	if err != nil {
		t.Fatal(err)
	}
	if len(f.Lines) != 2 || len(f.Areas) != 1 {
		t.Fatalf("%d lines and %d areas", len(f.Lines), len(f.Areas))
	}
	got := f.Lines[0]
	if got.Name != "Inner harbour" || !got.OneWay || got.Limits != (ShipSize{8.5, 190, 30}) || got.Speed != 6 || len(got.Points) != 2 {
		t.Errorf("%+v", got)
	}
	for _, c := range []struct {
		ship ShipSize
		fits bool
	}{{ShipSize{}, true}, {ShipSize{8.5, 190, 30}, true}, {ShipSize{8.6, 0, 0}, false}, {ShipSize{0, 191, 0}, false}, {ShipSize{0, 0, 30.5}, false}} {
		if got.Passes(c.ship) != c.fits {
			t.Errorf("%+v passes: %v", c.ship, !c.fits)
		}
	}
}

func TestWhatIsNoFairway(t *testing.T) {
	long := make([]string, MostPoints+1)
	for i := range long {
		long[i] = fmt.Sprintf("[%g,56]", 1e-4*float64(i))
	}
	for _, c := range []struct{ text, want string }{
		{`{`, "FeatureCollection"},
		{`{"type":"Feature"}`, "FeatureCollection"},
		{file(), "no fairway"},
		{file(feature1("", square)), "no fairway"},
		{file(feature1(`"name":"N","max_draught":0`, plainLine)), `feature 1 ("N"): max_draught must be above 0, and at most 50`},
		{file(feature1(`"max_draught":"8"`, plainLine)), "properties.max_draught must not be string"},
		{file(feature1(`"speed":1e9`, plainLine)), "speed must be above 0"},
		{file(feature1(`"one_way":"yes"`, plainLine)), "properties.one_way must not be string"},
		{file(feature1(`"name":"a\nb"`, plainLine)), "control characters"},
		{file(feature1(`"name":"`+strings.Repeat("x", 101)+`"`, plainLine)), "at most 100 bytes"},
		{file(plainLine), "GeoJSON Feature"},
		{file(feature1("", `{"type":"Point","coordinates":[1,2]}`)), "geometry/type must be Polygon or LineString"},
		{file(feature1("", `{"type":"LineString","coordinates":[[1,2],[1,"x"]]}`)), "geometry/coordinates/1"},
		{file(feature1("", `{"type":"LineString","coordinates":[[1,86],[1.1,86]]}`)), "point 1 must lie within 85°"},
		{file(feature1("", `{"type":"LineString","coordinates":[[1,0],[2,0]]}`)), "point 2 is more than 50 km"},
		{file(feature1("", plainLine), feature1("", `{"type":"Polygon","coordinates":[[[0,0],[5,0],[5,5],[0,0]]]}`)), "feature 2: the area is more than 200 km wide"},
		{file(feature1("", `{"type":"LineString","coordinates":[`+strings.Join(long, ",")+`]}`)), "more than 2000 points"},
		{file(strings.Split(strings.Repeat(feature1("", plainLine)+"\x00", MostFeatures+1), "\x00")[:MostFeatures+1]...), "there are 1001 features"},
		{strings.Repeat(" ", MostBytes+1), "bytes"},
	} {
		f, err := Parse([]byte(c.text))
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%.80s: %v, want %q", c.text, err, c.want)
		}
		if f != nil {
			t.Errorf("%.80s: something is left", c.text)
		}
	}
}

// Lines that cross, or end on another, meet there; lines that pass apart do not.
func TestJoin(t *testing.T) {
	const east = `{"type":"LineString","coordinates":[[10,56],[10.2,56]]}`
	for _, c := range []struct {
		name, other  string
		points, legs int
	}{
		{"crosses", `{"type":"LineString","coordinates":[[10.1,55.9],[10.1,56.1]]}`, 5, 4},
		{"ends on it", `{"type":"LineString","coordinates":[[10.1,56.0001],[10.1,56.1]]}`, 4, 3},
		{"ends at its end", `{"type":"LineString","coordinates":[[10.2001,56],[10.3,56.1]]}`, 3, 2},
		{"passes 50 m off", `{"type":"LineString","coordinates":[[10,56.00045],[10.2,56.00045]]}`, 4, 2},
		{"crosses twice", `{"type":"LineString","coordinates":[[10.05,55.9],[10.1,56.1],[10.15,55.9]]}`, 7, 7},
		{"is the same", east, 2, 2},
	} {
		f, err := Parse([]byte(file(feature1("", east), feature1("", c.other))))
		if err != nil {
			t.Fatal(err)
		}
		n := f.Join()
		if len(n.Points) != c.points || len(n.Legs) != c.legs {
			t.Errorf("a line that %s: %d points and %d legs, want %d and %d", c.name, len(n.Points), len(n.Legs), c.points, c.legs)
		}
		for _, l := range n.Legs {
			if geo.Distance(n.Points[l.From], n.Points[l.To]) < Meets {
				t.Errorf("a line that %s: a leg of no length", c.name)
			}
		}
	}
}

// The date line is no border.
func TestJoinOnTheDateLine(t *testing.T) {
	f, err := Parse([]byte(file(feature1("", `{"type":"LineString","coordinates":[[179.9,-17],[-179.9,-17]]}`),
		feature1("", `{"type":"LineString","coordinates":[[180,-17.1],[180,-16.9]]}`))))
	if err != nil {
		t.Fatal(err)
	}
	if n := f.Join(); len(n.Points) != 5 || len(n.Legs) != 4 {
		t.Errorf("%d points and %d legs", len(n.Points), len(n.Legs))
	}
}

// What lies inside of an area is what small steps along the great circle find.
func TestInsideAgreesWithSmallSteps(t *testing.T) {
	const ring = `{"type":"Polygon","coordinates":[[[179.5,60],[-179.5,60],[-179.5,60.6],[-179.9,60.2],[179.5,60.7],[179.5,60]],[[179.8,60.05],[179.9,60.05],[179.9,60.1],[179.8,60.1],[179.8,60.05]]]}`
	f, err := Parse([]byte(file(feature1("", `{"type":"LineString","coordinates":[[0,0],[0,0.1]]}`), feature1("", ring))))
	if err != nil {
		t.Fatal(err)
	}
	a, met := &f.Areas[0], 0
	for i := range 300 {
		from := geo.Point{Lon: 177 + 0.013*float64(i), Lat: 59.3 + 0.007*float64(i%200)}
		to := geo.Point{Lon: -176 - 0.017*float64(i%160), Lat: 61.5 - 0.011*float64(i%170)}
		u, v := sea.At(from), sea.At(to)
		want, last := 0.0, u
		for _, at := range append(sea.Between(u, v, 0.1), v) {
			if middle := last.Plus(1, at).Point(); a.Polygon.Contains(middle) {
				want += sea.Km(last, at)
			}
			last = at
		}
		got := a.Inside(u, v)
		if math.Abs(got-want) > 0.4+0.005*want {
			t.Errorf("from %v to %v: %.2f km inside, by steps %.2f", from, to, got, want)
		}
		if want > 1 {
			met++
		}
	}
	if met < 50 {
		t.Errorf("only %d of the legs met the area", met)
	}
}

func FuzzParse(f *testing.F) {
	f.Add(file(feature1(`"name":"N","max_draught":9,"one_way":true`, plainLine), feature1("", square)))
	f.Add(file(feature1("", `{"type":"LineString","coordinates":[[180,-17.1],[-180,-16.9]]}`)))
	f.Fuzz(func(t *testing.T, text string) {
		set, err := Parse([]byte(text))
		if err != nil {
			return
		}
		n := set.Join()
		for _, l := range n.Legs {
			if l.From == l.To || l.From >= len(n.Points) || l.To >= len(n.Points) || l.Line >= len(set.Lines) {
				t.Fatalf("leg %+v of %d points and %d lines", l, len(n.Points), len(set.Lines))
			}
		}
		for i := range set.Areas {
			if km := set.Areas[i].Inside(sea.At(geo.Point{Lon: 1, Lat: 2}), sea.At(geo.Point{Lon: 40, Lat: 60})); !(km >= 0) {
				t.Fatalf("%g km inside", km)
			}
		}
	})
}
