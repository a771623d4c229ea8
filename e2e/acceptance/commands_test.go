package acceptance

import (
	"compress/gzip"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"quaywatch/ais"
)

// TestEveryCommandHelps: --help prints the flags and exits 0, and never starts anything.
func TestEveryCommandHelps(t *testing.T) {
	all, _, code := runCommand(t, "", "--help")
	verbs := regexp.MustCompile(`(?m)^  ([a-z-]+) `).FindAllStringSubmatch(all, -1)
	if code != 0 || len(verbs) < 16 || verbs[0][1] != "serve" {
		t.Fatalf("--help: exit %d\n%s", code, all)
	}
	for _, verb := range append(verbs, []string{"", "tls", "show"}) {
		out, stderr, code := runCommand(t, "", append(verb[1:], "--help")...)
		if code != 0 || !strings.Contains(out, "usage: quaywatch "+verb[1]) || !strings.Contains(out, "exit codes") {
			t.Errorf("%s --help: exit %d\n%s%s", verb[1], code, out, stderr)
		}
	}
}

func TestWrongCommandLines(t *testing.T) {
	for _, args := range [][]string{{}, {"sevre"}, {"serve", "extra"}, {"serve", "--no-such-flag"}, {"decode", "a", "b"}, {"backup"}, {"user"},
		{"user", "remove", "x"}, {"import"}, {"import", "--format", "xml", "x"}, {"replay"}, {"serve", "--store.sync_interval", "fast"},
		{"demo", "--at", "north"}, {"demo", "--second", "north"}, {"simulate"}, {"simulate", "--to", "-", "--rate", "1", "--ports", "p.json"}} {
		if _, stderr, code := runCommand(t, "", args...); code != 2 || stderr == "" {
			t.Errorf("%q: exit %d, %q", args, code, stderr)
		}
	}
}

func TestCheckConfig(t *testing.T) {
	bad := configFile(t, "[http]\nlisen = \":1\"\n")
	if _, stderr, code := runCommand(t, "", "check-config", "--config", bad); code != 2 ||
		!strings.Contains(stderr, bad+":2:1: unknown key \"http.lisen\", did you mean \"http.listen\"?") {
		t.Errorf("exit %d, %s", code, stderr)
	}
	out, stderr, code := runCommand(t, "", "check-config", "--config", "../../config.example.toml", "--http.listen", ":99")
	if code != 0 || !strings.Contains(out, "listen = ':99'") {
		t.Errorf("exit %d\n%s%s", code, out, stderr)
	}
	if _, stderr, code := runCommand(t, "", "check-config", "--config", "no-such-file.toml"); code != 2 || !strings.Contains(stderr, "no-such-file.toml") {
		t.Errorf("exit %d, %s", code, stderr)
	}
}

// TestServeRefusesWhatCheckConfigDoes: by the same words, before it opens anything.
func TestServeRefusesWhatCheckConfigDoes(t *testing.T) {
	path := configFile(t, "[[feed]]\nname = \"a\"\nurl = \"tcp-listen://0.0.0.0:10111\"\n"+
		"[[output]]\nname = \"b\"\nurl = \"tcp://127.0.0.1:10111\"\nuser = \"plotter\"\n"+
		"[[output]]\nname = \"B\"\nurl = \"tcp-listen://:10111\"\n")
	_, checked, code := runCommand(t, "", "check-config", "--config", path)
	if code != 2 || strings.Count(checked, "\n") < 3 {
		t.Errorf("check-config: exit %d: %s", code, checked)
	}
	dir := t.TempDir()
	p := launch(t, dir, "serve", "--config", path)
	select {
	case <-p.ended:
	case <-time.After(patience):
		t.Fatal("serve runs")
	}
	if code := p.cmd.ProcessState.ExitCode(); code != 2 || p.stderr.String() != checked {
		t.Errorf("serve: exit %d: %s\nwant %s", code, p.stderr.String(), checked)
	}
	if files, _ := filepath.Glob(filepath.Join(dir, "data", "*")); len(files) > 0 {
		t.Errorf("serve has made %v", files)
	}
}

func TestVersion(t *testing.T) {
	out, _, code := runCommand(t, "", "version", "--json")
	var v map[string]string
	if err := json.Unmarshal([]byte(out), &v); err != nil || code != 0 || v["version"] == "" || v["go"] == "" {
		t.Errorf("exit %d: %s (%v)", code, out, err)
	}
}

