package handlers

import (
	"bytes"
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"mime"
	"mime/multipart"
	netmail "net/mail"
	"strconv"
	"strings"
	"testing"
	"time"

	"quaywatch/handlers/request"
	"quaywatch/internal/await"
	"quaywatch/notify"
	"quaywatch/notify/mail"
	"quaywatch/notify/mail/mailtest"
	"quaywatch/users/access"
	"quaywatch/users/access/right"
)

// mailingSite is a site with ships that called, a server of mail, and users that have an address.
func mailingSite(t *testing.T, names ...string) (*site, *mailtest.Server) {
	t.Helper()
	server := mailtest.New(t, false, nil)
	c, err := mail.Channel(mail.Options{Host: "127.0.0.1", Port: server.Port, From: "quaywatch@port.example", TLS: mail.STARTTLS, CA: server.CA, PerHour: 1000})
	if err != nil {
		t.Fatal(err)
	}
	s := newCalls(t)
	s.channels = append(s.channels, c)
	s.close()
	s.open(withReceivers)
	s.harbour()
	for _, name := range names {
		s.addUser(name)
		s.allowAllBut(name, right.AdminReports, false)
		if _, err := s.users.Change(name, func(u *access.User) error { u.Email = name + "@port.example"; return nil }); err != nil {
			t.Fatal(err)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error)
	go func() { done <- s.outbox.Run(ctx) }()
	t.Cleanup(func() {
		cancel()
		if err := <-done; err != nil {
			t.Error(err)
		}
	})
	return s, server
}

// aMail is a mail as the server took it.
type aMail struct {
	to    string // before the at sign
	text  string // the subject and the text
	table string // "" for none
}

// mailsOf returns the mails that a server took.
func mailsOf(t *testing.T, server *mailtest.Server) (all []aMail) {
	t.Helper()
	for _, one := range server.Mails() {
		m, err := netmail.ReadMessage(strings.NewReader(one.Text))
		if err != nil {
			t.Fatal(err)
		}
		to, _, _ := strings.Cut(strings.TrimPrefix(one.To, "TO:<"), "@")
		kind, params, _ := mime.ParseMediaType(m.Header.Get("Content-Type"))
		if !strings.HasPrefix(kind, "multipart/") {
			text, _ := io.ReadAll(m.Body)
			all = append(all, aMail{to, m.Header.Get("Subject") + string(text), ""})
			continue
		}
		parts := multipart.NewReader(m.Body, params["boundary"])
		var read [2]string
		for i := range read {
			part, err := parts.NextPart()
			if err != nil {
				t.Fatal(err)
			}
			var text []byte
			if text, err = io.ReadAll(part); i == 1 {
				text, err = io.ReadAll(base64.NewDecoder(base64.StdEncoding, bytes.NewReader(text)))
			}
			if err != nil {
				t.Fatal(err)
			}
			read[i] = string(text)
		}
		all = append(all, aMail{to, m.Header.Get("Subject") + read[0], read[1]})
	}
	return all
}

// mailed returns the text and the table of the last mail to each, by the name before the at sign.
func mailed(t *testing.T, server *mailtest.Server) map[string][2]string {
	t.Helper()
	all := map[string][2]string{}
	for _, m := range mailsOf(t, server) {
		all[m.to] = [2]string{m.text, m.table}
	}
	return all
}

// mailsOver waits until each mail of a statistic is sent or refused, and returns what became of them by the target.
func (s *site) mailsOver(id string, count int) map[string]string {
	s.t.Helper()
	became := map[string]string{}
	await.That(s.t, "all mails are sent or refused", func() bool {
		clear(became)
		list, _ := s.statusOf("admin", id)["mails"].([]any)
		for _, one := range list {
			m := one.(map[string]any)
			if m["state"] != "waiting" {
				became[m["to"].(string)] = fmt.Sprint(m["state"], " ", m["error"])
			}
		}
		return len(became) == count
	})
	return became
}

// TestTheMailedTableIsCutForItsReader: a hidden ship is in no mail, an address gets what the owner sees, and who may not see the statistic gets nothing.
func TestTheMailedTableIsCutForItsReader(t *testing.T) {
	s, server := mailingSite(t, "anna", "bert", "clerk", "blind", "gone", "late")
	s.setFilter("bert", `{"expression":"mmsi = 219000700"}`)
	s.setFilter("blind", `{"expression":"mmsi = 1"}`)
	id := s.statistic("anna", "portcalls", `{"name":"calls","begin":"2026-11-20","end":"2026-11-21","ports":[{"locode":"DKAAR"}],"execute":false,
		"acl":["bert","clerk","blind","gone","late"],"mail_to":["anna","bert","clerk","blind","gone","late","watch@port.example"]}`)
	s.allowAllBut("clerk", right.ViewATAATD, false)
	s.setFilter("late", `{"delay":86400}`)
	s.call("admin", "PUT", usersPath+"/gone", `{"disabled":true}`).is(t, 200)
	if now := s.statusOf("bert", id); now["mail_to"] != nil || now["mails"] != nil {
		t.Errorf("a reader is told %v", now)
	}
	if now := s.statusOf("anna", id); len(now["mail_to"].([]any)) != 7 {
		t.Errorf("%v", now)
	}
	s.call("anna", "PUT", statPath+"/statistic"+id, `{"execute":true}`).is(t, 200)
	s.ran(id)
	await.That(t, "the owner has its mail", func() bool { return s.sentTo("anna", id) != "" })
	s.clock.pass(80 * time.Minute) // to a quarter of an hour at which a user without view_ata_atd is told all
	s.tick(s.clock.now())
	became := s.mailsOver(id, 6)
	for to, want := range map[string]string{"anna": "sent", "bert": "sent", "clerk": "sent", "blind": "sent", "watch@port.example": "sent", "gone": "refused"} {
		if !strings.HasPrefix(became[to], want) {
			t.Errorf("%s: %q, want %s", to, became[to], want)
		}
	}
	got := mailed(t, server)
	asked := func(user string) string {
		return string(s.call(user, "GET", statPath+"/portcalls/result"+id+"?format=csv", "").is(t, 200).body)
	}
	for to, user := range map[string]string{"anna": "anna", "watch": "anna", "bert": "bert", "clerk": "clerk"} {
		if got[to][1] != asked(user) || !strings.Contains(got[to][0], "Statistic calls") {
			t.Errorf("%s got %q, want %s", to, got[to], asked(user))
		}
	}
	if !strings.Contains(got["anna"][1], "219018765") || !strings.Contains(got["anna"][1], "219000700") || strings.Contains(got["bert"][1], "219018765") {
		t.Errorf("%q", got)
	}
	if text := got["blind"]; text[1] != "" || !strings.Contains(text[0], "Nothing that you may see") || strings.Contains(text[0], "219") {
		t.Errorf("who sees no ship got %q", text)
	}
	if _, sent := got["gone"]; sent || len(got) != 5 {
		t.Errorf("%d mails: %q", len(got), got)
	}
}

// TestWhoMayHaveATableMailed: the fields take the rights of mails, of the owner and of the caller, and readers that may see the statistic.
func TestWhoMayHaveATableMailed(t *testing.T) {
	s, _ := mailingSite(t, "anna", "bert", "self")
	s.addUser("silent")
	s.allowAllBut("silent", right.AdminReports, false)
	s.allowAllBut("self", right.AllowMailOtherUsers, false)
	held := func(user, fields string) answer {
		return s.call(user, "POST", statPath+"/portcalls", strings.TrimSuffix(heldCalls, "}")+`,`+fields+`}`)
	}
	const share = `"acl":["bert","self","silent"],`
	for _, row := range []struct {
		user, fields string
		status       int
		says         string
	}{
		{"self", `"mail_to":[]`, 200, ""},
		{"self", `"mail_to":["self"]`, 200, ""},
		{"self", `"mail_to":["SELF@port.example"]`, 200, ""},
		{"self", `"mail_to":["nobody"]`, 403, "allow_mail_other_users"}, // it does not learn which users there are
		{"self", `"mail_to":["watch@port.example"]`, 403, "allow_mail_other_users"},
		{"anna", share + `"mail_to":["anna","bert","watch@port.example"]`, 200, ""},
		{"anna", share + `"mail_to":["nobody"]`, 400, "/mail_to/0"},
		{"anna", share + `"mail_to":["silent"]`, 400, "has no address"},
		{"anna", `"acl":[],"mail_to":["bert"]`, 400, "may not see the statistic"},
		{"anna", `"mail_to":"bert"`, 400, "/mail_to"},
		{"anna", `"mail_to":["a@b.example\r\nBcc: x@y.example"]`, 400, "/mail_to/0"},
		{"anna", `"mail_to":[` + strings.Repeat(`"a@b.example",`, 20) + `"c@d.example"]`, 400, "at most 20"},
	} {
		a := held(row.user, row.fields)
		if a.status != row.status || !strings.Contains(string(a.body), row.says) {
			t.Errorf("%s, %.60s: %d %s", row.user, row.fields, a.status, a.body)
		}
	}
	path := fmt.Sprintf("%s/statistic/%.0f", statPath, held("anna", share+`"mail_to":["bert"]`).is(t, 200).json(t)["id"])
	s.allowAllBut("anna", right.AllowMailAttachments, false)
	s.call("anna", "PUT", path, `{"mail_to":["bert"],"repeat":"daily"}`).is(t, 200) // as it was
	s.call("anna", "PUT", path, `{"mail_to":["bert","watch@port.example"]}`).is(t, 403)
	s.call("admin", "PUT", path, `{"mail_to":["bert","watch@port.example"]}`).is(t, 403) // the owner may not
	s.call("bert", "PUT", path, `{"mail_to":[]}`).is(t, 403)
	if got := s.call("anna", "PUT", path, `{"mail_to":[]}`).is(t, 200).json(t); got["mail_to"] != nil || got["repeat"] != "daily" {
		t.Errorf("%v", got)
	}
}

// TestATableWaitsForMemory: a table that is mailed counts in the memory of answers as one that is read: while its reader has all of its share, the mail waits.
func TestATableWaitsForMemory(t *testing.T) {
	s, server := mailingSite(t, "anna")
	answers := s.server.base.Answers
	user, ok := s.users.User("anna")
	if !ok {
		t.Fatal("there is no anna")
	}
	hold := answers.Hold(request.OwnerKey(user.UID), false, func() {})
	if !hold.Take(answers.Share()) {
		t.Fatal("no memory is there")
	}
	id := s.statistic("anna", "portcalls", `{"begin":"2026-11-20","end":"2026-11-21","ports":[{"locode":"DKAAR"}]}`)
	s.ran(id)
	number, err := strconv.ParseInt(strings.TrimPrefix(id, "/"), 10, 64)
	if err != nil {
		t.Fatal(err)
	}
	if p, err := s.server.reports.Pack(t.Context(), number, user.UID); err == nil || p.File != nil || errors.As(err, new(*notify.RefusedNotice)) {
		t.Errorf("without memory: %v, %v", p, err)
	}
	hold.Release()
	if p, err := s.server.reports.Pack(t.Context(), number, user.UID); err != nil || p.File == nil || answers.Used() != 0 {
		t.Errorf("with memory: %v, %v, and %d bytes are held", p.Text, err, answers.Used())
	}
	if n := len(server.Mails()); n != 0 {
		t.Errorf("%d mails were sent", n)
	}
}
