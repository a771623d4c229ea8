package request

import (
	"sync"
	"time"

	"quaywatch/users/access/right"
)

// How often equal denials are logged, and how many that differ are known.
const (
	denialEvery = time.Minute
	mostDenials = 1000
)

// denial is a call of a user that lacked a right.
type denial struct {
	user, route string
	right       right.Name
}

// denials counts equal denials, so that the log has one line of them a minute.
type denials struct {
	mu    sync.Mutex
	known map[denial]*deniedSince
}

// deniedSince is what happened since a line was logged.
type deniedSince struct {
	logged time.Time
	more   int
}

// countDenial counts a denial. It is true when the denial is to be logged, with the number of those that were not since the line before.
func (d *denials) countDenial(denied denial, now time.Time) (unlogged int, due bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	since := d.known[denied]
	switch {
	case since == nil:
		if d.known == nil || len(d.known) >= mostDenials {
			d.known = map[denial]*deniedSince{}
		}
		d.known[denied] = &deniedSince{logged: now}
		return 0, true
	case now.Sub(since.logged) < denialEvery:
		since.more++
		return 0, false
	}
	unlogged, *since = since.more, deniedSince{logged: now}
	return unlogged, true
}

// logDenied logs a denial, equal ones once a minute.
func (b *Base) logDenied(denied denial, now time.Time) {
	if unlogged, due := b.denied.countDenial(denied, now); due {
		b.Log.Warn("denied", "user", denied.user, "right", denied.right, "route", denied.route, "unlogged_before", unlogged)
	}
}
