//go:build !race

package stats

import (
	"bufio"
	"cmp"
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"quaywatch/ais"
	"quaywatch/engine/portcalls"
	"quaywatch/geo"
	"quaywatch/geo/chart"
	"quaywatch/ship"
	"quaywatch/ship/portcall"
	"quaywatch/ship/shiptest"
)

// byHand finds outings in the slow way: it looks at each boat and each ship at each tick, and at all stays for each transfer. Ships tell no dimensions here, so
// hulls are points.
type byHand struct {
	x      *sailed
	ports  *chart.Ports
	tracks map[ais.MMSI]ship.Track
	stays  map[ais.MMSI][]handStay
	boats  []ais.MMSI
	pilots []ais.MMSI // those that are pilot vessels by their type
	all    []handTransfer
}

// handStay is a stay alongside, with its call.
type handStay struct {
	portcall.Stay
	call *portcalls.KeptCall
	came int64
}

// handTransfer is a boat beside a ship.
type handTransfer struct {
	boat, ship  ais.MMSI
	first, last int64
	kind        string
}

func (x *sailed) byHand(ports *chart.Ports, ships, boats, pilots []ais.MMSI) *byHand {
	h := &byHand{x: x, ports: ports, tracks: map[ais.MMSI]ship.Track{}, stays: map[ais.MMSI][]handStay{}, boats: boats, pilots: pilots}
	for _, m := range ships {
		track, err := x.config.DB.Track(x.t.Context(), m, x.begin, x.end)
		if err != nil {
			x.t.Fatal(err)
		}
		h.tracks[m] = track
	}
	err := x.config.Calls.InTime(x.t.Context(), x.begin.AddDate(-1, 0, 0), x.end.AddDate(1, 0, 0), func(c *portcalls.KeptCall) bool {
		one := *c
		for _, s := range one.Found.Stays {
			if s.Kind == portcall.Berthed {
				h.stays[one.MMSI] = append(h.stays[one.MMSI], handStay{s, &one, int64(cmp.Or(s.From, s.Seen))})
			}
		}
		return true
	})
	if err != nil {
		x.t.Fatal(err)
	}
	for _, all := range h.stays {
		slices.SortFunc(all, func(a, b handStay) int { return cmp.Compare(a.came, b.came) })
	}
	return h
}

// leg returns the leg of a ship at a time, between two reports that are ten minutes apart at most.
func (h *byHand) leg(m ais.MMSI, ms int64) (from, to ship.Fix, ok bool) {
	track := h.tracks[m]
	i, _ := slices.BinarySearchFunc(track, ms+1, func(f ship.Fix, ms int64) int { return cmp.Compare(f.At, ms) })
	if i == 0 || i == len(track) {
		return from, to, false
	}
	from, to = track[i-1], track[i]
	return from, to, to.At-from.At <= 600_000 && to.Mark&ship.NewSegment == 0
}

// handState is where a ship is, and how it moves.
type handState struct {
	at          geo.Point
	knots, turn float64
}

func stateOn(from, to ship.Fix, ms int64) (s handState) {
	share := float64(ms-from.At) / float64(to.At-from.At)
	a, b := from.Point(), to.Point()
	s.at = geo.Point{Lon: a.Lon + share*math.Remainder(b.Lon-a.Lon, 360), Lat: a.Lat + share*(b.Lat-a.Lat)}.Normalized()
	value := func(one, other int, cycle float64) float64 { // in tenths and 1, 0 is not known
		switch {
		case one > 0 && other > 0 && cycle > 0:
			return (float64(one-1) + share*math.Remainder(float64(other-one), cycle)) / 10
		case one > 0 && other > 0:
			return (float64(one-1) + share*float64(other-one)) / 10
		case one > 0:
			return float64(one-1) / 10
		case other > 0:
			return float64(other-1) / 10
		}
		return math.NaN()
	}
	way := geo.Distance(a, b)
	if s.knots = value(int(from.SOG), int(to.SOG), 0); math.IsNaN(s.knots) {
		s.knots = way / 1852 / (float64(to.At-from.At) / 3600_000)
	}
	if s.turn = value(int(from.COG), int(to.COG), 3600); math.IsNaN(s.turn) && way >= 30 {
		s.turn = geo.Bearing(a, b)
	}
	return s
}

