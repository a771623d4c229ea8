package handlers

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"reflect"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"quaywatch/ais"
	"quaywatch/handlers/live"
	"quaywatch/handlers/request"
	"quaywatch/users/access"
)

// event is one server-sent event.
type event struct {
	id, name string
	data     map[string]any
}

// listener is a live client: it keeps the picture as the web client does.
type listener struct {
	t      *testing.T
	body   *bufio.Scanner
	close  func()
	ships  map[float64]map[string]any
	lastID string
	header http.Header
}

// listen opens a live stream on a real connection.
func listen(t *testing.T, base, query, lastID string) *listener {
	t.Helper()
	return listenAs(t, access.AdminName, base, query, lastID)
}

func listenAs(t *testing.T, user, base, query, lastID string) *listener {
	t.Helper()
	return listenBy(t, "Authorization", basic(user, adminPassword), base, query, lastID)
}

// listenBy opens a stream with credentials in a header.
func listenBy(t *testing.T, header, credentials, base, query, lastID string) *listener {
	t.Helper()
	return listenAt(t, header, credentials, base+live.Path+"?"+query, lastID)
}

// listenAt opens a stream at an address.
func listenAt(t *testing.T, header, credentials, address, lastID string) *listener {
	t.Helper()
	return listenThrough(t, http.DefaultClient, header, credentials, address, lastID)
}

// listenThrough opens a stream by a client.
func listenThrough(t *testing.T, client *http.Client, header, credentials, address, lastID string) *listener {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	r, err := http.NewRequestWithContext(ctx, "GET", address, nil)
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set(header, credentials)
	if lastID != "" {
		r.Header.Set("Last-Event-ID", lastID)
	}
	response, err := client.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	if response.StatusCode != 200 || response.Header.Get("Content-Type") != "text/event-stream" {
		t.Fatalf("live: %d %v", response.StatusCode, response.Header)
	}
	checkHeaders(t, address, response.Header)
	l := &listener{t: t, body: bufio.NewScanner(response.Body), ships: map[float64]map[string]any{}, lastID: lastID,
		header: response.Header}
	l.body.Buffer(nil, 64<<20)
	l.close = func() { cancel(); response.Body.Close() }
	t.Cleanup(l.close)
	return l
}

// next returns the next event; ok is false at the end of the stream.
func (l *listener) next() (e event, ok bool) {
	l.t.Helper()
	data := ""
	for l.body.Scan() {
		field, value, _ := strings.Cut(l.body.Text(), ": ")
		switch field {
		case "id":
			e.id = value
		case "event":
			e.name = value
		case "data":
			data = value
		case "": // ends an event; one that the end of the stream cut off is dropped, as clients do
			if e.name != "" {
				if err := json.Unmarshal([]byte(data), &e.data); data != "" && err != nil {
					l.t.Fatalf("event %s: %v: %.300s", e.name, err, data)
				}
				l.take(e)
				return e, true
			}
		}
	}
	if errors.Is(l.body.Err(), context.DeadlineExceeded) {
		l.t.Fatal("the stream neither said anything nor ended")
	}
	return e, false
}

// until returns the next event of that name.
func (l *listener) until(name string) event {
	l.t.Helper()
	for {
		e, ok := l.next()
		if !ok {
			l.t.Fatalf("the stream ended before a %s: %v", name, l.body.Err())
		}
		if e.name == name {
			return e
		}
	}
}

// take does what a client does with an event.
func (l *listener) take(e event) {
	l.lastID = e.id
	switch e.name {
	case "picture":
		clear(l.ships)
	case "change":
	default:
		return
	}
	for _, r := range e.data["records"].([]any) {
		record := r.(map[string]any)
		m := record["mmsi"].(float64)
		if l.ships[m] == nil {
			l.ships[m] = map[string]any{}
		}
		for k, v := range record {
			if v == nil {
				delete(l.ships[m], k)
			} else {
				l.ships[m][k] = v
			}
		}
	}
	gone, _ := e.data["gone"].([]any)
	for _, m := range gone {
		delete(l.ships, m.(float64))
	}
}

