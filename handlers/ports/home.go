package ports

import (
	"context"
	"math"
	"net/http"
	"time"

	"quaywatch/geo"
	"quaywatch/geo/chart"
	"quaywatch/handlers/request"
	"quaywatch/handlers/wire"
	"quaywatch/ship"
	"quaywatch/sight"
	"quaywatch/sight/telling"
)

const (
	homeRadius = 10_000.0    // metres around a port within which a ship counts for it
	homeKept   = time.Minute // an offer is given again for so long
)

// homeAnswer tells which port is that of the box: the one of the configuration, or the one that the ships suggest.
type homeAnswer struct {
	Port    *wire.PortJSON `json:"port,omitempty"`
	Missing string         `json:"missing,omitempty"` // what the configuration names, where no port has it, or several
	Offer   *wire.PortJSON `json:"offer,omitempty"`
	Ships   int            `json:"ships,omitempty"` // near the port that is offered
}

// sendHome returns the port of the box. Where the configuration names none, it offers the port that has most of the ships which the caller sees.
func (s *Server) sendHome(c *request.Request) error {
	answer := homeAnswer{}
	if name := s.deps.Home; name != "" {
		if found := telling.PortsSeen(c.Caller.User, s.deps.Ports.Current(), name); len(found) == 1 {
			port := wire.PortOf(found[0])
			answer.Port = &port
			return c.SendJSON(http.StatusOK, answer)
		}
		answer.Missing = name
	}
	v, err := s.deps.Desk.Viewer(c)
	if err != nil {
		return err
	}
	ctx := c.HTTP.Context()
	busy, err := s.busiest.answerOf(ctx, v.Key().String(), s.deps.Now(), func() (busyPort, error) { return busiestOf(ctx, v, s.deps.Ports.Current()) })
	if err != nil {
		return err
	}
	if busy.port != nil {
		port := wire.PortOf(busy.port)
		answer.Offer, answer.Ships = &port, busy.ships
	}
	return c.SendJSON(http.StatusOK, answer)
}

// busyPort is a port with the ships near it.
type busyPort struct {
	port  *chart.Port
	ships int
	twice bool    // it has borders or berths: somebody works there, and its ships count twice
	apart float64 // metres between the port and the ships, all added: of ports with equally many ships it is the nearer one
}

// isBefore reports whether a port is offered rather than another one.
func (b *busyPort) isBefore(other *busyPort) bool {
	switch {
	case other.port == nil || b.weight() != other.weight():
		return other.port == nil || b.weight() > other.weight()
	case b.twice != other.twice:
		return b.twice
	case b.apart != other.apart:
		return b.apart < other.apart
	}
	return b.port.ID < other.port.ID
}

func (b *busyPort) weight() int {
	if b.twice {
		return 2 * b.ships
	}
	return b.ships
}

// busiestOf returns the port with most ships of the live picture within homeRadius, as the viewer sees them. It returns none where there is no ship near a
// port. It reads the picture once. Ports are looked up for a cell of a grid, not for each ship.
func busiestOf(ctx context.Context, v *sight.Viewer, ports *chart.Ports) (most busyPort, err error) {
	near, counts := cells{ports: ports, all: map[cell][]*nearPort{}}, map[*chart.Port]*busyPort{}
	err = v.Ships(ctx, nil, func(state *ship.State) bool {
		if !state.HasFix || !state.Fix.Trusted() || !isVessel(state) {
			return true
		}
		place := state.Fix.Point()
		for _, p := range near.portsNear(place) {
			metres := p.sea.Vector(place).Length()
			if metres > homeRadius {
				continue
			}
			if counts[p.port] == nil {
				counts[p.port] = &busyPort{port: p.port, twice: p.port.Drawn() || len(p.port.Inner)+len(p.port.Berths) > 0}
			}
			counts[p.port].ships++
			counts[p.port].apart += metres
		}
		return true
	})
	for _, count := range counts {
		if count.isBefore(&most) {
			most = *count
		}
	}
	return most, err
}

// isVessel reports whether a state is that of a ship, and not of a station, an aid to navigation or a beacon.
func isVessel(s *ship.State) bool {
	return s.Class == ship.ClassA || s.Class == ship.ClassB || s.Class == ship.ClassUnknown
}

// nearPort is a port with the flat sea around it.
type nearPort struct {
	port *chart.Port
	sea  geo.Plane
}

// cell is a square of cellSize of the grid of longitudes and latitudes.
type cell struct{ lon, lat int }

const cellSize = 0.1 // degrees

// cells remember which ports a ship in a cell may be near.
type cells struct {
	ports *chart.Ports
	all   map[cell][]*nearPort
}

// portsNear returns the ports that may lie within homeRadius of a place.
func (c *cells) portsNear(place geo.Point) []*nearPort {
	at := cell{int(math.Floor(place.Lon / cellSize)), int(math.Floor(place.Lat / cellSize))}
	found, known := c.all[at]
	if known {
		return found
	}
	west, south := float64(at.lon)*cellSize, float64(at.lat)*cellSize
	square := geo.Rect{West: max(west, -180), South: max(south, -90), East: min(west+cellSize, 180), North: min(south+cellSize, 90)}
	for _, port := range c.ports.In(square.Expand(1.01 * homeRadius)) {
		if port.Placed {
			found = append(found, &nearPort{port, geo.PlaneAt(port.Position)})
		}
	}
	c.all[at] = found
	return found
}
