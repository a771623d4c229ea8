package portcalls

import (
	"strings"
	"time"

	"quaywatch/ais"
	"quaywatch/store/records"
)

// rowsTable is the table of the rows of ships.
const rowsTable = "voyages"

// rowsWereLost reports whether a damaged store may have lost rows of ships. A row leads to the calls of its ship.
func rowsWereLost(all []records.Damage) bool {
	for _, d := range all {
		if d.Kind == records.DamagedPage || strings.HasPrefix(d.Where, "bucket "+rowsTable) {
			return true
		}
	}
	return false
}

// findLatest reads all calls, and notes the latest of each ship that has no row. Only a damaged store pays for it.
func (v *Calls) findLatest() {
	found := map[ais.MMSI]records.Key{}
	for e, err := range v.calls.Forward(records.Key{}, records.EndKey()) {
		if err != nil { // damaged, and counted by the store
			continue
		}
		if m := e.Value.MMSI; v.last[m] == (records.Key{}) {
			found[m] = e.Key
		}
	}
	for m, key := range found {
		v.last[m] = key
		v.changeOf(m)
	}
	if len(found) > 0 {
		v.config.Log.Info("the calls of ships were found again, whose rows were damaged", "ships", len(found))
	}
}

// forgetsEvery is how often ships are looked for whose calls are all too old.
const forgetsEvery = time.Hour

// forgetOld frees the rows of ships whose latest call is older than calls are kept. It is for the holder of writing.
func (v *Calls) forgetOld() {
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.config.Retention == 0 || v.now.Sub(v.aged).Abs() < forgetsEvery {
		return
	}
	v.aged = v.now
	oldest := records.KeyAt(v.now.Add(-v.config.Retention))
	for m, key := range v.last {
		if key.At < oldest.At && v.ships[m] == nil {
			delete(v.last, m)
			v.changeOf(m)
		}
	}
}
