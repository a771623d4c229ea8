package acceptance

import (
	"bufio"
	"errors"
	"fmt"
	"net"
	"regexp"
	"slices"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"quaywatch/ais"
	"quaywatch/internal/await"
	"quaywatch/ship"
	"quaywatch/users/access/accesstest"
)

// sailor is a ship as the test made it. The words of a filter are held against this, and not against what the program made of it.
type sailor struct {
	mmsi  ais.MMSI
	class ship.Class
	kind  int // of ship
	name  string
	west  bool // in the shape west
	heard []string
}

func sailors() []sailor {
	return []sailor{
		{211000001, ship.ClassA, 70, "VESSEL 0", true, []string{"udp"}},
		{219018765, ship.ClassA, 30, "VESSEL 1", true, []string{"tower"}},
		{244555666, ship.ClassB, 37, "VESSEL 2", false, []string{"udp", "tower"}},
		{512777888, ship.ClassA, 80, "VESSEL 3", false, []string{"udp", "tower"}},
	}
}

// says returns the messages of a step: static data, a position and two binary messages. None is ever said twice.
func (v *sailor) says(step int) []ais.Message {
	place := ais.Place{Lon: 6000000 + int32(v.mmsi%100)*600, Lat: 33600000 + int32(step)}
	if v.west {
		place.Lon = 5400000 + int32(v.mmsi%100)
	}
	head := func(kind uint8) ais.Header { return ais.Header{Type: kind, MMSI: v.mmsi} }
	text := []byte{byte(step), byte(step >> 8), 1}
	all := []ais.Message{
		&ais.BroadcastBinary{Header: head(8), Application: ais.Application{DAC: 1, FI: 31, Data: text, Bits: 24}},
		&ais.AddressedSafety{Header: head(12), Destination: 219000999, Text: fmt.Sprint("AT ", step)},
	}
	if v.class == ship.ClassB {
		return append(all, &ais.StaticReport{Header: head(24), Part: 1, ShipType: ais.ShipType(v.kind), CallSign: fmt.Sprint("S", step)},
			&ais.ClassBReport{Header: head(18), Place: place, COG: 900, Heading: 90, Second: 60})
	}
	return append(all, &ais.StaticVoyage{Header: head(5), Name: v.name, ShipType: ais.ShipType(v.kind), Destination: fmt.Sprint("PORT ", step)},
		&ais.PositionReport{Header: head(1), Place: place, COG: 900, Heading: 90, Second: 60})
}

// share is a user by settings and filter, and what is the user's share of the stream.
type share struct {
	settings, filter string
	says             func(v *sailor, kind uint8) bool
	hears            func(feed string) bool
}

// shares have the keys that choose among ships, those that choose among messages, and those that choose among feeds.
func shares() []share {
	every, all := func(string) bool { return true }, func(*sailor, uint8) bool { return true }
	only := func(feed string) func(string) bool { return func(f string) bool { return f == feed } }
	kinds := func(wanted ...uint8) func(*sailor, uint8) bool {
		return func(_ *sailor, kind uint8) bool { return slices.Contains(wanted, kind) }
	}
	return []share{
		{"", "", all, every},
		{"", `"countries":[211,512]`, func(v *sailor, _ uint8) bool { return v.mmsi == 211000001 || v.mmsi == 512777888 }, every},
		{"", `"mobile_types":["B"]`, func(v *sailor, _ uint8) bool { return v.class == ship.ClassB }, every},
		{"", `"types_of_ship":["30","tanker"]`, func(v *sailor, _ uint8) bool { return v.kind == 30 || v.kind == 80 }, every},
		{"", `"psss":["tower"]`, all, only("tower")},
		{"", `"source_tags":["inner"]`, all, only("tower")},
		{"", `"psss":["udp","tower"],"source_tags":["inner"],"source_mode_is_and":true`, all, only("tower")},
		{"", `"expression":"type = tanker or class = B"`, func(v *sailor, _ uint8) bool { return v.kind == 80 || v.class == ship.ClassB }, every},
		{"", `"message_types":[1,5,24]`, kinds(1, 5, 24), every},
		{"", `"binary_message_content":[{"dac":200,"fi":10}]`, kinds(1, 5, 12, 18, 24), every},
		{"", `"allow_addressed_messages":false`, kinds(1, 5, 8, 18, 24), every},
		{"", `"include_user_defined_ship_list":true,"user_defined_ship_list_mmsi":[244555666]`, func(v *sailor, _ uint8) bool { return v.mmsi == 244555666 }, every},
		{`"allowed_pss_list":["udp"]`, "", all, only("udp")},
		{`"default_pss_list":["tower"]`, "", all, only("tower")},
		{"", `"areas":["west"]`, func(v *sailor, _ uint8) bool { return v.west }, every}, // the last one: it takes a shape
	}
}

