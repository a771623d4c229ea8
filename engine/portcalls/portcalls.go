package portcalls

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
	"quaywatch/geo"
	"quaywatch/geo/chart"
	"quaywatch/geo/chart/water"
	"quaywatch/ship"
	"quaywatch/ship/portcall"
	"quaywatch/store"
	"quaywatch/store/outage"
	"quaywatch/store/records"
	"quaywatch/store/track"
)

// Bound returns the port that a typed destination names, nil for none.
type Bound func(destination string) *chart.Port

// DefaultMost is how many ships in port or near one are followed. Whoever invents ships can fill this place, and no more memory.
const DefaultMost = 50_000

// Config is what Calls are made of. DB and Ports must be given.
type Config struct {
	DB        *store.DB
	Ports     func() *chart.Ports // the ports of now
	Retention time.Duration       // how long calls are kept; 0 for ever
	Every     time.Duration       // how often what is new is stored; 0 is one second
	Bound     Bound               // the port that a destination names; nil keeps no ETA of crews
	Most      int                 // ships that are followed at once; 0 is DefaultMost
	Log       *slog.Logger        // nil logs nothing

	Land      *chart.Chart         // that parts ports, and over which ships teach water while the program runs; nil does neither
	Receivers []geo.Point          // of feeds that tell their place
	Learned   func(*water.Overlay) // is told of newly learned water; nil for nobody

	// Told is told each call that is new or has changed, when it is stored. It must be quick, and must not ask for calls; nil is nobody.
	// It is not told of deletions.
	Told func(*KeptCall)
}

// coast returns the coast between ports, nil where there is no chart.
func (c *Config) coast() func(geo.Point) bool {
	if c.Land == nil {
		return nil
	}
	return c.Land.Land
}

// Calls are the calls and trips of all ships. It is a traffic.Observer: hand it to Picture.Run after the store.
//
// Locks: writing is held while the database writes. What the picture needs is guarded by mu, which is taken after it and held for a moment.
type Calls struct {
	*Waters
	Past   *Review
	config Config
	calls  *records.Series[record]
	rows   *records.Table[shipRow]

	present presence
	places  places

	writing sync.Mutex
	outage  outage.Logger
	search  bool // calls are still to be looked for in what was recorded before they were kept

	mu        sync.Mutex
	last      map[ais.MMSI]records.Key // of the latest call of each ship; changed by the holder of writing alone
	ports     *chart.Ports             // that the engine has
	engine    *portcall.Engine
	ships     map[ais.MMSI]*portcall.Follower
	current   *ship.Update     // that the engine works on; nil outside of Observe
	number    ais.MMSI         // of its ship
	heard     []string         // by these feeds, at the position out of the store that the engine works on
	said      *ship.VoyageData // what the crew had typed by then
	changed   map[ais.MMSI]*change
	kept      map[ais.MMSI]bool               // ships whose row has a follower
	newcomers map[ais.MMSI]*portcall.Follower // of ships that were hardly heard
	passed    map[ais.MMSI]portcall.Millis    // when ships were last inside of a border that they left lately
	full      bool                            // a ship was not followed, because there was no place
	now       time.Time                       // of the picture
	swept     time.Time                       // when silence was last looked for
	aged      time.Time                       // when ships were last looked for whose calls are all too old
}

// change is what is to be stored of a ship.
type change struct {
	calls []changedCall // of the engine, the oldest first
}

// changedCall is a call that changed, and the feeds that heard the ship then.
type changedCall struct {
	of    *portcall.Call
	feeds []string
	typed *ship.VoyageData // by the crew when a call began; nil for nothing
}

func (c *change) has(call *portcall.Call) bool {
	return slices.ContainsFunc(c.calls, func(changed changedCall) bool { return changed.of == call })
}

// shipRow is what the table keeps under the number of a ship that has called at a port, or is near one.
type shipRow struct {
	Last     records.Key        `json:"last"` // of its latest call
	Follower *portcall.Follower `json:"follower,omitempty"`
}

// searchedRow is the row that tells that calls were looked for in what was recorded before they were kept. It is no number of a ship.
const searchedRow = ship.LargestMMSI + 1

