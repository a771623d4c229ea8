package tracks

import (
	"errors"
	"slices"
	"time"

	"quaywatch/access"
	"quaywatch/access/right"
	"quaywatch/ais"
	"quaywatch/geo/chart"
	"quaywatch/handlers/wire"
	"quaywatch/ship"
	"quaywatch/ship/portcall"
	"quaywatch/sight"
	"quaywatch/tracking"
	"quaywatch/voyage"
)

// told is a track as a caller is told of it.
type told struct {
	wire.Telling
	track       tracking.Track
	viewer      *sight.Viewer
	ports       *chart.Ports
	ship        *ship.State       // that is tracked, nil for none
	destination *ship.State       // nil for a destination that is no ship
	unknown     []ais.MMSI        // of these two, those of which nothing is known
	late        bool              // the caller is told late
	until       portcall.Millis   // up to which it is told then
	latest      tracking.Estimate // that the caller is told of
	coarse      bool              // the caller is told what was known at the last quarter of an hour
	way         bool              // it is told the way ahead
	passages    bool              // it is told of passages ahead
	owner       string            // name of the user
	groups      []string          // names of the groups with which it is shared, as far as the caller knows them
}

// toldTrack returns a track as a caller is told of it; false for a caller that is not told of it at all.
func (s *Server) toldTrack(v *sight.Viewer, who *access.User, t tracking.Track) (*told, bool, error) {
	seen := &told{track: t, viewer: v, ports: s.deps.Ports()}
	var shares bool
	if seen.owner, seen.groups, shares = s.shared(who, t.Owner); !shares {
		return nil, false, nil
	}
	var err error
	if seen.ship, err = seen.shipOf(t.Source.Ship); err == nil {
		seen.destination, err = seen.shipOf(t.Destination.Ship)
	}
	if errors.Is(err, sight.ErrUnknown) {
		return nil, false, nil
	}
	if err != nil {
		return nil, false, err
	}
	seen.Telling = wire.TellingOf(who, seen.ports, s.deps.Desk.Sight.Now())
	seen.passages = who.May(right.ViewPredictedPosition) && seen.seesDestination()
	seen.way = s.deps.IncludeRoute && who.May(right.ViewPredictedPosition)
	seen.coarse = !who.May(right.ViewATAATD)
	own := who.UID != "" && who.UID == t.Owner
	return seen, seen.cutUntold(own), nil
}

// shipOf returns a ship that the caller sees, nil for none. It returns a sight.ErrUnknown for one that is hidden. A ship of which the box knows nothing is its
// number alone. What was heard last goes with the end of the log in a power cut, and the track stays. It may be hidden from those that do not see all ships.
func (t *told) shipOf(m ais.MMSI) (*ship.State, error) {
	if m == 0 {
		return nil, nil
	}
	state, err := t.viewer.Ship(m)
	if errors.Is(err, sight.ErrUnknown) && t.viewer.Everything() && !t.viewer.Late() {
		t.unknown = append(t.unknown, m)
		return &ship.State{MMSI: m}, nil
	}
	return &state, err
}

// shared reports whether a user shares in the tracks of an owner. Such a user is the owner, has a group in common with it, or may administer users. It returns
// the name of the owner, and the groups in common.
func (s *Server) shared(who *access.User, uid string) (owner string, groups []string, shares bool) {
	own := who.UID != "" && who.UID == uid
	shares = own || who.MayAdminister()
	of, known := s.deps.Users.User(uid)
	if !known || of.UID != uid {
		return "", nil, shares
	}
	for _, group := range of.Groups {
		if !slices.Contains(who.Groups, group) {
			continue
		}
		shares = true
		if g, ok := s.deps.Users.Groups().Get(group); ok {
			groups = append(groups, g.Name)
		}
	}
	return of.Name, groups, shares
}

