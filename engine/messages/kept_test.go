package messages

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"quaywatch/ais"
	"quaywatch/engine/safety"
	"quaywatch/ship"
	"quaywatch/store"
)

// keptBox is a box whose texts are kept.
type keptBox struct {
	*box
	t   *testing.T
	dir string
	db  *store.DB
}

func newKeptBox(t *testing.T) *keptBox {
	b := &keptBox{box: newBox(), t: t, dir: t.TempDir()}
	b.open()
	t.Cleanup(func() { _ = b.db.Close() })
	return b
}

func (b *keptBox) open() {
	b.t.Helper()
	var err error
	if b.db, err = store.Open(store.Options{Dir: b.dir}); err != nil {
		b.t.Fatal(err)
	}
	sender, err := safety.Open(safety.Config{DB: b.db.Database, Limits: safety.DefaultLimits(), Transmitters: func() []safety.Transmitter { return nil },
		Told: func(m *safety.Sent) { b.Tell(m) }}, b.at)
	if err != nil {
		b.t.Fatal(err)
	}
	if b.List, err = Open(Config{DB: b.db.Database, Sender: sender}, b.at); err != nil {
		b.t.Fatal(err)
	}
}

func (b *keptBox) restart() {
	b.t.Helper()
	if err := b.db.Close(); err != nil {
		b.t.Fatal(err)
	}
	b.open()
}

// past returns the texts that are kept, the latest first.
func (b *keptBox) past(heard, sent bool) string {
	b.t.Helper()
	list := []string{}
	for m, err := range b.Past(time.Time{}, time.Time{}, heard, sent) {
		if err != nil {
			b.t.Fatal(err)
		}
		list = append(list, fmt.Sprint(m.Kind, " ", m.Text, " x", m.Count))
	}
	return strings.Join(list, "; ")
}

// TestTextsOutliveARestart: texts that were heard and sent are kept, changes are not. A repetition within an hour is the same text, a later one another.
func TestTextsOutliveARestart(t *testing.T) {
	b := newKeptBox(t)
	b.known(trader)
	b.hear(text(shore, "GALE WARNING"), position(trader, 5))
	b.Save()
	b.at = b.at.Add(time.Minute)
	if _, err := b.kept.config.Sender.Send(safety.SafetyMessage{To: trader, Text: "keep clear"}, b.at); err != nil {
		t.Fatal(err)
	}
	b.at = b.at.Add(time.Minute)
	b.hear(text(shore, "GALE WARNING"), text(trader, "ENGINE FAILURE"))
	b.Save()
	const rows = "219018765 broadcast ENGINE FAILURE; 2190047 broadcast GALE WARNING x2; 0 sent 219018765 KEEP CLEAR; 219018765 status 0 5"
	if got := b.rows(); got != rows {
		t.Errorf("before the restart: %s", got)
	}
	b.restart()
	if got := b.rows(); got != "219018765 broadcast ENGINE FAILURE; 0 sent 219018765 KEEP CLEAR; 2190047 broadcast GALE WARNING x2" {
		t.Errorf("after the restart: %s", got)
	}
	b.at = b.at.Add(time.Hour)
	b.hear(text(shore, "GALE WARNING"))
	b.Save()
	const past = "broadcast GALE WARNING x1; broadcast ENGINE FAILURE x1; sent KEEP CLEAR x1; broadcast GALE WARNING x2"
	if got := b.past(true, true); got != past {
		t.Errorf("kept are %s", got)
	}
	if got := b.past(false, true); got != "sent KEEP CLEAR x1" {
		t.Errorf("sent are %s", got)
	}
	all, _ := b.All()
	if m := all[0]; m.ID != (&MessageContent{MMSI: shore, Text: "GALE WARNING"}).ID() || m.Count != 3 {
		t.Errorf("%+v", m)
	}
}

