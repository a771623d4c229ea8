package handlers

import (
	"fmt"
	"testing"
	"time"

	"quaywatch/users/access"
	"quaywatch/users/access/right"
)

// The status page names no feed and counts no ship that is hidden from the caller.
func TestTheStatusCountsWhatTheCallerSees(t *testing.T) {
	s := newSite(t)
	now := noon()
	s.tick(now)
	rights := append(access.Anonymous().Effective(), right.GetSystemStatusInformation, right.ViewSatellites)
	for _, name := range []string{"all", "pier", "far", "late"} {
		s.may(name, rights...)
	}
	s.setFilter("far", `{"countries":[999]}`)
	s.setFilter("late", `{"delay":60}`)
	s.call("admin", "PUT", usersPath+"/pier", `{"settings":{"allowed_pss_list":["tower"]}}`).is(t, 200)
	s.call("late", "GET", "/api/status", "").is(t, 200) // so that the late picture is there
	s.hear(now, position(211000001, 10, 56, 0, 0))
	now = now.Add(70 * time.Second)
	s.tick(now)
	s.hear(now, position(211000001, 10, 56, 0, 0))
	s.hear(now, position(211000002, 10, 56, 0, 0))
	s.tick(now.Add(time.Second))
	for name, want := range map[string]string{
		"admin": "2 of map[roof:2 tower:0], A 2", "all": "2 of map[roof:2 tower:0], A 2", "pier": "0 of map[tower:0], A 0", "far": "0 of map[roof:0 tower:0], A 0",
		"late": "1 of map[roof:1 tower:0], A 1",
	} {
		a := s.call(name, "GET", "/api/status", "").is(t, 200).json(t)
		feeds := map[string]any{}
		for _, f := range a["feeds"].([]any) {
			feeds[f.(map[string]any)["name"].(string)] = f.(map[string]any)["ships"]
		}
		classA := 0.0
		byAge, _ := a["picture"].(map[string]any)["ships"].(map[string]any)["A"].(map[string]any)
		for _, n := range byAge {
			classA += n.(float64)
		}
		if got := fmt.Sprintf("%v of %v, A %v", a["ships"], feeds, classA); got != want {
			t.Errorf("%s: %s, want %s", name, got, want)
		}
	}
}
