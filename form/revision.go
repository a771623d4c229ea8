package form

import (
	"strconv"
	"time"
)

// ChangedAt returns the time of a change: now, but later than the change before, even if the clock was set back. The time tells one
// revision from another.
func ChangedAt(was, now time.Time) time.Time {
	if now = now.UTC(); now.After(was) {
		return now
	}
	return was.Add(time.Nanosecond).UTC()
}

// Revision returns the word that stands for the state of a thing at that time of change.
func Revision(changed time.Time) string { return strconv.FormatInt(changed.UnixNano(), 36) }
