package form

import "quaywatch/internal/rule"

// Errors of changing things. Those of the store are these too.
var (
	ErrNotFound = rule.New("no_such_thing", "there is none of that name")
	ErrTaken    = rule.New("taken", "the name or number is used already")
	ErrFull     = rule.New("disk_full", "the disk is full")
	ErrReadOnly = rule.New("store_read_only", "the store is read-only")
	ErrStale    = rule.New("changed_meanwhile", "somebody else changed it in the meantime; read it again")
)

// TooMany is the error of more than there may be; its rule says of what and how many.
type TooMany struct{ Rule *rule.Rule }

// Error returns the sentence.
func (t TooMany) Error() string { return t.Rule.Error() }

// Unwrap returns the rule.
func (t TooMany) Unwrap() error { return t.Rule }

// Room returns a TooMany error if a change makes the number larger and larger than the limit.
func Room(most, now, then int, why *rule.Rule) error {
	if then > most && then > now {
		return TooMany{why}
	}
	return nil
}
