// Package watchdogs keeps the watchdogs that users define: it hands them each report, keeps their alarms over a restart, and keeps the events.
//
// It promises that an event is stored, with the alarm that it changed, before anybody sees it. It also promises that its number is above that of each earlier
// event, and that nothing is raised twice. It costs no memory when nothing happens. It is not the place that decides which events a user may see. Each event
// has the ship as it was then, and the reader asks sight. It reads no clock: time comes with the reports and the ticks.
package watchdogs

import (
	"cmp"
	"context"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"quaywatch/ais"
	"quaywatch/engine/distress"
	"quaywatch/engine/watchdogs/ceiling"
	"quaywatch/geo"
	"quaywatch/geo/chart"
	"quaywatch/internal/rule"
	"quaywatch/internal/wake"
	"quaywatch/ship"
	"quaywatch/ship/portcall"
	"quaywatch/ship/watchdog"
	"quaywatch/store"
	"quaywatch/store/outage"
	"quaywatch/store/records"
	"quaywatch/users/library"
)

// What is kept at most.
const (
	Keep       = 30 * 24 * time.Hour // of events
	MostEvents = 100_000
	MostAlarms = 100_000 // of all watchdogs
	mostWaits  = 100_000 // events that wait for a disk that stands still
	mostInPort = 50_000  // ships that are followed in watched ports
)

// Config is what a Watch is made of. All but Log and what may be nil must be given.
type Config struct {
	DB      *store.DB
	Library *library.Library
	Ports   func() *chart.Ports               // the ports of now
	Names   func(owner string) ship.Lookup    // what filters of a user may name
	Ship    func(ais.MMSI) (ship.State, bool) // as it is now

	Generation func() uint64          // another number when users, ship lists, shapes, ports or watchdogs are others
	Changed    func() <-chan struct{} // closed when it changes

	// AtSea returns how long a ship has been outside of every port at a time; false, or a nil function, is not known.
	AtSea func(m ais.MMSI, now time.Time) (time.Duration, bool)

	// LostAfter returns after which silence a ship is lost, and Charted where the register has an aid to navigation. A nil function knows nothing.
	LostAfter func(*ship.State) time.Duration
	Charted   func(ais.MMSI) (geo.Point, bool)

	Distress *distress.Alarms // the alarms that the built-in watchdog tells of; nil is none

	Ceilings ceiling.Limits // of what watchdogs ring; the zero value is ceiling.Usual

	Most int          // alarms of all watchdogs; 0 is MostAlarms
	Log  *slog.Logger // nil logs nothing
}

// Watch is the watchdogs at work. It is a traffic.Observer: hand it to Picture.Run after portcalls.Calls.
//
// Locks: making is held while watchdogs are made, and writing while the database writes. What the picture needs is guarded by mu, which is taken after
// either of them and held for a moment.
type Watch struct {
	config  Config
	rows    *records.Table[alarmRow]
	visits  *records.Table[visitRow]
	cursors *records.Table[Cursor]
	series  *records.Series[Event]
	alarmed sync.Map                            // of ais.MMSI: the ships with alarms, without a lock, because the picture asks under its own
	named   atomic.Pointer[map[ais.MMSI][]*dog] // the ships that watchdogs name, for the same reason
	news    wake.Signal
	altered altered
	lasts   lasts
	rolls   rolls

	situations situations
	guards     guards
	looks      looks
	zones      zones
	pauses     pauses
	distresses distresses

	muteRows *records.Table[mute]
	kick     wake.Kick

	making   sync.Mutex // of watchdogs
	made     uint64     // how many were made since the start
	compiled uint64     // the generation of what users configure that they are of
	ports    *chart.Ports

	writing sync.Mutex
	outage  outage.Logger
	index   index
	seen    map[string]cursorRow // by user

	mu       sync.Mutex
	dogs     map[uint64]*dog
	meets    *meets
	problems map[uint64]*rule.Rule // by watchdog, why it watches nothing
	alarms   map[ais.MMSI][]*alarm
	count    int
	engine   *portcall.Engine // of the watched ports; nil without any
	inPort   map[ais.MMSI]*visit
	uses     uint64 // how often watchdogs were put to work
	mutes    map[pair]muted
	pending  []raised
	urgent   []*alarm // that go with the next commit
	moved    []*visit
	scanned  time.Time // when alarms were last looked through whose memory is to be stored
	raised   uint64    // since the start, and what became of some of them
	evicted  uint64
	lost     uint64
	lostBusy uint64   // of these, those that no disk was in the way of
	failing  bool     // the last commit failed
	step     uint64   // of the picture, to see which watchdogs it met
	gone     []uint64 // rows of alarms that are over
	left     []uint64 // rows of visits that are over
	now      time.Time
	ticked   time.Time
	heard    time.Time // from when on ships can be heard since this start

	hits    []*dog                // of one report
	borders []*chart.Port         // that it is inside of
	scratch watchdog.ShipMemory   // of a ship without one
	events  []watchdog.Occurrence // of one report
}

