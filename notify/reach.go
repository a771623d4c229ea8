package notify

import (
	"slices"
	"strings"

	"quaywatch/form/phone"
	"quaywatch/internal/rule"
	"quaywatch/users/access"
	"quaywatch/users/access/right"
	"quaywatch/users/library"
)

// The words of the channels. The targets of the first two are people: uids of users, or addresses.
const (
	Mail    = "mail"
	SMS     = "sms"
	Webhook = "webhook"
	MQTT    = "mqtt"
	Ship    = "ship" // to the ship itself, by radio
)

// Needs returns the rights that a notice by a channel to a target needs. The owner of a watchdog needs them, and whoever names the target in it. What is for
// SMS is the same as for mail, and what other programs get goes to others. What goes on air has a right of its own.
func Needs(owner *access.User, channel, target string) []right.Name {
	if channel == Ship {
		return []right.Name{right.SendMessages}
	}
	if (channel == Mail || channel == SMS) && isOwn(owner, channel, target) {
		return []right.Name{right.SendMail, right.AllowMailSelf}
	}
	return []right.Name{right.SendMail, right.AllowMailOtherUsers}
}

// isOwn reports whether a target is the owner itself.
func isOwn(owner *access.User, channel, target string) bool {
	own, ok := addressOf(owner, channel)
	return target == owner.UID || ok && strings.EqualFold(own, target)
}

// addressOf returns where a user is reached by a channel, false where it is not known.
func addressOf(user *access.User, channel string) (string, bool) {
	if channel == SMS {
		number, ok := phone.Parse(user.Phone)
		return string(number), ok
	}
	return user.Email, library.IsMailAddress(user.Email)
}

// Reach returns the address of a target: that of a user that may see watchdogs, or the target as it is. It fails with a rule that says why there is none.
func (o *Outbox) Reach(channel, target string) (string, error) {
	if channel != Mail && channel != SMS || strings.ContainsAny(target, "@+") {
		return target, nil
	}
	user, err := o.recipient(target)
	if err != nil {
		return "", err
	}
	return o.addressOf(user, channel)
}

// recipient returns a user that may see watchdogs now.
func (o *Outbox) recipient(uid string) (*access.User, error) {
	user, known := o.user(uid)
	if !known || !user.May(right.ViewWatchdog) {
		return nil, rule.New("recipient_gone", "the user is gone or disabled, or may not see watchdogs")
	}
	return user, nil
}

func (o *Outbox) addressOf(user *access.User, channel string) (string, error) {
	address, ok := addressOf(user, channel)
	if !ok {
		return "", rule.New("recipient_unreachable", "the user {name} has no address for {channel}", "name", user.Name, "channel", channel)
	}
	return address, nil
}

// Knows reports whether a channel is configured, and has a target of that name where its targets are named.
func (o *Outbox) Knows(channel, target string) bool {
	return slices.ContainsFunc(o.config.Channels, func(c Channel) bool {
		return c.Kind == channel && (c.Names == nil || slices.Contains(c.Names, target))
	})
}

// lacking returns a right that a user lacks.
func lacking(user *access.User, need []right.Name) (right.Name, bool) {
	for _, r := range need {
		if !user.May(r) {
			return r, true
		}
	}
	return "", false
}
