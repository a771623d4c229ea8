package tracking

import (
	"cmp"
	"context"
	"errors"
	"maps"
	"slices"
	"sync"
	"time"

	"quaywatch/engine/portcalls"
	"quaywatch/geo"
	"quaywatch/geo/route"
	"quaywatch/store/records"
)

// Run looks for the ways of tracks, and stores what is new, until ctx is done. What is new does not wait for a way.
func (t *TrackedShips) Run(ctx context.Context) error {
	var seeking sync.WaitGroup
	defer seeking.Wait()
	seeking.Go(func() { t.seekOn(ctx) })
	tick := time.NewTicker(time.Second)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-tick.C:
			t.followPorts()
			t.Read(ctx)
			t.tellCalls(ctx)
			t.Save()
			t.Raise()
		}
	}
}

// seekOn finds ways until ctx is done.
func (t *TrackedShips) seekOn(ctx context.Context) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-t.kick:
			t.Seek(ctx)
		}
	}
}

// followPorts takes the ports of now when they have changed. The tracks to a port that is gone end.
func (t *TrackedShips) followPorts() {
	now := t.config.Ports()
	if now == t.ports {
		return
	}
	t.ports = now
	goals := map[uint64]goal{}
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, track := range t.tracks {
		id := track.Destination.Port
		if id == 0 || track.Status.Over() {
			continue
		}
		port, there := now.ByID(id)
		if !there {
			track.changeStatus(Ended, millisOf(t.now))
			t.noteChange(track)
			continue
		}
		g, made := goals[id]
		if !made {
			g = portGoal(port)
			goals[id] = g
		}
		moved := g.middle != track.goal.middle
		if track.goal = g; moved && track.Status != Arrived {
			t.want(track)
		}
	}
}

// Stop stores where each ship stands. It is called when the picture has ended.
func (t *TrackedShips) Stop() {
	t.mu.Lock()
	for _, track := range t.tracks {
		track.changed = true
	}
	t.mu.Unlock()
	t.Save()
}

// longestSearch is how long the way of one track is looked for: those of others wait. Many waypoints far inland take minutes.
const longestSearch = 30 * time.Second

// Seek finds the ways that tracks wait for.
func (t *TrackedShips) Seek(ctx context.Context) {
	for {
		track, q, ok := t.next()
		if !ok {
			return
		}
		found, err := t.find(ctx, &q)
		if ctx.Err() != nil {
			return
		}
		t.takeWay(track, &q, found, err)
	}
}

// question asks for the way of one track.
type question struct {
	legs []route.Query
	away bool // the ship may have skipped the waypoint at the end of the first leg
	next int  // the index of that waypoint
	skip bool // it has
}

// find finds the way of one track. A ship that left its way and has its next waypoint abaft the beam may have skipped it. It has skipped it when it has less to
// sail to the stop after the waypoint than there is from the waypoint.
func (t *TrackedShips) find(ctx context.Context, q *question) (ways, error) {
	ctx, cancel := context.WithTimeout(ctx, t.search)
	defer cancel()
	if q.away {
		past := q.legs[1]
		past.From = q.legs[0].From
		direct, err := t.fitting(ctx, past)
		if err == nil {
			from, errFrom := t.fitting(ctx, q.legs[1])
			q.skip = errFrom != nil || direct.Distance < from.Distance
		}
		if q.skip {
			q.legs = append([]route.Query{past}, q.legs[2:]...)
		}
	}
	return t.both(ctx, q.legs)
}

// next returns a track that waits for a way, and what is to be asked.
func (t *TrackedShips) next() (track *TrackedShip, q question, ok bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for id := range t.seek {
		delete(t.seek, id)
		track = t.tracks[id]
		from, placed := t.wayBegin(track)
		if !placed || !track.goal.known || !track.Status.isAhead() {
			continue
		}
		leg := route.Query{Closed: t.config.Closed, Draught: cmp.Or(track.Source.Draught, track.draught), Length: track.length, Beam: track.beam,
			Through: track.passagesTaken()}
		q.next = track.nextWaypoint()
		for _, w := range track.Waypoints[q.next:] {
			leg.From, leg.To = from, w.Position
			q.legs = append(q.legs, leg)
			from = w.Position
		}
		leg.From, leg.To = from, track.goal.middle
		q.legs = append(q.legs, leg)
		q.away, track.away = track.away && len(q.legs) > 1, false
		return track, q, true
	}
	return nil, q, false
}

