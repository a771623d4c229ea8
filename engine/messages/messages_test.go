package messages

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"quaywatch/ais"
	"quaywatch/ship"
)

// box is a list of messages and a clock.
type box struct {
	*List
	at    time.Time
	had   map[ais.MMSI]ship.State
	names []string // of the feeds
	hash  uint64
}

func newBox() *box {
	return &box{List: New(), at: time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC), had: map[ais.MMSI]ship.State{}, names: []string{"roof", "pier"}}
}

// hear lets a message be heard now, with what it makes of the ship.
func (b *box) hear(messages ...ais.Message) {
	for _, m := range messages {
		b.hash++
		r := ais.Report{Message: m, Received: b.at, Feed: "roof", Hash: b.hash}
		was := b.had[m.Head().MMSI]
		limits := ship.DefaultLimits()
		out := ship.Merge(&was, ship.Gate{}, &r, &limits)
		out.Now.Feeds.Names = &b.names
		b.had[out.Now.MMSI] = out.Now
		b.Observe(&ship.Update{Report: &r, Was: was, Now: out.Now, Fix: out.Fix, Change: out.Change, Refused: out.Reason})
	}
}

// known lets a ship be heard so often that its changes count.
func (b *box) known(m ais.MMSI) {
	for range knownAfter {
		b.hear(position(m, 0))
	}
}

// age makes a ship lost, or whatever the age says, as a tick of the picture does.
func (b *box) age(m ais.MMSI, age ship.Age) {
	was := b.had[m]
	now := was
	now.Age = age
	b.had[m] = now
	b.Observe(&ship.Update{Was: was, Now: now, Change: ship.ChangedAge})
}

func position(m ais.MMSI, status ais.NavStatus) *ais.PositionReport {
	return &ais.PositionReport{Header: ais.Header{Type: 1, MMSI: m}, Status: status, Second: 60, Place: ais.Place{Lon: 10.25 * 600000, Lat: 56.14 * 600000}}
}

func text(m ais.MMSI, text string) *ais.BroadcastSafety {
	return &ais.BroadcastSafety{Header: ais.Header{Type: 14, MMSI: m}, Text: text}
}

func addressed(m, to ais.MMSI, text string) *ais.AddressedSafety {
	return &ais.AddressedSafety{Header: ais.Header{Type: 12, MMSI: m}, Destination: to, Text: text}
}

func aid(m ais.MMSI, off bool) *ais.AidToNavigation {
	return &ais.AidToNavigation{Header: ais.Header{Type: 21, MMSI: m}, Name: "DROGDEN", OffPosition: off, Second: 60,
		Place: ais.Place{Lon: 10.4 * 600000, Lat: 56.14 * 600000}}
}

func voyage(m ais.MMSI, destination string, draught int) *ais.StaticVoyage {
	return &ais.StaticVoyage{Header: ais.Header{Type: 5, MMSI: m}, Name: "HAVGUDEN", Destination: destination, Draught: ais.Decimetres(draught)}
}

// rows returns the messages as text, the latest first.
func (b *box) rows() string {
	all, _ := b.All()
	list := []string{}
	for _, m := range all {
		text := fmt.Sprint(m.MMSI, " ", m.Kind)
		if m.To != 0 {
			text += fmt.Sprint(" ", m.To)
		}
		for _, part := range []string{m.Text, m.Was.Text, m.Now.Text} {
			if part != "" {
				text += " " + part
			}
		}
		if m.Was.Number+m.Now.Number != 0 {
			text += fmt.Sprint(" ", m.Was.Number, " ", m.Now.Number)
		}
		if m.Count > 1 {
			text += fmt.Sprint(" x", m.Count)
		}
		list = append(list, text)
	}
	return strings.Join(list, "; ")
}

const (
	trader = ais.MMSI(219018765)
	shore  = ais.MMSI(2190047)
	buoy   = ais.MMSI(992191234)
)

