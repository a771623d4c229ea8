package safety

import (
	"slices"
	"time"

	"quaywatch/ais"
	"quaywatch/internal/rule"
)

// Limits say how much goes on air. All who send share a channel with the ships.
type Limits struct {
	Ship      int // to one ship in an hour
	Broadcast int // to all in an hour
	All       int // of any kind in a minute; a third of them is for users, so that no watchdog leaves them none
}

// DefaultLimits are those of a box whose operator says nothing.
func DefaultLimits() Limits { return Limits{Ship: 6, Broadcast: 12, All: 6} }

// spent is a message that was taken.
type spent struct {
	at  time.Time
	to  ais.MMSI
	dog bool // of a watchdog
}

// LimitError says that too many messages were sent, and when one more may be.
type LimitError struct {
	Rule *rule.Rule
	Wait time.Duration
}

func (e *LimitError) Error() string { return e.Rule.Error() }

// checkLimits reports whether one more message may be sent.
func (s *Service) checkLimits(m *Sent, now time.Time) error {
	s.spent = slices.DeleteFunc(s.spent, func(was spent) bool { return now.Sub(was.at).Abs() >= time.Hour }) // or the clock was wrong then
	l := s.config.Limits
	same := func(was spent) bool { return was.to == m.To }
	if m.To == 0 {
		if wait, full := s.limitWait(now, time.Hour, l.Broadcast, same); full {
			return &LimitError{rule.New("safety_broadcast_limit", "in an hour {max} messages to all may be sent", "max", l.Broadcast), wait}
		}
	} else if wait, full := s.limitWait(now, time.Hour, l.Ship, same); full {
		return &LimitError{rule.New("safety_ship_limit", "in an hour {max} messages to one ship may be sent", "max", l.Ship), wait}
	}
	any := func(spent) bool { return true }
	if wait, full := s.limitWait(now, time.Minute, l.All, any); full {
		return &LimitError{rule.New("safety_limit", "in a minute {max} messages may be sent", "max", l.All), wait}
	}
	if m.Event == 0 {
		return nil
	}
	dogs := l.All - l.All/3
	if wait, full := s.limitWait(now, time.Minute, dogs, func(was spent) bool { return was.dog }); full {
		return &LimitError{rule.New("safety_watchdog_limit", "in a minute {max} messages of watchdogs may be sent", "max", dogs), wait}
	}
	return nil
}

// limitWait reports whether most of what counts were sent in the time before now. It also returns how long it is until one of them counts no more.
func (s *Service) limitWait(now time.Time, within time.Duration, most int, counts func(spent) bool) (wait time.Duration, full bool) {
	var oldest time.Time
	n := 0
	for i := len(s.spent) - 1; i >= 0 && n < most; i-- {
		if was := s.spent[i]; now.Sub(was.at) < within && counts(was) {
			n, oldest = n+1, was.at
		}
	}
	if n < most {
		return 0, false
	}
	return within - now.Sub(oldest), true
}
