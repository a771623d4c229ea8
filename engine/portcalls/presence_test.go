//go:build !race

package portcalls

import (
	"slices"
	"testing"
	"time"

	"quaywatch/ais"
	"quaywatch/ship"
	"quaywatch/ship/portcall"
)

// TestVisitingAtATime holds that each time has the call that was known then, of the two latest ones.
func TestVisitingAtATime(t *testing.T) {
	const m = ais.MMSI(219018765)
	v := &Calls{present: presence{ships: map[ais.MMSI]visits{}}}
	minute := func(n int) portcall.Millis {
		return portcall.Millis(begin.Add(time.Duration(n) * time.Minute).UnixMilli())
	}
	first, second := callAt7(), callAt7()
	v.present.noteCall(m, first, minute(10))
	first.Port = 8 // it lies in another port than at first
	v.present.noteCall(m, first, minute(20))
	first.Left = minute(30)
	v.present.noteCall(m, first, minute(34))
	v.present.noteCall(m, first, minute(50)) // its draught
	v.present.noteCall(m, second, minute(60))
	for _, row := range []struct {
		minute int
		port   uint64
	}{{9, 0}, {10, 8}, {33, 8}, {34, 0}, {59, 0}, {60, 7}, {600, 7}} {
		call, ok := v.Visiting(m, minute(row.minute).Time())
		if call.Port != row.port || ok != (row.port != 0) {
			t.Errorf("minute %d: %d, %v, want %d", row.minute, call.Port, ok, row.port)
		}
	}
	second.Left = minute(70)
	v.present.noteCall(m, second, minute(70))
	v.present.dropOld(minute(70).Add(presenceKept))
	if _, ok := v.Visiting(m, minute(65).Time()); !ok {
		t.Error("a call is forgotten too early")
	}
	v.present.dropOld(minute(71).Add(presenceKept))
	if len(v.present.ships) != 0 {
		t.Error("a call of long ago is kept")
	}
}

// TestLyingAtATime holds that each time has how the ship lay then, as far as it was known, and that an arrival counts once the ship was seen alongside.
func TestLyingAtATime(t *testing.T) {
	const m = ais.MMSI(219018765)
	v := &Calls{present: presence{ships: map[ais.MMSI]visits{}}}
	minute := func(n int) portcall.Millis {
		return portcall.Millis(begin.Add(time.Duration(n) * time.Minute).UnixMilli())
	}
	c := &portcall.Call{Port: 7, Stays: []portcall.Stay{{Kind: portcall.Anchored}}}
	v.present.noteCall(m, c, minute(10))
	c.Stays[0].Over = true
	v.present.noteCall(m, c, minute(20))
	c.Stays = append(c.Stays, portcall.Stay{Kind: portcall.Berthed, Berth: 6, From: minute(28)})
	v.present.noteCall(m, c, minute(30))
	alongside := ship.OpenCall{Port: 7, Stay: ship.Alongside, Berth: 6, Arrived: int64(minute(28))}
	check := func(when string, minutes int, want ship.OpenCall) {
		t.Helper()
		if got, ok := v.Visiting(m, minute(minutes).Time()); got != want || !ok {
			t.Errorf("%s, minute %d: %v, want %v", when, minutes, got, want)
		}
	}
	check("live", 10, ship.OpenCall{Port: 7, Stay: ship.Waiting})
	check("live", 19, ship.OpenCall{Port: 7, Stay: ship.Waiting})
	check("live", 20, ship.OpenCall{Port: 7})
	check("live", 29, ship.OpenCall{Port: 7})
	check("live", 30, alongside)
	for i := range 100 { // a ship that shifts all day
		c.Stays[1].Over = i%2 == 0
		v.present.noteCall(m, c, minute(40+i))
	}
	check("at last", 139, alongside)
	if n := len(v.present.ships[m].last.lies); n != mostLies {
		t.Errorf("%d changes are remembered", n)
	}
}

// BenchmarkVisiting asks of a ship in port and of one that is in none.
func BenchmarkVisiting(b *testing.B) {
	v := &Calls{present: presence{ships: map[ais.MMSI]visits{}}}
	at := portcall.Millis(begin.UnixMilli())
	for m := range ais.MMSI(5000) {
		v.present.noteCall(m, callAt7(), at)
	}
	now := begin.Add(time.Hour)
	for name, m := range map[string]ais.MMSI{"in port": 40, "elsewhere": 219018765} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			found := 0
			for range b.N {
				if _, ok := v.Visiting(m, now); ok {
					found++
				}
			}
			if (found > 0) != (m == 40) {
				b.Error(found)
			}
		})
	}
}

// TestVisitorsOfAPort holds that a port has the ships that lie in it, and for a day those that left.
func TestVisitorsOfAPort(t *testing.T) {
	v := &Calls{present: presence{ships: map[ais.MMSI]visits{}}}
	at := portcall.Millis(begin.UnixMilli())
	hour := func(n int) portcall.Millis { return at.Add(time.Duration(n) * time.Hour) }
	check := func(when string, port uint64, want ...ais.MMSI) {
		t.Helper()
		if got := v.Visitors(port); !slices.Equal(got, want) {
			t.Errorf("%s: %v in %d, want %v", when, got, port, want)
		}
	}
	calls := map[ais.MMSI]*portcall.Call{}
	for _, m := range []ais.MMSI{12, 11, 13} {
		calls[m] = callAt7()
		v.present.noteCall(m, calls[m], hour(0))
	}
	check("three come", 7, 11, 12, 13)
	calls[12].Left = hour(1)
	v.present.noteCall(12, calls[12], hour(1))
	calls[13].Port = 8 // it lies in another port than at first
	v.present.noteCall(13, calls[13], hour(2))
	v.present.noteCall(12, &portcall.Call{Port: 9, Stays: make([]portcall.Stay, 1)}, hour(3))
	v.present.noteCall(12, &portcall.Call{Port: 8, Stays: make([]portcall.Stay, 1)}, hour(5))
	check("one left, one lies elsewhere", 7, 11, 12, 13)
	check("there", 8, 12, 13)
	check("on the way", 9, 12)
	calls[11].Left = hour(6)
	v.present.noteCall(11, calls[11], hour(6))
	for now, want := range map[int][]ais.MMSI{5: {11, 12, 13}, 6: {12, 13}} {
		if got := InPort(v, hour(now).Time()); !slices.Equal(got, want) {
			t.Errorf("in port or left after hour %d: %v, want %v", now, got, want)
		}
	}
	v.present.dropOld(hour(1).Add(VisitorsKept))
	check("within a day", 7, 11, 12, 13)
	v.present.dropOld(hour(6).Add(presenceKept))
	check("a day later", 7, 11) // it left at that hour
	check("a day later", 8, 12, 13)
	check("a day later", 9)
}

func callAt7() *portcall.Call { return &portcall.Call{Port: 7, Stays: make([]portcall.Stay, 1)} }
