package acceptance

import (
	"bufio"
	"fmt"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"quaywatch/ais"
)

// linePassword is what the tests give users of the stream.
const linePassword = "signal-station-2"

// station is a box with an outgoing stream.
type station struct {
	*process
	t      testing.TB
	send   net.Conn
	stream string // address of the output "port"
}

func openStation(t testing.TB, more string) *station {
	t.Helper()
	config, send := udpFeed(t)
	s := &station{t: t, send: send, stream: fmt.Sprintf("127.0.0.1:%d", freePort(t, "tcp"))}
	s.process = startServe(t, t.TempDir(), config+fmt.Sprintf("[[output]]\nname = \"port\"\nurl = \"tcp-listen://%s\"\n%s", s.stream, more))
	return s
}

// write changes something through the interface; the answer must be a success.
func (s *station) write(method, path, body string) {
	s.t.Helper()
	if response, text := s.do(method, "/api/config"+path, body); response.StatusCode >= 300 {
		s.t.Fatalf("%s %s %s: %s\n%s", method, path, body, response.Status, text)
	}
}

// addUser makes an operator with more fields, as JSON.
func (s *station) addUser(name, fields string) {
	s.t.Helper()
	if fields != "" {
		fields = "," + fields
	}
	s.write("POST", "/user", fmt.Sprintf(`{"name":%q,"password":%q,"groups":["operator"]%s}`, name, linePassword, fields))
}

// subscription is an open connection to the stream. lines has what came; the end is sent to a channel.
type subscription struct {
	net.Conn
	mu    sync.Mutex
	lines []string
	ended chan struct{}
}

// subscribe connects, says the line where there is one, and reads.
func (s *station) subscribe(line string) *subscription {
	s.t.Helper()
	var conn net.Conn
	eventually(s.t, patience, "the stream listens", func() (ok bool) {
		var err error
		conn, err = net.Dial("tcp", s.stream)
		return err == nil
	})
	s.t.Cleanup(func() { conn.Close() })
	if _, err := fmt.Fprint(conn, line); err != nil {
		s.t.Fatal(err)
	}
	sub := &subscription{Conn: conn, ended: make(chan struct{})}
	go func() {
		defer close(sub.ended)
		for in := bufio.NewScanner(conn); in.Scan(); {
			sub.mu.Lock()
			sub.lines = append(sub.lines, in.Text())
			sub.mu.Unlock()
		}
	}()
	return sub
}

// signIn subscribes as a user and waits until that is taken.
func (s *station) signIn(name string) *subscription {
	s.t.Helper()
	sub := s.subscribe("LOGIN " + name + " " + linePassword + "\r\n")
	eventually(s.t, patience, name+" is let in", func() bool { return strings.HasPrefix(sub.first(), "$PQWA,ok,"+name) })
	return sub
}

// cutAfter waits until the subscription has ended, and returns how long that took.
func (s *subscription) cutAfter(t testing.TB) time.Duration {
	t.Helper()
	start := time.Now()
	select {
	case <-s.ended:
	case <-time.After(patience):
		t.Fatalf("not cut within %v", patience)
	}
	return time.Since(start)
}

func (s *subscription) said() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]string{}, s.lines...)
}

func (s *subscription) first() string {
	if lines := s.said(); len(lines) > 0 {
		return lines[0]
	}
	return ""
}

func (s *subscription) count(part string) (n int) {
	for _, line := range s.said() {
		if strings.Contains(line, part) {
			n++
		}
	}
	return n
}

// ships returns the ships whose messages came.
func (s *subscription) ships() map[ais.MMSI]bool {
	ships := map[ais.MMSI]bool{}
	batch := ais.NewPool(1).Get()
	decoder := ais.NewDecoder(ais.DecoderConfig{Feed: "test"})
	for _, line := range s.said() {
		decoder.Line(batch, []byte(line), time.Now())
	}
	for i := range batch.Reports {
		ships[batch.Reports[i].Message.Head().MMSI] = true
	}
	return ships
}

func (s *station) say(m ais.Message) {
	s.t.Helper()
	if _, err := s.send.Write(sentences(s.t, m)); err != nil {
		s.t.Fatal(err)
	}
}

// outputs returns the outputs of the status page.
func (s *station) outputs() []map[string]any {
	s.t.Helper()
	var status struct{ Outputs []map[string]any }
	s.get("/api/status", &status)
	return status.Outputs
}

