// Package app is the wiring: it opens the parts of a running service, hands each its own, and runs them until one ends.
package app

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"sync"
	"time"

	"quaywatch/ais"
	"quaywatch/ais/feed"
	"quaywatch/app/config"
	"quaywatch/box/backups"
	"quaywatch/box/certs"
	"quaywatch/box/health"
	"quaywatch/engine/alert"
	"quaywatch/engine/distress"
	"quaywatch/engine/messages"
	"quaywatch/engine/portcalls"
	"quaywatch/engine/safety"
	"quaywatch/engine/stats"
	"quaywatch/engine/tracking"
	"quaywatch/engine/watchdogs"
	"quaywatch/geo/chart"
	"quaywatch/geo/route"
	"quaywatch/handlers"
	"quaywatch/handlers/settings"
	"quaywatch/handlers/status"
	"quaywatch/notify"
	"quaywatch/notify/mqtt"
	"quaywatch/notify/redirect"
	"quaywatch/sight"
	"quaywatch/store"
	"quaywatch/store/former"
	"quaywatch/stream"
	"quaywatch/traffic"
	"quaywatch/users"
)

// batchesInFlight is the most batches that wait between the feeds and the picture. Beyond it a live feed drops.
const batchesInFlight = 256

// Options are what an App is made of.
type Options struct {
	Config        config.Config
	Running       []settings.RunningKey // of Config, for GET /api/config/running
	AdminPassword string                // of the first administrator; "" invents one
	Version       status.Version
	Built         time.Time        // zero when that is not known
	Silent        bool             // ships are simulated or of the past: notices of watchdogs are not sent
	NoticeClock   func() time.Time // when notices are tried again goes by it; nil is the wall clock
	Log           *slog.Logger
}

// App is the program as a value, so that a test runs the same one.
type App struct {
	Options
	db      *store.DB
	picture *traffic.Picture
	feeds   *feed.Sources
	stream  *stream.Relay // nil without an output
	users.Areas
	former   *former.Index // of what ships were called
	sight    *sight.Sight
	distress *distress.Alarms
	safety   *safety.Service
	messages *messages.List
	calls    *portcalls.Calls
	tracks   *tracking.TrackedShips
	watch    *watchdogs.Watch
	stats    *stats.Statistics
	outbox   *notify.Outbox
	broker   *mqtt.Broker // nil without [mqtt]
	alerts   *alert.Keeper
	plan     func(*watchdogs.Event) alert.Plan // the users that an event concerns
	forward  *redirect.Forwarder
	network  func() (*route.Network, error)
	taught   taught
	land     *chart.Chart // as it is embedded
	tiles    *chart.Tiles
	backups  *backups.Schedule
	server   *handlers.Server
	health   *health.Monitor
	certs    handlers.Certificates // nil without HTTPS
	control  net.Listener          // for the commands on this box; nil when it could not be opened
	password string                // the first administrator's when this start invented it
	invited  string                // the text of its invitation then
}

// New opens the store and wires the parts; nothing runs yet. It fails when the store is damaged or taken (records.ErrLocked), or when an
// address cannot be listened on.
func New(o Options) (*App, error) {
	a := &App{Options: o}
	if err := a.open(); err != nil {
		return nil, errors.Join(err, a.Close())
	}
	return a, nil
}

// InventedPassword returns the first administrator's password when this start invented it, else "".
func (a *App) InventedPassword() string { return a.password }

// Invitation returns the text by which the first administrator may choose another password, once, when this start invented one, else "".
func (a *App) Invitation() string { return a.invited }

// Moving returns a channel that is closed when the service is ready for work: it listens, the picture runs, and the server has answered.
func (a *App) Moving() <-chan struct{} { return a.health.Moving() }

// SecurePort returns the port of HTTPS beside HTTP, once the service is ready for work; 0 where there is none.
func (a *App) SecurePort() int { return a.server.SecurePort() }

// Reload reads the certificate of the operator and the fairways anew. What fails stays as it was.
func (a *App) Reload() error {
	err := a.guide()
	if files, ok := a.certs.(*certs.Files); ok {
		err = errors.Join(err, files.Load())
	}
	return err
}

// Stuck returns the parts of the service that no longer move, none when all is well.
func (a *App) Stuck() []string { return a.health.Stuck() }

// Run runs the parts until ctx ends or one of them fails. Stopping goes upstream first: feeds, picture, then the store,
// which syncs what it was given.
func (a *App) Run(ctx context.Context) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	reports, parts := make(chan *ais.Batch, batchesInFlight), a.parts()
	var upstream, rest sync.WaitGroup
	failures := make(chan error, len(parts)+3)
	run := func(group *sync.WaitGroup, part string, work func() error) {
		group.Go(func() {
			err := work()
			if errors.Is(err, context.Canceled) {
				err = nil
			}
			if part == "feeds" { // without them the service goes on
				if err != nil {
					a.Log.Error("a feed ended too early", "error", err)
				}
				return
			}
			if err != nil {
				failures <- fmt.Errorf("%s: %w", part, err)
			}
			cancel()
		})
	}
	storeCtx, stopStore := context.WithCancel(context.Background())
	defer stopStore()
	run(&rest, "store", func() error { return a.db.Run(storeCtx) })
	for _, p := range parts {
		if p.run != nil {
			run(&rest, p.name, func() error { return p.run(ctx) })
		}
	}
	run(&upstream, "picture", func() error {
		return a.picture.Run(context.Background(), reports, a.observersOf(parts)...)
	})
	run(&upstream, "feeds", func() error {
		defer func() { <-ctx.Done(); close(reports) }()
		return a.feeds.Run(ctx, reports)
	})
	<-ctx.Done()
	upstream.Wait()
	for _, p := range parts {
		if p.stop != nil {
			p.stop()
		}
	}
	stopStore()
	rest.Wait()
	close(failures)
	var err error
	for failure := range failures {
		err = errors.Join(err, failure)
	}
	return err
}

// compactAtNight compacts the store when more than half of a large file is free. Retention frees pages, and only compaction gives them back.
func (a *App) compactAtNight(ctx context.Context) error {
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
				a.Log.Error("compact at night", "error", err)
			}
		}
	}
}

// Close ends what New opened; it may be called after Run, and twice.
func (a *App) Close() error {
	var err error
	if a.control != nil {
		if closed := a.control.Close(); !errors.Is(closed, net.ErrClosed) { // Run has closed it
			err = closed
		}
		a.control = nil
	}
	if a.broker != nil {
		a.broker.Close()
	}
	if a.sight != nil {
		a.sight.Close() // it reads the store
		a.sight = nil
	}
	if a.db != nil {
		err = errors.Join(err, a.db.Close())
		a.db = nil
	}
	return err
}

// Past returns a function that takes reports into the picture and the store before Run. It waits for the store.
func (a *App) Past() func(*ais.Batch) {
	observers := []traffic.Observer{a.db, &Backpressure{DB: a.db, Log: a.Log}}
	return func(b *ais.Batch) { a.picture.Apply(b, observers...) }
}
