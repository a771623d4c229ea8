package certs

import (
	"bytes"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"net"
	"net/netip"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

func noon() time.Time { return time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC) }

const day = 24 * time.Hour

// box is a box whose names change.
type box struct {
	t     *testing.T
	dir   string
	names HostNames
	own   *Own
}

func newBox(t *testing.T, addresses ...string) *box {
	t.Helper()
	b := &box{t: t, dir: filepath.Join(t.TempDir(), "tls")}
	b.move(addresses...)
	b.open(noon())
	return b
}

func (b *box) move(addresses ...string) {
	var own []netip.Addr
	for _, a := range addresses {
		own = append(own, netip.MustParseAddr(a))
	}
	b.names = makeNames("Kontor.Port.Example", own, nil)
}

func (b *box) open(now time.Time) {
	b.t.Helper()
	own, err := OpenOwn(b.dir, func() HostNames { return b.names }, time.Time{}, now)
	if err != nil {
		b.t.Fatal(err)
	}
	b.own = own
}

func (b *box) renew(now time.Time) (did string) {
	b.t.Helper()
	did, err := b.own.Renew(now)
	if err != nil {
		b.t.Fatal(err)
	}
	return did
}

// authority returns the certificate that a browser imports.
func (b *box) authority() *x509.Certificate {
	b.t.Helper()
	a, _ := b.own.Authority()
	c, err := parse(a.PEM)
	if err != nil {
		b.t.Fatal(err)
	}
	return c
}

// arrived is a connection to an address of the box.
type arrived struct {
	net.Conn
	at string
}

func (a arrived) LocalAddr() net.Addr {
	return net.TCPAddrFromAddrPort(netip.AddrPortFrom(netip.MustParseAddr(a.at), 8443))
}

// shown returns the certificate that a browser sees which opens https://host.
func (b *box) shown(host string) *x509.Certificate {
	b.t.Helper()
	hello := &tls.ClientHelloInfo{ServerName: host}
	if _, err := netip.ParseAddr(host); err == nil {
		hello = &tls.ClientHelloInfo{Conn: arrived{at: host}} // browsers send no address as a name
	}
	c, err := b.own.Certificate(hello)
	if err != nil {
		b.t.Fatal(err)
	}
	return c.Leaf
}

// trusted is what a browser that trusts an authority says of the box at host.
func (b *box) trusted(authority *x509.Certificate, host string, now time.Time) error {
	b.t.Helper()
	roots := x509.NewCertPool()
	roots.AddCert(authority)
	_, err := b.shown(host).Verify(x509.VerifyOptions{DNSName: host, Roots: roots, CurrentTime: now})
	return err
}

func TestABrowserThatTrustsTheAuthority(t *testing.T) {
	b := newBox(t, "192.0.2.7", "127.0.0.1", "2001:db8::7")
	for _, host := range []string{"kontor.port.example", "kontor", "kontor.local", "localhost", "192.0.2.7", "127.0.0.1", "2001:db8::7"} {
		if err := b.trusted(b.authority(), host, noon()); err != nil {
			t.Errorf("%s: %v", host, err)
		}
	}
	for _, host := range []string{"bank.example", "192.0.2.8"} {
		if err := b.trusted(b.authority(), host, noon()); err == nil {
			t.Errorf("%s is taken", host)
		}
	}
}

// TestTheAuthorityVouchesForNothingElse: even with its key nothing can be made for another name or address.
func TestTheAuthorityVouchesForNothingElse(t *testing.T) {
	for _, b := range []*box{newBox(t, "192.0.2.7"), newBox(t)} {
		key, err := readKey(filepath.Join(b.dir, authorityKey))
		if err != nil {
			t.Fatal(err)
		}
		private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
		if err != nil {
			t.Fatal(err)
		}
		authority := b.authority()
		roots := x509.NewCertPool()
		roots.AddCert(authority)
		for _, host := range []string{"bank.example", "port.example", "192.0.2.8", "192.168.0.1", "2001:db8::8"} {
			var dns []string
			var addresses []netip.Addr
			if a, err := netip.ParseAddr(host); err == nil {
				addresses = []netip.Addr{a}
			} else {
				dns = []string{host}
			}
			forged, err := issued(authority, key, private, dns, addresses, noon())
			if err != nil {
				t.Fatal(err)
			}
			if _, err := forged.Verify(x509.VerifyOptions{DNSName: host, Roots: roots, CurrentTime: noon()}); err == nil {
				t.Errorf("the authority vouches for %s", host)
			}
		}
		if !authority.PermittedDNSDomainsCritical || !authority.MaxPathLenZero {
			t.Errorf("constraints that a reader may pass over: %+v", authority)
		}
	}
}

