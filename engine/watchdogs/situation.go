package watchdogs

import (
	"strconv"

	"quaywatch/store/records"
	"quaywatch/users/library"
)

// A situation is something that goes on and is not the alarm of one ship. Such are two ships that come too close, a receiver that hears nothing, and people in
// distress. It has one event, which is over when the situation is.

// subject is what a watchdog watches one situation of.
type subject struct {
	watchdog uint64
	about    string
}

// situation is what is remembered of one.
type situation struct {
	subject
	owner  string // of the watchdog, when it began
	active bool
	since  int64  // when it began, Unix milliseconds
	began  *began // nil where nothing was told of it
	row    uint64 // 0 before it is stored
	urgent bool   // it goes with the next commit
	over   bool   // it is forgotten
	listed bool   // both ships of the pair are on the list of the watchdog
	until  int64  // of a pause: when it ends by itself, Unix milliseconds
	held   uint64 // of a pause: the events that it had held back when it was stored
}

// situationRow is a situation as it is stored.
type situationRow struct {
	Watchdog uint64      `json:"watchdog"`
	About    string      `json:"about"`
	Active   bool        `json:"active,omitempty"`
	Since    int64       `json:"since"`
	Key      records.Key `json:"key,omitzero"` // of the event
	Until    int64       `json:"until,omitempty"`
	Held     uint64      `json:"held,omitempty"`
}

// What is remembered at most, of all and of the watchdogs of one owner. Pairs beyond it are told, and told again after a restart. Of receivers and of the
// box nothing is told beyond it. Both are counted.
const (
	mostSituations = 20_000
	mostOfOwner    = mostSituations / 10
)

// situations are all of them. Those of the methods that say nothing else are called with Watch.mu held.
type situations struct {
	watch *Watch
	rows  *records.Table[situationRow]
	all   map[subject]*situation
	of    map[string]int // how many each owner has
	moved []*situation
	gone  []uint64 // rows of those that are forgotten

	unremembered uint64 // pairs that there was no room for, since the start
}

// read takes what is stored.
func (s *situations) read(w *Watch) error {
	table, rows, err := records.ReadTable[situationRow](w.config.DB.Database, "situations")
	if err != nil {
		return err
	}
	s.watch, s.rows, s.all = w, table, map[subject]*situation{}
	s.of = map[string]int{}
	for i := range rows {
		r := &rows[i].Value
		of := subject{r.Watchdog, r.About}
		if s.all[of] != nil {
			s.gone = append(s.gone, rows[i].ID)
			continue
		}
		standing := &situation{subject: of, active: r.Active, since: r.Since, row: rows[i].ID, until: r.Until, held: r.Held}
		if r.Key != (records.Key{}) {
			standing.began = &began{key: r.Key}
		}
		if r, ok := w.config.Library.Get(library.Watchdogs, strconv.FormatUint(of.watchdog, 10)); ok {
			standing.owner = r.Owner
		}
		s.addSituation(standing)
	}
	return nil
}

// addSituation takes in a situation.
func (s *situations) addSituation(standing *situation) {
	s.all[standing.subject] = standing
	s.of[standing.owner]++
}

// active returns what a watchdog has that goes on.
func (s *situations) active(of subject) *situation {
	if standing := s.all[of]; standing != nil && standing.active {
		return standing
	}
	return nil
}

// hasRoom reports whether a situation is remembered when it begins for a watchdog of an owner. Alarms of distress have room always: package distress bounds
// them.
func (s *situations) hasRoom(of subject, owner string) bool {
	built := s.watch.distresses.of
	return s.all[of] != nil || len(s.all) < mostSituations && s.of[owner] < mostOfOwner || built != nil && built.id == of.watchdog
}

