package safety

import (
	"testing"
	"time"
)

// TestLimitsOfAClockThatWasWrong: what was sent while the clock ran ahead forbids nothing until then.
func TestLimitsOfAClockThatWasWrong(t *testing.T) {
	now := time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)
	s := &Service{config: Config{Limits: Limits{Ship: 1, Broadcast: 1, All: 3}}, spent: []spent{{at: now.AddDate(1, 0, 0)}}}
	if err := s.checkLimits(&Sent{}, now); err != nil {
		t.Error(err)
	}
	s.spent = []spent{{at: now}}
	if s.checkLimits(&Sent{}, now.Add(time.Minute)) == nil {
		t.Error("the limit does not hold")
	}
}
