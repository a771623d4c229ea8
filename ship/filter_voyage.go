package ship

import (
	"strings"
	"time"

	"quaywatch/internal/fold"
	"quaywatch/internal/rule"
)

// Here stands what sentences say of ports: in which one a ship is, and to which one it goes.

// boundWords are the words before the port or country that a ship goes to, in the way of typeWords.
const boundWords = `
to=nach=bound for=bound to=unterwegs nach=mit ziel=
`

// callWords are the words for a call at a port that goes on, in the way of typeWords.
const callWords = `
in port=in harbour=in harbor=im hafen=in einem hafen=
waiting=waits=wartet=wartend=wartende=auf reede=at the roads=
alongside=am liegeplatz=am kai=langsseits=laengsseits=
shifting=verholt=verholend=
arrived today=ata today=heute angekommen=angekommen heute=ata heute=heute eingelaufen=
arrived yesterday=ata yesterday=gestern angekommen=angekommen gestern=ata gestern=gestern eingelaufen=
eta today=today eta=due today=expected today=arriving today=arrives today=eta heute=heute erwartet=erwartet heute=kommt heute=
eta tomorrow=due tomorrow=expected tomorrow=arriving tomorrow=arrives tomorrow=eta morgen=morgen erwartet=erwartet morgen=kommt morgen=
`

// countWords returns how many of the first words of a run stand together on a list, 0 for none.
func countWords(run []token, list map[string]string) int {
	count, _ := wordsOn(run, list)
	return count
}

// wordsOn is countWords, with the first word of their line.
func wordsOn(run []token, list map[string]string) (count int, line string) {
	const most = 3
	for count = min(most, len(run)); count > 0; count-- {
		if run[count-1].kind != tokenWord {
			continue
		}
		if line, known := list[fold.Plain(joinedTexts(run[:count]))]; known {
			return count, line
		}
	}
	return 0, ""
}

// joinedTexts returns the texts of tokens with a blank between them.
func joinedTexts(run []token) string {
	var texts []string
	for _, t := range run {
		texts = append(texts, t.text)
	}
	return strings.Join(texts, " ")
}

// longestKnown returns how many of the first words are together what a lookup finds, 0 for none.
func longestKnown(run []token, known func(name string) bool) int {
	for count := min(mostWords, len(run)); count > 0; count-- {
		if count > 1 && run[count-1].kind == tokenString {
			continue
		}
		if known(plainTexts(run[:count])) {
			return count
		}
	}
	return 0
}

// plainTexts is joinedTexts without the backslashes of a quoted name.
func plainTexts(run []token) string {
	if len(run) == 1 {
		return plainText(run[0])
	}
	return joinedTexts(run)
}

// boundAt reads "to Aarhus": the ships whose crew typed that port or country as their destination, in whatever way. first tells that no words without a meaning
// stand before it. Then it may also be a place that is no port, which the destination has somewhere.
func (p *filterParser) boundAt(run []token, first bool) (said, *problem) {
	words := countWords(run, lexicon().bound)
	if words == 0 || words == len(run) {
		return said{}, nil
	}
	place := run[words:]
	var is func(string) bool
	count := longestKnown(place, func(name string) (ok bool) {
		if p.env.Bound != nil {
			is, ok = p.env.Bound(name)
		}
		return ok
	})
	if count > 0 {
		p.spend(costMember)
		return said{words: words + count, says: "destination", holds: destined(is)}, nil
	}
	if !first {
		return said{}, nil
	}
	for count < len(place) && countWords(place[count:], lexicon().calls) == 0 {
		if _, means := meaningAt(place[count:]); means > 0 && count > 0 {
			break
		}
		count++
	}
	typed := parsePattern("*" + strings.Trim(plainTexts(place[:count]), "*") + "*")
	p.spend(costWild)
	return said{words: words + count, says: "destination", holds: destined(typed.matchText), perhaps: true}, nil
}

// destined picks the ships whose typed destination is.
func destined(is func(string) bool) predicate {
	return func(s *State, _ time.Time) bool {
		return s.Voyage != nil && s.Voyage.Destination != "" && is(s.Voyage.Destination)
	}
}

