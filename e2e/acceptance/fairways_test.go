package acceptance

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

const (
	riverFile = `{"type":"FeatureCollection","features":[{"type":"Feature","properties":{"name":"Seine"},"geometry":{"type":"LineString",
		"coordinates":[[0.0,49.44],[0.22,49.43],[0.37,49.46],[0.53,49.49],[0.72,49.53],[0.82,49.40],[1.02,49.41],[1.1,49.32],[1.3,49.2],[1.48,49.09]]}}]}`
	upTheRiver = `{"source":{"position":{"type":"Point","coordinates":[-0.2,49.5]}},"destination":{"position":{"type":"Point","coordinates":[1.482,49.092]}}}`
)

// TestFairwaysAreReadAtTheStartAndAtHangup: a file with a fault keeps the service from starting, and at SIGHUP leaves the fairways from before.
func TestFairwaysAreReadAtTheStartAndAtHangup(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	file := filepath.Join(dir, "fairways.geojson")
	write := func(text string) {
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write(riverFile)
	p := startServe(t, dir, "[route]\nfairways = \""+file+"\"\n")
	way := func() (string, int) {
		response, answer := p.do("POST", "/api/portserver/ship/route/execute", upTheRiver)
		return string(answer), response.StatusCode
	}
	if answer, code := way(); code != 200 || !strings.Contains(answer, `"fairways":["Seine"]`) {
		t.Fatalf("%d %s", code, answer)
	}
	hangUp := func(told string) {
		if err := p.cmd.Process.Signal(syscall.SIGHUP); err != nil {
			t.Fatal(err)
		}
		eventually(t, patience, told, func() bool { return strings.Contains(p.stderr.String(), told) })
	}
	write(strings.Replace(riverFile, "LineString", "Point", 1))
	hangUp("geometry/type must be Polygon or LineString")
	if answer, code := way(); code != 200 || !strings.Contains(answer, `"fairways":["Seine"]`) {
		t.Errorf("after a file with a fault: %d %s", code, answer)
	}
	write(strings.Replace(riverFile, `"Seine"`, `"La Seine"`, 1))
	hangUp("were read anew")
	eventually(t, patience, "the new name", func() bool { answer, _ := way(); return strings.Contains(answer, `"fairways":["La Seine"]`) })
	if code := p.stop(patience); code != 0 {
		t.Errorf("exit %d", code)
	}
	write(strings.Replace(riverFile, "[0.0,49.44],[0.22,49.43],[0.37,49.46],[0.53,49.49],", "", 1))
	p = launch(t, dir, "serve", "--config", filepath.Join(dir, "quaywatch.toml"))
	select {
	case <-p.ended:
	case <-time.After(patience):
		t.Fatal("the service starts with a fairway that nothing leads to")
	}
	if told := p.stderr.String(); !strings.Contains(told, `fairway \"Seine\": no point of it`) && !strings.Contains(told, `fairway "Seine": no point of it`) {
		t.Errorf("a fairway that nothing leads to: %s", told)
	}
}
