package ship

import (
	"math"
	"strconv"
	"strings"
	"time"

	"quaywatch/internal/fold"
	"quaywatch/internal/rule"
)

// operator is what stands between a field and its values. "=" and "!=" are "in" with one value.
type operator uint8

const (
	opIn operator = iota
	opLess
	opLessEqual
	opGreater
	opGreaterEqual
)

// comparison is a predicate on its way: the field is unknown, then it is false whatever negated says.
type comparison struct {
	op      operator
	negated bool
	values  []valueRange
	at      int // byte offset of the operator
}

// predicate reads what follows a field.
func (p *filterParser) predicate(name token) (predicate, *problem) {
	field := fieldNamedSo(name.text)
	if field == "pos" {
		return p.parsePosition()
	}
	if field == "shiplist" || field == "port" {
		return p.membership(field)
	}
	if field == "stay" || field == "berth" {
		return p.ofCall(name, field)
	}
	build, unknown := fieldNamed(field)
	if build == nil {
		return nil, unknownField(name)
	}
	if p.acceptToken("is") {
		return p.isNull(unknown)
	}
	c, bad := p.comparison()
	if bad != nil {
		return nil, bad
	}
	if numberFieldNamed(field) == nil {
		p.wholeText(field, &c)
	} else if bad = p.measured(field, &c); bad != nil {
		return nil, bad
	}
	return p.compareField(field, c)
}

// unknownField names the fields that a slip or two of the keys turn into the word.
func unknownField(name token) *problem {
	fields := strings.Fields(`mmsi imo name callsign type type_code class source country country_code destination draught length width dwt gt sog cog heading rot
		nav_status lat lon pos age hour dow shiplist port stay berth speed course flag status beam draft`)
	near := nearestWords(strings.ToLower(name.text), fields)
	if len(near) == 0 {
		return &problem{name.at, rule.New("unknown_field", "unknown field '{name}'", "name", name.text)}
	}
	return &problem{name.at, rule.New("unknown_field_near", "unknown field '{name}'; type {near}", "name", name.text, "near", strings.Join(near, ", "))}
}

// compareField returns the predicate of a comparison with a field.
func (p *filterParser) compareField(field string, c comparison) (predicate, *problem) {
	build, _ := fieldNamed(field)
	p.timely = p.timely || field == "age" || field == "hour" || field == "dow"
	p.spend(c.costOf(field))
	return build(field, c)
}

// costOf returns what a comparison asks of a ship.
func (c *comparison) costOf(field string) int {
	cost, text := costNumber, textFieldNamed(field) != nil
	for i := range c.values {
		v := parsePattern(c.values[i].low.text)
		switch {
		case text:
			cost += v.matchCost()
		case v.wild:
			cost += costDigits + v.matchCost()
		default:
			cost++
		}
	}
	if field == "source" {
		cost *= costFeeds
	}
	return cost
}

// isNull reads [not] null; unknown tells whether the field is.
func (p *filterParser) isNull(unknown predicate) (predicate, *problem) {
	negated := p.acceptToken("not")
	if bad := p.expect("null"); bad != nil {
		return nil, bad
	}
	if negated {
		return not(unknown), nil
	}
	return unknown, nil
}

// comparison reads an operator and its values.
func (p *filterParser) comparison() (comparison, *problem) {
	c := comparison{at: p.peek().at, negated: p.acceptToken("not")}
	switch {
	case p.acceptToken("in"):
		var bad *problem
		c.values, bad = p.readSet()
		return c, bad
	case p.acceptToken("=", "like", "~"):
	case p.acceptToken("!=", "!~"):
		c.negated = true
	case p.acceptToken("<"):
		c.op = opLess
	case p.acceptToken("<="):
		c.op = opLessEqual
	case p.acceptToken(">"):
		c.op = opGreater
	case p.acceptToken(">="):
		c.op = opGreaterEqual
	default:
		return c, p.unexpected(rule.New("expected_operator", "expected an operator"))
	}
	v, bad := p.valueOrRange()
	c.values = []valueRange{v}
	if bad == nil && v.isRange && c.op != opIn {
		bad = &problem{c.at, rule.New("range_operator", "a range goes with =, != or in")}
	}
	if bad == nil {
		bad = p.decimalComma()
	}
	return c, bad
}

