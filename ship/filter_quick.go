package ship

import (
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"quaywatch/internal/rule"
)

// quick reads words beside one another. Words of the closed lists mean themselves. The others, and what stands in quotes, are a term that is
// looked for in names and numbers. Where both come together, a ship is picked that has all of it in its name, or else each for itself.
func (p *filterParser) quick() (predicate, *problem) {
	run := p.run()
	if len(run) == 0 {
		return nil, p.unexpected(rule.New("expected_term", "type a word, a name or a condition as speed > 10 here"))
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
			p.heard.addWords(p, "name", run[others:at])
			each = append(each, p.term(run[others:at]))
		}
		p.heard.addWords(p, m.says, run[at:at+m.words])
		each = append(each, m.holds)
		if !m.perhaps {
			closed += m.words
		}
		at += m.words
		others = at
	}
	switch {
	case len(each) == 0:
		p.heard.addWords(p, "name", run)
		return p.term(run), nil
	case others < len(run):
		p.heard.addWords(p, "name", run[others:])
		each = append(each, p.term(run[others:]))
	}
	if closed == len(run) {
		return allOf(each), nil
	}
	return anyOf([]predicate{p.term(run), allOf(each)}), nil
}

// said is what some words of a sentence say.
type said struct {
	words   int    // how many they are; 0 for words without a meaning
	says    string // as Heard.Says
	holds   predicate
	perhaps bool // they may be a name as well
}

// saidAt returns what the words from a place on say. first tells that none without a meaning stand right before them.
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
	return said{words: count, says: m.subjectText(), holds: p.meant(m)}, nil
}

// run takes the words up to the next field or keyword.
func (p *filterParser) run() []token {
	first := p.next
	for p.peek().isValue() && (p.next == first || !p.joins()) {
		here := p.next
		if _, isField := p.readField(); isField {
			p.next = here
			break
		}
		p.next++
	}
	return p.tokens[first:p.next]
}

// joins reports whether the next token is a German keyword.
func (p *filterParser) joins() bool {
	return p.isGerman("und") || p.isGerman("oder") || p.isGerman("nicht")
}

// term returns the predicate of words that are looked for in names and numbers, joined by blanks.
func (p *filterParser) term(run []token) predicate {
	words := make([]string, len(run))
	for i := range run {
		words[i] = run[i].text
	}
	term := ParseTerm(strings.Join(words, " "))
	p.spend(term.matchCost())
	return func(s *State, _ time.Time) bool { return term.Rank(s) != NotFound }
}

// meant returns the predicate of a word with a meaning.
func (p *filterParser) meant(m meaning) predicate {
	p.spend(costNumber)
	return func(s *State, _ time.Time) bool { return m.fitsShip(s) }
}

// meaningAt returns what the first words mean, and how many they are: as many as have a meaning together, and 0 for none.
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

// Heard is one condition of a filter, as HearFilter reads it.
type Heard struct {
	From, To int        // bytes before it, and before what follows
	Branch   int        // which of the alternatives that "or" joins, from 1
	Says     string     // type, status, country, ships, lost, name, destination, port, stay, arrival, eta, length, sog, age, condition, not, or group
	Wrong    *rule.Rule // why it cannot be read, and what to type; then it says nothing

	JointFrom, JointTo int // of what is wrong: its place with the "and" or "or" that it would leave behind
}

// hearing notes the conditions that are in no brackets, while a filter is read.
type hearing struct {
	list     []Heard
	began    int // where the condition begins that is read now
	branches int // what "or" joins, so far
}

// HearFilter returns the conditions of a filter up to the first that is wrong, and that as the last.
func HearFilter(text string, env Lookup) []Heard {
	p := filterParser{text: text, env: env, heard: &hearing{}}
	if _, bad := p.filter(); bad != nil && p.cost <= MaxFilterCost {
		wrong := wrongPart(&p, bad)
		wrong.JointFrom, wrong.JointTo = withJoint(&p, wrong)
		return append(p.heard.list, wrong)
	}
	return p.heard.list
}

