package acceptance

import (
	"bytes"
	"cmp"
	"encoding/xml"
	"fmt"
	"io"
	"net"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"quaywatch/ais"
	"quaywatch/ship"
	"quaywatch/users/access/accesstest"
)

// everyType is our own fixture: messages of all types.
const everyType = "../../ais/testdata/invented.nmea"

// TestEveryFormatOverTCP: each output_format needs its right. Without the right it is refused with the right's name. With it the
// stream looks as docs/api.md says. All formats run at the same time from one feed.
func TestEveryFormatOverTCP(t *testing.T) {
	t.Parallel()
	s := openStation(t, "")
	formats := map[string]string{
		"nmea": "", "nmea_tag": "allow_nmea_tag_msgs", "nmea_comment": "allow_nmea_commentblock_msgs",
		"nmea_pghp": "allow_nmea_pghp_msgs", "oth_gold": "allow_oth_gold_msgs", "xml": "allow_xml_msgs",
	}
	open := map[string]*subscription{}
	for format, right := range formats {
		rights := `"lss_access":"allow"`
		s.write("POST", "/user", fmt.Sprintf(`{"name":%q,"password":%q,"access_rights":{%s},"settings":{"output_format":%q,"include_peep":true}}`,
			format, linePassword, rights, format))
		if right != "" {
			sub := s.subscribe("LOGIN " + format + " " + linePassword + "\r\n")
			<-sub.ended
			if want := "$PQWA,refused,no right " + right + "*"; !strings.HasPrefix(sub.first(), want) {
				t.Errorf("%s without its right: %q, want %s", format, sub.first(), want)
			}
			s.write("PUT", "/user/"+format, fmt.Sprintf(`{"access_rights":{%q:"allow"}}`, right))
		}
		open[format] = s.signIn(format)
	}
	sentences, err := os.ReadFile(everyType)
	if err != nil {
		t.Fatal(err)
	}
	heard := messagesOf(sentences)
	if _, err := s.send.Write(sentences); err != nil {
		t.Fatal(err)
	}
	last := heard[len(heard)-1]
	for format, holds := range map[string]func(*testing.T, []string){
		"nmea": func(t *testing.T, lines []string) { holdMessages(t, lines, heard, "!", "$PQWR,") },
		"nmea_tag": func(t *testing.T, lines []string) {
			holdMessages(t, lines, heard, `\s:udp,c:`, `\g:1-2-0`, `\g:2-2-0`)
		},
		"nmea_comment": func(t *testing.T, lines []string) {
			holdMessages(t, lines, heard, `\s:udp,c:`, `\1G2:0`, `\2G2:0`)
		},
		"nmea_pghp": func(t *testing.T, lines []string) { holdMessages(t, lines, heard, "$PGHP,1,20", "!", "$PQWR,") },
		"oth_gold":  holdGold,
		"xml":       func(t *testing.T, lines []string) { holdXML(t, lines, len(heard)) },
	} {
		t.Run(format, func(t *testing.T) {
			sub := open[format]
			eventually(t, patience, "the last message", func() bool {
				switch format {
				case "oth_gold":
					return sub.count("ENDAT") >= 3
				case "xml":
					return sub.count("</message>") >= len(heard)
				}
				return sub.count(last[strings.LastIndexByte(last, '!'):]) > 0
			})
			holds(t, sub.said()[1:])
		})
	}
}

// messagesOf returns the messages of a stream in order, each as its sentences.
func messagesOf(stream []byte) (all []string) {
	var b ais.Batch
	d := ais.NewDecoder(ais.DecoderConfig{})
	d.Datagram(&b, stream, time.Now())
	for i := range b.Reports {
		all = append(all, string(b.Reports[i].Raw))
	}
	return all
}

// holdMessages holds that the lines carry the messages that were heard, and begin in no other way.
func holdMessages(t *testing.T, lines, heard []string, begins ...string) {
	for _, line := range lines {
		known := false
		for _, begin := range begins {
			known = known || strings.HasPrefix(line, begin)
		}
		if !known {
			t.Errorf("a line begins as none should: %s", line)
		}
	}
	got := messagesOf([]byte(strings.Join(lines, "\r\n") + "\r\n"))
	if strings.Join(got, "|") != strings.Join(heard, "|") {
		t.Errorf("%d messages came of %d, or others", len(got), len(heard))
	}
}

