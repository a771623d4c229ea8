package telling

import (
	"context"
	"errors"
	"slices"
	"time"

	"quaywatch/ais"
	"quaywatch/engine/portcalls"
	"quaywatch/engine/tracking"
	"quaywatch/geo/chart"
	"quaywatch/ship"
	"quaywatch/ship/portcall"
	"quaywatch/sight"
	"quaywatch/store/records"
	"quaywatch/users/access"
	"quaywatch/users/access/right"
)

// TrackReader reads tracked ships as listeners are told of them, and changes those that a listener was told of. Whoever answers users has no other way to them.
type TrackReader struct {
	kept  *tracking.TrackedShips
	users *access.Users
	ports func() *chart.Ports
}

// NewTrackReader makes the reader of the tracks that are kept. ports gives the ports of now.
func NewTrackReader(kept *tracking.TrackedShips, users *access.Users, ports func() *chart.Ports) *TrackReader {
	return &TrackReader{kept, users, ports}
}

// ToldTrack is a track as a listener is told of it.
type ToldTrack struct {
	tracking.TrackedShip
	Now       tracking.Estimate // the latest that the listener is told of
	Ship      *ship.State       // that is tracked, nil for none
	Target    *ship.State       // that is the destination, nil for another destination
	Unknown   []ais.MMSI        // of these two, those of which nothing is known
	Late      bool              // the listener is told late
	Coarse    bool              // the listener is told what was known at the last quarter of an hour
	Way       bool              // it is told the way ahead
	Passages  bool              // it is told of passages ahead
	OwnerName string            // "" where the user is gone
	Groups    []string          // names of the groups with which it is shared, as far as the listener knows them

	until portcall.Millis // up to which the listener is told where it is told late
}

// All returns the tracks that a listener sees and that are asked for, the oldest first. It fails when ctx ends.
func (k *TrackReader) All(ctx context.Context, l *Listener, asked func(*tracking.TrackedShip) bool) (list []*ToldTrack, err error) {
	for _, t := range k.kept.All() {
		if !asked(&t) {
			continue
		}
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		told, sees, err := k.toldTrack(l, t)
		if err != nil {
			return nil, err
		}
		if sees {
			list = append(list, told)
		}
	}
	return list, nil
}

// ByID returns a track by its number as a listener is told of it. It fails with tracking.ErrUnknown where the listener may know of no such track.
func (k *TrackReader) ByID(l *Listener, id int64) (*ToldTrack, error) {
	t, err := k.kept.Get(id)
	if err != nil {
		return nil, err
	}
	told, sees, err := k.toldTrack(l, t)
	if err == nil && !sees {
		err = tracking.ErrUnknown
	}
	return told, err
}

// Start begins a track, as tracking.Start does. A track of another owner counts as that of the user where the user shares in it. A track that does not go on
// goes on where the user is not told its end yet.
func (k *TrackReader) Start(l *Listener, r tracking.NewTrack, also func(id int64) records.CommitPart) (id int64, fresh bool, err error) {
	r.Shares = func(owner string) bool {
		_, _, shares := k.shares(l.User, owner)
		return shares
	}
	r.Goes = func(t tracking.TrackedShip) bool {
		told, sees, err := k.toldTrack(l, t)
		return err == nil && sees && (told.Late || told.Coarse) && told.Now.Status != tracking.Arrived && !told.Now.Status.Over()
	}
	return k.kept.Start(r, also)
}

// Delete forgets a track, as tracking.Delete does.
func (k *TrackReader) Delete(t *ToldTrack, also records.CommitPart) error {
	return k.kept.Delete(t.ID, also)
}

// Update replaces the ERP information of a track, as tracking.Update does.
func (k *TrackReader) Update(t *ToldTrack, erp []byte, at time.Time, also records.CommitPart) error {
	return k.kept.Update(t.ID, erp, at, also)
}

// Ask keeps what the port asks of the ship of a track, as tracking.Ask does.
func (k *TrackReader) Ask(t *ToldTrack, r tracking.Requested, also records.CommitPart) error {
	return k.kept.Ask(t.ID, r, also)
}

// SpeedFor returns the speeds at which the ship arrives as it is asked to; false where that cannot be told. To listeners that are told late it would tell where
// the ship is now, and to those without view_ata_atd that it has arrived.
func (k *TrackReader) SpeedFor(t *ToldTrack, r tracking.Requested) (tracking.Speeds, bool) {
	if t.Late || t.Coarse {
		return tracking.Speeds{}, false
	}
	return k.kept.SpeedFor(t.ID, r)
}

// SeesDestination reports whether a listener may know where the destination of a track is.
func (l *Listener) SeesDestination(t *tracking.TrackedShip) bool {
	return t.Destination.Port == 0 || SeesPort(l.User, t.Destination.Port)
}

// shares reports whether a user shares in the tracks of an owner. Such a user is the owner, has a group in common with it, or may administer users. It returns
// the name of the owner, and the groups in common.
func (k *TrackReader) shares(user *access.User, uid string) (owner string, groups []string, shares bool) {
	shares = user.UID != "" && user.UID == uid || user.MayAdminister()
	of, known := k.users.User(uid)
	if !known || of.UID != uid {
		return "", nil, shares
	}
	for _, group := range of.Groups {
		if !slices.Contains(user.Groups, group) {
			continue
		}
		shares = true
		if g, ok := k.users.Groups().Get(group); ok {
			groups = append(groups, g.Name)
		}
	}
	return of.Name, groups, shares
}

