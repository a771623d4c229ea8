package settings

import (
	"errors"
	"net/http"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"quaywatch/form"
	"quaywatch/geo"
	"quaywatch/geo/chart"
	"quaywatch/handlers/request"
	"quaywatch/handlers/wire"
	"quaywatch/internal/rule"
	"quaywatch/users/access/right"
	"quaywatch/users/registry"
)

// PortPath is the path of ports and their borders.
const PortPath = Path + "/shape/port"

func (s *Server) portRoutes() []request.Route {
	return []request.Route{
		{Method: "GET", Path: PortPath, Right: right.ViewPort, Read: true, Handle: s.listPorts},
		{Method: "POST", Path: PortPath, Right: right.AdminPort, Remote: request.RemoteConfig, Audit: "port", Handle: s.addPort},
		{Method: "GET", Path: PortPath + "/:id", Right: right.ViewPort, Read: true, Handle: s.onePort},
		{Method: "PUT", Path: PortPath + "/:id", Right: right.AdminPort, Remote: request.RemoteConfig, Audit: "port", Handle: s.changePort},
		{Method: "DELETE", Path: PortPath + "/:id", Right: right.AdminPort, Remote: request.RemoteConfig, Audit: "port", Handle: s.deletePort},
	}
}

// portRecord is a port in a list.
type portRecord struct {
	wire.PortJSON
	wire.PortOrigin
}

// portShapes is a port with its borders.
type portShapes struct {
	portRecord
	wire.PortShapes
}

func recordPort(p *chart.Port) portRecord { return portRecord{wire.PortOf(p), wire.OriginOf(p)} }

func recordPortShapes(p *chart.Port) portShapes { return portShapes{recordPort(p), wire.ShapesOf(p)} }

// listPorts returns the ports of a rectangle, and those with a name or LOCODE like a text.
func (s *Server) listPorts(c *request.Request) error {
	current := s.deps.Ports.Current()
	ports := current.All()
	r, err := c.QueryBounds("bbox")
	if err != nil {
		return err
	}
	if r != nil {
		ports = current.In(*r)
	}
	pattern := strings.TrimSpace(c.Query("q"))
	if err := chart.CheckPattern(pattern); err != nil {
		return request.BadField("q", rule.Of(err))
	}
	if !strings.Contains(pattern, "*") {
		pattern = "*" + pattern + "*"
	}
	like := current.Like(pattern)
	records := []portRecord{}
	for _, p := range ports {
		if like(p) {
			records = append(records, recordPort(p))
		}
	}
	return c.SendJSON(http.StatusOK, request.Records[portRecord]{Records: records})
}

// pathPort returns the port that the path names, by LOCODE, id or name.
func (s *Server) pathPort(c *request.Request) (*chart.Port, error) {
	ref, err := c.PathText("id")
	if err != nil {
		return nil, err
	}
	found := s.deps.Ports.Current().Find(ref)
	switch len(found) {
	case 0:
		return nil, request.NotFound(rule.New("no_port", "there is no such port"))
	case 1:
		c.Object = found[0].Name
		return found[0], nil
	}
	p := &request.Problem{Status: http.StatusConflict, Code: request.CodeAmbiguousPort,
		Rule: rule.New("ambiguous_port", "{count} ports have this name; ask by LOCODE or id", "count", len(found))}
	for _, port := range found {
		p.Records = append(p.Records, recordPort(port))
	}
	return nil, p
}

func (s *Server) onePort(c *request.Request) error {
	p, err := s.pathPort(c)
	if err != nil {
		return err
	}
	return c.SendJSON(http.StatusOK, recordPortShapes(p))
}

func (s *Server) addPort(c *request.Request) error {
	f, err := c.BindConfig(request.MaxShapeBody)
	if err != nil {
		return err
	}
	f.Require("name", "position")
	var p chart.Port
	registry.Apply(f, &p)
	if err := f.Err(); err != nil {
		return err
	}
	c.Object = p.Name
	if err := s.mayTurnPort(c, &chart.Port{}, &p); err != nil {
		return err
	}
	made, err := s.deps.Ports.Add(p, c.Line())
	if err != nil {
		return portProblem(err)
	}
	return c.SendJSON(http.StatusOK, map[string]uint64{"id": made.ID})
}

func (s *Server) changePort(c *request.Request) error {
	was, err := s.pathPort(c)
	if err != nil {
		return err
	}
	f, err := c.BindConfig(request.MaxShapeBody)
	if err != nil {
		return err
	}
	request.Same(f, "id", strconv.FormatUint(was.ID, 10))
	if err := request.Fresh(f, wire.RevisionOf(was)); err != nil {
		return err
	}
	now := *was
	registry.Apply(f, &now)
	if err := f.Err(); err != nil {
		return err
	}
	if now.LOCODE != was.LOCODE && was.ID < chart.FirstMadePort {
		return request.BadField("/locode", rule.New("locode_stays", "stays: the port is the chart's"))
	}
	if err := s.mayTurnPort(c, was, &now); err != nil {
		return err
	}
	done, err := s.deps.Ports.Change(was, now, c.Line())
	if err != nil {
		return portProblem(err)
	}
	return c.SendJSON(http.StatusOK, recordPortShapes(done))
}

func (s *Server) deletePort(c *request.Request) error {
	p, err := s.pathPort(c)
	if err != nil {
		return err
	}
	if err := s.mayTurnPort(c, p, &chart.Port{}); err != nil {
		return err
	}
	if err := s.deps.Ports.Delete(p, c.Line()); err != nil {
		return portProblem(err)
	}
	return c.NoContent()
}

// mayTurnPort refuses a change of what filters ask of ports: the names, the place, the borders and the berths. It does so where a filter of the caller asks for
// ports, calls or destinations. It also does where one of others asks, and the caller is not shown everything.
func (s *Server) mayTurnPort(c *request.Request, was, now *chart.Port) error {
	asked := func(p *chart.Port) any {
		berths := slices.Clone(p.Berths)
		for i := range berths {
			berths[i].MaxDraught = 0
		}
		return []any{p.LOCODE, p.Name, p.Aliases, p.Added, p.Codes, p.Country, p.Position, p.Placed, p.Outer, p.Inner, berths}
	}
	if reflect.DeepEqual(asked(was), asked(now)) {
		return nil
	}
	ports := form.Reference{Kind: form.PortWord, Means: func(string) bool { return true }}
	if s.deps.Users.MayTurn(c.Caller.User, s.deps.Library.Dependent(ports)...) {
		return nil
	}
	return filterNames(form.PortWord)
}

// portProblem makes the problem of a change that came too late, or of a border that breaks a rule.
func portProblem(err error) error {
	var broken *geo.ShapeError
	switch {
	case errors.Is(err, form.ErrStale):
		return request.Stale()
	case errors.As(err, &broken):
		return request.BadField(broken.Pointer, broken.Rule)
	}
	return err
}
