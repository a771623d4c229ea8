package handlers

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"net"
	"net/http"
	"net/netip"
	"strings"
	"sync/atomic"
	"time"

	"github.com/gin-gonic/gin"

	"quaywatch/access"
	"quaywatch/access/audit"
	"quaywatch/ais"
	"quaywatch/alert"
	"quaywatch/distress"
	"quaywatch/document"
	"quaywatch/form"
	"quaywatch/geo/chart"
	"quaywatch/geo/route"
	"quaywatch/handlers/call"
	"quaywatch/handlers/config"
	alarms "quaywatch/handlers/distress"
	"quaywatch/handlers/inflight"
	"quaywatch/handlers/live"
	texts "quaywatch/handlers/messages"
	words "quaywatch/handlers/named"
	"quaywatch/handlers/ports"
	"quaywatch/handlers/ships"
	"quaywatch/handlers/statistics"
	"quaywatch/handlers/status"
	"quaywatch/handlers/tracks"
	"quaywatch/handlers/watchdogs"
	"quaywatch/handlers/wms"
	"quaywatch/jobs"
	"quaywatch/library"
	"quaywatch/messages"
	"quaywatch/notify"
	"quaywatch/registry"
	"quaywatch/rule"
	"quaywatch/safety"
	"quaywatch/selection"
	"quaywatch/ship"
	"quaywatch/ship/destination"
	"quaywatch/sight"
	"quaywatch/stats"
	"quaywatch/telling"
	"quaywatch/tracking"
	voyages "quaywatch/voyage"
	"quaywatch/watch"
)

// Config is how the server listens, and which callers it lets in.
type Config struct {
	Listen            string              // address, as ":8080"
	BasePath          string              // put in front of every path, as "/ais"; "" for none
	ListenTLS         string              // address of HTTPS, as ":8443"; it counts with Deps.Certificates
	TLSAlone          bool                // HTTPS stands in the place of HTTP, at Listen
	TLSMayFail        bool                // without ListenTLS there is HTTP alone
	RefusePlainSignIn bool                // passwords of other machines are taken over HTTPS alone
	CORS              []string            // origins of other web pages that may call the API
	TrustedProxies    []netip.Prefix      // their word for a caller's address is believed; ParseProxy reads them
	OpenReads         bool                // reads need no credentials
	MetricsAuth       bool                // /metrics needs credentials
	Running           []config.RunningKey // what GET /api/config/running tells
	Now               func() time.Time    // the clock of jobs and of the live stream; nil is the wall clock
	LiveClients       int                 // most live streams at once; 0 is 256
	Connections       int                 // most connections at once; 0 is 4096
	AddressLimit      int                 // most connections of one address; 0 is 1024
	SlowRequestAfter  time.Duration       // how long header and body of a request may take; 0 is 5 s and 30 s
	ClosedPassages    []string            // canals and straits that no route takes
	IncludeRoute      bool                // tracks tell the way ahead
	HomePort          string              // the port of the box: LOCODE, name or id; "" offers the one with most ships
	JobWait           time.Duration       // how long a GET waits for a job; 0 is 2 s
	EventWait         time.Duration       // how long a caller waits for an event at most; 0 is as long as it asks for
}

// Deps is what the server asks. Tiles, Web and Certificates may be nil: no chart, no client, no HTTPS. Of Status the server sets sight,
// streams, HTTPS and clock.
type Deps struct {
	Sight      *sight.Sight
	Status     status.Deps
	Tiles      *chart.Tiles
	Users      *access.Users
	Library    *library.Library
	Box        *document.Box // all areas: the owner of each thing, and what refers to it
	Register   *registry.Register
	Ports      *registry.Ports
	Selections *selection.Selections
	Distress   *distress.List
	Messages   *messages.List
	Safety     *safety.Service
	Network    func() (*route.Network, error) // of sea ways, for routes
	Web        fs.FS                          // the built client with index.html at its root
	Voyages    *voyages.Voyages
	Tracks     *tracking.Tracks
	Watch      *watch.Watch
	Notices    *notify.Outbox
	Alerts     *alert.Keeper
	Stats      *stats.Stats
	Plan       func(*watch.Event) alert.Plan // the users that an event concerns

	Certificates Certificates
	Log          *slog.Logger
}

