package portcall_test

import (
	"bufio"
	"cmp"
	"fmt"
	"slices"
	"testing"
	"time"

	"quaywatch/ais"
	"quaywatch/geo"
	"quaywatch/geo/chart"
	"quaywatch/ship"
	"quaywatch/ship/portcall"
	"quaywatch/ship/shiptest"
)

// listener merges the reports of a log as the live picture does.
type listener struct {
	ships  map[ais.MMSI]*heard
	limits ship.Limits
}

type heard struct {
	state ship.State
	gate  ship.Gate
	fixes []ship.Fix
}

func (l *listener) hear(r *ais.Report) {
	number := r.Message.Head().MMSI
	if l.ships[number] == nil {
		l.ships[number] = &heard{}
	}
	s := l.ships[number]
	out := ship.Merge(&s.state, s.gate, r, &l.limits)
	s.state, s.gate = out.Now, out.Gate
	if out.Change&ship.ChangedFix != 0 {
		s.fixes = append(s.fixes, out.Fix)
	}
}

// play returns the positions of the ships of a log.
func play(t *testing.T, name string) map[ais.MMSI]*heard {
	t.Helper()
	l := listener{map[ais.MMSI]*heard{}, ship.DefaultLimits()}
	d, pool := ais.NewDecoder(ais.DecoderConfig{Feed: "roof", Clock: ais.LogClock}), ais.NewPool(1)
	now := time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)
	take := func(fill func(b *ais.Batch)) {
		b := pool.Get()
		fill(b)
		for i := range b.Reports {
			l.hear(&b.Reports[i])
		}
		b.Release()
	}
	for lines := bufio.NewScanner(shiptest.Recording(t, name)); lines.Scan(); {
		take(func(b *ais.Batch) { d.Line(b, lines.Bytes(), now) })
	}
	take(func(b *ais.Batch) { d.Flush(b, now) })
	return l.ships
}

// TestRecordedStatuses compares how ships lie by their motion with what their crews set. Of each ship that lay for 20 minutes or more as
// moored, or as at anchor, the place was looked at by hand: in each case the crew was right.
func TestRecordedStatuses(t *testing.T) {
	all, wrong := map[ais.NavStatus]int{}, 0
	for _, name := range []string{"nmea/kadetrenden_2013-07-31.nmea.gz", "nmea/sanfrancisco_bay_2008-07-14.nmea.gz", "nmea/ijsselmeer_2016-08-15.nmea.gz"} {
		for number, s := range play(t, name) {
			if len(s.fixes) == 0 || s.state.Class != ship.ClassA {
				continue
			}
			home := s.fixes[0].Point()
			port := &chart.Port{ID: 1, Position: home, Placed: true, Outer: circle(home, 50_000)}
			for _, stay := range stays(portcall.NewPorts(chart.NewPorts([]*chart.Port{port}), nil), s.fixes) {
				status, one := statusIn(s.fixes, stay)
				kind := map[ais.NavStatus]portcall.StayKind{ais.StatusMoored: portcall.Berthed, ais.StatusAtAnchor: portcall.Anchored}[status]
				if !one || kind == 0 || stay.Last.Since(stay.Seen) < 20*time.Minute {
					continue
				}
				all[status]++
				if stay.Kind != kind {
					wrong++
					t.Logf("%s: %d is %s: %+v", name, number, status, stay)
				}
			}
		}
	}
	t.Logf("%d moored, %d at anchor, %d wrong", all[ais.StatusMoored], all[ais.StatusAtAnchor], wrong)
	if all[ais.StatusMoored] < 20 || all[ais.StatusAtAnchor] < 3 || wrong > 0 {
		t.Errorf("%d moored, %d at anchor, %d wrong", all[ais.StatusMoored], all[ais.StatusAtAnchor], wrong)
	}
}

// statusIn returns the status that a ship told in a stay; false when it told several.
func statusIn(fixes []ship.Fix, stay portcall.Stay) (status ais.NavStatus, one bool) {
	fixes = slices.DeleteFunc(slices.Clone(fixes), func(f ship.Fix) bool {
		return portcall.Millis(f.At) < stay.Seen || portcall.Millis(f.At) > stay.Last
	})
	status = fixes[0].Status
	return status, !slices.ContainsFunc(fixes, func(f ship.Fix) bool { return f.Status != status })
}

// stop is a time that a ship spent within 100 m of a place.
type stop struct {
	from, to time.Time
	at       geo.Point
}

