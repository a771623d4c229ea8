package chart

import (
	"cmp"
	_ "embed"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"quaywatch/geo"
	"quaywatch/internal/country"
	"quaywatch/internal/fold"
	"quaywatch/internal/rule"
)

//go:generate go run ./gen -ports ports.tsv

// portData is made by gen; DATA.md names its source, licence and checksum.
//
//go:embed ports.tsv
var portData string

// morePorts are ports that the list lacks, most of them from the World Port Index; DATA.md tells how they were chosen.
//
//go:embed ports-more.tsv
var morePorts string

// localNames are names as the people of the port write them. The lists have only the letters from A to Z; DATA.md tells of it.
//
//go:embed names.tsv
var localNames string

// FirstMadePort is the first id of ports that are made by hand. Below it, the id of a port is its LOCODE read as a number of base 36. So
// it is the same in each edition of the list.
const FirstMadePort = 100_000_001

// Port is a place that ships call at. A Port is never changed; it is replaced.
type Port struct {
	ID       uint64
	LOCODE   string // "" for none
	Name     string
	Aliases  []string // other names
	Added    []string // of the other names, those that users gave
	Codes    []string // other LOCODEs
	Country  string   // by country.Name; "" for none
	Timezone string   // IANA; "" when not known
	Position geo.Point
	Placed   bool // Position is known

	MaxDraught float64 // metres; 0 when not known

	Outer  geo.Polygon   // nil when none was drawn, see Area
	Inner  []geo.Polygon // where a ship is alongside; none when not drawn
	Berths []Berth

	Changed time.Time // by a user; zero when it is as the list has it
}

// Berth is a place at a quay.
type Berth struct {
	ID         int64      `json:"id"`
	Name       string     `json:"name"`
	LOCODE     string     `json:"locode,omitempty"`
	QuayID     int64      `json:"quay_id,omitempty"`
	Position   *geo.Point `json:"position,omitempty"`
	Length     float64    `json:"length,omitempty"`      // metres
	MaxDraught float64    `json:"max_draught,omitempty"` // metres
}

// CountryCode returns the two letters of the country, "" for a port without a LOCODE.
func (p *Port) CountryCode() string { return p.LOCODE[:min(2, len(p.LOCODE))] }

// MostPattern bounds a pattern for the names of ports, in bytes.
const MostPattern = 256

// CheckPattern tells what is wrong with a pattern for the names of ports.
func CheckPattern(pattern string) error {
	if len(pattern) > MostPattern {
		return rule.New("too_long", "may have at most {max} bytes", "max", MostPattern)
	}
	return nil
}

// Like returns the question whether name, alias or LOCODE of one of these ports is like a pattern, in which * stands for anything and ? for one
// letter. Case, runs of white space and the marks of letters do not count. The time of the answer is bounded by the names, whatever the pattern is.
func (p *Ports) Like(pattern string) func(*Port) bool {
	g := newGlob(PlainName(pattern))
	return func(port *Port) bool { return slices.ContainsFunc(p.texts[port], g.matchesText) }
}

// searchTexts returns what a pattern may be like, in plain letters.
func (p *Port) searchTexts() []string {
	texts := []string{PlainName(p.Name), PlainName(p.LOCODE)}
	for _, more := range [][]string{p.Aliases, p.Codes} {
		for _, text := range more {
			texts = append(texts, PlainName(text))
		}
	}
	return texts
}

// glob is a pattern, cut at its stars.
type glob struct {
	first, last string   // what a text begins and ends with
	between     []string // what stands between two stars, in order
	whole       bool     // there is no star: first is the whole text
}

func newGlob(pattern string) glob {
	parts := strings.Split(pattern, "*")
	n := len(parts) - 1
	if n == 0 {
		return glob{first: pattern, whole: true}
	}
	between := slices.DeleteFunc(parts[1:n:n], func(part string) bool { return part == "" })
	return glob{first: parts[0], last: parts[n], between: between}
}

// matchesText looks for each part behind the one before. What was found is never tried again, so the time is bounded by the square of the text.
func (g *glob) matchesText(text string) bool {
	rest, ok := cutLike(text, g.first)
	if !ok || g.whole {
		return ok && rest == ""
	}
	for _, part := range g.between {
		if rest, ok = cutBehind(rest, part); !ok {
			return false
		}
	}
	before := utf8.RuneCountInString(rest) - utf8.RuneCountInString(g.last)
	for range before {
		_, size := utf8.DecodeRuneInString(rest)
		rest = rest[size:]
	}
	_, ok = cutLike(rest, g.last)
	return ok && before >= 0
}

