package statistic

import (
	"maps"
	"slices"
	"time"

	"quaywatch/ais"
	"quaywatch/ship"
)

// Presence is what a ship spent in an area in one interval of the calendar.
type Presence struct {
	MMSI     ais.MMSI
	Interval string        // 2026-11-19, 2026-W47, 2026-11, 2026-Q4 or 2026
	Begin    time.Time     // when the interval began
	Visits   []Visit       // in the order of time. A visit that lasts over the end of an interval is cut there
	Inside   time.Duration // of all visits
	Metres   float64       // of all visits
}

// Moments returns what a reader must be allowed to have seen.
func (p Presence) Moments() []Moment {
	moments := make([]Moment, 0, 2*len(p.Visits))
	for _, v := range p.Visits {
		moments = append(moments, v.In, v.Out)
	}
	return moments
}

// Grouped counts the visits of ships to an area by intervals of the calendar. It holds one record of each ship that was inside in the
// interval that goes on, and for an hour more. A leg over the end of the interval may lead a ship in that was far away.
type Grouped struct {
	area    *AreaVisits
	tell    func(Presence)
	records map[ais.MMSI]*Presence
}

// NewGrouped makes a counter that tells one record for each ship and interval.
func NewGrouped(q AreaQuestion, by CalendarInterval, tell func(Presence)) *Grouped {
	g := &Grouped{tell: tell, records: map[ais.MMSI]*Presence{}}
	g.area = NewArea(q, g.add)
	g.area.interval = by
	return g
}

// Take takes the fixes of a ship in one part.
func (g *Grouped) Take(m ais.MMSI, part ship.Track) { g.area.Take(m, part) }

// Over tells the records of the intervals that are over, once no leg leads into them any more.
func (g *Grouped) Over(now time.Time) {
	g.area.Over(now)
	for _, m := range slices.Sorted(maps.Keys(g.records)) {
		end, ok := g.area.interval.Next(g.records[m].Begin)
		if ok && !now.Before(end.Add(longestSilence)) && !g.area.owes(m, end) {
			g.tellRecord(m)
		}
	}
}

// End tells all that is left.
func (g *Grouped) End() {
	g.area.End()
	for _, m := range slices.Sorted(maps.Keys(g.records)) {
		g.tellRecord(m)
	}
}

// add takes a visit. Those of one ship come in the order of time.
func (g *Grouped) add(v Visit) {
	m, at := v.In.MMSI, v.In.Fix.Time()
	begin := g.area.interval.Begin(at)
	if r := g.records[m]; r != nil && !r.Begin.Equal(begin) {
		g.tellRecord(m)
	}
	r := g.records[m]
	if r == nil {
		r = &Presence{MMSI: m, Interval: g.area.interval.Name(at), Begin: begin}
		g.records[m] = r
	}
	r.Visits = append(r.Visits, v)
	r.Inside += v.Inside
	r.Metres += v.Metres
}

// tellRecord tells the record of a ship.
func (g *Grouped) tellRecord(m ais.MMSI) {
	r := *g.records[m]
	delete(g.records, m)
	g.tell(r)
}
