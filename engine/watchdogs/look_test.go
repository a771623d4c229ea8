package watchdogs

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"quaywatch/internal/rule"
)

// told returns the events as lines, with what they say and whether they are over.
func (b *box) told() (lines []string) {
	b.t.Helper()
	b.watch.Save(false)
	for e, err := range b.watch.After(0) {
		if err != nil {
			b.t.Fatal(err)
		}
		over := "goes on"
		if e.Deactivated != 0 {
			over = "over " + time.UnixMilli(e.Deactivated).UTC().Format(time.TimeOnly)
		}
		lines = append(lines, fmt.Sprintf("%s %s: %s, %s", e.At().Format(time.TimeOnly), e.Kind, e.Sentence(), over))
	}
	return lines
}

// TestNoticesOfTheBox: each notice is one event, over when it is gone; a restart tells none again.
func TestNoticesOfTheBox(t *testing.T) {
	b := newBox(t)
	b.define(`{"name":"Box","type":"box","box":{},"severity":"alert"}`)
	full := BoxNotice{Rule: rule.New("disk_filling", "the disk is {percent} % full", "percent", 93), Since: begin}
	silent := func(feed string) BoxNotice {
		return BoxNotice{Rule: rule.New("feed_silent", "the feed {feed} is connected and hears nothing", "feed", feed), Feed: feed, Since: begin.Add(time.Minute)}
	}
	look := func(minute int, list ...BoxNotice) {
		b.watch.Look(begin.Add(time.Duration(minute)*time.Minute), BoxFigures{Notices: list})
	}
	look(0)
	look(1, full)
	look(2, full, silent("a"), silent("b"))
	look(3, full, silent("b"))
	b.restart()
	look(4) // nothing is seen yet
	look(5, full)
	b.watch.Save(false)
	b.start()
	look(6, full)
	look(30, full)
	look(31)
	want := []string{"00:00:00 notice: the disk is 93 % full, over 00:31:00",
		"00:01:00 notice: the feed a is connected and hears nothing, over 00:03:00", "00:01:00 notice: the feed b is connected and hears nothing, over 00:30:00"}
	if got := b.told(); !slices.Equal(got, want) {
		t.Errorf("%q", got)
	}
	if rows, err := b.watch.situations.rows.All(); err != nil || len(rows) != 0 {
		t.Errorf("%d rows are left, %v", len(rows), err)
	}
	if _, err := b.watch.Mute(1, "anna", begin.Add(32*time.Minute), time.Hour); err != nil {
		t.Fatal(err)
	}
	full.Since, silent = begin.Add(40*time.Minute), func(feed string) BoxNotice {
		return BoxNotice{Rule: rule.New("feed_silent", "the feed {feed} is connected and hears nothing", "feed", feed), Feed: feed, Since: begin.Add(40 * time.Minute)}
	}
	look(40, full, silent("a"))
	if got := b.told(); len(got) != 4 || got[3] != "00:40:00 notice: the feed a is connected and hears nothing, goes on" {
		t.Errorf("while one is mute: %q", got)
	}
}

