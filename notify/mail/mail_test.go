package mail

import (
	"context"
	"crypto/tls"
	"encoding/base64"
	"errors"
	"io"
	"mime"
	"mime/multipart"
	"net"
	"net/mail"
	"slices"
	"strings"
	"testing"
	"time"

	"quaywatch/engine/watchdogs"
	"quaywatch/internal/await"
	"quaywatch/notify"
	"quaywatch/notify/mail/mailtest"
	"quaywatch/ship/watchdog"
	"quaywatch/users/library"
)

// notice is one of an event with a hostile ship.
func notice(to string) *notify.Delivery {
	e := watchdogs.Event{ID: 7, Watchdog: 3, Name: "Læsø\r\nBcc: all@port.example", Severity: "warning", Kind: watchdog.Enter, Time: time.Date(2026, 11, 20, 12, 2, 0, 0, time.UTC).UnixMilli(),
		Ship: watchdogs.ShipOfEvent{MMSI: 219018765, Name: "A\r\nBcc: x@y.example\r\n\r\n<SCRIPT>", Destination: "=CMD|'/C'!A0\n.\nQUIT"}}
	of := library.Resource{Watchdog: &library.Watchdog{}}
	of.Watchdog.MailTemplate = "Subject: %watchdog% %name%\n%name% to %destination%\n.\n%unknown% 100%%\n"
	return &notify.Delivery{ID: "abc.1", Channel: notify.Mail, To: to, Event: e, Watchdog: of}
}

func options(s *mailtest.Server, tls string) Options {
	return Options{Host: "127.0.0.1", Port: s.Port, From: "quaywatch@port.example", TLS: tls, CA: s.CA, PerHour: 100}
}

// sends sends a notice within so long.
func sends(t *testing.T, o Options, m *notify.Delivery, within time.Duration) error {
	t.Helper()
	if wrong := o.Check(); len(wrong) > 0 {
		t.Fatal(wrong)
	}
	c, err := Channel(o)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), within)
	defer cancel()
	return c.Send(ctx, m)
}

const long = 20 * time.Second

// TestAMailArrives by each way of TLS. What ships and users write stays text.
func TestAMailArrives(t *testing.T) {
	for _, way := range []string{STARTTLS, Implicit, Off} {
		t.Run(way, func(t *testing.T) {
			s := mailtest.New(t, way == Implicit, nil)
			o := options(s, way)
			if way != Off {
				o.User, o.Password = "port", "hush hush"
			}
			o.Attach = func(context.Context, *notify.Delivery) (Attachment, bool) {
				return Attachment{"track.gpx", []byte("<gpx/>")}, true
			}
			if err := sends(t, o, notice("watch@port.example"), long); err != nil {
				t.Fatal(err)
			}
			got := s.Mails()
			if len(got) != 1 || !strings.HasPrefix(got[0].To, "TO:<watch@port.example>") || !strings.HasPrefix(got[0].From, "FROM:<quaywatch@port.example>") {
				t.Fatalf("%+v", got)
			}
			if secure := way != Off; got[0].Secure != secure || secure && got[0].Login != "\x00port\x00hush hush" {
				t.Errorf("%+v", got[0])
			}
			read(t, got[0].Text)
		})
	}
}

// TestAServerMayTakeItsTimeWithAMail: it has longer for the answer that it has taken a mail than for others. Else it would get the mail again and again.
func TestAServerMayTakeItsTimeWithAMail(t *testing.T) {
	const answer = 3 * time.Second
	s := mailtest.New(t, false, func(s *mailtest.Server) {
		s.Taken = func(mailtest.Received) {
			began := time.Now()
			await.That(t, "other answers would be too late", func() bool { return time.Since(began) > 2*answer })
		}
	})
	slow := &sender{Options: options(s, Off), secure: &tls.Config{MinVersion: tls.VersionTLS12}, answer: answer}
	ctx, cancel := context.WithTimeout(t.Context(), long)
	defer cancel()
	if err := slow.sendNotice(ctx, notice("watch@port.example")); err != nil || len(s.Mails()) != 1 {
		t.Errorf("%v, %d mails", err, len(s.Mails()))
	}
	if takenLimit < 10*time.Minute || limit < takenLimit {
		t.Error("RFC 5321 has ten minutes")
	}
}

