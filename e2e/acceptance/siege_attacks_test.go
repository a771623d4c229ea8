package acceptance

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"strings"
	"sync"
	"syscall"
	"time"
)

// attack is one way to stop or blind the box. It runs until its context ends and notes what it did.
type attack struct {
	name string
	run  func(context.Context, *siege)
}

// attacks are all that are known. The first address of each says whose side it is on: 127.0.2.x and above are attackers.
func attacks() []attack {
	return []attack{
		{"unfinished sign-ins", func(ctx context.Context, s *siege) {
			s.unfinished(ctx, "unfinished sign-ins", 300, "127.0.2.1", "POST /api/session", "", 1<<20)
		}},
		{"unfinished areas", func(ctx context.Context, s *siege) {
			s.unfinished(ctx, "unfinished areas", 60, "127.0.2.2", "POST /api/portserver/ship/area", "guest", 10<<20)
		}},
		{"unfinished headers", unfinishedHeaders},
		{"long names", func(ctx context.Context, s *siege) {
			s.post(ctx, "long names", 8, "127.0.2.4", "POST", "/api/session", "", func() string {
				return `{"name":"` + strings.Repeat("x", 1<<20) + `","password":"` + fmt.Sprint(rand.Uint64()) + `"}`
			})
		}},
		{"unknown fields", func(ctx context.Context, s *siege) {
			s.post(ctx, "unknown fields", 4, "127.0.2.5", "PUT", "/api/config/user/admin", "guest", func() string {
				return `{"` + strings.Repeat("y", 1<<20) + fmt.Sprint(rand.Uint64()) + `":1}`
			})
		}},
		{"wildcard streams", wildcardStreams},
		{"shape streams", shapeStreams},
		{"fat shapes", func(ctx context.Context, s *siege) {
			s.post(ctx, "fat shapes", 2, "127.0.2.7", "POST", "/api/config/shape", "intruder", func() string {
				return fmt.Sprintf(`{"name":"fat%x","circle":{"center":[10,56],"radius":100,"junk":"%s"}}`, rand.Uint64(), strings.Repeat("z", 9<<20))
			})
		}},
		{"empty elements", func(ctx context.Context, s *siege) {
			s.post(ctx, "empty elements", 2, "127.0.2.8", "POST", "/api/config/shiplist", "intruder", func() string {
				return fmt.Sprintf(`{"name":"empty%x","ships":[{}%s]}`, rand.Uint64(), strings.Repeat(",{}", 100_000))
			})
		}},
		{"silent senders", silentSenders},
		{"idle connections", idleConnections},
		{"anonymous streams", anonymousStreams},
		{"guesses", func(ctx context.Context, s *siege) {
			s.post(ctx, "guesses", 12, "127.0.2.10", "POST", "/api/session", "", func() string {
				return fmt.Sprintf(`{"name":%q,"password":"guess-%d"}`, honestName(rand.IntN(siegeUsers)), rand.Uint64())
			})
		}},
		{"slow readers", slowReaders},
		{"endless tracks", func(ctx context.Context, s *siege) {
			s.post(ctx, "endless tracks", 8, "127.0.2.12", "POST", "/api/portserver/ship/historical/track", "guest", func() string {
				return `{"ship":{"mmsi":219000777},"begin":"0001-01-01T00:00:00Z","end":"9999-12-31T00:00:00Z"}`
			})
		}},
		{"deep searches", func(ctx context.Context, s *siege) {
			s.post(ctx, "deep searches", 64, "127.0.2.15", "GET", "/api/portserver/ship/search/2?limit=100&offset=900", "", func() string { return "" })
		}},
		{"unread answers", unreadAnswers},
		{"unread areas", unreadAreas},
		{"noise on the air", noise},
	}
}

// did counts one step of an attack.
func (s *siege) did(name string) {
	s.mu.Lock()
	s.attacked[name]++
	s.mu.Unlock()
}

