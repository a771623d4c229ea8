package notify

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"quaywatch/users/access"
	"quaywatch/users/access/right"
)

// asks asks for tests by mail of some targets.
func (b *box) asks(targets ...string) error {
	b.t.Helper()
	var list []Target
	for _, to := range targets {
		list = append(list, Target{Mail, to})
	}
	_, err := Test(b.outbox, b.owner.UID, list)
	return err
}

// tested waits until the tests of the owner are in these states, the newest first, and returns them.
func (b *box) tested(want ...NoticeState) (records []Record) {
	b.t.Helper()
	var got []NoticeState
	b.until(fmt.Sprint("tests that are ", want), func() bool {
		got = nil
		records = Tests(b.outbox, b.owner.UID)
		for _, r := range records {
			got = append(got, r.State)
		}
		return slices.Equal(got, want)
	})
	return records
}

// TestATestIsTriedOnce: what fails is not tried again, says why, and is no trouble of the channel, as the address may be a wrong one.
func TestATestIsTriedOnce(t *testing.T) {
	far := &mailed{err: errBusy}
	b := newBox(t, far.send)
	b.run()
	b.must(b.asks("watch@port.example"))
	if r := b.tested(Failed)[0]; r.Error != errBusy.Error() || r.To != "watch@port.example" || r.Channel != Mail || !r.Time.Equal(noon()) {
		t.Errorf("%+v", r)
	}
	if s := b.outbox.Status(); len(s.Trouble) != 0 || s.Waiting != 0 {
		t.Errorf("%+v", s)
	}
	far.answer(nil)
	b.pass(firstRetry)
	b.must(b.asks("watch@port.example"))
	b.tested(Sent, Failed)
	if got := far.got(); len(got) != 2 || got[0] == got[1] {
		t.Errorf("tries %v", got)
	}
}

// TestATestThatIsNotItsTurnWaits: a limit of the channel is no try that failed.
func TestATestThatIsNotItsTurnWaits(t *testing.T) {
	far := &mailed{err: pausing(time.Minute)}
	b := newBox(t, far.send)
	b.run()
	b.must(b.asks("anna@port.example"))
	b.until("it was looked at", func() bool { r, ok := b.outbox.findRow(1); return ok && r.Next > 0 })
	b.tested(Waiting)
	far.answer(nil)
	b.pass(time.Minute)
	b.tested(Sent)
}

// TestATestSaysWhoAsked: and that nothing happened. A user gets it at its address, and a name steers nothing.
func TestATestSaysWhoAsked(t *testing.T) {
	got := make(chan *Delivery, 2)
	send := func(_ context.Context, m *Delivery) error { got <- m; return nil }
	b := newBox(t, send, func(c *Config) {
		c.Channels = append(c.Channels, Channel{Kind: SMS, Send: send, Targets: c.Channels[0].Targets})
	})
	b.run()
	_, err := Test(b.outbox, b.owner.UID, []Target{{Mail, b.owner.UID}})
	b.must(err)
	m := <-got
	subject, text := m.Mail()
	if m.To != "anna@port.example" || m.Event.ID != 0 || subject != "Test of Quaywatch by anna" ||
		!strings.HasPrefix(text, "anna asked at 2026-11-20T12:00:00Z") || !strings.Contains(text, "Nothing has happened") || *m.Asked != (TestRequest{"anna", noon()}) {
		t.Errorf("%s: %q, %q, %+v", m.To, subject, text, m.Asked)
	}
	_, err = Test(b.outbox, b.owner.UID, []Target{{SMS, "+4512345678"}})
	b.must(err)
	if m := <-got; m.To != "+4512345678" || m.SMS() != "Test of Quaywatch by anna, 2026-11-20T12:00:00Z" {
		t.Errorf("%s: %s", m.To, m.SMS())
	}
	if r := b.tested(Sent, Sent); r[0].Channel != SMS || r[1].To != "anna" {
		t.Errorf("%+v", r)
	}
	for _, channel := range []string{Mail, SMS} {
		of := (&TestRequest{"A\r\n\x1b[31m\u202eB", noon()}).letter(channel)
		if strings.ContainsFunc(of.Subject, steers) || strings.ContainsFunc(strings.ReplaceAll(of.Text, "\n", ""), steers) {
			t.Errorf("%s: %q %q", channel, of.Subject, of.Text)
		}
	}
}

// TestATestNeedsItsRightsWhenItIsSent: of whoever asked, as for a notice of a watchdog.
func TestATestNeedsItsRightsWhenItIsSent(t *testing.T) {
	deny := func(r right.Name) func(*access.User) error {
		return func(u *access.User) error { u.Rights[r] = right.Deny; return nil }
	}
	for says, change := range map[string]func(*access.User) error{
		"send_mail": deny(right.SendMail), "allow_mail_other_users": deny(right.AllowMailOtherUsers),
		"gone or disabled": func(u *access.User) error { u.Disabled = true; return nil },
	} {
		far := &mailed{}
		b := newBox(t, far.send)
		b.must(b.asks("watch@port.example"))
		_, err := b.areas.Users.Change("anna", change)
		b.must(err)
		b.run()
		if r := b.tested(Refused)[0]; !strings.Contains(r.Error, says) || len(far.got()) > 0 {
			t.Errorf("%s: %+v, sent %v", says, r, far.got())
		}
	}
	far := &mailed{}
	b := newBox(t, far.send)
	b.must(b.asks("0123456789abcdef"))
	b.run()
	if r := b.tested(Refused)[0]; !strings.Contains(r.Error, "gone or disabled") || len(far.got()) > 0 {
		t.Errorf("to a user that is gone: %+v", r)
	}
}

