package handlers

import (
	"errors"
	"io/fs"
	"log/slog"
	"net/netip"
	"strings"
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
	"quaywatch/form"
	"quaywatch/geo/chart"
	"quaywatch/geo/route"
	"quaywatch/handlers/resolve"
	"quaywatch/handlers/settings"
	"quaywatch/handlers/status"
	"quaywatch/notify"
	"quaywatch/sight"
	"quaywatch/users/access"
	"quaywatch/users/document"
	"quaywatch/users/library"
	"quaywatch/users/registry"
	"quaywatch/users/selection"
)

// Config is how the server listens, and which callers it lets in.
type Config struct {
	Listen            string                // address, as ":8080"
	BasePath          string                // put in front of every path, as "/ais"; "" for none
	ListenTLS         string                // address of HTTPS, as ":8443"; it counts with Deps.Certificates
	TLSAlone          bool                  // HTTPS stands in the place of HTTP, at Listen
	TLSMayFail        bool                  // without ListenTLS there is HTTP alone
	RefusePlainSignIn bool                  // passwords of other machines are taken over HTTPS alone
	CORS              []string              // origins of other web pages that may call the API
	TrustedProxies    []netip.Prefix        // their word for a caller's address is believed; ParseProxy reads them
	OpenReads         bool                  // reads need no credentials
	MetricsAuth       bool                  // /metrics needs credentials
	Running           []settings.RunningKey // what GET /api/config/running tells
	Now               func() time.Time      // the clock of jobs and of the live stream; nil is the wall clock
	LiveClients       int                   // most live streams at once; 0 is 256
	Connections       int                   // most connections at once; 0 is 4096
	AddressLimit      int                   // most connections of one address; 0 is 1024
	SlowRequestAfter  time.Duration         // how long header and body of a request may take; 0 is 5 s and 30 s
	ClosedPassages    []string              // canals and straits that no route takes
	IncludeRoute      bool                  // tracks tell the way ahead
	HomePort          string                // the port of the box: LOCODE, name or id; "" offers the one with most ships
	JobWait           time.Duration         // how long a GET waits for a job; 0 is 2 s
	EventWait         time.Duration         // how long a caller waits for an event at most; 0 is as long as it asks for
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
	Ports      *registry.PortTable
	Selections *selection.Selections
	Distress   *distress.Alarms
	Messages   *messages.List
	Safety     *safety.Service
	Network    func() (*route.Network, error) // of sea ways, for routes
	Web        fs.FS                          // the built client with index.html at its root
	Calls      *portcalls.Calls
	Tracks     *tracking.TrackedShips
	Watch      *watchdogs.Watch
	Notices    *notify.Outbox
	Alerts     *alert.Keeper
	Stats      *stats.Statistics
	Plan       func(*watchdogs.Event) alert.Plan // the users that an event concerns

	Certificates Certificates
	Log          *slog.Logger
}

// fill sets what the caller left out.
func (c *Config) fill() {
	if c.Now == nil {
		c.Now = time.Now
	}
	c.BasePath = strings.TrimRight(c.BasePath, "/")
	if c.BasePath != "" && !strings.HasPrefix(c.BasePath, "/") {
		c.BasePath = "/" + c.BasePath
	}
}

// check finds what is missing, and sets what may be.
func (d *Deps) check() error {
	if d.Sight == nil || d.Status.Stats == nil || d.Status.StoreStatus == nil || d.Users == nil || d.Register == nil || d.Ports == nil ||
		d.Selections == nil || d.Distress == nil || d.Messages == nil || d.Safety == nil || d.Calls == nil || d.Tracks == nil || d.Stats == nil {
		return errors.New("make server: needs a sight, the figures of picture and store, users, register, ports, selections, alarms, messages, a sender, voyages, " +
			"tracks and statistics")
	}
	if d.Log == nil {
		d.Log = slog.New(slog.DiscardHandler)
	}
	if d.Status.Feeds == nil {
		d.Status.Feeds = func() []ais.FeedStatus { return nil }
	}
	if d.Status.Outputs == nil {
		d.Status.Outputs = func() []ais.OutputStatus { return nil }
	}
	return nil
}

// ownerOf makes tracked ships known as things that users own.
func ownerOf(t *tracking.TrackedShips) document.Owner {
	return document.Owner{Owns: t.Owns, Reassign: func(from, to string) (map[string]int, error) {
		count, err := t.Reassign(from, to)
		return map[string]int{"tracks": count}, err
	}}
}

// portOf finds the port that the field port of a body means, as far as the user may know of it.
func (d *Deps) portOf(f *form.Fields, who *access.User) (*chart.Port, error) {
	return resolve.PortIn(f, d.Ports.Current(), who)
}

// followStatus has the figures of a server tell of the engines.
func (d *Deps) followStatus() {
	d.Status.Sight = d.Sight
	d.Status.Calls, d.Status.Review, d.Status.Tracked = d.Calls.Open, d.Calls.Past.Reviewing, d.Tracks.Count
	d.Status.Exceeded, d.Status.TextsLost = d.Tracks.Exceeded, d.Messages.Lost
	d.Status.Watchdogs = d.Watch.Status
	d.Status.Ways = func() []notify.Target { return notify.Ways(d.Notices) }
}