// saying is one message as it was said.
type saying struct {
	of   *sailor
	kind uint8
	raw  string // as messagesOf gives it
}

// due returns what of all that was said is the user's.
func (o *share) due(said []saying) (due []saying) {
	for _, one := range said {
		if o.says(one.of, one.kind) && slices.ContainsFunc(one.of.heard, o.hears) {
			due = append(due, one)
		}
	}
	return due
}

var (
	xmlShip  = regexp.MustCompile(`<message>.*?<mmsi>(\d+)</mmsi>`)
	goldShip = regexp.MustCompile(`(?m)^CTC/.*AIS(\d{9})`)
)

// streamFormats are all there are; holdsDue knows how to read each.
func streamFormats() []string {
	return []string{"nmea", "nmea_tag", "nmea_comment", "nmea_pghp", "xml", "oth_gold"}
}

// holdsDue returns what is wrong with what came, compared with what was due. It compares the messages in any order, or only their
// ships if the format keeps no more.
func holdsDue(format string, lines []string, due []saying) string {
	text := strings.Join(lines, "\r\n") + "\r\n"
	var got, want []string
	for _, one := range due {
		switch {
		case format == "xml" || format == "oth_gold" && (one.kind == 1 || one.kind == 18):
			want = append(want, fmt.Sprint(one.of.mmsi))
		case format != "oth_gold":
			want = append(want, one.raw)
		}
	}
	switch format {
	case "xml", "oth_gold":
		pattern := map[string]*regexp.Regexp{"xml": xmlShip, "oth_gold": goldShip}[format]
		for _, m := range pattern.FindAllStringSubmatch(text, -1) {
			got = append(got, m[1])
		}
	default:
		got = messagesOf([]byte(text))
	}
	slices.Sort(got)
	slices.Sort(want)
	if format == "oth_gold" { // one a ship and minute
		got, want = slices.Compact(got), slices.Compact(want)
	}
	if slices.Equal(got, want) {
		return ""
	}
	return fmt.Sprintf("%d came, %d were due; of those that came not due or twice: %.300q, missing: %.300q", len(got), len(want), without(got, want),
		without(want, got))
}

// without returns what of a is not in b, counted.
func without(a, b []string) (rest []string) {
	left := map[string]int{}
	for _, one := range b {
		left[one]++
	}
	for _, one := range a {
		if left[one]--; left[one] < 0 {
			rest = append(rest, one)
		}
	}
	return rest
}

