package handlers

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"quaywatch/ais"
	"quaywatch/engine/safety"
	"quaywatch/engine/watchdogs"
	"quaywatch/internal/await"
	"quaywatch/notify"
	"quaywatch/notify/hail"
	"quaywatch/users/access/right"
	"quaywatch/users/library"
)

// air is what a transponder was given.
type air struct {
	mu   sync.Mutex
	gone bool
	text string
}

func (a *air) write(_ string, p []byte) (int, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.text += string(p)
	return len(p), nil
}

func (a *air) sentences() []string {
	a.mu.Lock()
	defer a.mu.Unlock()
	return strings.SplitAfter(a.text, "\r\n")[:strings.Count(a.text, "\r\n")]
}

// hailing lets a box have a transponder, and watchdogs that tell ships.
func hailing(s *site, a *air, limits safety.Limits) func(*Config, *Deps) {
	return func(_ *Config, d *Deps) {
		var err error
		s.sender, err = safety.Open(safety.Config{DB: s.db.Database, Limits: limits, Ship: s.picture.Ship, Write: a.write, Told: func(m *safety.Sent) { s.texts.Tell(m) },
			Transmitters: func() []safety.Transmitter {
				if a.gone {
					return nil
				}
				return []safety.Transmitter{{Feed: "roof", Open: true}}
			}}, s.clock.now())
		if err != nil {
			s.t.Fatal(err)
		}
		d.Safety = s.sender
		s.channels = []notify.Channel{hail.Channel(s.sender, s.clock.now)}
	}
}

// deliver runs the outbox until each event of a user says what became of the message to its ship, and returns that by ship.
func (s *site) deliver(user string) map[ais.MMSI]string {
	s.t.Helper()
	ctx, cancel := context.WithCancel(s.t.Context())
	done := make(chan error)
	go func() { done <- s.outbox.Run(ctx) }()
	states, waits := map[ais.MMSI]string{}, true
	for range await.Looks(await.Limit) {
		clear(states)
		waits = false
		for _, one := range s.call(user, "GET", eventPath+"?after_id=0", "").is(s.t, 200).json(s.t)["records"].([]any) {
			record := one.(map[string]any)
			state, _ := record["ship_notification"].(string)
			states[ais.MMSI(record["ship"].(map[string]any)["mmsi"].(float64))] = state
			// What the outbox has still to hand over waits, too, and has no text in the list.
			waits = waits || state == "" || fmt.Sprint(record["notices"]) == "<nil>" || strings.Contains(fmt.Sprint(record["notices"]), "state:waiting")
		}
		if waits = waits || len(states) == 0; !waits {
			break
		}
	}
	cancel()
	if err := <-done; err != nil {
		s.t.Error(err)
	}
	if waits {
		s.t.Fatalf("waited in vain: %v", states)
	}
	return states
}

// TestAWatchdogTellsTheShip: an activation sends one message to the ship, once over a restart, and the event says what became of it.
func TestAWatchdogTellsTheShip(t *testing.T) {
	s, a := newSite(t), &air{}
	open := hailing(s, a, safety.Limits{Ship: 10, Broadcast: 10, All: 10})
	s.restart(open)
	s.watchdog("admin", `{"name":"Roads","type":"polygon",`+roads+`,"send_ship_notification":true,"ship_notification_text":"%name% you are in the %watchdog%"}`)
	s.enters(nordic, "NORDIC HAV", noon())
	if got := s.deliver("admin"); got[nordic] != "waiting" {
		t.Errorf("%v", got)
	}
	s.sender.Step(s.clock.now())
	s.sender.Receipt("roof", ais.OwnReceipt{MMSI: nordic, Type: 12, Result: 1})
	s.sender.Step(s.clock.now())
	if got := s.deliver("admin"); got[nordic] != "unanswered: the ship did not answer" {
		t.Errorf("%v", got)
	}
	s.restart(open)
	s.sender.Step(s.clock.now())
	if got := s.deliver("admin"); got[nordic] != "unanswered: the ship did not answer" {
		t.Errorf("after the restart: %v", got)
	}
	want, err := ais.AppendABM(nil, &ais.AddressedSafety{Header: ais.Header{Type: 12}, Destination: nordic, Text: "NORDIC HAV YOU ARE IN THE ROADS"}, 0)
	if err != nil {
		t.Fatal(err)
	}
	if got := strings.Join(a.sentences(), ""); got != string(want) {
		t.Errorf("on air went %q, want %q", got, want)
	}
	if got := s.sentOf("admin", ""); got != "NORDIC HAV YOU ARE IN THE ROADS unanswered 219018765" {
		t.Errorf("the list of messages has %q", got)
	}
}

