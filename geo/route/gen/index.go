package main

import (
	"math"
	"runtime"
	"sync"

	"quaywatch/geo"
	"quaywatch/geo/route/sea"
)

// index finds points near a place, by cells of a height.
type index struct {
	height  float64 // degrees of latitude
	cells   map[uint64][]int32
	points  []geo.Point
	vectors []sea.UnitVector
}

func newIndex(heightKm float64) *index {
	return &index{height: heightKm / kmPerDegree, cells: map[uint64][]int32{}}
}

// add keeps a point, whose number is the count of those before it.
func (x *index) add(p geo.Point) {
	row := x.rowAt(p.Lat)
	k := cellKey(row, x.column(p.Lon, row))
	x.cells[k] = append(x.cells[k], int32(len(x.points)))
	x.points = append(x.points, p)
	x.vectors = append(x.vectors, sea.At(p))
}

func (x *index) rowAt(lat float64) int { return int(math.Floor((lat + 90) / x.height)) }

// columns counts the cells of a row; each is at least as wide as it is high.
func (x *index) columns(row int) int {
	lat := math.Max(math.Abs(float64(row)*x.height-90), math.Abs(float64(row+1)*x.height-90))
	return max(1, int(360*math.Cos(math.Min(lat, 90)*math.Pi/180)/x.height))
}

func (x *index) column(lon float64, row int) int {
	n := x.columns(row)
	return min(int((lon+180)/360*float64(n)), n-1)
}

func cellKey(row, column int) uint64 { return uint64(row)<<32 | uint64(column) }

// visitNear visits the points of all cells within some kilometres of a place until visit returns false. It visits farther ones too.
func (x *index) visitNear(p geo.Point, km float64, visit func(i int32) bool) {
	reach := km / kmPerDegree
	for row := x.rowAt(p.Lat - reach); row <= x.rowAt(p.Lat+reach); row++ {
		if row < 0 || float64(row)*x.height > 180 {
			continue
		}
		n := x.columns(row)
		first, count := 0, n
		if w := x.circleWidth(p.Lat, row, km); w < 180 {
			first = int(math.Floor((p.Lon - w + 180) / 360 * float64(n)))
			count = min(n, int(math.Floor((p.Lon+w+180)/360*float64(n)))-first+1)
		}
		for c := range count {
			for _, i := range x.cells[cellKey(row, ((first+c)%n+n)%n)] {
				if !visit(i) {
					return
				}
			}
		}
	}
}

// circleWidth returns the degrees of longitude that a circle reaches within a row.
func (x *index) circleWidth(lat float64, row int, km float64) float64 {
	most := math.Max(math.Abs(lat), math.Max(math.Abs(float64(row)*x.height-90), math.Abs(float64(row+1)*x.height-90)))
	if most >= 90 {
		return 180
	}
	sin := math.Sin(km/kmPerDegree*math.Pi/360) / math.Cos(most*math.Pi/180)
	if sin >= 1 {
		return 180
	}
	return 2*math.Asin(sin)*180/math.Pi + 1e-9
}

// parallel works through 0..n-1 in runs and returns what each run found, in order.
func parallel[T any](n, run int, work func(from, to int) T) []T {
	results := make([]T, (n+run-1)/run)
	var next, wait = make(chan int), sync.WaitGroup{}
	for range runtime.NumCPU() {
		wait.Go(func() {
			for i := range next {
				results[i] = work(i*run, min(n, i*run+run))
			}
		})
	}
	for i := range results {
		next <- i
	}
	close(next)
	wait.Wait()
	return results
}
