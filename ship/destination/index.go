package destination

import (
	"cmp"
	"hash/maphash"
	"slices"
	"strings"

	"quaywatch/geo/chart"
	"quaywatch/internal/fold"
)

// How good a name is. Of several ports with a name, those to which it belongs most are meant.
const (
	ownName   = iota // the name in the list, or what stands in it before a bracket or comma
	partName         // another part of the name in the list
	otherName        // another name
)

// candidate is a port that may be meant by a name.
type candidate struct {
	port *chart.Port
	rank int
}

// index finds ports by what was typed.
type index struct {
	names map[string][]candidate // by key
	loose map[string][]candidate // by looseKey
	first map[string][]candidate // by the first word of a longer name
	seed  maphash.Seed
	typos []typo            // by hash
	known []string          // keys, which typos count
	other map[string]bool   // keys of places that are not in the list, and look like one that is
	torn  map[string]bool   // keys of names that another port of the world has too
	heads map[string]bool   // names with which those of many other places begin
	leads map[string]bool   // words that may stand before a name
	chief map[string]string // by key the LOCODE of the port that is meant, where the list has several
}

// typo is a name with one letter left out.
type typo struct {
	hash uint64
	name int32 // in known
}

// shortestTypo is how long a name has to be for a typing mistake in it to be seen. Of shorter names too many are alike.
const shortestTypo = 7

func newIndex(ports *chart.Ports) index {
	x := index{names: map[string][]candidate{}, loose: map[string][]candidate{}, first: map[string][]candidate{}, seed: maphash.MakeSeed(),
		other: wordSet(otherPlaces), torn: wordSet(tornNames), heads: wordSet(heads), leads: wordSet(leads), chief: pairs(chiefPorts)}
	for _, port := range ports.All() {
		x.add(port)
	}
	for name, code := range pairs(shortForms) {
		if port, ok := ports.ByLOCODE(code); ok {
			x.addName(name, candidate{port, otherName})
		}
	}
	for name, all := range x.names {
		for _, c := range all {
			putCandidate(x.loose, looseKey(name), c)
		}
	}
	x.addTypos()
	return x
}

// add finds a port by all its names.
func (x *index) add(port *chart.Port) {
	own := fold.Plain(fold.Name(port.Name))
	x.addName(own, candidate{port, ownName})
	base, _, _ := strings.Cut(own, " (")
	base, _, _ = strings.Cut(base, ", ")
	x.addName(base, candidate{port, ownName})
	for _, alias := range port.Aliases {
		alias = fold.Plain(fold.Name(alias))
		rank := otherName
		if strings.Contains(own, alias) {
			rank = partName
		}
		x.addName(alias, candidate{port, rank})
	}
	if word, _, longer := strings.Cut(base, " "); longer && len(word) >= 4 {
		putCandidate(x.first, word, candidate{port, partName})
	}
}

// addName finds a port by a name in plain letters, and by the ways in which crews shorten it.
func (x *index) addName(plain string, c candidate) {
	putCandidate(x.names, keyOf(plain), c)
	for _, short := range [][2]string{{"saint ", "st "}, {"saint-", "st "}, {"santa ", "sta "}, {"puerto ", "pto "}, {"port ", "pt "}} {
		if rest, ok := strings.CutPrefix(plain, short[0]); ok {
			putCandidate(x.names, keyOf(short[1]+rest), c)
		}
	}
	if rest, ok := strings.CutSuffix(plain, " port"); ok {
		putCandidate(x.names, keyOf(rest), c)
	}
	if rest, ok := strings.CutPrefix(plain, "port of "); ok {
		putCandidate(x.names, keyOf(rest), c)
	}
}

// putCandidate adds a candidate, or the better rank of one that is there.
func putCandidate(to map[string][]candidate, key string, c candidate) {
	if key == "" {
		return
	}
	for i, there := range to[key] {
		if there.port == c.port {
			to[key][i].rank = min(there.rank, c.rank)
			return
		}
	}
	to[key] = append(to[key], c)
}

// looseKey writes a key as one hand of several could: oe, ae, ue and aa as o, a, u and a, and no letter twice.
func looseKey(key string) string {
	loose := make([]byte, 0, len(key))
	for i := 0; i < len(key); i++ {
		c := key[i]
		if n := len(loose); n > 0 && (loose[n-1] == c || c == 'e' && (loose[n-1] == 'o' || loose[n-1] == 'a' || loose[n-1] == 'u')) {
			continue
		}
		loose = append(loose, c)
	}
	return string(loose)
}