// TestWithoutATransmitterTheEventSaysSo.
func TestWithoutATransmitterTheEventSaysSo(t *testing.T) {
	s, a := newSite(t), &air{gone: true}
	s.restart(hailing(s, a, safety.DefaultLimits()))
	s.watchdog("admin", `{"name":"Roads","type":"polygon",`+roads+`,"send_ship_notification":true,"ship_notification_text":"TURN AWAY"}`)
	s.enters(nordic, "NORDIC HAV", noon())
	if got := s.deliver("admin"); got[nordic] != "not_sent: no transmitter" {
		t.Errorf("%v", got)
	}
}

// TestABroadcastOfAHiddenShipStaysHidden: a text to all that names a ship is for those that see the ship.
func TestABroadcastOfAHiddenShipStaysHidden(t *testing.T) {
	s, a := newSite(t), &air{}
	s.restart(hailing(s, a, safety.DefaultLimits()))
	for _, name := range []string{"blind", "anna"} {
		s.may(name, right.MessageService)
	}
	s.setFilter("blind", `{"expression":"mmsi = 211222333"}`)
	s.setFilter("anna", `{"expression":"mmsi = 219018765"}`)
	s.watchdog("admin", `{"name":"Roads","type":"polygon",`+roads+`,"send_ship_notification":true,"ship_notification_broadcast":true,"ship_notification_text":"%name% is in the roads"}`)
	s.enters(nordic, "NORDIC HAV", noon())
	s.deliver("admin")
	s.sender.Step(s.clock.now())
	for _, name := range []string{"admin", "anna"} {
		if got := s.sentOf(name, ""); !strings.Contains(got, "NORDIC HAV IS IN THE ROADS") {
			t.Errorf("%s reads %q", name, got)
		}
	}
	if got := s.sentOf("blind", ""); got != "" {
		t.Errorf("a user that may not see the ship reads %q", got)
	}
}

// TestNothingGoesOnAirLate: an event is too old for the air after ten minutes, also where the owner of the watchdog is told of it later than that; and not
// where the clock was ahead when it was raised.
func TestNothingGoesOnAirLate(t *testing.T) {
	s, a := newSite(t), &air{}
	s.restart(hailing(s, a, safety.DefaultLimits()))
	s.watchesLate("late")
	owner, _ := s.users.User("late")
	v, err := s.sight.Of(t.Context(), owner, "late")
	if err != nil {
		t.Fatal(err)
	}
	of := library.Resource{Watchdog: &library.Watchdog{ShipNotification: library.ShipNotification{Send: true, Text: "turn away"}}}
	for _, row := range []struct {
		raised, committed time.Duration // before now
		old               bool
	}{{time.Minute, time.Minute, false}, {11 * time.Minute, 11 * time.Minute, true}, {time.Minute, -24 * time.Hour, false}, {time.Hour, -24 * time.Hour, true}} {
		now := s.clock.now()
		m := notify.Delivery{Owner: owner, Viewer: v, Watchdog: of}
		m.Event = watchdogs.Event{ID: 1, Time: now.Add(-row.raised).UnixMilli(), Committed: now.Add(-row.committed).UnixMilli(), Ship: watchdogs.ShipOfEvent{MMSI: nordic}}
		err := s.channels[0].Send(t.Context(), &m)
		if old := err != nil && strings.Contains(err.Error(), "too old"); old != row.old {
			t.Errorf("%v before now, committed %v before: %v", row.raised, row.committed, err)
		}
	}
}

