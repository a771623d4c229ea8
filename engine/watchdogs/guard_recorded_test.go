package watchdogs

import (
	"time"

	"quaywatch/ais"
	"quaywatch/geo"
	"quaywatch/ship"
)

// wakes are the recorded places of ships.
type wakes struct {
	box  *box
	path map[ais.MMSI][]ship.Fix
}

func (w *wakes) Observe(u *ship.Update) {
	if u.Report != nil && u.Change&ship.ChangedFix != 0 && u.Now.HasFix {
		w.path[u.Now.MMSI] = append(w.path[u.Now.MMSI], u.Now.Fix)
	}
	w.box.watch.Observe(u)
}

func (w *wakes) Tick(now time.Time) { w.box.watch.Tick(now) }

// place returns where a ship was at a time, between two reports of at most three minutes.
func (w *wakes) place(m ais.MMSI, at int64) (geo.Point, bool) {
	path := w.path[m]
	for i := 1; i < len(path); i++ {
		a, b := path[i-1], path[i]
		if a.At <= at && at <= b.At && b.At-a.At <= 180_000 && b.Mark&ship.NewSegment == 0 {
			share := float64(at-a.At) / float64(max(1, b.At-a.At))
			plane := geo.PlaneAt(a.Point())
			return plane.Point(geo.Vector{}.Along(plane.Vector(b.Point()), share)), true
		}
	}
	return geo.Point{}, false
}

// closest returns the least distance of two ships in so many seconds, and when that was; false where they were not heard together.
func (w *wakes) closest(a, b ais.MMSI, from int64, seconds int) (metres float64, after int, heard bool) {
	for second := 0; second <= seconds; second += 5 {
		p, known := w.place(a, from+int64(second)*1000)
		q, also := w.place(b, from+int64(second)*1000)
		if !known || !also {
			continue
		}
		if d := geo.PlaneAt(p).Vector(q).Length(); !heard || d < metres {
			metres, after, heard = d, second, true
		}
	}
	return metres, after, heard
}

func knots(f *ship.Fix) float64 {
	n, _ := f.SOG.Knots()
	return n
}
