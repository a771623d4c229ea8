package watchdogs

import (
	"fmt"
	"math"
	"slices"
	"testing"
	"time"

	"quaywatch/ais"
	"quaywatch/ship/watchdog"
)

// tells returns the events as lines, with whether each was there before and whether it is over.
func (s *trawler) tells() (lines []string) {
	s.t.Helper()
	s.watch.Save(true)
	return s.tellsNow()
}

// tellsNow returns what is stored.
func (s *trawler) tellsNow() (lines []string) {
	s.t.Helper()
	for e, err := range s.watch.After(0) {
		if err != nil {
			s.t.Fatal(err)
		}
		over := e.Deactivated != 0 || !e.Active
		lines = append(lines, fmt.Sprintf("%s %s initial %t over %t", e.Name, e.Kind, e.Initial, over))
	}
	return lines
}

// TestWhatAShipDidInAPortEndsWhenItLeaves: also over a restart, and when it moored twice.
func TestWhatAShipDidInAPortEndsWhenItLeaves(t *testing.T) {
	for _, restarts := range []bool{false, true} {
		s := newTrawler(t, 5000)
		s.define(`{"name":"port","type":"port","port":{"locode":"DKAAR"}}`)
		s.sails(-9, 12*time.Minute)
		for range 2 {
			s.sails(0, 30*time.Minute)
			s.sails(-4, 4*time.Minute)
		}
		if restarts {
			s.watch.Save(true)
			s.start()
		}
		want := []string{"port enter initial false over false"}
		for range 2 {
			want = append(want, "port moored initial false over false", "port unmoored initial false over false")
		}
		if got := s.tells(); !slices.Equal(got, want) {
			t.Fatalf("before it leaves: %q", got)
		}
		s.sails(12, 20*time.Minute)
		for _, line := range s.tells() {
			if line[len(line)-4:] != "true" {
				t.Errorf("restarts %t: %s", restarts, line)
			}
		}
		for e := range s.watch.After(0) {
			if crosses := e.Kind == watchdog.Enter || e.Kind == watchdog.Leave; crosses && (e.Fix.At != e.Time || e.Time%10_000 == 0) {
				t.Errorf("restarts %t: %s at %d, with the place of %d", restarts, e.Kind, e.Time, e.Fix.At) // it reports each ten seconds
			}
		}
	}
}

// TestAShipThatLayInThePortBefore: what it did before the watchdog was made is initial, of a second watchdog of the port too.
func TestAShipThatLayInThePortBefore(t *testing.T) {
	for _, lay := range []time.Duration{10 * time.Second, 4 * time.Minute, time.Hour} {
		s := newTrawler(t, 5000)
		s.sails(-9, 12*time.Minute)
		s.sails(0, lay)
		s.sails(0.4, 10*time.Second) // the noise of its speed
		s.define(`{"name":"first","type":"port","port":{"locode":"DKAAR"}}`)
		s.sails(0, time.Hour)
		want := []string{"first enter initial true over false", "first moored initial true over false"}
		if got := s.tells(); !slices.Equal(got, want) {
			t.Errorf("lay for %v: %q", lay, got)
		}
		s.define(`{"name":"second","type":"port","port":{"locode":"DKAAR"}}`)
		s.sails(0, time.Hour)
		want = append(want, "second enter initial true over false", "second moored initial true over false")
		if got := s.tells(); !slices.Equal(got, want) {
			t.Errorf("a second watchdog, lay for %v: %q", lay, got)
		}
	}
}

// TestAShipThatIsSilentInPortAfterARestart: nobody was heard before, so that it is told four hours after the start, and not before.
func TestAShipThatIsSilentInPortAfterARestart(t *testing.T) {
	s := newTrawler(t, 5000)
	s.define(`{"name":"port","type":"port","port":{"locode":"DKAAR"}}`)
	s.sails(-9, 12*time.Minute)
	s.watch.Save(true)
	s.restart()
	start := s.now.Add(10 * time.Hour)
	for _, step := range []struct {
		after time.Duration
		told  int
	}{{0, 1}, {silentInPort - 5*time.Second, 1}, {silentInPort, 2}} {
		s.watch.Tick(start.Add(step.after))
		if got := s.tells(); len(got) != step.told {
			t.Errorf("%v after the start: %q", step.after, got)
		}
	}
}

// TestAKillTellsNothingOfAShipThatLies: a ship that lies in port for a day or two does so after a kill, also when it swings at anchor. When it leaves, that is told once.
func TestAKillTellsNothingOfAShipThatLies(t *testing.T) {
	for _, hours := range []int{1, 3, 32} {
		for _, swings := range []bool{false, true} {
			s := newTrawler(t, 5000)
			s.kept = true
			s.define(`{"name":"port","type":"port","port":{"locode":"DKAAR"}}`)
			s.sails(-9, 15*time.Minute)
			lies := func(length time.Duration) {
				for end := s.now.Add(length); s.now.Before(end); {
					s.now = s.now.Add(3 * time.Minute)
					if swings {
						s.bearing = 90 + 5*math.Sin(float64(s.now.Unix())/5000)
					}
					s.report(0)
				}
				s.watch.Save(false)
			}
			for range hours {
				lies(time.Hour)
			}
			lies(33 * time.Minute)
			before := s.tellsNow()
			s.start() // after a kill
			lies(5 * time.Hour)
			if got := s.tellsNow(); !slices.Equal(got, before) || len(got) == 0 {
				t.Errorf("after %d hours, swings %t: %q, and before the kill %q", hours, swings, got, before)
			}
			s.sails(12, 30*time.Minute)
			s.watch.Save(false)
			s.start()
			if got := s.tellsNow(); len(got) <= len(before) || got[len(got)-1] != "port leave initial false over true" {
				t.Errorf("after %d hours, swings %t: when it has left, %q", hours, swings, got)
			}
		}
	}
}

// TestSoManyShipsAreFollowedInPorts, and one more is not.
func TestSoManyShipsAreFollowedInPorts(t *testing.T) {
	for _, room := range []int{0, 1} {
		s := newTrawler(t, 1000)
		s.define(`{"name":"port","type":"port","port":{"locode":"DKAAR"}}`)
		other := &visit{}
		for i := range mostInPort - room {
			s.watch.inPort[ais.MMSI(300000001+i)] = other
		}
		s.report(0)
		if _, is := s.watch.inPort[s.mmsi]; is != (room > 0) || len(s.watch.inPort) != mostInPort {
			t.Errorf("with room for %d: it is followed %v, %d are", room, is, len(s.watch.inPort))
		}
		clear(s.watch.inPort)
	}
}
