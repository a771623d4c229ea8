package acceptance

import (
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"quaywatch/internal/await"
)

// peakMemory samples the anonymous memory of the service until the returned function is called, which gives the largest.
func peakMemory(t testing.TB, p *process) (stop func() int) {
	done := make(chan struct{})
	var peak atomic.Int64
	var sampling sync.WaitGroup
	sampling.Go(func() {
		for {
			now := anonymous(p)
			peak.Store(max(peak.Load(), int64(now)))
			select {
			case <-done:
				return
			case <-time.After(20 * time.Millisecond):
			}
		}
	})
	return func() int {
		close(done)
		sampling.Wait()
		return int(peak.Load())
	}
}

// anonymous returns the anonymous memory of the service in bytes, 0 when it has ended.
func anonymous(p *process) (bytes int) {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", servicePID(p)))
	if err != nil {
		return 0
	}
	for line := range strings.Lines(string(text)) {
		if n, _ := fmt.Sscanf(line, "RssAnon: %d kB", &bytes); n == 1 {
			return bytes << 10
		}
	}
	return 0
}

// crowd opens connections to the service and sends a text on each, until the other side takes no more. It returns the connections, which
// stay open, and how many of them got an answer with a status.
type crowd struct {
	conns   []net.Conn
	answers sync.Map // status line -> *atomic.Int64
	reading sync.WaitGroup
}

func (p *process) crowd(count int, text string) *crowd {
	c, said := &crowd{}, []byte(text) // made before anybody waits for it
	address := strings.TrimPrefix(p.base, "http://")
	for i := range count {
		conn, err := net.Dial("tcp", address)
		if err != nil {
			p.t.Fatalf("connection %d: %v", i, err)
		}
		c.conns = append(c.conns, conn)
		c.reading.Go(func() {
			line := make([]byte, 12) // HTTP/1.1 413
			if _, err := io.ReadFull(conn, line); err != nil {
				line = []byte("none")
			}
			n, _ := c.answers.LoadOrStore(string(line), &atomic.Int64{})
			n.(*atomic.Int64).Add(1)
		})
	}
	var writing sync.WaitGroup
	for _, conn := range c.conns {
		writing.Go(func() {
			if err := conn.SetWriteDeadline(time.Now().Add(patience)); err == nil {
				_, _ = conn.Write(said) // all of it, or until the service closes
			}
		})
	}
	writing.Wait()
	return c
}

// got returns how many connections were answered with a status so far.
func (c *crowd) got(status int) int {
	n, ok := c.answers.Load(fmt.Sprintf("HTTP/1.1 %d", status))
	if !ok {
		return 0
	}
	return int(n.(*atomic.Int64).Load())
}

// String tells how many connections got which answer so far.
func (c *crowd) String() string {
	var all []string
	c.answers.Range(func(line, n any) bool {
		all = append(all, fmt.Sprintf("%s: %d", line, n.(*atomic.Int64).Load()))
		return true
	})
	return strings.Join(all, ", ")
}

// await waits until so many connections got an answer with a status.
func (c *crowd) await(t testing.TB, status, count int) {
	t.Helper()
	for range await.Looks(patience) {
		if c.got(status) >= count {
			return
		}
	}
	t.Errorf("want %d answers with %d, got: %s", count, status, c)
}

func (c *crowd) leave() {
	for _, conn := range c.conns {
		conn.Close()
	}
	c.reading.Wait()
}

const mebi = 1 << 20

// within holds that the memory of a crowd stays within a bound over what the service took before.
func within(t *testing.T, what string, before, peak, most int) {
	t.Helper()
	t.Logf("%s: %d MiB before, at most %d MiB", what, before/mebi, peak/mebi)
	if peak-before > most {
		t.Errorf("%s took %d MiB, want at most %d", what, (peak-before)/mebi, most/mebi)
	}
}

// TestUnfinishedRequestsTakeLittle: unfinished bodies and headers, of nobody and of a user, take no more memory than there is for them, and
// another caller is answered meanwhile.
func TestUnfinishedRequestsTakeLittle(t *testing.T) {
	p := startServe(t, t.TempDir(), "")
	if response, body := p.do("POST", "/api/config/user", `{"name":"viewer","password":"viewer-password-1","groups":["viewer"]}`); response.StatusCode != http.StatusOK {
		t.Fatalf("%s %s", response.Status, body)
	}
	half := strings.Repeat("x", mebi/2)
	for _, row := range []struct {
		name  string
		count int
		most  int
		text  string
		// how many are answered with which status at least
		status, answers int
	}{
		{"sign-ins of 1 MB", 400, 64 * mebi, "POST /api/session HTTP/1.1\r\nHost: box\r\n" +
			"Content-Type: application/json\r\nContent-Length: 1048576\r\n\r\n{\"name\":\"" + half, 413, 100},
		{"sign-ins without an end", 400, 64 * mebi, "POST /api/session HTTP/1.1\r\nHost: box\r\n" +
			"Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n80000\r\n{\"name\":\"" + half, 413, 100},
		{"areas of a viewer", 60, 96 * mebi, "POST /api/portserver/ship/area HTTP/1.1\r\nHost: box\r\nContent-Type: application/json\r\nAuthorization: " +
			basicHeader("viewer", "viewer-password-1") + "\r\nContent-Length: 10485760\r\n\r\n{\"area\":\"" + strings.Repeat(half, 10), 503, 20},
		{"headers", 400, 96 * mebi, "GET /healthz HTTP/1.1\r\nHost: box\r\nX-Long: " + strings.Repeat("x", 63<<10), 431, 100},
	} {
		t.Run(row.name, func(t *testing.T) {
			before := anonymous(p)
			stop := peakMemory(t, p)
			c := p.crowd(row.count, row.text)
			if response, _ := p.do("GET", "/api/status", ""); response.StatusCode != http.StatusOK {
				t.Errorf("another caller: %s", response.Status)
			}
			c.await(t, row.status, row.answers)
			c.leave()
			within(t, row.name, before, stop(), row.most)
		})
	}
}

