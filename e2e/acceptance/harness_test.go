// Package acceptance holds the tests and benchmarks that drive the built binary: by its command line, its ports and its files.
package acceptance

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"quaywatch/internal/await"
)

// adminPassword is what the tests give the first administrator.
const adminPassword = "harbour-master-1"

// patience is how long a test waits for what must come, also on a slow and busy machine; it is no measure of anything.
const patience = 2 * time.Minute

// busySecond is what a bar of a second allows on a machine that is busy with something else.
const busySecond = 10 * time.Second

// builtIn is the folder of the binary, "" until it is built.
var builtIn string

// builtBinary is built once in a test run, without the race detector, as an operator's binary is. make gives its own binary
// instead.
var builtBinary = sync.OnceValues(func() (string, error) {
	if path := os.Getenv("QUAYWATCH_BIN"); path != "" {
		return path, nil
	}
	var err error
	if builtIn, err = os.MkdirTemp("", "quaywatch-bin-*"); err != nil {
		return "", err
	}
	path := filepath.Join(builtIn, "quaywatch")
	build := exec.Command("go", "build", "-tags", "nomsgpack", "-o", path, "../..")
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		return "", fmt.Errorf("build: %w\n%s", err, out)
	}
	return path, nil
})

func TestMain(m *testing.M) {
	code := m.Run()
	if builtIn != "" {
		_ = os.RemoveAll(builtIn)
	}
	os.Exit(code)
}

func binary(t testing.TB) string {
	t.Helper()
	path, err := builtBinary()
	if err != nil {
		t.Fatal(err)
	}
	return path
}

// testData returns the path of a file of recorded data, and skips the test where the folder is not there.
func testData(t testing.TB, name string) string {
	t.Helper()
	folder := os.Getenv("QUAYWATCH_TESTDATA")
	if folder == "" {
		folder = "../../../shared/data"
	}
	path := filepath.Join(folder, name)
	if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
		t.Skipf("recorded data is not here (%s); QUAYWATCH_TESTDATA names its folder", name)
	} else if err != nil {
		t.Fatal(err)
	}
	return path
}

// configFile writes a configuration.
func configFile(t testing.TB, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "quaywatch.toml")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// process is a running quaywatch.
type process struct {
	t      testing.TB
	cmd    *exec.Cmd
	base   string // "http://127.0.0.1:port"
	plain  bool   // it asks for no compression
	dir    string
	stdout *lockedBuffer
	stderr *lockedBuffer
	ended  chan struct{}
	err    error
}

type lockedBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (l *lockedBuffer) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

func (l *lockedBuffer) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}

// freePort returns a port of the loopback address that nothing listens on, and that nothing else will take before the test ends: it lies
// below the ports that the kernel gives out, and tests of other runs too find it held on an address of its own.
func freePort(t testing.TB, network string) int {
	t.Helper()
	for range 1000 {
		port := 12000 + rand.IntN(20000)
		held, err := net.Listen("tcp", fmt.Sprintf("127.99.0.1:%d", port))
		if err != nil {
			continue
		}
		if !isFree(network, fmt.Sprintf("127.0.0.1:%d", port)) {
			held.Close()
			continue
		}
		t.Cleanup(func() { held.Close() })
		return port
	}
	t.Fatalf("no port of %s is free", network)
	return 0
}

func isFree(network, address string) bool {
	var open io.Closer
	var err error
	if network == "udp" {
		open, err = net.ListenPacket("udp", address)
	} else {
		open, err = net.Listen("tcp", address)
	}
	if err == nil {
		open.Close()
	}
	return err == nil
}

// startServe writes config (feeds and stores, as TOML without data_dir and http) into dir and starts `quaywatch serve` on it. What is
// sent to its feeds by UDP from then on is heard.
func startServe(t testing.TB, dir, config string) *process {
	t.Helper()
	path := filepath.Join(dir, "quaywatch.toml")
	if err := os.WriteFile(path, []byte(config), 0o600); err != nil {
		t.Fatal(err)
	}
	p := start(t, dir, "serve", "--config", path)
	if strings.Contains(config, "udp://") {
		p.awaitFeeds("udp://")
	}
	return p
}

// awaitFeeds waits until the feeds of a kind are open: the API may answer before.
func (p *process) awaitFeeds(kind string) {
	p.t.Helper()
	eventually(p.t, patience, "the feeds are open", func() bool {
		var status struct {
			Feeds []struct {
				URL       string
				Connected bool
			}
		}
		p.get("/api/status", &status)
		for _, f := range status.Feeds {
			if strings.HasPrefix(f.URL, kind) && !f.Connected {
				return false
			}
		}
		return true
	})
}

// start runs a serving command of the real binary with its data in dir and waits until it answers.
func start(t testing.TB, dir string, args ...string) *process {
	t.Helper()
	p := launch(t, dir, args...)
	p.waitReady(patience)
	return p
}

// launch runs a serving command and does not wait.
func launch(t testing.TB, dir string, args ...string) *process {
	t.Helper()
	return launchPrefixed(t, dir, nil, args...)
}

// launchPrefixed runs the binary under another program (strace, prlimit, setsid).
func launchPrefixed(t testing.TB, dir string, prefix []string, args ...string) *process {
	t.Helper()
	return launchCommand(t, dir, append(slices.Clone(prefix), binary(t)), args...)
}

