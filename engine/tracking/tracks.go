package tracking

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"maps"
	"slices"
	"sync"
	"time"

	"quaywatch/ais"
	"quaywatch/engine/portcalls"
	"quaywatch/geo"
	"quaywatch/geo/chart"
	"quaywatch/geo/route"
	"quaywatch/internal/rule"
	"quaywatch/internal/wake"
	"quaywatch/ship"
	"quaywatch/ship/portcall"
	"quaywatch/store"
	"quaywatch/store/outage"
	"quaywatch/store/track"
)

// ErrUnknown says that there is no such track.
var ErrUnknown = errors.New("no such track is known")

// Most is how many tracks there may be.
const Most = 10_000

// DefaultKeep is how long a track that is over is kept for those that ask for it.
const DefaultKeep = 24 * time.Hour

// Config is what TrackedShips are made of. DB, Ports, Find, Ship and Calls must be given.
type Config struct {
	DB     *store.DB
	Ports  func() *chart.Ports                                         // the ports of now
	Find   func(ctx context.Context, q route.Query) (route.Way, error) // the way by sea
	Closed []string                                                    // passages that no way takes
	Ship   func(ais.MMSI) (ship.State, bool)                           // as it is now
	Keep   time.Duration                                               // 0 is DefaultKeep
	Log    *slog.Logger                                                // nil logs nothing

	// Calls returns the calls of a ship, as portcalls.Calls.Calls does, and Said keeps with a call what was said of it before.
	Calls func(ctx context.Context, m ais.MMSI, begin, end time.Time, take func(*portcalls.KeptCall) (more bool)) error
	Said  func(call int64, said []portcalls.Time) error
}

// TrackedShips are the ships that are tracked. It is a traffic.Observer: hand it to Picture.Run after portcalls.Calls, and Called to portcalls.Config.
//
// Locks: writing is held while the database writes. What the picture needs is guarded by mu, which is taken after it and held for a moment.
type TrackedShips struct {
	config     Config
	rows       *store.Table[TrackedShip]
	approached *store.Table[[]Approach]
	erred      *store.Table[record]
	tracked    sync.Map // of ais.MMSI: the ships of tracks, without a lock, because the picture asks under its own
	changes    wake.Signal
	search     time.Duration // longestSearch

	writing sync.Mutex
	outage  outage.Logger

	ports *chart.Ports // that the goals are of; for the goroutine of Run alone

	mu         sync.Mutex
	tracks     map[int64]*TrackedShip
	ships      map[ais.MMSI][]*TrackedShip // by the ship that is tracked, and by a ship that is the destination
	owned      map[string]int              // how many tracks each user has
	approaches map[uint64][]Approach       // by port
	profiles   map[profileKey]*profile     // of approaches; nil where they are too few
	records    records
	exceeded   exceeded
	seek       map[int64]bool             // tracks that need a way
	telling    map[int64][]portcalls.Time // of calls, what they are to be told
	arrivals   []arrived                  // whose approaches are still to be read
	dirty      dirty
	now        time.Time
	quarter    time.Time // for which Track.quarter of each is
	waited     time.Time
	kick       wake.Kick
	change     uint64           // of tracks, as readers see them
	raised     uint64           // the change that readers were last woken for
	removed    map[int64]uint64 // tracks that are gone, by their change
}

// dirty is what is to be stored beside tracks that changed.
type dirty struct {
	gone    map[int64]bool
	ports   map[uint64]bool
	records map[int]bool
}

// arrived is an arrival at a port.
type arrived struct {
	mmsi     ais.MMSI
	port     uint64
	at, seen portcall.Millis
	late     [lateTimes]*int32 // as of Approach
}

