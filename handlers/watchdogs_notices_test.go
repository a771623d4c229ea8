package handlers

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"quaywatch/ais"
	"quaywatch/engine/watchdogs"
	"quaywatch/internal/await"
	"quaywatch/notify"
	"quaywatch/users/access"
	"quaywatch/users/access/right"
	"quaywatch/users/library"
)

// tellingSite is a site with the channels mail, which anybody's address is good for, and webhook, with one target. Neither sends anything.
func tellingSite(t *testing.T) *site {
	s := &site{t: t, dir: t.TempDir(), clock: &clock{at: noon()}}
	for kind, targets := range map[string]func(*library.Watchdog) []string{
		notify.Mail:    func(w *library.Watchdog) []string { return w.MailTo },
		notify.Webhook: func(w *library.Watchdog) []string { return w.Webhooks },
	} {
		c := notify.Channel{Kind: kind, Targets: func(r *library.Resource, _ *watchdogs.Event) []string { return targets(r.Watchdog) },
			Send: func(context.Context, *notify.Delivery) error { return nil }}
		if kind == notify.Webhook {
			c.Names = []string{"erp"}
		}
		s.channels = append(s.channels, c)
	}
	s.open()
	if err := s.users.Add(access.AdminName, adminPassword); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.close() })
	return s
}

// TestWhoMayBeTold: the fields of notices take the rights of mails, of the owner and of the caller, and a channel of the configuration.
func TestWhoMayBeTold(t *testing.T) {
	s := tellingSite(t)
	for name, rights := range map[string][]right.Name{
		"none": {}, "self": {right.SendMail, right.AllowMailSelf}, "others": {right.SendMail, right.AllowMailOtherUsers}, "unsent": {right.AllowMailSelf, right.AllowMailOtherUsers},
	} {
		s.may(name, append(rights, right.ViewWatchdog, right.ConfigureWatchdogDefinitions, right.AdminWatchdogDefinitions)...)
		if _, err := s.users.Change(name, func(u *access.User) error { u.Email = name + "@port.example"; return nil }); err != nil {
			t.Fatal(err)
		}
	}
	s.may("silent", right.ViewWatchdog)
	s.may("blind")
	number := 0
	define := func(user, fields string) answer {
		number++
		return s.call(user, "POST", definitionPath, fmt.Sprintf(`{"name":"Roads %d","type":"polygon",%s,%s}`, number, roads, fields))
	}
	for _, row := range []struct {
		user, fields string
		status       int
		says         string
	}{
		{"none", `"mail_to":[]`, 200, ""},
		{"none", `"mail_to":["none"]`, 403, "send_mail"},
		{"unsent", `"mail_to":["unsent"]`, 403, "send_mail"},
		{"self", `"mail_to":["self"]`, 200, ""},
		{"self", `"mail_to":["SELF@port.example"]`, 200, ""},
		{"self", `"mail_to":["others"]`, 403, "allow_mail_other_users"},
		{"self", `"mail_to":["nobody"]`, 403, "allow_mail_other_users"}, // it does not learn which users there are
		{"self", `"webhooks":["erp"]`, 403, "allow_mail_other_users"},
		{"others", `"mail_to":["others"]`, 403, "allow_mail_self"},
		{"others", `"mail_to":["self","watch@port.example"],"webhooks":["erp"]`, 200, ""},
		{"others", `"mail_to":["nobody"]`, 400, "/mail_to/0"},
		{"others", `"mail_to":["silent"]`, 400, "has no address"},
		{"others", `"mail_to":["blind"]`, 400, "may not see watchdogs"},
		{"others", `"mail_to":["a@b.example\r\nBcc: x@y.example"]`, 400, "/mail_to/0"},
		{"others", `"mail_to":["Anna <a@b.example>"]`, 400, "/mail_to/0"},
		{"others", `"mail_to":"self"`, 400, "/mail_to"},
		{"others", `"mail_to":[` + strings.Repeat(`"a@b.example",`, 20) + `"c@d.example"]`, 400, "at most 20"},
		{"others", `"mail_template":"` + strings.Repeat("x", 4001) + `"`, 400, "4000"},
		{"others", `"webhooks":["http://127.0.0.1/"]`, 400, "/webhooks/0"},
		{"others", `"sms_to":["+45 12 34 56 78"]`, 400, "no sms"},
		{"others", `"sms_to":["12345678"]`, 400, "/sms_to/0"},
		{"others", `"mqtt":true`, 400, "no mqtt"},
		{"others", `"mqtt":false,"sms_to":[]`, 200, ""},
	} {
		a := define(row.user, row.fields)
		if a.status != row.status || !strings.Contains(string(a.body), row.says) {
			t.Errorf("%s, %.60s: %d %s", row.user, row.fields, a.status, a.body)
		}
	}
	path := fmt.Sprintf("%s/%.0f", definitionPath, define("others", `"mail_to":["self","watch@port.example"]`).is(t, 200).json(t)["id"])
	if got := fmt.Sprint(s.get(path).json(t)["mail_to"]); got != "[self watch@port.example]" {
		t.Error(got)
	}
	s.call("admin", "PUT", usersPath+"/self", `{"name":"changed"}`).is(t, 200)
	if got := fmt.Sprint(s.get(path).json(t)["mail_to"]); got != "[changed watch@port.example]" {
		t.Errorf("a user is named by its name of now: %s", got)
	}
	s.call("none", "PUT", path, `{"mail_to":["changed","watch@port.example"],"severity":"alert"}`).is(t, 200) // as it was
	s.call("none", "PUT", path, `{"mail_to":["watch@port.example"]}`).is(t, 200)                              // fewer
	s.call("none", "PUT", path, `{"mail_to":["x@port.example"]}`).is(t, 403)
	if exported := s.get("/api/config/running"); exported.status == 200 && strings.Contains(string(exported.body), "watch@port.example") {
		t.Error("the configuration of the program tells targets")
	}
}

