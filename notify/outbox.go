package notify

import (
	"cmp"
	"context"
	"crypto/rand"
	"encoding/hex"
	"fmt"
	"log/slog"
	"slices"
	"strconv"
	"sync"
	"time"

	"quaywatch/engine/watchdogs"
	"quaywatch/internal/wake"
	"quaywatch/sight"
	"quaywatch/store/outage"
	"quaywatch/store/records"
	"quaywatch/users/library"
)

// Outbox keeps the notices. Run makes and delivers them.
//
// Locks: writing is held while the database writes. What readers need is guarded by mu, which is taken after it and held for a moment.
type Outbox struct {
	config  Config
	table   *records.Table[row]
	cursors *records.Table[cursor]
	news    wake.Signal // something waits
	packer  Packer      // nil before Pack
	box     string      // the name of the box in the ids of its messages

	writing sync.Mutex
	cursor  cursor
	at      uint64 // the row of the cursor
	outage  outage.Logger

	mu      sync.Mutex
	rows    map[uint64]*row
	byEvent map[uint64][]uint64 // rows of an event
	waiting map[string][]uint64 // rows of a channel, in the order in which they were made
	hours   map[string][]int64  // when the last notices of a channel were sent, those of an hour; what is urgent does not count
	taken   map[aim]int64       // targets that a try is under way to, with when it began
	trying  map[string]int      // tries of a channel that are under way and count for the limit of an hour
	failing map[aim]failing     // targets whose last try failed
	trouble map[aim]Trouble     // of far ends that fail; to is "" for the whole channel
	pushed  uint64              // waiting notices that gave way to others since the start
	told    bool                // the log says that nothing goes out
}

// row is a notice as it is stored. Times are in Unix milliseconds. It does not change: another one takes its place.
type row struct {
	Event    uint64      `json:"event,omitempty"` // 0 for a letter, a parcel and a test
	Watchdog uint64      `json:"watchdog,omitempty"`
	Channel  string      `json:"channel"`
	To       string      `json:"to,omitempty"`
	Extra    bool        `json:"extra,omitempty"` // the watchdog need not name the target
	State    NoticeState `json:"state"`
	Made     int64       `json:"made"`
	At       int64       `json:"at"`             // of the state; of one that waits the last try
	Next     int64       `json:"next,omitempty"` // try
	Tries    int         `json:"tries,omitempty"`
	Error    string      `json:"error,omitempty"`
	Letter   *note       `json:"letter,omitempty"`

	Statistic int64  `json:"statistic,omitempty"` // that it is a parcel of
	Test      string `json:"test,omitempty"`      // the uid of the user that asked for it, where it is a test

	Distress   bool   `json:"distress,omitempty"`   // it is of people in distress
	Escalation string `json:"escalation,omitempty"` // the key of the step of an alert that it tells of; then To is a uid
}

// cursor is up to which event notices are made, as it is stored, and the name of the box in the ids of its messages.
type cursor struct {
	After uint64 `json:"after"`
	Box   string `json:"box"`
}

// Open reads the notices that are kept. Events that were raised before the first start make none.
func Open(c Config) (*Outbox, error) {
	if c.Now == nil {
		c.Now = time.Now
	}
	if c.Log == nil {
		c.Log = slog.New(slog.DiscardHandler)
	}
	if c.Record == nil {
		c.Record = func(_ *sight.Viewer, e *watchdogs.Event) any { return e }
	}
	c.Most = cmp.Or(c.Most, MostWaiting)
	o := &Outbox{config: c, rows: map[uint64]*row{}, byEvent: map[uint64][]uint64{}, waiting: map[string][]uint64{}, hours: map[string][]int64{},
		taken: map[aim]int64{}, trying: map[string]int{}, failing: map[aim]failing{}, trouble: map[aim]Trouble{}}
	var err error
	var cursors []records.Record[cursor]
	if o.cursors, cursors, err = records.ReadTable[cursor](c.DB, "notified"); err != nil {
		return nil, err
	}
	if len(cursors) > 0 {
		o.at, o.cursor = cursors[0].ID, cursors[0].Value
	} else {
		box := make([]byte, 6)
		_, _ = rand.Read(box) // it never fails
		o.cursor = cursor{After: c.Watch.Last(), Box: hex.EncodeToString(box)}
		if o.at, err = o.cursors.Insert("", o.cursor); err != nil {
			return nil, err
		}
	}
	o.box = o.cursor.Box
	var rows []records.Record[row]
	if o.table, rows, err = records.ReadTable[row](c.DB, "notices"); err != nil {
		return nil, err
	}
	for i := range rows {
		o.addRow(rows[i].ID, &rows[i].Value)
	}
	for _, sent := range o.hours {
		slices.Sort(sent)
	}
	return o, nil
}

