package notify

import (
	"context"
	"errors"
	"slices"
	"strings"

	"quaywatch/engine/watchdogs"
	"quaywatch/internal/rule"
	"quaywatch/ship/watchdog"
	"quaywatch/users/access"
	"quaywatch/users/access/right"
)

// raisedBy finds the watchdog of the message, which must be on and name the target still. An event that a user made has none.
func (o *Outbox) raisedBy(m *Delivery, r *row) error {
	if m.Event.Manual != nil {
		return nil
	}
	var known bool
	if m.Watchdog, known = o.watchdog(r.Watchdog); !known || m.Watchdog.Watchdog == nil {
		return refusalOf(rule.New("watchdog_gone", "the watchdog was deleted"))
	}
	if !m.Watchdog.Watchdog.Enabled {
		return refusalOf(rule.New("watchdog_off", "the watchdog was turned off"))
	}
	if !r.Extra && !o.namesTarget(m, r) {
		return refusalOf(rule.New("target_gone", "the watchdog names it no longer"))
	}
	return nil
}

// nobodys tells the events that no owner answers for: those of people in distress, and those that users made.
func nobodys(e *watchdogs.Event) bool { return e.Manual != nil || e.Type == watchdog.Distress }

// answered puts into the message the user that answers for it, who must be told of the event by now. It asks what else a step of an alert needs. The owner of
// the watchdog answers; for what is nobody's the user that is told, and an administrator of watchdogs where that is no user.
func (o *Outbox) answered(ctx context.Context, m *Delivery, r *row) error {
	var err error
	switch {
	case !nobodys(&m.Event):
		err = o.answers(ctx, m, r, m.Watchdog.Owner)
	case r.Escalation != "":
		// escalated asks for the user that is told
	case isUser(r.Channel, r.To):
		err = o.toUser(ctx, m, r.To)
	default:
		err = o.byAdministrator(ctx, m, r)
	}
	if err == nil && r.Escalation != "" {
		err = o.escalated(ctx, m, r)
	}
	return err
}

// isUser reports whether a target is the uid of a user.
func isUser(channel, target string) bool {
	return (channel == Mail || channel == SMS) && !strings.ContainsAny(target, "@+")
}

// answers asks whether a user may be told of the event, and may send it to the target.
func (o *Outbox) answers(ctx context.Context, m *Delivery, r *row, uid string) error {
	if err := o.owned(ctx, m, uid, right.ViewWatchdog); err != nil {
		return err
	}
	if err := o.tells(m.Viewer, m.Owner, &m.Event, rule.New("owner_hidden", "the owner of the watchdog may not see the event")); err != nil {
		return err
	}
	if need, lacks := lacking(m.Owner, Needs(m.Owner, r.Channel, r.To)); lacks {
		return refusalOf(ownerLacks(need))
	}
	return nil
}

// toUser asks whether the user that a message goes to may be told of the event. It needs no right of anybody else.
func (o *Outbox) toUser(ctx context.Context, m *Delivery, uid string) error {
	user, err := o.recipient(uid)
	if err != nil {
		return &RefusedNotice{err}
	}
	v, err := o.config.Sight.Of(ctx, user, "user "+user.UID)
	if err != nil {
		return pausing(lookLater)
	}
	if m.Owner == nil {
		m.Owner, m.Viewer = user, v
	}
	return o.tells(v, user, &m.Event, rule.New("recipient_hidden", "the user may not see the event"))
}

// byAdministrator asks for one that answers: the user that changed the watchdog last, and else any that administers watchdogs, by name. So no account that is
// deleted ends the notices of people in distress.
func (o *Outbox) byAdministrator(ctx context.Context, m *Delivery, r *row) error {
	first := o.answers(ctx, m, r, m.Watchdog.Owner)
	var refused *RefusedNotice
	if !errors.As(first, &refused) {
		return first
	}
	for _, user := range o.config.Users.List() {
		if !user.May(right.AdminWatchdogDefinitions) {
			continue
		}
		if err := o.answers(ctx, m, r, user.UID); !errors.As(err, &refused) {
			return err
		}
	}
	return first
}

// namesTarget reports whether a watchdog still names the target of a notice.
func (o *Outbox) namesTarget(m *Delivery, r *row) bool {
	for i := range o.config.Channels {
		if c := &o.config.Channels[i]; c.Kind == r.Channel && slices.Contains(c.Targets(&m.Watchdog, &m.Event), r.To) {
			return true
		}
	}
	return false
}

// owned finds the owner of the message, who must be a user that may sign in and has a right, and what that user sees.
func (o *Outbox) owned(ctx context.Context, m *Delivery, uid string, need right.Name) (err error) {
	var known bool
	if m.Owner, known = o.user(uid); !known {
		return refusalOf(rule.New("owner_gone", "the owner is gone or disabled"))
	}
	if !m.Owner.May(need) {
		return refusalOf(ownerLacks(need))
	}
	if m.Viewer, err = o.config.Sight.Of(ctx, m.Owner, "user "+uid); err != nil && ctx.Err() == nil {
		return pausing(lookLater)
	}
	return err
}

// user returns a user that may sign in now.
func (o *Outbox) user(uid string) (*access.User, bool) {
	user, ok := o.config.Users.User(uid)
	return user, ok && uid != "" && user.UID == uid && user.Active(o.config.Now())
}

func ownerLacks(need right.Name) *rule.Rule {
	return rule.New("owner_lacks", "the owner lacks the right {right}", "right", need)
}
