package watchdogs

import (
	"fmt"

	"quaywatch/ship/watchdog"
)

// kindSentence says what happened to a ship at a place, for the types that watch more than a place; "" for the others.
func kindSentence(e *Event, of, place string) string {
	if e.Kind == watchdog.Leave && e.Type != watchdog.Around {
		return overSentence(e.Type, of, place)
	}
	if e.Type == watchdog.Around && e.Other != nil {
		return zoneSentence(e, of)
	}
	switch e.Kind {
	case watchdog.InDistress:
		return of + " sends an alarm of people in distress"
	case watchdog.DistressTest:
		return of + " tests its alarm of distress"
	case watchdog.SignalLost:
		return of + " fell silent in " + place
	case watchdog.Adrift:
		if e.Initial {
			return of + " is not in " + place
		}
		return of + " left its anchorage " + place
	case watchdog.OffPosition:
		return of + " is off its position in " + place
	case watchdog.Overspeed:
		if e.Fix != nil {
			if knots, ok := e.Fix.SOG.Knots(); ok {
				return fmt.Sprintf("%s sails too fast in %s: %.1f kn", of, place, knots)
			}
		}
		return of + " sails too fast in " + place
	case watchdog.OffTrack:
		return of + " left the corridor of " + place
	case watchdog.Unidentified:
		return of + " sends no name in " + place
	}
	return ""
}

// overSentence says what is over.
func overSentence(t watchdog.Type, of, place string) string {
	switch t {
	case watchdog.LostShip:
		return of + " is heard again in " + place
	case watchdog.Anchor:
		return of + " is back in " + place + ", or sails"
	case watchdog.Aid:
		return of + " is on its position again in " + place
	case watchdog.Speed:
		return of + " no longer sails too fast in " + place
	case watchdog.Route:
		return of + " is back in the corridor of " + place
	case watchdog.Nameless:
		return of + " sends its name, or left " + place
	}
	return ""
}

// zoneSentence says what a ship did near the ship that a zone moves with.
func zoneSentence(e *Event, of string) string {
	around := e.Other.Called()
	switch {
	case e.Kind == watchdog.Leave:
		return of + " left the zone of " + around
	case e.Kind == watchdog.Timeout:
		return of + " or " + around + " is silent: the zone is unknown"
	case e.Initial:
		return of + " is in the zone of " + around
	}
	return of + " came into the zone of " + around
}