// serve puts the site on a real connection.
func (s *site) serve() *httptest.Server {
	server := httptest.NewServer(s.server.Handler())
	s.t.Cleanup(server.Close)
	return server
}

func TestLiveResumedEqualsAFreshPicture(t *testing.T) {
	s := newSite(t)
	for i := range 20 {
		s.hear(noon(), position(ais.MMSI(219000001+i), 10+float64(i)/10, 56, 100, 900))
	}
	server := s.serve()
	for _, query := range []string{"", "bbox=10.5,55,11.2,57", "filter=" + url.QueryEscape("sog < 11 or name = HAV*"), "bbox=170,50,-170,60"} {
		first := listen(t, server.URL, query, "")
		first.until("picture")
		first.until("status")
		first.close()
		base := noon().Add(time.Minute)
		for i := range 20 { // some move out, some in, some change their name, one loses its heading
			p := position(ais.MMSI(219000001+i), 10.5+float64(i)/10, 56, 105+i%3*5, 900)
			if i == 7 {
				p.Heading = 0
			}
			s.hear(base, p)
		}
		s.hear(base, voyage(219000003, "HAVANA"))
		s.hear(base, position(219000100, 11, 56, 0, 0)) // a new one
		resumed := listen(t, server.URL, query, first.lastID)
		resumed.ships = first.ships
		if e, _ := resumed.next(); e.name != "change" && e.name != "status" {
			t.Fatalf("%q: resumed with a %s", query, e.name)
		}
		fresh := listen(t, server.URL, query, "")
		fresh.until("picture")
		if !reflect.DeepEqual(keyed(resumed.ships), keyed(fresh.ships)) {
			t.Errorf("%q: resumed\n%v\nfresh\n%v", query, keyed(resumed.ships), keyed(fresh.ships))
		}
		for i := range 20 { // as it was
			s.hear(base.Add(time.Minute), position(ais.MMSI(219000001+i), 10+float64(i)/10, 56, 100, 900))
		}
	}
}

func keyed(ships map[float64]map[string]any) map[string]any {
	all := map[string]any{}
	for m, s := range ships {
		all[fmt.Sprint(int64(m))] = s
	}
	return all
}

func TestLiveChanges(t *testing.T) {
	s := newSite(t)
	s.hear(noon(), position(nordic, 10.3, 56.14, 100, 900))
	s.hear(noon(), voyage(nordic, "NORDIC HAV"))
	l := listen(t, s.serve().URL, "bbox=10,56,11,57", "")
	if got := l.until("picture").data["records"].([]any); len(got) != 1 {
		t.Fatalf("the picture has %v", got)
	}
	if feeds := l.until("status").data["feeds"].([]any); len(feeds) != 2 {
		t.Errorf("status of %d feeds", len(feeds))
	}
	for i := range 5 { // coalesced
		s.hear(noon().Add(time.Duration(i+1)*10*time.Second), position(nordic, 10.3+float64(i)/1000, 56.14, 100, 900))
	}
	change := l.until("change").data["records"].([]any)
	for len(change) == 1 && l.ships[float64(nordic)]["position"].(map[string]any)["coordinates"].([]any)[0] != 10.304 {
		change = l.until("change").data["records"].([]any) // the second ticked between the reports
	}
	record := change[0].(map[string]any)
	if _, again := record["name"]; again || len(change) != 1 {
		t.Errorf("more than what changed: %v", change)
	}
	if l.ships[float64(nordic)]["name"] != "NORDIC HAV" {
		t.Errorf("the client knows %v", l.ships)
	}
	s.hear(noon().Add(2*time.Minute), position(nordic, 10.31, 57.5, 100, 0))
	for i := range 6 { // it sails out, at a speed that is possible
		s.hear(noon().Add(time.Duration(i+3)*time.Hour), position(nordic, 10.31, 57.5+float64(i)/10, 100, 0))
	}
	for len(l.ships) > 0 {
		l.until("change")
	}
}

