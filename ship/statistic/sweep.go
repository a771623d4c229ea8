package statistic

import (
	"cmp"
	"math"
	"slices"

	"quaywatch/geo"
)

// box is a rectangle whose west is not east of its east; longitudes may lie beyond ±180.
type box struct {
	west, south, east, north float64
	of                       int // index of what lies in it
	low, high                int // the bands of latitude that it touches
}

// two are the indices of two that may be near, the smaller first.
type two struct{ a, b int }

// bandHeight is how many degrees of latitude a band has. It is 5.6 km: as far as a ship of 18 knots sails in ten minutes.
const bandHeight = 0.05

// boxes returns the boxes of some rectangles. One that spans 180° is there twice, once on each side of the map.
func boxes(rects []geo.Rect) []box {
	all := make([]box, 0, len(rects)+8)
	for i, r := range rects {
		b := box{west: r.West, south: r.South, east: r.East, north: r.North, of: i}
		b.low, b.high = int(math.Floor(r.South/bandHeight)), int(math.Floor(r.North/bandHeight))
		if r.West > r.East {
			b.east += 360
			all = append(all, b)
			b.west, b.east = b.west-360, b.east-360
		}
		all = append(all, b)
	}
	return all
}

// overlapping returns all pairs of rectangles that share a place, in order, and how many pairs it compared. It lays boxes into bands of latitude
// and sweeps each from west to east.
func overlapping(rects []geo.Rect) (found []two, compared int) {
	all := boxes(rects)
	slices.SortFunc(all, func(a, b box) int { return cmp.Or(cmp.Compare(a.west, b.west), cmp.Compare(a.of, b.of)) })
	bands := map[int][]int32{}
	for i := range all {
		for band := all[i].low; band <= all[i].high; band++ {
			bands[band] = append(bands[band], int32(i))
		}
	}
	for band, members := range bands { // the order is made below
		for i, first := range members {
			own := &all[first]
			for _, second := range members[i+1:] {
				other := &all[second]
				if other.west > own.east {
					break
				}
				compared++
				if own.meetsBox(other, band) {
					found = append(found, two{min(own.of, other.of), max(own.of, other.of)})
				}
			}
		}
	}
	slices.SortFunc(found, two.compare)
	return slices.Compact(found), compared
}

// meetsBox reports whether two boxes whose longitudes overlap share a place, in the first band that both touch.
func (b *box) meetsBox(o *box, band int) bool {
	return b.of != o.of && band == max(b.low, o.low) && b.south <= o.north && o.south <= b.north
}

func (t two) compare(o two) int { return cmp.Or(cmp.Compare(t.a, o.a), cmp.Compare(t.b, o.b)) }