// toldTrack returns a track as a listener is told of it; false where it is not told of it at all.
func (k *TrackReader) toldTrack(l *Listener, t tracking.TrackedShip) (*ToldTrack, bool, error) {
	told := &ToldTrack{TrackedShip: t, Coarse: !l.KnowsTimes()}
	var shares bool
	if told.OwnerName, told.Groups, shares = k.shares(l.User, t.Owner); !shares {
		return nil, false, nil
	}
	var err error
	if told.Ship, err = told.shipOf(l, t.Source.Ship); err == nil {
		told.Target, err = told.shipOf(l, t.Destination.Ship)
	}
	if errors.Is(err, sight.ErrUnknown) {
		return nil, false, nil
	}
	if err != nil {
		return nil, false, err
	}
	told.Way = l.User.May(right.ViewPredictedPosition)
	told.Passages = told.Way && l.SeesDestination(&t)
	own := l.User.UID != "" && l.User.UID == t.Owner
	return told, told.cutUntold(l, k.ports(), own), nil
}

// shipOf returns a ship that the listener sees, nil for none. It fails with sight.ErrUnknown for a ship that is hidden. What was heard last goes with the end of
// the log in a power cut, and the track stays. So the box may know nothing of its ship.
func (t *ToldTrack) shipOf(l *Listener, m ais.MMSI) (*ship.State, error) {
	if m == 0 {
		return nil, nil
	}
	state, err := l.Viewer.Ship(m)
	if errors.Is(err, sight.ErrUnknown) && l.SeesAll() {
		t.Unknown = append(t.Unknown, m)
		return &ship.State{MMSI: m}, nil
	}
	return &state, err
}

// cutUntold takes away what the listener is not told yet. It is false when the track itself is younger: then its owner alone knows of it.
func (t *ToldTrack) cutUntold(l *Listener, ports *chart.Ports, own bool) bool {
	t.Now = t.Latest
	t.Now.Status = t.Status
	named := [2]uint64{t.Source.Port, t.Destination.Port}
	for i := range t.Visits {
		if v := &t.Visits[i]; !t.mayKnowVisit(l, ports, v) {
			*v = tracking.PortVisit{Port: named[i]}
		}
	}
	if t.Ship == nil && t.Target == nil {
		return true
	}
	if t.Coarse {
		t.goBackToQuarter()
	}
	until, late := t.toldUntil(l)
	if !late {
		return true
	}
	t.Way = false // which begins where the ship was last
	t.Late, t.until = true, portcall.Millis(until.UnixMilli())
	t.cutHistory()
	for i := range t.Visits {
		t.cutVisit(&t.Visits[i], named[i])
	}
	for i := range t.Waypoints {
		w := &t.Waypoints[i]
		if w.ETA = 0; w.ATA > t.until {
			w.ATA = 0
		}
	}
	return own || t.Created <= t.until
}

// cutHistory takes away the estimates that a listener which is told late is not told yet.
func (t *ToldTrack) cutHistory() {
	t.History = slices.DeleteFunc(slices.Clone(t.History), func(e tracking.Estimate) bool { return knownAt(&e) > t.until })
	t.Now = tracking.Estimate{Status: tracking.Pending}
	if n := len(t.History); n > 0 {
		t.Now = t.History[n-1]
	} else {
		t.Length = 0
	}
	t.Stale = t.Now.Status == tracking.PositionLost
}

// goBackToQuarter takes the track back to the last quarter of an hour. Before its way is known it is calculating.
func (t *ToldTrack) goBackToQuarter() {
	q, known := t.AsOfQuarter()
	if !known {
		q.Latest.Status = tracking.Calculating
		if t.Status == tracking.Pending || t.Status == tracking.NoRoute {
			q.Latest.Status = t.Status
		}
	}
	t.Now, t.Status, t.Stale, t.History = q.Latest, q.Latest.Status, q.Stale, q.History
	for i := range t.Waypoints {
		w := &t.Waypoints[i]
		w.ETA = q.WaypointETA(i, w.Position)
	}
}

// toldUntil returns the time up to which the listener is told of the ship and of a ship that is the destination. The way ahead tells of both. It is false for a
// listener that is told of both at once.
func (t *ToldTrack) toldUntil(l *Listener) (until time.Time, late bool) {
	for _, of := range []*ship.State{t.Ship, t.Target} {
		if of == nil {
			continue
		}
		if at, l := l.Viewer.ToldUntil(of); l && (!late || at.Before(until)) {
			until, late = at, true
		}
	}
	if late && t.Coarse {
		until = portcalls.AtQuarter(until)
	}
	return until, late
}

// mayKnowVisit reports whether the listener might have seen the ship at a port when it called there.
func (t *ToldTrack) mayKnowVisit(l *Listener, ports *chart.Ports, v *tracking.PortVisit) bool {
	if v.Seen == 0 || t.Ship == nil || l.Viewer.Everything() {
		return true
	}
	port, ok := ports.ByID(v.Port)
	return ok && l.Viewer.May(sight.Sighting{MMSI: t.Ship.MMSI, Time: v.Seen.Time(), Place: port.Position})
}

// cutVisit takes away what the listener is not told yet of a call, but for the port that a user named.
func (t *ToldTrack) cutVisit(v *tracking.PortVisit, known uint64) {
	if v.Seen > t.until {
		*v = tracking.PortVisit{Port: known}
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
