package store

import (
	"cmp"
	"fmt"
	"slices"

	"quaywatch/ais"
	"quaywatch/ship"
	"quaywatch/store/layout"
	"quaywatch/store/records"
	"quaywatch/store/track"
)

// Imported is what a table from elsewhere says of one ship.
type Imported struct {
	MMSI  ais.MMSI
	Class ship.Class // ClassUnknown when the table does not say it
	Fixes ship.Track // in any order
	Said  []Said     // in order of time
}

// Said is what a ship said of itself at one time: both with what they told before, nil where nothing was known.
type Said struct {
	Static *ship.Static
	Voyage *ship.VoyageData
}

// importJob is what goes into one block.
type importJob struct {
	hour  uint32
	mmsi  ais.MMSI
	fixes []ship.Fix
}

// ImportTracks stores what tables say of ships, one entry for each ship. Fixes are thinned as the live ones unless FullRate. They may
// overlap what is stored: of one time the fix that was there first stays. It returns after the commits, with the number of fixes before
// thinning. Give it many ships and long tracks: each call costs some syncs.
func (db *DB) ImportTracks(all []Imported) (taken int, err error) {
	var jobs []importJob
	for i := range all {
		if all[i].MMSI <= 0 {
			return 0, fmt.Errorf("import tracks: %d is no MMSI", all[i].MMSI)
		}
		fixes := inOrder(append(ship.Track(nil), all[i].Fixes...))
		taken += len(fixes)
		for kept := track.Thin(fixes, db.options.FullRate); len(kept) > 0; {
			n := sameHour(kept)
			jobs = append(jobs, importJob{track.HourOf(kept[0].At), all[i].MMSI, kept[:n:n]})
			kept = kept[n:]
		}
	}
	slices.SortFunc(jobs, func(a, b importJob) int { return cmp.Or(cmp.Compare(a.hour, b.hour), cmp.Compare(a.mmsi, b.mmsi)) })
	err = inCommits(db, jobs, func(tx *records.Tx, j *importJob) error { return mergeBlock(tx, j.hour, j.mmsi, j.fixes) })
	if err == nil {
		err = inCommits(db, all, importState)
	}
	if err != nil {
		return 0, fmt.Errorf("import tracks: %w", err)
	}
	db.rememberImport(all, uint64(taken))
	return taken, nil
}

// inCommits does each of the jobs, some thousand of them in a commit.
func inCommits[T any](db *DB, jobs []T, do func(*records.Tx, *T) error) error {
	for part := range slices.Chunk(jobs, commitRows) {
		err := db.Update(func(tx *records.Tx) error {
			for i := range part {
				if err := do(tx, &part[i]); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// rememberImport tells the memory and the log of ships that the log has brought back. Their state there would else be written over the imported state.
func (db *DB) rememberImport(all []Imported, taken uint64) {
	db.mu.Lock()
	defer db.mu.Unlock()
	db.fixes += taken
	for i := range all {
		if known := db.ships[all[i].MMSI]; known != nil {
			takeImport(&known.state, &all[i])
			db.logShip(known)
		}
	}
}

// sameHour returns how many of the fixes, from the first on, lie in its hour.
func sameHour(fixes []ship.Fix) int {
	n, hour := 1, track.HourOf(fixes[0].At)
	for n < len(fixes) && track.HourOf(fixes[n].At) == hour {
		n++
	}
	return n
}

// importState writes the static data, and the last state when it is newer than the one stored.
func importState(tx *records.Tx, in *Imported) error {
	s := ship.State{MMSI: in.MMSI, Age: ship.Removed}
	old, err := tx.Get(layout.Ships, layout.ShipKey(in.MMSI))
	if err == nil && old != nil {
		s, err = track.DecodeState(in.MMSI, old)
	}
	if err != nil {
		s = ship.State{MMSI: in.MMSI, Age: ship.Removed}
		if err := tx.SetAside(records.ValuePlace{Bucket: layout.Ships, Key: string(layout.ShipKey(in.MMSI))}); err != nil {
			return err
		}
	}
	takeImport(&s, in)
	for _, said := range in.Said {
		if err := putStatic(tx, in.MMSI, staticChange{at: changedAt(said.Static, said.Voyage, s.First), static: said.Static, voyage: said.Voyage}); err != nil {
			return err
		}
	}
	return tx.Put(layout.Ships, layout.ShipKey(in.MMSI), track.EncodeState(nil, &s))
}

// takeImport puts into s what was imported, as far as it is newer.
func takeImport(s *ship.State, in *Imported) {
	before := s.Heard
	for _, f := range in.Fixes {
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
	if in.Class != ship.ClassUnknown && (s.Class == ship.ClassUnknown || s.Heard > before) {
		s.Class = in.Class
	}
	for _, said := range in.Said {
		if at := changedAt(said.Static, said.Voyage, 0); at > 0 && len(in.Fixes) == 0 {
			s.First, s.Heard = cmp.Or(min(s.First, at), at), max(s.Heard, at)
		}
		if said.Static != nil && (s.Static == nil || s.Static.At <= said.Static.At) {
			s.Static = said.Static
		}
		if said.Voyage != nil && (s.Voyage == nil || s.Voyage.At <= said.Voyage.At) {
			s.Voyage = said.Voyage
		}
	}
}
