package destination

import (
	"slices"
	"strings"

	"quaywatch/geo/chart"
)

// reading is what a segment says.
type reading struct {
	port *chart.Port
	code bool // by its LOCODE
	mute bool // it names no place at all: "anchorage", "pilot"
}

// portOfLeg returns the port to which a leg goes; cut says that the text may have been cut off.
func (r *Reader) portOfLeg(leg []segment, cut bool) *chart.Port {
	leg = r.joinCountries(leg)
	if port, known := r.readWholeLeg(leg); known {
		return port
	}
	var read []reading
	var signs []byte
	for i, s := range leg {
		heard := r.readSegment(s.words, cut && i == len(leg)-1)
		if heard.mute || i > 0 && s.sign == trip && heard.port == nil && isBerth(s.words) {
			continue
		}
		read, signs = append(read, heard), append(signs, s.sign)
	}
	return goal(read, signs)
}

// readWholeLeg reads a leg that is one LOCODE or one name, whatever signs are in it: "BE_ZEE", "SAINT-NAZAIRE". It is known too when it is a place
// that is not in the list.
func (r *Reader) readWholeLeg(leg []segment) (port *chart.Port, known bool) {
	var words []string
	for _, s := range leg {
		words = append(words, s.words...)
	}
	if port, n := r.leadingCode(words); n > 0 && n == len(words) {
		return port, true
	}
	k := wordsKey(words)
	if r.words[k] == 0 {
		port = r.portNamed(k, nil)
	}
	return port, port != nil || r.other[k]
}

// goal returns the port of the last stop of a leg. A leg that was at that port before goes to and fro.
func goal(read []reading, signs []byte) *chart.Port {
	var stops []reading
	for i, heard := range read {
		last := len(stops) - 1
		switch {
		case i == 0:
			stops = append(stops, heard)
		case signs[i] == aside && (heard.port == nil || heard.port == stops[last].port):
			// it says no more than the one before
		case heard.port != nil && heard.port == stops[last].port && heard.code != stops[last].code:
			// "HAMBURG DEHAM"
		case signs[i] == aside:
			return nil // two places, and none is said to be the next
		default:
			stops = append(stops, heard)
		}
	}
	for i, stop := range stops {
		if i == len(stops)-1 {
			return stop.port
		}
		if stop.port == stops[len(stops)-1].port {
			return nil
		}
	}
	return nil
}

// joinCountries puts a segment that is a country behind the one before it: "HAMBURG/GERMANY" is "HAMBURG GERMANY".
func (r *Reader) joinCountries(leg []segment) (joined []segment) {
	for _, s := range leg {
		k := wordsKey(s.words)
		if len(joined) > 0 && len(s.words) > 0 && r.lands[k] != nil && (s.sign == aside || len(r.names[k]) == 0) {
			last := &joined[len(joined)-1]
			last.words = slices.Concat(last.words, s.words)
			continue
		}
		joined = append(joined, s)
	}
	return joined
}

// isBerth tells words that name a place inside a port: one has a digit, or there are at most two letters.
func isBerth(words []string) bool {
	return len(wordsKey(words)) <= 2 || slices.ContainsFunc(words, func(w string) bool { return strings.ContainsAny(w, "0123456789") })
}

// leadingCode returns the port of a LOCODE with which words begin, and how many of them it takes.
func (r *Reader) leadingCode(words []string) (*chart.Port, int) {
	if len(words) > 0 && len(words[0]) == 5 {
		if port := r.code(words[0]); port != nil {
			return port, 1
		}
	}
	if len(words) > 1 && len(words[0]) == 2 && len(words[1]) == 3 {
		if port := r.code(words[0] + words[1]); port != nil {
			return port, 2
		}
	}
	if len(words) == 2 && len(words[0]) == 3 && len(words[1]) == 2 { // "LYT NZ"
		if port := r.code(words[1] + words[0]); port != nil {
			return port, 2
		}
	}
	return nil, 0
}

// readSegment reads the words between two signs.
func (r *Reader) readSegment(words []string, cut bool) reading {
	words = r.withoutRemark(words)
	if port, n := r.leadingCode(words); port != nil {
		if other := r.anyName(words[n:]); other != nil && other != port {
			return reading{}
		}
		return reading{port: port, code: true}
	}
	if port := r.portNamed(wordsKey(words), nil); port != nil && r.words[wordsKey(words)] == 0 {
		return reading{port: port}
	}
	words = r.withoutQualifiers(words)
	if len(words) == 0 {
		return reading{mute: true}
	}
	if rest, lands := r.countryBehind(words); lands != nil {
		port := r.readPlace(r.withoutQualifiers(rest), lands, cut)
		if port == nil && cut { // "LAS PALMAS DE"
			port = r.begun(wordsKey(words))
		}
		return reading{port: port}
	}
	if rest, lands := r.countryBefore(words); lands != nil {
		if port := r.readPlace(r.withoutQualifiers(rest), lands, cut); port != nil {
			return reading{port: port}
		}
	}
	return reading{port: r.readPlace(words, nil, cut)}
}

