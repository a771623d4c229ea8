package alert

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"
)

// at returns a time in Unix milliseconds, so many seconds after noon.
func at(seconds int64) int64 {
	return time.Date(2026, 11, 25, 12, 0, 0, 0, time.UTC).UnixMilli() + seconds*1000
}

// raised returns an alert of one ship that came at noon, and concerns a group first.
func raised(p Priority) *Alert {
	a := &Alert{Watchdog: 7, Name: "Roads", Priority: p}
	a.Join(Part{Event: 1, MMSI: 219000001, At: at(0)}, Plan{First: []string{"bridge"}, Next: []string{"chief"}, After: time.Minute}, at(0))
	return a
}

// into brings an alert that was raised at noon into a state.
func into(t *testing.T, p Priority, s AlertState) *Alert {
	t.Helper()
	a := raised(p)
	r := All(at(10))
	switch s {
	case Active:
	case Silenced:
		if err := a.Hush(r, "anna"); err != nil {
			t.Fatal(err)
		}
	case Transferred:
		if err := a.Hand(r, []string{"bert"}, "anna", Plan{After: time.Minute}); err != nil {
			t.Fatal(err)
		}
	case Acknowledged:
		a.Acknowledge(r, "anna")
	case Rectified:
		a.End(219000001, at(10))
	case Normal:
		a.End(219000001, at(10))
		a.Acknowledge(r, "anna")
	}
	return a
}

// TestEachStateMeetsEachInput is the table of states: what becomes of each by each thing that can happen, 15 seconds after noon. The second word is what
// those see that the alert is not with.
func TestEachStateMeetsEachInput(t *testing.T) {
	other := func(now int64) Reader { return Reader{Now: now, Told: now} }
	inputs := map[string]func(a *Alert) error{
		"nothing": func(*Alert) error { return nil },
		"join": func(a *Alert) error {
			a.Join(Part{Event: 2, MMSI: 219000002, At: at(15)}, Plan{First: []string{"bridge"}}, at(15))
			return nil
		},
		"end":         func(a *Alert) error { a.End(219000001, at(15)); return nil },
		"acknowledge": func(a *Alert) error { a.Acknowledge(All(at(15)), "cleo"); return nil },
		"silence":     func(a *Alert) error { return a.Hush(All(at(15)), "cleo") },
		"transfer":    func(a *Alert) error { return a.Hand(All(at(15)), []string{"dora"}, "cleo", Plan{}) },
		"escalate":    func(a *Alert) error { a.Escalate(at(90), Plan{}); return nil },
	}
	for _, row := range []struct {
		priority Priority
		state    AlertState
		input    string
		mine     AlertState
		others   AlertState
		err      error
	}{
		{Alarm, Active, "nothing", Active, Active, nil},
		{Alarm, Active, "join", Active, Active, nil},
		{Alarm, Active, "end", Rectified, Rectified, nil},
		{Alarm, Active, "acknowledge", Acknowledged, Acknowledged, nil},
		{Alarm, Active, "silence", Silenced, Silenced, nil},
		{Alarm, Active, "transfer", Active, Transferred, nil},
		{Alarm, Active, "escalate", Active, Active, nil},

		{Alarm, Silenced, "nothing", Silenced, Silenced, nil},
		{Alarm, Silenced, "join", Active, Active, nil},
		{Alarm, Silenced, "end", Rectified, Rectified, nil},
		{Alarm, Silenced, "acknowledge", Acknowledged, Acknowledged, nil},
		{Alarm, Silenced, "silence", Silenced, Silenced, nil},
		{Alarm, Silenced, "transfer", Active, Transferred, nil},
		{Alarm, Silenced, "escalate", Active, Active, nil},

		{Alarm, Transferred, "nothing", Active, Transferred, nil},
		{Alarm, Transferred, "join", Active, Transferred, nil},
		{Alarm, Transferred, "end", Rectified, Rectified, nil},
		{Alarm, Transferred, "acknowledge", Acknowledged, Acknowledged, nil},
		{Alarm, Transferred, "silence", Silenced, Transferred, nil},
		{Alarm, Transferred, "transfer", Active, Transferred, nil},
		{Alarm, Transferred, "escalate", Active, Active, nil},

		{Alarm, Acknowledged, "nothing", Acknowledged, Acknowledged, nil},
		{Alarm, Acknowledged, "join", Active, Active, nil},
		{Alarm, Acknowledged, "end", Normal, Normal, nil},
		{Alarm, Acknowledged, "acknowledge", Acknowledged, Acknowledged, nil},
		{Alarm, Acknowledged, "silence", Acknowledged, Acknowledged, ErrQuiet},
		{Alarm, Acknowledged, "transfer", Acknowledged, Acknowledged, ErrDone},
		{Alarm, Acknowledged, "escalate", Acknowledged, Acknowledged, nil},

		{Alarm, Rectified, "nothing", Rectified, Rectified, nil},
		{Alarm, Rectified, "join", Active, Active, nil},
		{Alarm, Rectified, "end", Rectified, Rectified, nil},
		{Alarm, Rectified, "acknowledge", Normal, Normal, nil},
		{Alarm, Rectified, "silence", Rectified, Rectified, ErrQuiet},
		{Alarm, Rectified, "transfer", Rectified, Rectified, nil},
		{Alarm, Rectified, "escalate", Rectified, Rectified, nil},

		{Alarm, Normal, "nothing", Normal, Normal, nil},
		{Alarm, Normal, "join", Active, Active, nil},
		{Alarm, Normal, "end", Normal, Normal, nil},
		{Alarm, Normal, "acknowledge", Normal, Normal, nil},
		{Alarm, Normal, "silence", Normal, Normal, ErrQuiet},
		{Alarm, Normal, "transfer", Normal, Normal, ErrDone},
		{Alarm, Normal, "escalate", Normal, Normal, nil},

		{Caution, Active, "nothing", Active, Active, nil},
		{Caution, Active, "join", Active, Active, nil},
		{Caution, Active, "end", Normal, Normal, nil},
		{Caution, Active, "acknowledge", Active, Active, nil},
		{Caution, Active, "silence", Active, Active, ErrQuiet},
		{Caution, Active, "transfer", Active, Active, ErrDone},
		{Caution, Active, "escalate", Active, Active, nil},
	} {
		priorities := []Priority{row.priority}
		if row.priority == Alarm { // what holds of an alarm holds of an emergency, and of a warning, but that the latter has no sound that could rest
			priorities = []Priority{Alarm, Emergency, Warning}
		}
		for _, p := range priorities {
			name := fmt.Sprint(p, " ", row.state, " + ", row.input)
			if p == Warning && row.state == Silenced {
				continue
			}
			if p == Warning && row.input == "silence" {
				a := into(t, p, row.state)
				was := a.State(All(at(16)))
				if err := a.Hush(All(at(15)), "cleo"); !errors.Is(err, ErrQuiet) || a.State(All(at(16))) != was {
					t.Errorf("%s: %v", name, err)
				}
				continue
			}
			a := into(t, p, row.state)
			if err := inputs[row.input](a); !errors.Is(err, row.err) {
				t.Errorf("%s: %v", name, err)
			}
			now := at(16)
			if row.input == "escalate" {
				now = at(90)
			}
			if mine, others := a.State(All(now)), a.State(other(now)); mine != row.mine || others != row.others {
				t.Errorf("%s: %s, to others %s; want %s and %s", name, mine, others, row.mine, row.others)
			}
			if text, err := json.Marshal(a); err != nil {
				t.Errorf("%s: %v", name, err)
			} else {
				var again Alert
				if err := json.Unmarshal(text, &again); err != nil || again.State(All(now)) != row.mine || again.State(other(now)) != row.others {
					t.Errorf("%s: stored and read it is %s, %v", name, again.State(All(now)), err)
				}
			}
		}
	}
}

