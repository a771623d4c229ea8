package acceptance

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// openPort returns a TCP port that is free on all addresses. Tests of other runs find it held for UDP, on an address that nothing else uses.
func openPort(t *testing.T) int {
	t.Helper()
	for range 1000 {
		port := 4000 + rand.IntN(8000)
		held, err := net.ListenPacket("udp", fmt.Sprintf("127.99.0.2:%d", port))
		if err != nil {
			continue
		}
		if !isFree("tcp", fmt.Sprintf(":%d", port)) {
			held.Close()
			continue
		}
		t.Cleanup(func() { held.Close() })
		return port
	}
	t.Fatal("no port is free")
	return 0
}

// lan runs serve as on a LAN, on all addresses, with these flags.
func lan(t *testing.T, dir string, port, secure int, flags ...string) *process {
	t.Helper()
	p := launch(t, dir, append([]string{"serve", "--http.listen", fmt.Sprintf("0.0.0.0:%d", port), "--http.listen_tls", fmt.Sprintf(":%d", secure)}, flags...)...)
	p.base = fmt.Sprintf("http://127.0.0.1:%d", port)
	p.waitReady(patience)
	return p
}

// tool returns what another program prints, and fails the test when it fails. It trusts the authority alone.
func tool(t *testing.T, authority, program string, args ...string) string {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	cmd := exec.CommandContext(ctx, program, args...)
	cmd.Env = append(os.Environ(), "CURL_CA_BUNDLE="+authority, "GDAL_HTTP_USERPWD=admin:"+adminPassword, "GDAL_HTTP_AUTH=BASIC")
	var wrong bytes.Buffer
	cmd.Stderr = &wrong
	out, err := cmd.Output()
	if err != nil {
		t.Errorf("%s %s: %v\n%s%s", program, strings.Join(args, " "), err, out, wrong.String())
	}
	return string(out)
}

// programs returns what programs that know nothing of HTTPS read from a box: curl with a password, GDAL, a scrape of the metrics, and the
// live stream. None of them follows a redirection.
func programs(t *testing.T, base, authority string) map[string]string {
	t.Helper()
	code := func(path string, more ...string) string {
		args := append([]string{"-sS", "-o", "/dev/null", "-w", "%{http_code} %{content_type}", "--max-redirs", "0"}, more...)
		return tool(t, authority, "curl", append(args, base+path)...)
	}
	basic := []string{"-u", "admin:" + adminPassword}
	read := map[string]string{}
	for _, path := range []string{"/healthz", "/readyz", "/api/openapi.yaml", "/"} {
		read[path] = code(path)
	}
	for _, path := range []string{"/api/status", "/api/session", "/api/portserver/ship/search/KLAPROGGE"} {
		read[path] = code(path, basic...)
	}
	read["without a password"] = code("/api/status")
	scrape := tool(t, authority, "curl", append(basic, "-sS", "-H", "Accept: application/openmetrics-text;version=1.0.0,text/plain;version=0.0.4;q=0.5", base+"/metrics")...)
	if !strings.Contains(scrape, "quaywatch_http_request_seconds_count") {
		t.Errorf("%s: the scrape reads %.300s", base, scrape)
	}
	if _, err := exec.LookPath("ogrinfo"); err == nil {
		read["GDAL"] = tool(t, authority, "ogrinfo", "-ro", "-al", base+"/api/portserver/ship/search/KLAPROGGE?format=geojson")
		if read["GDAL"] = strings.ReplaceAll(read["GDAL"], base, ""); !strings.Contains(read["GDAL"], "POINT (10.2 56.1)") {
			t.Errorf("%s: GDAL reads %s", base, read["GDAL"])
		}
	}
	live, err := exec.Command("timeout", append([]string{"3", "curl", "-sSN", "--cacert", authority, base + "/api/live"}, basic...)...).Output()
	if err == nil || !bytes.Contains(live, []byte("event: picture")) { // it ends only because it is stopped
		t.Errorf("%s: the live stream: %v %.300s", base, err, live)
	}
	return read
}

