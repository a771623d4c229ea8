package pages

import "bytes"

// Suspect is a damaged value that a walk met, or several under one key.
type Suspect struct {
	Fault     // of the first of them; From and To enclose all
	Count int // of the values under this key
}

// Unsure reports whether the key does not say which values these are. It may be that several have it, that it does not belong where it stands, or that it was
// wiped. They are some of those with From <= key < To.
func (s *Suspect) Unsure() bool {
	return s.Count > 1 || s.Misplaced() || len(bytes.Trim(s.Key, "\x00")) == 0
}

// Suspects returns the faults of single values, those under one key of a bucket together.
func (t *Tree) Suspects() (list []Suspect) {
	at := map[string]int{}
	for _, f := range t.Faults {
		if f.Key == nil {
			continue
		}
		id := f.Path + "\x00" + string(f.Key)
		i, known := at[id]
		if !known {
			at[id] = len(list)
			list = append(list, Suspect{f, 1})
			continue
		}
		s := &list[i]
		s.Count++
		if bytes.Compare(f.From, s.From) < 0 {
			s.From = f.From
		}
		if s.To != nil && (f.To == nil || bytes.Compare(f.To, s.To) > 0) {
			s.To = f.To
		}
	}
	return list
}
