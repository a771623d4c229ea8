package watchdogs

import (
	"fmt"
	"slices"
	"time"

	"quaywatch/ais"
	"quaywatch/engine/watchdogs/ceiling"
	"quaywatch/ship/watchdog"
)

// aboutPause is what the situation of a paused watchdog is about. No receiver, pair or notice is called so.
const aboutPause = "\x00paused"

// PauseOfEvent is what an event says of a pause: when it ends by itself, and how many events it held back, once that is known.
type PauseOfEvent struct {
	Until int64  `json:"until,omitempty"` // Unix milliseconds
	Held  uint64 `json:"held,omitempty"`
}

// pauses keep what watchdogs ring below the ceilings. They are used with Watch.mu held.
type pauses struct {
	*ceiling.Ceiling
	watch  *Watch
	held   uint64   // events since the start that were counted and not told
	ship   ais.MMSI // of the report that is looked at
	number int      // of that ship in the pauses of now; -1 before a paused watchdog met it
}

// useWatchdogs gives the watchdogs of now their meters. A pause that was there before a restart goes on.
func (p *pauses) useWatchdogs(dogs map[uint64]*dog) {
	for _, d := range dogs {
		d.meter = p.Meter(d.id, d.of.Owner)
	}
	p.Keep(p.watch.now.UnixMilli(), func(id uint64) bool { return dogs[id] != nil })
	for of, standing := range p.watch.situations.all {
		if d := dogs[of.watchdog]; of.about == aboutPause && standing.active && d != nil && !d.meter.Paused() {
			p.Resume(d.meter, ceiling.RingPause{Since: standing.since, Until: standing.until, Held: standing.held})
		}
	}
}

// tells takes an event that a watchdog rings at a time, and reports whether it is told. Else it was counted.
func (p *pauses) tells(d *dog, at int64) bool {
	now := p.pictureTime(at)
	told, paused := p.Ring(d.meter, now)
	if !told {
		p.held++
	}
	if paused != nil {
		p.beginPause(paused)
	}
	return told
}

// pictureTime returns the time of the picture, or that of an event before the first tick.
func (p *pauses) pictureTime(at int64) int64 {
	if p.watch.now.IsZero() {
		return at
	}
	return p.watch.now.UnixMilli()
}

// beginPause raises the event that tells the owner of a watchdog that it is paused.
func (p *pauses) beginPause(m *ceiling.Meter) {
	pause, _ := m.Pause()
	d := p.watch.dogs[pause.ID]
	if d == nil {
		return
	}
	p.watch.config.Log.Warn("a watchdog rings too often and is paused", "watchdog", d.of.Name, "until", time.UnixMilli(pause.Until).UTC())
	of := subject{d.id, aboutPause}
	e := pauseEvent(d, watchdog.Paused, pause.Since, PauseOfEvent{Until: pause.Until})
	p.watch.situations.beginSituation(of, e, p.watch.isMute(pair{watchdog: d.id, about: aboutPause}, pause.Since))
	if standing := p.watch.situations.all[of]; standing != nil {
		standing.until = pause.Until
	}
}

// endPause ends the event of a pause, and tells what was held back as one.
func (p *pauses) endPause(pause ceiling.RingPause, at int64) {
	of := subject{pause.ID, aboutPause}
	p.watch.situations.endSituation(of, at)
	p.watch.situations.dropSituation(of)
	if d := p.watch.dogs[pause.ID]; d != nil && pause.Held > 0 {
		p.watch.raised++
		enqueue(p.watch, raised{event: pauseEvent(d, watchdog.More, at, PauseOfEvent{Held: pause.Held})})
	}
	p.watch.kick.Wake()
}

// endPauses ends the pauses whose time has come.
func (p *pauses) endPauses(now time.Time) {
	for _, pause := range p.Over(now.UnixMilli()) {
		p.endPause(pause, now.UnixMilli())
	}
}

// looks notes the ship of a report. Its number is looked up where a paused watchdog meets it: most reports meet none.
func (p *pauses) looks(m ais.MMSI) { p.ship, p.number = m, -1 }

// numberOfShip returns the number of the ship of the report in the pauses of now.
func (p *pauses) numberOfShip() int {
	if p.number < 0 {
		p.number = p.Number(p.ship)
	}
	return p.number
}

// holdShip counts the ship of the report, which a paused watchdog would ring for.
func (p *pauses) holdShip(d *dog) {
	p.held++
	p.watch.raised++
	d.meter.HoldShip(p.numberOfShip())
}

// holdsBack reports whether what the report began was not told, as its watchdog is paused. The ship is met anew, and told when the pause is over.
func (p *pauses) holdsBack(a *alarm) bool {
	begins := func(e watchdog.Occurrence) bool { return e.Activated && e.Active && !p.watch.silenced(a, e.At) }
	if !a.dog.meter.Paused() || a.began != nil || len(a.also) > 0 || !slices.ContainsFunc(p.watch.events, begins) {
		return false
	}
	a.dog.meter.NoteShip(p.numberOfShip())
	a.over = true // nothing more of it is stored
	return true
}

// pauseEvent makes an event about a pause.
func pauseEvent(d *dog, k watchdog.Kind, at int64, pause PauseOfEvent) Event {
	return Event{Watchdog: d.id, Name: d.of.Name, Owner: d.of.Owner, Type: d.of.Watchdog.Type, Severity: d.of.Watchdog.Severity, Kind: k, Time: at,
		About: aboutPause, Pause: &pause}
}

// pauseSentence says what became of a watchdog that rings too often.
func pauseSentence(e *Event) string {
	if e.Kind == watchdog.More {
		return fmt.Sprintf("%s: and %d more, while it was paused", e.Name, e.Pause.Held)
	}
	return fmt.Sprintf("%s rings too often and is paused until %s", e.Name, time.UnixMilli(e.Pause.Until).UTC().Format("15:04 UTC"))
}

// Paused returns the pause of a watchdog; false where it is not paused.
func Paused(w *Watch, id uint64) (ceiling.RingPause, bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if d := w.dogs[id]; d != nil {
		return d.meter.Pause()
	}
	return ceiling.RingPause{}, false
}

// Release ends the pause of a watchdog at a time, and reports whether it was paused.
func Release(w *Watch, id uint64, now time.Time) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	d := w.dogs[id]
	if d == nil {
		return false
	}
	pause, was := w.pauses.Ceiling.Release(d.meter, w.pauses.pictureTime(now.UnixMilli()))
	if was {
		w.pauses.endPause(pause, now.UnixMilli())
	}
	return was
}
