package form

import (
	"cmp"
	"slices"

	"quaywatch/internal/fold"
	"quaywatch/internal/rule"
)

// Referrer is what refers to another. That is a user or group by a filter or as a member, or a ship list, shape or saved filter by its access list. Kind is the
// word of the interface.
type Referrer struct{ Kind, Name, UID string }

// Reference is what may be referred to: a thing of a kind, by its uid, or by a word of a filter that means it.
type Reference struct {
	Kind  string
	UID   string                 // "" is none
	Means func(word string) bool // nil is none
}

// ErrReferenced is the error of deleting or renaming what others still refer to.
var ErrReferenced = rule.New("referenced", "something still refers to it")

// Referenced is an ErrReferenced that names the referrers. By is empty for what is never deleted.
type Referenced struct{ By []Referrer }

// Error says that it is still referred to. What refers to it is not for everybody.
func (r *Referenced) Error() string { return ErrReferenced.Error() }

// Unwrap makes it an ErrReferenced.
func (r *Referenced) Unwrap() error { return ErrReferenced }

// SortReferrers sorts by kind and name.
func SortReferrers(by []Referrer) []Referrer {
	slices.SortFunc(by, func(a, b Referrer) int {
		return cmp.Or(cmp.Compare(a.Kind, b.Kind), cmp.Compare(fold.Name(a.Name), fold.Name(b.Name)))
	})
	return by
}
