package form

import (
	"time"

	"quaywatch/geo"
	"quaywatch/ship"
)

// PortWord is the kind of what a filter asks of ports. It has no word: any change of a port may change which call a ship has, or what its destination means.
const PortWord = "port"

// Asking is Existing with a finder that hears of each question for ports too, as of a PortWord without a name.
func Asking(hear Finder) ship.Lookup {
	names := Existing(hear)
	port := names.Port
	names.Port = func(name string) (func(*ship.State, time.Time) bool, bool) {
		hear(PortWord, "")
		return port(name)
	}
	names.Bound = func(string) (func(string) bool, bool) {
		hear(PortWord, "")
		return nil, false
	}
	names.Call = func(ship.CallPart) (func(*ship.State, time.Time) (ship.OpenCall, bool), error) {
		hear(PortWord, "")
		return func(*ship.State, time.Time) (ship.OpenCall, bool) { return ship.OpenCall{}, false }, nil
	}
	return names
}

// Existing returns a lookup for parsing a filter that will not be run. It finds what the finder finds, with empty ship lists, and
// shapes of a metre. It takes any name for that of a port or berth: a filter that
// names none matches nothing.
func Existing(find Finder) ship.Lookup {
	metre := geo.NewArea(geo.Circle{Radius: 1})
	return ship.Lookup{
		ShipList: func(name string) (func(*ship.State) bool, bool) {
			_, ok := find("shiplist", name)
			return func(*ship.State) bool { return false }, ok
		},
		Shape: func(name string) (*geo.Area, bool) {
			_, ok := find("shape", name)
			return metre, ok
		},
		Port: func(string) (func(*ship.State, time.Time) bool, bool) {
			return func(*ship.State, time.Time) bool { return false }, true
		},
		Berth: func(func(string) bool) (func(uint64, int64) bool, bool) {
			return func(uint64, int64) bool { return false }, true
		},
	}
}
