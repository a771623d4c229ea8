package config

import (
	"fmt"
	"log/slog"
	"net/netip"
	"path/filepath"
	"strings"
	"time"

	"quaywatch/ais"
	"quaywatch/ais/feed"
	"quaywatch/box/backups"
	"quaywatch/engine/portcalls"
	"quaywatch/engine/safety"
	"quaywatch/geo"
	"quaywatch/geo/chart"
	"quaywatch/handlers"
	"quaywatch/handlers/request"
	"quaywatch/ship/destination"
	"quaywatch/store"
	"quaywatch/stream"
	"quaywatch/traffic"
	"quaywatch/users/access"
)

// Clock tells which clock rules the feed. The default is the log's own for a file and ours for all else.
func (f *Feed) Clock() ais.Clock {
	if f.Time == "log" || f.Time == "" && strings.HasPrefix(f.URL, "file:") {
		return ais.LogClock
	}
	return ais.ReceiverClock
}

// Source returns the feed as package feed opens it.
func (f *Feed) Source() feed.Source {
	s := feed.Source{Name: f.Name, URL: f.URL, Clock: f.Clock(), Tags: f.Tags, Allow: networks(f.Allow), Transmit: f.Transmit}
	if len(f.Position) == 2 {
		s.Position = &geo.Point{Lon: f.Position[0], Lat: f.Position[1]}
	}
	return s
}

// LogClock reports whether recorded logs rule the clock of the whole box. Check refuses a mixture.
func (c *Config) LogClock() bool { return len(c.Feed) > 0 && c.Feed[0].Clock() == ais.LogClock }

// Sources returns the feeds as package feed opens them.
func (c *Config) Sources() []feed.Source {
	var list []feed.Source
	for i := range c.Feed {
		list = append(list, c.Feed[i].Source())
	}
	return list
}

// Patient reports whether every feed can wait for the store: recorded files and standard input can.
func (c *Config) Patient() bool {
	for _, f := range c.Feed {
		if !strings.HasPrefix(f.URL, "file:") && !strings.HasPrefix(f.URL, "stdin:") {
			return false
		}
	}
	return len(c.Feed) > 0
}

// Folder returns the data folder in full, to be told.
func (c *Config) Folder() string {
	if dir, err := filepath.Abs(c.DataDir); err == nil {
		return dir
	}
	return c.DataDir
}

// StoreOptions returns what is said of the store.
func (c *Config) StoreOptions(log *slog.Logger) store.Options {
	return store.Options{
		Dir:          c.DataDir,
		SyncInterval: time.Duration(c.Store.SyncInterval),
		Retention:    time.Duration(c.Store.Retention),
		FullRate:     c.Store.FullRate,
		Log:          log,
	}
}

// VoyageOptions returns what is said of calls at ports.
func (c *Config) VoyageOptions(db *store.DB, ports func() *chart.Ports, log *slog.Logger) portcalls.Config {
	var receivers []geo.Point
	for _, f := range c.Feed {
		if len(f.Position) == 2 {
			receivers = append(receivers, geo.Point{Lon: f.Position[0], Lat: f.Position[1]})
		}
	}
	return portcalls.Config{
		DB: db, Ports: ports, Bound: destination.NewCurrent(ports).Port, Retention: time.Duration(c.Voyage.Retention),
		Every: time.Duration(c.Store.SyncInterval), Log: log, Receivers: receivers,
	}
}

// SafetyLimits returns how much goes on air.
func (c *Config) SafetyLimits() safety.Limits {
	return safety.Limits{Ship: c.Safety.ShipPerHour, Broadcast: c.Safety.BroadcastPerHour, All: c.Safety.PerMinute}
}

// BackupOptions returns what is said of scheduled backups.
func (c *Config) BackupOptions() backups.Options {
	return backups.Options{Every: time.Duration(c.Backup.Every), Keep: c.Backup.Keep, To: c.Backup.To, Dir: c.DataDir}
}

