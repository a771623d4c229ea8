package render

import (
	"testing"

	"quaywatch/geo"
)

// at returns the class and the level of a pixel.
func (c *Canvas) at(x, y int) (of ColorClass, level int) {
	v := int(c.pixels[y*c.frame.width+x])
	if v == 0 {
		return classes, 0
	}
	return ColorClass((v - 1) / levels), (v-1)%levels + 1
}

// TestLayersLieInTheirOrder: a layer hides what lies below, whatever covers more of a pixel, but a shade leaves it.
func TestLayersLieInTheirOrder(t *testing.T) {
	for _, crs := range []CRS{EPSG4326, CRS84} {
		f, err := NewFrame(crs, [4]float64{0, 0, 10, 10}, 100, 100)
		if err != nil {
			t.Fatal(err)
		}
		all := geo.Polygon{{{Lon: 1, Lat: 1}, {Lon: 9, Lat: 1}, {Lon: 9, Lat: 9}, {Lon: 1, Lat: 9}, {Lon: 1, Lat: 1}}}
		c := New(f)
		c.Mark(geo.Point{Lon: 5, Lat: 5}, Disc, Tanker, 10)
		c.Next()
		c.Area(all, Stroke{Class: Asked, Width: 2})
		c.Next()
		c.FaintMark(geo.Point{Lon: 5.5, Lat: 5}, Square, Cargo, 3)
		c.flatten()
		for want, x := range map[ColorClass]int{Tanker: 45, Cargo: 55, Asked: 20} {
			if of, _ := c.at(x, 50); of != want {
				t.Errorf("pixel %d has the class %d, want %d", x, of, want)
			}
		}
	}
}

// TestLandHidesWhatLiesBelow: it is opaque in each style, in each system and at each turn of the world, and water takes it away again.
func TestLandHidesWhatLiesBelow(t *testing.T) {
	boxes := map[CRS][4]float64{EPSG4326: {-60, -170, 60, 230}, CRS84: {-170, -60, 230, 60}, EPSG3857: {-half, -half / 2, half * 1.3, half / 2}}
	for crs, box := range boxes {
		f, err := NewFrame(crs, box, 200, 100)
		if err != nil {
			t.Fatal(err)
		}
		c := New(f)
		c.Line([]geo.Point{{Lon: -170}, {Lon: 170}}, Stroke{Class: First, Width: 4})
		c.Next()
		c.Land([][]Web{{{0, 0.4}, {0.1, 0.4}, {0.1, 0.6}, {0, 0.6}, {0, 0.4}}}) // 180° W to 144° W
		c.Water([][]Web{{{0.05, 0.4}, {0.1, 0.4}, {0.1, 0.6}, {0.05, 0.6}, {0.05, 0.4}}})
		c.flatten()
		for _, turn := range []float64{0, 360} {
			x, y := f.pixelAt(-164+turn, 0)
			if x >= 0 && x < 200 {
				if of, _ := c.at(int(x), int(y)); of != Land {
					t.Errorf("%d: the class %d lies at a land %v° on", crs, of, turn)
				}
			}
		}
		x, y := f.pixelAt(-150+360, 0)
		if of, _ := c.at(min(199, int(x)), int(y)); of == Land {
			t.Errorf("%d: land lies on water", crs)
		}
	}
	for _, s := range Styles() {
		if all := s.palette(nil); all[colourIndex(Land, levels)].A != 255 {
			t.Errorf("%s: land is not opaque", s.Name())
		}
	}
}

// TestBoundsOfAFrame: they hold what the picture shows, over 180° too, and around the whole earth.
func TestBoundsOfAFrame(t *testing.T) {
	for _, one := range []struct {
		crs  CRS
		box  [4]float64
		want geo.Rect
	}{
		{CRS84, [4]float64{10, 50, 20, 60}, geo.Rect{West: 10, South: 50, East: 20, North: 60}},
		{EPSG4326, [4]float64{50, 170, 60, 190}, geo.Rect{West: 170, South: 50, East: -170, North: 60}},
		{EPSG4326, [4]float64{-95, -200, 95, 200}, geo.Rect{West: -180, South: -90, East: 180, North: 90}},
	} {
		f, err := NewFrame(one.crs, one.box, 100, 100)
		if err != nil {
			t.Fatal(err)
		}
		if got := f.Bounds(0); got != one.want {
			t.Errorf("%v, want %v", got, one.want)
		}
	}
}

// TestNamesKeepClear: a name is not written on a mark, on another name, or over the edge.
func TestNamesKeepClear(t *testing.T) {
	f, err := NewFrame(CRS84, [4]float64{0, 0, 10, 10}, 200, 200)
	if err != nil {
		t.Fatal(err)
	}
	covered := func(names ...geo.Point) (n int) {
		c := New(f)
		for _, at := range names {
			c.Name(at, "HAVGUDEN", 5, 0)
		}
		for _, what := range c.pixels {
			if what != 0 {
				n++
			}
		}
		return n
	}
	one := covered(geo.Point{Lon: 1, Lat: 5})
	if one == 0 || covered(geo.Point{Lon: 1, Lat: 5}, geo.Point{Lon: 1.2, Lat: 5}) != one || covered(geo.Point{Lon: 9.5, Lat: 5}) != 0 ||
		covered(geo.Point{Lon: 1, Lat: 5}, geo.Point{Lon: 1, Lat: 8}) != 2*one {
		t.Error("names overlap, are cut or are missing")
	}
}

// TestABowPointsAhead: the tip of a hull lies towards its bearing, in each system.
func TestABowPointsAhead(t *testing.T) {
	for crs, box := range map[CRS][4]float64{EPSG4326: {60, 10, 61, 12}, CRS84: {10, 60, 12, 61}, EPSG3857: {1e6, 8e6, 1.2e6, 8.2e6}} {
		f, err := NewFrame(crs, box, 200, 200)
		if err != nil {
			t.Fatal(err)
		}
		at := f.placeAt(100, 100)
		for bearing := 0.0; bearing < 360; bearing += 30 {
			c := New(f)
			c.Vessel(at, bearing, Cargo, 20, false)
			ux, uy := c.toward(at, bearing)
			ahead, _ := c.at(int(100.5+16*ux), int(100.5+16*uy))
			behind, _ := c.at(int(100.5-19*ux), int(100.5-19*uy))
			if ahead != Cargo || behind == Cargo {
				t.Errorf("%d %v°: ahead lies the class %d, behind %d", crs, bearing, ahead, behind)
			}
		}
	}
}