// dog is a watchdog as it watches. It does not change but for where it says so.
type dog struct {
	id      uint64
	of      library.Resource
	machine *watchdog.Machine
	asked   asked           // when it was made
	port    *chart.Port     // of type port
	born    uint64          // it was made when Watch.uses was so
	pairs   *watchdog.Pairs // of type cpa; with Watch.mu held
	zone    *watchdog.Zone  // of type zone, and where it stands among the areas; with Watch.mu held
	bounds  geo.Rect
	indexed bool
	meter   *ceiling.Meter // what it rings; with Watch.mu held
	step    uint64         // the last step of the picture that met it; with Watch.mu held
}

// alarm is what is remembered of one ship for one watchdog.
type alarm struct {
	dog    *dog
	mmsi   ais.MMSI
	memory watchdog.ShipMemory
	last   ship.Fix // of the ship
	began  *began   // what it became active with last, nil before it was active
	open   bool     // that is not over
	also   []*began // what else is over with it: an earlier risk, and what the ship did in a port
	row    uint64   // 0 before it is stored
	urgent bool     // it goes with the next commit
	over   bool     // it is forgotten
	saved  int64    // memory.Silent as it is stored

	crossed int64 // when the ship crossed a line that makes a ship list, Unix milliseconds; 0 once it is off the list
	listed  bool  // the ship is on the list of its watchdog
}

// began is an event that made an alarm active. Its key is for the holder of writing alone.
type began struct {
	key   records.Key
	owner string // of the event while it waits to be stored
}

// alarmRow is an alarm as it is stored.
type alarmRow struct {
	Watchdog uint64              `json:"watchdog"`
	MMSI     ais.MMSI            `json:"mmsi"`
	Memory   watchdog.ShipMemory `json:"memory"`
	Last     ship.Fix            `json:"last"`
	Key      records.Key         `json:"key,omitzero"`
	Also     []records.Key       `json:"also,omitempty"`
	Crossed  int64               `json:"crossed,omitempty"`
}

// raised is an event that is still to be stored.
type raised struct {
	event  Event
	began  *began // what it begins or ends, nil for nothing
	begins bool
	ends   bool
	untold bool // the ship is mute: it is not stored, but ends what it ends

	evicted bool // it ends for want of room
}

// Open reads the alarms and events that are kept.
func Open(c Config) (*Watch, error) {
	if c.Log == nil {
		c.Log = slog.New(slog.DiscardHandler)
	}
	c.Most = cmp.Or(c.Most, MostAlarms)
	w := &Watch{config: c, kick: wake.NewKick(), seen: map[string]cursorRow{}, dogs: map[uint64]*dog{}, meets: newMeets(), problems: map[uint64]*rule.Rule{},
		alarms: map[ais.MMSI][]*alarm{}, inPort: map[ais.MMSI]*visit{}}
	var err error
	if w.series, err = records.OpenSeries[Event](c.DB.Database, "events", records.Keep{Age: Keep, Most: MostEvents}); err != nil {
		return nil, err
	}
	if err := w.index.read(w.series, w.lasts.add); err != nil {
		return nil, err
	}
	var cursors []records.Record[Cursor]
	if w.cursors, cursors, err = records.ReadTable[Cursor](c.DB.Database, "cursors"); err != nil {
		return nil, err
	}
	for _, row := range cursors {
		w.seen[row.Value.User] = cursorRow{row.ID, row.Value, row.Value.Time}
	}
	if err := w.readMutes(); err != nil {
		return nil, err
	}
	w.guards.watch, w.zones.watch = w, w
	w.pauses = pauses{watch: w, Ceiling: ceiling.New(cmp.Or(c.Ceilings, ceiling.Usual()))}
	w.distresses = distresses{watch: w, list: c.Distress}
	if err := w.looks.read(w); err != nil {
		return nil, err
	}
	if err := w.situations.read(w); err != nil {
		return nil, err
	}
	w.Compile()
	return w, w.readStored()
}

