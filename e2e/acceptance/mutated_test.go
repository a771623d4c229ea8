package acceptance

import (
	"bufio"
	"bytes"
	"cmp"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"os"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"quaywatch/handlers/requesttest"
)

// TestMutatedRequestsOverTheWire writes requests with faults of every kind to the port of the real binary: wrong lengths, broken headers,
// bodies that end early or never. QUAYWATCH_MUTATIONS is how many. The service lives, answers nobody with an error of its own, and ends
// with as many descriptors as before.
func TestMutatedRequestsOverTheWire(t *testing.T) {
	count, err := strconv.Atoi(cmp.Or(os.Getenv("QUAYWATCH_MUTATIONS"), "3000"))
	if err != nil {
		t.Fatal(err)
	}
	config, conn := udpFeed(t)
	p := startServe(t, t.TempDir(), config+"[http]\nmetrics_auth = false\n")
	canary(t, p, conn, 219018765, 1, patience)
	_, document := p.do("GET", "/api/openapi.yaml", "")
	quiet := countDescriptors(t, p)
	t.Cleanup(func() {
		if t.Failed() {
			t.Logf("%d descriptors before, and now:\n%s", quiet, strings.Join(describeDescriptors(t, p), "\n"))
		}
	})
	seed := uint64(time.Now().UnixNano())
	t.Logf("seed %d", seed)
	const writers = 8
	answers := make([]atomic.Int64, 600)
	var working sync.WaitGroup
	for w := range writers {
		maker, err := requesttest.New(document, seed+uint64(w), "guest", "viewer")
		if err != nil {
			t.Fatal(err)
		}
		working.Go(func() {
			wire := &wire{p: p, random: rand.New(rand.NewPCG(seed, uint64(w)))}
			for range count / writers {
				status, text := wire.ask(maker.Next())
				answers[status].Add(1)
				if status >= 500 && status != http.StatusServiceUnavailable && status != http.StatusHTTPVersionNotSupported {
					t.Errorf("answered %.2000s", text)
				}
			}
			wire.close()
		})
	}
	working.Wait()
	// Requests come as the administrator too, and may have hidden all ships from it. The figures of the box as a whole still tell.
	heard := func() (n int) {
		_, figures := p.do("GET", "/metrics", "")
		_, rest, _ := strings.Cut(string(figures), `quaywatch_feed_messages_total{feed="udp",type="1"} `)
		_, _ = fmt.Sscan(rest, &n) // 0 where it does not stand there
		return n
	}
	before := heard()
	eventually(t, patience, "the feed is heard", func() bool {
		_, _ = conn.Write(sentences(t, aShip(219018765, 2)))
		return before > 0 && heard() > before
	})
	eventually(t, patience, "the descriptors are free", func() bool { return countDescriptors(t, p) <= quiet+4 })
	told := map[int]int64{}
	for status := range answers {
		if n := answers[status].Load(); n > 0 {
			told[status] = n
		}
	}
	t.Logf("answers by status, 0 is none: %v", told)
	for _, status := range []int{200, 400, 401, 404} {
		if told[status] == 0 {
			t.Errorf("no request was answered with %d: the requests do not come far", status)
		}
	}
	if strings.Contains(p.stderr.String(), "panic") {
		t.Error("the log tells of a panic")
	}
}

// wire is a connection that is used again as long as the server lets it.
type wire struct {
	p      *process
	random *rand.Rand
	conn   net.Conn
	read   *bufio.Reader
}

func (w *wire) close() {
	if w.conn != nil {
		w.conn.Close()
		w.conn = nil
	}
}

// ask writes a request, perhaps broken on the way, and reads the answer; 0 where none came. It returns 599 for a 503 that does not say when
// to try again, and 598 for a 505 although the request is one of HTTP/1, the version that the service speaks (RFC 9110, section 15.6.6).
func (w *wire) ask(r requesttest.Unsigned) (status int, text []byte) {
	if w.conn == nil {
		conn, err := net.Dial("tcp", strings.TrimPrefix(w.p.base, "http://"))
		if err != nil {
			return 0, nil
		}
		w.conn, w.read = conn, bufio.NewReader(conn)
	}
	written, whole := w.written(r)
	limit := patience
	switch target := strings.ToLower(r.Target); { // who waits for an event waits as long as it asks to; a client that goes away is a fault too
	case strings.Contains(target, "wait"):
		limit = 100 * time.Millisecond
	case strings.Contains(target, "watchdog"): // it may be escaped
		limit = 2 * time.Second
	}
	_ = w.conn.SetDeadline(time.Now().Add(limit))
	if _, err := w.conn.Write(written); err != nil {
		w.close()
		return 0, nil
	}
	if !whole {
		defer w.close()
		if half, ok := w.conn.(*net.TCPConn); ok {
			_ = half.CloseWrite()
		}
	}
	response, err := http.ReadResponse(w.read, &http.Request{Method: r.Method})
	if err != nil {
		w.close()
		return 0, nil
	}
	defer response.Body.Close()
	if strings.HasPrefix(response.Header.Get("Content-Type"), "text/event-stream") {
		w.close() // it has no end of its own
		return response.StatusCode, nil
	}
	text, err = io.ReadAll(response.Body)
	if err != nil || response.Close {
		w.close()
	}
	if response.StatusCode == http.StatusServiceUnavailable && response.Header.Get("Retry-After") == "" {
		return 599, text
	}
	line, _, _ := bytes.Cut(written, []byte("\n"))
	if response.StatusCode == http.StatusHTTPVersionNotSupported && bytes.Contains(line, []byte(" HTTP/1.")) {
		return 598, text
	}
	return response.StatusCode, text
}

// written returns a request as bytes. It is whole unless something of it is missing, so that no further one can follow.
func (w *wire) written(r requesttest.Unsigned) (text []byte, whole bool) {
	var b bytes.Buffer
	target := strings.Map(func(c rune) rune {
		if c <= ' ' || c == 0x7f {
			return -1
		}
		return c
	}, r.Target)
	fmt.Fprintf(&b, "%s %s HTTP/1.1\r\nHost: box\r\n", r.Method, target)
	if w.random.IntN(3) > 0 && r.Header.Get("Authorization") == "" && !strings.Contains(target, "/config/user/admin") {
		r.Header.Set("Authorization", basicHeader("admin", adminPassword))
	}
	for name := range r.Header {
		fmt.Fprintf(&b, "%s: %s\r\n", name, r.Header.Get(name))
	}
	length := len(r.Body)
	whole = true
	switch w.random.IntN(20) {
	case 0: // more than there is
		length, whole = length+1+w.random.IntN(1<<20), false
	case 1:
		fmt.Fprintf(&b, "Content-Length: %s\r\n", []string{"-1", "x", "99999999999999999999", "0x10"}[w.random.IntN(4)])
		whole = false
	case 2: // a chunk that is none
		fmt.Fprintf(&b, "Transfer-Encoding: chunked\r\n\r\nzz\r\n")
		return append(b.Bytes(), r.Body...), false
	case 3: // two lengths
		fmt.Fprintf(&b, "Content-Length: %d\r\n", length+1)
		whole = false
	}
	fmt.Fprintf(&b, "Content-Length: %d\r\n\r\n", length)
	b.Write(r.Body)
	text = b.Bytes()
	switch w.random.IntN(40) {
	case 0:
		return text[:w.random.IntN(len(text))], false
	case 1:
		text[w.random.IntN(len(text))] = byte(w.random.IntN(256))
		return text, false
	}
	return text, whole
}
