// Package app is the wiring: it opens the parts of a running service, hands each its own, and runs them until one ends.
package app

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"net"
	"sync"
	"time"

	"quaywatch/ais"
	"quaywatch/ais/feed"
	"quaywatch/app/config"
	"quaywatch/app/control"
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
	"quaywatch/geo"
	"quaywatch/geo/chart"
	"quaywatch/geo/chart/water"
	"quaywatch/geo/route"
	"quaywatch/handlers"
	"quaywatch/handlers/settings"
	"quaywatch/handlers/status"
	"quaywatch/notify"
	"quaywatch/notify/mqtt"
	"quaywatch/notify/redirect"
	"quaywatch/ship"
	"quaywatch/sight"
	"quaywatch/sight/telling"
	"quaywatch/store"
	"quaywatch/store/former"
	"quaywatch/stream"
	"quaywatch/traffic"
	"quaywatch/users"
	"quaywatch/users/selection"
	"quaywatch/web"
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

// New opens the store and wires the parts; nothing runs yet. It fails when the store is damaged or taken (store.ErrLocked), or when an
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

func (a *App) open() (err error) {
	if a.db, err = store.Open(a.Config.StoreOptions(a.Log)); err != nil {
		return err
	}
	options := a.Config.AccessOptions()
	options.Log = a.Log
	if a.Areas, err = users.Open(a.db, options); err != nil {
		return err
	}
	if a.password, err = a.Users.EnsureAdmin(a.AdminPassword); err != nil {
		return err
	}
	if a.password != "" {
		a.invited = a.Users.Invite()
	}
	a.openPicture()
	if a.feeds, err = feed.New(a.sources(), ais.NewPool(batchesInFlight), a.Log); err != nil {
		return err
	}
	outgoing := a.Config.StreamOptions()
	outgoing.Users, outgoing.Picture, outgoing.Feeds, outgoing.Log = a.Users, a.picture, a.feeds.Status, a.Log
	if a.stream, err = stream.New(outgoing); err != nil {
		return err
	}
	a.openSight()
	if a.distress, err = distress.Open(a.db, a.Log); err != nil {
		return err
	}
	if err = a.openMessages(); err != nil {
		return err
	}
	if a.land, err = chart.Load(); err != nil {
		return err
	}
	a.tiles = chart.NewTiles(a.land)
	voyages := a.Config.VoyageOptions(a.db, a.Ports.Current, a.Log)
	voyages.Land = a.land
	voyages.Learned = func(o *water.Overlay) {
		a.tiles.Use(a.land.With(o))
		a.taught.learnWater(o)
	}
	voyages.Told = func(c *portcalls.KeptCall) { a.tracks.Called(c) }
	if a.calls, err = portcalls.Open(voyages); err != nil {
		return err
	}
	if err = a.openTracks(); err != nil {
		return err
	}
	if err = a.openWatch(); err != nil {
		return err
	}
	if err = a.openStats(); err != nil {
		return err
	}
	if err = a.openNotices(); err != nil {
		return err
	}
	a.Calls.Know(a.calls.Visiting)
	a.checkHome()
	a.openBackups()
	a.openHealth()
	if err = a.openCertificates(); err != nil {
		return err
	}
	if err = a.openServer(); err != nil {
		return err
	}
	if a.control, err = control.Listen(a.Config.DataDir); err != nil {
		a.control = nil
		a.Log.Warn("no control socket: backup and compact need the service stopped", "error", err)
	}
	return nil
}

// openPicture makes the traffic picture of the ships that the store knows.
func (a *App) openPicture() {
	options := a.Config.TrafficOptions()
	options.Spared = func(m ais.MMSI) bool {
		return a.tracks != nil && a.tracks.Tracked(m) || a.watch != nil && a.watch.Watched(m)
	}
	a.picture = traffic.New(options)
	known := a.db.States()
	a.picture.Restore(known)
	LearnReceivers(a.picture, a.db, known)
	if !a.Config.LogClock() && len(known) > 0 {
		a.picture.Tick(time.Now()) // before the first answer: a ship that fell silent while the box was off is not shown
	}
}

// sources returns the feeds. Those with sign_in ask senders to sign in.
func (a *App) sources() []feed.Source {
	list := a.Config.Sources()
	senders := stream.Senders{Users: a.Users, Picture: a.picture, Limits: a.Config.TrafficOptions().Limits}
	for i := range list {
		name := list[i].Name
		if a.Config.Feed[i].SignIn {
			list[i].SignIn = senders.To(name)
		}
		list[i].Receipt = func(r ais.OwnReceipt) { a.safety.Receipt(name, r) }
	}
	return list
}