// Time-outs of the HTTP server, against clients that are slow on purpose, and how long a stop waits for requests under way.
const (
	headerTimeout = 5 * time.Second
	bodyTimeout   = 30 * time.Second
	bodyFirst     = 5 * time.Second // until the first bytes of a body come; bodyRate then
	bodyRate      = 4 << 10         // bytes a second
	writeTimeout  = 60 * time.Second
	idleTimeout   = 60 * time.Second
	stopGrace     = 3 * time.Second
)

// Bounds of the memory that requests take before they are worked on. The share of one caller holds the largest body that there may be.
const (
	maxHeader    = 16 << 10
	maxBodies    = 32 << 20
	maxShare     = 12 << 20
	maxStrangers = 16 << 20
	maxOfStream  = 64 << 10 // of HTTP/2: what a body may bring before a handler reads it
	maxOfHTTP2   = 256 << 10
	maxStreams   = 100 // of HTTP/2, of one connection
)

// Jobs of all callers together, and how long a GET waits for its job.
const (
	jobsPerOwner = 8
	jobsAtOnce   = 2
	jobsBytes    = 96 << 20 // of the results that wait for their callers: five of the longest tracks
	jobWait      = 2 * time.Second
)

// maxAnswers bounds the memory of the long answers that are being sent, in bytes: six of the longest tracks.
const maxAnswers = 128 << 20

// Server answers the API and serves the client.
type Server struct {
	config    Config
	deps      Deps
	engine    *gin.Engine
	live      *live.Server
	settings  *config.Server
	jobs      *jobs.Runner
	desk      *call.Desk
	ships     *ships.Server
	distress  *alarms.Server
	messages  *texts.Server
	ports     *ports.Server
	tracks    *tracks.Server
	watchdogs *watchdogs.Server
	reports   *statistics.Server
	overlay   *wms.Server
	water     *voyages.Waters    // that ships teach
	stop      context.CancelFunc // ends the jobs
	files     *clientFiles
	status    *status.Server
	origin    *http.CrossOriginProtection
	base      *call.Base
	pulse     *pulse

	securePort atomic.Int32 // of HTTPS beside HTTP, 0 for none
	strict     atomic.Bool  // browsers may be asked to come by HTTPS alone
}

// PublishTracks tells a publisher of the tracks that its user can read, until ctx is done.
func (s *Server) PublishTracks(ctx context.Context, to tracks.Publisher) { s.tracks.Publish(ctx, to) }

// ownerOf makes tracked ships known as things that users own.
func ownerOf(t *tracking.Tracks) document.Owner {
	return document.Owner{Owns: t.Owns, Reassign: func(from, to string) (map[string]int, error) {
		count, err := t.Reassign(from, to)
		return map[string]int{"tracked_ships": count}, err
	}}
}

