package acceptance

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"net/http/cookiejar"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"quaywatch/ais"
	"quaywatch/internal/await"
)

// The tests of this file break what the real binary depends on: its disk, its port, its input, its watchdog.

// udpFeed is a configuration with one UDP feed, and a connection to send to it.
func udpFeed(t testing.TB) (config string, conn net.Conn) {
	t.Helper()
	port := freePort(t, "udp")
	conn, err := net.Dial("udp", fmt.Sprintf("127.0.0.1:%d", port))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	return fmt.Sprintf("[[feed]]\nname = \"udp\"\nurl = \"udp://127.0.0.1:%d\"\n[store]\nsync_interval = \"100ms\"\n", port), conn
}

// sentences encodes a message as it is said on the air.
func sentences(t testing.TB, m ais.Message) []byte {
	t.Helper()
	text, err := ais.NewEncoder("AIVDM").Sentences(nil, m, 'A')
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// aShip is a position report of a ship that sails slowly north from step to step, never the same message twice.
func aShip(mmsi ais.MMSI, step int) *ais.PositionReport {
	return &ais.PositionReport{
		Header: ais.Header{Type: 1, MMSI: mmsi},
		Place:  ais.Place{Lon: 6000000 + int32(mmsi%200)*600, Lat: 33600000 + int32(step%5000)*20},
		SOG:    ais.SOGTenths(50), COG: ais.COGTenths(0), Heading: ais.HeadingDegrees(0), Status: ais.StatusUnderWayEngine,
		Second: 60, // not available: what is sent now is of now
	}
}

// canary sends a ship until the interface answers with its new place, and returns how long that took.
func canary(t testing.TB, p *process, send io.Writer, mmsi ais.MMSI, step int, limit time.Duration) time.Duration {
	t.Helper()
	want := aShip(mmsi, step).Place
	start := time.Now()
	there := func() bool {
		response, text := p.do("GET", fmt.Sprintf("/api/portserver/ship/position/%d", mmsi), "")
		var record struct {
			Position struct{ Coordinates []any }
		}
		if response.StatusCode != http.StatusOK || json.Unmarshal(text, &record) != nil || len(record.Position.Coordinates) < 2 {
			return false
		}
		lat, _ := record.Position.Coordinates[1].(float64)
		return lat > float64(want.Lat)/600000-1e-5
	}
	eventually(t, limit, fmt.Sprintf("ship %d moves to step %d", mmsi, step), func() bool {
		if _, err := send.Write(sentences(t, aShip(mmsi, step))); errors.Is(err, syscall.ECONNREFUSED) {
			return false // the feed is not open yet
		} else if err != nil {
			t.Fatal(err)
		}
		for range await.Looks(20 * time.Millisecond) { // then it is sent again: a datagram may be lost
			if there() {
				return true
			}
		}
		return false
	})
	return time.Since(start)
}

// TestSecondCopyEnds is row 23 of the fault matrix: a second service on one folder says so and leaves the file alone.
func TestSecondCopyEnds(t *testing.T) {
	dir := t.TempDir()
	config, conn := udpFeed(t)
	p := startServe(t, dir, config)
	canary(t, p, conn, 219000001, 1, patience)
	withinLimit(t, 2*busySecond, "the second copy's end", func() time.Duration {
		start := time.Now()
		second := launch(t, dir, "serve")
		select {
		case <-second.ended:
		case <-time.After(patience):
			t.Fatal("the second copy runs")
		}
		took := time.Since(start)
		if code := second.cmd.ProcessState.ExitCode(); code != 1 || !strings.Contains(second.stderr.String(), "in use") {
			t.Errorf("exit %d: %s", code, second.stderr.String())
		}
		return took
	})
	canary(t, p, conn, 219000001, 2, patience)
}

// TestStopIsQuick is row 22: SIGTERM drains, syncs and exits 0; what was heard just before is there after.
func TestStopIsQuick(t *testing.T) {
	dir := t.TempDir()
	config, conn := udpFeed(t)
	p := startServe(t, dir, config)
	step := 0
	withinLimit(t, busyStop, "the stop", func() time.Duration {
		for range 5 {
			step++
			canary(t, p, conn, 219000001, step, patience)
		}
		live, err := http.NewRequest("GET", p.base+"/api/live", nil)
		if err != nil {
			t.Fatal(err)
		}
		live.SetBasicAuth("admin", adminPassword)
		response, err := http.DefaultClient.Do(live) // an open stream must not hold the stop up
		if err != nil {
			t.Fatal(err)
		}
		defer response.Body.Close()
		start := time.Now()
		if code := p.stop(patience); code != 0 {
			t.Errorf("exit %d: %s", code, p.stderr.String())
		}
		took := time.Since(start)
		p = startServe(t, dir, config)
		var ship struct{ MMSI int }
		p.get("/api/portserver/ship/position/219000001", &ship)
		return took
	})
}

// TestCutDuringFirstStart is row 3: whatever moment of the very first start the plug is pulled at, the next start works.
func TestCutDuringFirstStart(t *testing.T) {
	t.Parallel()
	config, _ := udpFeed(t)
	seed := uint64(time.Now().UnixNano())
	t.Logf("seed %d", seed)
	random := rand.New(rand.NewPCG(seed, 3))
	for range 40 {
		dir := t.TempDir()
		path := filepath.Join(dir, "quaywatch.toml")
		if err := os.WriteFile(path, []byte(config), 0o600); err != nil {
			t.Fatal(err)
		}
		p := launch(t, dir, "serve", "--config", path)
		goesOnFor(time.Duration(random.IntN(120)) * time.Millisecond)
		p.kill()
		q := start(t, dir, "serve", "--config", path)
		if response, text := q.do("GET", "/api/portserver/ship/search/x", ""); response.StatusCode != http.StatusOK {
			// The user table may have been made by the cut start with the same password; anything but an answer is a half-made store.
			t.Fatalf("after a cut first start: %s %s", response.Status, text)
		}
		q.kill()
	}
}

// TestDiskFull is row 4: the live picture goes on, writes answer 507, and writing begins again by itself when there is space.
func TestDiskFull(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if err := syscall.Mount("tmpfs", dir, "tmpfs", 0, "size=160m"); err != nil {
		t.Skipf("a small file system cannot be mounted here (%v); store tests cover the same with a failing file", err)
	}
	t.Cleanup(func() { _ = syscall.Unmount(dir, syscall.MNT_DETACH) })
	config, conn := udpFeed(t)
	p := startServe(t, dir, config)
	canary(t, p, conn, 219000001, 1, patience)
	ballast := filepath.Join(dir, "ballast")
	step, lists := 1, 0
	write := func() int {
		lists++
		response, _ := p.do("POST", "/api/config/shiplist", fmt.Sprintf(`{"name":"list %d","ships":[{"mmsi":5}]}`, lists))
		return response.StatusCode
	}
	withinLimit(t, 5*busySecond, "the first write after there was room", func() time.Duration {
		fill(t, ballast)
		for range 38 {
			step++
			canary(t, p, conn, 219000001, step, patience)
		}
		full := false
		for range 400 { // there may be free pages in the file for the first ones
			if code := write(); code == http.StatusInsufficientStorage {
				full = true
				break
			} else if code != http.StatusOK && code != http.StatusCreated {
				t.Fatalf("a write on a full disk: %d", code)
			}
		}
		if !full {
			t.Error("no write on a full disk was answered 507")
		}
		signInToSeeWhy(t, p)
		if err := os.Remove(ballast); err != nil {
			t.Fatal(err)
		}
		start := time.Now()
		eventually(t, patience, "writes work again", func() bool { c := write(); return c == http.StatusOK || c == http.StatusCreated })
		return time.Since(start)
	})
	canary(t, p, conn, 219000001, step+10, patience)
}

// signInToSeeWhy signs in while nothing can be written, and reads with that session what is wrong.
func signInToSeeWhy(t *testing.T, p *process) {
	t.Helper()
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	client := http.Client{Jar: jar}
	response, err := client.Post(p.base+"/api/session", "application/json", strings.NewReader(fmt.Sprintf(`{"name":"admin","password":%q}`, adminPassword)))
	if err != nil {
		t.Fatal(err)
	}
	response.Body.Close()
	if response.StatusCode != http.StatusOK {
		t.Errorf("sign-in on a full disk: %s", response.Status)
	}
	eventually(t, patience, "the status tells that the disk is full", func() bool {
		response, err := client.Get(p.base + "/api/status")
		if err != nil {
			t.Fatal(err)
		}
		defer response.Body.Close()
		text, err := io.ReadAll(response.Body)
		return err == nil && response.StatusCode == http.StatusOK && bytes.Contains(text, []byte(`"disk_full"`))
	})
}

// fill writes until the file system is full.
func fill(t *testing.T, path string) {
	t.Helper()
	file, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	for size := 1 << 20; size >= 512; size /= 2 {
		for {
			if _, err := file.Write(make([]byte, size)); err != nil {
				break
			}
		}
	}
}

// TestSyncError: failed syncs are reported and the picture goes on. The store writes again once syncs succeed, and its content is
// whole. Tests of the store check that nothing is acknowledged meanwhile.
func TestSyncError(t *testing.T) {
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
	startServe(t, dir, config).stop(patience) // the first start, without faults, makes the files
	// Each thread of the process has its own count: the two syncs of the start pass, whichever threads make them. The tracer is no
	// parent of the service, which goes on without it.
	trace := []string{"strace", "-D", "-f", "-o", filepath.Join(dir, "trace"), "-e", "trace=fdatasync,fsync",
		"-e", "inject=fdatasync,fsync:error=EIO:when=3+"}
	p := launchPrefixed(t, dir, trace, "serve", "--config", path)
	p.waitReady(patience)
	step := 0
	eventually(t, patience, "a failed sync is told", func() bool {
		step++
		if _, err := conn.Write(sentences(t, aShip(219000001, step))); err != nil && !errors.Is(err, syscall.ECONNREFUSED) {
			t.Fatal(err)
		}
		text, err := os.ReadFile(filepath.Join(dir, "trace"))
		return err == nil && bytes.Contains(text, []byte("EIO")) && strings.Contains(p.stderr.String(), "input/output error")
	})
	canary(t, p, conn, 219000001, step+1, patience)
	p.endTrace()
	// The tries to open the database anew are ever farther apart, up to fifteen seconds.
	eventually(t, patience, "the store writes again", func() bool {
		response, _, err := p.try("GET", "/readyz", "")
		return err == nil && response.StatusCode == http.StatusOK
	})
	p.kill()
	if out, stderr, code := runCommand(t, "", "check", "--data-dir", filepath.Join(dir, "data")); code != 0 {
		t.Errorf("check: exit %d\n%s%s", code, out, stderr)
	}
}

// endTrace ends the tracer of the service, and with it the faults.
func (p *process) endTrace() {
	p.t.Helper()
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", p.cmd.Process.Pid))
	if err != nil {
		p.t.Fatal(err)
	}
	for line := range strings.Lines(string(text)) {
		var tracer int
		if n, _ := fmt.Sscanf(line, "TracerPid: %d", &tracer); n == 1 && tracer > 0 {
			if err := syscall.Kill(tracer, syscall.SIGKILL); err != nil {
				p.t.Fatal(err)
			}
			return
		}
	}
	p.t.Fatal("no program traces the service")
}

// TestDamagedStore is row 6: bytes flipped in any page, or a file cut short, never crash the start and never cost the file.
func TestDamagedStore(t *testing.T) {
	t.Parallel()
	whole := t.TempDir()
	config, conn := udpFeed(t)
	p := startServe(t, whole, config)
	for mmsi := ais.MMSI(219000001); mmsi < 219000040; mmsi++ {
		canary(t, p, conn, mmsi, 1, patience)
	}
	p.stop(patience)
	good, err := os.ReadFile(filepath.Join(whole, "data", "quaywatch.db"))
	if err != nil {
		t.Fatal(err)
	}
	wal, err := os.ReadFile(filepath.Join(whole, "data", "quaywatch.wal"))
	if err != nil {
		t.Fatal(err)
	}
	damage := map[string][]byte{"empty": {}, "cut in the middle": good[:len(good)/2], "cut in a page": good[:5000], "garbage": bytes.Repeat([]byte("quay"), 4096)}
	used := len(bytes.TrimRight(good, "\x00"))
	for page := 0; page*4096 < used; page += max(1, used/4096/12) {
		bad := slices.Clone(good)
		for i := range 64 {
			bad[page*4096+i*61] ^= 0xff
		}
		damage[fmt.Sprintf("page %d", page)] = bad
	}
	for name, bad := range damage {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			if err := os.MkdirAll(filepath.Join(dir, "data"), 0o700); err != nil {
				t.Fatal(err)
			}
			file := filepath.Join(dir, "data", "quaywatch.db")
			if err := os.WriteFile(file, bad, 0o600); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(filepath.Join(dir, "data", "quaywatch.wal"), wal, 0o600); err != nil {
				t.Fatal(err)
			}
			holdDamage(t, dir, file, bad)
		})
	}
}

