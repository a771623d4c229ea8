package statistic

import (
	"maps"
	"math"
	"slices"
	"time"

	"quaywatch/ais"
	"quaywatch/geo"
	"quaywatch/ship"
)

// Numbers of the distribution of speed (design, SOG distribution).
const (
	DefaultThreshold = 1.0              // knots below which a ship does not move
	lastsUnderWay    = 10 * time.Minute // so long the speed of a report may last
	lastsAtRest      = 30 * time.Minute // as before, of a ship that does not move
	indexStep        = 5                // tenths of a knot; an index is half a knot
	indexShift       = 2                // tenths that are added before: index 1 is 0.3 to 0.7 kn
	mostTenths       = 10230            // 1023 kn, the most that a SAR aircraft can tell; what is above is no speed
)

// SOGIndex returns the index of a speed in tenths of a knot: floor((SOG + 0.2) / 0.5).
func SOGIndex(tenths int) int { return (tenths + indexShift) / indexStep }

// SOGQuestion asks how fast ships sailed. The caller hands over the ships that it means alone.
type SOGQuestion struct {
	Period    Period
	Threshold float64   // knots; below it a ship does not move, and its time is at index 0
	Area      *geo.Area // nil, or what a ship must be in: time counts from a report in it to the next report
}

// SOGDay is how fast a ship sailed on one day of UTC.
type SOGDay struct {
	MMSI    ais.MMSI
	Day     time.Time // its midnight
	Seconds []int64   // by SOGIndex; the last one is not empty
	Gap     int64     // seconds between two reports of which the speed is not known
	seen    quarters
}

// Moments returns what a reader must be allowed to have seen. It is the first report of each quarter of an hour, set of feeds and kind of source.
func (d SOGDay) Moments() []Moment { return d.seen }

// SOGs adds up how long each ship sailed how fast. The time from a report to the next has the speed of the first, for ten minutes at most. It has it for 30
// minutes if the ship does not move. The rest is a gap. A day without any known speed has no record. It holds one day of each ship.
type SOGs struct {
	q     SOGQuestion
	tell  func(SOGDay)
	ships map[ais.MMSI]*sogShip
}

// sogShip is the day of a ship that is not yet over.
type sogShip struct {
	last   ship.Fix
	day    int64 // days since the Unix epoch
	millis []int64
	gap    int64 // milliseconds
	seen   quarters
}

// NewSOGs answers a question and tells each day of each ship once.
func NewSOGs(q SOGQuestion, tell func(SOGDay)) *SOGs {
	return &SOGs{q: q, tell: tell, ships: map[ais.MMSI]*sogShip{}}
}

// Take takes a part of a track. The last fix before the period may come too: its speed lasts into the period.
func (s *SOGs) Take(m ais.MMSI, part ship.Track) {
	v := s.ships[m]
	if v == nil {
		v = &sogShip{last: ship.Fix{At: never}}
		s.ships[m] = v
	}
	for _, f := range newer(part, v.last.At) {
		if v.last.At != never && (s.q.Area == nil || s.q.Area.Contains(v.last.Point())) {
			s.countTime(m, v, f.At)
		}
		v.last = f
	}
}

// Over does nothing: a day of a ship is over when the ship is heard on a later one.
func (s *SOGs) Over(time.Time) {}

// End tells the days that are not over.
func (s *SOGs) End() {
	for _, m := range slices.Sorted(maps.Keys(s.ships)) {
		s.tellDay(m, s.ships[m])
	}
}

// countTime counts the time from the last report to another.
func (s *SOGs) countTime(m ais.MMSI, v *sogShip, to int64) {
	index, lasts := s.speedIndex(v.last)
	until := min(to, v.last.At+lasts)
	s.spreadTime(m, v, v.last.At, until, index)
	s.spreadTime(m, v, until, to, gapIndex)
}

// gapIndex stands for time of which no speed is known.
const gapIndex = -1

// speedIndex returns the index of a report and for how many milliseconds it lasts.
func (s *SOGs) speedIndex(f ship.Fix) (index int, lasts int64) {
	tenths, known := f.SOG.Tenths()
	switch {
	case !known || tenths > mostTenths:
		return gapIndex, 0
	case float64(tenths) < s.q.Threshold*10-1e-9:
		return 0, lastsAtRest.Milliseconds()
	}
	return SOGIndex(tenths), lastsUnderWay.Milliseconds()
}

const dayMillis = 24 * 3600 * 1000

// spreadTime adds a time to the days in which it lies. A day that is only a gap is left out, so a long silence costs nothing.
func (s *SOGs) spreadTime(m ais.MMSI, v *sogShip, from, to int64, index int) {
	from, to = max(from, s.q.Period.Begin.UnixMilli()), min(to, s.q.Period.End.UnixMilli())
	for from < to {
		day := floorDiv(from, dayMillis)
		if index == gapIndex && day != v.day && day != floorDiv(to-1, dayMillis) {
			day = floorDiv(to-1, dayMillis)
			from = day * dayMillis
		}
		if day != v.day {
			s.tellDay(m, v)
			v.day = day
		}
		until := min(to, (day+1)*dayMillis)
		v.add(m, index, until-from)
		from = until
	}
}

// add adds milliseconds to the day.
func (v *sogShip) add(m ais.MMSI, index int, millis int64) {
	if index == gapIndex {
		v.gap += millis
		return
	}
	if more := index + 1 - len(v.millis); more > 0 {
		v.millis = append(v.millis, make([]int64, more)...)
	}
	v.millis[index] += millis
	v.seen.addReport(m, v.last)
}

// tellDay tells the day of a ship and begins another.
func (s *SOGs) tellDay(m ais.MMSI, v *sogShip) {
	d := SOGDay{MMSI: m, Day: time.UnixMilli(v.day * dayMillis).UTC(), Gap: roundSeconds(v.gap), seen: v.seen}
	for _, ms := range v.millis {
		d.Seconds = append(d.Seconds, roundSeconds(ms))
	}
	for len(d.Seconds) > 0 && d.Seconds[len(d.Seconds)-1] == 0 {
		d.Seconds = d.Seconds[:len(d.Seconds)-1]
	}
	if len(d.Seconds) > 0 {
		s.tell(d)
	}
	v.millis, v.gap, v.seen = nil, 0, nil
}

// roundSeconds rounds milliseconds.
func roundSeconds(millis int64) int64 { return int64(math.Round(float64(millis) / 1000)) }
