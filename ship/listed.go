package ship

import (
	"quaywatch/ais"
	"quaywatch/internal/fold"
)

// Listed is one ship of a list. The first given of MMSI, IMO number, call sign and name decides which ship is meant.
type Listed struct {
	MMSI     int64  `json:"mmsi,omitempty"`
	IMO      int64  `json:"imo,omitempty"`
	Name     string `json:"name,omitempty"`
	CallSign string `json:"callsign,omitempty"`
}

// Members returns a test of membership in a list. It allocates nothing for a name in ASCII.
func Members(list []Listed) func(*State) bool {
	mmsi, imo := map[ais.MMSI]struct{}{}, map[uint32]struct{}{}
	sign, name := map[string]struct{}{}, map[string]struct{}{}
	for _, s := range list {
		switch {
		case s.MMSI != 0:
			mmsi[ais.MMSI(s.MMSI)] = struct{}{}
		case s.IMO != 0:
			imo[uint32(s.IMO)] = struct{}{}
		case s.CallSign != "":
			sign[fold.Name(s.CallSign)] = struct{}{}
		case fold.Name(s.Name) != "":
			name[fold.Name(s.Name)] = struct{}{}
		}
	}
	return func(s *State) bool {
		if _, listed := mmsi[s.MMSI]; listed {
			return true
		}
		k := s.Static
		if k == nil {
			return false
		}
		if _, listed := imo[k.IMO]; listed {
			return true
		}
		return hasFolded(sign, k.CallSign) || hasFolded(name, k.Name)
	}
}

// hasFolded reports whether a text is in a set of folded ones.
func hasFolded(set map[string]struct{}, text string) bool {
	if len(set) == 0 || text == "" {
		return false
	}
	var room [96]byte
	_, listed := set[string(fold.AppendName(room[:0], text))]
	return listed
}
