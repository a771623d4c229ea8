package command

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"quaywatch/ais"
	"quaywatch/app/config"
	"quaywatch/ship"
	"quaywatch/store/records"
)

// stored opens what a command left in a folder, and returns the track of a ship, and what is known of it.
func stored(t *testing.T, dir string, m ais.MMSI) (ship.Track, ship.State) {
	t.Helper()
	cfg := config.Default()
	cfg.DataDir = dir
	db, err := openStore(cfg, records.RefuseVital)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	s, err := db.Ship(m)
	if err != nil {
		t.Fatal(err)
	}
	fixes, err := db.Track(t.Context(), m, time.UnixMilli(0), time.Date(2100, 1, 1, 0, 0, 0, 0, time.UTC))
	if err != nil {
		t.Fatal(err)
	}
	return fixes, s
}

// TestTenLayoutsImport: files of ten publishers are taken in without a flag, and what each says in its own way is there.
func TestTenLayoutsImport(t *testing.T) {
	t.Parallel()
	type fact struct{ what, want string }
	for name, one := range map[string]struct {
		mmsi   ais.MMSI
		layout string
		first  string // time of the first fix
		facts  []fact
	}{
		"noaa2009": {367000001, "noaa", "2009-01-02T00:00:04Z", []fact{{"sog", "9"}, {"last", "2009-01-02T12:20:04Z"}, {"lon", "-122.40123"}}},
		"noaa2015": {477307901, "noaa", "2017-12-01T00:00:01Z", []fact{{"cog", "272"}, {"status", "Power-driven vessel towing astern"},
			{"last status", "Moored"}, {"last sog", "2.4"}, {"last cog", "0"}, {"type", "70"}, {"imo", "9739666"}, {"length", "337"}}},
		"noaa2022": {338148873, "noaa", "2022-01-03T00:00:00Z", []fact{{"class", "B"}, {"name", `CAZADOR "II"`}, {"heading", "-"}}},
		"noaa2025": {366996430, "noaa", "2026-03-31T00:00:00Z", []fact{{"class", "A"}, {"lon", "-82.55641"}, {"callsign", "WDK7088"}}},
		"dma": {219000007, "dma", "2026-04-03T00:00:00Z", []fact{{"class", "B"}, {"rot", "-15"}, {"last rot", "127"}, {"type", "82"},
			{"draught", "7.4"}, {"destination", "AARHUS"}, {"eta", "{4 5 16 30}"}, {"length", "134"}}},
		"marinetraffic": {210138000, "marinetraffic", "2013-11-20T16:09:00Z", []fact{{"sog", "13.2"}, {"heading", "219"}, {"mark", "0"}, {"last mark", "4"}}},
		"aishub":        {240932000, "aishub", "2025-08-21T12:16:05Z", []fact{{"sog", "34.4"}, {"destination", "SKIATHOS"}, {"eta", "{8 21 15 55}"}, {"type", "40"}}},
		"spire": {636018333, "spire", "2024-05-01T00:00:02Z", []fact{{"class", "A"}, {"mark", "4"}, {"rot", "-5"}, {"last rot", "-"},
			{"name", "LONG VOYAGE"}, {"type", "71"}, {"destination", "SINGAPORE"}}},
		"emodnet": {244123456, "plain", "2023-01-13T10:00:00Z", []fact{{"lon", "4.51234"}, {"sog", "7.4"}, {"status", "Engaged in fishing"},
			{"type", "30"}, {"name", "ZEEËAREND"}, {"width", "6"}}},
		"plain": {211378120, "plain", "2026-01-01T00:00:00Z", []fact{{"last", "2026-01-01T00:20:00.5Z"}, {"sog", "-"}}},
	} {
		t.Run(name, func(t *testing.T) {
			text, err := os.ReadFile(filepath.Join("testdata", "csv", name+".csv"))
			if err != nil {
				t.Fatal(err)
			}
			dir := t.TempDir()
			code, out, errs := imported(t, name+".csv", string(text), "--data-dir", dir)
			if code != exitOK || row(out, "layout") != one.layout {
				t.Fatalf("exit %d: %s\n%s", code, errs, out)
			}
			fixes, s := stored(t, dir, one.mmsi)
			if len(fixes) != 2 || fixes[0].Time().Format(time.RFC3339) != one.first {
				t.Fatalf("fixes %+v\n%s", fixes, out)
			}
			said := facts(fixes, s)
			for _, f := range one.facts {
				if said[f.what] != f.want {
					t.Errorf("%s: %q, want %q", f.what, said[f.what], f.want)
				}
			}
			if strings.Contains(out, "refused") || strings.Contains(out, "noted") {
				t.Error(out)
			}
		})
	}
}

