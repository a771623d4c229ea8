package statistic

import (
	"cmp"
	"maps"
	"math"
	"slices"
	"time"

	"quaywatch/ais"
	"quaywatch/geo"
	"quaywatch/ship"
)

// What makes a transfer of a pilot (design, pilot boat operations).
const (
	transferHull    = 50.0             // metres between the two hulls, at most
	transferSlowest = 3.0              // knots of the ship
	transferFastest = 15.0             // knots of the ship
	transferDSOG    = 2.0              // knots, difference of both, at most
	transferDCOG    = 20.0             // degrees, difference of both, at most
	transferLeast   = time.Minute      // that the boat is alongside
	transferMost    = 20 * time.Minute // longer is an escort or a tow
	transferTick    = 5 * time.Second  // both are looked at so often
	transferPause   = 2 * time.Minute  // so long a break does not end it

	// transferReach is farther than two antennas are apart whose hulls are transferHull apart: AIS tells 511 m from the antenna to an end at most.
	transferReach = 1100.0
)

// TransferMargin is how much before the period and after it the tracks must come, so that a transfer at its border is seen whole.
const TransferMargin = transferMost + transferPause + nearGap

// TransferWay is how many metres from the place where a transfer begins its ships may come. They sail at 15 knots for as long as it lasts, with its breaks.
const TransferWay = 15_000.0

// TransferQuestion asks when pilot boats were alongside ships.
type TransferQuestion struct {
	Period Period               // in which the transfer begins
	Boats  []ais.MMSI           // the pilot boats
	Ships  []ais.MMSI           // that they serve; none for all
	Known  func(Moment) Hull    // what was known of a ship at a time
	Berth  func(geo.Point) bool // whether a place lies where ships are alongside: there no pilot comes on board at sea; nil for nowhere
}

// Hull is what must be known of a ship to find transfers.
type Hull struct {
	Size  ais.Dimensions // zero where it is not known
	Pilot bool           // it is a pilot vessel, which no pilot boat serves
}

// Transfer is that a pilot boat was alongside a ship under way.
type Transfer struct {
	Boat, Ship       Near // when it began
	BoatEnd, ShipEnd Near // when it ended
}

// At returns when it began, in Unix milliseconds.
func (t *Transfer) At() int64 { return t.Boat.Fix.At }

// goesOn reports whether it belongs to the transfer before at the same ship, which ended at a time in Unix milliseconds. Then a second boat came before the
// first had left, or at once after that. The break is that of one boat.
func (t *Transfer) goesOn(end int64) bool { return t.At()-end <= transferPause.Milliseconds() }

// Moments returns what a reader must be allowed to have seen.
func (t *Transfer) Moments() []Moment {
	return slices.Concat(t.Boat.moments(), t.Ship.moments(), t.BoatEnd.moments(), t.ShipEnd.moments())
}

// compare orders transfers by their time.
func (t *Transfer) compare(o *Transfer) int {
	return cmp.Or(cmp.Compare(t.At(), o.At()), cmp.Compare(t.Boat.MMSI, o.Boat.MMSI), cmp.Compare(t.Ship.MMSI, o.Ship.MMSI))
}

// Transfers finds the transfers of pilots, and tells them in the order of their times. Every 5 seconds, counted from the Unix epoch, the places, speeds and
// courses of a boat and a ship are compared. Each is between two reports that are ten minutes apart at most. It holds the legs of some minutes, and the
// transfers that go on.
type Transfers struct {
	q     TransferQuestion
	tell  func(Transfer)
	boats map[ais.MMSI]bool
	only  map[ais.MMSI]bool // nil for all ships
	last  map[ais.MMSI]ship.Fix
	legs  sliced
	next  int64 // the first slice that is not yet answered
	open  map[berthing]*alongside
	done  []*Transfer // that wait for earlier ones
}

// berthing is a boat and a ship.
type berthing struct{ boat, ship ais.MMSI }