// crowd runs n attackers at once until ctx ends. One that fails, as the box wants it to, tries again after a moment.
func (s *siege) crowd(ctx context.Context, name string, n int, one func(i int) error) {
	var all sync.WaitGroup
	for i := range n {
		all.Go(func() {
			for ctx.Err() == nil && s.alive() {
				s.did(name)
				if one(i) != nil {
					sleep(ctx, 50*time.Millisecond)
				}
			}
		})
	}
	all.Wait()
}

func sleep(ctx context.Context, d time.Duration) {
	select {
	case <-ctx.Done():
	case <-time.After(d):
	}
}

// dial connects from an address. The connection is closed when ctx ends.
func (s *siege) dial(ctx context.Context, from, to string) (net.Conn, error) {
	dialer := net.Dialer{LocalAddr: &net.TCPAddr{IP: net.ParseIP(from)}, Timeout: 5 * time.Second}
	conn, err := dialer.DialContext(ctx, "tcp", to)
	if err != nil {
		return nil, err
	}
	return &closing{conn, context.AfterFunc(ctx, func() { conn.Close() })}, nil
}

// closing is a connection that a context closes. One that was closed before leaves nothing in the context.
type closing struct {
	net.Conn
	forget func() bool
}

// Close closes the connection.
func (c *closing) Close() error {
	c.forget()
	return c.Conn.Close()
}

func (s *siege) http() string { return strings.TrimPrefix(s.base, "http://") }

// head is the header of a request, with the lines of more; user "" is nobody.
func head(line, user, more string) string {
	signIn := ""
	if user != "" {
		signIn = "Authorization: " + basicHeader(user, adminPassword) + "\r\n"
	}
	return line + " HTTP/1.1\r\nHost: box\r\nContent-Type: application/json\r\n" + signIn + more + "\r\n"
}

// unfinished holds many requests whose body of a size never ends.
func (s *siege) unfinished(ctx context.Context, name string, n int, from, line, user string, size int) {
	body := []byte(`{"name":"` + strings.Repeat("a", 64<<10-9))
	s.crowd(ctx, name, n, func(int) error {
		conn, err := s.dial(ctx, from, s.http())
		if err != nil {
			return err
		}
		defer conn.Close()
		if _, err := io.WriteString(conn, head(line, user, fmt.Sprintf("Content-Length: %d\r\n", size))); err != nil {
			return err
		}
		for sent := 0; sent < size-len(body); sent += len(body) {
			if _, err := conn.Write(body); err != nil {
				return err
			}
		}
		_, err = conn.Read(make([]byte, 1))
		return fmt.Errorf("answered: %w", err)
	})
}

// unfinishedHeaders holds a thousand requests whose header of 63 KB never ends.
func unfinishedHeaders(ctx context.Context, s *siege) {
	text := "GET / HTTP/1.1\r\nHost: box\r\n" + strings.Repeat("X-A: "+strings.Repeat("b", 1000)+"\r\n", 62)
	s.crowd(ctx, "unfinished headers", 1000, func(int) error {
		conn, err := s.dial(ctx, "127.0.2.3", s.http())
		if err != nil {
			return err
		}
		defer conn.Close()
		if _, err := io.WriteString(conn, text); err != nil {
			return err
		}
		_, err = conn.Read(make([]byte, 1))
		return fmt.Errorf("answered: %w", err)
	})
}

// post sends the same kind of request again and again, by n callers of one address.
func (s *siege) post(ctx context.Context, name string, n int, from, method, path, user string, body func() string) {
	client := clientFrom(from)
	defer client.CloseIdleConnections()
	s.crowd(ctx, name, n, func(int) error {
		request, err := http.NewRequestWithContext(ctx, method, s.base+path, strings.NewReader(body()))
		if err != nil {
			return err
		}
		request.Header.Set("Content-Type", "application/json")
		if user != "" {
			request.SetBasicAuth(user, adminPassword)
		}
		response, err := client.Do(request)
		if err != nil {
			return err
		}
		_, err = io.Copy(io.Discard, response.Body)
		response.Body.Close()
		return err
	})
}

