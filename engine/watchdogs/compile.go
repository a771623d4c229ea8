package watchdogs

import (
	"time"

	"quaywatch/geo/chart"
	"quaywatch/internal/rule"
	"quaywatch/ship"
	"quaywatch/ship/portcall"
	"quaywatch/ship/watchdog"
	"quaywatch/users/library"
)

// Compile makes the watchdogs of now, when what they are made of has changed. Alarms go on with the new ones; those of a watchdog that is gone or
// not enabled end in silence. Run does so whenever users change something; it is for calls whose answer is to be true at once.
func (w *Watch) Compile() {
	w.making.Lock()
	defer w.making.Unlock()
	generation, ports := w.config.Generation(), w.config.Ports()
	if w.ports == ports && w.compiled == generation {
		return
	}
	dogs, problems := map[uint64]*dog{}, map[uint64]*rule.Rule{}
	found, guards := newMeets(), newShares(mostGuards, mostOwnGuards)
	defined := map[uint64]bool{}
	for _, r := range w.config.Library.List(library.Watchdogs) {
		defined[r.ID] = true
		if !r.Watchdog.Enabled {
			continue
		}
		d, err := w.dogs[r.ID], error(nil) // only the holder of making puts others in its place
		if !d.isUpToDate(w, &r, ports) {
			d, err = w.dogOf(r, ports)
			w.made++
		}
		if err == nil && (r.Watchdog.Type == watchdog.CPA || r.Watchdog.Type == watchdog.Around) && !guards.takeShare(r.Owner) {
			err = rule.New("too_many_guards", "there are more than {most} watchdogs of type cpa or zone, or more than {own} of one owner", "most", mostGuards, "own", mostOwnGuards)
		}
		if err != nil {
			problems[r.ID] = rule.Of(err)
			w.config.Log.Warn("a watchdog watches nothing", "watchdog", r.Name, "error", err)
			continue
		}
		dogs[r.ID] = d
		found.add(d)
	}
	w.compiled, w.ports = generation, ports
	w.useWatchdogs(dogs, problems, found)
	w.lasts.dropGone(func(id uint64) bool { return defined[id] })
}

// Each watchdog of type cpa or zone compares ships with ships while reports wait, so that all of them may cost only so much.
const (
	mostGuards    = 50
	mostOwnGuards = 10 // of one owner
)

// shares counts what each owner takes of what there is for all.
type shares struct {
	left, each int
	taken      map[string]int // by owner
}

func newShares(all, each int) *shares { return &shares{all, each, map[string]int{}} }

// takeShare reports whether there is one more for an owner.
func (s *shares) takeShare(owner string) bool {
	if s.left == 0 || s.taken[owner] == s.each {
		return false
	}
	s.left--
	s.taken[owner]++
	return true
}

// dogOf makes a watchdog.
func (w *Watch) dogOf(r library.Resource, ports *chart.Ports) (*dog, error) {
	d := &dog{id: r.ID, of: r}
	definition, err := r.Watches()
	if err != nil {
		return nil, err
	}
	if named := r.Watchdog.Port; named != nil {
		var there bool
		if d.port, there = named.In(ports); !there {
			return nil, rule.New("watched_port_gone", "its port is no longer there")
		}
		definition.Port = d.port.ID
	}
	names := d.asked.notedLookup(w.config.Names(r.Owner))
	if definition.Filter, err = r.FilterOf(names); err != nil {
		return nil, err
	}
	if definition.Ships.Members, err = r.Watchdog.Members(names); err != nil {
		return nil, err
	}
	definition.AtSea, definition.LostAfter = w.atSea, w.config.LostAfter
	d.machine, err = watchdog.New(definition)
	return d, err
}

// atSea returns how long the ship that the machines work on has been outside of every port.
func (w *Watch) atSea(s *ship.State) (time.Duration, bool) {
	if w.config.AtSea == nil {
		return 0, false
	}
	if w.borders = w.config.Ports().At(w.borders[:0], s.Fix.Point()); len(w.borders) > 0 {
		return 0, true
	}
	return w.config.AtSea(s.MMSI, s.Fix.Time())
}

// useWatchdogs puts other watchdogs to work.
func (w *Watch) useWatchdogs(dogs map[uint64]*dog, problems map[uint64]*rule.Rule, found *meets) {
	w.mu.Lock()
	defer w.mu.Unlock()
	was := w.dogs
	w.dogs, w.problems, w.meets = dogs, problems, found
	w.named.Store(&found.ofShip)
	w.uses++
	for id, d := range dogs {
		if old := was[id]; old != nil && old.port != nil && d.port != nil && old.port.ID == d.port.ID {
			d.born = old.born
		} else {
			d.born = w.uses
		}
	}
	for m, list := range w.alarms {
		rest := list[:0]
		for _, a := range list {
			now := dogs[a.dog.id]
			if now == nil || now.of.Watchdog.Type != a.dog.of.Watchdog.Type {
				a.endAlarmEvent(w, false)
				w.forget(a)
				continue
			}
			a.dog = now
			rest = append(rest, a)
		}
		clear(list[len(rest):])
		w.setAlarms(m, rest)
	}
	w.situations.dropGone(func(id uint64) bool {
		d, before := dogs[id], was[id]
		return d != nil && (before == nil || before.of.Watchdog.Type == d.of.Watchdog.Type)
	})
	w.pauses.useWatchdogs(dogs)
	w.guards.useWatchdogs(dogs)
	w.zones.useWatchdogs(dogs)
	w.looks.useWatchdogs(dogs)
	w.distresses.useWatchdogs(dogs)
	w.followPorts()
	enrollAll(w)
}

// followPorts takes the ports that are watched. Ships go on being followed in those that stay.
func (w *Watch) followPorts() {
	if len(w.meets.ofPort) == 0 {
		w.engine = nil
		for m, v := range w.inPort {
			w.endVisit(m, v)
		}
		return
	}
	var ports []*chart.Port
	for _, dogs := range w.meets.ofPort {
		ports = append(ports, dogs[0].port)
	}
	w.engine = portcall.NewEngine(portcall.NewPorts(chart.NewPorts(ports), nil), func(*portcall.Call) {})
}
