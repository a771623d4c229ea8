package ship

import (
	"strings"
	"sync"

	"quaywatch/ais"
	"quaywatch/internal/fold"
)

// meaning is what a word of a closed list says of a ship: its type, class, navigational status or country, or that it is lost. A ship has the
// meaning when one of these agrees.
type meaning struct {
	types    typeSet
	classes  classSet
	statuses uint16 // bits
	country  string // two letters
	lost     bool
	other    bool // none of the types that have a word of their own, and no station
	ships    bool // no station
}

type (
	typeSet  [4]uint64 // bits
	classSet uint16    // bits
)

func (t *typeSet) has(of ais.ShipType) bool { return t[of>>6]>>(of&63)&1 != 0 }

func (t *typeSet) add(first, last int) {
	for code := first; code <= last; code++ {
		t[code>>6] |= 1 << (code & 63)
	}
}

// fitsShip reports whether the ship has the meaning.
func (m *meaning) fitsShip(s *State) bool {
	switch {
	case m.lost:
		return s.Age == Lost
	case m.country != "":
		_, code := s.Country()
		return code == m.country
	case m.ships:
		return s.Class.IsShip()
	case m.other:
		return s.Class.IsShip() && (s.Static == nil || m.types.has(s.Static.Type))
	}
	return s.Static != nil && m.types.has(s.Static.Type) || m.classes>>s.Class&1 != 0 || s.HasFix && m.statuses>>s.Fix.Status&1 != 0
}

// meaningOf returns what a word says by itself, as it stands in a filter. It may be several words with a blank between them.
func meaningOf(word string) (meaning, bool) {
	plain := fold.Plain(word)
	if m, ok := typeMeaning(plain); ok {
		return m, true
	}
	if m, ok := classMeaning(plain); ok {
		return m, true
	}
	if status, ok := statusNamed(plain); ok {
		return meaning{statuses: 1 << int(status)}, true
	}
	if code := countryNamed(plain); code != "" {
		return meaning{country: code}, true
	}
	return meaning{}, false
}

// typeMeaning returns the meaning of a word for types of ships.
func typeMeaning(plain string) (m meaning, ok bool) {
	switch m.types = typesNamed(plain); {
	case m.types != typeSet{}:
		if wordFor(plain, lexicon().types) == "sar" {
			m.classes = classesOf(ClassSAR)
		}
		return m, true
	case plain == "other" || plain == "sonstige":
		m.other, m.types = true, otherTypes()
		return m, true
	}
	return m, false
}

// typesNamed returns the types that a word names; none for a word that names no type.
func typesNamed(plain string) (t typeSet) {
	for _, codes := range typeCodes(wordFor(plain, lexicon().types)) {
		t.add(codes[0], codes[1])
	}
	return t
}

// IsTypeSynonym reports whether a text is one of the further words for a group of types, as "tankers". A text of AIS for a type is none.
func IsTypeSynonym(text string) bool {
	_, isText := ParseType(text)
	plain := folded(text)
	return !isText && wordFor(plain, lexicon().types) != plain
}

// typeCodes returns the codes of a group of types, from first to last (ITU-R M.1371-5, table 53).
func typeCodes(group string) [][2]int {
	switch group {
	case "cargo":
		return [][2]int{{70, 79}}
	case "tanker":
		return [][2]int{{80, 89}}
	case "passenger":
		return [][2]int{{60, 69}}
	case "hsc":
		return [][2]int{{40, 49}}
	case "wig":
		return [][2]int{{20, 29}}
	case "tug":
		return [][2]int{{31, 32}, {52, 52}}
	case "fishing":
		return [][2]int{{30, 30}}
	case "dredger":
		return [][2]int{{33, 33}}
	case "diving":
		return [][2]int{{34, 34}}
	case "military":
		return [][2]int{{35, 35}}
	case "sailing":
		return [][2]int{{36, 36}}
	case "pleasure":
		return [][2]int{{37, 37}}
	case "leisure":
		return [][2]int{{36, 37}}
	case "pilot":
		return [][2]int{{50, 50}}
	case "sar":
		return [][2]int{{51, 51}}
	case "law":
		return [][2]int{{55, 55}}
	case "service":
		return [][2]int{{31, 34}, {50, 50}, {52, 54}, {58, 58}}
	case "authority":
		return [][2]int{{35, 35}, {51, 51}, {55, 55}}
	}
	return nil
}

