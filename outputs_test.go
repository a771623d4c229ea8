package main

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"quaywatch/access"
	"quaywatch/ais"
	"quaywatch/ais/feed"
	"quaywatch/geo"
	"quaywatch/ship"
	"quaywatch/store"
	"quaywatch/traffic"
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

// write asks the API to change something and must be obeyed.
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

// subscription is an open connection to the stream; what comes stands in lines, and the end is told.
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

// cutAfter waits until the subscription has ended, and gives how long that took.
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

// ships gives whose messages came.
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

// outputs gives the outputs of the status page.
func (s *station) outputs() []map[string]any {
	s.t.Helper()
	var status struct{ Outputs []map[string]any }
	s.get("/api/status", &status)
	return status.Outputs
}

// TestTheStreamEndsWithItsUser: within a second of each change that takes away what let the subscriber in.
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
			withinLimit(t, time.Second, "the cut", func() time.Duration {
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

// TestWhoIsRefused: and what it is told.
func TestWhoIsRefused(t *testing.T) {
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
	withinLimit(t, time.Second, "the cut", func() time.Duration {
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

// TestASenderWaitsForItsUser: an output whose user does not exist says so, and opens when the user comes.
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

// TestRecordingsAreNotPassedOn: who plays a recording, or the demo, with the configuration of the box does not send ships of
// yesterday, or none at all, to who takes them for now.
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

// passerFor makes a passer over users of its own, with one feed and one output.
func passerFor(t testing.TB) *passer {
	t.Helper()
	db, err := store.Open(store.Options{Dir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	users, err := access.OpenUsers(db, access.Options{})
	if err != nil {
		t.Fatal(err)
	}
	config := DefaultConfig()
	config.Feed = []FeedConfig{{Name: "roof", URL: "stdin://", Tags: []string{"terrestrial"}}}
	config.Output = []OutputConfig{{Name: "port", URL: "tcp-listen://127.0.0.1:0"}}
	a := &app{config: config, log: quietLog(), picture: traffic.New(traffic.DefaultConfig())}
	if a.feeds, err = feed.New(nil, ais.NewPool(1), a.log); err != nil {
		t.Fatal(err)
	}
	p, err := a.newPasser(users)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func (p *passer) userWith(t testing.TB, name, settings, filter string) *access.User {
	t.Helper()
	if _, err := p.users.Create(access.User{Name: name, Groups: []string{access.GroupOperator}}, linePassword); err != nil {
		t.Fatal(err)
	}
	user, err := p.users.Change(name, func(u *access.User) error {
		u.Settings, u.ReceiveFilter = p.keys(t, access.SettingKeys, settings), p.keys(t, access.ReceiveKeys, filter)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return user
}

func (p *passer) keys(t testing.TB, set access.KeySet, text string) access.Keys {
	t.Helper()
	var written access.Keys
	if err := json.Unmarshal([]byte("{"+text+"}"), &written); err != nil {
		t.Fatal(err)
	}
	kept, wrong := p.users.TakeKeys(set, nil, written)
	if len(wrong) > 0 {
		t.Fatal(wrong)
	}
	return kept
}

// TestSettingsReachTheStream: each setting and filter key of the stream ends where the engine obeys it; package feed shows
// what it does there.
func TestSettingsReachTheStream(t *testing.T) {
	p := passerFor(t)
	near := ship.State{MMSI: 211000001, HasFix: true, Feed: "roof", Fix: ship.Fix{Lon: 6000000, Lat: 33600000}}
	tests := []struct {
		settings, filter string
		want             func(*streamPass) bool
	}{
		{`"output_format":"xml"`, "", func(p *streamPass) bool { return p.Style.Format == feed.XML }},
		{`"use_timestamp":true,"time_stamp_method":"comment"`, "", func(p *streamPass) bool { return p.Style.Stamp == feed.StampComment }},
		{`"clock_sync_interval":30`, "", func(p *streamPass) bool { return p.Style.ClockSync == 30*time.Second }},
		{`"include_external_id":true,"custom_tag_info":"harbour"`, "", func(p *streamPass) bool { return p.Style.ExternalID && p.Style.CustomTag == "harbour" }},
		{`"receive_system_status":true`, "", func(p *streamPass) bool { return p.Style.SystemInfo }},
		{`"down_sample_interval":10`, "", func(p *streamPass) bool { return p.Pace.DownSample == 10*time.Second }},
		{`"fixed_downsampling_interval":60`, "", func(p *streamPass) bool { return p.Pace.FixedDownSample == time.Minute }},
		{`"max_message_rate":50`, "", func(p *streamPass) bool { return p.Pace.MaxRate == 50 }},
		{`"congestion_adjustment_factor":200,"max_congestion_adjustment_factor":400,"time_between_congestion_adjustments":5`, "", func(p *streamPass) bool {
			return p.Pace.Congestion == feed.Congestion{Factor: 200, Most: 400, Every: 5 * time.Second}
		}},
		{`"forward_cached_static_voyage_data":true`, "", func(p *streamPass) bool { return p.CachedStatic }},
		{`"include_peep":true`, "", func(p *streamPass) bool { return p.Peep }},
		{`"priority":"high"`, "", func(p *streamPass) bool { return p.Priority == feed.High }},
		{`"priority":"low"`, "", func(p *streamPass) bool { return p.Priority == feed.Low }},
		{`"allowed_pss_list":["Roof"]`, "", func(p *streamPass) bool { return p.SeesFeed("roof") && !p.SeesFeed("attic") }},
		{"", `"delay":30`, func(p *streamPass) bool { return p.Pace.Delay == 30*time.Second }},
		{"", `"update_interval":20`, func(p *streamPass) bool { return p.Every(&near) == 20*time.Second }},
		{"", `"range_dependant_update":{"position":[10,56],"ranges":[{"distance":1000,"interval":7}]}`, func(p *streamPass) bool { return p.Every(&near) == 7*time.Second }},
		{"", `"message_types":[5]`, func(p *streamPass) bool {
			return !p.May(&feed.Outgoing{Feed: "roof", Traits: ais.Traits{MMSI: near.MMSI, Type: 1}}, &near) &&
				p.May(&feed.Outgoing{Feed: "roof", Traits: ais.Traits{MMSI: near.MMSI, Type: 5}}, &near)
		}},
		{"", `"psss":["attic"]`, func(p *streamPass) bool {
			heard := near // by both: what the other one said is hidden all the same
			heard.Feed = "attic"
			return !p.May(&feed.Outgoing{Feed: "roof", Traits: ais.Traits{MMSI: near.MMSI, Type: 1}}, &heard)
		}},
	}
	for i, tt := range tests {
		name := fmt.Sprint("user", i)
		pass, err := p.pass(p.userWith(t, name, tt.settings, tt.filter), "port", nil)
		if err != nil || !tt.want(pass) {
			t.Errorf("%s %s: %v %+v", tt.settings, tt.filter, err, pass)
		}
	}
}

// TestWhatIsPassedOn: an update becomes a message with all that the formats say.
func TestWhatIsPassedOn(t *testing.T) {
	p := passerFor(t)
	pass, err := p.pass(p.userWith(t, "anna", `"output_format":"xml","include_peep":true`, ""), "port", nil)
	if err != nil {
		t.Fatal(err)
	}
	report := &ais.Report{Message: aShip(211000001, 1), Raw: sentences(t, aShip(211000001, 1)), Received: time.Now(), Feed: "roof"}
	now := ship.State{MMSI: 211000001, Feed: "roof", Static: &ship.Static{Name: "ANNA", CallSign: "DABC", Type: 70}}
	p.Observe(&ship.Update{Report: report, Now: now, Fix: ship.Fix{Lon: 6000000, Lat: 33600000}, Change: ship.ChangedFix})
	if o := &p.out; o.Name != "ANNA" || o.CallSign != "DABC" || o.ShipType != 70 || !o.HasFix || o.Place != (geo.Point{Lon: 10, Lat: 56}) || o.Traits.Type != 1 || o.Refused != "" {
		t.Errorf("%+v", o)
	}
	if !pass.May(&p.out, &now) {
		t.Error("hidden without a filter")
	}
	for reason, want := range map[ship.Reason]string{ship.Jump: "jump", ship.ImpossiblePlace: "impossible_place", ship.NoPlace: "", ship.Accepted: ""} {
		p.Observe(&ship.Update{Report: report, Now: now, Refused: reason})
		if p.out.Refused != want || p.out.HasFix {
			t.Errorf("%v: %q", reason, p.out.Refused)
		}
	}
	part := &ais.StaticReport{Header: ais.Header{Type: 24, MMSI: 211000001}, Part: 1}
	p.Observe(&ship.Update{Report: &ais.Report{Message: part, Raw: []byte("!x"), Received: time.Now()}, Now: now})
	if p.out.Part != 'B' {
		t.Errorf("part %q", p.out.Part)
	}
}

// BenchmarkFiftyUsers is what a message costs for each of fifty subscribers with filters of their own, in processor time of
// the whole process with the kernel's share: from the picture's step to both ends of the connections, at 3,000 a second.
func BenchmarkFiftyUsers(b *testing.B) {
	const subscribers = 50
	p := passerFor(b)
	filters := []string{
		"", `"countries":[211]`, `"mobile_types":["A"]`, `"expression":"lon > 10.001 and sog > 1"`,
		`"update_interval":5`, `"types_of_ship":["70"]`, `"psss":["roof"]`, `"message_types":[1,2,3,5]`,
	}
	formats := []string{"nmea", "nmea_tag", "nmea_comment", "nmea_pghp", "xml"}
	address := p.opened(b)
	for i := range subscribers {
		name := fmt.Sprint("user", i)
		p.userWith(b, name, fmt.Sprintf(`"output_format":%q`, formats[i%len(formats)]), filters[i%len(filters)])
		conn, err := net.Dial("tcp", address)
		if err != nil {
			b.Fatal(err)
		}
		defer conn.Close()
		if _, err := fmt.Fprintf(conn, "LOGIN %s %s\r\n", name, linePassword); err != nil {
			b.Fatal(err)
		}
		go func() {
			for buffer := make([]byte, 64<<10); ; {
				if _, err := conn.Read(buffer); err != nil {
					return
				}
			}
		}()
	}
	eventually(b, patience, "all subscribe", func() bool { return len(p.outputs.Status()[0].Subscribers) == subscribers })
	var updates []ship.Update
	for i := range 2000 {
		m := aShip(ais.MMSI([]int{211000000, 219000000}[i%2]+i), i)
		updates = append(updates, ship.Update{
			Report: &ais.Report{Message: m, Raw: sentences(b, m)[:47], Feed: "roof"}, Change: ship.ChangedFix,
			Now: ship.State{MMSI: m.MMSI, Class: ship.ClassA, Feed: "roof", HasFix: true, Fix: ship.Fix{Lon: m.Place.Lon, Lat: m.Place.Lat, SOG: m.SOG}, Static: &ship.Static{Name: "ANNA", Type: 70}},
		})
	}
	before := processorTime(b)
	b.ResetTimer()
	for i := 0; b.Loop(); i++ {
		u := &updates[i%len(updates)]
		u.Report.Received = time.Now()
		p.Observe(u)
		if i%30 == 29 {
			time.Sleep(10 * time.Millisecond)
		}
	}
	time.Sleep(100 * time.Millisecond)
	used := processorTime(b) - before
	st := p.outputs.Status()[0]
	b.ReportMetric(float64(used.Nanoseconds())/1000/float64(b.N)/subscribers, "µs/message/subscriber")
	b.ReportMetric(float64(st.Messages)/float64(b.N)/subscribers, "sent/message/subscriber")
	if st.Dropped.Behind+st.Dropped.Congestion > 0 {
		b.Errorf("%+v", st.Dropped)
	}
}

func processorTime(b *testing.B) time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		b.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// opened runs the outputs until the test ends, and gives the address of the first one.
func (p *passer) opened(t testing.TB) (address string) {
	t.Helper()
	ctx, stop := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- p.outputs.Run(ctx) }()
	t.Cleanup(func() { stop(); <-done })
	eventually(t, patience, "it listens", func() bool { address = p.outputs.Status()[0].Address; return address != "" })
	return address
}
