package distress

import (
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"quaywatch/ais"
	"quaywatch/ship"
	"quaywatch/store"
	"quaywatch/store/records"
)

// box is a list of alarms on a store, and a clock.
type box struct {
	*Alarms
	t   testing.TB
	dir string
	db  *store.DB
	at  time.Time
	had map[ais.MMSI]ship.State // of the ships that were heard
}

func newBox(t testing.TB) *box {
	b := &box{t: t, dir: t.TempDir(), at: time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC), had: map[ais.MMSI]ship.State{}}
	b.open()
	t.Cleanup(func() { _ = b.db.Close() })
	return b
}

func (b *box) open() {
	b.t.Helper()
	var err error
	if b.db, err = store.Open(store.Options{Dir: b.dir}); err != nil {
		b.t.Fatal(err)
	}
	if b.Alarms, err = Open(b.db.Database, nil); err != nil {
		b.t.Fatal(err)
	}
}

// restart closes the store and opens it again; without save as after a kill.
func (b *box) restart(save bool) {
	b.t.Helper()
	if save {
		b.Save()
	}
	if err := b.db.Close(); err != nil {
		b.t.Fatal(err)
	}
	b.open()
}

// hear lets a message be heard now, with what it makes of the ship.
func (b *box) hear(m ais.Message) {
	r := ais.Report{Message: m, Received: b.at, Feed: "roof"}
	was := b.had[m.Head().MMSI]
	limits := ship.DefaultLimits()
	out := ship.Merge(&was, ship.Gate{}, &r, &limits)
	b.had[out.Now.MMSI] = out.Now
	b.Observe(&ship.Update{Report: &r, Was: was, Now: out.Now, Fix: out.Fix, Change: out.Change, Refused: out.Reason})
}

// pass lets time pass, and tells the list of it.
func (b *box) pass(d time.Duration) {
	b.at = b.at.Add(d)
	b.Tick(b.at)
}

func position(m ais.MMSI, status ais.NavStatus, placed bool) *ais.PositionReport {
	p := &ais.PositionReport{Header: ais.Header{Type: 1, MMSI: m}, Status: status, Second: 60,
		Place: ais.Place{Lon: 10.25 * 600000, Lat: 56.14 * 600000}}
	if !placed {
		p.Place = ais.Place{Lon: 181 * 600000, Lat: 91 * 600000}
	}
	return p
}

func text(m ais.MMSI, text string) *ais.BroadcastSafety {
	return &ais.BroadcastSafety{Header: ais.Header{Type: 14, MMSI: m}, Text: text}
}

// all tells everything as it was kept.
func all(kept *ship.State, _ time.Time) (ship.State, bool) { return *kept, true }

// rows returns the alarms as text: number, "test" and the user that acknowledged each.
func (b *box) rows() string {
	list := []string{}
	for _, a := range b.Seen(all, true).Alarms {
		text := fmt.Sprint(a.Ship.MMSI)
		if a.Test {
			text += " test"
		}
		if a.Acknowledged() {
			text += " by " + a.By
		}
		list = append(list, text)
	}
	return fmt.Sprint(list)
}

func (b *box) acknowledge(by string, numbers ...ais.MMSI) {
	b.t.Helper()
	if _, err := b.Acknowledge(all, Which{numbers, b.at.UnixMilli()}, by, b.at); err != nil {
		b.t.Fatal(err)
	}
}