// TestWhatIsAMessage: texts, aids off their position, and changes of a ship that is known; what becomes known for the first time is no change.
func TestWhatIsAMessage(t *testing.T) {
	for _, row := range []struct {
		name string
		do   func(*box)
		want string
	}{
		{"a text to all", func(b *box) { b.hear(text(shore, "GALE WARNING")) }, "2190047 broadcast GALE WARNING"},
		{"a text to one ship", func(b *box) { b.hear(addressed(shore, trader, "CALL VHF 12")) }, "2190047 addressed 219018765 CALL VHF 12"},
		{"an empty text", func(b *box) { b.hear(text(shore, " @@")) }, ""},
		{"a text with what cannot be printed", func(b *box) { b.hear(text(shore, "A\x00B\n\u202ec\ufffd")) }, "2190047 broadcast A B  c"},
		{"a text that is too long", func(b *box) { b.hear(text(shore, strings.Repeat("x", 5000))) }, "2190047 broadcast " + strings.Repeat("x", 161)},
		{"positions", func(b *box) { b.known(trader) }, ""},
		{"a status", func(b *box) { b.known(trader); b.hear(position(trader, 5)) }, "219018765 status 0 5"},
		{"a status that is not known any more", func(b *box) { b.known(trader); b.hear(position(trader, 15)) }, ""},
		{"a status of a ship that was heard twice", func(b *box) { b.hear(position(trader, 0), position(trader, 5)) }, ""},
		{"the first destination", func(b *box) { b.known(trader); b.hear(voyage(trader, "DKAAR", 74)) }, ""},
		{"another destination", func(b *box) { b.known(trader); b.hear(voyage(trader, "DKAAR", 74), voyage(trader, "SEGOT", 74)) },
			"219018765 destination DKAAR SEGOT"},
		{"another draught", func(b *box) { b.known(trader); b.hear(voyage(trader, "DKAAR", 74), voyage(trader, "DKAAR", 81)) },
			"219018765 draught 740 810"},
		{"no draught any more", func(b *box) { b.known(trader); b.hear(voyage(trader, "DKAAR", 74), voyage(trader, "DKAAR", 0)) }, ""},
		{"lost and found", func(b *box) { b.known(trader); b.age(trader, ship.Lost); b.hear(position(trader, 0)) },
			"219018765 found; 219018765 lost"},
		{"lost and removed", func(b *box) { b.known(trader); b.age(trader, ship.Lost); b.age(trader, ship.Removed) }, "219018765 lost"},
		{"an aid at its position", func(b *box) { b.hear(aid(buoy, false), aid(buoy, false)) }, ""},
		{"an aid off its position", func(b *box) { b.hear(aid(buoy, false), aid(buoy, true), aid(buoy, true)) }, "992191234 off_position"},
		{"one that was off it before we heard it", func(b *box) { b.hear(aid(buoy, true)) }, "992191234 off_position"},
		{"one that comes back", func(b *box) { b.hear(aid(buoy, true), aid(buoy, false), aid(buoy, false)) }, "992191234 on_position; 992191234 off_position"},
		{"one that leaves it again", func(b *box) { b.hear(aid(buoy, true), aid(buoy, false), aid(buoy, true)) },
			"992191234 off_position x2; 992191234 on_position"},
	} {
		b := newBox()
		row.do(b)
		if got := b.rows(); got != row.want {
			t.Errorf("%s: %q, want %q", row.name, got, row.want)
		}
	}
}

// TestARepetitionIsCounted: equal texts of a sender are one, with the latest time first; another text, station or sender is another.
func TestARepetitionIsCounted(t *testing.T) {
	b := newBox()
	for range 12 {
		b.hear(text(shore, "GALE WARNING"))
		b.at = b.at.Add(6 * time.Minute)
	}
	b.hear(text(shore, "GALE OVER"), addressed(shore, trader, "GALE OVER"), addressed(shore, trader+1, "GALE OVER"),
		text(trader, "GALE OVER"), text(shore, "GALE WARNING"))
	want := "2190047 broadcast GALE WARNING x13; 219018765 broadcast GALE OVER; 2190047 addressed 219018766 GALE OVER; " +
		"2190047 addressed 219018765 GALE OVER; 2190047 broadcast GALE OVER"
	if got := b.rows(); got != want {
		t.Errorf("%s", got)
	}
	all, _ := b.All()
	if m := all[0]; len(m.Heard) != hearings || m.Heard[0].Heard != b.at.Add(-12*6*time.Minute).UnixMilli() || m.Heard[hearings-1].Heard != b.at.UnixMilli() {
		t.Errorf("heard %d times, from %d to %d", len(m.Heard), m.Heard[0].Heard, m.Heard[len(m.Heard)-1].Heard)
	}
}

