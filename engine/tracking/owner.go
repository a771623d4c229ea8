package tracking

import "quaywatch/store/records"

// Reassign hands the tracks of a user to another, and counts them.
func (t *TrackedShips) Reassign(from, to string) (count int, err error) {
	t.writing.Lock()
	defer t.writing.Unlock()
	var theirs []TrackedShip
	for _, track := range t.All() {
		if track.Owner == from {
			track.Owner = to
			theirs = append(theirs, track)
		}
	}
	if len(theirs) == 0 {
		return 0, nil
	}
	err = t.config.DB.Together(func(tx *records.Tx) error {
		for i := range theirs {
			if err := t.rows.PutIn(tx, uint64(theirs[i].ID), "", theirs[i]); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return 0, err
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	for i := range theirs {
		if track := t.tracks[theirs[i].ID]; track != nil {
			t.owned[from]--
			t.owned[to]++
			track.Owner = to
			t.noteChange(track)
		}
	}
	return len(theirs), nil
}

// Owns reports whether a user has tracks, finished ones among them.
func (t *TrackedShips) Owns(uid string) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.owned[uid] > 0
}

// Bounds of what one user may keep.
const (
	MostOwn      = 5000     // tracks
	mostOwnBytes = 16 << 20 // of their ERP information and areas
)

// checkRoom refuses more tracks or bytes of a user than it may keep, and more tracks than there may be. Nothing may grow above the bounds. The caller
// holds writing.
func (t *TrackedShips) checkRoom(owner string, more, bytes int) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	if more > 0 && len(t.tracks) >= Most {
		return ErrFull
	}
	count, kept := more, bytes
	for _, track := range t.tracks {
		if track.Owner == owner {
			count, kept = count+1, kept+track.weight()
		}
	}
	switch {
	case more > 0 && count > MostOwn:
		return ErrOwnTracks
	case bytes > 0 && kept > mostOwnBytes:
		return ErrOwnBytes
	}
	return nil
}

// weight returns about how many bytes the ERP information and the areas of a track take.
func (t *TrackedShip) weight() (bytes int) {
	bytes = len(t.ERP)
	for _, end := range []*End{&t.Source, &t.Destination} {
		for _, z := range end.Location {
			for _, ring := range z.Area {
				bytes += pointBytes * len(ring)
			}
		}
	}
	return bytes
}

// pointBytes is about what a corner of an area takes where it is stored.
const pointBytes = 32
