package handlers

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"quaywatch/notify"
	"quaywatch/users/access"
	"quaywatch/users/access/right"
)

// TestWhoMayTest: a test takes the rights that a watchdog with its targets takes, and names the field that is wrong as that does.
func TestWhoMayTest(t *testing.T) {
	s := tellingSite(t)
	for name, rights := range map[string][]right.Name{
		"unsent": {right.AllowMailSelf, right.AllowMailOtherUsers}, "self": {right.SendMail, right.AllowMailSelf},
		"others": {right.SendMail, right.AllowMailOtherUsers},
	} {
		s.may(name, append(rights, right.ViewWatchdog)...)
		if _, err := s.users.Change(name, func(u *access.User) error { u.Email = name + "@port.example"; return nil }); err != nil {
			t.Fatal(err)
		}
	}
	s.may("silent", right.ViewWatchdog)
	twenty := strings.Repeat(`"a@b.example",`, 20) + `"c@d.example"`
	for _, row := range []struct {
		user, fields string
		status       int
		says         string
	}{
		{"unsent", `"mail_to":["unsent"]`, 403, "send_mail"},
		{"self", `"mail_to":["self"]`, 200, `"records":[{"channel":"mail","to":"self","state":"waiting","time":"2026-11-20T12:00:00Z"}]`},
		{"self", `"mail_to":["others"]`, 403, "allow_mail_other_users"},
		{"self", `"mail_to":["nobody"]`, 403, "allow_mail_other_users"}, // it does not learn which users there are
		{"self", `"webhooks":["erp"]`, 403, "allow_mail_other_users"},
		{"others", `"mail_to":["others"]`, 403, "allow_mail_self"},
		{"others", `"mail_to":["self","watch@port.example"],"webhooks":["erp"]`, 200, `"to":"erp"`},
		{"others", `"mail_to":["nobody"]`, 400, "/mail_to/0"},
		{"others", `"mail_to":["silent"]`, 400, "has no address"},
		{"others", `"mail_to":["a@b.example\r\nBcc: x@y.example"]`, 400, "/mail_to/0"},
		{"others", `"mail_to":[` + twenty + `]`, 400, "at most 20"},
		{"others", `"webhooks":["http://127.0.0.1/"]`, 400, "/webhooks/0"},
		{"others", `"sms_to":["+45 12 34 56 78"]`, 400, "no sms"},
		{"others", `"mqtt":true`, 400, "no mqtt"},
		{"others", `"mqtt":false,"mail_to":[]`, 400, "no_test_target"},
		{"others", `"send_ship_notification":true,"ship_notification_text":"KEEP CLEAR"`, 400, "no_test_target"},
	} {
		a := s.call(row.user, "POST", testPath, "{"+row.fields+"}")
		if a.status != row.status || !strings.Contains(string(a.body), row.says) {
			t.Errorf("%s, %.60s: %d %s", row.user, row.fields, a.status, a.body)
		}
	}
	if got := s.call("others", "GET", testPath, "").is(t, 200).json(t)["records"].([]any); len(got) != 3 || got[0].(map[string]any)["channel"] != "webhook" {
		t.Errorf("the newest first: %v", got)
	}
	if got := s.call("self", "GET", testPath, "").is(t, 200).text(); strings.Contains(got, "erp") || strings.Count(got, "channel") != 1 {
		t.Errorf("tests of others are told: %s", got)
	}
	if got := s.get("/api/audit").is(t, 200).text(); strings.Count(got, "POST notice test") < 2 || !strings.Contains(got, "mail_to, webhooks") {
		t.Errorf("the audit log: %.600s", got)
	}
	if got := s.get("/api/status").is(t, 200).text(); !strings.Contains(got, `{"channel":"webhook","name":"erp"}`) ||
		!strings.Contains(got, `{"channel":"mail"}`) {
		t.Errorf("the status does not list the channels: %s", got)
	}
}

// TestTestsHaveABound: one user has so many in an hour, and is told when there is room.
func TestTestsHaveABound(t *testing.T) {
	s := tellingSite(t)
	for round := range notify.MostTests / 15 {
		var list []string
		for i := range 15 {
			list = append(list, fmt.Sprintf(`"n%d.%d@port.example"`, round, i))
		}
		s.post(testPath, `{"mail_to":[`+strings.Join(list, ",")+`]}`).is(t, 200)
		s.clock.pass(10 * time.Minute)
	}
	a := s.post(testPath, `{"mail_to":["x@port.example"]}`).is(t, 429, "limit_reached")
	if !strings.Contains(string(a.body), "too_many_tests") || a.header.Get("Retry-After") != "2400" {
		t.Errorf("%s %s", a.header.Get("Retry-After"), a.body)
	}
	var mails, hooks []string
	for i := range 20 {
		mails, hooks = append(mails, fmt.Sprintf(`"m%d@port.example"`, i)), append(hooks, fmt.Sprintf(`"n%d@port.example"`, i))
	}
	if a := s.post(testPath, `{"mail_to":[`+strings.Join(append(mails, hooks...), ",")+`]}`).is(t, 400); !strings.Contains(string(a.body), "at most 20") {
		t.Errorf("%s", a.body)
	}
	s.clock.pass(40 * time.Minute)
	s.post(testPath, `{"mail_to":["x@port.example"]}`).is(t, 200)
}
