package command

import (
	"bytes"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"encoding/pem"
	"fmt"
	"math/big"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// runCheck runs check-config on a text, and returns its exit code and what it prints and complains of.
func runCheck(t *testing.T, text string, environ ...string) (code int, printed, wrong string) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "quaywatch.toml")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	var out, complaints bytes.Buffer
	code = run(t.Context(), console{out: &out, err: &complaints, environ: environ}, []string{"check-config", "--config", path})
	return code, out.String(), complaints.String()
}

// writePair writes a certificate and its key into a new folder.
func writePair(t *testing.T) (cert, key string) {
	t.Helper()
	private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := x509.Certificate{SerialNumber: big.NewInt(1)}
	public, err := x509.CreateCertificate(rand.Reader, &template, &template, private.Public(), private)
	if err != nil {
		t.Fatal(err)
	}
	secret, err := x509.MarshalPKCS8PrivateKey(private)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	cert, key = filepath.Join(dir, "cert.pem"), filepath.Join(dir, "key.pem")
	for path, block := range map[string]pem.Block{cert: {Type: "CERTIFICATE", Bytes: public}, key: {Type: "PRIVATE KEY", Bytes: secret}} {
		if err := os.WriteFile(path, pem.EncodeToMemory(&block), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return cert, key
}

// TestCheckConfigWarns: of what the service starts without, in a comment, so that the rest can be read as a configuration.
func TestCheckConfigWarns(t *testing.T) {
	const taken = "# warning: http.listen_tls: feed 1 (\"roof\") has TCP port 8443 already"
	code, printed, _ := runCheck(t, "[[feed]]\nname = \"roof\"\nurl = \"tcp-listen://0.0.0.0:8443\"\n")
	if code != exitOK || !strings.Contains(printed, "\n"+taken) {
		t.Errorf("%d, %s", code, printed)
	}
	const stray = "# warning: environment QUAYWATCH_STOR_RETENTION: nothing reads it, did you mean QUAYWATCH_STORE_RETENTION?"
	if code, printed, _ = runCheck(t, "", "QUAYWATCH_STOR_RETENTION=30d"); code != exitOK || !strings.Contains(printed, "\n"+stray) {
		t.Errorf("%d, %s", code, printed)
	}
	if code, printed, _ = runCheck(t, "", "QUAYWATCH_ADMIN_PASSWORD=x"); code != exitOK || strings.Contains(printed, "# warning") {
		t.Errorf("%d, %s", code, printed)
	}
}

// TestCheckConfigPrintsNoSecret: what is printed ends in tickets and mails.
func TestCheckConfigPrintsNoSecret(t *testing.T) {
	code, printed, wrong := runCheck(t, "[mail]\nhost = \"mail.example\"\nfrom = \"a@port.example\"\nuser = \"a\"\n[[webhook]]\nname = \"desk\"\nurl = \"https://a.example/hush-1\"\ntoken = \"hush-2\"\n",
		"QUAYWATCH_MAIL_PASSWORD=hush-3")
	if code != exitOK || strings.Contains(printed, "hush") || strings.Count(printed, "***") != 3 {
		t.Errorf("%d, %s%s", code, printed, wrong)
	}
}

// TestCheckConfigRefusesWhatServeRefuses: a certificate that cannot serve, and an origin that is none.
func TestCheckConfigRefusesWhatServeRefuses(t *testing.T) {
	cert, key := writePair(t)
	_, other := writePair(t)
	const files = "[http]\ntls = %q\ntls_cert = %q\ntls_key = %q\n"
	for _, row := range []struct {
		text string
		code int
		want string
	}{
		{fmt.Sprintf(files, "on", cert, key), exitOK, ""},
		{fmt.Sprintf(files, "auto", cert, key), exitOK, ""},
		{fmt.Sprintf(files, "on", cert, other), exitFail, "private key does not match"},
		{fmt.Sprintf(files, "auto", cert, other), exitFail, "private key does not match"},
		{fmt.Sprintf(files, "on", cert+"x", key), exitFail, "no such file"},
		{fmt.Sprintf(files, "off", cert+"x", key), exitOK, ""},
		{"[http]\ncors = [\"foo\"]\n", exitUsage, "http.cors: invalid origin \"foo\""},
		{"[http]\ncors = [\"https://a.example\", \"*\"]\n", exitUsage, "http.cors: invalid origin \"*\""},
		{"[http]\ncors = [\"https://a.example\"]\n", exitOK, ""},
	} {
		code, printed, wrong := runCheck(t, row.text)
		if code != row.code || !strings.Contains(wrong, row.want) || (code == exitOK) != strings.HasPrefix(printed, "# good") {
			t.Errorf("%s: %d, %s", row.text, code, wrong)
		}
	}
}