func (a *App) openSight() {
	tags := map[string][]string{}
	for _, f := range a.Config.Feed {
		tags[f.Name] = f.Tags
	}
	a.former = former.New(a.db, a.Log)
	a.sight = sight.New(sight.Config{
		Picture: a.picture, DB: a.db, Users: a.Users, Register: a.Register, Tags: func(feed string) []string { return tags[feed] }, Log: a.Log,
		Former: a.former.Like,
	})
	a.Register.OnChange(a.sight.Follow)
}

// openMessages makes the sender of safety messages, and the texts that were heard and sent.
func (a *App) openMessages() (err error) {
	now := time.Now()
	a.safety, err = safety.Open(safety.Config{
		DB: a.db, Limits: a.Config.SafetyLimits(), Write: a.feeds.Transmit, Ship: a.picture.Ship, Log: a.Log,
		Transmitters: func() (all []safety.Transmitter) {
			names, open := a.feeds.Transmitters()
			for i, name := range names {
				all = append(all, safety.Transmitter{Feed: name, Open: open[i]})
			}
			return all
		},
		Told: func(m *safety.Sent) {
			if a.messages.Tell(m); m.Event != 0 {
				a.watch.Touch(m.Event)
			}
		},
	}, now)
	if err != nil {
		return err
	}
	a.messages, err = messages.Open(messages.Config{DB: a.db, Sender: a.safety, Heard: func(m *messages.KeptMessage) { a.forward.Hear(m) }, Log: a.Log}, now)
	return err
}

// openTracks makes the tracks. The network of sea ways is opened when a way is first looked for, or now where it has to keep to fairways.
func (a *App) openTracks() (err error) {
	a.network = sync.OnceValues(func() (*route.Network, error) {
		n, err := route.Open(a.land.Coast())
		if err == nil {
			a.taught.opened(n)
		}
		return n, err
	})
	if err := a.guide(); err != nil {
		return err
	}
	a.tracks, err = tracking.Open(tracking.Config{
		DB: a.db, Ports: a.Ports.Current, Calls: a.calls.OfShip, Said: a.calls.Said, Closed: a.Config.Route.Closed, Keep: time.Duration(a.Config.Track.Keep), Log: a.Log,
		Ship: a.shipNow,
		Find: func(ctx context.Context, q route.Query) (route.Way, error) {
			network, err := a.network()
			if err != nil {
				return route.Way{}, err
			}
			return network.Find(ctx, q)
		},
	})
	return err
}

// openWatch puts the watchdogs to work, and what makes alerts of their events.
func (a *App) openWatch() (err error) {
	a.watch, err = watchdogs.Open(watchdogs.Config{
		DB: a.db, Library: a.Library, Ports: a.Ports.Current, Ship: a.picture.Ship, AtSea: a.calls.AtSea, Log: a.Log,
		LostAfter: a.picture.LostAfter, Charted: a.charted, Distress: a.distress,
		Generation: a.Users.Generation, Changed: a.Users.Changed,
		Names: a.namesFor,
	})
	if err != nil {
		return err
	}
	a.Lists.Know(func(id uint64, m ais.MMSI) bool { return watchdogs.Listed(a.watch, id, m) })
	planner := &alert.Planner{Library: a.Library, Generation: a.Users.Generation}
	a.plan = planner.Of
	a.alerts, err = alert.Open(alert.Config{DB: a.db, Watch: a.watch, Distress: a.distress, Plan: a.plan, Line: alert.LineOf(a.Users.Audit()), Tell: a.escalated, Log: a.Log})
	return err
}

// openStats makes the statistics.
func (a *App) openStats() (err error) {
	a.stats, err = stats.Open(stats.Config{DB: a.db, Calls: a.calls, Ports: a.Ports.Current, Names: a.namesFor, Now: a.sight.Now, Log: a.Log})
	return err
}

// namesFor returns what a user may name in a filter, nothing when it is gone.
func (a *App) namesFor(owner string) ship.Lookup {
	user, ok := a.Users.User(owner)
	if !ok || user.UID != owner {
		return ship.Lookup{}
	}
	return telling.NamesFor(user, a.Library, a.Ports)
}

// charted returns where the register has an aid to navigation.
func (a *App) charted(m ais.MMSI) (at geo.Point, ok bool) {
	e, ok := a.Register.Get(int64(m))
	if !ok || e.Position == nil {
		return at, false
	}
	return *e.Position, true
}