// TestAStoredTextIsJudgedAsItWasHeard: the place, the feeds and what was known of the sender come back.
func TestAStoredTextIsJudgedAsItWasHeard(t *testing.T) {
	b := newKeptBox(t)
	b.hear(position(trader, 0), voyage(trader, "DKAAR", 74), text(trader, "ENGINE FAILURE"))
	b.ObserveAgain(&ship.Update{Report: &ais.Report{Message: text(trader, "ENGINE FAILURE"), Hash: b.hash, Feed: "pier"}}, ais.Feeds{Names: &b.names})
	b.Save()
	all, _ := b.All()
	was := all[0]
	b.restart()
	all, _ = b.All()
	is := all[0]
	if is.MessageContent != was.MessageContent || is.ID != was.ID || is.Count != was.Count || *is.Traits != *was.Traits || len(is.Heard) != 1 {
		t.Fatalf("%+v, was %+v", is, was)
	}
	s, w := is.Heard[0], was.Heard[0]
	if s.MMSI != w.MMSI || s.Class != w.Class || *s.Static != *w.Static || s.Heard != w.Heard || s.Feed != w.Feed || s.Fix.Point() != w.Fix.Point() ||
		fmt.Sprint(s.Feeds.List()) != "[roof pier]" {
		t.Errorf("%+v, was %+v", s, w)
	}
}

// TestAFloodOfTextsLeavesRoom: of invented numbers few texts are kept in an hour, and what is not kept is counted.
func TestAFloodOfTextsLeavesRoom(t *testing.T) {
	b := newKeptBox(t)
	b.at = b.at.Truncate(time.Hour)
	for i := range 3 * newTexts {
		b.hear(text(trader+ais.MMSI(i), "HELLO"), text(shore, fmt.Sprint("TEXT ", i)))
	}
	for i := range 5 {
		b.hear(position(ais.MMSI(211000001+i), 0), position(ais.MMSI(211000001+i), 0), text(ais.MMSI(211000001+i), "MAYDAY"))
	}
	b.Save()
	kept := b.past(true, true)
	if n := strings.Count(kept, ";") + 1; n != vagueOnes+5 || strings.Count(kept, "MAYDAY") != 5 || b.Lost() != 6*newTexts-vagueOnes {
		t.Errorf("%d are kept, %d are lost", n, b.Lost())
	}
	b.at = b.at.Add(time.Hour)
	b.hear(text(shore, "GALE OVER"))
	b.Save()
	if got := b.past(true, true); !strings.HasPrefix(got, "broadcast GALE OVER x1; ") {
		t.Errorf("an hour later: %.60s", got)
	}
}

// TestAClockThatWasAheadHidesNoText: after the clock was set back by days, and by minutes, each text is kept with its times, the live order is that of the
// hearings also after a restart, and what is older than 30 days goes.
func TestAClockThatWasAheadHidesNoText(t *testing.T) {
	b := newKeptBox(t)
	right := b.at
	b.hear(text(shore, "BEFORE"))
	b.Save()
	b.at = right.Add(5 * 24 * time.Hour)
	b.hear(text(shore, "GALE WARNING"), text(trader, "ENGINE FAILURE"))
	b.Save()
	b.at = right.Add(time.Minute) // it is set back
	b.hear(text(shore, "GALE WARNING"), text(trader, "AFTER"))
	b.Save()
	b.at = right.Add(-10 * time.Minute) // and again
	b.hear(text(trader, "AFTER"))
	b.Save()
	const past = "broadcast ENGINE FAILURE x1; broadcast GALE WARNING x1; broadcast AFTER x2; broadcast GALE WARNING x1; broadcast BEFORE x1"
	if got := b.past(true, true); got != past {
		t.Errorf("kept are %s", got)
	}
	for m, err := range b.Past(time.Time{}, time.Time{}, true, false) {
		if err != nil || m.Count != len(m.Heard) {
			t.Errorf("%s was heard %d times, and %d times are kept (%v)", m.Text, m.Count, len(m.Heard), err)
		}
	}
	live := func() (order []string) {
		all, _ := b.All()
		for _, m := range all {
			order = append(order, m.Text)
		}
		return order
	}
	const order = "[AFTER GALE WARNING ENGINE FAILURE BEFORE]"
	if got := fmt.Sprint(live()); got != order {
		t.Errorf("before the restart %s", got)
	}
	b.restart()
	if got := fmt.Sprint(live()); got != order {
		t.Errorf("after the restart %s", got)
	}
	b.at = right.Add(32 * 24 * time.Hour)
	b.hear(text(shore, "MUCH LATER"))
	b.Save()
	if got := b.past(true, true); got != "broadcast MUCH LATER x1; broadcast ENGINE FAILURE x1; broadcast GALE WARNING x1" {
		t.Errorf("a month later %s", got)
	}
}
