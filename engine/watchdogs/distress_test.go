package watchdogs

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"quaywatch/ais"
	"quaywatch/engine/distress"
	"quaywatch/ship"
	"quaywatch/users/library"
)

const overboard = ais.MMSI(972000001)

// device lets a device in distress send a position, or a text, as the picture tells it: the list of alarms first. The alarm is stored.
func (b *box) device(m ais.MMSI, at time.Time, message ais.Message) {
	r := ais.Report{Message: message, Received: at, Feed: "roof"}
	was := b.states[m]
	limits := ship.DefaultLimits()
	out := ship.Merge(&was, ship.Gate{}, &r, &limits)
	b.states[m] = out.Now
	u := ship.Update{Report: &r, Was: was, Now: out.Now, Fix: out.Fix, Change: out.Change, Refused: out.Reason}
	b.alarms.Observe(&u)
	b.watch.Observe(&u)
	b.pass(at)
}

// pass lets a time come, and stores what there is.
func (b *box) pass(at time.Time) {
	b.alarms.Tick(at)
	b.watch.Tick(at)
	b.alarms.Save()
	b.watch.Save(false)
}

// kill ends everything without a word, and opens it again.
func (b *box) kill() {
	b.end()
	b.open()
}

func position(m ais.MMSI, status ais.NavStatus) *ais.PositionReport {
	return &ais.PositionReport{Header: ais.Header{Type: 1, MMSI: m}, Status: status, Second: 60, Place: ais.Place{Lon: 10.25 * 600000, Lat: 56.14 * 600000}}
}

func text(m ais.MMSI, text string) *ais.BroadcastSafety {
	return &ais.BroadcastSafety{Header: ais.Header{Type: 14, MMSI: m}, Text: text}
}

func (b *box) events() (lines []string) {
	for e, err := range b.watch.After(0) {
		if err != nil {
			b.t.Fatal(err)
		}
		line := fmt.Sprintf("%d %s %s %d", e.Watchdog, e.Kind, e.Severity, e.Ship.MMSI)
		if e.Activated {
			line += " told"
		}
		if e.Deactivated != 0 {
			line += " over " + time.UnixMilli(e.Deactivated).UTC().Format(time.TimeOnly)
		}
		lines = append(lines, line)
	}
	return lines
}

func (b *box) want(lines ...string) {
	b.t.Helper()
	if got := b.events(); !slices.Equal(got, lines) {
		b.t.Errorf("%q, want %q", got, lines)
	}
}

func (b *box) acknowledge(at time.Time) {
	b.t.Helper()
	for _, a := range b.alarms.Raised() {
		if err := b.alarms.AcknowledgeRaised([]distress.SeenAlarm{{MMSI: a.Ship.MMSI, Since: a.Since, By: "anna", At: at.UnixMilli()}}); err != nil {
			b.t.Fatal(err)
		}
	}
}

// TestPeopleInDistress: one report of a device is enough; what becomes a new alarm is a new event, and what goes on is none. A restart or a kill at any
// moment changes nothing.
func TestPeopleInDistress(t *testing.T) {
	const active, tested = ais.StatusSART, ais.StatusUndefined
	for name, meanwhile := range map[string]func(*box){"in peace": func(*box) {}, "with restarts": (*box).restart, "with kills": (*box).kill} {
		t.Run(name, func(t *testing.T) {
			b := newBox(t)
			now := begin
			step := func(d time.Duration, do func(), lines ...string) {
				t.Helper()
				now = now.Add(d)
				do()
				b.want(lines...)
				meanwhile(b)
				b.pass(now)
				b.want(lines...)
			}
			says := func(m ais.MMSI, status ais.NavStatus) func() {
				return func() { b.device(m, now, position(m, status)) }
			}
			first := "1 distress alert 972000001 told"
			step(0, func() { b.pass(now) })
			step(time.Second, says(overboard, active), first)
			step(time.Second, func() { b.device(overboard, now, text(overboard, "MOB ACTIVE")) }, first)
			step(time.Minute, says(overboard, active), first)
			step(5*time.Hour, func() { b.pass(now) }, first) // silence ends nothing that nobody has seen
			step(time.Second, says(overboard, active), first)
			step(time.Second, func() { b.acknowledge(now); b.pass(now) }, first)
			step(30*time.Minute, says(overboard, active), first) // it goes on
			step(59*time.Minute, func() { b.pass(now) }, first)
			over := first + " over 06:31:04"
			step(2*time.Minute, func() { b.pass(now) }, over)
			step(time.Minute, says(overboard, active), over, first) // a new one
			step(time.Second, func() { b.device(970000002, now, text(970000002, "SART TEST")) }, over, first, "1 test note 970000002")
			step(time.Second, says(970000002, tested), over, first, "1 test note 970000002")
			quiet := "1 test note 970000002 over " + now.Add(time.Second).Format(time.TimeOnly)
			step(time.Second, says(970000002, active), over, first, quiet, "1 distress alert 970000002 told")
			step(time.Second, says(970000002, tested), over, first, quiet, "1 distress alert 970000002 told") // a test ends no alarm
		})
	}
}

// TestATestRingsWhereItIsWanted: with test_mode, and it is over a quarter of an hour after its last report.
func TestATestRingsWhereItIsWanted(t *testing.T) {
	b := newBox(t)
	r, ok := b.areas.Library.Get(library.Watchdogs, "1")
	if !ok || !r.BuiltIn() {
		t.Fatalf("%+v", r)
	}
	if _, err := b.areas.Library.Change(library.Watchdogs, r.UID, func(r *library.Resource) error {
		w := *r.Watchdog
		w.TestMode, r.Watchdog = true, &w
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	b.watch.Compile()
	b.device(970000002, begin, position(970000002, ais.StatusUndefined))
	b.want("1 test alert 970000002 told")
	b.pass(begin.Add(15 * time.Minute))
	b.want("1 test alert 970000002 told")
	b.pass(begin.Add(15*time.Minute + time.Second))
	b.want("1 test alert 970000002 told over 00:15:00")
}

// TestAnEventWaitsForItsAlarm: what is not on the disk is told by nobody, as a kill would have it told again.
func TestAnEventWaitsForItsAlarm(t *testing.T) {
	b := newBox(t)
	b.pass(begin)
	u := ship.Update{Report: &ais.Report{Message: position(overboard, ais.StatusSART), Received: begin}, Now: ship.State{MMSI: overboard, Heard: begin.UnixMilli()}}
	b.alarms.Observe(&u)
	b.watch.Save(false)
	b.want()
	b.alarms.Save()
	b.watch.Save(false)
	b.want("1 distress alert 972000001 told")
	e, err := b.watch.Get(1)
	if err != nil || e.Fix != nil || e.Sentence() != "972000001 sends an alarm of people in distress" {
		t.Errorf("%+v, %v: %s", e, err, e.Sentence())
	}
}