func TestHowLongTheyCount(t *testing.T) {
	b := newBox(t, "192.0.2.7")
	a, leaf := b.authority(), b.shown("192.0.2.7")
	if got := leaf.NotAfter.Sub(leaf.NotBefore); got != 397*day {
		t.Errorf("the leaf counts %v", got)
	}
	if want := noon().AddDate(10, 0, 0); !a.NotAfter.Equal(want) {
		t.Errorf("the authority counts until %v", a.NotAfter)
	}
	end := leaf.NotAfter
	if did := b.renew(end.Add(-31 * day)); did != "" {
		t.Errorf("31 days before the end: %s", did)
	}
	if did := b.renew(end.Add(-29 * day)); did == "" || !b.shown("192.0.2.7").NotAfter.After(end) || !b.shown("kontor").NotAfter.After(end) {
		t.Errorf("29 days before the end: %q, ends %v", did, b.shown("192.0.2.7").NotAfter)
	}
	if !b.authority().Equal(a) {
		t.Error("a new leaf has a new authority")
	}
	late := a.NotAfter.Add(-100 * day)
	b.renew(late)
	if b.authority().Equal(a) || b.trusted(a, "kontor", late) != nil || b.trusted(b.authority(), "kontor", late.AddDate(1, 0, 0)) != nil {
		t.Error("an authority that ends soon has no successor that browsers of both take")
	}
}

// TestABoxThatGetsAnotherAddress: the new address needs the new authority. At all names and addresses from before, nothing changes for
// those that trust the old one.
func TestABoxThatGetsAnotherAddress(t *testing.T) {
	b := newBox(t, "192.0.2.7", "127.0.0.1")
	before := b.authority()
	b.move("192.0.2.99", "127.0.0.1")
	if did := b.renew(noon().Add(time.Hour)); did == "" {
		t.Fatal("nothing was done")
	}
	for host, ok := range map[string]bool{"kontor.local": true, "127.0.0.1": true, "192.0.2.99": false} {
		if err := b.trusted(before, host, noon()); (err == nil) != ok {
			t.Errorf("the old authority, at %s: %v", host, err)
		}
	}
	after := b.authority()
	for _, host := range []string{"kontor.local", "127.0.0.1", "192.0.2.99"} {
		if err := b.trusted(after, host, noon()); err != nil {
			t.Errorf("the new authority, at %s: %v", host, err)
		}
	}
	b.move("192.0.2.7", "127.0.0.1")
	b.renew(noon().Add(2 * time.Hour))
	if !b.authority().Equal(after) || b.trusted(after, "192.0.2.7", noon()) != nil {
		t.Error("an address that comes back makes the authority anew")
	}
}

func TestFormerAddressesAreBounded(t *testing.T) {
	b := newBox(t, "192.0.2.1")
	for i := range 100 {
		b.move(netip.AddrFrom4([4]byte{198, 51, 100, byte(i)}).String())
		b.renew(noon().Add(time.Duration(i) * time.Hour))
	}
	if got := len(b.authority().PermittedIPRanges); got != 1+mostFormer {
		t.Errorf("the authority has %d addresses", got)
	}
}

func TestARestartChangesNothing(t *testing.T) {
	b := newBox(t, "192.0.2.7", "127.0.0.1")
	hosts := []string{"kontor", "192.0.2.7", "127.0.0.1", "198.51.100.1"}
	var before []*x509.Certificate
	for _, host := range hosts {
		before = append(before, b.shown(host))
	}
	authority := b.authority()
	b.open(noon().Add(day))
	for i, host := range hosts {
		if !b.shown(host).Equal(before[i]) {
			t.Errorf("%s has another certificate", host)
		}
	}
	if !b.authority().Equal(authority) {
		t.Error("another authority")
	}
}

// TestAClockThatIsWrong: a box without a battery begins in the past, and one wrong stamp may lie years ahead.
func TestAClockThatIsWrong(t *testing.T) {
	b := newBox(t, "192.0.2.7")
	built := noon().Add(-30 * day)
	open := func(now time.Time) {
		t.Helper()
		var err error
		if b.own, err = OpenOwn(b.dir, func() HostNames { return b.names }, built, now); err != nil {
			t.Fatal(err)
		}
	}
	before := b.authority()
	for _, now := range []time.Time{time.Unix(0, 0), noon().AddDate(0, 1, 0)} {
		open(now)
		if !b.authority().Equal(before) {
			t.Errorf("at %v there is another authority", now)
		}
	}
	open(noon().AddDate(9, 6, 0))
	open(noon().AddDate(0, 2, 0))
	for _, authority := range []*x509.Certificate{before, b.authority()} {
		if err := b.trusted(authority, "192.0.2.7", noon().AddDate(0, 2, 0)); err != nil {
			t.Errorf("after a time in 2036: %v", err)
		}
	}
}

