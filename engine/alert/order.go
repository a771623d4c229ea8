package alert

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"quaywatch/store/records"
)

// mostNamed bounds the activations that an order names: the earliest that nobody acknowledged.
const mostNamed = 20

// TellOrder asks to tell others of an alert that went on to them, because nobody acknowledged it. It stands in the store from the commit of the step on,
// until it was carried out.
type TellOrder struct {
	Key    string   `json:"key"`    // of this step of this alert alone
	Events []uint64 `json:"events"` // numbers of the activations that nobody acknowledged, the earliest first
	To     []string `json:"to"`     // uids of groups and users
}

// orderOf returns the order of an alert that is about to go on, nil where it goes on to nobody by name.
func orderOf(a *Alert) *TellOrder {
	if len(a.Later) == 0 {
		return nil
	}
	o := &TellOrder{Key: fmt.Sprintf("%d.%d", a.Parts[len(a.Parts)-1].Event, a.Level+1), To: slices.Clone(a.Later)}
	for _, p := range a.Parts {
		if p.Seen == 0 && len(o.Events) < mostNamed {
			o.Events = append(o.Events, p.Event)
		}
	}
	if len(o.Events) == 0 {
		return nil
	}
	return o
}

// openOrders reads the orders that were not carried out.
func (k *Keeper) openOrders() error {
	table, rows, err := records.ReadTable[TellOrder](k.config.DB, "alertorders")
	k.orderRows = table
	for i := range rows {
		k.orders[rows[i].ID] = &rows[i].Value
	}
	return err
}

// addOrder has an alert tell those that it is about to go on to.
func (d *draft) addOrder(a *Alert) {
	if o := orderOf(a); o != nil && d.keeper.config.Tell != nil {
		d.orders = append(d.orders, o)
	}
}

// writeOrders stores the orders of a draft.
func (d *draft) writeOrders(tx *records.Tx) error {
	d.orderIDs = make([]uint64, len(d.orders))
	for i, o := range d.orders {
		var err error
		if d.orderIDs[i], err = d.keeper.orderRows.SetIn(tx, 0, "", *o); err != nil {
			return err
		}
	}
	return nil
}

// Carry carries out the orders that wait, the earliest first. One that fails is tried again with the next call.
func (k *Keeper) Carry(ctx context.Context) {
	k.mu.Lock()
	orders := maps.Clone(k.orders)
	k.mu.Unlock()
	for _, id := range slices.Sorted(maps.Keys(orders)) {
		err := k.carry(ctx, id, orders[id])
		k.untold.Note(k.config.Log, err, "of alerts that nobody acknowledged it cannot be told; it is tried again", "it is told of alerts that nobody acknowledged again")
		if err != nil {
			return
		}
	}
}

// carry tells of an order while no lock is held, and then forgets it. After a kill between the two it is told with the same key.
func (k *Keeper) carry(ctx context.Context, id uint64, o *TellOrder) error {
	if k.config.Tell != nil {
		if err := k.config.Tell(ctx, *o); err != nil {
			return err
		}
	}
	k.writing.Lock()
	defer k.writing.Unlock()
	if err := k.config.DB.Together(func(tx *records.Tx) error { return k.orderRows.FreeIn(tx, id) }); err != nil {
		return err
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	delete(k.orders, id)
	return nil
}
