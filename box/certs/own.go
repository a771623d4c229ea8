// Package certs keeps the certificates of HTTPS: those that the box makes itself, those of files, and those of an ACME authority.
//
// The box has an authority of its own (CA). It promises that the authority can vouch for nothing but names and addresses of the box: they
// are critical name constraints in it. Whoever trusts the authority of a box need not trust it with the rest of the web. A certificate that
// is made anew keeps the key of the authority. So a browser that trusts the old one is not warned, but at a name or address that is new.
//
// Danger: the keys lie in the folder, readable by the service alone. They belong in no backup and no export.
package certs

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/hex"
	"fmt"
	"net"
	"net/netip"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"sync/atomic"
	"time"
)

// How long certificates count.
const (
	authorityYears = 10
	leafLife       = 397 * 24 * time.Hour
	renewBefore    = 30 * 24 * time.Hour // a leaf is made anew so long before its end
	early          = 24 * time.Hour      // certificates count from so long ago: the clocks of callers differ
)

// mostFormer is how many names and addresses that the box no longer has stay in the authority: a box often gets them back.
const mostFormer = 16

// The files of the folder.
const (
	authorityFile = "ca.pem"
	authorityKey  = "ca.key"
	leafFile      = "leaf.pem" // a key and the certificates for it
)

// Authority is what a caller needs to know of the box's own authority.
type Authority struct {
	PEM         []byte    // the certificate
	Fingerprint string    // SHA-256 of it, as "AB:CD:…"
	NotAfter    time.Time // its end
	Names       []string  // the names and addresses that it can vouch for
}

// Own is the authority of the box, and the certificates that it made. Many goroutines may use it.
type Own struct {
	dir   string
	look  func() HostNames
	built time.Time // the clock was never before this

	renewing sync.Mutex
	now      atomic.Pointer[made]
}

// made is what stands at a time. It is replaced, never changed.
type made struct {
	authority *x509.Certificate
	told      Authority
	names     HostNames
	byName    *tls.Certificate                // for a caller that says a name
	byAddress map[netip.Addr]*tls.Certificate // for a caller that came to an address
	whole     *tls.Certificate                // for the rest: everything
}

// OpenOwn reads the authority and the certificates in a folder, and makes what is missing. look tells the names of the box. A clock that is
// before built is taken for built. It fails when the authority cannot be read: it is never made anew by itself, since callers trust it.
func OpenOwn(dir string, look func() HostNames, built, now time.Time) (*Own, error) {
	o := &Own{dir: dir, look: look, built: built}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("make the folder of the certificates: %w", err)
	}
	if _, err := o.Renew(now); err != nil {
		return nil, err
	}
	return o, nil
}

// Renew makes anew what ends soon and what lacks a name of the box, and tells what it did, "" for nothing.
func (o *Own) Renew(now time.Time) (did string, err error) {
	o.renewing.Lock()
	defer o.renewing.Unlock()
	if now.Before(o.built) {
		now = o.built
	}
	names := o.look()
	if was := o.now.Load(); was != nil && was.stands(names, now) {
		return "", nil
	}
	key, err := readKey(filepath.Join(o.dir, authorityKey))
	if err != nil {
		return "", fmt.Errorf("%w; to make a new authority, which every browser has to trust anew, remove the folder %s", err, o.dir)
	}
	m := &made{names: names}
	anew := false
	if m.authority, anew, err = o.authority(key, names, now); err != nil {
		return "", err
	}
	m.told = authorityOf(m.authority)
	if err := o.makeLeaves(m, key, now); err != nil {
		return "", err
	}
	o.now.Store(m)
	if anew {
		return "the authority and the certificate were made", nil
	}
	return "the certificate was made", nil
}

// stands reports whether nothing has to be made anew.
func (m *made) stands(names HostNames, now time.Time) bool {
	return slices.Equal(m.names.DNS, names.DNS) && slices.Equal(m.names.Own, names.Own) && slices.Equal(m.names.Given, names.Given) &&
		lasts(m.authority, now) && isFresh(m.whole.Leaf, now)
}