// facts returns what is stored of a ship as text, "-" for what is not known.
func facts(fixes ship.Track, s ship.State) map[string]string {
	text := func(v any, ok bool) string {
		if !ok {
			return "-"
		}
		return fmt.Sprint(v)
	}
	said := map[string]string{"class": s.Class.String(), "last": fixes[1].Time().Format(time.RFC3339Nano), "lon": fmt.Sprintf("%.5f", fixes[0].Point().Lon)}
	for i, before := range []string{"", "last "} {
		f := fixes[i]
		sog, ok := f.SOG.Knots()
		said[before+"sog"] = text(sog, ok)
		cog, ok := f.COG.Degrees()
		said[before+"cog"] = text(cog, ok)
		heading, ok := f.Heading.Degrees()
		said[before+"heading"] = text(heading, ok)
		rot, ok := f.ROT.Raw()
		said[before+"rot"] = text(rot, ok)
		said[before+"status"], said[before+"mark"] = f.Status.String(), fmt.Sprint(f.Mark)
	}
	if k := s.Static; k != nil {
		said["name"], said["callsign"], said["imo"], said["type"] = k.Name, k.CallSign, fmt.Sprint(k.IMO), fmt.Sprint(uint8(k.Type))
		said["length"], said["width"] = fmt.Sprint(k.Dimensions.Length()), fmt.Sprint(k.Dimensions.Width())
	}
	if v := s.Voyage; v != nil {
		draught, ok := v.Draught.Metres()
		said["draught"], said["destination"], said["eta"] = text(draught, ok), v.Destination, fmt.Sprint(v.ETA)
	}
	return said
}

// TestAircraftKeepTheirSpeeds: what would be "not available" or impossible for a ship is the speed of an aircraft.
func TestAircraftKeepTheirSpeeds(t *testing.T) {
	t.Parallel()
	for name, m := range map[string]ais.MMSI{"dma": 111219501, "marinetraffic": 111503001} {
		text, err := os.ReadFile(filepath.Join("testdata", "csv", name+".csv"))
		if err != nil {
			t.Fatal(err)
		}
		dir := t.TempDir()
		if code, out, errs := imported(t, name+".csv", string(text), "--data-dir", dir); code != exitOK {
			t.Fatalf("exit %d: %s\n%s", code, errs, out)
		}
		fixes, s := stored(t, dir, m)
		if v, ok := fixes[0].SOG.Knots(); !ok || v != 145 || s.Class != ship.ClassSAR || fixes[0].Heading != 0 {
			t.Errorf("%s: %v %v, %v, %+v", name, v, ok, s.Class, fixes[0])
		}
	}
}

// TestImportByFlags: files that do not say enough themselves are read as the flags have it.
func TestImportByFlags(t *testing.T) {
	t.Parallel()
	for name, one := range map[string]struct {
		text string
		args []string
	}{
		"names":   {"ship|when|breite|laenge\n211378120|1.3.2026 12h00|54.5|10.25\n", []string{"--columns", "mmsi=ship,time=when,lat=breite,lon=laenge", "--time-format", "%d.%m.%Y %Hh%M"}},
		"numbers": {"211378120 10.25 54.5 1772366400\n", []string{"--columns", "mmsi=1,lon=2,lat=3,time=4"}},
		"one":     {"time,lat,lon\n2026-03-01T13:00:00+01:00,54.5,10.25\n", []string{"--mmsi", "211378120"}},
		"raw":     {"MMSI,TIME,LONGITUDE,LATITUDE,COG,SOG,HEADING,NAVSTAT\n211378120,1772366400,6150000,32700000,3600,1023,511,15\n", []string{"--raw"}},
		"format":  {"MMSI,BaseDateTime,LAT,LON\n211378120,03/01/2026 12:00:00,54.5,10.25\n", []string{"--format", "noaa"}},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			code, out, errs := imported(t, name, one.text, append([]string{"--data-dir", dir}, one.args...)...)
			if code != exitOK {
				t.Fatalf("exit %d: %s\n%s", code, errs, out)
			}
			_, s := stored(t, dir, 211378120)
			want := ship.Fix{At: time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC).UnixMilli(), Lon: 6150000, Lat: 32700000, Status: ais.StatusUndefined}
			if s.Fix != want {
				t.Errorf("%+v\nwant %+v", s.Fix, want)
			}
		})
	}
	for _, wrong := range [][]string{{"--columns", "mmsi"}, {"--columns", "ship=1"}, {"--mmsi", "x"}, {"--format", "nmea", "--raw"}} {
		if code, _, errs := imported(t, "x", "x", wrong...); code != exitUsage {
			t.Errorf("%v: exit %d, %s", wrong, code, errs)
		}
	}
}

// TestDryRunShowsAndWritesNothing: the first five rows are shown as they would be read, with what is missing.
func TestDryRunShowsAndWritesNothing(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "none")
	text, err := os.ReadFile("testdata/csv/dma.csv")
	if err != nil {
		t.Fatal(err)
	}
	code, out, errs := imported(t, "dma.csv", string(text)+strings.Repeat("x\n", 10), "--data-dir", dir, "--dry-run")
	for _, part := range []string{"layout   dma", "time=Timestamp", "missing  rot, message, source", "line 2  219000007 2026-04-03T00:00:00Z class B",
		"rot -10.0°/min", `type 82 "Tanker, hazardous category B"`, "sog 145.0 kn", "refused  line 5", "refused  line 6"} {
		if !strings.Contains(out, part) {
			t.Errorf("no %q", part)
		}
	}
	if code != exitOK || strings.Contains(out, "line 7") || t.Failed() {
		t.Errorf("exit %d: %s\n%s", code, errs, out)
	}
	if _, err := os.Stat(dir); err == nil {
		t.Error("a dry run made a store")
	}
	log := stamped(t, time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC), harbourReport(0), harbourReport(1))
	if code, out, errs := imported(t, "log", log, "--dry-run"); code != exitOK || strings.Count(out, `"mmsi":211378120`) != 2 {
		t.Errorf("exit %d: %s\n%s", code, errs, out)
	}
}