// TestUpgradeOfABoxWithHTTP: a box that spoke HTTP alone speaks HTTPS too. What programs read over HTTP is what they read before, and the same
// over HTTPS; a session goes on.
func TestUpgradeOfABoxWithHTTP(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("curl"); err != nil {
		t.Skip("curl is not installed; make deps installs it")
	}
	dir, port, secure := t.TempDir(), openPort(t), openPort(t)
	authority := filepath.Join(dir, "data", "tls", "ca.pem")
	p := lan(t, dir, port, secure, "--http.tls", "off")
	entry := `{"name":"KLAPROGGE","position":{"type":"Point","coordinates":[10.2,56.1]}}`
	if response, text := p.do("POST", "/api/portserver/ship/register", entry); response.StatusCode != http.StatusOK {
		t.Fatalf("%s %s", response.Status, text)
	}
	response, text := p.do("POST", "/api/session", fmt.Sprintf(`{"name":"admin","password":%q}`, adminPassword))
	if response.StatusCode != http.StatusOK || len(response.Cookies()) != 1 {
		t.Fatalf("%s %s", response.Status, text)
	}
	session := response.Cookies()[0]
	before := programs(t, p.base, authority)
	if _, err := os.Stat(authority); err == nil || !isFree("tcp", fmt.Sprintf("127.0.0.1:%d", secure)) {
		t.Errorf("http.tls = off: %v", err)
	}
	p.stop(patience)
	p = lan(t, dir, port, secure)
	for _, base := range []string{p.base, fmt.Sprintf("https://localhost:%d", secure), fmt.Sprintf("https://127.0.0.1:%d", secure)} {
		for what, read := range programs(t, base, authority) {
			if read != before[what] {
				t.Errorf("%s: %s reads %q, and before %q", base, what, read, before[what])
			}
		}
	}
	request, err := http.NewRequest("GET", p.base+"/api/session", nil)
	if err != nil {
		t.Fatal(err)
	}
	request.AddCookie(session)
	if response, err = http.DefaultClient.Do(request); err != nil || response.StatusCode != http.StatusOK {
		t.Fatalf("the session of before: %v %v", response, err)
	}
	response.Body.Close()
	if out, err := exec.Command("curl", "-sS", fmt.Sprintf("https://localhost:%d/healthz", secure)).CombinedOutput(); err == nil {
		t.Errorf("curl trusts a box that it does not know: %s", out)
	}
}

// TestTheKeysStayOnTheBox: no backup and no export has them, and tls show prints the fingerprint that callers see.
func TestTheKeysStayOnTheBox(t *testing.T) {
	t.Parallel()
	dir, port, secure := t.TempDir(), openPort(t), openPort(t)
	p := lan(t, dir, port, secure)
	folder := []string{"--data-dir", filepath.Join(dir, "data"), "--http.listen_tls", fmt.Sprintf(":%d", secure)}
	var told struct {
		CA struct{ Fingerprint string }
	}
	p.get("/api/tls", &told)
	if out, wrong, code := runCommand(t, "", append([]string{"tls", "show"}, folder...)...); code != 0 || told.CA.Fingerprint == "" ||
		!strings.Contains(out, "SHA-256 "+told.CA.Fingerprint) || !strings.Contains(out, fmt.Sprintf(":%d/", secure)) {
		t.Errorf("tls show: %d %s%s, and callers see %s", code, out, wrong, told.CA.Fingerprint)
	}
	_, authority := p.do("GET", "/api/tls/ca.crt", "")
	if out, _, code := runCommand(t, "", append([]string{"tls", "show", "--pem"}, folder...)...); code != 0 || out != string(authority) {
		t.Errorf("tls show --pem: %d %s", code, out)
	}
	backup, export := filepath.Join(dir, "copy.backup"), filepath.Join(dir, "box.json")
	for _, args := range [][]string{{"backup", backup}, {"export-config", export}} {
		if out, wrong, code := runCommand(t, "", append([]string{args[0], "--data-dir", filepath.Join(dir, "data")}, args[1:]...)...); code != 0 {
			t.Fatalf("%v: %d %s%s", args, code, out, wrong)
		}
	}
	for _, key := range []string{"ca.key", "leaf.pem"} {
		text, err := os.ReadFile(filepath.Join(dir, "data", "tls", key))
		if err != nil {
			t.Fatal(err)
		}
		secret := bytes.Split(text, []byte("\n"))[1] // the first line of the key itself
		for _, file := range []string{backup, export} {
			if held, err := os.ReadFile(file); err != nil || len(held) == 0 || bytes.Contains(held, secret) {
				t.Errorf("%s holds %s (%v)", file, key, err)
			}
		}
	}
}

