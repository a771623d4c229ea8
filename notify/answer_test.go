package notify

import (
	"slices"
	"strings"
	"testing"
	"time"

	"quaywatch/ais"
	"quaywatch/engine/watchdogs"
	"quaywatch/form"
	"quaywatch/users/access"
	"quaywatch/users/access/right"
	"quaywatch/users/library"
)

const overboard = ais.MMSI(972000001)

// rescue lets a device of a person overboard be heard, which raises an event.
func (b *box) rescue() {
	b.t.Helper()
	b.rescueAt(noon(), overboard)
}

// rescueAt lets a device be heard from a time on.
func (b *box) rescueAt(from time.Time, m ais.MMSI) {
	b.t.Helper()
	last := b.watch.Last()
	for i := range 3 {
		b.hearDevice(from.Add(time.Duration(i)*time.Second), m)
	}
	b.picture.Tick(from.Add(5*time.Second), b.db, b.sight, b.alarms, b.watch)
	b.alarms.Save()
	b.watch.Save(false)
	b.until("the event of the alarm", func() bool { return b.watch.Last() == last+1 })
}

// hearDevice lets a device report once.
func (b *box) hearDevice(at time.Time, m ais.MMSI) {
	b.hash++
	b.batch.Reset()
	p := &ais.PositionReport{Header: ais.Header{Type: 1, MMSI: m}, Status: ais.StatusSART, SOG: 0, COG: 0, Heading: 511,
		Place: ais.Place{Lon: 10.5 * 600000, Lat: int32(56.14 * 600000)}, Second: 60}
	b.batch.Reports = append(b.batch.Reports, ais.Report{Message: p, Hash: b.hash, Received: at, Feed: "roof", Channel: 'A'})
	b.picture.Apply(&b.batch, b.db, b.sight, b.alarms, b.watch)
}

// tells names those that the built-in watchdog tells.
func (b *box) tells(fields string, owner *access.User) {
	b.t.Helper()
	for _, r := range b.areas.Library.List(library.Watchdogs) {
		if !r.BuiltIn() {
			continue
		}
		_, err := b.areas.Library.Change(library.Watchdogs, r.UID, func(r *library.Resource) error {
			f, err := form.Read([]byte(fields))
			b.must(err)
			b.must(b.areas.Library.Apply(f, library.Watchdogs, r, b.areas.Library.Anything()))
			if owner != nil {
				r.Owner = owner.UID
			}
			return f.Err()
		})
		b.must(err)
	}
	b.watch.Compile()
}

func onlyShip(mmsi string) func(*access.User) {
	return func(u *access.User) { u.ReceiveFilter = form.Keys{"expression": []byte(`"mmsi = ` + mmsi + `"`)} }
}

// TestNobodyOwnsPeopleInDistress: users are told what they may see themselves, whichever administrator named them; others are told as long as there is an
// administrator of watchdogs that may.
func TestNobodyOwnsPeopleInDistress(t *testing.T) {
	admin := func(u *access.User) {
		for _, r := range []right.Name{right.AdminWatchdogDefinitions, right.SendMail, right.AllowMailOtherUsers} {
			u.Rights[r] = right.Allow
		}
	}
	for name, row := range map[string]struct {
		edit func(b *box, owner *access.User)
		want string
	}{
		"an owner":                   {func(*box, *access.User) {}, "bert sent, other refused, guard@coast.example sent"},
		"none":                       {func(b *box, _ *access.User) { b.must(b.areas.Users.Delete("chief")) }, "bert sent, other refused, guard@coast.example refused"},
		"none, but an administrator": {func(b *box, _ *access.User) { b.must(b.areas.Users.Delete("chief")); b.chief("zoe", admin) }, "bert sent, other refused, guard@coast.example sent"},
		"none, and one that sees less": {func(b *box, _ *access.User) {
			b.must(b.areas.Users.Delete("chief"))
			b.chief("zoe", admin, onlyShip("1"))
		}, "bert sent, other refused, guard@coast.example refused"},
		"one that may not mail":        {func(b *box, _ *access.User) { b.alter("chief", without(right.SendMail)) }, "bert sent, other refused, guard@coast.example refused"},
		"one that sees less":           {func(b *box, _ *access.User) { b.alter("chief", onlyShip("1")) }, "bert sent, other refused, guard@coast.example refused"},
		"one that does not administer": {func(b *box, _ *access.User) { b.alter("chief", without(right.AdminWatchdogDefinitions)) }, "bert sent, other refused, guard@coast.example sent"},
		"none, and one that is no such": {func(b *box, _ *access.User) {
			b.must(b.areas.Users.Delete("chief"))
			b.chief("zoe", admin, without(right.AdminWatchdogDefinitions))
		}, "bert sent, other refused, guard@coast.example refused"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			far := &letters{}
			b := newBox(t, far.send)
			owner := b.chief("chief", admin)
			b.chief("bert")
			b.chief("other", onlyShip("219000001"))
			b.tells(`{"mail_to":["bert","other","guard@coast.example"]}`, owner)
			row.edit(b, owner)
			b.run()
			b.rescue()
			became := func() string {
				var all []string
				for _, r := range b.outbox.Of(1) {
					all = append(all, r.To+" "+string(r.State))
				}
				return strings.Join(all, ", ")
			}
			b.until("the notices are done", func() bool { got := became(); return got != "" && !strings.Contains(got, "waiting") })
			if got := became(); got != row.want {
				t.Errorf("%s, want %s: %s", got, row.want, text(b.outbox.Of(1)))
			}
		})
	}
}

