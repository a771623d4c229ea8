package certs

import (
	"crypto/ecdsa"
	"os"
	"path/filepath"
	"testing"
)

// writePair writes the certificate of a new box, with its key, as an operator or a program that renews certificates does.
func writePair(t *testing.T, dir string) (cert, key string) {
	t.Helper()
	b := newBox(t, "192.0.2.7")
	m := b.own.now.Load()
	text, err := pemOfKey(m.byName.PrivateKey.(*ecdsa.PrivateKey))
	if err != nil {
		t.Fatal(err)
	}
	cert, key = filepath.Join(dir, "cert.pem"), filepath.Join(dir, "key.pem")
	for path, text := range map[string][]byte{cert: pemOf(m.whole.Leaf.Raw), key: text} {
		if err := os.WriteFile(path, text, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return cert, key
}

func TestFilesThatChange(t *testing.T) {
	dir := t.TempDir()
	cert, key := writePair(t, dir)
	f, err := OpenFiles(cert, key)
	if err != nil {
		t.Fatal(err)
	}
	first, _ := f.Certificate(nil)
	if did, err := f.Renew(noon()); did != "" || err != nil {
		t.Errorf("nothing changed: %q %v", did, err)
	}
	if err := os.WriteFile(key, []byte("half"), 0o600); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if did, err := f.Renew(noon()); did != "" || err == nil {
			t.Errorf("a key that is half written: %q %v", did, err)
		}
	}
	if now, _ := f.Certificate(nil); now != first {
		t.Error("the certificate from before does not stay")
	}
	writePair(t, dir)
	if did, err := f.Renew(noon()); did == "" || err != nil {
		t.Errorf("new files: %q %v", did, err)
	}
	if now, _ := f.Certificate(nil); now.Leaf.Equal(first.Leaf) {
		t.Error("the certificate is that from before")
	}
	if f.NotAfter().IsZero() {
		t.Error("the end is not known")
	}
	if _, err := OpenFiles(cert, cert); err == nil {
		t.Error("a certificate without a key is taken")
	}
}
