package access

import (
	"sync"

	"quaywatch/geo"
	"quaywatch/ship"
)

// compiled is what was worked out of ship lists and shapes, so that not every request does it anew: a list may have thousands
// of ships and a border thousands of places. It is of one Generation.
type compiled struct {
	mu         sync.Mutex
	generation uint64
	members    map[string]func(*ship.State) bool // by uid
	shapes     map[string]geo.Shape              // by uid
}

// at begins anew when something has changed since. The caller holds the lock.
func (c *compiled) at(generation uint64) {
	if c.members == nil || c.generation != generation {
		c.generation, c.members, c.shapes = generation, map[string]func(*ship.State) bool{}, map[string]geo.Shape{}
	}
}

// membersOf gives the test of membership in a ship list as of a generation from before the list was read.
func (c *compiled) membersOf(r *Resource, generation uint64) func(*ship.State) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.at(generation)
	member, ok := c.members[r.UID]
	if !ok {
		member = r.Members()
		c.members[r.UID] = member
	}
	return member
}

// shapeOf gives a shape to calculate with, as of a generation from before it was read; nil for one that is none.
func (c *compiled) shapeOf(r *Resource, generation uint64) geo.Shape {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.at(generation)
	shape, ok := c.shapes[r.UID]
	if !ok {
		shape, _ = r.Geometry() // it was checked when it was written
		c.shapes[r.UID] = shape
	}
	return shape
}