// TestReceiversOfAWatchdog: a receiver that is silent is told once, by the watchdogs that watch it, and what was learned outlives a restart.
func TestReceiversOfAWatchdog(t *testing.T) {
	b := newBox(t)
	b.define(`{"name":"Roof","type":"feed","feed":"roof"}`)
	b.define(`{"name":"All","type":"feed","feed":"*"}`)
	b.define(`{"name":"Tower","type":"feed","feed":"tower"}`)
	end := begin.Add(3*day + 12*time.Hour)
	for at := begin; at.Before(end); at = at.Add(10 * time.Second) {
		last, ships := usually(at)
		b.watch.Look(at, BoxFigures{Feeds: []FeedFigures{{"roof", last, ships}}})
	}
	if got := b.told(); len(got) != 0 {
		t.Fatalf("%q", got)
	}
	b.restart()
	look := func(from, to time.Duration, last time.Time, ships int) {
		for at := from; at < to; at += 10 * time.Second {
			b.watch.Look(end.Add(at), BoxFigures{Feeds: []FeedFigures{{"roof", last, ships}}})
		}
	}
	look(0, 10*time.Minute, time.Time{}, 100) // it hears nothing from the start on
	b.restart()
	look(10*time.Minute, 11*time.Minute, time.Time{}, 100)
	b.restart()
	look(11*time.Minute, 20*time.Minute, time.Time{}, 100)
	want := []string{"12:01:50 feed_silent: roof has heard nothing for 1 min, goes on", "12:01:50 feed_silent: roof has heard nothing for 1 min, goes on"}
	if got := b.told(); !slices.Equal(got, want) {
		t.Errorf("%q", got)
	}
	look(20*time.Minute, 21*time.Minute, end.Add(20*time.Minute), 100)
	b.watch.Look(end.Add(22*time.Minute), BoxFigures{}) // it was taken out of the configuration
	for _, line := range b.told() {
		if line != "12:01:50 feed_silent: roof has heard nothing for 1 min, over 12:20:00" {
			t.Errorf("%q", line)
		}
	}
	rows, err := b.watch.looks.rows.All()
	if err != nil || len(rows) != 1 || rows[0].Value.Hours[0].Weeks != 1 {
		t.Errorf("%d receivers are remembered, %v", len(rows), err)
	}
}

// TestWhatStoodBeforeARestartIsOverAfterAQuarterOfAnHour, when nobody has seen it again, and no sooner. What began at the restart or later is over when it is gone.
func TestWhatStoodBeforeARestartIsOverAfterAQuarterOfAnHour(t *testing.T) {
	for _, row := range []struct {
		since, after time.Duration // the restart
		over         bool
	}{
		{-time.Millisecond, graceTime - time.Millisecond, false},
		{-time.Millisecond, graceTime, true},
		{0, time.Second, true},
	} {
		b := newBox(t)
		b.define(`{"name":"Box","type":"box","box":{}}`)
		start := begin.Add(time.Hour)
		b.watch.Look(begin, BoxFigures{Notices: []BoxNotice{{Rule: rule.New("clock_wrong", "the clock is wrong"), Since: start.Add(row.since)}}})
		b.watch.Save(false)
		b.restart()
		b.watch.Look(start, BoxFigures{})
		b.watch.Look(start.Add(row.after), BoxFigures{})
		b.watch.Save(false)
		if e, err := b.watch.Get(1); err != nil || (e.Deactivated != 0) != row.over {
			t.Errorf("it began %v after the restart, and is gone %v after it: over at %d, %v", row.since, row.after, e.Deactivated, err)
		}
	}
}

// TestFewShipsAreToldUntilAFifth: after a restart the event of a receiver that hears few ships goes on until it hears a fifth of the usual ones.
func TestFewShipsAreToldUntilAFifth(t *testing.T) {
	b := newBox(t)
	b.define(`{"name":"Roof","type":"feed","feed":"roof"}`)
	hears := func(from, to time.Duration, ships int) {
		for ; from <= to; from += 10 * time.Minute {
			b.watch.Look(begin.Add(from), BoxFigures{Feeds: []FeedFigures{{"roof", begin.Add(from), ships}}})
		}
		b.watch.Save(false)
	}
	b.watch.looks.hearings["roof"] = knows(2, 100, 5)
	b.watch.looks.hearings["roof"].Feed = "roof"
	b.watch.looks.unsaved["roof"] = true
	hears(0, time.Hour, 9)
	b.restart()
	for _, step := range []struct {
		from  time.Duration
		ships int
		over  bool
	}{{2 * time.Hour, 20, false}, {150 * time.Minute, 19, false}, {3 * time.Hour, 20, true}} { // it settles for half an hour
		hears(step.from, step.from, step.ships)
		if e, err := b.watch.Get(1); err != nil || e.Kind != "feed_few" || (e.Deactivated != 0) != step.over {
			t.Errorf("%d ships at %v: over at %d, %v", step.ships, step.from, e.Deactivated, err)
		}
	}
}

