// Package safety sends safety messages (AIS messages 12 and 14) by a transponder, and keeps what became of each.
//
// It promises that a message is stored before it goes on air, and that it goes on air once at most, also over restarts. Of no ship and in no minute are there
// more than the limits allow. What cannot be sent is told with its reason. What is heard is kept by package messages, which hears and compares all texts
// anyway; it shows what is sent beside it.
//
// Locks: writing is held while the database writes, and guards all that waits and all that was given to a transponder. It is not held while something
// is written to a transponder. mu guards what is asked by event; it is taken after it and held for a moment.
package safety

import (
	"fmt"
	"log/slog"
	"slices"
	"sync"
	"time"

	"quaywatch/ais"
	"quaywatch/ais/sixbit"
	"quaywatch/internal/rule"
	"quaywatch/internal/wake"
	"quaywatch/ship"
	"quaywatch/store/outage"
	"quaywatch/store/records"
)

// What is kept at most.
const (
	Keep     = 30 * 24 * time.Hour
	MostSent = 20_000
)

const (
	waitAtMost   = 5 * time.Minute // for a transponder; a text about safety that comes later may be wrong
	answerWithin = time.Minute     // a transponder tries a message four times, which takes half of that
	firstRest    = time.Second     // after a transponder did not take a message; each time it is twice as long
	lastRest     = time.Minute     // at most
	sequences    = 4               // messages that one transponder can have without an answer
)

// MessageState is what became of a message.
type MessageState string

// The states.
const (
	Waiting      MessageState = "waiting"
	Transmitted  MessageState = "transmitted"  // the transponder took it
	Acknowledged MessageState = "acknowledged" // the ship did
	Refused      MessageState = "refused"      // the transponder did not send it
	Unanswered   MessageState = "unanswered"
	NotSent      MessageState = "not_sent"
)

// StateReason says why a message has its state.
type StateReason string

// The reasons.
const (
	NoTransmitter StateReason = "no transmitter"            // there is none, or none was open for five minutes
	Busy          StateReason = "transmitter busy"          // with four messages that it has not answered
	OnAir         StateReason = "on air"                    // the transponder says that it was broadcast
	NoReceipt     StateReason = "the ship did not answer"   // says the transponder
	Silent        StateReason = "the transponder is silent" // after a minute
	ByTransponder StateReason = "by the transponder"        // it cannot send, or has sent too much
	OverLimit     StateReason = "limit reached"             // of a watchdog; a user is told at once
)

// StateChange is a state that a message got at a time, in Unix milliseconds.
type StateChange struct {
	State  MessageState `json:"state"`
	Reason StateReason  `json:"reason,omitempty"`
	At     int64        `json:"at"`
}

// String returns the state with its reason.
func (s StateChange) String() string {
	if s.Reason == "" {
		return string(s.State)
	}
	return string(s.State) + ": " + string(s.Reason)
}

// SafetyMessage is a text to send.
type SafetyMessage struct {
	To       ais.MMSI // 0 is all ships
	Text     string
	Feed     string // of the transponder; "" takes the first that is open, of those that hear the ship where one does
	By       string // the user that sends it
	Watchdog string // the name of the watchdog that does instead
	Event    uint64 // its event
}

// Sent is a message, and what became of it. It is never changed: what becomes of it makes another one with the same Key.
type Sent struct {
	Key      records.Key   `json:"-"`
	To       ais.MMSI      `json:"to,omitempty"`
	Text     string        `json:"text"`
	Only     string        `json:"only,omitempty"` // the transponder that was asked for
	Feed     string        `json:"feed,omitempty"` // the one that has it
	Sequence uint8         `json:"sequence,omitempty"`
	By       string        `json:"by,omitempty"`
	Watchdog string        `json:"watchdog,omitempty"`
	Event    uint64        `json:"event,omitempty"`
	Fix      *ship.Fix     `json:"fix,omitempty"`   // where the ship was when it was sent; nil where that is not known
	Feeds    []string      `json:"feeds,omitempty"` // that heard the ship then
	Steps    []StateChange `json:"steps"`
}

// ID is the number of the message.
func (m *Sent) ID() uint64 { return m.Key.Sequence }

// Last returns the state that it has.
func (m *Sent) Last() StateChange { return m.Steps[len(m.Steps)-1] }

