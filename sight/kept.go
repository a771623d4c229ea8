package sight

import (
	"time"

	"quaywatch/ship"
)

// Kept gives a ship of which a copy was kept, as the user may be told of it now: as it is in the user's picture, and as it was kept where the
// picture has it no more. It is not ok when the ship is hidden from the user, and when the user is not yet told of the time since.
func (v *Viewer) Kept(kept *ship.State, since time.Time) (ship.State, bool) {
	turn := v.turn(kept)
	if since.After(turn) {
		return ship.State{}, false
	}
	found, ok := v.from.picture.Ship(kept.MMSI)
	if !ok {
		if time.UnixMilli(kept.Heard).After(turn) {
			return ship.State{}, false
		}
		found = *kept
		found.Age = ship.Removed
	}
	if !v.shows(&found) {
		return ship.State{}, false
	}
	return *v.tellOf(&found), true
}
