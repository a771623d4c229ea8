package ship

import (
	"slices"
	"strings"
	"time"

	"quaywatch/ais"
	"quaywatch/geo"
	"quaywatch/letters"
)

// QuoteWords rewrites a filter of the time when no word had a meaning of its own. What would mean something else now is put into quotes, and picks what it
// picked then. gained has the values of comparisons, as "country = DK", that agreed with nothing then and name something now; they stay. A filter that cannot
// be read stays as it is. Rewriting twice changes nothing more.
func QuoteWords(text string) (now string, gained []string) {
	var runs [][]token
	p := filterParser{text: text, env: anything(), unworded: func(run []token) {
		if slices.ContainsFunc(run, func(t token) bool { return t.kind == tokenWord && (t.is("und") || t.is("oder") || t.is("nicht")) }) || anyMeans(run) {
			runs = append(runs, run)
		}
	}}
	p.compared = func(field string, c *comparison) {
		for _, v := range c.values {
			if gains(field, v.low) {
				gained = append(gained, field+" = "+v.low.text)
			}
		}
	}
	if _, err := p.parse(); err != nil {
		return text, nil
	}
	for _, run := range slices.Backward(runs) {
		text = text[:run[0].at] + quote(run) + text[run[len(run)-1].endOffset(text):]
	}
	return text, gained
}

// anything knows every name.
func anything() Lookup {
	none := func(string) (func(*State) bool, bool) { return func(*State) bool { return false }, true }
	nowhere := func(string) (func(*State, time.Time) bool, bool) {
		return func(*State, time.Time) bool { return false }, true
	}
	area := geo.NewArea(geo.Circle{Radius: 1})
	return Lookup{ShipList: none, Port: nowhere, Shape: func(string) (*geo.Area, bool) { return area, true }}
}

func anyMeans(run []token) bool {
	for at := range run {
		if _, count := meaningAt(run[at:]); count > 0 || countWords(run[at:], lexicon().bound) > 0 || countWords(run[at:], lexicon().calls) > 0 {
			return true
		}
	}
	return false
}

// quote returns the words as one string.
func quote(run []token) string {
	var b strings.Builder
	b.WriteByte('"')
	for i, t := range run {
		if i > 0 {
			b.WriteByte(' ')
		}
		for at := 0; at < len(t.text); at++ {
			switch {
			case t.text[at] == '\\' && at+1 < len(t.text):
				b.WriteByte('\\')
				at++
			case t.text[at] == '"':
				b.WriteByte('\\')
			}
			b.WriteByte(t.text[at])
		}
	}
	b.WriteByte('"')
	return b.String()
}

// gains reports whether a value agrees with more than it did when types had one word each and countries only their name.
func gains(field string, t token) bool {
	f := textFieldNamed(field)
	if f == nil || f.names == nil {
		return false
	}
	c := f.choice(t)
	switch field {
	case "type":
		return c.types != typeSet{} && (typeCodes(c.word) == nil || slices.Contains([]string{"wig", "leisure", "service", "authority"}, c.word))
	case "country":
		return c.country != "" && letters.Fold(countryName(c.country)) != letters.Fold(c.word)
	}
	return false
}

// countryName returns the name of a country by its code, as State.Country gives it.
func countryName(code string) string {
	const first, last = 201, 775 // maritime identification digits
	for mid := ais.MMSI(first); mid <= last; mid++ {
		if name, of, ok := (mid * 1_000_000).Country(); ok && of == code {
			return name
		}
	}
	return ""
}
