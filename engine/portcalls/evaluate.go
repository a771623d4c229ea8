package portcalls

import (
	"cmp"
	"context"
	"math"
	"slices"
	"strconv"
	"time"

	"quaywatch/ais"
	"quaywatch/geo/chart"
	"quaywatch/internal/fold"
	"quaywatch/ship"
	"quaywatch/ship/portcall"
	"quaywatch/store"
)

// ListedCall is a call as a port has it in its own list.
type ListedCall struct {
	Ship  string    `json:"ship"` // MMSI, IMO number or name
	Port  string    `json:"port"` // id, LOCODE or name
	Berth string    `json:"berth,omitempty"`
	ATA   time.Time `json:"ata,omitzero"`
	ATD   time.Time `json:"atd,omitzero"`

	DraughtA float64 `json:"draught_a,omitempty"` // on arrival, metres; 0 for none
	DraughtD float64 `json:"draught_d,omitempty"` // on departure
}

// sameCall is how far apart the times of a call may lie in two lists for it to be the same call. It counts where they do not overlap.
const sameCall = time.Hour

// Evaluation tells how well the calls that are kept agree with a port's own list.
type Evaluation struct {
	Known   int             `json:"known"`   // calls in the list
	Found   int             `json:"found"`   // kept calls of the time of the list, at its ports
	Both    int             `json:"both"`    // that are in both
	Missed  []ListedCall    `json:"missed"`  // of the list
	Extra   []ListedCall    `json:"extra"`   // of the kept ones
	Unheard []ListedCall    `json:"unheard"` // of the list, whose ship or port is not known here; they are among the missed
	Arrival []time.Duration `json:"arrival"` // kept less known, the smallest first without the sign
	Leaving []time.Duration `json:"leaving"` // of the departures
	Berths  int             `json:"berths"`  // of both, those for which the list names a berth
	Right   int             `json:"right"`   // of these, those with that berth

	Draughts      int          `json:"draughts"`       // that the list has of both
	RightDraughts int          `json:"right_draughts"` // of these, those that are kept too, to a decimetre
	WrongBerth    []ListedCall `json:"wrong_berth"`    // of both, with the berth of the list
}

// Precision returns the share of the kept calls that are in the list; false without any.
func (e *Evaluation) Precision() (share float64, ok bool) {
	return float64(e.Both) / float64(max(1, e.Found)), e.Found > 0
}

// Recall returns the share of the list that is kept; false for an empty list.
func (e *Evaluation) Recall() (share float64, ok bool) {
	return float64(e.Both) / float64(max(1, e.Known)), e.Known > 0
}

// evaluation is one comparison.
type evaluation struct {
	Evaluation
	ports    *chart.Ports
	from, to time.Time
	at       map[uint64]bool // the ports of the list
	open     map[ais.MMSI][]*entry
	kept     map[ais.MMSI][]*KeptCall
}

// entry is a call of the list.
type entry struct {
	ListedCall
	port uint64
}

// Evaluate compares the calls of from <= time < to with a list of that time. A call counts where its arrival is, or where that is not known its
// departure. A call in which the ship was at anchor only is none.
func (v *Calls) Evaluate(ctx context.Context, list []ListedCall, from, to time.Time) (Evaluation, error) {
	e := evaluation{ports: v.config.Ports(), from: from, to: to, at: map[uint64]bool{}, open: map[ais.MMSI][]*entry{},
		kept: map[ais.MMSI][]*KeptCall{}}
	e.Known = len(list)
	numbers, err := numbersOf(v.config.DB, list)
	if err != nil {
		return e.Evaluation, err
	}
	for _, k := range list {
		ports := e.ports.Find(k.Port)
		number := numbers[shipKey(k.Ship)]
		if len(ports) == 1 {
			e.at[ports[0].ID] = true
		}
		if len(ports) != 1 || number == 0 {
			e.Unheard, e.Missed = append(e.Unheard, k), append(e.Missed, k)
			continue
		}
		e.open[number] = append(e.open[number], &entry{k, ports[0].ID})
	}
	err = v.InTime(ctx, from.Add(-settling), to.Add(settling), func(c *KeptCall) bool {
		if e.at[c.Found.Port] {
			e.kept[c.MMSI] = append(e.kept[c.MMSI], c)
		}
		return true
	})
	e.compareShips()
	return e.Evaluation, err
}

// shipKey is the form in which a ship is looked for.
func shipKey(text string) string { return fold.Name(text) }

// numbersOf returns the MMSI of each ship of the list, as far as it was heard.
func numbersOf(db *store.DB, list []ListedCall) (map[string]ais.MMSI, error) {
	numbers := map[string]ais.MMSI{}
	for _, k := range list {
		numbers[shipKey(k.Ship)] = 0
	}
	note := func(key string, m ais.MMSI) {
		if _, wanted := numbers[key]; wanted {
			numbers[key] = m
		}
	}
	err := db.EachShip(func(s ship.State) error {
		note(strconv.Itoa(int(s.MMSI)), s.MMSI)
		if s.Static != nil {
			note(strconv.Itoa(int(s.Static.IMO)), s.MMSI)
			note(shipKey(s.Static.Name), s.MMSI)
		}
		return nil
	})
	return numbers, err
}

