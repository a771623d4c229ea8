package ship

import "quaywatch/ais"

// Country gives the United Nations name and the ISO 3166-1 alpha-2 code of the country of the ship's MMSI; "" when unknown.
func (s *State) Country() (name, code string) {
	name, code, ok := s.MMSI.Country()
	if !ok {
		return "", ""
	}
	return name, code
}

// TypeText gives the ship type in words, "" when it is not available.
func TypeText(t ais.ShipType) string {
	if t == 0 {
		return ""
	}
	return t.String()
}

// ParseType gives the ship type that TypeText says in these words, of several the lowest.
func ParseType(text string) (ais.ShipType, bool) {
	for t := range 256 {
		if words := TypeText(ais.ShipType(t)); words != "" && folded(words) == folded(text) {
			return ais.ShipType(t), true
		}
	}
	return 0, false
}
