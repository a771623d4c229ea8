//go:build !race

package portcalls

import (
	"bytes"
	"context"
	"encoding/binary"
	"path/filepath"
	"testing"
	"time"

	"go.etcd.io/bbolt"

	"quaywatch/ais"
)

// callsOf returns the calls of a ship, the latest first.
func (h *harbour) callsOf(m ais.MMSI) (list []*KeptCall) {
	h.t.Helper()
	err := h.OfShip(context.Background(), m, time.Time{}, endOfTime, func(c *KeptCall) bool { list = append(list, c); return true })
	if err != nil {
		h.t.Fatal(err)
	}
	return list
}

func (h *harbour) draughts(m ais.MMSI) (list []uint16) {
	for _, c := range h.callsOf(m) {
		list = append(list, c.Found.DraughtA, c.Found.DraughtD)
	}
	return list
}

// TestLostRowHidesNoHistory damages the row that leads to the calls of a ship.
func TestLostRowHidesNoHistory(t *testing.T) {
	h := newHarbour(t, berths(t))
	h.hear(never)
	c := h.first()
	want := len(h.callsOf(c.MMSI))
	if err := h.db.Close(); err != nil {
		t.Fatal(err)
	}
	spoilRow(t, filepath.Join(h.dir, "quaywatch.db"), c.MMSI)
	h.open()
	if len(h.db.Damages()) == 0 {
		t.Fatal("nothing was damaged")
	}
	if got := len(h.callsOf(c.MMSI)); got != want {
		t.Errorf("%d calls, want %d", got, want)
	}
	h.restart(false)
	if err := h.db.ForgetDamages(); err != nil {
		t.Fatal(err)
	}
	h.restart(false)
	if got := len(h.callsOf(c.MMSI)); got != want {
		t.Errorf("when the damage is forgotten: %d calls, want %d", got, want)
	}
}

// spoilRow turns over a bit in the row of a ship.
func spoilRow(t *testing.T, path string, m ais.MMSI) {
	t.Helper()
	db, err := bbolt.Open(path, 0o600, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	err = db.Update(func(tx *bbolt.Tx) error {
		rows := tx.Bucket([]byte(rowsTable))
		key := binary.BigEndian.AppendUint64(nil, uint64(m))
		value := bytes.Clone(rows.Get(key))
		value[len(value)/2] ^= 1
		return rows.Put(key, value)
	})
	if err != nil {
		t.Fatal(err)
	}
}

// TestRowsOfOldCallsAreFreed holds that a ship whose calls are all older than calls are kept leaves nothing behind.
func TestRowsOfOldCallsAreFreed(t *testing.T) {
	h := newHarbour(t, berths(t))
	h.config.Retention = 30 * 24 * time.Hour
	h.hear(never)
	rows := func() int {
		all, err := h.rows.All()
		if err != nil {
			t.Fatal(err)
		}
		return len(all)
	}
	h.Tick(begin.Add(2 * 24 * time.Hour)) // silent ships are in port no more
	h.Save()
	before := rows()
	h.Tick(begin.Add(29 * 24 * time.Hour))
	if h.Save(); rows() != before {
		t.Errorf("%d rows after 29 days, want %d", rows(), before)
	}
	h.Tick(begin.Add(31 * 24 * time.Hour))
	if h.Save(); rows() > 1 || len(h.last) != 0 { // one row tells that the past was searched
		t.Errorf("%d rows of %d after 31 days, %d ships known", rows(), before, len(h.last))
	}
}
