package alert

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"quaywatch/ais"
	"quaywatch/engine/distress"
	"quaywatch/engine/watchdogs"
	"quaywatch/form"
	"quaywatch/geo"
	"quaywatch/ship"
	"quaywatch/store"
	"quaywatch/store/records"
	"quaywatch/users"
	"quaywatch/users/access"
	"quaywatch/users/library"
)

// box is a store with a library, watchdogs and alerts.
type box struct {
	*Keeper
	t      testing.TB
	dir    string
	db     *store.DB
	areas  users.Areas
	watch  *watchdogs.Watch
	alarms *distress.Alarms
	end    func()
	states map[ais.MMSI]ship.State
	now    time.Time
	lines  []string // of the audit log
	fails  error    // of the audit log
	tell   func(context.Context, TellOrder) error
	most   int // alarms of watchdogs; 0 is the usual bound
}

func newBox(t testing.TB) *box {
	b := &box{t: t, dir: t.TempDir(), states: map[ais.MMSI]ship.State{}, now: time.UnixMilli(at(0)).UTC()}
	b.open()
	t.Cleanup(func() { b.end() })
	return b
}

func (b *box) open() {
	b.t.Helper()
	var err error
	if b.db, err = store.Open(store.Options{Dir: b.dir}); err != nil {
		b.t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	var running sync.WaitGroup
	running.Go(func() { _ = b.db.Run(ctx) })
	db := b.db
	b.end = func() {
		cancel()
		running.Wait()
		_ = db.Close()
	}
	if b.areas, err = users.Open(b.db.Database, access.Options{Dir: b.dir, Now: func() time.Time { return b.now }, HashMemory: 64}); err != nil {
		b.t.Fatal(err)
	}
	b.start()
}

// start opens watchdogs and alerts, as after a kill when they were open before.
func (b *box) start() {
	b.t.Helper()
	var err error
	if b.alarms, err = distress.Open(b.db.Database, nil); err != nil {
		b.t.Fatal(err)
	}
	if b.watch, err = watchdogs.Open(watchdogs.Config{DB: b.db, Most: b.most, Distress: b.alarms, Library: b.areas.Library, Ports: b.areas.Ports.Current,
		Names: func(string) ship.Lookup { return b.areas.Library.Anything() }, Generation: b.areas.Users.Generation, Changed: b.areas.Users.Changed,
		Ship: func(m ais.MMSI) (ship.State, bool) { s, ok := b.states[m]; return s, ok }}); err != nil {
		b.t.Fatal(err)
	}
	planner := &Planner{Library: b.areas.Library, Generation: b.areas.Users.Generation}
	if b.Keeper, err = Open(Config{DB: b.db.Database, Watch: b.watch, Distress: b.alarms, Plan: planner.Of, Tell: b.tell, Line: func(action, object string) records.CommitPart {
		return func(*records.Tx) error { b.lines = append(b.lines, action+" "+object); return b.fails }
	}}); err != nil {
		b.t.Fatal(err)
	}
	b.watch.Tick(b.now)
	b.Tick(b.now)
}

// put makes a thing of the library.
func (b *box) put(k library.Kind, body string) library.Resource {
	b.t.Helper()
	f, err := form.Read([]byte(body))
	if err != nil {
		b.t.Fatal(err)
	}
	r := library.Resource{Owned: form.Owned{Owner: "owner"}}
	if err := b.areas.Library.Apply(f, k, &r, b.areas.Library.Anything()); err != nil {
		b.t.Fatal(err)
	}
	if err := f.Err(); err != nil {
		b.t.Fatal(err)
	}
	if r, err = b.areas.Library.Insert(k, r); err != nil {
		b.t.Fatal(err)
	}
	b.watch.Compile()
	return r
}

const roads = `"polygon":{"type":"Polygon","coordinates":[[[10.31,56.1],[10.4,56.1],[10.4,56.2],[10.31,56.2],[10.31,56.1]]]}`

// sectorOf returns a sector of the roads whose alerts go on to administrators after a time.
func sectorOf(after string) (library.Kind, string) {
	return library.Shapes, `{"name":"North",` + roads + `,"sector":{"groups":["operator"],"escalate_after":"` + after + `","escalate_to":["admin"]}}`
}

// guard makes a watchdog of the roads.
func (b *box) guard(severity, more string) library.Resource {
	return b.put(library.Watchdogs, `{"name":"Roads","type":"polygon","severity":"`+severity+`",`+more+roads+`}`)
}

// pass lets time pass.
func (b *box) pass(d time.Duration) {
	for end := b.now.Add(d); b.now.Before(end); {
		b.now = b.now.Add(min(time.Second, end.Sub(b.now)))
		b.watch.Tick(b.now)
		b.Tick(b.now)
	}
	b.raise()
}

// raise stores what was raised, and makes alerts of it.
func (b *box) raise() {
	b.watch.Save(false)
	b.Step()
}

// hear lets a ship report from a longitude.
func (b *box) hear(m ais.MMSI, lon float64) {
	was, known := b.states[m]
	now := was
	if !known {
		now = ship.State{MMSI: m, Class: ship.ClassA, Reports: ship.ConfirmedReports - 1, Static: &ship.Static{Name: fmt.Sprint("SHIP ", m)}}
	}
	now.Reports++
	now.HasFix = true
	now.Fix = ship.Fix{At: b.now.UnixMilli(), Lon: int32(lon * 600000), Lat: int32(56.15 * 600000), SOG: ais.SOGTenths(100)}
	b.states[m] = now
	b.watch.Observe(&ship.Update{Report: &ais.Report{}, Was: was, Now: now, Fix: now.Fix, Change: ship.ChangedFix})
}

// enters lets ships come, and leaves lets them go.
func (b *box) enters(ships ...ais.MMSI) {
	for _, m := range ships {
		b.hear(m, 10.30)
	}
	b.pass(time.Second)
	for _, m := range ships {
		b.hear(m, 10.32)
	}
	b.raise()
}

func (b *box) leaves(ships ...ais.MMSI) {
	b.pass(time.Second)
	for _, m := range ships {
		b.hear(m, 10.45)
	}
	b.raise()
}

// rows returns the alerts as text: priority, state, ships that stand of all.
func (b *box) rows() string {
	b.t.Helper()
	var all []string
	for _, a := range b.Current() {
		on := 0
		for i := range a.Parts {
			if a.Events[i] == nil {
				b.t.Fatalf("alert %d has no event %d", a.ID, a.Parts[i].Event)
			}
			if a.Stands(&a.Parts[i], All(b.now.UnixMilli())) {
				on++
			}
		}
		all = append(all, fmt.Sprintf("%s %s %d/%d", a.Priority, a.State(All(b.now.UnixMilli())), on, len(a.Parts)))
	}
	return strings.Join(all, ", ")
}

func (b *box) is(want string) {
	b.t.Helper()
	if got := b.rows(); got != want {
		b.t.Errorf("%s; want %s", got, want)
	}
}

func (b *box) reader() Reader { return All(b.now.UnixMilli()) }

func (b *box) acknowledge(id uint64) {
	b.t.Helper()
	if _, err := b.Acknowledge(id, b.reader(), "anna"); err != nil {
		b.t.Fatal(err)
	}
}

// TestOneSituationIsOneAlert: a hundred ships that come within a minute are one alert, and what comes later is another.
func TestOneSituationIsOneAlert(t *testing.T) {
	b := newBox(t)
	b.guard("alert", "")
	for i := range 10 {
		var ships []ais.MMSI
		for k := range 10 {
			ships = append(ships, ais.MMSI(219000000+10*i+k))
		}
		b.enters(ships...)
	}
	b.is("alarm active 100/100")
	b.pass(2 * time.Minute)
	b.enters(219000500)
	b.is("alarm active 100/100, alarm active 1/1")
	b.acknowledge(1)
	b.is("alarm acknowledged 100/100, alarm active 1/1")
	for e := range b.watch.After(0) {
		if acknowledged := e.Acknowledged != 0 && e.By == "anna"; acknowledged != (e.ID <= 100) {
			t.Fatalf("event %d: %t", e.ID, acknowledged)
		}
	}
}

// TestEventsAndAlertsAreAcknowledgedTogether: the alert is acknowledged with the last of its events, by their own calls, and muting is one.
func TestEventsAndAlertsAreAcknowledgedTogether(t *testing.T) {
	b := newBox(t)
	b.guard("alert", "")
	b.enters(219000001, 219000002)
	if _, err := b.AcknowledgeEvent(1, "anna", b.now); err != nil {
		t.Fatal(err)
	}
	b.is("alarm active 2/2")
	if _, err := b.Keeper.Mute(2, "bert", b.now, time.Hour); err != nil {
		t.Fatal(err)
	}
	b.is("alarm acknowledged 2/2")
	if a, _ := b.One(1); a.Parts[0].By != "anna" || a.Parts[1].By != "bert" || a.Events[1].Muted == 0 {
		t.Errorf("%+v", a.Parts)
	}
	if _, err := b.AcknowledgeEvent(1, "cleo", b.now); err != nil {
		t.Fatal(err)
	}
	if a, _ := b.One(1); a.Parts[0].By != "anna" {
		t.Error("the second acknowledgement counts")
	}
	if _, err := b.AcknowledgeEvent(77, "anna", b.now); !errors.Is(err, watchdogs.ErrUnknown) {
		t.Errorf("%v", err)
	}
	b.leaves(219000001, 219000002) // the second is mute: it ends without an event
	b.pass(10 * time.Second)
	b.is("alarm normal 0/2")
}

// TestWhatEndsWithoutAnEvent: the alerts of a watchdog that is deleted are over, and wait to be acknowledged all the same.
func TestWhatEndsWithoutAnEvent(t *testing.T) {
	b := newBox(t)
	r := b.guard("alert", "")
	b.enters(219000001)
	if err := b.areas.Library.Delete(library.Watchdogs, r.UID); err != nil {
		t.Fatal(err)
	}
	b.watch.Compile()
	b.pass(10 * time.Second)
	b.is("alarm rectified 0/1")
	b.acknowledge(1)
	b.is("alarm normal 0/1")
	b.pass(2 * time.Minute)
	b.is("")
	var past []uint64
	if err := b.Past(time.Time{}, func(a *Alert) bool { past = append(past, a.ID); return true }); err != nil || len(past) != 1 {
		t.Errorf("%v %v", past, err)
	}
	if _, err := b.ChangePast(1, func(a *Alert) error { a.Useless = &UserMark{"anna", 1}; return nil }); err != nil {
		t.Error(err)
	}
	b.start()
	if a, err := b.OnePast(1); err != nil || a.Useless == nil || a.ID != 1 {
		t.Errorf("%+v %v", a, err)
	}
}

// TestAKillInEachState: after a kill an alert is as it was told, in each state, and goes on from there.
func TestAKillInEachState(t *testing.T) {
	b := newBox(t)
	b.put(sectorOf("00:01:00"))
	b.guard("alert", "")
	kill := func(want string) {
		t.Helper()
		b.is(want)
		b.start()
		b.is(want)
		b.raise()
		b.is(want)
	}
	b.enters(219000001)
	kill("alarm active 1/1")
	if _, err := b.Change(1, func(a *Alert) error { return a.Hush(b.reader(), "anna") }); err != nil {
		t.Fatal(err)
	}
	kill("alarm silenced 1/1")
	b.pass(31 * time.Second)
	kill("alarm active 1/1")
	if _, err := b.Change(1, func(a *Alert) error { return a.Hand(b.reader(), []string{"bert"}, "anna", Plan{After: time.Minute}) }); err != nil {
		t.Fatal(err)
	}
	others := Reader{Now: b.now.UnixMilli(), Told: b.now.UnixMilli()}
	b.start()
	if a, _ := b.One(1); a.State(others) != Transferred || !slices.Equal(a.With, []string{"bert"}) {
		t.Errorf("%+v", a.Alert)
	}
	b.pass(61 * time.Second)
	b.start()
	if a, _ := b.One(1); a.Level != 1 || len(a.With) > 0 || len(b.lines) != 1 || b.lines[0] != "escalate alert Roads" {
		t.Errorf("%+v %v", a.Alert, b.lines)
	}
	b.acknowledge(1)
	kill("alarm acknowledged 1/1")
	b.leaves(219000001)
	kill("") // its last ship came more than a minute ago
	b.enters(219000002)
	b.leaves(219000002)
	kill("alarm rectified 0/1")
	b.acknowledge(2)
	kill("alarm normal 0/1")
}

// TestAKillBetweenEventAndAlert: an event that was stored, and of which no alert was made yet, is taken after the kill, once; so is its end.
func TestAKillBetweenEventAndAlert(t *testing.T) {
	b := newBox(t)
	b.guard("alert", "")
	b.hear(219000001, 10.30)
	b.pass(time.Second)
	b.hear(219000001, 10.32)
	b.watch.Save(false)
	b.start()
	b.is("")
	b.Step()
	b.is("alarm active 1/1")
	b.start()
	b.raise()
	b.is("alarm active 1/1")
	b.pass(time.Second)
	b.hear(219000001, 10.45)
	b.watch.Save(false)
	b.start()
	b.raise()
	b.is("alarm rectified 0/1")
	if e, err := b.watch.Get(1); err != nil || e.Deactivated == 0 {
		t.Errorf("%+v %v", e, err)
	}
}

// TestNothingIsToldThatIsNotStored: where the commit fails, readers see what was.
func TestNothingIsToldThatIsNotStored(t *testing.T) {
	b := newBox(t)
	b.guard("alert", "")
	b.enters(219000001)
	_, count, _ := b.Since(0)
	broken := errors.New("broken")
	fails := func(*records.Tx) error { return broken }
	if _, err := b.Acknowledge(1, b.reader(), "anna", fails); !errors.Is(err, broken) {
		t.Errorf("%v", err)
	}
	if _, err := b.Change(1, func(a *Alert) error { return a.Hush(b.reader(), "anna") }, fails); !errors.Is(err, broken) {
		t.Errorf("%v", err)
	}
	if _, err := b.AcknowledgeEvent(1, "anna", b.now, fails); !errors.Is(err, broken) {
		t.Errorf("%v", err)
	}
	b.is("alarm active 1/1")
	if ids, _, whole := b.Since(count); len(ids) != 0 || !whole {
		t.Errorf("told: %v", ids)
	}
	if e, _ := b.watch.Get(1); e.Acknowledged != 0 {
		t.Error("the event is acknowledged")
	}
	b.acknowledge(1)
	if ids, _, _ := b.Since(count); !slices.Equal(ids, []uint64{1}) {
		t.Errorf("%v", ids)
	}
}

// TestWhatNobodyAnswersIsBounded: beyond what there is room for the oldest go, cautions first, and are counted.
func TestWhatNobodyAnswersIsBounded(t *testing.T) {
	b := newBox(t)
	d := b.draft()
	for i := range mostCurrent + 1 {
		a := &Alert{Watchdog: uint64(i), Priority: Alarm}
		if i >= mostCurrent/2 {
			a.Priority = Caution
		}
		a.Join(Part{Event: uint64(i + 1), MMSI: 1, At: b.now.UnixMilli()}, Plan{}, d.now)
		d.fresh = append(d.fresh, a)
		d.events[uint64(i+1)] = &watchdogs.Event{ID: uint64(i + 1)}
	}
	if err := b.write(d); err != nil {
		t.Fatal(err)
	}
	b.Step()
	alarms := 0
	for _, a := range b.Current() {
		if a.Priority == Alarm {
			alarms++
		}
	}
	if s := b.Status(); s.Current > mostCurrent || s.Dropped == 0 || alarms != mostCurrent/2 {
		t.Errorf("%+v, %d alarms", s, alarms)
	}
	if len(b.events) != b.Status().Current {
		t.Errorf("%d events of %d alerts are kept", len(b.events), b.Status().Current)
	}
}

// TestWhoRaisesMostGivesUpItsOwn: a user that floods the board pushes no alarm of another off it, not even cautions.
func TestWhoRaisesMostGivesUpItsOwn(t *testing.T) {
	b := newBox(t)
	d := b.draft()
	for i := range mostCurrent + 1 {
		a := &Alert{Watchdog: uint64(i), Owner: "flood", Priority: Alarm}
		if i < 100 {
			a.Owner, a.Priority = "officer", Caution
		}
		part := Part{Event: uint64(i + 1), MMSI: 1, At: b.now.UnixMilli()}
		if i == mostCurrent {
			part.Seen = part.At // the newest, and acknowledged
		}
		a.Join(part, Plan{}, d.now)
		d.fresh = append(d.fresh, a)
		d.events[uint64(i+1)] = &watchdogs.Event{ID: uint64(i + 1)}
	}
	if err := b.write(d); err != nil {
		t.Fatal(err)
	}
	b.Step()
	owners := map[string]int{}
	for _, a := range b.Current() {
		if owners[a.Owner]++; a.Watchdog == mostCurrent {
			t.Error("what is acknowledged stands, and what is not was put away")
		}
	}
	if owners["officer"] != 100 || owners["flood"] == 0 || b.Status().Dropped == 0 {
		t.Errorf("%v, %+v", owners, b.Status())
	}
}

// TestAPairThatMeetsIsOneAlert: what is no alarm of one ship stands until it is over, too.
func TestAPairThatMeetsIsOneAlert(t *testing.T) {
	b := newBox(t)
	b.put(library.Watchdogs, `{"name":"Close","type":"cpa","severity":"alert","cpa":{"polygon":{"type":"Polygon","coordinates":[[[10.4,54.4],[10.6,54.4],[10.6,54.6],[10.4,54.6],[10.4,54.4]]]}}}`)
	raised, ended := 0, 0
	for second := range 900 {
		b.now = b.now.Add(time.Second)
		if second%10 == 0 {
			for i, course := range []float64{90, 270} {
				b.sail(ais.MMSI(211000001+i), geo.Destination(geo.Point{Lon: 10.45 + 0.1*float64(i), Lat: 54.5}, course, 6.173*float64(second)), course)
			}
		}
		b.watch.Tick(b.now)
		b.Tick(b.now)
		b.raise()
		switch got := b.rows(); got {
		case "":
		case "alarm active 1/1":
			raised++
		case "alarm rectified 0/1":
			ended++
		default:
			t.Fatalf("second %d: %s", second, got)
		}
		if second == 300 {
			b.start()
		}
	}
	e, err := b.watch.Get(1)
	if err != nil || e.Deactivated == 0 || raised < 60 || ended < 60 || ended+raised > 900 {
		t.Fatalf("it stood for %d s and was over for %d s: %+v %v", raised, ended, e, err)
	}
	if stood := time.Duration(e.Deactivated-e.Time) * time.Millisecond; (stood - time.Duration(raised)*time.Second).Abs() > 10*time.Second {
		t.Errorf("it stood for %d s, and the pair met for %v", raised, stood)
	}
}

// sail lets a ship report from a place, at 12 knots.
func (b *box) sail(m ais.MMSI, p geo.Point, course float64) {
	was := b.states[m]
	now := was
	now.MMSI, now.Class, now.HasFix, now.Static = m, ship.ClassA, true, &ship.Static{Name: fmt.Sprint("SHIP ", m), Type: 70}
	now.Reports = max(was.Reports+1, ship.ConfirmedReports)
	now.Fix = ship.Fix{At: b.now.UnixMilli(), Lon: int32(p.Lon * 600000), Lat: int32(p.Lat * 600000), SOG: ais.SOGTenths(120), COG: ais.COGTenths(int(course * 10))}
	b.states[m] = now
	b.watch.Observe(&ship.Update{Report: &ais.Report{}, Was: was, Now: now, Fix: now.Fix, Change: ship.ChangedFix})
}

// TestAKillBetweenTwoAcknowledgements: who acknowledged the alarm of people in distress has acknowledged the alert that tells of it, also where a kill came
// between.
func TestAKillBetweenTwoAcknowledgements(t *testing.T) {
	b := newBox(t)
	now := ship.State{MMSI: 972000001, Heard: b.now.UnixMilli(), Reports: 1}
	b.alarms.Observe(&ship.Update{Report: &ais.Report{Message: &ais.BroadcastSafety{Header: ais.Header{Type: 14, MMSI: now.MMSI}, Text: "MOB ACTIVE"}, Received: b.now}, Now: now})
	b.alarms.Save()
	b.raise()
	state := func(want string) {
		t.Helper()
		all := b.Current()
		if len(all) != 1 || fmt.Sprintf("%s %s", all[0].Priority, all[0].State(All(b.now.UnixMilli()))) != want {
			t.Errorf("%+v, want %s", all, want)
		}
	}
	state("emergency active")
	if err := b.alarms.AcknowledgeRaised([]distress.SeenAlarm{{MMSI: now.MMSI, Since: b.now.UnixMilli(), By: "anna", At: b.now.Add(time.Second).UnixMilli()}}); err != nil {
		t.Fatal(err)
	}
	b.end()
	b.open()
	b.raise()
	state("emergency acknowledged")
	if e, err := b.watch.Get(1); err != nil || e.By != "anna" || e.Acknowledged != b.now.Add(time.Second).UnixMilli() {
		t.Errorf("%+v %v", e, err)
	}
}

// commits returns how many commits the database has seen: each has a number, which stands in the two heads of a file of bbolt.
func (b *box) commits() (most uint64) {
	b.t.Helper()
	head := make([]byte, 2*os.Getpagesize())
	f, err := os.Open(filepath.Join(b.dir, "quaywatch.db"))
	if err == nil {
		_, err = io.ReadFull(f, head)
		_ = f.Close()
	}
	if err != nil {
		b.t.Fatal(err)
	}
	const number = 64 // after the head of the page and what stands before it in that of the file
	for _, at := range []int{number, os.Getpagesize() + number} {
		most = max(most, binary.LittleEndian.Uint64(head[at:]))
	}
	return most
}

// TestManyInDistressAreOneCommit: who acknowledges an alert of many devices waits for a few commits, and not for one for each of them; so does it the other way
// round.
func TestManyInDistressAreOneCommit(t *testing.T) {
	const many = 60
	for _, elsewhere := range []bool{false, true} {
		b := newBox(t)
		for i := range many {
			now := ship.State{MMSI: ais.MMSI(972000001 + i), Heard: b.now.UnixMilli(), Reports: 1}
			b.alarms.Observe(&ship.Update{Report: &ais.Report{Message: &ais.BroadcastSafety{Header: ais.Header{Type: 14, MMSI: now.MMSI}, Text: "MOB ACTIVE"}, Received: b.now}, Now: now})
		}
		b.alarms.Save()
		b.raise()
		before := b.commits()
		if elsewhere {
			var all []distress.SeenAlarm
			for _, a := range b.alarms.Raised() {
				all = append(all, distress.SeenAlarm{MMSI: a.Ship.MMSI, Since: a.Since, By: "anna", At: b.now.UnixMilli()})
			}
			if err := b.alarms.AcknowledgeRaised(all); err != nil {
				t.Fatal(err)
			}
			b.raise()
		} else {
			for _, a := range b.Current() {
				if _, err := b.Acknowledge(a.ID, All(b.now.UnixMilli()), "anna"); err != nil {
					t.Fatal(err)
				}
			}
		}
		alerts, parts := b.Current(), 0
		for _, a := range alerts {
			parts += len(a.Parts)
			for i, p := range a.Parts {
				if p.By != "anna" || a.Events[i].By != "anna" {
					t.Fatalf("elsewhere %t: %+v", elsewhere, p)
				}
			}
		}
		for _, a := range b.alarms.Raised() {
			if !a.Acknowledged() {
				t.Fatalf("elsewhere %t: %+v", elsewhere, a)
			}
		}
		if took := int(b.commits() - before); parts != many || took > 4+2*len(alerts) {
			t.Errorf("elsewhere %t: %d commits for %d devices in %d alerts", elsewhere, took, parts, len(alerts))
		}
	}
}

// TestAnAlertSaysWhatWasForgotten: an activation that is over for want of room alone says so in the alert, at once and after a restart, and needs to be
// acknowledged all the same.
func TestAnAlertSaysWhatWasForgotten(t *testing.T) {
	b := newBox(t)
	b.most = 20
	b.start()
	b.guard("warning", "")
	for i := range 30 {
		b.enters(ais.MMSI(211000001 + i))
	}
	forgotten := b.watch.Status().Evicted
	says := func() (n uint64) {
		for _, a := range b.Current() {
			for i, e := range a.Events {
				if e.Evicted != (a.Parts[i].Over != 0) {
					t.Errorf("event %d is over %d, evicted %v", e.ID, a.Parts[i].Over, e.Evicted)
				}
				if e.Evicted {
					n++
				}
			}
		}
		return n
	}
	if n := says(); n == 0 || n != forgotten {
		t.Errorf("%d say so of %d", n, forgotten)
	}
	b.start()
	b.raise()
	if n := says(); n != forgotten {
		t.Errorf("after a restart %d say so of %d", n, forgotten)
	}
}

// TestAClockThatWasAheadDelaysNothing: a box without a battery may begin hours ahead. When its clock is set right, alerts of before and of later go on
// after their time, what rests sounds again, and what is over is put away.
func TestAClockThatWasAheadDelaysNothing(t *testing.T) {
	b := newBox(t)
	b.put(sectorOf("00:01:00"))
	b.guard("alert", "")
	level := func(id uint64) int {
		a, _ := b.One(id)
		return a.Level
	}
	right := b.now
	b.pass(6 * time.Hour)
	b.enters(219000001)
	if _, err := b.Change(1, func(a *Alert) error { return a.Hush(b.reader(), "anna") }); err != nil {
		t.Fatal(err)
	}
	b.is("alarm silenced 1/1")
	b.now = right
	b.pass(time.Second)
	b.is("alarm active 1/1")
	if a, _ := b.One(1); a.Silence != nil {
		t.Errorf("a client is told that it rests until %d", a.Silence.Until)
	}
	b.enters(219000002)
	b.is("alarm active 1/1, alarm active 1/1")
	b.pass(50 * time.Second)
	if first, second := level(1), level(2); first != 0 || second != 0 {
		t.Errorf("before their time they went on: %d, %d", first, second)
	}
	b.pass(15 * time.Second)
	if first, second := level(1), level(2); first != 1 || second != 1 {
		t.Errorf("a minute later they went on: %d, %d", first, second)
	}
	b.start()
	b.pass(time.Minute)
	if first, second := level(1), level(2); first != 2 || second != 2 {
		t.Errorf("two minutes later, after a restart, they went on: %d, %d", first, second)
	}
	b.acknowledge(1)
	b.leaves(219000001)
	b.leaves(219000001) // the report before counts for nothing: it is older than the one of the wrong time
	b.pass(2 * time.Minute)
	b.is("alarm active 1/1")
}
