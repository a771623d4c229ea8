package form

import (
	"encoding/json"
	"slices"
	"strings"

	"quaywatch/internal/rule"
)

// Error is a field of a body, by JSON pointer, and the rule that it breaks. The pointer is empty for the body as a whole, and a name
// without a slash for a parameter of the query.
type Error struct {
	Pointer string
	Rule    *rule.Rule
}

// Error returns pointer and sentence; of the body as a whole the sentence alone.
func (e Error) Error() string { return strings.TrimSpace(e.Pointer + " " + e.Rule.Error()) }

// Unwrap returns the rule.
func (e Error) Unwrap() error { return e.Rule }

// MarshalJSON writes the error as the interface has it.
func (e Error) MarshalJSON() ([]byte, error) {
	text := struct {
		Pointer   *string        `json:"pointer,omitempty"`
		Parameter string         `json:"parameter,omitempty"`
		Detail    string         `json:"detail"`
		Rule      string         `json:"rule"`
		Params    map[string]any `json:"params,omitempty"`
	}{Detail: e.Rule.Error(), Rule: e.Rule.Word, Params: e.Rule.Params}
	if e.Pointer == "" || e.Pointer[0] == '/' {
		text.Pointer = &e.Pointer
	} else {
		text.Parameter = e.Pointer
	}
	return json.Marshal(text)
}

// Token writes a key as a part of a JSON pointer.
func Token(key string) string {
	return strings.ReplaceAll(strings.ReplaceAll(key, "~", "~0"), "/", "~1")
}

// Errors is all that is wrong with a body.
type Errors []Error

// Error returns the first one.
func (e Errors) Error() string { return e[0].Error() }

// Unwrap returns the first one.
func (e Errors) Unwrap() error { return e[0] }

// MaxErrors is how many errors of a body are told: the first ones.
const MaxErrors = 20

// addError takes an error while there is room for it.
func (e *Errors) addError(wrong Error) {
	if len(*e) < MaxErrors {
		*e = append(*e, wrong)
	}
}

// Full reports whether no further error is told.
func (e Errors) Full() bool { return len(e) >= MaxErrors }

// add notes an error, but not of what lies around or below a field that is noted already: that could not even be read.
func (e *Errors) add(wrong Error) {
	within := func(had Error) bool {
		return strings.HasPrefix(wrong.Pointer+"/", had.Pointer+"/") || strings.HasPrefix(had.Pointer+"/", wrong.Pointer+"/")
	}
	if !slices.ContainsFunc(*e, within) {
		e.addError(wrong)
	}
}
