// Package messages keeps the latest texts of ships and stations (AIS messages 12 and 14), and those that we sent ourselves. It also keeps changes of ships: an
// aid that is off its position, a status, a destination, a draught, a ship lost or found again. The texts of the last 30 days it keeps in the store.
//
// It promises that its memory is bounded, and that no sender takes the places of all others. Each has a few, and numbers that say nothing but texts share a
// part. Changes are in memory alone; a restart begins with the texts of the last day. It is not the place that decides which of it a user may see. Each message
// has the ship as it was when it was heard, and the reader asks sight. It reads no clock: time comes with the reports and the ticks.
//
// Locks: saving is held while the database writes. mu guards all that is in memory, is taken after it, and is held for a moment.
package messages

import (
	"cmp"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"
	"unicode"

	"quaywatch/ais"
	"quaywatch/engine/safety"
	"quaywatch/ship"
)

// Kind is what a message is about.
type Kind uint8

// The kinds. Those up to OnPosition are the messages, the others are changes.
const (
	Broadcast   Kind = iota // a text to all, AIS message 14
	Addressed               // a text to one station, AIS message 12
	OffPosition             // an aid to navigation says that it is off its position
	OnPosition              // and that it is there again
	Status                  // the navigational status of a ship is another
	Destination
	Draught
	Lost  // a ship fell silent
	Found // a ship that was lost is heard again
	Sent  // a text that we sent
)

// String returns the word of the interface.
func (k Kind) String() string {
	return [...]string{"broadcast", "addressed", "off_position", "on_position", "status", "destination", "draught", "lost", "found", "sent"}[k]
}

// What is kept at most.
const (
	MostMessages = 200 // texts and aids off their position
	MostChanges  = 100
	MostSent     = 50  // of those that we sent
	ofOne        = 10  // messages of one sender
	changesOfOne = 4   // changes of one ship
	ofVague      = 40  // messages of numbers that were heard once, or have no place
	knownAfter   = 5   // reports after which changes of a ship are noted
	changesAtOne = 20  // changes in one second; more are left out, as when a receiver fails
	longest      = 161 // characters of a text
	hearings     = 8   // times at which one message was heard
)

// Value is what a change is about, before it or after it. It is a destination as text, a status by its code, or a draught in centimetres.
type Value struct {
	Text   string
	Number int
}

// MessageContent is what makes two messages equal. All texts in it have printable characters alone.
type MessageContent struct {
	MMSI     ais.MMSI // of the sender
	Kind     Kind
	To       ais.MMSI // the station that the text is for; 0 for all
	Text     string   // "" for a change
	Was, Now Value    // of a change
}

// ID returns a number below 2^53 that equal messages have alone. It tells nothing of how many others there are.
func (s *MessageContent) ID() uint64 {
	sum := sha256.Sum256(fmt.Appendf(nil, "%d %d %d %q %q %d %q %d", s.MMSI, s.Kind, s.To, s.Text, s.Was.Text, s.Was.Number, s.Now.Text, s.Now.Number))
	return binary.BigEndian.Uint64(sum[:]) >> 11
}

// KeptMessage is one of them. It is never changed: a repetition makes another one with the same ID.
type KeptMessage struct {
	MessageContent
	ID     uint64
	Number uint64       // grows with each message and each repetition, over all
	Count  int          // how often it was heard
	Traits *ais.Traits  // of the AIS message; nil for a change
	Sent   *safety.Sent // what became of it; nil for what was heard
	Heard  []ship.State // the ship at the first and at the latest times at which it was heard, the latest last; State.Heard is the time

	hash  uint64 // of the latest sentence
	vague bool
}

// list is some of the messages, the latest last.
type list struct {
	most, ofOne, ofVague int
	kept                 []*KeptMessage
}

// List is the messages. It is a traffic.RepeatObserver: hand it to Picture.Run.
type List struct {
	number atomic.Uint64 // of the latest
	all    atomic.Pointer[snapshot]
	now    int64 // of the last tick; for the goroutine of the picture
	second int64 // in which changes were counted; for the goroutine of the picture
	noted  int

	mu       sync.Mutex
	messages list
	changes  list
	sent     list

	kept kept
}

// snapshot is the messages as of a number.
type snapshot struct {
	number uint64
	all    []*KeptMessage
}

// New makes an empty list that is kept in memory alone.
func New() *List {
	l := &List{messages: list{MostMessages, ofOne, ofVague, nil}, changes: list{MostChanges, changesOfOne, MostChanges, nil},
		sent: list{MostSent, MostSent, MostSent, nil}}
	l.all.Store(&snapshot{})
	return l
}

// Number returns the number of the latest message or repetition.
func (l *List) Number() uint64 { return l.number.Load() }

