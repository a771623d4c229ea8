package ship

import (
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"quaywatch/geo"
	"quaywatch/internal/rule"
)

// maxDepth is how deep brackets and negations may be nested.
const maxDepth = 32

// problem is a SyntaxError on its way; its place is in bytes.
type problem struct {
	at   int
	rule *rule.Rule
}

// filterParser reads a filter by recursive descent; each method stands for the rule of the grammar of its name.
type filterParser struct {
	text   string
	env    Lookup
	tokens []token
	next   int
	depth  int
	cost   int
	timely bool     // time alone may change the answer
	heard  *hearing // what HearFilter gives; else nil
}

// spend adds to the cost of the filter.
func (p *filterParser) spend(cost int) { p.cost += cost }

func (p *filterParser) parse() (predicate, error) {
	if n := utf8.RuneCountInString(p.text); n > MaxFilter {
		return nil, &SyntaxError{MaxFilter, rule.New("filter_long", "a filter has at most {max} characters, this one {count}", "max", MaxFilter, "count", n)}
	}
	match, bad := p.filter()
	if bad != nil {
		return nil, &SyntaxError{utf8.RuneCountInString(p.text[:bad.at]), bad.rule}
	}
	return match, nil
}

func (p *filterParser) filter() (predicate, *problem) {
	var bad *problem
	if p.tokens, bad = tokens(p.text); bad != nil {
		return nil, bad
	}
	p.tokens = signsOfWords(joinedInFahrt(p.tokens, p.text), p.text)
	if p.peek().kind == tokenEnd {
		return nil, nil
	}
	match, bad := p.orExpr()
	switch {
	case bad == nil && p.peek().kind != tokenEnd:
		return nil, p.unexpected(expectedEnd())
	case bad == nil && p.cost > MaxFilterCost:
		return nil, &problem{0, TooCostly(p.cost)}
	}
	return match, bad
}

func expectedEnd() *rule.Rule {
	return rule.New("expected_end", "type 'and' or 'or' here, or end the filter")
}

func (p *filterParser) peek() token { return p.tokens[p.next] }

// tokenAfter returns the token n places on.
func (p *filterParser) tokenAfter(n int) token { return p.tokens[min(p.next+n, len(p.tokens)-1)] }

// acceptToken takes the next token if it is one of those signs or keywords.
func (p *filterParser) acceptToken(what ...string) bool {
	for _, w := range what {
		if p.peek().is(w) {
			p.next++
			return true
		}
	}
	return false
}

func (p *filterParser) expect(what string) *problem {
	if p.acceptToken(what) {
		return nil
	}
	return p.unexpected(rule.New("expected", "type '{sign}' after '{after}'", "sign", what, "after", p.textBefore()))
}

// textBefore returns the token before the next, as it was typed; "" at the beginning.
func (p *filterParser) textBefore() string {
	if p.next == 0 {
		return ""
	}
	t := p.tokens[p.next-1]
	return p.text[t.at:min(len(p.text), t.endOffset(p.text))]
}

func (p *filterParser) unexpected(why *rule.Rule) *problem { return &problem{p.peek().at, why} }

func (p *filterParser) orExpr() (predicate, *problem) {
	return p.parseJoined(p.andExpr, anyOf, func() bool { return p.acceptToken("or", "|", "||") || p.acceptGerman("oder") })
}

// andExpr reads what must all hold. The "and" may be left out.
func (p *filterParser) andExpr() (predicate, *problem) {
	if p.heard != nil && p.depth == 0 {
		p.heard.branches++
	}
	return p.parseJoined(p.notExpr, allOf, func() bool {
		return p.acceptToken("and", "&", "&&", ",") || p.acceptGerman("und") || p.peek().is("not") || p.isGerman("nicht") || p.beginsCondition()
	})
}

// acceptGerman takes the next token if it is that German word and joins what stands around it.
func (p *filterParser) acceptGerman(word string) bool {
	if !p.isGerman(word) {
		return false
	}
	p.next++
	return true
}

