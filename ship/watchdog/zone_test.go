package watchdog_test

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"quaywatch/ais"
	"quaywatch/geo"
	"quaywatch/ship"
	"quaywatch/ship/watchdog"
)

const centre = ais.MMSI(211000001) // the first vessel of reports

func zoneOf(t testing.TB, change func(d *watchdog.Spec)) *watchdog.Zone {
	d := watchdog.Spec{Type: watchdog.Around, Ships: watchdog.Ships{MMSI: centre}, Radius: 500}
	if change != nil {
		change(&d)
	}
	return watchdog.NewZone(machine(t, d))
}

// keeper is what keeps the alarms of a zone, and hears everything.
type keeper struct {
	zone   *watchdog.Zone
	alarms map[ais.MMSI]*watchdog.ShipMemory
	told   []string
}

func (k *keeper) alarm(m ais.MMSI) *watchdog.ShipMemory {
	if k.alarms[m] == nil {
		k.alarms[m] = &watchdog.ShipMemory{}
	}
	return k.alarms[m]
}

func (k *keeper) note(m ais.MMSI, events []watchdog.Occurrence) {
	for _, e := range events {
		line := fmt.Sprintf("%d %d %s", (e.At-begin)/1000, m%10, e.Kind)
		if e.Initial {
			line += " initial"
		}
		k.told = append(k.told, line)
	}
}

// hear hands a report to the zone, as package watchdogs does.
func (k *keeper) hear(r watchdog.Position) {
	if m := r.State.MMSI; m != centre {
		k.note(m, k.zone.Report(k.alarm(m), r, nil))
		return
	}
	_, look := k.zone.Move(r)
	for i := 0; look && i < k.zone.Len(); i++ {
		m := k.zone.Ship(i).MMSI
		k.note(m, k.zone.Look(i, k.alarm(m), nil))
	}
}

// tick lets a time pass, in seconds.
func (k *keeper) tick(m *watchdog.Machine, second int) {
	now := begin + int64(second)*1000
	k.zone.Tick(now)
	for mmsi, a := range k.alarms {
		k.note(mmsi, m.Tick(a, now, nil))
	}
}

// TestAZoneMovesWithItsShip goes through what ships do near one that is watched, in the words of the bridge. Reports come each ten seconds.
func TestAZoneMovesWithItsShip(t *testing.T) {
	tanker := vessel{east: -3000, course: 90, knots: 12}
	lies := vessel{north: 300}
	for name, row := range map[string]struct {
		change  func(d *watchdog.Spec)
		seconds int
		ships   []vessel
		want    []string
	}{
		"the ship sails past one that lies":           {nil, 900, []vessel{tanker, lies}, []string{"421 2 enter", "560 2 leave"}},
		"a boat comes to the ship that lies":          {nil, 300, []vessel{lies, {north: 2000, course: 180, knots: 20}}, []string{"120 2 enter", "220 2 leave"}},
		"one lies alongside from the beginning":       {nil, 60, []vessel{{}, {north: 100}}, []string{"1 2 enter initial"}},
		"one passes outside":                          {nil, 900, []vessel{tanker, {north: 600}}, nil},
		"one lies between the way in and the way out": {nil, 900, []vessel{{}, {north: 530}}, nil},
		"only tankers":                                {func(d *watchdog.Spec) { d.Filter = filter(t, "type = tanker") }, 900, []vessel{tanker, lies}, nil},
		"three reports in a row":                      {func(d *watchdog.Spec) { d.ToActivate = 3 }, 900, []vessel{tanker, lies}, []string{"431 2 enter", "560 2 leave"}},
		"at most each hour":                           {func(d *watchdog.Spec) { d.BetweenTimes = time.Hour }, 900, []vessel{tanker, lies}, []string{"421 2 enter", "560 2 leave"}},
	} {
		t.Run(name, func(t *testing.T) {
			k := &keeper{zone: zoneOf(t, row.change), alarms: map[ais.MMSI]*watchdog.ShipMemory{}}
			for _, r := range reports(row.seconds, row.ships...) {
				k.hear(r)
			}
			if !slices.Equal(k.told, row.want) {
				t.Errorf("%q, want %q", k.told, row.want)
			}
		})
	}
}

// TestASilentCenterEndsNothingAtOnce: while nobody knows where the zone is nothing begins and nothing ends; after a quarter of an hour it is over, at the time
// at which that was due, whenever a tick comes, and also after a restart.
func TestASilentCenterEndsNothingAtOnce(t *testing.T) {
	for _, restart := range []bool{false, true} {
		d := watchdog.Spec{Type: watchdog.Around, Ships: watchdog.Ships{MMSI: centre}, Radius: 500}
		m := machine(t, d)
		k := &keeper{zone: watchdog.NewZone(m), alarms: map[ais.MMSI]*watchdog.ShipMemory{}}
		ships := []vessel{{knots: 6, silent: 100}, {north: 300, knots: 6}, {north: 5000, course: 180, knots: 40}}
		for _, r := range reports(800, ships...) {
			k.hear(r)
			if restart && r.State.Fix.At == begin+500_000 {
				k.zone = watchdog.NewZone(m)
			}
		}
		k.tick(m, 989)
		if want := []string{"1 2 enter initial"}; !slices.Equal(k.told, want) {
			t.Errorf("%q, want %q", k.told, want)
		}
		for _, a := range k.alarms {
			if restart {
				a.Deaf(begin + 600_000) // the box was off until then
			}
		}
		k.tick(m, 2000)
		want := "990 2 timeout"
		if restart {
			want = "1500 2 timeout"
		}
		if len(k.told) != 2 || k.told[1] != want {
			t.Errorf("%q, want %s", k.told, want)
		}
	}
}

