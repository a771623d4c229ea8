package acceptance

import (
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// acmeName is a name that the authority of the test takes for a public one.
const acmeName = "ais.port.example"

// background runs another program until the test ends.
func background(t *testing.T, env []string, program string, args ...string) (stop func()) {
	t.Helper()
	var said lockedBuffer
	cmd := exec.Command(program, args...)
	cmd.Env = append(os.Environ(), env...)
	cmd.Stdout, cmd.Stderr = &said, &said
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	stop = func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	}
	t.Cleanup(func() {
		stop()
		if t.Failed() {
			t.Logf("%s said:\n%.4000s", program, said.String())
		}
	})
	return stop
}

// startPebble runs an ACME authority that finds acmeName at 127.0.0.1, with its TLS port at port. It returns the address of the authority and the
// file of the certificate that it shows.
func startPebble(t *testing.T, port int) (directory, certificate string, stop func()) {
	t.Helper()
	for _, program := range []string{"pebble", "pebble-challtestsrv"} {
		if _, err := exec.LookPath(program); err != nil {
			t.Skip("pebble, an ACME authority for tests, is not installed; make deps installs it")
		}
	}
	dir := t.TempDir()
	writeCertificate(t, dir, 1)
	listen, management, names := freePort(t, "tcp"), freePort(t, "tcp"), freePort(t, "udp")
	certificate = filepath.Join(dir, "cert.pem")
	config, err := json.Marshal(map[string]any{"pebble": map[string]any{
		"listenAddress": fmt.Sprintf("127.0.0.1:%d", listen), "managementListenAddress": fmt.Sprintf("127.0.0.1:%d", management),
		"certificate": certificate, "privateKey": filepath.Join(dir, "key.pem"), "httpPort": freePort(t, "tcp"), "tlsPort": port,
	}})
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(dir, "pebble.json")
	if err := os.WriteFile(file, config, 0o600); err != nil {
		t.Fatal(err)
	}
	dns := fmt.Sprintf("127.0.0.1:%d", names)
	background(t, nil, "pebble-challtestsrv", "-defaultIPv6", "", "-dns01", dns, "-http01", "", "-https01", "", "-tlsalpn01", "",
		"-management", fmt.Sprintf("127.0.0.1:%d", freePort(t, "tcp")))
	stop = background(t, []string{"PEBBLE_VA_NOSLEEP=1"}, "pebble", "-config", file, "-dnsserver", dns)
	eventually(t, patience, "the authority answers", func() bool { return !isFree("tcp", fmt.Sprintf("127.0.0.1:%d", listen)) })
	return fmt.Sprintf("https://127.0.0.1:%d/dir", listen), certificate, stop
}

// TestACMEGetsACertificate: a real authority asks the box at its name, gives it a certificate, and is not needed at the next start.
func TestACMEGetsACertificate(t *testing.T) {
	t.Parallel()
	port := freePort(t, "tcp")
	directory, certificate, stopAuthority := startPebble(t, port)
	dir, address := t.TempDir(), fmt.Sprintf("127.0.0.1:%d", port)
	serve := func() *process {
		p := launchPrefixed(t, dir, []string{"env", "SSL_CERT_FILE=" + certificate}, "serve", "--http.tls", "acme", "--http.tls_names", acmeName,
			"--http.acme_directory", directory, "--http.listen_tls", address)
		p.waitReady(patience)
		return p
	}
	shown := func() *x509.Certificate {
		conn, err := tls.Dial("tcp", address, &tls.Config{ServerName: acmeName, InsecureSkipVerify: true})
		if err != nil {
			return nil
		}
		defer conn.Close()
		return conn.ConnectionState().PeerCertificates[0]
	}
	p := serve()
	var got *x509.Certificate
	eventually(t, patience, "a certificate of the authority", func() bool { got = shown(); return got != nil })
	if err := got.VerifyHostname(acmeName); err != nil || !strings.Contains(got.Issuer.CommonName, "Pebble") {
		t.Errorf("%v by %v: %v", got.DNSNames, got.Issuer, err)
	}
	var status struct {
		HTTPS struct {
			Port     int
			NotAfter string `json:"not_after"`
		}
	}
	eventually(t, patience, "the status tells the end of the certificate", func() bool {
		p.get("/api/status", &status)
		return status.HTTPS.Port == port && status.HTTPS.NotAfter == got.NotAfter.UTC().Format("2006-01-02T15:04:05Z")
	})
	client := &http.Client{Transport: &http.Transport{TLSClientConfig: &tls.Config{ServerName: acmeName, InsecureSkipVerify: true}}}
	response, err := client.Get("https://" + address + "/healthz")
	if err != nil {
		t.Fatal(err)
	}
	response.Body.Close()
	client.CloseIdleConnections()
	if response.StatusCode != 200 {
		t.Errorf("%d %v", response.StatusCode, response.Header)
	}
	if code := p.stop(patience); code != 0 {
		t.Errorf("exit %d", code)
	}
	stopAuthority()
	p = serve()
	eventually(t, patience, "the certificate from before", func() bool { c := shown(); return c != nil && c.Equal(got) })
	for _, name := range []string{"bank.example", ""} {
		if conn, err := tls.Dial("tcp", address, &tls.Config{ServerName: name, InsecureSkipVerify: true}); err == nil {
			conn.Close()
			t.Errorf("the name %q gets a certificate", name)
		}
	}
}

// TestACMEWithoutItsAuthority: the failure is told once, and HTTP goes on.
func TestACMEWithoutItsAuthority(t *testing.T) {
	t.Parallel()
	p := start(t, t.TempDir(), "serve", "--http.tls", "acme", "--http.tls_names", acmeName,
		"--http.acme_directory", fmt.Sprintf("https://127.0.0.1:%d/dir", freePort(t, "tcp")), "--http.listen_tls", fmt.Sprintf("127.0.0.1:%d", freePort(t, "tcp")))
	eventually(t, patience, "the log tells", func() bool {
		return strings.Contains(p.stderr.String(), "get a certificate for "+acmeName+" by ACME")
	})
	if response, _ := p.do("GET", "/api/status", ""); response.StatusCode != 200 {
		t.Errorf("HTTP answers %s", response.Status)
	}
}