// isGerman reports whether the next token is that German word for a keyword. Where nothing follows that it could belong to, it is part of a name.
func (p *filterParser) isGerman(word string) bool {
	following := p.tokenAfter(1)
	return p.peek().is(word) && (following.isValue() || following.is("not") || following.is("(") || following.is("!") || following.is("in"))
}

// parseJoined reads one or more of a rule, with what more takes between them.
func (p *filterParser) parseJoined(part func() (predicate, *problem), join func([]predicate) predicate, more func() bool) (predicate, *problem) {
	var list []predicate
	for {
		match, bad := part()
		if bad != nil {
			return nil, bad
		}
		if list = append(list, match); !more() {
			break
		}
	}
	if len(list) == 1 {
		return list[0], nil
	}
	return join(list), nil
}

func anyOf(list []predicate) predicate {
	return func(s *State, now time.Time) bool {
		for _, match := range list {
			if match(s, now) {
				return true
			}
		}
		return false
	}
}

func allOf(list []predicate) predicate {
	return func(s *State, now time.Time) bool {
		for _, match := range list {
			if !match(s, now) {
				return false
			}
		}
		return true
	}
}

func not(match predicate) predicate {
	return func(s *State, now time.Time) bool { return !match(s, now) }
}

func (p *filterParser) notExpr() (predicate, *problem) {
	if p.depth++; p.depth > maxDepth {
		return nil, p.unexpected(rule.New("filter_deep", "nested deeper than {max}", "max", maxDepth))
	}
	defer func() { p.depth-- }()
	p.heard.beginCondition(p)
	if p.acceptToken("not", "!") || p.acceptGerman("nicht") {
		match, bad := p.notExpr()
		if bad != nil {
			return nil, bad
		}
		p.heard.noteCondition(p, "not")
		return not(match), nil
	}
	return p.primary()
}

func (p *filterParser) primary() (predicate, *problem) {
	if p.acceptToken("(") {
		match, bad := p.orExpr()
		if bad == nil {
			bad = p.expect(")")
		}
		return noteUnlessBad(p, "group", match, bad)
	}
	if operand, ok := p.readField(); ok {
		match, bad := p.predicate(operand)
		return noteUnlessBad(p, "condition", match, bad)
	}
	if compares(p.peek()) {
		return p.bare()
	}
	if p.acceptToken("in") {
		match, bad := p.inPort()
		return noteUnlessBad(p, "port", match, bad)
	}
	return p.quick()
}

// readField takes a word that an operator follows, without AisLib's prefix "t." or "m.".
func (p *filterParser) readField() (token, bool) {
	t, skip := p.peek(), 1
	if (t.is("t") || t.is("m")) && p.tokenAfter(1).is(".") && p.tokenAfter(2).kind == tokenWord {
		t, skip = p.tokenAfter(2), 3
	}
	if t.kind != tokenWord || t.reserved() || !operatorAt(p.tokenAfter(skip), p.tokenAfter(skip+1)) || skip == 1 && p.standsAlone(t) {
		return token{}, false
	}
	p.next += skip
	return t, true
}

// operatorAt reports whether a predicate goes on with these two tokens.
func operatorAt(t, following token) bool {
	for _, sign := range [...]string{"=", "!=", "<", "<=", ">", ">=", "~", "!~", "in", "like", "is", "within"} {
		if t.is(sign) {
			return true
		}
	}
	return t.is("not") && (following.is("in") || following.is("like") || following.is("within"))
}

// readValue takes the next token as a value.
func (p *filterParser) readValue() (token, *problem) {
	if t := p.peek(); t.isValue() {
		p.next++
		return t, nil
	}
	return token{}, p.unexpected(rule.New("expected_value", "type a value after '{after}'", "after", p.textBefore()))
}

// valueRange is one value, or all from low to high.
type valueRange struct {
	low, high token
	isRange   bool
}

// valueOrRange reads value [".." value].
func (p *filterParser) valueOrRange() (valueRange, *problem) {
	low, bad := p.readValue()
	if bad != nil || !p.acceptToken("..") {
		return valueRange{low: low}, bad
	}
	high, bad := p.readValue()
	return valueRange{low, high, true}, bad
}

