// Package alert makes alerts of the events of watchdogs, as the bridge of a ship and a vessel traffic service have them (MSC.302(87), IEC 62923).
// One situation is one alert: the activations of one watchdog that come within a minute of each other. Users acknowledge, silence and transfer it,
// and it goes to others when nobody acknowledges it.
//
// It promises that each state is stored before anybody is told of it, with the line of the audit log that says who did what. It also promises that no event of
// a watchdog is left out or taken twice, also after a kill. It is not the place that decides which alerts a user may see. A reader says which activations it
// sees, and gets the state of those. It reads no clock: time comes with the ticks of the picture.
package alert

import (
	"context"
	"errors"
	"log/slog"
	"maps"
	"slices"
	"sync"
	"time"

	"quaywatch/ais"
	"quaywatch/engine/distress"
	"quaywatch/engine/watchdogs"
	"quaywatch/internal/rule"
	"quaywatch/internal/wake"
	"quaywatch/ship"
	"quaywatch/ship/watchdog"
	"quaywatch/store"
	"quaywatch/store/outage"
	"quaywatch/users/access/audit"
)

// What is kept at most.
const (
	Keep        = watchdogs.Keep // of alerts that are over
	mostPast    = 20_000         // alerts that are over
	mostCurrent = 2000           // alerts that are not
	mostAll     = 20_000         // activations of alerts that are not over
	mostChanges = 10_000         // changes that are remembered for readers
)

// ErrUnknown says that there is no such alert.
var ErrUnknown = rule.New("no_alert", "there is no such alert")

// Config is what a Keeper is made of. All but Line, Tell and Log must be given.
type Config struct {
	DB       *store.DB
	Watch    *watchdogs.Watch
	Distress *distress.Alarms // the alarms that alerts of people in distress tell of; nil is none

	Plan func(e *watchdogs.Event) Plan                // the users that an event concerns, as it is configured now
	Line func(action, object string) store.CommitPart // the line of the audit log of what nobody did; nil writes none
	Tell func(context.Context, TellOrder) error       // tells others of an alert that went on to them; an order that it knows by its key is told; nil tells nobody
	Log  *slog.Logger                                 // nil logs nothing
}

// LineOf returns lines of an audit log, of what no user did.
func LineOf(log *audit.Log) func(action, object string) store.CommitPart {
	return func(action, object string) store.CommitPart {
		return log.Line(func() audit.LogEntry { return audit.LogEntry{Action: action, Object: object, Result: "ok"} })
	}
}

// Keeper keeps the alerts. It is a traffic.Observer: hand it to Picture.Run after watchdogs.Watch.
//
// Locks: writing is held while the database writes, and while the watchdogs are asked. What readers need is guarded by mu, which is taken after it and
// held for a moment.
type Keeper struct {
	config    Config
	table     *store.Table[Alert]
	place     *store.Table[position]
	series    *store.Series[Alert]
	orderRows *store.Table[TellOrder]
	news      wake.Signal
	kick      wake.Kick

	writing sync.Mutex
	outage  outage.Logger
	row     uint64        // of the position
	after   uint64        // the event up to which all are taken
	altered uint64        // the change of an event up to which all are taken
	swept   int64         // when alarms that are gone were last looked for
	untold  outage.Logger // of orders; only Carry uses it

	mu      sync.Mutex
	now     time.Time
	alerts  map[uint64]*Alert           // those that are current, by number; they never change
	events  map[uint64]*watchdogs.Event // of the activations of those; they never change
	past    map[uint64]store.Key
	orders  map[uint64]*TellOrder // that wait, by row; they never change
	changed []uint64              // the last changes
	count   uint64                // of all changes
	dropped uint64                // alerts that were put away before they were over, for want of room
}

// position is the event up to which all are taken, as it is stored.
type position struct {
	After uint64 `json:"after"`
}

// Open reads the alerts that are kept.
func Open(c Config) (*Keeper, error) {
	if c.Log == nil {
		c.Log = slog.New(slog.DiscardHandler)
	}
	k := &Keeper{config: c, kick: wake.NewKick(), alerts: map[uint64]*Alert{}, events: map[uint64]*watchdogs.Event{}, past: map[uint64]store.Key{},
		orders: map[uint64]*TellOrder{}}
	if err := errors.Join(k.openPlace(), k.openOrders()); err != nil {
		return nil, err
	}
	table, rows, err := store.ReadTable[Alert](c.DB, "alerts")
	if err != nil {
		return nil, err
	}
	k.table = table
	for i := range rows {
		a := &rows[i].Value
		a.ID = rows[i].ID
		k.recallAlert(a)
	}
	if k.series, err = store.OpenSeries[Alert](c.DB, "alerts", store.Keep{Age: Keep, Most: mostPast}); err != nil {
		return nil, err
	}
	for e, err := range k.series.Forward(store.Key{}, store.EndKey()) {
		if e.Key == (store.Key{}) && err != nil {
			return nil, err
		}
		if err == nil {
			k.past[e.Value.ID] = e.Key
		}
	}
	return k, nil
}