// wayBegin returns where the way of a track begins.
func (t *TrackedShips) wayBegin(track *TrackedShip) (geo.Point, bool) {
	s := &track.Source
	switch {
	case s.Ship != 0 && track.fix.At != 0:
		return track.fix.Point(), true
	case s.Position != nil:
		return *s.Position, true
	case len(s.Location) > 0:
		return s.Location[0].Middle(), true
	case s.Port != 0:
		if port, ok := t.config.Ports().ByID(s.Port); ok && port.Placed {
			return port.Position, true
		}
	}
	return geo.Point{}, false
}

// takeWay takes a way that was found, or why there is none.
func (t *TrackedShips) takeWay(track *TrackedShip, q *question, w ways, err error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.tracks[track.ID] != track || !track.Status.isAhead() {
		return
	}
	t.noteChange(track)
	now := max(track.Heard, millisOf(t.now))
	if err != nil {
		if !errors.Is(err, route.ErrNoRoute) && !errors.Is(err, route.ErrTooDeep) && !errors.Is(err, route.ErrOnLand) {
			t.config.Log.Warn("the way of a tracked ship is not known", "track", track.ID, "error", err)
		}
		track.tried = now
		track.changeStatus(NoRoute, now)
		return
	}
	if track.nextWaypoint() != q.next { // passed meanwhile, or others were given
		t.want(track)
		return
	}
	if q.skip {
		track.skip()
	}
	had, left := track.way, 0.0
	if had != nil {
		left = track.metresLeft()
	}
	if track.lead(&w) {
		t.want(track)
	}
	t.profileOf(track)
	if track.Length == 0 {
		track.Length, track.changed = track.way.end, true
	}
	if track.Source.Ship == 0 {
		return
	}
	track.behind, _ = track.way.distancesAt(track.fix.Point(), offMetres)
	track.wrong(had, left, now)
	track.changeStatus(track.movingStatus(now), now)
	track.updateETA(track.Heard, &t.records)
}

// Read reads how ships came into port that arrived.
func (t *TrackedShips) Read(ctx context.Context) {
	t.mu.Lock()
	list := t.arrivals
	t.arrivals = nil
	t.mu.Unlock()
	for i, a := range list {
		if ctx.Err() != nil {
			t.mu.Lock()
			t.arrivals = append(list[i:], t.arrivals...)
			t.mu.Unlock()
			return
		}
		t.readApproach(ctx, a)
	}
}

// readApproach reads how a ship came into port.
func (t *TrackedShips) readApproach(ctx context.Context, a arrived) {
	track, err := t.config.DB.Track(ctx, a.mmsi, a.at.Add(-longestApproach).Time(), a.at.Time())
	if err != nil {
		t.config.Log.Warn("how a ship came into port is not known", "ship", a.mmsi, "error", err)
		return
	}
	found, any := approachOf(track.Trusted(), a.at)
	if !any {
		return
	}
	found.Seen, found.MMSI, found.At, found.Late = a.seen, a.mmsi, a.at, a.late
	if s, ok := t.config.Ship(a.mmsi); ok {
		found.Group = typeGroup(s.Static)
	}
	_ = t.config.Calls(ctx, a.mmsi, time.Time{}, a.seen.Time(), func(c *portcalls.KeptCall) bool { // without it the approach counts for all
		if !c.Found.Alongside() {
			return true
		}
		found.From = c.Found.Port
		return false
	})
	t.keepApproach(a.port, found)
}

