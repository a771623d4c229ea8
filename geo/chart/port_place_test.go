//go:build !race

package chart

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"quaywatch/geo"
)

// drawnPorts returns the list with ports whose borders were drawn: small and large ones, with holes, over 180° and near a pole.
func drawnPorts(t testing.TB) *Ports {
	t.Helper()
	all := slices.Clone(loadPorts(t).All())
	add := func(name string, g geo.Polygon) {
		all = append(all, &Port{ID: FirstMadePort + uint64(len(all)), Name: name, Outer: g})
	}
	square := func(west, south, east, north float64) []geo.Point {
		return []geo.Point{{Lon: west, Lat: south}, {Lon: east, Lat: south}, {Lon: east, Lat: north}, {Lon: west, Lat: north}, {Lon: west, Lat: south}}
	}
	add("Over the date line", geo.Polygon{square(179.9, -17, -179.9, -16.5)})
	add("To the date line", geo.Polygon{square(179.5, 10, 180, 10.5)})
	add("From the date line", geo.Polygon{square(-180, 10, -179.5, 10.5)})
	add("Holed", geo.Polygon{square(10, 56, 11, 56.5), square(10.4, 56.2, 10.6, 56.3)})
	add("In the hole", geo.Polygon{square(10.45, 56.22, 10.5, 56.25)})
	add("Polar", geo.Polygon{square(0, 84, 60, 88)})
	random := rand.New(rand.NewPCG(3, 3))
	for i := range 200 {
		middle := geo.Point{Lon: random.Float64()*360 - 180, Lat: random.Float64()*140 - 70}
		var ring []geo.Point
		for k := range 40 {
			ring = append(ring, geo.Destination(middle, float64(k)*9, 500+8000*random.Float64()))
		}
		add(fmt.Sprint("Drawn ", i), geo.Polygon{append(ring, ring[0])})
	}
	return NewPorts(all)
}

// nearPort returns a place near the border of some port, or somewhere on earth.
func nearPort(random *rand.Rand, all []*Port) geo.Point {
	p := all[random.IntN(len(all))]
	bounds, ok := p.Bounds()
	if !ok || random.IntN(10) == 0 {
		return geo.Point{Lon: random.Float64()*360 - 180, Lat: math.Asin(2*random.Float64()-1) * 180 / math.Pi}
	}
	if random.IntN(3) == 0 && !p.Drawn() {
		return geo.Destination(p.Position, random.Float64()*360, DefaultRadius-15+20*random.Float64())
	}
	if area := p.Area()[0]; random.IntN(10) == 0 {
		return area[random.IntN(len(area))]
	}
	return geo.Destination(bounds.Center(), random.Float64()*360, 10_000*random.Float64())
}

// TestPortsAtAPlace: the index gives what trying each port gives.
func TestPortsAtAPlace(t *testing.T) {
	ports := drawnPorts(t)
	random := rand.New(rand.NewPCG(4, 4))
	hits, areas := 0, map[*Port]geo.Polygon{}
	for _, p := range ports.All() {
		areas[p] = p.Area()
	}
	for i := range 2000 {
		place := nearPort(random, ports.All())
		if i < 40 {
			place = geo.Point{Lon: []float64{180, -180}[i%2], Lat: []float64{10.2, -16.7}[i/20]}
		}
		got := ports.At(nil, place)
		hits += len(got)
		n := 0
		for _, p := range ports.All() {
			if area := areas[p]; area != nil && area.Contains(place) {
				if n++; !slices.Contains(got, p) {
					t.Fatalf("%v lies in %s, which is not found", place, p.Name)
				}
			}
		}
		if n != len(got) {
			t.Fatalf("%v: %d ports are found, want %d", place, len(got), n)
		}
	}
	if hits < 500 {
		t.Errorf("only %d hits", hits)
	}
}

// TestPortsInARectangle: the index gives what trying each port gives, by name.
func TestPortsInARectangle(t *testing.T) {
	ports := drawnPorts(t)
	random := rand.New(rand.NewPCG(5, 5))
	for i := range 500 {
		place := nearPort(random, ports.All())
		r := geo.RectOf(place).Expand(20_000 * random.Float64())
		switch i % 10 {
		case 0:
			r = geo.Rect{West: -180, South: -90, East: 180, North: 90}
		case 1:
			r = geo.Rect{West: 170, South: 0, East: 180, North: 20}
		case 2:
			r = geo.Rect{West: -180, South: -20, East: -170, North: 20}
		}
		var want []*Port
		for _, p := range ports.All() {
			if bounds, ok := p.Bounds(); ok && bounds.Intersects(r) {
				want = append(want, p)
			}
		}
		if got := ports.In(r); !slices.Equal(got, want) {
			t.Fatalf("%v: %d ports, want %d", r, len(got), len(want))
		}
	}
}

// BenchmarkPortsAt asks for places of which two thirds lie in a port.
func BenchmarkPortsAt(b *testing.B) {
	ports := drawnPorts(b)
	random := rand.New(rand.NewPCG(6, 6))
	places := make([]geo.Point, 4096)
	for i := range places {
		for {
			places[i] = nearPort(random, ports.All())
			if i%3 == 0 || len(ports.At(nil, places[i])) > 0 {
				break
			}
		}
	}
	var found []*Port
	n, hits := 0, 0
	b.ReportAllocs()
	for b.Loop() {
		found = ports.At(found[:0], places[n%len(places)])
		hits += len(found)
		n++
	}
	if n > 100 && hits < n/2 {
		b.Fatalf("%d hits in %d places", hits, n)
	}
	b.ReportMetric(float64(hits)/float64(n), "ports/place")
}
