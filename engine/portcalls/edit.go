package portcalls

import (
	"cmp"
	"context"
	"slices"
	"time"

	"quaywatch/ais"
	"quaywatch/internal/rule"
	"quaywatch/ship/portcall"
	"quaywatch/store/records"
)

// Edit is what a user says of a call. A nil time is left as it is, and a zero one takes back what a user wrote before.
type Edit struct {
	ATA, ATD *time.Time
	By       string
	At       time.Time
}

// Change confirms a call, or corrects its times, in one commit with also. What was detected stays beside it. It returns ErrUnknown for no
// such call, and a *rule.Rule for times that cannot be.
func (v *Calls) Change(id int64, e Edit, also ...records.CommitPart) (KeptCall, error) {
	v.writing.Lock()
	defer v.writing.Unlock()
	c, err := v.Call(id)
	if err != nil {
		return c, err
	}
	was := c
	c.write(Arrival, e.ATA, e)
	c.write(Departure, e.ATD, e)
	if err := e.possible(v, &c); err != nil {
		return c, err
	}
	c.By, c.Confirmed = e.By, portcall.Millis(e.At.UnixMilli())
	changed := []*KeptCall{&c}
	if !was.Arrived().Equal(c.Arrived()) {
		c.Trip = v.trip(v.callBefore(&c), &c)
	}
	if next := v.callAfter(&c); next != nil && !was.Departed().Equal(c.Departed()) {
		next.Trip = v.trip(&c, next)
		changed = append(changed, next)
	}
	err = v.putCalls(changed, also)
	if err == nil {
		noteArrival(v, &c)
	}
	return c, err
}

// noteArrival tells filters of the arrival of a call that goes on.
func noteArrival(v *Calls, c *KeptCall) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if f := v.ships[c.MMSI]; f != nil && f.Call != nil && f.Call.Ref == uint64(c.ID) {
		v.present.correct(c, f.Call)
	}
}

// possible refuses times of a call that cannot be, by themselves or beside those of the calls before and after it.
func (e *Edit) possible(v *Calls, c *KeptCall) error {
	if e.ATA == nil && e.ATD == nil {
		return nil
	}
	from, to := c.Arrived(), c.Departed()
	if !from.IsZero() && !to.IsZero() && to.Before(from) {
		return rule.New("atd_before_ata", "must not be before ata")
	}
	first, last := cmp.Or(from, to), cmp.Or(to, from)
	if before := v.callBefore(c); before != nil && !first.IsZero() && first.Before(before.Departed()) {
		return rule.New("ata_before_call", "must not be before the ship departed from its call before")
	}
	if next := v.callAfter(c); next != nil && !next.Arrived().IsZero() && last.After(next.Arrived()) {
		return rule.New("atd_after_call", "must not be after the ship arrived at its next call")
	}
	seen := c.Found.Stays[0].Seen.Time()
	over := c.Found.Stays[len(c.Found.Stays)-1].Last.Time()
	if !first.IsZero() && first.Before(seen.Add(-farOff)) || last.After(over.Add(farOff)) {
		return rule.New("time_far", "must lie within {days} days of the time in which the ship was seen there", "days", int(farOff.Hours()/24))
	}
	return nil
}

// farOff is how far a time that a user writes may lie from those at which the ship was seen at the port. More is a slip of the hand.
const farOff = 7 * 24 * time.Hour

// write appends what a user says of an event.
func (c *KeptCall) write(event TimeKind, at *time.Time, e Edit) {
	if at == nil {
		return
	}
	t := Time{Event: event, Kind: Actual, Source: ByHand, Place: Berth, Entered: portcall.Millis(e.At.UnixMilli()), By: e.By}
	if !at.IsZero() {
		t.Value = portcall.Millis(at.UnixMilli())
	}
	c.Times = addStatement(c.Times, t)
}

