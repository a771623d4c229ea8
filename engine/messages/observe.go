package messages

import (
	"quaywatch/ais"
	"quaywatch/ship"
)

// Observe takes a step of the picture. Nearly all steps change nothing that is noted here, and cost some comparisons.
func (l *List) Observe(u *ship.Update) {
	if u.Report != nil {
		switch m := u.Report.Message.(type) {
		case *ais.AddressedSafety, *ais.BroadcastSafety:
			l.noteText(u)
		case *ais.AidToNavigation:
			l.noteAid(u, m.OffPosition)
		}
	}
	const noted = ship.ChangedAge | ship.ChangedVoyage | ship.ChangedFix
	if u.Change&noted != 0 && u.Was.MMSI != 0 && u.Now.Reports >= knownAfter {
		l.compareStates(u)
	}
}

// TakesAgain tells that repeats of texts are wanted alone.
func (l *List) TakesAgain(m ais.Message) bool {
	switch m.(type) {
	case *ais.AddressedSafety, *ais.BroadcastSafety:
		return true
	}
	return false
}

// ObserveAgain notes a further feed that hears a text, so that a user of this feed is told of it.
func (l *List) ObserveAgain(u *ship.Update, before ais.Feeds) {
	what := textOf(u.Report.Message)
	l.addFeed(&what, u.Report.Hash, u.Report.Feed, before.Names)
}

// textOf returns what a text says, its sender, and the station that it is for.
func textOf(m ais.Message) MessageContent {
	switch m := m.(type) {
	case *ais.AddressedSafety:
		return MessageContent{MMSI: m.MMSI, Kind: Addressed, To: m.Destination, Text: clean(m.Text)}
	case *ais.BroadcastSafety:
		return MessageContent{MMSI: m.MMSI, Kind: Broadcast, Text: clean(m.Text)}
	}
	return MessageContent{}
}

// noteText notes a text. The feed that heard it decides which users may have it, and not all that hear the ship.
func (l *List) noteText(u *ship.Update) {
	what := textOf(u.Report.Message)
	if what.Text == "" {
		return
	}
	traits := ais.TraitsOf(u.Report.Message)
	now := u.Now
	now.Feed = u.Report.Feed
	now.Feeds = ais.Feeds{Names: u.Now.Feeds.Names}.With(u.Report.Feed)
	now.Heard = u.Report.Received.UnixMilli()
	l.addMessage(&l.messages, KeptMessage{MessageContent: what, Traits: &traits, hash: u.Report.Hash, vague: vague(&u.Now)}, now)
}

// vague tells that nothing but a text is known of a sender.
func vague(s *ship.State) bool { return !s.HasFix || s.Reports < 2 }

// noteAid notes an aid that leaves its position, also one that was off it before this program heard it, and one that is there again.
func (l *List) noteAid(u *ship.Update, off bool) {
	what := MessageContent{MMSI: u.Now.MMSI, Kind: OnPosition}
	if off {
		what.Kind = OffPosition
	}
	if off == l.isOff(what.MMSI) {
		return
	}
	traits := ais.TraitsOf(u.Report.Message)
	now := u.Now
	now.Heard = u.Report.Received.UnixMilli()
	l.addMessage(&l.messages, KeptMessage{MessageContent: what, Traits: &traits, vague: vague(&u.Now)}, now)
}

// isOff reports whether the latest that is kept of an aid is that it is off its position.
func (l *List) isOff(of ais.MMSI) (off bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, m := range l.messages.kept {
		if m.MMSI == of && (m.Kind == OffPosition || m.Kind == OnPosition) {
			off = m.Kind == OffPosition
		}
	}
	return off
}

// compareStates notes what changed of a ship. What becomes known for the first time is no change.
func (l *List) compareStates(u *ship.Update) {
	was, now := &u.Was, &u.Now
	of := now.MMSI
	if u.Change&ship.ChangedAge != 0 {
		switch {
		case was.Age == ship.Live && now.Age == ship.Lost:
			l.noteChange(u, MessageContent{MMSI: of, Kind: Lost})
		case was.Age == ship.Lost && now.Age == ship.Live:
			l.noteChange(u, MessageContent{MMSI: of, Kind: Found})
		}
	}
	from, is := was.Fix.Status, now.Fix.Status
	if u.Change&ship.ChangedFix != 0 && was.HasFix && from != is && from != ais.StatusUndefined && is != ais.StatusUndefined {
		l.noteChange(u, MessageContent{MMSI: of, Kind: Status, Was: Value{Number: int(from)}, Now: Value{Number: int(is)}})
	}
	if u.Change&ship.ChangedVoyage == 0 || was.Voyage == nil || now.Voyage == nil {
		return
	}
	if from, is := clean(was.Voyage.Destination), clean(now.Voyage.Destination); from != "" && is != "" && from != is {
		l.noteChange(u, MessageContent{MMSI: of, Kind: Destination, Was: Value{Text: from}, Now: Value{Text: is}})
	}
	if from, is := was.Voyage.Centimetres(), now.Voyage.Centimetres(); from != 0 && is != 0 && from != is {
		l.noteChange(u, MessageContent{MMSI: of, Kind: Draught, Was: Value{Number: from}, Now: Value{Number: is}})
	}
}

// noteChange notes a change, unless there were many in this second.
func (l *List) noteChange(u *ship.Update, what MessageContent) {
	now := u.Now
	switch {
	case u.Report != nil:
		now.Heard = u.Report.Received.UnixMilli()
	default:
		now.Heard = max(now.Heard, l.now)
	}
	if second := now.Heard / 1000; second != l.second {
		l.second, l.noted = second, 0
	}
	if l.noted++; l.noted > changesAtOne {
		return
	}
	l.addMessage(&l.changes, KeptMessage{MessageContent: what}, now)
}
