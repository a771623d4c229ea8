package handlers

import (
	"fmt"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"quaywatch/ais"
	"quaywatch/ship"
	"quaywatch/store"
	"quaywatch/users/access"
)

// BenchmarkGetMap is one whole request for the picture of tracks, on 1024 x 768 pixels, and one for what lies at a place of it.
func BenchmarkGetMap(b *testing.B) {
	for _, fixes := range []int{10_000, 1_000_000} {
		b.Run(fmt.Sprint(fixes), func(b *testing.B) {
			s := newSite(b)
			const each = 10_000
			for i := range fixes / each {
				var track ship.Track
				for n := range each {
					track = append(track, ship.Fix{At: noon().Add(-11*time.Hour + 3*time.Duration(n)*time.Second).UnixMilli(), Lon: 6_061_500 + int32(n)*30, Lat: 33_600_000 + int32(i*1000+n%200*100),
						SOG: ais.SOGTenths(n % 200), COG: ais.COGTenths(900)})
				}
				if _, err := s.db.ImportTracks([]store.Imported{{MMSI: nordic + ais.MMSI(i), Class: ship.ClassA, Fixes: track}}); err != nil {
					b.Fatal(err)
				}
			}
			s.settle()
			var ships []string
			for i := range fixes / each {
				ships = append(ships, fmt.Sprint(nordic+ais.MMSI(i)))
			}
			id := s.statistic("admin", "historicaltrack", `{`+morning+`"mmsi":[`+strings.Join(ships, ",")+`]}`)
			s.ran(id)
			request := strings.Replace(strings.Replace(aMap, "width=200", "width=1024", 1), "height=150", "height=768", 1) + "&job=" + strings.TrimPrefix(id, "/")
			place := strings.Replace(request, "GetMap", "GetFeatureInfo", 1) + "&query_layers=statistics&i=300&j=599&info_format=application/json&feature_count=50"
			for what, of := range map[string]struct {
				request string
				least   int // bytes
			}{"picture": {request, 3000}, "place": {place, 150}} {
				b.Run(what, func(b *testing.B) {
					r := httptest.NewRequest("GET", of.request, nil)
					r.SetBasicAuth(access.AdminName, adminPassword)
					size := 0
					for b.Loop() {
						w := httptest.NewRecorder()
						s.server.Handler().ServeHTTP(w, r)
						if size = w.Body.Len(); w.Code != 200 || size < of.least {
							b.Fatal(w.Code, size)
						}
					}
					b.ReportMetric(float64(size), "B/answer")
				})
			}
		})
	}
}

// BenchmarkMapOfShips is one whole request for the picture of the ships of now, on 1024 x 768 pixels.
func BenchmarkMapOfShips(b *testing.B) {
	for _, ships := range []int{1_000, 20_000} {
		b.Run(fmt.Sprint(ships), func(b *testing.B) {
			s := newSite(b)
			for i := range ships {
				for range ship.ConfirmedReports {
					s.hear(noon(), position(nordic+ais.MMSI(i), 10+float64(i%1000)*0.0008, 55.9+float64(i/1000)*0.02, i%200, i*7%3600))
				}
			}
			s.settle()
			request := strings.NewReplacer("width=200", "width=1024", "height=150", "height=768", "layers=statistics", "layers=ships").Replace(aMap)
			r := httptest.NewRequest("GET", request, nil)
			r.SetBasicAuth(access.AdminName, adminPassword)
			size := 0
			for b.Loop() {
				w := httptest.NewRecorder()
				s.server.Handler().ServeHTTP(w, r)
				if size = w.Body.Len(); w.Code != 200 || size < 2000 {
					b.Fatal(w.Code, size)
				}
			}
			b.ReportMetric(float64(size), "B/answer")
		})
	}
}