// alongside is a time in which a boat is beside a ship.
type alongside struct {
	first, last int64 // Unix milliseconds
	begin       Transfer
	boatEnd     leg // of the time last
	shipEnd     leg
}

// NewTransfers answers a question and tells each transfer once.
func NewTransfers(q TransferQuestion, tell func(Transfer)) *Transfers {
	boats := setOf(q.Boats)
	return &Transfers{q: q, tell: tell, boats: boats, only: setOf(q.Ships), last: map[ais.MMSI]ship.Fix{}, legs: newSliced(), next: never,
		open: map[berthing]*alongside{}}
}

// Take takes a part of a track.
func (t *Transfers) Take(m ais.MMSI, part ship.Track) {
	if t.only != nil && !t.only[m] && !t.boats[m] {
		return
	}
	last, known := t.last[m]
	if !known {
		last = ship.Fix{At: never}
	}
	for _, f := range newer(part, last.At) {
		if f.At-last.At <= nearGap.Milliseconds() && ship.Joins(last, f) {
			t.legs.addLeg(&leg{ship.Leg{From: last, To: f}, m})
		}
		last = f
	}
	t.last[m] = last
}

// Over tells that all parts with fixes before now were taken. It answers the slices whose legs have all ended by then.
func (t *Transfers) Over(now time.Time) {
	t.answerSlices(sliceOf(now.UnixMilli()) - int64(nearGap/nearSlice) - 1)
	for m, f := range t.last {
		if now.UnixMilli()-f.At > time.Hour.Milliseconds() {
			delete(t.last, m)
		}
	}
}

// End answers what is left.
func (t *Transfers) End() {
	t.answerSlices(math.MaxInt64)
	t.endTransfers(math.MaxInt64)
}

// answerSlices answers the slices up to one.
func (t *Transfers) answerSlices(last int64) {
	for first, ok := t.legs.firstSlice(); ok; first, ok = t.legs.firstSlice() {
		if t.next = max(t.next, first); t.next > last {
			return
		}
		t.slice(t.next)
		t.legs.dropLegs(t.next)
		t.next++
		t.endTransfers(t.next * nearSlice.Milliseconds())
	}
	if last < math.MaxInt64 {
		t.endTransfers((last + 1) * nearSlice.Milliseconds())
	}
}

// slice compares the boats of one slice with the ships near them.
func (t *Transfers) slice(slice int64) {
	crafts := t.legs.crafts(slice)
	rects := make([]geo.Rect, len(crafts))
	for i, c := range crafts {
		if rects[i] = c.legBounds(); t.boats[c.mmsi] {
			rects[i] = rects[i].Expand(transferReach)
		}
	}
	pairs, _ := overlapping(rects)
	for _, p := range pairs {
		boat, other := &crafts[p.a], &crafts[p.b]
		if t.boats[other.mmsi] {
			boat, other = other, boat
		}
		if t.boats[boat.mmsi] && !t.boats[other.mmsi] {
			t.compareShips(slice, boat, other)
		}
	}
}

// compareShips looks at a boat and a ship at each tick of a slice.
func (t *Transfers) compareShips(slice int64, boat, other *craft) {
	const tick = int64(transferTick / time.Millisecond)
	end := (slice + 1) * nearSlice.Milliseconds()
	i, k := 0, 0
	for at := slice * nearSlice.Milliseconds(); at < end; at += tick {
		for i < len(boat.legs) && boat.legs[i].To.At <= at {
			i++
		}
		for k < len(other.legs) && other.legs[k].To.At <= at {
			k++
		}
		if i == len(boat.legs) || k == len(other.legs) {
			return
		}
		a, b := &boat.legs[i], &other.legs[k]
		if a.From.At <= at && b.From.At <= at && t.isBeside(a, b, at) {
			t.noteBeside(a, b, at)
		}
	}
}