// TestOnlyOtherLettersAskForUTF8: a relay without SMTPUTF8 sends back what asks for it, so a mail with plain addresses does not, whatever its text.
func TestOnlyOtherLettersAskForUTF8(t *testing.T) {
	for to, want := range map[string]bool{"watch@port.example": false, "vagt@læsø.example": true} {
		s := mailtest.New(t, false, nil)
		if err := sends(t, options(s, STARTTLS), notice(to), long); err != nil {
			t.Fatal(err)
		}
		if from := s.Mails()[0].From; strings.Contains(from, "SMTPUTF8") != want {
			t.Errorf("to %s: MAIL %s", to, from)
		}
	}
}

// TestATableIsAttached with its name and type, in the place of a track.
func TestATableIsAttached(t *testing.T) {
	s := mailtest.New(t, false, nil)
	o := options(s, STARTTLS)
	o.Attach = func(context.Context, *notify.Delivery) (Attachment, bool) {
		return Attachment{"track.gpx", []byte("<gpx/>")}, true
	}
	m := notice("watch@port.example")
	m.File = &notify.AttachedFile{Name: "area-7.csv", Type: "text/csv; charset=utf-8", Bytes: []byte("mmsi,name\n219018765,\"Læsø\r\n.\r\nQUIT\"\n")}
	if err := sends(t, o, m, long); err != nil {
		t.Fatal(err)
	}
	of, err := mail.ReadMessage(strings.NewReader(s.Mails()[0].Text))
	if err != nil {
		t.Fatal(err)
	}
	_, params, err := mime.ParseMediaType(of.Header.Get("Content-Type"))
	if err != nil {
		t.Fatal(err)
	}
	parts := multipart.NewReader(of.Body, params["boundary"])
	if _, err := parts.NextPart(); err != nil {
		t.Fatal(err)
	}
	file, err := parts.NextPart()
	if err != nil {
		t.Fatal(err)
	}
	text, err := io.ReadAll(base64.NewDecoder(base64.StdEncoding, file))
	if err != nil || string(text) != string(m.File.Bytes) || file.FileName() != "area-7.csv" || !strings.HasPrefix(file.Header.Get("Content-Type"), "text/csv") {
		t.Errorf("%v %s %v %q", err, file.FileName(), file.Header, text)
	}
	if _, err := parts.NextPart(); err != io.EOF {
		t.Errorf("there is a third part: %v", err)
	}
}

// TestASubjectIsWhatItSays: a name that looks like an encoded word of a mail is read as it was written.
func TestASubjectIsWhatItSays(t *testing.T) {
	for _, name := range []string{"=?UTF-8?Q?=42OMB?=", "=?utf-8?b?WFlaWg==?= AND A NAME", "Læsø =?x?q?=41?= " + strings.Repeat("æøå ", 30), "PLAIN"} {
		s := mailtest.New(t, false, nil)
		m := notice("watch@port.example")
		m.Watchdog.Watchdog.MailTemplate = "Subject: %watchdog%\ntext\n"
		m.Event.Name = name
		if err := sends(t, options(s, Off), m, long); err != nil {
			t.Fatal(err)
		}
		got, err := mail.ReadMessage(strings.NewReader(s.Mails()[0].Text))
		if err != nil {
			t.Fatal(err)
		}
		want, _ := m.Mail()
		subject, err := (&mime.WordDecoder{}).DecodeHeader(got.Header.Get("Subject"))
		if err != nil || subject != want || !strings.HasPrefix(want, strings.TrimSpace(name)) {
			t.Errorf("%q is read as %q: %v", want, subject, err)
		}
		for line := range strings.Lines(s.Mails()[0].Text) {
			if len(strings.TrimRight(line, "\r\n")) > 76 {
				t.Errorf("a line of %d characters: %q", len(line), line)
			}
		}
	}
}