// Until returns the state that it had at a time, and false where it was not yet there.
func (m *Sent) Until(at time.Time) (step StateChange, ok bool) {
	for _, s := range m.Steps {
		if s.At > at.UnixMilli() {
			break
		}
		step, ok = s, true
	}
	return step, ok
}

// withState returns the message with one more state.
func (m *Sent) withState(state MessageState, why StateReason, at time.Time) *Sent {
	now := *m
	now.Steps = append(slices.Clone(m.Steps), StateChange{state, why, max(at.UnixMilli(), m.Last().At)})
	return &now
}

// Transmitter is a transponder that can be written to.
type Transmitter struct {
	Feed string
	Open bool
}

// Config is what a Service is made of. DB, Transmitters and Write must be given.
type Config struct {
	DB           *records.Database
	Transmitters func() []Transmitter                           // in the order in which they are tried
	Write        func(feed string, p []byte) (n int, err error) // waits for some seconds at most
	Limits       Limits
	Ship         func(ais.MMSI) (ship.State, bool) // as it is now; nil knows none
	Told         func(*Sent)                       // is told of each message and each of its states, after they are stored; nil for nothing
	Log          *slog.Logger                      // nil logs nothing
}

// Service sends safety messages.
type Service struct {
	config   Config
	series   *records.Series[Sent]
	kick     wake.Kick
	receipts chan receipt

	writing sync.Mutex
	outage  outage.Logger
	waiting []*Sent
	aired   []*flight
	spent   []spent         // of the last hour, the earliest first
	rests   map[string]rest // by feed: transponders that did not take what was written

	mu      sync.Mutex
	ofEvent map[uint64]*Sent // messages of watchdogs by their events, at most MostSent
}

// flight is a message that a transponder has.
type flight struct {
	sent    *Sent
	until   time.Time // when an answer must have come
	settled bool      // it has come, and the sequence is free; a late one may still come
}

// rest is how long a transponder is left alone that did not take what was written.
type rest struct {
	length time.Duration
	until  time.Time
}

// receipt is an ABK of a transponder.
type receipt struct {
	feed string
	ais.OwnReceipt
}

// Open takes what is stored. What waited goes on waiting, and what a transponder has may still be answered.
func Open(c Config, now time.Time) (*Service, error) {
	if c.Log == nil {
		c.Log = slog.New(slog.DiscardHandler)
	}
	if c.Told == nil {
		c.Told = func(*Sent) {}
	}
	s := &Service{config: c, ofEvent: map[uint64]*Sent{}, rests: map[string]rest{}, kick: wake.NewKick(), receipts: make(chan receipt, 256)}
	var err error
	if s.series, err = records.OpenSeries[Sent](c.DB, "sent", records.Keep{Age: Keep, Most: MostSent}); err != nil {
		return nil, err
	}
	for e, err := range s.series.Backward(records.Key{}, records.EndKey()) {
		if e.Key == (records.Key{}) && err != nil {
			return nil, err
		}
		if err == nil && len(e.Value.Steps) > 0 { // one that is damaged goes on air no more
			s.addStored(sentOf(e), now.Sub(time.UnixMilli(e.Key.At)))
		}
	}
	slices.Reverse(s.waiting)
	slices.Reverse(s.aired)
	slices.Reverse(s.spent)
	return s, nil
}

func sentOf(e records.SeriesEntry[Sent]) *Sent {
	m := e.Value
	m.Key = e.Key
	return &m
}

// addStored takes a message that was stored before.
func (s *Service) addStored(m *Sent, age time.Duration) {
	s.keepByEvent(m)
	if age.Abs() < time.Hour { // else the clock was wrong then
		s.spent = append(s.spent, spent{time.UnixMilli(m.Key.At), m.To, m.Event != 0})
	}
	last := m.Last()
	switch {
	case last.State == Waiting:
		s.waiting = append(s.waiting, m)
	case last.State == Transmitted && (last.Reason == "" || m.To != 0):
		s.aired = append(s.aired, &flight{sent: m, until: time.UnixMilli(last.At).Add(answerWithin)})
	}
}

// Transmitters tells which transponders there are.
func (s *Service) Transmitters() []Transmitter { return s.config.Transmitters() }