// alter changes a user.
func (b *box) alter(name string, edit func(*access.User)) {
	b.t.Helper()
	_, err := b.areas.Users.Change(name, func(u *access.User) error { edit(u); return nil })
	b.must(err)
}

// TestAStepOfWhatIsNobodys: of people in distress and of what a user wrote, a step tells those that may see it themselves, and asks for no owner.
func TestAStepOfWhatIsNobodys(t *testing.T) {
	for name, raise := range map[string]func(b *box){
		"people in distress": (*box).rescue,
		"by hand": func(b *box) {
			b.enters(nordic, noon())
			s, ok := b.picture.Ship(nordic)
			if !ok {
				b.t.Fatal("no ship")
			}
			_, err := watchdogs.AddManual(b.watch, watchdogs.Event{Severity: "alert", Time: noon().UnixMilli(), Ship: watchdogs.ShipOf(&s), Fix: &s.Fix, Feeds: []string{"roof"},
				Manual: &watchdogs.ManualEvent{Text: "Buoy adrift", By: "anna"}}, noon(), func(uint64) {})
			b.must(err)
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			far := &letters{}
			b := newBox(t, far.send)
			users := []*access.User{b.chief("bert"), b.chief("blind", without(right.ViewWatchdog)), b.chief("other", onlyShip("219000001"))}
			b.run()
			raise(b)
			b.must(b.outbox.Escalate(t.Context(), Mail, EscalationStep{Key: "1.1", Events: []uint64{1}, Users: users}))
			b.becomes("[sent]")
			if len(far.mails) != 1 || !strings.HasPrefix(far.mails[0], "bert@port.example\nNot acknowledged: alert: ") {
				t.Errorf("%q", far.mails)
			}
		})
	}
}

// TestALateUserIsToldOfANewDevice: the picture of a user with a delay moves in steps. The mail about a device that it does not hold yet waits, where the user
// may see the device. No notice goes out early, and what is hidden stays so.
func TestALateUserIsToldOfANewDevice(t *testing.T) {
	const delay = 3000 * time.Second // a step is a three hundredth
	late := func(u *access.User) {
		if u.ReceiveFilter == nil {
			u.ReceiveFilter = form.Keys{}
		}
		u.ReceiveFilter["delay"] = []byte("3000")
	}
	far := &letters{}
	b := newBox(t, far.send)
	users := []*access.User{b.chief("bert", late), b.chief("other", onlyShip("219000001"), late)}
	b.tells(`{"mail_to":["bert","other"]}`, b.owner)
	for _, user := range users {
		_, err := b.sight.Of(t.Context(), user, "user "+user.UID) // the picture of then
		b.must(err)
	}
	b.run()
	b.rescueAt(noon().Add(time.Second), overboard)
	b.hearDevice(noon().Add(delay-time.Minute), overboard) // so the store has what is too young for the user
	look := func(at time.Time) {
		t.Helper()
		b.picture.Tick(at, b.sight, b.watch)
		b.until("the picture of then has come as far", func() bool { return slices.Max(b.sight.Lags()) == 0 })
		for id := range uint64(2) {
			b.pass(mostLater)
			b.until("a look", func() bool {
				r, ok := b.outbox.findRow(id + 1)
				return ok && (r.State != Waiting || r.Next > b.clock().UnixMilli())
			})
		}
	}
	for _, second := range []int{-20, 0, 4, 7, 8} {
		look(noon().Add(delay + time.Duration(second)*time.Second))
		if got := b.states(); got != "[waiting waiting]" && (second < 4 || got != "[waiting refused]") {
			t.Fatalf("%s when the user lives at %d s", got, second)
		}
	}
	look(noon().Add(delay + 12*time.Second))
	b.becomes("[sent refused]")
	if len(far.mails) != 1 || !strings.HasPrefix(far.mails[0], "bert@port.example") {
		t.Errorf("%q", far.mails)
	}
}
