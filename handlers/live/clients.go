package live

import (
	"context"
	"errors"
	"slices"
	"sync"

	"quaywatch/handlers/request"
)

// StreamsOfOne is the most live streams of one caller. One that answers several questions counts as that many.
const StreamsOfOne = 32

// errGivenUp ends a stream whose place another caller gets.
var errGivenUp = errors.New("the place is given to a caller with fewer streams")

// clients holds the open live streams, each as many times as it has questions.
type clients struct {
	most int
	each int // of one caller

	mu        sync.Mutex
	streams   map[string][]*client // by owner, the oldest first
	count     int
	strangers int // of them without a name
	dropped   uint64
}

// client is an open live stream.
type client struct {
	owner    string
	stranger bool
	end      context.CancelCauseFunc
}

// Seat takes a place for a stream that another area serves, if there is one. The place is given back with leave, which is told whether the client did not
// read; end is called when another caller gets it.
func (s *Server) Seat(c *request.Request, end context.CancelCauseFunc) (leave func(slow bool), seated bool) {
	return s.clients.seatOf(c, end)
}

// Seats are places for what callers hold open besides the live streams. They are shared as those are, but one caller may have all that nobody else wants.
type Seats struct{ clients clients }

// NewSeats makes so many places.
func NewSeats(most int) *Seats { return &Seats{newClients(most, most)} }

// Seat is Server.Seat for these places.
func (s *Seats) Seat(c *request.Request, end context.CancelCauseFunc) (leave func(slow bool), seated bool) {
	return s.clients.seatOf(c, end)
}

func newClients(most, each int) clients {
	return clients{most: most, each: each, streams: map[string][]*client{}}
}

// seatOf takes a place for a call.
func (l *clients) seatOf(c *request.Request, end context.CancelCauseFunc) (leave func(slow bool), seated bool) {
	place := &client{c.Caller.Key, c.Caller.Stranger(), end}
	return func(slow bool) { l.freePlaces(place, slow) }, l.enterClient(place, 1)
}

// enterClient takes places for a stream, if there are so many.
func (l *clients) enterClient(c *client, places int) bool {
	for range places {
		if !l.enterOnce(c) {
			l.freePlaces(c, false)
			return false
		}
	}
	return true
}

// enterOnce takes a place for a stream, if there is one: its function end may be called when another caller gets the place. A quarter of the places is for
// callers that signed in. Where all are taken, the latest stream goes of the caller that has most. That is a caller that has not signed in first, else a caller
// that has more than the newcomer even then.
func (l *clients) enterOnce(c *client) bool {
	gone, ok := l.seat(c)
	if gone != nil {
		gone.end(errGivenUp)
	}
	return ok
}

// seat is enterOnce; it returns the stream that goes.
func (l *clients) seat(c *client) (gone *client, ok bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.streams[c.owner]) >= l.each {
		return nil, false
	}
	if l.count >= l.most || c.stranger && l.strangers >= l.most-l.most/4 {
		if gone = l.streamYielding(c); gone == nil {
			return nil, false
		}
		l.remove(gone)
	}
	if c.stranger {
		l.strangers++
	}
	l.count++
	l.streams[c.owner] = append(l.streams[c.owner], c)
	return gone, true
}

// streamYielding returns the stream that goes for a newcomer, nil when none does.
func (l *clients) streamYielding(newcomer *client) (gone *client) {
	own, most := len(l.streams[newcomer.owner]), 0
	for _, list := range l.streams {
		latest := list[len(list)-1]
		below := latest.stranger && !newcomer.stranger // a stranger goes for a user, whatever it has
		switch {
		case newcomer.stranger && !latest.stranger, !below && len(list) < own+2:
			continue
		case gone == nil, latest.stranger && !gone.stranger, latest.stranger == gone.stranger && len(list) > most:
			gone, most = latest, len(list)
		}
	}
	return gone
}

// remove takes a stream out, if it is still there.
func (l *clients) remove(c *client) {
	had := len(l.streams[c.owner])
	l.streams[c.owner] = slices.DeleteFunc(l.streams[c.owner], func(each *client) bool { return each == c })
	left := len(l.streams[c.owner])
	if c.stranger {
		l.strangers -= had - left
	}
	l.count -= had - left
	if left == 0 {
		delete(l.streams, c.owner)
	}
}

// freePlaces gives the places back, where the stream still has them; dropped tells that the client did not read.
func (l *clients) freePlaces(c *client, dropped bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.remove(c)
	if dropped {
		l.dropped++
	}
}

// figures returns how many streams are open and how many were cut off because they did not read.
func (l *clients) figures() (open int, dropped uint64) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.count, l.dropped
}
