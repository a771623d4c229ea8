package traffic

import (
	"testing"

	"quaywatch/ais"
	"quaywatch/geo"
	"quaywatch/ship"
)

// aMany makes a picture of more ships than are copied at once, all in one place and with one name.
func aMany(t *testing.T) *Picture {
	t.Helper()
	p := New(DefaultConfig())
	states := make([]ship.State, 3*readAtOnce)
	for i := range states {
		states[i] = ship.State{MMSI: ais.MMSI(211000001 + i), HasFix: true, Fix: ship.Fix{At: int64(i), Lon: 6000000, Lat: 32400000}, Heard: int64(i),
			Reports: ship.ConfirmedReports, Static: &ship.Static{Name: "FLEET", At: int64(i) * 1000}}
	}
	p.Restore(states)
	return p
}

// A reader that thinks about a ship keeps the writer from nothing.
func TestTheWriterNeedNotWaitForAReader(t *testing.T) {
	p := aMany(t)
	seen := 0
	free := func(*ship.State) bool {
		if !p.mu.TryLock() {
			t.Fatal("the picture is locked while a reader thinks")
		}
		p.mu.Unlock()
		seen++
		return true
	}
	for s := range p.Like(ship.Signature{}) {
		free(s)
	}
	p.Each(free)
	p.Within(geo.Rect{West: -180, South: -90, East: 180, North: 90}, free)
	p.Within(geo.Rect{West: 9, South: 53, East: 11, North: 55}, free)
	if p.Near(geo.Rect{West: 9, South: 53, East: 11, North: 55}, 0, free); seen != 5*len(p.all) {
		t.Errorf("%d ships seen", seen)
	}
}

// An entry that was given to another ship between the two parts of a question is left out: that ship was not asked for.
func TestAReusedEntryIsNotRead(t *testing.T) {
	p := aMany(t)
	found := p.like(ship.Signature{})
	p.evict(p.all[5])
	*found.list[5] = entry{number: p.added + 1, state: ship.State{MMSI: 1}}
	n := 0
	for s := range p.read(found) {
		if n++; s.MMSI == 1 {
			t.Error("a ship that came later is read")
		}
	}
	if n != len(found.list)-1 {
		t.Errorf("%d of %d ships", n, len(found.list))
	}
	n = 0
	p.Near(geo.Rect{West: 9, South: 53, East: 11, North: 55}, 0, func(*ship.State) bool { n++; return true })
	if n != len(p.ships) {
		t.Errorf("%d of %d ships are near", n, len(p.ships))
	}
}

// A walk that rests gives each ship once, however many leave and come meanwhile: a ship that stays is never left out.
func TestAWalkGivesWhatStays(t *testing.T) {
	p := aMany(t)
	stays := map[ais.MMSI]bool{}
	for m := range p.ships {
		stays[m] = m%3 != 0
	}
	seen, next := map[ais.MMSI]int{}, ais.MMSI(265000000)
	p.Each(func(s *ship.State) bool {
		seen[s.MMSI]++
		for m := range p.ships {
			if !stays[m] { // one goes, and another takes its slot
				p.evict(p.ships[m])
				next++
				p.Restore([]ship.State{{MMSI: next, Heard: 9e9, Reports: 9}})
				stays[next] = true
				break
			}
		}
		return true
	})
	for m, count := range seen {
		if count != 1 || m > 265000000 {
			t.Errorf("ship %d came %d times", m, count)
		}
	}
	for m, stay := range stays {
		if stay && m < 265000000 && seen[m] != 1 {
			t.Errorf("ship %d was left out", m)
		}
	}
}