// addRow puts a row in its place. The caller holds mu, or is alone.
func (o *Outbox) addRow(id uint64, r *row) {
	if o.rows[id] == nil {
		o.byEvent[r.Event] = append(o.byEvent[r.Event], id)
		if r.State == Waiting {
			o.waiting[r.Channel] = append(o.waiting[r.Channel], id)
		}
	} else if r.State != Waiting {
		o.waiting[r.Channel] = slices.DeleteFunc(o.waiting[r.Channel], func(other uint64) bool { return other == id })
	}
	if o.rows[id] = r; r.State == Sent && !r.isUrgent() {
		o.hours[r.Channel] = append(o.hours[r.Channel], r.At)
	}
}

// removeRow takes a row out that is no longer kept. The caller holds mu.
func (o *Outbox) removeRow(id uint64) {
	r := o.rows[id]
	if r == nil {
		return
	}
	delete(o.rows, id)
	if rest := slices.DeleteFunc(o.byEvent[r.Event], func(other uint64) bool { return other == id }); len(rest) > 0 {
		o.byEvent[r.Event] = rest
	} else {
		delete(o.byEvent, r.Event)
	}
}

// atOnce is how many events are looked at for one commit.
const atOnce = 500

// Run makes the notices of what is raised, and delivers them, until ctx is done.
func (o *Outbox) Run(ctx context.Context) error {
	var channels sync.WaitGroup
	defer channels.Wait()
	if !o.config.Silent {
		for i := range o.config.Channels {
			channels.Go(func() { o.deliver(ctx, &o.config.Channels[i]) })
		}
	}
	retry, minute := time.NewTicker(time.Second), time.NewTicker(time.Minute)
	defer retry.Stop()
	defer minute.Stop()
	for after := o.lastEvent(); ; {
		changed := o.config.Watch.Changed()
		var again <-chan time.Time
		if !o.followEvents(ctx, &after) {
			again = retry.C
		}
		select {
		case <-ctx.Done():
			_ = o.add(nil, after) // else they are looked at again
			return nil
		case <-changed:
		case <-minute.C:
			o.store(nil, after)
		case <-again:
		}
	}
}

// lastEvent returns the event up to which notices are made, as it is stored.
func (o *Outbox) lastEvent() uint64 {
	o.writing.Lock()
	defer o.writing.Unlock()
	return o.cursor.After
}

// followEvents makes the notices of the events behind after, and moves it. Without a notice the cursor is not stored at once: the commit would hold up those
// of events. It is false where notices cannot be stored.
func (o *Outbox) followEvents(ctx context.Context, after *uint64) bool {
	for more := true; more && ctx.Err() == nil; {
		rows, last, others := o.made(*after)
		if len(rows) > 0 && !o.store(rows, last) {
			return false
		}
		*after, more = last, others
	}
	return true
}

// store adds notices, and has the log tell when that begins to fail and when it works again.
func (o *Outbox) store(rows []*row, last uint64) bool {
	err := o.add(rows, last)
	o.outage.Note(o.config.Log, err, "notices cannot be stored; it is tried again each second", "notices are stored again")
	return err == nil
}

// made returns the notices of the next events, and the last of them; more tells that there are others.
func (o *Outbox) made(after uint64) (rows []*row, last uint64, more bool) {
	last = after
	count := 0
	for e, err := range o.config.Watch.After(after) {
		if e.ID == 0 {
			break // the store cannot be read; the next event asks again
		}
		if last = e.ID; err == nil && e.Activated { // one that is damaged is passed over
			rows = append(rows, o.rowsOf(&e)...)
		}
		if count++; count == atOnce {
			return rows, last, true
		}
	}
	return rows, last, false
}

// rowsOf returns the notices of an event.
func (o *Outbox) rowsOf(e *watchdogs.Event) (rows []*row) {
	r, ok := o.watchdog(e.Watchdog)
	if !ok {
		return nil
	}
	for i := range o.config.Channels {
		c := &o.config.Channels[i]
		for _, to := range c.Targets(&r, e) {
			rows = append(rows, o.makeNotice(e, c.Kind, to))
		}
	}
	return rows
}

// watchdog finds a watchdog by its number.
func (o *Outbox) watchdog(id uint64) (library.Resource, bool) {
	r, ok := o.config.Library.Get(library.Watchdogs, strconv.FormatUint(id, 10))
	return r, ok && r.ID == id
}

// makeNotice returns a notice that waits, or one that is suppressed.
func (o *Outbox) makeNotice(e *watchdogs.Event, channel, to string) *row {
	now := o.config.Now().UnixMilli()
	r := &row{Event: e.ID, Watchdog: e.Watchdog, Channel: channel, To: to, State: Waiting, Made: now, At: now, Distress: ofDistress(e)}
	if o.config.Silent {
		r.State = Suppressed
	}
	return r
}

// add stores notices and the cursor in one commit. Beyond the bounds the oldest that wait give way, and what is done longest goes.
func (o *Outbox) add(rows []*row, last uint64) error {
	o.writing.Lock()
	defer o.writing.Unlock()
	return o.write(rows, last)
}