func holdDamage(t *testing.T, dir, file string, bad []byte) {
	t.Helper()
	p := launch(t, dir, "serve")
	started := false
	eventually(t, patience, "it starts or ends", func() bool {
		select {
		case <-p.ended:
			return true
		default:
		}
		response, err := http.Get(p.base + "/healthz")
		if started = err == nil; started {
			response.Body.Close()
		}
		return started
	})
	if strings.Contains(p.stderr.String(), "goroutine ") || strings.Contains(p.stderr.String(), "fatal error") {
		t.Errorf("it crashed:\n%.2000s", p.stderr.String())
	}
	if started {
		p.kill()
		return // the flipped bytes were in a free page, or are found by the check in the background
	}
	if code := p.cmd.ProcessState.ExitCode(); code != 1 || !strings.Contains(p.stderr.String(), "quaywatch.db") {
		t.Errorf("exit %d without naming the file:\n%s", code, p.stderr.String())
	}
	now, err := os.ReadFile(file)
	if err != nil || sha256.Sum256(now) != sha256.Sum256(bad) {
		t.Errorf("the damaged file was changed (%v)", err)
	}
}

// TestSerialUnplug is row 8: twenty times the receiver is pulled out and put back; each time it is heard again soon, and no file
// descriptor is left behind. The service is a session leader, as under systemd: the hang-up must not end it.
func TestSerialUnplug(t *testing.T) {
	for _, tool := range []string{"socat", "setsid"} {
		if _, err := exec.LookPath(tool); err != nil {
			t.Skipf("%s is not installed; make test installs it", tool)
		}
	}
	dir := t.TempDir()
	ours, theirs := filepath.Join(dir, "receiver"), filepath.Join(dir, "port")
	path := filepath.Join(dir, "quaywatch.toml")
	if err := os.WriteFile(path, fmt.Appendf(nil, "[[feed]]\nname = \"roof\"\nurl = \"serial://%s?baud=38400\"\n", theirs), 0o600); err != nil {
		t.Fatal(err)
	}
	p := launchPrefixed(t, dir, []string{"setsid", "--wait"}, "serve", "--config", path)
	p.waitReady(patience)
	descriptors := 0
	var took []time.Duration
	for cycle := range 20 {
		socat := exec.Command("socat", "pty,raw,echo=0,link="+ours, "pty,raw,echo=0,link="+theirs)
		if err := socat.Start(); err != nil {
			t.Fatal(err)
		}
		eventually(t, patience, "the receiver is plugged in", func() bool { _, err := os.Stat(theirs); return err == nil })
		port, err := os.OpenFile(ours, os.O_WRONLY, 0)
		if err != nil {
			t.Fatal(err)
		}
		again := canary(t, p, port, 219000001, cycle, patience)
		if cycle > 0 {
			took = append(took, again)
		}
		if cycle == 2 {
			descriptors = countDescriptors(t, p)
		}
		port.Close()
		_ = socat.Process.Kill()
		_ = socat.Wait()
		os.Remove(theirs)
		os.Remove(ours)
	}
	if median(took) > 2*busySecond {
		t.Errorf("heard again after %v", took)
	}
	eventually(t, patience, fmt.Sprintf("no more than 3 file descriptors beside the %d after the third cycle", descriptors), func() bool {
		return countDescriptors(t, p) <= descriptors+3
	})
}

