package ship

import (
	"strings"
	"time"

	"quaywatch/letters"
	"quaywatch/rule"
)

// Here stands what sentences say of ports: in which one a ship is, and to which one it goes.

// boundWords are the words before the port or country that a ship goes to, in the way of typeWords.
const boundWords = `
to=nach=bound for=bound to=unterwegs nach=mit ziel=
`

// callWords are the words for a call at a port that goes on, in the way of typeWords.
const callWords = `
in port=in harbour=in harbor=im hafen=in einem hafen=
`

// countWords gives how many of the first words of a run stand together on a list, 0 for none.
func countWords(run []token, lines string) int {
	count, _ := wordsOn(run, lines)
	return count
}

// wordsOn is countWords, with the first word of their line.
func wordsOn(run []token, lines string) (count int, line string) {
	const most = 3
	for count = min(most, len(run)); count > 0; count-- {
		if run[count-1].kind != tokenWord {
			continue
		}
		plain := letters.Plain(joinedTexts(run[:count]))
		if line = wordFor(plain, lines); line != plain || strings.Contains(lines, "\n"+plain+"=") {
			return count, line
		}
	}
	return 0, ""
}

// joinedTexts gives the texts of tokens with a blank between them.
func joinedTexts(run []token) string {
	var texts []string
	for _, t := range run {
		texts = append(texts, t.text)
	}
	return strings.Join(texts, " ")
}

// longestKnown gives how many of the first words are together what a lookup finds, 0 for none.
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
		return plain(run[0])
	}
	return joinedTexts(run)
}

// boundAt reads "to Aarhus": the ships whose crew typed that port or country as their destination, in whatever way. first tells that no words
// without a meaning stand before it: then it may also be a place that is no port, which the destination has somewhere.
func (p *filterParser) boundAt(run []token, first bool) (said, *problem) {
	words := countWords(run, boundWords)
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
		return said{words: words + count, holds: destined(is)}, nil
	}
	if !first {
		return said{}, nil
	}
	for count < len(place) && countWords(place[count:], callWords) == 0 {
		if _, means := meaningAt(place[count:]); means > 0 && count > 0 {
			break
		}
		count++
	}
	typed := parsePattern("*" + strings.Trim(plainTexts(place[:count]), "*") + "*")
	p.spend(costWild)
	return said{words: words + count, holds: destined(typed.match), perhaps: true}, nil
}

// destined picks the ships whose typed destination is.
func destined(is func(string) bool) predicate {
	return func(s *State, _ time.Time) bool {
		return s.Voyage != nil && s.Voyage.Destination != "" && is(s.Voyage.Destination)
	}
}

// callAt reads words for a call, and the name of its port where one follows, as in "im Hafen von Aarhus".
func (p *filterParser) callAt(run []token) (said, *problem) {
	words := countWords(run, callWords)
	if words == 0 {
		return said{}, nil
	}
	if m, _ := meaningAt(run[words:]); m == (meaning{}) || m.country != "" {
		if member, count := p.portAt(run[words:]); count > 0 {
			return said{words: words + count, holds: member}, nil
		}
	}
	return said{words: words, holds: p.inAnyPort()}, nil
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
func (p *filterParser) inAnyPort() predicate {
	p.spend(costMember)
	p.timely = true
	if p.env.InPort == nil {
		return func(*State, time.Time) bool { return false }
	}
	return p.env.InPort()
}

// inPort reads what follows "in" where no field stands before it: a port, several in brackets, or "port" itself.
func (p *filterParser) inPort() (predicate, *problem) {
	if p.accept("(") {
		return p.inPorts()
	}
	run := p.place()
	if len(run) == 0 {
		return nil, p.unexpected(rule.New("expected_port", "type the name of a port after in"))
	}
	if member, count := p.portAt(run); count > 0 {
		p.next += count
		return member, nil
	}
	if countWords(append([]token{{kind: tokenWord, text: "in"}}, run...), callWords) == 2 {
		p.next++
		if member, count := p.portAt(run[1:]); count > 0 {
			p.next += count
			return member, nil
		}
		return p.inAnyPort(), nil
	}
	return nil, p.noPort(run)
}

// place gives the words that may be the name of a place.
func (p *filterParser) place() []token {
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
		run := p.place()
		if len(run) == 0 {
			return nil, p.unexpected(rule.New("expected_port", "type the name of a port after in"))
		}
		member, count := p.portAt(run)
		if count == 0 {
			return nil, p.noPort(run)
		}
		members = append(members, member)
		p.next += count
		if !p.accept(",") {
			return anyOf(members), p.expect(")")
		}
	}
}

// noPort tells that words name no port.
func (p *filterParser) noPort(run []token) *problem {
	for count := min(mostWords, len(run)); count > 0; count-- {
		name := plainTexts(run[:count])
		if code := countryWritten(letters.Plain(name)); code != "" {
			return &problem{run[0].at, rule.New("country_no_port", "{name} is a country and no port: type flag = {code}, to {name}, or in and the name of a port",
				"name", name, "code", code)}
		}
	}
	count, name := longestName(run[0], run[1:], nil)
	if run[0].kind == tokenString || count == 0 {
		name = plain(run[0])
	}
	return &problem{run[0].at, unknownPort(name)}
}