// readPlace reads words that name a place, in one of the countries if there are any.
func (r *Reader) readPlace(words, lands []string, cut bool) *chart.Port {
	if len(words) == 0 {
		return nil
	}
	k := wordsKey(words)
	port := r.portNamed(k, lands)
	if port == nil && lands != nil {
		port = r.choosePort(r.first[k], k, lands)
	}
	if port != nil || len(r.names[k]) > 0 {
		return port
	}
	if port := r.mistyped(k, lands); port != nil {
		return port
	}
	if cut {
		if port := r.begun(k); port != nil {
			return port
		}
	}
	return r.leadingName(words, lands)
}

// leadingName reads a name and, behind it, what crews add: a terminal, a quay. Words that make another place of it, or another port, are
// none.
func (r *Reader) leadingName(words, lands []string) *chart.Port {
	if slices.ContainsFunc(words, func(w string) bool { return r.words[w] == elsewhere }) {
		return nil
	}
	for n := len(words) - 1; n > 0; n-- {
		k := wordsKey(words[:n])
		if len(k) < 5 || r.words[k] != 0 || r.heads[k] {
			continue
		}
		if port := r.portNamed(k, lands); port != nil {
			rest := words[n:]
			other := r.anyName(rest)
			again := slices.Contains(rest, words[0]) // to and fro
			if r.words[rest[0]] == joint || other != nil && other != port || again {
				return nil
			}
			return port
		}
	}
	return nil
}

// anyName returns the first port that one or more of the words name.
func (r *Reader) anyName(words []string) *chart.Port {
	for i := range words {
		if port, n := r.leadingCode(words[i:]); n > 0 {
			return port
		}
		for n := len(words); n > i; n-- {
			if k := wordsKey(words[i:n]); len(k) >= 4 && r.words[k] == 0 {
				if port := r.portNamed(k, nil); port != nil {
					return port
				}
			}
		}
	}
	return nil
}

// withoutRemark cuts off what is no place: "VIA NOK", "FOR ORDERS", "ETA 1200", a telephone number.
func (r *Reader) withoutRemark(words []string) []string {
	for i, w := range words {
		if r.words[w] == remark {
			return words[:i]
		}
		if w == "mobile" && i+1 < len(words) && strings.ContainsAny(words[i+1], "0123456789") {
			return words[:i]
		}
	}
	return words
}

// withoutQualifiers takes away words around a name that leave its meaning: "OFF TOKYO", "SKAW ROADS", "PORT OF HULL".
func (r *Reader) withoutQualifiers(words []string) []string {
	for n := len(words); n > 0; n = len(words) {
		area := n > 1 && words[n-1] == "area" && r.words[words[n-2]] == qualifier
		if !area && !r.qualifies(words[n-1]) {
			break
		}
		words = words[:n-1]
	}
	for len(words) > 0 && r.leads[words[0]] {
		words = words[1:]
	}
	if len(words) > 2 && slices.Contains(portWords(), words[0]) && slices.Contains(ofWords(), words[1]) {
		words = words[2:]
	}
	return words
}

func portWords() []string { return []string{"port", "porto", "puerto"} }
func ofWords() []string   { return []string{"of", "de", "di", "da", "do", "del"} }

// qualifies tells a word that may stand behind a name.
func (r *Reader) qualifies(word string) bool {
	return r.words[word] == qualifier || len(word) == 1 || strings.Trim(word, "0123456789") == ""
}

// countryBehind takes a country or a state from the end of words, and returns the codes that it may mean; nil for none.
func (r *Reader) countryBehind(words []string) (rest, lands []string) {
	for n := min(4, len(words)-1); n > 0; n-- {
		if lands := r.lands[wordsKey(words[len(words)-n:])]; lands != nil {
			return words[:len(words)-n], lands
		}
	}
	return words, nil
}

// countryBefore takes a country from the beginning of words.
func (r *Reader) countryBefore(words []string) (rest, lands []string) {
	for n := min(3, len(words)-1); n > 0; n-- {
		if lands := r.lands[wordsKey(words[:n])]; lands != nil {
			return words[n:], lands
		}
	}
	return words, nil
}
