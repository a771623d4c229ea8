package destination

import (
	"strings"
	"unicode"
)

// The signs between the segments of a leg.
const (
	trip  = '-' // the ship goes from the one to the other
	aside = ',' // the second says more of the first
)

// segment is what stands between two signs: words in small letters, and the sign before them.
type segment struct {
	sign  byte
	words []string
}

// splitLegs takes a text apart into the legs of a voyage, and each leg into segments. A shuttle goes to and fro between two places.
func splitLegs(plain string) (legs [][]segment, shuttle bool) {
	var leg []segment
	sign, bracket := byte(trip), false
	for rest := plain; rest != ""; {
		var run string
		run, rest = firstRun(rest)
		switch mark := markOf(run); mark {
		case 0: // words
			for _, words := range trips(wordsOf(run)) {
				leg = append(leg, segment{sign, words})
				sign = trip
			}
		case '>':
			if bracket {
				sign, bracket = aside, false
				continue
			}
			legs, leg, sign = append(legs, leg), nil, trip
		case '<':
			sign, bracket = aside, true
		case '&':
			if strings.TrimSpace(rest) != "" && len(leg) > 0 {
				return nil, true
			}
		default:
			sign = mark
		}
	}
	return append(legs, leg), toAndFro(leg)
}

// firstRun cuts the first run of text or of signs off.
func firstRun(text string) (run, rest string) {
	sign := isSign(text[0])
	for i := range len(text) {
		if isSign(text[i]) != sign && !(sign && text[i] == ' ') {
			return text[:i], text[i:]
		}
	}
	return text, ""
}

func isSign(c byte) bool { return strings.IndexByte(`>-/\_|,()[]<&+=`, c) >= 0 }

// markOf returns what a run of signs means. It is '>' for the next leg, '<' for the begin of a bracket, and '&' for to and fro, a trip or an aside. It is 0 for
// text.
func markOf(run string) byte {
	switch {
	case !isSign(run[0]):
		return 0
	case strings.Contains(run, "<") && strings.Contains(run, ">"):
		return '&'
	case strings.Contains(run, ">"):
		return '>'
	case strings.Contains(run, "<"):
		return '<'
	case strings.ContainsAny(run, "&+="):
		return '&'
	case strings.ContainsAny(run, ",()[]"):
		return aside
	}
	return trip
}

// wordsOf returns the words of a run of text. Single letters with dots are one word ("U.K." is "uk"), and a 0 among letters is an o: LOCODEs
// have none.
func wordsOf(run string) []string {
	if strings.ContainsAny(run, "'`") {
		run = strings.ReplaceAll(strings.ReplaceAll(run, "'", ""), "`", "")
	}
	var words []string
	single := false // the last word is single letters with dots
	for rest := run; rest != ""; {
		end := strings.IndexFunc(rest, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
		if end < 0 {
			end = len(rest)
		}
		word, after := rest[:end], strings.TrimLeftFunc(rest[end:], func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
		dotted := len(word) == 1 && strings.HasPrefix(rest[end:], ".")
		switch {
		case word == "":
		case single && len(word) == 1:
			words[len(words)-1] += word
		default:
			words = append(words, withoutZero(word))
		}
		single = dotted
		rest = after
	}
	return words
}

// withoutZero writes a word as it is meant when a 0 stands among letters alone.
func withoutZero(word string) string {
	if len(word) < 4 || !strings.Contains(word, "0") || strings.ContainsAny(word, "123456789") || strings.Trim(word, "0") == "" {
		return word
	}
	return strings.ReplaceAll(word, "0", "o")
}

// trips takes words apart at "to". Before three letters it is the country of a LOCODE.
func trips(words []string) (parts [][]string) {
	start := 0
	for i, w := range words {
		if w == "to" && !(len(words) == 2 && i == 0 && len(words[1]) == 3) {
			if i > start {
				parts = append(parts, words[start:i])
			}
			start = i + 1
		}
	}
	if start < len(words) {
		parts = append(parts, words[start:])
	}
	return parts
}

// toAndFro tells a leg that says itself that it is one: "V.V.", "T/R", or that it ends where it begins.
func toAndFro(leg []segment) bool {
	if len(leg) == 0 {
		return false
	}
	last := leg[len(leg)-1].words
	if len(leg) > 1 && wordsKey(leg[0].words) == wordsKey(last) {
		return true
	}
	for _, s := range leg {
		for i, w := range s.words {
			between := i > 0 && i < len(s.words)-1
			if w == "vv" || w == "return" || w == "retour" || w == "shuttle" || w == "and" && between {
				return true
			}
		}
	}
	return false
}

// wordsKey returns words as names are compared: without what stands between them.
func wordsKey(words []string) string { return strings.Join(words, "") }

// keyOf returns the key of a name.
func keyOf(plain string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			return r
		}
		return -1
	}, plain)
}
