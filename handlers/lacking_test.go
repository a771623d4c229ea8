package handlers

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// TestTrackOverADamagedHour: a track gives all that can be read, and names the hour that cannot.
func TestTrackOverADamagedHour(t *testing.T) {
	s := newSite(t)
	start := time.Date(2026, 11, 19, 20, 0, 0, 0, time.UTC)
	s.sail(nordic, start, time.Minute, 180) // three hours
	s.picture.Tick(noon(), s.db, s.sight)
	s.settle()
	s.close()
	path := filepath.Join(s.dir, "quaywatch.db")
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	key := binary.BigEndian.AppendUint32(nil, uint32(start.Add(time.Hour).Unix()/3600))
	key = binary.BigEndian.AppendUint64(key, uint64(nordic))
	found := 0
	for at := bytes.Index(b, key); at >= 0; found++ {
		b[at+len(key)+40] ^= 4 // in the value, which stands behind its key
		next := bytes.Index(b[at+1:], key)
		if next < 0 {
			break
		}
		at += 1 + next
	}
	if err := os.WriteFile(path, b, 0o600); err != nil || found == 0 && !bytes.Contains(b, key) {
		t.Fatalf("the block of the hour: %v", err)
	}
	s.open()
	a := s.track(`{"mmsi":219018765,"begin":"2026-11-19T20:00:00Z","end":"2026-11-19T23:00:00Z"}`, "").is(t, 200)
	if n := len(coordinates(t, a)); n < 119 { // the append log may still have those of the damaged hour
		t.Errorf("%d fixes, want those of two hours at least", n)
	}
	var answer struct{ Warnings []string }
	if err := json.Unmarshal(a.body, &answer); err != nil || len(answer.Warnings) != 1 ||
		!strings.Contains(answer.Warnings[0], "from 2026-11-19T21:00:00Z to 2026-11-19T22:00:00Z") {
		t.Errorf("warnings %q, %v", answer.Warnings, err)
	}
	other := s.track(`{"mmsi":219018765,"begin":"2026-11-19T20:00:00Z","end":"2026-11-19T21:00:00Z"}`, "").is(t, 200)
	if bytes.Contains(other.body, []byte("warnings")) {
		t.Errorf("of a sound hour: %.200s", other.body)
	}
	if body := s.get("/api/status").is(t, 200).body; !bytes.Contains(body, []byte(`"damaged":{"hour":1}`)) {
		t.Errorf("status: %s", body)
	}
}