// pair is a kept call and one of the list that may be the same.
type pair struct {
	kept  *KeptCall
	known *entry
	off   time.Duration // between their times
}

// compareCalls finds which calls of a ship are the same: those whose times are nearest to each other first.
func (e *evaluation) compareCalls(kept []*KeptCall, known []*entry) {
	var pairs []pair
	for _, c := range kept {
		for _, k := range known {
			if off, ok := k.is(c); ok {
				pairs = append(pairs, pair{c, k, off})
			}
		}
	}
	slices.SortStableFunc(pairs, func(a, b pair) int { return cmp.Compare(a.off, b.off) })
	matched, found := map[*KeptCall]bool{}, map[*entry]bool{}
	for _, p := range pairs {
		if !matched[p.kept] && !found[p.known] {
			matched[p.kept], found[p.known] = true, true
			e.countMatch(p.kept, p.known)
		}
	}
	for _, k := range known {
		if !found[k] {
			e.Missed = append(e.Missed, k.ListedCall)
		}
	}
	for _, c := range kept {
		if !matched[c] {
			e.extra(c)
		}
	}
}

// extra counts a kept call that is not in the list, when it is of the list's time.
func (e *evaluation) extra(c *KeptCall) {
	at := c.Arrived()
	if at.IsZero() {
		at = c.Departed()
	}
	if at.IsZero() || at.Before(e.from) || !at.Before(e.to) {
		return
	}
	e.Found++
	port, _ := e.ports.ByID(c.Found.Port)
	e.Extra = append(e.Extra, ListedCall{Ship: strconv.Itoa(int(c.MMSI)), Port: port.Name, ATA: c.Arrived(), ATD: c.Departed()})
}

// countMatch counts a call that is in both.
func (e *evaluation) countMatch(c *KeptCall, k *entry) {
	e.Found++
	e.Both++
	if !k.ATA.IsZero() && !c.Arrived().IsZero() {
		e.Arrival = append(e.Arrival, c.Arrived().Sub(k.ATA))
	}
	if !k.ATD.IsZero() && !c.Departed().IsZero() {
		e.Leaving = append(e.Leaving, c.Departed().Sub(k.ATD))
	}
	if k.Berth != "" {
		e.Berths++
		if e.hasBerth(k, c) {
			e.Right++
		} else {
			e.WrongBerth = append(e.WrongBerth, k.ListedCall)
		}
	}
	e.compareDraught(k.DraughtA, c.Found.DraughtA)
	e.compareDraught(k.DraughtD, c.Found.DraughtD)
}

// compareDraught compares a draught of the list in metres with a kept one in centimetres.
func (e *evaluation) compareDraught(known float64, kept uint16) {
	if known == 0 {
		return
	}
	e.Draughts++
	if math.Abs(known-float64(kept)/100) < 0.051 {
		e.RightDraughts++
	}
}

// hasBerth reports whether the ship lay at the berth of the list in the call.
func (e *evaluation) hasBerth(k *entry, c *KeptCall) bool {
	port, ok := e.ports.ByID(k.port)
	return ok && slices.ContainsFunc(c.Found.Stays, func(s portcall.Stay) bool {
		return slices.ContainsFunc(port.Berths, func(b chart.Berth) bool {
			return b.ID == s.Berth && fold.Name(b.Name) == fold.Name(k.Berth)
		})
	})
}

// compareShips compares ship by ship, and sorts.
func (e *evaluation) compareShips() {
	for _, m := range sorted(e.kept) {
		e.compareCalls(e.kept[m], e.open[m])
		delete(e.open, m)
	}
	for _, m := range sorted(e.open) {
		e.compareCalls(nil, e.open[m])
	}
	for _, off := range [][]time.Duration{e.Arrival, e.Leaving} {
		slices.SortFunc(off, func(a, b time.Duration) int { return cmp.Compare(a.Abs(), b.Abs()) })
	}
}

// is reports whether a call of the list and a kept one may be the same, and how far apart their times are.
func (k *entry) is(c *KeptCall) (off time.Duration, ok bool) {
	if k.port != c.Found.Port || !c.Found.Alongside() {
		return 0, false
	}
	off = 1<<63 - 1
	for _, t := range [][2]time.Time{{k.ATA, c.Arrived()}, {k.ATD, c.Departed()}} {
		if !t[0].IsZero() && !t[1].IsZero() {
			off = min(off, t[0].Sub(t[1]).Abs())
		}
	}
	from, to := c.beginTime(), c.endTime()
	overlap := !k.ATA.IsZero() && !k.ATD.IsZero() && from.Before(k.ATD) && (to.IsZero() || k.ATA.Before(to))
	return off, overlap || off <= sameCall
}
