package watchdog

import (
	"quaywatch/ais"
	"quaywatch/ship"
)

// work is what a ship does among others.
type work uint8

const (
	sails    work = iota // it keeps clear of others, as all should
	serves               // it goes alongside of others under way: a tug, a pilot boat, a lifeboat. A tender goes to those that lie
	isServed             // it is large, or carries cargo or passengers: those come to it
	fishes               // it fishes
)

// Types of ships (ITU-R M.1371-5, table 53).
const (
	typeTowing      = ais.ShipType(31)
	typeLongTow     = ais.ShipType(32)
	typePilot       = ais.ShipType(50)
	typeRescue      = ais.ShipType(51)
	typeTug         = ais.ShipType(52)
	firstMerchant   = ais.ShipType(60) // passenger, cargo and tanker
	lastMerchant    = ais.ShipType(89)
	statusAstern    = ais.NavStatus(11) // towing astern
	statusAlongside = ais.NavStatus(12) // pushing ahead or towing alongside
)

// workOf tells what a ship does. Its type counts for more than its status, which is often wrong.
func workOf(s *ship.State) work {
	code := ais.ShipType(0)
	if s.Static != nil {
		code = s.Static.Type
	}
	length, _ := s.Static.Size()
	switch code {
	case typeTowing, typeLongTow, typePilot, typeRescue, typeTug:
		return serves
	case typeFishing:
		return fishes
	}
	switch {
	case code >= firstMerchant && code <= lastMerchant, length >= servedMetres:
		return isServed
	case s.Fix.Status == statusAstern, s.Fix.Status == statusAlongside:
		return serves
	case s.Fix.Status == ais.StatusFishing:
		return fishes
	}
	return sails
}

// excused reports whether two ships are meant to come close: one serves the other, both serve, or both fish.
func excused(a, b *sailing) bool {
	x, y := min(a.does, b.does), max(a.does, b.does)
	return x == serves && (y == serves || y == isServed) || x == fishes && y == fishes
}