// openPlace reads up to where the events were taken. At the first start those that are there already are no news.
func (k *Keeper) openPlace() error {
	table, rows, err := store.ReadTable[position](k.config.DB, "alertplace")
	if err != nil {
		return err
	}
	k.place, k.after = table, k.config.Watch.Last()
	if len(rows) > 0 {
		k.row, k.after = rows[0].ID, min(rows[0].Value.After, k.after)
		return nil
	}
	return k.config.DB.Together(func(b *store.Tx) (err error) {
		k.row, err = k.place.SetIn(b, 0, "", position{k.after})
		return err
	})
}

// recallAlert takes an alert that is stored. Activations whose events are kept no longer are no part of it any more.
func (k *Keeper) recallAlert(a *Alert) {
	a.Parts = slices.DeleteFunc(a.Parts, func(p Part) bool {
		e, err := k.config.Watch.Get(p.Event)
		if err == nil {
			k.events[p.Event] = &e
		}
		return err != nil
	})
	for _, p := range a.Parts {
		if e := k.events[p.Event]; e.Deactivated != 0 { // it ended, and a kill came before that was taken
			a.EndOf(p.Event, e.Deactivated)
		}
	}
	k.alerts[a.ID] = a // one without any goes with the next step
}

// Observe does nothing: the watchdogs tell what happens.
func (k *Keeper) Observe(*ship.Update) {}

// Tick takes the time of the picture.
func (k *Keeper) Tick(now time.Time) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.now = now
	k.kick.Wake()
}

// Run makes alerts of what watchdogs raise, until ctx is done.
func (k *Keeper) Run(ctx context.Context) error {
	for {
		raised := k.config.Watch.Changed()
		k.Step()
		k.Carry(ctx)
		select {
		case <-ctx.Done():
			return nil
		case <-raised:
		case <-k.kick:
		}
	}
}

// Changed returns a channel that is closed when alerts change.
func (k *Keeper) Changed() <-chan struct{} { return k.news.Next() }

// atOnce is how many events are taken in one commit.
const atOnce = 2000

// sweepEvery is how often alarms are looked for that ended without an event, in milliseconds.
const sweepEvery = 5000

// Step takes what watchdogs raised since, ends what is over, and lets go on what nobody acknowledged. What could not be stored is tried again.
func (k *Keeper) Step() {
	k.writing.Lock()
	defer k.writing.Unlock()
	for more := true; more; {
		d := k.draft()
		changes, whole := k.endedEvents(d)
		if more = k.readEvents(d); more {
			d.altered = k.altered
		} else {
			k.endActivations(d, changes, whole)
		}
		if !more && d.ticks {
			k.sweepEvents(d)
			k.escalate(d)
			k.retire(d)
		}
		err := k.write(d)
		k.outage.Note(k.config.Log, err, "alerts cannot be stored; they are tried again", "alerts are stored again")
		if err != nil {
			return
		}
	}
	k.agreeWithAlarms()
}

// draft is alerts as they become with the next commit.
type draft struct {
	now      int64
	ticks    bool // the time is known
	after    uint64
	altered  uint64
	alerts   map[uint64]*Alert           // that change, by number
	fresh    []*Alert                    // that have no number yet
	events   map[uint64]*watchdogs.Event // of new activations
	done     map[uint64]bool             // those that are put away
	lines    []store.CommitPart
	keys     map[uint64]store.Key // where those that are put away stand
	orders   []*TellOrder
	orderIDs []uint64 // their rows

	keeper *Keeper
}

func (k *Keeper) draft() *draft {
	d := &draft{after: k.after, altered: k.altered, alerts: map[uint64]*Alert{}, events: map[uint64]*watchdogs.Event{}, done: map[uint64]bool{}, keys: map[uint64]store.Key{}, keeper: k}
	k.mu.Lock()
	defer k.mu.Unlock()
	if d.ticks = !k.now.IsZero(); d.ticks {
		d.now = k.now.UnixMilli()
	}
	return d
}

