package portcalls

import (
	"context"
	"fmt"
	"time"

	"quaywatch/ais"
	"quaywatch/ship/portcall"
	"quaywatch/store/records"
)

// Run looks once for calls in what was recorded before calls were kept, and again whenever a port was drawn anew. It stores what is new from time to
// time, until ctx is done.
func (v *Calls) Run(ctx context.Context) error {
	searching := make(chan struct{})
	go func() {
		defer close(searching)
		if v.search {
			v.searchPast(ctx)
		}
		v.Past.run(ctx)
	}()
	defer func() { <-searching }()
	tick := time.NewTicker(v.config.Every)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-tick.C:
			v.followPorts()
			v.Save()
			v.Learn(v.pictureTime(), false)
		}
	}
}

// Stop stores what is new and where each ship near a port stands. It is called when the picture has ended.
func (v *Calls) Stop() {
	v.mu.Lock()
	for m := range v.ships {
		v.changeOf(m)
	}
	v.mu.Unlock()
	v.Save()
	v.Learn(v.pictureTime(), true)
}

// pending is what is to be stored of a ship.
type pending struct {
	mmsi     ais.MMSI
	calls    []pendingCall
	follower *portcall.Follower // a copy; nil for none
}

// pendingCall is a call of the engine, and a copy of it.
type pendingCall struct {
	changedCall
	now *portcall.Call
}

// Save stores what is new now. What could not be stored is tried again the next time; the log tells it once.
func (v *Calls) Save() {
	v.writing.Lock()
	defer v.writing.Unlock()
	v.forgetOld()
	list, entered := v.takeUnsaved()
	if len(list) == 0 {
		return
	}
	last, err := v.write(list, entered)
	v.markStored(list, last, err)
	v.outage.Note(v.config.Log, err, "calls cannot be stored; they are tried again each second", "calls are stored again")
}

// takeUnsaved takes copies of what is to be stored, and returns the time of the picture.
func (v *Calls) takeUnsaved() (list []pending, entered portcall.Millis) {
	v.mu.Lock()
	defer v.mu.Unlock()
	for _, m := range sorted(v.changed) {
		changed := v.changed[m]
		p := pending{mmsi: m}
		f := v.ships[m]
		if f != nil {
			p.follower = f.Clone()
		}
		for _, c := range changed.calls {
			now := c.of.Clone()
			switch {
			case f != nil && c.of == f.Call:
				now = p.follower.Call // so that its number gets into the stored follower too
			case f != nil && c.of == f.Before:
				now = p.follower.Before
			}
			p.calls = append(p.calls, pendingCall{c, now})
		}
		list = append(list, p)
	}
	clear(v.changed)
	return list, portcall.Millis(v.now.UnixMilli())
}

// write stores a list in one commit, with a number for each new call. It returns the keys of the latest calls of the ships.
func (v *Calls) write(list []pending, entered portcall.Millis) (last map[ais.MMSI]records.Key, err error) {
	var all []*KeptCall
	for i := range list {
		for _, call := range list[i].calls {
			all = append(all, v.updated(list[i].mmsi, &call, entered, all))
		}
	}
	last = map[ais.MMSI]records.Key{}
	defer func() {
		if err == nil {
			v.config.tellCalls(all)
		}
	}()
	err = v.config.DB.Together(func(tx *records.Tx) error {
		rest := all
		for i := range list {
			p := &list[i]
			if err := v.writeShip(tx, p, rest[:len(p.calls)], last); err != nil {
				return err
			}
			rest = rest[len(p.calls):]
		}
		return nil
	})
	return last, err
}

// tellCalls tells of calls that are stored.
func (c *Config) tellCalls(list []*KeptCall) {
	if c.Told == nil {
		return
	}
	for _, call := range list {
		if !call.gone {
			c.Told(call)
		}
	}
}