// Open reads the tracks that are kept, and follows the ships to the end of what is recorded.
func Open(c Config) (*TrackedShips, error) {
	if c.Log == nil {
		c.Log = slog.New(slog.DiscardHandler)
	}
	c.Keep = cmp.Or(c.Keep, DefaultKeep)
	t := &TrackedShips{config: c, tracks: map[int64]*TrackedShip{}, ships: map[ais.MMSI][]*TrackedShip{}, owned: map[string]int{}, approaches: map[uint64][]Approach{},
		profiles: map[profileKey]*profile{}, telling: map[int64][]portcalls.Time{}, seek: map[int64]bool{},
		removed: map[int64]uint64{}, search: longestSearch, kick: wake.NewKick(), dirty: dirty{map[int64]bool{}, map[uint64]bool{}, map[int]bool{}}}
	var err error
	if t.exceeded, err = newExceeded(); err != nil {
		return nil, err
	}
	if err := t.read(); err != nil {
		return nil, err
	}
	t.ports = c.Ports()
	for _, track := range t.tracks {
		t.catchUp(track)
	}
	return t, nil
}

func (t *TrackedShips) read() error {
	table, rows, err := store.ReadTable[TrackedShip](t.config.DB, "tracks")
	if err != nil {
		return err
	}
	t.rows = table
	for i := range rows {
		track := &rows[i].Value
		track.ID = int64(rows[i].ID)
		track.stored = track.Visits[1]
		t.makeGoal(track)
		t.add(track)
	}
	approached, ports, err := store.ReadTable[[]Approach](t.config.DB, "approaches")
	if err != nil {
		return err
	}
	t.approached = approached
	for _, row := range ports {
		t.approaches[row.ID] = row.Value
	}
	erred, errs, err := store.ReadTable[record](t.config.DB, "eta_errors")
	if err != nil {
		return err
	}
	t.erred = erred
	for _, row := range errs {
		if row.ID >= 1 && row.ID <= uint64(len(t.records)) {
			t.records[row.ID-1] = row.Value
		}
	}
	return nil
}

// add puts a track in its places. The caller holds mu, or is alone.
func (t *TrackedShips) add(track *TrackedShip) {
	t.tracks[track.ID] = track
	t.owned[track.Owner]++
	t.noteChange(track)
	for _, m := range []ais.MMSI{track.Source.Ship, track.Destination.Ship} {
		if m != 0 {
			t.ships[m] = append(t.ships[m], track)
			t.tracked.Store(m, true)
		}
	}
	if track.Status.isAhead() {
		t.want(track)
	}
}

// dropTrack takes a track out of its places.
func (t *TrackedShips) dropTrack(track *TrackedShip) {
	delete(t.tracks, track.ID)
	delete(t.seek, track.ID)
	if t.owned[track.Owner]--; t.owned[track.Owner] == 0 {
		delete(t.owned, track.Owner)
	}
	for _, m := range []ais.MMSI{track.Source.Ship, track.Destination.Ship} {
		if t.ships[m] = slices.DeleteFunc(t.ships[m], func(o *TrackedShip) bool { return o == track }); len(t.ships[m]) == 0 {
			delete(t.ships, m)
			t.tracked.Delete(m)
		}
	}
	if len(t.removed) >= 10*Most {
		clear(t.removed)
	}
	t.change++
	t.removed[track.ID] = t.change
}

// noteChange notes that readers see a track otherwise than before.
func (t *TrackedShips) noteChange(track *TrackedShip) {
	t.change++
	track.change = t.change
}

// Changed returns a channel that is closed when tracks have changed, at most once a second.
func (t *TrackedShips) Changed() <-chan struct{} { return t.changes.Next() }

// Since returns the tracks that changed or went after a change, and the latest change.
func (t *TrackedShips) Since(change uint64) (ids []int64, latest uint64) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for id, track := range t.tracks {
		if track.change > change {
			ids = append(ids, id)
		}
	}
	for id, at := range t.removed {
		if at > change {
			ids = append(ids, id)
		}
	}
	slices.Sort(ids)
	return ids, t.change
}