// AccessOptions returns what is said of users, and the names of feeds and outputs that users may name.
func (c *Config) AccessOptions() access.Options {
	o := access.Options{Dir: c.DataDir, SignInTries: c.HTTP.SignInTries, Quota: int64(c.Store.OwnerQuota), Feeds: []string{}, Outputs: []string{}}
	for _, f := range c.Feed {
		o.Feeds = append(o.Feeds, f.Name)
	}
	for _, out := range c.Output {
		o.Outputs = append(o.Outputs, out.Name)
	}
	return o
}

// TrafficOptions returns what is said of the picture.
func (c *Config) TrafficOptions() traffic.Config {
	t := traffic.DefaultConfig()
	t.UnderWay = traffic.AgeLimits{Lost: time.Duration(c.Traffic.LostUnderWay), Removed: time.Duration(c.Traffic.RemovedUnderWay)}
	t.AtRest = traffic.AgeLimits{Lost: time.Duration(c.Traffic.LostAtRest), Removed: time.Duration(c.Traffic.RemovedAtRest)}
	t.Fixed = traffic.AgeLimits{Lost: time.Duration(c.Traffic.LostStation), Removed: time.Duration(c.Traffic.RemovedStation)}
	t.DuplicateWindow = time.Duration(c.Traffic.DuplicateWindow)
	t.MaxShips = c.Traffic.MaxShips
	if c.LogClock() {
		t.Clock = ais.LogClock
	}
	t.FeedPositions = map[string]geo.Point{}
	for _, s := range c.Sources() {
		if s.Position != nil {
			t.FeedPositions[s.Name] = *s.Position
		}
	}
	return t
}

// StreamOptions returns what is said of the outgoing streams.
func (c *Config) StreamOptions() stream.Options {
	o := stream.Options{Tags: map[string][]string{}}
	for _, out := range c.Output {
		o.Outputs = append(o.Outputs, out.output())
	}
	for _, f := range c.Feed {
		o.Tags[f.Name] = f.Tags
	}
	return o
}

func (o *OutputConfig) output() feed.Output {
	return feed.Output{Name: o.Name, URL: o.URL, Format: o.Format, User: o.User, Allow: networks(o.Allow)}
}

// networks returns the networks of a list. Check refuses what is none.
func networks(list []string) (all []netip.Prefix) {
	for _, text := range list {
		if p, err := parseNetwork(text); err == nil {
			all = append(all, p)
		}
	}
	return all
}

// parseNetwork reads an address, or a network as 192.0.2.0/24.
func parseNetwork(text string) (netip.Prefix, error) {
	if a, err := netip.ParseAddr(text); err == nil && a.Zone() == "" {
		a = a.Unmap()
		return netip.PrefixFrom(a, a.BitLen()), nil
	}
	p, err := netip.ParsePrefix(text)
	if err != nil || p.Addr().Is4In6() {
		return p, fmt.Errorf("%q must be an address or a network as 192.0.2.0/24", text)
	}
	return p.Masked(), nil
}

// HTTPOptions returns what is said of the server.
func (c *Config) HTTPOptions() handlers.Config {
	var trusted []netip.Prefix
	for _, text := range c.HTTP.TrustedProxies {
		if p, err := request.ParseProxy(text); err == nil { // Check refused what is none
			trusted = append(trusted, p)
		}
	}
	way := c.HTTPS()
	return handlers.Config{
		Listen: c.HTTP.Listen, BasePath: c.HTTP.BasePath, CORS: c.HTTP.CORS,
		ListenTLS: c.secureListen(), TLSAlone: way == HTTPSAlone, TLSMayFail: way == HTTPSOwn, RefusePlainSignIn: !c.HTTP.PlainSignIn,
		TrustedProxies: trusted, OpenReads: c.HTTP.OpenReads, MetricsAuth: c.HTTP.MetricsAuth, ClosedPassages: c.Route.Closed, IncludeRoute: c.Track.IncludeRoute,
		HomePort: strings.TrimSpace(c.Port.Home),
	}
}