// otherTypes returns the types that no group of the client's legend has.
func otherTypes() (t typeSet) {
	t.add(0, 19)
	t.add(38, 39)
	t.add(56, 57)
	t.add(59, 59)
	t.add(90, 255)
	return t
}

// typeWords has a line for each group of types, with the words for it in English and German, as fold.Plain gives them. A sign of equality
// stands after each word. A group may have several lines; each begins with its word.
const typeWords = `
cargo=cargos=cargo ship=cargo ships=cargo vessel=cargo vessels=freighter=freighters=frachter=frachtschiff=frachtschiffe=
tanker=tankers=tank ship=tank ships=tankschiff=tankschiffe=oltanker=oeltanker=gastanker=
passenger=passengers=passenger ship=passenger ships=passenger vessel=passenger vessels=ferry=ferries=cruise ship=cruise ships=cruise liner=
passenger=cruise liners=fahre=faehre=fahren=faehren=fahrschiff=faehrschiff=fahrschiffe=faehrschiffe=
passenger=passagierschiff=passagierschiffe=kreuzfahrtschiff=kreuzfahrtschiffe=kreuzfahrer=
hsc=high speed craft=high-speed craft=high speed=hochgeschwindigkeit=schnellfahre=schnellfaehre=
wig=bodeneffektfahrzeug=
tug=tugs=tugboat=tugboats=tug boat=tug boats=schlepper=
fishing=fishing boat=fishing boats=fishing vessel=fishing vessels=trawler=trawlers=fischer=fischerei=fischereifahrzeug=fischereifahrzeuge=kutter=fischkutter=fischerboot=fischerboote=
dredger=dredgers=dredging=bagger=nassbagger=
diving=taucher=
military=warship=warships=naval ship=naval ships=navy=militar=militaer=kriegsschiff=kriegsschiffe=marine=
sailing=sailing boat=sailing boats=sailing ship=sailing ships=sailing vessel=sailing vessels=sailboat=sailboats=
sailing=segler=segelboot=segelboote=segelschiff=segelschiffe=
pleasure=pleasure craft=sportboot=sportboote=
leisure=yacht=yachts=yachten=freizeit=
pilot=pilots=pilot boat=pilot boats=pilot vessel=pilot vessels=lotse=lotsen=lotsenboot=lotsenboote=
sar=lifeboat=lifeboats=rescue boat=rescue boats=seenotretter=seenotkreuzer=rettungskreuzer=
law=law enforcement=police=polizei=polizeiboot=polizeiboote=
service=dienst=
authority=behorde=behoerde=
`

// classMeaning returns the meaning of a word for kinds of stations, of "ships" for all that is no station, and of "lost".
func classMeaning(plain string) (m meaning, ok bool) {
	switch wordFor(plain, lexicon().classes) {
	case "base":
		m.classes = classesOf(ClassBase, ClassCoast)
	case "aton":
		m.classes = classesOf(ClassAtoN)
	case "station":
		m.classes = classesOf(ClassBase, ClassCoast, ClassAtoN)
	case "aircraft":
		m.classes = classesOf(ClassSAR)
	case "distress":
		m.classes = classesOf(ClassSART, ClassMOB, ClassEPIRB)
	case "sart":
		m.classes = classesOf(ClassSART)
	case "mob":
		m.classes = classesOf(ClassMOB)
	case "epirb":
		m.classes = classesOf(ClassEPIRB)
	case "lost":
		m.lost = true
	case "ships":
		m.ships = true
	default:
		return m, false
	}
	return m, true
}

// classWords has the words of classMeaning, in the way of typeWords.
const classWords = `
base=base station=base stations=basisstation=basisstationen=
aton=atons=aid to navigation=aids to navigation=buoy=buoys=tonne=tonnen=seezeichen=
station=stations=stationen=
aircraft=helicopter=helicopters=flugzeug=flugzeuge=hubschrauber=
distress=seenot=notfall=
sart=
mob=man overboard=mann uber bord=mann ueber bord=
epirb=
lost=signal lost=verloren=
ships=vessels=all ships=all vessels=schiffe=alle schiffe=
`

// statusNamed returns the navigational status of that name.
func statusNamed(plain string) (float64, bool) {
	status, ok := lexicon().fixStatuses[wordFor(plain, lexicon().statuses)]
	return status, ok
}

