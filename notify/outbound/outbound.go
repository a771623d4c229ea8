// Package outbound is how a notice leaves the box. It goes to hosts that the operator named, and to no address that serves a machine its own secrets. It
// follows no redirect, and what it reads and waits for is bounded.
package outbound

import (
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"os"
	"regexp"
	"slices"
	"strings"
	"time"
	"unicode"

	"quaywatch/internal/rule"
)

// Wait is how long an attempt may take from the first packet to the last.
const Wait = 30 * time.Second

// What an answer may have in bytes.
const (
	mostAnswer = 64 << 10
	mostHeader = 64 << 10
)

// final is an error that another attempt does not mend.
type final struct{ error }

// Permanent tells the outbox that it need not try again.
func (f final) Permanent() bool { return true }

func (f final) Unwrap() error { return f.error }

// Final marks an error of a notice that the far end will never take.
func Final(err error) error { return final{err} }

// IsFinal reports whether another attempt would fail in the same way.
func IsFinal(err error) bool { return errors.As(err, &final{}) }

// CheckURL refuses an address that is none of the schemes, or whose host may never be called.
func CheckURL(text string, schemes ...string) (*url.URL, error) {
	u, err := url.Parse(text)
	switch {
	case err != nil:
		return nil, fmt.Errorf("is no address") // the parser would tell its password
	case !slices.Contains(schemes, u.Scheme) || u.Hostname() == "":
		return nil, fmt.Errorf("must begin with %s:// and a host", strings.Join(schemes, ":// or "))
	case u.Fragment != "":
		return nil, fmt.Errorf("may have no # in it")
	}
	if err := checkHost(u.Hostname()); err != nil {
		return nil, err
	}
	return u, nil
}

// Trust returns what a TLS connection trusts: the authorities of the system, and those of a file (PEM), which may be "".
func Trust(file string) (*tls.Config, error) {
	c := &tls.Config{MinVersion: tls.VersionTLS12}
	if file == "" {
		return c, nil
	}
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	if c.RootCAs, err = x509.SystemCertPool(); err != nil {
		c.RootCAs = x509.NewCertPool()
	}
	if !c.RootCAs.AppendCertsFromPEM(text) {
		return nil, fmt.Errorf("%s holds no certificate (PEM)", file)
	}
	return c, nil
}

// Client sends requests, each on a connection of its own.
type Client struct {
	http *http.Client
	wait time.Duration
}

// NewClient makes a client that trusts what Trust gives. An attempt may take as long as wait; 0 is Wait.
func NewClient(trust *tls.Config, wait time.Duration) *Client {
	if wait == 0 {
		wait = Wait
	}
	return &Client{wait: wait, http: &http.Client{
		Transport: &http.Transport{
			DialContext: Dial, TLSClientConfig: trust, DisableKeepAlives: true, MaxResponseHeaderBytes: mostHeader,
		},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}}
}

// Do sends a request, and returns the answer of a server that took it (2xx). Nothing of the answer but its status has to come in time where needed is "".
// Else it is read until it holds needed, or to its end. The context ends it early.
func (c *Client) Do(ctx context.Context, r *http.Request, needed string) (answer []byte, err error) {
	ctx, cancel := context.WithTimeout(ctx, c.wait)
	defer cancel()
	r = r.WithContext(ctx)
	r.Header.Set("User-Agent", "Quaywatch")
	response, err := c.http.Do(r)
	if err != nil {
		return nil, Unreached(err)
	}
	defer response.Body.Close()
	if verdict := statusError(response.StatusCode); verdict != nil || needed == "" {
		return nil, verdict
	}
	answer, err = readUntil(io.LimitReader(response.Body, mostAnswer), needed)
	if err != nil {
		return answer, Unreached(err)
	}
	return answer, nil
}

