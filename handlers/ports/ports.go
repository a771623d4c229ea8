// Package ports answers which ports there are and what is known of each. Ports are made, changed and deleted at /api/config/shape/port; here
// they are only read.
package ports

import (
	"cmp"
	"iter"
	"math"
	"net/http"
	"strings"
	"time"

	"quaywatch/ais"
	"quaywatch/engine/portcalls"
	"quaywatch/engine/tracking"
	"quaywatch/geo/chart"
	"quaywatch/geo/route"
	"quaywatch/handlers/request"
	"quaywatch/handlers/wire"
	"quaywatch/internal/rule"
	"quaywatch/sight"
	"quaywatch/sight/telling"
	"quaywatch/users/access/right"
	"quaywatch/users/registry"
)

// Path is that of the ports.
const Path = "/api/portserver/port"

// most is how many ports one answer has at most, and if the caller names no limit.
const most = 10_000

// Deps is what the calls about ports are made of.
type Deps struct {
	Ports          *registry.PortTable
	Calls          *telling.CallReader
	Desk           *request.Desk
	Lookup         FilterNames
	Bound          wire.BoundPort                 // the port of a destination, by the ports of now
	Network        func() (*route.Network, error) // of sea ways
	ClosedPassages []string                       // for all
	Now            func() time.Time               // the wall clock
	Home           string                         // the port of the box, by LOCODE, name or id; "" for none

	// Arrival returns when a ship that is not tracked will be alongside.
	Arrival func(*tracking.Announced) time.Time
	// Tracked returns the tracks that lead to a port, as the caller is told of them, and the ships that are on their way there.
	Tracked func(c *request.Request, v *sight.Viewer, port uint64) (list iter.Seq[any], coming map[ais.MMSI]bool, err error)
}

// Server answers about ports.
type Server struct {
	deps     Deps
	readings readings
	kept     *keptAnswers[expected]
	fewKept  *keptAnswers[portcalls.LyingPlaces]
	busiest  *keptAnswers[busyPort]
}

// New makes the server.
func New(d Deps) *Server {
	return &Server{deps: d, kept: newKeptAnswers[expected](answerKept), fewKept: newKeptAnswers[portcalls.LyingPlaces](answerKept),
		busiest: newKeptAnswers[busyPort](homeKept)}
}

// Routes are the calls about ports.
func (s *Server) Routes() []request.Route {
	return []request.Route{
		{Method: "GET", Path: Path + "/list", Right: right.ViewPort, Read: true, Handle: s.listPorts},
		{Method: "GET", Path: Path + "/home", Right: right.ViewPort, Read: true, Handle: s.sendHome},
		{Method: "GET", Path: Path + "/info/:id", Right: right.ViewPort, Read: true, Handle: s.sendInfo},
		{Method: "GET", Path: Path + "/berths/:id", Right: right.ViewPort, Read: true, Handle: s.suggestions},
		{Method: "GET", Path: Path + "/arrivals/:id", Right: right.PCSAccess, Read: true, Handle: s.arrivals},
		{Method: "GET", Path: Path + "/calls/:id", Right: right.ViewPort, Read: true, Handle: s.calls},
		{Method: "GET", Path: Path + "/ships", Right: right.ViewPort, Read: true, Handle: s.sendShips},
	}
}

// page is a part of the list of ports.
type page struct {
	Records []wire.PortJSON `json:"records"`
	Total   int             `json:"total"` // of all pages
	Offset  int             `json:"offset"`
	Limit   int             `json:"limit"`
}

// listPorts returns the ports with a name or LOCODE like a pattern, by name.
func (s *Server) listPorts(c *request.Request) error {
	p, err := pageOf(c)
	if err != nil {
		return err
	}
	pattern := cmp.Or(strings.TrimSpace(c.Query("pattern")), "*")
	if err := chart.CheckPattern(pattern); err != nil {
		return request.BadField("pattern", rule.Of(err))
	}
	ports := s.deps.Ports.Current()
	like := ports.Like(pattern)
	for _, port := range ports.All() {
		if !like(port) {
			continue
		}
		if p.Total++; p.Total > p.Offset && len(p.Records) < p.Limit {
			p.Records = append(p.Records, wire.PortOf(port))
		}
	}
	return c.SendJSON(http.StatusOK, p)
}

func pageOf(c *request.Request) (p page, err error) {
	p.Records = []wire.PortJSON{}
	p.Offset, p.Limit, err = c.QueryPage(request.Page{Most: most, Usual: most, Farthest: math.MaxInt32})
	return p, err
}

// pathPort returns the port that the path names, when the caller may know of it.
func (s *Server) pathPort(c *request.Request) (*chart.Port, error) {
	id, err := c.PathNumber("id")
	if err != nil {
		return nil, err
	}
	port, ok := s.deps.Ports.Current().ByID(uint64(id))
	if !ok || !telling.SeesPort(c.Caller.User, port.ID) {
		return nil, request.NotFound(rule.New("no_port", "there is no such port"))
	}
	return port, nil
}

// extended is all that is known of a port.
type extended struct {
	wire.PortJSON
	wire.PortOrigin
	wire.PortShapes
	Shapes []feature `json:"shapes"`
}

// sendInfo returns all that is known of a port.
func (s *Server) sendInfo(c *request.Request) error {
	port, err := s.pathPort(c)
	if err != nil {
		return err
	}
	e := extended{PortJSON: wire.PortOf(port), PortOrigin: wire.OriginOf(port), PortShapes: wire.ShapesOf(port)}
	e.Shapes = e.drawnFeatures()
	return c.SendJSON(http.StatusOK, e)
}

// feature is a GeoJSON Feature to draw on a map.
type feature struct {
	Type       string     `json:"type"`
	Geometry   any        `json:"geometry"`
	Properties properties `json:"properties"`
}

// properties tell what a feature is.
type properties struct {
	Kind string `json:"kind"` // outer, inner or berth
	Name string `json:"name"` // of the port or the berth
	ID   int64  `json:"id,omitempty"`
}

// drawnFeatures returns what there is to draw: the borders, from the outer one to the inner ones, and then the berths that have a place.
func (e *extended) drawnFeatures() []feature {
	all := []feature{}
	add := func(geometry any, what properties) { all = append(all, feature{"Feature", geometry, what}) }
	if e.Outer != nil {
		add(e.Outer, properties{Kind: "outer", Name: e.Name})
	}
	for _, inner := range e.Inner {
		add(inner, properties{Kind: "inner", Name: e.Name})
	}
	for _, b := range e.Berths {
		if b.Position != nil {
			add(b.Position, properties{Kind: "berth", Name: b.Name, ID: b.ID})
		}
	}
	return all
}
