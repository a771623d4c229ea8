package acceptance

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

// TestAChangeIsOneCommit counts the syncs of each kind of change: bbolt makes two a commit, so the change and its audit line are one. The store
// may write for itself meanwhile, so of three tries one has to do.
func TestAChangeIsOneCommit(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("strace"); err != nil {
		t.Skip("strace is not installed; make test installs it")
	}
	dir := t.TempDir()
	trace := filepath.Join(dir, "trace")
	p := launchPrefixed(t, dir, []string{"strace", "-D", "-f", "-o", trace, "-e", "trace=fdatasync,fsync"}, "serve")
	p.waitReady(patience)
	syncs := func() int {
		text, err := os.ReadFile(trace)
		if err != nil {
			t.Fatal(err)
		}
		return bytes.Count(text, []byte("sync("))
	}
	number := 100
	do := func(method, path, body string) {
		fill := strings.NewReplacer("N", fmt.Sprint(number))
		if response, text := p.do(method, fill.Replace(path), fill.Replace(body)); response.StatusCode >= 300 {
			t.Fatalf("%s %s: %s %s", method, path, response.Status, text)
		}
	}
	try := func(change killChange) int {
		number++
		for _, call := range change.before {
			do(call[0], call[1], call[2])
		}
		before := syncs()
		do(change.method, change.path, change.body)
		return syncs() - before
	}
	for _, change := range killChanges() {
		fewest := try(change)
		for tries := 1; tries < 3 && fewest > 2; tries++ {
			fewest = min(fewest, try(change))
		}
		if fewest < 1 || fewest > 2 {
			t.Errorf("%s %s: %d syncs", change.method, change.path, fewest)
		}
	}
}

// TestAKillLeavesNoChangeWithoutItsLine kills the service at any moment while groups are made. After each start the audit log and the groups
// agree: of what was under way, both or neither is there.
func TestAKillLeavesNoChangeWithoutItsLine(t *testing.T) {
	t.Parallel()
	const rounds = 12
	dir, random := t.TempDir(), rand.New(rand.NewPCG(8, 10))
	p, made := start(t, dir, "serve"), 0
	acknowledged := map[string]bool{}
	for round := range rounds {
		begun, enough := make(chan bool), 1+random.IntN(5)
		var busy sync.WaitGroup
		busy.Go(func() {
			for n := 0; ; n++ {
				if n == enough {
					close(begun)
				}
				made++
				name := fmt.Sprint("g", made)
				if response, _, err := p.try("PUT", "/api/config/group", fmt.Sprintf(`{"name":%q}`, name)); err != nil || response.StatusCode != 200 {
					return // it may be there all the same
				}
				acknowledged[name] = true
			}
		})
		<-begun
		time.Sleep(time.Duration(random.IntN(20_000)) * time.Microsecond) // the moment of the kill is any
		p.kill()
		busy.Wait()
		p = start(t, dir, "serve")
		there, told := p.groups(), p.told("PUT group")
		if !maps.Equal(there, told) {
			t.Fatalf("round %d: groups %v, lines %v", round, slices.Sorted(maps.Keys(there)), slices.Sorted(maps.Keys(told)))
		}
		for name := range acknowledged {
			if !there[name] {
				t.Errorf("round %d: %s was acknowledged and is gone", round, name)
			}
		}
	}
}

// groups gives the names of the groups that the test made.
func (p *process) groups() map[string]bool {
	p.t.Helper()
	var all struct{ Records []struct{ Name string } }
	p.get("/api/config/group", &all)
	names := map[string]bool{}
	for _, g := range all.Records {
		if strings.HasPrefix(g.Name, "g") {
			names[g.Name] = true
		}
	}
	return names
}

// told gives the objects of the lines of an action in the audit log.
func (p *process) told(action string) map[string]bool {
	p.t.Helper()
	var all struct {
		Records []struct{ Action, Object, Result string }
	}
	response, text := p.do("GET", "/api/audit", "")
	if err := json.Unmarshal(text, &all); err != nil {
		p.t.Fatalf("%s %s: %v", response.Status, text, err)
	}
	names := map[string]bool{}
	for _, e := range all.Records {
		if e.Action == action && e.Result == "ok" {
			names[e.Object] = true
		}
	}
	return names
}
