package library

import (
	"fmt"
	"net/mail"
	"slices"
	"strings"

	"quaywatch/form"
	"quaywatch/form/phone"
	"quaywatch/internal/rule"
)

// Notices names the users and addresses that a watchdog tells its activations, beside those that read its events.
type Notices struct {
	MailTemplate string   `json:"mail_template,omitempty"`
	MailTo       []string `json:"mail_to,omitempty"` // uids of users, and addresses
	SMSTemplate  string   `json:"sms_template,omitempty"`
	SMSTo        []string `json:"sms_to,omitempty"`   // uids of users, and numbers as +4512345678
	Webhooks     []string `json:"webhooks,omitempty"` // names of the configuration
	MQTT         bool     `json:"mqtt,omitempty"`
}

// The bounds of what a watchdog says of its notices.
const (
	MostTargets      = 20   // of each kind
	mostMailTemplate = 4000 // bytes
	mostSMSTemplate  = 480
	mostAddress      = 254
	mostHookName     = 64
)

// applyNotices takes the users and addresses that a watchdog tells its activations. Whether its owner may, and whether the box can, is for the caller to say.
func (w *Watchdog) applyNotices(f *form.Fields, find form.Finder) {
	w.ApplyTemplates(f)
	w.ApplyTargets(f, find)
}

// ApplyTargets takes the users, addresses and programs that are told.
func (n *Notices) ApplyTargets(f *form.Fields, find form.Finder) {
	n.MailTo = MailTargets(f, n.MailTo, find)
	n.SMSTo = readTargets(f, "sms_to", n.SMSTo, func(text string) (string, *rule.Rule) { return person(text, find, phoneNumber) })
	n.Webhooks = readTargets(f, "webhooks", n.Webhooks, hookName)
	n.MQTT = f.Boolean("mqtt", n.MQTT)
}

// MailTargets reads users and addresses from the field mail_to: was, where it is not given.
func MailTargets(f *form.Fields, was []string, find form.Finder) []string {
	return readTargets(f, "mail_to", was, func(text string) (string, *rule.Rule) { return person(text, find, mailAddress) })
}

// ApplyTemplates takes the texts.
func (n *Notices) ApplyTemplates(f *form.Fields) {
	n.MailTemplate = template(f, "mail_template", n.MailTemplate, mostMailTemplate)
	n.SMSTemplate = template(f, "sms_template", n.SMSTemplate, mostSMSTemplate)
}

func template(f *form.Fields, key, was string, most int) string {
	now := f.TextOr(key, was)
	if len(now) > most {
		f.Refuse(key, rule.New("too_long", "may have at most {max} bytes", "max", most))
		return was
	}
	return now
}

// readTargets takes a list, each text as read gives it.
func readTargets(f *form.Fields, key string, was []string, read func(text string) (string, *rule.Rule)) (now []string) {
	if !f.Given(key) {
		return was
	}
	var list []string
	f.Into(key, &list, rule.New("texts", "must be an array of strings"))
	if len(list) > MostTargets {
		f.Refuse(key, rule.New("too_many_names", "may name at most {max}", "max", MostTargets))
		return was
	}
	for i, text := range list {
		target, wrong := read(strings.TrimSpace(text))
		if wrong != nil {
			f.Refuse(fmt.Sprintf("%s/%d", key, i), wrong)
		} else if !slices.Contains(now, target) {
			now = append(now, target)
		}
	}
	return now
}

// person returns the uid of a user, else what address makes of the text.
func person(text string, find form.Finder, address func(string) (string, *rule.Rule)) (string, *rule.Rule) {
	if len(text) <= mostAddress {
		if user, known := find("user", text); known {
			return user.UID, nil
		}
	}
	return address(text)
}

func mailAddress(text string) (string, *rule.Rule) {
	if IsMailAddress(text) {
		return text, nil
	}
	return "", rule.New("no_mail_target", "must name a user, or be a mail address as watch@port.example")
}

// IsMailAddress reports whether a text is a mail address and nothing else.
func IsMailAddress(text string) bool {
	a, err := mail.ParseAddress(text)
	plain := func(c rune) bool { return c > ' ' && c < 0x7f }
	return err == nil && a.Address == text && len(text) <= mostAddress && !strings.ContainsFunc(text, func(c rune) bool { return !plain(c) })
}

func phoneNumber(text string) (string, *rule.Rule) {
	if number, ok := phone.Parse(text); ok {
		return string(number), nil
	}
	return "", rule.New("no_sms_target", "must name a user, or be a number as +4512345678")
}

func hookName(text string) (string, *rule.Rule) {
	if text == "" || len(text) > mostHookName {
		return "", rule.New("no_webhook", "must be the name of a webhook of the configuration")
	}
	return text, nil
}

// withNames returns the notices with users by their names. Users that are gone are left out.
func (n Notices) withNames(find form.Finder) Notices {
	n.MailTo, n.SMSTo = MailNames(n.MailTo, find), MailNames(n.SMSTo, find)
	return n
}

// MailNames returns targets with users by their names. Users that are gone are left out.
func MailNames(targets []string, find form.Finder) (names []string) {
	for _, target := range targets {
		switch user, known := find("user", target); {
		case known:
			names = append(names, user.Name)
		case strings.ContainsAny(target, "@+"): // no uid
			names = append(names, target)
		}
	}
	return names
}

// withNames returns the watchdog as an answer has it.
func (w *Watchdog) withNames(find form.Finder) *Watchdog {
	told := *w
	told.Notices = w.Notices.withNames(find)
	return &told
}

// countBytes returns what the notices count of their owner's quota.
func (n *Notices) countBytes() int {
	return len(n.MailTemplate) + len(n.SMSTemplate) + uidBytes*(len(n.MailTo)+len(n.SMSTo)+len(n.Webhooks))
}