// read looks at the mail of notice as a reader of mails does.
func read(t *testing.T, text string) {
	t.Helper()
	m, err := mail.ReadMessage(strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	var keys []string
	for key := range m.Header {
		keys = append(keys, key)
	}
	slices.Sort(keys)
	if got := strings.Join(keys, " "); got != "Auto-Submitted Content-Type Date From Message-Id Mime-Version Subject To User-Agent X-Mailer X-Quaywatch-Event" {
		t.Errorf("headers %s", got)
	}
	subject, err := (&mime.WordDecoder{}).DecodeHeader(m.Header.Get("Subject"))
	if err != nil || subject != "Læsø Bcc: all@port.example A Bcc: x@y.example <SCRIPT>" || m.Header.Get("Message-Id") != "<abc.1@port.example>" {
		t.Errorf("%q %q %v", subject, m.Header.Get("Message-Id"), err)
	}
	_, params, err := mime.ParseMediaType(m.Header.Get("Content-Type"))
	if err != nil {
		t.Fatal(err)
	}
	parts := multipart.NewReader(m.Body, params["boundary"])
	body, err := parts.NextPart() // it decodes quoted-printable
	if err != nil {
		t.Fatal(err)
	}
	words, err := io.ReadAll(body)
	want := "A Bcc: x@y.example <SCRIPT> to =CMD|'/C'!A0 . QUIT\n.\n%unknown% 100%\n"
	if got := strings.ReplaceAll(string(words), "\r\n", "\n"); err != nil || got != want {
		t.Errorf("%q, want %q; %v", got, want, err)
	}
	file, err := parts.NextPart()
	if err != nil || file.FileName() != "track.gpx" || !strings.HasPrefix(file.Header.Get("Content-Type"), "application/gpx+xml") {
		t.Errorf("%+v %v", file, err)
	}
}

// TestAServerThatDoesNotTakeIt: what may be mended is tried again, what the server refuses of this mail is not. No answer holds up nobody, and a mail that
// the server took is sent.
func TestAServerThatDoesNotTakeIt(t *testing.T) {
	for name, row := range map[string]struct {
		set             func(*mailtest.Server)
		within          time.Duration
		sent, permanent bool
		unreached       bool // the mailbox has no part in it
	}{
		"busy":                      {set: func(s *mailtest.Server) { s.Greeting = "421 too busy" }, unreached: true},
		"no mailbox":                {set: func(s *mailtest.Server) { s.Answers["RCPT"] = "550 5.1.1 no such mailbox" }, permanent: true},
		"mailbox full":              {set: func(s *mailtest.Server) { s.Answers["RCPT"] = "452 4.2.2 mailbox full" }},
		"grey list":                 {set: func(s *mailtest.Server) { s.Answers["."] = "451 4.7.1 later" }},
		"spam":                      {set: func(s *mailtest.Server) { s.Answers["."] = "554 5.7.1 spam" }, permanent: true},
		"wrong sender":              {set: func(s *mailtest.Server) { s.Answers["MAIL"] = "550 who is that" }}, // the operator may mend it
		"wrong password":            {set: func(s *mailtest.Server) { s.Answers["AUTH"] = "535 5.7.8 no" }, unreached: true},
		"no TLS":                    {set: func(s *mailtest.Server) { s.Mute["STARTTLS"] = true }, unreached: true},
		"unknown certificate":       {set: func(s *mailtest.Server) { s.CA = "" }, unreached: true},
		"silent":                    {set: func(s *mailtest.Server) { s.Greeting = "-" }, within: 50 * time.Millisecond, unreached: true},
		"silent after the mail":     {set: func(s *mailtest.Server) { s.Answers["."] = "-" }, within: 500 * time.Millisecond},
		"hangs up after it took it": {set: func(s *mailtest.Server) { s.HangsUp = true }, sent: true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := mailtest.New(t, false, row.set)
			o := options(s, STARTTLS)
			o.User, o.Password = "port", "hush hush"
			within := row.within
			if within == 0 {
				within = long
			}
			err := sends(t, o, notice("watch@port.example"), within)
			var permanent interface{ Permanent() bool }
			if (err == nil) != row.sent || errors.As(err, &permanent) != row.permanent {
				t.Errorf("%v", err)
			}
			var unreached interface{ Unreached() bool }
			if errors.As(err, &unreached) != row.unreached {
				t.Errorf("unreached: %v", err)
			}
			if got := len(s.Mails()); (got == 1) != row.sent {
				t.Errorf("the server has %d mails", got)
			}
			if in := strings.Join(s.Clear(), "\n"); strings.Contains(in, "AUTH") || strings.Contains(in, "MAIL") {
				t.Errorf("in clear: %s", in)
			}
		})
	}
	t.Run("tells nothing of the network", func(t *testing.T) {
		s := mailtest.New(t, false, func(s *mailtest.Server) {
			s.Answers["AUTH"] = "535 5.7.8 mail.harbour.example (10.1.2.3, [fd00::7]) says no"
		})
		o := options(s, STARTTLS)
		o.User, o.Password = "port", "hush hush"
		refused := sends(t, o, notice("watch@port.example"), long)
		o.Host, o.CA = "localhost", ""
		for what, err := range map[string]error{"an answer": refused, "a certificate": sends(t, o, notice("watch@port.example"), long),
			"another name": sends(t, options(s, STARTTLS), notice("watch@port.example"), long),
			"nobody":       sends(t, Options{Host: "127.0.0.1", Port: 1, From: "a@b.example", TLS: Off, PerHour: 1}, notice("watch@port.example"), long)} {
			for _, secret := range []string{"127.0.0.1", "10.1.2.3", "fd00::7", "localhost"} {
				if err != nil && strings.Contains(err.Error(), secret) {
					t.Errorf("%s tells %s: %v", what, secret, err)
				}
			}
		}
		if refused == nil || !strings.Contains(refused.Error(), "5.7.8 mail.harbour.example") {
			t.Errorf("what the server says is told to nobody: %v", refused)
		}
	})
	t.Run("dead", func(t *testing.T) {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		port := l.Addr().(*net.TCPAddr).Port
		l.Close()
		err = sends(t, Options{Host: "127.0.0.1", Port: port, From: "a@b.example", TLS: Off, PerHour: 1}, notice("watch@port.example"), long)
		var permanent interface{ Permanent() bool }
		if err == nil || errors.As(err, &permanent) {
			t.Errorf("%v", err)
		}
	})
}

