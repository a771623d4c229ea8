package main

import (
	"crypto/sha256"
	"encoding/hex"
	"math"
	"math/rand/v2"
	"os"
	"strings"
	"testing"

	"quaywatch/geo"
	"quaywatch/geo/chart/land"
)

// world is a small earth of our own. An island has a river to the sea, a lake that is too small to stay, and a lake that stays, with an
// islet in it. A land is cut in two on 180°, and Antarctica is cut off as in the real source.
const world = `{"type":"GeometryCollection","geometries":[{"type":"MultiPolygon","coordinates":[
[[[10,50],[10,54],[12,54.5],[14,54],[14,50],[12.01,50],[12.01,50.6],[12,50.6],[12,50],[10,50]],
 [[11,51],[11.01,51],[11.01,51.01],[11,51.01],[11,51]],
 [[12,52],[13,52],[13,53],[12,53],[12,52]],
 [[12.001,50.603],[12.011,50.603],[12.011,50.7],[12.001,50.7],[12.001,50.603]]],
[[[12.4,52.4],[12.4,52.6],[12.6,52.6],[12.6,52.4],[12.4,52.4]]],
[[[178.5,-16],[178.5,-15],[180,-15.25],[180,-16.5],[178.5,-16]]],
[[[-180,-16.5],[-180,-15.25],[-179.3,-15.1],[-179.2,-16.1],[-180,-16.5]]],
[[[-180,-85.0511],[-180,-70],[-60,-65.3],[60,-71.7],[180,-70],[180,-85.0511],[-180,-85.0511]]]
]}]}`

// shapes is the same as polygons, made by hand.
func shapes() []geo.Polygon {
	ring := func(c ...float64) []geo.Point {
		var r []geo.Point
		for i := 0; i < len(c); i += 2 {
			r = append(r, geo.Point{Lon: c[i], Lat: c[i+1]})
		}
		return append(r, r[0])
	}
	return []geo.Polygon{
		{ring(10, 50, 10, 54, 12, 54.5, 14, 54, 14, 50, 12.01, 50, 12.01, 50.6, 12, 50.6, 12, 50), ring(12, 52, 13, 52, 13, 53, 12, 53),
			ring(12.001, 50.603, 12.011, 50.603, 12.011, 50.7, 12.001, 50.7)},
		{ring(12.4, 52.4, 12.4, 52.6, 12.6, 52.6, 12.6, 52.4)},
		{ring(178.5, -16, 178.5, -15, -180, -15.25, -179.3, -15.1, -179.2, -16.1, -180, -16.5)},
		{ring(-180, -70, -60, -65.3, 60, -71.7)},
	}
}

func small() []level {
	return []level{
		{units: 4000, degrees: 1, target: 4},
		{units: 1000, degrees: 4, tolerance: 400, target: 4},
		{units: 64, degrees: 45, tolerance: 6000, target: 4},
	}
}