// cutLike returns what stands behind a part with which the text begins; '?' in the part is any letter.
func cutLike(text, part string) (rest string, ok bool) {
	for _, want := range part {
		letter, size := utf8.DecodeRuneInString(text)
		if size == 0 || want != '?' && want != letter {
			return text, false
		}
		text = text[size:]
	}
	return text, true
}

// cutBehind returns what stands behind the first place that is like the part.
func cutBehind(text, part string) (rest string, ok bool) {
	for places := utf8.RuneCountInString(text) - utf8.RuneCountInString(part); places >= 0; places-- {
		if rest, ok = cutLike(text, part); ok {
			return rest, true
		}
		_, size := utf8.DecodeRuneInString(text)
		text = text[size:]
	}
	return text, false
}

// PlainName returns the form in which names of ports are compared.
func PlainName(name string) string { return fold.Plain(fold.Name(name)) }

// ParseLOCODE returns a LOCODE in capitals and without blanks; false for what is none.
func ParseLOCODE(text string) (string, bool) {
	code := strings.ToUpper(strings.Join(strings.Fields(text), ""))
	if len(code) != 5 {
		return "", false
	}
	for i, c := range code {
		letter, digit := c >= 'A' && c <= 'Z', c >= '0' && c <= '9'
		if !letter && (i < 2 || !digit) {
			return "", false
		}
	}
	return code, true
}

// Ports are all ports that there are at a time. They are never changed.
type Ports struct {
	all     []*Port // by name, then id
	byID    map[uint64]*Port
	byCode  map[string]*Port
	byName  map[string][]*Port // folded
	byAlias map[string][]*Port // folded
	texts   map[*Port][]string // see Port.texts
	index   *portIndex
}

// LoadPorts returns the embedded list.
func LoadPorts() (*Ports, error) {
	var all []*Port
	others, codes := otherNames(), otherCodes()
	local, err := parseNames(localNames)
	if err != nil {
		return nil, fmt.Errorf("load ports: %w", err)
	}
	for _, table := range []struct {
		text  string
		parse func(line string) (*Port, error)
	}{{portData, parsePort}, {morePorts, parseMore}} {
		for line := range strings.Lines(table.text) {
			if strings.HasPrefix(line, "#") {
				continue
			}
			p, err := table.parse(strings.TrimRight(line, "\n"))
			if err != nil {
				return nil, fmt.Errorf("load ports: %w", err)
			}
			p.Aliases = slices.Concat(p.Aliases, partsOfName(p.Name), others[p.LOCODE])
			if name, ok := local[p.LOCODE]; ok {
				p.Aliases = slices.Concat(p.Aliases, partsOfName(name), []string{p.Name})
				p.Name = name
				delete(local, p.LOCODE)
			}
			p.Codes = slices.Concat(p.Codes, codes[p.LOCODE])
			all = append(all, p)
		}
	}
	if len(local) > 0 {
		return nil, fmt.Errorf("load ports: names.tsv names %d ports that no list has", len(local))
	}
	return NewPorts(all), nil
}

// parseNames reads names.tsv: names by LOCODE.
func parseNames(table string) (map[string]string, error) {
	names := map[string]string{}
	for line := range strings.Lines(table) {
		if strings.HasPrefix(line, "#") {
			continue
		}
		code, name, ok := strings.Cut(strings.TrimRight(line, "\n"), "\t")
		if !ok || names[code] != "" {
			return nil, fmt.Errorf("names.tsv: %q names no port, or one twice", line)
		}
		names[code] = name
	}
	return names, nil
}

// parseMore reads a line of ports-more.tsv. Its last column, the source, is for who reads the file.
func parseMore(line string) (*Port, error) {
	f := strings.Split(line, "\t")
	if len(f) != 7 {
		return nil, fmt.Errorf("%q has %d columns, want 7", line, len(f))
	}
	return parsePort(strings.Join([]string{f[0], f[1], f[2], "", f[3], f[4], "", f[5]}, "\t"))
}

