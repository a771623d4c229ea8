package document

import (
	"fmt"

	"quaywatch/form"
	"quaywatch/internal/rule"
)

// Done is what an import did, or would do, to one thing.
type Done struct {
	Kind string `json:"kind"` // the word of the interface, as "user"
	Name string `json:"name"`
	What string `json:"what"` // "added", "changed", "unchanged", "removed"
}

// ImportReport is what an import did, or would do.
type ImportReport struct {
	Things  []Done   `json:"things"`
	Unarmed []string `json:"without_password"`         // users that cannot sign in until they get a password
	Strange []string `json:"not_configured,omitempty"` // feeds and outputs that settings and filters name and this box has not

	wrong  Error
	places map[string]string // the entries of the document, by the uid of what they mean
}

// Note notes what happens to a thing: was reports whether it exists already, changed whether it changes.
func (r *ImportReport) Note(kind, name string, was, changed bool) {
	what := "unchanged"
	switch {
	case !was:
		what = "added"
	case changed:
		what = "changed"
	}
	r.Things = append(r.Things, Done{kind, name, what})
}

// Removed notes that a thing is removed.
func (r *ImportReport) Removed(kind, name string) {
	r.Things = append(r.Things, Done{kind, name, "removed"})
}

// Refuse notes the rule that a thing of the document breaks, by key; the kind is empty where it is no one thing.
func (r *ImportReport) Refuse(kind, name, key string, why *rule.Rule) {
	text := why.Error()
	if key != "" {
		text = key + ": " + text
	}
	if kind != "" {
		text = fmt.Sprintf("%s %q: %s", kind, name, text)
	}
	r.addLine(text)
}

// addLine notes a line of what is wrong, as one of the first form.MaxErrors.
func (r *ImportReport) addLine(line string) {
	if r.isFull() {
		return
	}
	if r.wrong = append(r.wrong, line); r.isFull() {
		r.wrong = append(r.wrong, "only the first faults are told, and there may be more")
	}
}

// isFull reports whether no further line is told. Then the rest of the document is not read.
func (r *ImportReport) isFull() bool { return len(r.wrong) >= form.MaxErrors }

// Check notes the rule of an error that is of no one thing, where there is one.
func (r *ImportReport) Check(err error) {
	if err != nil {
		r.Refuse("", "", "", rule.Of(err))
	}
}
