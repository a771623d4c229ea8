package statistic

import (
	"maps"
	"slices"
	"time"

	"quaywatch/ais"
	"quaywatch/geo"
	"quaywatch/ship"
)

// The numbers of a visit.
const (
	longestSilence = 60 * time.Minute // inside, after which the ship left when it was heard last
	mergeWithin    = 5 * time.Minute  // outside: two visits that are less apart, with fewer samples outside, are one
	mergeSamples   = 2
)

// SilenceMargin is how much before the period and after it the tracks must come. So a silence over its border is judged as one within it.
const SilenceMargin = longestSilence

// AreaQuestion asks which ships were in an area, and when.
type AreaQuestion struct {
	Period Period
	Area   *geo.Area // of a polygon or a circle; a line has no inside
}

// Visit is a time that a ship spent in an area. It may have been outside of it for less than five minutes.
type Visit struct {
	In, Out       Moment        // at the border, or at the first and the last report inside
	EnteredBefore bool          // it was inside before In: the period began, or it was first heard inside
	LeftBySilence bool          // it was not heard for more than 60 minutes after Out
	StillInside   bool          // it was inside when the period ended, or the interval
	Inside        time.Duration // without what it spent outside
	Metres        float64       // sailed inside
}

// Moments returns what a reader must be allowed to have seen.
func (v Visit) Moments() []Moment { return []Moment{v.In, v.Out} }

// AreaVisits counts the visits of ships to an area. See docs/statistics.md for its rules.
type AreaVisits struct {
	q        AreaQuestion
	interval CalendarInterval // at whose ends visits are cut
	tell     func(Visit)
	ships    map[ais.MMSI]*stay
	within   bool // the part that is taken lies within the area as a whole
	leg      leg  // that is taken
	spans    []geo.Span
}

// NewArea makes a counter of visits. It tells each once it is certain.
func NewArea(q AreaQuestion, tell func(Visit)) *AreaVisits {
	return &AreaVisits{q: q, tell: tell, ships: map[ais.MMSI]*stay{}}
}

// presence is where a ship is, seen from a visit.
type presence uint8

const (
	away presence = iota
	inside
	left // it went out, and the visit goes on if it is back at once
)

// stay is what is remembered of a ship that was heard in the last hour.
type stay struct {
	last    ship.Fix
	is      presence
	visit   Visit     // unless away
	cut     time.Time // when the interval of the visit ends; zero for never
	samples int       // outside since it left
	held    bool      // a leg ended inside when the period began: what follows had entered before
}

// Take takes the fixes of a ship in one part. One that was taken before counts for nothing.
func (a *AreaVisits) Take(m ais.MMSI, part ship.Track) {
	if len(part) == 0 {
		return
	}
	s := a.ships[m]
	if s == nil {
		s = &stay{}
		a.ships[m] = s
		s.last = part[0]
		a.appears(s, Moment{m, part[0]})
		a.settleVisit(s)
	}
	var apart bool
	if a.within, apart = a.sideOf(s.last, part); apart && s.is == away {
		if last := part[len(part)-1]; last.At > s.last.At {
			s.last = last
		}
		return
	}
	for _, f := range part {
		if f.At <= s.last.At {
			continue
		}
		a.leg = leg{ship.Leg{From: s.last, To: f}, m}
		if a.within && a.goesOn(s, &a.leg) {
			s.last = f
			continue
		}
		a.next(s, &a.leg)
		s.last = f
		a.settleVisit(s)
	}
}

// goesOn takes a leg within the area of a ship that is inside, and whose visit neither begins nor ends with it, as most do. It is false of another leg.
func (a *AreaVisits) goesOn(s *stay, l *leg) bool {
	v, end := &s.visit, a.q.Period.End.UnixMilli()
	if s.is != inside || !s.cut.IsZero() || v.Out.Fix.At != l.From.At || l.To.At >= end || !ship.Joins(l.From, l.To) {
		return false
	}
	millis := float64(l.durationMillis())
	v.Inside += time.Duration(l.durationMillis()) * time.Millisecond
	v.Metres += millis * (l.Length() / millis) // rounded as in sails
	v.Out = Moment{l.mmsi, l.To}
	return true
}

// sideOf reports whether a part of a track lies within the area as a whole, or apart from it. The leg that leads to the part belongs to it. Of most parts it
// knows.
func (a *AreaVisits) sideOf(last ship.Fix, part ship.Track) (within, apart bool) {
	within, certain := a.q.Area.Side(partBounds(last, part))
	return certain && within, certain && !within
}

// Over ends the visits of the ships that are silent, and forgets them. No leg leads to what they report later.
func (a *AreaVisits) Over(now time.Time) {
	ms := min(now.UnixMilli(), a.q.Period.End.UnixMilli())
	for _, m := range a.those(func(s *stay) bool { return ms-s.last.At > longestSilence.Milliseconds() }) {
		s := a.ships[m]
		if s.is == inside {
			s.visit.LeftBySilence = true
		}
		a.tellVisit(s)
		delete(a.ships, m)
	}
}

// End tells the visits that are not over.
func (a *AreaVisits) End() {
	a.Over(a.q.Period.End)
	for _, m := range a.those(func(s *stay) bool { return s.is != away }) {
		s := a.ships[m]
		s.visit.StillInside = s.is == inside
		a.tellVisit(s)
	}
}

