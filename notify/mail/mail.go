// Package mail sends notices as mails, by the one SMTP server of the configuration.
//
// It promises that no text of a ship or a user becomes more than text in a mail. It also promises that no user can choose the server. What the server took
// counts as sent, whatever becomes of the connection afterwards. It keeps nothing: package notify tries again.
package mail

import (
	"bytes"
	"cmp"
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"net"
	"net/textproto"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	smtp "github.com/wneessen/go-mail"

	"quaywatch/engine/watchdogs"
	"quaywatch/notify"
	"quaywatch/notify/outbound"
	"quaywatch/users/library"
)

// The ways of TLS.
const (
	STARTTLS = "starttls" // begins in clear, and goes on with TLS or not at all
	Implicit = "implicit" // TLS from the first byte
	Off      = "off"      // in clear, without a password
)

// Attachment is a file of a mail.
type Attachment struct {
	Name  string
	Bytes []byte
}

// Options are what the operator says of mail, and what is attached.
type Options struct {
	Host     string // of the server; "" is no mail
	Port     int    // 0 is 587, 465 or 25, by TLS
	User     string // "" signs in nowhere
	Password string
	From     string // the address that mails come from
	TLS      string
	CA       string // file of certificates (PEM) that count beside those of the system; "" for none
	PerHour  int    // most mails in an hour

	// Attach returns the file of a notice, false for none. A nil function attaches nothing.
	Attach func(ctx context.Context, m *notify.Delivery) (Attachment, bool)
}

// On reports whether mails are to be sent.
func (o *Options) On() bool { return o.Host != "" }

// Check returns what is wrong with the options, each with its key.
func (o *Options) Check() (wrong []string) {
	say := func(format string, args ...any) { wrong = append(wrong, fmt.Sprintf(format, args...)) }
	if !slices.Contains([]string{STARTTLS, Implicit, Off}, o.TLS) {
		say("tls: %q must be starttls, implicit or off", o.TLS)
	}
	if o.Port < 0 || o.Port > 65535 {
		say("port: %d must lie between 0 and 65535", o.Port)
	}
	if o.PerHour < 1 || o.PerHour > 100_000 {
		say("per_hour: %d must lie between 1 and 100000", o.PerHour)
	}
	if !o.On() {
		if o.From != "" || o.User != "" || o.Password != "" {
			say("host: must name the server")
		}
		return wrong
	}
	if strings.ContainsAny(o.Host, "/:@ \t") && net.ParseIP(o.Host) == nil {
		say("host: %q must be a name or an address alone", o.Host)
	}
	if !library.IsMailAddress(o.From) {
		say("from: %q must be a mail address as quaywatch@port.example", o.From)
	}
	if (o.User == "") != (o.Password == "") {
		say("user: stands with a password, and a password with a user")
	}
	if o.User != "" && o.TLS == Off {
		say("tls: a password goes over TLS alone; use starttls or implicit")
	}
	if _, err := o.roots(); err != nil {
		say("ca: %v", err)
	}
	return wrong
}

// roots returns the certificates that sign that of the server, nil for those of the system.
func (o *Options) roots() (*x509.CertPool, error) {
	if o.CA == "" {
		return nil, nil
	}
	text, err := os.ReadFile(o.CA)
	if err != nil {
		return nil, err
	}
	pool, err := x509.SystemCertPool()
	if err != nil {
		pool = x509.NewCertPool()
	}
	if !pool.AppendCertsFromPEM(text) {
		return nil, fmt.Errorf("%s holds no certificate (PEM)", o.CA)
	}
	return pool, nil
}

// serverPort returns the port of the server.
func (o *Options) serverPort() int {
	return cmp.Or(o.Port, map[string]int{STARTTLS: 587, Implicit: 465}[o.TLS], 25)
}