// decimalComma refuses "5,5": it would be a number, and a term after the comma.
func (p *filterParser) decimalComma() *problem {
	was, comma, next := p.tokens[p.next-1], p.peek(), p.tokenAfter(1)
	if !comma.is(",") || was.kind != tokenNumber || next.kind != tokenNumber || was.endOffset(p.text) != comma.at || comma.at+1 != next.at {
		return nil
	}
	return &problem{comma.at, rule.New("decimal_comma", "write decimals with a point: {number}", "number", was.text+"."+next.text)}
}

// parsePosition reads what follows pos.
func (p *filterParser) parsePosition() (predicate, *problem) {
	if p.acceptToken("is") {
		return p.isNull(func(s *State, _ time.Time) bool { return !s.HasFix })
	}
	negated := p.acceptToken("not")
	if !p.acceptToken("within") {
		return nil, p.unexpected(rule.New("pos_operator", "pos takes within or is null"))
	}
	shape, bounds, bad := p.parseArea()
	if bad != nil {
		return nil, bad
	}
	p.spend(costNumber)
	if shape != nil {
		p.spend(shape.Cost())
	}
	return func(s *State, _ time.Time) bool {
		if !s.HasFix {
			return false
		}
		at := s.Fix.Point()
		return (bounds.Contains(at) && (shape == nil || shape.Contains(at))) != negated
	}, nil
}

func unknownShipList(name string) *rule.Rule {
	return rule.New("unknown_ship_list", "unknown ship list '{name}'", "name", name)
}

func unknownPort(name string) *rule.Rule {
	return rule.New("unknown_port", "no port is called '{name}': type its name or LOCODE", "name", name)
}

// membership reads what follows shiplist and port: the names of what the caller knows.
func (p *filterParser) membership(field string) (predicate, *problem) {
	lookup, unknown := p.findShipList, unknownShipList
	if field == "port" {
		lookup, unknown = p.env.Port, unknownPort
		p.timely = true // a call ends without a report
	}
	c, bad := p.comparison()
	if bad != nil {
		return nil, bad
	}
	known := func(name string) (ok bool) {
		if lookup != nil {
			_, ok = lookup(name)
		}
		return ok
	}
	if p.wholeName(&c, known); len(c.values) == 1 && !known(plainText(c.values[0].low)) {
		p.wholeName(&c, nil) // for the error
	}
	if c.op != opIn {
		return nil, &problem{c.at, rule.New("field_operator", "{field} takes =, != or in", "field", field)}
	}
	var members []predicate
	for _, v := range c.values {
		if v.isRange {
			return nil, &problem{v.low.at, rule.New("field_range", "{field} has no ranges", "field", field)}
		}
		member, ok := (func(*State, time.Time) bool)(nil), false
		if lookup != nil {
			member, ok = lookup(plainText(v.low))
		}
		if !ok {
			return nil, &problem{v.low.at, unknown(plainText(v.low))}
		}
		members = append(members, member)
		p.spend(costMember)
	}
	return func(s *State, now time.Time) bool {
		for _, member := range members {
			if member(s, now) {
				return !c.negated
			}
		}
		return c.negated
	}, nil
}

// findShipList finds a ship list.
func (p *filterParser) findShipList(name string) (func(*State, time.Time) bool, bool) {
	if p.env.ShipList == nil {
		return nil, false
	}
	member, ok := p.env.ShipList(name)
	if ok && p.env.Moving != nil && p.env.Moving(name) {
		p.timely = true // a ship comes on the list, and leaves it, without a report
	}
	return func(s *State, _ time.Time) bool { return member(s) }, ok
}

// numberField is a field that is a number, or a name for one.
type numberField struct {
	value  func(s *State, now time.Time) (float64, bool)
	names  map[string]float64                 // values that may be written as words
	named  func(plain string) (float64, bool) // further words, as fold.Plain gives them; nil is none
	digits int                                // a value with a wildcard is matched against the decimal text of so many digits; 0: none
	wraps  bool                               // a range may run over the end, as 350..10
}

// span is one value or range of numbers, or the pattern of their text.
type span struct {
	low, high float64
	text      *pattern
}

func (f *numberField) makePredicate(name string, c comparison) (predicate, *problem) {
	var spans []span
	for _, v := range c.values {
		s, bad := f.parseSpan(name, v)
		if bad != nil {
			return nil, bad
		}
		if s.text != nil && c.op != opIn {
			return nil, &problem{v.low.at, rule.New("expected_number", "expected a number")}
		}
		spans = append(spans, s)
	}
	return func(s *State, now time.Time) bool {
		n, ok := f.value(s, now)
		return ok && f.compareNumber(n, c.op, spans) != c.negated
	}, nil
}

