package app

import (
	"context"
	"io/fs"
	"runtime/debug"
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
	"quaywatch/handlers/status"
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

// open opens the parts one after the other. A part is handed those above it. What it asks of a part below it, it asks when that is there.
func (a *App) open() error {
	for _, step := range []func() error{
		a.openStore, a.openUsers, a.openPicture, a.openFeeds, a.openOutputs, a.openSight, a.openDistress, a.openMessages, a.openCalls, a.openTracks, a.openWatch,
		a.openStats, a.openNotices, a.openBackups, a.openHealth, a.openCertificates, a.openServer, a.openControl,
	} {
		if err := step(); err != nil {
			return err
		}
	}
	return nil
}

func (a *App) openStore() (err error) {
	a.db, err = store.Open(a.Config.StoreOptions(a.Log))
	return err
}

// openUsers opens what users configure. A first start makes the administrator.
func (a *App) openUsers() (err error) {
	options := a.Config.AccessOptions()
	options.Log = a.Log
	if a.Areas, err = users.Open(a.db.Database, options); err != nil {
		return err
	}
	a.checkHome()
	if a.password, err = a.Users.EnsureAdmin(a.AdminPassword); err != nil {
		return err
	}
	if a.password != "" {
		a.invited = a.Users.Invite()
	}
	return nil
}

func (a *App) openFeeds() (err error) {
	a.feeds, err = feed.New(a.sources(), ais.NewPool(batchesInFlight), a.Log)
	return err
}

// openOutputs makes the outgoing streams.
func (a *App) openOutputs() (err error) {
	outgoing := a.Config.StreamOptions()
	outgoing.Users, outgoing.Picture, outgoing.Feeds, outgoing.Log = a.Users, a.picture, a.feeds.Status, a.Log
	a.stream, err = stream.New(outgoing)
	return err
}

func (a *App) openDistress() (err error) {
	a.distress, err = distress.Open(a.db.Database, a.Log)
	return err
}

// openCalls makes the port calls, and the chart: its land has the water that ships teach taken out.
func (a *App) openCalls() (err error) {
	if a.land, err = chart.Load(); err != nil {
		return err
	}
	a.tiles = chart.NewTiles(a.land)
	options := a.Config.VoyageOptions(a.db, a.Ports.Current, a.Log)
	options.Land = a.land
	options.Learned = func(o *water.Overlay) {
		a.tiles.Use(a.land.With(o))
		a.taught.learnWater(o)
	}
	options.Told = func(c *portcalls.KeptCall) { a.tracks.Called(c) }
	if a.calls, err = portcalls.Open(options); err != nil {
		return err
	}
	a.PortFilters.Know(a.calls.Visiting)
	return nil
}

// openControl opens the socket of the commands. The service runs without it too.
func (a *App) openControl() (err error) {
	if a.control, err = control.Listen(a.Config.DataDir); err != nil {
		a.control = nil
		a.Log.Warn("no control socket: backup and compact need the service stopped", "error", err)
	}
	return nil
}

// openPicture makes the traffic picture of the ships that the store knows.
func (a *App) openPicture() error {
	options := a.Config.TrafficOptions()
	options.FitMemory(debug.SetMemoryLimit(-1)) // as boundMemory of the command set it
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
	return nil
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

func (a *App) openSight() error {
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
	return nil
}

// openMessages makes the sender of safety messages, and the texts that were heard and sent.
func (a *App) openMessages() (err error) {
	now := time.Now()
	a.safety, err = safety.Open(safety.Config{
		DB: a.db.Database, Limits: a.Config.SafetyLimits(), Write: a.feeds.Transmit, Ship: a.picture.Ship, Log: a.Log,
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
	a.messages, err = messages.Open(messages.Config{DB: a.db.Database, Sender: a.safety, Heard: func(m *messages.KeptMessage) { a.forward.Hear(m) }, Log: a.Log}, now)
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
	a.MadeLists.Know(func(id uint64, m ais.MMSI) bool { return watchdogs.Listed(a.watch, id, m) })
	planner := &alert.Planner{Library: a.Library, Generation: a.Users.Generation}
	a.plan = planner.Of
	a.alerts, err = alert.Open(alert.Config{DB: a.db.Database, Watch: a.watch, Distress: a.distress, Plan: a.plan, Line: alert.LineOf(a.Users.Audit()), Tell: a.escalated, Log: a.Log})
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
func (a *App) openBackups() error {
	o := a.Config.BackupOptions()
	o.Write, o.Log = a.db.Backup, a.Log
	a.backups = backups.New(o)
	return nil
}

// openHealth makes the monitor of the box. It asks the server, which is made after it.
func (a *App) openHealth() error {
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
	return nil
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
		files, err := c.CertFiles()
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

func (a *App) openServer() error {
	selections, err := selection.Open(a.db.Database)
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
