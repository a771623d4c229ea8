package sea_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"quaywatch/geo"
	"quaywatch/geo/chart"
	"quaywatch/geo/route/sea"
)

func water(t *testing.T) *sea.Water {
	t.Helper()
	c, err := chart.Load()
	if err != nil {
		t.Fatal(err)
	}
	return sea.NewWater(c.Coast(), "")
}

func at(lon, lat float64) sea.UnitVector { return sea.At(geo.Point{Lon: lon, Lat: lat}) }

func TestClear(t *testing.T) {
	w := water(t)
	for _, x := range []struct {
		name                   string
		lon1, lat1, lon2, lat2 float64
		want                   bool
	}{
		{"over the Atlantic", -10, 45, -60, 40, true}, {"over Denmark", 8, 56, 11, 56.5, false}, {"over the date line", 175, 0, -175, 5, true},
		{"over the North Pole", 0, 85, 180, 85, true}, {"over the South Pole", 0, -60, 180, -60, false}, {"Copenhagen to Malmö, over Saltholm", 12.68, 55.68, 12.9, 55.63, false},
		{"one place", -30, 30, -30, 30, true}, {"through the earth", -30, 30, 150, -30, false}, {"over Iceland along a parallel", -25, 65, -13, 65, false},
		{"south of Greenland, where a straight line in degrees is not", -60, 59.3, -30, 59.3, false},
	} {
		for _, step := range []float64{sea.Quick, sea.Exact} {
			if got := w.Clear(at(x.lon1, x.lat1), at(x.lon2, x.lat2), step); got != x.want {
				t.Errorf("%s in steps of %v km: %v", x.name, step, got)
			}
			if got := w.Clear(at(x.lon2, x.lat2), at(x.lon1, x.lat1), step); got != x.want {
				t.Errorf("%s, turned round, in steps of %v km: %v", x.name, step, got)
			}
		}
	}
}

func TestVectors(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	for range 1000 {
		p := geo.Point{Lon: r.Float64()*360 - 180, Lat: r.Float64()*180 - 90}
		q := geo.Point{Lon: r.Float64()*360 - 180, Lat: r.Float64()*180 - 90}
		v, w := sea.At(p), sea.At(q)
		if back := v.Point(); geo.Distance(p, back) > 0.001 {
			t.Fatalf("%v comes back as %v", p, back)
		}
		km, want := sea.Km(v, w), geo.Distance(p, q)/1000
		if math.Abs(km-want) > 0.006*want {
			t.Fatalf("from %v to %v: %v km, on the ellipsoid %v", p, q, km, want)
		}
		if km > 19000 {
			continue
		}
		heading := sea.HeadingAt(v)
		bin := heading.Bin(w)
		turn := math.Mod(geo.Bearing(p, q)*sea.Bins/360-float64(bin)-0.5+1.5*sea.Bins, sea.Bins) - sea.Bins/2
		if math.Abs(turn) > 2 && math.Abs(p.Lat) < 89 {
			t.Fatalf("from %v to %v: direction %d, bearing %v", p, q, bin, geo.Bearing(p, q))
		}
		if to := heading.Toward(v, float64(bin)+0.5, 100); math.Abs(sea.Km(v, to)-100) > 0.01 || heading.Bin(to) != bin {
			t.Fatalf("100 km toward %d from %v leads to %v", bin, p, to.Point())
		}
		last := v
		for _, next := range append(sea.Between(v, w, 500), w) {
			if sea.Km(last, next) > 500.01 {
				t.Fatalf("from %v to %v: a piece of %v km", p, q, sea.Km(last, next))
			}
			last = next
		}
	}
}

// An approach from a place ashore ends afloat, sees its target, and goes round land where it can.
func TestApproach(t *testing.T) {
	w := water(t)
	mouth := at(10.62, 59.0) // of the Oslofjord
	a, ok := w.Approach(geo.Point{Lon: 10.745, Lat: 59.915}, []sea.UnitVector{mouth})
	if !ok || a.OnLand > 3 || len(a.Way) < 3 || a.Way[0] != (geo.Point{Lon: 10.745, Lat: 59.915}) {
		t.Fatalf("Oslo: %+v %v", a, ok)
	}
	end := a.Way[len(a.Way)-1]
	if !w.Afloat(end) || !w.Clear(sea.At(end), mouth, sea.Exact) {
		t.Errorf("the approach of Oslo ends at %v", end)
	}
	length := 0.0
	for i := 1; i < len(a.Way); i++ {
		length += geo.Distance(a.Way[i-1], a.Way[i]) / 1000
	}
	if length < 95 || length > 140 {
		t.Errorf("the approach of Oslo has %.0f km", length)
	}
	if a, ok := w.Approach(geo.Point{Lon: -3.7, Lat: 40.4}, []sea.UnitVector{at(-9.6, 38.7)}); ok {
		t.Errorf("Madrid has an approach with %.0f km on land", a.OnLand)
	}
	if _, ok := w.Approach(geo.Point{Lon: 10, Lat: 57}, nil); ok {
		t.Error("there is an approach to no target")
	}
}

// The part of a leg near a place is what small steps find.
func TestWithinAgreesWithSmallSteps(t *testing.T) {
	met := 0
	for i := range 400 {
		a := at(float64(i*37%360)-180, float64(i*53%170)-85)
		b := at(float64(i*91%360)-180, float64(i*29%170)-85)
		middle := at(float64(i*11%360)-180, float64(i*17%170)-85)
		km := 200 + float64(i%20)*300
		want, last := 0.0, a
		for _, v := range append(sea.Between(a, b, 5), b) {
			if sea.Km(middle, last) < km && sea.Km(middle, v) < km {
				want += sea.Km(last, v)
			}
			last = v
		}
		first, end, ok := sea.Within(a, b, middle, km)
		got := 0.0
		if ok {
			got, met = sea.Km(first, end), met+1
		}
		if math.Abs(got-want) > 20 {
			t.Errorf("from %v to %v, %.0f km round %v: %.0f km, by steps %.0f", a.Point(), b.Point(), km, middle.Point(), got, want)
		}
	}
	if met < 80 {
		t.Errorf("only %d legs come near", met)
	}
}
