package handlers

import (
	"context"
	"slices"

	"quaywatch/handlers/chart"
	"quaywatch/handlers/distress"
	"quaywatch/handlers/live"
	"quaywatch/handlers/messages"
	"quaywatch/handlers/ports"
	"quaywatch/handlers/request"
	"quaywatch/handlers/settings"
	"quaywatch/handlers/ships"
	"quaywatch/handlers/statistics"
	"quaywatch/handlers/status"
	"quaywatch/handlers/tracking"
	"quaywatch/handlers/watchdogs"
	"quaywatch/handlers/wms"
	"quaywatch/internal/rule"
	"quaywatch/ship"
	"quaywatch/ship/destination"
	"quaywatch/sight/telling"
	"quaywatch/users/access"
	"quaywatch/users/access/audit"
	"quaywatch/users/library"
)

// areas are the areas of the interface. An area knows of the others only what it is given.
type areas struct {
	status    *status.Server
	settings  *settings.Server
	ships     *ships.Server
	distress  *distress.Server
	messages  *messages.Server
	tracks    *tracking.Server
	watchdogs *watchdogs.Server
	ports     *ports.Server
	reports   *statistics.Server
	overlay   *wms.Server
	chart     *chart.Server
	live      *live.Server
}

// listRoutes returns the routes of all areas.
func (a *areas) listRoutes() []request.Route {
	return slices.Concat(a.settings.Routes(), a.ships.Routes(), a.live.Routes(), a.distress.Routes(), a.messages.Routes(), a.ports.Routes(), a.tracks.Routes(),
		a.watchdogs.Routes(), a.reports.Routes(), a.overlay.Routes(), a.chart.Routes(), a.status.Routes())
}

// makeAreas makes each area, those first that others ask.
func (s *Server) makeAreas() {
	d, bound, calls := &s.deps, destination.NewCurrent(s.deps.Ports.Current).Port, telling.NewCallReader(s.deps.Calls)
	s.makeStatus()
	s.makeSettings()
	s.ships = ships.New(ships.Deps{Register: d.Register, Selections: d.Selections, Desk: s.desk, Now: s.config.Now,
		Bound: bound, Ports: d.Ports.Current, Network: d.Network, ClosedPassages: s.config.ClosedPassages, Calls: calls})
	s.distress = distress.New(d.Distress, d.Sight, d.Alerts.Step)
	s.messages = messages.New(telling.NewTextReader(d.Messages, d.Watch.Get), d.Safety, s.desk)
	s.tracks = tracking.New(tracking.Deps{Tracks: telling.NewTrackReader(d.Tracks, d.Users, d.Ports.Current), Desk: s.desk, Ports: d.Ports.Current,
		Network: d.Network, ClosedPassages: s.config.ClosedPassages, IncludeRoute: s.config.IncludeRoute, Enter: s.ships.Enter,
		Leave: func(mmsi int64, line audit.LineWriter) error { return d.Register.Delete(mmsi, line) }})
	s.makeWatchdogs()
	s.ports = ports.New(ports.Deps{Ports: d.Ports, Calls: calls, Desk: s.desk, Lookup: s.settings.Lookup, Bound: bound, Network: d.Network,
		ClosedPassages: s.config.ClosedPassages, Home: s.config.HomePort, Now: s.config.Now, Arrival: d.Tracks.ArrivalOf, Tracked: s.tracks.ToPort})
	s.makeStatistics()
	s.overlay = wms.New(wms.Deps{Statistics: s.reports, Ports: d.Ports, Tiles: d.Tiles, Library: d.Library, Register: d.Register.Get, Desk: s.desk,
		Proxies: s.config.TrustedProxies, BasePath: s.config.BasePath})
	s.chart = &chart.Server{Tiles: d.Tiles, Water: d.Calls.Waters, Now: s.config.Now, Desk: s.desk}
	s.makeLive()
}