// beside reports whether a boat is beside a ship at a tick.
func (h *byHand) beside(boat, m ais.MMSI, ms int64) bool {
	a, b, ok := h.leg(boat, ms)
	c, d, also := h.leg(m, ms)
	if !ok || !also {
		return false
	}
	one, other := stateOn(a, b, ms), stateOn(c, d, ms)
	return other.knots >= 3 && other.knots <= 15 && math.Abs(other.knots-one.knots) <= 2 &&
		math.Abs(math.Remainder(other.turn-one.turn, 360)) <= 20 && geo.Distance(one.at, other.at) <= 50
}

// transfers returns those of all boats, the earliest first.
func (h *byHand) transfers() (all []handTransfer) {
	for _, boat := range h.boats {
		for m := range h.tracks {
			if slices.Contains(h.boats, m) || slices.Contains(h.pilots, m) {
				continue
			}
			one := handTransfer{boat: boat, ship: m, first: -1}
			end := func() {
				if length := one.last - one.first; one.first >= 0 && length >= 60_000 && length <= 20*60_000 && !h.atBerth(boat, one.first) {
					all = append(all, one)
				}
				one.first = -1
			}
			for ms := h.x.begin.UnixMilli() / 5000 * 5000; ms < h.x.end.UnixMilli(); ms += 5000 {
				if !h.beside(boat, m, ms) {
					continue
				}
				if one.first >= 0 && ms-one.last > 120_000 {
					end()
				}
				if one.last = ms; one.first < 0 {
					one.first = ms
				}
			}
			end()
		}
	}
	slices.SortFunc(all, func(a, b handTransfer) int {
		return cmp.Or(cmp.Compare(a.first, b.first), cmp.Compare(a.boat, b.boat), cmp.Compare(a.ship, b.ship))
	})
	return all
}

// atBerth reports whether a boat is where ships lie alongside.
func (h *byHand) atBerth(boat ais.MMSI, ms int64) bool {
	from, to, _ := h.leg(boat, ms)
	at := stateOn(from, to, ms).at
	return slices.ContainsFunc(h.ports.All(), func(p *chart.Port) bool {
		return slices.ContainsFunc(p.Inner, func(g geo.Polygon) bool { return g.Contains(at) })
	})
}

// kinds says what each transfer was, by all that came before it.
func (h *byHand) kinds(all []handTransfer) {
	const day = 24 * 3600_000
	for i := range all {
		t := &all[i]
		left, next := int64(-1), int64(math.MaxInt64) // when it last let go, and when it is next alongside
		for _, s := range h.stays[t.ship] {
			if s.came > t.first {
				next = min(next, s.came)
			} else {
				left = max(left, int64(s.Last), int64(s.To))
			}
		}
		var before *handTransfer
		for k := range i {
			if all[k].ship == t.ship && t.first-all[k].first <= day {
				before = &all[k]
			}
		}
		since := t.first - left
		known := left > 0 && since <= day
		switch {
		case before != nil && t.first-before.last <= 120_000:
			t.kind = before.kind
		case before != nil && (left <= 0 || before.first >= left):
			t.kind = map[string]string{"board": "disembark", "disembark": "board"}[before.kind]
		case known && (next == math.MaxInt64 || since <= next-t.first):
			t.kind = "disembark"
		default:
			t.kind = "board"
		}
	}
}

// outings returns the outings in a period, each as a text. Those of no port that is asked for are left out; nil asks for all.
func (h *byHand) outings(begin, end time.Time, ports map[uint64]bool) (texts []string) {
	if h.all == nil {
		h.all = h.transfers()
		h.kinds(h.all)
	}
	found := map[string]string{}
	for _, t := range h.all {
		if t.first < begin.UnixMilli() || t.first >= end.UnixMilli() {
			continue
		}
		var from, to *handStay
		for i := range h.stays[t.boat] {
			if s := &h.stays[t.boat][i]; s.came <= t.first {
				from = s
			} else if to == nil {
				to = s
			}
		}
		if of := cmp.Or(from, to); ports != nil && (of == nil || !ports[of.call.Found.Port]) {
			continue
		}
		key := fmt.Sprint(t.boat, " ", endText(from), " ", endText(to))
		found[key] += fmt.Sprint(" ", t.ship, "@", t.first, t.kind)
	}
	for key, text := range found {
		texts = append(texts, key+text)
	}
	slices.Sort(texts)
	return texts
}

// endText names a stay.
func endText(s *handStay) string {
	if s == nil {
		return "-"
	}
	return fmt.Sprint(s.call.ID, "/", s.Seen)
}

