package acceptance

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// portCall is a call of a ship at a port, as far as the test reads it.
type portCall struct {
	ID          int64  `json:"id"`
	ATA         string `json:"ata"`
	ATADetected string `json:"ata_detected"`
	ConfirmedBy string `json:"confirmed_by"`
	InPort      bool   `json:"in_port"`
}

// callsOf returns the calls of a ship.
func (p *process) callsOf(mmsi int64) []portCall {
	p.t.Helper()
	var answer struct{ Records []portCall }
	text := p.want(200, "POST", "/api/portserver/ship/historical/port", fmt.Sprintf(`{"mmsi":%d}`, mmsi))
	if err := json.Unmarshal(text, &answer); err != nil {
		p.t.Fatal(err)
	}
	return answer.Records
}

// arrived returns a ship with a call that has an arrival, and the call.
func (p *process) arrived() (mmsi int64, found portCall) {
	p.t.Helper()
	eventually(p.t, patience, "a call with an arrival", func() bool {
		var there struct {
			Records []struct {
				MMSI int64 `json:"mmsi"`
			} `json:"records"`
		}
		p.get("/api/portserver/ship/search/*?limit=1000", &there)
		for _, one := range there.Records {
			for _, call := range p.callsOf(one.MMSI) {
				if call.ATA != "" {
					mmsi, found = one.MMSI, call
					return true
				}
			}
		}
		return false
	})
	return mmsi, found
}

// callNumbered returns a call of a ship by its number.
func (p *process) callNumbered(mmsi, id int64) portCall {
	p.t.Helper()
	for _, c := range p.callsOf(mmsi) {
		if c.ID == id {
			return c
		}
	}
	p.t.Fatalf("the call %d is gone", id)
	return portCall{}
}

// TestACorrectedCallOutlivesAKill: traffic makes a call with an arrival. A user confirms it, corrects it and takes the correction back, over and over, and
// each time the box is killed at once: what was acknowledged is there after the restart, beside what was detected.
func TestACorrectedCallOutlivesAKill(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	log := filepath.Join(dir, "log.nmea")
	if _, stderr, code := runCommand(t, "", "simulate", "--to", log, "--start", "2026-03-01T12:00:00Z", "--duration", "70m", "--speed", "0",
		"--seed", "7"); code != 0 {
		t.Fatal(code, stderr)
	}
	p := start(t, dir, "replay", "--speed", "0", log)
	settle(p, len(readLines(t, log)))
	mmsi, call := p.arrived()
	at, err := time.Parse(time.RFC3339, call.ATA)
	if err != nil {
		t.Fatal(err)
	}
	path := fmt.Sprintf("/api/portserver/ship/historical/port/%d", call.ID)
	for n := range killsOr(t, 30) {
		body, want := `{"confirmed":true}`, call.ATA
		switch {
		case n%3 == 1:
			want = at.Add(-time.Duration(n) * time.Second).Format(time.RFC3339)
			body = fmt.Sprintf(`{"ata":%q}`, want)
		case n%3 == 2:
			body = `{"ata":null,"confirmed":true}`
		}
		p.changeAndKill("PUT", path, body)
		p = start(t, dir, "serve")
		if kept := p.callNumbered(mmsi, call.ID); kept.ATA != want || kept.ATADetected != call.ATA || kept.ConfirmedBy != "admin" {
			t.Fatalf("try %d, after %s: %+v, want the arrival %s beside %s", n, body, kept, want, call.ATA)
		}
	}
	if p.callNumbered(mmsi, call.ID).InPort {
		if text := string(p.want(409, "DELETE", path, "")); !strings.Contains(text, "call_open") {
			t.Errorf("%s", text)
		}
		return
	}
	p.want(204, "DELETE", path, "")
	if text := string(p.want(404, "PUT", path, `{"confirmed":true}`)); !strings.Contains(text, "no_call") {
		t.Errorf("%s", text)
	}
}
