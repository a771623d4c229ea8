package ship

import (
	"unicode/utf8"

	"quaywatch/letters"
)

// Signature says in 256 bits which short runs of characters the name, the call sign, the MMSI and the IMO number of a ship hold. There is
// a bit for each hash of two or three characters in a row. With it a search leaves out nearly all ships that it does not mean, without
// reading them.
type Signature [4]uint64

// Covers tells whether a ship with this signature may be one that asks for the other. It may be wrong, but never hides a ship.
func (s *Signature) Covers(asked Signature) bool {
	return s[0]&asked[0] == asked[0] && s[1]&asked[1] == asked[1] && s[2]&asked[2] == asked[2] && s[3]&asked[3] == asked[3]
}

// Signature gives that of what is known of the ship.
func (s *State) Signature() Signature {
	var g grams
	g.number(int64(s.MMSI), 9)
	if s.Static != nil {
		g.text(s.Static.Name)
		g.text(s.Static.CallSign)
		if s.Static.IMO != 0 {
			g.number(int64(s.Static.IMO), 7)
		}
	}
	return g.signature
}

// Signature gives the bits that each ship has that the term finds: none for a term that may find any ship.
func (t *Term) Signature() Signature {
	var g grams
	for _, r := range t.exact.elements {
		if r < 0 || r == utf8.RuneError { // a wildcard, or what match may take a letter for
			g.end()
		} else {
			g.add(r)
		}
	}
	return g.signature
}

// Signatures gives one signature for each field that is asked for: a ship that agrees in one of them covers its signature.
func (q Identity) Signatures() []Signature {
	var all []Signature
	note := func(given bool, take func(*grams)) {
		if given {
			var g grams
			take(&g)
			all = append(all, g.signature)
		}
	}
	note(q.MMSI != 0, func(g *grams) { g.number(int64(q.MMSI), 9) })
	note(q.IMO != 0, func(g *grams) { g.number(int64(q.IMO), 7) })
	note(folded(q.CallSign) != "", func(g *grams) { g.text(q.CallSign) })
	note(folded(q.Name) != "", func(g *grams) { g.text(q.Name) })
	return all
}

// grams collects the bits of texts.
type grams struct {
	signature   Signature
	first, last rune // the two characters before
	length      int  // of the run so far, 2 at most
}

// end ends a run of characters.
func (g *grams) end() { g.length = 0 }

// add takes the next character of a run, folded.
func (g *grams) add(r rune) {
	if g.length > 0 {
		g.set(0, g.last, r)
	}
	if g.length > 1 {
		g.set(g.first, g.last, r)
	}
	g.first, g.last = g.last, r
	g.length = min(g.length+1, 2)
}

// set sets the bit of two or three characters. Multiplying by 2⁶⁴ over the golden ratio spreads neighbouring characters.
func (g *grams) set(a, b, c rune) {
	h := (uint64(a)<<42 ^ uint64(b)<<21 ^ uint64(c)) * 0x9E3779B97F4A7C15 >> 56
	g.signature[h>>6] |= 1 << (h & 63)
}

func (g *grams) text(text string) {
	g.end()
	text = trimmed(text)
	if !letters.IsASCII(text) {
		text = letters.Plain(text)
	}
	for _, r := range text {
		g.add(lower(r))
	}
}

func (g *grams) number(n int64, width int) {
	var digits [20]byte
	g.end()
	for _, d := range appendDigits(digits[:0], n, width) {
		g.add(rune(d))
	}
}
