package safety

import (
	"bytes"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"quaywatch/ais"
	"quaywatch/ship"
	"quaywatch/store"
	"quaywatch/store/records"
)

const trader = ais.MMSI(219018765)

// box is a service on a store, a clock, and what each transponder took. A transponder that is gone is not open; one that is stuck takes a part.
type box struct {
	*Service
	t      testing.TB
	dir    string
	db     *store.DB
	at     time.Time
	limits Limits
	feeds  []string
	gone   map[string]bool
	stuck  map[string]bool
	took   map[string]string
	told   []string
	tries  int // to write
}

func newBox(t testing.TB, feeds ...string) *box {
	b := &box{t: t, dir: t.TempDir(), at: time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC), limits: Limits{100, 100, 100}, feeds: feeds,
		gone: map[string]bool{}, stuck: map[string]bool{}, took: map[string]string{}}
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
	b.Service, err = Open(Config{DB: b.db.Database, Limits: b.limits, Write: b.write, Transmitters: b.transmitters, Log: slog.New(slog.DiscardHandler),
		Ship: func(m ais.MMSI) (ship.State, bool) {
			names := []string{"roof", "pier"}
			return ship.State{MMSI: m, Feeds: ais.Feeds{Set: 2, Names: &names}}, m == trader
		},
		Told: func(m *Sent) { b.told = append(b.told, fmt.Sprint(m.ID(), " ", m.Last())) }}, b.at)
	if err != nil {
		b.t.Fatal(err)
	}
}

// restart is a kill and a new start: nothing is saved before.
func (b *box) restart() {
	b.t.Helper()
	if err := b.db.Close(); err != nil {
		b.t.Fatal(err)
	}
	b.open()
}

func (b *box) transmitters() (all []Transmitter) {
	for _, name := range b.feeds {
		all = append(all, Transmitter{name, !b.gone[name]})
	}
	return all
}

func (b *box) write(feed string, p []byte) (int, error) {
	b.tries++
	switch {
	case b.gone[feed]:
		return 0, errors.New("not open")
	case b.stuck[feed]:
		return len(p) / 2, errors.New("timeout")
	}
	b.took[feed] += string(p)
	return len(p), nil
}

// pass lets time pass, and does what is due.
func (b *box) pass(d time.Duration) {
	b.at = b.at.Add(d)
	b.Step(b.at)
}

// send sends a text, and returns its number.
func (b *box) send(m SafetyMessage) uint64 {
	b.t.Helper()
	sent, err := b.Send(m, b.at)
	if err != nil {
		b.t.Fatal(err)
	}
	return sent.ID()
}

// abk lets a transponder answer.
func (b *box) abk(feed string, mmsi ais.MMSI, kind, sequence, result int) {
	b.Receipt(feed, ais.OwnReceipt{MMSI: mmsi, Type: kind, Sequence: sequence, Result: result})
	b.Step(b.at)
}

// states returns the states of a message, as they are stored.
func (b *box) states(id uint64) string {
	b.t.Helper()
	for m, err := range b.Past(records.Key{}, records.EndKey()) {
		if err != nil {
			b.t.Fatal(err)
		}
		if m.ID() == id {
			list := []string{}
			for _, s := range m.Steps {
				list = append(list, s.String())
			}
			return strings.Join(list, ", ")
		}
	}
	return "unknown"
}

