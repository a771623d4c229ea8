package statistic

import (
	"time"

	"quaywatch/ais"
	"quaywatch/geo"
)

// PilotageQuestion asks which ships took a pilot from one area to another.
type PilotageQuestion struct {
	Transfers TransferQuestion // of the whole time in which a pilotage may end; its Period is that
	Period    Period           // in which the first transfer begins
	Areas     []*geo.Area
	Longest   [][]time.Duration // from an area to another, at most; 0 is not allowed
}

// Operation is a transfer in an area.
type Operation struct {
	Transfer
	Area int // index
}

// Pilotage is two operations of one ship, in order.
type Pilotage [2]Operation

// Moments returns what a reader must be allowed to have seen.
func (p *Pilotage) Moments() []Moment { return append(p[0].Moments(), p[1].Moments()...) }

// NewPilotages answers a question and tells each pilotage once. An operation is a transfer that begins in an area, the first of those that hold it. It makes a
// pilotage with the next operation of its ship, if that is not later than the areas allow; transfers elsewhere do not count. A boat that comes to a ship while
// another is alongside makes no operation of its own. For that Transfers must have the period that Reading gives.
func NewPilotages(q PilotageQuestion, tell func(Pilotage)) *Transfers {
	p := &pilotages{q: q, tell: tell, last: map[ais.MMSI]Operation{}, longest: q.longest()}
	return NewTransfers(q.Transfers, p.addTransfer)
}

// pilotages holds the last operation of each ship.
type pilotages struct {
	q       PilotageQuestion
	tell    func(Pilotage)
	last    map[ais.MMSI]Operation
	longest time.Duration
	cleared int64 // Unix milliseconds
}

func (p *pilotages) addTransfer(t Transfer) {
	area := p.areaOf(t.Boat.Fix.Point())
	if area < 0 {
		return
	}
	p.dropOperations(t.At())
	now := Operation{t, area}
	before, known := p.last[t.Ship.MMSI]
	if known && t.goesOn(before.BoatEnd.Fix.At) {
		return
	}
	p.last[t.Ship.MMSI] = now
	if !known || !p.q.Period.Holds(before.At()) {
		return
	}
	if most := p.q.Longest[before.Area][area]; most > 0 && t.At()-before.At() <= most.Milliseconds() {
		p.tell(Pilotage{before, now})
	}
}

// areaOf returns the first area that holds a place, -1 for none.
func (p *pilotages) areaOf(at geo.Point) int {
	for i, area := range p.q.Areas {
		if area.Contains(at) {
			return i
		}
	}
	return -1
}

// dropOperations drops, once an hour, the operations from which no pilotage can begin any more.
func (p *pilotages) dropOperations(now int64) {
	if now-p.cleared < time.Hour.Milliseconds() {
		return
	}
	p.cleared = now
	for m, o := range p.last {
		if now-o.At() > max(p.longest, operationMargin).Milliseconds() {
			delete(p.last, m)
		}
	}
}

// operationMargin is how long before a period an operation may begin to which a transfer in it belongs.
const operationMargin = transferMost + transferPause

// Reading returns the time in which the transfers of the pilotages begin. Those before the Period tell which are operations, and the last of a pilotage may be
// later.
func (q *PilotageQuestion) Reading() Period {
	return Period{Begin: q.Period.Begin.Add(-operationMargin), End: q.Period.End.Add(q.longest())}
}

// longest returns the longest time that a pilotage may take.
func (q *PilotageQuestion) longest() (most time.Duration) {
	for _, row := range q.Longest {
		for _, d := range row {
			most = max(most, d)
		}
	}
	return most
}
