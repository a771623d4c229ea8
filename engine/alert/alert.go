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
	"slices"
	"sync"
	"time"

	"quaywatch/engine/distress"
	"quaywatch/engine/watchdogs"
	"quaywatch/internal/rule"
	"quaywatch/internal/wake"
	"quaywatch/ship"
	"quaywatch/store/outage"
	"quaywatch/store/records"
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
	DB       *records.Database
	Watch    *watchdogs.Watch
	Distress *distress.Alarms // the alarms that alerts of people in distress tell of; nil is none

	Plan func(e *watchdogs.Event) Plan                  // the users that an event concerns, as it is configured now
	Line func(action, object string) records.CommitPart // the line of the audit log of what nobody did; nil writes none
	Tell func(context.Context, TellOrder) error         // tells others of an alert that went on to them; an order that it knows by its key is told; nil tells nobody
	Log  *slog.Logger                                   // nil logs nothing
}

// LineOf returns lines of an audit log, of what no user did.
func LineOf(log *audit.Log) func(action, object string) records.CommitPart {
	return func(action, object string) records.CommitPart {
		return log.Line(func() audit.LogEntry { return audit.LogEntry{Action: action, Object: object, Result: "ok"} })
	}
}

// Keeper keeps the alerts. It is a traffic.Observer: hand it to Picture.Run after watchdogs.Watch.
//
// Locks: writing is held while the database writes, and while the watchdogs are asked. What readers need is guarded by mu, which is taken after it and
// held for a moment.
type Keeper struct {
	config    Config
	table     *records.Table[Alert]
	place     *records.Table[position]
	series    *records.Series[Alert]
	orderRows *records.Table[TellOrder]
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
	past    map[uint64]records.Key
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
	k := &Keeper{config: c, kick: wake.NewKick(), alerts: map[uint64]*Alert{}, events: map[uint64]*watchdogs.Event{}, past: map[uint64]records.Key{},
		orders: map[uint64]*TellOrder{}}
	if err := errors.Join(k.openPlace(), k.openOrders()); err != nil {
		return nil, err
	}
	table, rows, err := records.ReadTable[Alert](c.DB, "alerts")
	if err != nil {
		return nil, err
	}
	k.table = table
	for i := range rows {
		a := &rows[i].Value
		a.ID = rows[i].ID
		k.recallAlert(a)
	}
	if k.series, err = records.OpenSeries[Alert](c.DB, "alerts", records.Keep{Age: Keep, Most: mostPast}); err != nil {
		return nil, err
	}
	for e, err := range k.series.Forward(records.Key{}, records.EndKey()) {
		if e.Key == (records.Key{}) && err != nil {
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
	table, rows, err := records.ReadTable[position](k.config.DB, "alertplace")
	if err != nil {
		return err
	}
	k.place, k.after = table, k.config.Watch.Last()
	if len(rows) > 0 {
		k.row, k.after = rows[0].ID, min(rows[0].Value.After, k.after)
		return nil
	}
	return k.config.DB.Together(func(tx *records.Tx) (err error) {
		k.row, err = k.place.SetIn(tx, 0, "", position{k.after})
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
