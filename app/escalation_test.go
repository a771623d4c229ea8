//go:build linux

package app

import (
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"testing"

	"quaywatch/ais"
	"quaywatch/app/config"
	"quaywatch/notify/mail/mailtest"
	"quaywatch/users/access"
	"quaywatch/users/access/right"
)

// newMailed makes a service with a mail server, and with the group chiefs; chief makes a user of that group with an address.
func newMailed(t *testing.T) (s *site, server *mailtest.Server, chief func(name string, rights map[right.Name]right.Verdict)) {
	t.Helper()
	server = mailtest.New(t, false, nil)
	s = newSite(t, func(c *config.Config) {
		c.Mail.Host, c.Mail.Port, c.Mail.From, c.Mail.CA = "127.0.0.1", server.Port, "quaywatch@port.example", server.CA
	})
	chiefs, err := s.app.Users.Groups().Add(access.Group{Name: "chiefs"})
	if err != nil {
		t.Fatal(err)
	}
	return s, server, func(name string, rights map[right.Name]right.Verdict) {
		t.Helper()
		profile := access.Profile{Email: name + "@port.example", Rights: rights}
		if _, err := s.app.Users.Create(access.User{Name: name, Groups: []string{chiefs.UID}, Profile: profile}, testPassword); err != nil {
			t.Fatal(err)
		}
	}
}

// TestNobodyAcknowledgesAndOthersGetAMail: the alert goes on to a group, and the mail server gets one mail for its member that may see the event, that
// says since when it waits.
func TestNobodyAcknowledgesAndOthersGetAMail(t *testing.T) {
	t.Parallel()
	s, server, chief := newMailed(t)
	for name, verdict := range map[string]right.Verdict{"carl": right.Allow, "dora": right.Deny} {
		rights := rights()
		rights[right.ViewWatchdog] = verdict
		chief(name, rights)
	}
	s.watch(`"escalate_after":"00:00:10","escalate_to":["chiefs"],"acl":["chiefs"]`)
	s.hear(nordic)
	s.until("a mail", func() bool { return len(server.Mails()) > 0 })
	_, answer := s.call(http.MethodGet, "/api/watchdog/event?after_id=0", "")
	var all struct {
		Records []struct {
			Time    string
			Notices []struct{ Channel, To string }
		}
	}
	if err := json.Unmarshal([]byte(answer), &all); err != nil || len(all.Records) != 1 || len(all.Records[0].Notices) != 1 || all.Records[0].Notices[0].To != "carl" {
		t.Fatalf("%s %v", answer, err)
	}
	mails := server.Mails()
	if text := mails[0].Text; len(mails) != 1 || !strings.Contains(mails[0].To, "<carl@port.example>") || !strings.Contains(text, "Subject: Not acknowledged: alert: ") {
		t.Errorf("%+v", mails)
	}
	if since, _, _ := strings.Cut(all.Records[0].Time, "."); !strings.Contains(mails[0].Text, "acknowledged this since "+strings.TrimSuffix(since, "Z")) {
		t.Errorf("it does not say since when: %s\n%s", since, mails[0].Text)
	}
}

// TestASectorTellsWhatIsNobodys: an event that a user made and one of people in distress have no owner. They go on to those that the sector
// names: each gets a mail of what it may see.
func TestASectorTellsWhatIsNobodys(t *testing.T) {
	t.Parallel()
	s, server, chief := newMailed(t)
	chief("carl", rights())
	for _, one := range []struct{ path, body string }{
		{"/api/config/shape", `{"name":"North","polygon":{"type":"Polygon","coordinates":[[[10.3,56.1],[10.4,56.1],[10.4,56.2],[10.3,56.2],[10.3,56.1]]]},
			"sector":{"groups":["chiefs"],"escalate_after":"00:00:10","escalate_to":["chiefs"]}}`},
		{"/api/watchdog/event/manual", `{"message":"Fire at berth 4","severity":"alert","position":{"type":"Point","coordinates":[10.35,56.15]}}`},
	} {
		if status, answer := s.call(http.MethodPost, one.path, one.body); status/100 != 2 {
			t.Fatalf("%d %s", status, answer)
		}
	}
	for step := 0; s.app.watch.Last() < 2; step++ {
		s.say(&ais.PositionReport{Header: ais.Header{Type: 1, MMSI: 972000001}, Status: ais.StatusSART, Heading: ais.HeadingDegrees(step % 360),
			Second: 60, Place: ais.Place{Lon: 10.35 * 600000, Lat: 56.15 * 600000}})
	}
	s.until("both mails", func() bool { return len(server.Mails()) >= 2 })
	for _, want := range []string{"Fire at berth 4", "972000001"} {
		if !slices.ContainsFunc(server.Mails(), func(m mailtest.Received) bool {
			return strings.Contains(m.To, "<carl@port.example>") && strings.Contains(m.Text, "Subject: Not acknowledged: ") && strings.Contains(m.Text, want)
		}) {
			t.Errorf("no mail of %s: %+v", want, server.Mails())
		}
	}
}
