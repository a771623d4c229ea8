package tracking

import (
	"context"
	"encoding/json"
	"slices"
	"time"

	"quaywatch/engine/portcalls"
	"quaywatch/geo"
	"quaywatch/internal/rule"
	"quaywatch/ship"
	"quaywatch/store/records"
)

// NewTrack is a track that a user starts. Its ends are resolved.
type NewTrack struct {
	Owner               string
	Shares              func(owner string) bool // whether tracks of another owner count as those of this one; nil is no
	Goes                func(TrackedShip) bool  // whether a track that does not go on goes on for all that the user is told; nil is no
	Source, Destination End
	Waypoints           []geo.Point     // nil keeps those of a track that there is
	ERP                 json.RawMessage // nil for none
	State               *ship.State     // of the ship, nil where the source is none
	At                  time.Time
}

// The errors of too much. MostOwn is how many tracks one user may have, so that none takes all the places.
var (
	ErrOwnTracks = rule.New("own_tracks", "one user may have at most {max} tracks; delete old ones", "max", MostOwn)
	ErrOwnBytes  = rule.New("own_track_bytes", "the tracks of one user may keep at most {max} bytes; delete old ones", "max", mostOwnBytes)
	ErrFull      = rule.New("too_many_tracks", "there may be at most {max} tracks; delete old ones", "max", Most)
)