func TestTheFilesAreTheServicesAlone(t *testing.T) {
	b := newBox(t, "192.0.2.7")
	files, err := os.ReadDir(b.dir)
	if err != nil || len(files) != 3 {
		t.Fatalf("%v %v", files, err)
	}
	for _, f := range files {
		if info, err := f.Info(); err != nil || info.Mode().Perm() != 0o600 {
			t.Errorf("%s: %v %v", f.Name(), info.Mode(), err)
		}
	}
	if info, err := os.Stat(b.dir); err != nil || info.Mode().Perm() != 0o700 {
		t.Errorf("%v %v", info.Mode(), err)
	}
}

// TestFilesThatAreSpoilt: what browsers trust is never made anew without a word. What nobody trusts by itself is.
func TestFilesThatAreSpoilt(t *testing.T) {
	spoil := func(name string, text []byte) error {
		b := newBox(t, "192.0.2.7")
		path := filepath.Join(b.dir, name)
		err := os.Remove(path)
		if text != nil {
			err = os.WriteFile(path, text, 0o600)
		}
		if err != nil {
			t.Fatal(err)
		}
		before := b.authority()
		again, err := OpenOwn(b.dir, b.own.look, time.Time{}, noon())
		if err == nil {
			b.own = again
			if b.trusted(before, "kontor", noon()) != nil {
				t.Errorf("%s %q: those that trust the box are warned", name, text)
			}
		}
		return err
	}
	other := newBox(t, "192.0.2.7").authority()
	for _, row := range []struct {
		name string
		text []byte
		ok   bool
	}{
		{authorityKey, nil, false}, {authorityKey, []byte{}, false}, {authorityKey, []byte("x"), false}, {authorityKey, pemOf(other.Raw), false},
		{authorityFile, []byte("x"), false}, {authorityFile, pemOf(other.Raw), false}, {authorityFile, nil, true},
		{leafFile, nil, true}, {leafFile, []byte("x"), true}, {leafFile, pemOf(other.Raw), true},
	} {
		if err := spoil(row.name, row.text); (err == nil) != row.ok {
			t.Errorf("%s %.20q: %v", row.name, row.text, err)
		}
	}
}

func TestReadAuthority(t *testing.T) {
	b := newBox(t, "192.0.2.7")
	got, err := ReadAuthority(b.dir)
	want, _ := b.own.Authority()
	if err != nil || got.Fingerprint != want.Fingerprint || !bytes.Equal(got.PEM, want.PEM) || !slices.Contains(got.Names, "192.0.2.7") {
		t.Errorf("%+v %v", got, err)
	}
	if _, err := ReadAuthority(t.TempDir()); !os.IsNotExist(unwrapped(err)) {
		t.Error(err)
	}
}

func unwrapped(err error) error {
	for {
		inner, ok := err.(interface{ Unwrap() error })
		if !ok {
			return err
		}
		err = inner.Unwrap()
	}
}

// TestOpenSSLAgrees: a second reader takes the certificates, sees the constraints, and refuses what breaks them.
func TestOpenSSLAgrees(t *testing.T) {
	openssl, err := exec.LookPath("openssl")
	if err != nil {
		t.Skip("openssl is not installed")
	}
	b := newBox(t, "192.0.2.7", "2001:db8::7")
	file := func(name string, c *x509.Certificate) string {
		path := filepath.Join(t.TempDir(), name)
		if err := os.WriteFile(path, pemOf(c.Raw), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	run := func(args ...string) (string, error) {
		out, err := exec.Command(openssl, args...).CombinedOutput()
		return string(out), err
	}
	authority := file("ca.pem", b.authority())
	at := []string{"verify", "-x509_strict", "-purpose", "sslserver", "-attime", "1795176000", "-CAfile", authority} // noon
	for _, host := range []string{"kontor.local", "192.0.2.7", "2001:db8::7"} {
		check := "-verify_hostname"
		if _, err := netip.ParseAddr(host); err == nil {
			check = "-verify_ip"
		}
		if out, err := run(append(at, check, host, file("leaf.pem", b.shown(host)))...); err != nil {
			t.Errorf("%s: %s", host, out)
		}
	}
	if out, err := run("x509", "-in", authority, "-noout", "-text"); err != nil || !strings.Contains(out, "X509v3 Name Constraints: critical") {
		t.Errorf("%v\n%s", err, out)
	}
	key, err := readKey(filepath.Join(b.dir, authorityKey))
	if err != nil {
		t.Fatal(err)
	}
	forged, err := issued(b.authority(), key, key, []string{"bank.example"}, nil, noon())
	if err != nil {
		t.Fatal(err)
	}
	if out, err := run(append(at, file("forged.pem", forged))...); err == nil || !strings.Contains(out, "permitted subtree violation") {
		t.Errorf("%v\n%s", err, out)
	}
}
