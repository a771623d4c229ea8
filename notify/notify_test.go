package notify

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"quaywatch/ais"
	"quaywatch/form"
	"quaywatch/internal/rule"
	"quaywatch/users/access"
	"quaywatch/users/access/right"
	"quaywatch/users/library"
)

// TestEachActivationIsToldOnce: an activation makes a notice for each target, its end makes none, and a restart none again.
func TestEachActivationIsToldOnce(t *testing.T) {
	far := &mailed{}
	b := newBox(t, far.send)
	b.enters(nordic+1, noon().Add(-time.Hour)) // before there is a watchdog
	b.define(`"mail_to":["anna","watch@port.example"]`)
	stop := b.run()
	b.enters(nordic, noon())
	b.leaves(nordic, noon().Add(10*time.Minute))
	b.becomes("[sent sent]")
	stop()
	b.close()
	b.open()
	b.run()
	b.enters(nordic+2, noon().Add(time.Hour))
	b.becomes("[sent sent sent sent]")
	ids := far.got()
	if len(ids) != 4 || ids[0] == ids[1] || ids[1] == ids[2] {
		t.Errorf("%v", ids)
	}
	if of := b.outbox.Of(1); len(of) != 2 || of[0].To != "anna" || of[1].To != "watch@port.example" || of[0].Channel != "mail" {
		t.Errorf("%+v", of)
	}
}

// TestNoOldEventIsTold: neither a first start nor an edit tells what was raised before.
func TestNoOldEventIsTold(t *testing.T) {
	far := &mailed{}
	b := newBox(t, far.send)
	r := b.define(`"mail_to":[]`)
	b.enters(nordic, noon())
	after := b.outbox.lastEvent()
	if !b.outbox.followEvents(t.Context(), &after) || after != 1 {
		t.Fatal(after)
	}
	b.must(b.outbox.add(nil, after)) // as each minute, and at the end
	_, err := b.areas.Library.Change(library.Watchdogs, r.UID, func(r *library.Resource) error {
		now := *r.Watchdog
		now.MailTo = []string{"watch@port.example"}
		r.Watchdog = &now
		return nil
	})
	b.must(err)
	b.close()
	b.open()
	b.run()
	b.enters(nordic+1, noon().Add(time.Hour))
	b.becomes("[sent]")
}

// TestWhatFailsIsTriedAgain: after 10 s, then later each time, and not for ever.
func TestWhatFailsIsTriedAgain(t *testing.T) {
	far := &mailed{err: errBusy}
	b := newBox(t, far.send)
	b.define(`"mail_to":["anna"]`)
	b.run()
	b.enters(nordic, noon())
	var gaps []time.Duration
	for tries := 1; b.states() != "[failed]"; tries++ {
		b.until("a try", func() bool { return len(far.got()) == tries })
		b.until("its end", func() bool { r, ok := b.outbox.findRow(1); return ok && r.Tries == tries })
		r, _ := b.outbox.findRow(1)
		if r.State == Waiting {
			gap := time.Duration(r.Next-r.At) * time.Millisecond
			gaps = append(gaps, gap)
			b.pass(gap - time.Millisecond)
			b.pass(time.Millisecond)
		}
	}
	if got := fmt.Sprint(gaps[:11]); got != "[10s 20s 40s 1m20s 2m40s 5m20s 10m40s 21m20s 42m40s 1h0m0s 1h0m0s]" {
		t.Error(got)
	}
	if days := b.clock().Sub(noon()); days < givenUp || days > givenUp+2*lastRetry {
		t.Errorf("given up after %v", days)
	}
	ids := far.got()
	if ids[0] != ids[len(ids)-1] {
		t.Errorf("a try has another id: %v", ids)
	}
	if s := b.outbox.Status(); len(s.Trouble) != 1 || s.Trouble[0].Error != errBusy.Error() || s.Waiting != 0 {
		t.Errorf("%+v", s)
	}
	far.answer(nil)
	b.enters(nordic+1, noon().Add(time.Hour))
	b.becomes("[failed sent]")
	if s := b.outbox.Status(); len(s.Trouble) != 0 {
		t.Errorf("%+v", s)
	}
}

// forGood is an error that no further try mends.
type forGood struct{ error }

func (forGood) Permanent() bool { return true }

