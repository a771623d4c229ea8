package ship

import (
	"strings"
	"time"

	"quaywatch/rule"
)

// quick reads words beside one another. Words of the closed lists mean themselves. The others, and what stands in quotes, are a term that is
// looked for in names and numbers. Where both come together, a ship is picked that has all of it in its name, or else each for itself.
func (p *filterParser) quick() (predicate, *problem) {
	run := p.run()
	if len(run) == 0 {
		return nil, p.unexpected(rule.New("expected_term", "type a word, a name or a condition as speed > 10 here"))
	}
	if p.unworded != nil {
		p.unworded(run)
		return p.term(run), nil
	}
	var each []predicate
	others := 0 // words from here on have no meaning
	closed := 0
	for at := 0; at < len(run); {
		m, bad := p.saidAt(run, at, others == at)
		if bad != nil {
			return nil, bad
		}
		if m.words == 0 {
			at++
			continue
		}
		if others < at {
			each = append(each, p.term(run[others:at]))
		}
		each = append(each, m.holds)
		if !m.perhaps {
			closed += m.words
		}
		at += m.words
		others = at
	}
	switch {
	case len(each) == 0:
		return p.term(run), nil
	case others < len(run):
		each = append(each, p.term(run[others:]))
	}
	if closed == len(run) {
		return allOf(each), nil
	}
	return anyOf([]predicate{p.term(run), allOf(each)}), nil
}

// said is what some words of a sentence say.
type said struct {
	words   int // how many they are; 0 for words without a meaning
	holds   predicate
	perhaps bool // they may be a name as well
}

// saidAt gives what the words from a place on say. first tells that none without a meaning stand right before them.
func (p *filterParser) saidAt(run []token, at int, first bool) (said, *problem) {
	if s, bad := p.boundAt(run[at:], first); bad != nil || s.words > 0 {
		return s, bad
	}
	if s, bad := p.callAt(run[at:]); bad != nil || s.words > 0 {
		return s, bad
	}
	m, count := meaningAt(run[at:])
	if count == 0 {
		return said{}, nil
	}
	return said{words: count, holds: p.meant(m)}, nil
}

// run takes the words up to the next field or keyword.
func (p *filterParser) run() []token {
	first := p.next
	for p.peek().isValue() && (p.next == first || !p.joins()) {
		here := p.next
		if _, isField := p.field(); isField {
			p.next = here
			break
		}
		p.next++
	}
	return p.tokens[first:p.next]
}

// joins tells whether the next token is a German keyword.
func (p *filterParser) joins() bool {
	return p.isGerman("und") || p.isGerman("oder") || p.isGerman("nicht")
}

// term gives the predicate of words that are looked for in names and numbers, joined by blanks.
func (p *filterParser) term(run []token) predicate {
	words := make([]string, len(run))
	for i := range run {
		words[i] = run[i].text
	}
	term := ParseTerm(strings.Join(words, " "))
	p.spend(term.cost())
	return func(s *State, _ time.Time) bool { return term.Rank(s) != NotFound }
}

// meant gives the predicate of a word with a meaning.
func (p *filterParser) meant(m meaning) predicate {
	p.spend(costNumber)
	return func(s *State, _ time.Time) bool { return m.holds(s) }
}

// meaningAt gives what the first words mean, and how many they are: as many as have a meaning together, and 0 for none.
func meaningAt(run []token) (meaning, int) {
	const most = 5 // words of the longest name
	var words []string
	for i := 0; i < min(most, len(run)) && run[i].kind == tokenWord; i++ {
		words = append(words, run[i].text)
	}
	for count := len(words); count > 0; count-- {
		if m, ok := meaningOf(strings.Join(words[:count], " ")); ok {
			return m, count
		}
	}
	return meaning{}, 0
}