// Open reads what is kept, and follows the ships in port to the end of what is recorded.
func Open(c Config) (*Calls, error) {
	if c.Log == nil {
		c.Log = slog.New(slog.DiscardHandler)
	}
	c.Every = cmp.Or(c.Every, time.Second)
	c.Most = cmp.Or(c.Most, DefaultMost)
	v := &Calls{config: c, last: map[ais.MMSI]records.Key{}, search: true, ships: map[ais.MMSI]*portcall.Follower{}, changed: map[ais.MMSI]*change{},
		kept: map[ais.MMSI]bool{}, newcomers: map[ais.MMSI]*portcall.Follower{}, passed: map[ais.MMSI]portcall.Millis{}}
	v.present.ships, v.places.turn = map[ais.MMSI]visits{}, make(chan struct{}, 1)
	v.ports = c.Ports()
	v.engine = portcall.NewEngine(portcall.NewPorts(v.ports, v.config.coast()), v.noteCall)
	var err error
	if v.calls, err = records.OpenSeries[record](c.DB.Database, "calls", records.Keep{Age: c.Retention}); err != nil {
		return nil, err
	}
	if v.Waters, err = openWaters(&v.config); err != nil {
		return nil, err
	}
	if v.Past, err = openReview(v); err != nil {
		return nil, err
	}
	table, rows, err := records.ReadTable[shipRow](c.DB.Database, rowsTable)
	if err != nil {
		return nil, err
	}
	v.rows = table
	for _, row := range rows {
		if row.ID == searchedRow {
			v.search = false
			continue
		}
		v.last[ais.MMSI(row.ID)] = row.Value.Last
		if f := row.Value.Follower; f != nil {
			v.ships[ais.MMSI(row.ID)], v.kept[ais.MMSI(row.ID)] = f, true
		}
	}
	if rowsWereLost(c.DB.Damages()) {
		v.findLatest()
	}
	v.tellLatestCalls()
	v.catchUp()
	return v, nil
}

// catchUp steps the ships near ports through what was recorded after they were stored.
func (v *Calls) catchUp() {
	for m, f := range v.ships {
		fixes, words, err := v.recordedSince(m, f.Last.Time())
		if err != nil {
			v.config.Log.Warn("a ship near a port is followed from its next position on", "ship", m, "error", err)
		}
		v.number = m
		near := len(f.Near)
		for _, fix := range fixes {
			v.heard = feedNames(v.config.DB.Feeds(fix.Feeds))
			v.said = words.sendTyped(fix.At, v.engine, f, v.said)
			v.engine.Step(f, fix)
		}
		v.heard, v.said = nil, nil
		v.settleShip(m, f, near)
	}
}

// recordedSince returns what was recorded of a ship from a time on, with an error what of it can be read.
func (v *Calls) recordedSince(m ais.MMSI, since time.Time) ([]ship.Fix, typed, error) {
	fixes, err := v.config.DB.Track(context.Background(), m, since, endOfTime)
	if len(fixes) == 0 {
		return nil, nil, err
	}
	changes, unread := v.config.DB.StaticChanges(context.Background(), m, since, endOfTime)
	return fixes, changes, errors.Join(err, unread)
}

// feedNames returns the feeds of a set.
func feedNames(set ais.Feeds) (list []string) {
	set.Any(func(feed string) bool { list = append(list, feed); return false })
	return list
}

// endOfTime is after all that is recorded.
var endOfTime = time.UnixMilli(track.MaxMillis)

// world is everywhere.
var world = geo.Rect{West: -180, South: -90, East: 180, North: 90}

// noteCall notes a change of a call.
func (v *Calls) noteCall(c *portcall.Call) {
	if v.newcomers[v.number] != nil {
		return
	}
	v.notePresence(c)
	changes := v.changeOf(v.number)
	if !changes.has(c) {
		changed := changedCall{of: c, feeds: v.hearing(c)}
		switch {
		case c.Ref != 0:
		case v.current != nil:
			changed.typed = v.current.AsHeard().Voyage
		default:
			changed.typed = v.said
		}
		changes.calls = append(changes.calls, changed)
	}
}

// hearing returns the feeds that hear the ship at the position that the engine works on. It is for calls that are new.
func (v *Calls) hearing(c *portcall.Call) (feeds []string) {
	if c.Ref != 0 {
		return nil
	}
	if v.current == nil {
		return v.heard
	}
	now := &v.current.Now
	feeds = feedNames(now.Feeds)
	if !slices.Contains(feeds, now.Feed) {
		feeds = append(feeds, now.Feed)
	}
	return feeds
}

// callsAtPorts reports whether a station of a class calls at ports.
func callsAtPorts(c ship.Class) bool {
	return c == ship.ClassA || c == ship.ClassB || c == ship.ClassUnknown
}

