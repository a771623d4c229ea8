package app

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"time"

	"quaywatch/box/health"
	"quaywatch/engine/alert"
	"quaywatch/handlers/watchdogs"
	"quaywatch/handlers/wire"
	"quaywatch/notify"
	"quaywatch/notify/hail"
	"quaywatch/notify/mail"
	"quaywatch/notify/redirect"
	"quaywatch/ship"
	"quaywatch/users/access"
	"quaywatch/users/access/right"
)

// openNotices makes the outbox of what watchdogs tell others. Its channels are those that the configuration has.
func (a *App) openNotices() (err error) {
	channels, err := a.channels()
	if err != nil {
		return err
	}
	a.outbox, err = notify.Open(notify.Config{
		DB: a.db.Database, Watch: a.watch, Library: a.Library, Users: a.Users, Sight: a.sight, Channels: channels, Record: watchdogs.Record,
		Silent: a.isSilent(), Now: a.NoticeClock, Log: a.Log,
	})
	a.forward = redirect.New(redirect.Config{Users: a.Users, Sight: a.sight, Outbox: a.outbox, Log: a.Log})
	return err
}

// isSilent reports whether nothing goes out: of a demo, a replay and a recorded log.
func (a *App) isSilent() bool { return a.Silent || a.Config.LogClock() }

// outboxHealth returns how the notices are, for the monitor.
func (a *App) outboxHealth() health.OutboxHealth {
	s := a.outbox.Status()
	o := health.OutboxHealth{Waiting: s.Waiting, Pushed: s.Pushed}
	for _, t := range s.Trouble {
		if o.Failing = append(o.Failing, t.Channel); o.Since.IsZero() || t.Since.Before(o.Since) {
			o.Since, o.Reason = t.Since, t.Error
		}
	}
	return o
}

// channels lists the ways out that the configuration has.
func (a *App) channels() (list []notify.Channel, err error) {
	list = append(list, hail.Channel(a.safety, nil))
	if o := a.Config.MailOptions(); o.On() {
		o.Attach = trackOf
		c, err := mail.Channel(o)
		if err != nil {
			return nil, fmt.Errorf("mail: %w", err)
		}
		list = append(list, c)
	}
	for _, entry := range []struct {
		on   bool
		make func() (notify.Channel, error)
	}{{a.Config.SMS.On(), a.smsChannel}, {len(a.Config.Webhook) > 0, a.webhookChannel}, {a.Config.MQTT.URL != "", a.mqttChannel}} {
		if !entry.on {
			continue
		}
		c, err := entry.make()
		if err != nil {
			return nil, err
		}
		list = append(list, c)
	}
	return list, nil
}

// mostEscalated bounds the users that are told of one step of an alert.
const mostEscalated = 500

// escalated mails to those that an alert went on to. Without [mail] nobody is told.
func (a *App) escalated(ctx context.Context, order alert.TellOrder) error {
	users := a.usersNamed(order.To)
	if len(users) > mostEscalated {
		a.Log.Warn("an alert that nobody acknowledged goes on to too many users to mail to all", "users", len(users), "most", mostEscalated)
		users = users[:mostEscalated]
	}
	err := a.outbox.Escalate(ctx, notify.Mail, notify.EscalationStep{Key: order.Key, Events: order.Events, Users: users})
	if errors.Is(err, notify.ErrNoChannel) {
		return nil
	}
	return err
}

// usersNamed returns the users that are meant by uids of groups and users, each once.
func (a *App) usersNamed(uids []string) (users []*access.User) {
	seen := map[string]bool{}
	for _, uid := range uids {
		members := a.Users.Groups().Members(uid)
		if user, known := a.Users.User(uid); known && user.UID == uid {
			members = append(members, user)
		}
		for _, user := range members {
			if !seen[user.UID] {
				users = append(users, user)
			}
			seen[user.UID] = true
		}
	}
	return users
}

// What a mail has of a track.
const (
	trackLength = time.Hour
	mostFixes   = 5000
)

// trackOf returns the track of the ship of a notice in the hour before, as the owner of the watchdog may see and download it. A notice does without it
// where there is none, and where it goes to a user that may see less.
func trackOf(ctx context.Context, m *notify.Delivery) (file mail.Attachment, ok bool) {
	if m.Escalated {
		return file, false
	}
	for _, r := range []right.Name{right.AllowMailAttachments, right.ViewHistoricalTracks, right.DownloadHistoricalTracks} {
		if !m.Owner.May(r) {
			return file, false
		}
	}
	end := m.Event.At()
	begin := ship.Later(end.Add(-trackLength), m.Owner.Earliest(m.Viewer.Now()))
	ship, err := m.Viewer.Ship(m.Event.Ship.MMSI)
	if err != nil {
		return file, false
	}
	track, err := m.Viewer.Track(ctx, &ship, begin, end.Add(time.Second), 0, mostFixes)
	if err != nil || len(track) == 0 {
		return file, false
	}
	var text bytes.Buffer
	wire.TrackGPX(&text, &ship, track)
	return mail.Attachment{Name: fmt.Sprintf("%09d-%s.gpx", ship.MMSI, end.Format("20060102T150405Z")), Bytes: text.Bytes()}, true
}