// callAt reads words for a call, and the name of its port where one follows, as in "im Hafen von Aarhus".
func (p *filterParser) callAt(run []token) (said, *problem) {
	words, line := wordsOn(run, lexicon().calls)
	switch line {
	case "":
		return said{}, nil
	case "in port":
		return p.portSaid(run, words)
	case "eta today":
		return said{words: words, says: "eta", holds: p.etaOn(0)}, nil
	case "eta tomorrow":
		return said{words: words, says: "eta", holds: p.etaOn(1)}, nil
	case "arrived today", "arrived yesterday":
		days := map[string]int64{"arrived yesterday": -1}[line]
		holds, bad := p.calling(run[0], CallArrival, func(c OpenCall, now time.Time) bool {
			return c.Arrived != 0 && dayOf(time.UnixMilli(c.Arrived)) == dayOf(now)+days
		})
		return said{words: words, says: "arrival", holds: holds}, bad
	}
	stay := stayNamed(line)
	holds, bad := p.calling(run[0], CallStay, func(c OpenCall, _ time.Time) bool { return c.Stay == stay })
	return said{words: words, says: "stay", holds: holds}, bad
}

// portSaid is callAt for "in port".
func (p *filterParser) portSaid(run []token, words int) (said, *problem) {
	if m, _ := meaningAt(run[words:]); m == (meaning{}) || m.country != "" {
		if member, count := p.portAt(run[words:]); count > 0 {
			return said{words: words + count, says: "port", holds: member}, nil
		}
	}
	holds, bad := p.inAnyPort(run[0])
	return said{words: words, says: "port", holds: holds}, bad
}

// stayNamed returns the stay of a word of callWords.
func stayNamed(word string) LyingState {
	switch word {
	case "waiting":
		return Waiting
	case "alongside":
		return Alongside
	}
	return Shifting
}

// calling picks the ships with a call of which something holds.
func (p *filterParser) calling(at token, asked CallPart, holds func(OpenCall, time.Time) bool) (predicate, *problem) {
	p.spend(costMember)
	p.timely = true // a call changes without a report
	if p.env.Call == nil {
		return func(*State, time.Time) bool { return false }, nil
	}
	call, err := p.env.Call(asked)
	if err != nil {
		return nil, &problem{at.at, rule.Of(err)}
	}
	return func(s *State, now time.Time) bool {
		c, ok := call(s, now)
		return ok && holds(c, now)
	}, nil
}

// dayOf returns the number of the day of a time, UTC.
func dayOf(at time.Time) int64 {
	const day = 24 * 60 * 60
	return at.Unix() / day
}

// etaOn picks the ships whose crew says that they arrive so many days from now.
func (p *filterParser) etaOn(days int64) predicate {
	p.spend(costMember)
	p.timely = true
	return func(s *State, now time.Time) bool {
		if s.Voyage == nil {
			return false
		}
		said := now
		if s.Voyage.At != 0 {
			said = time.UnixMilli(s.Voyage.At)
		}
		eta, ok := s.Voyage.ETA.At(said)
		return ok && dayOf(eta) == dayOf(now)+days
	}
}

// ofCall reads what follows stay and berth.
func (p *filterParser) ofCall(name token, field string) (predicate, *problem) {
	c, bad := p.comparison()
	if bad != nil {
		return nil, bad
	}
	if c.op != opIn {
		return nil, &problem{c.at, rule.New("field_operator", "{field} takes =, != or in", "field", field)}
	}
	p.wholeName(&c, func(name string) bool { return field == "berth" && p.findBerths(name) != nil || stayOf(name) != "" })
	if value := c.values[0].low; field == "berth" && p.findBerths(value.text) == nil {
		p.wholeName(&c, nil) // for the error
	}
	var holds []func(OpenCall) bool
	for _, v := range c.values {
		if v.isRange {
			return nil, &problem{v.low.at, rule.New("field_range", "{field} has no ranges", "field", field)}
		}
		test, why := p.ofCallValue(field, v.low)
		if why != nil {
			return nil, &problem{v.low.at, why}
		}
		holds = append(holds, test)
	}
	return p.calling(name, CallStay, func(call OpenCall, _ time.Time) bool {
		for _, hold := range holds {
			if hold(call) {
				return !c.negated
			}
		}
		return c.negated
	})
}