// TestWhatBecomesOfAMessage: each answer of a transponder, and none, gives the message its state.
func TestWhatBecomesOfAMessage(t *testing.T) {
	const gone = "waiting, transmitted"
	for _, row := range []struct {
		name      string
		broadcast bool
		do        func(b *box, answer func(result int))
		want      string
	}{
		{"not answered yet", false, func(*box, func(int)) {}, gone},
		{"received by the ship", false, func(_ *box, answer func(int)) { answer(0) }, gone + ", acknowledged"},
		{"twice", false, func(_ *box, answer func(int)) { answer(0); answer(0); answer(1) }, gone + ", acknowledged"},
		{"no answer of the ship", false, func(_ *box, answer func(int)) { answer(1) }, gone + ", unanswered: the ship did not answer"},
		{"a late one", false, func(b *box, answer func(int)) { answer(1); b.pass(time.Minute); answer(4) },
			gone + ", unanswered: the ship did not answer, acknowledged"},
		{"refused", false, func(_ *box, answer func(int)) { answer(2); answer(4) }, gone + ", refused: by the transponder"},
		{"on air first", false, func(_ *box, answer func(int)) { answer(3); answer(3); answer(1) }, gone + ", transmitted: on air, unanswered: the ship did not answer"},
		{"a word that is unknown", false, func(_ *box, answer func(int)) { answer(7) }, gone},
		{"silent", false, func(b *box, _ func(int)) { b.pass(59 * time.Second); b.pass(time.Second) }, gone + ", unanswered: the transponder is silent"},
		{"silent and then not", false, func(b *box, answer func(int)) { b.pass(2 * time.Minute); answer(0) },
			gone + ", unanswered: the transponder is silent, acknowledged"},
		{"to all", true, func(_ *box, answer func(int)) { answer(3); answer(3) }, gone + ", transmitted: on air"},
		{"to all, silent", true, func(b *box, _ func(int)) { b.pass(time.Minute) }, gone + ", unanswered: the transponder is silent"},
		{"to all, refused", true, func(_ *box, answer func(int)) { answer(2) }, gone + ", refused: by the transponder"},
		{"another ship, message, sequence or feed", false, func(b *box, _ func(int)) {
			b.abk("roof", trader+1, 12, 0, 0)
			b.abk("roof", trader, 6, 0, 0)
			b.abk("roof", trader, 12, 1, 0)
			b.abk("pier", trader, 12, 0, 0)
		}, gone},
		{"over a restart", false, func(b *box, answer func(int)) { b.restart(); answer(0) }, gone + ", acknowledged"},
		{"silent over a restart", false, func(b *box, answer func(int)) { b.restart(); b.pass(time.Hour * 5); b.restart() },
			gone + ", unanswered: the transponder is silent"},
	} {
		b := newBox(t, "roof")
		m, kind := SafetyMessage{To: trader, Text: "keep clear"}, 12
		if row.broadcast {
			m.To, kind = 0, 14
		}
		id := b.send(m)
		b.pass(0)
		row.do(b, func(result int) { b.abk("roof", m.To, kind, 0, result) })
		if got := b.states(id); got != row.want {
			t.Errorf("%s: %s, want %s", row.name, got, row.want)
		}
		if n := strings.Count(b.took["roof"], "!"); n != 1 {
			t.Errorf("%s: %d sentences on air: %s", row.name, n, b.took["roof"])
		}
		list := []string{}
		for _, state := range strings.Split(row.want, ", ") {
			list = append(list, fmt.Sprint(id, " ", state))
		}
		if got := strings.Join(b.told, ", "); got != strings.Join(list, ", ") {
			t.Errorf("%s: told %s", row.name, got)
		}
	}
}

// TestNothingIsSentWithoutATransmitter: without one the message says so at once, with one that is not open after five minutes. What was asked for
// waits for that one alone.
func TestNothingIsSentWithoutATransmitter(t *testing.T) {
	b := newBox(t)
	if got := b.states(b.send(SafetyMessage{Text: "FOG"})); got != "not_sent: no transmitter" {
		t.Errorf("without one: %s", got)
	}
	b = newBox(t, "roof", "pier")
	b.gone["roof"], b.gone["pier"] = true, true
	any, only := b.send(SafetyMessage{Text: "FOG"}), b.send(SafetyMessage{Text: "ICE", Feed: "pier"})
	b.pass(4 * time.Minute)
	b.restart()
	if b.states(any) != "waiting" {
		t.Errorf("%s", b.states(any))
	}
	b.gone["roof"] = false
	b.pass(0)
	b.pass(time.Minute)
	if got := b.states(any) + "; " + b.states(only); got != "waiting, transmitted, unanswered: the transponder is silent; waiting, not_sent: no transmitter" {
		t.Errorf("%s", got)
	}
	var field *MessageError
	if _, err := b.Send(SafetyMessage{Text: "FOG", Feed: "mast"}, b.at); !errors.As(err, &field) || field.Field != "feed" {
		t.Errorf("of an unknown feed: %v", err)
	}
}

