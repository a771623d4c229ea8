package statistic_test

import (
	"fmt"
	"math"
	"os"
	"strings"
	"testing"
	"time"

	"quaywatch/ais"
	"quaywatch/geo"
	"quaywatch/ship/statistic"
)

// nearInSQL asks how near each two ships came, in a plane about the middle of the traffic. A leg is a line in place and time.
const nearInSQL = `
create extension postgis;
insert into spatial_ref_sys(srid, proj4text) values (990000, '+proj=aeqd +lat_0=%[2]f +lon_0=%[1]f +ellps=WGS84 +units=m +no_defs');
create table leg(mmsi bigint, begins bigint, ends bigint, long boolean, x1 float8, y1 float8, x2 float8, y2 float8);
\copy leg from 'legs.csv' csv
alter table leg add way geometry;
update leg set way = ST_Transform(ST_SetSRID(ST_MakeLine(ST_MakePointM(x1, y1, begins - %[3]d), ST_MakePointM(x2, y2, ends - %[3]d)), 4326), 990000);
create index on leg using gist(way gist_geometry_ops_nd);
analyze leg;
\copy (select a.mmsi, b.mmsi, min(ST_DistanceCPA(a.way, b.way)) from leg a join leg b on a.mmsi < b.mmsi and b.way &&& ST_Expand(a.way, %[4]f, %[4]f, 0, 0) and a.begins < b.ends and b.begins < a.ends group by 1, 2) to 'near.csv' csv
`

// twoShips are two ships, the smaller number first.
type twoShips [2]ais.MMSI

// nearestOf asks PostGIS how near each two ships came, in metres, of those that came about as near as is asked.
func nearestOf(t *testing.T, ships fleet, q *statistic.NearMissQuestion, middle geo.Point) map[twoShips]float64 {
	t.Helper()
	sql := fmt.Sprintf(nearInSQL, middle.Lon, middle.Lat, q.Period.Begin.UnixMilli(), 1.1*q.Distance)
	all := map[twoShips]float64{}
	for _, row := range askPostGIS(t, sql, map[string][][]string{"legs.csv": legsOf(ships, 10*time.Minute)}, "near.csv") {
		var pair twoShips
		var metres float64
		if _, err := fmt.Sscan(strings.Join(row, " "), &pair[0], &pair[1], &metres); err != nil {
			t.Fatal(row, err)
		}
		all[pair] = metres
	}
	return all
}

// TestNearMissesOfPostGIS holds near misses against the closest points of approach of a database of geometry: who came near whom, and how near. Of two within
// a hundredth of the limit either may be right.
func TestNearMissesOfPostGIS(t *testing.T) {
	if os.Getenv("QUAYWATCH_POSTGIS") == "" {
		t.Skip("make postgis installs PostGIS and runs this test")
	}
	for name, ships := range map[string]func() fleet{
		"random walks": randomWalks,
		"kadetrenden":  func() fleet { return recorded(t, "nmea/kadetrenden_2013-07-31.nmea.gz") },
	} {
		for _, metres := range []float64{300, 2000} {
			t.Run(fmt.Sprint(name, " ", metres), func(t *testing.T) {
				ships, still := ships(), 0.0
				period, middle, _ := middles(ships)
				q := statistic.NearMissQuestion{Period: period, Area: geo.NewArea(squareAt(middle, 400_000)), Distance: metres, SOG: statistic.Range{Min: &still}}
				theirs, ours := nearestOf(t, ships, &q, middle), map[twoShips]float64{}
				found, _ := misses(q, tracks(ships).whole)
				for _, e := range found {
					pair := twoShips{e.Ships[0].MMSI, e.Ships[1].MMSI}
					if least, there := ours[pair]; !there || e.Distance < least {
						ours[pair] = e.Distance
					}
				}
				both, limit := 0, 0
				for pair, least := range theirs {
					got, there := ours[pair]
					switch delete(ours, pair); {
					case math.Abs(least-metres) <= metres/100:
						limit++
					case there != (least <= metres):
						t.Errorf("ships %v: PostGIS has %.1f m, and we tell them: %v", pair, least, there)
					case there && math.Abs(got-least) > metres/100:
						t.Errorf("ships %v: %.1f m, PostGIS has %.1f m", pair, got, least)
					case there:
						both++
					}
				}
				if len(ours) > 0 {
					t.Errorf("only we find %v", ours)
				}
				t.Logf("%d ships: %d pairs within %.0f m in both, %d at the limit, of %d that PostGIS measured", len(ships), both, metres, limit, len(theirs))
				if both < 5 {
					t.Error("too few to compare")
				}
			})
		}
	}
}
