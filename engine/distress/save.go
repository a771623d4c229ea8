package distress

import (
	"context"
	"fmt"
	"log/slog"
	"math"
	"slices"
	"time"

	"quaywatch/ais"
	"quaywatch/internal/wake"
	"quaywatch/ship"
	"quaywatch/store/records"
)

// record is an alarm as it is stored. Times are in Unix milliseconds.
type record struct {
	MMSI        ais.MMSI   `json:"mmsi"`
	Class       ship.Class `json:"class"`
	Name        string     `json:"name,omitempty"`
	Test        bool       `json:"test,omitempty"`
	Since       int64      `json:"since"`
	Established int64      `json:"established,omitempty"`
	First       int64      `json:"first"`
	Heard       int64      `json:"heard"`
	Reports     uint32     `json:"reports"`
	Fix         *ship.Fix  `json:"fix,omitempty"`
	Feed        string     `json:"feed,omitempty"`
	Feeds       []string   `json:"feeds,omitempty"`
	By          string     `json:"by,omitempty"`
	Seen        int64      `json:"seen,omitempty"`
}

func recordOf(a *Alarm) record {
	s := &a.Ship
	r := record{MMSI: s.MMSI, Class: s.Class, Test: a.Test, Since: a.Since, Established: a.Established, First: s.First, Heard: s.Heard,
		Reports: s.Reports, Feed: s.Feed, By: a.By, Seen: a.Seen}
	if s.Static != nil {
		r.Name = s.Static.Name
	}
	if s.HasFix {
		fix := s.Fix
		fix.Feeds = 0 // a number of the open store
		r.Fix = &fix
	}
	r.Feeds = s.Feeds.List()
	return r
}

// alarm returns a stored alarm. The ship counts as removed: where the picture has it, that counts.
func (r *record) alarm() Alarm {
	s := ship.State{MMSI: r.MMSI, Class: r.Class, Age: ship.Removed, First: r.First, Heard: r.Heard, Reports: r.Reports, Feed: r.Feed}
	s.Fix.Status = ais.StatusUndefined
	if r.Name != "" {
		s.Static = &ship.Static{Name: r.Name, At: r.First}
	}
	if r.Fix != nil {
		s.HasFix, s.Fix = true, *r.Fix
	}
	names := slices.Clone(r.Feeds)
	s.Feeds.Names = &names
	for i := range min(len(names), ais.MostFeeds) {
		s.Feeds.Set |= ais.FeedBit(i)
	}
	return Alarm{Ship: s, Test: r.Test, Since: r.Since, Established: r.Established, By: r.By, Seen: r.Seen}
}

// Open reads the alarms of a database. A nil log is none.
func Open(db *records.Database, log *slog.Logger) (*Alarms, error) {
	if log == nil {
		log = slog.New(slog.DiscardHandler)
	}
	table, rows, err := records.ReadTable[record](db, "distress")
	if err != nil {
		return nil, err
	}
	l := &Alarms{db: db, table: table, log: log, kick: wake.NewKick(), alarms: map[ais.MMSI]*entry{}}
	for i := range rows {
		r := &rows[i].Value
		if was := l.alarms[r.MMSI]; was != nil {
			l.gone = append(l.gone, rows[i].ID)
			continue
		}
		e := &entry{Alarm: r.alarm(), id: rows[i].ID, saved: r.Heard, raised: r.Since}
		l.alarms[r.MMSI] = e
		l.count[e.tier()]++
	}
	l.size.Store(int32(len(l.alarms)))
	return l, nil
}

// saveEvery is how old the stored position of an alarm may be.
const saveEvery = time.Minute

// Run stores an alarm when it is raised, and what else is new once a second, until ctx is done.
func (l *Alarms) Run(ctx context.Context) error {
	second := time.NewTicker(time.Second)
	defer second.Stop()
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-l.kick:
			l.Save()
		case <-second.C:
			l.Save()
		}
	}
}

// pending is an alarm to be stored: a copy, and the entry that it is of.
type pending struct {
	Alarm
	of *entry
	id uint64 // under which it was stored
}

// Save stores what is new now. What could not be stored is tried again the next time; the log tells it once.
func (l *Alarms) Save() {
	l.writing.Lock()
	defer l.writing.Unlock()
	changed, gone := l.takeUnsaved()
	if len(changed)+len(gone) == 0 {
		return
	}
	err := l.write(changed, gone)
	l.outage.Note(l.log, err, "alarms of distress cannot be stored; they are tried again each second", "alarms of distress are stored again")
	l.mu.Lock()
	defer l.mu.Unlock()
	if err != nil {
		l.gone = append(l.gone, gone...)
	}
	for _, p := range changed {
		l.noteStored(p, err)
	}
}