// TestManyActivationsKeepToTheLimit: of a hundred activations at once no more go on air than the limit allows, and each other event says why not.
func TestManyActivationsKeepToTheLimit(t *testing.T) {
	s, a := newSite(t), &air{}
	s.restart(hailing(s, a, safety.Limits{Ship: 4, Broadcast: 4, All: 6}))
	s.watchdog("admin", `{"name":"Roads","type":"polygon",`+roads+`,"send_ship_notification":true,"ship_notification_text":"TURN AWAY"}`)
	for i := range ais.MMSI(100) {
		for step := range 5 {
			s.hear(noon().Add(time.Duration(step)*time.Minute), position(211000000+i, 10.3+float64(step)/200, 56.14, 50, 900))
		}
	}
	s.watch.Save(false)
	states := s.deliver("admin")
	for range 3 {
		s.sender.Step(s.clock.now())
		for i := range 4 {
			for m := range states {
				s.sender.Receipt("roof", ais.OwnReceipt{MMSI: m, Type: 12, Sequence: i})
			}
			s.sender.Step(s.clock.now())
		}
	}
	count := map[string]int{}
	for _, state := range s.deliver("admin") {
		count[state]++
	}
	const limit = "not_sent: in a minute 4 messages of watchdogs may be sent"
	if n := len(a.sentences()); n != 4 || count["acknowledged"] != 4 || count[limit] != 96 {
		t.Errorf("%d went on air; %v", n, count)
	}
}

// TestATextToTheShipIsCheckedWhenItIsWritten: its characters, its length, and that there is one; and it takes the right to send, of the caller and of the
// owner.
func TestATextToTheShipIsCheckedWhenItIsWritten(t *testing.T) {
	s, a := newSite(t), &air{}
	s.restart(hailing(s, a, safety.DefaultLimits()))
	long := strings.Repeat("X", 157)
	for body, want := range map[string]string{
		`"send_ship_notification":true`:                                                   "is required",
		`"ship_notification_text":"A@B"`:                                                  `'@' (2)`,
		`"send_ship_notification":true,"ship_notification_text":"Å\r\n"`:                  `'Å' (1), '\\r' (2), '\\n' (3)`,
		`"send_ship_notification":true,"ship_notification_text":"` + long + `"`:           "has 157 characters, and AIS carries 156",
		`"ship_notification_broadcast":true,"ship_notification_text":"` + long + `XXXXX"`: "has 162 characters, and AIS carries 161",
	} {
		if got := s.post(definitionPath, `{"name":"a","type":"polygon",`+roads+`,`+body+`}`); got.status != 400 || !strings.Contains(got.text(), want) {
			t.Errorf("%s: %d %s", body, got.status, got.text())
		}
	}
	s.may("without", right.ViewWatchdog, right.ConfigureWatchdogDefinitions, right.AdminWatchdogDefinitions)
	s.may("with", right.ViewWatchdog, right.ConfigureWatchdogDefinitions, right.AdminWatchdogDefinitions, right.SendMessages)
	const told = `,"send_ship_notification":true,"ship_notification_text":"Keep clear","ship_notification_broadcast":true`
	define := func(name string) string { return `{"name":"` + name + `","type":"polygon",` + roads + told + `}` }
	s.call("without", "POST", definitionPath, define("a")).is(t, 403)
	path := fmt.Sprintf("%s/%.0f", definitionPath, s.call("with", "POST", definitionPath, define("b")).is(t, 200).json(t)["id"])
	d := s.call("with", "GET", path, "").is(t, 200).json(t)
	if d["send_ship_notification"] != true || d["ship_notification_text"] != "Keep clear" || d["ship_notification_broadcast"] != true {
		t.Errorf("%v", d)
	}
	s.call("without", "PUT", path, `{"severity":"alert"}`).is(t, 200)
	s.call("without", "PUT", path, `{"ship_notification_text":"GO AWAY"}`).is(t, 403)
	s.call("with", "PUT", path, `{"ship_notification_text":"`+long+`X","ship_notification_broadcast":false}`).is(t, 400)
	s.call("without", "PUT", path, `{"send_ship_notification":false}`).is(t, 200)
}