// stream opens a live stream and reads it at a pace, in bytes a second (0: as fast as it comes), until ctx ends or the box cuts it.
func (s *siege) stream(ctx context.Context, from, user, query string, pace int) (status int, err error) {
	conn, err := s.dial(ctx, from, s.http())
	if err != nil {
		return 0, err
	}
	defer conn.Close()
	if pace > 0 {
		_ = conn.(*closing).Conn.(*net.TCPConn).SetReadBuffer(4096)
	}
	if _, err := io.WriteString(conn, head("GET /api/live?"+query, user, "")); err != nil {
		return 0, err
	}
	response, err := http.ReadResponse(bufio.NewReaderSize(conn, 4096), nil)
	if err != nil {
		return 0, err
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		text, _ := io.ReadAll(response.Body)
		return response.StatusCode, fmt.Errorf("refused: %s %.400s", response.Status, text)
	}
	buffer := make([]byte, 4096)
	for ctx.Err() == nil {
		n, err := response.Body.Read(buffer)
		if err != nil {
			return response.StatusCode, err
		}
		if pace > 0 {
			sleep(ctx, time.Duration(n)*time.Second/time.Duration(pace))
		}
	}
	return response.StatusCode, nil
}

// dearest holds streams with as many terms as the box permits.
func (s *siege) dearest(ctx context.Context, name string, n int, from, user, term string, most int) {
	terms := most
	var mu sync.Mutex
	var refusal error
	s.crowd(ctx, name, n, func(i int) error {
		mu.Lock()
		now := terms
		mu.Unlock()
		query := make([]string, now)
		for k := range query {
			query[k] = strings.ReplaceAll(term, "#", fmt.Sprint(i*most+k))
		}
		status, err := s.stream(ctx, from, user, "filter="+strings.Join(query, "%20or%20"), 0)
		if status == http.StatusBadRequest || status == http.StatusRequestHeaderFieldsTooLarge || status == http.StatusRequestURITooLong {
			mu.Lock()
			refusal = err
			if terms == now {
				terms = max(1, now*3/4)
			}
			mu.Unlock()
		}
		return err
	})
	s.t.Logf("%s: streams with up to %d terms were permitted, above it: %v", name, terms, refusal)
}

func wildcardStreams(ctx context.Context, s *siege) {
	s.dearest(ctx, "wildcard streams", 32, "127.0.2.6", "guest", "name=*a*b*#*", 1333)
}

// drawComb draws a shape with as many vertices as the box permits. That may take longer than an attack, so it is there before.
func (s *siege) drawComb() {
	var ring strings.Builder
	const vertices = 9996
	for i := range vertices {
		lon := 179 - 358*float64(i)/vertices
		fmt.Fprintf(&ring, "[%.4f,%.4f],", lon, 40+float64(i%2)*20)
	}
	body := fmt.Sprintf(`{"name":"comb","polygon":{"type":"Polygon","coordinates":[[[-179,-60],%s[179,-60],[-179,-60]]]}}`, ring.String())
	request, _ := http.NewRequestWithContext(s.t.Context(), "POST", s.base+"/api/config/shape", strings.NewReader(body))
	request.SetBasicAuth("intruder", adminPassword)
	request.Header.Set("Content-Type", "application/json")
	response, err := clientFrom("127.0.2.14").Do(request)
	if err != nil {
		s.t.Fatal(err)
	}
	defer response.Body.Close()
	if text, _ := io.ReadAll(response.Body); response.StatusCode != http.StatusOK {
		s.t.Fatalf("the shape of many vertices: %s %.200s", response.Status, text)
	}
}

// shapeStreams asks for that shape as often as a filter may.
func shapeStreams(ctx context.Context, s *siege) {
	s.dearest(ctx, "shape streams", 8, "127.0.2.14", "intruder", "pos%20within%20shape(%22comb%22)", 166)
}

// silentSenders take the places of the listening feed and say nothing.
func silentSenders(ctx context.Context, s *siege) {
	s.crowd(ctx, "silent senders", 200, func(i int) error {
		conn, err := s.dial(ctx, fmt.Sprintf("127.0.3.%d", i%3+1), s.listen)
		if err != nil {
			return err
		}
		defer conn.Close()
		_, err = conn.Read(make([]byte, 1))
		return fmt.Errorf("closed: %w", err)
	})
}

