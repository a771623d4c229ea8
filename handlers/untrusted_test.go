package handlers

import (
	"fmt"
	"reflect"
	"testing"
	"time"

	"quaywatch/ais"
)

// TestALieIsTold: the record of a ship, its track and the counters say which places a lying receiver told. A ship that sailed there has none.
func TestALieIsTold(t *testing.T) {
	for _, lies := range []bool{true, false} {
		s := newSite(t)
		now := noon().Add(-time.Hour)
		hear := func(lon float64, knots int, status ais.NavStatus) {
			m := position(nordic, lon, 56.14, 10*knots, 900)
			m.Status = status
			s.heardBy(now, m, "roof")
			now = now.Add(3 * time.Minute)
		}
		for range 10 {
			hear(10.3, 0, ais.StatusMoored)
		}
		for i := range 4 {
			if lies {
				hear(10.38, 0, ais.StatusMoored)
			} else {
				hear(10.3+0.02*float64(i+1), 14, ais.StatusUnderWayEngine)
			}
		}
		s.settle()
		at := s.get(fmt.Sprint(portserver+"/ship/position/", nordic)).is(t, 200).json(t)["position"].(map[string]any)
		if at["untrusted"] != map[bool]any{true: true}[lies] {
			t.Errorf("lies %v: the position is %v", lies, at)
		}
		id := s.post(trackPath, fmt.Sprintf(`{"mmsi":%d,"begin":%q,"end":%q}`, nordic, noon().Add(-2*time.Hour).Format(time.RFC3339), noon().Format(time.RFC3339))).
			is(t, 202).json(t)["id"].(float64)
		track := s.finish("admin", fmt.Sprintf("%s?id=%.0f", trackPath, id)).is(t, 200).json(t)["track"].(map[string]any)
		n := float64(len(track["coordinates"].([]any)))
		want := any([]any{n - 4, n - 3, n - 2, n - 1})
		if !lies {
			want = nil
		}
		if got := track["untrusted"]; !reflect.DeepEqual(got, want) {
			t.Errorf("lies %v: of %.0f places %v are untrusted, want %v", lies, n, got, want)
		}
		counted := s.get("/api/status").is(t, 200).json(t)["picture"].(map[string]any)["untrusted"]
		if counted != map[bool]any{true: 4.0, false: 0.0}[lies] {
			t.Errorf("lies %v: the status counts %v", lies, counted)
		}
	}
}