// outingTexts returns the outings of a result, as those by hand.
func (x *sailed) outingTexts(more string) (texts []string) {
	x.t.Helper()
	for _, r := range x.ask("pilotboat", more) {
		var one struct {
			Ship       struct{ MMSI ais.MMSI }
			Operations []served
		}
		if err := json.Unmarshal(r.Data, &one); err != nil {
			x.t.Fatal(err)
		}
		end := func(c *portcalls.KeptCall, stay int) string {
			if c == nil {
				return "-"
			}
			return fmt.Sprint(c.ID, "/", c.Found.Stays[stay].Seen)
		}
		text := fmt.Sprint(one.Ship.MMSI, " ", end(r.Call, r.Stay), " ", end(r.Next, r.Berth))
		for _, o := range one.Operations {
			text += fmt.Sprint(" ", o.Ship.MMSI, "@", o.At.UnixMilli(), o.Kind)
		}
		texts = append(texts, text)
	}
	slices.Sort(texts)
	return texts
}

// ferry invents a ship that sails between the quays, and lies at them or turns before them. It tells a steady speed and course.
func ferry(r *rand.Rand, q quays, begin time.Time, length time.Duration) ship.Track {
	s := scriptAt(q.west, begin.Add(time.Duration(r.IntN(3600))*time.Second).Truncate(5*time.Second))
	for legs := r.IntN(2); s.now < begin.Add(length).UnixMilli(); legs++ {
		place := []geo.Point{q.west, q.east}[legs%2]
		if r.IntN(3) == 0 {
			place = geo.Destination(place, 360*r.Float64(), 3000)
		}
		if s.to(place, 5+8*r.Float64()); geo.Distance(place, q.west) < 10 || geo.Distance(place, q.east) < 10 {
			s.lie(time.Duration(10+r.IntN(60)) * time.Minute)
		}
		if r.IntN(4) == 0 {
			s.silent(time.Duration(r.IntN(40)) * time.Minute)
		}
	}
	return s.track
}

// working invents a boat that goes out from a quay to some ships, is more or less near each for some minutes, and comes back to a quay.
func working(r *rand.Rand, q quays, ships map[ais.MMSI]ship.Track, begin time.Time, length time.Duration) ship.Track {
	h := &byHand{tracks: ships}
	numbers := make([]ais.MMSI, 0, len(ships))
	for m := range ships {
		numbers = append(numbers, m)
	}
	slices.Sort(numbers)
	s := scriptAt(q.west, begin)
	for s.now < begin.Add(length).UnixMilli() {
		if r.IntN(4) > 0 {
			s.lie(time.Duration(3+r.IntN(30)) * time.Minute)
		}
		for range 1 + r.IntN(3) {
			s.visit(r, h, numbers[r.IntN(len(numbers))])
		}
		s.to([]geo.Point{q.west, q.east}[r.IntN(2)], 45)
	}
	return s.track
}

// visit goes beside a ship: within ten minutes or so, and for up to 25.
func (s *script) visit(r *rand.Rand, h *byHand, m ais.MMSI) {
	from, to, ok := h.leg(m, s.now+600_000)
	if !ok {
		s.now += 60_000
		return
	}
	s.to(geo.Destination(stateOn(from, to, s.now+600_000).at, 90, 500), 40)
	off, bearing, faster := 65*r.Float64(), 360*r.Float64(), 2.5*r.Float64()
	for end := s.now + r.Int64N(25*60_000); s.now < end; s.now += 10_000 {
		from, to, ok := h.leg(m, s.now)
		if !ok {
			return
		}
		state := stateOn(from, to, s.now)
		s.at = geo.Destination(state.at, bearing, off)
		s.report(state.knots+faster, math.Mod(state.turn+360, 360))
	}
}

