package ship

import (
	"slices"
	"strconv"
	"unicode"
	"unicode/utf8"

	"quaywatch/ais"
)

// pattern is text with wildcards: '*' stands for any run of characters, '?' for one.
type pattern struct {
	elements []rune // folded; anyRun and anyOne stand for the wildcards
	least    int    // characters that a text needs at the least
	wild     bool
}

const (
	anyRun rune = -1
	anyOne rune = -2
)

// parsePattern reads text in which a backslash makes the next character plain. Case, trailing '@' and blanks around
// the text do not count.
func parsePattern(text string) pattern {
	var p pattern
	escaped := false
	for _, r := range trimmed(text) {
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
		default:
			p.elements = append(p.elements, foldRune(r))
		}
		escaped = false
		p.least++
	}
	return p
}

func foldRune(r rune) rune {
	if r < utf8.RuneSelf {
		if r >= 'a' && r <= 'z' {
			return r - ('a' - 'A')
		}
		return r
	}
	return unicode.ToUpper(r)
}

// match tells whether the whole text matches. Time is bounded by the square of the length of the text, however the
// pattern looks: only the last '*' is ever tried again, and a pattern that needs more characters than there are fails
// at once.
func (p *pattern) match(text string) bool {
	text = trimmed(text)
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
		case element < len(p.elements) && (p.elements[element] == foldRune(r) || p.elements[element] == anyOne):
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
	plain   []byte // the folded term, when it is plain ASCII without wildcards
	inside  pattern
	prefix  pattern
	numeric bool // may be part of a number
}

// ParseTerm reads a term.
func ParseTerm(text string) Term {
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
		t.plain = []byte(string(exact.elements))
	}
	return t
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
		best = max(best, t.rank(known.Name), t.rank(known.CallSign))
		if known.IMO != 0 && t.numeric {
			best = max(best, t.rankDigits(int64(known.IMO), 7))
		}
	}
	return best
}

func (t *Term) rank(text string) Rank {
	if len(text) < t.exact.least || text == "" || len(t.plain) > 0 && !containsFolded(text, t.plain) {
		return NotFound
	}
	switch {
	case !t.inside.match(text):
		return NotFound
	case t.exact.wild || !t.prefix.match(text):
		return FoundInside
	case !t.exact.match(text):
		return FoundPrefix
	}
	return FoundExact
}

// containsFolded tells whether text, its ASCII letters in upper case, contains part. It sorts out in one quick pass
// nearly every ship that a term does not find.
func containsFolded(text string, part []byte) bool {
	for at := 0; at+len(part) <= len(text); at++ {
		n := 0
		for n < len(part) && foldByte(text[at+n]) == part[n] {
			n++
		}
		if n == len(part) {
			return true
		}
	}
	return false
}

func foldByte(c byte) byte {
	if c >= 'a' && c <= 'z' {
		return c - ('a' - 'A')
	}
	return c
}

func (t *Term) rankDigits(n int64, width int) Rank {
	var digits [20]byte
	return t.rank(string(appendDigits(digits[:0], n, width)))
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

// MMSIText gives an MMSI with all its nine digits.
func MMSIText(m ais.MMSI) string { return string(appendDigits(nil, int64(m), 9)) }