// Raise wakes the readers when there is something new. Run does so each second.
func (t *TrackedShips) Raise() {
	t.mu.Lock()
	news := t.change != t.raised
	t.raised = t.change
	t.mu.Unlock()
	if news {
		t.changes.Raise()
	}
}

// makeGoal makes the goal of a track, and what is known of its ship. It may read the store, so the caller does not hold mu.
func (t *TrackedShips) makeGoal(track *TrackedShip) {
	d := &track.Destination
	switch {
	case d.Port != 0:
		if port, ok := t.config.Ports().ByID(d.Port); ok {
			track.goal = portGoal(port)
		}
	case d.Position != nil:
		track.goal = placeGoal(*d.Position)
	case len(d.Location) > 0:
		track.goal = locationGoal(d.Location)
	case d.Ship != 0:
		if s, ok := t.config.Ship(d.Ship); ok && s.HasFix && s.Fix.Trusted() {
			track.goal = placeGoal(s.Fix.Point())
		}
	}
	track.left = nil
	if port, ok := t.config.Ports().ByID(track.Visits[0].Port); ok && port.Placed && track.Source.Ship != 0 {
		track.left = &port.Position
	}
	track.usual = cmp.Or(track.Before, portcalls.UsualSOG(&ship.State{}))
	if s, ok := t.config.Ship(track.Source.Ship); ok {
		track.noteShip(&s)
		if track.fix.At == 0 && s.HasFix && track.Heard != 0 && s.Fix.Trusted() {
			track.fix = s.Fix
		}
	}
}

// noteShip takes what is known of the ship.
func (t *TrackedShip) noteShip(s *ship.State) {
	t.usual = cmp.Or(t.Before, portcalls.UsualSOG(s))
	if s.Static != nil {
		t.kind = typeGroup(s.Static)
		t.length, t.beam = s.Static.Size()
	}
	if s.Voyage != nil {
		t.draught = s.Voyage.Metres()
	}
}

// sizes returns what tells which passages a ship fits through.
func (t *TrackedShip) sizes() [3]float64 { return [3]float64{t.draught, t.length, t.beam} }

// profileKey tells which ships a profile is of.
type profileKey struct {
	port  uint64
	group int
	from  uint64
}

// profileOf takes what is known of the way into the port. The caller holds mu, or is alone.
func (t *TrackedShips) profileOf(track *TrackedShip) {
	k := profileKey{track.Destination.Port, track.kind, track.Visits[0].Port}
	if k.port == 0 {
		return
	}
	p, known := t.profiles[k]
	if !known {
		p = profileOf(t.approaches[k.port], k.group, k.from)
		t.profiles[k] = p
	}
	track.profile = p
}

// want notes that a way is to be looked for.
func (t *TrackedShips) want(track *TrackedShip) {
	t.seek[track.ID] = true
	t.kick.Wake()
}

// catchUp steps a track through what was recorded after it was stored, and takes the calls of that time.
func (t *TrackedShips) catchUp(track *TrackedShip) {
	m := track.Source.Ship
	if m == 0 || track.Status.Over() {
		return
	}
	fixes, err := t.config.DB.Track(context.Background(), m, track.Heard.Time(), endOfTime)
	if err != nil {
		t.config.Log.Warn("a tracked ship is followed from its next position on", "ship", m, "error", err)
	}
	if track.Heard == 0 {
		fixes = fixes.Trusted()
		fixes = fixes[max(0, len(fixes)-1):]
	}
	t.readCalls(track)
	for _, fix := range fixes {
		track.addPosition(fix, &t.records)
	}
}

// readCalls takes the calls of the ship since it departed.
func (t *TrackedShips) readCalls(track *TrackedShip) {
	var calls []*portcalls.KeptCall
	begin := min(track.Created, cmp.Or(track.Visits[0].Seen, track.Created))
	err := t.config.Calls(context.Background(), track.Source.Ship, begin.Time(), endOfTime, func(c *portcalls.KeptCall) bool {
		calls = append(calls, c)
		return len(calls) < 100
	})
	if err != nil {
		t.config.Log.Warn("the calls of a tracked ship are not known", "ship", track.Source.Ship, "error", err)
	}
	was := track.Status
	for _, c := range slices.Backward(calls) {
		t.learned(track.called(c, &t.records))
	}
	if track.Status != was {
		t.tellOf(track)
	}
}

