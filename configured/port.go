package configured

import (
	"sync/atomic"
	"time"

	"quaywatch/ais"
	"quaywatch/registry"
	"quaywatch/ship"
)

// Visiting gives the port in which a ship is at a time; false for none.
type Visiting func(m ais.MMSI, at time.Time) (port uint64, ok bool)

// Calls joins the ports to what knows which ships are in them, for filters.
type Calls struct {
	ports    *registry.Ports
	visiting atomic.Pointer[Visiting]
}

// Know takes what knows which ships are in port. Before it, no ship is.
func (c *Calls) Know(visiting Visiting) { c.visiting.Store(&visiting) }

// named finds the ports that an id, a LOCODE or a name means. A ship is in one of several ports of a name, where it is in any of them.
func (c *Calls) named(name string) (func(s *ship.State, now time.Time) bool, bool) {
	if c.ports == nil {
		return nil, false
	}
	found := c.ports.Current().Find(name)
	return func(s *ship.State, now time.Time) bool {
		visiting := c.visiting.Load()
		if visiting == nil {
			return false
		}
		in, ok := (*visiting)(s.MMSI, now)
		if !ok {
			return false
		}
		for _, port := range found {
			if port.ID == in {
				return true
			}
		}
		return false
	}, len(found) > 0
}