// readUntil reads until what was read holds a text, or to the end.
func readUntil(r io.Reader, text string) (read []byte, err error) {
	chunk := make([]byte, 4<<10)
	for {
		n, err := r.Read(chunk)
		fresh := max(len(read)-len(text), 0)
		read = append(read, chunk[:n]...)
		switch {
		case bytes.Contains(read[fresh:], []byte(text)), err == io.EOF:
			return read, nil
		case err != nil:
			return read, err
		}
	}
}

// statusError returns what the status of an answer says, nil when the request was taken.
func statusError(status int) error {
	switch {
	case status >= 200 && status < 300:
		return nil
	case status >= 300 && status < 400:
		return rule.New("notice_redirected", "the server sends on to another address ({status}), which is not followed", "status", status)
	}
	refused := rule.New("notice_refused", "the server refuses with status {status}", "status", status)
	if status >= 400 && status < 500 && status != http.StatusRequestTimeout && status != http.StatusTooManyRequests {
		return Final(refused)
	}
	return refused
}

// Unreached returns what kept a connection from being made or answered, in words that tell no address of it.
func Unreached(err error) error {
	var known *rule.Rule
	var timeout interface{ Timeout() bool }
	var name *net.DNSError
	var certificate *tls.CertificateVerificationError
	var misnamed x509.HostnameError
	switch {
	case errors.As(err, &known) && IsFinal(err):
		return Final(known)
	case errors.As(err, &known):
		return known
	case errors.Is(err, context.Canceled):
		return context.Canceled
	case errors.As(err, &timeout) && timeout.Timeout():
		return rule.New("notice_no_answer", "there was no answer in time")
	case errors.As(err, &name):
		return rule.New("notice_no_such_host", "the name of the server is not known")
	case errors.As(err, &misnamed):
		return rule.New("notice_certificate", "the certificate of the server is not trusted: {problem}", "problem", "it is made out to another name")
	case errors.As(err, &certificate):
		return rule.New("notice_certificate", "the certificate of the server is not trusted: {problem}", "problem", Excerpt([]byte(certificate.Err.Error())))
	}
	return rule.New("notice_unreached", "the server cannot be reached: {problem}", "problem", Excerpt([]byte(innermostReason(err))))
}

// innermostReason returns the innermost words of an error: those around it name the address, which may hold a secret.
func innermostReason(err error) string {
	for {
		inner := errors.Unwrap(err)
		if several, ok := err.(interface{ Unwrap() []error }); ok {
			all := several.Unwrap()
			inner = all[len(all)-1]
		}
		if inner == nil {
			return err.Error()
		}
		err = inner
	}
}

// private takes the addresses of networks out of a text that are nobody's business but the operator's.
func private(text string) string {
	return regexp.MustCompile(`[0-9a-fA-F:.]{3,}`).ReplaceAllStringFunc(text, func(token string) string {
		a, err := netip.ParseAddr(strings.TrimRight(token, "."))
		if host, _, ported := strings.Cut(token, ":"); err != nil && ported {
			a, err = netip.ParseAddr(host)
		}
		if a = a.Unmap(); err == nil && (a.IsPrivate() || a.IsLoopback() || a.IsLinkLocalUnicast() || netip.MustParsePrefix("100.64.0.0/10").Contains(a)) {
			return "***"
		}
		return token
	})
}

// Excerpt returns the first words of an answer, to be shown. These are what can be printed, on one line, without the secrets and addresses of the network.
func Excerpt(answer []byte, secrets ...string) string {
	const most = 120
	text := string(bytes.ToValidUTF8(answer, nil))
	for _, secret := range secrets {
		if secret != "" {
			text = strings.NewReplacer(secret, "***", url.QueryEscape(secret), "***", url.PathEscape(secret), "***").Replace(text)
		}
	}
	text = private(text)
	var kept []rune
	for _, c := range strings.Join(strings.Fields(text), " ") {
		if len(kept) == most {
			return string(kept) + "…"
		}
		if unicode.IsPrint(c) {
			kept = append(kept, c)
		}
	}
	return string(kept)
}