// readSet reads what may follow "in": one value or one range without brackets, or any list of them in brackets.
func (p *filterParser) readSet() ([]valueRange, *problem) {
	if !p.acceptToken("(") {
		v, bad := p.valueOrRange()
		if bad == nil && p.peek().is(",") { // another value, or "and"?
			bad = p.unexpected(expectedEnd())
		}
		return []valueRange{v}, bad
	}
	var list []valueRange
	for {
		v, bad := p.valueOrRange()
		if bad != nil {
			return nil, bad
		}
		if list = append(list, v); !p.acceptToken(",") {
			return list, p.expect(")")
		}
	}
}

// parseArea reads circle(lat,lon,metres), bbox(lat,lon,lat,lon) or shape(name).
func (p *filterParser) parseArea() (*geo.Area, geo.Rect, *problem) {
	t := p.peek()
	switch {
	case p.acceptToken("circle"):
		n, bad := p.numbers(t, 3)
		if bad != nil {
			return nil, geo.Rect{}, bad
		}
		if n[2] <= 0 {
			return nil, geo.Rect{}, &problem{t.at, rule.New("circle_radius", "the radius of circle must be more than 0 metres")}
		}
		circle := geo.Circle{Center: geo.Point{Lon: n[1], Lat: n[0]}, Radius: n[2]}
		return geo.NewArea(circle), circle.Bounds(), placeProblem(t, circle.Center)
	case p.acceptToken("bbox"):
		n, bad := p.numbers(t, 4)
		if bad != nil {
			return nil, geo.Rect{}, bad
		}
		r := geo.Rect{West: n[1], East: n[3], South: min(n[0], n[2]), North: max(n[0], n[2])}
		return nil, r, placeProblem(t, geo.Point{Lon: r.West, Lat: r.South}, geo.Point{Lon: r.East, Lat: r.North})
	case p.acceptToken("shape"):
		return p.savedShape()
	}
	return nil, geo.Rect{}, p.unexpected(rule.New("expected_area", "expected circle, bbox or shape"))
}

func placeProblem(t token, points ...geo.Point) *problem {
	for _, at := range points {
		if !at.Valid() {
			return &problem{t.at, rule.New("area_place", "{area} takes latitude before longitude, within 90 and 180 degrees", "area", t.text)}
		}
	}
	return nil
}

// numbers reads the arguments of the area t.
func (p *filterParser) numbers(t token, count int) ([]float64, *problem) {
	if bad := p.expect("("); bad != nil {
		return nil, bad
	}
	var list []float64
	for {
		v := p.peek()
		n, err := strconv.ParseFloat(v.text, 64)
		if v.kind != tokenNumber || err != nil {
			return nil, p.unexpected(rule.New("expected_number", "expected a number"))
		}
		p.next++
		if list = append(list, n); !p.acceptToken(",") {
			break
		}
	}
	if bad := p.expect(")"); bad != nil {
		return nil, bad
	}
	if len(list) != count {
		return nil, &problem{t.at, rule.New("area_arguments", "{area} takes {wanted} arguments, not {count}", "area", strings.ToLower(t.text), "wanted",
			count, "count", len(list))}
	}
	return list, nil
}

func (p *filterParser) savedShape() (*geo.Area, geo.Rect, *problem) {
	if bad := p.expect("("); bad != nil {
		return nil, geo.Rect{}, bad
	}
	name, bad := p.readValue()
	if bad != nil {
		return nil, geo.Rect{}, bad
	}
	if p.env.Shape != nil {
		if shape, ok := p.env.Shape(plainText(name)); ok {
			return shape, shape.Bounds(), p.expect(")")
		}
	}
	return nil, geo.Rect{}, &problem{name.at, rule.New("unknown_shape", "unknown shape '{name}'", "name", plainText(name))}
}

// plainText returns the text of a value without the backslashes.
func plainText(t token) string {
	if t.kind != tokenString || !strings.Contains(t.text, `\`) {
		return t.text
	}
	var b strings.Builder
	for i := 0; i < len(t.text); i++ {
		if t.text[i] == '\\' && i+1 < len(t.text) {
			i++
		}
		b.WriteByte(t.text[i])
	}
	return b.String()
}
