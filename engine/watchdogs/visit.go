package watchdogs

import (
	"context"
	"time"

	"quaywatch/ais"
	"quaywatch/geo"
	"quaywatch/ship"
	"quaywatch/ship/portcall"
	"quaywatch/ship/watchdog"
	"quaywatch/store/track"
)

// visit is a ship in a watched port, or near one.
type visit struct {
	mmsi     ais.MMSI
	follower *portcall.Follower
	first    *geo.Point // where it was first seen, until it moves off from where it lies
	told     uint64     // as dog.born: watchdogs that are younger know nothing of it
	row      uint64     // 0 before it is stored
	saved    int64      // the latest report when it was stored, Unix milliseconds
	changed  bool
	urgent   bool // it goes with the next commit
	over     bool
}

// visitRow is a visit as it is stored.
type visitRow struct {
	MMSI     ais.MMSI           `json:"mmsi"`
	Follower *portcall.Follower `json:"follower"`
	First    *geo.Point         `json:"first,omitempty"`
}

// inside is a port whose border a ship is inside of.
type inside struct {
	port    uint64
	entered portcall.Millis
	gone    portcall.Millis // when it was first outside again
}

// stage is where a ship stands in the watched ports.
type stage struct {
	near [8]inside // the borders of more ports do not overlap
	n    int
	lies uint64 // the port in which it lies, 0 for none
	from portcall.Millis
	seen bool // it was seen to come to rest
	at   geo.Point
}

func stageOf(f *portcall.Follower) (s stage) {
	for _, near := range f.Near {
		if s.n < len(s.near) {
			s.near[s.n] = inside{near.Port, near.Entered, near.Gone}
			s.n++
		}
	}
	if f.Call == nil {
		return s
	}
	if stay, lies := f.Call.Lies(); lies {
		s.lies, s.from = f.Call.Port, max(stay.From, 0)
		s.at = geo.Point{Lon: stay.Lon, Lat: stay.Lat}
		if s.seen = stay.From != 0; s.from == 0 {
			s.from = stay.Seen
		}
	}
	return s
}

// layBefore reports whether a ship lay there already when it was first seen. The noise of its place and speed is no voyage.
func (s *stage) layBefore(first *geo.Point) bool {
	if !s.seen {
		return true
	}
	for i := range s.n {
		if s.near[i].port == s.lies && s.near[i].entered != 0 {
			return false
		}
	}
	return first != nil && geo.Distance(*first, s.at) <= layThere
}

// layThere is how far a ship may be from where it was first seen that lay there, in metres.
const layThere = 100

// has reports whether the ship is inside of a port.
func (s *stage) has(port uint64) bool {
	for i := range s.n {
		if s.near[i].port == port {
			return true
		}
	}
	return false
}

// followShip follows a ship into watched ports and out of them.
func (w *Watch) followShip(u *ship.Update, r watchdog.Position) {
	if c := u.Now.Class; c != ship.ClassA && c != ship.ClassB && c != ship.ClassUnknown {
		return
	}
	m := u.Now.MMSI
	v := w.inPort[m]
	if v == nil {
		if !w.engine.Enters(u.Now.Fix) || len(w.inPort) >= mostInPort {
			return
		}
		at := u.Now.Fix.Point()
		v = &visit{mmsi: m, follower: portcall.Begin(r.Before, 0), first: &at, told: w.uses}
		w.inPort[m] = v
	}
	was := stageOf(v.follower)
	if v.told < w.uses {
		v.introduceShip(w, m, &was, r)
	}
	w.engine.Step(v.follower, u.Now.Fix)
	v.changed = true
	w.compareStages(m, v, &was, r)
}

// introduceShip tells the watchdogs that were made since of a ship that is in their port.
func (v *visit) introduceShip(w *Watch, m ais.MMSI, was *stage, r watchdog.Position) {
	at := r.State.Fix.At
	for i := range was.n {
		port := was.near[i].port
		for _, d := range w.meets.ofPort[port] {
			if d.born <= v.told {
				continue
			}
			d.happens(w, m, watchdog.Transition{Kind: watchdog.Enter, Port: port, At: at, Initial: true}, r)
			if was.lies == port {
				d.happens(w, m, watchdog.Transition{Kind: watchdog.Moored, Port: port, At: at, Initial: true}, r)
			}
		}
	}
	v.told = w.uses
}

