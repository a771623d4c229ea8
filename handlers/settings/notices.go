package settings

import (
	"fmt"
	"slices"
	"strings"

	"quaywatch/form"
	"quaywatch/handlers/request"
	"quaywatch/internal/rule"
	"quaywatch/notify"
	"quaywatch/users/access"
	"quaywatch/users/library"
)

// told is the targets of one channel in a watchdog, with the key of its fields.
type told struct {
	key, channel string
	targets      []string
}

// toldBy returns the users and addresses that a watchdog tells.
func toldBy(w *library.Watchdog) []told {
	if w == nil {
		w = &library.Watchdog{}
	}
	all := []told{{"mail_to", notify.Mail, w.MailTo}, {"sms_to", notify.SMS, w.SMSTo}, {"webhooks", notify.Webhook, w.Webhooks}, {"mqtt", notify.MQTT, nil},
		{"send_ship_notification", notify.Ship, nil}}
	if w.MQTT {
		all[3].targets = []string{""}
	}
	if w.ShipNotification.Send { // another text takes the right anew
		all[4].targets = []string{fmt.Sprint(w.Broadcast, w.Text)}
	}
	return all
}

// Targets reads the targets of a body that are to be tested, as if they stood in a watchdog of the caller. What goes on air has no test.
func (s *Server) Targets(c *request.Request, f *form.Fields) (targets []notify.Target, err error) {
	b, r := shelf{s, library.Watchdogs}, library.Resource{Owned: form.Owned{Owner: c.Caller.User.UID}}
	if err := b.mayName(c, f, &r); err != nil {
		return nil, err
	}
	r.Watchdog = &library.Watchdog{}
	r.Watchdog.ApplyTargets(f, s.deps.Box.Find)
	if err := f.Err(); err != nil {
		return nil, err
	}
	if err := b.checkNotices(c, f, nil, &r); err != nil {
		return nil, err
	}
	for _, list := range toldBy(r.Watchdog) {
		for _, to := range list.targets {
			targets = append(targets, notify.Target{Channel: list.channel, To: to})
		}
	}
	return targets, nil
}

// mayName refuses a caller that may not name these targets, before it learns which users there are. What stays as it was needs no right.
func (b shelf) mayName(c *request.Request, f *form.Fields, r *library.Resource) error {
	var was library.Record
	if r.Watchdog != nil {
		was = b.deps.Library.Record(b.kind, r)
	}
	for _, list := range toldBy(was.Watchdog)[:2] {
		var texts []string
		trial := form.Of(form.Keys{list.key: f.Raw(list.key)})
		if trial.Into(list.key, &texts, rule.New("texts", "must be an array of strings")); trial.Err() != nil {
			continue
		}
		for _, text := range texts {
			if slices.Contains(list.targets, text) {
				continue
			}
			if strings.EqualFold(text, c.Caller.User.Name) {
				text = c.Caller.User.UID
			}
			if err := request.Entitled(c.Caller.User, notify.Needs(c.Caller.User, list.channel, text)...); err != nil {
				return err
			}
		}
	}
	return nil
}

// checkNotices refuses what is new of the notices of a watchdog where the box cannot send it. It also refuses what the owner or the caller may not have sent.
func (b shelf) checkNotices(c *request.Request, f *form.Fields, was *library.Watchdog, r *library.Resource) error {
	owner, known := b.deps.Users.User(r.Owner)
	if !known || owner.UID != r.Owner {
		owner = c.Caller.User
	}
	before := toldBy(was)
	for i, list := range toldBy(r.Watchdog) {
		for n, target := range list.targets {
			if slices.Contains(before[i].targets, target) {
				continue
			}
			if !b.deps.Notices.Has(list.channel) {
				f.Refuse(list.key, rule.New("no_channel", "cannot be: the configuration of this box has no {channel}", "channel", list.channel))
				break
			}
			for _, who := range []*access.User{c.Caller.User, owner} {
				if err := request.Entitled(who, notify.Needs(who, list.channel, target)...); err != nil {
					return err
				}
			}
			at := fmt.Sprintf("%s/%d", list.key, n)
			if !b.deps.Notices.Knows(list.channel, target) {
				f.Refuse(at, rule.New("no_webhook", "must be the name of a webhook of the configuration"))
			} else if _, err := b.deps.Notices.Reach(list.channel, target); err != nil {
				f.Check(at, err)
			}
		}
	}
	return f.Err()
}
