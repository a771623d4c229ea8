package watchdogs

import (
	"fmt"
	"testing"
	"time"
)

// listen lets a receiver be looked at each ten seconds from begin on, for so long. The function gives how it hears at a time.
func listen(h *hearing, from time.Time, length time.Duration, hears func(at time.Time) (last time.Time, ships int)) (last heardOf) {
	for at := from; at.Before(from.Add(length)); at = at.Add(10 * time.Second) {
		heard, ships := hears(at)
		last, _ = h.addSample(at, heard, ships)
	}
	return last
}

// usually is a receiver that hears 100 ships by day and 40 by night, each minute by day and each ten minutes by night.
func usually(at time.Time) (time.Time, int) {
	if hour := at.UTC().Hour(); hour >= 6 && hour < 22 {
		return at.Truncate(time.Minute), 100
	}
	return at.Truncate(10 * time.Minute), 40
}

const day = 24 * time.Hour

// TestAReceiverIsLearned: nothing is known before three days; then each hour is as it was at this time, and an outage is told after twice the usual gap.
func TestAReceiverIsLearned(t *testing.T) {
	h := &hearing{}
	for days := range 4 {
		if _, _, known := h.usualAt(begin.Add(12 * time.Hour)); known != (days >= 3) {
			t.Errorf("after %d days: known %v", days, known)
		}
		if is := listen(h, begin.Add(time.Duration(days)*day), day, usually); is.isSilent || is.isFew {
			t.Errorf("day %d: %+v", days, is)
		}
	}
	at := begin.Add(4 * day)
	for hour, want := range map[int]string{12: "100 50s", 3: "40 9m50s"} {
		if ships, gap, known := h.usualAt(at.Add(time.Duration(hour) * time.Hour)); !known || fmt.Sprint(ships, " ", gap.Round(time.Second)) != want {
			t.Errorf("at %d: %g ships, %v, %v; want %s", hour, ships, gap, known, want)
		}
	}
	// an outage by night, at 1:00, and one by day, at 12:00
	for hour, row := range map[int]struct{ still, told time.Duration }{1: {19 * time.Minute, 21 * time.Minute}, 12: {100 * time.Second, 2 * time.Minute}} {
		c, out := *h, at.Add(time.Duration(hour)*time.Hour)
		listen(&c, at, time.Duration(hour)*time.Hour, usually)
		dead := func(now time.Time) (time.Time, int) { last, _ := usually(out.Add(-time.Second)); return last, 40 }
		last, _ := dead(out)
		if is := listen(&c, out, last.Add(row.still).Sub(out), dead); is.isSilent {
			t.Errorf("at %d it is silent after %v", hour, is.silence)
		}
		if is := listen(&c, last.Add(row.still), row.told-row.still+20*time.Second, dead); !is.isSilent {
			t.Errorf("at %d it is not silent after %v", hour, is.silence)
		}
		if is := listen(&c, out.Add(time.Hour), time.Minute, usually); is.isSilent {
			t.Errorf("at %d it is silent though it hears", hour)
		}
	}
}

// TestAReceiverThatHearsLittle: a tenth of the usual ships for ten minutes is told, and is over with a fifth. What is few by day may be usual by night.
func TestAReceiverThatHearsLittle(t *testing.T) {
	h := &hearing{}
	listen(h, begin, 4*day+12*time.Hour, usually)
	little := func(ships int) func(at time.Time) (time.Time, int) {
		return func(at time.Time) (time.Time, int) { last, _ := usually(at); return last, ships }
	}
	at := begin.Add(4*day + 12*time.Hour)
	for _, row := range []struct {
		ships  int
		length time.Duration
		few    bool
	}{{9, 9 * time.Minute, false}, {11, time.Minute, false}, {9, 9 * time.Minute, false}, {9, 2 * time.Minute, true}, {15, time.Hour, true}, {20, time.Minute, false}} {
		if is := listen(h, at, row.length, little(row.ships)); is.isFew != row.few {
			t.Errorf("%d ships for %v: few is %v", row.ships, row.length, is.isFew)
		}
		at = at.Add(row.length)
	}
	night := begin.Add(5*day + 2*time.Hour)
	listen(h, at, night.Sub(at), usually)
	if is := listen(h, night, 20*time.Minute, little(9)); is.isFew {
		t.Error("9 of 40 ships by night are few")
	}
}

// TestAnOutageTeachesNothing: an hour with an alarm is not learned, and a clock that is set teaches nothing either. What is few for a week is usual then.
func TestAnOutageTeachesNothing(t *testing.T) {
	h := &hearing{}
	listen(h, begin, 4*day+12*time.Hour, usually)
	noon := begin.Add(4*day + 12*time.Hour)
	dead := func(time.Time) (time.Time, int) { return noon.Add(-day / 2), 0 }
	if is := listen(h, noon, 6*day, dead); !is.isSilent {
		t.Fatal("an outage is not told")
	}
	if ships, gap, _ := h.usualAt(noon.Add(day)); ships != 100 || gap > time.Minute {
		t.Errorf("after six days of an outage %g ships and %v are usual", ships, gap)
	}
	listen(h, noon.Add(6*day), 30*day, dead)
	if ships, gap, _ := h.usualAt(noon.Add(day)); ships != 100 || gap > time.Minute {
		t.Errorf("after a month without a message %g ships and %v are usual", ships, gap)
	}
	worse := &hearing{}
	listen(worse, begin, 4*day, usually)
	poor := func(at time.Time) (time.Time, int) { last, ships := usually(at); return last, ships / 12 }
	if is := listen(worse, begin.Add(4*day), 6*day, poor); !is.isFew || is.usual < 40 {
		t.Errorf("a worse antenna is not told: %+v", is)
	}
	if is := listen(worse, begin.Add(10*day), 6*day, poor); is.isFew || is.usual > 9 {
		t.Errorf("a worse antenna is not accepted: %+v", is)
	}
	c := &hearing{}
	at := begin
	for range 200 {
		c.addSample(at, at, 5)
		at = at.Add(50 * time.Minute)
		c.addSample(at, at, 5)
		at = at.Add(2 * time.Hour)
	}
	if _, _, known := c.usualAt(at); known {
		t.Error("something was learned of hours that were not seen")
	}
}

