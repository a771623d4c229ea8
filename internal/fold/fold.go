// Package fold gives the forms in which names and other texts are compared. It opens nothing and keeps nothing.
//
// Names are the same if Name gives the same. What a user looks for is found if Plain gives the same. A keyboard may lack its letters, and AIS knows only those
// from A to Z.
package fold

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/cases"
	"golang.org/x/text/runes"
	"golang.org/x/text/transform"
	"golang.org/x/text/unicode/norm"
)

// Name returns a name in the form under which it is unique. Case does not count, nor white space at its ends and how much of it there is
// inside. The ways in which Unicode can write one letter ("é" and "e" with a mark behind it) are the same.
func Name(name string) string {
	var room [96]byte
	return string(AppendName(room[:0], name))
}

// AppendName appends to b what Name gives. It allocates only if name is not ASCII, or if b has no room.
func AppendName(b []byte, name string) []byte {
	start := len(b)
	for i := range len(name) {
		c := name[i]
		switch {
		case c >= utf8.RuneSelf:
			return append(b[:start], foldUnicode(name)...)
		case c == ' ' || c >= '\t' && c <= '\r':
			if len(b) > start && b[len(b)-1] != ' ' {
				b = append(b, ' ')
			}
			continue
		}
		b = append(b, Lower(c))
	}
	if len(b) > start && b[len(b)-1] == ' ' {
		b = b[:len(b)-1]
	}
	return b
}

// foldUnicode is canonical caseless matching (Unicode 3.13, D145), composed again, without the white space that does not count.
func foldUnicode(name string) string {
	folded := cases.Fold().String(norm.NFD.String(name))
	return strings.Join(strings.Fields(norm.NFC.String(folded)), " ")
}

// Lower returns an ASCII letter in lower case, and each other byte as it is.
func Lower(c byte) byte {
	if c >= 'A' && c <= 'Z' {
		c += 'a' - 'A'
	}
	return c
}

// Plain returns text in lower case and without the marks of its letters: "København" is "kobenhavn", "Ærø" is "aero". Letters of other
// scripts stay. White space counts, and so do marks that belong to another script.
func Plain(text string) string {
	if IsASCII(text) {
		return strings.ToLower(text)
	}
	// NFKD comes twice because folding may give letters that can be taken apart once more (Unicode 3.13, D146).
	text = norm.NFKD.String(cases.Fold().String(norm.NFKD.String(text)))
	text, _, err := transform.String(runes.Remove(runes.Predicate(isMark)), text)
	if err != nil { // no rune makes it fail
		return text
	}
	return wholeLetters().Replace(text)
}

// isMark tells the marks of Latin, Greek and Cyrillic letters, which stand behind the letter once it is taken apart.
func isMark(r rune) bool { return r >= 0x300 && r < 0x370 && unicode.Is(unicode.Mn, r) }

// wholeLetters writes the Latin letters that Unicode does not take apart as a keyboard without them does.
func wholeLetters() *strings.Replacer {
	return strings.NewReplacer(
		"æ", "ae", "đ", "d", "ð", "d", "ħ", "h", "ı", "i", "ł", "l", "ø", "o", "œ", "oe", "þ", "th", "ŧ", "t")
}

// IsASCII reports whether text has no other characters than those of ASCII.
func IsASCII(text string) bool {
	for i := range len(text) {
		if text[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}