// readStored takes the alarms and visits that are stored. Those of watchdogs that are gone go with the next commit.
func (w *Watch) readStored() error {
	table, rows, err := records.ReadTable[alarmRow](w.config.DB.Database, "alarms")
	if err != nil {
		return err
	}
	w.rows = table
	for i := range rows {
		r := &rows[i].Value
		d := w.dogs[r.Watchdog]
		if d == nil || w.find(r.MMSI, d.id) != nil {
			w.gone = append(w.gone, rows[i].ID)
			continue
		}
		a := &alarm{dog: d, mmsi: r.MMSI, memory: r.Memory, last: r.Last, began: &began{key: r.Key}, open: r.Memory.Active, row: rows[i].ID, saved: r.Memory.Silent, crossed: r.Crossed}
		for _, key := range r.Also {
			a.also = append(a.also, &began{key: key})
		}
		w.addAlarm(a)
	}
	enrollAll(w)
	visits, stored, err := records.ReadTable[visitRow](w.config.DB.Database, "visits")
	if err != nil {
		return err
	}
	w.visits = visits
	for i := range stored {
		r := &stored[i].Value
		if w.engine == nil || r.Follower == nil || w.inPort[r.MMSI] != nil {
			w.left = append(w.left, stored[i].ID)
			continue
		}
		w.inPort[r.MMSI] = &visit{mmsi: r.MMSI, follower: r.Follower, first: r.First, told: w.uses, row: stored[i].ID, saved: r.Follower.Last.At}
		w.catchUp(w.inPort[r.MMSI])
	}
	return nil
}

// Watched reports whether a ship has an alarm, or a watchdog names it, so that it keeps its place in the picture.
func (w *Watch) Watched(m ais.MMSI) bool {
	if named := w.named.Load(); named != nil && (*named)[m] != nil {
		return true
	}
	return w.Alarmed(m)
}

// Alarmed reports whether a ship has an alarm.
func (w *Watch) Alarmed(m ais.MMSI) bool {
	_, is := w.alarmed.Load(m)
	return is
}

// Problem returns why a watchdog watches nothing, nil for one that does.
func (w *Watch) Problem(id uint64) *rule.Rule {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.problems[id]
}

// Status is how the watchdogs are.
type Status struct {
	Watching int    // enabled watchdogs that watch
	Idle     int    // those that watch nothing, because what they name is gone
	Alarms   int    // what is remembered of ships
	Events   uint64 // raised since the start
	Evicted  uint64 // alarms that were forgotten for want of room
	Lost     uint64 // events that there was no room for
	LostBusy uint64 // of these, those that were lost because the processor was busy; of the others the disk stood still
	Paused   int    // watchdogs that ring too often
	Held     uint64 // events that were counted and not told, because their watchdog was paused

	Unremembered uint64 // pairs of ships that were told and not remembered, for want of room: after a restart they are told again
	Untold       int    // what is so of receivers and of the box now and was not told, for want of room
}

// Status returns how the watchdogs are now.
func (w *Watch) Status() Status {
	w.mu.Lock()
	defer w.mu.Unlock()
	return Status{Watching: len(w.dogs), Idle: len(w.problems), Alarms: w.count, Events: w.raised, Evicted: w.evicted, Lost: w.lost, LostBusy: w.lostBusy,
		Paused: w.pauses.Paused(), Held: w.pauses.held, Unremembered: w.situations.unremembered, Untold: w.looks.untold}
}

// find returns the alarm of a ship for a watchdog, nil for none.
func (w *Watch) find(m ais.MMSI, id uint64) *alarm {
	for _, a := range w.alarms[m] {
		if a.dog.id == id {
			return a
		}
	}
	return nil
}

// addAlarm takes in an alarm.
func (w *Watch) addAlarm(a *alarm) {
	if len(w.alarms[a.mmsi]) == 0 {
		w.alarmed.Store(a.mmsi, true)
	}
	w.alarms[a.mmsi] = append(w.alarms[a.mmsi], a)
	w.count++
}

// forget lets an alarm go. The caller takes it out of the list of the ship.
func (w *Watch) forget(a *alarm) {
	w.count--
	a.over = true
	a.enroll(w)
	if a.row != 0 {
		w.gone = append(w.gone, a.row)
		a.row = 0
	}
}

// setAlarms puts the list of a ship in its place.
func (w *Watch) setAlarms(m ais.MMSI, list []*alarm) {
	if len(list) > 0 {
		w.alarms[m] = list
		return
	}
	delete(w.alarms, m)
	w.alarmed.Delete(m)
}

// Run stores what is raised, and takes what users change, until ctx is done.
func (w *Watch) Run(ctx context.Context) error {
	second := time.NewTicker(time.Second)
	defer second.Stop()
	for {
		changed := w.config.Changed()
		var distress <-chan struct{}
		if w.config.Distress != nil {
			distress = w.config.Distress.Turned()
		}
		w.Compile()
		select {
		case <-ctx.Done():
			return nil
		case <-w.kick:
			w.Save(false)
		case <-second.C:
			w.Save(false)
		case <-distress:
			w.Save(false)
		case <-changed:
		}
	}
}

// Stop stores where each alarm stands. It is called when the picture has ended.
func (w *Watch) Stop() { w.Save(true) }

// Changed returns a channel that is closed when there are new events, or earlier ones changed.
func (w *Watch) Changed() <-chan struct{} { return w.news.Next() }
