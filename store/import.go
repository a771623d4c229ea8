package store

import (
	"fmt"

	"quaywatch/ais"
	"quaywatch/ship"
	"quaywatch/store/track"
)

// ImportTrack stores fixes of one ship from elsewhere, thinned as the live ones unless FullRate, and what the ship was then.
// They may overlap what is stored: of one time the fix that was there first stays. It returns after the commit. Give it long
// tracks: each call costs a sync or more.
func (db *DB) ImportTrack(m ais.MMSI, fixes ship.Track, st *ship.Static, v *ship.VoyageData) error {
	if m <= 0 {
		return fmt.Errorf("import track: %d is no MMSI", m)
	}
	kept := track.Thin(inOrder(append(ship.Track(nil), fixes...)), db.options.FullRate)
	for {
		n := buckets(kept, commitRows)
		part := kept[:n]
		kept = kept[n:]
		err := db.update(func(tx *writeTx) error {
			if err := tx.importFixes(m, part); err != nil || len(kept) > 0 {
				return err
			}
			return tx.importState(m, fixes, st, v)
		})
		if err != nil {
			return fmt.Errorf("import track of %d: %w", m, err)
		}
		if len(kept) == 0 {
			db.rememberImport(m, fixes, st, v)
			return nil
		}
	}
}

// rememberImport tells the memory and the log of a ship that the log has brought back: its state there would else be
// written over the imported one.
func (db *DB) rememberImport(m ais.MMSI, fixes ship.Track, st *ship.Static, v *ship.VoyageData) {
	db.mu.Lock()
	defer db.mu.Unlock()
	if known := db.ships[m]; known != nil {
		takeImport(&known.state, fixes, st, v)
		db.record(known)
	}
}

// buckets gives how many of the fixes lie in the first n buckets.
func buckets(fixes []ship.Fix, n int) int {
	if len(fixes) == 0 {
		return 0
	}
	last := track.HourOf(fixes[0].At)
	for i, f := range fixes {
		if b := track.HourOf(f.At); b != last {
			if n--; n == 0 {
				return i
			}
			last = b
		}
	}
	return len(fixes)
}

func (tx *writeTx) importFixes(m ais.MMSI, fixes []ship.Fix) error {
	for len(fixes) > 0 {
		n := buckets(fixes, 1)
		if err := tx.mergeBlock(track.HourOf(fixes[0].At), m, fixes[:n:n]); err != nil {
			return err
		}
		fixes = fixes[n:]
	}
	return nil
}

// importState writes the static data, and the last state when it is newer than the one stored.
func (tx *writeTx) importState(m ais.MMSI, fixes []ship.Fix, st *ship.Static, v *ship.VoyageData) error {
	s := ship.State{MMSI: m, Age: ship.Removed}
	old, err := tx.get(bucketShips, shipKey(m))
	if err == nil && old != nil {
		s, err = track.DecodeState(m, old)
	}
	if err != nil {
		s = ship.State{MMSI: m, Age: ship.Removed}
		if err := tx.setAside(place{bucket: bucketShips, key: string(shipKey(m))}); err != nil {
			return err
		}
	}
	takeImport(&s, fixes, st, v)
	if st != nil || v != nil {
		if err := tx.putStatic(m, staticChange{changedAt(st, v, s.First), st, v}); err != nil {
			return err
		}
	}
	return tx.put(bucketShips, shipKey(m), track.EncodeState(nil, &s))
}

// takeImport puts into s what was imported, as far as it is newer.
func takeImport(s *ship.State, fixes ship.Track, st *ship.Static, v *ship.VoyageData) {
	for _, f := range fixes {
		if f.At < 0 || f.At > track.MaxMillis {
			continue
		}
		if !s.HasFix || f.At > s.Fix.At {
			s.Fix, s.HasFix = f, true
		}
		if s.First == 0 || f.At < s.First {
			s.First = f.At
		}
		s.Heard = max(s.Heard, f.At)
		s.Reports++
	}
	if st != nil && (s.Static == nil || s.Static.At <= st.At) {
		s.Static = st
	}
	if v != nil && (s.Voyage == nil || s.Voyage.At <= v.At) {
		s.Voyage = v
	}
}