// TestNoticesOfAnEvent: the record tells those that may use the watchdog what became of each notice.
func TestNoticesOfAnEvent(t *testing.T) {
	s := tellingSite(t)
	s.may("anna", right.ViewWatchdog)
	s.watchdog("admin", `{"name":"Roads","type":"polygon","acl":["anna"],`+roads+`,"mail_to":["watch@port.example"],"webhooks":["erp"]}`)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	done := make(chan error)
	go func() { done <- s.outbox.Run(ctx) }()
	s.enters(nordic, "NORDIC HAV", noon())
	var got string
	await.That(t, "both notices of the event are sent", func() bool {
		list := s.call("anna", "GET", eventPath+"?after_id=0", "").is(t, 200).json(t)["records"].([]any)
		got = fmt.Sprint(list[0].(map[string]any)["notices"])
		return strings.Count(got, "state:sent") == 2
	})
	if !strings.Contains(got, "channel:mail") || !strings.Contains(got, "to:watch@port.example") || !strings.Contains(got, "to:erp") {
		t.Error(got)
	}
	cancel()
	if err := <-done; err != nil {
		t.Error(err)
	}
}

// TestPreview: the texts of notices for a ship that the caller sees, and for an example. What is wrong is named by its field.
func TestPreview(t *testing.T) {
	s := newSite(t)
	s.enters(nordic, "NORDIC HAV", noon())
	s.may("anna", right.ConfigureWatchdogDefinitions, right.ViewPort)
	s.setFilter("anna", `{"expression":"mmsi = 219000001"}`)
	for _, row := range []struct{ body, subject, text, sms string }{
		{`{"definition":{"type":"polygon","name":"Roads","severity":"alert"},"mmsi":219018765}`, "alert: NORDIC HAV entered Roads", "219018765", "alert: NORDIC HAV entered Roads, "},
		{`{"definition":{"type":"polygon","name":"Roads","mail_template":"Subject: %name%\n\n%destination% 100%% %tide% %draught%","sms_template":"%lat%"},"mmsi":219018765}`,
			"NORDIC HAV", "DKAAR 100% %tide% 7.4", "56.14000"},
		{`{"definition":{"type":"line","name":"Gate"}}`, "note: EXAMPLE crossed Gate to N", "Direction: N", "EXAMPLE"},
		{`{"definition":{"type":"port","port":{"locode":"DKAAR"}},"event":"moored"}`, "note: EXAMPLE moored at Aarhus", "Port: Aarhus", "moored"},
		{`{"definition":{"type":"cpa","name":"Fairway","sms_template":"%event% %port%"}}`, "as near as 300 m in 10 min", "EXAMPLE", "cpa -"},
		{`{"definition":{"type":"zone","name":"Ring","zone":{"mmsi":219018765,"radius":500}}}`, "EXAMPLE came into the zone of NORDIC HAV", "EXAMPLE", "zone of NORDIC HAV"},
		{`{"definition":{"type":"zone","name":"Ring"},"event":"leave","mmsi":219018765}`, "NORDIC HAV left the zone of EXAMPLE", "219018765", "left the zone"},
		{`{"definition":{"type":"cable","name":"C1","sms_template":"%mmsi% %imo% %callsign% %type% %sog% %cog% %lon%"}}`, "is a risk to C1: stopped", "C1", "219999999 9074729 OXYZ2 Cargo 8.4 44 10.30000"},
	} {
		got := s.call("admin", "POST", previewPath, row.body).is(t, 200).json(t)
		m := got["mail"].(map[string]any)
		if !strings.Contains(m["subject"].(string), row.subject) || !strings.Contains(m["text"].(string), row.text) || !strings.Contains(got["sms"].(string), row.sms) {
			t.Errorf("%s: %v", row.body, got)
		}
	}
	const toShip = `{"definition":{"type":"polygon","name":"Roads","ship_notification_text":"%name%: keep clear, 100%%","ship_notification_broadcast":true},"mmsi":219018765}`
	if got := s.call("admin", "POST", previewPath, toShip).is(t, 200).json(t); got["ship_notification"] != "NORDIC HAV: KEEP CLEAR, 100%" {
		t.Errorf("the message to the ship: %v", got)
	}
	for body, says := range map[string]string{
		`{"definition":{"type":"line","ship_notification_text":"@"}}`: "/definition/ship_notification_text",
		`{}`:                            "/definition",
		`{"definition":{"type":"box"}}`: "/definition/type",
		`{"definition":{"type":"line"},"event":"x"}`:      "/event",
		`{"definition":{"type":"line","severity":"x"}}`:   "/definition/severity",
		`{"definition":{"type":"line","sms_template":7}}`: "/definition/sms_template",
	} {
		if a := s.call("admin", "POST", previewPath, body).is(t, 400); !strings.Contains(string(a.body), `"`+says+`"`) {
			t.Errorf("%s: %s", body, a.body)
		}
	}
	const asked = `{"definition":{"type":"polygon"},"mmsi":%d}`
	hidden := s.call("anna", "POST", previewPath, fmt.Sprintf(asked, nordic)).is(t, 422, "ship_not_found")
	other := s.call("anna", "POST", previewPath, fmt.Sprintf(asked, nordic+1)).is(t, 422, "ship_not_found")
	if strings.ReplaceAll(string(hidden.body), "219018765", "") != strings.ReplaceAll(string(other.body), "219018766", "") {
		t.Errorf("a hidden ship is told from an unknown one: %s %s", hidden.body, other.body)
	}
	s.call("anna", "POST", previewPath, `{"definition":{"type":"port","port":{"locode":"DKAAR"}}}`).is(t, 200)
	for _, m := range []ais.MMSI{nordic, nordic + 1} {
		got := s.call("anna", "POST", previewPath, fmt.Sprintf(`{"definition":{"type":"zone","name":"Ring","zone":{"mmsi":%d,"radius":500}}}`, m)).is(t, 200)
		if !strings.Contains(got.text(), "EXAMPLE came into the zone of EXAMPLE") {
			t.Errorf("a zone around a ship that is hidden, or unknown: %s", got.text())
		}
	}
}