// TestTheSameLogGivesTheSameMessages: the numbers of two boxes that hear the same are equal.
func TestTheSameLogGivesTheSameMessages(t *testing.T) {
	var ids [2][]uint64
	for i := range ids {
		b := newBox()
		b.known(trader)
		b.hear(text(shore, "GALE WARNING"), aid(buoy, true), position(trader, 5), position(trader, 1))
		all, _ := b.All()
		for _, m := range all {
			ids[i] = append(ids[i], m.ID)
			if m.ID >= 1<<53 {
				t.Errorf("%d does not fit a number of JavaScript", m.ID)
			}
		}
	}
	if !slices.Equal(ids[0], ids[1]) || len(slices.Compact(slices.Sorted(slices.Values(ids[0])))) != 4 {
		t.Errorf("%v", ids)
	}
}

// TestAFurtherFeedIsNoted: what a second feed hears of the same sentence is no repetition, and a user of that feed may know of it.
func TestAFurtherFeedIsNoted(t *testing.T) {
	b := newBox()
	b.hear(text(shore, "GALE WARNING"))
	heard := func(feed string) bool {
		all, _ := b.All()
		return len(all) == 1 && all[0].Count == 1 && all[0].Heard[0].HeardBy(func(name string) bool { return name == feed })
	}
	if !heard("roof") || heard("pier") {
		t.Fatalf("by one: %s", b.rows())
	}
	before := b.Number()
	again := ship.Update{Report: &ais.Report{Message: text(shore, "GALE WARNING"), Feed: "pier", Hash: b.hash, Received: b.at}}
	b.ObserveAgain(&again, ais.Feeds{Set: 1, Names: &b.names})
	if !heard("roof") || !heard("pier") || b.Number() == before {
		t.Errorf("by two: %s", b.rows())
	}
	if !b.TakesAgain(text(shore, "")) || !b.TakesAgain(addressed(shore, trader, "")) || b.TakesAgain(position(trader, 0)) {
		t.Error("repeats of texts are wanted, and no others")
	}
}

// TestAFloodLeavesTheOthers: neither a ship with a thousand texts nor thousands of invented numbers push out what ships with a place said.
func TestAFloodLeavesTheOthers(t *testing.T) {
	b := newBox()
	for i := range 20 {
		m := trader + ais.MMSI(i)
		b.hear(position(m, 0), position(m, 0), text(m, "SECURITE"))
	}
	for i := range 1000 {
		b.hear(position(201000000, 0), text(201000000, fmt.Sprint("SPAM ", i)))
	}
	for i := range 3000 {
		b.hear(text(ais.MMSI(202000000+i), "SPAM"))
	}
	b.hear(position(205000000, 0), position(205000000, 0), text(205000000, "MAYDAY"))
	all, _ := b.All()
	if got := strings.Count(b.rows(), "SECURITE"); got != 20 || !strings.HasPrefix(b.rows(), "205000000 broadcast MAYDAY") || len(all) != 20+ofOne+ofVague+1 {
		t.Errorf("%d of 20 are left of %d", got, len(all))
	}
}

