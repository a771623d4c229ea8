package portcall

import "slices"

// Clone returns a copy that shares nothing with the call.
func (c *Call) Clone() *Call {
	if c == nil {
		return nil
	}
	clone := *c
	clone.Stays = slices.Clone(c.Stays)
	return &clone
}

// Clone returns a copy that shares nothing with the follower.
func (f *Follower) Clone() *Follower {
	clone := *f
	clone.Near, clone.Call, clone.Before = slices.Clone(f.Near), f.Call.Clone(), f.Before.Clone()
	if f.Rest != nil {
		rest := *f.Rest
		rest.Swing.Moments = slices.Clone(rest.Swing.Moments)
		clone.Rest = &rest
	}
	return &clone
}

// Precede returns a call whose beginning was not seen the beginning of another finding of the same call. It reports whether that changed it.
func (c *Call) Precede(earlier *Call) bool {
	last := earlier.Stays[len(earlier.Stays)-1]
	if c.Port != earlier.Port || c.Stays[0].From != 0 || earlier.Stays[0].From == 0 || last.Kind != c.Stays[0].Kind || earlier.Stays[0].Seen > c.Stays[0].Seen {
		return false
	}
	first := c.Stays[0]
	first.From, first.Seen = last.From, last.Seen
	stays := append(slices.Clone(earlier.Stays[:len(earlier.Stays)-1]), first)
	c.Stays = append(stays, c.Stays[1:]...)
	c.Entered, c.DraughtA = earlier.Entered, earlier.DraughtA
	return true
}