// Observe takes a step of the picture.
func (v *Calls) Observe(u *ship.Update) {
	if u.Change&(ship.ChangedFix|ship.ChangedVoyage) == 0 || u.Report == nil || !callsAtPorts(u.Now.Class) {
		return
	}
	v.lessons.observe(&v.config, u)
	v.mu.Lock()
	defer v.mu.Unlock()
	v.current, v.number = u, u.Now.MMSI
	defer func() { v.current = nil }()
	f := v.follower(u)
	if f == nil {
		return
	}
	f.Named = f.Named || u.Now.Static != nil
	heard, was := u.AsHeard(), len(f.Near)
	v.engine.Typed(f, ship.Time(heard.Heard), draughtOf(heard.Voyage))
	if u.Change&ship.ChangedFix != 0 {
		v.engine.Step(f, u.Fix)
	}
	v.settleShip(u.Now.MMSI, f, was)
}

// looked is how many ships are looked at for one that gives way.
const looked = 64

// makeRoom reports whether one more ship can be followed. When all places are taken, a ship that counts less gives way, and an open call of it ends. Most ships
// that are invented have no static data. The log tells once that no place was found.
func (v *Calls) makeRoom(named bool) bool {
	if len(v.ships) < v.config.Most {
		v.full = false
		return true
	}
	var least ais.MMSI
	weight, n := weightOf(named, false), 0
	for m, f := range v.ships {
		if w := weightOf(f.Named, f.Call != nil); w < weight || w == weight && f.Call == nil {
			least, weight = m, w
		}
		if n++; n == looked {
			break
		}
	}
	if least != 0 {
		v.dropShip(least, v.ships[least])
		return true
	}
	if !v.full {
		v.full = true
		v.config.Log.Warn("too many ships are in port at once: the calls of others are not kept", "most", v.config.Most)
	}
	return false
}

// weightOf tells how much a ship that is followed counts: with static data more than without, and with a call more than without.
func weightOf(named, call bool) (weight int) {
	if named {
		weight += 2
	}
	if call {
		weight++
	}
	return weight
}

// dropShip follows a ship no longer.
func (v *Calls) dropShip(m ais.MMSI, f *portcall.Follower) {
	current, number := v.current, v.number
	v.current, v.number = nil, m
	v.engine.Abandon(f)
	v.current, v.number = current, number
	delete(v.ships, m)
	if v.kept[m] {
		v.changeOf(m)
	}
}

// settleShip forgets a ship that needs no follower any more. A ship that entered or left a border is stored, so that a restart knows it.
func (v *Calls) settleShip(m ais.MMSI, f *portcall.Follower, near int) {
	if near > 0 && len(f.Near) == 0 && len(v.passed) < v.config.Most {
		v.passed[m] = portcall.Millis(f.Last.At)
	}
	if f.Done() {
		delete(v.ships, m)
		delete(v.newcomers, m)
	}
	if len(f.Near) != near && (v.ships[m] == f || v.kept[m]) {
		v.changeOf(m)
	}
}

// changeOf notes that the row of a ship is to be written anew, and returns what is to be stored with it.
func (v *Calls) changeOf(m ais.MMSI) *change {
	if v.changed[m] == nil {
		v.changed[m] = &change{}
	}
	return v.changed[m]
}

// fixBefore returns the position of the ship before the update, the zero Fix for none.
func fixBefore(u *ship.Update) ship.Fix {
	if was := &u.Was; was.HasFix && was.MMSI != 0 {
		return was.Fix
	}
	return ship.Fix{}
}

// draughtOf returns a draught in centimetres, 0 when it is not known.
func draughtOf(typed *ship.VoyageData) uint16 {
	if typed == nil {
		return 0
	}
	return uint16(typed.Centimetres())
}

// sweepEvery is how often silent ships are looked for.
const sweepEvery = time.Minute

// Tick takes the time of the picture.
func (v *Calls) Tick(now time.Time) {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.now = now
	if now.Sub(v.swept).Abs() < sweepEvery {
		return
	}
	v.swept = now
	v.present.dropOld(portcall.Millis(now.UnixMilli()))
	maps.DeleteFunc(v.passed, func(_ ais.MMSI, left portcall.Millis) bool { return now.Sub(left.Time()) > passedFor })
	for m, f := range v.ships {
		v.number = m
		near := len(f.Near)
		v.engine.Pass(f, now)
		v.settleShip(m, f, near)
	}
}

// followPorts hands the engine the ports of now when they have changed.
func (v *Calls) followPorts() {
	now := v.config.Ports()
	v.mu.Lock()
	same := now == v.ports
	v.mu.Unlock()
	if same {
		return
	}
	ready := portcall.NewPorts(now, v.config.coast())
	v.mu.Lock()
	v.ports = now
	v.engine.SetPorts(ready)
	v.mu.Unlock()
	v.Past.requestReview()
}