// TestOneAnswerIsEnough: what is refused or fails for good is not tried again, and what has to wait is no try.
func TestOneAnswerIsEnough(t *testing.T) {
	for _, row := range []struct {
		err  error
		want NoticeState
	}{{forGood{errors.New("no\r\nsuch mailbox")}, Failed}, {refusalOf(rule.New("other", "{text}", "text", "not you")), Refused}} {
		far := &mailed{err: fmt.Errorf("send: %w", row.err)}
		b := newBox(t, far.send)
		b.define(`"mail_to":["anna"]`)
		b.run()
		b.enters(nordic, noon())
		b.becomes("[" + string(row.want) + "]")
		b.pass(4 * lastRetry)
		b.enters(nordic+1, noon().Add(time.Hour))
		b.becomes(fmt.Sprintf("[%[1]s %[1]s]", row.want))
		if of := b.outbox.Of(1)[0]; len(far.got()) != 2 || of.Error == "" || strings.ContainsAny(of.Error, "\r\n") {
			t.Errorf("%v: %v, %q", row.want, far.got(), of.Error)
		}
		if s := b.outbox.Status(); len(s.Trouble) != 0 {
			t.Errorf("what one target refuses is no trouble of the channel: %+v", s)
		}
	}
	far := &mailed{err: pausing(time.Minute)}
	b := newBox(t, far.send)
	b.define(`"mail_to":["anna"]`)
	b.run()
	b.enters(nordic, noon())
	b.until("a first look", func() bool { r, ok := b.outbox.findRow(1); return ok && r.Next != 0 })
	if r, _ := b.outbox.findRow(1); r.Tries != 0 || r.Next != noon().Add(time.Minute).UnixMilli() || r.Error != "" {
		t.Errorf("%+v", r)
	}
}

// TestAKillLosesNothing: the far end is slow when the box is killed, in the middle of many activations. After the restart each notice goes out, and
// those that it had taken do not go out again.
func TestAKillLosesNothing(t *testing.T) {
	far := &mailed{tap: make(chan string)}
	b := newBox(t, far.send)
	b.define(`"mail_to":["anna"]`)
	b.run()
	const ships = 12
	for i := range ships {
		b.enters(nordic+ais.MMSI(i), noon().Add(time.Duration(i)*time.Second))
	}
	for range 4 {
		<-far.tap
	}
	b.until("the fourth answer is stored", func() bool {
		return strings.Count(b.states(), "sent") == 4 && strings.Count(b.states(), " ") == ships-1
	})
	k := b.killed()
	again := &mailed{}
	k.outbox.config.Channels[0].Send = again.send
	k.run()
	k.until("all are sent", func() bool { return strings.Count(k.states(), "sent") == ships })
	seen := map[string]int{}
	for _, id := range append(far.got(), again.got()...) {
		seen[id]++
	}
	for id, n := range seen {
		if n != 1 {
			t.Errorf("%s came %d times", id, n)
		}
	}
	if len(seen) != ships || len(far.got()) != 4 {
		t.Errorf("%d notices, %d of them before the kill", len(seen), len(far.got()))
	}
}

// TestNothingIsDroppedSilently: where more wait than there is room for, the oldest are given up, told and counted.
func TestNothingIsDroppedSilently(t *testing.T) {
	far := &mailed{err: errBusy}
	b := newBox(t, far.send, func(c *Config) { c.Most = 3 })
	b.define(`"mail_to":["anna"]`)
	b.run()
	for i := range 5 {
		b.enters(nordic+ais.MMSI(i), noon().Add(time.Duration(i)*time.Second))
		b.until("its notice", func() bool { return len(b.outbox.Of(uint64(i)+1)) == 1 })
	}
	b.becomes("[failed failed waiting waiting waiting]")
	if s := b.outbox.Status(); s.Pushed != 2 || s.Waiting != 3 {
		t.Errorf("%+v", s)
	}
	if of := b.outbox.Of(1)[0]; !strings.Contains(of.Error, "more than 3 notices") {
		t.Errorf("%+v", of)
	}
}

