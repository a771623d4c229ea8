package users

import (
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"quaywatch/ais"
	"quaywatch/geo/chart"
	"quaywatch/internal/fold"
	"quaywatch/ship"
	"quaywatch/ship/destination"
	"quaywatch/users/registry"
)

// Visiting returns the call that a ship has at a time; false for none.
type Visiting func(m ais.MMSI, at time.Time) (c ship.OpenCall, ok bool)

// PortFilters joins the ports to what knows which ships are in them, for filters.
type PortFilters struct {
	ports    *registry.PortTable
	visiting atomic.Pointer[Visiting]
	bound    destinations
}

// Know takes what knows which ships are in port. Before it, no ship is.
func (c *PortFilters) Know(visiting Visiting) { c.visiting.Store(&visiting) }

// lookup returns what filters know of ports.
func (c *PortFilters) lookup() ship.Lookup {
	return ship.Lookup{
		Port: c.portsNamed, Bound: c.boundFor, Berth: c.berthsNamed,
		Call: func(ship.CallPart) (func(*ship.State, time.Time) (ship.OpenCall, bool), error) { return c.callAt, nil },
	}
}

// callAt returns the call that a ship has at a time; false for none.
func (c *PortFilters) callAt(s *ship.State, now time.Time) (found ship.OpenCall, ok bool) {
	visiting := c.visiting.Load()
	if visiting == nil {
		return found, false
	}
	return (*visiting)(s.MMSI, now)
}

// berthsNamed finds the berths whose name matches.
func (c *PortFilters) berthsNamed(match func(name string) bool) (func(port uint64, berth int64) bool, bool) {
	if c.ports == nil {
		return nil, false
	}
	type place struct {
		port  uint64
		berth int64
	}
	found := map[place]struct{}{}
	for _, port := range c.ports.Current().All() {
		for i := range port.Berths {
			if match(port.Berths[i].Name) {
				found[place{port.ID, port.Berths[i].ID}] = struct{}{}
			}
		}
	}
	return func(port uint64, berth int64) bool {
		_, is := found[place{port, berth}]
		return is
	}, len(found) > 0
}

// portsNamed finds the ports that an id, a LOCODE or a name means. A ship is in one of several ports of a name, where it is in any of them.
func (c *PortFilters) portsNamed(name string) (func(s *ship.State, now time.Time) bool, bool) {
	if c.ports == nil {
		return nil, false
	}
	found := c.ports.Current().Find(name)
	return func(s *ship.State, now time.Time) bool {
		in, ok := c.callAt(s, now)
		if !ok {
			return false
		}
		for _, port := range found {
			if port.ID == in.Port {
				return true
			}
		}
		return false
	}, len(found) > 0
}

// boundFor finds the ports that an id, a LOCODE or a name means, or else a country. It reports whether a destination that a crew typed means one of them.
func (c *PortFilters) boundFor(name string) (func(typed string) bool, bool) {
	if c.ports == nil {
		return nil, false
	}
	ports := c.ports.Current()
	if found := ports.Find(name); len(found) > 0 {
		return func(typed string) bool {
			port := c.bound.portMeant(c.ports.Current, typed)
			return port != nil && slices.ContainsFunc(found, func(p *chart.Port) bool { return p.ID == port.ID })
		}, true
	}
	code := ship.CountryNames()[fold.Plain(name)]
	return func(typed string) bool {
		port := c.bound.portMeant(c.ports.Current, typed)
		return port != nil && port.CountryCode() == code
	}, code != ""
}

// destinations remembers which ports typed destinations mean, since filters ask it of each report of each ship. Its lock is held for a moment.
type destinations struct {
	mu    sync.RWMutex
	ports *chart.Ports // that the answers hold for
	read  *destination.Reader
	known map[string]*chart.Port
}

// mostDestinations is how many destinations are remembered. Whoever invents ships can fill this place, and no more memory.
const mostDestinations = 50_000

// portMeant returns the port that a destination means by the ports of now; nil for none.
func (d *destinations) portMeant(current func() *chart.Ports, typed string) *chart.Port {
	ports := current()
	d.mu.RLock()
	port, known := d.known[typed]
	known = known && d.ports == ports
	d.mu.RUnlock()
	if known {
		return port
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.ports != ports {
		d.ports, d.read, d.known = ports, destination.NewReader(ports), map[string]*chart.Port{}
	}
	if len(d.known) >= mostDestinations {
		clear(d.known)
	}
	port = d.read.Port(typed)
	d.known[typed] = port
	return port
}