// TestAHiddenShipIsNotInTheStream: for every filter, format and feed, a user's stream holds exactly what the words of the filter
// allow.
func TestAHiddenShipIsNotInTheStream(t *testing.T) {
	t.Parallel()
	config, tower := udpFeed(t)
	config, _, _ = strings.Cut(config, "[store]")
	s := openStation(t, strings.Replace(config, `"udp"`, `"tower"`, 1)+"tags = [\"inner\"]\n")
	s.write("POST", "/shape", `{"name":"west","circle":{"center":{"type":"Point","coordinates":[9,56]},"radius":1500}}`)
	feeds, crew := map[string]net.Conn{"udp": s.send, "tower": tower}, sailors()
	heard := func() int {
		var status struct {
			Picture struct{ Reports, Duplicates int }
		}
		s.get("/api/status", &status)
		return status.Picture.Reports + status.Picture.Duplicates
	}
	step, before := 0, 0
	sail := func() (said []saying) {
		step++
		for i := range crew {
			for _, m := range crew[i].says(step) {
				text := sentences(t, m)
				said = append(said, saying{&crew[i], m.Head().Type, messagesOf(text)[0]})
				for _, feed := range crew[i].heard {
					say(t, feeds[feed], text)
					before++
				}
			}
		}
		eventually(t, patience, "all is heard", func() bool { return heard() == before })
		return said
	}
	sail() // so that it is known what they are
	all := shares()
	open := make([]*subscription, len(all))
	format := func(i int) string { return streamFormats()[i%len(streamFormats())] }
	for i, one := range all {
		s.addUser(fmt.Sprint("user", i), fmt.Sprintf(`"settings":{%s},"receive_filter":{%s}`, strings.Trim(one.settings+`,"output_format":"`+format(i)+`"`,
			","), one.filter))
		open[i] = s.signIn(fmt.Sprint("user", i))
	}
	said := append(sail(), sail()...) // what comes and should not, of the first time, comes before what has to of the second
	for i, one := range all {
		due := one.due(said)
		if len(due) == 0 || len(due) == len(said) && i > 0 {
			t.Fatalf("%s %s: %d of %d are due: the row says nothing", one.settings, one.filter, len(due), len(said))
		}
		wrong := ""
		for range await.Looks(patience) {
			if wrong = holdsDue(format(i), open[i].said()[1:], due); wrong == "" {
				break
			}
		}
		if wrong != "" {
			t.Fatalf("%s %s as %s: %s", one.settings, one.filter, format(i), wrong)
		}
	}
}

// slowReader has the smallest receive buffer that the kernel allows.
func slowReader(_, _ string, c syscall.RawConn) (err error) {
	if failed := c.Control(func(fd uintptr) { err = syscall.SetsockoptInt(int(fd), syscall.SOL_SOCKET, syscall.SO_RCVBUF, 4096) }); failed != nil {
		return failed
	}
	return err
}

