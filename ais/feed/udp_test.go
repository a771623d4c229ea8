package feed

import (
	"errors"
	"net"
	"net/netip"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"quaywatch/ais"
	"quaywatch/internal/await"
)

// sender returns a socket that sends to the feed that was opened last.
func (r *rig) sender(t testing.TB) net.Conn {
	t.Helper()
	conn, err := net.Dial("udp", r.events.await(t, "feed opened").at)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	return conn
}

func send(t testing.TB, conn net.Conn, text string) {
	t.Helper()
	if _, err := conn.Write([]byte(text)); err != nil {
		t.Fatal(err)
	}
}

func TestUDP(t *testing.T) {
	r := start(t, Source{Name: "roof", URL: "udp://127.0.0.1:0"})
	conn := r.sender(t)
	send(t, conn, position(t, 211000001))
	send(t, conn, position(t, 211000002)+position(t, 211000003)+static(t, 211000004))
	send(t, conn, strings.TrimSpace(position(t, 211000005))) // without a line end
	send(t, conn, "")
	send(t, conn, strings.Repeat("\xff", 2000))
	parts := strings.SplitAfter(static(t, 211000006), "\n")
	send(t, conn, parts[0])
	send(t, conn, parts[1])
	r.expect(t, 211000001, 211000002, 211000003, 211000004, 211000005, 211000006)
	r.stop()
	r.rest()
	s := r.feeds.Status()[0]
	if s.Counters.Messages[1] != 4 || s.Counters.Messages[5] != 2 || s.LongLines != 1 || s.Connected {
		t.Errorf("%+v", s)
	}
	if age := time.Since(s.LastMessage); age < 0 || age > time.Minute {
		t.Errorf("last message is %v old", age)
	}
	if err := <-r.err; err != nil {
		t.Errorf("Run: %v", err)
	}
}

// A sentence in two datagrams of one sender is joined, wherever it was cut, and of two senders each its own. Nothing is joined that does not
// make a sentence, and a half waits for no longer than a second.
func TestHalvesInTwoDatagrams(t *testing.T) {
	first, second, other := position(t, 211000001), position(t, 211000002), position(t, 211000003)
	type datagram struct {
		port uint16
		at   time.Duration
		text string
	}
	rows := map[string]struct {
		datagrams []datagram
		want      uint64
	}{
		"of one port":       {[]datagram{{1, 0, first[:20]}, {1, 0, first[20:]}}, 1},
		"more behind it":    {[]datagram{{1, 0, second + first[:20]}, {1, 0, first[20:] + other}}, 3},
		"two senders":       {[]datagram{{1, 0, first[:20]}, {2, 0, second[:30]}, {1, 0, first[20:]}, {2, 0, second[30:]}}, 2},
		"a port for each":   {[]datagram{{1, 0, first[:20]}, {2, 0, first[20:]}}, 1},
		"three":             {[]datagram{{1, 0, first[:20]}, {1, 0, first[20:30]}, {1, 0, first[30:]}}, 1},
		"within a second":   {[]datagram{{1, 0, first[:20]}, {1, time.Second, first[20:]}}, 1},
		"too late":          {[]datagram{{1, 0, first[:20]}, {1, time.Second + 1, first[20:]}}, 0},
		"the half is lost":  {[]datagram{{1, 0, first[:20]}, {1, 0, second}}, 1},
		"of another":        {[]datagram{{1, 0, first[:25]}, {1, 0, second[25:]}, {1, 0, other}}, 1},
		"of a steady other": {[]datagram{{1, 0, other}, {2, 0, other[:9] + "x"}, {1, 0, first[:20]}, {2, 0, first[20:]}}, 1},
	}
	for cut := 1; cut < len(first)-2; cut++ {
		rows[first[:cut]] = rows["of one port"]
		row := rows[first[:cut]]
		row.datagrams = []datagram{{1, 0, first[:cut]}, {1, 0, first[cut:]}, {1, 0, second}}
		row.want = 2
		rows[first[:cut]] = row
	}
	for name, row := range rows {
		r := prepare(t, Source{Name: "roof", URL: "udp://127.0.0.1:0"})
		u := receiver{inlet: r.feeds.inlets[0], senders: map[netip.Addr]*sender{}}
		u.inlet.out = make(chan *ais.Batch, 1000)
		now := time.Now()
		for _, d := range row.datagrams {
			u.senderOf(netip.AddrFrom4([4]byte{10, 0, 0, 1}), now.Add(d.at)).datagram(t.Context(), d.port, []byte(d.text), now.Add(d.at))
		}
		u.close(t.Context())
		if c := r.feeds.Status()[0].Counters; c.Messages[1] != row.want {
			t.Errorf("%s: %d messages, want %d: %+v", name, c.Messages[1], row.want, c.Bad)
		}
	}
}

