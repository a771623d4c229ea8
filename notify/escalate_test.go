package notify

import (
	"context"
	"errors"
	"strings"
	"sync"
	"testing"
	"time"

	"quaywatch/form"
	"quaywatch/users/access"
	"quaywatch/users/access/right"
	"quaywatch/users/library"
)

// chief adds a user with an address that may see watchdogs.
func (b *box) chief(name string, edit ...func(*access.User)) *access.User {
	b.t.Helper()
	user := access.User{Name: name, Profile: access.Profile{Email: name + "@port.example",
		Rights: map[right.Name]right.Verdict{right.ViewWatchdog: right.Allow, right.ViewSatellites: right.Allow}}}
	for _, f := range edit {
		f(&user)
	}
	made, err := b.areas.Users.Create(user, password)
	b.must(err)
	return made
}

// share has a watchdog be used by users.
func (b *box) share(r library.Resource, users ...*access.User) {
	b.t.Helper()
	_, err := b.areas.Library.Change(library.Watchdogs, r.UID, func(r *library.Resource) error {
		r.ACL = nil
		for _, u := range users {
			r.ACL = append(r.ACL, u.UID)
		}
		return nil
	})
	b.must(err)
}

// letters is a far end that keeps the mails that it got.
type letters struct {
	mu    sync.Mutex
	mails []string
	err   error
}

func (l *letters) send(_ context.Context, m *Delivery) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.err == nil {
		subject, text := m.Mail()
		l.mails = append(l.mails, m.To+"\n"+subject+"\n"+text)
	}
	return l.err
}

func (l *letters) answer(err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.err = err
}

// TestAStepTellsThoseThatMaySee: users with an address that may see the event are told, of the first that each may see, also those that the event was
// mailed to. No others are.
func TestAStepTellsThoseThatMaySee(t *testing.T) {
	far := &letters{}
	b := newBox(t, far.send)
	bert := b.chief("bert")
	users := []*access.User{b.owner, bert,
		b.chief("blind", without(right.ViewWatchdog)),
		b.chief("mute", func(u *access.User) { u.Email = "" }),
		b.chief("gone", func(u *access.User) { u.Disabled = true }),
		b.chief("other", func(u *access.User) { u.ReceiveFilter = form.Keys{"expression": []byte(`"mmsi = 219000001"`)} }),
		b.chief("second", func(u *access.User) { u.ReceiveFilter = form.Keys{"expression": []byte(`"mmsi = 219018766"`)} }),
	}
	r := b.define(`"mail_to":["anna"]`)
	b.share(r, users...)
	users = append(users, b.chief("stranger"))
	b.run()
	b.enters(nordic, noon())
	b.enters(nordic+1, noon().Add(10*time.Minute))
	b.becomes("[sent sent]")
	step := EscalationStep{Key: "2.1", Events: []uint64{1, 2}, Users: users}
	b.must(b.outbox.Escalate(t.Context(), Mail, step))
	b.must(b.outbox.Escalate(t.Context(), Mail, step))
	b.becomes("[sent sent sent sent sent]")
	if to := b.told(1); to != "anna anna bert" {
		t.Errorf("of the first: %s", to)
	}
	if to := b.told(2); to != "anna second" {
		t.Errorf("of the second: %s", to)
	}
	want := "bert@port.example\nNot acknowledged: note: 219018765 entered Roads\nNobody has acknowledged this since 2026-11-20T12:02:00Z.\n\n219018765 entered Roads.\n"
	got := false
	for _, m := range far.mails {
		got = got || strings.HasPrefix(m, want)
	}
	if !got {
		t.Errorf("%q", far.mails)
	}
	step.Key = "2.2"
	b.must(b.outbox.Escalate(t.Context(), Mail, step)) // another step tells them again
	b.becomes("[sent sent sent sent sent sent sent sent]")
	if err := b.outbox.Escalate(t.Context(), "pigeon", step); !errors.Is(err, ErrNoChannel) {
		t.Error(err)
	}
}