func TestLiveRefuses(t *testing.T) {
	s := newSite(t)
	for query, code := range map[string]string{
		"bbox=1,2,3": request.CodeBadRequest, "bbox=a,b,c,d": request.CodeBadRequest, "bbox=0,91,1,92": request.CodeBadRequest, "bbox=0,0,NaN,1": request.CodeBadRequest,
		"filter=" + url.QueryEscape("spede > 3"): request.CodeFilterSyntax,
	} {
		a := s.get(live.Path+"?"+query).is(t, 400, code)
		if _, has := a.json(t)["offset"]; has != (code == request.CodeFilterSyntax) {
			t.Errorf("%s: %s", query, a.body)
		}
	}
	address := s.serve().URL
	for range live.StreamsOfOne {
		listen(t, address, "", "").until("picture")
	}
	s.get(live.Path).is(t, 429, request.CodeLimitReached)
}

// Where all places are taken, the address with the most streams loses its latest one to another address.
func TestAnotherAddressGetsAStream(t *testing.T) {
	s := newSite(t, func(c *Config, _ *Deps) {
		c.OpenReads, c.LiveClients = true, 4 // three of them for callers without a name
		c.TrustedProxies = []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}
	})
	address := s.serve().URL
	from := func(caller string) *listener {
		l := listenBy(t, "X-Forwarded-For", caller, address, "", "")
		l.until("picture")
		return l
	}
	greedy := []*listener{from("198.51.100.1"), from("198.51.100.1"), from("198.51.100.1")}
	modest := from("198.51.100.2")
	for more := true; more; {
		_, more = greedy[2].next()
	}
	if err := greedy[2].body.Err(); err != nil {
		t.Errorf("the stream broke instead of ending: %v", err)
	}
	s.hear(noon(), position(nordic, 10.3, 56.14, 112, 1814))
	for _, l := range []*listener{greedy[0], modest} {
		l.until("change")
	}
	r, err := http.NewRequestWithContext(t.Context(), "GET", address+live.Path, nil)
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("X-Forwarded-For", "198.51.100.1")
	response, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	if response.StatusCode != 429 {
		t.Errorf("one more stream of the address with the most: %s", response.Status)
	}
}

func (s *site) user(name string) *access.User {
	s.t.Helper()
	u, ok := s.users.User(name)
	if !ok {
		s.t.Fatalf("no user %s", name)
	}
	return u
}

func TestLiveEndsWithThePassword(t *testing.T) {
	s := newSite(t)
	l := listen(t, s.serve().URL, "", "")
	l.until("picture")
	if err := s.users.SetPassword(access.AdminName, "a completely new one"); err != nil {
		t.Fatal(err)
	}
	for {
		if _, more := l.next(); !more {
			break
		}
	}
	if err := l.body.Err(); err != nil {
		t.Errorf("the stream broke instead of ending: %v", err)
	}
}

func TestStopEndsLiveStreamsWithinTheGrace(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, p := newSite(t), &pipes{make(chan net.Conn), make(chan struct{})}
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		ended := make(chan error, 1)
		go func() { ended <- s.server.Serve(ctx, p, nil) }()
		conn := p.dial()
		defer conn.Close()
		if _, err := io.WriteString(conn, rawRequest(live.Path)); err != nil {
			t.Fatal(err)
		}
		said := bufio.NewScanner(conn)
		for said.Scan() && said.Text() != "event: picture" { // nothing else may come first
		}
		go func() { _, _ = io.Copy(io.Discard, conn) }()
		synctest.Wait()
		begin := time.Now()
		cancel()
		if err := <-ended; err != nil {
			t.Error(err)
		}
		if took := time.Since(begin); took >= stopGrace { // of the bubble's clock
			t.Errorf("the stop took %v", took)
		}
	})
}
