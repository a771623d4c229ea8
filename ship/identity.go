package ship

import (
	"math/bits"
	"strconv"
	"strings"

	"quaywatch/ais"
)

// Identity is what a question says of a ship. Zero and empty fields are not given.
type Identity struct {
	MMSI     ais.MMSI
	IMO      uint32
	Name     string
	CallSign string
	Draught  float64 // metres; never identifies a ship
}

// IdentityFields is a set of the fields that identify a ship.
type IdentityFields uint8

// The fields, each weightier than all before it.
const (
	FieldName IdentityFields = 1 << iota
	FieldCallSign
	FieldIMO
	FieldMMSI
)

// Empty reports whether no identifying field is given.
func (q Identity) Empty() bool {
	return q.MMSI == 0 && q.IMO == 0 && folded(q.Name) == "" && folded(q.CallSign) == ""
}

// IdentityOf returns what static data says of who a ship is, as it was typed; the zero Identity for nil.
func IdentityOf(known *Static) Identity {
	if known == nil {
		return Identity{}
	}
	return Identity{IMO: known.IMO, Name: known.Name, CallSign: known.CallSign}
}

// Another reports whether static data is of another ship: its IMO number is another, where both are known. A ship that is renamed stays the ship.
func (q Identity) Another(known *Static) bool {
	return known != nil && ValidIMO(q.IMO) && ValidIMO(known.IMO) && q.IMO != known.IMO
}

// Marks returns a text for each of IMO number, call sign and name that is given. Those of a question and of a ship are equal where Compare
// finds that the field agrees.
func (q Identity) Marks() (marks []string) {
	if q.IMO != 0 {
		marks = append(marks, "imo "+strconv.FormatUint(uint64(q.IMO), 10))
	}
	if sign := folded(q.CallSign); sign != "" {
		marks = append(marks, "callsign "+sign)
	}
	if name := folded(q.Name); name != "" {
		marks = append(marks, "name "+name)
	}
	return marks
}

// Compare tells which of the given fields agree with what is known of s and which contradict it. A field that is not
// known of s does neither. Text is compared as the filter language does, without wildcards.
func (q Identity) Compare(s *State) (agree, contradict IdentityFields) {
	if q.MMSI != 0 {
		noteField(&agree, &contradict, FieldMMSI, q.MMSI == s.MMSI)
	}
	known := s.Static
	if known == nil {
		return agree, contradict
	}
	if q.IMO != 0 && known.IMO != 0 {
		noteField(&agree, &contradict, FieldIMO, q.IMO == known.IMO)
	}
	if sign := folded(q.CallSign); sign != "" && known.CallSign != "" {
		noteField(&agree, &contradict, FieldCallSign, sign == folded(known.CallSign))
	}
	if name := folded(q.Name); name != "" && known.Name != "" {
		noteField(&agree, &contradict, FieldName, name == folded(known.Name))
	}
	return agree, contradict
}

func noteField(agree, contradict *IdentityFields, field IdentityFields, same bool) {
	if same {
		*agree |= field
	} else {
		*contradict |= field
	}
}

// Identify returns the ships that q means, of those that each yields, and the fields of q that contradict the first of them. A ship must
// agree in at least one field. More agreeing fields win, then MMSI before IMO before call sign before name. The result is empty if no
// ship agrees; it has several ships if they agree equally well.
func Identify(q Identity, each func(yield func(*State) bool)) (best []State, contradict IdentityFields) {
	weight := 0
	each(func(s *State) bool {
		agree, against := q.Compare(s)
		w := bits.OnesCount8(uint8(agree))<<4 | int(agree)
		switch {
		case agree == 0 || w < weight:
		case w > weight:
			weight, best, contradict = w, append(best[:0], *s), against
		default:
			best = append(best, *s)
		}
		return true
	})
	return best, contradict
}

// Names returns the fields in the words of the API.
func (f IdentityFields) Names() []string {
	var names []string
	for _, field := range [...]struct {
		is   IdentityFields
		name string
	}{{FieldMMSI, "mmsi"}, {FieldIMO, "imo"}, {FieldCallSign, "callsign"}, {FieldName, "name"}} {
		if f&field.is != 0 {
			names = append(names, field.name)
		}
	}
	return names
}

// ValidIMO reports whether n is a seven-digit IMO number with a right check digit. The first six digits are multiplied by 7 to 2; the last
// digit of the sum is the seventh.
func ValidIMO(n uint32) bool {
	if n < 1000000 || n > 9999999 {
		return false
	}
	sum, rest := uint32(0), n/10
	for weight := uint32(2); weight <= 7; weight++ {
		sum += rest % 10 * weight
		rest /= 10
	}
	return sum%10 == n%10
}

// NumberIMO returns the number of a text as "IMO 9321483" or "IMO9321483", and not ok for any other text.
func NumberIMO(text string) (n uint32, ok bool) {
	text = trimmed(text)
	if len(text) < len("IMO") || !strings.EqualFold(text[:3], "IMO") {
		return 0, false
	}
	digits := strings.TrimLeft(text[3:], " :.-#")
	v, err := strconv.ParseUint(digits, 10, 32)
	return uint32(v), err == nil && len(digits) == 7
}
