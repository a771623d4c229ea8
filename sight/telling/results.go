package telling

import (
	"encoding/json"
	"slices"

	"quaywatch/ais"
	"quaywatch/engine/portcalls"
	"quaywatch/engine/stats"
	"quaywatch/ship"
	"quaywatch/ship/statistic"
)

// ToldResult is the result of a statistic as a listener is told of it. Whoever answers users has no other way to its records.
type ToldResult struct {
	listener *Listener
	kept     *stats.Statistics
	id       int64
	ships    map[ais.MMSI]*ship.State // that were asked for; nil for one that is hidden
}

// ResultOf returns the result of a statistic for a listener.
func ResultOf(kept *stats.Statistics, id int64, l *Listener) *ToldResult {
	return &ToldResult{l, kept, id, map[ais.MMSI]*ship.State{}}
}

// FoundRecord is a record of a result that was read, and of which nobody is told as yet.
type FoundRecord struct{ kept stats.Record }

// Part reads some records from a place on, and fails, as stats.Statistics.Part does.
func (t *ToldResult) Part(from stats.ReadingPlace) (part []FoundRecord, next stats.ReadingPlace, more bool, err error) {
	kept, next, more, err := t.kept.Part(t.id, from)
	for i := range kept {
		part = append(part, FoundRecord{kept[i]})
	}
	return part, next, more, err
}

// ToldRecord is a record as a listener is told of it.
type ToldRecord struct {
	Data    json.RawMessage    // of the interface, an object; what Call and Next tell is not in it
	Moments []statistic.Moment // of which it is made, the first one first
	Track   ship.Track         // what the record is about, as far as the listener might have seen it; nil where it is about no track

	Call  *portcalls.KeptCall // at a port, of which the record tells; nil for none
	Next  *portcalls.KeptCall // the call after it; nil for none, and while the listener is told nothing of it
	Stay  int                 // of Call, where the way between both begins
	Berth int                 // the stay of Next at which it ends
}

// Record returns a record as the listener is told of it by now. It is false where the listener gets none: it might not have seen one of its moments, nor a fix of
// its track. A record without moments is about its calls. The listener gets it where it is told of the first. Of the second it is told, or nothing as yet.
func (t *ToldResult) Record(found *FoundRecord) (told ToldRecord, shown bool, err error) {
	r := &found.kept
	v := t.listener.Viewer
	if !r.Shows(func(m statistic.Moment) bool { return v.MayFix(m.MMSI, m.Fix) }) || r.Bare && !t.listener.SeesAll() {
		return told, false, nil
	}
	told = ToldRecord{Data: r.Data, Moments: r.Moments, Stay: r.Stay, Berth: r.Berth}
	var hidden [2]bool
	told.Call, hidden[0] = t.call(r.Call)
	told.Next, hidden[1] = t.call(r.Next)
	if r.Call != nil && len(r.Moments) == 0 && (told.Call == nil || hidden[1]) {
		return ToldRecord{}, false, nil
	}
	if p := r.Track; p != nil {
		if told.Track, err = p.Track(); err != nil {
			return ToldRecord{}, false, err
		}
		told.Track = slices.DeleteFunc(told.Track, func(f ship.Fix) bool { return !v.MayFix(p.MMSI, f) })
		if len(told.Track) == 0 {
			return ToldRecord{}, false, nil
		}
	}
	return told, true, nil
}

// call returns a call as the listener is told of it. It returns nil where there is none, where the listener is told nothing of it as yet, and where it is hidden.
func (t *ToldResult) call(c *portcalls.KeptCall) (told *portcalls.KeptCall, hidden bool) {
	if c == nil {
		return nil, false
	}
	of := t.Ship(c.MMSI)
	if of == nil {
		return nil, true
	}
	then, known := t.listener.Call(of, c)
	if !known || !then.Shown() {
		return nil, known
	}
	return &then.KeptCall, false
}

// Ship returns a ship as the listener sees it by now, nil for one that is hidden.
func (t *ToldResult) Ship(m ais.MMSI) *ship.State {
	if found, asked := t.ships[m]; asked {
		return found
	}
	var of *ship.State
	if found, err := t.listener.Ship(m); err == nil {
		of = &found
	}
	t.ships[m] = of
	return of
}