// TestSoManyReceiversAreRemembered: one more takes the place of the one that learned longest ago.
func TestSoManyReceiversAreRemembered(t *testing.T) {
	b := newBox(t)
	l := &b.watch.looks
	for i := range mostHearings {
		l.hearing(fmt.Sprint("feed ", i)).Last = int64(mostHearings - i)
	}
	last := fmt.Sprint("feed ", mostHearings-1)
	if l.hearings[last] == nil || len(l.hearings) != mostHearings {
		t.Errorf("%d receivers are remembered", len(l.hearings))
	}
	if l.hearing("new"); l.hearings[last] != nil || len(l.hearings) != mostHearings {
		t.Errorf("with one more %d receivers are remembered", len(l.hearings))
	}
}

// TestNoRoomForASituation: where no more is remembered nothing is told, rather than at each look again. What is remembered goes on.
func TestNoRoomForASituation(t *testing.T) {
	b := newBox(t)
	id := b.define(`{"name":"Box","type":"box","box":{}}`)
	full := BoxNotice{Rule: rule.New("disk_filling", "the disk is {percent} % full", "percent", 93), Since: begin}
	b.watch.Look(begin, BoxFigures{Notices: []BoxNotice{full}})
	for i := len(b.watch.situations.all); i < mostSituations; i++ {
		of := subject{id + 1, fmt.Sprint(i)}
		b.watch.situations.addSituation(&situation{subject: of, active: true, owner: fmt.Sprint(i % 20)})
	}
	other := BoxNotice{Rule: rule.New("clock_wrong", "the clock is wrong"), Since: begin}
	for second := range 5 {
		b.watch.Look(begin.Add(time.Duration(second)*time.Second), BoxFigures{Notices: []BoxNotice{full, other}})
	}
	if s := b.watch.Status(); s.Untold != 1 {
		t.Errorf("%+v", s)
	}
	b.watch.Look(begin.Add(time.Minute), BoxFigures{})
	b.watch.Save(false)
	if got, want := b.told(), []string{"00:00:00 notice: the disk is 93 % full, over 00:01:00"}; !slices.Equal(got, want) {
		t.Errorf("%q", got)
	}
}

// TestAnOwnerTakesNoRoomOfOthers: one that has many situations is told no more, and others are.
func TestAnOwnerTakesNoRoomOfOthers(t *testing.T) {
	b := newBox(t)
	id := b.define(`{"name":"Box","type":"box","box":{}}`) // of the owner "owner"
	for i := range mostOfOwner {
		b.watch.situations.addSituation(&situation{subject: subject{id + 1, fmt.Sprint(i)}, active: true, owner: "greedy"})
	}
	if s := &b.watch.situations; s.hasRoom(subject{id + 1, "new"}, "greedy") || !s.hasRoom(subject{id + 1, "0"}, "greedy") {
		t.Error("the greedy one has room for more, or none for what it has")
	}
	full := BoxNotice{Rule: rule.New("disk_filling", "the disk is {percent} % full", "percent", 93), Since: begin}
	b.watch.Look(begin, BoxFigures{Notices: []BoxNotice{full}})
	b.watch.Save(false)
	if s := b.watch.Status(); len(b.told()) != 1 || s.Untold != 0 {
		t.Errorf("%q, %+v", b.told(), s)
	}
	for i := range mostOfOwner {
		b.watch.situations.dropSituation(subject{id + 1, fmt.Sprint(i)})
	}
	if of := b.watch.situations.of; len(of) != 1 || of["owner"] != 1 {
		t.Errorf("%v", of)
	}
	b.restart()
	if of := b.watch.situations.of; len(of) != 1 || of["owner"] != 1 {
		t.Errorf("after a restart %v", of)
	}
}
