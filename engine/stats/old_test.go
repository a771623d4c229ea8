package stats

import (
	"errors"
	"testing"
	"time"
)

// TestAResultOfAnOldLogIsKept: a result gets old by our clock. It is there after a restart beside a log that is years old, before and after the log tells
// its time, and is dropped when it is 14 days old.
func TestAResultOfAnOldLogIsKept(t *testing.T) {
	b := newBench(t, legsOf("area", nil, func(*legs) {}))
	b.fleet()
	log, own := noon(), noon().AddDate(13, 0, 0)
	reopen := func(ships, clock time.Time) {
		b.end()
		b.now, b.clock = ships, clock
		b.open()
	}
	reopen(log, own)
	id := b.add("area", "anna", "", 0)
	if j := b.over(id); !j.Finished.Equal(log) {
		t.Errorf("it finished at %v", j.Finished)
	}
	for _, ships := range []time.Time{own, log, log.Add(Keep + time.Hour)} {
		reopen(ships, own.Add(Keep-time.Hour))
		b.Step()
		if _, err := b.Get(id); err != nil {
			t.Fatalf("with ships at %v: %v", ships, err)
		}
	}
	reopen(log, own.Add(Keep+time.Hour))
	b.Step()
	if _, err := b.Get(id); !errors.Is(err, ErrUnknown) {
		t.Errorf("after 14 days: %v", err)
	}
}