// Send takes a message to send, in one commit with also. For an event of a watchdog it takes one, and returns that again afterwards. It fails with a
// *LimitError where too many were sent, with a *FieldError where something is wrong with it, and where it cannot be stored.
func (s *Service) Send(m SafetyMessage, now time.Time, also ...records.CommitPart) (*Sent, error) {
	said, err := sixbit.Check(m.Text, m.To == 0)
	if err != nil {
		return nil, &MessageError{"text", rule.Of(err)}
	}
	if m.To < 0 || m.To > 999_999_999 {
		return nil, &MessageError{"mmsi", rule.New("mmsi_on_air", "must be a number of nine digits: others have no place on the air")}
	}
	sent := &Sent{To: m.To, Text: said, Only: m.Feed, By: m.By, Watchdog: m.Watchdog, Event: m.Event, Steps: []StateChange{{State: Waiting, At: now.UnixMilli()}}}
	s.notePlace(sent)
	all := s.config.Transmitters()
	has := func(t Transmitter) bool { return m.Feed == "" || t.Feed == m.Feed }
	switch {
	case m.Feed != "" && !slices.ContainsFunc(all, has):
		return nil, &MessageError{"feed", rule.New("no_transmitter", "{name} is no feed that can transmit", "name", m.Feed)}
	case len(all) == 0:
		sent.Steps[0].State, sent.Steps[0].Reason = NotSent, NoTransmitter
	}
	if err := s.add(sent, now, also); err != nil {
		return nil, err
	}
	s.config.Told(sent)
	s.kick.Wake()
	return sent, nil
}

// notePlace notes where the ship is, and which feeds hear it.
func (s *Service) notePlace(m *Sent) {
	if m.To == 0 || s.config.Ship == nil {
		return
	}
	now, ok := s.config.Ship(m.To)
	if !ok {
		return
	}
	m.Feeds = now.Feeds.List()
	if now.HasFix {
		fix := now.Fix
		fix.Feeds = 0 // a number of the open store
		m.Fix = &fix
	}
}

// add stores a new message, if the limits allow it.
func (s *Service) add(m *Sent, now time.Time, also []records.CommitPart) error {
	s.writing.Lock()
	defer s.writing.Unlock()
	if was, there := s.OfEvent(m.Event); there {
		*m = *was
		return nil
	}
	if err := s.checkLimits(m, now); err != nil {
		return err
	}
	err := s.config.DB.Together(func(tx *records.Tx) (err error) {
		m.Key, err = s.series.AppendIn(tx, now, *m)
		return err
	}, also...)
	if err != nil {
		return err
	}
	s.keepByEvent(m)
	s.spent = append(s.spent, spent{now, m.To, m.Event != 0})
	if m.Last().State == Waiting {
		s.waiting = append(s.waiting, m)
	}
	return nil
}

// keepByEvent keeps a message of a watchdog by its event.
func (s *Service) keepByEvent(m *Sent) {
	if m.Event == 0 {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.ofEvent[m.Event] == nil && len(s.ofEvent) >= MostSent {
		oldest := m.Event
		for event := range s.ofEvent {
			oldest = min(oldest, event)
		}
		delete(s.ofEvent, oldest)
	}
	s.ofEvent[m.Event] = m
}

// OfEvent returns the message that was sent for an event of a watchdog.
func (s *Service) OfEvent(event uint64) (*Sent, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	m, ok := s.ofEvent[event]
	return m, ok
}

// Past returns the messages with from <= key < to, the latest first. Of one that cannot be read it returns an error.
func (s *Service) Past(from, to records.Key) func(yield func(*Sent, error) bool) {
	return func(yield func(*Sent, error) bool) {
		for e, err := range s.series.Backward(from, to) {
			if !yield(sentOf(e), err) {
				return
			}
		}
	}
}

// MessageError is what is wrong with a message.
type MessageError struct {
	Field string // text, mmsi or feed
	Rule  *rule.Rule
}

func (e *MessageError) Error() string { return fmt.Sprintf("%s: %v", e.Field, e.Rule) }

// Receipt takes an ABK of a transponder. It waits for nothing.
func (s *Service) Receipt(feed string, r ais.OwnReceipt) {
	select {
	case s.receipts <- receipt{feed, r}:
		s.kick.Wake()
	default: // a transponder that says so many has no answers for us
	}
}

// storeMessage stores a message in its place.
func (s *Service) storeMessage(m *Sent) records.CommitPart {
	return func(tx *records.Tx) error { return s.series.PutIn(tx, m.Key, *m) }
}
