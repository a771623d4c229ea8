package ship

import (
	"unicode/utf8"

	"quaywatch/internal/fold"
)

// Signature says in 256 bits which short runs of characters the name, the call sign, the MMSI and the IMO number of a ship hold. There is a bit for each hash
// of three characters in a row, and of two if one is a letter. Too many numbers hold two digits. With it a search leaves out nearly all ships that it does not
// mean, without reading them.
type Signature [4]uint64

// Covers reports whether a ship with this signature may be one that asks for the other. It may be wrong, but never hides a ship.
func (s *Signature) Covers(asked Signature) bool {
	return s[0]&asked[0] == asked[0] && s[1]&asked[1] == asked[1] && s[2]&asked[2] == asked[2] && s[3]&asked[3] == asked[3]
}

// Signature returns that of what is known of the ship.
func (s *State) Signature() Signature {
	var g grams
	g.addNumber(uint64(s.MMSI), 9)
	if s.Static != nil {
		g.addText(s.Static.Name)
		g.addText(s.Static.CallSign)
		if s.Static.IMO != 0 {
			g.addNumber(uint64(s.Static.IMO), 7)
		}
	}
	return g.signature
}

// Signature returns the bits that each ship has that the term finds: none for a term that may find any ship.
func (t *Term) Signature() Signature {
	var g grams
	for _, r := range t.exact.elements {
		if r < 0 || r == utf8.RuneError { // a wildcard, or what match may take a letter for
			g.endRun()
		} else {
			g.add(r)
		}
	}
	return g.signature
}

// Signatures returns one signature for each field that is asked for: a ship that agrees in one of them covers its signature.
func (q Identity) Signatures() []Signature {
	var all []Signature
	note := func(given bool, take func(*grams)) {
		if given {
			var g grams
			take(&g)
			all = append(all, g.signature)
		}
	}
	note(q.MMSI != 0, func(g *grams) { g.addNumber(uint64(q.MMSI), 9) })
	note(q.IMO != 0, func(g *grams) { g.addNumber(uint64(q.IMO), 7) })
	note(folded(q.CallSign) != "", func(g *grams) { g.addText(q.CallSign) })
	note(folded(q.Name) != "", func(g *grams) { g.addText(q.Name) })
	return all
}

// grams collects the bits of texts.
type grams struct {
	signature Signature
	run       uint64 // the last three characters of the run, 21 bits each; 0 for one that is not there
}

const (
	characterBits   = 21
	twoCharacters   = 1<<(2*characterBits) - 1
	threeCharacters = 1<<(3*characterBits) - 1
)

// endRun ends a run of characters.
func (g *grams) endRun() { g.run = 0 }

// add takes the next character of a run, folded.
func (g *grams) add(r rune) {
	g.run = (g.run<<characterBits | uint64(r)) & threeCharacters
	if g.run > twoCharacters {
		g.setBit(g.run)
	}
	if pair := g.run & twoCharacters; pair>>characterBits > '9' || r > '9' && pair != uint64(r) {
		g.setBit(pair)
	}
}

// setBit sets the bit of two or three characters. Multiplying by 2⁶⁴ over the golden ratio spreads neighbouring characters.
func (g *grams) setBit(characters uint64) {
	h := characters * 0x9E3779B97F4A7C15 >> 56
	g.signature[h>>6] |= 1 << (h & 63)
}

func (g *grams) addText(text string) {
	g.endRun()
	text = trimmed(text)
	if !fold.IsASCII(text) {
		text = fold.Plain(text)
	}
	for _, r := range text {
		g.add(lower(r))
	}
}

// addNumber takes the digits of a number, with zeros before it up to the width.
func (g *grams) addNumber(n uint64, width int) {
	var run uint64 // from the last digit to the first
	for ; n > 0 || width > 0; n /= 10 {
		run = run>>characterBits | ('0'+n%10)<<(2*characterBits)
		if run&(1<<characterBits-1) != 0 {
			g.setBit(run)
		}
		width--
	}
}