// allAlerts returns the current alerts as they become, in the order of their numbers; those without one come last.
func (d *draft) allAlerts() []*Alert {
	d.keeper.mu.Lock()
	list := slices.Collect(maps.Values(d.keeper.alerts))
	d.keeper.mu.Unlock()
	slices.SortFunc(list, func(a, b *Alert) int {
		if a.ID < b.ID {
			return -1
		}
		return 1
	})
	for i, a := range list {
		if now := d.alerts[a.ID]; now != nil {
			list[i] = now
		}
	}
	return append(list, d.fresh...)
}

// edit returns a copy of an alert that may change.
func (d *draft) edit(a *Alert) *Alert {
	if a.ID == 0 || d.alerts[a.ID] == a {
		return a
	}
	c := a.Clone()
	d.alerts[a.ID] = c
	return c
}

// readEvents takes the next events. It reports whether there are more.
func (k *Keeper) readEvents(d *draft) (more bool) {
	if d.after >= k.config.Watch.Last() {
		return false
	}
	open := d.allAlerts()
	n := 0
	for e, err := range k.config.Watch.After(d.after) {
		if e.ID == 0 {
			break // the store cannot be read now
		}
		if n++; err == nil { // one that is damaged is passed over
			if !d.ticks { // else an event may be stored under a later time: the clock was set back
				d.now = max(d.now, e.Committed)
			}
			open = d.addEvent(open, &e)
		}
		d.after = e.ID
		if n == atOnce {
			return true
		}
	}
	return false
}

// addEvent takes one event, and returns the current alerts with what it made.
func (d *draft) addEvent(open []*Alert, e *watchdogs.Event) []*Alert {
	if e.Kind.Ends() {
		for i, a := range open {
			if a.Watchdog == e.Watchdog && a.has(e.Ship.MMSI) {
				open[i] = d.edit(a)
				open[i].End(e.Ship.MMSI, e.Time)
			}
		}
		return open
	}
	d.events[e.ID] = e
	p := Part{Event: e.ID, MMSI: e.Ship.MMSI, At: e.Time, Over: e.Deactivated, Seen: e.Acknowledged, By: e.By}
	if p.Instant = e.Kind == watchdog.Cross || !e.Active; p.Instant {
		p.Over = 0
	}
	plan, priority := d.keeper.config.Plan(e), PriorityOf(e)
	for i := len(open) - 1; i >= 0; i-- {
		if a := open[i]; e.Manual == nil && a.Watchdog == e.Watchdog && a.Priority == priority && a.Takes(e.Time) {
			open[i] = d.edit(a)
			open[i].Join(p, plan, d.now)
			return open
		}
	}
	a := &Alert{Watchdog: e.Watchdog, Name: e.Name, Owner: e.Owner, Type: e.Type, Priority: priority}
	a.Join(p, plan, d.now)
	d.fresh = append(d.fresh, a)
	return append(open, a)
}

// has reports whether an activation of a ship goes on.
func (a *Alert) has(m ais.MMSI) bool {
	return slices.ContainsFunc(a.Parts, func(p Part) bool { return p.MMSI == m && p.Over == 0 && !p.Instant })
}

// endedEvents returns what ended of earlier events since the last look; it is not whole when some of it is not known any more.
func (k *Keeper) endedEvents(d *draft) (ended map[uint64]watchdogs.Alteration, whole bool) {
	changes, last, whole := k.config.Watch.AlteredSince(k.altered)
	d.altered, ended = last, map[uint64]watchdogs.Alteration{}
	for _, c := range changes {
		if c.Over != 0 {
			ended[c.Event] = c
		}
	}
	return ended, whole
}

// endActivations ends the activations of events that are over. Of those that were forgotten the event says so, and is read anew.
func (k *Keeper) endActivations(d *draft, ended map[uint64]watchdogs.Alteration, whole bool) {
	if len(ended) == 0 && whole {
		return
	}
	for _, a := range d.allAlerts() {
		for i := range a.Parts {
			p := a.Parts[i]
			over := ended[p.Event]
			if !whole && p.Over == 0 || over.Evicted {
				if e, err := k.config.Watch.Get(p.Event); err == nil {
					over.Over = e.Deactivated
					if over.Evicted = e.Evicted; over.Evicted {
						d.events[p.Event] = &e
					}
				}
			}
			if !p.Instant && (over.Over != 0 && p.Over == 0 || over.Evicted) {
				a = d.edit(a)
				a.EndOf(p.Event, over.Over)
			}
		}
	}
}

