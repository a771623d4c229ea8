package acceptance

import (
	"fmt"
	"strings"
	"testing"

	"quaywatch/ais"
)

// alarms returns the alarms of the administrator as text: number, "test", and the user that acknowledged each.
func (p *process) alarms() string {
	var answer struct {
		Records []struct {
			MMSI         int64
			Test         bool
			Position     *struct{ Coordinates []any }
			Acknowledged *struct{ By string }
		}
	}
	p.get("/api/distress", &answer)
	list := []string{}
	for _, r := range answer.Records {
		text := fmt.Sprint(r.MMSI)
		if r.Position != nil {
			text += fmt.Sprintf(" at %.2f", r.Position.Coordinates[0])
		}
		if r.Test {
			text += " test"
		}
		if r.Acknowledged != nil {
			text += " by " + r.Acknowledged.By
		}
		list = append(list, text)
	}
	return strings.Join(list, ", ")
}

// TestAManOverboardOutlivesARestart: one report of a device raises an alarm. It is there after a kill and after a stop, at its last place, until it is
// acknowledged, and the acknowledgement outlives a kill too.
func TestAManOverboardOutlivesARestart(t *testing.T) {
	dir := t.TempDir()
	config, feed := udpFeed(t)
	p := startServe(t, dir, config)
	tell := func() {
		for _, m := range []ais.Message{
			&ais.PositionReport{Header: ais.Header{Type: 1, MMSI: 972123456}, Status: ais.StatusSART, Second: 60,
				Place: ais.Place{Lon: 10.25 * 600000, Lat: 56.14 * 600000}},
			&ais.BroadcastSafety{Header: ais.Header{Type: 14, MMSI: 970123456}, Text: "SART TEST"},
		} {
			if _, err := feed.Write(sentences(t, m)); err != nil {
				t.Fatal(err)
			}
		}
	}
	tell()
	const raised = "972123456 at 10.25, 970123456 test"
	eventually(t, patience, "the alarm and the test", func() bool { return p.alarms() == raised })
	eventually(t, patience, "a second start has them", func() bool { // what is raised is stored in its own time, which may be after the kill
		p.want(200, "PUT", "/api/config/group", `{"name":"marker"}`) // it is on the disk when it is answered, behind what waited before
		p.kill()
		p = startServe(t, dir, config)
		if p.alarms() == raised {
			return true
		}
		tell()
		eventually(t, patience, "the alarm and the test", func() bool { return p.alarms() == raised })
		return false
	})
	if code := p.stop(patience); code != 0 {
		t.Fatalf("stopped with %d", code)
	}
	p = startServe(t, dir, config)
	if got := p.alarms(); got != raised {
		t.Fatalf("after a stop: %s", got)
	}
	if response, body := p.do("POST", "/api/distress/acknowledge", `{"mmsi":[972123456]}`); response.StatusCode != 200 {
		t.Fatalf("%s %s", response.Status, body)
	}
	p.kill()
	p = startServe(t, dir, config)
	if got := p.alarms(); !strings.Contains(got, "972123456 at 10.25 by admin") {
		t.Errorf("after a kill: %s", got)
	}
}
