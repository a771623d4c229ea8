//go:build !race

package portcalls

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"quaywatch/ais"
	"quaywatch/geo/chart"
	"quaywatch/ship/portcall"
)

// TestPastOfAFerry lets searches meet the calls of one ferry, in whole and with calls left out, and looks how many each of them found new.
func TestPastOfAFerry(t *testing.T) {
	const ferry, calls = ais.MMSI(219018004), 300
	v := empty(t, chart.NewPorts(nil), 0)
	call := func(i int) *portcall.Call {
		from := portcall.Millis(begin.Add(time.Duration(i)*time.Hour + 300*time.Millisecond).UnixMilli())
		to := from.Add(20 * time.Minute)
		stay := portcall.Stay{Kind: portcall.Berthed, From: from, To: to, Over: true, Seen: from, Last: to}
		return &portcall.Call{Port: 7, Stays: []portcall.Stay{stay}, Left: to.Add(5 * time.Minute)}
	}
	meet := func(takes func(i int) bool) (fresh int) {
		p := &past{}
		for i := range calls {
			if !takes(i) {
				continue
			}
			found, err := v.mergeCall(ferry, p, found{call: call(i)})
			if err != nil {
				t.Fatal(err)
			}
			if found {
				fresh++
			}
		}
		return fresh
	}
	all := func(int) bool { return true }
	for _, one := range []struct {
		what  string
		takes func(i int) bool
		fresh int
	}{
		{"each third call, but the last", func(i int) bool { return i%3 == 0 && i < 270 }, 90},
		{"the last call", func(i int) bool { return i == calls-1 }, 1},
		{"all calls", all, 209},
		{"all calls again", all, 0},
	} {
		if got := meet(one.takes); got != one.fresh {
			t.Errorf("%s: %d are new, want %d", one.what, got, one.fresh)
		}
	}
	var last portcall.Millis
	n := 0
	for c, err := range v.callsBack(t.Context(), ferry, v.newestKey(ferry)) {
		if err != nil || last != 0 && c.Found.Left >= last {
			t.Fatalf("call %d is out of order, %v", n, err)
		}
		last = c.Found.Stays[0].Seen
		n++
	}
	if n != calls {
		t.Errorf("the history has %d calls, want %d", n, calls)
	}
}

// TestASearchBesideLiveTraffic searches the past while ships in port are heard again, for so few minutes that the live engine knows little of their
// calls yet. The calls are those that it would have found from the beginning.
func TestASearchBesideLiveTraffic(t *testing.T) {
	inner := berths(t)
	live := newHarbour(t, inner)
	live.hear(never)
	want := live.all(24 * time.Hour)

	for _, row := range []struct{ begins, searches time.Duration }{
		{time.Hour, 8 * time.Minute},
		{2 * time.Hour, 20 * time.Second},
		{2*time.Hour + 40*time.Minute, 8 * time.Minute},
		{3 * time.Hour, time.Minute},
		{3 * time.Hour, 3 * time.Minute},
		{3*time.Hour + 20*time.Minute, 10 * time.Minute},
	} {
		late := newHarbour(t, inner)
		opened, found, minute := begin.Add(row.begins), Detection{}, 0
		sail(t, func(at time.Time, m ais.Message) {
			if at.Before(opened) {
				late.take(at, m, late.db)
				return
			}
			if now := int(at.Sub(opened) / time.Minute); now > minute {
				minute = now
				late.Save()
			}
			if found.Calls == 0 && at.After(opened.Add(row.searches)) {
				var err error
				if found, err = late.Detect(t.Context(), time.Time{}, endOfTime, nil); err != nil || found.New < 5 {
					t.Errorf("%v: %+v, %v", row, found, err)
				}
				again, err := late.Detect(t.Context(), time.Time{}, endOfTime, nil)
				if err != nil || again.New != 0 || again.Calls != found.Calls {
					t.Errorf("%v: again: %+v, %v", row, again, err)
				}
			}
			late.take(at, m, late.db, late.Calls)
		})
		late.Stop()
		if got := late.all(24 * time.Hour); !slices.Equal(got, want) {
			compare(t, fmt.Sprint(row), late.all(time.Minute), live.all(time.Minute))
		}
	}
}
