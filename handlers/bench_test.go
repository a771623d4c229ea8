package handlers

import (
	"encoding/json"
	"net/http/httptest"
	"testing"

	"quaywatch/access"
	"quaywatch/ais"
	"quaywatch/form"
	"quaywatch/handlers/wire"
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

// BenchmarkAreaAnswer is the work of an area job over 60,000 ships and its answer, encoded.
func BenchmarkAreaAnswer(b *testing.B) {
	s := newSite(b)
	for i := range 60000 {
		s.hear(noon(), position(ais.MMSI(219000000+i), 9+float64(i%300)/100, 55+float64(i/300)/100, 100, 900))
	}
	f := form.Of(form.Keys{"area": json.RawMessage(harbour)})
	area := f.Polygon("area")
	v, err := s.sight.Of(b.Context(), s.user(access.AdminName))
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		ships, err := v.Inside(b.Context(), area, noon().Add(-areaDuration))
		if err != nil || len(ships) == 0 {
			b.Fatal(len(ships), err)
		}
		wire.List(nil, ships, nil, (*wire.Object).AreaRecord)
	}
}