func (f *numberField) parseSpan(name string, v valueRange) (span, *problem) {
	if f.digits > 0 && !v.isRange && v.low.kind != tokenNumber && strings.ContainsAny(v.low.text, "*?") {
		text := parsePattern(v.low.text)
		return span{text: &text}, nil
	}
	low, bad := f.readNumber(v.low)
	if bad != nil || !v.isRange {
		return span{low: low, high: low}, bad
	}
	high, bad := f.readNumber(v.high)
	if bad == nil && low > high && !f.wraps {
		bad = &problem{v.low.at, rule.New("range_order", "the range of {field} ends before it begins", "field", name)}
	}
	return span{low: low, high: high}, bad
}

func (f *numberField) readNumber(t token) (float64, *problem) {
	if n, ok := f.names[strings.ToLower(t.text)]; ok {
		return n, nil
	}
	if f.named != nil {
		if n, ok := f.named(fold.Plain(trimmed(plainText(t)))); ok {
			return n, nil
		}
	}
	n, err := strconv.ParseFloat(t.text, 64)
	if err != nil || t.kind == tokenWord || math.IsNaN(n) || math.IsInf(n, 0) {
		if f.names != nil {
			return 0, &problem{t.at, rule.New("unknown_value", "unknown value '{value}'", "value", t.text)}
		}
		return 0, &problem{t.at, rule.New("expected_number", "expected a number")}
	}
	return n, nil
}

func (f *numberField) compareNumber(n float64, op operator, spans []span) bool {
	switch op {
	case opLess:
		return n < spans[0].low
	case opLessEqual:
		return n <= spans[0].low
	case opGreater:
		return n > spans[0].low
	case opGreaterEqual:
		return n >= spans[0].low
	}
	for i := range spans {
		if f.holdsNumber(&spans[i], n) {
			return true
		}
	}
	return false
}

func (f *numberField) holdsNumber(s *span, n float64) bool {
	switch {
	case s.text != nil:
		var digits [20]byte
		return s.text.matchWhole(string(appendDigits(digits[:0], int64(n), f.digits)))
	case s.low > s.high:
		return n >= s.low || n <= s.high
	}
	return n >= s.low && n <= s.high
}

// textField is a field of text; it may have further values that agree as well, such as the group of a type.
type textField struct {
	value func(s *State) string // "" is unknown
	also  func(s *State, c *choice) bool
	names func(c *choice, plain string) // finds what else a word names, in the form of fold.Plain, for also; nil where that is nothing
	feeds bool                          // the names of all feeds that hear the ship agree as well
}

// choice is one value that a text may agree with.
type choice struct {
	pattern pattern
	word    string  // in lower case
	types   typeSet // what the word names as a type of ship, in a field of types
	country string  // the code of what the word names as a country, in a field of countries; "" for none
}

// choice makes one of the values of the field. The tables of words are long, and asked where the field has such words alone.
func (f *textField) choice(t token) choice {
	text := trimmed(plainText(t))
	c := choice{pattern: parsePattern(t.text), word: strings.ToLower(text)}
	if f.names != nil {
		f.names(&c, fold.Plain(text))
	}
	return c
}

func namesTypes(c *choice, plain string) { c.types = typesNamed(plain) }

func namesCountry(c *choice, plain string) { c.country = countryWritten(plain) }

func (f *textField) makePredicate(name string, c comparison) (predicate, *problem) {
	if c.op != opIn {
		return nil, &problem{c.at, rule.New("text_operator", "{field} is text: it takes =, !=, in, like or is", "field", name)}
	}
	var choices []choice
	for _, v := range c.values {
		if v.isRange {
			return nil, &problem{v.low.at, rule.New("text_range", "{field} is text: it has no ranges", "field", name)}
		}
		made := f.choice(v.low)
		if list := closedListOf(fieldNamedSo(name)); list != nil && !made.pattern.wild {
			if bad := list.checkValue(name, v.low); bad != nil {
				return nil, bad
			}
		}
		choices = append(choices, made)
	}
	return func(s *State, _ time.Time) bool {
		text := f.value(s)
		return text != "" && f.agrees(s, text, choices) != c.negated
	}, nil
}

func (f *textField) agrees(s *State, text string, choices []choice) bool {
	for i := range choices {
		if choices[i].pattern.matchText(text) || f.also != nil && f.also(s, &choices[i]) {
			return true
		}
		if f.feeds && s.Feeds.Any(choices[i].pattern.matchText) {
			return true
		}
	}
	return false
}
