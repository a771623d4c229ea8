package form

import (
	"time"

	"quaywatch/geo"
	"quaywatch/ship"
)

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
