package ship

import (
	"testing"

	"pgregory.net/rapid"

	"quaywatch/ais"
)

// someText has few letters, so that terms find ships. Some have the same plain form, and one is no valid UTF-8.
func someText(t *rapid.T, label string, wild bool) string {
	all := []string{"A", "b", "B", "1", "2", " ", "ä", "Ä", "ß", "æ", "Ø", "a\u0308", "@", "\xff"}
	if wild {
		all = append(all, "*", "?", `\`)
	}
	text := ""
	for range rapid.IntRange(0, 6).Draw(t, label) {
		text += rapid.SampledFrom(all).Draw(t, label)
	}
	return text
}

// No ship that a term finds, or that agrees with an identity, is sorted out by its signature.
func TestASignatureHidesNoShip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		numbers := rapid.SampledFrom([]int64{1, 12, 2121, 211212121, 221000012, 9121221})
		s := State{MMSI: ais.MMSI(numbers.Draw(t, "mmsi"))}
		if rapid.Bool().Draw(t, "static") {
			s.Static = &Static{Name: someText(t, "name", false), CallSign: someText(t, "call sign", false), IMO: uint32(numbers.Draw(t, "imo"))}
		}
		signature := s.Signature()
		term := ParseTerm(someText(t, "term", true))
		if term.Rank(&s) != NotFound && !signature.Covers(term.Signature()) {
			t.Fatalf("%+v is found by %+v", s, term)
		}
		q := Identity{MMSI: ais.MMSI(numbers.Draw(t, "asked")), IMO: uint32(numbers.Draw(t, "asked imo")), Name: someText(t, "asked name", false),
			CallSign: someText(t, "asked sign", false)}
		covered := false
		for _, asked := range q.Signatures() {
			covered = covered || signature.Covers(asked)
		}
		if agree, _ := q.Compare(&s); agree != 0 && !covered {
			t.Fatalf("%+v agrees with %+v", s, q)
		}
	})
}