// takeUnsaved takes out what is to be stored and deleted.
func (l *Alarms) takeUnsaved() (changed []pending, gone []uint64) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, e := range l.alarms {
		if e.unsaved || e.Ship.Heard-e.saved >= saveEvery.Milliseconds() {
			changed = append(changed, pending{e.Alarm, e, e.id})
			e.unsaved = false
		}
	}
	gone, l.gone = l.gone, nil
	return changed, gone
}

// write commits changes; it sets the ids of what is new.
func (l *Alarms) write(changed []pending, gone []uint64, also ...records.CommitPart) error {
	return l.db.Together(func(tx *records.Tx) (err error) {
		for _, id := range gone {
			if err := l.table.FreeIn(tx, id); err != nil {
				return err
			}
		}
		for i := range changed {
			if changed[i].id, err = l.table.SetIn(tx, changed[i].of.id, "", recordOf(&changed[i].Alarm)); err != nil {
				return err
			}
		}
		return nil
	}, also...)
}

// noteStored notes that an alarm was stored, or was not. The caller holds mu.
func (l *Alarms) noteStored(p pending, err error) {
	switch {
	case err != nil:
		p.of.unsaved = true
	case l.alarms[p.Ship.MMSI] == p.of:
		p.of.id, p.of.saved = p.id, p.Ship.Heard
		if p.of.raised != p.Since {
			p.of.raised = p.Since
			l.turns.Add()
		}
	case p.of.id == 0: // it went meanwhile
		l.gone = append(l.gone, p.id)
	}
}

// Which says which alarms a user acknowledges.
type Which struct {
	Numbers []ais.MMSI // none is all
	Before  int64      // only alarms that were raised by then, in Unix milliseconds: no user acknowledges what it has not seen
}

// Acknowledge notes that a user has seen alarms, in one commit with also, and returns them as the reader may be told of them. It is on the disk when
// Acknowledge returns. An alarm that was acknowledged before keeps the user and the time of then. It returns ErrUnknown when there is no
// such alarm that the reader may see.
func (l *Alarms) Acknowledge(tell TellShip, which Which, by string, at time.Time, also ...records.CommitPart) ([]Alarm, error) {
	l.writing.Lock()
	defer l.writing.Unlock()
	var seen []Alarm
	var changed []pending
	for _, p := range l.alarmsNamed(which) {
		alarm := p.Alarm
		var ok bool
		if alarm.Ship, ok = tell(&p.Ship, time.UnixMilli(p.Since)); !ok {
			continue
		}
		if !p.Acknowledged() {
			p.By, p.Seen = by, at.UnixMilli()
			alarm.By, alarm.Seen = p.By, p.Seen
			changed = append(changed, p)
		}
		seen = append(seen, alarm)
	}
	if len(seen) == 0 {
		return nil, ErrUnknown
	}
	if len(changed) > 0 {
		if err := l.write(changed, nil, also...); err != nil {
			return nil, fmt.Errorf("acknowledge an alarm: %w", err)
		}
		l.acknowledged(changed)
	}
	sortBy(seen, alarmSince)
	return seen, nil
}

// alarmsNamed returns the alarms that are meant.
func (l *Alarms) alarmsNamed(which Which) (found []pending) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for m, e := range l.alarms {
		if (len(which.Numbers) == 0 || slices.Contains(which.Numbers, m)) && e.Since <= which.Before {
			found = append(found, pending{e.Alarm, e, e.id})
		}
	}
	return found
}

// acknowledged notes what was committed. An alarm that was raised anew meanwhile stays.
func (l *Alarms) acknowledged(changed []pending) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, p := range changed {
		l.noteStored(p, nil)
		if p.of.Since == p.Since {
			p.of.By, p.of.Seen = p.By, p.Seen
		} else {
			p.of.unsaved = true
		}
	}
	l.version.Add(1)
	l.turns.Add()
}

// SeenAlarm is an alarm of a number, raised at a time, that a user has seen elsewhere. Times are Unix milliseconds.
type SeenAlarm struct {
	MMSI  ais.MMSI
	Since int64
	By    string
	At    int64
}

// AcknowledgeRaised notes that alarms were seen, all in one commit. It does nothing about those that are others by now, or none, or acknowledged.
func (l *Alarms) AcknowledgeRaised(all []SeenAlarm) error {
	type raised struct {
		mmsi  ais.MMSI
		since int64
	}
	seen := map[raised]SeenAlarm{}
	for _, s := range all {
		seen[raised{s.MMSI, s.Since}] = s
	}
	l.writing.Lock()
	defer l.writing.Unlock()
	var changed []pending
	for _, p := range l.alarmsNamed(Which{Before: math.MaxInt64}) {
		if s, is := seen[raised{p.Ship.MMSI, p.Since}]; is && !p.Acknowledged() {
			p.By, p.Seen = s.By, s.At
			changed = append(changed, p)
		}
	}
	if len(changed) == 0 {
		return nil
	}
	if err := l.write(changed, nil); err != nil {
		return fmt.Errorf("acknowledge alarms: %w", err)
	}
	l.acknowledged(changed)
	return nil
}
