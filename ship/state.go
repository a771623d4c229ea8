package ship

import "quaywatch/ais"

// Class tells what kind of station an MMSI is, by its number and by what it sends.
type Class uint8

// The classes, in the words of the API (String gives them).
const (
	ClassUnknown Class = iota
	ClassA
	ClassB
	ClassBase
	ClassAtoN
	ClassSAR
	ClassSART
	ClassMOB
	ClassEPIRB
	ClassGroup
	ClassCoast
)

// Age tells how fresh a ship's signal is.
type Age uint8

// The ages: a lost ship was silent for longer than its class and status allow, a removed one is no longer in the live picture.
const (
	Live Age = iota
	Lost
	Removed
)

// State is the latest of all that is known of a ship. It is a small value and is copied, not shared; what it points to
// is never changed.
type State struct {
	MMSI     ais.MMSI
	Class    Class
	Age      Age
	HasFix   bool
	Fix      Fix   // the last accepted place; only when HasFix
	First    int64 // Unix milliseconds of the first report
	Heard    int64 // Unix milliseconds of the last report of any kind, duplicates included
	Reports  uint32
	Altitude int16       // metres, of a SAR aircraft
	OffPlace bool        // an aid to navigation that says it is off its position
	ByHand   bool        // only entered by hand: the ship was never heard
	Feed     string      // the feed that heard the last message first; "" for no feed: ByHand, or an imported table
	Feeds    ais.Feeds   // the feeds that heard the ship lately, Feed among them; of a state that was stored those of its fix
	Static   *Static     // nil until heard
	Voyage   *VoyageData // nil until heard
	Conflict *Conflict   // nil for nearly all ships; not stored
}

// HeardBy reports whether holds is true for one of the feeds that hear the ship. If none did, because the ship was entered by hand or came
// with an imported table, holds is asked for "".
func (s *State) HeardBy(holds func(feed string) bool) bool {
	return holds(s.Feed) || s.Feeds.Any(holds)
}

// StaticChanged returns when static or voyage data changed last, in Unix milliseconds; 0 for never.
func (s *State) StaticChanged() int64 {
	var at int64
	if s.Static != nil {
		at = s.Static.At
	}
	if s.Voyage != nil {
		at = max(at, s.Voyage.At)
	}
	return at
}
