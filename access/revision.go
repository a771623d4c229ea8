package access

import (
	"strconv"
	"time"
)

// changedAt gives the time of a change: now, but later than the change before, also where the clock was set back, as it tells one
// revision from another.
func changedAt(was, now time.Time) time.Time {
	if now = now.UTC(); now.After(was) {
		return now
	}
	return was.Add(time.Nanosecond).UTC()
}

// revision tells what was changed then from what it was before and will be.
func revision(changed time.Time) string { return strconv.FormatInt(changed.UnixNano(), 36) }

// Revision is another one after each change of the user.
func (u *User) Revision() string { return revision(u.Changed) }

// Revision is another one after each change of the group; its members are not of the group.
func (g *Group) Revision() string { return revision(g.Changed) }

// Revision is another one after each change of the thing.
func (r *Resource) Revision() string { return revision(r.Changed) }

// Revision is another one after each change of the entry.
func (e *Registered) Revision() string { return revision(e.Updated) }
