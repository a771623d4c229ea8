package watch

import (
	"fmt"
	"testing"
	"time"

	"quaywatch/ais"
	"quaywatch/geo"
	"quaywatch/ship"
	"quaywatch/ship/shiptest"
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

// place gives where a ship was at a time, between two reports of at most three minutes.
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

// closest gives the least distance of two ships in so many seconds, and when that was; false where they were not heard together.
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

// TestPairsOfRecordings tells which pairs ring over whole recordings with the defaults, and how near the ships came. docs/watchdogs.md has the table.
func TestPairsOfRecordings(t *testing.T) {
	for _, row := range []struct {
		file                     string
		west, south, east, north float64
		rings                    int
	}{
		{"kadetrenden_2013-07-31.nmea.gz", 11, 54, 14, 56, 3},
		{"sanfrancisco_bay_2008-07-14.nmea.gz", -123.5, 37, -121.5, 38.6, 19},
		{"denmark_2013-11-12_pghp.txt.gz", 4, 53, 17, 60, 0},
	} {
		t.Run(row.file, func(t *testing.T) {
			log := shiptest.Recording(t, "nmea/"+row.file)
			b := newBox(t)
			b.define(fmt.Sprintf(guard, areaOf(row.west, row.south, row.east, row.north)))
			w := &wakes{b, map[ais.MMSI][]ship.Fix{}}
			playLog(t, log, w)
			b.watch.Save(true)
			n := 0
			for e, err := range b.watch.After(0) {
				if err != nil {
					t.Fatal(err)
				}
				n++
				over := "goes on"
				if e.Deactivated != 0 {
					over = fmt.Sprintf("over after %d s", (e.Deactivated-e.Time)/1000)
				}
				metres, after, heard := w.closest(e.Ship.MMSI, e.Other.MMSI, e.Time, e.TCPA+300)
				t.Logf("%s %s (%d %s %.1f kn) and %s (%d %s %.1f kn): %.0f m in %d s; true: %.0f m after %d s (%v), %s", e.At().Format(time.TimeOnly),
					e.Ship.Called(), e.Ship.MMSI, ais.ShipType(e.Ship.TypeCode), knots(e.Fix), e.Other.Called(), e.Other.MMSI,
					ais.ShipType(e.Other.TypeCode), knots(e.Other.Fix), e.CPA, e.TCPA, metres, after, heard, over)
			}
			if n != row.rings {
				t.Errorf("%d rings, want %d", n, row.rings)
			}
		})
	}
}

func knots(f *ship.Fix) float64 {
	n, _ := f.SOG.Knots()
	return n
}
