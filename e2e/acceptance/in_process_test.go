package acceptance

import (
	"context"
	"fmt"
	"log/slog"
	"net"
	"syscall"
	"testing"
	"time"

	"quaywatch/ais"
	"quaywatch/ais/feed"
	"quaywatch/ship"
	"quaywatch/stream"
	"quaywatch/traffic"
	"quaywatch/users/access"
	"quaywatch/users/access/accesstest"
)

// inProcess is the outgoing streams alone, without a binary: the test is the picture.
type inProcess struct {
	*stream.Relay
	users   *access.Users
	address string
}

// openStream runs one output until the test ends.
func openStream(t testing.TB, tags map[string][]string) *inProcess {
	t.Helper()
	p := &inProcess{users: accesstest.Open(t)}
	var err error
	p.Relay, err = stream.New(stream.Options{
		Outputs: []feed.Output{{Name: "port", URL: "tcp-listen://127.0.0.1:0"}}, Tags: tags, Users: p.users,
		Picture: traffic.New(traffic.DefaultConfig()), Feeds: func() []ais.FeedStatus { return nil }, Log: slog.New(slog.DiscardHandler),
	})
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- p.Run(ctx) }()
	t.Cleanup(func() { stop(); <-done })
	eventually(t, patience, "it listens", func() bool { p.address = p.Status()[0].Address; return p.address != "" })
	return p
}

// admit lets the user in from an address without a password.
func (p *inProcess) admit(t testing.TB, name string, from net.IP) {
	t.Helper()
	if _, err := p.users.Change(name, func(u *access.User) error {
		u.Direct = access.DirectAccess{Enabled: true, Hosts: []string{from.String()}}
		return nil
	}); err != nil {
		t.Fatal(err)
	}
}

// BenchmarkFiftyUsers measures the processor time of a message for each of fifty subscribers with filters of their own. It counts
// the whole process with the kernel's share, from the picture's step to both ends of the connections, at 3,000 messages a second.
func BenchmarkFiftyUsers(b *testing.B) {
	const subscribers = 50
	p := openStream(b, map[string][]string{"roof": {"terrestrial"}})
	filters := []string{
		"", `"countries":[211]`, `"mobile_types":["A"]`, `"expression":"lon > 10.001 and sog > 1"`,
		`"update_interval":5`, `"types_of_ship":["70"]`, `"psss":["roof"]`, `"message_types":[1,2,3,5]`,
	}
	formats := []string{"nmea", "nmea_tag", "nmea_comment", "nmea_pghp", "xml"}
	for i := range subscribers {
		name := fmt.Sprint("user", i)
		accesstest.Create(b, p.users, name, fmt.Sprintf(`"output_format":%q`, formats[i%len(formats)]), filters[i%len(filters)])
		conn, err := net.Dial("tcp", p.address)
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
	eventually(b, patience, "all subscribe", func() bool { return len(p.Status()[0].Subscribers) == subscribers })
	var updates []ship.Update
	for i := range 2000 {
		m := aShip(ais.MMSI([]int{211000000, 219000000}[i%2]+i), i)
		updates = append(updates, ship.Update{
			Report: &ais.Report{Message: m, Raw: sentences(b, m)[:47], Feed: "roof"}, Change: ship.ChangedFix,
			Now: ship.State{MMSI: m.MMSI, Class: ship.ClassA, Feed: "roof", HasFix: true, Fix: ship.Fix{Lon: m.Place.Lon, Lat: m.Place.Lat, SOG: m.SOG},
				Static: &ship.Static{Name: "ANNA", Type: 70}},
		})
	}
	pace := time.NewTicker(10 * time.Millisecond)
	defer pace.Stop()
	before := processorTime(b)
	b.ResetTimer()
	for i := 0; b.Loop(); i++ {
		u := &updates[i%len(updates)]
		u.Report.Received = time.Now()
		p.Observe(u)
		if i%30 == 29 {
			<-pace.C
		}
	}
	for range 10 { // what gathers still goes out
		<-pace.C
	}
	used := processorTime(b) - before
	st := p.Status()[0]
	b.ReportMetric(float64(used.Nanoseconds())/1000/float64(b.N)/subscribers, "µs/message/subscriber")
	b.ReportMetric(float64(st.Messages)/float64(b.N)/subscribers, "sent/message/subscriber")
	if st.Messages == 0 {
		b.Fatal("nobody got a message")
	}
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
