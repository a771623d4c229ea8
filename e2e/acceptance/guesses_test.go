package acceptance

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"net/http/httptrace"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
)

// clientAt returns a client that asks from a loopback address.
func clientAt(address string) *http.Client {
	dialer := &net.Dialer{LocalAddr: &net.TCPAddr{IP: net.ParseIP(address)}}
	return &http.Client{Transport: &http.Transport{DialContext: dialer.DialContext}}
}

// TestGuessesDelayNobody: of twelve addresses a hundred guesses each wait to be hashed. A right password of another address, and a session, are
// answered before a quarter of the guesses are. In the order of their coming nearly all guesses would be answered first.
func TestGuessesDelayNobody(t *testing.T) {
	t.Parallel()
	const addresses, each = 12, 100
	p := start(t, t.TempDir(), "serve")
	p.want(http.StatusOK, "POST", "/api/config/user", `{"name":"pilot","password":"pilot-password-1","groups":["viewer"]}`)
	response, _ := p.do("POST", "/api/session", fmt.Sprintf(`{"name":"admin","password":%q}`, adminPassword))
	if len(response.Cookies()) != 1 {
		t.Fatal(response.Status)
	}
	session := response.Cookies()[0]

	ctx, stop := context.WithCancel(t.Context())
	var sent, hashed, other atomic.Int64
	var guessing sync.WaitGroup
	for a := range addresses {
		client := clientAt(fmt.Sprintf("127.0.3.%d", 10+a))
		for i := range each {
			guessing.Go(func() {
				traced := httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{WroteRequest: func(httptrace.WroteRequestInfo) { sent.Add(1) }})
				body := strings.NewReader(fmt.Sprintf(`{"name":"name-%d-%d","password":"guess"}`, a, i))
				r, err := http.NewRequestWithContext(traced, "POST", p.base+"/api/session", body)
				if err != nil {
					t.Error(err)
					return
				}
				r.Header.Set("Content-Type", "application/json")
				got, err := client.Do(r)
				switch {
				case err != nil:
				case got.StatusCode == http.StatusUnauthorized:
					hashed.Add(1)
				default:
					other.Add(1)
				}
				if err == nil {
					got.Body.Close()
				}
			})
		}
	}
	defer guessing.Wait()
	defer stop()
	eventually(t, patience, "the guesses are sent", func() bool { return sent.Load() >= addresses*each })

	ask := func(what string, client *http.Client, r *http.Request) {
		t.Helper()
		before := hashed.Load()
		if waiting := addresses*each - before - other.Load(); waiting < addresses*each/2 {
			t.Skipf("%d guesses wait, and %d were refused: this machine is too quick for them", waiting, other.Load())
		}
		got, err := client.Do(r)
		if err != nil {
			t.Fatalf("%s: %v", what, err)
		}
		got.Body.Close()
		if meanwhile := hashed.Load() - before; got.StatusCode != http.StatusOK || meanwhile > addresses*each/4 {
			t.Errorf("%s: %s, and %d guesses were answered first", what, got.Status, meanwhile)
		}
	}
	r, err := http.NewRequest("GET", p.base+"/api/session", nil)
	if err != nil {
		t.Fatal(err)
	}
	r.AddCookie(session)
	ask("a session", http.DefaultClient, r)
	r, err = http.NewRequest("POST", p.base+"/api/session", strings.NewReader(`{"name":"pilot","password":"pilot-password-1"}`))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/json")
	ask("a right password of another address", clientAt("127.0.3.9"), r)
}
