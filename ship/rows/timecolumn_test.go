package rows

import (
	"strings"
	"testing"
)

// TestAColumnOfTimesIsKnownByItsValues: of several the one whose name speaks of the position or of reception; a usual name counts while it holds
// times.
func TestAColumnOfTimesIsKnownByItsValues(t *testing.T) {
	const want = 1772370305000 // 2026-03-01T13:05:05Z
	for name, one := range map[string]struct{ text, column string }{
		"an unusual name":    {"mmsi,wann,lat,lon\n211378120,2026-03-01 13:05:05,54.5,10.25\n", "wann"},
		"a count":            {"mmsi;quand;lat;lon\n211378120;1772370305;54,5;10,25\n", "quand"},
		"several":            {"created_on,mmsi,lat,lon,last_pos_seen,uploaded\n2026-03-01 14:00:00,211378120,54.5,10.25,2026-03-01 13:05:05,2026-03-01 15:00:00\n", "last_pos_seen"},
		"reception":          {"mmsi,lat,lon,eta_utc_day,dt_rx,static_dt\n211378120,54.5,10.25,2026-03-02 10:00:00,2026-03-01 13:05:05,2026-02-28 10:00:00\n", "dt_rx"},
		"the second of AIS":  {"mmsi,timestamp,lat,lon,logged\n211378120,5,54.5,10.25,2026-03-01T13:05:05Z\n211378120,15,54.5,10.25,2026-03-01T13:05:15Z\n", "logged"},
		"the day first":      {"mmsi,gemessen,lat,lon\n211378120,01.03.2026 13:05:05,54.5,10.25\n", "gemessen"},
		"another ship":       {"mmsi,owner,lat,lon,seen\n211378120,1234567890x,54.5,10.25,2026-03-01 13:05:05\n", "seen"},
		"a usual name":       {"mmsi,time,lat,lon,pos_seen\n211378120,2026-03-01 13:05:05,54.5,10.25,2026-03-01 11:00:00\n", ""},
		"of all rows alike":  {"mmsi,lat,lon,d1,d2\n211378120,54.5,10.25,2026-03-05 00:00:00,2026-03-01 13:05:05\n211378120,54.5,10.25,2026-03-05 00:00:00,2026-03-01 13:05:15\n", "d2"},
		"half of the values": {"mmsi,lat,lon,d1,d2\n211378120,54.5,10.25,,2026-03-01 13:05:05\n211378120,54.5,10.25,,2026-03-01 13:05:15\n211378120,54.5,10.25,2026-03-01 11:05:15,2026-03-01 13:05:15\n", "d2"},
	} {
		r, row := read(t, one.text, Options{})
		if row.Fix.At != want || r.TimeByValues() != one.column {
			t.Errorf("%s: column %q, want %q; %d", name, r.TimeByValues(), one.column, row.Fix.At)
		}
	}
}

// TestNoColumnOfTimes: numbers of ships and texts are no times, and the file is refused as before.
func TestNoColumnOfTimes(t *testing.T) {
	for _, text := range []string{
		"mmsi,lat,lon,owner\n211378120,54.5,10.25,636018333\n",
		"mmsi,lat,lon,note\n211378120,54.5,10.25,2026-03-01\n211378120,54.5,10.25,north\n",
		"mmsi,lat,lon,eta\n211378120,54.5,10.25,2026-03-01 12:00:00\n",
	} {
		if _, err := NewReader(strings.NewReader(text), Options{}); err == nil || !strings.Contains(err.Error(), "no column for time") {
			t.Errorf("%q: %v", text, err)
		}
	}
}
