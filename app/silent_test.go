//go:build linux

package app

import (
	"io"
	"net"
	"strings"
	"sync/atomic"
	"testing"

	"quaywatch/app/config"
	"quaywatch/notify"
)

// ear listens, and counts those that connect and the bytes that they say.
type ear struct {
	address     string
	calls, said atomic.Int64
}

func newEar(t *testing.T) *ear {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	e := &ear{address: l.Addr().String()}
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			e.calls.Add(1)
			go func() {
				n, _ := io.Copy(io.Discard, c)
				e.said.Add(n)
				c.Close()
			}()
		}
	}()
	return e
}

// TestADemoTellsNobody: what a demo or a replay would send by SMS, to a webhook, by MQTT or by radio is suppressed, and nothing is said to any of them. The
// same service that is no demo says something to each.
func TestADemoTellsNobody(t *testing.T) {
	for _, silent := range []bool{true, false} {
		gateway, hook, broker, transponder := newEar(t), newEar(t), newEar(t), newEar(t)
		s := siteOf(t, silent, func(c *config.Config) {
			c.SMS.URL, c.SMS.Success = "http://"+gateway.address+"/?to=%digits%&text=%text%", "accepted"
			c.Webhook = []config.Webhook{{Name: "vts", URL: "http://" + hook.address}}
			c.MQTT.URL, c.MQTT.UserName = "mqtt://"+broker.address, "anna"
			c.Feed = append(c.Feed, config.Feed{Name: "mast", URL: "tcp://" + transponder.address, Transmit: true})
		})
		s.until("the transponder is there", func() bool { return transponder.calls.Load() == 1 })
		s.watch(`"sms_to":["anna"],"webhooks":["vts"],"mqtt":true,"send_ship_notification":true,"ship_notification_text":"KEEP CLEAR"`)
		s.hear(nordic)
		s.until("a notice by each", func() bool { return len(s.app.outbox.Of(1)) == 4 })
		if !silent {
			s.until("something for each", func() bool {
				return gateway.calls.Load() > 0 && hook.calls.Load() > 0 && broker.calls.Load() > 0 && s.app.feeds.Status()[1].Transmitted > 0
			})
			continue
		}
		var kinds []string
		for _, n := range s.app.outbox.Of(1) {
			if kinds = append(kinds, n.Channel); n.State != notify.Suppressed {
				t.Errorf("%+v", n)
			}
		}
		if got := strings.Join(kinds, " "); got != "ship sms webhook mqtt" {
			t.Errorf("channels %s", got)
		}
		if gateway.calls.Load()+hook.calls.Load()+broker.calls.Load() != 0 || s.app.feeds.Status()[1].Transmitted != 0 || transponder.said.Load() != 0 {
			t.Errorf("said to: gateway %d, webhook %d, broker %d, transponder %d", gateway.calls.Load(), hook.calls.Load(), broker.calls.Load(), s.app.feeds.Status()[1].Transmitted)
		}
	}
}