// TestTestsOfAnHour: a user has so many, also after a restart. Others do not see them, and have their own.
func TestTestsOfAnHour(t *testing.T) {
	far := &mailed{}
	b := newBox(t, far.send)
	var crowd []string
	for i := range MostTests {
		crowd = append(crowd, fmt.Sprintf("n%d@port.example", i))
	}
	b.must(b.asks(crowd[:10]...))
	b.pass(20 * time.Minute)
	b.must(b.asks(crowd[10:]...))
	var full *TooManyTests
	if err := b.asks("late@port.example"); !errors.As(err, &full) || full.Wait != 40*time.Minute || full.Rule.Word != "too_many_tests" {
		t.Errorf("%v %+v", err, full)
	}
	if err := b.asks(crowd[:11]...); !errors.As(err, &full) || full.Wait != time.Hour {
		t.Errorf("eleven have to wait for the second ten: %v %+v", err, full)
	}
	if err := b.asks(append(crowd, "late@port.example")...); !errors.As(err, &full) || full.Wait != 0 {
		t.Errorf("too many at once: %v %+v", err, full)
	}
	b = b.killed()
	if err := b.asks("late@port.example"); !errors.As(err, &full) {
		t.Errorf("after a restart: %v", err)
	}
	if all := Tests(b.outbox, b.owner.UID); len(all) != MostTests || all[0].To != crowd[MostTests-1] || all[MostTests-1].To != crowd[0] {
		t.Errorf("%d, of them first %+v", len(all), all[0])
	}
	if _, err := Test(b.outbox, "another", []Target{{Mail, "x@port.example"}}); err != nil ||
		len(Tests(b.outbox, "another")) != 1 || len(Tests(b.outbox, "")) != 0 {
		t.Errorf("%v, %v, %v", err, Tests(b.outbox, "another"), Tests(b.outbox, ""))
	}
	b.pass(40 * time.Minute)
	b.must(b.asks("late@port.example"))
	if all := Tests(b.outbox, b.owner.UID); len(all) != MostTests-10+1 {
		t.Errorf("of the last hour: %d", len(all))
	}
}

// TestATestKeepsItsTurn: behind a notice that waits for the same target, and it goes once after a kill.
func TestATestKeepsItsTurn(t *testing.T) {
	far := &mailed{err: errBusy}
	b := newBox(t, far.send)
	b.define(`"mail_to":["watch@port.example"]`)
	stop := b.run()
	b.enters(nordic, noon())
	b.until("a first try", func() bool { r, ok := b.outbox.findRow(1); return ok && r.Tries == 1 })
	b.must(b.asks("watch@port.example"))
	b.tested(Waiting)
	if _, r, pause := b.outbox.dueNotice(&b.outbox.config.Channels[0]); r != nil || pause != firstRetry {
		t.Errorf("%+v is due, or in %v", r, pause)
	}
	stop()
	b = b.killed()
	far.answer(nil)
	b.pass(firstRetry)
	b.run()
	b.tested(Sent)
	if got := far.got(); len(got) != 3 || got[0] != got[1] || !strings.HasSuffix(got[2], ".2") {
		t.Errorf("went as %v", got)
	}
}

// TestAnOldTestIsGivenUp: nobody wants it any more.
func TestAnOldTestIsGivenUp(t *testing.T) {
	far := &mailed{}
	b := newBox(t, far.send)
	b.must(b.asks("watch@port.example"))
	b.pass(testsKept)
	b.run()
	b.until("it failed", func() bool { r, ok := b.outbox.findRow(1); return ok && r.State == Failed })
	if r, _ := b.outbox.findRow(1); r.Error != "it could not be sent within an hour" || len(far.got()) > 0 {
		t.Errorf("%+v, sent %v", r, far.got())
	}
}

// TestWhatCannotBeTested: what goes on air, and what the configuration lacks. A demo sends nothing.
func TestWhatCannotBeTested(t *testing.T) {
	far := &mailed{}
	b := newBox(t, far.send, func(c *Config) {
		c.Silent = true
		c.Channels = append(c.Channels, Channel{Kind: Ship, Send: far.send}, Channel{Kind: Webhook, Send: far.send, Names: []string{"erp", "vts"}})
	})
	b.run()
	for _, channel := range []string{Ship, SMS} {
		if _, err := Test(b.outbox, b.owner.UID, []Target{{Mail, "a@b.example"}, {channel, "+4512345678"}}); !errors.Is(err, ErrNoChannel) {
			t.Errorf("%s: %v", channel, err)
		}
	}
	if ways := fmt.Sprint(Ways(b.outbox)); ways != "[{mail } {webhook erp} {webhook vts}]" {
		t.Error(ways)
	}
	made, err := Test(b.outbox, b.owner.UID, []Target{{Webhook, "vts"}, {Mail, "watch@port.example"}})
	if err != nil || len(made) != 2 || made[0].State != Suppressed || made[0].To != "vts" || len(far.got()) > 0 {
		t.Errorf("%v %+v", err, made)
	}
	b.tested(Suppressed, Suppressed)
}