// TestTheTransponderThatHearsTheShipHasTheMessage: of two that are open it is taken first.
func TestTheTransponderThatHearsTheShipHasTheMessage(t *testing.T) {
	b := newBox(t, "roof", "pier")
	b.send(SafetyMessage{To: trader, Text: "A"})
	b.send(SafetyMessage{To: trader + 1, Text: "B"})
	b.pass(0)
	if strings.Count(b.took["pier"], "219018765") != 1 || strings.Count(b.took["roof"], "219018766") != 1 {
		t.Errorf("%q", b.took)
	}
	b.gone["pier"] = true
	b.send(SafetyMessage{To: trader, Text: "C"})
	b.pass(0)
	if strings.Count(b.took["roof"], "219018765") != 1 {
		t.Errorf("%q", b.took)
	}
}

// TestASequenceIsUsedAgainWhenItIsFree: a transponder has four messages without an answer. A fifth goes with the number of the one that was answered.
func TestASequenceIsUsedAgainWhenItIsFree(t *testing.T) {
	b := newBox(t, "roof")
	ids := []uint64{}
	for i := range 6 {
		ids = append(ids, b.send(SafetyMessage{To: trader + ais.MMSI(i), Text: "X"}))
	}
	b.pass(0)
	if n := strings.Count(b.took["roof"], "\r\n"); n != 4 || b.states(ids[4]) != "waiting" {
		t.Fatalf("%d messages at once: %q", n, b.took["roof"])
	}
	b.abk("roof", trader+2, 12, 2, 0)
	if !strings.Contains(b.took["roof"], "!AIABM,1,1,2,219018769,0,12,") {
		t.Errorf("%q", b.took["roof"])
	}
	b.abk("roof", trader+2, 12, 2, 1) // of the message that had the number before
	if got := b.states(ids[4]); got != "waiting, transmitted" {
		t.Errorf("%s", got)
	}
	b.pass(time.Minute)
	if got := b.states(ids[0]) + "; " + b.states(ids[5]); got != "waiting, transmitted, unanswered: the transponder is silent; waiting, transmitted" {
		t.Errorf("%s", got)
	}
}

// TestATransponderThatTakesAPartGetsAllAgain: a message of which a part was written is written whole later.
func TestATransponderThatTakesAPartGetsAllAgain(t *testing.T) {
	b := newBox(t, "roof")
	b.stuck["roof"] = true
	id := b.send(SafetyMessage{To: trader, Text: "KEEP CLEAR"})
	b.pass(0)
	if got := b.states(id); got != "waiting, transmitted, waiting: no transmitter" {
		t.Errorf("%s", got)
	}
	b.stuck["roof"] = false
	b.restart()
	b.pass(time.Second)
	if got := b.states(id); got != "waiting, transmitted, waiting: no transmitter, transmitted" || strings.Count(b.took["roof"], "!AIABM,1,1,") != 1 {
		t.Errorf("%s: %q", got, b.took["roof"])
	}
}

// TestATransponderThatTakesNothingIsLeftAlone: it is tried again later each time, another one gets the message at once, and one that takes what is written
// again is tried at once.
func TestATransponderThatTakesNothingIsLeftAlone(t *testing.T) {
	b := newBox(t, "roof")
	b.stuck["roof"] = true
	id := b.send(SafetyMessage{To: trader, Text: "KEEP CLEAR"})
	var tries []int
	for second := range 120 {
		was := b.tries
		b.pass(time.Second)
		if b.tries > was {
			tries = append(tries, second)
		}
	}
	if got := fmt.Sprint(tries); got != "[0 1 3 7 15 31 63]" {
		t.Errorf("tried in the seconds %s", got)
	}
	b.feeds = append(b.feeds, "pier")
	b.pass(time.Second)
	if !strings.HasSuffix(b.states(id), ", transmitted") || strings.Count(b.took["pier"], "!AIABM,1,1,") != 1 {
		t.Errorf("%s: %q", b.states(id), b.took["pier"])
	}
	b.stuck["roof"], b.feeds = false, b.feeds[:1]
	b.pass(lastRest)
	b.send(SafetyMessage{To: trader + 1, Text: "KEEP CLEAR"})
	b.pass(0)
	if len(b.rests) != 0 {
		t.Errorf("%+v", b.rests)
	}
}

