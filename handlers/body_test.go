package handlers

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"strings"
	"testing"
	"time"

	"quaywatch/internal/await"
	"quaywatch/users/access"
)

// converse sends a text on a connection of its own and reads the answer.
func converse(t *testing.T, p *pipes, text string) *http.Response {
	t.Helper()
	conn := p.dial()
	defer conn.Close()
	go func() { _, _ = io.WriteString(conn, text) }()
	response, err := http.ReadResponse(bufio.NewReader(conn), nil)
	if err != nil {
		t.Fatal(err)
	}
	return response
}

func begun(path string, length int, header, body string) string {
	return fmt.Sprintf("POST %s HTTP/1.1\r\nHost: box\r\nContent-Type: application/json\r\nContent-Length: %d\r\n%s\r\n%s", path, length, header, body)
}

// TestRefusedWithoutItsBody: a caller that is nobody, or lacks a right, and a body that is too long are refused at once. The body does not
// have to come.
func TestRefusedWithoutItsBody(t *testing.T) {
	admin := "Authorization: " + basic(access.AdminName, adminPassword) + "\r\n"
	for name, row := range map[string]struct {
		text   string
		status int
	}{
		"nobody":            {begun(configPath+"/shape", 9<<20, "", "{"), 401},
		"a wrong password":  {begun(configPath+"/shape", 9<<20, "Authorization: "+basic("admin", "no")+"\r\n", "{"), 401},
		"too long":          {begun(configPath+"/shape", 11<<20, admin, "{"), 413},
		"a long sign-in":    {begun("/api/session", 4<<10+1, "", "{"), 413},
		"no such address":   {begun("/api/nothing", 100, "", "{"), 404},
		"a body of no call": {strings.Replace(begun("/api/session", 100, "", "{"), "POST", "GET", 1), 204},
	} {
		onPipes(t, func(_ *site, p *pipes) {
			began := time.Now()
			response := converse(t, p, row.text)
			if response.StatusCode != row.status || time.Since(began) > time.Second {
				t.Errorf("%s: %s after %s", name, response.Status, time.Since(began))
			}
			if !response.Close {
				t.Errorf("%s: the connection stays open for the rest of the body", name)
			}
		})
	}
}

// TestSlowBodyEnds: it gets an answer that says so.
func TestSlowBodyEnds(t *testing.T) {
	onPipes(t, func(s *site, p *pipes) {
		began := time.Now()
		response := converse(t, p, begun("/api/session", 100, "", "{"))
		if took := time.Since(began); response.StatusCode != 408 || took > bodyFirst+time.Second {
			t.Errorf("%s after %s", response.Status, took)
		}
		if s.server.base.Bodies.Used() != 0 {
			t.Errorf("%d bytes are still held", s.server.base.Bodies.Used())
		}
	})
}

// TestBodiesOfOneUserAreBounded: large bodies that do not end take the share of their user. It is told to come again, and others are not.
func TestBodiesOfOneUserAreBounded(t *testing.T) {
	onPipes(t, func(s *site, p *pipes) {
		if err := s.users.Add("viewer", "viewer-password-1"); err != nil {
			t.Fatal(err)
		}
		admin := "Authorization: " + basic(access.AdminName, adminPassword) + "\r\n"
		refused := make(chan string, 1)
		for range 4 {
			conn := p.dial()
			defer conn.Close()
			go func() {
				_, _ = io.WriteString(conn, begun(configPath+"/shape", 10<<20, admin, `{"name":"`+strings.Repeat("x", 5<<20)))
			}()
			go func() {
				if response, err := http.ReadResponse(bufio.NewReader(conn), nil); err == nil && response.StatusCode == 503 {
					select {
					case refused <- response.Header.Get("Retry-After"):
					default:
					}
				}
			}()
		}
		if after := <-refused; after == "" {
			t.Error("503 without Retry-After")
		}
		if used := s.server.base.Bodies.Used(); used > maxShare {
			t.Errorf("%d bytes are held", used)
		}
		response := converse(t, p, begun("/api/session", 49, "", `{"name":"viewer", "password":"viewer-password-1"}`))
		if response.StatusCode == 503 {
			t.Errorf("another user: %s", response.Status)
		}
	})
}

// TestABodyGivesWayToAnotherAddress: of two addresses that have not signed in the one that holds more loses its body at once to the other.
func TestABodyGivesWayToAnotherAddress(t *testing.T) {
	s := newSite(t, func(c *Config, _ *Deps) {
		c.OpenReads, c.TrustedProxies = true, []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}
	})
	address := strings.TrimPrefix(s.serve().URL, "http://")
	send := func(from string, length int, body string) *bufio.Reader {
		conn, err := net.Dial("tcp", address)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { conn.Close() })
		go func() {
			_, _ = io.WriteString(conn, begun("/api/portserver/ship/area", length, "X-Forwarded-For: "+from+"\r\n", body))
		}()
		return bufio.NewReader(conn)
	}
	answered := func(from *bufio.Reader) *http.Response {
		response, err := http.ReadResponse(from, nil)
		if err != nil {
			t.Fatal(err)
		}
		return response
	}
	greedy := send("198.51.100.1", 10<<20, strings.Repeat(" ", 9<<20))
	await.That(t, "the body is held", func() bool { return s.server.base.Bodies.Used() >= 9<<20 })
	if one := answered(send("198.51.100.2", 7<<20, strings.Repeat(" ", 7<<20))); one.StatusCode != 400 {
		t.Errorf("the address that holds less: %s", one.Status)
	}
	if one := answered(greedy); one.StatusCode != 503 || one.Header.Get("Retry-After") == "" {
		t.Errorf("the address that held more: %s", one.Status)
	}
}

// TestLargestBodyFits: the share of one user has room for the largest body.
func TestLargestBodyFits(t *testing.T) {
	s := newSite(t)
	body := `{"name":"long","polygon":[` + strings.Repeat(" ", 10<<20-64) + `]}`
	answer := s.post(configPath+"/shape", body)
	if answer.status != 400 {
		t.Errorf("%d %.200s", answer.status, answer.body)
	}
}