// TestWhatIsAnAlarm: the numbers of devices and status 14 of any ship are alarms; status 15 and the texts of a test are one from these numbers alone.
func TestWhatIsAnAlarm(t *testing.T) {
	const mob, sart, epirb, trader = 972123456, 970123456, 974123456, 219018765
	for _, row := range []struct {
		name    string
		message ais.Message
		want    saying
	}{
		{"a man overboard device", position(mob, 14, true), saysDistress},
		{"one without a position", position(mob, 14, false), saysDistress},
		{"a ship with status 14", position(trader, 14, true), saysDistress},
		{"one by long range", &ais.LongRangeReport{Header: ais.Header{Type: 27, MMSI: trader}, Status: 14}, saysDistress},
		{"a test", position(sart, 15, true), saysTest},
		{"a ship without a status", position(trader, 15, true), saysNothing},
		{"a ship under way", position(trader, 0, true), saysNothing},
		{"a device with the status of a ship", position(epirb, 0, true), saysDistress},
		{"the text of an alarm", text(sart, "SART ACTIVE"), saysDistress},
		{"the text of a test", text(sart, "SART TEST"), saysTest},
		{"padded", text(mob, "MOB TEST@@@"), saysTest},
		{"of an EPIRB", text(epirb, "EPIRB TEST"), saysTest},
		{"another text with that word", text(epirb, "THIS IS NO TEST"), saysDistress},
		{"the text from a ship", text(trader, "SART TEST"), saysNothing},
		{"an alarm in the words of a ship", text(trader, "MAN OVERBOARD"), saysNothing},
		{"an addressed text", &ais.AddressedSafety{Header: ais.Header{Type: 12, MMSI: mob}, Text: "MOB ACTIVE"}, saysDistress},
		{"a device that speaks as class B", &ais.ClassBReport{Header: ais.Header{Type: 18, MMSI: mob}}, saysDistress},
		{"a name alone", &ais.StaticReport{Header: ais.Header{Type: 24, MMSI: mob}, Name: "X"}, saysNothing},
		{"a ship of class B", &ais.ClassBReport{Header: ais.Header{Type: 18, MMSI: trader}}, saysNothing},
		{"971 is no such number", position(971123456, 15, true), saysNothing},
	} {
		if got := sayingOf(row.message.Head().MMSI, row.message); got != row.want {
			t.Errorf("%s: %d, want %d", row.name, got, row.want)
		}
	}
}

func TestAnAlarmStaysUntilItIsAcknowledged(t *testing.T) {
	b := newBox(t)
	b.hear(position(972000001, 14, true))
	b.pass(40 * 24 * time.Hour)
	if got := b.rows(); got != "[972000001]" {
		t.Fatalf("after forty days of silence: %s", got)
	}
	b.restart(true)
	if got := b.rows(); got != "[972000001]" {
		t.Fatalf("after a restart: %s", got)
	}
	if a := b.Seen(all, true).Alarms[0]; !a.Ship.HasFix || a.Ship.Fix.Lon != 10.25*600000 || a.Ship.Feed != "roof" || a.Ship.Class != ship.ClassMOB {
		t.Errorf("after a restart: %+v", a)
	}
	b.acknowledge("anna", 972000001)
	b.acknowledge("bert", 972000001)
	b.restart(false)
	if got := b.rows(); got != "[972000001 by anna]" {
		t.Fatalf("acknowledged: %s", got)
	}
	if rows := b.Seen(all, true); rows.Total != 0 || rows.Alarms[0].Seen != b.at.UnixMilli() {
		t.Errorf("acknowledged: %+v", rows)
	}
	b.pass(23 * time.Hour)
	if got := b.rows(); got != "[972000001 by anna]" {
		t.Errorf("a day later: %s", got)
	}
	b.pass(2 * time.Hour)
	if got := b.rows(); got != "[]" {
		t.Errorf("after that day: %s", got)
	}
	b.restart(true)
	if got := b.rows(); got != "[]" {
		t.Errorf("after that day and a restart: %s", got)
	}
}

// TestARestartKeepsWhatIsNotYetWritten: a kill loses what a second brought, and nothing else; the device is heard again.
func TestARestartKeepsWhatIsNotYetWritten(t *testing.T) {
	b := newBox(t)
	b.hear(position(972000001, 14, true))
	b.Save()
	b.hear(position(972000002, 14, true))
	b.restart(false)
	if got := b.rows(); got != "[972000001]" {
		t.Errorf("%s", got)
	}
}

