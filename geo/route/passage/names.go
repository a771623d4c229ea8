package passage

import (
	"slices"
	"strings"
	"unicode"

	"quaywatch/internal/fold"
)

// Find returns the place in a table that All returned of the passage with a name, or another name. Case, marks and hyphens do not count, nor words that only say of what kind a
// water is. So "Straits of Dover" is Dover, and "Bab el Mandeb Strait" is Bab-el-Mandeb. A name that has such a word needs it: the North Sea is not the North
// Sea Canal.
func Find(all []Passage, name string) (int, bool) {
	whole, bare := nameKey(name), nameKey(name, "the", "of", "strait", "straits", "canal", "channel")
	for i, p := range all {
		if slices.Contains(p.keys, whole) || slices.Contains(p.keys, bare) {
			return i, true
		}
	}
	return 0, false
}

// nameKey returns a name in the form in which names are compared, without some words.
func nameKey(name string, without ...string) string {
	name = strings.ReplaceAll(fold.Plain(name), "'", "")
	words := strings.FieldsFunc(name, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != '&' })
	kept := words[:0]
	for _, word := range words {
		switch {
		case slices.Contains(without, word):
		case word == "st" || word == "ste" || word == "sainte":
			kept = append(kept, "saint")
		default:
			kept = append(kept, word)
		}
	}
	return strings.Join(kept, " ")
}

// Names returns the names of a table, in its order.
func Names(all []Passage) (names []string) {
	for _, p := range all {
		names = append(names, p.Name)
	}
	return names
}
