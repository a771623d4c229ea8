package acceptance

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestImportPorts, into the store of a stopped service and of a running one.
func TestImportPorts(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	index, own, bad := filepath.Join(dir, "index.csv"), filepath.Join(dir, "own.geojson"), filepath.Join(dir, "bad.csv")
	for path, text := range map[string]string{
		index: "World Port Index Number,Main Port Name,UN/LOCODE,Latitude,Longitude,Maximum Vessel Draft (m)\n" +
			"1,Arhus,DK AAR,56.16,10.23,14.5\n2,Faaborg Nord,DKFN1,55.1,10.24,\n3,Wrong,D,1,2,\n",
		own: `{"type":"FeatureCollection","features":[{"type":"Feature","geometry":{"type":"Point","coordinates":[10.22,56.15]},` +
			`"properties":{"kind":"berth","port":"DKAAR","name":"Quay 4","length":220}}]}`,
		bad: "a,b\n1,2\n",
	} {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	const refused = ` refused 1 line 4, UN/LOCODE: \"D\" is no LOCODE own.geojson rows 1 `
	const first = "index.csv rows 3 new 1 changed 1 unchanged 0" + refused + "new 0 changed 1 unchanged 0 refused 0"
	const second = "index.csv rows 3 new 0 changed 0 unchanged 2" + refused + "new 0 changed 0 unchanged 1 refused 0"
	take := func(dir string, more ...string) string {
		t.Helper()
		out, stderr, code := runCommand(t, "", append(append([]string{"import-ports", "--data-dir", filepath.Join(dir, "data")}, more...), index, own)...)
		if code != 0 {
			t.Fatal(code, stderr)
		}
		return strings.Join(strings.Fields(out), " ")
	}
	p := start(t, dir, "serve")
	for _, step := range []struct{ flag, want string }{{"--dry-run", first + " a dry run, nothing was written"}, {"", first}, {"", second}} {
		if got := take(dir, strings.Fields(step.flag)...); got != step.want {
			t.Errorf("while serving %s:\n%s\n%s", step.flag, got, step.want)
		}
	}
	text := p.want(200, "GET", "/api/portserver/port/info/22781475", "")
	if !bytes.Contains(text, []byte(`"max_draught":14.5`)) || !bytes.Contains(text, []byte("Quay 4")) {
		t.Errorf("%s", text)
	}
	if text := p.want(200, "GET", "/api/audit?user=(command%20line)", ""); bytes.Count(text, []byte("import-ports")) != 1 ||
		!bytes.Contains(text, []byte("1 new, 2 changed")) {
		t.Errorf("%s", text)
	}
	p.kill() // what was acknowledged is there
	if got := take(dir); got != second {
		t.Errorf("into the store of a service that was killed:\n%s", got)
	}
	args := []string{"import-ports", "--data-dir", filepath.Join(dir, "data")}
	for path, want := range map[string]string{
		"/dev/null": "no regular file", filepath.Join(dir, "none.csv"): "no such file", bad: "line 1, Main Port Name: is no column",
	} {
		if _, stderr, code := runCommand(t, "", append(args, own, path)...); code != 1 || !strings.Contains(stderr, want) {
			t.Errorf("%s: exit %d, %s", path, code, stderr)
		}
	}
	if _, stderr, code := runCommand(t, "", args...); code != 2 {
		t.Errorf("no file: exit %d, %s", code, stderr)
	}
}

// TestTheDemoHasItsPorts: borders and berths of the simulated harbours, also where no port is listed, and not again in a store that was there.
func TestTheDemoHasItsPorts(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	p := start(t, dir, "demo", "--ships", "30", "--speed", "20")
	for _, code := range []string{"DKCPH", "DKAAR", "SELAA"} {
		text := p.want(200, "GET", "/api/config/shape/port/"+code, "")
		if !bytes.Contains(text, []byte(`"outer":{`)) || !bytes.Contains(text, []byte(`"inner":[{`)) || !bytes.Contains(text, []byte(`"berths":[{`)) {
			t.Errorf("%s: %.300s", code, text)
		}
	}
	p.stop(patience)
	p = start(t, dir, "demo", "--ships", "30", "--speed", "20")
	if text := p.want(200, "GET", "/api/audit?user=(command%20line)", ""); bytes.Count(text, []byte("import-ports")) != 1 {
		t.Errorf("%s", text)
	}
	elsewhere := start(t, t.TempDir(), "demo", "--ships", "30", "--at", "11.86,57.68")
	if text := elsewhere.want(200, "GET", "/api/audit?user=(command%20line)", ""); !bytes.Contains(text, []byte(`1 new, 0 changed`)) {
		t.Errorf("%s", text)
	}
}

// TestImportSimulatedPorts: the ports that simulate writes are taken as they are, and the truth beside them names each of its berthings.
func TestImportSimulatedPorts(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	ports, truth, log := filepath.Join(dir, "ports.json"), filepath.Join(dir, "truth.jsonl"), filepath.Join(dir, "log.nmea")
	if _, stderr, code := runCommand(t, "", "simulate", "--to", log, "--truth", truth, "--ports", ports, "--start", "2026-03-01T12:00:00Z",
		"--duration", "40m", "--speed", "0"); code != 0 {
		t.Fatal(code, stderr)
	}
	if text, err := os.ReadFile(truth); err != nil || !bytes.Contains(text, []byte(`"port":"DKCPH","berth":"`)) || !bytes.Contains(text, []byte(`"port":"DKAAR"`)) {
		t.Errorf("%v: truth %.300s", err, text)
	}
	p := start(t, dir, "serve")
	for _, want := range []string{"rows 3 new 0 changed 3 unchanged 0 refused 0", "rows 3 new 0 changed 0 unchanged 3 refused 0"} {
		out, stderr, code := runCommand(t, "", "import-ports", "--data-dir", filepath.Join(dir, "data"), ports)
		if got := strings.Join(strings.Fields(out), " "); code != 0 || got != "ports.json "+want {
			t.Errorf("exit %d, %s%s, want %s", code, got, stderr, want)
		}
	}
	if text := p.want(200, "GET", "/api/portserver/port/info/22781475", ""); !bytes.Contains(text, []byte("Quay 4")) {
		t.Errorf("%.300s", text)
	}
}
