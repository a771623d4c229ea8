package track

import (
	"fmt"

	"quaywatch/ais"
	"quaywatch/ship"
)

// The version byte of the values in the buckets ships and static.
const (
	stateVersion  = 1
	staticVersion = 1
)

// The flags of a state and of a static value.
const (
	flagFix = 1 << iota
	flagStatic
	flagVoyage
	flagOffPlace
)

// versioned returns a reader of what stands behind the version byte of a value.
func versioned(b []byte, version byte) (Reader, error) {
	r := NewReader(b)
	if v := r.Byte(); r.Bad || v != version {
		return r, fmt.Errorf("%w: version %d", ErrCorrupt, v)
	}
	return r, nil
}

// EncodeState returns the value of a ship in the bucket ships; the MMSI is in the key.
func EncodeState(dst []byte, s *ship.State) []byte {
	hasFix := s.HasFix && s.Fix.At >= 0 && s.Fix.At <= MaxMillis
	flags := presence(s.Static, s.Voyage)
	if hasFix {
		flags |= flagFix
	}
	if s.OffPlace {
		flags |= flagOffPlace
	}
	dst = append(dst, stateVersion, flags, byte(s.Class), byte(s.Age))
	dst = appendSigned(dst, s.First)
	dst = appendSigned(dst, s.Heard)
	dst = AppendVarint(dst, uint64(s.Reports))
	dst = appendSigned(dst, int64(s.Altitude))
	dst = appendText(dst, s.Feed)
	if hasFix {
		var coder Coder
		dst = coder.Append(dst, s.Fix)
	}
	return appendKnown(dst, s.Static, s.Voyage)
}

// DecodeState reads what EncodeState wrote.
func DecodeState(m ais.MMSI, b []byte) (ship.State, error) {
	r, err := versioned(b, stateVersion)
	if err != nil {
		return ship.State{}, err
	}
	flags := r.Byte()
	s := ship.State{MMSI: m, Class: ship.Class(r.Byte()), Age: ship.Age(r.Byte()), OffPlace: flags&flagOffPlace != 0}
	s.First, s.Heard = r.Signed(), r.Signed()
	s.Reports, s.Altitude = uint32(r.Varint()), int16(r.Signed())
	s.Feed = r.Text()
	if flags&flagFix != 0 && !r.Bad {
		var coder Coder
		s.HasFix = true
		if !coder.Next(&r, &s.Fix) {
			return s, ErrCorrupt
		}
	}
	s.Static, s.Voyage = readKnown(&r, flags)
	return s, r.End()
}

// EncodeStatic returns the value of a change in the bucket static: what was known from then on.
func EncodeStatic(st *ship.Static, v *ship.VoyageData) []byte {
	return appendKnown([]byte{staticVersion, presence(st, v)}, st, v)
}

// DecodeStatic reads what EncodeStatic wrote.
func DecodeStatic(b []byte) (*ship.Static, *ship.VoyageData, error) {
	r, err := versioned(b, staticVersion)
	if err != nil {
		return nil, nil, err
	}
	st, v := readKnown(&r, r.Byte())
	return st, v, r.End()
}

func presence(st *ship.Static, v *ship.VoyageData) byte {
	var flags byte
	if st != nil {
		flags |= flagStatic
	}
	if v != nil {
		flags |= flagVoyage
	}
	return flags
}

func appendText(dst []byte, s string) []byte { return append(AppendVarint(dst, uint64(len(s))), s...) }

func appendKnown(dst []byte, st *ship.Static, v *ship.VoyageData) []byte {
	if st != nil {
		dst = AppendVarint(dst, uint64(st.IMO))
		dst = appendText(appendText(dst, st.Name), st.CallSign)
		d := st.Dimensions
		dst = append(dst, byte(st.Type))
		for _, side := range [4]uint16{d.Bow, d.Stern, d.Port, d.Starboard} {
			dst = AppendVarint(dst, uint64(side))
		}
		dst = append(dst, st.AidType, boolByte(st.Virtual))
		dst = appendSigned(appendSigned(dst, int64(st.MotherShip)), st.At)
	}
	if v != nil {
		dst = appendText(dst, v.Destination)
		dst = append(dst, v.ETA.Month, v.ETA.Day, v.ETA.Hour, v.ETA.Minute, byte(v.Draught))
		dst = appendSigned(dst, v.At)
	}
	return dst
}

func readKnown(r *Reader, flags byte) (*ship.Static, *ship.VoyageData) {
	var st *ship.Static
	var v *ship.VoyageData
	if flags&flagStatic != 0 {
		st = &ship.Static{IMO: uint32(r.Varint()), Name: r.Text(), CallSign: r.Text(), Type: ais.ShipType(r.Byte())}
		for _, side := range []*uint16{&st.Dimensions.Bow, &st.Dimensions.Stern, &st.Dimensions.Port, &st.Dimensions.Starboard} {
			*side = uint16(r.Varint())
		}
		st.AidType, st.Virtual = r.Byte(), r.Byte() != 0
		st.MotherShip, st.At = ais.MMSI(r.Signed()), r.Signed()
	}
	if flags&flagVoyage != 0 {
		v = &ship.VoyageData{Destination: r.Text()}
		v.ETA = ais.ETA{Month: r.Byte(), Day: r.Byte(), Hour: r.Byte(), Minute: r.Byte()}
		v.Draught, v.At = ais.Decimetres(r.Byte()), r.Signed()
	}
	return st, v
}

func boolByte(b bool) byte {
	if b {
		return 1
	}
	return 0
}

// SameKnown reports whether two static records say the same, their times apart.
func SameKnown(st1, st2 *ship.Static, v1, v2 *ship.VoyageData) bool {
	if (st1 == nil) != (st2 == nil) || (v1 == nil) != (v2 == nil) {
		return false
	}
	if st1 != nil {
		a := *st1
		if a.At = st2.At; a != *st2 {
			return false
		}
	}
	if v1 != nil {
		a := *v1
		if a.At = v2.At; a != *v2 {
			return false
		}
	}
	return true
}