// TestZonesAreRefused: what a zone has not is refused by its field.
func TestZonesAreRefused(t *testing.T) {
	for want, change := range map[string]func(d *watchdog.Spec){
		"/zone/mmsi":               func(d *watchdog.Spec) { d.Ships.MMSI = 0 },
		"/zone/radius":             func(d *watchdog.Spec) { d.Radius = math.NaN() },
		"/samples_between_trigger": func(d *watchdog.Spec) { d.BetweenTriggers = 2 },
		"/cable/buffer":            func(d *watchdog.Spec) { d.Buffer = 5 },
		"/window":                  func(d *watchdog.Spec) { d.Window = time.Hour },
	} {
		d := watchdog.Spec{Type: watchdog.Around, Ships: watchdog.Ships{MMSI: centre}, Radius: 500}
		change(&d)
		_, err := watchdog.New(d)
		var field *watchdog.FieldError
		if !errors.As(err, &field) || field.Pointer != want {
			t.Errorf("%v, want %s", err, want)
		}
	}
}

// TestAZoneFollowsSoManyShips: beyond that reports count for nothing, and it says so.
func TestAZoneFollowsSoManyShips(t *testing.T) {
	z := zoneOf(t, nil)
	for i := range 1500 {
		fix := place(0, 54.1, 10, 0)
		z.Report(&watchdog.ShipMemory{}, watchdog.Position{State: &ship.State{MMSI: ais.MMSI(219000000 + i), Class: ship.ClassA, HasFix: true, Fix: fix}}, nil)
	}
	if z.Len() != 1000 || z.Crowded() != 500 {
		t.Errorf("%d are followed, %d reports counted for nothing", z.Len(), z.Crowded())
	}
	if z.Tick(begin + 3600_000); z.Len() != 0 {
		t.Errorf("%d are followed after an hour of silence", z.Len())
	}
}

// TestACrowdedZoneSeesWhoComesNear: where more ships lie round the circle than are followed, those that are far make room. So a ship that comes into the
// circle is told all the same, also when all lie at one place.
func TestACrowdedZoneSeesWhoComesNear(t *testing.T) {
	for name, spread := range map[string]float64{"round it": 1, "at one place": 0} {
		z := zoneOf(t, nil)
		at := func(i, second int, metres float64) watchdog.Position {
			to := geo.Destination(geo.Point{Lon: 10, Lat: 54}, 90, metres)
			fix := place(second, to.Lat, to.Lon, 0)
			return watchdog.Position{State: &ship.State{MMSI: ais.MMSI(219000000 + i), Class: ship.ClassA, HasFix: true, Fix: fix}}
		}
		middle := at(0, 0, 0)
		middle.State.MMSI = centre
		z.Move(middle)
		for i := range 3000 {
			z.Report(&watchdog.ShipMemory{}, at(i, 1, 2000+float64(i)*spread), nil)
		}
		if z.Len() > 1000 || z.Len() < 750 || z.Crowded() == 0 {
			t.Errorf("%s: %d are followed, %d reports counted for nothing", name, z.Len(), z.Crowded())
		}
		var a watchdog.ShipMemory
		z.Report(&a, at(5000, 2, 1500), nil)
		if told := z.Report(&a, at(5000, 12, 300), nil); len(told) != 1 || told[0].Kind != watchdog.Enter || told[0].Initial {
			t.Errorf("%s: %v", name, told)
		}
	}
}

// slowZone tells by brute force what a zone has to say of one other ship: for each moment at which one of the two reports it looks through the log of both.
type slowZone struct {
	d    watchdog.Spec
	log  []ship.State
	near bool // a distance was so near to a limit that two ways of reckoning may differ
}

// last returns the latest report of a ship until a moment of the log.
func (b *slowZone) last(n int, center bool) (s *ship.State) {
	for i := range n + 1 {
		if (b.log[i].MMSI == centre) == center {
			s = &b.log[i]
		}
	}
	return s
}

// where reckons a ship to a time, on the sphere.
func (b *slowZone) where(s *ship.State, now int64) (geo.Point, bool) {
	age, most := now-s.Fix.At, int64(30_000)
	if s.Class == ship.ClassB {
		most = 90_000
	}
	knots, _ := s.Fix.SOG.Knots()
	course, _ := s.Fix.COG.Degrees()
	if knots <= 1 {
		return s.Fix.Point(), age <= 390_000
	}
	return geo.Destination(s.Fix.Point(), course, knots*1852/3600*float64(age)/1000), age <= most
}