// countDescriptors counts the open files of the service, which under a prefix is the prefix's only child.
func countDescriptors(t *testing.T, p *process) int {
	t.Helper()
	entries, err := os.ReadDir(fmt.Sprintf("/proc/%d/fd", servicePID(p)))
	if err != nil {
		t.Fatal(err)
	}
	return len(entries)
}

// describeDescriptors tells the open files of the service, of a connection its line in the kernel's table: addresses and state.
func describeDescriptors(t *testing.T, p *process) (lines []string) {
	t.Helper()
	folder := fmt.Sprintf("/proc/%d/", servicePID(p))
	var connections []string
	for _, table := range []string{"net/tcp", "net/tcp6", "net/udp", "net/udp6"} {
		text, err := os.ReadFile(folder + table)
		if err != nil {
			t.Log(err)
		}
		connections = append(connections, strings.Split(string(text), "\n")...)
	}
	entries, err := os.ReadDir(folder + "fd")
	if err != nil {
		t.Log(err)
	}
	for _, entry := range entries {
		line, err := os.Readlink(folder + "fd/" + entry.Name())
		if err != nil {
			continue // it is closed by now
		}
		if inode, isSocket := strings.CutPrefix(line, "socket:["); isSocket {
			for _, of := range connections {
				if strings.Contains(of, " "+strings.TrimSuffix(inode, "]")+" ") {
					line += of
				}
			}
		}
		lines = append(lines, line)
	}
	return lines
}

func servicePID(p *process) int {
	pid := p.cmd.Process.Pid
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/task/%d/children", pid, pid))
	var child int
	if err == nil {
		if n, _ := fmt.Sscan(string(text), &child); n == 1 {
			return child
		}
	}
	return pid
}

// memory reads the anonymous and resident memory of the service in bytes.
func memory(t testing.TB, p *process) (anonymous, resident int) {
	t.Helper()
	anonymous, resident, err := memoryOf(servicePID(p))
	if err != nil {
		t.Fatal(err)
	}
	return anonymous, resident
}

// memoryOf is memory of a process that may have ended.
func memoryOf(pid int) (anonymous, resident int, err error) {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	for line := range strings.Lines(string(text)) {
		var kib int
		if n, _ := fmt.Sscanf(line, "RssAnon: %d kB", &kib); n == 1 {
			anonymous = kib << 10
		}
		if n, _ := fmt.Sscanf(line, "VmRSS: %d kB", &kib); n == 1 {
			resident = kib << 10
		}
	}
	return anonymous, resident, err
}
