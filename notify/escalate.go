package notify

import (
	"context"

	"quaywatch/engine/watchdogs"
	"quaywatch/internal/rule"
	"quaywatch/sight/telling"
	"quaywatch/users/access"
	"quaywatch/users/access/right"
)

// EscalationStep is a step of an alert that nobody acknowledged, to users.
type EscalationStep struct {
	Key    string         // of this step alone
	Events []uint64       // the activations that nobody acknowledged, the earliest first
	Users  []*access.User // those that it goes to
}

// Escalate has a channel tell users of an alert that went on to them. It tells each that may see watchdogs and has an address there. It tells of the earliest
// activation that both the user and the owner of the watchdog, if there is an owner, may see. It tells again those that were told of the activation itself.
// What has a key that it knows was told. It fails with ErrNoChannel, when ctx ends, and where the notices cannot be stored.
func (o *Outbox) Escalate(ctx context.Context, channel string, e EscalationStep) error {
	if !o.Has(channel) {
		return ErrNoChannel
	}
	events := o.ofOwner(ctx, o.events(e.Events))
	var rows []*row
	for _, user := range e.Users {
		if _, reached := addressOf(user, channel); !reached || !user.Active(o.config.Now()) || !user.May(right.ViewWatchdog) {
			continue
		}
		if of := o.visibleEvents(ctx, user, events); len(of) > 0 {
			r := o.makeNotice(of[0], channel, user.UID)
			r.Extra, r.Escalation = true, e.Key
			rows = append(rows, r)
		}
	}
	if ctx.Err() != nil || len(rows) == 0 {
		return ctx.Err()
	}
	o.writing.Lock()
	defer o.writing.Unlock()
	if o.knowsStep(e.Key) {
		return nil
	}
	return o.write(rows, 0)
}

// events returns those of some events that are kept.
func (o *Outbox) events(numbers []uint64) (events []*watchdogs.Event) {
	for _, n := range numbers {
		if e, err := o.config.Watch.Get(n); err == nil {
			events = append(events, &e)
		}
	}
	return events
}

// ofOwner returns those of the events of a watchdog that its owner is told of. Where these are none it returns all, and none is sent. What is nobody's has no
// owner that would hide it.
func (o *Outbox) ofOwner(ctx context.Context, events []*watchdogs.Event) []*watchdogs.Event {
	if len(events) == 0 {
		return nil
	}
	if nobodys(events[0]) {
		return events
	}
	if of, known := o.watchdog(events[0].Watchdog); known {
		if owner, known := o.user(of.Owner); known {
			if shown := o.visibleEvents(ctx, owner, events); len(shown) > 0 {
				return shown
			}
		}
	}
	return events
}

// visibleEvents returns those of some events that a user is told of, now or later. All of this is asked again when a notice is sent.
func (o *Outbox) visibleEvents(ctx context.Context, user *access.User, events []*watchdogs.Event) (shown []*watchdogs.Event) {
	v, err := o.config.Sight.Of(ctx, user, "user "+user.UID)
	if err != nil {
		return events
	}
	for _, e := range events {
		if judge := o.eventJudge(); judge.Of(judge.Listener(v, user), e) != telling.Hidden {
			shown = append(shown, e)
		}
	}
	return shown
}

// knowsStep reports whether there is a notice of a step.
func (o *Outbox) knowsStep(key string) bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	for _, r := range o.rows {
		if r.Escalation == key {
			return true
		}
	}
	return false
}

// escalated asks what else a notice of a step needs. Nobody may have acknowledged the event meanwhile, and the user that it is for must be allowed to see it by
// now.
func (o *Outbox) escalated(ctx context.Context, m *Delivery, r *row) error {
	m.Escalated = true
	if m.Event.Acknowledged != 0 {
		return refusalOf(rule.New("acknowledged_meanwhile", "a user acknowledged it before the mail went out"))
	}
	return o.toUser(ctx, m, r.To)
}