// New makes the server; it does not listen yet.
func New(c Config, deps Deps) (*Server, error) {
	if deps.Sight == nil || deps.Status.Stats == nil || deps.Status.StoreStatus == nil || deps.Users == nil || deps.Register == nil ||
		deps.Ports == nil || deps.Selections == nil || deps.Distress == nil || deps.Messages == nil || deps.Safety == nil || deps.Voyages == nil ||
		deps.Tracks == nil || deps.Stats == nil {
		return nil, errors.New("make server: needs a sight, the figures of picture and store, users, register, ports, selections, alarms, messages, a sender, voyages, " +
			"tracks and statistics")
	}
	if deps.Log == nil {
		deps.Log = slog.New(slog.DiscardHandler)
	}
	if deps.Status.Feeds == nil {
		deps.Status.Feeds = func() []ais.FeedStatus { return nil }
	}
	if deps.Status.Outputs == nil {
		deps.Status.Outputs = func() []ais.OutputStatus { return nil }
	}
	if c.Now == nil {
		c.Now = time.Now
	}
	c.BasePath = strings.TrimRight(c.BasePath, "/")
	if c.BasePath != "" && !strings.HasPrefix(c.BasePath, "/") {
		c.BasePath = "/" + c.BasePath
	}
	s := &Server{config: c, deps: deps, origin: http.NewCrossOriginProtection(), pulse: newPulse()}
	for _, origin := range c.CORS {
		if err := s.origin.AddTrustedOrigin(origin); err != nil {
			return nil, fmt.Errorf("make server: http.cors: %w", err)
		}
	}
	var err error
	if s.files, err = newClientFiles(deps.Web); err != nil {
		return nil, err
	}
	s.base = &call.Base{Users: deps.Users, Log: deps.Log, Proxies: c.TrustedProxies, OpenReads: c.OpenReads, MetricsAuth: c.MetricsAuth,
		RefuseClear: c.RefusePlainSignIn, CookiePath: s.cookiePath(), TLSAlone: c.TLSAlone, Now: c.Now,
		Known:   status.StorageProblem,
		Bodies:  inflight.New(inflight.Limits{All: maxBodies, Share: maxShare, Strangers: maxStrangers}),
		Answers: inflight.New(inflight.Limits{All: maxAnswers, Share: maxAnswers / 2, Strangers: maxAnswers / 2}),
		Pace:    call.Pace{First: bodyFirst, Most: bodyTimeout, Rate: bodyRate}}
	if d := c.SlowRequestAfter; d > 0 {
		s.base.Pace.First, s.base.Pace.Most = d, d
	}
	deps.Status.Sight, deps.Status.Now = deps.Sight, c.Now
	deps.Status.Live = func() (open int, dropped uint64) { return s.live.Clients() }
	deps.Status.HTTPS = s.secureStatus
	deps.Status.Calls, deps.Status.Review, deps.Status.Tracked = deps.Voyages.Open, deps.Voyages.Past.Reviewing, deps.Tracks.Count
	deps.Status.Exceeded, deps.Status.TextsLost = deps.Tracks.Exceeded, deps.Messages.Lost
	deps.Status.Watchdogs, deps.Status.Waits = deps.Watch.Status, func() int { return s.watchdogs.Waiting() }
	deps.Status.Ways = func() []notify.Target { return notify.Ways(deps.Notices) }
	s.status = status.New(deps.Status)
	ctx, stop := context.WithCancel(context.Background())
	s.stop = stop
	s.jobs = jobs.NewRunner(ctx, c.Now, jobs.Limits{AtOnce: jobsAtOnce, PerOwner: jobsPerOwner, InAll: 1000, Bytes: jobsBytes})
	s.desk = &call.Desk{Runner: s.jobs, Sight: deps.Sight, Wait: orDefault(c.JobWait, jobWait)}
	portOf := func(f *form.Fields, who *access.User) (*chart.Port, error) {
		return words.PortIn(f, deps.Ports.Current(), who)
	}
	s.settings = config.New(config.Deps{
		Base: s.base, Users: deps.Users, Library: deps.Library, Ports: deps.Ports, Box: deps.Box, Selections: deps.Selections,
		Jobs: s.jobs, Running: c.Running, Watch: deps.Watch, Notices: deps.Notices,
		PortOf: portOf, PlaceOf: s.desk.PlaceOf,
		Statistic: func(who *access.User, uid string) bool { return s.reports.Shows(who, uid) },
		Watching: func(c *call.Call, id uint64) (func(*library.Resource) (*int, *library.LastEvent), error) {
			return s.watchdogs.Watching(c, id)
		},
		Listed: func(c *call.Call) (func(*library.Resource) ([]ship.Listed, *rule.Rule), error) {
			return s.watchdogs.Listed(c)
		},
	})
	bound := destination.NewCurrent(deps.Ports.Current).Port
	calls := telling.NewCalls(deps.Voyages)
	s.water = deps.Voyages.Waters
	s.ships = ships.New(ships.Deps{Register: deps.Register, Selections: deps.Selections, Desk: s.desk, Now: c.Now,
		Bound: bound, Ports: deps.Ports.Current, Network: deps.Network, ClosedPassages: c.ClosedPassages,
		Calls: calls})
	s.distress = alarms.New(deps.Distress, deps.Sight, deps.Alerts.Step)
	s.messages = texts.New(telling.NewTexts(deps.Messages, deps.Watch.Get), deps.Safety, s.desk)
	s.tracks = tracks.New(tracks.Deps{Tracks: telling.NewTracks(deps.Tracks, deps.Users, deps.Ports.Current), Desk: s.desk, Ports: deps.Ports.Current, Network: deps.Network,
		ClosedPassages: c.ClosedPassages, IncludeRoute: c.IncludeRoute, Enter: s.ships.Enter,
		Leave: func(mmsi int64, line audit.Line) error { return deps.Register.Delete(mmsi, line) }})
	events := telling.NewEvents(telling.Judge{Library: deps.Library, Sight: deps.Sight}, deps.Watch)
	s.watchdogs = watchdogs.New(watchdogs.Deps{Safety: deps.Safety, Watch: deps.Watch, Events: events, Notices: deps.Notices, Alerts: deps.Alerts, Plan: deps.Plan, PortOf: portOf,
		Seat:     func(c *call.Call, end context.CancelCauseFunc) (func(bool), bool) { return s.live.Seat(c, end) },
		SeatWait: live.NewSeats(watchdogs.MostWaits).Seat, MostWait: c.EventWait, Library: deps.Library, Desk: s.desk, Base: s.base, Definition: s.settings.Definition,
		Targets: s.settings.Targets, AtSea: deps.Voyages.AtSeaThen})
	s.ports = ports.New(ports.Deps{Ports: deps.Ports, Calls: calls, Desk: s.desk, Lookup: s.settings.Lookup, Bound: bound, Network: deps.Network,
		ClosedPassages: c.ClosedPassages, Home: c.HomePort, Now: c.Now, Tracked: s.tracks.ToPort})
	s.reports = statistics.New(statistics.Deps{Stats: deps.Stats, Users: deps.Users, Box: deps.Box, Ports: deps.Ports, Desk: s.desk, Lookup: s.settings.Lookup,
		Notices: deps.Notices, Answers: s.base.Answers})
	deps.Stats.Judge(s.reports.Again)
	deps.Stats.Deliver(s.reports.Deliver)
	deps.Notices.Pack(s.reports.Pack)
	s.overlay = wms.New(wms.Deps{Statistics: s.reports, Ports: deps.Ports, Tiles: deps.Tiles, Library: deps.Library, Register: deps.Register.Get, Desk: s.desk,
		Proxies: c.TrustedProxies, BasePath: c.BasePath})
	deps.Box.Add(ownerOf(deps.Tracks))
	deps.Stats.Join(deps.Box)
	s.live = live.New(live.Deps{
		Base: s.base, Sight: deps.Sight, Lookup: s.settings.Lookup, Register: deps.Register.Get, Selections: deps.Selections, Feeds: deps.Status.Feeds,
		Notices: s.status.Words, Status: s.status.LiveEvent, Selected: s.ships.Event, Most: orDefault(c.LiveClients, 256),
		Distress: s.distress.Event, Alarms: s.distress.Version, Messages: s.messages.Stream, Tracks: s.tracks.Stream,
		Events: s.watchdogs.Stream, Raised: deps.Watch.Changed, Alerts: s.watchdogs.AlertStream, Alerted: deps.Alerts.Changed,
	})
	s.engine = s.routes()
	return s, nil
}

