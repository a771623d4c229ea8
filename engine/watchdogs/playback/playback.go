// Package playback plays the tracks of many ships as they were heard together. It plays one report after the other in the order of time, with those that the
// store left out filled in. It holds the fixes that are still to come and no report. Parts of tracks may come while it plays. It reads no clock, and is for one
// goroutine.
package playback

import (
	"cmp"
	"container/heap"
	"math"
	"slices"

	"quaywatch/ais"
	"quaywatch/ship"
)

// PlayedShip is a ship on its way.
type PlayedShip struct {
	MMSI   ais.MMSI
	Before ship.Fix // the report before the next one; the zero Fix where there is none
	Next   ship.Fix
	Filled bool // the next one was left out by the store

	fixes ship.Track // still to come
	tail  int64      // the time of the latest fix that was taken
	begin ship.Fix   // of the leg that it sails
	every int64      // milliseconds between the reports that were left out of the leg
	count int        // of them that are still to come
}

// Ahead returns the fixes that are still to come.
func (s *PlayedShip) Ahead() ship.Track { return slices.Clip(s.fixes) }

// Playback is the ships that are played.
type Playback struct {
	leftOut func(m ais.MMSI, begin, end ship.Fix) (every int64, count int)
	ships   map[ais.MMSI]*PlayedShip
	queue   queue
}

// New makes a playback of no ships. LeftOut gives how many reports are to be filled in on a leg of a ship, and the milliseconds between them.
func New(leftOut func(m ais.MMSI, begin, end ship.Fix) (every int64, count int)) *Playback {
	return &Playback{leftOut: leftOut, ships: map[ais.MMSI]*PlayedShip{}}
}

// Heard reports whether something of a ship was taken.
func (p *Playback) Heard(m ais.MMSI) bool { return p.ships[m] != nil }

// Take takes a part of the track of a ship. Fixes that were taken before are passed over, and so are untrusted ones. After a part that is missing nobody knows
// which way the ship took: the next one begins a new segment.
func (p *Playback) Take(m ais.MMSI, part ship.Track) *PlayedShip {
	s := p.ships[m]
	if s == nil {
		s = &PlayedShip{MMSI: m}
		p.ships[m] = s
	}
	waits := s.Next.At != 0
	for i, f := range part {
		if f.Mark&ship.WrongClock != 0 || !f.Trusted() || f.At <= s.tail {
			continue
		}
		if i == 0 && s.tail != 0 {
			f.Mark |= ship.NewSegment
		}
		s.fixes, s.tail = append(s.fixes, f), f.At
	}
	if !waits && p.next(s) {
		heap.Push(&p.queue, s)
	}
	return s
}

// First returns the ship whose next report is the earliest, nil where none is to come.
func (p *Playback) First() *PlayedShip {
	if len(p.queue) == 0 {
		return nil
	}
	return p.queue[0]
}

// Advance goes on to the next report of the first ship.
func (p *Playback) Advance() {
	if p.next(p.queue[0]) {
		heap.Fix(&p.queue, 0)
	} else {
		heap.Pop(&p.queue)
	}
}

// next goes on to the next report of a ship, and reports whether there is one.
func (p *Playback) next(s *PlayedShip) bool {
	if s.Next.At != 0 && !s.Filled { // the leg is over
		s.begin, s.fixes, s.count = s.Next, s.fixes[1:], 0
	}
	s.Before, s.Next = cmp.Or(s.Next, s.begin), ship.Fix{}
	if len(s.fixes) == 0 {
		s.fixes = nil
		return false
	}
	end := s.fixes[0]
	if s.Before == s.begin && s.begin.At != 0 && ship.Joins(s.begin, end) {
		s.every, s.count = p.leftOut(s.MMSI, s.begin, end)
	}
	if at := s.Before.At + s.every; s.count > 0 && at < end.At {
		s.count--
		s.Next, s.Filled = Between(s.begin, end, at), true
		return true
	}
	s.Next, s.Filled = end, false
	return true
}

// queue is the ships that have a next report, the earliest first. Reports of one moment come in the order of the numbers of the ships.
type queue []*PlayedShip

func (q queue) Len() int      { return len(q) }
func (q queue) Swap(i, k int) { q[i], q[k] = q[k], q[i] }
func (q queue) Less(i, k int) bool {
	return cmp.Or(cmp.Compare(q[i].Next.At, q[k].Next.At), cmp.Compare(q[i].MMSI, q[k].MMSI)) < 0
}

// Push is for package heap.
func (q *queue) Push(added any) { *q = append(*q, added.(*PlayedShip)) }

// Pop is for package heap.
func (q *queue) Pop() any {
	last := len(*q) - 1
	removed := (*q)[last]
	(*q)[last] = nil
	*q = (*q)[:last]
	return removed
}

// Between returns the report that a ship sent on the way between two others, as far as these tell. Its status and heading are those of the first.
func Between(a, b ship.Fix, at int64) ship.Fix {
	share := float64(at-a.At) / float64(b.At-a.At)
	f := a
	f.At, f.Mark = at, a.Mark&(ship.BySatellite|ship.Coarse)
	f.Lat = a.Lat + int32(math.Round(share*float64(b.Lat-a.Lat)))
	f.Lon = a.Lon + int32(math.Round(share*float64(shortWay(b.Lon-a.Lon, halfTurn))))
	if f.Lon > halfTurn {
		f.Lon -= 2 * halfTurn
	} else if f.Lon < -halfTurn {
		f.Lon += 2 * halfTurn
	}
	from, known := a.SOG.Tenths()
	to, too := b.SOG.Tenths()
	if known && too {
		f.SOG = ais.SOGTenths(from + int(math.Round(share*float64(to-from))))
	}
	from, known = a.COG.Tenths()
	to, too = b.COG.Tenths()
	if known && too {
		off := shortWay(int32(to-from), 1800)
		f.COG = ais.COGTenths((from + int(math.Round(share*float64(off))) + 3600) % 3600)
	}
	return f
}

// halfTurn is 180 degrees in ais.PlaceUnit.
const halfTurn = int32(180 * 600000)

// shortWay returns the way round the circle that is at most half a turn.
func shortWay(way, half int32) int32 {
	switch {
	case way > half:
		return way - 2*half
	case way < -half:
		return way + 2*half
	}
	return way
}