// TestABoxWhoseAddressChanges: a new address of an interface is in the certificate without a restart. Those that trust the authority of before go
// on by name.
func TestABoxWhoseAddressChanges(t *testing.T) {
	t.Parallel()
	for _, program := range []string{"unshare", "nsenter", "ip", "curl"} {
		if _, err := exec.LookPath(program); err != nil {
			t.Skipf("%s is not installed", program)
		}
	}
	if out, err := exec.Command("unshare", "-rn", "ip", "link", "set", "lo", "up").CombinedOutput(); err != nil {
		t.Skipf("no network of its own can be made here: %v %s", err, out)
	}
	dir := t.TempDir()
	p := launchPrefixed(t, dir, []string{"unshare", "-rn", "sh", "-c", `ip link set lo up && exec "$@"`, "sh"}, "serve", "--http.listen", "0.0.0.0:8080")
	inside := func(args ...string) (string, error) {
		enter := []string{"-t", fmt.Sprint(p.cmd.Process.Pid), "-U", "-n", "--preserve-credentials"}
		out, err := exec.Command("nsenter", append(enter, args...)...).CombinedOutput()
		return string(out), err
	}
	asks := func(authority, host string) error {
		out, err := inside("curl", "-sS", "--max-time", "20", "--cacert", authority, "https://"+host+":8443/healthz")
		if err != nil {
			err = fmt.Errorf("%w: %s", err, out)
		}
		return err
	}
	now, before := filepath.Join(dir, "data", "tls", "ca.pem"), filepath.Join(dir, "before.pem")
	eventually(t, patience, "HTTPS answers", func() bool { return asks(now, "localhost") == nil })
	text, err := os.ReadFile(now)
	if err == nil {
		err = os.WriteFile(before, text, 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
	if out, err := inside("ip", "addr", "add", "198.51.100.77/32", "dev", "lo"); err != nil {
		t.Fatalf("%v %s", err, out)
	}
	eventually(t, patience, "a certificate for the new address", func() bool { return asks(now, "198.51.100.77") == nil })
	for _, host := range []string{"localhost", "127.0.0.1"} {
		if err := asks(before, host); err != nil {
			t.Errorf("the authority of before, at %s: %v", host, err)
		}
	}
	if asks(before, "198.51.100.77") == nil {
		t.Error("the authority of before vouches for an address that the box did not have")
	}
}

// TestFilesOfTheOperatorAreReadAnew: beside HTTP, without a signal and without a restart.
func TestFilesOfTheOperatorAreReadAnew(t *testing.T) {
	t.Parallel()
	dir, port, secure := t.TempDir(), openPort(t), openPort(t)
	writeCertificate(t, dir, 1)
	p := lan(t, dir, port, secure, "--http.tls", "on", "--http.tls_cert", filepath.Join(dir, "cert.pem"), "--http.tls_key", filepath.Join(dir, "key.pem"))
	at := fmt.Sprintf("127.0.0.1:%d", secure)
	eventually(t, patience, "the first certificate", func() bool { return serialAt(at) == 1 })
	writeCertificate(t, dir, 2)
	eventually(t, patience, "the second certificate", func() bool { return serialAt(at) == 2 })
	var status struct {
		HTTPS json.RawMessage
	}
	if p.get("/api/status", &status); !bytes.Contains(status.HTTPS, []byte(fmt.Sprintf(`"port":%d`, secure))) || bytes.Contains(status.HTTPS, []byte("ca_fingerprint")) {
		t.Errorf("the status tells %s", status.HTTPS)
	}
}

// TestAPortThatIsTaken: nobody asked for HTTPS, so HTTP goes on without it. One that was asked for must be there.
func TestAPortThatIsTaken(t *testing.T) {
	t.Parallel()
	dir, port, secure := t.TempDir(), openPort(t), openPort(t)
	first := lan(t, t.TempDir(), openPort(t), secure)
	second := lan(t, dir, port, secure)
	if !strings.Contains(second.stderr.String(), "there is no HTTPS") {
		t.Error("the log does not tell")
	}
	var told map[string]any
	if second.get("/api/tls", &told); told["https"] != nil {
		t.Errorf("callers are told %v", told)
	}
	second.stop(patience)
	writeCertificate(t, dir, 1)
	third := launch(t, dir, "serve", "--http.listen", fmt.Sprintf("0.0.0.0:%d", port), "--http.listen_tls", fmt.Sprintf(":%d", secure), "--http.tls", "on",
		"--http.tls_cert", filepath.Join(dir, "cert.pem"), "--http.tls_key", filepath.Join(dir, "key.pem"))
	select {
	case <-third.ended:
	case <-time.After(patience):
		t.Error("a port that was asked for and is taken does not end the start")
	}
	if code := first.stop(patience); code != 0 {
		t.Errorf("exit %d", code)
	}
}
