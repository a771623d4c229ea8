package handlers

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"sync"
	"testing"
	"time"
	"unsafe"

	"quaywatch/ais"
	"quaywatch/geo"
	"quaywatch/handlers/inflight"
	"quaywatch/internal/await"
	"quaywatch/ship"
	"quaywatch/store"
	"quaywatch/users/access"
)

// past gives a ship so many fixes, one a second until noon.
func (s *site) past(m ais.MMSI, count int) {
	s.t.Helper()
	track := make(ship.Track, count)
	for i := range track {
		track[i] = ship.Fix{At: noon().Add(time.Duration(i-count) * time.Second).UnixMilli(), Lon: 6_180_000 + int32(i%1000), Lat: 33_680_000,
			SOG: ais.SOGTenths(100 + i%50), COG: ais.COGTenths(900)}
	}
	said := []store.Said{{Static: &ship.Static{Name: "LONG", At: track[0].At}}}
	if _, err := s.db.ImportTracks([]store.Imported{{MMSI: m, Class: ship.ClassA, Fixes: track, Said: said}}); err != nil {
		s.t.Fatal(err)
	}
	s.hear(noon(), position(m, 10.3, 56.13, 112, 1814))
	s.settle()
}

// trackOf has a user start a track of all that is stored of a ship, and returns the path of its result.
func (s *site) trackOf(user string, m ais.MMSI) string {
	s.t.Helper()
	a := s.call(user, "POST", trackPath, fmt.Sprintf(`{"mmsi":%d,"begin":"2026-11-01","end":"2026-11-20T12:00:00Z"}`, m)).is(s.t, 202)
	return fmt.Sprintf("%s?id=%.0f", trackPath, a.json(s.t)["id"])
}

// A client that takes its long track slowly holds memory. It does not get more than its share, and goes for a caller that holds less.
func TestSlowReadersOfTracksGiveWay(t *testing.T) {
	const size = int64(unsafe.Sizeof(ship.Fix{}))
	const long, short = 100_000, 60_000
	s := newSite(t)
	s.past(nordic, long)
	s.past(nordic+1, short)
	answers := inflight.New(inflight.Limits{All: 130_000 * size, Share: 130_000 * size, Strangers: 130_000 * size})
	s.server.base.Answers = answers
	s.addUser("slow", access.GroupOperator)
	slow, quick := s.trackOf("slow", nordic), s.trackOf("admin", nordic+1)
	if a := s.finish("slow", slow); len(coordinates(t, a)) != long || answers.Used() != 0 {
		t.Fatalf("%d fixes, %d bytes are held", len(coordinates(t, a)), answers.Used())
	}
	r, err := http.NewRequestWithContext(t.Context(), "GET", s.serve().URL+slow, nil)
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Authorization", s.credentials("slow"))
	response, err := http.DefaultTransport.RoundTrip(r) // its headers have come, and it is not read
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	if held := answers.Used(); held < long*size {
		t.Errorf("%d bytes are held of %d", held, long*size)
	}
	if a := s.call("slow", "GET", slow, ""); a.status != 503 || !bytes.Contains(a.body, []byte("answers_full")) || a.header.Get("Retry-After") == "" {
		t.Errorf("a second one at the same time: %s", a.text())
	}
	if a := s.finish("admin", quick); len(coordinates(t, a)) != short {
		t.Errorf("another user: %s", a.text())
	}
	if _, err := io.Copy(io.Discard, response.Body); err == nil {
		t.Error("the slow client got its track whole, although another user needed the room")
	}
	await.That(t, "nothing of the answers is held", func() bool { return answers.Used() == 0 })
	if a := s.call("slow", "GET", slow, ""); a.status != 200 {
		t.Errorf("again: %s", a.text())
	}
}

// slowClient takes no byte of a body until its deadline is over.
type slowClient struct {
	header       http.Header
	status       int
	began, ended chan struct{}
	begin, end   sync.Once
}

func newSlowClient() *slowClient {
	return &slowClient{header: http.Header{}, began: make(chan struct{}), ended: make(chan struct{})}
}

func (c *slowClient) Header() http.Header    { return c.header }
func (c *slowClient) WriteHeader(status int) { c.status = status }

func (c *slowClient) Write(b []byte) (int, error) {
	if c.status != http.StatusOK {
		return len(b), nil
	}
	c.begin.Do(func() { close(c.began) })
	<-c.ended
	return 0, os.ErrDeadlineExceeded
}

func (c *slowClient) SetWriteDeadline(at time.Time) error {
	if !at.IsZero() && at.Before(time.Now()) {
		c.end.Do(func() { close(c.ended) })
	}
	return nil
}

