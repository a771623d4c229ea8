package library

import (
	"bytes"
	"slices"
	"sync"

	"quaywatch/geo"
	"quaywatch/ship"
)

// compiled is what was worked out of ship lists and shapes, so that not every request does it anew, nor every change of something else. A list may have
// thousands of ships and a border thousands of places.
type compiled struct {
	mu      sync.Mutex
	members map[string]madeOf[func(*ship.State) bool] // by uid
	shapes  map[string]madeOf[*geo.Area]              // by uid
}

// madeOf is what was worked out of a thing as it was then.
type madeOf[T any] struct {
	of   Resource
	made T
}

// workedOut returns what was worked out of a thing, anew when it has changed since.
func workedOut[T any](c *compiled, all *map[string]madeOf[T], r *Resource, work func() T) T {
	c.mu.Lock()
	defer c.mu.Unlock()
	if was, ok := (*all)[r.UID]; ok && was.of.holdsSame(r) {
		return was.made
	}
	if *all == nil {
		*all = map[string]madeOf[T]{}
	}
	made := work()
	(*all)[r.UID] = madeOf[T]{*r, made}
	return made
}

// holdsSame reports whether two things have the same ships or the same place.
func (r *Resource) holdsSame(other *Resource) bool {
	return slices.Equal(r.Ships, other.Ships) && bytes.Equal(r.Polygon, other.Polygon) && bytes.Equal(r.Line, other.Line) && r.Circle.sameCircle(other.Circle)
}

func (c *CircleJSON) sameCircle(other *CircleJSON) bool {
	return c == other || c != nil && other != nil && c.Radius == other.Radius && bytes.Equal(c.Center, other.Center)
}

// membersOf returns the test of membership in a ship list.
func (c *compiled) membersOf(r *Resource) func(*ship.State) bool {
	return workedOut(c, &c.members, r, func() func(*ship.State) bool { return ship.Members(r.Ships) })
}

// shapeOf returns a shape to calculate with; nil for one that is none.
func (c *compiled) shapeOf(r *Resource) *geo.Area {
	return workedOut(c, &c.shapes, r, func() *geo.Area {
		shape, err := r.Geometry()
		if err != nil { // it was checked when it was written
			return nil
		}
		return geo.NewArea(shape)
	})
}

// forgetThing lets go of what was worked out of a thing that is gone.
func (c *compiled) forgetThing(uid string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.members, uid)
	delete(c.shapes, uid)
}
