package ships

import (
	"cmp"
	"context"
	"fmt"
	"net/http"
	"slices"
	"time"

	"quaywatch/ais"
	"quaywatch/handlers/request"
	"quaywatch/handlers/wire"
	"quaywatch/internal/rule"
	"quaywatch/ship"
	"quaywatch/sight"
	"quaywatch/users/access"
	"quaywatch/users/access/right"
)

// Bounds of the changes that one answer has. A day of a ship is read at once, and of its track one fix each second.
const (
	changesDefault = 100
	changesMost    = 500
	changesUsual   = 24 * time.Hour
	changesSpan    = 31 * 24 * time.Hour
	changesAtOnce  = 24 * time.Hour
	statusEach     = time.Second
)

// changesAnswer is what changed of a ship, the latest first.
type changesAnswer struct {
	MMSI    ais.MMSI `json:"mmsi"`
	From    string   `json:"from"` // from then on the answer has all changes
	More    bool     `json:"more"` // something may be known of before
	Records []change `json:"records"`
}

// changesQuestion is a question about what changed of a ship.
type changesQuestion struct {
	viewer     *sight.Viewer
	ship       ship.State
	begin, end time.Time
	since      time.Time // the caller may not look back further; zero for any time
	limit      int
	statuses   bool // the caller may know of the track, and so of the status

	list   []change
	from   time.Time // from then on all was read
	next   ship.Fix  // the first fix with a status of what was read
	hasFix bool
}

// pastChanges answers what changed of a ship: what its crew typed, its status, and what it is.
func (s *Server) pastChanges(c *request.Request) error {
	number, err := c.PathNumber("mmsi")
	if err != nil {
		return err
	}
	q, err := s.changesAsked(c)
	if err != nil {
		return err
	}
	if q.viewer, err = s.deps.Desk.Viewer(c); err != nil {
		return err
	}
	if q.ship, err = knownShip(q.viewer, number); err != nil {
		return err
	}
	answer, err := q.readChanges(c.HTTP.Context())
	if err != nil {
		return fmt.Errorf("changes of %d: %w", number, err)
	}
	return c.SendJSON(http.StatusOK, answer)
}

// changesAsked reads a question: of the last day where the caller does not say.
func (s *Server) changesAsked(c *request.Request) (*changesQuestion, error) {
	who, now := c.Caller.User, s.deps.Desk.Sight.Now()
	q := &changesQuestion{since: who.Earliest(now), statuses: who.May(right.ViewHistoricalTracks) && who.MayReport(access.ReportTrack)}
	var err error
	if q.limit, err = c.QueryWithin("limit", changesMost, changesDefault); err != nil {
		return nil, err
	}
	if q.end, err = c.QueryTime("end"); err != nil {
		return nil, err
	}
	if q.end.IsZero() {
		q.end = now.Add(time.Second)
	}
	span, err := c.QueryDuration("duration", changesUsual)
	if err != nil {
		return nil, err
	}
	if span > changesSpan {
		return nil, request.BadField("duration", rule.New("duration_long", "must be at most {hours} hours", "hours", int64(changesSpan/time.Hour)))
	}
	if q.begin = ship.Later(q.end.Add(-span), q.since); !q.begin.Before(q.end) {
		return q, s.deps.Desk.LookBack(who, q.end)
	}
	return q, nil
}

// readChanges reads the past of the ship back to the begin, or until there are enough changes.
func (q *changesQuestion) readChanges(ctx context.Context) (a changesAnswer, err error) {
	known := false
	for q.from = q.end; q.begin.Before(q.from) && len(q.list) < q.limit; {
		to := q.from
		q.from = ship.Later(to.Add(-changesAtOnce), q.begin)
		if known, err = q.readDescriptions(ctx, q.from, to); err != nil {
			return a, err
		}
		if _, err = q.readStatuses(ctx, q.from, to); err != nil {
			return a, err
		}
	}
	had, err := q.readStatuses(ctx, ship.Later(q.from.Add(-changesAtOnce), q.since), q.from) // which the first one of the time follows
	if err != nil {
		return a, err
	}
	first, _, err := q.viewer.Recorded(&q.ship, beginOfTime, q.from)
	if err != nil {
		return a, err
	}
	a.More = (known || had) && first.Before(q.from) && q.since.Before(q.from)
	slices.SortStableFunc(q.list, func(a, b change) int { return cmp.Compare(b.at, a.at) })
	if n := q.enough(); n < len(q.list) {
		q.list, q.from, a.More = q.list[:n], time.UnixMilli(q.list[n-1].at), true
	}
	a.MMSI, a.From, a.Records = q.ship.MMSI, wire.TimeText(q.from.UnixMilli()), append([]change{}, q.list...)
	return a, nil
}

// enough returns how many changes the answer has: the limit, and what changed at the moment of the last of these.
func (q *changesQuestion) enough() int {
	n := min(q.limit, len(q.list))
	for n > 0 && n < len(q.list) && q.list[n].at == q.list[n-1].at {
		n++
	}
	return n
}

// readDescriptions reads what changed of what the ship is and what its crew typed, and reports whether something was known before.
func (q *changesQuestion) readDescriptions(ctx context.Context, from, to time.Time) (known bool, err error) {
	all, err := sight.Revisions(ctx, q.viewer, &q.ship, from.Add(-time.Millisecond), to) // what held before a change at the begin
	for i := 1; i < len(all); i++ {
		q.list = append(q.list, differences(&all[i-1], &all[i])...)
	}
	return len(all) > 0 && all[0].From < from.UnixMilli(), err
}

// readStatuses reads the changes of the status up to that of the first fix that was read before. It reports whether there was a status.
func (q *changesQuestion) readStatuses(ctx context.Context, from, to time.Time) (found bool, err error) {
	if !q.statuses || !from.Before(to) {
		return false, nil
	}
	track, err := q.viewer.Track(ctx, &q.ship, from, to, statusEach, mostFixes)
	if err != nil {
		return false, err
	}
	for _, f := range slices.Backward(track) {
		if f.Status == ais.StatusUndefined {
			continue
		}
		if q.hasFix && f.Status != q.next.Status && !q.next.Time().Before(q.from) {
			q.list = append(q.list, statusChange(f, q.next))
		}
		q.next, q.hasFix, found = f, true, true
	}
	return found, nil
}
