package acceptance

import (
	"fmt"
	"math/rand/v2"
	"os/exec"
	"path/filepath"
	"testing"
	"time"
)

// TestCompactUnderLoad compacts a serving store at 3,000 sentences a second: nothing is dropped, and a kill at any moment of a
// compaction leaves one whole file.
func TestCompactUnderLoad(t *testing.T) {
	seed := uint64(time.Now().UnixNano())
	t.Logf("seed %d", seed)
	random := rand.New(rand.NewPCG(seed, 19))
	port := freePort(t, "udp")
	config := fmt.Sprintf("[[feed]]\nname = \"udp\"\nurl = \"udp://127.0.0.1:%d\"\n[store]\nsync_interval = \"200ms\"\nfull_rate = true\n", port)
	dir := t.TempDir()
	data := filepath.Join(dir, "data")
	p := startServe(t, dir, config)
	load := exec.Command(binary(t), "simulate", "--to", fmt.Sprintf("udp://127.0.0.1:%d", port), "--ships", "3000", "--rate", "3000", "--duration", "1h")
	if err := load.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() { _ = load.Process.Kill(); _ = load.Wait() }()
	eventually(t, patience, "the store takes positions", func() bool { return storeCount(p, "fixes") > 5000 })
	for range 5 {
		if out, stderr, code := runCommand(t, "", "compact", "--data-dir", data); code != 0 {
			t.Fatalf("compact: exit %d\n%s%s", code, out, stderr)
		}
	}
	before := storeCount(p, "fixes")
	eventually(t, patience, "positions go on", func() bool { return storeCount(p, "fixes") > before+3000 })
	if dropped := storeCount(p, "dropped"); dropped > 0 {
		t.Errorf("%v positions were dropped", dropped)
	}
	for range 8 {
		compacting := exec.Command(binary(t), "compact", "--data-dir", data)
		if err := compacting.Start(); err != nil {
			t.Fatal(err)
		}
		goesOnFor(time.Duration(random.IntN(60)) * time.Millisecond)
		p.kill()
		_ = compacting.Wait() // it says that the service is gone
		if out, stderr, code := runCommand(t, "", "check", "--data-dir", data); code != 0 {
			t.Fatalf("check after a kill: exit %d\n%s%s", code, out, stderr)
		}
		p = startServe(t, dir, config)
	}
}

// storeCount reads one number of the store's part of the status.
func storeCount(p *process, key string) float64 {
	p.t.Helper()
	var status struct{ Store map[string]any }
	p.get("/api/status", &status)
	n, is := status.Store[key].(float64)
	if !is {
		p.t.Fatalf("the status has no %s of the store: %v", key, status.Store)
	}
	return n
}
