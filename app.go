package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"net"
	"net/netip"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"time"

	"quaywatch/access"
	"quaywatch/ais"
	"quaywatch/ais/feed"
	"quaywatch/geo"
	"quaywatch/geo/chart"
	"quaywatch/handlers"
	"quaywatch/selection"
	"quaywatch/ship"
	"quaywatch/store"
	"quaywatch/traffic"
	"quaywatch/web"
)

// batchesInFlight bounds what waits between the feeds and the picture; a live feed sheds beyond it.
const batchesInFlight = 256

// app is the program as a value, so that a test runs the same one.
type app struct {
	config  Config
	running []handlers.RunningKey // of config, for GET /api/config/running
	log     *slog.Logger
	db      *store.DB
	picture *traffic.Picture
	feeds   *feed.Feeds
	passer  *passer // nil without an output
	users   *access.Users
	server  *handlers.Server
	control net.Listener // for the commands on this box; nil when it could not be had
	secret  string       // the first administrator's password when it was made just now
}

// newApp opens the store and wires the parts; nothing runs yet. The flags tell where the configuration came from. It fails when the
// store is damaged or taken (store.ErrLocked), or when an address cannot be listened on.
func newApp(c Config, f *flags, log *slog.Logger, adminPassword string) (*app, error) {
	running, err := f.running(c)
	if err != nil {
		return nil, fmt.Errorf("tell the running configuration: %w", err)
	}
	a := &app{config: c, running: running, log: log}
	if err := a.open(adminPassword); err != nil {
		return nil, errors.Join(err, a.Close())
	}
	return a, nil
}

func (a *app) open(adminPassword string) (err error) {
	a.db, err = store.Open(store.Options{
		Dir:          a.config.DataDir,
		SyncInterval: time.Duration(a.config.Store.SyncInterval),
		Retention:    time.Duration(a.config.Store.Retention),
		FullRate:     a.config.Store.FullRate,
		Log:          a.log,
	})
	if err != nil {
		return err
	}
	options := a.config.accessOptions()
	options.Log = a.log
	a.users, err = access.OpenUsers(a.db, options)
	if err != nil {
		return err
	}
	if a.secret, err = a.users.EnsureAdmin(adminPassword); err != nil {
		return err
	}
	land, err := chart.Load()
	if err != nil {
		return err
	}
	register, err := access.OpenRegister(a.db, nil)
	if err != nil {
		return err
	}
	listed, err := chart.LoadPorts()
	if err != nil {
		return err
	}
	ports, err := access.OpenPorts(a.db, listed, nil)
	if err != nil {
		return err
	}
	selections, err := selection.Open(a.db)
	if err != nil {
		return err
	}
	a.picture = traffic.New(a.trafficConfig())
	a.picture.Restore(a.db.States())
	if !a.logClock() && len(a.db.States()) > 0 {
		a.picture.Tick(time.Now()) // before the first answer: nobody is shown who fell silent while the box was off
	}
	sources := a.sources()
	a.askSenders(sources, a.users)
	if a.feeds, err = feed.New(sources, ais.NewPool(batchesInFlight), a.log); err != nil {
		return err
	}
	if a.passer, err = a.newPasser(a.users); err != nil {
		return err
	}
	client, built := web.Files()
	if !built {
		client = fs.FS(nil)
	}
	a.server, err = handlers.New(a.handlersConfig(), handlers.Deps{
		Picture: a.picture, DB: a.db, Chart: land, Users: a.users, Register: register, Ports: ports, Selections: selections,
		Feeds: a.feeds.Status, Outputs: a.passer.status, Web: client, Log: a.log,
	})
	if err != nil {
		return err
	}
	a.control, err = listenControl(filepath.Join(a.config.DataDir, controlName))
	if err != nil {
		a.control = nil
		a.log.Warn("no control socket: backup and compact need the service stopped", "error", err)
	}
	return nil
}

// Run runs the parts until ctx ends or one of them fails. Stopping goes upstream first: feeds, picture, then the store,
// which syncs what it was given.
func (a *app) Run(ctx context.Context) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	reports := make(chan *ais.Batch, batchesInFlight)
	var upstream, rest sync.WaitGroup
	failures := make(chan error, 8)
	run := func(group *sync.WaitGroup, part string, work func() error) {
		group.Go(func() {
			if err := work(); err != nil && !errors.Is(err, context.Canceled) {
				failures <- fmt.Errorf("%s: %w", part, err)
			}
			if part != "feeds" {
				cancel()
			}
		})
	}
	storeCtx, stopStore := context.WithCancel(context.Background())
	defer stopStore()
	run(&rest, "store", func() error { return a.db.Run(storeCtx) })
	run(&rest, "server", func() error { return a.server.Run(ctx) })
	run(&rest, "housekeeping", func() error { return a.keepHouse(ctx) })
	run(&rest, "control", func() error { return a.serveControl(ctx) })
	if a.passer != nil {
		run(&rest, "outputs", func() error { return a.passer.outputs.Run(ctx) })
		run(&rest, "hosts", func() error { a.passer.users.ResolveHosts(ctx); return nil })
	}
	run(&upstream, "picture", func() error {
		return a.picture.Run(context.Background(), reports, a.observers()...)
	})
	run(&upstream, "feeds", func() error {
		defer func() { <-ctx.Done(); close(reports) }()
		return a.feeds.Run(ctx, reports)
	})
	<-ctx.Done()
	upstream.Wait()
	stopStore()
	rest.Wait()
	close(failures)
	var err error
	for failure := range failures {
		err = errors.Join(err, failure)
	}
	return err
}