// Start begins a track in one commit with also, and returns its number. A ship that is tracked there already gets its waypoints and ERP anew; fresh is
// then false.
func (t *TrackedShips) Start(r NewTrack, also func(id int64) records.CommitPart) (id int64, fresh bool, err error) {
	t.writing.Lock()
	defer t.writing.Unlock()
	if track, ok := t.sameTrack(&r); ok {
		if err := t.checkRoom(track.Owner, 0, len(r.ERP)-len(track.ERP)); err != nil {
			return 0, false, err
		}
		return track.ID, false, t.rewrite(track, func(now *TrackedShip) { now.applyRequest(&r) }, also(track.ID))
	}
	track := &TrackedShip{Owner: r.Owner, Source: r.Source, Destination: r.Destination, Created: millisOf(r.At)}
	track.applyRequest(&r)
	if r.State != nil && r.State.HasFix {
		track.Status = Calculating
	}
	if err := t.departureOf(track); err != nil {
		return 0, false, err
	}
	t.makeGoal(track)
	track.recallMotion(&t.config)
	if err := t.checkRoom(track.Owner, 1, track.weight()); err != nil {
		return 0, false, err
	}
	err = t.config.DB.Together(func(tx *records.Tx) error {
		number, err := t.rows.SetIn(tx, 0, "", *track)
		if err != nil {
			return err
		}
		track.ID = int64(number)
		return also(track.ID)(tx)
	})
	if err != nil {
		return 0, false, err
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.add(track)
	if r.State != nil && r.State.HasFix && track.Heard == 0 {
		track.addPosition(r.State.Fix, &t.records)
	}
	return track.ID, true, nil
}

// applyRequest writes what a user gives.
func (t *TrackedShip) applyRequest(r *NewTrack) {
	t.Updated = millisOf(r.At)
	if r.ERP != nil {
		t.ERP = r.ERP
		t.plan(t.Updated)
	}
	same := r.Waypoints == nil || slices.EqualFunc(t.Waypoints, r.Waypoints, func(w Waypoint, p geo.Point) bool { return w.Position == p })
	if same {
		return
	}
	t.Waypoints, t.way, t.Length = nil, nil, 0
	for _, p := range r.Waypoints {
		t.Waypoints = append(t.Waypoints, Waypoint{Position: p})
	}
}

// sameTrack returns the track of the same ship to the same destination that goes on, of the owner or one that shares.
func (t *TrackedShips) sameTrack(r *NewTrack) (*TrackedShip, bool) {
	var all []*TrackedShip
	var copies []TrackedShip
	t.mu.Lock()
	for _, ship := range t.ships[r.Source.Ship] {
		if r.Source.Ship != 0 && ship.Source.Ship == r.Source.Ship && ship.Destination.equal(&r.Destination) {
			all, copies = append(all, ship), append(copies, ship.clone())
		}
	}
	t.mu.Unlock()
	for i := range copies {
		track := &copies[i]
		if track.Owner != r.Owner && (r.Shares == nil || !r.Shares(track.Owner)) {
			continue
		}
		if track.Status.isAhead() || r.Goes != nil && r.Goes(*track) {
			return all[i], true
		}
	}
	return nil, false
}

func (e *End) equal(o *End) bool {
	a, errA := json.Marshal(e)
	b, errB := json.Marshal(o)
	return errA == nil && errB == nil && string(a) == string(b)
}

// longTrip is how many metres of a trip tell the speed of a ship.
const longTrip = 30 * 1852

// departureOf finds the port where the ship is, or that it left last.
func (t *TrackedShips) departureOf(track *TrackedShip) error {
	if track.Source.Port != 0 {
		track.Visits[0].Port = track.Source.Port
	}
	track.Visits[1].Port = track.Destination.Port
	if track.Source.Ship == 0 {
		return nil
	}
	return t.config.Calls(context.Background(), track.Source.Ship, time.Time{}, track.Created.Time(), func(c *portcalls.KeptCall) bool {
		if !c.Found.Alongside() && c.Found.Port == track.Destination.Port {
			return true // it lies off its destination
		}
		if c.Found.Alongside() || c.Found.Open() {
			track.departure(c)
			if then, known := c.AsOf(portcalls.AtQuarter(track.Created.Time()), ""); known {
				_, lies := then.Found.Lies()
				track.lay = then.Found.Open() && (lies || then.Departed().IsZero())
			}
			if trip := c.Trip; trip != nil && trip.Metres > longTrip && trip.Gap == 0 && trip.AvgSOG > underWay {
				track.Before = trip.AvgSOG
			}
			return false
		}
		return true
	})
}

// held returns a track itself, for the holder of writing.
func (t *TrackedShips) held(id int64) (*TrackedShip, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if track, ok := t.tracks[id]; ok {
		return track, nil
	}
	return nil, ErrUnknown
}

// Update writes the ERP information of a track, in one commit with also.
func (t *TrackedShips) Update(id int64, erp json.RawMessage, at time.Time, also records.CommitPart) error {
	t.writing.Lock()
	defer t.writing.Unlock()
	track, err := t.held(id)
	if err != nil {
		return err
	}
	if err := t.checkRoom(track.Owner, 0, len(erp)-len(track.ERP)); err != nil {
		return err
	}
	return t.rewrite(track, func(now *TrackedShip) {
		now.ERP, now.Updated = erp, millisOf(at)
		now.plan(now.Updated)
	}, also)
}

// rewrite changes a track as a user wants it, in one commit with also. The caller holds writing.
func (t *TrackedShips) rewrite(track *TrackedShip, change func(*TrackedShip), also records.CommitPart) error {
	t.mu.Lock()
	now := track.clone()
	t.mu.Unlock()
	change(&now)
	err := t.config.DB.Together(func(tx *records.Tx) error { return t.rows.PutIn(tx, uint64(track.ID), "", now) }, also)
	if err != nil {
		return err
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	track.Updated, track.ERP, track.Plans, track.Requests = now.Updated, now.ERP, now.Plans, now.Requests // read without the lock, because it may be long
	if now.way == nil {
		track.Waypoints, track.way, track.Length = now.Waypoints, nil, now.Length
	}
	t.tellOf(track)
	t.noteChange(track)
	if track.way == nil && track.Status.isAhead() {
		t.want(track)
	}
	return nil
}

// Delete removes a track, in one commit with also.
func (t *TrackedShips) Delete(id int64, also records.CommitPart) error {
	t.writing.Lock()
	defer t.writing.Unlock()
	track, err := t.held(id)
	if err != nil {
		return err
	}
	if err := t.rows.Delete(uint64(id), also); err != nil {
		return err
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.dropTrack(track)
	return nil
}
