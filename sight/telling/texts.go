package telling

import (
	"iter"
	"math"
	"time"

	"quaywatch/engine/messages"
	"quaywatch/engine/safety"
	"quaywatch/engine/watchdogs"
	"quaywatch/ship"
	"quaywatch/sight"
)

// TextReader reads the texts of ships and stations, those that we sent, and changes of ships, as listeners are told of them. Whoever answers users has no other way
// to them.
type TextReader struct {
	list   *messages.List
	raised func(event uint64) (watchdogs.Event, error)
}

// NewTextReader makes the reader of the messages that are kept. raised returns the event that a text was sent for.
func NewTextReader(list *messages.List, raised func(event uint64) (watchdogs.Event, error)) *TextReader {
	return &TextReader{list, raised}
}

// ToldText is a message as a listener is told of it.
type ToldText struct {
	Said        messages.MessageContent
	ID          uint64
	Ship        ship.State // the sender at the latest of the times
	First, Last int64      // Unix milliseconds at which it was heard or sent, as far as the listener may know
	Count       int        // how often it was heard
	To          ship.State // the station that the text is for; its number is 0 where that is hidden

	Step      safety.StateChange // of a text that we sent
	By        string             // the user that did, where the listener may know it
	Feed      string             // the feed by which it went, where the listener sees that
	Automatic bool               // a watchdog sent it
}

// KeptText is a message that was read, and of which nobody is told as yet.
type KeptText struct{ kept *messages.KeptMessage }

// ID returns the number that equal messages have alone.
func (m KeptText) ID() uint64 { return m.kept.ID }

// IsNewer reports whether a message came, or was repeated, after the change of a number.
func (m KeptText) IsNewer(number uint64) bool { return m.kept.Number > number }

// Number returns the number of the latest message or repetition.
func (x *TextReader) Number() uint64 { return x.list.Number() }

// KeptTexts are some that were read, the latest first.
type KeptTexts struct{ kept []*messages.KeptMessage }

// Len returns how many there are.
func (m KeptTexts) Len() int { return len(m.kept) }

// At returns a message by its place.
func (m KeptTexts) At(i int) KeptText { return KeptText{m.kept[i]} }

// All returns the messages, the latest first, and the number as of which they are.
func (x *TextReader) All() (all KeptTexts, number uint64) {
	kept, number := x.list.All()
	return KeptTexts{kept}, number
}

// Past yields the texts of a time that are kept, as messages.Past does.
func (x *TextReader) Past(begin, end time.Time, heard, sent bool) iter.Seq2[KeptText, error] {
	return func(yield func(KeptText, error) bool) {
		for m, err := range x.list.Past(begin, end, heard, sent) {
			if !yield(KeptText{m}, err) {
				return
			}
		}
	}
}

// Tell returns a message as a listener is told of it. It has those of the times at which it was heard that the listener may know. It is false where the
// listener is told nothing of it.
func (x *TextReader) Tell(l *Listener, of KeptText) (t ToldText, ok bool) {
	m := of.kept
	if m.Kind == messages.Sent {
		return x.tellSent(l, m)
	}
	t = ToldText{Said: m.MessageContent, ID: m.ID, First: math.MaxInt64, Last: math.MinInt64}
	for i := range m.Heard {
		if then, shown := l.Viewer.Then(&m.Heard[i], m.Traits); shown {
			t.Ship, t.Count = then, t.Count+1
			t.First, t.Last = min(t.First, then.Heard), max(t.Last, then.Heard)
		}
	}
	if l.SeesAll() {
		t.Count = m.Count
	}
	if m.To != 0 {
		t.To, ok = l.Viewer.Here(m.To)
		if !ok && l.SeesAll() { // to any other listener a hidden station is like a station that is not known
			t.To = ship.State{MMSI: m.To}
		}
	}
	return t, t.Count > 0 && t.Last != math.MinInt64
}

// tellSent returns a text that we sent as a listener is told of it. A text to a ship is for those that see the ship, and might have seen it then. A text to all
// that a watchdog sent may name the ships of its event, so it is for those that see them.
func (x *TextReader) tellSent(l *Listener, m *messages.KeptMessage) (t ToldText, ok bool) {
	t = ToldText{Said: m.MessageContent, ID: m.ID, Count: 1, Automatic: m.Sent.Event != 0}
	if t.Step = m.Sent.Last(); l.Viewer.Late() {
		if t.Step, ok = m.Sent.Until(l.Viewer.Now()); !ok {
			return t, false
		}
	}
	t.First, t.Last = m.Sent.Steps[0].At, t.Step.At
	if l.User.UID != "" {
		t.By = m.Sent.By
	}
	if l.Viewer.SeesFeed(m.Sent.Feed) {
		t.Feed = m.Sent.Feed
	}
	if m.To == 0 {
		return t, m.Sent.Event == 0 || x.seesEvent(l, m.Sent.Event)
	}
	to, err := l.Ship(m.To)
	t.To = to
	return t, err == nil && l.mightSee(m.Sent)
}

// seesEvent reports whether a listener may know of the ships of an event. Of an event that is gone that is not known.
func (x *TextReader) seesEvent(l *Listener, number uint64) bool {
	if l.SeesAll() {
		return true
	}
	e, err := x.raised(number)
	return err == nil && l.seesShips(&e)
}

// mightSee reports whether a listener might have seen the ship when a text was sent to it.
func (l *Listener) mightSee(m *safety.Sent) bool {
	if l.SeesAll() {
		return true
	}
	at := time.UnixMilli(m.Steps[0].At)
	return m.Fix != nil && l.Viewer.May(sight.Sighting{MMSI: m.To, Time: at, Place: m.Fix.Point(), Feeds: m.Feeds})
}
