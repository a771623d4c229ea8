package handlers

import (
	"bytes"
	"context"
	"encoding/json"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"quaywatch/ais"
	"quaywatch/engine/alert"
	"quaywatch/engine/distress"
	"quaywatch/engine/messages"
	"quaywatch/engine/portcalls"
	"quaywatch/engine/safety"
	"quaywatch/engine/stats"
	"quaywatch/engine/tracking"
	"quaywatch/engine/watchdogs"
	"quaywatch/engine/watchdogs/ceiling"
	"quaywatch/geo/chart"
	"quaywatch/geo/route"
	"quaywatch/handlers/status"
	"quaywatch/notify"
	"quaywatch/notify/redirect"
	"quaywatch/ship"
	"quaywatch/ship/destination"
	"quaywatch/sight"
	"quaywatch/store"
	"quaywatch/store/former"
	"quaywatch/traffic"
	"quaywatch/users"
	"quaywatch/users/access"
	"quaywatch/users/selection"
)

const (
	adminPassword = "correct horse battery"
	nordic        = ais.MMSI(219018765)
)

// Paths of the calls about ships.
const (
	portserver   = "/api/portserver"
	registerPath = portserver + "/ship/register"
	selectPath   = portserver + "/ship/select"
	areaPath     = portserver + "/ship/area"
	trackPath    = portserver + "/ship/historical/track"
)

// noon is when the tests begin.
func noon() time.Time { return time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC) }

// clock is the wall clock of a test.
type clock struct {
	mu sync.Mutex
	at time.Time
}

func (c *clock) now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.at
}

func (c *clock) pass(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.at = c.at.Add(d)
}

// site is the whole server on a real store and a real picture.
type site struct {
	t       testing.TB
	dir     string
	rings   ceiling.Limits // of watchdogs; the zero value is as usual
	clock   *clock
	db      *store.DB
	areas   users.Areas
	users   *access.Users
	picture *traffic.Picture
	former  *former.Index
	sight   *sight.Sight
	alarms  *distress.Alarms
	texts   *messages.List
	sender  *safety.Service
	forward *redirect.Forwarder
	voyages *portcalls.Calls
	tracks  *tracking.TrackedShips
	watch   *watchdogs.Watch
	outbox  *notify.Outbox
	alerts  *alert.Keeper
	stats   *stats.Statistics
	server  *Server

	channels []notify.Channel
	kinds    []stats.Kind // of statistics; nil are those of the program
	batch    ais.Batch
	hash     uint64
	blocks   int  // jobs of block so far
	thins    bool // the store thins, and the picture follows the clock of a log
	fullRate bool // it does not thin, though thins
	logged   journal
	bearer   map[string]string // the token with which call asks for a user; for a user without one it asks with the password
	close    func()
}

// journal is what the program logged.
type journal struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (j *journal) Write(b []byte) (int, error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.text.Write(b)
}

func (j *journal) String() string {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.text.String()
}

func newSite(t testing.TB, change ...func(*Config, *Deps)) *site {
	s := &site{t: t, dir: t.TempDir(), clock: &clock{at: noon()}}
	s.open(change...)
	if err := s.users.Add(access.AdminName, adminPassword); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.close() })
	return s
}