// watchdog returns the number of the watchdog of an event.
func (b *box) watchdog(event uint64) uint64 {
	b.t.Helper()
	e, err := b.watch.Get(event)
	b.must(err)
	return e.Watchdog
}

// told returns those that were told of an event.
func (b *box) told(event uint64) string {
	var to []string
	for _, r := range b.outbox.Of(event) {
		to = append(to, r.To)
	}
	return strings.Join(to, " ")
}

// TestAStepIsToldOnce: neither a second order with its key nor one after a kill tells it again, whether it went out or waits.
func TestAStepIsToldOnce(t *testing.T) {
	far := &letters{err: errBusy}
	b := newBox(t, far.send)
	b.define(`"mail_to":[]`)
	b.run()
	b.enters(nordic, noon())
	step := EscalationStep{Key: "1.1", Events: []uint64{1}, Users: []*access.User{b.owner}}
	var running sync.WaitGroup
	for range 4 {
		running.Go(func() {
			if err := b.outbox.Escalate(t.Context(), Mail, step); err != nil {
				t.Error(err)
			}
		})
	}
	running.Wait()
	b.becomes("[waiting]")
	k := b.killed()
	later := &letters{}
	k.outbox.config.Channels[0].Send = later.send
	k.must(k.outbox.Escalate(t.Context(), Mail, step))
	k.run()
	k.pass(time.Minute)
	k.becomes("[sent]")
	k.must(k.outbox.Escalate(t.Context(), Mail, step))
	k.becomes("[sent]")
	if len(later.mails) != 1 {
		t.Errorf("%d mails", len(later.mails))
	}
}

// TestAStepThatWaitsIsJudgedAgain: what changed while the server was down counts.
func TestAStepThatWaitsIsJudgedAgain(t *testing.T) {
	change := func(name string, edit func(*access.User)) func(*box) {
		return func(b *box) {
			_, err := b.areas.Users.Change(name, func(u *access.User) error { edit(u); return nil })
			b.must(err)
		}
	}
	for name, row := range map[string]struct {
		meanwhile func(*box)
		want      NoticeState
	}{
		"nothing": {func(*box) {}, Sent},
		"acknowledged": {func(b *box) {
			_, err := b.watch.Acknowledge(1, "anna", noon())
			b.must(err)
		}, Refused},
		"the user lost view_watchdog":   {change("bert", without(right.ViewWatchdog)), Refused},
		"the user may not see the ship": {change("bert", func(u *access.User) { u.ReceiveFilter = form.Keys{"expression": []byte(`"mmsi = 1"`)} }), Refused},
		"the user has no address":       {change("bert", func(u *access.User) { u.Email = "" }), Refused},
		"it is not shared any more": {func(b *box) {
			r, _ := b.outbox.watchdog(b.watchdog(1))
			b.share(r)
		}, Refused},
		"the owner may not mail to others": {change("anna", without(right.AllowMailOtherUsers)), Refused},
		"the owner may not see the ship":   {change("anna", func(u *access.User) { u.ReceiveFilter = form.Keys{"expression": []byte(`"mmsi = 1"`)} }), Refused},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			far := &letters{err: pausing(time.Minute)}
			b := newBox(t, far.send)
			bert := b.chief("bert")
			b.share(b.define(`"mail_to":[]`), bert)
			b.run()
			b.enters(nordic, noon())
			b.must(b.outbox.Escalate(t.Context(), Mail, EscalationStep{Key: "1.1", Events: []uint64{1}, Users: []*access.User{bert}}))
			b.until("a first look", func() bool { r, ok := b.outbox.findRow(1); return ok && r.Next != 0 })
			row.meanwhile(b)
			far.answer(nil)
			b.pass(time.Minute)
			b.becomes("[" + string(row.want) + "]")
			if sent := len(far.mails) == 1; sent != (row.want == Sent) {
				t.Errorf("%q, %s", far.mails, text(b.outbox.Of(1)))
			}
		})
	}
}