// lasts reports whether an authority outlives a leaf that is made now. One from the future stays: it is the clock that is wrong.
func lasts(c *x509.Certificate, now time.Time) bool { return now.Add(leafLife).Before(c.NotAfter) }

func isFresh(c *x509.Certificate, now time.Time) bool {
	return !now.Before(c.NotBefore) && now.Before(c.NotAfter.Add(-renewBefore))
}

// authority returns the certificate of the authority, made anew when it ends soon or lacks a name.
func (o *Own) authority(key *ecdsa.PrivateKey, names HostNames, now time.Time) (c *x509.Certificate, anew bool, err error) {
	path := filepath.Join(o.dir, authorityFile)
	was, err := readAuthority(path, key)
	if err != nil {
		return nil, false, fmt.Errorf("%w; remove that file, and it is made anew with the same key", err)
	}
	if was != nil && lasts(was, now) && permits(was, names) {
		return was, false, nil
	}
	about := authorityTemplate(was, key, names, now)
	if !o.built.IsZero() && o.built.Before(now) {
		about.NotBefore = o.built.Add(-early) // so that a wrong clock makes none that begins too late
	}
	signed, err := x509.CreateCertificate(rand.Reader, about, about, &key.PublicKey, key)
	if err != nil {
		return nil, false, fmt.Errorf("make the authority: %w", err)
	}
	if err := write(path, pemOf(signed)); err != nil {
		return nil, false, err
	}
	c, err = x509.ParseCertificate(signed)
	return c, true, err
}

// authorityTemplate is what an authority says. One that is made anew keeps its subject, and of what it vouched for the latest.
func authorityTemplate(was *x509.Certificate, key *ecdsa.PrivateKey, names HostNames, now time.Time) *x509.Certificate {
	id := keyID(&key.PublicKey)
	about := &x509.Certificate{
		SerialNumber: makeSerial(), Subject: pkix.Name{Organization: []string{"Quaywatch"}, CommonName: "Quaywatch box " + hex.EncodeToString(id[:4])},
		NotBefore: now.Add(-early), NotAfter: now.AddDate(authorityYears, 0, 0), SubjectKeyId: id,
		BasicConstraintsValid: true, IsCA: true, MaxPathLenZero: true, KeyUsage: x509.KeyUsageCertSign | x509.KeyUsageCRLSign,
		ExtKeyUsage:                 []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},
		PermittedDNSDomainsCritical: true, PermittedDNSDomains: names.DNS,
	}
	addresses := names.All()
	if was != nil {
		about.RawSubject = was.RawSubject
		about.PermittedDNSDomains = withFormer(names.DNS, was.PermittedDNSDomains)
		addresses = withFormer(addresses, permitted(was))
	}
	for _, a := range addresses {
		about.PermittedIPRanges = append(about.PermittedIPRanges, &net.IPNet{IP: a.AsSlice(), Mask: net.CIDRMask(a.BitLen(), a.BitLen())})
	}
	if len(addresses) == 0 { // without any it could vouch for all
		about.ExcludedIPRanges = []*net.IPNet{{IP: net.IPv4zero.To4(), Mask: net.CIDRMask(0, 32)}, {IP: net.IPv6zero, Mask: net.CIDRMask(0, 128)}}
	}
	return about
}

// withFormer adds to the list of now what the list of before has besides, but not too much of it.
func withFormer[T comparable](now, before []T) []T {
	list := slices.Clone(now)
	for _, former := range before {
		if len(list) < len(now)+mostFormer && !slices.Contains(list, former) {
			list = append(list, former)
		}
	}
	return list
}

// permitted returns the addresses that an authority can vouch for.
func permitted(c *x509.Certificate) (list []netip.Addr) {
	for _, r := range c.PermittedIPRanges {
		if a, ok := netip.AddrFromSlice(r.IP); ok {
			list = append(list, a)
		}
	}
	return list
}

func permits(c *x509.Certificate, names HostNames) bool {
	addresses := permitted(c)
	lacksName := slices.ContainsFunc(names.DNS, func(n string) bool { return !slices.Contains(c.PermittedDNSDomains, n) })
	lacksAddress := slices.ContainsFunc(names.All(), func(a netip.Addr) bool { return !slices.Contains(addresses, a) })
	return !lacksName && !lacksAddress
}