// endOfTime is after all that is recorded.
var endOfTime = time.UnixMilli(track.MaxMillis)

// Tracked reports whether a ship is tracked or is a destination, so that it keeps its place in the picture.
func (t *TrackedShips) Tracked(m ais.MMSI) bool {
	_, is := t.tracked.Load(m)
	return is
}

// Count returns how many tracks have each status, finished ones that can still be read among them.
func (t *TrackedShips) Count() (count [Ended + 1]int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, track := range t.tracks {
		count[track.Status]++
	}
	return count
}

// Observe takes a step of the picture.
func (t *TrackedShips) Observe(u *ship.Update) {
	if u.Change&(ship.ChangedFix|ship.Entered) == 0 || !u.Now.HasFix || !u.Now.Fix.Trusted() {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.exceeded.observe(u, t.config.Log)
	for _, track := range t.ships[u.Now.MMSI] {
		if track.Source.Ship == u.Now.MMSI {
			t.stepped(track, u)
		} else {
			t.updateDestination(track, u.Now.Fix.Point())
		}
	}
}

// stepped takes a position of a ship that is tracked.
func (t *TrackedShips) stepped(track *TrackedShip, u *ship.Update) {
	was := track.Latest
	defer func() {
		if !track.Latest.saysSame(&was) {
			t.noteChange(track)
		}
	}()
	kind, had := track.kind, track.sizes()
	if u.Now.Static != u.Was.Static || u.Now.Voyage != u.Was.Voyage || track.kind == 0 ||
		u.Now.Voyage != nil && u.Now.Voyage.Metres() != track.draught {
		if track.noteShip(&u.Now); track.kind != kind {
			t.profileOf(track)
		}
		if track.sizes() != had && track.way != nil && track.Status.isAhead() {
			t.want(track) // other passages may be too small for it
		}
	}
	if track.addPosition(u.Now.Fix, &t.records) {
		t.want(track)
	}
}

// updateDestination takes a position of a ship that is a destination.
func (t *TrackedShips) updateDestination(track *TrackedShip, at geo.Point) {
	if !track.Status.isAhead() {
		return
	}
	moved := !track.goal.known || track.way == nil || geo.Distance(at, track.way.points[len(track.way.points)-1]) > movedMetres
	track.goal = placeGoal(at)
	if moved {
		t.want(track)
	}
}

// waitEvery is how often tracks are told the time: a ship may be silent.
const waitEvery = 10 * time.Second

// Tick takes the time of the picture.
func (t *TrackedShips) Tick(now time.Time) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.now = now
	t.quarters()
	if now.Sub(t.waited).Abs() < waitEvery {
		return
	}
	t.waited = now
	for _, track := range t.tracks {
		was := track.Latest
		if track.passSilence(millisOf(now), &t.records); track.Status == NoRoute && track.retry(millisOf(now)) {
			t.want(track)
		}
		if !track.Latest.saysSame(&was) {
			t.noteChange(track)
		}
	}
}

// Called takes a call that is new or has changed. It is for portcalls.Config.Told.
func (t *TrackedShips) Called(c *portcalls.KeptCall) {
	t.mu.Lock()
	defer t.mu.Unlock()
	a := arrived{mmsi: c.MMSI, port: c.Found.Port, at: c.Found.Arrived(), seen: seenTime(c)}
	for _, ship := range t.ships[c.MMSI] {
		if ship.Source.Ship != c.MMSI {
			continue
		}
		was := ship.Status
		t.noteChange(ship)
		t.learned(ship.called(c, &t.records))
		if ship.Status == Arrived && was != Arrived {
			t.tellOf(ship)
			t.supersede(ship)
		}
		if ship.Call == c.ID {
			a.late = lateOf(ship.soundEstimates(), a.at)
		}
	}
	if a.at != 0 && len(t.arrivals) < mostArrivals && !t.knowsApproach(a) {
		t.arrivals = append(t.arrivals, a)
	}
}

