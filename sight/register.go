package sight

import (
	"errors"
	"slices"
	"time"

	"quaywatch/ais"
	"quaywatch/ship"
	"quaywatch/store/records"
	"quaywatch/users/registry"
)

// ErrHides is what CheckEntry gives. It does not say whether the ship is hidden or not known.
var ErrHides = errors.New("a filter may hide the ship")

// CheckEntry refuses an entry of a ship that the user does not see, unless its number alone decides whether the user would. So a hidden ship
// is answered like one that was never heard, and no entry lets it pass a filter. It returns ErrHides.
func (v *Viewer) CheckEntry(entry *ship.ManualEntry) error {
	known, err := v.lastOf(entry.MMSI)
	if err != nil && !errors.Is(err, records.ErrNotFound) {
		return err
	}
	unnamed := ship.State{MMSI: entry.MMSI}
	if known.MMSI != 0 && v.shows(&known) || v.view.ByNumber() && v.shows(&unnamed) {
		return nil
	}
	return ErrHides
}

// Entry reports whether the user may see the ship of an entry, and returns the entry as it may be told. What was entered is told at once. But a place not
// before it is as old as the reports that the user gets.
func (v *Viewer) Entry(e registry.Registered) (registry.Registered, bool) {
	known, ok := v.from.picture.Ship(ais.MMSI(e.MMSI))
	if !ok || known.ByHand {
		known = ship.State{First: known.First}
	}
	if e.Updated.After(v.toldUntil(&known)) {
		e.Position = nil
	}
	state := e.Entry().Overlay(&known)
	return e, v.shows(&state)
}

// followWait is how long Follow waits for the picture, and followAtOnce how many entries the picture is told of at once: it hears
// nothing meanwhile.
const (
	followWait   = time.Second
	followAtOnce = 500
)

// Follow lets the picture know what the register says of some numbers now, and waits for it. So what is asked after that is told so everywhere.
func (s *Sight) Follow(numbers ...int64) {
	for some := range slices.Chunk(numbers, followAtOnce) {
		var taken <-chan struct{} // of the last of them: the picture takes them in order
		for _, mmsi := range some {
			taken = s.tellPicture(mmsi)
		}
		patience := time.NewTimer(followWait)
		select {
		case <-taken:
		case <-patience.C:
		}
		patience.Stop()
	}
}

// tellPicture tells the picture what the register says of a number now. It is done for one number at a time, so that what was written
// last is what the picture is told last.
func (s *Sight) tellPicture(mmsi int64) (taken <-chan struct{}) {
	var before *ship.State
	if _, ok := s.config.Picture.Ship(ais.MMSI(mmsi)); !ok {
		before = s.heardLongAgo(ais.MMSI(mmsi))
	}
	s.telling.Lock()
	defer s.telling.Unlock()
	if e, ok := s.config.Register.Get(mmsi); ok {
		return s.config.Picture.PutEntry(e.Entry(), before)
	}
	return s.config.Picture.RemoveEntry(ais.MMSI(mmsi))
}

// heardLongAgo returns what the store has of a ship, to go under what the register says of it; nil for nothing.
func (s *Sight) heardLongAgo(m ais.MMSI) *ship.State {
	found, err := s.config.DB.Ship(m)
	if err == nil {
		return &found
	}
	if !errors.Is(err, records.ErrNotFound) {
		s.config.Log.Warn("a registered ship could not be read", "mmsi", m, "error", err)
	}
	return nil
}
