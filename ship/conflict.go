package ship

import "quaywatch/ais"

// Conflict says that two transmitters use the number of a ship at places that no ship joins. It is never changed.
type Conflict struct {
	Places [2]Sighting // the first is that of the ship's state
}

// Sighting is a place of one of the two, with what heard it lately.
type Sighting struct {
	Fix     Fix
	Feed    string    // that heard the latest report first
	Feeds   ais.Feeds // that heard one of them first
	Station string    // the shore station of the latest report; "" when none is named
}

// Joined reports whether a ship of the class can have been at a and at b at their times.
func Joined(class Class, a, b Fix, l *Limits) bool { return canSail(class, a, b, l) }

// Held gives the newest place that is held back; only of a Gate that is not Empty.
func (g Gate) Held() Fix { return g.held }