// knowsApproach reports whether the approach of an arrival was read: a call changes several times after it.
func (t *TrackedShips) knowsApproach(a arrived) bool {
	return slices.ContainsFunc(t.approaches[a.port], func(k Approach) bool { return k.MMSI == a.mmsi && k.Seen == a.seen && k.At == a.at })
}

// mostArrivals bounds the arrivals whose approaches are still to be read.
const mostArrivals = 10_000

// supersede ends the tracks of a ship that are older than one that arrived: it did not go there.
func (t *TrackedShips) supersede(by *TrackedShip) {
	for _, ship := range t.ships[by.Source.Ship] {
		if ship.Source.Ship == by.Source.Ship && ship.ID < by.ID && ship.Status.isAhead() {
			t.noteChange(ship)
			ship.changeStatus(Ended, by.Visits[1].Seen)
		}
	}
}

// learned notes that records are to be stored.
func (t *TrackedShips) learned(numbers []int) {
	for _, n := range numbers {
		t.dirty.records[n] = true
	}
}

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
func (t *TrackedShips) Start(r NewTrack, also func(id int64) store.CommitPart) (id int64, fresh bool, err error) {
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
	if err := t.checkRoom(track.Owner, 1, track.weight()); err != nil {
		return 0, false, err
	}
	err = t.config.DB.Together(func(b *store.Tx) error {
		number, err := t.rows.SetIn(b, 0, "", *track)
		if err != nil {
			return err
		}
		track.ID = int64(number)
		return also(track.ID)(b)
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
	t.Waypoints, t.way = nil, nil
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
func (t *TrackedShips) Update(id int64, erp json.RawMessage, at time.Time, also store.CommitPart) error {
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
func (t *TrackedShips) rewrite(track *TrackedShip, change func(*TrackedShip), also store.CommitPart) error {
	t.mu.Lock()
	now := track.clone()
	t.mu.Unlock()
	change(&now)
	err := t.config.DB.Together(func(b *store.Tx) error { return t.rows.PutIn(b, uint64(track.ID), "", now) }, also)
	if err != nil {
		return err
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	track.Updated, track.ERP, track.Plans, track.Requests = now.Updated, now.ERP, now.Plans, now.Requests // read without the lock, because it may be long
	if now.way == nil {
		track.Waypoints, track.way = now.Waypoints, nil
	}
	t.tellOf(track)
	t.noteChange(track)
	if track.way == nil && track.Status.isAhead() {
		t.want(track)
	}
	return nil
}

// Delete removes a track, in one commit with also.
func (t *TrackedShips) Delete(id int64, also store.CommitPart) error {
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

// Get returns a track.
func (t *TrackedShips) Get(id int64) (TrackedShip, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	track, ok := t.tracks[id]
	if !ok {
		return TrackedShip{}, ErrUnknown
	}
	return track.toldCopy(), nil
}

// All returns the tracks, the oldest first.
func (t *TrackedShips) All() []TrackedShip {
	t.mu.Lock()
	ids := slices.Collect(maps.Keys(t.tracks))
	t.mu.Unlock()
	slices.Sort(ids)
	list := make([]TrackedShip, 0, len(ids))
	for some := range slices.Chunk(ids, 256) { // the picture waits for no more
		t.mu.Lock()
		for _, id := range some {
			if track, still := t.tracks[id]; still {
				list = append(list, track.toldCopy())
			}
		}
		t.mu.Unlock()
	}
	return list
}

// Speeds are those in knots at which a ship arrives at a time. Of ten ships one needs less than Low, and one more than High; that is 0 where no speed
// is enough.
type Speeds struct{ Low, Usual, High float64 }