// addTypos remembers each longer name with each of its letters left out. Names of China are too much alike in Latin letters.
func (x *index) addTypos() {
	for name, all := range x.names {
		chinese := slices.ContainsFunc(all, func(c candidate) bool { return c.port.CountryCode() == "CN" })
		if len(name) < shortestTypo || chinese {
			continue
		}
		n := int32(len(x.known))
		x.known = append(x.known, name)
		x.typos = append(x.typos, typo{maphash.String(x.seed, name), n})
		for i := range len(name) {
			x.typos = append(x.typos, typo{x.without(name, i), n})
		}
	}
	slices.SortFunc(x.typos, func(a, b typo) int { return cmp.Or(cmp.Compare(a.hash, b.hash), cmp.Compare(a.name, b.name)) })
}

// without returns the hash of a name without one of its bytes.
func (x *index) without(name string, i int) uint64 {
	var h maphash.Hash
	h.SetSeed(x.seed)
	h.WriteString(name[:i])
	h.WriteString(name[i+1:])
	return h.Sum64()
}

// portNamed returns the port that has a name as it is typed, or nearly so. With countries it is one of theirs.
func (x *index) portNamed(key string, lands []string) *chart.Port {
	if port := x.choosePort(x.names[key], key, lands); port != nil || len(x.names[key]) > 0 || x.other[key] || len(key) < 4 {
		return port
	}
	return x.choosePort(x.loose[looseKey(key)], key, lands)
}

// choosePort returns the port that is meant by a name, nil when it may be several.
func (x *index) choosePort(all []candidate, key string, lands []string) *chart.Port {
	best, count := candidate{rank: otherName + 1}, 0
	byHand := false
	for _, c := range all {
		if lands != nil && c.port.LOCODE != "" && !slices.Contains(lands, c.port.CountryCode()) {
			continue
		}
		byHand = byHand || c.port.ID >= chart.FirstMadePort
		switch {
		case lands == nil && c.port.LOCODE != "" && c.port.LOCODE == x.chief[key]:
			return c.port
		case c.rank < best.rank:
			best, count = c, 1
		case c.rank == best.rank:
			count++
		}
	}
	if count != 1 || lands == nil && !byHand && (x.torn[key] || len(key) < 4 && best.rank != otherName) {
		return nil
	}
	return best.port
}

// mistyped returns the one port of which a name has one letter too much, too few, wrong, or two letters exchanged.
func (x *index) mistyped(key string, lands []string) *chart.Port {
	if len(key) < shortestTypo-1 || x.other[key] {
		return nil
	}
	like := x.addAlike(nil, key, maphash.String(x.seed, key), lands)
	for i := range len(key) {
		like = x.addAlike(like, key, x.without(key, i), lands)
	}
	if len(like) == 0 || slices.ContainsFunc(like, func(p *chart.Port) bool { return p != like[0] }) {
		return nil
	}
	return like[0]
}

// addAlike appends the ports whose names have a hash among theirs, and are one mistake away; nil for a name that several ports have.
func (x *index) addAlike(like []*chart.Port, key string, hash uint64, lands []string) []*chart.Port {
	from, _ := slices.BinarySearchFunc(x.typos, hash, func(t typo, hash uint64) int { return cmp.Compare(t.hash, hash) })
	for _, t := range x.typos[from:] {
		if t.hash != hash {
			break
		}
		name := x.known[t.name]
		if !oneMistake(key, name) {
			continue
		}
		if port := x.choosePort(x.names[name], name, lands); port != nil || lands == nil {
			like = append(like, port)
		}
	}
	return like
}

// oneMistake reports whether two keys differ by one letter, or by the order of two neighbours.
func oneMistake(a, b string) bool {
	if len(a) > len(b) {
		a, b = b, a
	}
	i := 0
	for i < len(a) && a[i] == b[i] {
		i++
	}
	switch {
	case len(b) == len(a)+1:
		return a[i:] == b[i+1:]
	case len(a) != len(b) || i == len(a):
		return a == b
	case a[i+1:] == b[i+1:]:
		return true
	}
	return i+1 < len(a) && a[i] == b[i+1] && a[i+1] == b[i] && a[i+2:] == b[i+2:]
}

// begun returns the one port of which a name begins with a key that was cut off.
func (x *index) begun(key string) *chart.Port {
	if len(key) < shortestTypo-1 {
		return nil
	}
	var found *chart.Port
	for name, all := range x.names {
		if !strings.HasPrefix(name, key) {
			continue
		}
		for _, c := range all {
			if found != nil && found != c.port {
				return nil
			}
			found = c.port
		}
	}
	return found
}
