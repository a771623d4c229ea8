package watchdogs

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"quaywatch/ship"
	"quaywatch/ship/watchdog"
)

// aboutPair writes a pair as what a situation is about.
func aboutPair(p watchdog.Pair) string { return fmt.Sprintf("%d/%d", p.A, p.B) }

// guards are the watchdogs of pairs of ships. They are used with Watch.mu held.
type guards struct {
	watch *Watch
	list  []*dog // in the order of their numbers
	found []watchdog.Danger
}

// useWatchdogs takes the watchdogs of now. One that was there before goes on with what it remembers.
func (g *guards) useWatchdogs(dogs map[uint64]*dog) {
	was := g.list
	g.list = nil
	for _, d := range dogs {
		if d.of.Watchdog.Type != watchdog.CPA {
			continue
		}
		if i := slices.IndexFunc(was, func(old *dog) bool { return old.id == d.id }); i >= 0 {
			d.pairs = was[i].pairs
			d.pairs.Use(d.machine)
		} else {
			d.pairs = watchdog.NewPairs(d.machine)
			g.recallPairs(d)
		}
		g.list = append(g.list, d)
	}
	slices.SortFunc(g.list, func(a, b *dog) int { return cmp.Compare(a.id, b.id) })
}

// recallPairs gives the pairs of a watchdog what is remembered of them. Silence is counted from the first tick on.
func (g *guards) recallPairs(d *dog) {
	for of, standing := range g.watch.situations.all {
		if of.watchdog != d.id {
			continue
		}
		if p, ok := pairOf(of.about); ok {
			d.pairs.Remember(watchdog.PairMemory{Pair: p, Active: standing.active, Since: standing.since}, g.watch.now.UnixMilli())
		}
	}
}

// addReport takes a report of a ship that may be in the guarded water.
func (g *guards) addReport(d *dog, r watchdog.Position) {
	g.found = d.pairs.Report(r, g.found[:0])
	g.raiseFound(d)
}

// tickPairs takes the time of the picture.
func (g *guards) tickPairs(now time.Time) {
	for _, d := range g.list {
		g.found = d.pairs.Tick(now.UnixMilli(), g.found[:0])
		g.raiseFound(d)
	}
	if len(g.list) == 0 {
		return
	}
	for of, standing := range g.watch.situations.all {
		d := g.watch.dogs[of.watchdog]
		if d == nil || d.pairs == nil || standing.active {
			continue
		}
		if between := time.Duration(d.of.Watchdog.TimeBetween) * time.Second; now.UnixMilli()-standing.since >= between.Milliseconds() {
			g.watch.situations.dropSituation(of)
		}
	}
}

// deaf tells that nobody could be heard until now.
func (g *guards) deaf(now time.Time) {
	for _, d := range g.list {
		d.pairs.Deaf(now.UnixMilli())
	}
}

// raiseFound raises what was found.
func (g *guards) raiseFound(d *dog) {
	for i := range g.found {
		f := &g.found[i]
		of := subject{d.id, aboutPair(f.Pair)}
		if !f.Active {
			g.watch.situations.endSituation(of, f.At)
			continue
		}
		e := eventOf(d, &watchdog.Occurrence{Kind: watchdog.TooClose, At: f.At, Fix: f.Ship.Fix}, f.Ship)
		e.Other = otherOf(f.Other)
		e.CPA, e.TCPA = f.CPA, int(f.TCPA.Seconds()+0.5)
		mute := g.watch.isMute(pair{watchdog: d.id, mmsi: f.A}, f.At) || g.watch.isMute(pair{watchdog: d.id, mmsi: f.B}, f.At)
		g.watch.situations.beginSituation(of, e, mute || !g.watch.pauses.tells(d, f.At))
	}
}

// otherOf returns the second ship of an event.
func otherOf(s *ship.State) *OtherShip {
	fix := s.Fix
	fix.Feeds = 0 // a number of the open store
	return &OtherShip{ShipOf(s), &fix, s.Feeds.List()}
}
