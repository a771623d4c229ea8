package watchdogs

import (
	"reflect"
	"time"

	"quaywatch/geo"
	"quaywatch/geo/chart"
	"quaywatch/ship"
	"quaywatch/ship/watchdog"
	"quaywatch/users/library"
)

// asked is what a watchdog named when it was made. Where that is the same, the watchdog is.
type asked struct {
	shapes map[string]*geo.Area // as they were then
	others bool                 // it named a ship list, or asked of ports: what these are may change without a sign
}

// notedLookup returns a lookup that notes what is asked.
func (a *asked) notedLookup(names ship.Lookup) ship.Lookup {
	noted := names
	if names.ShipList != nil {
		noted.ShipList = func(name string) (func(*ship.State) bool, bool) {
			a.others = true
			return names.ShipList(name)
		}
	}
	if names.Moving != nil {
		noted.Moving = func(name string) bool {
			a.others = true
			return names.Moving(name)
		}
	}
	if names.Port != nil {
		noted.Port = func(name string) (func(*ship.State, time.Time) bool, bool) {
			a.others = true
			return names.Port(name)
		}
	}
	if names.Bound != nil {
		noted.Bound = func(name string) (func(string) bool, bool) {
			a.others = true
			return names.Bound(name)
		}
	}
	if names.Call != nil {
		noted.Call = func(asked ship.CallPart) (func(*ship.State, time.Time) (ship.OpenCall, bool), error) {
			a.others = true
			return names.Call(asked)
		}
	}
	if names.Shape != nil {
		noted.Shape = func(name string) (*geo.Area, bool) {
			shape, ok := names.Shape(name)
			if a.shapes == nil {
				a.shapes = map[string]*geo.Area{}
			}
			a.shapes[name] = shape
			return shape, ok
		}
	}
	return noted
}

// isUpToDate reports whether a watchdog that is at work is what would be made of a definition now.
func (d *dog) isUpToDate(w *Watch, r *library.Resource, ports *chart.Ports) bool {
	if d == nil || d.asked.others || d.port != nil && w.ports != ports {
		return false
	}
	switch r.Watchdog.Type {
	case watchdog.CPA, watchdog.Around, watchdog.Distress: // few, and they remember ships
		return false
	}
	if !reflect.DeepEqual(d.of, *r) {
		return false
	}
	if len(d.asked.shapes) == 0 {
		return true
	}
	names := w.config.Names(r.Owner)
	for name, was := range d.asked.shapes {
		if is, ok := names.Shape(name); !ok || is != was {
			return false
		}
	}
	return true
}
