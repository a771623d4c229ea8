package ship

import (
	"slices"
	"strconv"
	"strings"

	"quaywatch/internal/fold"
	"quaywatch/internal/rule"
)

// Here stands what makes sentences of the filter language: conditions that nothing joins, names of several words without quotes, and words that
// stand for signs.

// beginsCondition reports whether the next token begins a condition. Nothing between it and the condition before is an "and".
func (p *filterParser) beginsCondition() bool {
	switch t := p.peek(); {
	case t.is("(") || t.is("!") || t.is("in") || compares(t):
		return true
	case t.kind == tokenNumber && p.tokens[p.next-1].kind == tokenNumber:
		return false // "sog > 5 7" is a slip
	default:
		return t.isValue() && !t.is("und") && !t.is("oder") && !t.is("nicht")
	}
}

// compares reports whether the token is a sign that compares numbers.
func compares(t token) bool { return t.is("<") || t.is("<=") || t.is(">") || t.is(">=") }

// isField reports whether there is a field of that name.
func isField(name string) bool {
	field := fieldNamedSo(name)
	if slices.Contains([]string{"pos", "shiplist", "port", "stay", "berth"}, field) {
		return true
	}
	build, _ := fieldNamed(field)
	return build != nil
}

// standsAlone reports whether the operator behind the next token does not belong to the word there. It does not in "tankers > 150 m" and "tankers in Aarhus".
func (p *filterParser) standsAlone(t token) bool {
	if isField(t.text) {
		return false
	}
	_, means := meaningOf(t.text)
	behind := p.tokens[p.next+1:]
	switch {
	case compares(behind[0]):
		_, unit, count := quantityAt(behind[1:], p.text)
		return means || count > 0 && unit != ""
	case behind[0].is("not"):
		behind = behind[1:]
	}
	return behind[0].is("in") && (means || behind[1].kind == tokenString || behind[1].kind == tokenWord && behind[1].isValue())
}

// behind returns the words that stand after a value without quotes and may belong to it.
func (p *filterParser) behind() []token {
	if p.joins() {
		return nil
	}
	first := p.next
	run := p.run()
	p.next = first
	if quoted := slices.IndexFunc(run, func(t token) bool { return t.kind == tokenString }); quoted >= 0 {
		run = run[:quoted]
	}
	return run
}

// wholeName joins to a value the words behind it that belong to its name, as in "name = NORDIC HAV" and "country = Marshall Islands". known tells
// whether there is such a name; nil is for fields that may have any text, which end where a word has a meaning.
func (p *filterParser) wholeName(c *comparison, known func(name string) bool) {
	if c.op != opIn || len(c.values) != 1 || c.values[0].isRange {
		return
	}
	value := &c.values[0].low
	if value.kind == tokenString || p.tokens[p.next-1] != *value {
		return
	}
	rest := p.behind()
	if count, name := longestName(*value, rest, known); count > 0 {
		*value = token{tokenWord, name, value.at}
		p.next += count
	}
}

// wholeText is wholeName for a field of text.
func (p *filterParser) wholeText(field string, c *comparison) {
	list := closedListOf(field)
	if list == nil {
		p.wholeName(c, nil)
		return
	}
	p.wholeName(c, func(name string) bool { return list.has(fold.Plain(name)) })
}

// mostWords is how many words a name has at most.
const mostWords = 6

// longestName returns how many of the words behind the first belong to its name.
func longestName(first token, rest []token, known func(name string) bool) (count int, name string) {
	texts := []string{first.text}
	for _, t := range rest[:min(len(rest), mostWords)] {
		texts = append(texts, t.text)
	}
	if known != nil {
		for count = len(texts) - 1; count > 0; count-- {
			if name = strings.Join(texts[:count+1], " "); known(name) {
				return count, name
			}
		}
		return 0, first.text
	}
	for count = 0; count < len(texts)-1; count++ {
		if _, means := meaningAt(rest[count:]); means > 0 {
			break
		}
	}
	return count, strings.Join(texts[:count+1], " ")
}

// measure is what a unit is of.
type measure uint8

const (
	noMeasure measure = iota
	ofLength
	ofSpeed
	ofTime
)

// unitNamed returns what a unit measures, and how many of the language's own units it is.
func unitNamed(word string) (of measure, factor float64) {
	switch fold.Plain(word) {
	case "m", "metre", "metres", "meter", "meters", "metern":
		return ofLength, 1
	case "ft", "foot", "feet", "fuss":
		return ofLength, 0.3048
	case "kn", "kt", "kts", "knot", "knots", "knoten":
		return ofSpeed, 1
	case "s", "sec", "seconds", "sekunden":
		return ofTime, 1
	case "min", "minutes", "minuten":
		return ofTime, 60
	case "h", "hours", "stunden":
		return ofTime, 3600
	}
	return noMeasure, 0
}

// measureOf returns what a field is a measure of.
func measureOf(field string) measure {
	switch field {
	case "length", "width", "draught":
		return ofLength
	case "sog":
		return ofSpeed
	case "age":
		return ofTime
	}
	return noMeasure
}

