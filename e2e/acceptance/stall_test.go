package acceptance

import (
	"encoding/json"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// TestHealthDoesNotHangWithTheDisk: while a sync hangs 25 s, readiness, status and metrics answer and the picture goes on. The stall is told, in
// the log too, while it lasts. No answer waits for the disk: all come before the sync that hangs is over.
func TestHealthDoesNotHangWithTheDisk(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("strace"); err != nil {
		t.Skip("strace is not installed; make test installs it")
	}
	dir := t.TempDir()
	config, conn := udpFeed(t)
	path := filepath.Join(dir, "quaywatch.toml")
	if err := os.WriteFile(path, []byte(config), 0o600); err != nil {
		t.Fatal(err)
	}
	startServe(t, dir, config).stop(patience) // the first start makes the files, without a fault
	trace := []string{"strace", "-D", "-f", "-o", filepath.Join(dir, "trace"), "-e", "trace=fdatasync,fsync",
		"-e", "inject=fdatasync,fsync:delay_enter=25000000:when=4+"}
	p := launchPrefixed(t, dir, trace, "serve", "--config", path)
	p.waitReady(patience)
	step := 0
	stalled := func() (since time.Time, ok bool) {
		var status struct {
			Notices []struct {
				Rule  string
				Since time.Time
			}
		}
		p.get("/api/status", &status)
		for _, n := range status.Notices {
			if n.Rule == "disk_stalled" {
				return n.Since, true
			}
		}
		return since, false
	}
	eventually(t, patience, "the stall is told", func() bool {
		step++
		_, _ = conn.Write(sentences(t, aShip(219000001, step))) // so that there is something to sync
		_, ok := stalled()
		return ok
	})
	since, _ := stalled()
	slowest := time.Duration(0)
	for range 20 {
		for _, call := range []string{"/readyz", "/api/status", "/metrics", "/healthz"} {
			began := time.Now()
			response, text := p.do("GET", call, "")
			slowest = max(slowest, time.Since(began))
			var problem struct{ Rule string }
			if call == "/readyz" && (response.StatusCode != http.StatusServiceUnavailable || json.Unmarshal(text, &problem) != nil || problem.Rule != "disk_stalled") {
				t.Errorf("readiness while the disk hangs: %s %s", response.Status, text)
			}
			if call != "/readyz" && response.StatusCode != http.StatusOK {
				t.Errorf("%s while the disk hangs: %s", call, response.Status)
			}
		}
	}
	canary(t, p, conn, 219000001, step+100, patience)
	if now, ok := stalled(); !ok || !now.Equal(since) {
		t.Errorf("the sync that hung is over before all was asked: %v, %v", ok, now)
	}
	t.Logf("the slowest of 80 answers took %v", slowest)
	if !strings.Contains(p.stderr.String(), `"notice":"disk_stalled"`) {
		t.Error("the log does not tell the stall")
	}
	p.endTrace()
	eventually(t, patience, "the stall is over", func() bool { _, ok := stalled(); return !ok })
}

// TestFolderThatVanishesIsLoud: the data folder of a running service is renamed. Within a minute readiness fails and the log is loud; when the
// folder is back, all is well again.
func TestFolderThatVanishesIsLoud(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	p := start(t, dir, "serve")
	ready := func(want string) func() bool {
		return func() bool {
			response, text := p.do("GET", "/readyz", "")
			return strings.Contains(response.Status+string(text), want)
		}
	}
	eventually(t, patience, "it is ready", ready("200"))
	if err := os.Rename(filepath.Join(dir, "data"), filepath.Join(dir, "away")); err != nil {
		t.Fatal(err)
	}
	eventually(t, patience, "the folder is missed", ready("folder_gone"))
	if response, _ := p.do("PUT", "/api/config/group", `{"name":"Tugs"}`); response.StatusCode != http.StatusServiceUnavailable {
		t.Errorf("a change without a folder: %s", response.Status)
	}
	eventually(t, patience, "the log tells", func() bool { return strings.Contains(p.stderr.String(), `"notice":"folder_gone"`) })
	if err := os.Rename(filepath.Join(dir, "away"), filepath.Join(dir, "data")); err != nil {
		t.Fatal(err)
	}
	eventually(t, patience, "the folder is back", ready("200"))
}