func TestATestIsNoAlarm(t *testing.T) {
	b := newBox(t)
	b.hear(text(970000001, "SART TEST"))
	b.hear(position(970000001, 15, true))
	if rows := b.Seen(all, true); b.rows() != "[970000001 test]" || rows.Total != 0 || rows.Tests != 1 {
		t.Fatalf("%s %+v", b.rows(), rows)
	}
	b.pass(10 * time.Minute)
	b.hear(position(970000001, 15, true))
	b.pass(14 * time.Minute)
	if got := b.rows(); got != "[970000001 test]" {
		t.Errorf("while it goes on: %s", got)
	}
	b.pass(2 * time.Minute)
	if got := b.rows(); got != "[]" {
		t.Errorf("when it is over: %s", got)
	}
	b.hear(position(970000001, 15, true))
	b.acknowledge("anna", 970000001)
	b.pass(time.Minute)
	b.hear(position(970000001, 14, true))
	if got := b.rows(); got != "[970000001]" {
		t.Errorf("an alarm after a test that was acknowledged: %s", got)
	}
	b.hear(position(970000001, 15, true))
	if got := b.rows(); got != "[970000001]" {
		t.Errorf("a test after an alarm: %s", got)
	}
}

// TestADeviceAlarmsAgain: what goes on after the acknowledgement is the same alarm; after an hour of silence it is a new one.
func TestADeviceAlarmsAgain(t *testing.T) {
	b := newBox(t)
	b.hear(position(972000001, 14, true))
	b.acknowledge("anna", 972000001)
	for range 10 {
		b.pass(50 * time.Minute)
		b.hear(position(972000001, 14, true))
	}
	if got := b.rows(); got != "[972000001 by anna]" {
		t.Errorf("the same alarm: %s", got)
	}
	b.pass(61 * time.Minute)
	b.hear(position(972000001, 14, true))
	if got := b.rows(); got != "[972000001]" {
		t.Errorf("a new alarm: %s", got)
	}
	b.restart(true)
	if got := b.rows(); got != "[972000001]" {
		t.Errorf("a new alarm after a restart: %s", got)
	}
}

// TestNobodyAcknowledgesWhatItHasNotSeen: what was raised after the reader looked stays loud, and what it may not see is not there.
func TestNobodyAcknowledgesWhatItHasNotSeen(t *testing.T) {
	b := newBox(t)
	b.hear(position(972000001, 15, true))
	looked := b.at.UnixMilli()
	b.pass(time.Second)
	b.hear(position(972000001, 14, true))
	b.hear(position(972000002, 14, true))
	if _, err := b.Acknowledge(all, Which{Before: looked}, "anna", b.at); !errors.Is(err, ErrUnknown) {
		t.Errorf("what was raised later: %v", err)
	}
	hidden := func(kept *ship.State, _ time.Time) (ship.State, bool) { return *kept, kept.MMSI != 972000001 }
	if _, err := b.Acknowledge(hidden, Which{[]ais.MMSI{972000001}, b.at.UnixMilli()}, "anna", b.at); !errors.Is(err, ErrUnknown) {
		t.Errorf("a hidden one: %v", err)
	}
	if seen, err := b.Acknowledge(hidden, Which{Before: b.at.UnixMilli()}, "anna", b.at); err != nil || len(seen) != 1 {
		t.Errorf("all: %v, %v", seen, err)
	}
	if got := b.rows(); got != "[972000001 972000002 by anna]" {
		t.Errorf("%s", got)
	}
	if rows := b.Seen(hidden, false); len(rows.Alarms) != 1 || rows.Total != 0 || rows.Many {
		t.Errorf("with a hidden one: %+v", rows)
	}
	broken := errors.New("broken")
	if _, err := b.Acknowledge(all, Which{Before: b.at.UnixMilli()}, "anna", b.at, func(*records.Tx) error { return broken }); !errors.Is(err, broken) {
		t.Errorf("with a line that cannot be written: %v", err)
	}
	if got := b.rows(); got != "[972000001 972000002 by anna]" {
		t.Errorf("after a commit that broke: %s", got)
	}
}

