package access

// names is a set of names in their folded form.
type names map[string]struct{}

func namesOf(list []string) names {
	n := make(names, len(list))
	for _, one := range list {
		n[fold(one)] = struct{}{}
	}
	return n
}

// has tells whether a name is in the set. It is asked for every message: it allocates only for what is longer than any name, or
// is not ASCII.
func (n names) has(name string) bool {
	var room [96]byte
	folded, ok := foldASCII(room[:0], name)
	if !ok {
		_, ok = n[fold(name)]
		return ok
	}
	_, ok = n[string(folded)]
	return ok
}

func (n names) hasAny(list []string) bool {
	for _, one := range list {
		if n.has(one) {
			return true
		}
	}
	return false
}

// foldsTo tells whether fold gives that of a name, without an allocation for most: thousands of names are asked for each word of a filter.
func foldsTo(name, folded string) bool {
	var room [96]byte
	if b, ok := foldASCII(room[:0], name); ok {
		return string(b) == folded
	}
	return fold(name) == folded
}

// foldASCII writes what fold gives into b; not ok when that is not ASCII, or longer than b has room for.
func foldASCII(b []byte, name string) ([]byte, bool) {
	for i := 0; i < len(name); i++ {
		c := name[i]
		switch {
		case c >= 0x80 || len(b) == cap(b):
			return nil, false
		case c == ' ' || c >= '\t' && c <= '\r':
			if len(b) > 0 && b[len(b)-1] != ' ' {
				b = append(b, ' ')
			}
			continue
		case c >= 'A' && c <= 'Z':
			c += 'a' - 'A'
		}
		b = append(b, c)
	}
	if len(b) > 0 && b[len(b)-1] == ' ' {
		b = b[:len(b)-1]
	}
	return b, true
}