// makeLeaves makes the certificates of m, and keeps those of the file that stand. There is one for callers by name, and one for each address: a
// new address must not spoil what is trusted at another.
func (o *Own) makeLeaves(m *made, key *ecdsa.PrivateKey, now time.Time) error {
	path := filepath.Join(o.dir, leafFile)
	private, kept := readLeaves(path)
	if private == nil {
		var err error
		if private, err = ecdsa.GenerateKey(elliptic.P256(), rand.Reader); err != nil {
			return fmt.Errorf("make a key: %w", err)
		}
	}
	m.byAddress = map[netip.Addr]*tls.Certificate{}
	file, err := pemOfKey(private)
	if err != nil {
		return err
	}
	issue := func(dns []string, addresses []netip.Addr) *tls.Certificate {
		c := findStanding(kept, dns, addresses, m.authority, now)
		if c == nil && err == nil {
			c, err = issued(m.authority, key, private, dns, addresses, now)
		}
		if err != nil {
			return nil
		}
		file = append(file, pemOf(c.Raw)...)
		return &tls.Certificate{Certificate: [][]byte{c.Raw}, PrivateKey: private, Leaf: c}
	}
	m.byName = issue(m.names.DNS, nil)
	for _, a := range m.names.Own {
		m.byAddress[a] = issue(nil, tidyList(append([]netip.Addr{a}, m.names.Given...), netip.Addr.Compare))
	}
	m.whole = issue(m.names.DNS, m.names.All())
	if err != nil {
		return fmt.Errorf("make the certificate: %w", err)
	}
	return write(path, file)
}

// findStanding finds a certificate of exactly these names that need not be made anew.
func findStanding(kept []*x509.Certificate, dns []string, addresses []netip.Addr, by *x509.Certificate, now time.Time) *x509.Certificate {
	for _, c := range kept {
		var at []netip.Addr
		for _, ip := range c.IPAddresses {
			a, _ := netip.AddrFromSlice(ip)
			at = append(at, a.Unmap())
		}
		if slices.Equal(c.DNSNames, dns) && slices.Equal(at, addresses) && isFresh(c, now) && c.CheckSignatureFrom(by) == nil {
			return c
		}
	}
	return nil
}

// issued makes a certificate of a server. It has no common name: where a certificate has addresses alone, GnuTLS holds that against the names
// that the authority permits.
func issued(by *x509.Certificate, key, private *ecdsa.PrivateKey, dns []string, addresses []netip.Addr, now time.Time) (*x509.Certificate, error) {
	about := &x509.Certificate{
		SerialNumber: makeSerial(), Subject: pkix.Name{Organization: []string{"Quaywatch"}},
		NotBefore: now.Add(-early), NotAfter: now.Add(leafLife - early), KeyUsage: x509.KeyUsageDigitalSignature,
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth}, BasicConstraintsValid: true, DNSNames: dns,
	}
	for _, a := range addresses {
		about.IPAddresses = append(about.IPAddresses, a.AsSlice())
	}
	signed, err := x509.CreateCertificate(rand.Reader, about, by, &private.PublicKey, key)
	if err != nil {
		return nil, err
	}
	return x509.ParseCertificate(signed)
}

// Certificate returns the certificate for a caller that begins a connection.
func (o *Own) Certificate(hello *tls.ClientHelloInfo) (*tls.Certificate, error) {
	m := o.now.Load()
	if hello.ServerName != "" {
		return m.byName, nil
	}
	if hello.Conn != nil {
		if at, err := netip.ParseAddrPort(hello.Conn.LocalAddr().String()); err == nil {
			if c := m.byAddress[at.Addr().Unmap().WithZone("")]; c != nil {
				return c, nil
			}
		}
	}
	return m.whole, nil
}

// NotAfter returns when the certificate ends.
func (o *Own) NotAfter() time.Time { return o.now.Load().whole.Leaf.NotAfter }

// Authority returns what a caller needs to trust the box.
func (o *Own) Authority() (Authority, bool) { return o.now.Load().told, true }