// Halves of ever more ports take no memory without end.
func TestHalvesAreBounded(t *testing.T) {
	r := prepare(t, Source{Name: "roof", URL: "udp://127.0.0.1:0"})
	u := receiver{inlet: r.feeds.inlets[0], senders: map[netip.Addr]*sender{}}
	u.inlet.out = make(chan *ais.Batch, 1000)
	now := time.Now()
	s := u.senderOf(netip.AddrFrom4([4]byte{10, 0, 0, 1}), now)
	for i := range 10000 {
		s.datagram(t.Context(), uint16(i), []byte(position(t, 211000001)[:20]), now)
	}
	if len(s.halves) > maxHalves {
		t.Errorf("%d halves", len(s.halves))
	}
	u.doDueWork(t.Context(), now.Add(2*time.Second))
	if len(s.halves) != 0 {
		t.Errorf("%d halves after two seconds", len(s.halves))
	}
	u.close(t.Context())
}

// Two programs of one host, as behind one router, number their messages alike; the parts of each are its own.
func TestTwoProgramsOfOneHost(t *testing.T) {
	r := start(t, Source{Name: "coast", URL: "udp://127.0.0.1:0"})
	one := r.sender(t)
	two, err := net.Dial("udp", one.RemoteAddr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer two.Close()
	a, b := strings.SplitAfter(static(t, 211000001), "\n"), strings.SplitAfter(static(t, 211000002), "\n")
	send(t, one, a[0])
	send(t, two, b[0])
	send(t, one, a[1])
	send(t, two, b[1])
	r.expect(t, 211000001, 211000002)
	r.stop()
	r.rest()
	if c := r.feeds.Status()[0].Counters; c.TotalBad() != 0 || c.Messages[5] != 2 {
		t.Errorf("%+v", c)
	}
}

// Stations that send to one port hear the same ships at the same moment. The parts of their messages are kept apart, and those of one
// host are joined though it sends each from another port.
func TestUDPSendersAreKeptApart(t *testing.T) {
	r := start(t, Source{Name: "coast", URL: "udp://127.0.0.1:0"})
	to, err := net.ResolveUDPAddr("udp4", r.events.await(t, "feed opened").at)
	if err != nil {
		t.Fatal(err)
	}
	from := func(host byte, text string) {
		conn, err := net.DialUDP("udp4", &net.UDPAddr{IP: net.IPv4(127, 0, 0, host)}, to)
		if errors.Is(err, syscall.EADDRNOTAVAIL) {
			t.Skipf("needs all of 127.0.0.0/8: %v", err)
		}
		if err != nil {
			t.Fatal(err)
		}
		defer conn.Close()
		send(t, conn, text)
	}
	a, b := strings.SplitAfter(static(t, 211000001), "\n"), strings.SplitAfter(static(t, 211000002), "\n")
	from(2, a[0])
	from(3, b[0])
	from(2, a[1])
	from(3, b[1])
	r.expect(t, 211000001, 211000002)
	r.stop()
	r.rest()
	if c := r.feeds.Status()[0].Counters; c.TotalBad() != 0 || c.Messages[5] != 2 || c.Lines != 4 {
		t.Errorf("%+v", c)
	}
}

// Invented sender addresses do not take memory without end, and nothing that they say is lost.
func TestUDPSendersAreBounded(t *testing.T) {
	r := prepare(t, Source{Name: "coast", URL: "udp://127.0.0.1:0"})
	u := receiver{inlet: r.feeds.inlets[0], senders: map[netip.Addr]*sender{}}
	u.inlet.out = make(chan *ais.Batch, 1000)
	now := time.Now()
	for i := range 1000 {
		at := netip.AddrFrom4([4]byte{10, 0, byte(i >> 8), byte(i)})
		u.senderOf(at, now).datagram(t.Context(), uint16(i), []byte(position(t, ais.MMSI(211000000+i))), now)
	}
	if len(u.senders) > maxSenders+1 {
		t.Errorf("%d senders", len(u.senders))
	}
	u.doDueWork(t.Context(), now.Add(2*senderGone))
	if len(u.senders) != 0 {
		t.Errorf("%d senders after a long silence", len(u.senders))
	}
	if c := r.feeds.Status()[0].Counters; c.Messages[1] != 1000 {
		t.Errorf("%d messages", c.Messages[1])
	}
	u.close(t.Context())
}

func TestMulticast(t *testing.T) {
	r := start(t, Source{Name: "bridge", URL: "udp://239.192.0.4:0?interface=lo"})
	at := r.events.await(t, "feed opened").at
	_, port, err := net.SplitHostPort(at)
	if err != nil {
		t.Fatal(err)
	}
	group, err := net.ResolveUDPAddr("udp4", net.JoinHostPort("239.192.0.4", port))
	if err != nil {
		t.Fatal(err)
	}
	// Bound to the loopback address, the kernel sends to the group by the loopback interface too.
	conn, err := net.DialUDP("udp4", &net.UDPAddr{IP: net.IPv4(127, 0, 0, 1)}, group)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	send(t, conn, position(t, 211000001))
	r.expect(t, 211000001)
}

func TestMulticastNeedsItsInterface(t *testing.T) {
	r := start(t, Source{Name: "bridge", URL: "udp://239.192.0.4:0?interface=nosuch0"})
	r.events.await(t, "feed lost")
	if s := r.feeds.Status()[0]; s.Connected || !strings.Contains(s.LastError, "nosuch0") {
		t.Errorf("%+v", s)
	}
}

// A port in use is one line in the log, and the feed comes when the port is free.
func TestUDPPortInUse(t *testing.T) {
	other, err := net.ListenPacket("udp4", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	r := start(t, Source{Name: "roof", URL: "udp://" + other.LocalAddr().String()})
	if lost := r.events.await(t, "feed lost"); !strings.Contains(lost.at, "in use") {
		t.Errorf("lost: %q", lost.at)
	}
	other.Close()
	send(t, r.sender(t), position(t, 211000001))
	r.expect(t, 211000001)
}

// What a satellite heard says so, also of a plain sentence in a datagram of many.
func TestWhatASatelliteHeardSaysSo(t *testing.T) {
	for tags, want := range map[string]bool{"": false, "terrestrial": false, " Satellite": true} {
		r := prepare(t, Source{Name: "sky", URL: "udp://127.0.0.1:0", Tags: []string{"leased", tags}})
		in := r.feeds.inlets[0]
		out := make(chan *ais.Batch, 1)
		in.out = out
		intake := in.newIntake()
		intake.datagram(t.Context(), []byte(static(t, 2)+position(t, 3)), time.Now())
		intake.handOver(t.Context())
		for _, report := range (<-out).Reports {
			if report.BySatellite != want {
				t.Errorf("tag %q: %+v", tags, report)
			}
		}
		intake.close(t.Context())
	}
}

// A live feed whose reader sleeps sheds whole batches and counts them; it goes on when the reader wakes up.
func TestSheds(t *testing.T) {
	r := prepare(t, Source{Name: "roof", URL: "udp://127.0.0.1:0"})
	in := r.feeds.inlets[0]
	out := make(chan *ais.Batch, 1)
	in.out = out
	intake := in.newIntake()
	now := time.Now()
	intake.datagram(t.Context(), []byte(position(t, 1)), now)
	intake.handOver(t.Context())
	intake.datagram(t.Context(), []byte(static(t, 2)+position(t, 3)), now)
	intake.handOver(t.Context())
	if got := r.feeds.Status()[0].Overflow; got != (ais.FeedOverflow{Batches: 1, Sentences: 3}) {
		t.Errorf("overflow %+v, want 1 batch of 3 sentences", got)
	}
	first := <-out
	intake.datagram(t.Context(), []byte(position(t, 4)), now)
	intake.handOver(t.Context())
	if m := first.Reports[0].Message.Head().MMSI; m != 1 {
		t.Errorf("first batch speaks of %d", m)
	}
	if b := <-out; len(b.Reports) != 1 || b.Reports[0].Message.Head().MMSI != 4 {
		t.Errorf("after the overflow: %+v", b.Reports)
	}
	intake.close(t.Context())
}

// The kernel's own count of datagrams that found the buffer full is read back from the socket's line.
func TestKernelDrops(t *testing.T) {
	socket, err := net.ListenPacket("udp4", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer socket.Close()
	udp := socket.(*net.UDPConn)
	if err := udp.SetReadBuffer(4096); err != nil {
		t.Fatal(err)
	}
	fd, err := duplicate(udp)
	if err != nil {
		t.Fatal(err)
	}
	defer unix.Close(fd)
	d := openDrops(fd)
	if n := d.more(); n != 0 {
		t.Fatalf("%d drops before anything was sent", n)
	}
	conn, err := net.Dial("udp4", socket.LocalAddr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	for range 1000 {
		send(t, conn, "!AIVDM")
	}
	buffer, dropped, read := make([]byte, 100), uint64(0), uint64(0)
	await.That(t, "each is dropped or read: a busy kernel takes some only after they were sent", func() bool {
		for dropped += d.more(); dropped+read < 1000; read++ {
			if err := udp.SetReadDeadline(time.Now().Add(time.Millisecond)); err != nil {
				t.Fatal(err)
			}
			if _, err := udp.Read(buffer); err != nil {
				break
			}
		}
		return dropped+read >= 1000
	})
	if dropped == 0 || read == 0 || dropped+read != 1000 {
		t.Fatalf("%d dropped and %d read of 1000", dropped, read)
	}
	if err := udp.SetReadDeadline(time.Now().Add(100 * time.Millisecond)); err != nil {
		t.Fatal(err)
	}
	if _, err := udp.Read(buffer); err == nil {
		t.Errorf("%d dropped and more than the others read of 1000", dropped)
	}
	if n := d.more(); n != 0 {
		t.Errorf("%d drops counted twice", n)
	}
}

// BenchmarkUDP sends datagrams of two sentences over loopback, reads them, decodes them and sends the batches. lost counts those that
// were sent faster than they were read.
func BenchmarkUDP(b *testing.B) {
	r := prepare(b, Source{Name: "roof", URL: "udp://127.0.0.1:0"})
	out := make(chan *ais.Batch, 1024)
	go func() { r.err <- r.feeds.Run(b.Context(), out) }()
	conn := r.sender(b)
	datagram := []byte(position(b, 211000001) + position(b, 211000002))
	b.SetBytes(int64(len(datagram)))
	b.ReportAllocs()
	b.ResetTimer()
	got := 0
	for sent := 0; sent < b.N; sent++ {
		if _, err := conn.Write(datagram); err != nil {
			b.Fatal(err)
		}
		for len(out) > 0 {
			batch := <-out
			got += len(batch.Reports)
			batch.Release()
		}
	}
	for quiet := time.After(time.Second); got < 2*b.N; {
		select {
		case batch := <-out:
			got += len(batch.Reports)
			batch.Release()
			continue
		case <-quiet:
		}
		break
	}
	if got == 0 {
		b.Fatal("nothing arrived")
	}
	b.ReportMetric(float64(2*b.N-got)/float64(2*b.N), "lost/sentence")
}