func open(t *testing.T) *land.Map {
	t.Helper()
	rings, err := readMap(strings.NewReader(world))
	if err != nil {
		t.Fatal(err)
	}
	data, err := encode(rings, small())
	if err != nil {
		t.Fatal(err)
	}
	m, err := land.Open(string(data))
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func onLand(p geo.Point) bool {
	for _, g := range shapes() {
		if g.Contains(p) {
			return true
		}
	}
	return false
}

func TestLevelsAgreeWithPolygons(t *testing.T) {
	m := open(t)
	random := rand.New(rand.NewPCG(7, 7))
	centres := []geo.Point{{Lon: 12, Lat: 52}, {Lon: 180, Lat: -15.6}, {Lon: 0, Lat: -80}, {Lon: 12.005, Lat: 50.6}}
	for i := range m.Levels() {
		l := m.Level(i)
		asked, wrong := 0, 0
		margin := small()[i].tolerance/metresPerUnit/perDegree + 1/float64(small()[i].units)
		for range 20000 {
			c := centres[random.IntN(len(centres))]
			p := geo.Point{Lon: c.Lon + random.Float64()*5 - 2.5, Lat: c.Lat + random.Float64()*5 - 2.5}.Normalized()
			want, clear := settled(p, margin)
			if !clear {
				continue
			}
			asked++
			if l.Land(p) != want {
				wrong++
			}
		}
		if wrong > 0 || asked < 10000 {
			t.Errorf("level %d: %d of %d places differ", i, wrong, asked)
		}
	}
}

// settled says what the polygons say, and whether they say so all round within a margin in degrees.
func settled(p geo.Point, margin float64) (isLand, clear bool) {
	isLand = onLand(p)
	for i := range 16 {
		sin, cos := math.Sincos(float64(i) * math.Pi / 8)
		wide := margin / math.Cos(p.Lat*math.Pi/180)
		if onLand(geo.Point{Lon: p.Lon + wide*cos, Lat: p.Lat + margin*sin}.Normalized()) != isLand {
			return isLand, false
		}
	}
	return isLand, true
}

func TestLegs(t *testing.T) {
	l := open(t).Level(0)
	for _, row := range []struct {
		name string
		a, b geo.Point
		want bool
	}{
		{"over the island", geo.Point{Lon: 9, Lat: 52}, geo.Point{Lon: 15, Lat: 52}, true},
		{"past it", geo.Point{Lon: 9, Lat: 55}, geo.Point{Lon: 15, Lat: 55}, false},
		{"into the river", geo.Point{Lon: 12.005, Lat: 49}, geo.Point{Lon: 12.005, Lat: 50.55}, false},
		{"touching a corner from the sea", geo.Point{Lon: 11, Lat: 54.5}, geo.Point{Lon: 13, Lat: 54.5}, false},
		{"along a straight coast", geo.Point{Lon: 10, Lat: 49}, geo.Point{Lon: 10, Lat: 55}, false},
		{"within the lake", geo.Point{Lon: 12.1, Lat: 52.1}, geo.Point{Lon: 12.9, Lat: 52.1}, false},
		{"over the islet in the lake", geo.Point{Lon: 12.1, Lat: 52.1}, geo.Point{Lon: 12.9, Lat: 52.9}, true},
		{"the small lake is land", geo.Point{Lon: 11.005, Lat: 51.005}, geo.Point{Lon: 11.006, Lat: 51.005}, true},
		{"over the land on 180", geo.Point{Lon: 178, Lat: -15.5}, geo.Point{Lon: -178, Lat: -15.5}, true},
		{"north of it over 180", geo.Point{Lon: 178, Lat: -14.9}, geo.Point{Lon: -178, Lat: -14.9}, false},
		{"along 180 through the land", geo.Point{Lon: 180, Lat: -14}, geo.Point{Lon: -180, Lat: -18}, true},
		{"zero length at sea", geo.Point{}, geo.Point{}, false},
		{"to the south pole", geo.Point{Lon: 180, Lat: -60}, geo.Point{Lon: 180, Lat: -90}, true},
	} {
		if got := l.LegCrossesLand(row.a, row.b); got != row.want {
			t.Errorf("%s: LegCrossesLand = %v", row.name, got)
		}
	}
}

// The cut on 180° is gone, and a coast that lies wholly in a window is closed.
func TestChains(t *testing.T) {
	l := open(t).Level(0)
	closed, through := 0, 0
	for _, c := range l.Chains(land.Window{West: -181 * 4000, South: -89 * 4000, East: 181 * 4000, North: 89 * 4000}) {
		if c[0] == c[len(c)-1] {
			closed++
		} else {
			through++
		}
		for i := 1; i < len(c); i++ {
			if c[i-1].X == c[i].X && (c[i].X == 180*4000 || c[i].X == -180*4000) {
				t.Errorf("an edge runs along 180° from %v to %v", c[i-1], c[i])
			}
		}
	}
	// The island with river, the lake, the river's upper piece, the islet and the land on 180° at the window's eastern
	// end; that land again at the western end, cut by the window, and Antarctica.
	if closed != 5 || through != 2 {
		t.Errorf("%d closed coasts and %d that pass through", closed, through)
	}
}

func TestTidy(t *testing.T) {
	for _, row := range []struct{ name, in, want string }{
		{"sound", "abc", "abc"}, {"repeated", "aabbc", "abc"}, {"closing point", "abca", "abc"},
		{"spike", "abcdc", "abc"}, {"spike at the seam", "abcab", "abc"}, {"no area is left", "abab", "ab"}, {"long spike", "abcdedc", "abc"},
	} {
		var r ring
		for _, c := range row.in {
			r = append(r, vertex{int32(c), int32(c) * int32(c)})
		}
		got := ""
		for _, v := range tidyRing(r) {
			got += string(rune(v.x))
		}
		if !sameRing(got, row.want) {
			t.Errorf("%s: tidy(%s) = %s, want %s", row.name, row.in, got, row.want)
		}
	}
}

// sameRing compares two rings that may begin at different points.
func sameRing(a, b string) bool {
	return len(a) == len(b) && strings.Contains(b+b, a)
}

func TestReadMapErrors(t *testing.T) {
	for _, text := range []string{"", "{", `{"geometries":[{"type":"Point","coordinates":[]}]}`} {
		if _, err := readMap(strings.NewReader(text)); err == nil {
			t.Errorf("%q is a map", text)
		}
	}
}

func TestOpenRefuses(t *testing.T) {
	rings, err := readMap(strings.NewReader(world))
	if err != nil {
		t.Fatal(err)
	}
	data, err := encode(rings, small()[:1])
	if err != nil {
		t.Fatal(err)
	}
	for _, n := range []int{0, 5, land.Header, land.Header + 4, 1000} {
		if _, err := land.Open(string(data[:n])); err == nil {
			t.Errorf("the first %d bytes are a land file", n)
		}
	}
	if _, err := land.Open("x" + string(data[1:])); err == nil {
		t.Error("another magic is a land file")
	}
}

// The committed file is the one whose checksum, source and licence DATA.md names.
func TestDataIsNamed(t *testing.T) {
	data, err := os.ReadFile("../land.bin")
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile("../DATA.md")
	if err != nil {
		t.Fatal(err)
	}
	sum := sha256.Sum256(data)
	for _, want := range []string{hex.EncodeToString(sum[:]), sourceChecksum, "Open Database License", "© OpenStreetMap contributors"} {
		if !strings.Contains(string(text), want) {
			t.Errorf("DATA.md does not say %s", want)
		}
	}
}
