package ais

import (
	"fmt"
	"strconv"
)

// PersonsOnBoard is DAC 1, FI 16: how many persons a ship carries (SN.1/Circ.289); 8191 means 8191 or more.
type PersonsOnBoard struct {
	Persons Reading
}

// Targets is DAC 1, FI 17, and FI 16 as it was broadcast before SN.1/Circ.289: ships that a VTS sees by other means than AIS.
type Targets struct {
	Targets []Target
}

// Target is a ship that a VTS sees.
type Target struct {
	IDType uint8 // 0 MMSI, 1 IMO number, 2 call sign, 3 other
	ID     string
	Place  Place // on the air in 1/1000 minute
	COG    COG   // whole degrees on the air
	Second Second
	SOG    SOG // whole knots on the air
}

var personsOnBoard = layout{"persons", 13, false, 1, 8191, 0, 0, 0}

// targetBits is the length of a target: 2+42+4+24+25+9+6+8. What gpsd's page gives for the speed, 10 bits, does not fit
// what is on the air (messages of 2391100 and 2711009 are multiples of 120 bits).
const targetBits = 120

// decodeInternational16 tells the two uses of FI 16 apart: persons on board have at most 48 bits.
func decodeInternational16(r applicationBits, addressed bool) any {
	if !addressed && r.bits >= targetBits {
		return decodeTargets(r)
	}
	p := &PersonsOnBoard{personsOnBoard.read(&r)}
	if r.short {
		return nil
	}
	return p
}

func (p *PersonsOnBoard) appendJSON(dst []byte, raw bool) []byte {
	return p.Persons.appendField(dst, "persons", raw)
}

func decodeTargets(r applicationBits) any {
	t := &Targets{}
	for r.left() >= targetBits && len(t.Targets) < 8 {
		t.Targets = append(t.Targets, readTarget(&r))
	}
	if len(t.Targets) == 0 {
		return nil
	}
	return t
}

func readTarget(r *applicationBits) Target {
	t := Target{IDType: uint8(r.uint(2))}
	switch t.IDType {
	case 0:
		t.ID = fmt.Sprintf("%09d", r.uint(42))
	case 1:
		t.ID = strconv.FormatUint(r.uint(42), 10)
	default:
		t.ID = r.text(7)
	}
	r.uint(4)
	t.Place = r.place(true)
	t.COG = COGTenths(10 * int(r.uint(9)))
	t.Second = Second(r.uint(6))
	if knots := int(r.uint(8)); knots != 255 {
		t.SOG = SOGTenths(10 * knots)
	}
	return t
}

func (t *Targets) appendJSON(dst []byte, raw bool) []byte {
	dst = append(appendKey(dst, "targets"), '[')
	for i := range t.Targets {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = append(t.Targets[i].appendJSON(dst, raw), '}')
	}
	return append(dst, ']')
}

func (t *Target) appendJSON(dst []byte, raw bool) []byte {
	dst = append(dst, `{"idtype":`...)
	dst = strconv.AppendUint(dst, uint64(t.IDType), 10)
	dst = appendTextField(dst, [...]string{"mmsi", "imo", "callsign", "other"}[t.IDType&3], t.ID)
	dst = appendPlaceFields(dst, t.Place, raw)
	if course, ok := t.COG.Tenths(); ok {
		dst = appendIntField(dst, "course", course/10)
	}
	if second, ok := t.Second.Known(); ok {
		dst = appendIntField(dst, "second", second)
	}
	if speed, ok := t.SOG.Tenths(); ok {
		dst = appendIntField(dst, "speed", speed/10)
	}
	return dst
}