// TestAFloodHidesNoAlarm: twenty thousand invented numbers, with one report or without a position, take neither the place of an alarm that was there,
// nor that of one that comes later with a position and two reports.
func TestAFloodHidesNoAlarm(t *testing.T) {
	b := newBox(t)
	b.hear(position(972999001, 14, true))
	b.hear(position(972999001, 14, true))
	b.hear(position(974999002, 14, false)) // has no position, and came before the flood
	for i := range 20000 {
		delete(b.had, ais.MMSI(970000000+i-1)) // the picture forgets them too
		b.hear(position(ais.MMSI(970000000+i), 14, i%2 == 0))
		if i%1000 == 0 {
			b.pass(time.Second)
		}
	}
	b.hear(position(972999003, 14, true))
	b.hear(position(972999003, 14, true))
	rows := b.Seen(all, true)
	shown := func(m ais.MMSI) bool {
		return slices.ContainsFunc(rows.Alarms, func(a Alarm) bool { return a.Ship.MMSI == m })
	}
	if len(rows.Alarms) > MostRows || !rows.Many || !shown(972999001) || !shown(974999002) || !shown(972999003) {
		t.Errorf("in a flood: %v %s", rows.Many, b.rows())
	}
	if len(b.alarms) > 150 {
		t.Errorf("%d alarms are kept", len(b.alarms))
	}
	b.restart(true)
	if len(b.alarms) > 150 || !slices.ContainsFunc(b.Seen(all, true).Alarms, func(a Alarm) bool { return a.Ship.MMSI == 972999003 }) {
		t.Errorf("after a restart: %s", b.rows())
	}
}

// TestAlarmsAreBounded: invented numbers with a position and any number of reports are no more alarms than there is room for.
func TestAlarmsAreBounded(t *testing.T) {
	b := newBox(t)
	for range 3 {
		for i := range 3000 {
			b.hear(position(ais.MMSI(970000000+i), 14, true))
		}
		b.pass(10 * time.Second)
	}
	if most := established.mostAlarms() + vague.mostAlarms(); len(b.alarms) > most || !b.Seen(all, true).Many {
		t.Errorf("%d alarms are kept, of at most %d", len(b.alarms), most)
	}
	b.restart(true)
	if most := established.mostAlarms() + vague.mostAlarms(); len(b.alarms) > most {
		t.Errorf("%d alarms are kept after a restart", len(b.alarms))
	}
}

// TestAnAcknowledgedAlarmGivesWay: after a flood that was acknowledged a person in distress is an alarm with the first report, and again with the position.
// The acknowledged alarm that was heard longest ago gives way, and what nobody has acknowledged stays.
func TestAnAcknowledgedAlarmGivesWay(t *testing.T) {
	const real, oldest = 972000001, 970000000
	b := newBox(t)
	for i := range established.mostAlarms() {
		b.hear(position(ais.MMSI(oldest+i), 14, true))
		b.hear(position(ais.MMSI(oldest+i), 14, true))
		b.pass(time.Millisecond)
	}
	for i := range vague.mostAlarms() {
		b.hear(position(ais.MMSI(974000000+i), 14, false))
	}
	b.acknowledge("anna")
	b.Save()
	b.pass(time.Minute)
	raised := func(m ais.MMSI) bool {
		e := b.alarms[m]
		return e != nil && !e.Acknowledged()
	}
	b.hear(position(real, 14, true))
	if !raised(real) {
		t.Fatal("no alarm with the first report")
	}
	b.hear(position(real, 14, true))
	if !raised(real) || b.alarms[real].Established == 0 || b.alarms[oldest] != nil || b.alarms[oldest+1] == nil {
		t.Errorf("with a position: %+v", b.alarms[real])
	}
	for i := range established.mostAlarms() { // another flood, which nobody has acknowledged
		b.hear(position(ais.MMSI(971000000+i), 14, true))
		b.hear(position(ais.MMSI(971000000+i), 14, true))
	}
	if !raised(real) {
		t.Error("an alarm that nobody has acknowledged gave way")
	}
	b.restart(true)
	if !raised(real) || b.alarms[oldest] != nil || len(b.alarms) > established.mostAlarms()+vague.mostAlarms() {
		t.Errorf("after a restart there are %d alarms", len(b.alarms))
	}
}

