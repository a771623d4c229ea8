package certs

import (
	"crypto/tls"
	"fmt"
	"os"
	"sync"
	"sync/atomic"
	"time"
)

// Files is a certificate of the operator's, in two PEM files. Many goroutines may use it.
type Files struct {
	cert, key string

	mu      sync.Mutex
	stamp   string // of the files as they were read last
	current atomic.Pointer[tls.Certificate]
}

// OpenFiles reads a certificate and its key. It fails when they cannot be read or do not belong together.
func OpenFiles(cert, key string) (*Files, error) {
	f := &Files{cert: cert, key: key}
	if err := f.Load(); err != nil {
		return nil, err
	}
	return f, nil
}

// Load reads the files anew, for the connections from then on. When it fails the certificate from before stays.
func (f *Files) Load() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.loadCertificate(f.stamped())
}

func (f *Files) loadCertificate(stamp string) error {
	pair, err := tls.LoadX509KeyPair(f.cert, f.key)
	if err != nil {
		return fmt.Errorf("load the certificate %s: %w", f.cert, err)
	}
	f.stamp = stamp
	f.current.Store(&pair)
	return nil
}

// stamped returns what of the files changes when they are written, "" when they are not there.
func (f *Files) stamped() (stamp string) {
	for _, path := range []string{f.cert, f.key} {
		info, err := os.Stat(path)
		if err != nil {
			return ""
		}
		stamp += fmt.Sprintf("%d %d;", info.Size(), info.ModTime().UnixNano())
	}
	return stamp
}

// Renew reads the files anew when they were changed, and tells what it did, "" for nothing. What cannot be read is tried at each call.
func (f *Files) Renew(time.Time) (did string, err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	stamp := f.stamped()
	if stamp == f.stamp {
		return "", nil
	}
	if err := f.loadCertificate(stamp); err != nil {
		return "", err
	}
	return "the certificate was read anew", nil
}

// Certificate returns the certificate of now.
func (f *Files) Certificate(*tls.ClientHelloInfo) (*tls.Certificate, error) {
	return f.current.Load(), nil
}

// NotAfter returns when the certificate ends.
func (f *Files) NotAfter() time.Time { return f.current.Load().Leaf.NotAfter }

// Authority returns no authority: that of the certificate is known to browsers, or the operator's matter.
func (f *Files) Authority() (Authority, bool) { return Authority{}, false }