// TestAReceiverThatFailsIsNotAThousandChanges: what is lost within a second is noted up to a number.
func TestAReceiverThatFailsIsNotAThousandChanges(t *testing.T) {
	b := newBox()
	for i := range 300 {
		b.known(trader + ais.MMSI(i))
	}
	b.at = b.at.Add(time.Hour)
	b.Tick(b.at)
	for i := range 300 {
		b.age(trader+ais.MMSI(i), ship.Lost)
	}
	if all, _ := b.All(); len(all) != changesAtOne {
		t.Errorf("%d changes", len(all))
	}
	b.Tick(b.at.Add(time.Second))
	b.age(trader, ship.Live)
	b.age(trader, ship.Lost)
	if all, _ := b.All(); len(all) != changesAtOne+1 || all[0].Count != 2 || all[0].Heard[1].Heard != b.at.Add(time.Second).UnixMilli() {
		t.Errorf("a second later: %s", b.rows())
	}
}

// TestWhatIsKeptIsBounded: whatever comes, the bounds of all, of a sender and of vague senders hold, IDs are unlike, and the latest is first.
func TestWhatIsKeptIsBounded(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		b := newBox()
		r.Repeat(map[string]func(*rapid.T){
			"texts": func(r *rapid.T) {
				for range rapid.IntRange(1, 40).Draw(r, "texts") {
					m := trader + ais.MMSI(rapid.IntRange(0, 60).Draw(r, "number"))
					if rapid.Bool().Draw(r, "placed") {
						b.hear(position(m, ais.NavStatus(rapid.IntRange(0, 8).Draw(r, "status"))))
					}
					said := fmt.Sprint("TEXT ", rapid.IntRange(0, 30).Draw(r, "text"))
					b.hear(text(m, said))
					if all, _ := b.All(); all[0].MMSI != m || all[0].Text != said {
						r.Fatalf("%s of %d is not the latest of %s", said, m, b.rows())
					}
				}
				b.at = b.at.Add(time.Second)
			},
			"aids": func(r *rapid.T) {
				b.hear(aid(buoy+ais.MMSI(rapid.IntRange(0, 300).Draw(r, "aid")), rapid.Bool().Draw(r, "off")))
			},
			"": func(r *rapid.T) {
				all, number := b.All()
				count, vague, changes, ids := map[ais.MMSI]int{}, 0, map[ais.MMSI]int{}, map[uint64]bool{}
				for i, m := range all {
					if ids[m.ID] || m.Number > number || i > 0 && m.Number >= all[i-1].Number || len(m.Heard) == 0 || len(m.Heard) > hearings || len(m.Heard) > m.Count {
						r.Fatalf("%+v among %s", m, b.rows())
					}
					ids[m.ID] = true
					if m.Kind > OnPosition {
						changes[m.MMSI]++
						continue
					}
					if count[m.MMSI]++; m.vague {
						vague++
					}
				}
				if len(b.messages.kept) > MostMessages || len(b.changes.kept) > MostChanges || vague > ofVague {
					r.Fatalf("%d messages, %d of them vague, %d changes", len(b.messages.kept), vague, len(b.changes.kept))
				}
				for m := range count {
					if count[m] > ofOne || changes[m] > changesOfOne {
						r.Fatalf("%d has %d messages and %d changes", m, count[m], changes[m])
					}
				}
			},
		})
	})
}

// TestAPositionReportCostsNothing: a step of a ship that changes nothing allocates nothing and takes no lock.
func TestAPositionReportCostsNothing(t *testing.T) {
	b := newBox()
	b.known(trader)
	now := b.had[trader]
	u := ship.Update{Report: &ais.Report{Message: position(trader, 0), Received: b.at}, Was: now, Now: now, Change: ship.ChangedFix}
	b.mu.Lock()
	defer b.mu.Unlock()
	if n := testing.AllocsPerRun(1000, func() { b.Observe(&u) }); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

// BenchmarkObserve is what a step of a ship that changes nothing else than its place costs the picture.
func BenchmarkObserve(b *testing.B) {
	box := newBox()
	box.known(trader)
	now := box.had[trader]
	u := ship.Update{Report: &ais.Report{Message: position(trader, 0), Received: box.at}, Was: now, Now: now, Change: ship.ChangedFix}
	b.ReportAllocs()
	for b.Loop() {
		box.Observe(&u)
	}
	if box.Number() != 0 {
		b.Fatal("it was taken for a message")
	}
}
