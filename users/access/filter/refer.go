package filter

import (
	"bytes"
	"slices"

	"quaywatch/form"
	"quaywatch/ship"
)

// Refers reports whether a key refers to something by its uid, or an expression by a word that means it.
func Refers(keys form.Keys, to form.Reference) bool {
	for _, raw := range keys {
		if to.UID != "" && bytes.Contains(raw, []byte(`"`+to.UID+`"`)) {
			return true
		}
	}
	if to.Means == nil {
		return false
	}
	return slices.ContainsFunc(WordsOf(keys), func(w Word) bool { return w.Kind == to.Kind && to.Means(w.Text) })
}

// Word is what an expression calls a ship list or shape, or a form.PortWord.
type Word struct{ Kind, Text string }

// WordsOf returns the words for ship lists, shapes and ports in the expression of a filter.
func WordsOf(keys form.Keys) (words []Word) {
	if text := get[string](keys, "expression"); text != "" {
		hear := func(kind, ref string) (form.Ref, bool) {
			words = append(words, Word{kind, ref})
			return form.Ref{}, true
		}
		_, _ = ship.ParseFilter(text, form.Asking(hear)) // it was checked when it was written
	}
	return words
}
