package safety

import (
	"context"
	"slices"
	"time"

	"quaywatch/ais"
)

// lookEvery is how often Run looks for what time alone changes: a transponder that is open again, or an answer that is overdue.
const lookEvery = time.Second

// Run sends what waits and takes the answers, until ctx is done.
func (s *Service) Run(ctx context.Context) error {
	look := time.NewTicker(lookEvery)
	defer look.Stop()
	for {
		s.Step(time.Now())
		select {
		case <-ctx.Done():
			return nil
		case <-s.kick:
		case <-look.C:
		}
	}
}

// Step does what is due at a time; Run calls it.
func (s *Service) Step(now time.Time) {
	s.answers(now)
	s.overdue(now)
	for s.sendNext(now) {
	}
}

// changeState stores a state of a message, and returns the message with it. While the disk stands still the message stays as it is.
func (s *Service) changeState(m *Sent, now time.Time, to func(*Sent) *Sent) (*Sent, bool) {
	next := to(m)
	err := s.config.DB.Together(s.storeMessage(next))
	s.outage.Note(s.config.Log, err, "safety messages cannot be stored, so none is sent", "safety messages are stored and sent again")
	if err != nil {
		return m, false
	}
	s.keepByEvent(next)
	return next, true
}

// overdue ends the wait for transponders and for answers.
func (s *Service) overdue(now time.Time) {
	var told []*Sent
	s.writing.Lock()
	s.waiting = slices.DeleteFunc(s.waiting, func(m *Sent) bool {
		if now.Sub(time.UnixMilli(m.Key.At)) < waitAtMost {
			return false
		}
		why := NoTransmitter
		if _, busy := s.chooseFeed(m, now); busy {
			why = Busy
		}
		next, ok := s.changeState(m, now, func(m *Sent) *Sent { return m.withState(NotSent, why, now) })
		if ok {
			told = append(told, next)
		}
		return ok
	})
	for _, f := range s.aired {
		if f.settled || now.Before(f.until) {
			continue
		}
		if next, ok := s.changeState(f.sent, now, func(m *Sent) *Sent { return m.withState(Unanswered, Silent, now) }); ok {
			f.sent, f.settled = next, true
			told = append(told, next)
		}
	}
	s.aired = slices.DeleteFunc(s.aired, func(f *flight) bool { return f.settled && now.Sub(f.until) > time.Hour })
	s.writing.Unlock()
	s.tellMessages(told)
}

func (s *Service) tellMessages(all []*Sent) {
	for _, m := range all {
		s.config.Told(m)
	}
}

// sendNext hands the next message to a transponder. It returns false when there is none that can go now.
func (s *Service) sendNext(now time.Time) bool {
	m, sentences := s.next(now)
	if m == nil {
		return false
	}
	s.config.Told(m)
	n, err := s.config.Write(m.Feed, sentences)
	if err == nil || n == len(sentences) {
		s.took(m.Feed)
		return true
	}
	s.putBackMessage(m, now)
	s.config.Log.Warn("a safety message waits again", "feed", m.Feed, "again in", s.restFeed(m.Feed, now), "error", err)
	return true // another transponder may take it now
}

// took notes that a transponder takes what is written.
func (s *Service) took(feed string) {
	s.writing.Lock()
	defer s.writing.Unlock()
	delete(s.rests, feed)
}

// restFeed leaves a transponder alone for a while, and returns how long.
func (s *Service) restFeed(feed string, now time.Time) time.Duration {
	s.writing.Lock()
	defer s.writing.Unlock()
	length := min(max(2*s.rests[feed].length, firstRest), lastRest)
	s.rests[feed] = rest{length, now.Add(length)}
	return length
}

// lastsAt reports whether the rest goes on at a time. One that ends later than it may is of a clock that was wrong.
func (r rest) lastsAt(now time.Time) bool { return now.Before(r.until) && r.until.Sub(now) <= lastRest }

// next takes the first message that a transponder can have now, and notes that it has it. It is noted before it is written, so that a message goes on
// air once at most, whatever happens between.
func (s *Service) next(now time.Time) (m *Sent, sentences []byte) {
	s.writing.Lock()
	defer s.writing.Unlock()
	for i, waits := range s.waiting {
		feed, _ := s.chooseFeed(waits, now)
		if feed == "" {
			continue
		}
		given := waits.withState(Transmitted, "", now)
		given.Feed, given.Sequence = feed, s.sequence(feed)
		sentences, err := sentencesOf(given)
		if err != nil { // Send has checked all of it
			s.config.Log.Error("a safety message cannot be written", "error", err)
			continue
		}
		given, ok := s.changeState(waits, now, func(*Sent) *Sent { return given })
		if !ok {
			return nil, nil
		}
		s.waiting = slices.Delete(s.waiting, i, i+1)
		s.aired = slices.DeleteFunc(s.aired, func(f *flight) bool { return f.sent.Feed == feed && f.sent.Sequence == given.Sequence })
		s.aired = append(s.aired, &flight{sent: given, until: now.Add(answerWithin)})
		return given, sentences
	}
	return nil, nil
}

