//go:build !race

package watchdogs

import (
	"bytes"
	"fmt"
	"maps"
	"os"
	"slices"
	"strconv"
	"testing"
	"time"

	"quaywatch/ais"
	"quaywatch/ais/sim"
	"quaywatch/engine/portcalls"
	"quaywatch/geo"
	"quaywatch/geo/chart"
	"quaywatch/ship"
	"quaywatch/ship/watchdog"
	"quaywatch/traffic"
	"quaywatch/users/registry/portfile"
)

// sail has the ships of the demo sail for so long, with a watchdog of each type at its defaults.
func (s *sea) sail(length time.Duration) {
	s.t.Helper()
	land, err := chart.Load()
	if err != nil {
		s.t.Fatal(err)
	}
	h, err := sim.New(sim.Options{At: sim.DefaultAt, Second: &sim.DefaultSecond, Seed: 11, Start: begin, Land: land.Land, Crosses: land.LegCrossesLand})
	if err != nil {
		s.t.Fatal(err)
	}
	s.addPorts(h)
	if s.voyages, err = portcalls.Open(portcalls.Config{DB: s.db, Ports: s.areas.Ports.Current}); err != nil {
		s.t.Fatal(err)
	}
	s.picture = traffic.New(traffic.DefaultConfig())
	if s.watch, err = Open(Config{DB: s.db, Library: s.areas.Library, Ports: s.areas.Ports.Current, AtSea: s.voyages.AtSea, Ship: s.picture.Ship,
		Names:      func(string) ship.Lookup { return s.areas.Library.Anything() },
		Generation: s.areas.Users.Generation, Changed: s.areas.Users.Changed}); err != nil {
		s.t.Fatal(err)
	}
	for _, p := range s.ports {
		s.define(fmt.Sprintf(`{"name":"port %s","type":"port","port":{"locode":%q}}`, p.LOCODE, p.LOCODE))
	}
	s.define(`{"name":"fishing","type":"fishing","fishing":` + areaOf(9.5, 55, 13.5, 57.6) + `}`)
	for i, line := range []string{"[[12.6,55.80],[12.85,55.80]]", "[[12.55,55.60],[12.80,55.62]]", "[[10.28,56.10],[10.45,56.20]]"} {
		s.define(fmt.Sprintf(`{"name":"cable %d","type":"cable","cable":{"type":"LineString","coordinates":%s}}`, i+1, line))
	}
	saved := begin
	h.Step(begin.Add(length), func(at time.Time, m ais.Message, _ byte) {
		if at.Sub(saved) > time.Minute {
			saved = at
			s.voyages.Save()
			s.watch.Save(false)
		}
		s.hears(at, m)
	}, s.note)
	s.watch.Save(true)
}

// addPorts gives the ports of the harbours to the box.
func (s *sea) addPorts(h *sim.Harbour) {
	s.t.Helper()
	var text bytes.Buffer
	if err := h.WritePorts(&text); err != nil {
		s.t.Fatal(err)
	}
	rows, refused, err := portfile.Read(portfile.NamedFile{Name: "ports.json", Text: text.String()})
	if err != nil || len(refused) > 0 {
		s.t.Fatal(err, refused)
	}
	for _, r := range rows {
		for i := range r.Berths {
			r.Berths[i].ID = int64(i + 1)
		}
		was, ok := s.areas.Ports.Current().ByLOCODE(r.Ref)
		if !ok {
			s.t.Fatalf("the port %s is not listed", r.Ref)
		}
		now := *was
		now.Outer, now.Inner, now.Berths = r.Outer, r.Inner, r.Berths
		p, err := s.areas.Ports.Change(was, now)
		if err != nil {
			s.t.Fatal(err)
		}
		s.ports = append(s.ports, p)
	}
}

func (s *sea) hears(at time.Time, m ais.Message) {
	s.count++ // no message is a duplicate
	observers := []traffic.Observer{s.voyages, s.watch, fishers{s}}
	if second := at.Truncate(time.Second); second.After(s.ticked) {
		s.ticked = second
		s.picture.Tick(second, observers...)
	}
	s.picture.Apply(&ais.Batch{Reports: []ais.Report{{Message: m, Received: at, Sent: at, Feed: "roof", Hash: s.count}}}, observers...)
}

// fishers notes when ships say that they fish. In the simulator they say so while they do.
type fishers struct{ *sea }

func (f fishers) Tick(time.Time) {}

func (f fishers) Observe(u *ship.Update) {
	if u.Change&ship.ChangedFix == 0 || u.Now.Fix.Status != ais.StatusFishing {
		return
	}
	list, at := f.trawls[u.Now.MMSI], u.Now.Fix.Time()
	if n := len(list); n > 0 && at.Sub(list[n-1][1]) < 5*time.Minute {
		list[n-1][1] = at
		return
	}
	f.trawls[u.Now.MMSI] = append(list, [2]time.Time{at, at})
}

