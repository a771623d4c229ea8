package handlers

import (
	"context"
	"crypto/tls"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"path"
	"strconv"
	"strings"
	"time"

	"quaywatch/box/certs"
	"quaywatch/handlers/request"
	"quaywatch/handlers/status"
	"quaywatch/handlers/wire"
	"quaywatch/internal/rule"
)

// Certificates gives the certificates of HTTPS, and keeps them fresh.
type Certificates interface {
	// Certificate returns the certificate for a connection that begins.
	Certificate(*tls.ClientHelloInfo) (*tls.Certificate, error)
	// Renew makes or reads anew what has to be, and tells what it did, "" for nothing.
	Renew(now time.Time) (did string, err error)
	// NotAfter returns when the certificate ends, zero while there is none.
	NotAfter() time.Time
	// Authority returns the authority of the box itself, if it has one.
	Authority() (certs.Authority, bool)
}

// certificateEvery is how often the certificates are looked at.
const certificateEvery = 10 * time.Second

// tlsConfig is how connections are encrypted. A box without certificates has none.
func (s *Server) tlsConfig() *tls.Config {
	if s.deps.Certificates == nil {
		return nil
	}
	return &tls.Config{GetCertificate: s.deps.Certificates.Certificate, NextProtos: []string{"h2", "http/1.1", "acme-tls/1"},
		MinVersion: tls.VersionTLS12, CipherSuites: suitesOf12()}
}

// suitesOf12 are what TLS 1.2 takes: forward secrecy with authenticated encryption. Suites with CBC leak what they encrypt by the time that they take.
func suitesOf12() []uint16 {
	return []uint16{
		tls.TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256, tls.TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384, tls.TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305_SHA256,
		tls.TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256, tls.TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384, tls.TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305_SHA256,
	}
}

// keepCertificates renews the certificates until ctx is done. The log is told of what changes, and once of each failure.
func (s *Server) keepCertificates(ctx context.Context) {
	if s.deps.Certificates == nil {
		return
	}
	tick := time.NewTicker(certificateEvery)
	defer tick.Stop()
	failure := ""
	for now := time.Now(); ; {
		did, err := s.deps.Certificates.Renew(now)
		switch {
		case err != nil && err.Error() != failure:
			failure = err.Error()
			s.deps.Log.Error("the certificate from before stays", "error", err)
		case err == nil:
			failure = ""
		}
		if did != "" {
			s.deps.Log.Info(did, "until", s.deps.Certificates.NotAfter())
		}
		select {
		case <-ctx.Done():
			return
		case now = <-tick.C:
		}
	}
}

// SecurePort returns the port of HTTPS beside HTTP, 0 while there is none.
func (s *Server) SecurePort() int { return int(s.securePort.Load()) }

// listenSecure opens the port of HTTPS beside that of HTTP, nil for none. A port that the operator did not ask for may be taken.
func (s *Server) listenSecure() (net.Listener, error) {
	if s.deps.Certificates == nil {
		return nil, nil
	}
	listener, err := net.Listen("tcp", s.config.ListenTLS)
	if err != nil && s.config.TLSMayFail {
		s.deps.Log.Warn("there is no HTTPS: set http.listen_tls to a port that is free, or http.tls to off", "error", err)
		return nil, nil
	}
	return listener, err
}

// listenerPort returns the port that a listener has, 0 for none.
func listenerPort(l net.Listener) int {
	if l == nil {
		return 0
	}
	at, _ := l.Addr().(*net.TCPAddr)
	if at == nil {
		return 0
	}
	return at.Port
}

// secureURL returns the address of the site by HTTPS as the caller can reach it, nil when there is none.
func (s *Server) secureURL(r *http.Request) *url.URL {
	at := s.securePort.Load()
	if at == 0 || !s.base.Proxies.Direct(r) { // behind a proxy the port is another
		return nil
	}
	host, _, err := net.SplitHostPort(r.Host)
	if err != nil {
		host = strings.Trim(r.Host, "[]")
	}
	if _, err := netip.ParseAddr(host); err != nil && !certs.IsName(host) {
		return nil
	}
	whole := net.JoinHostPort(host, strconv.Itoa(int(at)))
	if at == 443 {
		whole = strings.TrimSuffix(whole, ":443")
	}
	return &url.URL{Scheme: "https", Host: whole}
}

// SentInClear returns the users whose passwords came over plain HTTP from other machines in the last day.
func (s *Server) SentInClear(now time.Time) []string { return s.base.Clear.LastDay(now) }