// TestANoticeObeysItsOwner: what the owner of a watchdog may not be told of by now goes to nobody.
func TestANoticeObeysItsOwner(t *testing.T) {
	change := func(edit func(*access.User)) func(*box, library.Resource) {
		return func(b *box, _ library.Resource) {
			_, err := b.areas.Users.Change("anna", func(u *access.User) error { edit(u); return nil })
			b.must(err)
		}
	}
	for name, row := range map[string]struct {
		meanwhile func(*box, library.Resource)
		want      NoticeState
	}{
		"nothing":                        {func(*box, library.Resource) {}, Sent},
		"disabled":                       {change(func(u *access.User) { u.Disabled = true }), Refused},
		"expired":                        {change(func(u *access.User) { u.Expires = noon().Add(-time.Hour) }), Refused},
		"without view_watchdog":          {change(without(right.ViewWatchdog)), Refused},
		"without send_mail":              {change(without(right.SendMail)), Refused},
		"without allow_mail_self":        {change(without(right.AllowMailSelf)), Sent},
		"without allow_mail_other_users": {change(without(right.AllowMailOtherUsers)), Refused},
		"another ship":                   {change(func(u *access.User) { u.ReceiveFilter = form.Keys{"expression": []byte(`"mmsi = 219000001"`)} }), Refused},
		"another feed":                   {change(func(u *access.User) { u.Settings = form.Keys{"allowed_pss_list": []byte(`["attic"]`)} }), Refused},
		"another password":               {func(b *box, _ library.Resource) { b.must(b.areas.Users.SetPassword("anna", "a completely new one")) }, Sent},
		"this ship":                      {change(func(u *access.User) { u.ReceiveFilter = form.Keys{"expression": []byte(`"mmsi = 219018765"`)} }), Sent},
		"deleted user":                   {func(b *box, _ library.Resource) { b.must(b.areas.Users.Delete("anna")) }, Refused},
		"deleted watchdog":               {func(b *box, r library.Resource) { b.must(b.areas.Library.Delete(library.Watchdogs, r.UID)) }, Refused},
		"turned off": {func(b *box, r library.Resource) {
			_, err := b.areas.Library.Change(library.Watchdogs, r.UID, func(r *library.Resource) error {
				now := *r.Watchdog
				now.Enabled = false
				r.Watchdog = &now
				return nil
			})
			b.must(err)
		}, Refused},
		"another target": {func(b *box, r library.Resource) {
			_, err := b.areas.Library.Change(library.Watchdogs, r.UID, func(r *library.Resource) error {
				now := *r.Watchdog
				now.MailTo = []string{"other@port.example"}
				r.Watchdog = &now
				return nil
			})
			b.must(err)
		}, Refused},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			far := &mailed{err: pausing(time.Minute)}
			b := newBox(t, far.send)
			r := b.define(`"mail_to":["watch@port.example"]`)
			b.run()
			b.enters(nordic, noon())
			b.until("a first look", func() bool { r, ok := b.outbox.findRow(1); return ok && r.Next != 0 })
			row.meanwhile(b, r)
			far.answer(nil)
			b.pass(time.Minute)
			b.becomes("[" + string(row.want) + "]")
			if got := len(far.got()); (row.want == Sent) != (got == 2) {
				t.Errorf("%d tries, %s", got, text(b.outbox.Of(1)))
			}
		})
	}
}

// without takes a right away.
func without(r right.Name) func(*access.User) {
	return func(u *access.User) {
		u.Rights = maps.Clone(u.Rights)
		delete(u.Rights, r)
	}
}

// TestALateOwnerIsToldLate: the notice goes when the owner is told of the event, and neither before nor never.
func TestALateOwnerIsToldLate(t *testing.T) {
	far := &mailed{}
	b := newBox(t, far.send)
	_, err := b.areas.Users.Change("anna", func(u *access.User) error {
		u.ReceiveFilter = form.Keys{"delay": []byte("1800")}
		return nil
	})
	b.must(err)
	b.define(`"mail_to":["watch@port.example"]`)
	_, err = b.sight.Of(context.Background(), b.user(), "anna") // the picture of then
	b.must(err)
	b.run()
	b.enters(nordic, noon())
	step := func(minutes int) {
		b.hear(noon().Add(time.Duration(minutes)*time.Minute), nordic+9, 11)
		b.picture.Tick(noon().Add(time.Duration(minutes)*time.Minute), b.sight, b.watch)
		b.until("the picture of then has come as far", func() bool { return slices.Max(b.sight.Lags()) == 0 })
		b.pass(time.Minute)
	}
	for minute := 5; minute < 31; minute++ {
		step(minute)
		b.until("a look", func() bool { r, ok := b.outbox.findRow(1); return ok && r.Next > b.clock().UnixMilli() })
		if r, _ := b.outbox.findRow(1); r.State != Waiting {
			t.Fatalf("%s in minute %d", r.State, minute)
		}
	}
	for minute := 31; b.states() != "[sent]"; minute++ {
		if minute > 60 {
			t.Fatalf("not sent in minute %d: %s", minute, text(b.outbox.Of(1)))
		}
		step(minute)
		b.until("a look", func() bool {
			r, ok := b.outbox.findRow(1)
			return ok && (r.Next > b.clock().UnixMilli() || r.State != Waiting)
		})
	}
}

// user returns the owner as it is now.
func (b *box) user() *access.User {
	user, _ := b.areas.Users.User("anna")
	return user
}

// TestADemoSendsNothing: nothing goes out, each notice says so, and the log does once.
func TestADemoSendsNothing(t *testing.T) {
	far := &mailed{}
	var log strings.Builder
	b := newBox(t, far.send, func(c *Config) { c.Silent, c.Log = true, slog.New(slog.NewTextHandler(&log, nil)) })
	b.define(`"mail_to":["anna","watch@port.example"]`)
	stop := b.run()
	b.enters(nordic, noon())
	b.enters(nordic+1, noon().Add(time.Hour))
	b.becomes("[suppressed suppressed suppressed suppressed]")
	stop()
	if len(far.got()) != 0 || strings.Count(log.String(), "not sent") != 1 {
		t.Errorf("%v\n%s", far.got(), log.String())
	}
}