func orDefault[T int | time.Duration](n, otherwise T) T {
	if n > 0 {
		return n
	}
	return otherwise
}

// Run listens until ctx is done, then returns requests under way three seconds and ends the live streams.
func (s *Server) Run(ctx context.Context) error {
	listener, err := net.Listen("tcp", s.config.Listen)
	if err != nil {
		return fmt.Errorf("listen on %s: %w", s.config.Listen, err)
	}
	if s.config.TLSAlone {
		return s.Serve(ctx, nil, listener)
	}
	secure, err := s.listenSecure()
	if err != nil {
		return errors.Join(fmt.Errorf("listen on %s: %w", s.config.ListenTLS, err), listener.Close())
	}
	return s.Serve(ctx, listener, secure)
}

// Serve is Run on listeners that are open already, of HTTP and of HTTPS; either may be nil. It closes them.
func (s *Server) Serve(ctx context.Context, plain, secure net.Listener) error {
	ctx, cancelRenewal := context.WithCancel(ctx)
	defer cancelRenewal()
	server := s.httpServer(ctx)
	table := connections(orDefault(s.config.Connections, mostConnections), orDefault(s.config.AddressLimit, connectionsEach))
	ended := make(chan error, 2)
	serving := 0
	begin := func(l net.Listener, serve func(net.Listener) error, encrypted bool) {
		if l == nil {
			return
		}
		serving++
		s.deps.Log.Info("serving", "address", l.Addr().String(), "base_path", s.config.BasePath, "tls", encrypted)
		go func() { ended <- serve(&boundedListener{l, table, s.config.TrustedProxies}) }()
	}
	if plain != nil {
		s.securePort.Store(int32(listenerPort(secure)))
	}
	s.strict.Store(plain == nil || listenerPort(plain) == 80 && listenerPort(secure) == 443)
	begin(plain, server.Serve, false)
	begin(secure, func(l net.Listener) error { return server.ServeTLS(l, "", "") }, true) // with the certificate of now
	go func() { _ = server.Serve(s.pulse) }()                                             // it ends with the server
	go s.keepCertificates(ctx)
	select {
	case err := <-ended:
		return fmt.Errorf("serve: %w", err)
	case <-ctx.Done():
	}
	s.stop()
	grace, cancel := context.WithTimeout(context.Background(), stopGrace)
	defer cancel()
	err := server.Shutdown(grace)
	if errors.Is(err, context.DeadlineExceeded) {
		err = server.Close()
	}
	for range serving {
		<-ended
	}
	s.waitForJobs()
	if err != nil {
		return fmt.Errorf("stop server: %w", err)
	}
	return nil
}