// statusWords has the words for each navigational status, in the way of typeWords.
const statusWords = `
under_way=under way=underway=in fahrt=fahrt=unterwegs=
anchored=anchor=anchoring=at anchor=vor anker=anker=ankert=ankern=geankert=
moored=at berth=berthed=festgemacht=vertaut=angelegt=
anchored=ankernd=ankernde=
aground=gestrandet=auf grund=aufgelaufen=
restricted=manovrierbehindert=manoevrierbehindert=
nuc=not_under_command=manovrierunfahig=manoevrierunfaehig=
cbd=constrained=tiefgangbehindert=
`

// vocabulary is the tables of words by their words. A filter of 4,000 letters may have a thousand, and a start reads a thousand such filters.
type vocabulary struct {
	types, classes, statuses, countries map[string]string // the first word of the line that has the word
	codes                               map[string]bool   // of two letters, of countries
	alpha3                              map[string]string // the code of two letters by that of three
	texts                               map[string]ais.ShipType
	numbers                             map[string]bool // the names and codes of countries that have an MID
	fixStatuses                         map[string]float64
	calls, bound                        map[string]string // callWords and boundWords: the first word of the line of each word, its own too
}

// lexicon gives the vocabulary. It is made when a first word is looked up, and does not change.
var lexicon = sync.OnceValue(func() *vocabulary {
	v := &vocabulary{types: firstWords(typeWords), classes: firstWords(classWords), statuses: firstWords(statusWords), countries: firstWords(countryNames),
		codes: map[string]bool{}, alpha3: map[string]string{}, texts: map[string]ais.ShipType{}, numbers: map[string]bool{}, fixStatuses: statusNames(),
		calls: lineWords(callWords), bound: lineWords(boundWords)}
	for _, code := range v.countries {
		v.codes[code] = true
	}
	for pair := range strings.FieldsSeq(alpha3) {
		three, two, _ := strings.Cut(pair, "=")
		v.alpha3[three] = two
	}
	for t := 255; t > 0; t-- {
		v.texts[folded(TypeText(ais.ShipType(t)))] = ais.ShipType(t)
	}
	delete(v.texts, "") // not available
	for _, name := range countriesOfNumbers() {
		v.numbers[name] = true
	}
	return v
})

// firstWords returns the first word of each line of a table by every other word of the line. Of two lines with a word the first has it.
func firstWords(lines string) map[string]string {
	first := map[string]string{}
	for line := range strings.Lines(lines) {
		group, rest, _ := strings.Cut(strings.TrimRight(line, "=\n"), "=")
		for word := range strings.SplitSeq(rest, "=") {
			if _, known := first[word]; !known && word != "" {
				first[word] = group
			}
		}
	}
	return first
}

// lineWords is firstWords, with the first word of each line by itself.
func lineWords(lines string) map[string]string {
	first := firstWords(lines)
	for line := range strings.Lines(lines) {
		if group, _, _ := strings.Cut(strings.TrimRight(line, "=\n"), "="); group != "" {
			first[group] = group
		}
	}
	return first
}

// wordFor returns the first word of the line that has the word, and the word itself when no line has it.
func wordFor(word string, table map[string]string) string {
	if first, known := table[word]; known {
		return first
	}
	return word
}

func classesOf(list ...Class) (set classSet) {
	for _, c := range list {
		set |= 1 << c
	}
	return set
}

// stations are the classes that are no ships.
const stations classSet = 1<<ClassBase | 1<<ClassCoast | 1<<ClassAtoN | 1<<ClassSAR | 1<<ClassSART | 1<<ClassMOB | 1<<ClassEPIRB

// fieldNamedSo returns the name of a field by which the language knows it.
func fieldNamedSo(name string) string {
	plain := fold.Plain(name)
	switch plain {
	case "speed", "geschwindigkeit", "fahrt":
		return "sog"
	case "course", "kurs":
		return "cog"
	case "flag", "flagge", "land":
		return "country"
	case "status":
		return "nav_status"
	case "lange", "laenge":
		return "length"
	case "beam", "breite":
		return "width"
	case "draft", "tiefgang":
		return "draught"
	case "liegeplatz":
		return "berth"
	case "ziel":
		return "destination"
	case "rufzeichen":
		return "callsign"
	case "typ", "schiffstyp":
		return "type"
	case "list", "schiffsliste":
		return "shiplist"
	}
	return strings.ToLower(name)
}