// TestFiftySubscribersAndOneThatStalls: fifty subscribers with all filters and formats get every message that is due, in order.
// Another subscriber stalls, reads again and gets a thinned stream, then stalls for good and is cut. All of this is counted. The
// publisher goes on meanwhile.
func TestFiftySubscribersAndOneThatStalls(t *testing.T) {
	t.Parallel()
	const subscribers = 50
	p := openStream(t, map[string][]string{"tower": {"inner"}})
	connect := func(i int, settings, filter string, dialer net.Dialer) net.Conn {
		from := net.IPv4(127, 0, 9, byte(i+1))
		name := fmt.Sprint("user", i)
		accesstest.Create(t, p.users, name, settings, filter)
		p.admit(t, name, from)
		dialer.LocalAddr = &net.TCPAddr{IP: from}
		conn, err := dialer.Dial("tcp", p.address)
		if errors.Is(err, syscall.EADDRNOTAVAIL) {
			t.Skipf("no second address of loopback: %v", err)
		}
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { conn.Close() })
		return conn
	}
	all := shares()
	all = all[:len(all)-1]
	format := func(i int) string { return streamFormats()[(i+i/len(all))%len(streamFormats())] }
	var open []*subscription
	for i := range subscribers {
		one := all[i%len(all)]
		settings := strings.TrimPrefix(one.settings+fmt.Sprintf(`,"output_format":%q,"congestion_adjustment_factor":100`, format(i)), ",")
		sub := &subscription{Conn: connect(i, settings, one.filter, net.Dialer{}), ended: make(chan struct{})}
		open = append(open, sub)
		go func() {
			defer close(sub.ended)
			for in := bufio.NewScanner(sub); in.Scan(); {
				sub.mu.Lock()
				sub.lines = append(sub.lines, in.Text())
				sub.mu.Unlock()
			}
		}()
	}
	stalled := connect(subscribers, `"output_format":"xml","time_between_congestion_adjustments":1`, "", net.Dialer{Control: slowReader})
	status := func() ais.OutputStatus { return p.Status()[0] }
	its := func() (s ais.SubscriberStatus) {
		for _, one := range status().Subscribers {
			if one.User == fmt.Sprint("user", subscribers) {
				s = one
			}
		}
		return s
	}
	eventually(t, patience, "all subscribe", func() bool { return len(status().Subscribers) == subscribers+1 })

	crew, said, step := sailors(), []saying(nil), 0
	publish := func(what string, until func() bool) (steps int) {
		t.Helper()
		first := step
		pace := time.NewTicker(30 * time.Millisecond)
		defer pace.Stop()
		for began := time.Now(); !until(); <-pace.C {
			if time.Since(began) > patience {
				t.Fatalf("not within %v: %s: %+v", patience, what, its())
			}
			step++
			for i := range crew {
				v := &crew[i]
				v.heard = v.heard[:1]
				for _, m := range v.says(step) {
					text := sentences(t, m)
					u := ship.Update{
						Report: &ais.Report{Message: m, Raw: text, Received: time.Now(), Feed: v.heard[0]}, Fix: ship.Fix{Lon: 6000000, Lat: 33600000},
						Now: ship.State{MMSI: v.mmsi, Class: v.class, Feed: v.heard[0], HasFix: true, Static: &ship.Static{Name: v.name, Type: ais.ShipType(v.kind)}},
					}
					if kind := m.Head().Type; kind == 1 || kind == 18 {
						u.Change = ship.ChangedFix
					}
					p.Observe(&u)
					said = append(said, saying{v, m.Head().Type, messagesOf(text)[0]})
				}
			}
		}
		return step - first
	}
	stalls := publish("the subscriber that reads nothing gets less", func() bool { return its().Congestion > 1 })
	var reads atomic.Bool
	reads.Store(true)
	drained := make(chan struct{})
	go func() {
		defer close(drained)
		for buffer := make([]byte, 64<<10); reads.Load(); {
			if _, err := stalled.Read(buffer); err != nil {
				return
			}
		}
	}()
	publish("positions are left out", func() bool { return its().Dropped.Congestion > 0 })
	reads.Store(false)
	publish("the reader sleeps", func() bool {
		select {
		case <-drained:
			return true
		default:
			return false
		}
	})
	stalls += publish("it is cut", func() bool { return status().Cut == 1 })
	if stalls < 3 {
		t.Errorf("while it read nothing only %d steps were published", stalls)
	}
	if st := status(); len(st.Subscribers) != subscribers || st.Dropped.Congestion == 0 || st.Revoked != 0 {
		t.Errorf("%d subscribers, %+v", len(st.Subscribers), st.Dropped)
	}
	for i, sub := range open {
		one, wrong := all[i%len(all)], ""
		due := one.due(said)
		for range await.Looks(patience) {
			if wrong = holdsDue(format(i), sub.said(), due); wrong == "" {
				break
			}
		}
		if wrong != "" {
			t.Errorf("%s %s as %s: %s", one.settings, one.filter, format(i), wrong)
		} else if inOrder := messagesOf([]byte(strings.Join(sub.said(), "\r\n") + "\r\n")); strings.HasPrefix(format(i), "nmea") {
			for k := range due {
				if inOrder[k] != due[k].raw {
					t.Errorf("%s as %s: message %d came out of order", one.filter, format(i), k)
					break
				}
			}
		}
	}
	for _, s := range status().Subscribers {
		if s.Dropped != (ais.DroppedMessages{}) {
			t.Errorf("%s lost %+v", s.User, s.Dropped)
		}
	}
	t.Logf("%d messages, %d steps of them while one stalled", len(said), stalls)
}