// stops finds the stops of ten minutes or more, slowly: from each position on, how long the ship stays within 100 m of it.
func stops(fixes []ship.Fix) (found []stop) {
	for i := 0; i < len(fixes); {
		j := i
		for j+1 < len(fixes) && geo.Distance(fixes[i].Point(), fixes[j+1].Point()) <= 100 {
			j++
		}
		if fixes[j].At-fixes[i].At < (10 * time.Minute).Milliseconds() {
			i++
			continue
		}
		found = append(found, stop{fixes[i].Time(), fixes[j].Time(), fixes[i].Point()})
		i = j + 1
	}
	return found
}

// TestRecordedStops: each stop of ten minutes or more of the ships of four recordings is a stay, but two. One of these ships sailed up to
// 5.8 kn within 100 m, the other up to 2.1 kn.
func TestRecordedStops(t *testing.T) {
	all, moved := 0, 0
	logs := []string{"kadetrenden_2013-07-31.nmea.gz", "sanfrancisco_bay_2008-07-14.nmea.gz", "ijsselmeer_2016-08-15.nmea.gz", "hakefjord_2015-07-20.log.gz"}
	for _, name := range logs {
		for number, s := range play(t, "nmea/"+name) {
			if len(s.fixes) == 0 || s.state.Class != ship.ClassA && s.state.Class != ship.ClassB {
				continue
			}
			home := s.fixes[0].Point()
			port := &chart.Port{ID: 1, Position: home, Placed: true, Outer: circle(home, 50_000)}
			found := calls(portcall.NewPorts(chart.NewPorts([]*chart.Port{port}), nil), s.fixes)
			for _, stop := range stops(s.fixes) {
				all++
				switch {
				case slices.ContainsFunc(found, func(c *portcall.Call) bool { return stop.isIn(c, []*chart.Port{port}) }):
				case number == 366988490 || number == 265522230:
					moved++
				default:
					t.Errorf("%s: %d lies from %s to %s", name, number, stop.from, stop.to)
				}
			}
		}
	}
	t.Logf("%d stops, %d of ships that move", all, moved)
	if all < 100 || moved > 2 {
		t.Errorf("%d stops, %d of ships that move", all, moved)
	}
}

// aegean returns the positions of five ships in nine days, which tell no speed.
func aegean(t *testing.T) map[int][]ship.Fix {
	t.Helper()
	ships := map[int][]ship.Fix{}
	for lines := bufio.NewScanner(shiptest.Recording(t, "csv/aegean_5ships_9days.txt.gz")); lines.Scan(); {
		var id int
		var seconds int64
		var lon, lat float64
		if _, err := fmt.Sscan(lines.Text(), &id, &lon, &lat, &seconds); err != nil {
			t.Fatal(err)
		}
		fix := ship.Fix{At: 1000 * seconds, Lon: int32(lon / ais.PlaceUnit), Lat: int32(lat / ais.PlaceUnit), Status: ais.StatusUndefined}
		ships[id] = append(ships[id], fix)
	}
	for _, fixes := range ships {
		slices.SortStableFunc(fixes, func(a, b ship.Fix) int { return cmp.Compare(a.At, b.At) })
	}
	return ships
}

// TestEachStopIsACall: each stop of ten minutes or more in the circle of a listed port is in a call at such a port.
func TestEachStopIsACall(t *testing.T) {
	list, err := chart.LoadPorts()
	if err != nil {
		t.Fatal(err)
	}
	ports, all, near, called := portcall.NewPorts(list, nil), 0, 0, 0
	for id, fixes := range aegean(t) {
		found := calls(ports, fixes)
		for _, s := range stops(fixes) {
			all++
			at := list.At(nil, s.at)
			if len(at) == 0 {
				continue
			}
			near++
			name := fmt.Sprintf("%d %s %s", id, at[0].Name, s.from.Format("02 15:04"))
			switch {
			case slices.ContainsFunc(found, func(c *portcall.Call) bool { return s.isIn(c, at) }):
				called++
			default:
				t.Errorf("%s to %s, %.0f m from the port: in no call", name, s.to.Format("15:04"), geo.Distance(at[0].Position, s.at))
			}
		}
	}
	t.Logf("%d stops, %d of them in circles of ports, %d in calls", all, near, called)
	if near < 30 {
		t.Errorf("%d stops in circles", near)
	}
}

// isIn reports whether the ship lay at the time of the stop in a call at one of the ports.
func (s stop) isIn(c *portcall.Call, ports []*chart.Port) bool {
	return slices.ContainsFunc(ports, func(p *chart.Port) bool { return p.ID == c.Port }) &&
		slices.ContainsFunc(c.Stays, func(l portcall.Stay) bool { return !l.Seen.Time().After(s.to) && !l.Last.Time().Before(s.from) })
}