// TestSilenceEnds: after half a minute the alarm sounds again.
func TestSilenceEnds(t *testing.T) {
	a := into(t, Alarm, Silenced) // at second 10
	for second, want := range map[int64]AlertState{39: Silenced, 40: Active} {
		if got := a.State(All(at(second))); got != want {
			t.Errorf("at second %d it is %s", second, got)
		}
	}
}

// TestAlertsGoOn: what nobody acknowledges goes to those that come next, then to everybody, each once. An acknowledgement ends that.
func TestAlertsGoOn(t *testing.T) {
	plan := Plan{First: []string{"bridge"}, Next: []string{"chief"}, After: time.Minute}
	a := raised(Alarm)
	var steps []string
	for second := int64(0); second < 600; second++ {
		if a.Escalate(at(second), plan) {
			steps = append(steps, fmt.Sprint(second, a.With))
		}
	}
	if got := strings.Join(steps, "; "); got != "60 [bridge chief]; 120 []" {
		t.Errorf("%s", got)
	}
	a = raised(Alarm)
	a.Acknowledge(All(at(30)), "anna")
	if a.Escalate(at(300), plan) {
		t.Error("it went on though it was acknowledged")
	}
	a.Join(Part{Event: 2, MMSI: 219000002, At: at(310)}, plan, at(310))
	if a.Escalate(at(369), plan) || !a.Escalate(at(370), plan) {
		t.Error("the time of what came later is not its own")
	}
	a = &Alert{Priority: Alarm}
	a.Join(Part{Event: 1, At: at(0)}, Plan{}, at(0))
	if a.Due != 0 {
		t.Error("one that concerns everybody waits for nobody")
	}
}

// TestATransferGoesOn: what was given to another who does not answer goes to everybody.
func TestATransferGoesOn(t *testing.T) {
	plan := Plan{After: time.Minute}
	a := raised(Alarm)
	if err := a.Hand(All(at(30)), []string{"bert"}, "anna", plan); err != nil || fmt.Sprint(a.With) != "[bert]" {
		t.Fatal(err, a.With)
	}
	if a.Escalate(at(89), plan) || !a.Escalate(at(90), plan) || len(a.With) > 0 || a.Transfer != nil {
		t.Errorf("%+v", a)
	}
}

