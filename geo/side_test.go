package geo

import (
	"math"
	"math/rand/v2"
	"testing"
)

// TestSideHoldsForEachPlace: where the side of a rectangle is certain, each place in it and each leg between two of them lies on that side. Small rectangles
// off the border are certain.
func TestSideHoldsForEachPlace(t *testing.T) {
	r := rand.New(rand.NewPCG(4, 8))
	within, apart, unsure := 0, 0, 0
	for range 4000 {
		centre := Point{Lon: 360*r.Float64() - 180, Lat: 120*r.Float64() - 60}
		size := math.Pow(10, 1.5-2*r.Float64())
		star := func(scale float64, points int) (ring Line) {
			for k := range points {
				far, turn := scale*(0.3+r.Float64()), 2*math.Pi*float64(k)/float64(points)
				ring = append(ring, Point{Lon: centre.Lon + far*math.Cos(turn), Lat: max(-89, min(89, centre.Lat+far*math.Sin(turn)))}.Normalized())
			}
			return append(ring, ring[0])
		}
		g := Polygon{star(size, 3+r.IntN(40))}
		if r.IntN(3) == 0 {
			g = append(g, star(size/5, 5))
		}
		a := NewArea(g)
		for range 20 {
			p := Point{Lon: centre.Lon + 3*size*(r.Float64()-0.5), Lat: max(-89, min(89, centre.Lat+3*size*(r.Float64()-0.5)))}.Normalized()
			w, h := size*math.Pow(10, -3*r.Float64()), size*math.Pow(10, -3*r.Float64())
			box := Rect{West: p.Lon, East: edgeLon(p.Lon + min(w, 90)), South: p.Lat, North: min(89, p.Lat+h)}
			in, certain := a.Side(box)
			switch {
			case !certain:
				unsure++
				continue
			case in:
				within++
			default:
				apart++
			}
			place := func() Point {
				return Point{Lon: wrap(box.West + r.Float64()*box.lonWidth()), Lat: box.South + r.Float64()*(box.North-box.South)}
			}
			for range 5 {
				from, to := place(), place()
				spans := a.Inside(from, to, nil)
				if a.Contains(from) != in || in != (len(spans) == 1) || in && spans[0] != (Span{0, 1}) {
					t.Fatalf("%v of %v lies within: %v, but not the leg from %v to %v: %v", box, g, in, from, to, spans)
				}
			}
		}
	}
	if within < 2000 || apart < 20_000 || unsure > 40_000 {
		t.Errorf("%d within, %d apart, %d not certain", within, apart, unsure)
	}
}

// TestSideAtTheBorder: what the border touches is not certain, nor what is no rectangle.
func TestSideAtTheBorder(t *testing.T) {
	square := NewArea(Polygon{{{179, 0}, {-179, 0}, {-179, 2}, {179, 2}, {179, 0}}})
	for _, row := range []struct {
		box             Rect
		within, certain bool
	}{
		{Rect{179.5, 0.5, -179.5, 1.5}, true, true},
		{Rect{179, 0.5, -179.5, 1.5}, false, false},
		{Rect{179.5, 2, -179.5, 3}, false, false},
		{Rect{179.5, 2.1, -179.5, 3}, false, true},
		{Rect{178, 1, -178, 1.5}, false, false},
		{Rect{10, -5, 20, 5}, false, true},
		{Rect{120, -5, -100, 5}, false, false},
		{Rect{South: 1, North: -1}, false, false},
	} {
		if within, certain := square.Side(row.box); within != row.within || certain != row.certain {
			t.Errorf("%v: within %v, certain %v", row.box, within, certain)
		}
	}
	circle := NewArea(Circle{Center: Point{10, 55}, Radius: 1000})
	if _, certain := circle.Side(Rect{10, 55, 10, 55}); certain {
		t.Error("a place in a circle is certain")
	}
	if within, certain := circle.Side(Rect{11, 55, 12, 56}); within || !certain {
		t.Error("a rectangle beyond a circle is not certain")
	}
}