// Whatever a slow client asks for, its answers hold no more than its share, and give way to a caller that holds less. What found no room can
// be fetched later.
func TestSlowReadersOfAnswersGiveWay(t *testing.T) {
	const share, ships, asked = 3 << 20, 900, 8
	const search = "/api/portserver/ship/search/nordic?limit=1000"
	s := newSite(t)
	for i := range ais.MMSI(ships) {
		s.hear(noon(), voyage(nordic+i, fmt.Sprintf("NORDIC %d", i)))
		s.hear(noon(), position(nordic+i, 10.3, 56.13, 112, 1814))
	}
	s.settle()
	answers := inflight.New(inflight.Limits{All: share + 1<<20, Share: share, Strangers: share})
	s.server.base.Answers = answers
	s.addUser("slow", access.GroupOperator)
	area := func(user string) string {
		return areaPath + "/" + s.started(s.call(user, "POST", areaPath, `{"area":`+harbour+`}`), 200)
	}
	for _, row := range []struct {
		what, packing, says string
		path                func(user string) string
	}{
		{"searches", "", "NORDIC 7", func(string) string { return search }},
		{"searches, packed", "gzip", "NORDIC 7", func(string) string { return search }},
		{"areas", "", "NORDIC 7", area},
		{"areas as CSV, packed", "gzip", "NORDIC 7", func(user string) string { return area(user) + "?format=csv" }},
		{"the description of the API", "", "openapi", func(string) string { return "/api/openapi.yaml" }},
	} {
		var paths, refused []string
		var clients []*slowClient
		var asking sync.WaitGroup
		for range asked {
			client, done, path := newSlowClient(), make(chan struct{}), row.path("slow")
			r := httptest.NewRequestWithContext(t.Context(), "GET", path, http.NoBody)
			r.Header.Set("Authorization", s.credentials("slow"))
			r.Header.Set("Accept-Encoding", row.packing)
			asking.Go(func() {
				defer close(done)
				s.server.Handler().ServeHTTP(client, r)
			})
			select {
			case <-client.began:
				clients, paths = append(clients, client), append(paths, path)
			case <-done:
				if refused = append(refused, path); client.status != 503 || client.header.Get("Retry-After") == "" {
					t.Errorf("%s: answered %d", row.what, client.status)
				}
			}
		}
		if held := answers.Used(); held == 0 || held > share {
			t.Errorf("%s: %d bytes are held, of at most %d", row.what, held, share)
		}
		if a := s.call("admin", "GET", row.path("admin"), ""); a.status != 200 || !bytes.Contains(a.body, []byte(row.says)) {
			t.Errorf("%s: another user: %d", row.what, a.status)
		}
		for _, client := range clients {
			client.end.Do(func() { close(client.ended) })
		}
		asking.Wait()
		if held := answers.Used(); held != 0 {
			t.Errorf("%s: %d bytes are held after all", row.what, held)
		}
		t.Logf("%s: %d were sent at once, %d refused", row.what, len(paths), len(refused))
		for _, path := range refused {
			if a := s.call("slow", "GET", path, ""); a.status != 200 {
				t.Errorf("%s: later: %s", row.what, a.text())
			}
		}
	}
}

// A list of tracks is made while it is sent: a caller that reads it slowly holds no more memory than its share, and none for the ways of all ships.
func TestAListOfTracksIsMadeWhileItIsSent(t *testing.T) {
	const tracks = 40
	s := newSite(t)
	s.addUser("slow", access.GroupOperator)
	ring := make([]string, 0, 501)
	for i := range 500 {
		p := geo.Destination(geo.Point{Lon: 11.5, Lat: 56.7}, float64(i)*0.72, 3000)
		ring = append(ring, fmt.Sprintf("[%.6f,%.6f]", p.Lon, p.Lat))
	}
	area := `{"type":"Polygon","coordinates":[[` + strings.Join(append(ring, ring[0]), ",") + `]]}`
	for i := range tracks {
		s.tracked("slow", fmt.Sprintf(`{"source":{"position":{"type":"Point","coordinates":[11.2,%.3f]}},"destination":{"location":[%s]}}`, 56.5+float64(i)/1000, area))
	}
	whole := s.call("slow", "GET", shipTrackPath, "").is(t, 200)
	if n := len(recordsOf(t, whole)); n != tracks || len(whole.body) < 300<<10 {
		t.Fatalf("%d tracks in %d bytes", n, len(whole.body))
	}
	if !bytes.Contains(whole.body, []byte(`"location":[{"type":"Polygon"`)) {
		t.Errorf("an area is told as %s", whole.body[:300])
	}
	const size = 3 << 20
	answers := inflight.New(inflight.Limits{All: size, Share: size, Strangers: size})
	s.server.base.Answers = answers
	client, done := newSlowClient(), make(chan struct{})
	r := httptest.NewRequestWithContext(t.Context(), "GET", shipTrackPath, http.NoBody)
	r.Header.Set("Authorization", s.credentials("slow"))
	go func() {
		defer close(done)
		s.server.Handler().ServeHTTP(client, r)
	}()
	<-client.began
	if length := client.header.Get("Content-Length"); length != "" {
		t.Errorf("the list was made as a whole: %s bytes", length)
	}
	if used := answers.Used(); used < tracks<<11 {
		t.Errorf("%d bytes are held", used)
	}
	if a := s.call("slow", "GET", shipTrackPath, "").is(t, 200); len(recordsOf(t, a)) != tracks {
		t.Errorf("beside it: %s", a.text())
	}
	client.end.Do(func() { close(client.ended) })
	<-done
	if answers.Used() != 0 {
		t.Errorf("%d bytes are still held", answers.Used())
	}
}