// sweepEvents ends what ended without a word: a watchdog was changed or deleted, or an alarm was forgotten for want of room.
func (k *Keeper) sweepEvents(d *draft) {
	if d.now-k.swept >= 0 && d.now-k.swept < sweepEvery {
		return
	}
	k.swept = d.now
	all := d.allAlerts()
	var open []*watchdogs.Event
	for _, a := range all {
		for _, p := range a.Parts {
			if e := k.findEvent(d, p.Event); e != nil && p.Over == 0 && !p.Instant {
				open = append(open, e)
			}
		}
	}
	if len(open) == 0 {
		return
	}
	on := watchdogs.Standing(k.config.Watch, open)
	for _, a := range all {
		for i := range a.Parts {
			if p := a.Parts[i]; p.Over == 0 && !p.Instant && !on[p.Event] {
				a = d.edit(a)
				a.EndOf(p.Event, d.now)
			}
		}
	}
}

// escalate lets alerts go on that nobody acknowledged in time.
func (k *Keeper) escalate(d *draft) {
	for _, a := range d.allAlerts() {
		if a.isAhead(d.now) {
			a = d.edit(a)
			a.setBack(d.now)
		}
		if a.Due == 0 || a.Due > d.now || len(a.Parts) == 0 {
			continue
		}
		a = d.edit(a)
		e := k.findEvent(d, a.Parts[len(a.Parts)-1].Event)
		d.addOrder(a)
		if a.Escalate(d.now, k.config.Plan(e)) && k.config.Line != nil {
			d.lines = append(d.lines, k.config.Line("escalate alert", a.Name))
		}
	}
}

// findEvent returns an event of a current alert.
func (k *Keeper) findEvent(d *draft, number uint64) *watchdogs.Event {
	if e := d.events[number]; e != nil {
		return e
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.events[number]
}

// write commits a draft, with also, and then tells it.
func (k *Keeper) write(d *draft, also ...store.CommitPart) error {
	return k.commitDraft(d, func(all ...store.CommitPart) error { return k.config.DB.Together(d.writeRows, append(all, also...)...) })
}

// commitDraft has together commit a draft, and then tells it.
func (k *Keeper) commitDraft(d *draft, together func(...store.CommitPart) error) error {
	if len(d.alerts)+len(d.fresh)+len(d.done) == 0 && d.after == k.after {
		k.altered = d.altered
		return nil
	}
	if err := together(d.lines...); err != nil {
		return err
	}
	k.after, k.altered = d.after, d.altered
	k.publishDraft(d)
	return nil
}

// writeRows writes what changes.
func (d *draft) writeRows(b *store.Tx) (err error) {
	k := d.keeper
	for id, a := range d.alerts {
		if !d.done[id] {
			_, wrong := k.table.SetIn(b, id, "", *a)
			err = errors.Join(err, wrong)
		}
	}
	for _, a := range d.fresh {
		var wrong error
		if a.ID, wrong = k.table.SetIn(b, 0, "", *a); wrong != nil {
			return wrong
		}
	}
	for _, id := range slices.Sorted(maps.Keys(d.done)) {
		a := d.alerts[id]
		if a == nil {
			k.mu.Lock()
			a = k.alerts[id]
			k.mu.Unlock()
		}
		if len(a.Parts) > 0 {
			key, wrong := k.series.AppendIn(b, time.UnixMilli(d.now), *a)
			d.keys[id] = key
			err = errors.Join(err, wrong)
		}
		err = errors.Join(err, k.table.FreeIn(b, id))
	}
	if d.after != k.after {
		_, wrong := k.place.SetIn(b, k.row, "", position{d.after})
		err = errors.Join(err, wrong)
	}
	return errors.Join(err, d.writeOrders(b))
}

// publishDraft puts a draft in the place of what was, and wakes the readers.
func (k *Keeper) publishDraft(d *draft) {
	k.mu.Lock()
	for _, a := range d.fresh {
		d.alerts[a.ID] = a
	}
	maps.Copy(k.events, d.events)
	for id, a := range d.alerts {
		k.alerts[id] = a
		k.noteChange(id)
	}
	for i, o := range d.orders {
		k.orders[d.orderIDs[i]] = o
	}
	for id := range d.done {
		for _, p := range k.alerts[id].Parts {
			delete(k.events, p.Event)
		}
		delete(k.alerts, id)
		if key, kept := d.keys[id]; kept {
			k.past[id] = key
		}
		k.noteChange(id)
	}
	k.mu.Unlock()
	k.news.Raise()
}

// noteChange remembers that an alert changed.
func (k *Keeper) noteChange(id uint64) {
	k.count++
	if len(k.changed) >= 2*mostChanges {
		k.changed = append(k.changed[:0:0], k.changed[mostChanges+1:]...)
	}
	k.changed = append(k.changed, id)
}