// putBackMessage lets a message wait again of which the transponder took nothing, or so little that it sends nothing.
func (s *Service) putBackMessage(m *Sent, now time.Time) {
	s.writing.Lock()
	again, ok := s.changeState(m, now, func(m *Sent) *Sent { return m.withState(Waiting, NoTransmitter, now) })
	if ok {
		s.aired = slices.DeleteFunc(s.aired, func(f *flight) bool { return f.sent == m })
		s.waiting = slices.Insert(s.waiting, 0, again)
	}
	s.writing.Unlock()
	if ok {
		s.config.Told(again)
	}
}

// chooseFeed returns the transponder for a message at a time, "" when none can have it. busy tells that one is open, and takes what is written.
func (s *Service) chooseFeed(m *Sent, now time.Time) (feed string, busy bool) {
	for _, hears := range []bool{true, false} {
		for _, t := range s.config.Transmitters() {
			if !t.Open || s.rests[t.Feed].lastsAt(now) || m.Only != "" && m.Only != t.Feed || hears && !slices.Contains(m.Feeds, t.Feed) {
				continue
			}
			if busy = true; s.sequence(t.Feed) < sequences {
				return t.Feed, true
			}
		}
	}
	return "", busy
}

// sequence returns the sequence number for the next message of a transponder: the one that is free for longest, sequences when none is.
func (s *Service) sequence(feed string) uint8 {
	var since [sequences]time.Time
	var taken [sequences]bool
	for _, f := range s.aired {
		if f.sent.Feed == feed && f.sent.Sequence < sequences {
			taken[f.sent.Sequence] = taken[f.sent.Sequence] || !f.settled
			since[f.sent.Sequence] = f.until
		}
	}
	best := uint8(sequences)
	for i := range uint8(sequences) {
		if !taken[i] && (best == sequences || since[i].Before(since[best])) {
			best = i
		}
	}
	return best
}

// sentencesOf returns what a transponder needs to send the message.
func sentencesOf(m *Sent) ([]byte, error) {
	const anyChannel = 0
	if m.To == 0 {
		return ais.AppendBBM(nil, &ais.BroadcastSafety{Header: ais.Header{Type: 14}, Text: m.Text}, int(m.Sequence), anyChannel)
	}
	return ais.AppendABM(nil, &ais.AddressedSafety{Header: ais.Header{Type: 12}, Sequence: m.Sequence, Destination: m.To, Text: m.Text}, anyChannel)
}

// answers takes what the transponders said.
func (s *Service) answers(now time.Time) {
	for {
		select {
		case r := <-s.receipts:
			if next := s.receiptMessage(r, now); next != nil {
				s.config.Told(next)
			}
		default:
			return
		}
	}
}

// receiptMessage returns the message that an ABK is about, as it is now; nil when it changes none.
func (s *Service) receiptMessage(r receipt, now time.Time) *Sent {
	s.writing.Lock()
	defer s.writing.Unlock()
	at := slices.IndexFunc(s.aired, func(f *flight) bool { return r.isOf(f.sent) })
	if at < 0 {
		return nil
	}
	f := s.aired[at]
	state, why, ok := meaning(r.Result, f.sent)
	if !ok {
		return nil
	}
	next, ok := s.changeState(f.sent, now, func(m *Sent) *Sent { return m.withState(state, why, now) })
	if !ok {
		return nil
	}
	f.sent, f.settled = next, state != Transmitted || next.To == 0
	return next
}

// isOf reports whether an ABK is about a message.
func (r *receipt) isOf(m *Sent) bool {
	if r.feed != m.Feed || r.Sequence != int(m.Sequence) {
		return false
	}
	if m.To == 0 {
		return r.Type == 14
	}
	return r.Type == 12 && r.MMSI == m.To
}

// meaning returns what an ABK makes of a message (IEC 61162-1), not ok when it says nothing new.
func meaning(result int, m *Sent) (state MessageState, why StateReason, ok bool) {
	switch last := m.Last(); {
	case last.State == Acknowledged || last.State == Refused:
		return "", "", false
	case (result == 0 || result == 4) && m.To != 0: // 4 comes late
		return Acknowledged, "", true
	case last.State == Unanswered && last.Reason == NoReceipt || last.Reason == OnAir && m.To == 0:
		return "", "", false
	case result == 1 && m.To != 0:
		return Unanswered, NoReceipt, true
	case result == 2:
		return Refused, ByTransponder, true
	case result <= 3 && last.Reason != OnAir: // a broadcast has no other answer than that it was made
		return Transmitted, OnAir, true
	}
	return "", "", false
}