// beginCondition notes where a condition begins.
func (h *hearing) beginCondition(p *filterParser) {
	if h != nil && p.depth == 1 {
		h.began = p.peek().at
	}
}

// noteCondition notes the condition that was read up to the next token.
func (h *hearing) noteCondition(p *filterParser, says string) {
	if h != nil && p.depth == 1 {
		h.list = append(h.list, Heard{From: h.began, To: p.tokens[p.next-1].endOffset(p.text), Branch: h.branches, Says: says})
	}
}

// noteUnlessBad is hear, for what was read without a problem.
func noteUnlessBad(p *filterParser, says string, match predicate, bad *problem) (predicate, *problem) {
	if bad == nil {
		p.heard.noteCondition(p, says)
	}
	return match, bad
}

// addWords notes a condition of words.
func (h *hearing) addWords(p *filterParser, says string, run []token) {
	if h != nil && p.depth == 1 {
		h.list = append(h.list, Heard{From: run[0].at, To: run[len(run)-1].endOffset(p.text), Branch: h.branches, Says: says})
	}
}

// wrongPart returns what cannot be read: from the end of the conditions before to that of the words that the problem is about.
func wrongPart(p *filterParser, bad *problem) Heard {
	t := Heard{From: bad.at, To: len(p.text), Wrong: bad.rule}
	at := slices.IndexFunc(p.tokens, func(t token) bool { return t.at >= bad.at })
	if at < 0 { // a character or a string that ends nowhere
		if bad.rule.Word == "unexpected_character" {
			_, size := utf8.DecodeRuneInString(p.text[bad.at:])
			t.To = bad.at + size
		}
		return t
	}
	if began := p.heard.began; began < bad.at && !slices.ContainsFunc(p.heard.list, func(h Heard) bool { return h.From <= began && began < h.To }) {
		t.From = began
	}
	if p.tokens[at].kind == tokenEnd {
		if t.From == len(p.text) && at > 0 {
			t.From = p.tokens[at-1].at
		}
		t.To = len(strings.TrimRight(p.text, " \t\r\n"))
		return t
	}
	for t.To = p.tokens[at].endOffset(p.text); belongsToName(p, at+1); at++ {
		t.To = p.tokens[at+1].endOffset(p.text)
	}
	return t
}

// belongsToName reports whether a token may belong to the name before it.
func belongsToName(p *filterParser, at int) bool {
	p.next = at
	if t := p.tokens[at]; t.kind == tokenString || !t.isValue() || p.joins() {
		return false
	}
	if _, isField := p.readField(); isField {
		return false
	}
	word := p.tokens[at : at+1]
	_, means := meaningAt(word)
	return means == 0 && countWords(word, lexicon().bound) == 0 && countWords(word, lexicon().calls) == 0
}

// withJoint returns the place of a part with the "and" or "or" that it leaves behind.
func withJoint(p *filterParser, t Heard) (from, to int) {
	from, to = t.From, t.To
	for i, token := range p.tokens {
		switch joins := slices.ContainsFunc([]string{"and", "or", "und", "oder", "&", "&&", "|", "||", ","}, token.is); {
		case joins && token.at < t.From && p.tokens[i+1].at >= t.From:
			return token.at, to
		case joins && token.at >= t.To && (i == 0 || p.tokens[i-1].at < t.To) && len(p.heard.list) == 0:
			to = token.endOffset(p.text)
		}
	}
	return from, to
}

// subjectText returns what a word with a meaning is about, as Heard.Says.
func (m *meaning) subjectText() string {
	switch {
	case m.lost:
		return "lost"
	case m.ships:
		return "ships"
	case m.country != "":
		return "country"
	case m.statuses != 0 && m.types == typeSet{}:
		return "status"
	}
	return "type"
}
