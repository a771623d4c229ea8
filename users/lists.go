package users

import (
	"sync/atomic"

	"quaywatch/ais"
)

// MadeLists joins the ship lists that watchdogs make to what knows which ships are on them.
type MadeLists struct {
	listed atomic.Pointer[func(watchdog uint64, m ais.MMSI) bool]
}

// Know takes what tells whether a ship is on the list of a watchdog. Before it, no ship is.
func (l *MadeLists) Know(listed func(watchdog uint64, m ais.MMSI) bool) { l.listed.Store(&listed) }

func (l *MadeLists) has(watchdog uint64, m ais.MMSI) bool {
	listed := l.listed.Load()
	return listed != nil && (*listed)(watchdog, m)
}
