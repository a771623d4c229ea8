package handlers

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"quaywatch/internal/await"
	"quaywatch/users/access/right"
)

// nextRun waits for the run that follows a statistic, and returns how it does and the end of its addresses.
func (s *site) nextRun(name string) (now map[string]any, id string) {
	s.t.Helper()
	await.That(s.t, "the next run is over", func() bool {
		for _, now = range recordsOf(s.t, s.get(statPath+"/statistic").is(s.t, 200)) {
			if now["name"] == name && (now["status"] == "completed" || now["status"] == "aborted") {
				return true
			}
		}
		return false
	})
	return now, fmt.Sprintf("/%.0f", now["id"])
}

// TestAStatisticRepeats: the owner says how often, and each run is for those that the first was for. It is told when the next one comes, and stops when the owner says so.
func TestAStatisticRepeats(t *testing.T) {
	s := newCalls(t)
	s.harbour()
	s.addUser("anna")
	s.addUser("bert")
	s.allowAllBut("anna", right.AdminReports, false)
	s.allowAllBut("bert", right.AdminReports, false)
	const yesterday = `{"name":"calls","begin":"2026-11-19","end":"2026-11-20","mmsi":[219018765],"acl":["bert"],"repeat":"daily"}`
	id := s.statistic("anna", "portcalls", yesterday)
	s.ran(id)
	if now := s.statusOf("bert", id); now["repeat"] != "daily" || now["next"] != "2026-11-21T00:00:00Z" {
		t.Errorf("%v", now)
	}
	for body, want := range map[string]int{`{}`: 400, `{"repeat":"yearly"}`: 400, `{"repeat":true}`: 400, `{"execute":true}`: 409, `{"execute":true,"repeat":"weekly"}`: 409, `{"repeat":"daily"}`: 200} {
		if a := s.call("anna", "PUT", statPath+"/statistic"+id, body); a.status != want {
			t.Errorf("%s: %d %s", body, a.status, a.body)
		}
	}
	s.call("bert", "PUT", statPath+"/statistic"+id, `{"repeat":"never"}`).is(t, 403)
	if got := s.statusOf("anna", id)["repeat"]; got != "daily" {
		t.Errorf("what was refused changed it: %v", got)
	}
	if got := s.call("anna", "GET", statPath+"/portcalls"+id, "").is(t, 200).json(t)["repeat"]; got != "daily" {
		t.Errorf("the definition says %v", got)
	}
	s.clock.pass(50 * time.Hour)
	s.tick(noon().Add(50 * time.Hour))
	next, other := s.nextRun("calls 2026-11-21")
	if next["owner"] != "anna" || next["begin"] != "2026-11-21T00:00:00Z" || next["next"] != "2026-11-23T00:00:00Z" {
		t.Errorf("%v", next)
	}
	s.statusOf("bert", other)
	if now := s.statusOf("anna", id); now["repeat"] != nil || now["next"] != nil {
		t.Errorf("the first run repeats too: %v", now)
	}
	if now := s.call("anna", "PUT", statPath+"/statistic"+other, `{"repeat":"never"}`).is(t, 200).json(t); now["repeat"] != nil {
		t.Errorf("%v", now)
	}
}

// TestARepeatNeedsTheRightsOfItsOwner each time: what the owner lost is told at the last run, and the repeat goes on once it has them again.
func TestARepeatNeedsTheRightsOfItsOwner(t *testing.T) {
	s := newCalls(t)
	s.harbour()
	s.addUser("anna")
	s.allowAllBut("anna", right.AdminReports, false)
	id := s.statistic("anna", "portcalls", `{"name":"calls","begin":"2026-11-19","end":"2026-11-20","mmsi":[219018765],"repeat":"daily"}`)
	s.ran(id)
	s.allowAllBut("anna", right.ViewHistory, false)
	s.call("anna", "PUT", statPath+"/statistic"+id, `{"repeat":"weekly"}`).is(t, 403)
	s.clock.pass(26 * time.Hour)
	await.That(t, "it is refused", func() bool {
		return strings.Contains(fmt.Sprint(s.statusOf("admin", id)["warnings"]), "stat_repeat")
	})
	s.allowAllBut("anna", right.AdminReports, false)
	s.clock.pass(2 * time.Minute)
	s.nextRun("calls 2026-11-20")
}