// tell returns what happened.
func (b *slowZone) tell() (told []string) {
	var looks []bool // of each look since the last event, whether the ship was inside
	active, inside, outside, initial, looked := false, false, false, false, int64(0)
	for n := range b.log {
		s := &b.log[n]
		if s.MMSI == centre {
			if s.Fix.At-looked < 2000 {
				continue
			}
			looked = s.Fix.At
		}
		c, o := b.last(n, true), b.last(n, false)
		if c == nil || o == nil {
			continue
		}
		now := s.Fix.At
		at, ok := b.where(c, now)
		p, also := b.where(o, now)
		if !ok || !also {
			continue
		}
		limit := b.d.Radius
		if inside || active {
			limit += max(10, limit/10)
		}
		metres := geo.Distance(at, p)
		b.near = b.near || math.Abs(metres-limit) < 1+limit/1000
		is := metres <= limit
		if is && !inside {
			initial = !active && !outside
		}
		inside, outside = is, outside || !is
		looks = append(looks, is)
		row := 0
		for i := len(looks) - 1; i >= 0 && looks[i] == is; i-- {
			row++
		}
		switch {
		case is && !active && row >= b.d.ToActivate:
			told, active, looks = append(told, fmt.Sprintf("%d enter %v", now-begin, initial)), true, nil
		case !is && active && row >= b.d.ToDeactivate:
			told, active, looks = append(told, fmt.Sprintf("%d leave false", now-begin)), false, nil
		}
	}
	return told
}

// TestZonesAgainstBruteForce: of a thousand random voyages of two ships the zone tells what the slow one tells, and says it in the same order.
func TestZonesAgainstBruteForce(t *testing.T) {
	compared, told := 0, 0
	for seed := range uint64(1000) {
		r := rand.New(rand.NewPCG(seed, 7))
		d := watchdog.Spec{Type: watchdog.Around, Ships: watchdog.Ships{MMSI: centre}, Radius: 50 + 2000*r.Float64(), ToActivate: 1 + r.IntN(3), ToDeactivate: 1 + r.IntN(3)}
		slow := &slowZone{d: d}
		at, next := []geo.Point{{Lon: 10, Lat: 54}, {Lon: 10.03, Lat: 54.01}}, []int64{0, int64(r.IntN(5000))}
		course, knots := []float64{360 * r.Float64(), 360 * r.Float64()}, []float64{20 * r.Float64(), 20 * r.Float64()}
		class := []ship.Class{ship.ClassA, ship.ClassB}
		before := make([]ship.Fix, 2)
		k := &keeper{zone: watchdog.NewZone(machine(t, d)), alarms: map[ais.MMSI]*watchdog.ShipMemory{}}
		var got []string
		for range 250 {
			i := 0
			if next[1] < next[0] {
				i = 1
			}
			fix := ship.Fix{At: begin + next[i], Lon: int32(math.Round(at[i].Lon * 600000)), Lat: int32(math.Round(at[i].Lat * 600000)), SOG: ais.SOGTenths(int(knots[i] * 10)),
				COG: ais.COGTenths(int(course[i] * 10))}
			s := ship.State{MMSI: centre + ais.MMSI(i), Class: class[(i+int(seed))%2], HasFix: true, Fix: fix, Reports: 9}
			slow.log = append(slow.log, s)
			report := watchdog.Position{Before: before[i], State: &s}
			before[i] = fix
			m := centre + 1
			if i == 0 {
				if _, look := k.zone.Move(report); look && k.zone.Len() > 0 {
					got = append(got, lines(k.zone.Look(0, k.alarm(m), nil))...)
				}
			} else {
				got = append(got, lines(k.zone.Report(k.alarm(m), report, nil))...)
			}
			gap := int64(1000 + r.IntN(15_000))
			if r.IntN(40) == 0 {
				gap = int64(r.IntN(600_000))
			}
			next[i] += gap
			at[i] = geo.Destination(at[i], course[i], knots[i]*1852/3600*float64(gap)/1000)
			if other := at[1-i]; geo.Distance(at[i], other) > 4000 || r.IntN(50) == 0 { // back to the other
				course[i], knots[i] = bearing(at[i], other), 25*r.Float64()
				if r.IntN(4) == 0 {
					knots[i] = r.Float64()
				}
			}
		}
		want := slow.tell()
		if slow.near {
			continue
		}
		compared, told = compared+1, told+len(want)
		if !slices.Equal(got, want) {
			t.Fatalf("seed %d: %q, want %q", seed, got, want)
		}
	}
	if compared < 300 || told < 700 {
		t.Errorf("only %d voyages with %d events were compared", compared, told)
	}
}

func lines(events []watchdog.Occurrence) (all []string) {
	for _, e := range events {
		all = append(all, fmt.Sprintf("%d %s %v", e.At-begin, e.Kind, e.Initial))
	}
	return all
}

// bearing returns the course from a place to one near it.
func bearing(from, to geo.Point) float64 {
	v := geo.PlaneAt(from).Vector(to)
	return math.Mod(math.Atan2(v.X, v.Y)*180/math.Pi+360, 360)
}
