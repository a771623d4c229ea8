package sight

import (
	"context"
	"time"

	"quaywatch/ais"
	"quaywatch/ship"
)

// Kept returns a ship of which a copy was kept, as the user may be told of it now. It is as it is in the user's picture, and as it was kept where the picture
// has it no more. It is not ok when the ship is hidden from the user, and when the user is not yet told of the time since.
func (v *Viewer) Kept(kept *ship.State, since time.Time) (ship.State, bool) {
	turn := v.toldUntil(kept)
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

// Then returns a ship as the user may now be told of what was heard of it at the time Heard. A copy of the ship was kept then. The ship is as it was then, with
// the name that it has now where the user sees it still. It is not ok when the user could not have seen the ship then, or when the time has not come. Nor is it
// ok when the user may not have a message with these traits. Without traits it was a change of the ship. A user with an interval is told of none, because that
// would tell what was between two of its times.
func (v *Viewer) Then(kept *ship.State, traits *ais.Traits) (told ship.State, ok bool) {
	then, told := *kept, *kept
	now, there := v.from.picture.Ship(kept.MMSI)
	if there { // as for a fix of a track: what the ship is, where it was
		then = now
		then.HasFix, then.Fix, then.Feed, then.Feeds = kept.HasFix, kept.Fix, kept.Feed, kept.Feeds
	}
	at := ship.Time(kept.Heard)
	switch {
	case at.After(v.toldUntil(&then)):
		return ship.State{}, false
	case traits == nil && (v.from.pace.Interval != nil || !v.view.Shows(&then, at)):
		return ship.State{}, false
	case traits != nil && !v.view.ShowsMessage(traits, &then, at):
		return ship.State{}, false
	}
	if there && v.shows(&now) {
		told.Class, told.Static = now.Class, now.Static
	}
	told.Conflict = nil
	v.view.Tell(&told)
	return told, true
}

// Here returns a ship of the live picture that the user sees.
func (v *Viewer) Here(m ais.MMSI) (ship.State, bool) {
	found, ok := v.from.picture.Ship(m)
	if !ok || found.Age == ship.Removed || !v.shows(&found) {
		return ship.State{}, false
	}
	return found, true
}

// InTurns calls fn with 0 to count-1, in turns with the work of other callers, as Ships does. So fn waits for nothing. It fails when ctx ends.
func (v *Viewer) InTurns(ctx context.Context, count int, fn func(i int)) error {
	w, err := v.beginWork(ctx)
	if err != nil {
		return err
	}
	defer w.End()
	for i := range count {
		if err := w.countLook(ctx); err != nil {
			return err
		}
		fn(i)
	}
	return nil
}