// TestAnInstantStandsUntilItIsAcknowledged: the crossing of a line has no length.
func TestAnInstantStandsUntilItIsAcknowledged(t *testing.T) {
	for p, want := range map[Priority]AlertState{Alarm: Active, Warning: Active, Caution: Normal} {
		a := &Alert{Priority: p}
		a.Join(Part{Event: 1, MMSI: 1, At: at(0), Instant: true}, Plan{}, at(0))
		if a.End(1, at(5)); a.State(All(at(10))) != want {
			t.Errorf("%s: %s", p, a.State(All(at(10))))
		}
		if a.Acknowledge(All(at(10)), "anna"); a.State(All(at(10))) != Normal {
			t.Errorf("%s, acknowledged: %s", p, a.State(All(at(10))))
		}
	}
}

// TestAReaderSeesItsPartsAlone: the state is that of the activations that a reader sees. What it does not see neither rings nor waits, and nobody
// acknowledges what it has not seen.
func TestAReaderSeesItsPartsAlone(t *testing.T) {
	a := raised(Alarm)
	a.Join(Part{Event: 2, MMSI: 219000002, At: at(15)}, Plan{}, at(15))
	second := Reader{Now: at(20), Told: at(20), Mine: true, Sees: func(p *Part) bool { return p.Event == 2 }}
	if got := a.Acknowledge(second, "anna"); fmt.Sprint(got) != "[2]" {
		t.Errorf("%v", got)
	}
	if one, all := a.State(second), a.State(All(at(20))); one != Acknowledged || all != Active {
		t.Errorf("%s, %s", one, all)
	}
	first := second
	first.Sees = func(p *Part) bool { return p.Event == 1 }
	if err := a.Hush(first, "bert"); err != nil {
		t.Error(err)
	}
	if a.State(first) != Silenced {
		t.Error(a.State(first))
	}
	if err := a.Hush(second, "anna"); !errors.Is(err, ErrQuiet) {
		t.Errorf("%v", err)
	}
	none := second
	none.Sees = func(*Part) bool { return false }
	if a.State(none) != Normal {
		t.Error(a.State(none))
	}
	a.End(219000001, at(30))
	late := first
	first.Told = at(30)
	if a.State(first) != Rectified || a.State(late) != Silenced {
		t.Errorf("%s, late %s", a.State(first), a.State(late))
	}
}

// TestOneAlertHasBounds: what comes a minute after the last joins, what comes later does not, and an alert has so many activations at most.
func TestOneAlertHasBounds(t *testing.T) {
	a := raised(Alarm)
	if !a.Takes(at(60)) || a.Takes(at(61)) || !a.Takes(at(-60)) {
		t.Error("a minute is not the bound")
	}
	for i := range mostParts {
		if full := !a.Takes(at(0)); full != (i == mostParts-1) {
			t.Fatalf("with %d it is full: %t", i+1, full)
		}
		a.Join(Part{Event: uint64(i + 2), At: at(0)}, Plan{}, at(0))
	}
}

// TestLoad counts what a day brings.
func TestLoad(t *testing.T) {
	l := NewLoad(at(0), at(86400))
	add := func(watchdog uint64, p Priority, second int64, seen int64) {
		part := Part{Event: 1, MMSI: 219000001, At: at(second), Over: at(second + 1), Seen: seen}
		l.Add(&Alert{Watchdog: watchdog, Name: fmt.Sprint("W", watchdog), Priority: p, Parts: []Part{part}}, All(at(86400)))
	}
	for i := range int64(12) {
		add(1, Alarm, 1200+i, at(1300+i))
	}
	add(2, Warning, 5000, 0)
	add(2, Caution, 5000, 0)
	useless := &Alert{Watchdog: 3, Name: "W3", Priority: Warning, Useless: &UserMark{}, Parts: []Part{{At: at(6000), Over: at(6001), Seen: at(6010)}}}
	l.Add(useless, All(at(86400)))
	l.Add(&Alert{Watchdog: 4, Priority: Alarm, Parts: []Part{{At: at(-10), Over: at(-5), Seen: at(-1)}}}, All(at(86400)))
	f := l.Figures()
	if f.Alerts != 14 || f.Cautions != 1 || f.Peak != 12 || f.PeakAt != at(1200) || f.Floods != 1 || f.Standing != 1 || f.Unacknowledged != 1 || f.NotUseful != 1 || len(f.Periods) != 144 {
		t.Errorf("%+v", f)
	}
	if len(f.Chattering) != 1 || f.Chattering[0].Times != 12 || f.Chattering[0].Watchdog != 1 {
		t.Errorf("%+v", f.Chattering)
	}
	if w := f.Watchdogs; len(w) != 3 || w[0].Watchdog != 1 || w[0].Answered != 100*time.Second || w[0].Chattering != 1 || w[1].Priority != Warning || w[1].Unacknowledged != 1 {
		t.Errorf("%+v", w)
	}
}
