package acceptance

import (
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// namedAddress is an internet address in a line of strace, of either family.
var namedAddress = regexp.MustCompile(`inet_addr\("([^"]+)"\)|inet_pton\(AF_INET6, "([^"]+)"`)

// calledAddresses returns the addresses that a program connected or sent to, by the trace of strace, with a line of each.
func calledAddresses(t *testing.T, trace string) map[netip.Addr]string {
	t.Helper()
	text, err := os.ReadFile(trace)
	if err != nil {
		t.Fatal(err)
	}
	called := map[netip.Addr]string{}
	for line := range strings.Lines(string(text)) {
		for _, found := range namedAddress.FindAllStringSubmatch(line, -1) {
			address, err := netip.ParseAddr(found[1] + found[2])
			if err != nil {
				t.Fatalf("%v in %s", err, line)
			}
			called[address.Unmap()] = line
		}
	}
	return called
}

// TestNothingGoesOutward: a box connects and sends to nothing but what its configuration names, while it is asked for all kinds of what it
// gives out: no names are looked up, no map, font, clock, certificate or newer version is asked for. Its feed, on the loopback, must be seen.
func TestNothingGoesOutward(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("strace"); err != nil {
		t.Skip("strace is not installed; make test installs it")
	}
	receiver, err := net.Listen("tcp", "127.0.0.2:0") // an address that nothing else of the program has
	if err != nil {
		t.Fatal(err)
	}
	defer receiver.Close()
	dir := t.TempDir()
	trace, path := filepath.Join(dir, "trace"), filepath.Join(dir, "quaywatch.toml")
	config := fmt.Sprintf("[[feed]]\nname = \"mast\"\nurl = \"tcp://%s\"\n", receiver.Addr())
	if err := os.WriteFile(path, []byte(config), 0o600); err != nil {
		t.Fatal(err)
	}
	p := launchPrefixed(t, dir, []string{"strace", "-D", "-f", "--seccomp-bpf", "-qq", "-o", trace, "-e", "trace=connect,sendto,sendmsg,sendmmsg"},
		"serve", "--config", path)
	p.waitReady(patience)
	mast, err := receiver.Accept()
	if err != nil {
		t.Fatal(err)
	}
	defer mast.Close()
	canary(t, p, mast, 219000001, 1, patience)
	askForAll(t, p)
	p.stop(patience)
	called := calledAddresses(t, trace)
	for address, line := range called {
		if !address.IsLoopback() {
			t.Errorf("something went to %v: %s", address, line)
		}
	}
	if _, seen := called[netip.MustParseAddr("127.0.0.2")]; !seen {
		t.Errorf("the trace lacks the feed: it has %v", called)
	}
}

// askForAll asks a box for each kind of what it gives out.
func askForAll(t *testing.T, p *process) {
	t.Helper()
	const (
		served = "/api/portserver"
		route  = `{"source":{"position":{"type":"Point","coordinates":[11.2,56.6]}},"destination":{"position":{"type":"Point","coordinates":[10.7,57.75]}}}`
	)
	for _, ask := range []struct {
		method, path, body string
	}{
		{"GET", "/", ""},
		{"GET", "/api/session", ""},
		{"GET", "/api/status", ""},
		{"GET", "/api/chart", ""},
		{"GET", "/api/tls", ""},
		{"GET", "/metrics", ""},
		{"GET", "/api/filter/reading?text=tanker", ""},
		{"GET", served + "/ship/info/219000001", ""},
		{"GET", served + "/port/list", ""},
		{"POST", served + "/ship/route", route},
		{"GET", "/api/wms?service=WMS&request=GetCapabilities", ""},
		{"GET", "/api/config/user", ""},
		{"GET", "/api/audit", ""},
	} {
		response, text := p.do(ask.method, ask.path, ask.body)
		if response.StatusCode != http.StatusOK {
			t.Errorf("%s %s: %s %.300s", ask.method, ask.path, response.Status, text)
		}
	}
}
