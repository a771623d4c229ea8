package acceptance

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// machine is a network namespace: what begins a command that runs in it.
type machine []string

// run runs a program on the machine and returns what it prints.
func (m machine) run(program string, args ...string) (string, error) {
	line := append(append([]string{}, m...), append([]string{program}, args...)...)
	out, err := exec.Command(line[0], line[1:]...).CombinedOutput()
	return strings.TrimSpace(string(out)), err
}

// hold keeps the network namespace that unshare makes until the test ends.
func hold(t *testing.T, line ...string) machine {
	t.Helper()
	cmd := exec.Command(line[0], append(line[1:], "sleep", "3600")...)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	})
	eventually(t, patience, strings.Join(line, " "), func() bool {
		name, err := os.ReadFile(fmt.Sprintf("/proc/%d/comm", cmd.Process.Pid))
		return err == nil && strings.TrimSpace(string(name)) == "sleep"
	})
	return machine{"nsenter", "-t", fmt.Sprint(cmd.Process.Pid), "-U", "-n", "--preserve-credentials"}
}

// twoMachines are a box at 192.0.2.1 and another machine at 192.0.2.2, on one cable. The test is skipped where none can be made.
func twoMachines(t *testing.T) (box, other machine) {
	t.Helper()
	for _, program := range []string{"unshare", "nsenter", "ip", "curl"} {
		if _, err := exec.LookPath(program); err != nil {
			t.Skipf("%s is not installed; make deps installs it", program)
		}
	}
	if out, err := exec.Command("unshare", "-rn", "ip", "link", "add", "lan0", "type", "veth", "peer", "name", "lan1").CombinedOutput(); err != nil {
		t.Skipf("no network of its own can be made here: %v %s", err, out)
	}
	box = hold(t, "unshare", "-rn")
	other = hold(t, append(append([]string{}, box...), "unshare", "-n")...)
	for _, step := range []struct {
		at   machine
		args string
	}{
		{box, "link set lo up"}, {other, "link set lo up"},
		{box, "link add lan0 type veth peer name lan1 netns " + other[2]},
		{box, "addr add 192.0.2.1/24 dev lan0"}, {other, "addr add 192.0.2.2/24 dev lan1"},
		{box, "link set lan0 up"}, {other, "link set lan1 up"},
	} {
		if out, err := step.at.run("ip", strings.Fields(step.args)...); err != nil {
			t.Fatalf("ip %s: %v %s", step.args, err, out)
		}
	}
	return box, other
}

// TestHTTPSFromASecondMachine: a program on another machine goes on over HTTP, and its password is counted. It reaches HTTPS with the authority
// of the box alone, and with http.plain_sign_in = false no password is taken over HTTP.
func TestHTTPSFromASecondMachine(t *testing.T) {
	t.Parallel()
	box, other := twoMachines(t)
	dir := t.TempDir()
	authority := filepath.Join(dir, "data", "tls", "ca.pem")
	asks := func(from machine, want, url string, more ...string) string {
		t.Helper()
		args := append([]string{"-sS", "--max-time", "60", "-u", "admin:" + adminPassword, "-w", "\n%{http_code}"}, more...)
		out, err := from.run("curl", append(args, url)...)
		at := strings.LastIndexByte(out, '\n') + 1
		if out[at:] != want {
			t.Errorf("%s: %s %v, want %s", url, out, err, want)
		}
		return out[:at]
	}
	counted := func(want float64) {
		t.Helper()
		var status struct {
			HTTPS struct {
				Clear float64 `json:"plain_sign_ins"`
			}
			Clear float64 `json:"plain_sign_ins"`
		}
		text := asks(box, "200", "http://127.0.0.1:8080/api/status")
		if err := json.Unmarshal([]byte(text), &status); err != nil || max(status.Clear, status.HTTPS.Clear) != want {
			t.Errorf("%v passwords came in clear, want %v: %v %.500s", status.Clear, want, err, text)
		}
	}
	serve := func(more ...string) *process {
		t.Helper()
		p := launchPrefixed(t, dir, box, append([]string{"serve", "--http.listen", "0.0.0.0:8080"}, more...)...)
		eventually(t, patience, "the box answers", func() bool {
			_, err := box.run("curl", "-sSf", "-o", "/dev/null", "--cacert", authority, "https://localhost:8443/readyz")
			return err == nil
		})
		return p
	}

	p := serve()
	counted(0)
	asks(other, "200", "http://192.0.2.1:8080/api/status")
	asks(other, "200", "http://192.0.2.1:8080/metrics", "-o", "/dev/null")
	counted(2)
	asks(other, "200", "https://192.0.2.1:8443/api/status", "--cacert", authority)
	asks(other, "000", "https://192.0.2.1:8443/api/status") // without the authority
	counted(2)
	eventually(t, patience, "the notice of passwords in clear stands in the status", func() bool {
		return strings.Contains(asks(box, "200", "http://127.0.0.1:8080/api/status"), "sent_in_clear")
	})
	p.stop(patience)

	p = serve("--http.plain_sign_in=false")
	if text := asks(other, "403", "http://192.0.2.1:8080/api/status"); !strings.Contains(text, `"plain_sign_in"`) {
		t.Errorf("the refusal says %s", text)
	}
	asks(other, "200", "http://192.0.2.1:8080/healthz", "-o", "/dev/null", "-u", ":")
	asks(other, "200", "https://192.0.2.1:8443/api/status", "--cacert", authority)
	asks(box, "200", "http://127.0.0.1:8080/api/status")
	p.stop(patience)
}