// knows is a receiver that has heard so many ships, with a gap of so many seconds, in each hour of so many weeks.
func knows(weeks int, ships, gap float64) *hearing {
	h := &hearing{}
	for i := range h.Hours {
		h.Hours[i] = slot{weeks, ships, gap}
	}
	return h
}

// TestBoundsOfAReceiver: what tells that a receiver hears less than it should, at the values at which it does: just before, on and just after.
func TestBoundsOfAReceiver(t *testing.T) {
	for _, row := range []struct {
		what  string
		usual *hearing
		after time.Duration // the start, at the last look
		still time.Duration // since the last message then
		ships int
		low   time.Duration // for so long it heard so many
		want  string
	}{
		{"twice the usual gap", knows(2, 100, 50), time.Hour, 100 * time.Second, 100, 0, "hears, judged"},
		{"more than twice the usual gap", knows(2, 100, 50), time.Hour, 100*time.Second + time.Millisecond, 100, 0, "silent"},
		{"a minute, with shorter gaps", knows(2, 100, 5), time.Hour, time.Minute, 100, 0, "hears, judged"},
		{"more than a minute", knows(2, 100, 5), time.Hour, time.Minute + time.Millisecond, 100, 0, "silent"},
		{"nearly half an hour after the start", knows(2, 100, 5), 30*time.Minute - time.Second, 0, 100, 0, "hears"},
		{"half an hour after the start", knows(2, 100, 5), 30 * time.Minute, 0, 100, 0, "hears, judged"},
		{"fewer than ten ships are usual", knows(2, 9.9, 5), time.Hour, 0, 10, 0, "hears"},
		{"ten ships are usual", knows(2, 10, 5), time.Hour, 0, 10, 0, "hears, judged"},
		{"a tenth of the usual ships", knows(2, 100, 5), time.Hour, 0, 10, 15 * time.Minute, "hears, judged"},
		{"less than a tenth, for nearly ten minutes", knows(2, 100, 5), time.Hour, 0, 9, 10*time.Minute - time.Second, "hears, judged"},
		{"less than a tenth for ten minutes", knows(2, 100, 5), time.Hour, 0, 9, 10 * time.Minute, "few, judged"},
	} {
		h, at := row.usual, begin.Add(row.after)
		h.addSample(begin, begin, 100)
		if row.low > 0 {
			h.addSample(at.Add(-row.low), at.Add(-row.low), row.ships)
		}
		is, _ := h.addSample(at, at.Add(-row.still), row.ships)
		got := map[bool]string{true: "silent", false: "hears"}[is.isSilent]
		if is.isFew {
			got = "few"
		}
		if is.fewJudged {
			got += ", judged"
		}
		if got != row.want {
			t.Errorf("%s: %s", row.what, got)
		}
	}
}

// TestFewShipsAreUsualAfterSevenDays, and not a second before.
func TestFewShipsAreUsualAfterSevenDays(t *testing.T) {
	h := knows(2, 100, 5)
	few := func(at time.Time) heardOf {
		is, _ := h.addSample(at, at, 9)
		return is
	}
	at := begin
	for ; at.Before(begin.Add(time.Hour)); at = at.Add(10 * time.Minute) {
		few(at)
	}
	since := h.few
	if since.IsZero() {
		t.Fatal("it does not hear few ships")
	}
	for ; at.Before(since.Add(acceptAfter)); at = at.Add(10 * time.Minute) {
		few(at)
	}
	if is := few(since.Add(acceptAfter - time.Second)); !is.isFew || is.accepted {
		t.Errorf("a second before: %+v", is)
	}
	if is := few(since.Add(acceptAfter)); is.isFew || !is.accepted {
		t.Errorf("after seven days: %+v", is)
	}
}

// TestAnHourIsLearned where it was seen from its first minute on, and counts alone from its second week on.
func TestAnHourIsLearned(t *testing.T) {
	for _, row := range []struct {
		late    time.Duration
		learned bool
	}{{0, true}, {time.Minute, true}, {time.Minute + time.Second, false}} {
		h := &hearing{}
		h.addSample(begin.Add(row.late), begin.Add(row.late), 50)
		h.addSample(begin.Add(30*time.Minute), begin.Add(30*time.Minute), 50)
		if _, learned := h.addSample(begin.Add(time.Hour), begin.Add(time.Hour), 50); learned != row.learned {
			t.Errorf("seen %v after its beginning: learned %v", row.late, learned)
		}
	}
	for weeks, want := range map[int]float64{1: 90, 2: 30} { // in its first week it weighs as much as each of the six other days
		h := knows(1, 100, 50)
		h.Hours[hourOfWeek(begin)] = slot{weeks, 30, 50}
		if ships, _, known := h.usualAt(begin); !known || ships != want {
			t.Errorf("after %d weeks of the hour %g ships are usual, want %g", weeks, ships, want)
		}
	}
}
