package statistic

import (
	"math/rand/v2"
	"slices"
	"testing"

	"quaywatch/geo"
)

// boxesNear returns small rectangles in a square of so many degrees over 180°.
func boxesNear(r *rand.Rand, n int, degrees float64) []geo.Rect {
	rects := make([]geo.Rect, n)
	for i := range rects {
		at := geo.Point{Lon: 180 - degrees/2 + degrees*r.Float64(), Lat: degrees * (r.Float64() - 0.5)}.Normalized()
		rects[i] = geo.RectOf(at).Expand(3000 * r.Float64())
	}
	return rects
}

// TestOverlapping compares what the sweep finds with what comparing all with all finds.
func TestOverlapping(t *testing.T) {
	r := rand.New(rand.NewPCG(2, 2))
	for _, rects := range [][]geo.Rect{boxesNear(r, 300, 1), boxesNear(r, 20, 0.1), nil, boxesNear(r, 1, 1),
		{{West: -180, South: 80, East: 180, North: 90}, {West: 10, South: 85, East: 11, North: 86}, {West: 179, South: 84, East: -179, North: 85}}} {
		var want []two
		for i := range rects {
			for k := i + 1; k < len(rects); k++ {
				if rects[i].Intersects(rects[k]) {
					want = append(want, two{i, k})
				}
			}
		}
		found, _ := overlapping(rects)
		if !slices.Equal(found, want) {
			t.Errorf("%d boxes: %v, want %v", len(rects), found, want)
		}
		if len(rects) > 10 && len(want) == 0 {
			t.Error("no pair to find")
		}
	}
}

// TestOverlappingComparesFew: in a water that is as full, four times as many boxes take about four times as many comparisons: in bands of latitude
// each is compared with its neighbours alone.
func TestOverlappingComparesFew(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 3))
	_, some := overlapping(boxesNear(r, 2000, 4))
	_, more := overlapping(boxesNear(r, 8000, 8))
	t.Logf("%d, then %d comparisons", some, more)
	if some == 0 || more > 6*some {
		t.Errorf("%d boxes take %d comparisons, and 4 times as many %d", 2000, some, more)
	}
}