func basicHeader(name, password string) string {
	r := http.Request{Header: http.Header{}}
	r.SetBasicAuth(name, password)
	return r.Header.Get("Authorization")
}

// TestNamesThatGuessAreCut: sign-ins with long names leave neither much memory nor long lines in the log, and the audit log names them in
// the length of a name.
func TestNamesThatGuessAreCut(t *testing.T) {
	p := startServe(t, t.TempDir(), "")
	long := strings.Repeat("n", 3500)
	var group sync.WaitGroup
	for i := range 40 {
		group.Go(func() {
			name := fmt.Sprint(i, long)
			request, err := http.NewRequest("POST", p.base+"/api/session", strings.NewReader(fmt.Sprintf(`{"name":%q,"password":"wrong"}`, name)))
			if err == nil && i%2 == 0 {
				request, err = http.NewRequest("GET", p.base+"/api/status", nil)
				request.SetBasicAuth(name, "wrong")
			}
			if err != nil {
				t.Error(err)
				return
			}
			request.Header.Set("Content-Type", "application/json")
			response, err := http.DefaultClient.Do(request)
			if err != nil {
				t.Error(err)
				return
			}
			response.Body.Close()
			if response.StatusCode != http.StatusUnauthorized && response.StatusCode != http.StatusTooManyRequests {
				t.Errorf("%s", response.Status)
			}
		})
	}
	group.Wait()
	for line := range strings.Lines(p.stderr.String()) {
		if len(line) > 1024 {
			t.Errorf("a line of %d bytes in the log: %.200s", len(line), line)
		}
	}
	if _, body := p.do("GET", "/api/audit?limit=100", ""); strings.Contains(string(body), strings.Repeat("n", 65)) || !strings.Contains(string(body), "nnn…") {
		t.Errorf("audit log: %.500s", body)
	}
}

// TestSilenceShutsNoDoor: silent connections on a tcp-listen feed and on HTTP, of one address and of many, keep out neither a sender nor a
// user.
func TestSilenceShutsNoDoor(t *testing.T) {
	port := freePort(t, "tcp")
	p := startServe(t, t.TempDir(), fmt.Sprintf("[[feed]]\nname = \"coast\"\nurl = \"tcp-listen://127.0.0.1:%d\"\n", port))
	p.awaitFeeds("tcp-listen://")
	silent := func(address string, addresses, each int) {
		for i := range addresses {
			dialer := net.Dialer{LocalAddr: &net.TCPAddr{IP: net.IPv4(127, 0, 3, byte(1+i))}}
			for range each {
				conn, err := dialer.Dial("tcp", address)
				if err != nil {
					t.Fatal(err)
				}
				t.Cleanup(func() { conn.Close() })
			}
		}
	}
	feed := fmt.Sprintf("127.0.0.1:%d", port)
	silent(feed, 1, 64)
	silent(feed, 80, 1)
	dial := func() net.Conn {
		conn, err := net.Dial("tcp", feed)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { conn.Close() })
		return conn
	}
	sender := dial()
	silent(strings.TrimPrefix(p.base, "http://"), 4, 1024)
	heard := func(of string, want int, gone func()) {
		t.Helper()
		say := func() { _, _ = io.WriteString(sender, "!AIVDM,1,1,,A,13u?etPv2;0n:dDPwUM1U1Cb069D,0*24\r\n") }
		say()
		eventually(t, patience, "a sentence is heard "+of, func() bool {
			_, body := p.do("GET", "/api/status", "")
			if strings.Contains(string(body), fmt.Sprintf(`"messages":{"1":%d}`, want)) {
				return true
			}
			if isClosed(sender) {
				gone()
				say()
			}
			return false
		})
	}
	// Connections may get their places in another order than they came, so one that has said nothing yet may lose its own. Then it comes back.
	heard("among silent ones", 1, func() { sender = dial() })
	silent(feed, 200, 1)
	heard("after more of them", 2, func() { t.Fatal("a sender that was heard lost its place to silent ones") })
}

// isClosed reports whether the other end has closed a connection over which it says nothing.
func isClosed(conn net.Conn) bool {
	if err := conn.SetReadDeadline(time.Now().Add(time.Millisecond)); err != nil {
		return true
	}
	_, err := conn.Read(make([]byte, 1))
	return err != nil && !errors.Is(err, os.ErrDeadlineExceeded)
}