// open is a start of the program.
func (s *site) open(change ...func(*Config, *Deps)) {
	s.t.Helper()
	db, err := store.Open(store.Options{Dir: s.dir, FullRate: !s.thins || s.fullRate})
	if err != nil {
		s.t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	var running sync.WaitGroup
	running.Go(func() {
		if err := db.Run(ctx); err != nil {
			s.t.Error(err)
		}
	})
	s.close = func() {
		s.alarms.Save()
		s.texts.Save()
		s.voyages.Stop()
		s.tracks.Stop()
		s.watch.Stop()
		s.alerts.Step()
		s.stats.Stop()
		s.server.stop()
		s.server.waitForJobs()
		s.sight.Close()
		cancel()
		running.Wait()
		if err := db.Close(); err != nil {
			s.t.Error(err)
		}
	}
	s.db = db
	log := slog.New(slog.NewTextHandler(&s.logged, &slog.HandlerOptions{Level: slog.LevelDebug}))
	areas, err := users.Open(db.Database, access.Options{Dir: s.dir, Now: s.clock.now, Log: log, HashMemory: 64})
	if err != nil {
		s.t.Fatal(err)
	}
	s.areas, s.users = areas, areas.Users
	seen := traffic.DefaultConfig()
	if s.thins {
		seen.Clock = ais.LogClock
	}
	s.picture = traffic.New(seen)
	s.picture.Restore(db.States())
	c, d := Config{MetricsAuth: true, Now: s.clock.now, JobWait: time.Minute, EventWait: 50 * time.Millisecond}, Deps{Users: s.users, Log: log,
		Status: status.Deps{Stats: s.picture.Stats, StoreStatus: db.Status, Feeds: someFeeds}}
	d.Library, d.Box, d.Register, d.Ports = areas.Library, areas.Box, areas.Register, areas.Ports
	if d.Selections, err = selection.Open(db.Database); err != nil {
		s.t.Fatal(err)
	}
	if s.alarms, err = distress.Open(db.Database, log); err != nil {
		s.t.Fatal(err)
	}
	d.Distress = s.alarms
	d.Network, c.ClosedPassages = network, []string{"Northeast Passage", "Northwest Passage", "Antarctic"}
	if s.sender, err = safety.Open(safety.Config{DB: db.Database, Limits: safety.Limits{Ship: 1000, Broadcast: 1000, All: 1000}, Transmitters: func() []safety.Transmitter { return nil }, Ship: s.picture.Ship, Log: log,
		Told: func(m *safety.Sent) { s.texts.Tell(m) }}, s.clock.now()); err != nil {
		s.t.Fatal(err)
	}
	if s.texts, err = messages.Open(messages.Config{DB: db.Database, Sender: s.sender, Heard: s.heardText, Log: log}, s.clock.now()); err != nil {
		s.t.Fatal(err)
	}
	d.Messages, d.Safety = s.texts, s.sender
	if s.voyages, err = portcalls.Open(portcalls.Config{DB: db, Ports: areas.Ports.Current, Bound: destination.NewCurrent(areas.Ports.Current).Port, Log: log,
		Told: func(c *portcalls.KeptCall) { s.tracks.Called(c) }}); err != nil {
		s.t.Fatal(err)
	}
	d.Calls = s.voyages
	if s.tracks, err = tracking.Open(tracking.Config{DB: db, Ports: areas.Ports.Current, Calls: s.voyages.OfShip, Closed: c.ClosedPassages, Log: log,
		Ship: s.shipNow, Find: findWay}); err != nil {
		s.t.Fatal(err)
	}
	d.Tracks, c.IncludeRoute = s.tracks, true
	if s.watch, err = watchdogs.Open(watchdogs.Config{DB: db, Library: areas.Library, Ports: areas.Ports.Current, Ship: s.picture.Ship, AtSea: s.voyages.AtSea, LostAfter: s.picture.LostAfter, Distress: s.alarms, Log: log, Ceilings: s.rings,
		Generation: s.users.Generation, Changed: s.users.Changed, Names: func(string) ship.Lookup { return areas.Library.Anything() }}); err != nil {
		s.t.Fatal(err)
	}
	d.Watch = s.watch
	areas.MadeLists.Know(func(id uint64, m ais.MMSI) bool { return watchdogs.Listed(s.watch, id, m) })
	d.Plan = (&alert.Planner{Library: areas.Library, Generation: s.users.Generation}).Of
	if s.alerts, err = alert.Open(alert.Config{DB: db.Database, Watch: s.watch, Distress: s.alarms, Plan: d.Plan, Line: alert.LineOf(s.users.Audit()), Log: log}); err != nil {
		s.t.Fatal(err)
	}
	d.Alerts = s.alerts
	if s.stats, err = stats.Open(stats.Config{DB: db, Calls: s.voyages, Ports: areas.Ports.Current, Now: s.clock.now, Clock: s.clock.now, Log: log, Kinds: s.kinds,
		Names: func(string) ship.Lookup { return areas.Library.Anything() }}); err != nil {
		s.t.Fatal(err)
	}
	d.Stats = s.stats
	areas.PortFilters.Know(s.voyages.Visiting)
	for _, f := range change {
		f(&c, &d)
	}
	s.former = former.New(db, log)
	if err = s.former.Read(ctx); err != nil {
		s.t.Fatal(err)
	}
	s.sight = sight.New(sight.Config{Picture: s.picture, DB: db, Users: s.users, Register: d.Register, Now: s.clock.now, Log: log,
		Tags: func(feed string) []string {
			for _, f := range d.Status.Feeds() {
				if f.Name == feed {
					return f.Tags
				}
			}
			return nil
		}, Former: s.former.Like})
	d.Register.OnChange(s.sight.Follow)
	d.Sight = s.sight
	s.openOutbox(areas.Library, log)
	d.Notices = s.outbox
	if s.server, err = New(c, d); err != nil {
		s.t.Fatal(err)
	}
	running.Go(func() { _ = s.stats.Run(ctx) }) // it ends with ctx
}

// heardText takes a text to one station.
func (s *site) heardText(m *messages.KeptMessage) {
	if s.forward != nil {
		s.forward.Hear(m)
	}
}

// shipNow returns a ship as it is in the picture, or as it was last recorded.
func (s *site) shipNow(m ais.MMSI) (ship.State, bool) {
	if now, ok := s.picture.Ship(m); ok {
		return now, true
	}
	now, err := s.db.Ship(m)
	return now, err == nil
}

// findWay returns a way by sea.
func findWay(ctx context.Context, q route.Query) (route.Way, error) {
	n, err := network()
	if err != nil {
		return route.Way{}, err
	}
	return n.Find(ctx, q)
}

// restart closes everything and opens it again on the same files.
func (s *site) restart(change ...func(*Config, *Deps)) {
	s.t.Helper()
	s.close()
	s.open(change...)
}

func someFeeds() []ais.FeedStatus {
	roof := ais.FeedStatus{
		Name: "roof", URL: "udp://0.0.0.0:10110", Connected: true, MessagesPerSecond: 1.25, BytesPerSecond: 60, LastMessage: noon(),
		Counters: ais.Counters{Lines: 10, Sentences: 9, Other: 1},
	}
	roof.Messages[1] = 9
	tower := ais.FeedStatus{Name: "tower", URL: "tcp://10.0.0.2:4001", LastError: "connection refused"}
	tower.Bad[ais.ErrorChecksum] = 2
	return []ais.FeedStatus{roof, tower}
}

// hear lets a message arrive at a time.
func (s *site) hear(at time.Time, m ais.Message) {
	s.hash++
	s.batch.Reset()
	s.batch.Reports = append(s.batch.Reports, ais.Report{Message: m, Hash: s.hash, Received: at, Feed: "roof", Channel: 'A'})
	s.picture.Apply(&s.batch, s.db, s.former, s.sight, s.alarms, s.texts, s.voyages, s.tracks, s.watch)
}

func position(m ais.MMSI, lon, lat float64, sog, cog int) *ais.PositionReport {
	return &ais.PositionReport{
		Header: ais.Header{Type: 1, MMSI: m}, SOG: ais.SOGTenths(sog), COG: ais.COGTenths(cog), Heading: ais.HeadingDegrees(cog / 10),
		ROT: ais.RawROT(-3), Place: ais.Place{Lon: int32(lon * 600000), Lat: int32(lat * 600000)}, Second: 60,
	}
}

func voyage(m ais.MMSI, name string) *ais.StaticVoyage {
	return &ais.StaticVoyage{
		Header: ais.Header{Type: 5, MMSI: m}, IMO: 9321483, Name: name, CallSign: "OWKN2", ShipType: 70,
		Dimensions: ais.Dimensions{Bow: 118, Stern: 16, Port: 11, Starboard: 11}, Draught: 74, Destination: "DKAAR",
		ETA: ais.ETA{Month: 11, Day: 21, Hour: 18, Minute: 30},
	}
}

// sail lets a ship be heard each interval from a place on, heading east at a tenth of a minute of longitude a report.
func (s *site) sail(m ais.MMSI, from time.Time, every time.Duration, count int) {
	for i := range count {
		s.hear(from.Add(time.Duration(i)*every), position(m, 10.3+float64(i)/600, 56.14, 50, 900))
	}
	s.settle()
}

func (s *site) settle() {
	s.t.Helper()
	if err := s.db.Settle(); err != nil {
		s.t.Fatal(err)
	}
}

// answer is what came back.
type answer struct {
	status int
	header http.Header
	body   []byte
}

// get, post and send ask as the administrator by Basic.
func (s *site) get(path string, header ...string) answer {
	s.t.Helper()
	return s.send("GET", path, "", append([]string{"Authorization", basic(access.AdminName, adminPassword)}, header...)...)
}

func (s *site) post(path, body string, header ...string) answer {
	s.t.Helper()
	return s.send("POST", path, body, append([]string{"Authorization", basic(access.AdminName, adminPassword), "Content-Type", "application/json"}, header...)...)
}

func basic(name, password string) string {
	r := httptest.NewRequest("GET", "/", nil)
	r.SetBasicAuth(name, password)
	return r.Header.Get("Authorization")
}

// send asks, and holds the answer against the contract.
func (s *site) send(method, path, body string, header ...string) answer {
	s.t.Helper()
	r := httptest.NewRequest(method, path, strings.NewReader(body))
	for i := 0; i+1 < len(header); i += 2 {
		r.Header.Set(header[i], header[i+1])
	}
	w := httptest.NewRecorder()
	s.server.Handler().ServeHTTP(w, r)
	a := answer{w.Code, w.Header(), w.Body.Bytes()}
	checkHeaders(s.t, method+" "+path, a.header)
	checkContract(s.t, r, a)
	return a
}

// json returns the body as a value.
func (a answer) json(t testing.TB) map[string]any {
	t.Helper()
	var v map[string]any
	if err := json.Unmarshal(a.body, &v); err != nil {
		t.Fatalf("%d %q: %v", a.status, a.body, err)
	}
	return v
}

// is checks the status, and of a problem the code.
func (a answer) is(t testing.TB, status int, code ...string) answer {
	t.Helper()
	if a.status != status {
		t.Fatalf("status %d, want %d: %s", a.status, status, a.body)
	}
	if len(code) > 0 {
		if got := a.json(t)["code"]; got != code[0] {
			t.Fatalf("code %v, want %s: %s", got, code[0], a.body)
		}
	}
	return a
}

// checkHeaders is for every answer of every route.
func checkHeaders(t testing.TB, what string, h http.Header) {
	t.Helper()
	for name, want := range map[string]string{
		"X-Content-Type-Options": "nosniff", "Content-Security-Policy": contentPolicy, "X-Frame-Options": "DENY", "Referrer-Policy": "same-origin",
		"Permissions-Policy": permissionsPolicy,
	} {
		if got := h.Get(name); got != want {
			t.Errorf("%s: %s is %q, want %q", what, name, got, want)
		}
	}
	if h.Get("X-Request-Id") == "" {
		t.Errorf("%s: no X-Request-Id", what)
	}
	if kind := h.Get("Content-Type"); kind != "" && strings.HasPrefix(kind, "text/html") && !strings.Contains(kind, "charset") {
		t.Errorf("%s: %s without a charset", what, kind)
	}
}

// withChart has the server use the built-in chart.
func withChart(t *testing.T) func(*Config, *Deps) {
	land := builtInLand(t)
	return func(_ *Config, d *Deps) { d.Tiles = chart.NewTiles(land) }
}

// builtInLand returns the land of the built-in chart.
func builtInLand(t *testing.T) *chart.Chart {
	t.Helper()
	land, err := chart.Load()
	if err != nil {
		t.Fatal(err)
	}
	return land
}

func recordsOf(t testing.TB, a answer) []map[string]any {
	t.Helper()
	var v struct {
		Records []map[string]any `json:"records"`
	}
	if err := json.NewDecoder(bytes.NewReader(a.body)).Decode(&v); err != nil {
		t.Fatalf("%s: %v", a.body, err)
	}
	return v.Records
}

func escaped(path string) string { return url.PathEscape(path) }