// keepApproach keeps an approach; of one call the latest counts.
func (t *TrackedShips) keepApproach(port uint64, approach Approach) {
	t.mu.Lock()
	defer t.mu.Unlock()
	list := slices.DeleteFunc(slices.Clone(t.approaches[port]), func(a Approach) bool { return a.MMSI == approach.MMSI && a.Seen == approach.Seen })
	list = dropApproach(append(list, approach), approach.Group)
	t.approaches[port], t.dirty.ports[port] = list, true
	maps.DeleteFunc(t.profiles, func(k profileKey, _ *profile) bool { return k.port == port })
	for _, track := range t.tracks {
		if track.Destination.Port == port {
			t.profileOf(track)
		}
	}
}

// Save stores what is new now, and removes the tracks that were over long ago. What could not be stored is tried again the next time; the log tells it
// once.
func (t *TrackedShips) Save() {
	t.writing.Lock()
	defer t.writing.Unlock()
	work := t.takeUnsaved()
	if work.isEmpty() {
		return
	}
	err := t.config.DB.Together(func(tx *records.Tx) error { return t.write(tx, &work) })
	if err != nil {
		t.markUnstored(&work)
	} else {
		t.markStored(&work)
	}
	t.outage.Note(t.config.Log, err, "tracks cannot be stored; they are tried again each second", "tracks are stored again")
}

// unsaved is what is to be stored.
type unsaved struct {
	tracks  []TrackedShip
	gone    []int64
	ports   map[uint64][]Approach
	records map[int]record
}

func (u *unsaved) isEmpty() bool { return len(u.tracks)+len(u.gone)+len(u.ports)+len(u.records) == 0 }

// takeUnsaved takes copies of what is to be stored.
func (t *TrackedShips) takeUnsaved() (u unsaved) {
	t.mu.Lock()
	defer t.mu.Unlock()
	oldest := millisOf(portcalls.AtQuarter(t.now.Add(-t.config.Keep))) // so that its end does not tell the minute of the departure
	for _, track := range t.tracks {
		switch {
		case track.Finished != 0 && track.Finished < oldest && !t.now.IsZero():
			t.dropTrack(track)
			t.dirty.gone[track.ID] = true
		case track.changed:
			track.changed = false
			u.tracks = append(u.tracks, track.clone())
		}
	}
	u.ports, u.records = map[uint64][]Approach{}, map[int]record{}
	for id := range t.dirty.gone {
		u.gone = append(u.gone, id)
	}
	for id := range t.dirty.ports {
		u.ports[id] = t.approaches[id]
	}
	for n := range t.dirty.records {
		u.records[n] = record{slices.Clone(t.records[n].Ratios)}
	}
	clear(t.dirty.gone)
	clear(t.dirty.ports)
	clear(t.dirty.records)
	return u
}

func (t *TrackedShips) write(tx *records.Tx, u *unsaved) error {
	for i := range u.tracks {
		if err := t.rows.PutIn(tx, uint64(u.tracks[i].ID), "", u.tracks[i]); err != nil {
			return err
		}
	}
	for _, id := range u.gone {
		if err := t.rows.FreeIn(tx, uint64(id)); err != nil {
			return err
		}
	}
	for id, list := range u.ports {
		if _, err := t.approached.SetIn(tx, id, "", list); err != nil {
			return err
		}
	}
	for n, r := range u.records {
		if _, err := t.erred.SetIn(tx, uint64(n)+1, "", r); err != nil {
			return err
		}
	}
	return nil
}

// markStored notes what was stored, which readers are told from now on.
func (t *TrackedShips) markStored(u *unsaved) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for i := range u.tracks {
		if track := t.tracks[u.tracks[i].ID]; track != nil {
			track.markStored(&u.tracks[i])
			t.noteChange(track)
		}
	}
}

// markUnstored notes what is to be stored once more.
func (t *TrackedShips) markUnstored(u *unsaved) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for i := range u.tracks {
		if track := t.tracks[u.tracks[i].ID]; track != nil {
			track.changed = true
		}
	}
	for _, id := range u.gone {
		t.dirty.gone[id] = true
	}
	for id := range u.ports {
		t.dirty.ports[id] = true
	}
	for n := range u.records {
		t.dirty.records[n] = true
	}
}
