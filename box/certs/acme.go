package certs

import (
	"crypto/tls"
	"errors"
	"fmt"
	"path/filepath"
	"sync/atomic"
	"time"

	"golang.org/x/crypto/acme"
	"golang.org/x/crypto/acme/autocert"
)

// retryAfter is how long ACME waits after a failure: authorities count failures, and shut out a box with too many.
const retryAfter = time.Hour

// ACME gets certificates of an authority on the internet, as Let's Encrypt. The authority must reach the box by its public name at port 443.
// Many goroutines may use it, but Renew.
type ACME struct {
	manager *autocert.Manager
	names   []string
	next    time.Time // no try before
	end     atomic.Pointer[time.Time]
}

// OpenACME prepares certificates of the names, which are kept in dir. directory is the address of the authority, "" for Let's Encrypt. Its terms
// of service count as accepted.
func OpenACME(dir, directory string, names []string) *ACME {
	a := &ACME{names: names, manager: &autocert.Manager{
		Prompt: autocert.AcceptTOS, HostPolicy: autocert.HostWhitelist(names...), Cache: autocert.DirCache(filepath.Join(dir, "acme")),
		RenewBefore: renewBefore,
	}}
	if directory != "" {
		a.manager.Client = &acme.Client{DirectoryURL: directory}
	}
	return a
}

// Renew gets the certificates that are missing; those that end soon are renewed by themselves. It may take minutes. After a failure it does
// nothing for an hour.
func (a *ACME) Renew(now time.Time) (did string, err error) {
	if now.Before(a.next) {
		return "", nil
	}
	before := a.NotAfter()
	for _, name := range a.names {
		hello := &tls.ClientHelloInfo{ServerName: name, CipherSuites: []uint16{tls.TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256}}
		pair, failed := a.manager.GetCertificate(hello)
		if failed != nil {
			err = errors.Join(err, fmt.Errorf("get a certificate for %s by ACME: %w", name, failed))
			continue
		}
		a.end.Store(&pair.Leaf.NotAfter)
	}
	if err != nil {
		a.next = now.Add(retryAfter)
		return "", err
	}
	if !a.NotAfter().Equal(before) {
		did = "the certificate came by ACME"
	}
	return did, nil
}

// Certificate returns the certificate of the name that a caller says, and answers the authority that asks whether the box has the name.
func (a *ACME) Certificate(hello *tls.ClientHelloInfo) (*tls.Certificate, error) {
	return a.manager.GetCertificate(hello)
}

// NotAfter returns when the certificate ends, zero while there is none.
func (a *ACME) NotAfter() (end time.Time) {
	if at := a.end.Load(); at != nil {
		end = *at
	}
	return end
}

// Authority returns no authority: browsers know that of ACME.
func (a *ACME) Authority() (Authority, bool) { return Authority{}, false }