// idleConnections take the places of the web server and ask nothing. There are as many as the attacker's system lets it open.
func idleConnections(ctx context.Context, s *siege) {
	var limit syscall.Rlimit
	_ = syscall.Getrlimit(syscall.RLIMIT_NOFILE, &limit)
	s.crowd(ctx, "idle connections", int(min(4*1024, limit.Cur/4)), func(i int) error {
		conn, err := s.dial(ctx, fmt.Sprintf("127.0.4.%d", i%4+1), s.http())
		if err != nil {
			return err
		}
		defer conn.Close()
		_, err = conn.Read(make([]byte, 1))
		return fmt.Errorf("closed: %w", err)
	})
}

// anonymousStreams use up the places of live streams, as open_reads lets anybody.
func anonymousStreams(ctx context.Context, s *siege) {
	s.crowd(ctx, "anonymous streams", 8*32, func(i int) error {
		_, err := s.stream(ctx, fmt.Sprintf("127.0.5.%d", i%8+1), "", "", 0)
		return err
	})
}

// slowReaders read as slowly as a stream may be read.
func slowReaders(ctx context.Context, s *siege) {
	s.crowd(ctx, "slow readers", 32, func(int) error {
		_, err := s.stream(ctx, "127.0.2.11", "guest", "", 17<<10)
		return err
	})
}

// unreadAnswers asks for the largest answers that a search gives, and reads none of them.
func unreadAnswers(ctx context.Context, s *siege) {
	s.crowd(ctx, "unread answers", 500, func(int) error {
		return s.unread(ctx, "127.0.2.16", "GET /api/portserver/ship/search/2?limit=1000", "")
	})
}

// unreadAreas asks for all ships, and reads none of them.
func unreadAreas(ctx context.Context, s *siege) {
	const world = `{"area":{"type":"Polygon","coordinates":[[[-180,-90],[180,-90],[180,90],[-180,90],[-180,-90]]]}}`
	client := clientFrom("127.0.2.17")
	defer client.CloseIdleConnections()
	s.crowd(ctx, "unread areas", 40, func(int) error {
		request, err := http.NewRequestWithContext(ctx, "POST", s.base+"/api/portserver/ship/area", strings.NewReader(world))
		if err != nil {
			return err
		}
		request.Header.Set("Content-Type", "application/json")
		request.SetBasicAuth("guest", adminPassword)
		response, err := client.Do(request)
		if err != nil {
			return err
		}
		defer response.Body.Close()
		var job struct{ ID int64 }
		if err := json.NewDecoder(response.Body).Decode(&job); err != nil {
			return err
		}
		if response.StatusCode != http.StatusOK {
			return fmt.Errorf("answered %d", response.StatusCode)
		}
		return s.unread(ctx, "127.0.2.17", fmt.Sprintf("GET /api/portserver/ship/area/%d", job.ID), "guest")
	})
}

// unread sends a request and reads nothing for half a minute.
func (s *siege) unread(ctx context.Context, from, line, user string) error {
	conn, err := s.dial(ctx, from, s.http())
	if err != nil {
		return err
	}
	defer conn.Close()
	_ = conn.(*closing).Conn.(*net.TCPConn).SetReadBuffer(4096)
	if _, err := io.WriteString(conn, head(line, user, "")); err != nil {
		return err
	}
	sleep(ctx, 30*time.Second)
	return nil
}

// noise sends broken and strange lines to a feed of its own, about two thousand a second.
func noise(ctx context.Context, s *siege) {
	random := rand.New(rand.NewPCG(uint64(time.Now().UnixNano()), 9))
	good := string(sentences(s.t, aShip(219000002, 1)))
	for ctx.Err() == nil {
		for range 20 {
			if line := broken(random, good, good); len(line) > 0 && len(line) < 60000 {
				_, _ = s.noise.Write(line)
			}
		}
		s.did("noise on the air")
		sleep(ctx, 10*time.Millisecond)
	}
}