// shipNow returns a ship as it is in the picture, or as it was last recorded.
func (a *App) shipNow(m ais.MMSI) (ship.State, bool) {
	if s, ok := a.picture.Ship(m); ok {
		return s, true
	}
	s, err := a.db.Ship(m)
	return s, err == nil
}

// openBackups makes the schedule of backups.
func (a *App) openBackups() {
	o := a.Config.BackupOptions()
	o.Write, o.Log = a.db.Backup, a.Log
	a.backups = backups.New(o)
}

// openHealth makes the monitor of the box. It asks the server, which is made after it.
func (a *App) openHealth() {
	a.health = health.NewMonitor(health.Parts{
		Store: a.db.Status, Feeds: a.feeds.Status, Picture: a.picture.Moved, Behind: a.picture.Behind, Doubt: a.picture.DoubtClock,
		Server:  func(ctx context.Context) error { return a.server.Ask(ctx) },
		Backups: a.backups.Status, Clear: func(now time.Time) []string { return a.server.SentInClear(now) }, CertEnd: a.certificateEnd,
		Watch: func() health.Watchdogs {
			s := a.watch.Status()
			return health.Watchdogs{Idle: s.Idle, Lost: s.Lost - s.LostBusy, Crowded: s.LostBusy, Paused: s.Paused, Evicted: s.Evicted, PutAway: a.alerts.Status().Dropped}
		},
		Outbox:  a.outboxHealth,
		Told:    a.tellWatchdogs,
		Patient: a.Config.Patient(), LogClock: a.Config.LogClock(), Built: a.Built, Log: a.Log,
	})
}

// Moving returns a channel that is closed when the service is ready for work: it listens, the picture runs, and the server has answered.
func (a *App) Moving() <-chan struct{} { return a.health.Moving() }

// Reload reads the certificate of the operator and the fairways anew. What fails stays as it was.
func (a *App) Reload() error {
	err := a.guide()
	if files, ok := a.certs.(*certs.Files); ok {
		err = errors.Join(err, files.Load())
	}
	return err
}

// certificateEnd returns when the certificate of HTTPS ends, zero without one.
func (a *App) certificateEnd() (end time.Time) {
	if a.certs != nil {
		end = a.certs.NotAfter()
	}
	return end
}

// openCertificates opens what HTTPS needs. Where nobody asked for HTTPS, HTTP goes on without it.
func (a *App) openCertificates() (err error) {
	c, dir := &a.Config, a.Config.CertFolder()
	switch c.HTTPS() {
	case config.HTTPSOwn:
		own, err := certs.OpenOwn(dir, c.CertNames(), a.Built, time.Now())
		if err != nil {
			a.Log.Error("there is no HTTPS", "error", err)
			return nil
		}
		a.certs = own
	case config.HTTPSFiles, config.HTTPSAlone:
		files, err := certs.OpenFiles(c.HTTP.TLSCert, c.HTTP.TLSKey)
		if err != nil {
			return err
		}
		a.certs = files
	case config.HTTPSACME:
		a.certs = certs.OpenACME(dir, c.HTTP.ACMEDirectory, c.HTTP.TLSNames)
		a.Log.Info("certificates come by ACME: the authority asks at port 443 of each name, which must lead here", "names", c.HTTP.TLSNames,
			"listen_tls", c.HTTP.ListenTLS)
	}
	return nil
}

// Stuck returns the parts of the service that no longer move, none when all is well.
func (a *App) Stuck() []string { return a.health.Stuck() }

func (a *App) openServer() error {
	selections, err := selection.Open(a.db)
	if err != nil {
		return err
	}
	client, built := web.Files()
	if !built {
		client = fs.FS(nil)
	}
	options := a.Config.HTTPOptions()
	options.Running = a.Running
	a.server, err = handlers.New(options, handlers.Deps{
		Sight: a.sight, Tiles: a.tiles, Web: client, Log: a.Log,
		Network: a.network,
		Users:   a.Users, Register: a.Register, Ports: a.Ports, Library: a.Library, Box: a.Box, Selections: selections, Distress: a.distress, Messages: a.messages,
		Safety: a.safety,
		Calls:  a.calls, Tracks: a.tracks, Watch: a.watch, Notices: a.outbox, Alerts: a.alerts, Stats: a.stats, Plan: a.plan, Certificates: a.certs,
		Status: status.Deps{
			Stats: a.picture.Stats, StoreStatus: a.db.Status, Feeds: a.feeds.Status, Outputs: a.stream.Status, Backups: a.backups.Status,
			Version: a.Version, Notices: a.health.Notices, Stuck: a.health.Stuck,
		},
	})
	return err
}

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