// Channel returns the way out of notices by mail.
func Channel(o Options) (notify.Channel, error) {
	roots, err := o.roots()
	if err != nil {
		return notify.Channel{}, err
	}
	s := &sender{Options: o, secure: &tls.Config{ServerName: o.Host, RootCAs: roots, MinVersion: tls.VersionTLS12}, answer: answerLimit}
	return notify.Channel{Kind: notify.Mail, PerHour: o.PerHour, Limit: limit, Spare: mostSlow, Send: s.sendNotice,
		Targets: func(of *library.Resource, _ *watchdogs.Event) []string { return of.Watchdog.MailTo }}, nil
}

// mostSlow is how many further conversations may be open with a server that takes its time, or has mailboxes that do not answer.
const mostSlow = 16

// How long a try may take, and one answer of the server.
const (
	limit       = 2*answerLimit + takenLimit + 5*time.Second
	answerLimit = 20 * time.Second
	takenLimit  = 10 * time.Minute // for the mail itself and the answer that it is taken: RFC 5321, 4.5.3.2.6
)

// sender sends mails.
type sender struct {
	Options
	secure *tls.Config
	answer time.Duration // within which the server has to answer, until it has the mail
}

// sendNotice sends one notice.
func (s *sender) sendNotice(ctx context.Context, m *notify.Delivery) error {
	begins := func() {}
	message, err := s.makeMail(ctx, m, func() { begins() })
	if err != nil {
		return forGood{err}
	}
	client, err := s.client(ctx, m.To)
	if err != nil {
		return err
	}
	conversation, err := client.DialToSMTPClientWithContext(ctx)
	if err != nil {
		return unreached{s.plainError(err)}
	}
	begins = func() { _ = conversation.UpdateDeadline(takenLimit) } // a server that tries the mail takes its time, and would get it again
	err = client.SendWithSMTPClient(conversation, message)
	_ = client.CloseWithSMTPClient(conversation) // the server has taken the mail, or has not
	if message.IsDelivered() {
		return nil
	}
	var answer *smtp.SendError
	if errors.As(err, &answer) && answer.ErrorCode() >= 500 && slices.Contains([]smtp.SendErrReason{smtp.ErrSMTPRcptTo, smtp.ErrSMTPData, smtp.ErrSMTPDataClose}, answer.Reason) {
		return forGood{s.plainError(err)}
	}
	return s.plainError(err)
}

// plainError returns an error as users may read it: what the server says, or why it cannot be reached, and no address of it.
func (s *sender) plainError(err error) error {
	var refused *smtp.SendError
	var answer *textproto.Error
	switch {
	case err == nil:
		return nil
	case errors.As(err, &answer):
		err = answer
	case !errors.As(err, &refused) || refused.ErrorCode() == 0:
		return outbound.Unreached(err)
	}
	return errors.New(outbound.Excerpt([]byte(err.Error()), s.Host))
}

// forGood is an error that no further try mends: the server refuses this mail.
type forGood struct{ error }

// Permanent tells that it is for good.
func (forGood) Permanent() bool { return true }

// Unwrap returns the error itself.
func (f forGood) Unwrap() error { return f.error }

// unreached is an error of the server before it was told of a mail.
type unreached struct{ error }

// Unreached tells that the mailbox has no part in it.
func (unreached) Unreached() bool { return true }

// Unwrap returns the error itself.
func (u unreached) Unwrap() error { return u.error }

