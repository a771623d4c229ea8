package watchdogs

import (
	"errors"
	"time"

	"quaywatch/ais"
	"quaywatch/store/records"
)

// mostMutes bounds the pairs of a watchdog and a ship that are mute at once.
const mostMutes = 10_000

// ErrMutes says that too many ships are mute.
var ErrMutes = errors.New("too many ships are mute")

// mute is a ship of which a watchdog tells nothing for a while, as it is stored.
type mute struct {
	Watchdog uint64   `json:"watchdog"`
	MMSI     ais.MMSI `json:"mmsi"`
	About    string   `json:"about,omitempty"` // what an event without a ship is about
	Until    int64    `json:"until"`           // Unix milliseconds
}

// pair is a watchdog and a ship.
type pair struct {
	watchdog uint64
	mmsi     ais.MMSI
	about    string // of an event without a ship
}

// muted is until when a pair is mute, and where that is stored.
type muted struct {
	until int64
	row   uint64
}

// readMutes takes what is stored. The later of two rows of one pair counts.
func (w *Watch) readMutes() error {
	table, rows, err := records.ReadTable[mute](w.config.DB.Database, "mutes")
	if err != nil {
		return err
	}
	w.muteRows, w.mutes = table, map[pair]muted{}
	for i := range rows {
		m := &rows[i].Value
		w.mutes[pair{m.Watchdog, m.MMSI, m.About}] = muted{m.Until, rows[i].ID}
	}
	return nil
}

// silenced reports whether a watchdog tells nothing of a ship at a time.
func (w *Watch) silenced(a *alarm, at int64) bool {
	return w.isMute(pair{watchdog: a.dog.id, mmsi: a.mmsi}, at)
}

// isMute reports whether a watchdog tells nothing of a ship, or of something else, at a time.
func (w *Watch) isMute(of pair, at int64) bool {
	if len(w.mutes) == 0 {
		return false
	}
	m, is := w.mutes[of]
	return is && at < m.until
}

// MutedUntil returns until when nothing more is told of what an event is of. It goes by the mute of now, whichever event it came with, and else by a mute that
// is over.
func MutedUntil(w *Watch, e *Event, now int64) int64 {
	w.mu.Lock()
	defer w.mu.Unlock()
	if m, is := w.mutes[pair{e.Watchdog, e.Ship.MMSI, e.About}]; is && now < m.until {
		return m.until
	}
	if e.Muted > now {
		return 0 // a user ended it early
	}
	return e.Muted
}

// Mute acknowledges an event, and has its watchdog tell nothing of its ship for a while from a time on, in one commit with also. A length of 0 ends
// that. It fails with ErrUnknown, and with ErrMutes where too many ships are mute.
func (w *Watch) Mute(number uint64, by string, at time.Time, length time.Duration, also ...records.CommitPart) (Event, error) {
	w.writing.Lock()
	defer w.writing.Unlock()
	e, err := w.Get(number)
	if err != nil {
		return e, err
	}
	of := pair{e.Watchdog, e.Ship.MMSI, e.About}
	more := length > 0
	over, was, err := w.checkMuteRoom(of, at.UnixMilli(), more)
	if err != nil {
		return e, err
	}
	now := muted{at.Add(length).UnixMilli(), was.row}
	if e.Muted = now.until; !more {
		e.Muted = 0
	}
	if e.Acknowledged == 0 {
		e.Acknowledged, e.By = at.UnixMilli(), by
	}
	key := records.Key{At: e.Committed, Sequence: e.ID}
	err = w.config.DB.Together(func(tx *records.Tx) (err error) {
		for _, m := range over {
			err = errors.Join(err, w.muteRows.FreeIn(tx, m.row))
		}
		if more {
			var wrong error
			now.row, wrong = w.muteRows.SetIn(tx, was.row, "", mute{of.watchdog, of.mmsi, of.about, now.until})
			err = errors.Join(err, wrong)
		} else if was.row != 0 {
			err = errors.Join(err, w.muteRows.FreeIn(tx, was.row))
		}
		return errors.Join(err, w.series.PutIn(tx, key, e))
	}, also...)
	if err != nil {
		return e, err
	}
	w.setMute(of, now, over, more)
	w.altered.add(Alteration{Event: number})
	w.news.Raise()
	return e, nil
}

// checkMuteRoom returns the other mutes that are over, and that of a pair. It fails with ErrMutes where there is no room for one more.
func (w *Watch) checkMuteRoom(of pair, now int64, more bool) (over map[pair]muted, was muted, err error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	over, was = map[pair]muted{}, w.mutes[of]
	for p, m := range w.mutes {
		if p != of && m.until <= now {
			over[p] = m
		}
	}
	if more && was.row == 0 && len(w.mutes)-len(over) >= mostMutes {
		return nil, was, ErrMutes
	}
	return over, was, nil
}

// setMute puts a mute in its place, or takes it away, and those that are over.
func (w *Watch) setMute(of pair, now muted, over map[pair]muted, is bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for p := range over {
		delete(w.mutes, p)
	}
	if delete(w.mutes, of); is {
		w.mutes[of] = now
	}
}