// beginSituation raises the event of a situation. One that is mute is remembered, so that nothing is told of it later.
func (s *situations) beginSituation(of subject, e Event, mute bool) {
	standing := s.all[of]
	if standing == nil {
		standing = &situation{subject: of, owner: e.Owner}
		if s.hasRoom(of, e.Owner) {
			s.addSituation(standing)
		} else {
			s.unremembered++
		}
	}
	standing.active, standing.since, standing.began = true, e.Time, nil
	if !mute {
		w := s.watch
		w.raised++
		e.Active, e.Activated = true, !e.quiet()
		if first := (&began{owner: e.Owner}); enqueue(w, raised{event: e, began: first, begins: true}) {
			standing.began = first
		}
	}
	standing.enroll(s)
	s.hurrySituation(standing)
}

// endSituation notes that a situation is over. It is remembered until forget.
func (s *situations) endSituation(of subject, at int64) {
	standing := s.active(of)
	if standing == nil {
		return
	}
	standing.active = false
	standing.enroll(s)
	if standing.began != nil {
		endEvent(s.watch, standing.began, at, false)
	}
	s.hurrySituation(standing)
}

// dropSituation lets a situation go. What it began stays as it is, unless end ended it.
func (s *situations) dropSituation(of subject) {
	standing := s.all[of]
	if standing == nil {
		return
	}
	delete(s.all, of)
	if s.of[standing.owner]--; s.of[standing.owner] == 0 {
		delete(s.of, standing.owner)
	}
	standing.over = true
	standing.enroll(s)
	if standing.row != 0 {
		s.gone = append(s.gone, standing.row)
		standing.row = 0
	}
}

// dropGone forgets those of watchdogs for which is is false. What they began is over.
func (s *situations) dropGone(is func(watchdog uint64) bool) {
	for of := range s.all {
		if !is(of.watchdog) {
			s.endSituation(of, max(s.watch.now.UnixMilli(), s.all[of].since))
			s.dropSituation(of)
		}
	}
}

func (s *situations) hurrySituation(standing *situation) {
	if !standing.urgent {
		standing.urgent = true
		s.moved = append(s.moved, standing)
	}
	s.watch.kick.Wake()
}

// savedSituation is a situation to be stored; row is what it had, and then what it got.
type savedSituation struct {
	of    *situation
	began *began
	row   uint64
	copy  situationRow
}

// situationWork is what is to be stored.
type situationWork struct {
	list []savedSituation
	gone []uint64
}

// takeUnsaved takes out what is to be stored.
func (s *situations) takeUnsaved() (u situationWork) {
	for _, standing := range s.moved {
		if standing.urgent = false; !standing.over {
			u.list = append(u.list, savedSituation{standing, standing.began, standing.row, standing.storedRow(s)})
		}
	}
	u.gone, s.gone, s.moved = s.gone, nil, nil
	return u
}

// storedRow returns a situation as it is stored, but for the key of its event.
func (standing *situation) storedRow(s *situations) situationRow {
	if d := s.watch.dogs[standing.watchdog]; d != nil && standing.until != 0 {
		if pause, is := d.meter.Pause(); is {
			standing.held = pause.Held
		}
	}
	return situationRow{standing.watchdog, standing.about, standing.active, standing.since, records.Key{}, standing.until, standing.held}
}

// write stores it. It is called without Watch.mu, in a commit that has stored the events.
func (s *situations) write(tx *records.Tx, u *situationWork) (err error) {
	for i := range u.list {
		work := &u.list[i]
		if work.began != nil {
			work.copy.Key = work.began.key
		}
		if work.row, err = s.rows.SetIn(tx, work.row, "", work.copy); err != nil {
			return err
		}
	}
	return freeAll(tx, s.rows, u.gone)
}

// setRows gives situations their rows.
func (s *situations) setRows(u *situationWork) {
	for i := range u.list {
		if work := &u.list[i]; work.of.over {
			s.gone = append(s.gone, work.row)
		} else {
			work.of.row = work.row
		}
	}
}

// restoreUnsaved puts back what could not be stored.
func (s *situations) restoreUnsaved(u *situationWork) {
	s.gone = append(s.gone, u.gone...)
	for i := range u.list {
		s.hurrySituation(u.list[i].of)
	}
}
