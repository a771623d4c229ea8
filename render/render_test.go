package render

import (
	"bytes"
	"errors"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"math"
	"testing"

	"pgregory.net/rapid"

	"quaywatch/geo"
	"quaywatch/internal/rule"
)

func frame(t testing.TB, crs CRS, box [4]float64, width, height int) Viewport {
	t.Helper()
	f, err := NewFrame(crs, box, width, height)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// mercator returns the coordinates of a place in EPSG:3857 by the formula of the standard, not by that of the program.
func mercator(lon, lat float64) (x, y float64) {
	const radius = 6378137
	return radius * lon * math.Pi / 180, radius * math.Asinh(math.Tan(lat*math.Pi/180))
}

// TestAxes: the same corners lie at the same pixels in each system, whichever axis it names first. The box is twice as wide as it is high.
func TestAxes(t *testing.T) {
	west, south := mercator(10, 56)
	east, north := mercator(12, 57)
	for _, f := range []Viewport{
		frame(t, EPSG4326, [4]float64{56, 10, 57, 12}, 200, 100),
		frame(t, CRS84, [4]float64{10, 56, 12, 57}, 200, 100),
		frame(t, EPSG3857, [4]float64{west, south, east, north}, 200, 100),
	} {
		for _, corner := range []struct{ lon, lat, x, y float64 }{{10, 56, 0, 100}, {12, 56, 200, 100}, {10, 57, 0, 0}, {12, 57, 200, 0}, {11, 57, 100, 0}} {
			x, y := f.Pixel(geo.Point{Lon: corner.lon, Lat: corner.lat})
			if math.Abs(x-corner.x) > 1e-6 || math.Abs(y-corner.y) > 1e-6 {
				t.Errorf("%s: %g %g lies at %g %g, want %g %g", Names()[f.crs], corner.lon, corner.lat, x, y, corner.x, corner.y)
			}
		}
	}
}

// TestAnLStandsUpright: a shape that looks different when it is turned or mirrored is drawn as it is in each system.
//
//	#
//	#
//	####
func TestAnLStandsUpright(t *testing.T) {
	west, south := mercator(10, 56)
	east, north := mercator(11, 57)
	letter := []geo.Point{{Lon: 10.2, Lat: 56.9}, {Lon: 10.2, Lat: 56.1}, {Lon: 10.6, Lat: 56.1}}
	for _, f := range []Viewport{
		frame(t, EPSG4326, [4]float64{56, 10, 57, 11}, 100, 100),
		frame(t, CRS84, [4]float64{10, 56, 11, 57}, 100, 100),
		frame(t, EPSG3857, [4]float64{west, south, east, north}, 100, 100),
	} {
		c := New(f)
		c.Line(letter, Stroke{Class: First, Width: 3})
		for place, drawn := range map[[2]int]bool{{20, 50}: true, {20, 15}: true, {50, 90}: true, {50, 50}: false, {80, 50}: false, {50, 10}: false, {70, 90}: false} {
			if is := near(c, place[0], place[1]); is != drawn {
				t.Errorf("%s: at %v drawn: %v", Names()[f.crs], place, is)
			}
		}
	}
}

// near reports whether something is drawn within two pixels.
func near(c *Canvas, x, y int) bool {
	for dy := -2; dy <= 2; dy++ {
		for dx := -2; dx <= 2; dx++ {
			if c.pixels[(y+dy)*c.frame.width+x+dx] != 0 {
				return true
			}
		}
	}
	return false
}

// TestDateLine: what crosses the 180° meridian is drawn on both of its sides, in a box that crosses it by numbers above 180 or below -180, and never across
// the rest of the world.
func TestDateLine(t *testing.T) {
	way := []geo.Point{{Lon: 175, Lat: 0}, {Lon: -175, Lat: 0}}
	area := geo.Polygon{{{Lon: 178, Lat: -4}, {Lon: -178, Lat: -4}, {Lon: -178, Lat: -8}, {Lon: 178, Lat: -8}, {Lon: 178, Lat: -4}}}
	wx, _ := mercator(170, 0)
	ex, ny := mercator(190, 10)
	for what, f := range map[string]Viewport{
		"above": frame(t, CRS84, [4]float64{170, -10, 190, 10}, 200, 200), "below": frame(t, EPSG4326, [4]float64{-10, -190, 10, -170}, 200, 200),
		"metres": frame(t, EPSG3857, [4]float64{wx, -ny, ex, ny}, 200, 200),
	} {
		c := New(f)
		c.Line(way, Stroke{Class: First, Width: 2})
		c.Area(area, Stroke{Class: Asked, Width: 1})
		c.Mark(geo.Point{Lon: -179, Lat: 5}, Disc, Second, 4)
		for place, drawn := range map[[2]int]bool{{60, 100}: true, {100, 100}: true, {140, 100}: true, {30, 100}: false, {170, 100}: false,
			{90, 160}: true, {110, 160}: true, {60, 160}: false, {110, 50}: true, {90, 50}: false} {
			if is := near(c, place[0], place[1]); is != drawn {
				t.Errorf("%s: at %v drawn: %v", what, place, is)
			}
		}
	}
	whole := New(frame(t, CRS84, [4]float64{-180, -90, 180, 90}, 360, 180))
	whole.Line(way, Stroke{Class: First, Width: 2})
	if near(whole, 180, 90) || !near(whole, 357, 90) || !near(whole, 3, 90) {
		t.Error("a line over the 180° meridian runs round the world")
	}
	twice := New(frame(t, CRS84, [4]float64{-360, -90, 360, 90}, 720, 180))
	twice.Mark(geo.Point{Lon: 10, Lat: 0}, Disc, First, 3)
	if !near(twice, 10, 90) || !near(twice, 370, 90) || near(twice, 190, 90) {
		t.Error("a world that shows twice has its mark once")
	}
}

// TestFramesThatAreRefused: each wrong box and size has its rule, before it is used.
func TestFramesThatAreRefused(t *testing.T) {
	good := [4]float64{10, 56, 11, 57}
	for _, one := range []struct {
		box           [4]float64
		width, height int
		rule          string
	}{
		{good, 0, 10, "wms_size"}, {good, 10, 4097, "wms_size"}, {good, -1, 10, "wms_size"},
		{[4]float64{11, 56, 10, 57}, 10, 10, "wms_empty"}, {[4]float64{10, 57, 11, 57}, 10, 10, "wms_empty"},
		{[4]float64{10, 56, 10 + 1e-14, 57}, 10, 10, "wms_empty"},
		{[4]float64{-541, 56, 11, 57}, 10, 10, "wms_far"}, {[4]float64{10, 56, math.Inf(1), 57}, 10, 10, "wms_far"}, {[4]float64{10, math.NaN(), 11, 57}, 10, 10, "wms_far"},
	} {
		_, err := NewFrame(CRS84, one.box, one.width, one.height)
		var why *rule.Rule
		if !errors.As(err, &why) || why.Word != one.rule {
			t.Errorf("%v %d %d: %v, want %s", one.box, one.width, one.height, err, one.rule)
		}
	}
}

// drawn returns a small picture of everything.
func drawn(t testing.TB) *Canvas {
	c := New(frame(t, CRS84, [4]float64{10, 56, 11, 57}, 220, 160))
	c.Area(geo.Polygon{{{Lon: 10.2, Lat: 56.2}, {Lon: 10.8, Lat: 56.2}, {Lon: 10.5, Lat: 56.8}, {Lon: 10.2, Lat: 56.2}}}, Stroke{Class: Asked, Width: 1.5, Pattern: Dashed()})
	c.Circle(geo.Point{Lon: 10.5, Lat: 56.4}, 5000, Stroke{Class: Fifth, Width: 1})
	c.Line([]geo.Point{{Lon: 10.1, Lat: 56.1}, {Lon: 10.9, Lat: 56.9}}, Stroke{Class: First, Width: 3, Pattern: Dotted()})
	for i := range Cross + 1 {
		c.Mark(geo.Point{Lon: 10.1 + 0.1*float64(i), Lat: 56.5}, i, Second, 6)
	}
	c.Ray(geo.Point{Lon: 10.5, Lat: 56.5}, 45, 30, Stroke{Class: Third, Width: 2}, true)
	c.Label(geo.Point{Lon: 10.6, Lat: 56.3}, "Århus 12", 4, 4)
	c.Legend(4, 4, Legend{Title: "Legend", Rows: []LegendRow{{Text: "a line", Sample: OfLine, Stroke: Stroke{Class: First, Width: 2}}, {Text: "a mark", Sample: OfMark, Class: Second, Radius: 5},
		{Text: "area", Sample: OfArea, Stroke: Stroke{Class: Asked, Width: 1}}, {Text: "bar", Sample: OfBar, Share: 0.7, Stroke: Stroke{Class: Fourth}}}})
	return c
}

// TestLabelsTellWhereTheyStand: a label that is at least partly in the picture tells its box. The ground of a legend is none.
func TestLabelsTellWhereTheyStand(t *testing.T) {
	c := drawn(t)
	c.Label(geo.Point{Lon: 30, Lat: 56.3}, "far away", 4, 4)
	x, y := c.frame.Pixel(geo.Point{Lon: 10.6, Lat: 56.3})
	boxes := c.Labels()
	if len(boxes) != 1 || boxes[0].Min != image.Pt(int(x)+2, int(y)+4) || boxes[0].Dy() != rowPixels || boxes[0].Dx() < 40 || boxes[0].Dx() > 80 {
		t.Errorf("%v, drawn at %v %v", boxes, x, y)
	}
}

// TestPNG: the standard library reads what is written, in each style, with a ground and without. Nothing that is drawn is lost.
func TestPNG(t *testing.T) {
	c := drawn(t)
	for _, s := range Styles() {
		for _, ground := range []*color.RGBA{nil, {R: 255, G: 255, B: 255, A: 255}} {
			file, err := c.PNG(&s, ground)
			if err != nil {
				t.Fatal(err)
			}
			read, err := png.Decode(bytes.NewReader(file))
			if err != nil {
				t.Fatalf("%s: %v", s.Name(), err)
			}
			picture, ok := read.(*image.Paletted)
			if !ok || read.Bounds().Dx() != 220 || read.Bounds().Dy() != 160 || !bytes.Equal(picture.Pix, c.pixels) {
				t.Errorf("%s: %T of %v", s.Name(), read, read.Bounds())
			}
			if _, _, _, a := read.At(215, 155).RGBA(); (a == 0) != (ground == nil) {
				t.Errorf("%s: an empty pixel has the opacity %d with the ground %v", s.Name(), a, ground)
			}
		}
	}
	c.Message("what went wrong, told in words that need more than one row of the picture")
	if New(c.frame).pixels[0] != 0 {
		t.Error("an empty picture is not empty")
	}
}

// bright returns the relative luminance of WCAG 2.
func bright(c color.RGBA) float64 {
	part := func(v uint8) float64 {
		s := float64(v) / 255
		if s <= 0.04045 {
			return s / 12.92
		}
		return math.Pow((s+0.055)/1.055, 2.4)
	}
	return 0.2126*part(c.R) + 0.7152*part(c.G) + 0.0722*part(c.B)
}

// TestStylesAreLegible: texts have a contrast of 4.5 to their ground, lines and marks 3, by night 2.2. By night nothing is bright.
func TestStylesAreLegible(t *testing.T) {
	contrast := func(a, b color.RGBA) float64 {
		return (max(bright(a), bright(b)) + 0.05) / (min(bright(a), bright(b)) + 0.05)
	}
	for _, s := range Styles() {
		least, text := 3.0, 4.5
		if s.Name() == "night" {
			least, text = 2.2, 4
		}
		if got := contrast(s.ink, s.paper); got < text {
			t.Errorf("%s: text has the contrast %.1f", s.Name(), got)
		}
		for of := Asked; of < classes; of++ {
			if of == Land { // it is a ground, and what lies on it is to be seen
				if got := contrast(s.colors[of], s.paper); got < 1.15 || got > 1.6 {
					t.Errorf("%s: land has the contrast %.2f", s.Name(), got)
				}
				continue
			}
			if got := contrast(s.colors[of], s.paper); got < least {
				t.Errorf("%s: class %d has the contrast %.1f", s.Name(), of, got)
			}
			if s.Name() == "night" && bright(s.colors[of]) > 0.3 {
				t.Errorf("class %d is bright by night", of)
			}
		}
	}
}

// wander returns a track of a hundred places from one place of the picture to another.
func wander(n int) []geo.Point {
	way := make([]geo.Point, 100)
	lon, lat := 10+math.Mod(float64(n)*0.6180339887, 1), 56+math.Mod(float64(n)*0.7548776662, 1)
	for i := range way {
		a := float64(i)*0.11 + float64(n)
		lon, lat = lon+0.004*math.Cos(a), lat+0.003*math.Sin(a)
		way[i] = geo.Point{Lon: lon, Lat: lat}
	}
	return way
}

// BenchmarkGetMap draws tracks of 100 places, 1.5 pixels wide, on 1024 x 768 pixels, and writes the PNG.
func BenchmarkGetMap(b *testing.B) {
	for _, places := range []int{10_000, 1_000_000} {
		b.Run(fmt.Sprint(places), func(b *testing.B) {
			tracks := make([][]geo.Point, places/100)
			for i := range tracks {
				tracks[i] = wander(i)
			}
			w, s := mercator(10, 56)
			e, n := mercator(11, 57)
			f := frame(b, EPSG3857, [4]float64{w, s, e, n}, 1024, 768)
			day := Styles()[0]
			size, covered := 0, 0
			for b.Loop() {
				c := New(f)
				for i, one := range tracks {
					c.Line(one, Stroke{Class: First + ColorClass(i%4), Width: 1.5})
				}
				file, err := c.PNG(&day, nil)
				if err != nil {
					b.Fatal(err)
				}
				size, covered = len(file), len(c.pixels)-bytes.Count(c.pixels, []byte{0})
			}
			if covered < places/2 && covered < 100_000 {
				b.Fatalf("only %d pixels are covered", covered)
			}
			b.ReportMetric(float64(size), "B/picture")
		})
	}
}

// TestADroppedPictureLeavesNothing: the next picture takes its room, larger or smaller, and begins empty.
func TestADroppedPictureLeavesNothing(t *testing.T) {
	for _, size := range [][2]int{{64, 64}, {8, 8}, {200, 100}, {1, 1}} {
		frame, err := NewFrame(CRS84, [4]float64{0, 0, 10, 10}, size[0], size[1])
		if err != nil {
			t.Fatal(err)
		}
		c := New(frame)
		if len(c.pixels) != size[0]*size[1] || bitsOf(c.pixels) != 0 {
			t.Errorf("%v begins with %d pixels, which have the bits %b", size, len(c.pixels), bitsOf(c.pixels))
		}
		for i := range c.pixels {
			c.pixels[i] = 255
		}
		c.Next()
		c.Drop()
		c.Drop()
	}
}

// TestBitsOfPixels compares them with a look at each pixel.
func TestBitsOfPixels(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		pixels := rapid.SliceOfN(rapid.SampledFrom([]uint8{0, 0, 0, 1, 5, 128, 255}), 0, 40).Draw(t, "pixels")
		want := uint8(0)
		for _, p := range pixels {
			want |= p
		}
		if got := bitsOf(pixels); got != want {
			t.Fatalf("%b, want %b", got, want)
		}
	})
}
