package notify

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"quaywatch/users/access"
)

// TestAParcelIsSentOnce to each target, as it is packed when it is sent, also where it is asked for again after a kill.
func TestAParcelIsSentOnce(t *testing.T) {
	got := make(chan string, 10)
	b := newBox(t, func(_ context.Context, m *Delivery) error {
		subject, text := m.Mail()
		got <- fmt.Sprintf("%s %s %s %s", m.To, subject, text, m.File.Bytes)
		return nil
	})
	pack := func(_ context.Context, statistic int64, to string) (Parcel, error) {
		return Parcel{"Bay\r\nBcc: x@y.example", fmt.Sprintf("of %d", statistic), &AttachedFile{"bay.csv", "text/csv", []byte(strings.ReplaceAll(to, b.owner.UID, "anna"))}}, nil
	}
	b.outbox.Pack(pack)
	b.must(b.outbox.Mail(7, []string{b.owner.UID, "watch@port.example"}))
	b = b.killed()
	b.outbox.Pack(pack)
	b.must(b.outbox.Mail(7, []string{b.owner.UID, "watch@port.example", "late@port.example"}))
	b.run()
	all := map[string]bool{}
	for range 2 {
		all[<-got] = true
	}
	for _, want := range []string{"anna@port.example Bay Bcc: x@y.example of 7 anna", "watch@port.example Bay Bcc: x@y.example of 7 watch@port.example"} {
		if !all[want] {
			t.Errorf("%v lacks %s", all, want)
		}
	}
	b.until("both are sent", func() bool {
		r := b.outbox.Parcels(7)
		return len(r) == 2 && r[0].State == Sent && r[1].State == Sent && r[0].To == "anna" && r[1].To == "watch@port.example"
	})
	if len(got) > 0 || len(b.outbox.Parcels(8)) > 0 {
		t.Error("there are others")
	}
}

// TestAParcelThatMayNotBeSent: what its reader may not have is refused, what it may have later waits, and a user that is gone or has no address gets none.
func TestAParcelThatMayNotBeSent(t *testing.T) {
	got := make(chan string, 10)
	b := newBox(t, func(_ context.Context, m *Delivery) error { got <- m.To; return nil })
	b.outbox.Pack(func(_ context.Context, statistic int64, to string) (Parcel, error) {
		switch {
		case statistic == 1:
			return Parcel{}, &RefusedNotice{errors.New("it is hidden")}
		case statistic == 2 && b.clock().Before(noon().Add(time.Minute)):
			return Parcel{}, Later(time.Hour)
		}
		return Parcel{Subject: "Bay"}, nil
	})
	_, err := b.areas.Users.Create(access.User{Name: "bert"}, password)
	b.must(err)
	bert, _ := b.areas.Users.User("bert")
	b.run()
	b.must(b.outbox.Mail(2, []string{"late@port.example"}))
	b.must(b.outbox.Mail(1, []string{"watch@port.example"}))
	b.must(b.outbox.Mail(3, []string{bert.UID}))
	b.must(b.outbox.Mail(4, []string{"0b9b6dbe-1111-4111-8111-111111111111"}))
	for id, says := range map[int64]string{1: "it is hidden", 3: "has no address", 4: "is gone or disabled"} {
		b.until("it is refused", func() bool {
			r := b.outbox.Parcels(id)
			return r[0].State == Refused && strings.Contains(r[0].Error, says)
		})
	}
	if r := b.outbox.Parcels(2); r[0].State != Waiting {
		t.Errorf("%+v", r)
	}
	b.pass(2 * time.Minute)
	if to := <-got; to != "late@port.example" {
		t.Error(to)
	}
}

// TestAWaitCountsFromWhenItWasAsked: what has to wait for a second is looked at again when that is over, though the answer took as long.
func TestAWaitCountsFromWhenItWasAsked(t *testing.T) {
	got := make(chan string, 10)
	b := newBox(t, func(_ context.Context, m *Delivery) error { got <- m.To; return nil })
	asked := 0
	b.outbox.Pack(func(context.Context, int64, string) (Parcel, error) {
		if asked++; asked == 1 {
			b.pass(2 * time.Second) // and then the clock stands
			return Parcel{}, Later(time.Second)
		}
		return Parcel{Subject: "Bay"}, nil
	})
	b.must(b.outbox.Mail(2, []string{"watch@port.example"}))
	b.run()
	b.until("it is sent", func() bool { return b.outbox.Parcels(2)[0].State == Sent })
	if asked != 2 || <-got != "watch@port.example" {
		t.Errorf("it was packed %d times", asked)
	}
}

// TestNoParcelWithoutMail: a box without mail says so.
func TestNoParcelWithoutMail(t *testing.T) {
	b := newBox(t, nil, func(c *Config) { c.Channels = nil })
	if err := b.outbox.Mail(1, []string{"watch@port.example"}); !errors.Is(err, ErrNoChannel) {
		t.Error(err)
	}
}
