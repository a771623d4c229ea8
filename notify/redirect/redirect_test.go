package redirect

import (
	"fmt"
	"slices"
	"testing"

	"quaywatch/ais"
	"quaywatch/engine/messages"
	"quaywatch/ship"
)

func textTo(to ais.MMSI, text string) *messages.KeptMessage {
	said := messages.MessageContent{MMSI: 2190047, Kind: messages.Addressed, To: to, Text: text}
	return &messages.KeptMessage{MessageContent: said, ID: said.ID(), Count: 1, Heard: []ship.State{{MMSI: 2190047}}}
}

// TestAFloodToOneShipLeavesTheOthers: texts to one ship are left out beyond its room, before and after they are looked at. What is for the ship of another
// user is not, nor the repetition of a text that waits.
func TestAFloodToOneShipLeavesTheOthers(t *testing.T) {
	f := New(Config{})
	for i := range 20 * mostOfShip {
		f.Hear(textTo(211000001, fmt.Sprint("SPAM ", i)))
	}
	f.Hear(textTo(219018765, "CALL VHF 12"))
	<-f.news
	heard := f.takeHeard()
	if last := heard[len(heard)-1]; len(heard) != mostOfShip+1 || last.To != 219018765 {
		t.Errorf("%d are looked at, the last is to %d", len(heard), last.To)
	}
	f.Hear(textTo(211000001, "ONE MORE"))
	if more := f.takeHeard(); len(more) != 1 {
		t.Errorf("%d are looked at when the others were", len(more))
	}

	for i := range 20 * mostWaiting {
		m := textTo(211000001, fmt.Sprint("SPAM ", i))
		f.addLetter(letter{copyTo{"flooded", m.ID}, m, 0})
	}
	for range 2 {
		m := textTo(219018765, "CALL VHF 12")
		f.addLetter(letter{copyTo{"other", m.ID}, m, 0})
	}
	others := slices.DeleteFunc(slices.Clone(f.waiting), func(l letter) bool { return l.uid != "other" })
	if len(f.waiting) != mostWaiting+1 || len(others) != 1 || others[0].text.Text != "CALL VHF 12" {
		t.Errorf("%d letters wait, %d of them for the other user", len(f.waiting), len(others))
	}
}

// TestAClockThatIsSetBackKeepsALetter: a text that waits and is heard again at an earlier time is one of that time.
func TestAClockThatIsSetBackKeepsALetter(t *testing.T) {
	f := New(Config{})
	m := textTo(219018765, "CALL VHF 12")
	for _, since := range []int64{9_000_000, 1_000_000} {
		f.addLetter(letter{copyTo{"anna", m.ID}, m, since})
	}
	if len(f.waiting) != 1 || f.waiting[0].since != 1_000_000 {
		t.Errorf("%+v", f.waiting)
	}
}
