package passage

// Size is that of a ship, or the largest that a passage lets through, in metres. 0 is unknown, and no limit.
type Size struct {
	Draught, Length, Beam float64
	Air                   float64 // from the water to the highest point
}

// Fit reports whether a ship fits through a passage, and if not, why.
type Fit uint8

// What may hold of a ship at a passage. Unsure is a ship of which too little is known for a small passage.
const (
	Fits Fit = iota
	Unsure
	TooDeep
	TooLong
	TooWide
	TooHigh
)

// ShortEnough is the length in metres up to which a ship of unknown draught may sail over flats. It is a rule of ours: such ships seldom draw more than 3 m.
const ShortEnough = 50

// Fit reports whether a ship fits. What is not known of it closes a small passage only, and nothing where the passage has no limit. Nobody knows how high
// most ships are, so the air draught closes a passage only where it is known.
//
// Of a flat the length says enough where the draught is not known: what is at most ShortEnough fits.
func (p *Passage) Fit(s Size) Fit {
	if p.Flat && s.Draught == 0 {
		if s.Length > 0 && s.Length <= ShortEnough {
			return Fits
		}
		return Unsure
	}
	fit := Fits
	for _, limit := range []struct {
		has, most float64
		asked     bool
		not       Fit
	}{
		{s.Draught, p.Limits.Draught, true, TooDeep}, {s.Length, p.Limits.Length, true, TooLong},
		{s.Beam, p.Limits.Beam, true, TooWide}, {s.Air, p.Limits.Air, false, TooHigh},
	} {
		switch {
		case limit.most == 0:
		case limit.has > limit.most:
			return limit.not
		case limit.has == 0 && limit.asked && p.Small:
			fit = Unsure
		}
	}
	return fit
}

// Of returns the metres that a reason is about; 0 for none.
func (s *Size) Of(why Fit) float64 {
	switch why {
	case TooDeep:
		return s.Draught
	case TooLong:
		return s.Length
	case TooWide:
		return s.Beam
	case TooHigh:
		return s.Air
	}
	return 0
}

// Closed returns the passages of a table through which a ship does not fit, and those of which that is not sure.
func Closed(all []Passage, s Size) (tooSmall, unsure PassageSet) {
	for i := range all {
		switch all[i].Fit(s) {
		case Fits:
		case Unsure:
			unsure |= 1 << i
		default:
			tooSmall |= 1 << i
		}
	}
	return tooSmall, unsure
}