// TestADeviceAlarmsAgainInAFlood: a device that was acknowledged and fell silent raises a new alarm as soon as there is room for it, whatever it was before.
func TestADeviceAlarmsAgainInAFlood(t *testing.T) {
	const device = 972000001
	b := newBox(t)
	b.hear(position(device, 14, true))
	b.hear(position(device, 14, true))
	b.acknowledge("anna")
	b.pass(newAfter + time.Minute)
	delete(b.had, device) // the picture forgets it
	for i := range vague.mostAlarms() {
		b.hear(position(ais.MMSI(974000000+i), 14, false))
	}
	b.hear(position(device, 14, true))
	b.hear(position(device, 14, true))
	if e := b.alarms[device]; e == nil || e.Acknowledged() {
		t.Errorf("the device is %+v", e)
	}
}

// TestRowsStay: a row of an alarm leaves when it is acknowledged and not before, whatever comes; and there are never more than twenty.
func TestRowsStay(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		l := &Alarms{alarms: map[ais.MMSI]*entry{}}
		at, had := time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC), map[ais.MMSI]uint32{}
		shown := map[ais.MMSI]bool{}
		r.Repeat(map[string]func(*rapid.T){
			"hear": func(r *rapid.T) {
				for range rapid.IntRange(1, 12).Draw(r, "reports") {
					m := ais.MMSI(970000000 + rapid.IntRange(1, 60).Draw(r, "number"))
					had[m]++
					at = at.Add(time.Second)
					now := ship.State{MMSI: m, HasFix: rapid.Bool().Draw(r, "placed"), Reports: had[m], Heard: at.UnixMilli()}
					l.Observe(&ship.Update{Report: &ais.Report{Message: position(m, 14, true), Received: at}, Now: now})
				}
			},
			"acknowledge": func(r *rapid.T) {
				for m := range shown {
					l.alarms[m].By, l.alarms[m].Seen = "anna", at.UnixMilli()
					delete(shown, m)
					return
				}
			},
			"": func(r *rapid.T) {
				rows, now := l.Seen(all, true), map[ais.MMSI]bool{}
				for _, a := range rows.Alarms {
					if !a.Acknowledged() {
						now[a.Ship.MMSI] = true
					}
				}
				for m := range shown {
					if !now[m] {
						r.Fatalf("%d is no longer among %v", m, now)
					}
				}
				shown = now
				open := 0
				for _, e := range l.alarms {
					if !e.Acknowledged() {
						open++
					}
				}
				if len(rows.Alarms) > MostRows || rows.Total != open || rows.Many != (len(now) < open) {
					r.Fatalf("%d rows, %d of %d shown, many %v", len(rows.Alarms), len(now), open, rows.Many)
				}
			},
		})
	})
}

// BenchmarkObserve is what a step of a ship that is in no distress costs the picture.
func BenchmarkObserve(b *testing.B) {
	l := &Alarms{alarms: map[ais.MMSI]*entry{}}
	u := ship.Update{Report: &ais.Report{Message: position(219018765, 0, true)}, Now: ship.State{MMSI: 219018765}}
	b.ReportAllocs()
	for b.Loop() {
		l.Observe(&u)
	}
	if l.Version() != 0 {
		b.Fatal("it was taken for an alarm")
	}
}
