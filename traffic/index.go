package traffic

import (
	"iter"
	"math"
	"slices"

	"quaywatch/ais"
	"quaywatch/geo"
	"quaywatch/ship"
)

// slackDegrees is how far a ship may move before its entry of the index moves. 0.005° is some 550 m, which a ship at 12 knots sails in a
// minute and a half. Moving an entry costs more than all the rest of a report.
const slackDegrees = 0.005

// box is a place with slack around it, as the index holds it.
type box struct {
	min, max [2]float32 // lon, lat
	indexed  bool
}

// holdsPoint reports whether the place is inside the box, so that the entry need not move.
func (b *box) holdsPoint(p geo.Point) bool {
	return b.indexed && p.Lon >= float64(b.min[0]) && p.Lon <= float64(b.max[0]) &&
		p.Lat >= float64(b.min[1]) && p.Lat <= float64(b.max[1])
}

// boxAround returns the box of a place. It may reach over 180°: a box is only compared with places and questions that lie
// within ±180°, and it always holds its own place.
func boxAround(p geo.Point) box {
	return box{
		min:     [2]float32{float32(p.Lon - slackDegrees), float32(p.Lat - slackDegrees)},
		max:     [2]float32{float32(p.Lon + slackDegrees), float32(p.Lat + slackDegrees)},
		indexed: true,
	}
}

// updateIndex brings the index up to the state of e.
func (p *Picture) updateIndex(e *entry) {
	if !e.state.HasFix {
		p.displace(e)
		return
	}
	at := e.state.Fix.Point().Normalized()
	if e.box.holdsPoint(at) {
		return
	}
	p.displace(e)
	e.box = boxAround(at)
	p.index.Insert(e.box.min, e.box.max, e)
}

func (p *Picture) displace(e *entry) {
	if e.box.indexed {
		p.index.Delete(e.box.min, e.box.max, e)
		e.box = box{}
	}
}

// Within calls fn with a copy of each ship of the live picture that is inside r, until fn returns false. The state is valid only during the
// call.
func (p *Picture) Within(r geo.Rect, fn func(*ship.State) bool) {
	for s := range p.shipsInside(r) {
		if s.Age != ship.Removed && !fn(s) {
			return
		}
	}
}

// shipsInside yields copies of the states of the ships inside r, also removed ones, each valid until the next. The index finds them while they are few. A large
// rectangle is looked for in a walk over all ships, so that nobody waits for a long search.
func (p *Picture) shipsInside(r geo.Rect) iter.Seq[*ship.State] {
	parts := searched(r)
	holds := func(s *ship.State) bool {
		at := s.Fix.Point().Normalized()
		return s.HasFix && slices.ContainsFunc(parts, func(part geo.Rect) bool { return planarContains(part, at) })
	}
	return func(yield func(*ship.State) bool) {
		all := p.walkShips()
		if found, few := p.searchIndex(parts); few {
			all = p.read(found)
		}
		for s := range all {
			if holds(s) && !yield(s) {
				return
			}
		}
	}
}

// searchIndex returns the entries that may be inside the parts that searched returned, each once. It gives up when they are not few.
func (p *Picture) searchIndex(parts []geo.Rect) (found entries, few bool) {
	p.mu.RLock()
	defer p.mu.RUnlock()
	found.last = p.added
	for i, part := range parts {
		p.index.Search(below(part.West, part.South), above(part.East, part.North), func(low, high [2]float32, e *entry) bool {
			twice := slices.ContainsFunc(parts[:i], func(o geo.Rect) bool {
				return boxesMeet(below(o.West, o.South), above(o.East, o.North), low, high)
			})
			if !twice {
				found.list = append(found.list, e)
			}
			return len(found.list) <= lookAtOnce
		})
	}
	return found, len(found.list) <= lookAtOnce
}

// boxesMeet reports whether two boxes of the index have a place in common.
func boxesMeet(lowA, highA, lowB, highB [2]float32) bool {
	return lowA[0] <= highB[0] && lowB[0] <= highA[0] && lowA[1] <= highB[1] && lowB[1] <= highA[1]
}

// Near calls fn with a copy of each ship inside r, also of removed ones, until fn returns false. The state is valid only during the call. It
// returns the numbers of those that had to leave the picture and were inside last, not before since in Unix milliseconds. The store may know
// more of these, or nothing any more. No ship comes twice.
func (p *Picture) Near(r geo.Rect, since int64, fn func(*ship.State) bool) (departed []ais.MMSI) {
	parts := searched(r)
	departed = p.departed.appendWithin(nil, parts, since)
	var present []ais.MMSI
	for s := range p.shipsInside(r) {
		if present = append(present, s.MMSI); !fn(s) {
			return nil
		}
	}
	departed = p.departed.appendWithin(departed, parts, since) // again, for those that came or left meanwhile
	slices.Sort(departed)
	departed = slices.Compact(departed)
	for i := 0; i < len(present) && len(departed) > 0; i++ {
		if at, twice := slices.BinarySearch(departed, present[i]); twice {
			departed = slices.Delete(departed, at, at+1)
		}
	}
	return departed
}

// searched returns the parts of r to look up in the index, which knows the meridian of 180° only as -180°.
func searched(r geo.Rect) []geo.Rect {
	parts := r.Split()
	if parts[0].East != 180 || len(parts) == 2 || parts[0].West == -180 {
		return parts
	}
	seam := parts[0]
	seam.West, seam.East = -180, -180
	return append(parts, seam)
}

// planarContains reports whether a normalized place lies in a part that searched returned. Here longitudes may be compared: parts do not
// reach over 180°, and the place is never at +180°. Rect.Contains would find a place at -180° in two parts.
func planarContains(part geo.Rect, at geo.Point) bool {
	return at.Lon >= part.West && at.Lon <= part.East && at.Lat >= part.South && at.Lat <= part.North
}

// below and above round outward to what the index holds.
func below(lon, lat float64) [2]float32 {
	return [2]float32{math.Nextafter32(float32(lon), -1000), math.Nextafter32(float32(lat), -1000)}
}

func above(lon, lat float64) [2]float32 {
	return [2]float32{math.Nextafter32(float32(lon), 1000), math.Nextafter32(float32(lat), 1000)}
}