// those returns the ships that are chosen, in the order of their numbers.
func (a *AreaVisits) those(chosen func(*stay) bool) []ais.MMSI {
	return slices.Sorted(func(yield func(ais.MMSI) bool) {
		for m := range maps.Keys(a.ships) {
			if chosen(a.ships[m]) && !yield(m) {
				return
			}
		}
	})
}

// owes reports whether a visit that begins before a time may still be told of a ship.
func (a *AreaVisits) owes(m ais.MMSI, before time.Time) bool {
	s, ms := a.ships[m], before.UnixMilli()
	return s != nil && (s.last.At < ms || s.is != away && s.visit.In.Fix.At < ms)
}

// next takes a fix that follows another.
func (a *AreaVisits) next(s *stay, l *leg) {
	spans, joined := a.spansInside(l)
	if joined {
		a.addLeg(s, l, spans)
		return
	}
	if s.is == inside {
		s.visit.LeftBySilence = l.durationMillis() > longestSilence.Milliseconds()
		s.markLeft()
	}
	a.appears(s, Moment{l.mmsi, l.To})
}

// spansInside returns the parts of a leg in the area, and whether the leg counts. One of 30 to 60 minutes counts from and to a fix inside. Between
// two fixes inside the ship stayed there, and sailed straight.
func (a *AreaVisits) spansInside(l *leg) (spans []geo.Span, joined bool) {
	from, to := l.From.Point(), l.To.Point()
	a.spans = a.spans[:0]
	switch {
	case ship.Joins(l.From, l.To) && a.within:
		a.spans = append(a.spans, geo.Span{From: 0, To: 1})
		return a.spans, true
	case ship.Joins(l.From, l.To):
	case l.To.Mark&ship.NewSegment != 0 || l.durationMillis() > longestSilence.Milliseconds():
		return nil, false
	default:
		switch begins, ends := a.q.Area.Contains(from), a.q.Area.Contains(to); {
		case begins && ends:
			a.spans = append(a.spans, geo.Span{From: 0, To: 1})
			return a.spans, true
		case !begins && !ends:
			return nil, false
		}
	}
	a.spans = a.q.Area.Inside(from, to, a.spans)
	return a.spans, true
}

// appears takes a fix to which no leg leads.
func (a *AreaVisits) appears(s *stay, at Moment) {
	if a.q.Period.Holds(at.Fix.At) && a.q.Area.Contains(at.Fix.Point()) {
		a.beginVisit(s, at, true)
	}
}

// addLeg takes a leg and its parts inside.
func (a *AreaVisits) addLeg(s *stay, l *leg, spans []geo.Span) {
	begin, end := a.q.Period.Begin.UnixMilli(), a.q.Period.End.UnixMilli()
	perMS := 0.0
	if len(spans) > 0 {
		perMS = l.Length() / float64(l.durationMillis())
	}
	for _, span := range spans {
		in, out := l.timeAt(span.From), l.timeAt(span.To)
		if s.is == inside && in > s.visit.Out.Fix.At {
			s.markLeft()
		}
		a.add(s, l, max(in, begin), min(out, end), in < begin || in == begin && s.held, perMS)
		s.held = s.held || in < begin && out == begin
		if s.is == inside && out >= end {
			s.visit.StillInside = out > end || out == l.To.At
			a.tellVisit(s)
		}
	}
	if s.is == inside && s.visit.Out.Fix.At < l.To.At {
		s.markLeft()
	}
}

// add takes a part of a leg from one time to another, Unix milliseconds. It cuts it at the ends of intervals.
func (a *AreaVisits) add(s *stay, l *leg, from, to int64, before bool, perMS float64) {
	for from < to {
		if s.is == inside && !s.cut.IsZero() && from >= s.cut.UnixMilli() {
			s.visit.StillInside, before = true, true
			a.tellVisit(s)
		}
		if s.is != inside {
			a.beginVisit(s, l.momentAt(from), before)
		}
		until := to
		if !s.cut.IsZero() {
			until = min(to, s.cut.UnixMilli())
		}
		s.visit.Inside += time.Duration(until-from) * time.Millisecond
		s.visit.Metres += float64(until-from) * perMS
		s.visit.Out = l.momentAt(until)
		from = until
	}
}

// beginVisit begins a visit, or goes on with the one before.
func (a *AreaVisits) beginVisit(s *stay, at Moment, before bool) {
	if s.is == left && s.goesOn(at.Fix.At) {
		s.is = inside
		return
	}
	a.tellVisit(s)
	s.is, s.visit = inside, Visit{In: at, Out: at, EnteredBefore: before}
	s.cut, _ = a.interval.Next(at.Fix.Time())
}

// goesOn reports whether a ship that is back at a time, Unix milliseconds, was hardly gone.
func (s *stay) goesOn(ms int64) bool {
	return s.samples < mergeSamples && ms-s.visit.Out.Fix.At < mergeWithin.Milliseconds() && (s.cut.IsZero() || ms < s.cut.UnixMilli())
}

// markLeft notes that the ship went out.
func (s *stay) markLeft() { s.is, s.samples = left, 0 }

// settleVisit counts the last fix as a sample outside, and tells a visit that cannot go on.
func (a *AreaVisits) settleVisit(s *stay) {
	if s.is != left {
		return
	}
	s.samples++
	if !s.goesOn(s.last.At) {
		a.tellVisit(s)
	}
}

// tellVisit tells a visit.
func (a *AreaVisits) tellVisit(s *stay) {
	if s.is != away {
		s.is = away
		a.tell(s.visit)
	}
}
