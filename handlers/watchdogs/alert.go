package watchdogs

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"time"

	"quaywatch/engine/alert"
	"quaywatch/engine/watchdogs"
	"quaywatch/form"
	"quaywatch/sight"
	"quaywatch/sight/telling"
	"quaywatch/users/access"
)

// mostEvents is how many events of an alert an answer has, the latest.
const mostEvents = 100

// alertRecord is an alert as one caller sees it.
type alertRecord struct {
	ID             uint64        `json:"id"`
	Definition     uint64        `json:"definition_id,omitempty"` // none of an event that a user made
	Watchdog       string        `json:"watchdog"`
	Type           string        `json:"type"`
	Priority       string        `json:"priority"`
	State          string        `json:"state"`
	Mine           bool          `json:"mine"`
	Since          string        `json:"since"`
	Last           string        `json:"last"`
	SilencedUntil  string        `json:"silenced_until,omitempty"`
	SilencedFor    string        `json:"silenced_for,omitempty"` // from now on, also to a caller whose time is another
	With           []form.Ref    `json:"with,omitempty"`
	Transferred    *acknowledged `json:"transferred,omitempty"`
	Escalated      int           `json:"escalated,omitempty"`
	EscalatesAt    string        `json:"escalates_at,omitempty"`
	NotUseful      *acknowledged `json:"not_useful,omitempty"`
	Count          int           `json:"count"`
	Unacknowledged int           `json:"unacknowledged"`
	Standing       int           `json:"standing"`
	Events         []record      `json:"events"`
}

// seenAlert is an alert with what a caller sees of it.
type seenAlert struct {
	*telling.ToldAlert
	reader alert.Reader
}

// see returns what a caller sees of an alert; nil where it sees nothing, so that there is none. It is called in a turn of the caller.
func (s *Server) see(l *telling.Listener, a alert.Standing) *seenAlert {
	if looked := s.lookAtAlert(l, a); len(looked.Seen) > 0 {
		return looked
	}
	return nil
}

// lookAtAlert is see, also where the caller sees nothing by now.
func (s *Server) lookAtAlert(l *telling.Listener, a alert.Standing) *seenAlert {
	told := s.deps.Events.Alert(l, a)
	looked := &seenAlert{ToldAlert: told, reader: alert.Reader{Now: told.Now, Told: told.Told}}
	if len(told.Seen) > 0 {
		looked.reader.Mine = s.mine(l.User, a, told.Seen)
		looked.reader.Sees = told.Sees
	}
	return looked
}

// mine reports whether an alert sounds on the board of a user that sees some of it. One that is with users who are all gone by now, or may not see it, is
// everybody's.
func (s *Server) mine(user *access.User, a alert.Standing, seen []int) bool {
	if len(a.With) > 0 {
		return user.MayUse(form.Owned{ACL: a.With}, "") || !s.attended(a, seen)
	}
	return len(a.Later) == 0 || !user.MayUse(form.Owned{ACL: a.Later}, "")
}

// withUsers returns those that the alert is with, without those that may see nothing of what the reader sees.
func (a *seenAlert) withUsers(s *Server) []string {
	return slices.DeleteFunc(slices.Clone(a.With), func(uid string) bool { return !s.takesAlert(uid, a) })
}

// makeRecord returns the alert as it is written. A caller without a name is not told which users did something.
func (a *seenAlert) makeRecord(s *Server, v *sight.Viewer, named bool) alertRecord {
	state := a.State(a.reader)
	r := alertRecord{ID: a.ID, Definition: a.Watchdog, Watchdog: a.Name, Type: string(a.Type), Priority: string(a.Priority), State: string(state),
		Mine: a.reader.Mine, Count: len(a.Seen), Events: []record{}}
	first, last := int64(0), int64(0)
	for _, i := range a.Seen {
		p := &a.Parts[i]
		if first == 0 || p.At < first {
			first = p.At
		}
		last = max(last, p.At)
		if a.Priority.Latched() && p.Seen == 0 {
			r.Unacknowledged++
		}
		if a.Stands(p, a.reader) {
			r.Standing++
		}
	}
	r.Since, r.Last = timeText(time.UnixMilli(first)), timeText(time.UnixMilli(last))
	for _, i := range slices.Backward(a.Seen) {
		if len(r.Events) == mostEvents {
			break
		}
		r.Events = append(r.Events, s.keptRecord(v, partEvent(a.Events[i], &a.Parts[i]), named))
	}
	waits := state == alert.Active || state == alert.Silenced || state == alert.Transferred || state == alert.Rectified
	if waits && a.Priority.Latched() {
		r.With, r.Escalated = form.Finder(s.deps.Base.Users.Find).Named(a.withUsers(s)), a.Level
		if a.Due != 0 {
			r.EscalatesAt = timeText(time.UnixMilli(a.Due))
		}
		r.Transferred = markOf(a.Transfer, named)
	}
	if state == alert.Silenced {
		left := time.Duration(a.Silence.Until-a.reader.Now) * time.Millisecond
		r.SilencedUntil, r.SilencedFor = timeText(time.UnixMilli(a.Silence.Until)), form.DurationText(left+time.Second-1)
	}
	r.NotUseful = markOf(a.Useless, named)
	return r
}

