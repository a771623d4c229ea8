package watch

import (
	"time"

	"github.com/tidwall/rtree"

	"quaywatch/geo"
	"quaywatch/geo/chart"
	"quaywatch/library"
	"quaywatch/rule"
	"quaywatch/ship"
	"quaywatch/ship/portcall"
	"quaywatch/ship/watchdog"
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
	w.compiled, w.ports = generation, ports
	dogs, problems := map[uint64]*dog{}, map[uint64]string{}
	var tree rtree.RTreeG[*dog]
	watched := map[uint64][]*dog{}
	for _, r := range w.config.Library.List(library.Watchdogs) {
		if !r.Watchdog.Enabled {
			continue
		}
		d, err := w.dogOf(r, ports)
		if err != nil {
			problems[r.ID] = err.Error()
			w.config.Log.Warn("a watchdog watches nothing", "watchdog", r.Name, "error", err)
			continue
		}
		dogs[r.ID] = d
		if bounds, placed := d.machine.Bounds(); placed {
			for _, part := range bounds.Split() {
				tree.Insert([2]float64{part.West, part.South}, [2]float64{part.East, part.North}, d)
			}
		} else {
			watched[d.port.ID] = append(watched[d.port.ID], d)
		}
	}
	w.use(dogs, problems, tree, watched)
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
	if definition.Filter, err = r.FilterOf(w.config.Names(r.Owner)); err != nil {
		return nil, err
	}
	definition.AtSea = w.atSea
	d.machine, err = watchdog.New(definition)
	return d, err
}

// atSea gives how long the ship that the machines work on has been outside of every port.
func (w *Watch) atSea(s *ship.State) (time.Duration, bool) {
	if w.config.AtSea == nil {
		return 0, false
	}
	return w.config.AtSea(s.MMSI, s.Fix.Time())
}

// use puts other watchdogs to work.
func (w *Watch) use(dogs map[uint64]*dog, problems map[uint64]string, tree rtree.RTreeG[*dog], watched map[uint64][]*dog) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.dogs, w.problems, w.tree, w.ofPort = dogs, problems, tree, watched
	for m, list := range w.alarms {
		rest := list[:0]
		for _, a := range list {
			now := dogs[a.dog.id]
			if now == nil || now.of.Watchdog.Type != a.dog.of.Watchdog.Type {
				w.forget(a)
				continue
			}
			a.dog = now
			rest = append(rest, a)
		}
		clear(list[len(rest):])
		w.set(m, rest)
	}
	w.follow()
}

// follow takes the ports that are watched. Ships go on being followed in those that stay.
func (w *Watch) follow() {
	if len(w.ofPort) == 0 {
		w.engine = nil
		for m, v := range w.inPort {
			w.leaves(m, v)
		}
		return
	}
	var ports []*chart.Port
	for _, dogs := range w.ofPort {
		ports = append(ports, dogs[0].port)
	}
	w.engine = portcall.NewEngine(portcall.NewPorts(chart.NewPorts(ports)), func(*portcall.Call) {})
}

// near appends to w.hits the watchdogs that a leg may concern.
func (w *Watch) near(r geo.Rect) {
	take := func(_, _ [2]float64, d *dog) bool {
		w.hits = append(w.hits, d)
		return true
	}
	if r.West <= r.East {
		w.tree.Search([2]float64{r.West, r.South}, [2]float64{r.East, r.North}, take)
		return
	}
	for _, part := range r.Split() {
		w.tree.Search([2]float64{part.West, part.South}, [2]float64{part.East, part.North}, take)
	}
}