// httpServer sets every time-out. Requests live under ctx, so that live streams end with it.
func (s *Server) httpServer(ctx context.Context) *http.Server {
	header, body := headerTimeout, bodyTimeout
	if d := s.config.SlowRequestAfter; d > 0 {
		header, body = d, d
	}
	return &http.Server{
		Handler:           s.Handler(),
		ReadHeaderTimeout: header,
		ReadTimeout:       body,
		WriteTimeout:      writeTimeout,
		IdleTimeout:       idleTimeout,
		MaxHeaderBytes:    maxHeader,
		HTTP2: &http.HTTP2Config{MaxConcurrentStreams: maxStreams, MaxReceiveBufferPerConnection: maxOfHTTP2,
			MaxReceiveBufferPerStream: maxOfStream},
		BaseContext: func(net.Listener) context.Context { return ctx },
		ConnContext: withGuest,
		TLSConfig:   s.tlsConfig(),
		ErrorLog:    slog.NewLogLogger(s.deps.Log.Handler(), slog.LevelDebug),
	}
}

// waitForJobs waits for what runs beside the requests. It reads the store, which is closed next.
func (s *Server) waitForJobs() {
	s.jobs.Wait()
}

// cookiePath is where the session cookie counts.
func (s *Server) cookiePath() string { return s.config.BasePath + "/" }