// makeStatus makes the area of figures. It tells of areas that are made later.
func (s *Server) makeStatus() {
	d := &s.deps
	d.followStatus()
	d.Status.Now = s.config.Now
	d.Status.Live = func() (open int, dropped uint64) { return s.live.Clients() }
	d.Status.HTTPS = s.secureStatus
	d.Status.Waits = func() int { return s.watchdogs.Waiting() }
	s.status = status.New(d.Status)
}

// makeSettings makes the area of what users configure. What it says of watchdogs and statistics it asks their areas.
func (s *Server) makeSettings() {
	d := &s.deps
	s.settings = settings.New(settings.Deps{
		Base: s.base, Users: d.Users, Library: d.Library, Ports: d.Ports, Box: d.Box, Selections: d.Selections,
		Jobs: s.jobs, Running: s.config.Running, Watch: d.Watch, Notices: d.Notices,
		PortOf: d.portOf, PlaceOf: s.desk.PlaceOf,
		Statistic: func(who *access.User, uid string) bool { return s.reports.Shows(who, uid) },
		Watching: func(c *request.Request, id uint64) (func(*library.Resource) (*int, *library.LastEvent), error) {
			return s.watchdogs.Watching(c, id)
		},
		Listed: func(c *request.Request) (func(*library.Resource) ([]ship.Listed, *rule.Rule), error) {
			return s.watchdogs.Listed(c)
		},
	})
}

// makeWatchdogs makes the area of events and alerts. Callers that wait for an event have a seat as those of the live stream.
func (s *Server) makeWatchdogs() {
	d := &s.deps
	events := telling.NewEventReader(telling.Judge{Library: d.Library, Sight: d.Sight}, d.Watch)
	s.watchdogs = watchdogs.New(watchdogs.Deps{Safety: d.Safety, Watch: d.Watch, Events: events, Notices: d.Notices, Alerts: d.Alerts, Plan: d.Plan,
		PortOf:   d.portOf,
		Seat:     func(c *request.Request, end context.CancelCauseFunc) (func(bool), bool) { return s.live.Seat(c, end) },
		SeatWait: live.NewSeats(watchdogs.MostWaits).Seat, MostWait: s.config.EventWait, Library: d.Library, Desk: s.desk, Base: s.base,
		Definition: s.settings.Definition, Targets: s.settings.Targets, AtSea: d.Calls.AtSeaThen})
}

// makeStatistics makes the area of statistics, which judges and packs what the engine delivers.
func (s *Server) makeStatistics() {
	d := &s.deps
	s.reports = statistics.New(statistics.Deps{Stats: d.Stats, Users: d.Users, Box: d.Box, Ports: d.Ports, Desk: s.desk, Lookup: s.settings.Lookup,
		Notices: d.Notices, Answers: s.base.Answers})
	d.Stats.Judge(s.reports.Again)
	d.Stats.Deliver(s.reports.Deliver)
	d.Notices.Pack(s.reports.Pack)
}

// makeLive makes the live stream out of the streams of the areas.
func (s *Server) makeLive() {
	d := &s.deps
	s.live = live.New(live.Deps{
		Base: s.base, Sight: d.Sight, Lookup: s.settings.Lookup, Register: d.Register.Get, Selections: d.Selections, Feeds: d.Status.Feeds,
		Notices: s.status.Words, Status: s.status.LiveEvent, Selected: s.ships.Event, Most: orDefault(s.config.LiveClients, 256),
		Distress: s.distress.Event, Alarms: s.distress.Version, Messages: s.messages.Stream, Tracks: s.tracks.Stream,
		Events: s.watchdogs.Stream, Raised: d.Watch.Changed, Alerts: s.watchdogs.AlertStream, Alerted: d.Alerts.Changed,
	})
}

// PublishTracks tells a publisher of the tracks that its user can read, until ctx is done.
func (s *Server) PublishTracks(ctx context.Context, to tracking.Publisher) { s.tracks.Publish(ctx, to) }
