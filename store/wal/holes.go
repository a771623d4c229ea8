package wal

// Hole is a gap of the log in time.
type Hole struct {
	Gap
	From, To int64 // the last fix before it and the first behind it; 0 unknown
}

// Holes gathers what is missing in a log while it is read.
type Holes struct {
	list   []Hole
	open   bool // the last one has no end yet
	newest int64
}

// Add notes a gap. One that follows another directly belongs to it.
func (h *Holes) Add(g Gap) {
	if h.open {
		h.list[len(h.list)-1].Last = g.Last
		return
	}
	h.list, h.open = append(h.list, Hole{Gap: g, From: h.newest}), true
}

// Heard notes the time of a fix that was read.
func (h *Holes) Heard(at int64) {
	if h.open {
		h.list[len(h.list)-1].To, h.open = at, false
	}
	h.newest = at
}

// Closed returns all, the last one up to the time when the store stopped.
func (h *Holes) Closed(stopped int64) []Hole {
	if h.open {
		h.list[len(h.list)-1].To = max(stopped, h.newest)
	}
	return h.list
}
