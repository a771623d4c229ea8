package watchdogs

import (
	"errors"
	"fmt"
	"iter"
	"slices"
	"testing"
	"time"

	"quaywatch/ais"
	"quaywatch/geo"
)

// fiveEnter returns a box with five events, one a minute. Two watchdogs raise them in turn.
func fiveEnter(t *testing.T) *box {
	b := newBox(t)
	for i := range 2 {
		west := 10 + float64(i)
		b.insertOf([]string{"anna", "ben"}[i], fmt.Sprintf(`{"name":"area %d","type":"polygon","polygon":%s}`, i, areaOf(west, 54, west+0.9, 55)))
	}
	b.watch.Compile()
	for i := range 5 {
		at := begin.Add(time.Duration(i) * time.Minute)
		b.watch.Tick(at)
		b.hear(ais.MMSI(211000001+i), at, geo.Point{Lon: 10.5 + float64(i%2), Lat: 54.5}, 100)
		b.watch.Save(false)
	}
	return b
}

// numbers returns the numbers of events.
func numbers(t *testing.T, events iter.Seq2[Event, error]) (list []uint64) {
	t.Helper()
	for e, err := range events {
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, e.ID)
	}
	return list
}

// TestEventsFromANumberOn: a reader gets each event after its number and before it, the one of that number never, and so does one that wants those of an owner.
func TestEventsFromANumberOn(t *testing.T) {
	b := fiveEnter(t)
	ofAnna := WantedBy(b.watch, func(o EventOrigin) bool { return o.Owner == "anna" })
	for number := range uint64(8) {
		for _, one := range []struct {
			wanted Wanted
			all    []uint64
		}{{Wanted{}, []uint64{1, 2, 3, 4, 5}}, {ofAnna, []uint64{1, 3, 5}}} {
			var after, before []uint64
			for _, n := range one.all {
				switch {
				case n > number:
					after = append(after, n)
				case n < number:
					before = append([]uint64{n}, before...)
				}
			}
			if got := numbers(t, one.wanted.After(b.watch, number)); !slices.Equal(got, after) {
				t.Errorf("after %d of %v: %v", number, one.all, got)
			}
			if got := numbers(t, one.wanted.Before(b.watch, number)); !slices.Equal(got, before) {
				t.Errorf("before %d of %v: %v", number, one.all, got)
			}
		}
		if e, err := b.watch.Get(number); (err == nil) != (number >= 1 && number <= 5) || err == nil && e.ID != number || err != nil && !errors.Is(err, ErrUnknown) {
			t.Errorf("event %d: %+v, %v", number, e, err)
		}
	}
}

// TestACursorAtATime stands before the event that was stored at that time.
func TestACursorAtATime(t *testing.T) {
	b := fiveEnter(t)
	for number := range uint64(5) {
		e, err := b.watch.Get(number + 1)
		if err != nil {
			t.Fatal(err)
		}
		for i, off := range atABound {
			want := number + []uint64{0, 0, 1}[i]
			if got := b.watch.CursorAt("anna", time.UnixMilli(e.Committed).Add(off)); got.After != want {
				t.Errorf("%v after event %d was stored: the cursor is after %d", off, number+1, got.After)
			}
		}
	}
}

// TestSoManyUsersHaveACursor: one more takes the place of the user that asked longest ago.
func TestSoManyUsersHaveACursor(t *testing.T) {
	b := fiveEnter(t)
	set := func(user string, asked time.Duration) {
		t.Helper()
		at := begin.Add(asked)
		if err := b.watch.SetCursor(b.watch.Cursor(user, at), Cursor{user, 3, at.UnixMilli()}); err != nil {
			t.Fatal(err)
		}
	}
	set("anna", 0)
	set("ben", time.Millisecond)
	for i := range mostCursors - 3 {
		user := fmt.Sprint("user ", i)
		b.watch.seen[user] = cursorRow{0, Cursor{user, 3, begin.Add(time.Hour).UnixMilli()}, 0}
	}
	for _, step := range []struct {
		user      string
		anna, ben bool
	}{{"clara", true, true}, {"anna", true, true}, {"dora", true, false}} {
		set(step.user, 2*time.Hour)
		_, anna := b.watch.seen["anna"]
		if _, ben := b.watch.seen["ben"]; anna != step.anna || ben != step.ben || len(b.watch.seen) > mostCursors {
			t.Errorf("after %s: anna %v, ben %v, %d cursors", step.user, anna, ben, len(b.watch.seen))
		}
	}
}
