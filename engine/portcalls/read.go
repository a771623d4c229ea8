package portcalls

import (
	"context"
	"errors"
	"iter"
	"maps"
	"slices"
	"time"

	"quaywatch/ais"
	"quaywatch/store/records"
)

// callsBack returns the calls of a ship from one on, the latest first.
func (v *Calls) callsBack(ctx context.Context, m ais.MMSI, key records.Key) iter.Seq2[*KeptCall, error] {
	return func(yield func(*KeptCall, error) bool) {
		for c, err := range v.callChain(ctx, m, key) {
			if err == nil && c.gone {
				continue
			}
			if !yield(c, err) {
				return
			}
		}
	}
}

// callChain is back with the calls that users deleted.
func (v *Calls) callChain(ctx context.Context, m ais.MMSI, key records.Key) iter.Seq2[*KeptCall, error] {
	return func(yield func(*KeptCall, error) bool) {
		for key != (records.Key{}) {
			c, err := v.callAt(ctx, m, key)
			if errors.Is(err, ErrUnknown) {
				return
			}
			if err != nil {
				yield(nil, err)
				return
			}
			key = c.prev
			if !yield(c, nil) {
				return
			}
		}
	}
}

// callAt returns the call of a ship under a key. When that cannot be read, or a damaged store lost it, it returns the one before it.
func (v *Calls) callAt(ctx context.Context, m ais.MMSI, key records.Key) (*KeptCall, error) {
	if e, err := v.calls.Get(key); err == nil && e.Value.MMSI == m {
		c := e.Value.call(key)
		return &c, nil
	}
	for e, err := range v.calls.Backward(records.Key{}, key) {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if err == nil && e.Value.MMSI == m {
			c := e.Value.call(e.Key)
			return &c, nil
		}
	}
	return nil, ErrUnknown
}

// callBefore returns the call of a ship before one in which it was alongside, nil for none. An anchorage on the way ends no trip.
func (v *Calls) callBefore(c *KeptCall) *KeptCall {
	for older, err := range v.callsBack(context.Background(), c.MMSI, c.prev) {
		if err != nil || older.Found.Alongside() {
			return older
		}
	}
	return nil
}

// newestKey returns the key of the latest call of a ship.
func (v *Calls) newestKey(m ais.MMSI) records.Key {
	v.mu.Lock()
	defer v.mu.Unlock()
	return v.last[m]
}

// Callers returns the numbers of the ships of which a call is kept, in order.
func (v *Calls) Callers() []ais.MMSI {
	v.mu.Lock()
	all := slices.Collect(maps.Keys(v.last))
	v.mu.Unlock()
	slices.Sort(all)
	return all
}

// OfShip hands the calls of a ship that overlap begin <= time < end to take, the latest first, until take wants no more.
func (v *Calls) OfShip(ctx context.Context, m ais.MMSI, begin, end time.Time, take func(*KeptCall) (more bool)) error {
	for c, err := range v.callsBack(ctx, m, v.newestKey(m)) {
		if err != nil {
			return err
		}
		if !c.beginTime().Before(end) {
			continue
		}
		if over := c.endTime(); !over.IsZero() && over.Before(begin) && c.beginTime().Before(begin) {
			return nil
		}
		if !take(c) {
			return nil
		}
	}
	return nil
}

// Call returns the call of a number.
func (v *Calls) Call(id int64) (KeptCall, error) {
	c, err := v.get(id)
	if err == nil && c.gone {
		err = ErrUnknown
	}
	return c, err
}

// InTime hands calls of all ships to take, the earliest first, until take wants no more. They are those in which the ship was first seen at rest in from <=
// time < to.
func (v *Calls) InTime(ctx context.Context, from, to time.Time, take func(*KeptCall) (more bool)) error {
	for e, err := range v.calls.Forward(records.KeyAt(from.Truncate(time.Second)), records.KeyAt(to)) {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err != nil { // damaged, and counted by the store
			continue
		}
		c := e.Value.call(e.Key)
		if seen := c.Found.Stays[0].Seen.Time(); c.gone || seen.Before(from) || !seen.Before(to) {
			continue
		}
		if !take(&c) {
			return nil
		}
	}
	return nil
}
