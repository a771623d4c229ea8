package feed

import (
	"sync"
	"time"

	"quaywatch/ais"
	"quaywatch/ais/feed/format"
)

// cachedStatic keeps the latest static data of each ship: messages 5, both parts of 24, and 21. A new subscriber may get them before the
// stream, so that it need not wait six minutes for names. Messages with a place (4, 19) are left out: a place that is given late is
// wrong.
type cachedStatic struct {
	mu    sync.Mutex
	slots map[ais.MMSI]int
	ships []*described
}

// described is the static data of one ship.
type described struct {
	mmsi  ais.MMSI
	parts [3]*description // nil until heard
}

// description is one message of these data.
type description struct {
	format.Outgoing
	at time.Duration // when it came, since the ring began
}

// describes says to which of the parts a message belongs.
func describes(o *format.Outgoing) (part int, ok bool) {
	switch {
	case o.Traits.Type == 5 || o.Traits.Type == 21:
		return 0, true
	case o.Traits.Type == 24 && o.Part == 'A':
		return 1, true
	case o.Traits.Type == 24 && o.Part == 'B':
		return 2, true
	}
	return 0, false
}

// keepMessage copies a message, if it is one of those that are kept. Of a message that comes again, it notes the feed that heard it.
func (c *cachedStatic) keepMessage(o *format.Outgoing, at time.Duration) {
	part, ok := describes(o)
	if !ok {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	i, known := c.slots[o.Traits.MMSI]
	if o.Again {
		if known {
			c.ships[i].hearAgain(part, o)
		}
		return
	}
	if !known {
		i = len(c.ships)
		c.slots[o.Traits.MMSI] = i
		c.ships = append(c.ships, &described{mmsi: o.Traits.MMSI})
	}
	kept := c.ships[i].parts[part]
	if kept == nil {
		kept = &description{}
		c.ships[i].parts[part] = kept
	}
	kept.copyMessage(o, at)
}

// hearAgain notes that another feed heard a message too, if it is still the latest.
func (d *described) hearAgain(part int, o *format.Outgoing) {
	if kept := d.parts[part]; kept != nil && kept.Hash == o.Hash {
		kept.Heard = o.Heard.With(o.Feed)
	}
}

// dropShip drops a ship.
func (c *cachedStatic) dropShip(m ais.MMSI) {
	c.mu.Lock()
	defer c.mu.Unlock()
	i, known := c.slots[m]
	if !known {
		return
	}
	last := len(c.ships) - 1
	c.ships[i] = c.ships[last]
	c.slots[c.ships[i].mmsi] = i
	c.ships[last] = nil
	c.ships = c.ships[:last]
	delete(c.slots, m)
}

// len returns how many ships are kept.
func (c *cachedStatic) len() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return len(c.ships)
}

// copyShip copies the data of ship i into dst. A caller that counts i down from the last ship meets every ship that stays, also while others come and go. The last
// ship takes the slot of a ship that goes.
func (c *cachedStatic) copyShip(i int, dst *described) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if i >= len(c.ships) {
		return false
	}
	dst.mmsi = c.ships[i].mmsi
	for k, part := range c.ships[i].parts {
		switch {
		case part == nil:
			dst.parts[k] = nil
		case dst.parts[k] == nil:
			dst.parts[k] = &description{}
			fallthrough
		default:
			dst.parts[k].copyMessage(&part.Outgoing, part.at)
		}
	}
	return true
}

// copyMessage copies a message into memory of its own.
func (d *description) copyMessage(o *format.Outgoing, at time.Duration) {
	raw := append(d.Raw[:0], o.Raw...)
	d.Outgoing, d.at = *o, at
	d.Raw = raw
}

// sayMessage formats a message.
func (s *subscriber[K]) sayMessage(o *format.Outgoing) {
	s.tally.messages++
	before := len(s.buffer)
	s.buffer = s.formatter.Append(s.buffer, o)
	if len(s.buffer) > before {
		s.ends = append(s.ends, len(s.buffer))
	}
}

// gatherCached makes ready some of the static data that were known before the subscriber came. While there are more, they
// and the stream have half of the ceiling each.
func (s *subscriber[K]) gatherCached() {
	if s.cached == 0 {
		return
	}
	for range turnCached {
		if len(s.buffer) >= s.fill || !s.early.any(s.now) {
			return
		}
		s.cached--
		if s.all.static.copyShip(s.cached, &s.known) && s.all.options.Latest(s.known.mmsi, &s.about) {
			s.sayKnown()
		}
		if s.cached == 0 {
			s.shareCeiling()
			return
		}
	}
}

// sayKnown sends the static data of a ship, as far as the subscriber may know them and would have got them by now.
func (s *subscriber[K]) sayKnown() {
	age := s.now.Sub(s.all.ring.began)
	for _, p := range s.known.parts {
		if p == nil || age-p.at < s.pass.Pace.Delay || s.pass.May != nil && !s.pass.May(&p.Outgoing, &s.about) {
			continue
		}
		s.early.tokens--
		s.sayMessage(&p.Outgoing)
	}
}

// appendDue makes ready what time alone makes due.
func (s *subscriber[K]) appendDue() {
	if s.now.Sub(s.ticked) < time.Second {
		return
	}
	s.ticked = s.now
	before := len(s.buffer)
	s.buffer = s.formatter.Tick(s.buffer, s.now.UTC(), s.feedStates())
	if before == 0 && len(s.buffer) == 0 && s.quiet.Load() {
		s.buffer = append(s.buffer, '\r', '\n') // whether it has gone shows only when something is sent
	}
	if len(s.buffer) > before {
		s.ends = append(s.ends, len(s.buffer))
	}
}

// feedStates returns the states of the feeds that the subscriber may know, when it is time to tell them.
func (s *subscriber[K]) feedStates() []ais.FeedStatus {
	if !s.formatter.StatusDue(s.now) {
		return nil
	}
	all := s.all.options.Feeds()
	if s.pass.SeesFeed == nil {
		return all
	}
	var seen []ais.FeedStatus
	for i := range all {
		if s.pass.SeesFeed(all[i].Name) {
			seen = append(seen, all[i])
		}
	}
	return seen
}