// TestALimitHolds: beyond the limit of an hour notices wait, also after a restart.
func TestALimitHolds(t *testing.T) {
	far := &mailed{}
	b := newBox(t, far.send, func(c *Config) { c.Channels[0].PerHour = 2 })
	b.define(`"mail_to":["anna","a@port.example","b@port.example"]`)
	stop := b.run()
	b.enters(nordic, noon())
	b.becomes("[sent sent waiting]")
	stop()
	b.close()
	b.open()
	b.run()
	b.pass(59 * time.Minute)
	if s := b.outbox.Status(); len(s.Trouble) != 1 || !s.Trouble[0].Since.Equal(noon()) || !strings.Contains(s.Trouble[0].Error, "per_hour") {
		t.Errorf("what waits for the limit is told nobody: %+v", s)
	}
	if c := &b.outbox.config.Channels[0]; true {
		if _, r, pause := b.outbox.dueNotice(c); r != nil || pause != time.Minute {
			t.Errorf("%+v in %v", r, pause)
		}
	}
	b.pass(time.Minute)
	b.becomes("[sent sent sent]")
	if s := b.outbox.Status(); len(s.Trouble) != 0 {
		t.Errorf("nothing waits: %+v", s)
	}
}

// TestFurtherTargetsAndLetters: others may tell of an event further targets, each once, and write letters to users that have a right.
func TestFurtherTargetsAndLetters(t *testing.T) {
	far := &mailed{}
	b := newBox(t, far.send)
	b.define(`"mail_to":["anna"]`)
	b.run()
	b.enters(nordic, noon())
	b.becomes("[sent]")
	b.must(b.outbox.Tell(1, "mail", b.owner.UID, "chief@port.example"))
	b.must(b.outbox.Tell(1, "mail", "chief@port.example"))
	b.becomes("[sent sent]")
	if err := b.outbox.Tell(1, "pigeon", "anna"); !errors.Is(err, ErrNoChannel) {
		t.Error(err)
	}
	for _, row := range []struct {
		need right.Name
		want NoticeState
	}{{right.ViewWatchdog, Sent}, {right.MessageRedirection, Refused}} {
		b.must(b.outbox.Post(Letter{Channel: "mail", User: b.owner.UID, Right: row.need, Subject: "a\r\nb", Text: "c"}))
		b.until(string(row.want), func() bool {
			of := b.outbox.Of(0)
			return of[len(of)-1].State == row.want
		})
	}
	if got := len(far.got()); got != 3 {
		t.Errorf("%d were sent", got)
	}
}

// later is the error of a channel whose turn comes later.
type later struct{}

func (later) Error() string       { return "later" }
func (later) Wait() time.Duration { return 10 * time.Second }

// TestALookIsNotWritten: what waits for its turn is looked at often, and no look costs a commit.
func TestALookIsNotWritten(t *testing.T) {
	far := &mailed{}
	far.answer(later{})
	b := newBox(t, far.send)
	b.define(`"mail_to":["watch@port.example"]`)
	b.run()
	b.enters(nordic, noon())
	for range 3 {
		b.until("a look", func() bool { r, ok := b.outbox.findRow(1); return ok && r.Next > b.clock().UnixMilli() })
		b.pass(10 * time.Second)
	}
	if rows, err := b.outbox.table.All(); err != nil || len(rows) != 1 || rows[0].Value.Next != 0 {
		t.Errorf("%+v, %v", rows, err)
	}
	far.answer(nil)
	b.pass(10 * time.Second)
	b.becomes("[sent]")
}

// TestAClockThatWasWrong: what was sent or failed while the clock ran ahead holds up nothing when it is right again.
func TestAClockThatWasWrong(t *testing.T) {
	far := &mailed{}
	b := newBox(t, far.send, func(c *Config) { c.Channels[0].PerHour = 1 })
	b.define(`"mail_to":["watch@port.example"]`)
	b.run()
	const year = 365 * 24 * time.Hour
	b.pass(year)
	b.enters(nordic, noon())
	b.becomes("[sent]")
	b.pass(-year)
	far.answer(errors.New("the server is down"))
	b.enters(nordic+1, noon())
	b.until("a try", func() bool { r, ok := b.outbox.findRow(2); return ok && r.Tries == 1 })
	far.answer(nil)
	b.pass(-24 * time.Hour)
	b.becomes("[sent sent]")
}
