package handlers

import (
	"errors"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"quaywatch/form"
)

// FuzzBody reads anything as the body of every call: it is refused with a problem that names a rule, or taken.
func FuzzBody(f *testing.F) {
	for _, body := range []string{
		`{"mmsi":219018765,"time":"2026-11-20"}`, `{"area":` + harbour + `,"duration":"P1DT2H"}`, `{"name":"\ud800","imo":1e3}`,
		`{"a":[[[[{"b":null}]]]],"mmsi":null}`, `{"mmsi":1,"mmsi":"x"}`, `[`, `"`, "{\"name\":\"\x00\xff\"}",
	} {
		f.Add(body)
	}
	f.Fuzz(func(t *testing.T, body string) {
		r := httptest.NewRequest("POST", areaPath, strings.NewReader(body))
		got, err := bind(httptest.NewRecorder(), r, maxShapeBody)
		if err == nil {
			q := got.Identity()
			at, lookBack := got.Time("time", noon()), got.Duration("duration", time.Hour)
			area := got.Polygon("area")
			if err = got.Err(); err == nil && (q.Empty() || lookBack <= 0 || at.IsZero() && !strings.Contains(body, "0001") || len(area) == 0) {
				t.Fatalf("taken: %q", body)
			}
		}
		var p *problem
		if err != nil && !errors.As(err, &p) {
			p = accessProblem(err)
		}
		if err != nil && (p == nil || p.detail() == "" || p.status != 400) {
			t.Fatalf("%q: %v", body, err)
		}
	})
}

// FuzzBounds reads anything as a bbox and as a duration.
func FuzzBounds(f *testing.F) {
	for _, text := range []string{"1,2,3,4", "170,-10,-170,10", "NaN,0,1,1", "1e400,0,0,0", ",,,", " 1 , 2 , 3 , 4 ",
		"P110000W"} { // once longer than a duration can be
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if r, err := parseBounds(text); err == nil && !r.Valid() {
			t.Fatalf("%q is %v", text, r)
		}
		if d, err := form.ParseDuration(text); err == nil && d < 0 {
			t.Fatalf("%q lasts %v", text, d)
		}
	})
}
