package notify

import (
	"cmp"
	"context"
	"errors"
	"strings"
	"sync"
	"time"
	"unicode"

	"quaywatch/engine/watchdogs"
	"quaywatch/form"
	"quaywatch/internal/rule"
	"quaywatch/sight"
	"quaywatch/sight/telling"
	"quaywatch/users/access"
)

// graceful is how long a try that is under way may go on when the service stops. Cut off, it might be sent again.
const graceful = 2 * time.Second

// deliver sends the notices of a channel, each when it is due, until ctx is done and no try is under way.
func (o *Outbox) deliver(ctx context.Context, c *Channel) {
	var tries sync.WaitGroup
	defer tries.Wait()
	for ctx.Err() == nil {
		id, r := o.awaitNotice(ctx, c)
		if r == nil {
			return
		}
		tries.Go(func() {
			o.try(ctx, c, id, r)
			o.freeTarget(c, r)
		})
	}
}

// awaitNotice waits for a notice of a channel that is to be tried now, and takes its target. It returns none when ctx is done.
func (o *Outbox) awaitNotice(ctx context.Context, c *Channel) (uint64, *row) {
	for ctx.Err() == nil {
		news := o.news.Next()
		id, r, pause := o.dueNotice(c)
		if r != nil {
			return id, r
		}
		timer := time.NewTimer(pause)
		select {
		case <-ctx.Done():
		case <-news:
		case <-timer.C:
		}
		timer.Stop()
	}
	return 0, nil
}

// freeTarget lets the next notice go to a target.
func (o *Outbox) freeTarget(c *Channel, r *row) {
	o.mu.Lock()
	defer o.mu.Unlock()
	delete(o.taken, aim{c.Kind, r.To})
	if !r.isUrgent() {
		o.trying[c.Kind]--
	}
	o.news.Raise()
}

// try sends a notice where it may be sent, and stores what became of it.
func (o *Outbox) try(ctx context.Context, c *Channel, id uint64, r *row) {
	at := o.config.Now() // what says how long it waits meant from then on
	m, err := o.makeMessage(ctx, id, r)
	asked := err == nil
	if asked {
		limit := cmp.Or(c.Limit, usualLimit)
		sending, cancel := context.WithTimeout(context.WithoutCancel(ctx), limit)
		stop := context.AfterFunc(ctx, func() { time.AfterFunc(graceful, cancel) })
		err = c.Send(sending, m)
		stop()
		cancel()
		at = o.config.Now()
	}
	if err != nil && ctx.Err() != nil {
		return // it was cut off
	}
	now := *r
	if now.applyResult(err, asked, at) {
		o.pause(id, &now)
		return
	}
	var unreached interface{ Unreached() bool }
	o.judged(c, &now, errors.As(err, &unreached) && unreached.Unreached())
	for o.storeNotice(id, &now) != nil { // nothing else is sent to the target before it stands in the store: after a kill it would be sent again
		select {
		case <-ctx.Done():
			return
		case <-time.After(time.Second):
		}
	}
}

// pause keeps when a notice is looked at again in memory alone. An owner who is told late would have each look at each notice written to the disk. After a
// restart it is looked at at once.
func (o *Outbox) pause(id uint64, r *row) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if was := o.rows[id]; was != nil && was.State == Waiting { // else it gave way to others meanwhile
		o.rows[id] = r
	}
}

// pausing is the error of what has to wait.
type pausing time.Duration

func (pausing) Error() string         { return "it is not its turn" }
func (p pausing) Wait() time.Duration { return time.Duration(p) }

// applyResult takes what became of a try. It is true where it was not its turn.
func (r *row) applyResult(err error, asked bool, now time.Time) (paused bool) {
	var refused *RefusedNotice
	var permanent interface{ Permanent() bool }
	var wait interface{ Wait() time.Duration }
	at := now.UnixMilli()
	if errors.As(err, &wait) {
		r.Next = at + max(wait.Wait(), 100*time.Millisecond).Milliseconds()
		return true
	}
	if r.At, r.Error = at, ""; err != nil {
		r.Error = printableLine(err.Error(), mostError)
	}
	if asked {
		r.Tries++
	}
	retry := backoff(r.Tries).Milliseconds()
	switch {
	case err == nil:
		r.State = Sent
	case errors.As(err, &refused):
		r.State = Refused
	case errors.As(err, &permanent) && permanent.Permanent(), at-r.Made > givenUp.Milliseconds(), r.Test != "":
		r.State = Failed
	default:
		r.Next = at + retry
	}
	return false
}

// backoff returns how long to wait after so many tries that failed.
func backoff(tries int) time.Duration {
	return min(firstRetry<<min(max(tries, 1)-1, 16), lastRetry)
}

// steers reports whether a character is none of a text. Such is a control, or a character that breaks a line or changes the direction in which the rest is
// read.
func steers(c rune) bool {
	return unicode.IsControl(c) || unicode.In(c, unicode.Bidi_Control, unicode.Zl, unicode.Zp)
}

// printableLine returns a text in one line that a page or a log can show.
func printableLine(text string, most int) string {
	clean := strings.Map(func(c rune) rune {
		if steers(c) {
			return ' '
		}
		return c
	}, text)
	return form.Cut(strings.Join(strings.Fields(clean), " "), most)
}

// lookLater is when a notice is looked at again that its owner may not be told of yet, or that cannot be judged now. mostLater is the most.
const (
	lookLater = time.Second
	mostLater = 30 * time.Second
)

// makeMessage returns a notice as it is sent. It fails with a *RefusedNotice where the owner of the watchdog may not be told, and with Wait where it may later.
func (o *Outbox) makeMessage(ctx context.Context, id uint64, r *row) (*Delivery, error) {
	m := &Delivery{ID: o.box + "." + decimal(id), To: r.To, Channel: r.Channel, record: o.config.Record}
	if r.Letter != nil {
		return m, o.letter(ctx, m, r.Letter)
	}
	if r.Statistic != 0 {
		return m, o.parcel(ctx, m, r)
	}
	if r.Test != "" {
		return m, testTo(ctx, o, m, r)
	}
	var err error
	if m.Event, err = o.config.Watch.Get(r.Event); errors.Is(err, watchdogs.ErrUnknown) {
		return nil, refusalOf(rule.New("event_gone", "the event was deleted"))
	} else if err != nil {
		return nil, err
	}
	if err := o.raisedBy(m, r); err != nil {
		return nil, err
	}
	if err := o.answered(ctx, m, r); err != nil {
		return nil, err
	}
	if m.To, err = o.Reach(r.Channel, r.To); err != nil {
		return nil, &RefusedNotice{err}
	}
	return m, nil
}

// tells fails where a user is told of an event later, and with why where it is not.
func (o *Outbox) tells(v *sight.Viewer, user *access.User, e *watchdogs.Event, why *rule.Rule) error {
	switch judge := o.eventJudge(); judge.Of(judge.Listener(v, user), e) {
	case telling.Later:
		age := time.UnixMilli(e.Committed).Sub(v.Now())
		return pausing(max(lookLater, min(age, mostLater)))
	case telling.Hidden:
		return refusalOf(why)
	}
	return nil
}

func refusalOf(why *rule.Rule) error { return &RefusedNotice{why} }
