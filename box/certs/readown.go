package certs

import (
	"bytes"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/sha1"
	"crypto/sha256"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"fmt"
	"io/fs"
	"math/big"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"quaywatch/store/files"
)

// ReadAuthority reads the authority in a folder of certificates, for a command beside a running service. It is fs.ErrNotExist where
// there is none.
func ReadAuthority(dir string) (Authority, error) {
	text, err := os.ReadFile(filepath.Join(dir, authorityFile))
	if err != nil {
		return Authority{}, fmt.Errorf("read the authority: %w", err)
	}
	c, err := parse(text)
	if err != nil {
		return Authority{}, fmt.Errorf("read the authority %s: %w", filepath.Join(dir, authorityFile), err)
	}
	return authorityOf(c), nil
}

func authorityOf(c *x509.Certificate) Authority {
	a := Authority{PEM: pemOf(c.Raw), Fingerprint: fingerprint(c.Raw), NotAfter: c.NotAfter, Names: slices.Clone(c.PermittedDNSDomains)}
	for _, at := range permitted(c) {
		a.Names = append(a.Names, at.String())
	}
	return a
}

func fingerprint(raw []byte) string {
	sum := sha256.Sum256(raw)
	var parts []string
	for _, b := range sum {
		parts = append(parts, fmt.Sprintf("%02X", b))
	}
	return strings.Join(parts, ":")
}

// keyID is how a certificate names the key of its authority (RFC 5280, 4.2.1.2).
func keyID(public *ecdsa.PublicKey) []byte {
	point, err := public.Bytes()
	if err != nil {
		return nil
	}
	sum := sha1.Sum(point)
	return sum[:]
}

func makeSerial() *big.Int {
	var b [16]byte
	rand.Read(b[:])
	b[0] &= 0x7f // a serial number is positive
	return new(big.Int).SetBytes(b[:])
}

// readKey reads the key of the authority, or makes it where there is none. A key is never written over.
func readKey(path string) (*ecdsa.PrivateKey, error) {
	text, err := os.ReadFile(path)
	switch {
	case err == nil:
		if key := parseKey(text); key != nil {
			return key, nil
		}
		return nil, fmt.Errorf("read the key of the authority: %s holds none", path)
	case !errors.Is(err, fs.ErrNotExist):
		return nil, fmt.Errorf("read the key of the authority: %w", err)
	}
	if _, err := os.Stat(filepath.Join(filepath.Dir(path), authorityFile)); err == nil {
		return nil, fmt.Errorf("read the key of the authority: %s is gone", path)
	}
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, fmt.Errorf("make a key: %w", err)
	}
	if text, err = pemOfKey(key); err != nil {
		return nil, err
	}
	return key, write(path, text)
}

// readAuthority returns the authority of a file, nil when there is no file.
func readAuthority(path string, key *ecdsa.PrivateKey) (*x509.Certificate, error) {
	text, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read the authority: %w", err)
	}
	c, err := parse(text)
	if err == nil && !key.PublicKey.Equal(c.PublicKey) {
		err = errors.New("it is not of the key beside it")
	}
	if err != nil {
		return nil, fmt.Errorf("read the authority %s: %w", path, err)
	}
	return c, nil
}

// readLeaves returns the key and the certificates of a file. What cannot be read is left out, and made anew: nobody trusts it by itself.
func readLeaves(path string) (key *ecdsa.PrivateKey, list []*x509.Certificate) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, nil
	}
	if key = parseKey(text); key == nil {
		return nil, nil
	}
	for block, rest := pem.Decode(text); block != nil; block, rest = pem.Decode(rest) {
		if c, err := x509.ParseCertificate(block.Bytes); err == nil && key.PublicKey.Equal(c.PublicKey) {
			list = append(list, c)
		}
	}
	return key, list
}

func parse(text []byte) (*x509.Certificate, error) {
	block, _ := pem.Decode(text)
	if block == nil {
		return nil, errors.New("it holds no certificate")
	}
	return x509.ParseCertificate(block.Bytes)
}

func parseKey(text []byte) *ecdsa.PrivateKey {
	block, _ := pem.Decode(text)
	if block == nil {
		return nil
	}
	key, err := x509.ParsePKCS8PrivateKey(block.Bytes)
	if err != nil {
		return nil
	}
	private, _ := key.(*ecdsa.PrivateKey)
	return private
}

func pemOf(raw []byte) []byte { return pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: raw}) }

func pemOfKey(key *ecdsa.PrivateKey) ([]byte, error) {
	raw, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		return nil, fmt.Errorf("write a key: %w", err)
	}
	return pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: raw}), nil
}

// write puts a file in the place of another in one step, readable by the service alone.
func write(path string, text []byte) error {
	if was, err := os.ReadFile(path); err == nil && bytes.Equal(was, text) {
		return nil
	}
	if err := files.Write(path, text); err != nil {
		return fmt.Errorf("write %s: %w", path, err)
	}
	return nil
}