// note keeps what truly happened.
func (s *sea) note(e sim.Truth) {
	if e.Kind == sim.Position {
		s.places[e.MMSI] = append(s.places[e.MMSI], e)
		return
	}
	s.events[e.MMSI] = append(s.events[e.MMSI], e)
}

// knots returns the true speed of a ship around a time; 0 while it lies still.
func (s *sea) knots(m ais.MMSI, at time.Time) float64 {
	list := s.places[m]
	i, _ := slices.BinarySearchFunc(list, at, func(e sim.Truth, at time.Time) int { return e.Time.Compare(at) })
	if i == 0 || i == len(list) || list[i].Time.Sub(list[i-1].Time) > 90*time.Second {
		return 0
	}
	a, b := list[i-1], list[i]
	return geo.Distance(geo.Point{Lon: a.Lon, Lat: a.Lat}, geo.Point{Lon: b.Lon, Lat: b.Lat}) / 1852 / b.Time.Sub(a.Time).Hours()
}

// still reports whether a ship truly lay still for a while.
func (s *sea) still(m ais.MMSI, from, to time.Time) bool {
	return !slices.ContainsFunc(s.places[m], func(e sim.Truth) bool {
		return e.Time.After(from.Add(time.Minute)) && e.Time.Before(to.Add(-time.Minute))
	})
}

// happened reports whether something of a kind truly happened to a ship around a time.
func (s *sea) happened(m ais.MMSI, kind string, from, to time.Time) bool {
	return slices.ContainsFunc(s.events[m], func(e sim.Truth) bool { return e.Kind == kind && !e.Time.Before(from) && !e.Time.After(to) })
}

// passed reports whether the true way of a ship leads over the border of a port around a time.
func (s *sea) passed(m ais.MMSI, p *chart.Port, at time.Time) bool {
	was, known := false, false
	for _, e := range s.places[m] {
		if e.Time.Before(at.Add(-20*time.Minute)) || e.Time.After(at.Add(4*time.Minute)) { // a ship has left when it is 500 m outside
			continue
		}
		in := p.Outer.Contains(geo.Point{Lon: e.Lon, Lat: e.Lat})
		if known && in != was {
			return true
		}
		was, known = in, true
	}
	return false
}

// verdict reports whether an event is true, and why not.
func (s *sea) verdict(e *Event) (fine bool, why string) {
	m, at := e.Ship.MMSI, e.At()
	around := func(kind string, before, after time.Duration) bool {
		return s.happened(m, kind, at.Add(-before), at.Add(after))
	}
	switch {
	case e.Initial:
		return true, ""
	case e.Type == watchdog.Port:
		i := slices.IndexFunc(s.ports, func(p *chart.Port) bool { return p.ID == e.Port.ID })
		switch e.Kind {
		case watchdog.Moored:
			return around(sim.Berthing, 30*time.Minute, 15*time.Minute) || s.still(m, at, at.Add(4*time.Minute)), "it did not lie still"
		case watchdog.Unmoored:
			return around(sim.Departure, 30*time.Minute, 15*time.Minute) || s.still(m, at.Add(-4*time.Minute), at), "it did not lie still before"
		}
		return s.passed(m, s.ports[i], at), "it did not pass the border"
	case e.Type == watchdog.Fishing && e.Kind == watchdog.Enter:
		return s.trawled(m, at), "it did not fish"
	case e.Kind == watchdog.Risk:
		knots := s.knots(m, at)
		switch e.Reason {
		case watchdog.Stopped:
			return knots < 0.7 || around(sim.Anchoring, time.Hour, 5*time.Minute) && knots < 3, fmt.Sprintf("it sailed at %.1f knots", knots)
		case watchdog.Slow:
			// The truth has a place a minute, and a report is of a moment: a ship that slows down within that minute is slow in the next.
			return min(knots, s.knots(m, at.Add(time.Minute))) < 3.3, fmt.Sprintf("it sailed at %.1f knots", knots)
		case watchdog.Trawling:
			return s.trawled(m, at), "it did not fish"
		}
		return false, "nothing drags and nobody is in distress here"
	}
	return true, ""
}

// trawled reports whether a ship fished around a time: it said so within ten minutes, or it sailed at the speed of the simulator's trawls, since class B cannot
// say it.
func (s *sea) trawled(m ais.MMSI, at time.Time) bool {
	slow := 0
	for minute := range 10 {
		if knots := s.knots(m, at.Add(-time.Duration(minute)*time.Minute)); knots > 0.3 && knots < 3.4 {
			slow++
		}
	}
	return slow >= 6 || slices.ContainsFunc(s.trawls[m], func(w [2]time.Time) bool { return !at.Before(w[0]) && at.Sub(w[1]) < 10*time.Minute })
}