// launchCommand runs a serving command of the program that command begins with, which may be another build.
func launchCommand(t testing.TB, dir string, command []string, args ...string) *process {
	t.Helper()
	listen := fmt.Sprintf("127.0.0.1:%d", freePort(t, "tcp"))
	line := slices.Concat(command, []string{args[0], "--data-dir", filepath.Join(dir, "data"), "--listen", listen}, args[1:])
	p := &process{t: t, base: "http://" + listen, dir: dir, stdout: &lockedBuffer{}, stderr: &lockedBuffer{}, ended: make(chan struct{})}
	p.cmd = exec.Command(line[0], line[1:]...)
	p.cmd.Stdout, p.cmd.Stderr = p.stdout, p.stderr
	p.cmd.Env = append(os.Environ(), "QUAYWATCH_ADMIN_PASSWORD="+adminPassword)
	p.cmd.WaitDelay = time.Second // a child that outlives its prefix would hold the pipes
	if err := p.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	go func() {
		p.err = p.cmd.Wait()
		close(p.ended)
	}()
	t.Cleanup(func() {
		p.kill()
		if t.Failed() {
			t.Logf("standard error of the process:\n%.8000s", p.stderr.String())
		}
	})
	return p
}

// waitReady polls /healthz: any answer of the server will do, readiness itself is tested elsewhere.
func (p *process) waitReady(limit time.Duration) {
	p.t.Helper()
	for range await.Looks(limit) {
		response, err := http.Get(p.base + "/healthz")
		if err == nil {
			response.Body.Close()
			return
		}
		select {
		case <-p.ended:
			p.t.Fatalf("the process ended: %v\n%s", p.err, p.stderr.String())
		default:
		}
	}
	p.t.Fatalf("no answer within %v\n%s", limit, p.stderr.String())
}

// kill pulls the plug, also of a service that runs under a prefix.
func (p *process) kill() {
	if pid := servicePID(p); pid != p.cmd.Process.Pid {
		_ = syscall.Kill(pid, syscall.SIGKILL)
	}
	_ = p.cmd.Process.Kill()
	<-p.ended
}

// stop asks the process to end, waits, and returns the exit code.
func (p *process) stop(limit time.Duration) int {
	p.t.Helper()
	if err := p.cmd.Process.Signal(syscall.SIGTERM); err != nil && !errors.Is(err, os.ErrProcessDone) {
		p.t.Fatal(err)
	}
	select {
	case <-p.ended:
	case <-time.After(limit):
		p.t.Fatalf("did not stop within %v", limit)
	}
	return p.cmd.ProcessState.ExitCode()
}

// do sends a request as the administrator and returns the answer with its body read.
func (p *process) do(method, path, body string) (*http.Response, []byte) {
	p.t.Helper()
	response, text, err := p.try(method, path, body)
	if err != nil {
		p.t.Fatalf("%s %s: %v", method, path, err)
	}
	return response, text
}

func (p *process) try(method, path, body string) (*http.Response, []byte, error) {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, method, p.base+path, strings.NewReader(body))
	if err != nil {
		return nil, nil, err
	}
	request.SetBasicAuth("admin", adminPassword)
	if body != "" {
		request.Header.Set("Content-Type", "application/json")
	}
	if p.plain {
		request.Header.Set("Accept-Encoding", "identity")
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return nil, nil, err
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	return response, text, err
}

// get decodes the answer of a GET, which must be 200.
func (p *process) get(path string, into any) {
	p.t.Helper()
	response, text := p.do("GET", path, "")
	if response.StatusCode != http.StatusOK {
		p.t.Fatalf("GET %s: %s\n%s", path, response.Status, text)
	}
	if err := json.Unmarshal(text, into); err != nil {
		p.t.Fatalf("GET %s: %v\n%.500s", path, err, text)
	}
}

// eventually polls until ok, for what another process does in its own time.
func eventually(t testing.TB, limit time.Duration, what string, ok func() bool) {
	t.Helper()
	await.Within(t, limit, what, ok)
}

// goesOnFor lets the program work on before its plug is pulled.
func goesOnFor(d time.Duration) {
	time.Sleep(d) // the plug is pulled at any moment of the work, which nothing but time can choose
}

// keepPace lets a load say what is due when it is, so that it has the rate that it should.
func keepPace(due time.Time) {
	time.Sleep(time.Until(due)) // a rate is of a time; late ones catch up, where a ticker would leave some out
}

// withinLimit holds that something is done within a limit. A machine that was busy with something else once says nothing of the program: of
// five tries one has to do, and try gives the time that it took.
func withinLimit(t testing.TB, limit time.Duration, what string, try func() time.Duration) {
	t.Helper()
	var took []time.Duration
	for range 5 {
		took = append(took, try())
		if took[len(took)-1] <= limit {
			return
		}
	}
	t.Errorf("%s took %v, none of it within %v", what, took, limit)
}

// median returns the middle one of the times that something took again and again.
func median(took []time.Duration) time.Duration {
	return percentile(slices.Sorted(slices.Values(took)), 0.5)
}

// command runs one of the short commands of the real binary.
func runCommand(t testing.TB, stdin string, args ...string) (stdout, stderr string, code int) {
	t.Helper()
	cmd := exec.Command(binary(t), args...)
	var out, errs bytes.Buffer
	cmd.Stdin, cmd.Stdout, cmd.Stderr = strings.NewReader(stdin), &out, &errs
	err := cmd.Run()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	return out.String(), errs.String(), cmd.ProcessState.ExitCode()
}
