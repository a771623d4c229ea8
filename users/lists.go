package users

import (
	"sync/atomic"

	"quaywatch/ais"
)

// Lists joins the ship lists that watchdogs make to what knows which ships are on them.
type Lists struct {
	listed atomic.Pointer[func(watchdog uint64, m ais.MMSI) bool]
}

// Know takes what tells whether a ship is on the list of a watchdog. Before it, no ship is.
func (l *Lists) Know(listed func(watchdog uint64, m ais.MMSI) bool) { l.listed.Store(&listed) }

func (l *Lists) has(watchdog uint64, m ais.MMSI) bool {
	listed := l.listed.Load()
	return listed != nil && (*listed)(watchdog, m)
}
