//go:build linux

package app

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"quaywatch/app/config"
	"quaywatch/notify/mail/mailtest"
	"quaywatch/notify/mqtt/brokertest"
	"quaywatch/users/access"
)

const testPath = "/api/watchdog/notice/test"

// test asks for tests, and waits until none waits any more. It returns them, the newest first.
func (s *site) test(fields string) (answer string) {
	s.t.Helper()
	if status, answer := s.call(http.MethodPost, testPath, "{"+fields+"}"); status != http.StatusOK {
		s.t.Fatalf("%d %s", status, answer)
	}
	s.until("none waits", func() bool {
		var status int
		status, answer = s.call(http.MethodGet, testPath, "")
		return status == http.StatusOK && strings.Contains(answer, `"state"`) && !strings.Contains(answer, `"waiting"`)
	})
	return answer
}

// TestEachChannelIsTested: a mail server, a gateway, a program and a broker get a test without a watchdog, and the caller learns what became of it.
func TestEachChannelIsTested(t *testing.T) {
	server := mailtest.New(t, false, nil)
	gateway, texts := program(t, http.StatusOK)
	hook, bodies := program(t, http.StatusOK)
	gone, _ := program(t, http.StatusServiceUnavailable)
	address, published := broker(t)
	s := newSite(t, func(c *config.Config) {
		c.Mail.Host, c.Mail.Port, c.Mail.From, c.Mail.CA = "127.0.0.1", server.Port, "quaywatch@port.example", server.CA
		c.SMS.URL = gateway + "/?to=%digits%&text=%text%"
		c.Webhook = []config.Webhook{{Name: "vts", URL: hook}, {Name: "gone", URL: gone}}
		c.MQTT.URL, c.MQTT.Prefix, c.MQTT.UserName = "mqtt://"+address, "port/ais", "erp"
	})
	if _, err := s.app.Users.Create(access.User{Name: "erp"}, testPassword); err != nil { // which may see nothing, and a test tells nothing
		t.Fatal(err)
	}
	answer := s.test(`"mail_to":["anna"],"sms_to":["+4512345678"],"webhooks":["vts","gone"],"mqtt":true`)
	var got struct {
		Records []struct{ Channel, To, State, Error string }
	}
	if err := json.Unmarshal([]byte(answer), &got); err != nil || len(got.Records) != 5 {
		t.Fatalf("%v %s", err, answer)
	}
	for i, want := range []string{
		"mqtt  sent ", "webhook gone failed the server refuses with status 503", "webhook vts sent ", "sms +4512345678 sent ", "mail anna sent ",
	} {
		if r := got.Records[i]; strings.Join([]string{r.Channel, r.To, r.State, r.Error}, " ") != want {
			t.Errorf("%+v, want %s", r, want)
		}
	}
	if mails := server.Mails(); len(mails) != 1 || !strings.Contains(mails[0].To, "<anna@port.example>") ||
		!strings.Contains(mails[0].Text, "Subject: Test of Quaywatch by anna") || !strings.Contains(mails[0].Text, "Nothing has happened") ||
		strings.Contains(mails[0].Text, "X-Quaywatch-Event") {
		t.Errorf("%+v", mails)
	}
	if r := awaited(t, texts); !strings.HasPrefix(r.query, "to=4512345678&text=Test+of+Quaywatch+by+anna") {
		t.Error(r.query)
	}
	if r := awaited(t, bodies); !strings.HasPrefix(r.body, `{"version":1,"type":"test","timestamp":"`) || !strings.HasSuffix(r.body, `"data":{"by":"anna"}}`) ||
		r.header.Get("Webhook-Id") == "" {
		t.Errorf("%v %s", r.header, r.body)
	}
	if m := next(t, published); m.Topic() != "port/ais/test" || m.Retained() || !strings.Contains(string(m.Payload()), `"type":"test"`) {
		t.Errorf("%s %s", m.Topic(), m.Payload())
	}
	if _, answer := s.call(http.MethodGet, "/api/status", ""); !strings.Contains(answer,
		`"channels":[{"channel":"mail"},{"channel":"sms"},{"channel":"webhook","name":"vts"},{"channel":"webhook","name":"gone"},{"channel":"mqtt"}]`) ||
		strings.Contains(answer, hook) {
		t.Errorf("the status: %s", answer)
	}
}

// TestATestThatCannotBeSent says why, and a demo sends none.
func TestATestThatCannotBeSent(t *testing.T) {
	nobody := "http://" + brokertest.Free(t)
	s := newSite(t, func(c *config.Config) { c.Webhook = []config.Webhook{{Name: "vts", URL: nobody}} })
	if answer := s.test(`"webhooks":["vts"]`); !strings.Contains(answer, `"state":"failed"`) || !strings.Contains(answer, "connection refused") {
		t.Error(answer)
	}
	demo := siteOf(t, true, func(c *config.Config) { c.Webhook = []config.Webhook{{Name: "vts", URL: nobody}} })
	if answer := demo.test(`"webhooks":["vts"]`); !strings.Contains(answer, `"state":"suppressed"`) {
		t.Error(answer)
	}
}
