package statistic

import (
	"slices"
	"time"

	"quaywatch/ais"
	"quaywatch/geo"
	"quaywatch/ship"
)

// mostFixes is how many fixes a piece of a track has at most: 32 KB.
const mostFixes = 1000

// TracksQuestion asks where ships sailed.
type TracksQuestion struct {
	Period     Period
	Resolution time.Duration       // the first fix of each interval of this length, counted from the Unix epoch; 0 for all fixes
	Only       func(ais.MMSI) bool // nil for all ships; else the chosen ones, as Seen.Has tells them
}

// TrackPiece is a part of the track of a ship. Pieces of a ship come in order; together they are its track.
type TrackPiece struct {
	MMSI  ais.MMSI
	Track ship.Track // its own, never empty
}

// Moments returns what a reader must be allowed to have seen. A reader may get the others of a piece without those that it might not have seen.
func (p TrackPiece) Moments() []Moment {
	all := make([]Moment, len(p.Track))
	for i, f := range p.Track {
		all[i] = Moment{p.MMSI, f}
	}
	return all
}

// TrackPieces gives the tracks of ships in pieces as soon as they are handed over. It holds two fixes a ship.
type TrackPieces struct {
	q     TracksQuestion
	tell  func(TrackPiece)
	ships map[ais.MMSI]*thinning
}

// thinning is what the next part of a track must know of the parts before.
type thinning struct {
	taken int64
	tail  ship.Track // the last fix told, and one that was left out after it if a segment began there
}

// NewTracks answers a question and tells each piece once.
func NewTracks(q TracksQuestion, tell func(TrackPiece)) *TrackPieces {
	return &TrackPieces{q: q, tell: tell, ships: map[ais.MMSI]*thinning{}}
}

// Take takes a part of a track.
func (t *TrackPieces) Take(m ais.MMSI, part ship.Track) {
	if t.q.Only != nil && !t.q.Only(m) {
		return
	}
	s := t.ships[m]
	if s == nil {
		s = &thinning{taken: never}
		t.ships[m] = s
	}
	part = newer(part.Within(t.q.Period.Begin, t.q.Period.End), s.taken)
	if len(part) == 0 {
		return
	}
	s.taken = part[len(part)-1].At
	thin := s.thinPart(part, t.q.Resolution)
	for piece := range slices.Chunk(thin, mostFixes) {
		t.tell(TrackPiece{m, slices.Clone(piece)})
	}
}

// thinPart returns the fixes of a part that ship.Track.Thin would keep of the whole track.
func (s *thinning) thinPart(part ship.Track, resolution time.Duration) ship.Track {
	before := len(s.tail)
	thin := append(s.tail, part...).Thin(resolution)
	if before > 0 {
		thin = thin[1:] // it was told
		if resolution <= 0 {
			thin = thin[before-1:]
		}
	}
	s.keepTail(thin, part)
	return thin
}

// keepTail keeps what the next part must know.
func (s *thinning) keepTail(thin, part ship.Track) {
	if len(thin) > 0 {
		s.tail = ship.Track{thin[len(thin)-1]}
	}
	for _, f := range part {
		if f.At > s.tail[0].At && f.Mark&ship.NewSegment != 0 {
			s.tail = ship.Track{s.tail[0], f}
		}
	}
}

// Over does nothing: pieces are told at once.
func (t *TrackPieces) Over(time.Time) {}

// End does nothing.
func (t *TrackPieces) End() {}

// SeenShips finds the ships that reported a place in a shape. Tracks of such ships alone take two rounds. What a ship sailed before it came into the shape is told
// too, and cannot be held until then. It holds one number a ship.
type SeenShips struct {
	period Period
	area   *geo.Area
	ships  map[ais.MMSI]Moment
}

// NewSeen finds the ships in an area.
func NewSeen(period Period, area *geo.Area) *SeenShips {
	return &SeenShips{period, area, map[ais.MMSI]Moment{}}
}

// Take takes a part of a track.
func (s *SeenShips) Take(m ais.MMSI, part ship.Track) {
	if s.Has(m) {
		return
	}
	for _, f := range part.Within(s.period.Begin, s.period.End) {
		if s.area.Contains(f.Point()) {
			s.ships[m] = Moment{m, f}
			return
		}
	}
}

// Over does nothing.
func (s *SeenShips) Over(time.Time) {}

// End does nothing.
func (s *SeenShips) End() {}

// Has reports whether a ship was in the shape.
func (s *SeenShips) Has(m ais.MMSI) bool {
	_, seen := s.ships[m]
	return seen
}

// First returns the first moment of a ship in the shape.
func (s *SeenShips) First(m ais.MMSI) (Moment, bool) {
	first, seen := s.ships[m]
	return first, seen
}
