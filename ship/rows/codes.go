package rows

import (
	"strings"

	"quaywatch/ais"
	"quaywatch/ship"
)

// codes reads the words and numbers of status, type, class and source. A word is looked up once for each way that a file writes it.
type codes struct {
	status memo[ais.NavStatus]
	kind   memo[ais.ShipType]
	class  memo[ship.Class]
	cargo  memo[uint8]
	sat    memo[bool]
}

// memo remembers what a text means. It forgets all when a file has more texts than any list of words.
type memo[T any] struct {
	of      func(string) (T, bool)
	meaning map[string]meant[T]
}

type meant[T any] struct {
	value T
	ok    bool
}

const mostWords = 1000

func (c *codes) init() {
	c.status.of, c.kind.of, c.class.of = statusOf, typeOf, classOf
	c.cargo.of, c.sat.of = hazardOf, satelliteOf
}

func (m *memo[T]) get(b []byte) (T, bool) {
	if found, ok := m.meaning[string(b)]; ok {
		return found.value, found.ok
	}
	if m.meaning == nil || len(m.meaning) >= mostWords {
		m.meaning = map[string]meant[T]{}
	}
	value, ok := m.of(string(b))
	m.meaning[string(b)] = meant[T]{value, ok}
	return value, ok
}

// statusWords are the beginnings of the words for a status, letters alone; the first that fits counts.
const statusWords = "underwayusing=0 underwaysail=8 underwaybysail=8 sailing=8 underway=0 anchor=1 atanchor=1 notundercommand=2 restricted=3 " +
	"constrained=4 moored=5 aground=6 engagedinfish=7 fishing=7 " +
	"reservedforfutureamendmentofnavigationalstatusforhsc=9 reservedforfutureamendmentofnavigationalstatusforwig=10 " +
	"reservedforhighspeed=9 reservedforwing=10 powerdrivenvesseltowing=11 powerdrivenvesselpush=12 reservedforfutureuse11=11 " +
	"reservedforfutureuse12=12 reservedforfutureuse13=13 reservedforfutureuse=13 reserved=13 aissart=14 undefined=15 notdefined=15 unknown=15 default=15"

// statusOf reads a navigational status, as a number or in words. Numbers above 15 are own codes of some programs, and say nothing.
func statusOf(text string) (ais.NavStatus, bool) {
	if n, ok := parseWhole([]byte(text)); ok {
		if n > 99 {
			return ais.StatusUndefined, false
		}
		return ais.NavStatus(min(n, int64(ais.StatusUndefined))), true
	}
	n, ok := meaningOf(statusWords, letters(text))
	if !ok {
		return ais.StatusUndefined, text == "-1"
	}
	return ais.NavStatus(n), true
}

// typeWords are the beginnings of the words for a type of ship.
const typeWords = "wing=20 wig=20 fishing=30 towinglong=32 towinglength=32 towingexceeds=32 towing=31 dredg=33 div=34 militar=35 sail=36 " +
	"pleasure=37 recreation=37 yacht=37 hsc=40 highspeed=40 pilot=50 searchandrescue=51 sar=51 tugtow=31 tug=52 porttender=53 antipollution=54 " +
	"lawenforce=55 local=56 sparelocal=56 medical=58 noncombat=59 shipnotparty=59 passenger=60 cargo=70 tanker=80 other=90 " +
	"undefined=0 unknown=0 notavailable=0 notdefined=0 unspecified=0 reserved=38"

// typeOf reads a type of ship: a code of AIS, a code of the Coast Guard as NOAA has them until 2017, or words.
func typeOf(text string) (ais.ShipType, bool) {
	if n, ok := parseWhole([]byte(text)); ok {
		if n > 1000 {
			return coastGuardType(n)
		}
		return ais.ShipType(min(n, 255)), n <= 255
	}
	word := letters(text)
	n, ok := meaningOf(typeWords, word)
	if hazard, _ := hazardOf(text); ok && hazard > 0 && n%10 == 0 {
		n += int(hazard)
	}
	return ais.ShipType(n), ok
}

// coastGuardType returns the type of AIS for a vessel type of the U.S. Coast Guard, 1001 to 1025, by the groups of MarineCadastre.
func coastGuardType(n int64) (ais.ShipType, bool) {
	switch n {
	case 1001, 1002: // fishing, fish processing
		return 30, true
	case 1003, 1004, 1016: // freight barge, freight ship, public freight
		return 70, true
	case 1012, 1013, 1014, 1015: // passenger
		return 60, true
	case 1017, 1024: // public tankship, tank ship
		return 80, true
	case 1019: // recreational
		return 37, true
	case 1021: // SAR aircraft
		return 51, true
	case 1023, 1025: // tank barge, towing vessel
		return 31, true
	}
	return 90, n >= 1001 && n <= 1025 // industrial, offshore supply, research …
}

// hazardOf reads the hazard that a type of cargo names. It is 1 to 4 for A to D, that are also called X, Y, Z and OS, and 0 for none.
func hazardOf(text string) (uint8, bool) {
	word := letters(text)
	for i, ends := range [...]string{"categorya hazarda categoryx", "categoryb hazardb categoryy", "categoryc hazardc categoryz",
		"categoryd hazardd categoryos"} {
		for end := range strings.FieldsSeq(ends) {
			if strings.HasSuffix(word, end) {
				return uint8(i + 1), true
			}
		}
	}
	return 0, true
}

// classWords are the beginnings of the words for a class.
const classWords = "classa=1 classb=2 basestation=3 base=3 aton=4 aidtonav=4 aidstonav=4 sarairborne=5 saraircraft=5 searchandrescueaircraft=5 " +
	"searchandrescuetransponder=6 searchandrescuetransmitter=6 sart=6 aissart=6 manoverboard=7 mob=7 emergencypirb=8 epirb=8"

// classOf reads the class of a transponder, or the kind of a station.
func classOf(text string) (ship.Class, bool) {
	word := letters(text)
	switch word {
	case "a":
		return ship.ClassA, true
	case "b", "bcs", "bso":
		return ship.ClassB, true
	}
	n, ok := meaningOf(classWords, word)
	return [...]ship.Class{ship.ClassUnknown, ship.ClassA, ship.ClassB, ship.ClassBase, ship.ClassAtoN, ship.ClassSAR, ship.ClassSART,
		ship.ClassMOB, ship.ClassEPIRB}[n], ok
}

// satelliteOf reports whether a satellite heard the report.
func satelliteOf(text string) (bool, bool) {
	word := letters(text)
	return word == "sat" || word == "sais" || strings.HasPrefix(word, "satellite"), true
}

// meaningOf finds the number of the first beginning in a list that a word has.
func meaningOf(list, word string) (n int, ok bool) {
	for entry := range strings.FieldsSeq(list) {
		beginning, number, _ := strings.Cut(entry, "=")
		if strings.HasPrefix(word, beginning) {
			n, ok = digits([]byte(number))
			return n, ok
		}
	}
	return 0, false
}