// client makes the client of one conversation, for a mail to an address. The connection goes when ctx ends, whatever the server does. Only addresses with
// letters beyond ASCII ask for SMTPUTF8: what goes with it a relay without it has to send back.
func (s *sender) client(ctx context.Context, to string) (*smtp.Client, error) {
	options := []smtp.Option{smtp.WithPort(s.serverPort()), smtp.WithTimeout(s.answer), smtp.WithTLSConfig(s.secure), smtp.WithoutNoop(),
		smtp.WithDialContextFunc(func(dialing context.Context, network, address string) (net.Conn, error) {
			return s.dialServer(ctx, dialing, network, address)
		})}
	if isASCII(s.From) && isASCII(to) {
		options = append(options, smtp.WithoutSMTPUTF8())
	}
	switch s.TLS {
	case STARTTLS:
		options = append(options, smtp.WithTLSPolicy(smtp.TLSMandatory))
	case Implicit:
		options = append(options, smtp.WithSSL())
	default:
		options = append(options, smtp.WithTLSPolicy(smtp.NoTLS))
	}
	if s.User != "" {
		options = append(options, smtp.WithUsername(s.User), smtp.WithPassword(s.Password), smtp.WithOpportunisticSMTPAuth(smtp.SMTPAuthSCRAMSHA256,
			smtp.SMTPAuthSCRAMSHA1, smtp.SMTPAuthCramMD5, smtp.SMTPAuthPlain, smtp.SMTPAuthLogin))
	}
	return smtp.NewClient(s.Host, options...)
}

// isASCII reports whether an address has ASCII letters alone.
func isASCII(address string) bool {
	return !strings.ContainsFunc(address, func(c rune) bool { return c > unicode.MaxASCII })
}

// dialServer connects, with TLS where that comes first.
func (s *sender) dialServer(ctx, dialing context.Context, network, address string) (net.Conn, error) {
	plain, err := (&net.Dialer{}).DialContext(dialing, network, address)
	if err != nil {
		return nil, err
	}
	context.AfterFunc(ctx, func() { _ = plain.Close() })
	if s.TLS != Implicit {
		return plain, nil
	}
	secure := tls.Client(plain, s.secure)
	if err := secure.HandshakeContext(dialing); err != nil {
		_ = plain.Close()
		return nil, err
	}
	return secure, nil
}

// makeMail makes the mail. It calls begins when its text is about to go to the server.
func (s *sender) makeMail(ctx context.Context, m *notify.Delivery, begins func()) (*smtp.Msg, error) {
	subject, text := m.Mail()
	message := smtp.NewMsg()
	if err := errors.Join(message.From(s.From), message.To(m.To)); err != nil {
		return nil, err
	}
	domain := s.From[strings.LastIndexByte(s.From, '@')+1:]
	message.SetMessageIDWithValue(m.ID + "@" + domain)
	message.SetDateWithValue(time.Now())
	if strings.Contains(subject, "=?") {
		message.SetGenHeaderPreformatted(smtp.HeaderSubject, encodedWords(subject))
	} else {
		message.Subject(subject)
	}
	message.SetGenHeader("Auto-Submitted", "auto-generated") // nobody's holiday note answers it
	if e := &m.Event; e.ID != 0 {
		message.SetGenHeader("X-Quaywatch-Event", strconv.FormatUint(e.ID, 10))
	}
	message.SetBodyWriter(smtp.TypeTextPlain, func(w io.Writer) (int64, error) {
		begins()
		n, err := io.WriteString(w, text)
		return int64(n), err
	})
	if f := m.File; f != nil {
		return message, message.AttachReader(f.Name, bytes.NewReader(f.Bytes), smtp.WithFileContentType(smtp.ContentType(f.Type)))
	}
	if s.Attach == nil || m.Event.ID == 0 {
		return message, nil
	}
	if file, ok := s.Attach(ctx, m); ok {
		return message, message.AttachReader(file.Name, bytes.NewReader(file.Bytes), smtp.WithFileContentType("application/gpx+xml"))
	}
	return message, nil
}

// encodedWords writes a text as the encoded words of RFC 2047, each on a line of its own. A plain text that looks like one, as the name of a ship may, would be
// read as what it stands for.
func encodedWords(text string) string {
	const most = 36 // bytes, so that the first line too, with its name, has at most 76 characters
	var words []string
	for text != "" {
		n := min(most, len(text))
		for n < len(text) && !utf8.RuneStart(text[n]) {
			n--
		}
		words = append(words, "=?UTF-8?B?"+base64.StdEncoding.EncodeToString([]byte(text[:n]))+"?=")
		text = text[n:]
	}
	return strings.Join(words, "\r\n ")
}