// All returns the messages, the latest first, and the number as of which they are. The slice is shared and not changed.
func (l *List) All() (all []*KeptMessage, number uint64) {
	if s := l.all.Load(); s.number == l.number.Load() {
		return s.all, s.number
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	s := &snapshot{l.number.Load(), slices.Concat(l.messages.kept, l.changes.kept, l.sent.kept)}
	slices.SortFunc(s.all, func(a, b *KeptMessage) int { return cmp.Compare(b.Number, a.Number) })
	l.all.Store(s)
	return s.all, s.number
}

// addMessage notes a message: a new one, or a repetition of an equal one.
func (l *List) addMessage(in *list, m KeptMessage, now ship.State) {
	now.Conflict = nil
	l.putMessage(in, &m, now)
	l.passText(&m)
}

// passText tells of a text to one station.
func (l *List) passText(m *KeptMessage) {
	if m.Kind == Addressed && l.kept.config.Heard != nil {
		l.kept.config.Heard(m)
	}
}

// putMessage puts a message in its place, with one more hearing.
func (l *List) putMessage(in *list, m *KeptMessage, now ship.State) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if was := in.find(&m.MessageContent); was != nil {
		m.ID, m.Count = was.ID, was.Count
		m.Heard = append(m.Heard, was.Heard...)
		if len(m.Heard) == hearings {
			m.Heard = slices.Delete(m.Heard, 1, 2)
		}
		in.dropMessage(was)
	} else {
		m.ID = m.MessageContent.ID()
		in.makeRoom(m)
	}
	m.Heard, m.Count = append(m.Heard, now), m.Count+1
	in.add(m, l.number.Add(1))
	l.kept.keepText(m, false)
}

// Tell takes a text that we sent, or what became of it.
func (l *List) Tell(sent *safety.Sent) {
	l.mu.Lock()
	defer l.mu.Unlock()
	was := l.sent.withID(sent.ID())
	switch {
	case was != nil && len(was.Sent.Steps) > len(sent.Steps): // two told it at once
		return
	case was != nil:
		l.sent.dropMessage(was)
	default:
		l.sent.makeRoom(&KeptMessage{})
	}
	l.sent.add(messageOfSent(sent), l.number.Add(1))
}

func messageOfSent(sent *safety.Sent) *KeptMessage {
	return &KeptMessage{MessageContent: MessageContent{Kind: Sent, To: sent.To, Text: sent.Text}, ID: sent.ID(), Count: 1, Sent: sent}
}

// add puts a message at the end.
func (in *list) add(m *KeptMessage, number uint64) {
	m.Number = number
	in.kept = append(in.kept, m)
}

// find returns the message that is equal, nil for none.
func (in *list) find(s *MessageContent) *KeptMessage {
	for _, m := range in.kept {
		if m.MessageContent == *s {
			return m
		}
	}
	return nil
}

// withID returns the message of an ID, nil for none.
func (in *list) withID(id uint64) *KeptMessage {
	for _, m := range in.kept {
		if m.ID == id {
			return m
		}
	}
	return nil
}

func (in *list) dropMessage(m *KeptMessage) {
	if i := slices.Index(in.kept, m); i >= 0 {
		in.kept = slices.Delete(in.kept, i, i+1)
	}
}

// makeRoom lets a message go where there is no place for a further message. It is the oldest of a sender that has its share, of the vague ones where they have
// theirs, or of all.
func (in *list) makeRoom(fresh *KeptMessage) {
	var ofSender, vague int
	var oldest, oldestVague *KeptMessage
	for _, m := range in.kept {
		if m.MMSI == fresh.MMSI {
			if ofSender++; oldest == nil {
				oldest = m
			}
		}
		if m.vague {
			if vague++; oldestVague == nil {
				oldestVague = m
			}
		}
	}
	switch {
	case ofSender >= in.ofOne:
		in.dropMessage(oldest)
	case fresh.vague && vague >= in.ofVague:
		in.dropMessage(oldestVague)
	case len(in.kept) >= in.most:
		in.kept = slices.Delete(in.kept, 0, 1)
	}
}

// addFeed notes that a further feed heard the latest sentence of a message.
func (l *List) addFeed(s *MessageContent, hash uint64, feed string, names *[]string) {
	if m := l.putAgain(s, hash, feed, names); m != nil {
		l.passText(m)
	}
}

func (l *List) putAgain(s *MessageContent, hash uint64, feed string, names *[]string) *KeptMessage {
	l.mu.Lock()
	defer l.mu.Unlock()
	was := l.messages.find(s)
	if was == nil || was.hash != hash {
		return nil
	}
	m := *was
	m.Heard = slices.Clone(was.Heard)
	last := &m.Heard[len(m.Heard)-1]
	last.Feeds.Names = names
	last.Feeds = last.Feeds.With(feed)
	l.messages.dropMessage(was)
	l.messages.add(&m, l.number.Add(1))
	l.kept.keepText(&m, true)
	return &m
}

// Tick takes the time of the picture.
func (l *List) Tick(now time.Time) { l.now = now.UnixMilli() }

// clean leaves of a text what can be printed, without blanks around it and not too long.
func clean(text string) string {
	text = strings.Map(func(r rune) rune {
		if unicode.IsPrint(r) && r != unicode.ReplacementChar {
			return r
		}
		return ' '
	}, text)
	if runes := []rune(text); len(runes) > longest {
		text = string(runes[:longest])
	}
	return strings.Trim(text, " @")
}