// partEvent returns the event of a part, as far as the part knows more of it.
func partEvent(e *watchdogs.Event, p *alert.Part) *watchdogs.Event {
	event := *e
	event.Deactivated = cmp.Or(e.Deactivated, p.Over)
	if p.Instant {
		event.Deactivated = e.Deactivated
	}
	event.Acknowledged, event.By = cmp.Or(e.Acknowledged, p.Seen), cmp.Or(e.By, p.By)
	return &event
}

func markOf(m *alert.UserMark, named bool) *acknowledged {
	if m == nil {
		return nil
	}
	a := &acknowledged{Time: timeText(time.UnixMilli(m.At))}
	if named {
		a.User = m.By
	}
	return a
}

// currentAlerts returns the alerts that a caller sees, and that are not normal to it. One that is told late sees those too that are over by now.
func (s *Server) currentAlerts(ctx context.Context, v *sight.Viewer, user *access.User) (records []alertRecord, err error) {
	records = []alertRecord{}
	all, err := s.open(ctx, v)
	l := s.deps.Desk.ListenerOf(user, v)
	if err == nil {
		err = v.InTurns(ctx, len(all), func(i int) {
			if a := s.see(l, all[i]); a != nil && a.State(a.reader) != alert.Normal {
				records = append(records, a.makeRecord(s, v, user.UID != ""))
			}
		})
	}
	slices.SortFunc(records, func(a, b alertRecord) int { return cmp.Compare(a.ID, b.ID) })
	return records, err
}

// open returns the alerts that may not be normal to a caller. For one that is told late it reads the store.
func (s *Server) open(ctx context.Context, v *sight.Viewer) ([]alert.Standing, error) {
	all := s.deps.Alerts.Current()
	if !v.Late() {
		return all, nil
	}
	past, err := s.past(ctx, v, v.Now(), mostPast)
	return append(past, all...), err
}

// mostPast is how many alerts that are over are looked through for one answer.
const mostPast = 5000

// past reads the alerts that were put away since a time, at most so many, with their events. Those that are kept no longer are nil.
func (s *Server) past(ctx context.Context, v *sight.Viewer, since time.Time, most int) (all []alert.Standing, err error) {
	err = v.Read(ctx, func() error {
		return s.deps.Alerts.Past(since, func(a *alert.Alert) bool {
			all = append(all, s.withEvents(a))
			return len(all) < most
		})
	})
	return all, err
}

// withEvents reads the events of an alert that was put away. The caller has a turn of the store.
func (s *Server) withEvents(a *alert.Alert) alert.Standing {
	return s.deps.Events.OfAlert(a)
}

// latestAlerts returns the last alerts that a caller sees, at most so many, the earliest first.
func (s *Server) latestAlerts(ctx context.Context, v *sight.Viewer, user *access.User, most int) ([]alertRecord, error) {
	found := []alertRecord{}
	all := s.deps.Alerts.Current()
	past, err := s.past(ctx, v, time.Time{}, min(mostPast, 4*most))
	if err != nil {
		return nil, err
	}
	all = append(all, past...)
	slices.SortFunc(all, func(a, b alert.Standing) int { return cmp.Compare(b.ID, a.ID) })
	l := s.deps.Desk.ListenerOf(user, v)
	err = v.InTurns(ctx, len(all), func(i int) {
		if len(found) == most {
			return
		}
		if a := s.see(l, all[i]); a != nil {
			found = append(found, a.makeRecord(s, v, user.UID != ""))
		}
	})
	slices.Reverse(found)
	return found, err
}

// oneAlert returns what a caller sees of an alert, current or put away. It fails with alert.ErrUnknown where that is nothing.
func (s *Server) oneAlert(ctx context.Context, v *sight.Viewer, user *access.User, id uint64) (a *seenAlert, past bool, err error) {
	found, past, err := s.standing(ctx, v, id)
	if err == nil {
		err = v.InTurns(ctx, 1, func(int) { a = s.see(s.deps.Desk.ListenerOf(user, v), found) })
	}
	if err == nil && a == nil {
		err = alert.ErrUnknown
	}
	return a, past, err
}

// standing returns an alert, current or put away.
func (s *Server) standing(ctx context.Context, v *sight.Viewer, id uint64) (a alert.Standing, past bool, err error) {
	if a, current := s.deps.Alerts.One(id); current {
		return a, false, nil
	}
	err = v.Read(ctx, func() error {
		kept, err := s.deps.Alerts.OnePast(id)
		if err == nil {
			a = s.withEvents(kept)
		}
		return err
	})
	return a, true, err
}

// isUnknown reports whether there is no such alert, to the caller.
func isUnknown(err error) bool { return errors.Is(err, alert.ErrUnknown) }
