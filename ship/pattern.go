package ship

import (
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"quaywatch/ais"
	"quaywatch/internal/fold"
)

// pattern is text with wildcards: '*' stands for any run of characters, '?' for one.
type pattern struct {
	elements []rune // as folded gives them; anyRun and anyOne stand for the wildcards
	least    int    // characters that a text needs at the least
	wild     bool
}

const (
	anyRun rune = -1
	anyOne rune = -2
)

// parsePattern reads text in which a backslash makes the next character plain. Case, marks of letters, trailing '@' and blanks
// around the text do not count.
func parsePattern(text string) pattern {
	text = trimmed(text)
	p := pattern{elements: make([]rune, 0, len(text))}
	escaped := false
	for _, r := range text {
		switch {
		case !escaped && r == '\\':
			escaped = true
			continue
		case !escaped && r == '*':
			p.wild = true
			if n := len(p.elements); n == 0 || p.elements[n-1] != anyRun {
				p.elements = append(p.elements, anyRun)
			}
			continue
		case !escaped && r == '?':
			p.wild = true
			p.elements = append(p.elements, anyOne)
		case r < utf8.RuneSelf: // the usual one, and lists have thousands
			p.elements = append(p.elements, lower(r))
		default:
			plain := []rune(fold.Plain(string(r)))
			p.elements = append(p.elements, plain...)
			p.least += len(plain) - 1
		}
		escaped = false
		p.least++
	}
	return p
}

// matchCost returns what a comparison asks of a ship. Behind a wildcard each letter may be tried in many places.
func (p *pattern) matchCost() int {
	if !p.wild {
		return costText
	}
	const usual = 20 // letters of a name
	return costWild + costLetter*min(len(p.elements), usual)
}

// matchText reports whether the whole text matches. For '?', a letter that is plain in two ("æ" is "ae") is one or two characters.
func (p *pattern) matchText(text string) bool {
	text = trimmed(text)
	if fold.IsASCII(text) {
		return p.matchWhole(text)
	}
	return p.matchWhole(fold.Plain(text)) || p.wild && p.matchWhole(letterByLetter(text))
}

// letterByLetter returns the plain form of text in which each letter is one character: "f\ufffdrge" for "Færge".
func letterByLetter(text string) string {
	return strings.Map(func(r rune) rune {
		switch plain := []rune(fold.Plain(string(r))); len(plain) {
		case 0: // a mark
			return -1
		case 1:
			return plain[0]
		}
		return utf8.RuneError
	}, text)
}

// matchWhole reports whether the whole text matches. Its time is bounded by the square of the length of the text, whatever the pattern is. Only
// the last '*' is ever tried again, and a pattern that needs more characters than there are fails at once.
func (p *pattern) matchWhole(text string) bool {
	if len(text) < p.least {
		return false
	}
	at, element := 0, 0
	retry, retryAt := -1, 0
	for at < len(text) {
		r, size := utf8.DecodeRuneInString(text[at:])
		switch {
		case element < len(p.elements) && p.elements[element] == anyRun:
			retry, retryAt = element, at
			element++
		case element < len(p.elements) && (p.elements[element] == lower(r) || p.elements[element] == anyOne):
			at += size
			element++
		case retry >= 0:
			_, skipped := utf8.DecodeRuneInString(text[retryAt:])
			retryAt += skipped
			at, element = retryAt, retry+1
		default:
			return false
		}
	}
	return element == len(p.elements) || element == len(p.elements)-1 && p.elements[element] == anyRun
}

// lower returns an ASCII letter in lower case, and each other character as it is.
func lower(r rune) rune {
	if r < utf8.RuneSelf {
		return rune(fold.Lower(byte(r)))
	}
	return r
}

// Rank tells how well a term finds a ship.
type Rank uint8

// The ranks, the better the higher.
const (
	NotFound Rank = iota
	FoundInside
	FoundPrefix
	FoundExact
)

// Term is a quick search: it finds a ship by name, call sign, MMSI or IMO number. Without a wildcard it is looked for
// anywhere inside them.
type Term struct {
	exact   pattern
	quick   []byte // for mayContain, when the term is ASCII without wildcards
	inside  pattern
	prefix  pattern
	numeric bool // may be part of a number
}