// TestOptions: what is wrong is named by its key.
func TestOptions(t *testing.T) {
	good := Options{Host: "mail.port.example", From: "quaywatch@port.example", TLS: STARTTLS, PerHour: 100}
	for _, row := range []struct {
		change func(*Options)
		says   string
	}{
		{func(*Options) {}, ""},
		{func(o *Options) { *o = Options{TLS: STARTTLS, PerHour: 100} }, ""}, // no mail
		{func(o *Options) { o.Host = "" }, "host: must name"},
		{func(o *Options) { o.Host = "smtp://mail.port.example" }, "host:"},
		{func(o *Options) { o.Host = "::1" }, ""},
		{func(o *Options) { o.Port = 70000 }, "port:"},
		{func(o *Options) { o.From = "Port <a@b.example>" }, "from:"},
		{func(o *Options) { o.User = "port" }, "user:"},
		{func(o *Options) { o.User, o.Password, o.TLS = "a", "b", Off }, "tls:"},
		{func(o *Options) { o.TLS = "ssl" }, "tls:"},
		{func(o *Options) { o.CA = "/nowhere/ca.pem" }, "ca:"},
		{func(o *Options) { o.PerHour = 0 }, "per_hour:"},
	} {
		o := good
		row.change(&o)
		wrong := strings.Join(o.Check(), "; ")
		if (wrong == "") != (row.says == "") || !strings.HasPrefix(wrong, row.says) {
			t.Errorf("%q, want %q", wrong, row.says)
		}
	}
	for way, port := range map[string]int{STARTTLS: 587, Implicit: 465, Off: 25} {
		if o := (Options{TLS: way}); o.serverPort() != port {
			t.Errorf("%s: %d", way, o.serverPort())
		}
	}
}
