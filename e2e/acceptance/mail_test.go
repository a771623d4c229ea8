package acceptance

import (
	"fmt"
	"net"
	"net/http"
	"net/mail"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"quaywatch/ais"
	"quaywatch/notify/mail/mailtest"
)

// mailKills is how often the plug is pulled while mails go out; QUAYWATCH_KILLS sets another number.
const mailKills = 3

// around is a watchdog around all ships of aShip, with further fields.
func around(fields string) string {
	return `{"name":"all","type":"polygon","polygon":{"type":"Polygon","coordinates":[[[0,40],[20,40],[20,70],[0,70],[0,40]]]},` + fields + `}`
}

// mailConfig sends mails to a server.
func mailConfig(s *mailtest.Server) string {
	return fmt.Sprintf("[mail]\nhost = \"127.0.0.1\"\nport = %d\nfrom = \"quaywatch@port.example\"\nca = %q\nuser = \"port\"\npassword = \"hush-hush\"\nper_hour = 10000\n",
		s.Port, s.CA)
}

// speaker lets new ships be heard, so that each raises an event.
type speaker struct {
	t     *testing.T
	conn  net.Conn
	ships int
	step  int
}

func newSpeaker(t *testing.T, port int) *speaker {
	conn, err := net.Dial("udp", fmt.Sprintf("127.0.0.1:%d", port))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	return &speaker{t: t, conn: conn}
}

// more lets so many further ships be heard until the program has an event of each.
func (s *speaker) more(p *process, count int) {
	s.t.Helper()
	s.ships += count
	eventually(s.t, patience, "an event of each ship", func() bool {
		s.step++
		for m := range s.ships {
			if _, err := s.conn.Write(sentences(s.t, aShip(ais.MMSI(211000001+m), s.step))); err != nil {
				return false // the feed is not open yet
			}
		}
		return len(events(p)) >= s.ships
	})
}

// slowly is how a slow mail server takes a mail.
func slowly() {
	time.Sleep(30 * time.Millisecond) // it stands for work of another machine, and nothing waits for it
}

// TestMailsOutliveAKill pulls the plug while a slow server takes mails. Each event's mail comes, and no mail comes twice but one whose answer was on its
// way when the plug was pulled.
func TestMailsOutliveAKill(t *testing.T) {
	t.Parallel()
	var taken atomic.Int64
	far := mailtest.New(t, false, func(s *mailtest.Server) {
		s.Taken = func(mailtest.Received) {
			taken.Add(1)
			slowly()
		}
	})
	port := freePort(t, "udp")
	dir, config := t.TempDir(), fmt.Sprintf("[[feed]]\nname = \"roof\"\nurl = \"udp://127.0.0.1:%d\"\n", port)+mailConfig(far)
	ships, kills := newSpeaker(t, port), killsOr(t, mailKills)
	for try := range kills {
		p := startServe(t, dir, config)
		if try == 0 {
			if r, answer := p.do("POST", "/api/watchdog/definition", around(`"mail_to":["watch@port.example"]`)); r.StatusCode != 200 {
				t.Fatalf("%d %s", r.StatusCode, answer)
			}
		}
		before := taken.Load()
		ships.more(p, 10)
		eventually(t, patience, "some mails", func() bool { return taken.Load() > before+2 })
		p.kill()
	}
	p := startServe(t, dir, config)
	type mailed struct {
		ID      uint64
		Notices []struct{ State string }
	}
	waiting := func() (n int) {
		for _, e := range allEvents(p, func(e mailed) uint64 { return e.ID }) {
			if len(e.Notices) != 1 || e.Notices[0].State != "sent" {
				n++
			}
		}
		return n
	}
	eventually(t, patience, "all mails", func() bool { return waiting() == 0 })
	came := map[string]int{}
	for _, one := range far.Mails() {
		m, err := mail.ReadMessage(strings.NewReader(one.Text))
		if err != nil {
			t.Fatal(err)
		}
		came[m.Header.Get("Message-Id")]++
	}
	twice := 0
	for _, n := range came {
		twice += n - 1
	}
	if count := len(events(p)); len(came) != count || count < ships.ships || twice > kills {
		t.Errorf("%d events, %d mails, %d of them twice after %d kills", count, len(came), twice, kills)
	}
}

// TestAMailHasTheTrack: with the rights for it, the mail has the ship's track as GPX; without one of them it has none.
func TestAMailHasTheTrack(t *testing.T) {
	t.Parallel()
	far := mailtest.New(t, false, nil)
	port := freePort(t, "udp")
	p := startServe(t, t.TempDir(), fmt.Sprintf("[[feed]]\nname = \"roof\"\nurl = \"udp://127.0.0.1:%d\"\n", port)+mailConfig(far))
	for name, rights := range map[string]string{"with": `,"allow_mail_attachments":"allow"`, "without": ""} {
		body := fmt.Sprintf(`{"name":%q,"password":"`+adminPassword+`","email":"%s@port.example","access_rights":{"allow_web_service":"allow","view_watchdog":"allow",
			"configure_watchdog_definitions":"allow","send_mail":"allow","allow_mail_self":"allow","view_historical_tracks":"allow","download_historical_tracks":"allow"%s}}`,
			name, name, rights)
		if r, answer := p.do("POST", "/api/config/user", body); r.StatusCode != 200 {
			t.Fatalf("%d %s", r.StatusCode, answer)
		}
		asks(t.Context(), t, p, http.DefaultClient, name, "POST", "/api/watchdog/definition", strings.Replace(around(`"mail_to":["`+name+`"]`), `"all"`, `"`+name+`"`, 1))
	}
	newSpeaker(t, port).more(p, 2)
	eventually(t, patience, "both mails", func() bool { return len(far.Mails()) >= 4 })
	for _, m := range far.Mails() {
		with := strings.Contains(m.To, "<with@")
		if has := strings.Contains(m.Text, ".gpx"); has != with || m.Login != "\x00port\x00hush-hush" {
			t.Errorf("%s: a track %v\n%s", m.To, has, m.Text)
		}
	}
}

// TestADemoMailsNothing: the simulated harbour raises events, and no mail goes out.
func TestADemoMailsNothing(t *testing.T) {
	t.Parallel()
	far := mailtest.New(t, false, nil)
	p := start(t, t.TempDir(), "demo", "--ships", "30", "--config", configFile(t, mailConfig(far)))
	if r, answer := p.do("POST", "/api/watchdog/definition", around(`"mail_to":["watch@port.example"]`)); r.StatusCode != 200 {
		t.Fatalf("%d %s", r.StatusCode, answer)
	}
	var all struct {
		Records []struct{ Notices []struct{ State string } }
	}
	eventually(t, patience, "an event with its notice", func() bool {
		p.get("/api/watchdog/event?after_id=0", &all)
		return len(all.Records) > 0 && len(all.Records[0].Notices) == 1
	})
	if state := all.Records[0].Notices[0].State; state != "suppressed" || len(far.Clear()) != 0 {
		t.Errorf("%s, and the server heard %v", state, far.Clear())
	}
}
