package form

import (
	"strconv"
	"time"
)

// ChangedAt gives the time of a change: now, but later than the change before, also where the clock was set back, as it tells one
// revision from another.
func ChangedAt(was, now time.Time) time.Time {
	if now = now.UTC(); now.After(was) {
		return now
	}
	return was.Add(time.Nanosecond).UTC()
}

// Revision tells what was changed then from what it was before and will be.
func Revision(changed time.Time) string { return strconv.FormatInt(changed.UnixNano(), 36) }
