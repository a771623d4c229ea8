//go:build !race

package portcalls

import (
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
