package handlers

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"sync/atomic"
	"time"

	"github.com/gin-gonic/gin"

	"quaywatch/handlers/inflight"
	"quaywatch/handlers/request"
	"quaywatch/handlers/status"
	"quaywatch/internal/jobs"
)

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
	areas
	config Config
	deps   Deps
	engine *gin.Engine
	jobs   *jobs.Runner
	desk   *request.Desk
	stop   context.CancelFunc // ends the jobs
	files  *clientFiles
	origin *http.CrossOriginProtection
	base   *request.Base
	pulse  *pulse

	securePort atomic.Int32 // of HTTPS beside HTTP, 0 for none
	strict     atomic.Bool  // browsers may be asked to come by HTTPS alone
}

// New makes the server; it does not listen yet.
func New(c Config, deps Deps) (*Server, error) {
	c.fill()
	if err := deps.check(); err != nil {
		return nil, err
	}
	s := &Server{config: c, deps: deps, pulse: newPulse(), base: newBase(&c, &deps)}
	var err error
	if s.origin, err = TrustOrigins(c.CORS); err != nil {
		return nil, fmt.Errorf("make server: http.cors: %w", err)
	}
	if s.files, err = newClientFiles(deps.Web); err != nil {
		return nil, err
	}
	ctx, stop := context.WithCancel(context.Background())
	s.stop = stop
	s.jobs = jobs.NewRunner(ctx, c.Now, jobs.Limits{AtOnce: jobsAtOnce, PerOwner: jobsPerOwner, InAll: 1000, Bytes: jobsBytes})
	s.desk = &request.Desk{Runner: s.jobs, Sight: deps.Sight, Wait: orDefault(c.JobWait, jobWait)}
	s.makeAreas()
	deps.Box.Add(ownerOf(deps.Tracks))
	deps.Stats.Join(deps.Box)
	s.engine = s.routes()
	return s, nil
}

// TrustOrigins returns what keeps pages of other origins from writing, but for those that are given. It fails with what is no origin.
func TrustOrigins(origins []string) (*http.CrossOriginProtection, error) {
	p := http.NewCrossOriginProtection()
	for _, origin := range origins {
		if err := p.AddTrustedOrigin(origin); err != nil {
			return nil, err
		}
	}
	return p, nil
}

// newBase makes what each call is checked with.
func newBase(c *Config, deps *Deps) *request.Base {
	base := &request.Base{Users: deps.Users, Log: deps.Log, Proxies: c.TrustedProxies, OpenReads: c.OpenReads, MetricsAuth: c.MetricsAuth,
		RefuseClear: c.RefusePlainSignIn, CookiePath: c.cookiePath(), TLSAlone: c.TLSAlone, Now: c.Now,
		Known:   status.StorageProblem,
		Bodies:  inflight.New(inflight.Limits{All: maxBodies, Share: maxShare, Strangers: maxStrangers}),
		Answers: inflight.New(inflight.Limits{All: maxAnswers, Share: maxAnswers / 2, Strangers: maxAnswers / 2}),
		Pace:    request.BodyRate{First: bodyFirst, Most: bodyTimeout, Rate: bodyRate}}
	if d := c.SlowRequestAfter; d > 0 {
		base.Pace.First, base.Pace.Most = d, d
	}
	return base
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
func (c *Config) cookiePath() string { return c.BasePath + "/" }