// secureStatus is what the status tells of HTTPS.
func (s *Server) secureStatus() status.HTTPS {
	h := status.HTTPS{Clear: s.base.Clear.Total(), Port: s.SecurePort()}
	if s.deps.Certificates != nil {
		h.NotAfter = s.deps.Certificates.NotAfter()
	}
	if ca, ok := s.authority(); ok {
		h.Fingerprint = ca.Fingerprint
	}
	return h
}

// pagePolicy lets a page over HTTP ask the same box by HTTPS, beside what contentPolicy allows, to find out whether the browser trusts it.
func (s *Server) pagePolicy(r *http.Request) string {
	to := s.secureURL(r)
	if to == nil || s.base.Proxies.Encrypted(r) {
		return contentPolicy
	}
	return contentPolicy + "; connect-src 'self' " + to.String()
}

// secureAnswer says how the box is reached by HTTPS. A sign-in page is shown before anybody has signed in, so it is for all.
type secureAnswer struct {
	Clear bool      `json:"in_clear"`        // what the caller sends can be read on the network
	Plain bool      `json:"plain_sign_in"`   // a password in clear is taken
	URL   string    `json:"https,omitempty"` // where the site is by HTTPS
	CA    *caAnswer `json:"ca,omitempty"`
}

// caAnswer is the authority of the box itself.
type caAnswer struct {
	Fingerprint string `json:"fingerprint"` // SHA-256
	NotAfter    string `json:"not_after"`
}

// authority returns the authority of the box itself, if it has one.
func (s *Server) authority() (certs.Authority, bool) {
	if s.deps.Certificates == nil {
		return certs.Authority{}, false
	}
	return s.deps.Certificates.Authority()
}

// mayBeStrict reports whether a browser may be asked to come by HTTPS alone for a year (HSTS). A browser that does not know the authority of the box
// would be locked out. So would one that comes to HTTP at a port of its own, since it would then speak HTTPS to that port.
func (s *Server) mayBeStrict() bool {
	_, own := s.authority()
	return !own && s.strict.Load()
}

// secure tells how the box is reached by HTTPS. A page of the same box by HTTP may ask it by HTTPS, to find out whether the browser trusts the certificate. So
// other origins may read it too.
func (s *Server) secure(c *request.Request) error {
	a := secureAnswer{Clear: s.base.InClear(c.HTTP), Plain: !s.config.RefusePlainSignIn}
	if at := s.secureURL(c.HTTP); at != nil {
		at.Path = s.config.cookiePath()
		a.URL = at.String()
	}
	if ca, ok := s.authority(); ok {
		a.CA = &caAnswer{ca.Fingerprint, wire.TimeText(ca.NotAfter.UnixMilli())}
	}
	c.Writer.Header().Set("Cross-Origin-Resource-Policy", "cross-origin")
	return c.SendJSON(http.StatusOK, a)
}

// caFile returns the certificate of the box's own authority, for browsers to import.
func (s *Server) caFile(c *request.Request) error {
	ca, ok := s.authority()
	if !ok {
		return request.NotFound(rule.New("no_ca", "the box has no authority of its own"))
	}
	c.Writer.Header().Set("Content-Disposition", `attachment; filename="quaywatch-ca.crt"`)
	c.Send(http.StatusOK, "application/x-x509-ca-cert", ca.PEM)
	return nil
}

// trustedCookie is set by the client of a browser that reached the box by HTTPS without a warning.
const trustedCookie = "quaywatch_https"

// leadOver sends a browser that trusts the certificate of the box to the same page by HTTPS, and reports whether it did. Nothing but pages
// is led over: programs go on as before. A page with ?http stays, and the browser is no longer led over.
func (s *Server) leadOver(c *request.Request, name string) bool {
	name = path.Clean("/" + name)
	cookie, err := c.HTTP.Cookie(trustedCookie)
	if err != nil || cookie.Value != "1" || path.Ext(name) != "" && name != indexFile || s.base.Proxies.Encrypted(c.HTTP) {
		return false
	}
	if c.HTTP.URL.Query().Has("http") {
		http.SetCookie(c.Writer, &http.Cookie{Name: trustedCookie, Path: s.config.cookiePath(), MaxAge: -1, SameSite: http.SameSiteLaxMode})
		return false
	}
	to := s.secureURL(c.HTTP)
	if to == nil {
		return false
	}
	to.Path, to.RawPath, to.RawQuery = c.HTTP.URL.Path, c.HTTP.URL.RawPath, c.HTTP.URL.RawQuery
	c.Writer.Header().Set("Cache-Control", "no-store")
	http.Redirect(c.Writer, c.HTTP, to.String(), http.StatusFound)
	return true
}