// quantityAt returns the number at the beginning of some tokens and its unit, "" for none. It also returns how many tokens they are, 0 for no number.
func quantityAt(list []token, text string) (number, unit string, count int) {
	if list[0].kind == tokenWord {
		number = strings.TrimRight(list[0].text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ")
		unit = list[0].text[len(number):]
		if of, _ := unitNamed(unit); of == noMeasure || number == "" || strings.Trim(number, "0123456789") != "" {
			return "", "", 0
		}
		return number, unit, 1
	}
	if list[0].kind != tokenNumber {
		return "", "", 0
	}
	if len(list) > 1 && isUnit(list[1:], text) {
		return list[0].text, list[1].text, 2
	}
	return list[0].text, "", 1
}

// isUnit reports whether some tokens begin with a unit. The m of AisLib's "m.sog" is none.
func isUnit(list []token, text string) bool {
	if list[0].kind != tokenWord {
		return false
	}
	of, _ := unitNamed(list[0].text)
	prefix := len(list) > 1 && list[1].is(".") && list[1].at == list[0].endOffset(text)
	return of != noMeasure && !prefix
}

// withUnits reads the units of the numbers of a comparison, "150 m" and "150m", and returns what they measure; noMeasure where there are none.
func (p *filterParser) withUnits(c *comparison) (of measure, unit token) {
	common := token{}
	if isUnit(p.tokens[p.next:], p.text) {
		common = p.peek()
		of, _ = unitNamed(common.text)
		unit = common
		p.next++
	}
	for i := range c.values {
		for _, t := range []*token{&c.values[i].low, &c.values[i].high} {
			if number, own, count := quantityAt([]token{*t}, p.text); count > 0 && own != "" {
				of, _ = unitNamed(own)
				unit = token{tokenWord, own, t.at + len(number)}
				t.measure(number, own)
			} else if count > 0 && common.text != "" {
				t.measure(number, common.text)
			}
		}
	}
	return of, unit
}

// measured reads the units of a comparison with a field.
func (p *filterParser) measured(field string, c *comparison) *problem {
	of, unit := p.withUnits(c)
	if of != noMeasure && of != measureOf(field) {
		return &problem{unit.at, rule.New("unit_of_field", "{field} is not measured in {unit}", "field", field, "unit", unit.text)}
	}
	return nil
}

// measure makes the token a number in the language's own unit.
func (t *token) measure(number, unit string) {
	_, factor := unitNamed(unit)
	if n, err := strconv.ParseFloat(number, 64); err == nil && factor != 1 {
		number = strconv.FormatFloat(n*factor, 'f', -1, 64)
	}
	t.kind, t.text = tokenNumber, number
}

// bare reads a comparison without a field. Its unit tells what is compared.
func (p *filterParser) bare() (predicate, *problem) {
	sign := p.peek()
	c, bad := p.comparison()
	if bad != nil {
		return nil, bad
	}
	value := c.values[0].low
	if number, _, count := quantityAt([]token{value}, p.text); count == 0 {
		return nil, &problem{value.at, rule.New("expected_number", "expected a number")}
	} else if value.text = number; c.values[0].isRange {
		return nil, &problem{value.at, rule.New("expected_number", "expected a number")}
	}
	of, _ := p.withUnits(&c)
	field := map[measure]string{ofLength: "length", ofSpeed: "sog", ofTime: "age"}[of]
	if field == "" {
		return nil, &problem{sign.at, rule.New("number_of_what", "of what? Type length {sign} {number} or {sign} {number} m, speed {sign} {number} or {sign} {number} kn",
			"sign", sign.text, "number", value.text)}
	}
	match, bad := p.compareField(field, c)
	return noteUnlessBad(p, field, match, bad)
}

// signsOfWords puts signs in the place of words that compare, as in "speed over 10" and "tankers over 150 m". A field has to stand before them, or
// a unit behind the number: else they are words of a name.
func signsOfWords(list []token, text string) []token {
	for i := 0; i+1 < len(list); i++ {
		sign, count := signAt(list[i:])
		if sign == "" {
			continue
		}
		_, unit, found := quantityAt(list[i+count:], text)
		afterField := i > 0 && list[i-1].kind == tokenWord && numberFieldNamed(fieldNamedSo(list[i-1].text)) != nil
		if found == 0 || unit == "" && !afterField {
			continue
		}
		list[i] = token{tokenSign, sign, list[i].at}
		list = slices.Delete(list, i+1, i+count)
	}
	return list
}

// signAt returns the sign that the first words stand for, "" for none, and how many words they are.
func signAt(list []token) (sign string, count int) {
	if list[0].kind != tokenWord {
		return "", 0
	}
	first := fold.Plain(list[0].text)
	if len(list) > 2 && list[1].kind == tokenWord {
		switch first + " " + fold.Plain(list[1].text) {
		case "more than", "mehr als", "longer than", "langer als", "laenger als", "faster than", "schneller als":
			return ">", 2
		case "less than", "weniger als", "shorter than", "kurzer als", "kuerzer als", "slower than", "langsamer als":
			return "<", 2
		case "at least":
			return ">=", 2
		case "at most":
			return "<=", 2
		}
	}
	switch first {
	case "over", "above", "uber", "ueber":
		return ">", 1
	case "under", "below", "unter":
		return "<", 1
	case "mindestens":
		return ">=", 1
	case "hochstens", "hoechstens":
		return "<=", 1
	}
	return "", 0
}