// updated returns a call as it is to be stored. The calls before it in the same commit are in all.
func (v *Calls) updated(m ais.MMSI, work *pendingCall, entered portcall.Millis, all []*KeptCall) *KeptCall {
	now := work.now
	c := &KeptCall{MMSI: m, Feeds: work.feeds, prev: v.last[m]}
	if now.Ref != 0 {
		kept, err := v.get(int64(now.Ref))
		if err == nil {
			c = &kept
		} else { // it was too old, or is damaged: what the engine has is kept anew
			now.Ref = 0
			v.config.Log.Warn("an open call is stored anew", "ship", m, "error", err)
		}
	}
	if c.ID == 0 {
		v.noteCrew(c, now, work.typed)
	}
	was := c.Arrived()
	entered = max(entered, now.Stays[len(now.Stays)-1].Last)
	if c.ID == 0 {
		c.Entered = entered
	}
	c.updateFound(*now, entered)
	if at := c.Arrived(); !at.IsZero() && !at.Equal(was) {
		before := lastOf(all, m)
		if before == nil || before == c {
			before = v.callBefore(c)
		}
		c.Trip = v.trip(before, c)
	}
	return c
}

// lastOf returns the last call of a ship in a list in which it was alongside, nil for none.
func lastOf(all []*KeptCall, m ais.MMSI) *KeptCall {
	for i := len(all) - 1; i >= 0 && all[i].MMSI == m; i-- {
		if all[i].Found.Alongside() {
			return all[i]
		}
	}
	return nil
}

// writeShip writes the calls of a ship and its row.
func (v *Calls) writeShip(tx *records.Tx, p *pending, calls []*KeptCall, last map[ais.MMSI]records.Key) (err error) {
	newest := v.last[p.mmsi]
	for i, c := range calls {
		now := p.calls[i].now
		if c.ID == 0 {
			c.prev = newest
			if c.key, err = v.calls.AppendIn(tx, keyTime(now), c.storedRecord()); err != nil {
				return err
			}
			c.ID, newest = idOf(c.key), c.key
			now.Ref = uint64(c.ID)
			continue
		}
		if err = v.calls.PutIn(tx, c.key, c.storedRecord()); err != nil {
			return err
		}
	}
	last[p.mmsi] = newest
	if newest == (records.Key{}) && p.follower == nil { // the ship only passed
		return v.rows.FreeIn(tx, uint64(p.mmsi))
	}
	_, err = v.rows.SetIn(tx, uint64(p.mmsi), rowName(p.mmsi), shipRow{newest, p.follower})
	return err
}

// markStored gives new calls their numbers, or notes what was not stored again.
func (v *Calls) markStored(list []pending, last map[ais.MMSI]records.Key, err error) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if err == nil {
		for m, key := range last {
			if key != (records.Key{}) {
				v.last[m] = key
			}
		}
	}
	for _, p := range list {
		if err != nil {
			v.markUnstored(p)
			continue
		}
		delete(v.kept, p.mmsi)
		if p.follower != nil {
			v.kept[p.mmsi] = true
		}
		for _, call := range p.calls {
			call.of.Ref = call.now.Ref
		}
	}
}

// markUnstored notes what is to be stored of a ship once more.
func (v *Calls) markUnstored(p pending) {
	again := &change{}
	for _, call := range p.calls {
		again.calls = append(again.calls, call.changedCall)
	}
	if since := v.changed[p.mmsi]; since != nil {
		for _, call := range since.calls {
			if !again.has(call.of) {
				again.calls = append(again.calls, call)
			}
		}
	}
	v.changed[p.mmsi] = again
}

// trip returns the way from one call to the next; nil where it is not known.
func (v *Calls) trip(before, c *KeptCall) *Voyage {
	if before == nil || before.Departed().IsZero() || c.Arrived().IsZero() {
		return nil
	}
	p, err := passage(context.Background(), v.config.DB, c.MMSI, before.Departed(), c.Arrived())
	if err != nil {
		v.config.Log.Warn("the way to a call is not known", "ship", c.MMSI, "error", err)
		return nil
	}
	took := c.Arrived().Sub(before.Departed())
	p.Shift = before.Found.Port == c.Found.Port && (took < leastTrip || p.Metres < leastWay)
	return &p
}

// get reads a call.
func (v *Calls) get(id int64) (KeptCall, error) {
	at := time.Unix(id>>sequenceBits, 0)
	for e, err := range v.calls.Forward(records.KeyAt(at), records.KeyAt(at.Add(time.Millisecond))) {
		if idOf(e.Key) != id {
			continue
		}
		if err != nil {
			return KeptCall{}, err
		}
		return e.Value.call(e.Key), nil
	}
	return KeptCall{}, fmt.Errorf("call %d: %w", id, ErrUnknown)
}