// keepHouse compacts the store at night when more than half of a large file is free; retention frees pages, and only
// compaction gives them back.
func (a *app) keepHouse(ctx context.Context) error {
	const nightHour, smallFile = 3, 64 << 20
	tick := time.NewTicker(time.Hour)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return nil
		case now := <-tick.C:
			s := a.db.Status()
			if now.UTC().Hour() != nightHour || s.DBBytes < smallFile || 2*s.FreeBytes < s.DBBytes {
				continue
			}
			if err := a.db.Compact(ctx); err != nil {
				a.log.Error("compact at night", "error", err)
			}
		}
	}
}

// Close ends what newApp opened; it may be called after Run, and twice.
func (a *app) Close() error {
	var err error
	if a.control != nil {
		if closed := a.control.Close(); !errors.Is(closed, net.ErrClosed) { // Run has closed it
			err = closed
		}
		a.control = nil
	}
	if a.db != nil {
		err = errors.Join(err, a.db.Close())
		a.db = nil
	}
	return err
}

// logClock tells whether recorded logs rule the clock of the whole box; validate has refused a mixture.
func (a *app) logClock() bool {
	return len(a.config.Feed) > 0 && a.config.Feed[0].clock() == ais.LogClock
}

func (a *app) trafficConfig() traffic.Config {
	t := traffic.DefaultConfig()
	c := a.config.Traffic
	t.UnderWay = traffic.AgeLimits{Lost: time.Duration(c.LostUnderWay), Removed: time.Duration(c.RemovedUnderWay)}
	t.AtRest = traffic.AgeLimits{Lost: time.Duration(c.LostAtRest), Removed: time.Duration(c.RemovedAtRest)}
	t.Fixed = traffic.AgeLimits{Lost: time.Duration(c.LostStation), Removed: time.Duration(c.RemovedStation)}
	t.DuplicateWindow = time.Duration(c.DuplicateWindow)
	t.MaxShips = c.MaxShips
	if a.logClock() {
		t.Clock = ais.LogClock
	}
	t.FeedPositions = map[string]geo.Point{}
	for _, s := range a.sources() {
		if s.Position != nil {
			t.FeedPositions[s.Name] = *s.Position
		}
	}
	return t
}

func (a *app) sources() []feed.Source {
	var list []feed.Source
	for i := range a.config.Feed {
		list = append(list, a.config.Feed[i].source())
	}
	return list
}

// accessOptions are what the configuration says of users, and which names they may give.
func (c *Config) accessOptions() access.Options {
	o := access.Options{Dir: c.DataDir, SignInTries: c.HTTP.SignInTries, Feeds: []string{}, Outputs: []string{}}
	for _, f := range c.Feed {
		o.Feeds = append(o.Feeds, f.Name)
	}
	for _, out := range c.Output {
		o.Outputs = append(o.Outputs, out.Name)
	}
	return o
}

func (a *app) handlersConfig() handlers.Config {
	c := a.config.HTTP
	var trusted []netip.Prefix
	for _, text := range c.TrustedProxies {
		if p, err := handlers.ParseProxy(text); err == nil { // validate refused what is none
			trusted = append(trusted, p)
		}
	}
	return handlers.Config{
		Listen: c.Listen, BasePath: c.BasePath, TLSCert: c.TLSCert, TLSKey: c.TLSKey, CORS: c.CORS,
		TrustedProxies: trusted, OpenReads: c.OpenReads, MetricsAuth: c.MetricsAuth, Running: a.running,
		Version: handlers.Version{Version: version, Commit: commit, Built: date, Go: runtime.Version()},
	}
}

// observers are told of each step of each ship, in this order.
func (a *app) observers() []traffic.Observer {
	list := []traffic.Observer{a.db, a.server.Live(), a.server.Paces()}
	if a.passer != nil {
		list = append(list, a.passer)
	}
	if a.patient() {
		list = append(list, &settler{db: a.db, log: a.log})
	}
	return list
}

// patient tells whether every feed can wait: recorded files and standard input, which end.
func (a *app) patient() bool {
	for _, f := range a.config.Feed {
		if !strings.HasPrefix(f.URL, "file:") && !strings.HasPrefix(f.URL, "stdin:") {
			return false
		}
	}
	return len(a.config.Feed) > 0
}

// settleEvery is how many steps a patient source runs ahead of the disk.
const settleEvery = 20000

// settler is the observer that makes a source that can wait do so, so that the store drops nothing.
type settler struct {
	db    *store.DB
	log   *slog.Logger
	steps int
	err   error // of the last time that the store did not settle
}

// Observe counts steps and settles the store now and then.
func (s *settler) Observe(*ship.Update) {
	if s.steps++; s.steps%settleEvery == 0 {
		if s.err = s.db.Settle(); s.err != nil && s.log != nil {
			s.log.Warn("the store lags behind the recording", "error", s.err)
		}
	}
}

// Tick does nothing: only steps fill the store.
func (s *settler) Tick(time.Time) {}