// TestWhatGoesOnAirIsLimited: whatever is sent when, in no minute and no hour is more taken than the limits say, and what is not taken says when it may
// be.
func TestWhatGoesOnAirIsLimited(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		limits := Limits{rapid.IntRange(1, 4).Draw(r, "ship"), rapid.IntRange(1, 4).Draw(r, "broadcast"), rapid.IntRange(1, 6).Draw(r, "all")}
		s, at := &Service{config: Config{Limits: limits}}, time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)
		var taken []spent
		count := func(within time.Duration, counts func(spent) bool) (n int) {
			for _, one := range taken {
				if at.Sub(one.at) < within && counts(one) {
					n++
				}
			}
			return n
		}
		for range rapid.IntRange(5, 40).Draw(r, "messages") {
			at = at.Add(time.Duration(rapid.SampledFrom([]int{0, 0, 1, 30, 700}).Draw(r, "pause")) * time.Second)
			m := Sent{To: trader * ais.MMSI(rapid.IntRange(0, 1).Draw(r, "to one")), Event: uint64(rapid.IntRange(0, 1).Draw(r, "of a watchdog"))}
			most := limits.Ship
			if m.To == 0 {
				most = limits.Broadcast
			}
			full := count(time.Hour, func(o spent) bool { return o.to == m.To }) >= most ||
				count(time.Minute, func(spent) bool { return true }) >= limits.All ||
				m.Event != 0 && count(time.Minute, func(o spent) bool { return o.dog }) >= limits.All-limits.All/3
			err := s.checkLimits(&m, at)
			var limit *LimitError
			if full != errors.As(err, &limit) {
				r.Fatalf("full %v, %v", full, err)
			}
			if !full {
				one := spent{at, m.To, m.Event != 0}
				taken, s.spent = append(taken, one), append(s.spent, one)
			} else if limit.Wait <= 0 || limit.Wait > time.Hour {
				r.Fatalf("wait %v", limit.Wait)
			}
		}
	})
}

// TestALimitOutlivesARestart: what was sent before counts.
func TestALimitOutlivesARestart(t *testing.T) {
	b := newBox(t, "roof")
	b.limits = Limits{Ship: 2, Broadcast: 2, All: 10}
	b.restart()
	b.send(SafetyMessage{To: trader, Text: "A"})
	b.send(SafetyMessage{To: trader, Text: "B"})
	b.pass(59 * time.Minute)
	b.restart()
	var limit *LimitError
	if _, err := b.Send(SafetyMessage{To: trader, Text: "C"}, b.at); !errors.As(err, &limit) || limit.Wait != time.Minute {
		t.Errorf("%+v", err)
	}
	b.pass(time.Minute)
	b.send(SafetyMessage{To: trader, Text: "C"})
}

// TestAMessageGoesOnAirOnce: with restarts, transponders that go, come, take a part or answer, no message is written whole twice, and when time has
// passed each has an end.
func TestAMessageGoesOnAirOnce(t *testing.T) {
	for seed := range uint64(4) {
		random := rand.New(rand.NewPCG(seed, 1))
		b := newBox(t, "roof", "pier")
		b.limits = Limits{1000, 1000, 1000}
		b.restart()
		ships := 0
		for range 80 {
			feed := b.feeds[random.IntN(2)]
			switch random.IntN(12) {
			case 0, 1, 2, 3:
				ships++
				b.send(SafetyMessage{To: ais.MMSI(200_000_000 + ships), Text: "KEEP CLEAR"})
			case 4, 5, 6:
				b.pass(time.Duration(random.IntN(70)) * time.Second)
			case 7:
				b.restart()
			case 8:
				b.gone[feed] = !b.gone[feed]
			case 9:
				b.stuck[feed] = !b.stuck[feed]
			default:
				b.abk(feed, ais.MMSI(200_000_000+random.IntN(ships+1)), 12, random.IntN(4), random.IntN(5))
			}
		}
		b.pass(10 * time.Minute)
		b.pass(10 * time.Minute)
		air := []byte(b.took["roof"] + b.took["pier"])
		once := 0
		for i := range ships {
			n := bytes.Count(air, fmt.Appendf(nil, ",%d,", 200_000_001+i))
			if n > 1 {
				t.Fatalf("seed %d: a message went on air %d times", seed, n)
			}
			once += n
		}
		if once == 0 {
			t.Errorf("seed %d: nothing went on air", seed)
		}
		for m, err := range b.Past(records.Key{}, records.EndKey()) {
			if err != nil {
				t.Fatal(err)
			}
			if s := m.Last(); s.State == Waiting || s.State == Transmitted {
				t.Fatalf("seed %d: %d is %s in the end", seed, m.ID(), s)
			}
		}
	}
}