// parsePort reads a line of ports.tsv, as gen writes it.
func parsePort(line string) (*Port, error) {
	column := strings.Split(line, "\t")
	if len(column) != 8 {
		return nil, fmt.Errorf("%q has %d columns, want 8", line, len(column))
	}
	code, ok := ParseLOCODE(column[0])
	if !ok {
		return nil, fmt.Errorf("%q is no LOCODE", column[0])
	}
	id, err := strconv.ParseUint(code, 36, 64)
	if err != nil {
		return nil, fmt.Errorf("id of %s: %w", code, err)
	}
	p := &Port{ID: id, LOCODE: code, Name: column[1], Country: cmp.Or(country.Name(code[:2]), column[2]), Timezone: column[3], Codes: splitColumn(column[6]), Aliases: splitColumn(column[7])}
	if column[4] == "" {
		return p, nil
	}
	p.Placed = true
	for i, degrees := range []*float64{&p.Position.Lon, &p.Position.Lat} {
		if *degrees, err = strconv.ParseFloat(column[4+i], 64); err != nil {
			return nil, fmt.Errorf("position of %s: %w", code, err)
		}
	}
	return p, nil
}

// splitColumn splits a column; an empty one has no parts.
func splitColumn(column string) []string {
	if column == "" {
		return nil
	}
	return strings.Split(column, "|")
}

// NewPorts makes them findable. Of two with the same LOCODE the later one is found by it.
func NewPorts(all []*Port) *Ports {
	p := &Ports{all: slices.Clone(all), byID: map[uint64]*Port{}, byCode: map[string]*Port{}, byName: map[string][]*Port{}, byAlias: map[string][]*Port{},
		texts: make(map[*Port][]string, len(all))}
	names := make(map[*Port]string, len(all))
	for _, port := range all {
		p.byID[port.ID] = port
		for _, code := range port.Codes {
			p.byCode[code] = port
		}
		p.texts[port] = port.searchTexts()
		name := p.texts[port][0]
		names[port] = name
		p.byName[name] = append(p.byName[name], port)
		for _, alias := range port.Aliases {
			alias = PlainName(alias)
			if !slices.Contains(p.byAlias[alias], port) {
				p.byAlias[alias] = append(p.byAlias[alias], port)
			}
		}
	}
	for _, port := range all {
		if port.LOCODE != "" {
			p.byCode[port.LOCODE] = port
		}
	}
	slices.SortFunc(p.all, func(a, b *Port) int {
		return cmp.Or(cmp.Compare(names[a], names[b]), cmp.Compare(a.ID, b.ID))
	})
	p.index = newPortIndex(p.all)
	return p
}

// All returns every port by name. It must not be changed.
func (p *Ports) All() []*Port { return p.all }

// ByID returns the port of an id.
func (p *Ports) ByID(id uint64) (*Port, bool) {
	port, ok := p.byID[id]
	return port, ok
}

// ByLOCODE returns the port of a LOCODE as ParseLOCODE gives it.
func (p *Ports) ByLOCODE(code string) (*Port, bool) {
	port, ok := p.byCode[code]
	return port, ok
}

// Find returns the ports with an id, a LOCODE or a name, tried in this order. Aliases count where no port has the name. Several ports may
// have one name.
func (p *Ports) Find(ref string) []*Port {
	if id, err := strconv.ParseUint(strings.TrimSpace(ref), 10, 64); err == nil {
		if port, ok := p.byID[id]; ok {
			return []*Port{port}
		}
		return nil
	}
	if code, ok := ParseLOCODE(ref); ok {
		if port, ok := p.byCode[code]; ok {
			return []*Port{port}
		}
	}
	name := PlainName(ref)
	if named := p.byName[name]; len(named) > 0 {
		return named
	}
	return p.byAlias[name]
}

// OtherNames returns the names of a port beside the first one, each once.
func (p *Port) OtherNames() (names []string) {
	seen := map[string]bool{fold.Name(p.Name): true}
	for _, name := range p.Aliases {
		if folded := fold.Name(name); !seen[folded] {
			seen[folded] = true
			names = append(names, name)
		}
	}
	return names
}

// CheckPortName tells what is wrong with a port's name beyond the rules of all names: digits alone would be an id.
func CheckPortName(name string) error {
	if DigitsAlone(name) {
		return rule.New("port_number", "must not be a number: that would be an id")
	}
	return nil
}

// DigitsAlone reports whether a name is nothing but digits and white space, and so could be taken for a number.
func DigitsAlone(name string) bool {
	return !strings.ContainsFunc(name, func(r rune) bool { return !unicode.IsDigit(r) && !unicode.IsSpace(r) })
}
