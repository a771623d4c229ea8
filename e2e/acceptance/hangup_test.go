package acceptance

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"fmt"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// writeCertificate writes a certificate of a number for this machine alone, with its key.
func writeCertificate(t *testing.T, dir string, number int64) {
	t.Helper()
	private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	about := &x509.Certificate{SerialNumber: big.NewInt(number), NotAfter: time.Now().Add(time.Hour), IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}}
	signed, err := x509.CreateCertificate(rand.Reader, about, about, &private.PublicKey, private)
	if err != nil {
		t.Fatal(err)
	}
	secret, err := x509.MarshalPKCS8PrivateKey(private)
	if err != nil {
		t.Fatal(err)
	}
	for file, block := range map[string]*pem.Block{"cert.pem": {Type: "CERTIFICATE", Bytes: signed}, "key.pem": {Type: "PRIVATE KEY", Bytes: secret}} {
		if err := os.WriteFile(filepath.Join(dir, file), pem.EncodeToMemory(block), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

// serialAt returns the number of the certificate that is shown at an address, 0 for none.
func serialAt(address string) int64 {
	conn, err := tls.Dial("tcp", address, &tls.Config{InsecureSkipVerify: true})
	if err != nil {
		return 0
	}
	defer conn.Close()
	return conn.ConnectionState().PeerCertificates[0].SerialNumber.Int64()
}

// TestHangupReadsTheCertificateAnew: SIGHUP does not end the service. New connections get the new certificate; one that cannot be read
// leaves the one from before, and the log tells.
func TestHangupReadsTheCertificateAnew(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	writeCertificate(t, dir, 1)
	path := filepath.Join(dir, "quaywatch.toml")
	text := fmt.Sprintf("[http]\ntls_cert = %q\ntls_key = %q\n", filepath.Join(dir, "cert.pem"), filepath.Join(dir, "key.pem"))
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	p := launch(t, dir, "serve", "--config", path)
	shown := func() int64 { return serialAt(strings.TrimPrefix(p.base, "http://")) }
	hangUp := func() {
		if err := p.cmd.Process.Signal(syscall.SIGHUP); err != nil {
			t.Fatal(err)
		}
	}
	eventually(t, patience, "the first certificate", func() bool { return shown() == 1 })
	writeCertificate(t, dir, 2)
	hangUp()
	eventually(t, patience, "the second certificate", func() bool { return shown() == 2 })
	if err := os.WriteFile(filepath.Join(dir, "key.pem"), []byte("no key"), 0o600); err != nil {
		t.Fatal(err)
	}
	hangUp()
	eventually(t, patience, "the log tells", func() bool { return strings.Contains(p.stderr.String(), "what cannot be read stays as it was") })
	if got := shown(); got != 2 {
		t.Errorf("certificate %d after one that cannot be read", got)
	}
	if code := p.stop(patience); code != 0 {
		t.Errorf("exit %d", code)
	}
}

// TestHangupReadsTheLogLevelAnew: a level that is not one leaves the one from before, and the log tells.
func TestHangupReadsTheLogLevelAnew(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	p := startServe(t, dir, `log_level = "error"`)
	if strings.Contains(p.stderr.String(), `"level":"WARN"`) {
		t.Error("warnings are logged at the level error")
	}
	for _, row := range []struct{ config, told string }{
		{`log_level = "info"`, `"to":"INFO"`},
		{`log_level = "loud"`, "the level of the log from before stays"},
	} {
		if err := os.WriteFile(filepath.Join(dir, "quaywatch.toml"), []byte(row.config), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := p.cmd.Process.Signal(syscall.SIGHUP); err != nil {
			t.Fatal(err)
		}
		eventually(t, patience, row.told, func() bool { return strings.Contains(p.stderr.String(), row.told) })
	}
}