// cutUntold takes away what the caller is not told yet. It is false when the track itself is younger: then its owner alone knows of it.
func (t *told) cutUntold(own bool) bool {
	t.latest = t.track.Latest
	t.latest.Status = t.track.Status
	named := [2]uint64{t.track.Source.Port, t.track.Destination.Port}
	for i := range t.track.Visits {
		if v := &t.track.Visits[i]; !t.maySee(v) {
			*v = tracking.Visit{Port: named[i]}
		}
	}
	if t.ship == nil && t.destination == nil {
		return true
	}
	if t.coarse {
		t.asOfQuarter()
	}
	until, late := t.toldUntil()
	if !late {
		return true
	}
	if t.coarse {
		until = voyage.AtQuarter(until)
	}
	t.way = false // which begins where the ship was last
	t.late, t.until = true, portcall.Millis(until.UnixMilli())
	t.track.History = slices.DeleteFunc(slices.Clone(t.track.History), func(e tracking.Estimate) bool { return knownAt(&e) > t.until })
	t.latest = tracking.Estimate{Status: tracking.Pending}
	if n := len(t.track.History); n > 0 {
		t.latest = t.track.History[n-1]
	} else {
		t.track.Length = 0
	}
	t.track.Stale = t.latest.Status == tracking.PositionLost
	for i := range t.track.Visits {
		t.cutVisit(&t.track.Visits[i], named[i])
	}
	for i := range t.track.Waypoints {
		w := &t.track.Waypoints[i]
		if w.ETA = 0; w.ATA > t.until {
			w.ATA = 0
		}
	}
	return own || t.track.Created <= t.until
}

// asOfQuarter takes the track back to the last quarter of an hour. Before its way is known it is calculating.
func (t *told) asOfQuarter() {
	q, known := t.track.AsOfQuarter()
	if !known {
		q.Latest.Status = tracking.Calculating
		if t.track.Status == tracking.Pending || t.track.Status == tracking.NoRoute {
			q.Latest.Status = t.track.Status
		}
	}
	t.latest, t.track.Status, t.track.Stale, t.track.History = q.Latest, q.Latest.Status, q.Stale, q.History
	for i := range t.track.Waypoints {
		w := &t.track.Waypoints[i]
		w.ETA = q.WaypointETA(i, w.Position)
	}
}

// toldUntil returns the time up to which the caller is told of the ship and of a ship that is the destination. The way ahead tells of both. It is false for a
// caller that is told of both at once.
func (t *told) toldUntil() (until time.Time, late bool) {
	for _, of := range []*ship.State{t.ship, t.destination} {
		if of == nil {
			continue
		}
		if at, l := t.viewer.ToldUntil(of); l && (!late || at.Before(until)) {
			until, late = at, true
		}
	}
	return until, late
}

// maySee reports whether the caller might have seen the ship at a port when it called there.
func (t *told) maySee(v *tracking.Visit) bool {
	if v.Seen == 0 || t.ship == nil || t.viewer.Everything() {
		return true
	}
	port, ok := t.ports.ByID(v.Port)
	return ok && t.viewer.May(sight.Sighting{MMSI: t.ship.MMSI, Time: v.Seen.Time(), Place: port.Position})
}

// cutVisit takes away what the caller is not told yet of a call, but for the port that a user named.
func (t *told) cutVisit(v *tracking.Visit, known uint64) {
	if v.Seen > t.until {
		*v = tracking.Visit{Port: known}
	}
	if v.ATA > t.until {
		v.ATA = 0
	}
	if v.ATD > t.until {
		v.ATD = 0
	}
}

// silence is how long nothing was heard of a ship whose position is lost.
const silence = portcall.Millis(time.Hour / time.Millisecond)

// knownAt returns when an estimate could be made: that a ship is lost is known an hour after its last position.
func knownAt(e *tracking.Estimate) portcall.Millis {
	if e.Status == tracking.PositionLost {
		return e.At + silence
	}
	return e.At
}
