package handlers

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"quaywatch/ais"
	"quaywatch/engine/watchdogs"
	"quaywatch/internal/await"
	"quaywatch/notify"
	"quaywatch/notify/redirect"
	"quaywatch/users/access"
	"quaywatch/users/access/right"
	"quaywatch/users/library"
)

// TestTextsToOwnShipsAreForwarded: a user with the right gets a mail for each text to a ship of mmsi_list, once for all repetitions, if it may see the
// sender, and when it may.
func TestTextsToOwnShipsAreForwarded(t *testing.T) {
	s := &site{t: t, dir: t.TempDir(), clock: &clock{at: noon()}}
	var mu sync.Mutex
	var mails []string
	s.channels = []notify.Channel{{Kind: notify.Mail, Targets: func(*library.Resource, *watchdogs.Event) []string { return nil },
		Send: func(_ context.Context, m *notify.Delivery) error {
			mu.Lock()
			defer mu.Unlock()
			subject, text := m.Mail()
			mails = append(mails, fmt.Sprint(m.To, "|", subject, "|", text))
			return nil
		}}}
	s.open()
	if err := s.users.Add(access.AdminName, adminPassword); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.close() })
	for _, name := range []string{"anna", "without", "german", "other", "late"} {
		rights := []right.Name{right.MessageService, right.ViewSatellites}
		if name != "without" {
			rights = append(rights, right.MessageRedirection)
		}
		s.may(name, rights...)
		own := nordic
		if name == "other" {
			own++
		}
		s.call("admin", "PUT", usersPath+"/"+name, fmt.Sprintf(`{"email":"%s@port.example","settings":{"mmsi_list":[%d]}}`, name, own)).is(t, 200)
	}
	s.setFilter("german", `{"countries":[211]}`)
	s.setFilter("late", `{"delay":600}`)
	s.forward = redirect.New(redirect.Config{Users: s.users, Sight: s.sight, Outbox: s.outbox})
	ctx, cancel := context.WithCancel(t.Context())
	var running sync.WaitGroup
	running.Go(func() { _ = s.outbox.Run(ctx) })
	running.Go(func() { _ = s.forward.Run(ctx) })
	defer running.Wait()
	defer cancel()
	becomes := func(want ...string) {
		t.Helper()
		var got []string
		for range await.Looks(await.Limit) {
			mu.Lock()
			got = slices.Clone(mails)
			mu.Unlock()
			if slices.Equal(got, want) {
				return
			}
			if len(got) > len(want) {
				break
			}
		}
		t.Fatalf("%q, want %q", got, want)
	}
	const sender = ais.MMSI(219000047)
	s.hear(noon(), voyage(sender, "HAVN\r\nBCC: X"))
	for i := range 3 {
		s.hear(noon().Add(time.Duration(i)*time.Second), position(sender, 10.3, 56.14, 0, 0))
	}
	s.hear(noon().Add(4*time.Second), addressedText(sender, nordic, "CALL VHF 12"))
	s.hear(noon().Add(4*time.Second), addressedText(sender, nordic+2, "NOT FOR YOU"))
	mail := func(name, text, at string) string {
		return fmt.Sprintf("%s@port.example|Safety message to 219018765|%s\n\nTo: 219018765\nFrom: HAVN  BCC: X (219000047)\nTime: 2026-11-20T12:%sZ\n", name, text, at)
	}
	first := mail("anna", "CALL VHF 12", "00:04")
	becomes(first)
	s.hear(noon().Add(30*time.Second), addressedText(sender, nordic, "CALL VHF 12"))
	s.hear(noon().Add(31*time.Second), addressedText(sender, nordic, "CALL VHF 13"))
	second := mail("anna", "CALL VHF 13", "00:31")
	becomes(first, second)
	s.clock.pass(11 * time.Minute)
	s.hear(s.clock.now(), position(sender, 10.3, 56.14, 0, 0))
	s.settle()
	s.tick(s.clock.now())
	all := []string{first, second, mail("late", "CALL VHF 12", "00:30"), mail("late", "CALL VHF 13", "00:31")}
	becomes(all...)

	// A text that is repeated faster than the delay comes all the same, when it may be told of first.
	all = append(all, mail("anna", "CALL VHF 14", "11:00"))
	for range 3 {
		s.hear(s.clock.now(), addressedText(sender, nordic, "CALL VHF 14"))
		becomes(all...)
		s.clock.pass(4 * time.Minute)
	}
	s.hear(s.clock.now(), position(sender, 10.3, 56.14, 0, 0))
	s.settle()
	s.tick(s.clock.now())
	becomes(append(all, mail("late", "CALL VHF 14", "11:00"))...)
}