// TestDecodeCommand reads sentences from standard input, from a file and from a gzip file; duplicates are printed too.
func TestDecodeCommand(t *testing.T) {
	report := aShip(219018765, 3)
	text := string(sentences(t, report)) + string(sentences(t, report)) +
		string(sentences(t, &ais.StaticVoyage{Header: ais.Header{Type: 5, MMSI: 219018765}, Name: "NORDIC HAV", CallSign: "OWKN2", Destination: "DKAAR"}))
	dir := t.TempDir()
	plain, packed := filepath.Join(dir, "log"), filepath.Join(dir, "log.gz")
	if err := os.WriteFile(plain, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	file, err := os.Create(packed)
	if err != nil {
		t.Fatal(err)
	}
	zip := gzip.NewWriter(file)
	fmt.Fprint(zip, text)
	if err := zip.Close(); err != nil {
		t.Fatal(err)
	}
	file.Close()
	for _, args := range [][]string{{"decode"}, {"decode", plain}, {"decode", packed}} {
		out, stderr, code := runCommand(t, text, args...)
		lines := strings.Split(strings.TrimSpace(out), "\n")
		if code != 0 || len(lines) != 3 {
			t.Fatalf("%q: exit %d, %d lines\n%s", args, code, len(lines), stderr)
		}
		var position, static map[string]any
		if json.Unmarshal([]byte(lines[0]), &position) != nil || json.Unmarshal([]byte(lines[2]), &static) != nil {
			t.Fatalf("not JSON:\n%s", out)
		}
		if position["type"] != 1.0 || position["mmsi"] != 219018765.0 || position["sog"] != 5.0 || static["name"] != "NORDIC HAV" {
			t.Errorf("%q:\n%s", args, out)
		}
	}
	out, _, _ := runCommand(t, text, "decode", "--raw")
	if !strings.Contains(out, `"lon":`+fmt.Sprint(report.Place.Lon)) {
		t.Errorf("--raw:\n%s", out)
	}
	if _, stderr, code := runCommand(t, "", "decode", filepath.Join(dir, "none")); code != 1 || !strings.Contains(stderr, "none") {
		t.Errorf("missing file: exit %d, %s", code, stderr)
	}
}

// TestUserCommand adds a user and changes a password on a stopped service; both sign in by the new one.
func TestUserCommand(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	data := filepath.Join(dir, "data")
	start(t, dir, "serve").stop(patience)
	if _, stderr, code := runCommand(t, "pilot-password-1\n", "user", "add", "--data-dir", data, "pilot", "--groups", "operator"); code != 0 {
		t.Fatalf("add: exit %d, %s", code, stderr)
	}
	if _, stderr, code := runCommand(t, "pilot-password-1\n", "user", "add", "--data-dir", data, "Pilot"); code != 1 || !strings.Contains(stderr, "already") {
		t.Errorf("add again: exit %d, %s", code, stderr)
	}
	if _, stderr, code := runCommand(t, "pilot-password-2\n", "user", "passwd", "--data-dir", data, "pilot"); code != 0 {
		t.Fatalf("passwd: exit %d, %s", code, stderr)
	}
	if _, stderr, code := runCommand(t, "short\n", "user", "passwd", "--data-dir", data, "pilot"); code != 1 || !strings.Contains(stderr, "12") {
		t.Errorf("short password: exit %d, %s", code, stderr)
	}
	if _, stderr, code := runCommand(t, "pilot-password-3\n", "user", "passwd", "--data-dir", data, "nobody"); code != 1 || stderr == "" {
		t.Errorf("unknown user: exit %d, %s", code, stderr)
	}
	p := start(t, dir, "serve")
	for password, want := range map[string]int{"pilot-password-1": http.StatusUnauthorized, "pilot-password-2": http.StatusOK} {
		response, err := http.Post(p.base+"/api/session", "application/json", strings.NewReader(fmt.Sprintf(`{"name":"pilot","password":%q}`, password)))
		if err != nil {
			t.Fatal(err)
		}
		response.Body.Close()
		if response.StatusCode != want {
			t.Errorf("%s: %s", password, response.Status)
		}
	}
}

// TestImportCSV takes each layout in and reads the track and the static data back by the API.
func TestImportCSV(t *testing.T) {
	t.Parallel()
	files := map[string]string{
		"noaa.csv": "MMSI,BaseDateTime,LAT,LON,SOG,COG,Heading,VesselName,IMO,CallSign,VesselType,Status,Length,Width,Draft,Cargo,TransceiverClass\n" +
			"367000001,2026-03-01T12:00:00,29.5,-94.5,10.2,180.0,181,GULF STAR,IMO9074729,WDA1234,70,0,120,20,6.5,70,A\n" +
			"367000001,2026-03-01T12:10:00,29.4,-94.5,10.2,180.0,511,GULF STAR,IMO9074729,WDA1234,70,0,120,20,6.5,70,A\n" +
			"367000001,yesterday,29.4,-94.5,10.2,180.0,511,,,,,,,,,,A\nabc,2026-03-01T12:10:00,29.4,-94.5,,,,,,,,,,,,,\n",
		"dma.csv": "# Timestamp,Type of mobile,MMSI,Latitude,Longitude,Navigational status,ROT,SOG,COG,Heading,IMO,Callsign,Name,Ship type,Cargo type,Width,Length,Type of position fixing device,Draught,Destination,ETA,Data source type,A,B,C,D\n" +
			"01/03/2026 12:00:00,Class A,219000007,56.1,10.5,Moored,,0.1,,,Unknown,OABC,HAVFRUE,Tanker,,22,134,GPS,7.4,AARHUS,,AIS,118,16,11,11\n" +
			"01/03/2026 12:20:00,Class A,219000007,56.1,10.5,Moored,,0.1,,,Unknown,OABC,HAVFRUE,Tanker,,22,134,GPS,7.4,AARHUS,,AIS,118,16,11,11\n",
		"own.csv": "mmsi,time,longitude,latitude,cog,sog,heading,nav_status,name\n" +
			"219000008,2026-03-01T12:00:00Z,10.6,56.2,359.9,12.3,,0,\"EDGE, OF THE CHART\"\n219000008,2026-03-01T12:20:00.500Z,10.6,56.3,,,,0,\n",
	}
	dir := t.TempDir()
	data := filepath.Join(dir, "data")
	for name, text := range files {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		out, stderr, code := runCommand(t, "", "import", "--data-dir", data, path)
		if table := strings.Join(strings.Fields(out), " "); code != 0 || !strings.Contains(table, " rows 2 ships 1 fixes stored 2 ") {
			t.Errorf("%s: exit %d\n%s%s", name, code, out, stderr)
		}
	}
	p := start(t, dir, "serve")
	for mmsi, name := range map[int64]string{367000001: "GULF STAR", 219000007: "HAVFRUE", 219000008: "EDGE, OF THE CHART"} {
		if fixes := track(p, mmsi, "2026-03-01", "2026-03-02"); len(fixes) != 2 {
			t.Errorf("%d: track %v", mmsi, fixes)
		}
		var info map[string]any
		p.get(fmt.Sprintf("/api/portserver/ship/info/%d", mmsi), &info)
		if info["name"] != name {
			t.Errorf("%d: %v", mmsi, info)
		}
	}
	var info map[string]any
	p.get("/api/portserver/ship/info/219000007", &info)
	if info["draught"] != 7.4 || info["length"] != 134.0 || info["type_code"] != 80.0 || info["destination"] != "AARHUS" {
		t.Errorf("static data: %v", info)
	}
}

// TestImportLog takes a recorded log in twice; the second time changes nothing.
func TestImportLog(t *testing.T) {
	t.Parallel()
	r := ownRecording(t)
	dir := t.TempDir()
	path, data := filepath.Join(dir, "log"), filepath.Join(dir, "data")
	if err := os.WriteFile(path, []byte(strings.Join(r.lines, "\n")), 0o600); err != nil {
		t.Fatal(err)
	}
	var counts [2]int
	for round := range counts {
		if _, stderr, code := runCommand(t, "", "import", "--data-dir", data, "--store.retention", "0s", "--store.full_rate", "true", path); code != 0 {
			t.Fatalf("exit %d: %s", code, stderr)
		}
		p := start(t, dir, "serve", "--store.retention", "0s")
		var found struct{ Records []struct{ MMSI int64 } }
		p.get("/api/portserver/ship/search/a?limit=1000", &found)
		if len(found.Records) < 10 {
			t.Fatalf("%d ships found", len(found.Records))
		}
		for _, ship := range found.Records {
			counts[round] += len(track(p, ship.MMSI, r.begin, r.end))
		}
		p.stop(patience)
	}
	if counts[0] < 1000 || counts[0] != counts[1] {
		t.Errorf("fixes after one and after two imports: %v", counts)
	}
}

// TestReplayCommand serves a recording by its own clock and leaves nothing behind.
func TestReplayCommand(t *testing.T) {
	t.Parallel()
	r := ownRecording(t)
	path := filepath.Join(t.TempDir(), "log")
	if err := os.WriteFile(path, []byte(strings.Join(r.lines, "\n")), 0o600); err != nil {
		t.Fatal(err)
	}
	p := start(t, t.TempDir(), "replay", "--speed", "0", path)
	settle(p, len(r.lines))
	if ships := livePicture(p); len(ships) < 30 {
		t.Errorf("%d ships", len(ships))
	}
}