// TestOutingsByHand compares with the slow way: on invented tracks of both halves of the world, for all ports, for one and by a_team, for the whole time and for
// parts of it that begin and end at the moments of transfers.
func TestOutingsByHand(t *testing.T) {
	total := 0
	for seed := range uint64(4) {
		r := rand.New(rand.NewPCG(seed, 13))
		q := quaysAt([]float64{10, 179.8}[seed%2])
		tracks, ships := map[ais.MMSI]ship.Track{}, []ais.MMSI{}
		for i := range 6 {
			m := ais.MMSI(219000010 + i)
			tracks[m], ships = ferry(r, q, day(), 20*time.Hour), append(ships, m)
		}
		boats := []ais.MMSI{219000001, 219000002, 219000003}
		sailing := map[ais.MMSI]ship.Track{}
		for _, m := range ships {
			sailing[m] = tracks[m]
		}
		for _, m := range boats {
			tracks[m], ships = working(r, q, sailing, day(), 20*time.Hour), append(ships, m)
		}
		x := newQuays(t, q.ports(), tracks, boats...)
		hand := x.byHand(q.ports(), ships, boats, boats)
		hand.outings(x.begin, x.end, nil)
		all := hand.all
		for n := range 6 {
			begin, end := x.begin, x.end
			if n > 0 && len(all) > 0 {
				begin = time.UnixMilli(all[r.IntN(len(all))].first + r.Int64N(2))
				end = time.UnixMilli(max(all[r.IntN(len(all))].first, begin.UnixMilli()+1) + r.Int64N(2))
			}
			part, both := x.within(t, begin, end), shapeOf(q.west.Lon-1, q.west.Lon+2)
			for more, want := range map[string][]string{
				both:                                  hand.outings(begin, end, map[uint64]bool{1: true, 2: true}),
				shapeOf(q.west.Lon-1, q.west.Lon+0.2): hand.outings(begin, end, map[uint64]bool{1: true}),
				both + `,"a_team":[219000001,219000002,219000003]`: hand.outings(begin, end, nil),
			} {
				got := part.outingTexts(more)
				if total += len(want); !slices.Equal(got, want) {
					t.Errorf("seed %d, from %v to %v, %s:\n%s\nby hand\n%s", seed, begin, end, more, strings.Join(got, "\n"), strings.Join(want, "\n"))
				}
			}
		}
	}
	if t.Logf("%d outings by hand", total); total < 300 {
		t.Errorf("only %d outings", total)
	}
}

// TestRecordedOutingsByHand compares on a recorded water without ports, in which each second ship is asked for as a boat.
func TestRecordedOutingsByHand(t *testing.T) {
	tracks := map[ais.MMSI]ship.Track{}
	lines := bufio.NewScanner(shiptest.Recording(t, "csv/solent_2016-01-12.csv.gz"))
	for lines.Scan(); lines.Scan(); { // time, MMSI, latitude, longitude, course, speed
		words := strings.Split(strings.ReplaceAll(lines.Text(), `"`, ""), ",")
		at, err := time.Parse("2006-01-02 15:04:05.999", words[0])
		m, err2 := strconv.ParseInt(words[1], 10, 64)
		lat, err3 := strconv.ParseFloat(words[2], 64)
		lon, err4 := strconv.ParseFloat(words[3], 64)
		if err := cmp.Or(err, err2, err3, err4); err != nil {
			t.Fatal(err)
		}
		f := ship.Fix{At: at.UnixMilli(), Lon: int32(math.Round(lon / ais.PlaceUnit)), Lat: int32(math.Round(lat / ais.PlaceUnit))}
		if v, err := strconv.ParseFloat(words[4], 64); err == nil && v < 360 {
			f.COG = ais.COGTenths(int(math.Round(v * 10)))
		}
		if v, err := strconv.ParseFloat(words[5], 64); err == nil {
			f.SOG = ais.SOGTenths(int(math.Round(v * 10)))
		}
		tracks[ais.MMSI(m)] = append(tracks[ais.MMSI(m)], f)
	}
	var ships, boats []ais.MMSI
	for m := range tracks {
		ships = append(ships, m)
	}
	slices.Sort(ships)
	for i, m := range ships {
		slices.SortStableFunc(tracks[m], func(a, b ship.Fix) int { return cmp.Compare(a.At, b.At) })
		if tracks[m] = slices.CompactFunc(tracks[m], func(a, b ship.Fix) bool { return a.At == b.At }); i%2 == 0 {
			boats = append(boats, m)
		}
	}
	ports := chart.NewPorts(nil)
	x := newQuays(t, ports, tracks)
	team, err := json.Marshal(boats)
	if err != nil {
		t.Fatal(err)
	}
	want := x.byHand(ports, ships, boats, nil).outings(x.begin, x.end, nil)
	got := x.outingTexts(shapeOf(-10, 10) + `,"a_team":` + string(team))
	if t.Logf("%d boats of %d ships: %d outings", len(boats), len(ships), len(want)); len(want) == 0 || !slices.Equal(got, want) {
		t.Errorf("%s\nby hand\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}