// write is add, in one commit with also, for a caller that holds writing.
func (o *Outbox) write(rows []*row, last uint64, also ...records.CommitPart) error {
	now := o.config.Now().UnixMilli()
	pushed := o.pushedOut(rows, now)
	gone := o.outdated(len(rows), now)
	moved := o.cursor
	moved.After = max(moved.After, last)
	if len(rows) == 0 && moved == o.cursor {
		return nil
	}
	ids := make([]uint64, len(rows))
	err := o.config.DB.Together(func(tx *records.Tx) error {
		if _, err := o.cursors.SetIn(tx, o.at, "", moved); err != nil {
			return err
		}
		for id, r := range pushed {
			if _, err := o.table.SetIn(tx, id, "", *r); err != nil {
				return err
			}
		}
		for _, id := range gone {
			if err := o.table.FreeIn(tx, id); err != nil {
				return err
			}
		}
		for i, r := range rows {
			var err error
			if ids[i], err = o.table.SetIn(tx, 0, "", *r); err != nil {
				return err
			}
		}
		return nil
	}, also...)
	if err != nil {
		return err
	}
	o.cursor = moved
	o.added(ids, rows, pushed, gone)
	return nil
}

// added puts what was stored in its place.
func (o *Outbox) added(ids []uint64, rows []*row, pushed map[uint64]*row, gone []uint64) {
	o.mu.Lock()
	defer o.mu.Unlock()
	for _, id := range gone {
		o.removeRow(id)
	}
	for id, r := range pushed {
		o.addRow(id, r)
		o.pushed++
	}
	for i, r := range rows {
		o.addRow(ids[i], r)
	}
	if len(rows) > 0 && o.config.Silent && !o.told {
		o.told = true
		o.config.Log.Info("this is a demo or a replay: notices of watchdogs are not sent")
	}
	o.news.Raise()
}

// pushedOut returns the oldest notices that wait as they become when there is no room for others. Those of people in distress go last. New ones that have to
// give way become so themselves.
func (o *Outbox) pushedOut(rows []*row, now int64) map[uint64]*row {
	o.mu.Lock()
	defer o.mu.Unlock()
	var old []uint64
	for _, ids := range o.waiting {
		old = append(old, ids...)
	}
	over := len(old) + len(rows) - o.config.Most
	if over <= 0 {
		return nil
	}
	slices.Sort(old)
	pushed := map[uint64]*row{}
	for _, urgent := range []bool{false, true} {
		for _, id := range old {
			if r := *o.rows[id]; over > 0 && r.isUrgent() == urgent {
				r.giveUp(now, o.config.Most)
				pushed[id] = &r
				over--
			}
		}
		for _, r := range rows {
			if over > 0 && r.isUrgent() == urgent {
				r.giveUp(now, o.config.Most)
				over--
			}
		}
	}
	return pushed
}

// giveUp gives a notice up for want of room.
func (r *row) giveUp(now int64, most int) {
	r.State, r.At, r.Error = Failed, now, fmt.Sprintf("more than %d notices waited, and the oldest gave way", most)
}

// outdated returns the rows that go when others come. They are those that were done long ago, and the oldest that are done where there are too many.
func (o *Outbox) outdated(coming int, now int64) (gone []uint64) {
	o.mu.Lock()
	defer o.mu.Unlock()
	var done []uint64
	for id, r := range o.rows {
		switch {
		case r.State == Waiting:
		case now-r.At > keep.Milliseconds():
			gone = append(gone, id)
		default:
			done = append(done, id)
		}
	}
	if over := len(o.rows) - len(gone) + coming - MostRows; over > 0 {
		slices.Sort(done)
		gone = append(gone, done[:min(over, len(done))]...)
	}
	return gone
}

// storeNotice stores what became of a notice, and tells the readers of its event.
func (o *Outbox) storeNotice(id uint64, r *row) error {
	err := o.replace(id, r)
	if err == nil && r.Event != 0 && r.State != Waiting {
		o.config.Watch.Touch(r.Event)
	}
	return err
}

func (o *Outbox) replace(id uint64, r *row) error {
	o.writing.Lock()
	defer o.writing.Unlock()
	was, there := o.findRow(id)
	if !there || was.State != Waiting && r.State == Waiting { // it gave way to others meanwhile
		return nil
	}
	err := o.config.DB.Together(func(tx *records.Tx) error { _, err := o.table.SetIn(tx, id, "", *r); return err })
	if err != nil {
		return err
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	o.addRow(id, r)
	return nil
}

// parcelsOf returns the rows of a statistic, in the order in which they were made.
func parcelsOf(o *Outbox, statistic int64) (rows []*row) {
	o.mu.Lock()
	defer o.mu.Unlock()
	var ids []uint64
	for _, id := range o.byEvent[0] {
		if o.rows[id].Statistic == statistic {
			ids = append(ids, id)
		}
	}
	slices.Sort(ids)
	for _, id := range ids {
		rows = append(rows, o.rows[id])
	}
	return rows
}

func (o *Outbox) findRow(id uint64) (*row, bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	r, ok := o.rows[id]
	return r, ok
}
