package watchdogs

import (
	"testing"
	"time"

	"quaywatch/geo"
	"quaywatch/internal/rule"
)

// TestWhatAnAlarmRemembersIsStoredSeldom: what raises nothing is stored once it is a minute of reports old, is looked for each quarter of a minute, and wakes no
// reader.
func TestWhatAnAlarmRemembersIsStoredSeldom(t *testing.T) {
	b := newBox(t)
	b.define(`{"name":"area","type":"polygon","polygon":` + areaOf(10, 54, 11, 55) + `}`)
	news := b.watch.Changed()
	for i, step := range []struct{ heard, at, stored time.Duration }{
		{0, 0, 0},
		{time.Minute - time.Millisecond, time.Minute, 0},
		{time.Minute, 75*time.Second - time.Millisecond, 0},
		{time.Minute, 75 * time.Second, time.Minute},
		{75 * time.Second, 90 * time.Second, time.Minute},
	} {
		b.hear(211000001, begin.Add(step.heard), geo.Point{Lon: 10.5, Lat: 54.5}, 0)
		b.watch.Tick(begin.Add(step.at))
		b.watch.Save(false)
		rows, err := b.watch.rows.All()
		if err != nil || len(rows) != 1 || rows[0].Value.Last.At != begin.Add(step.stored).UnixMilli() {
			t.Errorf("at %v: %+v, %v; want what was heard at %v", step.at, rows, err, step.stored)
		}
		select {
		case <-news:
			if news = b.watch.Changed(); i > 0 {
				t.Errorf("at %v readers are woken, and there is no news", step.at)
			}
		default:
			if i == 0 {
				t.Error("an event wakes nobody")
			}
		}
	}
}

// TestTheLastPlaceToWait: what begins and what is over waits to be stored as long as there is a place. Beyond it an event is counted as lost.
func TestTheLastPlaceToWait(t *testing.T) {
	full := BoxNotice{Rule: rule.New("disk_filling", "the disk is {percent} % full", "percent", 93), Since: begin}
	enters := func(b *box) { b.hear(211000001, begin, geo.Point{Lon: 10.5, Lat: 54.5}, 100) }
	tells := func(b *box) { b.watch.Look(begin, BoxFigures{Notices: []BoxNotice{full}}) }
	for _, step := range []struct {
		what         string
		before, does func(*box)
		lost         uint64 // where there is no place
	}{
		{"a ship enters", func(*box) {}, enters, 1},
		{"a notice begins", func(*box) {}, tells, 1},
		{"a notice is over", tells, func(b *box) { b.watch.Look(begin.Add(time.Minute), BoxFigures{}) }, 0},
		{"an alarm gives way", enters, func(b *box) { b.watch.evict(b.watch.alarms[211000001][0]) }, 0},
	} {
		for _, places := range []int{0, 1} {
			b := newBox(t)
			b.define(`{"name":"area","type":"polygon","polygon":` + areaOf(10, 54, 11, 55) + `}`)
			b.define(`{"name":"box","type":"box","box":{}}`)
			step.before(b)
			b.watch.pending = make([]raised, mostWaits-places)
			step.does(b)
			if s := b.watch.Status(); len(b.watch.pending) != mostWaits || s.Lost != step.lost*uint64(1-places) {
				t.Errorf("%s, with %d places: %d wait, %d are lost", step.what, places, len(b.watch.pending), s.Lost)
			}
			b.watch.pending = nil
		}
	}
}
