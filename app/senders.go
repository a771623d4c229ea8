package app

import (
	"context"
	"encoding/json"
	"fmt"
	"strconv"
	"time"

	"quaywatch/engine/watchdogs"
	"quaywatch/form/phone"
	"quaywatch/handlers/tracking"
	"quaywatch/internal/rule"
	"quaywatch/notify"
	"quaywatch/notify/mqtt"
	"quaywatch/notify/outbound"
	"quaywatch/notify/sms"
	"quaywatch/notify/webhook"
	"quaywatch/sight"
	"quaywatch/sight/telling"
	"quaywatch/users/access"
	"quaywatch/users/access/right"
	"quaywatch/users/library"
)

// smsChannel returns the way out by the gateway or the modem.
func (a *App) smsChannel() (c notify.Channel, err error) {
	send := sms.NewModem(func() (sms.SerialPort, error) { return a.feeds.OpenDevice(a.Config.SMS.Modem) }, sms.Patience{}).Send
	width := 1 // a modem speaks one text at a time
	if a.Config.SMS.URL != "" {
		gateway, err := sms.NewGateway(a.Config.SMS.GatewayOptions())
		if err != nil {
			return c, fmt.Errorf("sms: %w", err)
		}
		send, width = gateway.Send, 0
	}
	const limit = 5 * time.Minute // a text of several parts in a slow network
	return notify.Channel{Kind: notify.SMS, PerHour: a.Config.SMS.PerHour, Limit: limit, Width: width,
		Targets: func(of *library.Resource, _ *watchdogs.Event) []string { return of.Watchdog.SMSTo },
		Send: func(ctx context.Context, m *notify.Delivery) error {
			to, ok := phone.Parse(m.To)
			if !ok {
				return outbound.Final(rule.New("no_sms_target", "must name a user, or be a number as +4512345678"))
			}
			return send(ctx, m.ID, to, m.SMS())
		}}, nil
}

// mostHooks bounds the webhooks that are called at once.
const mostHooks = 32

// webhookChannel returns the way out to other programs.
func (a *App) webhookChannel() (c notify.Channel, err error) {
	c = notify.Channel{Kind: notify.Webhook, Names: []string{}, Apart: true, Width: min(len(a.Config.Webhook), mostHooks),
		Targets: func(of *library.Resource, _ *watchdogs.Event) []string { return of.Watchdog.Webhooks }}
	hooks := map[string]*webhook.Hook{}
	for _, w := range a.Config.Webhook {
		if hooks[w.Name], err = webhook.New(w.Options()); err != nil {
			return c, fmt.Errorf("webhook %s: %w", w.Name, err)
		}
		c.Names = append(c.Names, w.Name)
	}
	c.Send = func(ctx context.Context, m *notify.Delivery) error {
		hook, known := hooks[m.To]
		if !known {
			return outbound.Final(rule.New("no_webhook", "must be the name of a webhook of the configuration"))
		}
		body, err := bodyOf(m)
		if err != nil {
			return outbound.Final(err)
		}
		return hook.Send(ctx, m.ID, body, time.Now())
	}
	return c, nil
}

// mqttChannel returns the way out to the broker. Each watchdog has a topic.
func (a *App) mqttChannel() (c notify.Channel, err error) {
	if a.broker, err = mqtt.New(a.Config.MQTT.Options()); err != nil {
		return c, fmt.Errorf("mqtt: %w", err)
	}
	return notify.Channel{Kind: notify.MQTT,
		Targets: func(of *library.Resource, _ *watchdogs.Event) []string {
			if !of.Watchdog.MQTT {
				return nil
			}
			return []string{""}
		},
		Send: func(ctx context.Context, m *notify.Delivery) error {
			topic := "test"
			if m.Asked == nil { // a test tells of no event
				topic = "event/" + strconv.FormatUint(m.Event.Watchdog, 10)
				if err := a.mayPublish(ctx, &m.Event); err != nil {
					return err
				}
			}
			body, err := bodyOf(m)
			if err != nil {
				return outbound.Final(err)
			}
			return a.broker.Publish(ctx, topic, body, false)
		}}, nil
}

// publisher returns the user of [mqtt] and what it sees. It fails when there is no such user now.
func (a *App) publisher(ctx context.Context) (*access.User, *sight.Viewer, error) {
	user, known := a.Users.User(a.Config.MQTT.UserName)
	if !known || user.Name != a.Config.MQTT.UserName || !user.Active(time.Now()) {
		return nil, nil, rule.New("mqtt_user", "the user of [mqtt] is gone or disabled")
	}
	v, err := a.sight.Of(ctx, user, "user "+user.UID)
	return user, v, err
}

// notYet is the error of a notice whose time comes later.
type notYet struct{}

func (notYet) Error() string       { return "the user of [mqtt] is told of it later" }
func (notYet) Wait() time.Duration { return 10 * time.Second }

// mayPublish refuses an event that the user of [mqtt] is not told of. Without such a user what its owner is told of is published.
func (a *App) mayPublish(ctx context.Context, e *watchdogs.Event) error {
	if a.Config.MQTT.UserName == "" {
		return nil
	}
	user, v, err := a.publisher(ctx)
	if err != nil {
		return err
	}
	verdict := telling.Hidden
	if user.May(right.ViewWatchdog) {
		judge := telling.Judge{Library: a.Library, Sight: a.sight}
		verdict = judge.Of(judge.Listener(v, user), e)
	}
	switch verdict {
	case telling.Shown:
		return nil
	case telling.Later:
		return notYet{}
	}
	return &notify.RefusedNotice{Reason: rule.New("mqtt_user_hidden", "the user of [mqtt] may not see the event")}
}

// bodyVersion is that of the JSON that webhooks and subscribers get. It changes when a member gets another meaning or goes.
const bodyVersion = 1

// body is what webhooks and subscribers get.
type body struct {
	Version int             `json:"version"`
	Type    string          `json:"type"`
	Time    string          `json:"timestamp"`
	Data    json.RawMessage `json:"data"`
}

// tested is what other programs get of a test: who asked for it.
type tested struct {
	By string `json:"by"`
}

// bodyOf returns the event of a notice as other programs get it, or the test that it is.
func bodyOf(m *notify.Delivery) ([]byte, error) {
	if m.Asked != nil {
		data, err := json.Marshal(tested{m.Asked.By})
		if err != nil {
			return nil, err
		}
		return json.Marshal(body{bodyVersion, "test", m.Asked.At.Format(time.RFC3339), data})
	}
	record, err := m.Record()
	if err != nil {
		return nil, err
	}
	return json.Marshal(body{bodyVersion, "watchdog.event", m.Event.At().UTC().Format(time.RFC3339), record})
}

// publishTracks tells subscribers of the tracks that the user of [mqtt] can read, until ctx is done.
func (a *App) publishTracks(ctx context.Context) error {
	a.server.PublishTracks(ctx, tracking.Publisher{As: a.publisher, Tell: func(ctx context.Context, id int64, kind string, data []byte) error {
		topic := "track/" + strconv.FormatInt(id, 10)
		if data == nil {
			if !a.Config.MQTT.Retain {
				return nil
			}
			return a.broker.Publish(ctx, topic, nil, true) // the broker forgets it
		}
		text, err := json.Marshal(body{bodyVersion, kind, time.Now().UTC().Format(time.RFC3339), data})
		if err != nil {
			return err
		}
		return a.broker.Publish(ctx, topic, text, a.Config.MQTT.Retain)
	}})
	return nil
}
