package ship

import (
	"cmp"
	"slices"
	"strings"

	"quaywatch/ais"
	"quaywatch/internal/fold"
	"quaywatch/internal/rule"
)

// closedList is what the values of a field are taken from. A value that is none of them can hold of no ship: it is a slip of the keys.
type closedList struct {
	// has reports whether a value, as fold.Plain gives it, is on the list.
	has func(plain string) bool
	// words returns the usual values, from which the nearest are proposed.
	words func() []string
}

// closedListOf returns the list of a field; nil for a field that may have any text.
func closedListOf(field string) *closedList {
	switch field {
	case "type":
		return &closedList{has: isType, words: typeNames}
	case "class":
		return &closedList{has: func(plain string) bool { return slices.Contains(classNames(), plain) }, words: classNames}
	case "country", "country_code":
		return &closedList{has: isCountry, words: countryWords}
	}
	return nil
}

func isType(plain string) bool {
	_, isText := ParseType(plain)
	return isText || typesNamed(plain) != typeSet{}
}

// typeNames returns all words for types: those of AIS, and those of the groups in English and German.
func typeNames() []string {
	var words []string
	for code := range 256 {
		words = append(words, fold.Plain(TypeText(ais.ShipType(code))))
	}
	return append(words, strings.FieldsFunc(typeWords, func(r rune) bool { return r == '=' || r == '\n' })...)
}

func classNames() []string {
	var words []string
	for class := range ClassCount {
		words = append(words, fold.Plain(Class(class).String()))
	}
	return words
}

func isCountry(plain string) bool {
	return countryWritten(plain) != "" || lexicon().numbers[plain]
}

// countriesOfNumbers returns the names of the countries that have an MID, and their codes (ITU, Table of Maritime Identification Digits).
func countriesOfNumbers() []string {
	var names []string
	for mid := range ais.MMSI(1000) {
		if name, code, ok := (mid * 1e6).Country(); ok {
			names = append(names, fold.Plain(name), fold.Plain(code))
		}
	}
	return names
}

func countryWords() []string {
	return append(countriesOfNumbers(), strings.FieldsFunc(strings.ToLower(countryNames+alpha3), func(r rune) bool { return r == '=' || r == '\n' || r == ' ' })...)
}

// checkValue refuses a value that is not on the list, and proposes the nearest.
func (l *closedList) checkValue(field string, t token) *problem {
	text := trimmed(plainText(t))
	if l.has(fold.Plain(text)) {
		return nil
	}
	near := nearestWords(fold.Plain(text), l.words())
	if len(near) == 0 {
		return &problem{t.at, rule.New("unlisted_value", "'{value}' is no {field}", "value", text, "field", field)}
	}
	return &problem{t.at, rule.New("unlisted_value_near", "'{value}' is no {field}; near are {near}", "value", text, "field", field, "near", strings.Join(near, ", "))}
}

// nearestWords returns at most three words that a slip or two of the keys turn into text, the nearest first.
func nearestWords(text string, words []string) []string {
	type word struct {
		text  string
		slips int
	}
	var near []word
	most := 1 + len(text)/4
	for _, w := range words {
		if slips := slipsBetween(text, w, most); slips <= most && !isContrary(text, w) {
			near = append(near, word{w, slips})
		}
	}
	slices.SortFunc(near, func(a, b word) int { return cmp.Or(a.slips-b.slips, strings.Compare(a.text, b.text)) })
	near = slices.Compact(near)
	var found []string
	for _, w := range near[:min(len(near), 3)] {
		found = append(found, w.text)
	}
	return found
}

// isContrary reports whether text says the contrary of a word, as "unmoored": that is never meant by it.
func isContrary(text, word string) bool {
	before, found := strings.CutSuffix(text, word)
	return found && slices.Contains([]string{"un", "non", "non-", "no", "not ", "nicht ", "kein ", "in"}, before)
}

// slipsBetween returns how many letters must be put in, left out or changed to make b of a (the distance of Levenshtein). It returns most + 1 when they are
// more.
func slipsBetween(a, b string, most int) int {
	if len(a)-len(b) > most || len(b)-len(a) > most {
		return most + 1
	}
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		corner := row[0]
		row[0] = i + 1
		for j := range len(b) {
			changed := corner
			if a[i] != b[j] {
				changed++
			}
			corner = row[j+1]
			row[j+1] = min(changed, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(b)]
}