// TestTheStreamEndsWithItsUser: soon after each change that takes away what let the subscriber in. Tests of ais/feed hold the second.
func TestTheStreamEndsWithItsUser(t *testing.T) {
	s := openStation(t, "[[output]]\nname = \"tagged\"\nurl = \"udp://127.0.0.1:9\"\nuser = \"sender\"\nformat = \"nmea_tag\"\n")
	cut := 0.0
	for name, body := range map[string]string{
		"disabled":               `{"disabled":true}`,
		"expired":                `{"expiration_time":"2026-01-01T00:00:00Z"}`,
		"password":               `{"password":"another-password-3"}`,
		"no lss_access":          `{"access_rights":{"lss_access":"deny"}}`,
		"no right to the format": `{"access_rights":{"allow_nmea_tag_msgs":"deny"}}`,
		"another lss_group":      `{"settings":{"lss_group":"tagged"}}`,
		"deleted":                "",
	} {
		t.Run(name, func(t *testing.T) {
			withinLimit(t, busySecond, "the cut", func() time.Duration {
				s.addUser("anna", `"settings":{"output_format":"nmea_tag"}`)
				sub := s.signIn("anna")
				if body == "" {
					s.write("DELETE", "/user/anna", "")
				} else {
					s.write("PUT", "/user/anna", body)
				}
				cut++
				took := sub.cutAfter(t)
				if body != "" {
					s.write("DELETE", "/user/anna", "")
				}
				return took
			})
		})
	}
	if revoked := s.outputs()[0]["revoked"].(float64); revoked != cut {
		t.Errorf("%v of %v revoked in the status", revoked, cut)
	}
}

