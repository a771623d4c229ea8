package handlers

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"quaywatch/users/access/right"
)

// TestWhyAResultIsEmptyIsToldLate: a reader that is told late learns it when its own time has come to the end of the run, and how many records there are. One from
// whom ships are hidden never does: it would learn that there are some.
func TestWhyAResultIsEmptyIsToldLate(t *testing.T) {
	s := newCalls(t)
	s.harbour()
	for _, name := range []string{"late", "blind"} {
		s.addUser(name)
		s.allowAllBut(name, right.AdminReports, false)
	}
	s.setFilter("late", `{"delay":21600}`)
	s.allowAllBut("blind", right.ViewSatellites, false)
	const day = `{"begin":"2026-11-19","end":"2026-11-21","acl":["late","blind"],`
	ids := map[string]string{
		"stat_filtered": s.statistic("admin", "portcalls", day+`"ports":[{"locode":"DKAAR"}],"filter":"type = fishing"}`),
		"stat_nothing":  s.statistic("admin", "passageline", day+`"passageline":{"type":"LineString","coordinates":[[-100,-40],[-100,-41]]}}`),
	}
	told := func(user, word string) bool {
		now := s.statusOf(user, ids[word])
		return now["records"] != nil && strings.Contains(fmt.Sprint(now["warnings"]), word)
	}
	for word, id := range ids {
		if s.ran(id); !told("admin", word) || told("late", word) || told("blind", word) {
			t.Errorf("%s at once: admin %v, late %v, blind %v", word, told("admin", word), told("late", word), told("blind", word))
		}
	}
	s.clock.pass(8 * time.Hour)
	s.tick(s.clock.now())
	for word := range ids {
		if !told("late", word) || told("blind", word) {
			t.Errorf("%s after eight hours: late %v, blind %v", word, told("late", word), told("blind", word))
		}
	}
}
