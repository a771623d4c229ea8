package statistic

import (
	"cmp"
	"maps"
	"slices"
	"time"

	"quaywatch/ais"
	"quaywatch/geo"
	"quaywatch/ship"
)

// ChainQuestion asks who crossed several lines one after another.
type ChainQuestion struct {
	Period         Period
	Lines          []geo.Line    // two or more. Of each the first and the last point count
	MaxDuration    time.Duration // the last line is crossed before the end of the period and this
	BothDirections bool          // also from the last line to the first
}

// Until returns the time up to which tracks are needed: before it the last line is crossed.
func (q ChainQuestion) Until() time.Time { return q.Period.End.Add(q.MaxDuration) }

// Chain is a passage over all lines.
type Chain struct {
	Reverse   bool     // the lines were crossed from the last to the first
	Direction string   // N, NE, E, SE, S, SW, W or NW: from the first crossing to the last
	Crossings []Moment // of each line, in the order of time
}

// First returns the crossing of the line that was crossed first.
func (c Chain) First() Moment { return c.Crossings[0] }

// Last returns the crossing of the line that was crossed last.
func (c Chain) Last() Moment { return c.Crossings[len(c.Crossings)-1] }

// Duration returns the time between them.
func (c Chain) Duration() time.Duration {
	return time.Duration(c.Last().Fix.At-c.First().Fix.At) * time.Millisecond
}

// Moments returns what a reader must be allowed to have seen.
func (c Chain) Moments() []Moment { return c.Crossings }

// Chains counts passages over several lines. See docs/statistics.md for its rules.
type Chains struct {
	q     ChainQuestion
	lines []barrier
	tell  func(Chain)
	ships map[ais.MMSI]*chained
}

// chained is what is remembered of a ship: its last fix, and for each direction the chains that may still come to the last line.
type chained struct {
	last ship.Fix
	ways [2]way
}

// way has one chain for each number of lines that were crossed. Of two that wait for the same line both would come to it at once: the one
// that began last stays. Nil where there is none.
type way [][]Moment

// pass is the crossing of a line by a leg.
type pass struct {
	line int
	frac float64
}

// NewChains makes a counter of passages over several lines. It tells each once the last line is crossed.
func NewChains(q ChainQuestion, tell func(Chain)) *Chains {
	c := &Chains{q: q, tell: tell, ships: map[ais.MMSI]*chained{}}
	for _, line := range q.Lines {
		if len(line) > 2 {
			line = geo.Line{line[0], line[len(line)-1]}
		}
		c.lines = append(c.lines, newBarrier(line))
	}
	return c
}

// Take takes the fixes of a ship in one part. One that was taken before counts for nothing.
func (c *Chains) Take(m ais.MMSI, part ship.Track) {
	for _, f := range part {
		s := c.ships[m]
		switch {
		case s == nil:
			s = &chained{}
			c.ships[m] = s
		case f.At <= s.last.At:
			continue
		case ship.Joins(s.last, f):
			c.addLeg(s, &leg{ship.Leg{From: s.last, To: f}, m})
		}
		s.last = f
	}
}

// Over forgets the silent ships that have no chain, and all when no chain can end any more.
func (c *Chains) Over(now time.Time) {
	past := !now.Before(c.q.Until())
	maps.DeleteFunc(c.ships, func(_ ais.MMSI, s *chained) bool {
		silent := now.UnixMilli()-s.last.At > ship.GapLimit.Milliseconds()
		return silent && (past || s.ways[0].isEmpty() && s.ways[1].isEmpty())
	})
}

// End has nothing to tell: a chain that did not come to the last line is none.
func (c *Chains) End() {}

// addLeg takes a leg.
func (c *Chains) addLeg(s *chained, l *leg) {
	passes := c.linesCrossed(l)
	for from := 0; from < len(passes); {
		to := from + 1
		for to < len(passes) && passes[to].frac == passes[from].frac {
			to++
		}
		c.crossLines(s, l, passes[from:to])
		from = to
	}
}

// linesCrossed returns the lines that a leg crosses, in its order.
func (c *Chains) linesCrossed(l *leg) (passes []pass) {
	for i := range c.lines {
		for _, x := range c.lines[i].crossings(l) {
			passes = append(passes, pass{i, x.Frac})
		}
	}
	slices.SortFunc(passes, func(x, y pass) int {
		return cmp.Or(cmp.Compare(x.frac, y.frac), cmp.Compare(x.line, y.line))
	})
	return passes
}

// crossLines takes the lines that are crossed at one time, by their number. The later line of a direction comes first: the crossing of one line
// is not later than that of the other.
func (c *Chains) crossLines(s *chained, l *leg, passes []pass) {
	for i := range passes {
		p := passes[len(passes)-1-i]
		c.addCrossing(s, 0, p.line, l.moment(l.timeAt(p.frac), p.frac))
	}
	if !c.q.BothDirections {
		return
	}
	for _, p := range passes {
		c.addCrossing(s, 1, len(c.lines)-1-p.line, l.moment(l.timeAt(p.frac), p.frac))
	}
}

// addCrossing takes the crossing of a line, by its number in a direction.
func (c *Chains) addCrossing(s *chained, direction, line int, at Moment) {
	if s.ways[direction] == nil {
		s.ways[direction] = make(way, len(c.lines))
	}
	chains := s.ways[direction]
	if line == 0 {
		c.addFirst(chains, at)
		return
	}
	before := chains[line-1]
	if chains[line-1] = nil; before == nil || at.Fix.At >= c.q.Until().UnixMilli() {
		return
	}
	before = append(before, at)
	if line < len(c.lines)-1 {
		chains[line] = before
		return
	}
	if !c.q.Period.Holds(before[0].Fix.At) {
		return
	}
	toward := geo.Bearing(before[0].Fix.Point(), at.Fix.Point())
	c.tell(Chain{direction == 1, compassPoint(toward), before})
}

// addFirst takes the crossing of the first line. A chain that begins after the period is none of it, and takes the place of the one before all the same.
func (c *Chains) addFirst(chains way, at Moment) {
	if early := at.Fix.At < c.q.Period.Begin.UnixMilli(); !early && (c.q.Period.Holds(at.Fix.At) || !chains.isEmpty()) {
		chains[0] = []Moment{at}
	}
}

// isEmpty reports whether there is no chain.
func (w way) isEmpty() bool {
	return !slices.ContainsFunc(w, func(chain []Moment) bool { return chain != nil })
}
