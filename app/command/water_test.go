package command

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"quaywatch/geo"
)

// daysOf writes three ships on three days, each from a place to the west for 2.5 km, in the layout of MarineCadastre.
func daysOf(t *testing.T, log string, from geo.Point) {
	t.Helper()
	var csv strings.Builder
	csv.WriteString("MMSI,BaseDateTime,LAT,LON,SOG,COG,Heading,VesselName,IMO,CallSign,VesselType,Status,Length,Width,Draft,Cargo,TransceiverClass\n")
	for day := range 3 {
		at := time.Date(2026, 5, 1+day, 12, 0, 0, 0, time.UTC)
		for metres := 0.0; metres < 2500; metres += 4.1156 * 20 { // 8 knots
			p := geo.Destination(from, 270, metres)
			fmt.Fprintf(&csv, "%d,%s,%.5f,%.5f,8.0,270,511,SHIP %d,,,70,0,80,12,,,A\n", 219000001+day, at.Format("2006-01-02T15:04:05"), p.Lat, p.Lon, day)
			at = at.Add(20 * time.Second)
		}
	}
	if err := os.WriteFile(log, []byte(csv.String()), 0o600); err != nil {
		t.Fatal(err)
	}
}

// TestLearnWater has three ships sail into the mouth of the Kiel canal on three days, and learns that it is water.
func TestLearnWater(t *testing.T) {
	dir := t.TempDir()
	log, data := filepath.Join(dir, "days.csv"), filepath.Join(dir, "data")
	daysOf(t, log, geo.Point{Lon: 10.158, Lat: 54.3665})
	done(t, exitFail, "learn-water", "--data-dir", data)
	done(t, exitOK, "import", "--data-dir", data, "--store.retention", "0s", log)
	done(t, exitUsage, "learn-water", "--data-dir", data, "--alone", "-1")
	var ships, learned, seen int
	said := done(t, exitOK, "learn-water", "--data-dir", data)
	if _, err := fmt.Sscanf(said, "%d ships read, %d cells of water learned, %d cells seen", &ships, &learned, &seen); err != nil || ships != 3 || learned < 100 {
		t.Errorf("%v: %s", err, said)
	}
	if again := done(t, exitOK, "learn-water", "--data-dir", data); again != said {
		t.Errorf("again: %s, before: %s", again, said)
	}
}

// TestLearnWaterAlone has three ships sail 34 km from any water of the chart: what they sailed stands alone, unless a chain is asked.
func TestLearnWaterAlone(t *testing.T) {
	dir := t.TempDir()
	log, data := filepath.Join(dir, "days.csv"), filepath.Join(dir, "data")
	daysOf(t, log, geo.Point{Lon: 9.75, Lat: 54.05})
	for _, row := range []struct {
		args string
		want bool
	}{
		{"import --store.retention 0s " + log, false},
		{"learn-water", true},
		{"learn-water --alone 300", true},
		{"learn-water --alone 3000", false},
		{"learn-water --alone 0", false},
		{"learn-water --quick", false},
		{"learn-water --quick --alone 300", true},
	} {
		var out, errs bytes.Buffer
		words := strings.Fields(row.args)
		if code := run(t.Context(), console{out: &out, err: &errs}, append(words[:1:1], append([]string{"--data-dir", data}, words[1:]...)...)); code != exitOK {
			t.Fatalf("%s: exit code %d\n%s%s", row.args, code, out.String(), errs.String())
		}
		if got := !strings.Contains(out.String(), ", 0 cells of water learned"); got != row.want && words[0] == "learn-water" {
			t.Errorf("%s: %s", row.args, out.String())
		}
	}
}

// done runs a command that must end with a code, and returns all that it said.
func done(t *testing.T, want int, args ...string) string {
	t.Helper()
	var out, errs bytes.Buffer
	if code := run(t.Context(), console{out: &out, err: &errs}, args); code != want {
		t.Fatalf("%v: exit code %d\n%s%s", args, code, out.String(), errs.String())
	}
	return out.String() + errs.String()
}
