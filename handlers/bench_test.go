package handlers

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"quaywatch/ais"
	"quaywatch/ship"
	"quaywatch/users/access"
)

// BenchmarkPosition is one whole request for a position among 60,000 ships, Basic authentication included.
func BenchmarkPosition(b *testing.B) {
	s := newSite(b)
	for i := range 60000 {
		s.hear(noon(), position(ais.MMSI(219000000+i), 10, 56, 100, 900))
	}
	r := httptest.NewRequest("GET", portserver+"/ship/position/219012345", nil)
	r.SetBasicAuth(access.AdminName, adminPassword)
	for b.Loop() {
		w := httptest.NewRecorder()
		s.server.Handler().ServeHTTP(w, r)
		if w.Code != 200 {
			b.Fatal(w.Code, w.Body)
		}
	}
}

// sea fills a site with ships in 600 squares of one degree, each heard often enough to be stored, and starts it anew:
// of more than 250,000 the rest is in the store alone. It is for benchmarks.
func sea(b *testing.B, ships int) *site {
	b.Helper()
	s := newSite(b)
	const part = 10000
	for first := 0; first < ships; first += part {
		for minute := range ship.ConfirmedReports {
			s.batch.Reset()
			for i := first; i < min(first+part, ships); i++ {
				s.hash++
				m := ais.MMSI(219000000 + i)
				var message ais.Message = position(m, float64(i%30)+float64(i/600%97)/97, 40+float64(i/30%20)+float64(i/600%89)/89, 0, 900)
				if minute == 1 {
					v := voyage(m, fmt.Sprintf("VESSEL %06d", i))
					v.IMO, v.CallSign = 0, fmt.Sprintf("S%06d", i)
					message = v
				}
				s.batch.Reports = append(s.batch.Reports, ais.Report{Message: message, Hash: s.hash, Received: noon().Add(time.Duration(minute) * time.Minute),
					Feed: "roof"})
			}
			s.picture.Apply(&s.batch, s.db, s.sight, s.alarms, s.texts)
		}
		s.settle()
	}
	s.restart()
	return s
}

// fetch sends one request by Basic authentication and returns the answer.
func (s *site) fetch(method, path, body string) *httptest.ResponseRecorder {
	s.t.Helper()
	r := httptest.NewRequest(method, path, strings.NewReader(body))
	r.SetBasicAuth(access.AdminName, adminPassword)
	if body != "" {
		r.Header.Set("Content-Type", "application/json")
	}
	w := httptest.NewRecorder()
	s.server.Handler().ServeHTTP(w, r)
	if w.Code != http.StatusOK {
		s.t.Fatalf("%s %s: %d %s", method, path, w.Code, w.Body)
	}
	return w
}

// busy returns the processor time of the process so far.
func busy(b testing.TB) time.Duration {
	b.Helper()
	var used syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &used); err != nil {
		b.Fatal(err)
	}
	return time.Duration(used.Utime.Nano() + used.Stime.Nano())
}

// measured runs an answer over and over, and reports its processor time, all goroutines together, and the records in it. An answer
// without records is no figure.
func measured(b *testing.B, answer func() *httptest.ResponseRecorder) {
	b.Helper()
	records := bytes.Count(answer().Body.Bytes(), []byte(`"mmsi":`))
	if records == 0 {
		b.Fatal("the answer is empty")
	}
	runtime.GC() // what making the ships left
	before := busy(b)
	for b.Loop() {
		answer()
	}
	b.ReportMetric(float64((busy(b)-before).Microseconds())/float64(b.N), "cpu-µs/op")
	b.ReportMetric(float64(records), "records")
}

// BenchmarkQuestionsAboutNow is whole requests over HTTP after a start: an area of one degree (a job begun and fetched), a ship by its
// number, and ships by name.
func BenchmarkQuestionsAboutNow(b *testing.B) {
	for _, ships := range []int{1000, 60000, 100000, 200000, 500000} {
		b.Run(fmt.Sprint(ships), func(b *testing.B) {
			s := sea(b, ships)
			b.Run("area", func(b *testing.B) {
				const degree = `{"area":{"type":"Polygon","coordinates":[[[10,50],[11,50],[11,51],[10,51],[10,50]]]}}`
				measured(b, func() *httptest.ResponseRecorder {
					var job struct {
						ID int64 `json:"id"`
					}
					if err := json.Unmarshal(s.fetch("POST", areaPath, degree).Body.Bytes(), &job); err != nil {
						b.Fatal(err)
					}
					return s.fetch("GET", fmt.Sprintf("%s/%d", areaPath, job.ID), "")
				})
			})
			for what, path := range map[string]string{"number": "219000%03d", "name": "VESSEL%%20000%03d"} {
				b.Run(what, func(b *testing.B) {
					n := 0
					measured(b, func() *httptest.ResponseRecorder {
						n = (n + 7) % 1000
						return s.fetch("GET", portserver+"/ship/search/"+fmt.Sprintf(path, n), "")
					})
				})
			}
		})
	}
}
