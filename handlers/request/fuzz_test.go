package request

import (
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"quaywatch/form"
	"quaywatch/handlers/inflight"
)

// recorder is a Writer.
type recorder struct{ *httptest.ResponseRecorder }

func (r recorder) Status() int   { return r.Code }
func (r recorder) Written() bool { return r.Body.Len() > 0 }

// begin makes a call of a request.
func begin(r *http.Request) *Request {
	b := &Base{Log: slog.New(slog.DiscardHandler), Bodies: inflight.New(inflight.Limits{All: 1 << 30, Share: 1 << 30, Strangers: 1 << 30})}
	return b.Begin(r, recorder{httptest.NewRecorder()}, &Route{}, func(string) string { return "" })
}

// FuzzBody reads anything as the body of every call: it is refused with a problem that names a rule, or taken.
func FuzzBody(f *testing.F) {
	for _, body := range []string{
		`{"mmsi":219018765,"time":"2026-11-20"}`, `{"area":{"type":"Polygon","coordinates":[[[10.2,56.1],[10.4,56.1],[10.4,56.2],[10.2,56.2],[10.2,56.1]]]},"duration":"P1DT2H"}`, `{"name":"\ud800","imo":1e3}`,
		`{"a":[[[[{"b":null}]]]],"mmsi":null}`, `{"mmsi":1,"mmsi":"x"}`, `[`, `"`, "{\"name\":\"\x00\xff\"}",
	} {
		f.Add(body)
	}
	f.Fuzz(func(t *testing.T, body string) {
		c := begin(httptest.NewRequest("POST", "/", strings.NewReader(body)))
		got, err := c.Bind(MaxShapeBody)
		if err == nil {
			q := got.Identity()
			at, lookBack := got.Time("time", time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)), got.Duration("duration", time.Hour)
			area := got.Polygon("area")
			if err = got.Err(); err == nil && (q.Empty() || lookBack <= 0 || at.IsZero() && !strings.Contains(body, "0001") || len(area) == 0) {
				t.Fatalf("taken: %q", body)
			}
		}
		if err == nil {
			return
		}
		if p := problemOf(err); p == nil || p.Detail() == "" || p.Status != 400 {
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
		c := begin(httptest.NewRequest("GET", "/?bbox="+url.QueryEscape(text), nil))
		if r, err := c.QueryBounds("bbox"); err == nil && r != nil && !r.Valid() {
			t.Fatalf("%q is %v", text, r)
		}
		if d, err := form.ParseDuration(text); err == nil && d < 0 {
			t.Fatalf("%q lasts %v", text, d)
		}
	})
}