// TestSubscribersAreRefusedWithAReason signs in as users that may subscribe and as users that may not, and reads what they are told.
func TestSubscribersAreRefusedWithAReason(t *testing.T) {
	t.Parallel()
	s := openStation(t, "[[output]]\nname = \"other\"\nurl = \"udp://127.0.0.1:9\"\nuser = \"sender\"\n")
	s.addUser("outsider", `"access_rights":{"lss_access":"deny"}`)
	s.addUser("tagger", `"settings":{"output_format":"nmea_tag"},"access_rights":{"allow_nmea_tag_msgs":"deny"}`)
	s.addUser("bound", `"settings":{"lss_group":"Port","user_type":"proxy"}`)
	s.addUser("elsewhere", `"settings":{"lss_group":"other"}`)
	s.addUser("gone", `"disabled":true`)
	for name, want := range map[string]string{
		"outsider": "$PQWA,refused,no right lss_access", "tagger": "$PQWA,refused,no right allow_nmea_tag_msgs", "bound": "$PQWA,ok,bound",
		"elsewhere": "$PQWA,refused,not the lss_group of", "gone": "$PQWA,refused,wrong name or password", "nobody": "$PQWA,refused,wrong name or password",
	} {
		sub := s.subscribe("LOGIN " + name + " " + linePassword + "\r\n")
		eventually(t, patience, name+" is answered", func() bool { return sub.first() != "" })
		if got := sub.first(); !strings.HasPrefix(got, want) {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
	var wrong *subscription
	for range 6 {
		wrong = s.subscribe("LOGIN bound wrong-password-9\r\n")
		<-wrong.ended
	}
	if got := wrong.first(); !strings.HasPrefix(got, "$PQWA,refused,locked for ") {
		t.Errorf("the sixth wrong password: %q", got)
	}
	if log := s.stderr.String(); strings.Contains(log, linePassword) || strings.Contains(log, "wrong-password-9") {
		t.Error("a password stands in the log")
	}
	_, audit := s.do("GET", "/api/audit?limit=100", "")
	for _, want := range []string{`"ok"`, `"failed"`, `"denied"`} {
		if !strings.Contains(string(audit), want) {
			t.Errorf("the audit log lacks %s: %.400s", want, audit)
		}
	}
	if strings.Contains(string(audit), linePassword) {
		t.Error("a password stands in the audit log")
	}
}

// TestDirectAccessOpensTheStreamAlone: an address that needs no password gets the stream of its user, until that is changed.
func TestDirectAccessOpensTheStreamAlone(t *testing.T) {
	s := openStation(t, "")
	s.addUser("gpsd", `"direct_access":{"enabled":true,"hosts":["127.0.0.0/8"]},"receive_filter":{"countries":[211]}`)
	letIn := func() *subscription {
		sub := s.subscribe("")
		eventually(t, patience, "it is let in", func() bool { return len(s.outputs()[0]["subscribers"].([]any)) == 1 })
		return sub
	}
	sub := letIn()
	s.say(aShip(211000001, 1))
	s.say(aShip(219000001, 1))
	s.say(aShip(211000002, 1))
	eventually(t, patience, "both German ships", func() bool { return len(sub.said()) == 2 })
	if ships := sub.ships(); ships[219000001] || !ships[211000001] || !ships[211000002] {
		t.Errorf("%v", ships)
	}
	response, err := http.Get(s.base + "/api/status")
	if err != nil {
		t.Fatal(err)
	}
	response.Body.Close()
	if response.StatusCode != http.StatusUnauthorized {
		t.Errorf("the API answers %s", response.Status)
	}
	withinLimit(t, busySecond, "the cut", func() time.Duration {
		if sub == nil {
			s.write("PUT", "/user/gpsd", `{"direct_access":{"enabled":true,"hosts":["127.0.0.0/8"]}}`)
			sub = letIn()
		}
		s.write("PUT", "/user/gpsd", `{"direct_access":{"enabled":true,"hosts":["192.0.2.1"]}}`)
		took := sub.cutAfter(t)
		sub = nil
		return took
	})
}

// TestASenderWaitsForItsUser: an output whose user does not exist reports that, and opens when the user is made.
func TestASenderWaitsForItsUser(t *testing.T) {
	t.Parallel()
	far, err := net.ListenPacket("udp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer far.Close()
	s := openStation(t, fmt.Sprintf("[[output]]\nname = \"up\"\nurl = \"udp://%s\"\nuser = \"sender\"\nformat = \"nmea_tag\"\n", far.LocalAddr()))
	up := func() map[string]any { return s.outputs()[1] }
	eventually(t, patience, "the status names it", func() bool { return up()["error"] == "no such user" })
	s.addUser("sender", "")
	eventually(t, patience, "it is open", func() bool { return up()["open"] == true })
	s.say(aShip(211000001, 1))
	buffer := make([]byte, 2000)
	if err := far.SetReadDeadline(time.Now().Add(patience)); err != nil {
		t.Fatal(err)
	}
	n, _, err := far.ReadFrom(buffer)
	if err != nil || !strings.HasPrefix(string(buffer[:n]), `\s:udp,c:`) {
		t.Errorf("%v %q", err, buffer[:n])
	}
	s.write("PUT", "/user/sender", `{"disabled":true}`)
	eventually(t, patience, "it is closed", func() bool { return up()["open"] == false && up()["error"] == "user disabled or expired" })
	_, metrics := s.do("GET", "/metrics", "")
	for _, want := range []string{
		`quaywatch_output_open{output="port"} 1`, `quaywatch_output_open{output="up"} 0`, `quaywatch_output_messages_total{output="up"} 1`,
		`quaywatch_output_ended_total{output="up",reason="revoked"} 1`, `quaywatch_output_dropped_total{output="up",reason="behind"} 0`,
		`quaywatch_output_subscribers{output="port"} 0`, `quaywatch_output_lag_seconds{output="port"} 0`,
	} {
		if !strings.Contains(string(metrics), want) {
			t.Errorf("the metrics lack %s", want)
		}
	}
	if code := s.stop(patience); code != 0 {
		t.Errorf("ended with %d", code)
	}
}

// TestRecordingsAreNotPassedOn: a recording or the demo runs with the configuration of the box. It sends no ships of yesterday, and
// no invented ships, to programs that would take them for present ones.
func TestRecordingsAreNotPassedOn(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	log, config := filepath.Join(dir, "log.nmea"), filepath.Join(dir, "quaywatch.toml")
	if err := os.WriteFile(log, sentences(t, aShip(211000001, 1)), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(config, []byte("[[output]]\nname = \"up\"\nurl = \"udp://127.0.0.1:9\"\nuser = \"admin\"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for command, more := range map[string][]string{"replay": {log}, "demo": nil} {
		s := &station{process: start(t, dir, append([]string{command, "--config", config}, more...)...), t: t}
		if list := s.outputs(); len(list) != 0 {
			t.Errorf("%s: %v", command, list)
		}
		s.stop(patience)
	}
}