// TestImportOfACutFile: what stands before the end of a damaged archive is taken, and the exit code says that the file is not whole.
func TestImportOfACutFile(t *testing.T) {
	t.Parallel()
	var text strings.Builder
	text.WriteString("mmsi,time,lat,lon\n")
	for i := range 50_000 {
		fmt.Fprintf(&text, "211378120,%d,54.%05d,10.1\n", 1767225600+10*i, i*7919%100000)
	}
	var packed strings.Builder
	w := gzip.NewWriter(&packed)
	if _, err := w.Write([]byte(text.String())); err != nil || w.Close() != nil {
		t.Fatal(err)
	}
	code, out, errs := imported(t, "cut.csv.gz", packed.String()[:packed.Len()/2])
	if code != exitFail || row(out, "fixes stored") == "0" || !strings.Contains(errs, "unexpected EOF") {
		t.Errorf("exit %d: %s\n%s", code, errs, out)
	}
}

// TestAnImportMarksReceiversThatLie: places that a moored ship tells kilometres off are marked in what is imported as they are live, also where the lie
// goes on in a second file, and where the rows stand in any order.
func TestAnImportMarksReceiversThatLie(t *testing.T) {
	t.Parallel()
	var rows []string
	lies := map[int64]bool{}
	for i := range 50 {
		at, lon := time.Date(2026, 3, 1, 12, 3*i, 0, 0, time.UTC), "10.14"
		if i >= 22 && i < 30 {
			lon, lies[at.UnixMilli()] = "10.24", true
		}
		rows = append(rows, "219000001,"+at.Format(time.RFC3339)+",54.33,"+lon+",0.0,5")
	}
	slices.Reverse(rows[:25])
	dir := t.TempDir()
	var files []string
	for i, part := range [][]string{rows[:25], rows[25:]} {
		files = append(files, filepath.Join(dir, fmt.Sprintf("part%d.csv", i)))
		if err := os.WriteFile(files[i], []byte("mmsi,time,lat,lon,sog,status\n"+strings.Join(part, "\n")+"\n"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	data := filepath.Join(dir, "data")
	var out bytes.Buffer
	args := []string{"import", "--data-dir", data, "--store.retention", "0s"}
	if code := run(t.Context(), console{out: &out, err: &out}, append(args, files...)); code != exitOK {
		t.Fatalf("exit %d, %s", code, out.String())
	}
	fixes, s := stored(t, data, 219000001)
	n := 0
	for _, f := range fixes {
		if f.Trusted() == lies[f.At] {
			t.Errorf("%v is trusted: %v", ship.Time(f.At), f.Trusted())
		}
		if !f.Trusted() {
			n++
		}
	}
	if n != len(lies) || !s.Fix.Trusted() {
		t.Errorf("%d places are untrusted, want %d; %+v", n, len(lies), s.Fix)
	}
}

// TestALieGoesOnInTheNextLog: the receiver begins to lie with the first sentence of a second log.
func TestALieGoesOnInTheNextLog(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	var files []string
	for part, lon := range []int32{6_084_000, 6_144_000} {
		var log strings.Builder
		for i := range 8 {
			at := time.Date(2026, 3, 1, 12, 24*part+3*i, 0, 0, time.UTC)
			log.WriteString(stamped(t, at, &ais.PositionReport{Header: ais.Header{Type: 1, MMSI: 219000001}, Status: ais.StatusMoored, COG: 3600, Heading: 511,
				Second: 60, Place: ais.Place{Lon: lon + int32(i), Lat: 32_598_000}}))
		}
		files = append(files, filepath.Join(dir, fmt.Sprintf("part%d.nmea", part)))
		if err := os.WriteFile(files[part], []byte(log.String()), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	data := filepath.Join(dir, "data")
	var out bytes.Buffer
	if code := run(t.Context(), console{out: &out, err: &out}, append([]string{"import", "--data-dir", data, "--store.retention", "0s"}, files...)); code != exitOK {
		t.Fatalf("exit %d, %s", code, out.String())
	}
	fixes, _ := stored(t, data, 219000001)
	for _, f := range fixes {
		if f.Trusted() != (f.Lon < 6_100_000) {
			t.Errorf("%v at %d is trusted: %v", ship.Time(f.At), f.Lon, f.Trusted())
		}
	}
	if last := fixes[len(fixes)-1]; last.Lon < 6_100_000 {
		t.Errorf("the second log is not stored: %s", out.String())
	}
}
