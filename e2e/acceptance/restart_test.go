package acceptance

import (
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// manyRegistrations is how many ships the register of a large port may have.
const manyRegistrations = 46_000

// restartWork is how much processor time a restart may take, in that of a check of the same store. Both read each value once.
const restartWork = 6

// TestRestartWithManyRegistrations: a service that was killed is ready again soon, with its register. What it may take of the processor is measured by a
// check of the same store in the same run. make faults also holds it to two seconds, beside two processes that never rest.
func TestRestartWithManyRegistrations(t *testing.T) {
	dir := t.TempDir()
	data := filepath.Join(dir, "data")
	fillRegister(t, dir, data)
	startServe(t, dir, "").kill()
	runs := 3
	if os.Getenv("QUAYWATCH_FAULTS") == "all" { // a box that does nothing else is no test of the time
		runs = 5
		keepBusy(t)
		keepBusy(t)
	}
	var took []time.Duration
	var ratios []float64
	for range runs {
		begun := time.Now()
		p := launch(t, dir, "serve", "--config", filepath.Join(dir, "quaywatch.toml"))
		eventually(t, patience, "the service is ready", func() bool {
			response, err := http.Get(p.base + "/readyz")
			if err != nil {
				return false
			}
			response.Body.Close()
			return response.StatusCode == http.StatusOK
		})
		took = append(took, time.Since(begun))
		work := cpuTime(t, p)
		last := manyRegistrations - 1
		response, text := p.do("GET", fmt.Sprint("/api/portserver/ship/register/", 211000000+last), "")
		if !strings.Contains(string(text), fmt.Sprint("SHIP ", last)) {
			t.Fatalf("the last ship of the register: %s %s", response.Status, text)
		}
		p.kill()
		check := exec.Command(binary(t), "check", "--data-dir", data)
		if out, err := check.CombinedOutput(); err != nil {
			t.Fatalf("check: %v\n%s", err, out)
		}
		checked := check.ProcessState.UserTime() + check.ProcessState.SystemTime()
		ratios = append(ratios, work.Seconds()/checked.Seconds())
	}
	slices.Sort(ratios)
	t.Logf("ready after %v; processor time, in that of a check: %.1f", took, ratios)
	if ratios[len(ratios)/2] > restartWork {
		t.Errorf("a restart takes %.1f times the processor time of a check, want %d", ratios, restartWork)
	}
	if limit := 2 * time.Second; os.Getenv("QUAYWATCH_FAULTS") == "all" && median(took) > limit {
		t.Errorf("ready after %v, want %v", took, limit)
	}
}

// fillRegister makes a store with a full register, by a document.
func fillRegister(t *testing.T, dir, data string) {
	t.Helper()
	var register []map[string]any
	for i := range manyRegistrations {
		register = append(register, map[string]any{"mmsi": 211000000 + i, "name": fmt.Sprint("SHIP ", i), "callsign": fmt.Sprint("D", i), "type_code": 70,
			"length": 100, "note": fmt.Sprint("berth ", i)})
	}
	text, err := json.Marshal(map[string]any{"version": 1, "register": register})
	if err != nil {
		t.Fatal(err)
	}
	document := filepath.Join(dir, "register.json")
	if err := os.WriteFile(document, text, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, stderr, code := runCommand(t, adminPassword+"\n", "user", "add", "--new", "--data-dir", data, "admin"); code != 0 {
		t.Fatalf("user add: exit %d, %s", code, stderr)
	}
	if out := run(t, 0, "import-config", "--data-dir", data, document); !strings.Contains(out, fmt.Sprint(manyRegistrations, " added")) {
		t.Fatalf("import: %s", out)
	}
}

// keepBusy takes a processor for the rest of the test.
func keepBusy(t *testing.T) {
	t.Helper()
	loop := exec.Command("sh", "-c", "while :; do :; done")
	if err := loop.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = loop.Process.Kill()
		_ = loop.Wait()
	})
}