// TestFalseAlarms counts which events of watchdogs at their defaults are true in two simulated harbours, and what they did not tell. ALARM_DAYS makes it longer: the
// figures of docs/watchdogs.md are those of seven days.
func TestFalseAlarms(t *testing.T) {
	length := 3 * time.Hour
	if n, err := strconv.Atoi(os.Getenv("ALARM_DAYS")); err == nil {
		length = time.Duration(n) * 24 * time.Hour
	}
	s := newSea(t)
	s.sail(length)
	good, bad := map[string]int{}, map[string]int{}
	rung := map[string]map[ais.MMSI][]*Event{}
	for e, err := range s.watch.After(0) {
		if err != nil {
			t.Fatal(err)
		}
		key := fmt.Sprint(e.Type, " ", e.Kind, " ", e.Reason)
		if fine, why := s.verdict(&e); fine {
			good[key]++
		} else {
			bad[key]++
			t.Logf("%s of %s at %s (%s): %s", key, e.Ship.Name, e.At().Format(time.DateTime), e.Name, why)
		}
		if rung[key] == nil {
			rung[key] = map[ais.MMSI][]*Event{}
		}
		rung[key][e.Ship.MMSI] = append(rung[key][e.Ship.MMSI], &e)
	}
	for _, key := range slices.Sorted(maps.Keys(rung)) {
		t.Logf("%-28s %5d true, %4d in vain", key, good[key], bad[key])
		if bad[key] > 3 && bad[key] > good[key]/4 {
			t.Errorf("%s: too many are in vain", key)
		}
	}
	if good["fishing enter "] < 10 || good["port moored "] < 50 {
		t.Errorf("there was too little to tell")
	}
	s.missed(rung, begin.Add(length))
}

// missed tells what truly happened and was not told.
func (s *sea) missed(rung map[string]map[ais.MMSI][]*Event, end time.Time) {
	told := func(key string, m ais.MMSI, from, to time.Time) bool {
		return slices.ContainsFunc(rung[key][m], func(e *Event) bool { return !e.At().Before(from) && !e.At().After(to) })
	}
	goesOn := func(m ais.MMSI, from, to time.Time) bool {
		return slices.ContainsFunc(rung["fishing enter "][m], func(e *Event) bool {
			return !e.At().After(to) && (e.Deactivated == 0 || e.Deactivated > from.UnixMilli())
		})
	}
	all, missed := map[string]int{}, map[string]int{}
	take := func(kind string, e sim.Truth, found bool) {
		if all[kind]++; !found {
			missed[kind]++
			s.t.Logf("not told: %s of %d at %s, berth %s", kind, e.MMSI, e.Time.Format(time.DateTime), e.Berth)
		}
	}
	for m, list := range s.events {
		for i, e := range list {
			if e.Time.Sub(begin) < time.Hour || end.Sub(e.Time) < time.Hour {
				continue
			}
			switch {
			case e.Kind == sim.Berthing && (i+1 == len(list) || list[i+1].Time.Sub(e.Time) > 10*time.Minute):
				take("berthing", e, told("port moored ", m, e.Time.Add(-10*time.Minute), e.Time.Add(30*time.Minute)))
			case e.Kind == sim.Departure && e.Since != nil && e.Time.Sub(*e.Since) > 10*time.Minute:
				take("departure", e, told("port unmoored ", m, e.Time.Add(-10*time.Minute), e.Time.Add(30*time.Minute)))
			}
		}
	}
	for m, list := range s.trawls {
		for _, w := range list {
			for _, e := range s.events[m] { // a ship that left port within the hour is on its way
				if sailed := e.Time.Add(75 * time.Minute); e.Kind == sim.Departure && e.Time.Before(w[1]) && sailed.After(w[0]) {
					w[0] = sailed
				}
			}
			for _, e := range s.places[m] { // one inside of the border of a port, or that left it within the hour, does not fish
				if sailed := e.Time.Add(75 * time.Minute); e.Time.Before(w[1]) && sailed.After(w[0]) && len(s.areas.Ports.Current().At(nil, geo.Point{Lon: e.Lon, Lat: e.Lat})) > 0 {
					w[0] = sailed
				}
			}
			if w[1].Sub(w[0]) > 20*time.Minute && w[0].Sub(begin) > time.Hour {
				take("fishing", sim.Truth{MMSI: m, Time: w[0]}, goesOn(m, w[0], w[1].Add(time.Minute)))
			}
		}
	}
	for _, kind := range slices.Sorted(maps.Keys(all)) {
		s.t.Logf("%s: %d, %d not told", kind, all[kind], missed[kind])
		if missed[kind] > all[kind]/50 {
			s.t.Errorf("%s: too many are not told", kind)
		}
	}
}
