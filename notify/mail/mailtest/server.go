// Package mailtest is an SMTP server for tests, with TLS. It can be slow, silent, and refuse.
package mailtest

import (
	"bufio"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/base64"
	"encoding/pem"
	"fmt"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

// Server is an SMTP server on loopback. Set what it does before a client comes.
type Server struct {
	Port int
	CA   string // the file of its certificate

	Greeting string              // in the place of 220; "-" never greets
	Answers  map[string]string   // in the place of the usual ones, by the verb, and by "." for the end of a mail; "-" answers nothing
	HangsUp  bool                // after it took a mail
	Mute     map[string]bool     // extensions that it does not offer
	Taken    func(mail Received) // is asked before the server says that it has taken a mail; it may take its time

	t        testing.TB
	secure   *tls.Config
	implicit bool

	mu    sync.Mutex
	mails []Received
	clear []string
}

// Received is a mail that the server has taken.
type Received struct {
	From, To, Text string
	Login          string // what AUTH PLAIN told
	Secure         bool
}

// New starts a server, with TLS from the first byte where that is implicit. It ends with the test.
func New(t testing.TB, implicit bool, set func(*Server)) *Server {
	t.Helper()
	s := &Server{t: t, implicit: implicit, Answers: map[string]string{}, Mute: map[string]bool{}}
	s.certify()
	if set != nil {
		set(s)
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s.Port = l.Addr().(*net.TCPAddr).Port
	var open sync.WaitGroup
	done := make(chan struct{})
	open.Go(func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			open.Go(func() {
				defer c.Close()
				closed := make(chan struct{})
				go func() {
					select {
					case <-done:
						c.Close()
					case <-closed:
					}
				}()
				s.serveConn(c)
				close(closed)
			})
		}
	})
	t.Cleanup(func() {
		close(done)
		l.Close()
		open.Wait()
	})
	return s
}

// certify makes the certificate of the server.
func (s *Server) certify() {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		s.t.Fatal(err)
	}
	is := &x509.Certificate{SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "mail of the test"}, NotBefore: time.Now().Add(-time.Hour),
		NotAfter: time.Now().Add(time.Hour), IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}, IsCA: true, BasicConstraintsValid: true}
	der, err := x509.CreateCertificate(rand.Reader, is, is, &key.PublicKey, key)
	if err != nil {
		s.t.Fatal(err)
	}
	s.CA = filepath.Join(s.t.TempDir(), "ca.pem")
	if err := os.WriteFile(s.CA, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}), 0o600); err != nil {
		s.t.Fatal(err)
	}
	s.secure = &tls.Config{Certificates: []tls.Certificate{{Certificate: [][]byte{der}, PrivateKey: key}}}
}

// talk is one conversation.
type talk struct {
	*Server
	conn   net.Conn
	in     *bufio.Reader
	secure bool
	mail   Received
}

func (s *Server) serveConn(c net.Conn) {
	session := &talk{Server: s, conn: c, in: bufio.NewReader(c)}
	if s.implicit && session.encrypt() != nil {
		return
	}
	switch s.Greeting {
	case "":
		session.sendLine("220 test ESMTP")
	case "-":
	default:
		session.sendLine(s.Greeting)
	}
	for session.answerLine() {
	}
}

func (t *talk) encrypt() error {
	secured := tls.Server(t.conn, t.Server.secure)
	if err := secured.Handshake(); err != nil {
		return err
	}
	t.conn, t.in, t.secure = secured, bufio.NewReader(secured), true
	return nil
}

func (t *talk) sendLine(line string) { fmt.Fprintf(t.conn, "%s\r\n", line) }

func (t *talk) read() (string, bool) {
	line, err := t.in.ReadString('\n')
	line = strings.TrimRight(line, "\r\n")
	t.mu.Lock()
	defer t.mu.Unlock()
	if !t.secure {
		t.clear = append(t.clear, line)
	}
	return line, err == nil
}

// answerLine answers one line. It is false when the conversation is over.
func (t *talk) answerLine() bool {
	line, ok := t.read()
	if !ok {
		return false
	}
	verb, rest, _ := strings.Cut(line, " ")
	verb = strings.ToUpper(verb)
	if other, set := t.Answers[verb]; set {
		if other != "-" {
			t.sendLine(other)
		}
		return true
	}
	switch verb {
	case "EHLO":
		t.sendLine("250-test")
		if !t.secure && !t.Mute["STARTTLS"] {
			t.sendLine("250-STARTTLS")
		}
		if !t.Mute["AUTH"] {
			t.sendLine("250-AUTH PLAIN LOGIN")
		}
		if !t.Mute["SMTPUTF8"] {
			t.sendLine("250-SMTPUTF8")
		}
		t.sendLine("250 8BITMIME")
	case "STARTTLS":
		t.sendLine("220 go on")
		return t.encrypt() == nil
	case "AUTH":
		_, secret, _ := strings.Cut(rest, " ")
		plain, _ := base64.StdEncoding.DecodeString(secret)
		t.mail.Login = string(plain)
		t.sendLine("235 welcome")
	case "MAIL":
		t.mail.From = rest
		t.sendLine("250 ok")
	case "RCPT":
		t.mail.To = rest
		t.sendLine("250 ok")
	case "DATA":
		return t.data()
	case "QUIT":
		t.sendLine("221 bye")
		return false
	default:
		t.sendLine("250 ok")
	}
	return true
}

// data takes a mail.
func (t *talk) data() bool {
	t.sendLine("354 go on")
	var text strings.Builder
	for {
		line, ok := t.read()
		if !ok {
			return false
		}
		if line == "." {
			break
		}
		text.WriteString(strings.TrimPrefix(line, ".") + "\r\n")
	}
	switch answer := t.Answers["."]; answer {
	case "":
	case "-":
		_, _ = t.read() // until the client gives up
		return false
	default:
		t.sendLine(answer)
		return true
	}
	t.mail.Text, t.mail.Secure = text.String(), t.secure
	if t.Taken != nil {
		t.Taken(t.mail)
	}
	t.mu.Lock()
	t.mails = append(t.mails, t.mail)
	t.mu.Unlock()
	t.sendLine("250 taken")
	return !t.HangsUp
}

// Mails returns the mails that the server took, in their order.
func (s *Server) Mails() []Received {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.mails)
}

// Clear returns the lines that came without TLS.
func (s *Server) Clear() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.clear)
}