func holdGold(t *testing.T, lines []string) {
	for i, line := range lines {
		if want := []string{"MSGID/QUAYWATCH/GOLD/", "CTC/T", "POS/", "ENDAT"}[i%4]; !strings.HasPrefix(line, want) {
			t.Errorf("line %d is %q, want %s", i, line, want)
		}
	}
}

func holdXML(t *testing.T, lines []string, want int) {
	decoder := xml.NewDecoder(bytes.NewReader([]byte(strings.Join(lines, "\n"))))
	messages := 0
	for {
		token, err := decoder.Token()
		if err == io.EOF {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		if start, ok := token.(xml.StartElement); ok && start.Name.Local == "message" {
			messages++
		}
	}
	if messages != want {
		t.Errorf("%d messages, want %d", messages, want)
	}
}

// TestStampsAndMarks: the settings that put something on the line do so on a real stream.
func TestStampsAndMarks(t *testing.T) {
	t.Parallel()
	s := openStation(t, "")
	styles := map[string]struct{ settings, want string }{
		"stamped":  {`"use_timestamp":true`, `\c:`},
		"comment":  {`"use_timestamp":true,"time_stamp_method":"comment","custom_tag_info":"ours"`, `,i:ours*`},
		"pghp":     {`"use_timestamp":true,"time_stamp_method":"pghp"`, `$PGHP,1,`},
		"named":    {`"include_external_id":true,"custom_tag_info":"port, north"`, `\s:udp,t:port_ north*`},
		"timed":    {`"clock_sync_interval":1`, `$ZQZDA,`},
		"informed": {`"receive_system_status":true`, `$PQWS,1,1,udp,A,`},
		"peeping":  {`"include_peep":true`, `$PQWR,jump,`},
	}
	open := map[string]*subscription{}
	for name, style := range styles {
		s.addUser(name, `"settings":{`+style.settings+`}`)
		open[name] = s.signIn(name)
	}
	s.addUser("plain", "")
	plain := s.signIn("plain")
	near, far := aShip(211000001, 1), aShip(211000001, 2)
	far.Place.Lat += 600000 // a degree, within the same second
	s.say(near)
	s.say(far)
	s.say(aShip(211000002, 1))
	for name, style := range styles {
		eventually(t, patience, name, func() bool { return open[name].count(style.want) > 0 })
	}
	eventually(t, patience, "the last ship", func() bool { return plain.count("!AIVDM") == 2 })
	for _, line := range plain.said()[1:] {
		if !strings.HasPrefix(line, "!AIVDM") {
			t.Errorf("plain NMEA holds %q", line)
		}
	}
	eventually(t, patience, "all three", func() bool { return open["peeping"].count("!AIVDM") == 3 })
}

// TestPacesOverTCP: the settings that thin a stream, and the one that begins it with what is known, do so on a real one.
func TestPacesOverTCP(t *testing.T) {
	t.Parallel()
	left := func(interval int64) int64 { return interval - time.Now().Unix()%interval }
	// One of the intervals goes by the ticks of the clock. It is the one of these whose tick is the farthest, so that none comes meanwhile.
	ticks := slices.MaxFunc([]int64{86400, 77777, 65521}, func(a, b int64) int { return cmp.Compare(left(a), left(b)) })
	s := openStation(t, "")
	const old, sailing, last = 211000001, 211000002, 211000003
	s.say(&ais.StaticVoyage{Header: ais.Header{Type: 5, MMSI: old}, Name: "OLD HAND", ShipType: 70})
	eventually(t, patience, "the ship is known", func() bool {
		response, _ := s.do("GET", fmt.Sprintf("/api/portserver/ship/info/%d", old), "")
		return response.StatusCode == 200
	})
	open := map[string]*subscription{}
	for name, settings := range map[string]string{
		"plain": "", "seldom": `"down_sample_interval":600`, "ticking": fmt.Sprintf(`"fixed_downsampling_interval":%d`, ticks),
		"capped": `"max_message_rate":1`, "informed": `"forward_cached_static_voyage_data":true`,
	} {
		s.addUser(name, `"settings":{`+settings+`}`)
		open[name] = s.signIn(name)
	}
	eventually(t, patience, "what was said before", func() bool { return open["informed"].ships()[old] })
	const reports = 30
	for step := range reports {
		s.say(aShip(sailing, step))
	}
	s.say(aShip(last, 1))
	for name, want := range map[string]int{"plain": reports + 1, "seldom": 2, "ticking": 2, "informed": reports + 3} { // two sentences are of the name
		sub := open[name]
		eventually(t, patience, name+" has the last ship", func() bool { return sub.ships()[last] })
		if n := sub.count("!AIVDM"); n != want {
			t.Errorf("%s got %d messages, want %d", name, n, want)
		}
		if sub.ships()[old] != (name == "informed") {
			t.Errorf("%s was told of the old ship: %v", name, name != "informed")
		}
	}
	dropped := func(user, reason string) (n float64) {
		for _, sub := range s.outputs()[0]["subscribers"].([]any) {
			if sub := sub.(map[string]any); sub["user"] == user {
				n = sub["dropped"].(map[string]any)[reason].(float64)
			}
		}
		return n
	}
	capped := open["capped"]
	eventually(t, patience, "what came and what was above the ceiling is all there was", func() bool {
		return float64(capped.count("!AIVDM"))+dropped("capped", "rate") == reports+1
	})
	if dropped("capped", "rate") == 0 {
		t.Error("max_message_rate let everything pass")
	}
}

// TestCongestionOverTCP: a subscriber that does not read gets its positions more and more seldom, by congestion_adjustment_factor
// each time_between_congestion_adjustments up to max_congestion_adjustment_factor; one that has it switched off does not.
func TestCongestionOverTCP(t *testing.T) {
	p := openStream(t, map[string][]string{"roof": {"terrestrial"}})
	for name, settings := range map[string]string{
		"slowed": `"congestion_adjustment_factor":200,"max_congestion_adjustment_factor":300,"time_between_congestion_adjustments":1`,
		"steady": `"congestion_adjustment_factor":100`,
	} {
		accesstest.Create(t, p.users, name, settings, "")
		conn, err := net.Dial("tcp", p.address)
		if err != nil {
			t.Fatal(err)
		}
		defer conn.Close()
		say(t, conn, []byte("LOGIN "+name+" "+linePassword+"\r\n"))
	}
	eventually(t, patience, "both are let in", func() bool { return len(p.Status()[0].Subscribers) == 2 })
	seen := map[string][]float64{}
	step := 0
	eventually(t, patience, "the most", func() bool {
		for range 2000 { // more than the kernel holds for a program that does not read
			step++
			m := aShip(211000001, step)
			p.Observe(&ship.Update{
				Report: &ais.Report{Message: m, Raw: sentences(t, m), Received: time.Now(), Feed: "roof"}, Change: ship.ChangedFix,
				Now: ship.State{MMSI: m.MMSI, Feed: "roof", HasFix: true},
			})
		}
		for _, sub := range p.Status()[0].Subscribers {
			if list := seen[sub.User]; len(list) == 0 || list[len(list)-1] != sub.Congestion {
				seen[sub.User] = append(list, sub.Congestion)
			}
		}
		return slices.Contains(seen["slowed"], 3)
	})
	other := func(factor float64) bool { return factor != 1 && factor != 2 && factor != 3 }
	if slices.ContainsFunc(seen["slowed"], other) || !slices.Equal(seen["steady"], []float64{1}) {
		t.Errorf("the intervals grew by %v", seen)
	}
}

// openIntake starts a box with a feed that needs a sign-in. The address is the feed's.
func openIntake(t testing.TB) (s *station, address string) {
	address = fmt.Sprintf("127.0.0.1:%d", freePort(t, "tcp"))
	return openStation(t, fmt.Sprintf("[[feed]]\nname = \"ferry\"\nurl = \"tcp-listen://%s\"\nsign_in = true\n", address)), address
}

// TestSendersSignIn: a sender to a feed with sign_in has to sign in, is filtered, and is cut when no longer allowed.
func TestSendersSignIn(t *testing.T) {
	s, feed := openIntake(t)
	connect := func(line string) *subscription {
		t.Helper()
		old := s.stream
		defer func() { s.stream = old }()
		s.stream = feed
		return s.subscribe(line)
	}
	s.addUser("ferry", `"transmit_filter":{"message_types":[1,5]}`)
	s.write("POST", "/user", fmt.Sprintf(`{"name":"looker","password":%q,"groups":["viewer"]}`, linePassword))
	for line, want := range map[string]string{
		"LOGIN ferry wrong-password-9\r\n":        "$PQWA,refused,wrong name or password*",
		"LOGIN looker " + linePassword + "\r\n":   "$PQWA,refused,no right lss_access*",
		string(sentences(t, aShip(211000001, 1))): "$PQWA,refused,expected LOGIN name password*",
	} {
		sub := connect(line)
		<-sub.ended
		if !strings.HasPrefix(sub.first(), want) {
			t.Errorf("%.30q: %q, want %s", line, sub.first(), want)
		}
	}
	sender := connect("LOGIN ferry " + linePassword + "\r\n" + string(sentences(t, aShip(211000002, 1))))
	base := &ais.BaseStationReport{Header: ais.Header{Type: 4, MMSI: 2190001}, Place: ais.Place{Lon: 6131520, Lat: 33694080}}
	say(t, sender, sentences(t, base))
	say(t, sender, sentences(t, aShip(211000003, 1)))
	known := func(m ais.MMSI) bool {
		response, _ := s.do("GET", fmt.Sprintf("/api/portserver/ship/info/%d", m), "")
		return response.StatusCode == 200
	}
	eventually(t, patience, "both ships", func() bool { return known(211000002) && known(211000003) })
	if known(2190001) || known(211000001) {
		t.Error("what the filter withholds, or what came without a sign-in, is in the picture")
	}
	var status struct {
		Feeds []struct {
			Name string
			Bad  map[string]uint64
		}
	}
	s.get("/api/status", &status)
	for _, f := range status.Feeds {
		if f.Name == "ferry" && (f.Bad["transmit filter"] != 1 || f.Bad["sign-in refused"] != 3) {
			t.Errorf("the status counts %v", f.Bad)
		}
	}
	withinLimit(t, busySecond, "the cut of a disabled user", func() time.Duration {
		if sender == nil {
			s.write("PUT", "/user/ferry", `{"disabled":false}`)
			sender = connect("LOGIN ferry " + linePassword + "\r\n")
			eventually(t, patience, "the sender is let in again", func() bool { return strings.HasPrefix(sender.first(), "$PQWA,ok,ferry") })
		}
		s.write("PUT", "/user/ferry", `{"disabled":true}`)
		took := sender.cutAfter(t)
		if said := sender.said(); !strings.HasPrefix(said[len(said)-1], "$PQWA,refused,user disabled or expired*") {
			t.Errorf("it was told %q", said)
		}
		sender = nil
		return took
	})
	_, audit := s.do("GET", "/api/audit?limit=100", "")
	for _, want := range []string{`"feed sign-in"`, `"failed"`, `"denied"`, `"ok"`} {
		if !strings.Contains(string(audit), want) {
			t.Errorf("the audit log lacks %s", want)
		}
	}
}

// TestSendersAreLockedOut: after wrong passwords, as at every sign-in.
func TestSendersAreLockedOut(t *testing.T) {
	t.Parallel()
	s, feed := openIntake(t)
	s.addUser("ferry", "")
	s.stream = feed
	var last *subscription
	for range 6 {
		last = s.subscribe("LOGIN ferry wrong-password-9\r\n")
		<-last.ended
	}
	if !strings.HasPrefix(last.first(), "$PQWA,refused,locked for ") {
		t.Errorf("the sixth wrong password: %q", last.first())
	}
}

func say(t testing.TB, to net.Conn, lines []byte) {
	t.Helper()
	if _, err := to.Write(lines); err != nil {
		t.Fatal(err)
	}
}
