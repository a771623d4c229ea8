package handlers

import (
	"context"
	"fmt"
	"testing"
	"time"

	"quaywatch/users/access"
	"quaywatch/users/access/right"
)

// deep lets a ship of 8.8 m of draught be heard for some minutes on its way from the south to the Drogden, which takes 7.7 m.
func (s *site) deep(from time.Time, minutes int) {
	s.t.Helper()
	first := int(from.Sub(noon()) / time.Minute)
	for i := range minutes {
		s.hear(from.Add(time.Duration(i)*time.Minute), position(nordic, 12.30+float64(first+i)*0.0062, 55.45+float64(first+i)*0.0018, 140, 620))
		s.tracks.Seek(context.Background())
	}
	s.settle()
	s.tracks.Save()
}

// rulesOf returns the rules of the warnings of a track.
func rulesOf(one map[string]any) (rules []string) {
	list, _ := one["warnings"].([]any)
	for _, w := range list {
		rules = append(rules, fmt.Sprint(w.(map[string]any)["rule"]))
	}
	return rules
}

// TestATrackNamesANarrowPassage holds that a track names the passage that its ship is too deep for, the draught and the limit, from when both ways are
// open until it has chosen; that a late user is told what was known then; and that it takes the right to know the way ahead.
func TestATrackNamesANarrowPassage(t *testing.T) {
	s := newSite(t)
	const delay = 20 * time.Minute
	s.post(groups, `{"name":"crew"}`).is(t, 200)
	for _, name := range []string{"late", "prompt"} {
		s.addUser(name, access.GroupOperator, "crew")
	}
	s.may("blind", right.PCSAccess, right.ViewATAATD)
	s.call("admin", "PUT", usersPath+"/blind", `{"groups":["crew"]}`).is(t, 200)
	s.setFilter("late", fmt.Sprintf(`{"delay":%d}`, int(delay/time.Second)))
	typed := voyage(nordic, "NORDIC HAV")
	typed.Draught = 88
	s.hear(noon(), typed)
	s.deep(noon(), 2)
	s.call("late", "GET", shipTrackPath, "").is(t, 200) // its picture begins
	s.tick(noon().Add(2 * time.Minute))
	path := s.tracked("prompt", `{"source":{"ship":{"mmsi":219018765}},"destination":{"port":"DKCPH"}}`)
	told := map[string][]string{} // by minute, of the prompt user
	seen := map[string]int{}
	for minute := 2; minute < 64; minute++ {
		s.deep(noon().Add(time.Duration(minute)*time.Minute), 1)
		s.tick(noon().Add(time.Duration(minute) * time.Minute))
		one := s.call("prompt", "GET", path, "").is(t, 200).json(t)
		rules := rulesOf(one)
		told[fmt.Sprint(minute)] = rules
		seen[fmt.Sprint(rules)]++
		if len(rules) > 0 {
			p := one["warnings"].([]any)[0].(map[string]any)["params"].(map[string]any)
			if p["passage"] != "Drogden" || p["is"] != 8.8 || p["max"] != 7.7 {
				t.Fatalf("minute %d: %v", minute, one["warnings"])
			}
		}
		if blind := s.call("blind", "GET", path, "").is(t, 200).json(t); blind["warnings"] != nil || blind["eta"] == nil {
			t.Fatalf("minute %d: without the right: %v", minute, blind)
		}
		a := s.call("late", "GET", path, "")
		if a.status != 200 {
			continue
		}
		late := a.json(t)
		history, _ := late["eta_history"].([]any)
		want := []string(nil)
		if n := len(history); n > 0 {
			at, err := time.Parse(time.RFC3339, history[n-1].(map[string]any)["time"].(string))
			if err != nil || noon().Add(time.Duration(minute)*time.Minute).Sub(at) < delay {
				t.Fatalf("minute %d: the late user is told of %v: %v", minute, at, err)
			}
			want = told[fmt.Sprint(int(at.Sub(noon())/time.Minute))]
		}
		if got := rulesOf(late); fmt.Sprint(got) != fmt.Sprint(want) {
			t.Errorf("minute %d: the late user is told %v, and it was %v", minute, got, want)
		}
		seen["late "+fmt.Sprint(rulesOf(late))]++
	}
	for _, rules := range []string{"[way_too_deep way_open]", "[way_too_deep]", "late [way_too_deep way_open]"} {
		if seen[rules] == 0 {
			t.Errorf("never told: %s; told were %v", rules, seen)
		}
	}
}
