package ship

// Reason says why the place in a report was refused. The report itself may still count, because the ship was heard.
type Reason uint8

// The reasons; Accepted also stands for reports that hold no place at all.
const (
	Accepted        Reason = iota
	BadMMSI                // not a number of one to nine digits: the whole report is refused
	NoPlace                // the sender says that its place is not available
	ImpossiblePlace        // outside ±180° and ±90°, or exactly 0° 0°
	Jump                   // farther than the ship can have sailed: held back until further reports agree
	LateJump               // late, and farther than the ship can have sailed: dropped
	TooCoarse              // to a tenth of a minute, while an exact place is known
	ReasonCount            // how many reasons there are
)

// String gives the reason as it stands in status answers and metrics.
func (r Reason) String() string {
	names := [ReasonCount]string{"accepted", "mmsi", "no_place", "impossible_place", "jump", "late_jump", "coarse"}
	if r >= ReasonCount {
		return "unknown"
	}
	return names[r]
}
