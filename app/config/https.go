package config

import (
	"fmt"
	"net"
	"net/netip"
	"path/filepath"
	"slices"
	"strings"

	"quaywatch/ais/feed"
	"quaywatch/box/certs"
)

// HTTPSMode says how the box speaks HTTPS.
type HTTPSMode uint8

// The ways.
const (
	HTTPSOff   HTTPSMode = iota
	HTTPSOwn             // beside HTTP, with certificates that the box makes
	HTTPSFiles           // beside HTTP, with the files of the operator
	HTTPSAlone           // in the place of HTTP at http.listen, with the files of the operator
	HTTPSACME            // beside HTTP, with certificates of an authority on the internet
)

// HTTPS returns how the box speaks HTTPS. Where http.tls is auto and http.listen_tls is taken by something else of the configuration, it is off. A box that ran
// before there was HTTPS must still start.
func (c *Config) HTTPS() HTTPSMode {
	switch h := &c.HTTP; {
	case h.TLS == "on":
		return HTTPSFiles
	case h.TLS == "acme":
		return HTTPSACME
	case h.TLS == "off":
		return HTTPSOff
	case h.TLSCert != "":
		return HTTPSAlone
	case !c.isOwnWanted() || len(c.checkSecure()) > 0:
		return HTTPSOff
	}
	return HTTPSOwn
}

// isOwnWanted reports whether the box speaks HTTPS with certificates that it makes, where the port is free.
func (c *Config) isOwnWanted() bool {
	h := &c.HTTP
	return h.TLS == "auto" && h.TLSCert == "" && len(h.TrustedProxies) == 0 && !onLoopback(h.Listen)
}

// Warnings returns what the service starts without, a line each. Check refuses what it cannot start with.
func (c *Config) Warnings() (list []string) {
	if !c.isOwnWanted() {
		return nil
	}
	for _, wrong := range c.checkSecure() {
		list = append(list, wrong+"; there is no HTTPS: set http.listen_tls to a port that is free, or http.tls to off")
	}
	return list
}

// onLoopback reports whether an address can be reached from this box alone.
func onLoopback(listen string) bool {
	host, _, err := net.SplitHostPort(listen)
	if err != nil {
		return false
	}
	a, err := netip.ParseAddr(host)
	return host == "localhost" || err == nil && a.IsLoopback()
}

// secureListen returns where HTTPS listens. Without an address of its own it is that of HTTP.
func (c *Config) secureListen() string {
	host, port, err := net.SplitHostPort(c.HTTP.ListenTLS)
	if err != nil || host != "" {
		return c.HTTP.ListenTLS
	}
	if host, _, err = net.SplitHostPort(c.HTTP.Listen); err != nil {
		return c.HTTP.ListenTLS
	}
	return net.JoinHostPort(host, port)
}

// checkSecure tells what is in the way of listening at http.listen_tls.
func (c *Config) checkSecure() (wrong []string) {
	at, err := feed.ListenEndpoint(c.secureListen())
	if err != nil {
		return []string{fmt.Sprintf("http.listen_tls: %v", err)}
	}
	for _, other := range c.allEnds() {
		if other.Clashes(at) {
			wrong = append(wrong, fmt.Sprintf("http.listen_tls: %s has %s already, and only one can", other.label, at))
		}
	}
	return wrong
}

// checkHTTPS tells what is wrong with the keys about HTTPS.
func (c *Config) checkHTTPS() (wrong []string) {
	say := func(format string, args ...any) { wrong = append(wrong, fmt.Sprintf(format, args...)) }
	h := &c.HTTP
	if !slices.Contains([]string{"auto", "off", "on", "acme"}, h.TLS) {
		say("http.tls: %q must be auto, off, on or acme", h.TLS)
	}
	if (h.TLSCert == "") != (h.TLSKey == "") {
		say("http.tls_cert and http.tls_key: give both or none")
	}
	if h.TLS == "on" && h.TLSCert == "" {
		say("http.tls: on needs the files http.tls_cert and http.tls_key; with auto the box makes its own")
	}
	for _, name := range h.TLSNames {
		if _, err := netip.ParseAddr(name); err != nil && !certs.IsName(name) {
			say("http.tls_names: %q must be a name as ais.port.example, or an address", name)
		}
	}
	if h.TLS == "acme" {
		wrong = append(wrong, c.checkACME()...)
	}
	if h.TLS == "on" || h.TLS == "acme" {
		wrong = append(wrong, c.checkSecure()...)
	}
	return wrong
}

// checkACME tells what an authority on the internet would refuse.
func (c *Config) checkACME() (wrong []string) {
	if len(c.HTTP.TLSNames) == 0 {
		wrong = append(wrong, "http.tls: acme needs the public name of the box in http.tls_names, and port 443 of that name must lead to http.listen_tls")
	}
	for _, name := range c.HTTP.TLSNames {
		_, err := netip.ParseAddr(name)
		private := slices.ContainsFunc([]string{".local", ".internal", ".lan", ".home.arpa"}, func(end string) bool { return strings.HasSuffix(name, end) })
		if err == nil || private || !strings.Contains(name, ".") {
			wrong = append(wrong, fmt.Sprintf("http.tls_names: acme gives certificates for public names alone, and %q is none", name))
		}
	}
	if u := c.HTTP.ACMEDirectory; u != "" && !strings.HasPrefix(u, "https://") {
		wrong = append(wrong, fmt.Sprintf("http.acme_directory: %q must begin with https://", u))
	}
	return wrong
}

// CertFiles reads the certificate of the operator and its key, where HTTPS is by them; else it returns nil. It fails as the service would.
func (c *Config) CertFiles() (*certs.Files, error) {
	if way := c.HTTPS(); way != HTTPSFiles && way != HTTPSAlone {
		return nil, nil
	}
	return certs.OpenFiles(c.HTTP.TLSCert, c.HTTP.TLSKey)
}

// CertFolder returns the folder of the certificates and their keys.
func (c *Config) CertFolder() string { return filepath.Join(c.DataDir, "tls") }

// CertNames returns a function that tells the names and addresses of the box.
func (c *Config) CertNames() func() certs.HostNames {
	host, _, err := net.SplitHostPort(c.secureListen())
	if err != nil {
		host = ""
	}
	return certs.Look(host, c.HTTP.TLSNames)
}