// catchUp follows a ship through what was recorded of it after its visit was stored. It ends before what would be told: that is told with the next report.
func (w *Watch) catchUp(v *visit) {
	fixes, err := w.config.DB.Track(context.Background(), v.mmsi, time.UnixMilli(v.follower.Last.At+1), time.UnixMilli(track.MaxMillis))
	if err != nil {
		w.config.Log.Warn("a ship in port is followed from its next position on", "ship", v.mmsi, "error", err)
	}
	for _, fix := range fixes {
		next := v.follower.Clone()
		if w.engine.Step(next, fix); next.Done() || !stageOf(next).saysSame(stageOf(v.follower)) {
			return
		}
		v.follower, v.changed = next, true
	}
}

// saysSame reports whether nothing is told of a ship that goes from one stage to another.
func (s stage) saysSame(o stage) bool {
	same := s.n == o.n && s.lies == o.lies
	for i := range s.n {
		same = same && o.has(s.near[i].port)
	}
	return same
}

// passVisits takes the time at which nothing was heard.
func (w *Watch) passVisits(now time.Time) {
	for _, v := range w.inPort {
		v.passSilence(w, now)
	}
}

// passSilence takes the time at which nothing was heard of a ship.
func (v *visit) passSilence(w *Watch, now time.Time) {
	was := stageOf(v.follower)
	w.engine.Pass(v.follower, now)
	w.compareStages(v.mmsi, v, &was, watchdog.Position{})
}

// compareStages raises what has changed of a visit, in the order in which it happened.
func (w *Watch) compareStages(m ais.MMSI, v *visit, was *stage, r watchdog.Position) {
	now := stageOf(v.follower)
	if was.lies != 0 && now.lies != was.lies {
		v.first = nil
		at := portcall.Millis(v.follower.Last.At)
		if c := v.follower.Call; c != nil {
			if last := c.Stays[len(c.Stays)-1]; last.Over && last.To != 0 {
				at = last.To
			}
		}
		if r.State != nil {
			w.happens(m, v, watchdog.Transition{Kind: watchdog.Unmoored, Port: was.lies, At: int64(at)}, r)
		}
	}
	for i := range was.n {
		if gone := was.near[i]; !now.has(gone.port) {
			t := watchdog.Transition{Kind: watchdog.Leave, Port: gone.port, At: int64(gone.gone)}
			switch {
			case r.State == nil:
				t.Kind, t.At = watchdog.Timeout, v.follower.Last.At
			case t.At == 0:
				t.At = r.State.Fix.At
			}
			w.happens(m, v, t, r)
		}
	}
	for i := range now.n {
		if came := now.near[i]; !was.has(came.port) && r.State != nil {
			t := watchdog.Transition{Kind: watchdog.Enter, Port: came.port, At: int64(came.entered)}
			if t.At == 0 {
				t.At, t.Initial = r.State.Fix.At, true
			}
			w.happens(m, v, t, r)
		}
	}
	if now.lies != 0 && now.lies != was.lies && r.State != nil {
		w.happens(m, v, watchdog.Transition{Kind: watchdog.Moored, Port: now.lies, At: int64(now.from), Initial: now.layBefore(v.first)}, r)
	}
	if v.follower.Done() {
		w.endVisit(m, v)
	}
}

// happens hands a transition to the watchdogs of its port.
func (w *Watch) happens(m ais.MMSI, v *visit, t watchdog.Transition, r watchdog.Position) {
	if !v.urgent {
		v.urgent = true
		w.moved = append(w.moved, v)
	}
	for _, d := range w.meets.ofPort[t.Port] {
		d.happens(w, m, t, r)
	}
}

// happens hands a transition to one watchdog.
func (d *dog) happens(w *Watch, m ais.MMSI, t watchdog.Transition, r watchdog.Position) {
	a := w.find(m, d.id)
	fresh := a == nil
	if fresh {
		a = &alarm{dog: d, mmsi: m}
	}
	w.events = d.machine.Transition(&a.memory, t, r, w.events[:0])
	if r.State != nil {
		a.last = r.State.Fix
		w.raise(a, r.State)
	} else if len(w.events) > 0 {
		w.raiseSilence(a)
	}
	a.retain(w, fresh)
}

// endVisit ends a visit.
func (w *Watch) endVisit(m ais.MMSI, v *visit) {
	v.over = true
	delete(w.inPort, m)
	if v.row != 0 {
		w.left = append(w.left, v.row)
		v.row = 0
	}
}