// ParseTerm reads a term. A number with IMO before it is looked for as the number alone.
func ParseTerm(text string) Term {
	if n, ok := NumberIMO(text); ok {
		text = strconv.FormatUint(uint64(n), 10)
	}
	exact := parsePattern(text)
	t := Term{inside: exact, exact: exact, numeric: true}
	ascii := !exact.wild
	for _, r := range exact.elements {
		ascii = ascii && r < utf8.RuneSelf
		t.numeric = t.numeric && (r < 0 || r >= '0' && r <= '9')
	}
	if exact.wild {
		return t
	}
	t.prefix = exact
	t.prefix.elements = append(slices.Clone(exact.elements), anyRun)
	t.inside.elements = append([]rune{anyRun}, t.prefix.elements...)
	if ascii {
		for _, r := range exact.elements {
			t.quick = append(t.quick, byte(r)|caseBit)
		}
	}
	return t
}

// matchCost returns what the term asks of a ship: the name and the call sign, and for digits the two numbers too.
func (t *Term) matchCost() int {
	cost := 2 * t.exact.matchCost()
	if t.numeric {
		cost += 2 * (costDigits + t.exact.matchCost())
	}
	return cost
}

// Rank tells how well the term finds s. The empty term finds none.
func (t *Term) Rank(s *State) Rank {
	if len(t.exact.elements) == 0 {
		return NotFound
	}
	best := NotFound
	if t.numeric {
		best = t.rankDigits(int64(s.MMSI), 9)
	}
	if known := s.Static; known != nil {
		best = max(best, t.rankText(known.Name), t.rankText(known.CallSign))
		if known.IMO != 0 && t.numeric {
			best = max(best, t.rankDigits(int64(known.IMO), 7))
		}
	}
	return best
}

func (t *Term) rankText(text string) Rank {
	switch {
	case text == "" || len(t.quick) > 0 && !mayContain(text, t.quick):
		return NotFound
	case fold.IsASCII(text):
		return t.rankPlain(trimmed(text))
	case !t.exact.wild:
		return t.rankPlain(fold.Plain(trimmed(text)))
	case t.exact.matchText(text):
		return FoundInside
	}
	return NotFound
}

// rankPlain ranks what is ASCII, or in the form of fold.Plain.
func (t *Term) rankPlain(text string) Rank {
	switch {
	case !t.inside.matchWhole(text):
		return NotFound
	case t.exact.wild || !t.prefix.matchWhole(text):
		return FoundInside
	case !t.exact.matchWhole(text):
		return FoundPrefix
	}
	return FoundExact
}

// caseBit is the bit that tells small letters from capitals in ASCII, and '{' from '[' too.
const caseBit = ' '

// mayContain sorts out in one quick pass nearly every text that does not contain part, which is not empty and has caseBit in each
// byte. It lets through some that do not contain it, and all texts that are not ASCII.
func mayContain(text string, part []byte) bool {
	var all byte
	for at := range len(text) {
		all |= text[at]
		if text[at]|caseBit != part[0] || len(text)-at < len(part) {
			continue
		}
		n := 1
		for n < len(part) && text[at+n]|caseBit == part[n] {
			n++
		}
		if n == len(part) {
			return true
		}
	}
	return all >= utf8.RuneSelf
}

func (t *Term) rankDigits(n int64, width int) Rank {
	var room [20]byte
	digits := string(appendDigits(room[:0], n, width))
	if len(t.quick) > 0 && !mayContain(digits, t.quick) {
		return NotFound
	}
	return t.rankPlain(digits)
}

// appendDigits appends a number as it is written: an MMSI of a coast station begins with zeros.
func appendDigits(to []byte, n int64, width int) []byte {
	start := len(to)
	to = strconv.AppendInt(to, n, 10)
	for len(to)-start < width {
		to = slices.Insert(to, start, '0')
	}
	return to
}

// MMSIText returns an MMSI with all its nine digits.
func MMSIText(m ais.MMSI) string { return string(appendDigits(nil, int64(m), 9)) }
