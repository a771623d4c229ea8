package tracking

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"maps"
	"slices"
	"sync"
	"time"

	"quaywatch/ais"
	"quaywatch/engine/portcalls"
	"quaywatch/geo/chart"
	"quaywatch/geo/route"
	"quaywatch/internal/wake"
	"quaywatch/ship"
	"quaywatch/ship/portcall"
	"quaywatch/store"
	"quaywatch/store/outage"
	"quaywatch/store/records"
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
	rows       *records.Table[TrackedShip]
	approached *records.Table[[]Approach]
	erred      *records.Table[record]
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
	records    pastErrors
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
	table, rows, err := records.ReadTable[TrackedShip](t.config.DB.Database, "tracks")
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
	approached, ports, err := records.ReadTable[[]Approach](t.config.DB.Database, "approaches")
	if err != nil {
		return err
	}
	t.approached = approached
	for _, row := range ports {
		t.approaches[row.ID] = row.Value
	}
	erred, errs, err := records.ReadTable[record](t.config.DB.Database, "eta_errors")
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