// ofCallValue returns what one value of stay or berth holds of.
func (p *filterParser) ofCallValue(field string, t token) (func(OpenCall) bool, *rule.Rule) {
	if field == "stay" {
		word := stayOf(plainText(t))
		if word == "" {
			return nil, rule.New("unknown_stay", "'{value}' is no stay: type waiting, alongside or shifting", "value", plainText(t))
		}
		stay := stayNamed(word)
		return func(c OpenCall) bool { return c.Stay == stay }, nil
	}
	is := p.findBerths(t.text)
	if is == nil {
		return nil, rule.New("unknown_berth", "no berth is called '{name}'", "name", plainText(t))
	}
	return func(c OpenCall) bool { return c.Stay == Alongside && is(c.Port, c.Berth) }, nil
}

// stayOf returns the word of callWords for a stay, "" for none.
func stayOf(name string) string {
	word := lexicon().calls[fold.Plain(name)]
	if word == "waiting" || word == "alongside" || word == "shifting" {
		return word
	}
	return ""
}

// findBerths finds berths by their name, which may have wildcards; nil for none.
func (p *filterParser) findBerths(name string) func(port uint64, berth int64) bool {
	if p.env.Berth == nil {
		return nil
	}
	typed := parsePattern(name)
	if is, ok := p.env.Berth(typed.matchText); ok {
		return is
	}
	return nil
}

// portAt finds the port that the first words name, with "of" or "von" before it; count is 0 where they name none.
func (p *filterParser) portAt(run []token) (member predicate, count int) {
	of := 0
	if len(run) > 1 && (run[0].is("of") || run[0].is("von")) {
		of = 1
	}
	count = longestKnown(run[of:], func(name string) (ok bool) {
		if p.env.Port != nil {
			member, ok = p.env.Port(name)
		}
		return ok
	})
	if count == 0 {
		return nil, 0
	}
	p.spend(costMember)
	p.timely = true // a call ends without a report
	return member, of + count
}

// inAnyPort picks the ships with a call that goes on.
func (p *filterParser) inAnyPort(at token) (predicate, *problem) {
	return p.calling(at, CallPort, func(OpenCall, time.Time) bool { return true })
}

// inPort reads what follows "in" where no field stands before it: a port, several in brackets, or "port" itself.
func (p *filterParser) inPort() (predicate, *problem) {
	if p.acceptToken("(") {
		return p.inPorts()
	}
	run := p.placeWords()
	if len(run) == 0 {
		return nil, p.unexpected(rule.New("expected_port", "type the name of a port after in"))
	}
	if member, count := p.portAt(run); count > 0 {
		p.next += count
		return member, nil
	}
	if countWords(append([]token{{kind: tokenWord, text: "in"}}, run...), lexicon().calls) == 2 {
		p.next++
		if member, count := p.portAt(run[1:]); count > 0 {
			p.next += count
			return member, nil
		}
		return p.inAnyPort(run[0])
	}
	return nil, p.noPort(run)
}

// placeWords returns the words that may be the name of a place.
func (p *filterParser) placeWords() []token {
	first := p.next
	switch t := p.peek(); {
	case !t.isValue():
		return nil
	case t.kind == tokenString:
		return p.tokens[first : first+1]
	}
	p.next++
	rest := p.behind()
	p.next = first
	return p.tokens[first : first+1+len(rest)]
}

// inPorts reads the rest of "in (Aarhus, Copenhagen)".
func (p *filterParser) inPorts() (predicate, *problem) {
	var members []predicate
	for {
		run := p.placeWords()
		if len(run) == 0 {
			return nil, p.unexpected(rule.New("expected_port", "type the name of a port after in"))
		}
		member, count := p.portAt(run)
		if count == 0 {
			return nil, p.noPort(run)
		}
		members = append(members, member)
		p.next += count
		if !p.acceptToken(",") {
			return anyOf(members), p.expect(")")
		}
	}
}

// noPort tells that words name no port.
func (p *filterParser) noPort(run []token) *problem {
	for count := min(mostWords, len(run)); count > 0; count-- {
		name := plainTexts(run[:count])
		if code := countryWritten(fold.Plain(name)); code != "" {
			return &problem{run[0].at, rule.New("country_no_port", "{name} is a country and no port: type flag = {code}, to {name}, or in and the name of a port",
				"name", name, "code", code)}
		}
	}
	count, name := longestName(run[0], run[1:], nil)
	if run[0].kind == tokenString || count == 0 {
		name = plainText(run[0])
	}
	return &problem{run[0].at, unknownPort(name)}
}
