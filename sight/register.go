package sight

import (
	"cmp"
	"errors"
	"slices"
	"time"

	"quaywatch/ais"
	"quaywatch/registry"
	"quaywatch/ship"
	"quaywatch/store"
)

// What CheckEntry refuses.
var (
	ErrHidesUnnamed = errors.New("a filter would hide a ship of which only number and position are known")
	ErrHides        = errors.New("a filter hides the ship")
)

// CheckEntry refuses an entry that would let a ship pass the user's filters, if they hide the ship or would hide it once it is heard. It
// gives ErrHidesUnnamed or ErrHides.
func (v *Viewer) CheckEntry(entry *ship.Entry) error {
	known, err := v.lastOf(entry.MMSI)
	if err != nil && !errors.Is(err, store.ErrNotFound) {
		return err
	}
	if known.MMSI != 0 && v.shows(&known) {
		return nil
	}
	if known.MMSI == 0 || known.ByHand { // of the place what the ship says itself will win, but what it does not say is open
		entry = &ship.Entry{MMSI: entry.MMSI, At: entry.At, HasPlace: entry.HasPlace, Lon: entry.Lon, Lat: entry.Lat}
		if unnamed := entry.Overlay(&ship.State{}); v.shows(&unnamed) {
			return nil
		}
		return ErrHidesUnnamed
	}
	if state := entry.Overlay(&known); v.shows(&state) {
		return ErrHides
	}
	return nil
}

// Entry tells whether the user may see the ship of an entry, and gives the entry as it may be told: what was entered is told at once,
// but a place not before it is as old as the reports that the user gets.
func (v *Viewer) Entry(e registry.Registered) (registry.Registered, bool) {
	known, ok := v.from.picture.Ship(ais.MMSI(e.MMSI))
	if !ok || known.ByHand {
		known = ship.State{First: known.First}
	}
	if e.Updated.After(v.turn(&known)) {
		e.Position = nil
	}
	state := e.Entry().Overlay(&known)
	e.Class = cmp.Or(e.Class, state.Class.String())
	return e, v.shows(&state)
}

// followWait is how long Follow waits for the picture, and followAtOnce how many entries the picture is told of at once: it hears
// nothing meanwhile.
const (
	followWait   = time.Second
	followAtOnce = 500
)

// Follow lets the picture know what the register says of some numbers now, and waits for it: what is asked after that is told so
// everywhere.
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

// heardLongAgo gives what the store has of a ship, to go under what the register says of it; nil for nothing.
func (s *Sight) heardLongAgo(m ais.MMSI) *ship.State {
	found, err := s.config.DB.Ship(m)
	if err == nil {
		return &found
	}
	if !errors.Is(err, store.ErrNotFound) {
		s.config.Log.Warn("a registered ship could not be read", "mmsi", m, "error", err)
	}
	return nil
}
