// Package ships answers the calls about ships: what and where they are, areas, tracks, routes, selections and the
// ship register.
//
// It gives out only what sight says that the caller sees. Areas, tracks and routes are jobs: a POST starts one, and a GET takes its result.
package ships

import (
	"sync"
	"time"

	"quaywatch/geo/chart"
	"quaywatch/geo/route"
	"quaywatch/handlers/request"
	"quaywatch/handlers/wire"
	"quaywatch/internal/jobs"
	"quaywatch/sight/telling"
	"quaywatch/users/access/right"
	"quaywatch/users/registry"
	"quaywatch/users/selection"
)

// Deps is what the calls about ships are made of.
type Deps struct {
	Register   *registry.Register
	Selections *selection.Selections
	Bound      wire.BoundPort // the port of a destination, by the ports of now
	Calls      *telling.CallReader
	Desk       *request.Desk
	Now        func() time.Time

	Ports          func() *chart.Ports            // the ports of now
	Network        func() (*route.Network, error) // of sea ways; it opens when it is first asked for
	ClosedPassages []string                       // that no route takes
}

// Times of the jobs.
const (
	areaLimit     = 2 * time.Minute  // how long an area may take
	routeLimit    = 2 * time.Minute  // how long a route may take
	unfetchedKeep = 15 * time.Minute // how long a result waits for its caller
	areaRetry     = 7 * time.Second  // Retry-After of an area that still runs
	routeRetry    = 7 * time.Second  // Retry-After of a route that is still looked for
	trackRetry    = time.Minute      // Retry-After of a track that still runs
)

// Server answers the calls about ships.
type Server struct {
	deps   Deps
	areas  *request.Jobs[*found]
	tracks *request.Jobs[trackAnswer]
	routes *request.Jobs[*routeAnswer]
	states sync.Pool // of *found: the results of areas
}

// New makes the server and adds its kinds of job to the runner.
func New(d Deps) *Server {
	return &Server{
		deps:   d,
		areas:  request.NewJobs[*found](d.Desk, jobs.Policy{Name: "area_jobs", Limit: areaLimit, Unfetched: unfetchedKeep}, areaRetry),
		tracks: request.NewJobs[trackAnswer](d.Desk, jobs.Policy{Name: "track_jobs", Unfetched: unfetchedKeep, Fetched: time.Hour}, trackRetry),
		routes: request.NewJobs[*routeAnswer](d.Desk, jobs.Policy{Name: "route_jobs", Limit: routeLimit, Unfetched: unfetchedKeep}, routeRetry),
	}
}

// Routes are the calls about ships.
func (s *Server) Routes() []request.Route {
	const (
		path     = "/api/portserver/ship"
		register = path + "/register"
		selected = path + "/select"
		area     = path + "/area"
		track    = path + "/historical/track"
		route    = path + "/route"
		calls    = path + "/historical/port"
		trips    = path + "/historical/trip"
		changes  = path + "/historical/change"
	)
	return []request.Route{
		{Method: "POST", Path: path + "/info", Read: true, Handle: s.infoAt},
		{Method: "GET", Path: path + "/info/:mmsi", Read: true, Handle: s.sendInfo},
		{Method: "GET", Path: path + "/search/:querystring", Read: true, Handle: s.sendMatches},
		{Method: "GET", Path: path + "/position/:mmsi", Read: true, Handle: s.sendPosition},
		{Method: "POST", Path: register, Right: right.AddRemoveMMSIEntries, Audit: "register", Handle: s.addEntry},
		{Method: "GET", Path: register, Read: true, Handle: s.registeredShips},
		{Method: "GET", Path: register + "/:mmsi", Read: true, Handle: s.registeredShip},
		{Method: "PUT", Path: register + "/:mmsi", Right: right.ChangeMMSIEntries, Audit: "register", Handle: s.changeRegistered},
		{Method: "DELETE", Path: register + "/:mmsi", Right: right.AddRemoveMMSIEntries, Audit: "register", Handle: s.unregister},
		{Method: "POST", Path: selected, Handle: s.selectShips},
		{Method: "GET", Path: selected, Handle: s.selected},
		{Method: "GET", Path: selected + "/:owner", Handle: s.selected},
		{Method: "POST", Path: area, Read: true, Handle: s.startArea},
		{Method: "GET", Path: area + "/:id", Read: true, Takes: true, Handle: s.areaResult},
		{Method: "POST", Path: track, Right: right.ViewHistoricalTracks, Read: true, Handle: s.startTrack},
		{Method: "GET", Path: track, Right: right.ViewHistoricalTracks, Read: true, Takes: true, Handle: s.trackResult},
		{Method: "POST", Path: route, Right: right.ViewPredictedPosition, Read: true, Handle: s.startRoute},
		{Method: "POST", Path: route + "/execute", Right: right.ViewPredictedPosition, Read: true, Handle: s.executeRoute},
		{Method: "GET", Path: route + "/:id", Right: right.ViewPredictedPosition, Read: true, Takes: true, Handle: s.routeResult},
		{Method: "POST", Path: calls, Right: right.ViewHistory, Read: true, Handle: s.pastCalls},
		{Method: "PUT", Path: calls + "/:id", Audit: "call", Handle: s.changeCall},
		{Method: "DELETE", Path: calls + "/:id", Right: right.AdminATAATD, Audit: "call", Handle: s.deleteCall},
		{Method: "POST", Path: trips, Right: right.ViewHistory, Read: true, Handle: s.pastTrips},
		{Method: "GET", Path: changes + "/:mmsi", Right: right.ViewHistory, Read: true, Handle: s.pastChanges},
	}
}