// Delete hides a call that was none, in one commit with also. What was detected is kept, so that it is not found anew. It returns a *rule.Rule
// for a call that is not over.
func (v *Calls) Delete(id int64, by string, also ...records.CommitPart) error {
	v.writing.Lock()
	defer v.writing.Unlock()
	c, err := v.Call(id)
	if err != nil {
		return err
	}
	if c.Found.Open() { // what the engine goes on with would be lost
		return ErrOpen()
	}
	c.gone, c.By = true, by
	changed := []*KeptCall{&c}
	if next := v.callAfter(&c); next != nil {
		next.Trip = v.trip(v.callBefore(&c), next)
		changed = append(changed, next)
	}
	return v.putCalls(changed, also)
}

// ErrOpen says that a call is not over, and so cannot be deleted.
func ErrOpen() *rule.Rule {
	return rule.New("call_open", "is not over: a call can be deleted when the ship has left")
}

// Said adds statements about a call that are not of its positions, such as plans. It returns ErrUnknown for no such call.
func (v *Calls) Said(id int64, list []Time) error {
	v.writing.Lock()
	defer v.writing.Unlock()
	c, err := v.Call(id)
	if err != nil {
		return err
	}
	for _, t := range list {
		if !slices.Contains(c.Times, t) {
			c.Times = addStatement(c.Times, t)
		}
	}
	return v.putCalls([]*KeptCall{&c}, nil)
}

// putCalls stores calls that were read.
func (v *Calls) putCalls(list []*KeptCall, also []records.CommitPart) error {
	err := v.config.DB.Together(func(tx *records.Tx) error {
		for _, c := range list {
			if err := v.calls.PutIn(tx, c.key, c.storedRecord()); err != nil {
				return err
			}
		}
		return nil
	}, also...)
	if err == nil {
		v.config.tellCalls(list)
	}
	return err
}

// callAfter returns the call of a ship after one in which it was alongside, nil for none.
func (v *Calls) callAfter(c *KeptCall) (next *KeptCall) {
	for newer, err := range v.callsBack(context.Background(), c.MMSI, v.newestKey(c.MMSI)) {
		if err != nil || newer.key == c.key {
			return next
		}
		if newer.Found.Alongside() {
			next = newer
		}
	}
	return nil
}

// inserted is a call that was found in the past, and the one after it, whose way is another one now.
type inserted struct {
	call, next *KeptCall
}

// insertCall puts a call that was found in the past into the history of its ship, somewhere before the call from, and returns its number.
func (v *Calls) insertCall(m ais.MMSI, from records.Key, f found, entered portcall.Millis) (int64, error) {
	at := records.KeyAt(keyTime(f.call))
	in := inserted{call: &KeptCall{MMSI: m, Feeds: f.feeds, Entered: entered}}
	for c, err := range v.callChain(context.Background(), m, from) {
		if err != nil {
			return 0, err
		}
		if c.key.At <= at.At {
			in.call.prev = c.key
			break
		}
		in.next = c
	}
	v.noteCrew(in.call, f.call, f.typed)
	in.call.updateFound(*f.call, entered)
	in.call.Trip = v.trip(v.callBefore(in.call), in.call)
	if in.next != nil && !in.next.gone && in.call.Found.Alongside() {
		in.next.Trip = v.trip(in.call, in.next)
	}
	err := v.writeInserted(in, at)
	return in.call.ID, err
}

func (v *Calls) writeInserted(in inserted, at records.Key) error {
	m, newest := in.call.MMSI, v.newestKey(in.call.MMSI)
	v.mu.Lock()
	var f *portcall.Follower
	if v.ships[m] != nil {
		f = v.ships[m].Clone()
	}
	v.mu.Unlock()
	err := v.config.DB.Together(func(tx *records.Tx) error {
		key, err := v.calls.AppendIn(tx, time.UnixMilli(at.At), in.call.storedRecord())
		if err != nil {
			return err
		}
		in.call.ID = idOf(key)
		if in.next != nil {
			in.next.prev = key
			return v.calls.PutIn(tx, in.next.key, in.next.storedRecord())
		}
		newest = key
		_, err = v.rows.SetIn(tx, uint64(m), rowName(m), shipRow{key, f})
		return err
	})
	if err == nil {
		v.mu.Lock()
		v.last[m] = newest
		v.mu.Unlock()
	}
	return err
}
