package traffic

import (
	"quaywatch/ais"
	"quaywatch/ship"
)

// list orders unconfirmed entries by when they were heard.
type list struct {
	oldest, newest *entry
	length         int
}

func (l *list) push(e *entry) {
	e.listed, e.older, e.newer = true, l.newest, nil
	if l.newest == nil {
		l.oldest = e
	} else {
		l.newest.newer = e
	}
	l.newest = e
	l.length++
}

func (l *list) remove(e *entry) {
	if e.older == nil {
		l.oldest = e.newer
	} else {
		e.older.newer = e.newer
	}
	if e.newer == nil {
		l.newest = e.older
	} else {
		e.newer.older = e.older
	}
	e.listed, e.older, e.newer = false, nil, nil
	l.length--
}

// rankEntry moves e to the end of the unconfirmed ships, or takes it out of them once its ship was heard often enough. If there are then too
// many confirmed ships, one that was silent for long goes.
func (p *Picture) rankEntry(e *entry) {
	confirmed := e.state.Confirmed() || p.config.spares(e)
	if e.listed && (confirmed || e != p.unconfirmed.newest) {
		p.unconfirmed.remove(e)
	}
	if !confirmed && !e.listed {
		p.unconfirmed.push(e)
	}
	if confirmed && len(p.ships)-p.unconfirmed.length > p.config.MaxShips {
		if spared := p.longSilent(e); spared != nil {
			p.evict(spared)
		}
	}
}

// makeRoom returns a free entry for a new number. If there are too many numbers that were hardly heard, it is the entry of the one that was
// silent for longest.
func (p *Picture) makeRoom() *entry {
	for p.unconfirmed.length >= max(p.config.MaxUnconfirmed, 1) {
		silent := p.unconfirmed.oldest
		if p.config.spares(silent) { // since it was heard last: its next report ranks it
			p.unconfirmed.remove(silent)
			continue
		}
		p.strangers.noteNumber(silent.state.MMSI, silent.state.Reports)
		p.evict(silent)
		return silent
	}
	return new(entry)
}

func (p *Picture) evict(e *entry) {
	if e.state.Age != ship.Removed {
		p.gone = append(p.gone, e.state)
	}
	p.counts.evicted++
	if e.stored || e.state.Confirmed() { // the store has the others not
		p.departed.add(&e.state)
	}
	p.remove(e)
}

// longSilent returns the confirmed ship that was silent for longest among the next 256 of the table. That is near enough to the longest of
// all, and no report has to keep an order of all ships. The ship in but is not taken.
func (p *Picture) longSilent(but *entry) *entry {
	const looked = 256
	var found *entry
	for range min(looked, len(p.all)) {
		p.spareAt++
		if p.spareAt >= len(p.all) {
			p.spareAt = 0
		}
		e := p.all[p.spareAt]
		if e != nil && e != but && !e.listed && (found == nil || e.heard < found.heard) && !p.config.spares(e) {
			found = e
		}
	}
	return found
}

// census remembers how often a number was heard that left the picture unconfirmed. So a ship that reports every few minutes is confirmed
// even while millions of numbers are invented. It is a fixed table of 32 MiB, made when it is first needed.
type census struct {
	rooms []room
	turn  uint8
}

// room holds four numbers whose hashes begin alike.
type room [4]struct {
	mmsi  uint32
	heard uint32
}

const censusRooms = 1 << 20

// roomOf returns the room of a number; multiplying by 2^32 over the golden ratio spreads neighbouring numbers.
func (c *census) roomOf(m ais.MMSI) *room {
	return &c.rooms[uint32(m)*2654435769>>12]
}

// noteNumber remembers a number. In a full room it takes the place of one that was heard no more often.
func (c *census) noteNumber(m ais.MMSI, heard uint32) {
	if c.rooms == nil {
		c.rooms = make([]room, censusRooms)
	}
	r := c.roomOf(m)
	c.turn++
	least := int(c.turn) % len(r)
	for i := range r {
		if r[i].heard < r[least].heard {
			least = i
		}
	}
	if r[least].heard <= heard {
		r[least].mmsi, r[least].heard = uint32(m), heard
	}
}

// takeCount returns how often a number was heard before, and forgets it.
func (c *census) takeCount(m ais.MMSI) uint32 {
	if c.rooms == nil {
		return 0
	}
	r := c.roomOf(m)
	for i := range r {
		if r[i].mmsi == uint32(m) && r[i].heard > 0 {
			heard := r[i].heard
			r[i].heard = 0
			return heard
		}
	}
	return 0
}