// isBeside reports whether a boat is alongside a ship at a time.
func (t *Transfers) isBeside(boat, other *leg, at int64) bool {
	sog := other.sogAt(at)
	if sog < transferSlowest || sog > transferFastest || math.Abs(sog-boat.sogAt(at)) > transferDSOG {
		return false
	}
	course := other.cogAt(at)
	if !(math.Abs(math.Remainder(course-boat.cogAt(at), 360)) <= transferDCOG) {
		return false
	}
	from, to := other.placeAt(at), boat.placeAt(at)
	if farther(from, from, to, to, transferReach) {
		return false
	}
	known := t.q.Known(Moment{other.mmsi, other.From})
	return !known.Pilot && hullDistance(&known.Size, t.q.Known(Moment{boat.mmsi, boat.From}).Size, from, to, course) <= transferHull
}

// hullDistance returns the metres between the hull of a ship and that of a boat, both on one course. Where the place of the ship's antenna is not known it takes
// half of its length off, whichever side the boat is on.
func hullDistance(dimensions *ais.Dimensions, boat ais.Dimensions, from, to geo.Point, course float64) float64 {
	way := geo.PlaneAt(from).Vector(to)
	if !referenced(*dimensions) {
		return max(0, way.Length()-float64(dimensions.Length())/2)
	}
	if !referenced(boat) {
		boat = ais.Dimensions{}
	}
	sin, cos := math.Sincos(course * math.Pi / 180)
	ahead, right := way.X*sin+way.Y*cos, way.X*cos-way.Y*sin
	return math.Hypot(intervalGap(ahead-float64(boat.Stern), ahead+float64(boat.Bow), -float64(dimensions.Stern), float64(dimensions.Bow)),
		intervalGap(right-float64(boat.Port), right+float64(boat.Starboard), -float64(dimensions.Port), float64(dimensions.Starboard)))
}

// referenced reports whether the dimensions say where the antenna is. Bow and port are both 0 where they do not (ITU-R M.1371).
func referenced(d ais.Dimensions) bool { return d.Bow != 0 || d.Port != 0 }

// intervalGap returns how far two intervals are from each other.
func intervalGap(low, high, otherLow, otherHigh float64) float64 {
	return max(0, otherLow-high, low-otherHigh)
}

// noteBeside notes that a boat is beside a ship at a time.
func (t *Transfers) noteBeside(boat, other *leg, at int64) {
	pair := berthing{boat.mmsi, other.mmsi}
	a := t.open[pair]
	if a != nil && at-a.last > transferPause.Milliseconds() {
		t.endBeside(pair)
		a = nil
	}
	if a == nil {
		a = &alongside{first: at, begin: Transfer{Boat: boat.nearAt(at), Ship: other.nearAt(at)}}
		t.open[pair] = a
	}
	a.last, a.boatEnd, a.shipEnd = at, *boat, *other
}

// endBeside ends the time in which a boat is beside a ship.
func (t *Transfers) endBeside(pair berthing) {
	a := t.open[pair]
	delete(t.open, pair)
	length := time.Duration(a.last-a.first) * time.Millisecond
	if length < transferLeast || length > transferMost || !t.q.Period.Holds(a.first) {
		return
	}
	if t.q.Berth != nil && t.q.Berth(a.begin.Boat.Fix.Point()) {
		return
	}
	done := a.begin
	done.BoatEnd, done.ShipEnd = a.boatEnd.nearAt(a.last), a.shipEnd.nearAt(a.last)
	t.done = append(t.done, &done)
}

// endTransfers ends what was over at a time, and tells the transfers before which no other can begin any more.
func (t *Transfers) endTransfers(now int64) {
	before := now
	for _, pair := range slices.Collect(maps.Keys(t.open)) {
		a := t.open[pair]
		switch {
		case now-a.last > transferPause.Milliseconds():
			t.endBeside(pair)
		case a.last-a.first <= transferMost.Milliseconds():
			before = min(before, a.first)
		}
	}
	slices.SortFunc(t.done, (*Transfer).compare)
	told := 0
	for told < len(t.done) && t.done[told].At() < before {
		t.tell(*t.done[told])
		told++
	}
	t.done = slices.Delete(t.done, 0, told)
}
