package config

import (
	"fmt"
	"strings"

	"quaywatch/ais/feed"
	"quaywatch/notify/mqtt"
	"quaywatch/notify/sms"
	"quaywatch/notify/webhook"
)

// SMS is the gateway or the modem by which watchdogs send text messages. No user can name another.
type SMS struct {
	URL         string `toml:"url" help:"HTTP gateway with %to% or %digits%, and %text%; empty sends no SMS by a gateway"`
	Method      string `toml:"method" help:"GET, POST or PUT; empty is POST with a body, else GET"`
	Body        string `toml:"body" help:"body of the request, with the same words"`
	ContentType string `toml:"content_type" help:"of the body: how words are written in it"`
	User        string `toml:"user" help:"name at the gateway, for Basic authorization or %user%"`
	Password    string `toml:"password" help:"password at the gateway, for Basic authorization or %password%"`
	Token       string `toml:"token" help:"token at the gateway, for its header or %token%"`
	TokenHeader string `toml:"token_header" help:"header of the token; empty is Authorization: Bearer"`
	Success     string `toml:"success" help:"text in the answer of a gateway that took the message; empty asks for a status 2xx alone"`
	CA          string `toml:"ca" help:"file of certificates (PEM) that count beside those of the system"`
	Modem       string `toml:"modem" help:"serial port of a GSM modem, instead of a gateway"`
	PerHour     int    `toml:"per_hour" help:"most SMS in an hour; the others wait"`
}

// Webhook is a program that watchdogs tell by an HTTP request.
type Webhook struct {
	Name   string `toml:"name"`
	URL    string `toml:"url"`
	Token  string `toml:"token,omitempty"`
	Secret string `toml:"secret,omitempty"`
	CA     string `toml:"ca,omitempty"`
}

// MQTT is the broker at which watchdogs and tracks publish.
type MQTT struct {
	URL      string `toml:"url" help:"mqtt://host:port or mqtts://host:port; empty publishes nothing"`
	User     string `toml:"user" help:"name at the broker"`
	Password string `toml:"password" help:"password at the broker"`
	ClientID string `toml:"client_id" help:"name of this box at the broker; no two may have the same"`
	Prefix   string `toml:"prefix" help:"what topics begin with"`
	QoS      int    `toml:"qos" help:"1: a message counts when the broker has confirmed it; 0: when it was sent"`
	Retain   bool   `toml:"retain" help:"the broker keeps the latest message of each track for those that subscribe later"`
	UserName string `toml:"user_name" help:"user of this box: nothing is published that this user may not see; tracks need one"`
	CA       string `toml:"ca" help:"file of certificates (PEM) that count beside those of the system"`
}

// On reports whether SMS are to be sent.
func (s *SMS) On() bool { return s.URL != "" || s.Modem != "" }

// GatewayOptions returns what is said of the HTTP gateway.
func (s *SMS) GatewayOptions() sms.GatewayOptions {
	return sms.GatewayOptions{URL: s.URL, Method: s.Method, Body: s.Body, ContentType: s.ContentType, User: s.User, Password: s.Password, Token: s.Token,
		TokenHeader: s.TokenHeader, Success: s.Success, CA: s.CA}
}

// Options returns what is said of the webhook.
func (w *Webhook) Options() webhook.Options {
	return webhook.Options{URL: w.URL, Token: w.Token, Secret: w.Secret, CA: w.CA}
}

// Options returns what is said of the broker.
func (m *MQTT) Options() mqtt.Options {
	return mqtt.Options{URL: m.URL, User: m.User, Password: m.Password, ClientID: m.ClientID, Prefix: m.Prefix, QoS: m.QoS, CA: m.CA}
}

// checkSenders tells what is wrong with SMS, webhooks and MQTT.
func (c *Config) checkSenders() []string {
	wrong := c.checkWebhooks()
	say := func(format string, args ...any) { wrong = append(wrong, fmt.Sprintf(format, args...)) }
	if n := c.SMS.PerHour; n < 1 || n > 100_000 {
		say("sms.per_hour: %d must lie between 1 and 100000", n)
	}
	switch s := &c.SMS; {
	case s.URL != "" && s.Modem != "":
		say("sms.modem: cannot stand beside sms.url: SMS go by one of them")
	case s.URL != "":
		if _, err := sms.NewGateway(s.GatewayOptions()); err != nil {
			say("sms.%v", err)
		}
	case s.Body != "" || s.User != "" || s.Password != "" || s.Token != "" || s.Success != "":
		say("sms.url: must name the gateway")
	case s.Modem != "":
		if err := feed.ParseDevice(s.Modem); err != nil {
			say("sms.modem: %v", err)
		}
	}
	switch m := &c.MQTT; {
	case m.URL != "":
		if _, err := mqtt.New(m.Options()); err != nil {
			say("mqtt.%v", err)
		}
	case m.User != "" || m.Password != "" || m.UserName != "":
		say("mqtt.url: must name the broker")
	}
	return wrong
}

// checkWebhooks tells what is wrong with the webhooks, each by itself.
func (c *Config) checkWebhooks() (wrong []string) {
	names := map[string]string{}
	for i := range c.Webhook {
		w := &c.Webhook[i]
		say := checkName(&wrong, labelOf("webhook", i, w.Name), w.Name, names)
		if strings.TrimSpace(w.Name) != w.Name || len(w.Name) > mostName {
			say("name: must have at most %d bytes, and no space at its ends", mostName)
		}
		if _, err := webhook.New(w.Options()); err != nil {
			say("%v", err)
		}
	}
	return wrong
}
