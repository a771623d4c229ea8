// Package telling decides what a user is told, and when, beside ships as they are. That is calls at ports, tracked ships, texts, events of watchdogs, and what
// filters may name. Answers, streams and notices read all of that by it, so that all of them tell the same.
package telling

import (
	"strconv"
	"time"

	"quaywatch/ais"
	"quaywatch/engine/watchdogs"
	"quaywatch/form"
	"quaywatch/ship"
	"quaywatch/ship/watchdog"
	"quaywatch/sight"
	"quaywatch/users/access"
	"quaywatch/users/access/right"
	"quaywatch/users/library"
)

// Disclosure is what a user is told of an event.
type Disclosure uint8

// The verdicts.
const (
	Hidden Disclosure = iota
	Shown
	Later // the user may be told of it in a while
)

// LongestLater is how much later than by its delay a user may be told, because its positions come seldom. After it a ship that is heard no more
// holds up no other events.
const LongestLater = time.Hour

// Judge decides what users are told.
type Judge struct {
	Library *library.Library
	Sight   *sight.Sight
}

// Of decides what a listener is told of an event. It asks for no right: whether the user may see watchdogs at all is for the caller.
func (j Judge) Of(l *Listener, e *watchdogs.Event) Disclosure {
	if !j.MayKnow(l.User, e.Origin()) {
		return Hidden
	}
	committed := e.Known(j.Sight.Now())
	if l.Viewer.Late() && committed.After(l.Viewer.Now()) {
		return Later
	}
	if is, decides := ofNoShip(l.Viewer.SeesFeed, l.User, e); decides {
		return verdictOf(is)
	}
	return l.verdictOfShips(e, committed)
}

// Listener returns the listener that a user is, whose Viewer it is.
func (j Judge) Listener(v *sight.Viewer, user *access.User) *Listener {
	return ListenerOf(user, v, j.Sight.Now())
}

// Told reports whether a user that does not ask itself is told of an event by now. It asks for no right, as Of, and waits for no picture. A user with an
// interval may be told a little later than it says, or earlier.
func (j Judge) Told(o *sight.Onlooker, user *access.User, e *watchdogs.Event) bool {
	if !j.MayKnow(user, e.Origin()) || e.Known(j.Sight.Now()).After(o.ToldUntil()) {
		return false
	}
	if is, decides := ofNoShip(o.SeesFeed, user, e); decides {
		return is
	}
	if e.Manual != nil && e.Ship.MMSI == 0 || o.Everything() {
		return true
	}
	may := func(m ais.MMSI, fix *ship.Fix, feeds []string) bool {
		return fix != nil && o.May(sight.Sighting{MMSI: m, Time: e.At(), Place: fix.Point(), Feeds: feeds})
	}
	return may(e.Ship.MMSI, e.Fix, e.Feeds) && (e.Other == nil || may(e.Other.MMSI, e.Other.Fix, e.Other.Feeds))
}

// MayKnow reports whether a user may know of the events of an origin, whatever the ships.
func (j Judge) MayKnow(user *access.User, o watchdogs.EventOrigin) bool {
	return j.mayUse(user, o) && (o.Type != watchdog.Port || user.May(right.ViewPort) && user.May(right.ViewATAATD))
}

// ofNoShip decides whether a user is told of an event that tells of no ship.
func ofNoShip(seesFeed func(string) bool, user *access.User, e *watchdogs.Event) (is, decides bool) {
	switch {
	case e.Pause != nil: // it tells of the watchdog alone
		return true, true
	case e.Type == watchdog.Feed && e.Feed != nil:
		return seesFeed(e.Feed.Name), true
	case e.Type == watchdog.Box && e.Notice != nil:
		return user.May(right.GetSystemStatusInformation) && (e.Notice.Feed == "" || seesFeed(e.Notice.Feed)), true
	}
	return false, false
}

// seesShips reports whether a listener may know now of the ships that an event tells of. An event that tells of none hides nothing.
func (l *Listener) seesShips(e *watchdogs.Event) bool {
	return e.Ship.MMSI == 0 || l.verdictOfShips(e, e.At()) == Shown
}

// verdictOfShips decides what a listener is told of the ships of an event.
func (l *Listener) verdictOfShips(e *watchdogs.Event, committed time.Time) Disclosure {
	if e.Manual != nil && e.Ship.MMSI == 0 || l.SeesAll() {
		return Shown
	}
	verdict := ofShip(l.Viewer, e.At(), committed, e.Ship.MMSI, e.Fix, e.Feeds)
	if other := e.Other; other != nil && verdict != Hidden { // the event tells of both ships
		if also := ofShip(l.Viewer, e.At(), committed, other.MMSI, other.Fix, other.Feeds); also != Shown {
			return also
		}
	}
	return verdict
}

// seesNow reports whether a listener sees a ship where it is now.
func (l *Listener) seesNow(m ais.MMSI) bool {
	now, there := l.Viewer.Here(m)
	return there && now.HasFix && l.Viewer.May(sight.Sighting{MMSI: m, Time: now.Fix.Time(), Place: now.Fix.Point(), Feeds: now.Feeds.List()})
}

func verdictOf(is bool) Disclosure {
	if is {
		return Shown
	}
	return Hidden
}

// ofShip decides what a user is told of a ship at the time of an event.
func ofShip(v *sight.Viewer, at, committed time.Time, m ais.MMSI, fix *ship.Fix, feeds []string) Disclosure {
	now, err := v.Ship(m)
	if err != nil {
		return ofShipToCome(v, at, committed, m, fix, feeds)
	}
	if until, late := v.ToldUntil(&now); late && at.After(until) {
		if v.Now().Sub(committed) < LongestLater {
			return Later
		}
		return Hidden
	}
	if fix == nil {
		return Hidden // a filter may ask for the place
	}
	if !v.May(sight.Sighting{MMSI: m, Time: at, Place: fix.Point(), Feeds: feeds}) {
		return Hidden
	}
	return Shown
}

// ofShipToCome decides what a user is told of a ship that its picture does not tell of. The picture of a user that is told late may not hold it yet.
func ofShipToCome(v *sight.Viewer, at, committed time.Time, m ais.MMSI, fix *ship.Fix, feeds []string) Disclosure {
	if fix == nil || v.Now().Sub(committed) >= min(sight.StepsBehind(v), LongestLater) {
		return Hidden
	}
	if sight.Expects(v, sight.Sighting{MMSI: m, Time: at, Place: fix.Point(), Feeds: feeds}) {
		return Later
	}
	return Hidden
}

// mayUse reports whether a user may use the watchdog of an event. One that was deleted is that of its owner. An event that a user made is of no watchdog, and
// for everybody.
func (j Judge) mayUse(user *access.User, e watchdogs.EventOrigin) bool {
	if e.Type == watchdog.Distress { // it is for all
		return true
	}
	const admin = right.AdminWatchdogDefinitions
	if e.Manual {
		return true
	}
	r, ok := j.Library.Get(library.Watchdogs, strconv.FormatUint(e.Watchdog, 10))
	if !ok || r.ID != e.Watchdog {
		return user.MayUse(form.Owned{Owner: e.Owner}, admin)
	}
	return user.MayUse(r.Owned, admin)
}
