//go:build !race

package alert

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"strconv"
	"testing"
	"time"

	"quaywatch/ais"
	"quaywatch/ais/sim"
	"quaywatch/engine/watchdogs"
	"quaywatch/geo"
	"quaywatch/geo/chart"
	"quaywatch/ship"
	"quaywatch/ship/shiptest"
	"quaywatch/ship/watchdog"
	"quaywatch/traffic"
	"quaywatch/users/library"
	"quaywatch/users/registry/portfile"
)

// water is what the master of a port knows of its waters.
type water struct {
	name     string
	all      [4]float64 // west, south, east, north
	approach [4]float64 // where ships are guarded against each other
	port     string     // LOCODE, "" for none
	anchor   [3]float64 // longitude, latitude and metres of the anchorage; none without metres
	basin    [4]float64 // where a speed limit holds; none where west is east
	knots    float64
	cables   []string // coordinates
	fleet    []ais.MMSI
	rang     int // sounds in the recording
}

func rectangle(r [4]float64) string {
	return fmt.Sprintf(`{"type":"Polygon","coordinates":[[[%[1]g,%[2]g],[%[3]g,%[2]g],[%[3]g,%[4]g],[%[1]g,%[4]g],[%[1]g,%[2]g]]]}`, r[0], r[1], r[2], r[3])
}

// firstDay gives the watchdogs that the master of a port sets up on the first day, with all their numbers at the defaults. What can cost a ship or a cable is a
// warning, an anchor that drags an alarm; the rest are notes, as is the default. docs/watchdogs.md has the list.
func (b *box) firstDay(w water) {
	b.t.Helper()
	number := 0
	set := func(kind, severity, fields string) {
		number++
		b.put(library.Watchdogs, fmt.Sprintf(`{"name":"%s, %d","type":%q,"severity":%q,%s}`, w.name, number, kind, severity, fields))
	}
	set("cpa", "warning", `"filter":"length >= 50","cpa":{"polygon":`+rectangle(w.approach)+`}`)
	set("fishing", "warning", `"fishing":`+rectangle(w.approach))
	set("silent", "note", `"silent":{"polygon":`+rectangle(w.all)+`}`)
	set("aton", "warning", `"aton":{"polygon":`+rectangle(w.all)+`}`)
	if w.port != "" {
		set("port", "note", fmt.Sprintf(`"port":{"locode":%q}`, w.port))
	}
	if w.anchor[2] > 0 {
		set("anchor", "alert", fmt.Sprintf(`"anchor":{"center":{"type":"Point","coordinates":[%g,%g]},"radius":%g}`, w.anchor[0], w.anchor[1], w.anchor[2]))
	}
	if w.basin[0] != w.basin[2] {
		set("speed", "note", fmt.Sprintf(`"speed":{"polygon":%s,"limit":%g}`, rectangle(w.basin), w.knots))
	}
	for _, line := range w.cables {
		set("cable", "warning", `"cable":{"type":"LineString","coordinates":`+line+`}`)
	}
	if len(w.fleet) > 0 {
		list := ""
		for i, m := range w.fleet {
			list += fmt.Sprintf(`%s{"mmsi":%d}`, map[bool]string{true: ","}[i > 0], m)
		}
		b.put(library.ShipLists, fmt.Sprintf(`{"name":"Fleet of %s","ships":[%s]}`, w.name, list))
		set("lost", "warning", fmt.Sprintf(`"lost":{"shiplist":"Fleet of %s"}`, w.name))
	}
}

// runs plays reports to watchdogs and alerts as the box does, and acknowledges what is raised once a minute.
type runs struct {
	*box
	picture *traffic.Picture
	saved   time.Time
	path    map[ais.MMSI][]ship.Fix
}

func (b *box) runs(clock ais.Clock) *runs {
	c := traffic.DefaultConfig()
	c.Clock = clock
	r := &runs{box: b, picture: traffic.New(c), path: map[ais.MMSI][]ship.Fix{}}
	b.watch.Stop()
	var err error
	if b.watch, err = watchdogs.Open(watchdogs.Config{DB: b.db, Library: b.areas.Library, Ports: b.areas.Ports.Current, LostAfter: r.picture.LostAfter,
		Names: func(string) ship.Lookup { return b.areas.Library.Anything() }, Generation: b.areas.Users.Generation, Changed: b.areas.Users.Changed,
		Ship: r.picture.Ship}); err != nil {
		b.t.Fatal(err)
	}
	planner := &Planner{Library: b.areas.Library, Generation: b.areas.Users.Generation}
	if b.Keeper, err = Open(Config{DB: b.db.Database, Watch: b.watch, Plan: planner.Of}); err != nil {
		b.t.Fatal(err)
	}
	return r
}

func (r *runs) Observe(u *ship.Update) {
	if u.Report != nil && u.Change&ship.ChangedFix != 0 && u.Now.HasFix {
		r.path[u.Now.MMSI] = append(r.path[u.Now.MMSI], u.Now.Fix)
	}
	r.watch.Observe(u)
}

func (r *runs) Tick(now time.Time) {
	r.watch.Tick(now)
	r.Keeper.Tick(now)
	if r.now = now; now.Sub(r.saved) >= time.Minute {
		r.saved = now
		r.look()
	}
}

// look makes alerts of what was raised, and acknowledges them.
func (r *runs) look() {
	r.raise()
	for _, a := range r.Current() {
		if a.State(r.reader()) == Active || a.State(r.reader()) == Rectified {
			if _, err := r.Acknowledge(a.ID, r.reader(), "anna"); err != nil {
				r.t.Fatal(err)
			}
		}
	}
}

// alerts returns all of them, the earliest first.
func (r *runs) alerts() (all []*Alert) {
	r.look()
	r.pass(2 * time.Minute)
	for _, a := range r.Current() {
		all = append(all, a.Alert)
	}
	if err := r.Past(time.Time{}, func(a *Alert) bool { all = append(all, a); return true }); err != nil {
		r.t.Fatal(err)
	}
	slices.SortFunc(all, func(a, b *Alert) int { return int(a.ID) - int(b.ID) })
	return all
}

// sounds returns how often alerts sound: each activation of a warning or more does, once a second.
func sounds(all []*Alert) []int64 {
	var at []int64
	for _, a := range all {
		if a.Priority.Latched() {
			for _, p := range a.Parts {
				at = append(at, p.At/1000)
			}
		}
	}
	slices.Sort(at)
	return slices.Compact(at)
}

// harbourDay is a time in both simulated harbours, and where their ships truly were, each five seconds.
type harbourDay struct {
	*runs
	sim    *sim.Harbour
	from   time.Time
	waters []water
	places map[ais.MMSI][]geo.Point
	begins map[ais.MMSI]int
	events []sim.Truth
	off    map[ais.MMSI][]time.Time // when aids said that they are off their place
	trawls map[ais.MMSI][]time.Time // when ships said that they fish
	code   map[ais.MMSI]ais.ShipType
	ports  []*chart.Port
	count  uint64
	ticked time.Time
}

const each = 5 * time.Second

// simulatedWaters are those of the two harbours of the demo, as their masters draw them.
func simulatedWaters() []water {
	return []water{
		{name: "Kobenhavn", all: [4]float64{12.2, 55.4, 13.1, 55.95}, approach: [4]float64{12.63, 55.62, 12.80, 55.78}, port: "DKCPH",
			anchor: [3]float64{12.67, 55.681, 1500}, basin: [4]float64{12.59, 55.675, 12.635, 55.70}, knots: 10,
			cables: []string{"[[12.6,55.80],[12.85,55.80]]", "[[12.55,55.60],[12.80,55.62]]"}},
		{name: "Aarhus", all: [4]float64{9.9, 55.9, 10.7, 56.4}, approach: [4]float64{10.25, 56.08, 10.45, 56.22}, port: "DKAAR",
			anchor: [3]float64{10.282, 56.15, 1500}, basin: [4]float64{10.20, 56.13, 10.25, 56.17}, knots: 10,
			cables: []string{"[[10.28,56.10],[10.45,56.20]]"}},
	}
}

func newHarbourDay(t *testing.T) *harbourDay {
	t.Helper()
	land, err := chart.Load()
	if err != nil {
		t.Fatal(err)
	}
	d := &harbourDay{from: time.Date(2026, 3, 1, 6, 0, 0, 0, time.UTC), places: map[ais.MMSI][]geo.Point{}, begins: map[ais.MMSI]int{},
		off: map[ais.MMSI][]time.Time{}, trawls: map[ais.MMSI][]time.Time{}, code: map[ais.MMSI]ais.ShipType{}, waters: simulatedWaters()}
	if d.sim, err = sim.New(sim.Options{At: sim.DefaultAt, Second: &sim.DefaultSecond, Seed: 11, Start: d.from, Land: land.Land, Crosses: land.LegCrossesLand}); err != nil {
		t.Fatal(err)
	}
	b := newBox(t)
	d.addPorts(b)
	d.runs = b.runs(ais.ReceiverClock)
	for _, w := range d.waters {
		d.firstDay(w)
	}
	return d
}

// addPorts gives the ports of the harbours to the box.
func (d *harbourDay) addPorts(b *box) {
	var text bytes.Buffer
	if err := d.sim.WritePorts(&text); err != nil {
		b.t.Fatal(err)
	}
	rows, refused, err := portfile.Read(portfile.NamedFile{Name: "ports.json", Text: text.String()})
	if err != nil || len(refused) > 0 {
		b.t.Fatal(err, refused)
	}
	for _, r := range rows {
		for i := range r.Berths {
			r.Berths[i].ID = int64(i + 1)
		}
		was, ok := b.areas.Ports.Current().ByLOCODE(r.Ref)
		if !ok {
			b.t.Fatalf("the port %s is not listed", r.Ref)
		}
		now := *was
		now.Outer, now.Inner, now.Berths = r.Outer, r.Inner, r.Berths
		p, err := b.areas.Ports.Change(was, now)
		if err != nil {
			b.t.Fatal(err)
		}
		d.ports = append(d.ports, p)
	}
}

func (d *harbourDay) sail(length time.Duration) {
	for step := range int(length / each) {
		d.sim.Step(d.sim.Now().Add(each), d.hears, func(e sim.Truth) {
			if e.Kind != sim.Position {
				d.events = append(d.events, e)
			}
		})
		for m := range d.code {
			if p, ok := d.sim.Place(m); ok {
				if _, known := d.begins[m]; !known {
					d.begins[m] = step
				}
				for len(d.places[m]) < step-d.begins[m] {
					d.places[m] = append(d.places[m], geo.Point{Lat: 99}) // out of range
				}
				d.places[m] = append(d.places[m], p)
			}
		}
	}
}

func (d *harbourDay) hears(at time.Time, m ais.Message, _ byte) {
	number := m.Head().MMSI
	if _, known := d.code[number]; !known {
		d.code[number] = 0
	}
	switch x := m.(type) {
	case *ais.StaticVoyage:
		d.code[number] = x.ShipType
	case *ais.StaticReport:
		if x.Part == 1 {
			d.code[number] = x.ShipType
		}
	case *ais.PositionReport:
		if x.Status == ais.StatusFishing {
			d.trawls[number] = append(d.trawls[number], at)
		}
	case *ais.AidToNavigation:
		if x.OffPosition {
			d.off[number] = append(d.off[number], at)
		}
	}
	d.count++
	if second := at.Truncate(time.Second); second.After(d.ticked) {
		d.ticked = second
		d.picture.Tick(second, d)
	}
	d.picture.Apply(&ais.Batch{Reports: []ais.Report{{Message: m, Received: at, Sent: at, Feed: "roof", Hash: d.count}}}, d)
}

// place returns where a ship truly was.
func (d *harbourDay) place(m ais.MMSI, at time.Time) (geo.Point, bool) {
	i := int(at.Sub(d.from)/each) - 1 - d.begins[m]
	if list := d.places[m]; i >= 0 && i < len(list) && list[i].Lat < 90 {
		return list[i], true
	}
	return geo.Point{}, false
}

// knots returns the true speed of a ship over so long until a time, -1 where that is not known.
func (d *harbourDay) knots(m ais.MMSI, at time.Time, over time.Duration) float64 {
	from, known := d.place(m, at.Add(-over))
	to, also := d.place(m, at)
	if !known || !also {
		return -1
	}
	return geo.PlaneAt(from).Vector(to).Length() / 1852 / over.Hours()
}

// slow reports whether a ship truly was below a speed for a minute at some time around another.
func (d *harbourDay) slow(m ais.MMSI, at time.Time, limit float64) bool {
	for s := -2 * time.Minute; s <= 2*time.Minute; s += 10 * time.Second {
		if k := d.knots(m, at.Add(s), time.Minute); k >= 0 && k < limit {
			return true
		}
	}
	return false
}

// distance returns the true distance of two ships.
func (d *harbourDay) distance(a, b ais.MMSI, at time.Time) float64 {
	p, known := d.place(a, at)
	q, also := d.place(b, at)
	if !known || !also {
		return 1e6
	}
	return geo.PlaneAt(p).Vector(q).Length()
}

// happened reports whether something of a kind truly happened to a ship around a time.
func (d *harbourDay) happened(m ais.MMSI, kind string, at time.Time, around time.Duration) bool {
	return slices.ContainsFunc(d.events, func(e sim.Truth) bool { return e.MMSI == m && e.Kind == kind && e.Time.Sub(at).Abs() <= around })
}

// fishes reports whether a ship truly fished: it says so, or, of class B, sailed at the speed of the trawls.
func (d *harbourDay) fishes(m ais.MMSI, at time.Time) bool {
	if slices.ContainsFunc(d.trawls[m], func(t time.Time) bool { return at.Sub(t) >= 0 && at.Sub(t) < 10*time.Minute }) {
		return true
	}
	minutes := 0
	for i := range 10 {
		if k := d.knots(m, at.Add(-time.Duration(i)*time.Minute), time.Minute); k > 0.3 && k < 3.4 {
			minutes++
		}
	}
	return minutes >= 6
}

// true reports whether what an event says was so.
func (d *harbourDay) true(e *watchdogs.Event) bool {
	m, at := e.Ship.MMSI, e.At()
	switch e.Kind {
	case watchdog.TooClose:
		for s := time.Duration(0); s <= time.Duration(e.TCPA)*time.Second+5*time.Minute; s += each {
			if d.distance(m, e.Other.MMSI, at.Add(s)) < 556 {
				return true
			}
		}
		return false
	case watchdog.OffPosition:
		return slices.ContainsFunc(d.off[m], func(t time.Time) bool { return t.Sub(at).Abs() < 5*time.Minute })
	case watchdog.Overspeed:
		return d.knots(m, at, time.Minute) > 10
	case watchdog.Risk:
		switch e.Reason {
		case watchdog.Stopped:
			return d.slow(m, at, 0.7)
		case watchdog.Slow:
			return d.slow(m, at, 3.2)
		case watchdog.Trawling:
			return d.fishes(m, at)
		}
		return false
	case watchdog.Moored:
		return e.Initial || d.happened(m, sim.Berthing, at, 30*time.Minute) || d.slow(m, at.Add(2*time.Minute), 0.3)
	case watchdog.Unmoored:
		return d.happened(m, sim.Departure, at, 30*time.Minute) || d.slow(m, at.Add(-2*time.Minute), 0.3)
	case watchdog.Enter:
		if e.Type == watchdog.Fishing {
			return d.fishes(m, at)
		}
		return e.Initial || d.entered(e)
	}
	return false // nothing drags, falls silent or hides here
}

// entered reports whether a ship truly came into its port around a time.
func (d *harbourDay) entered(e *watchdogs.Event) bool {
	i := slices.IndexFunc(d.ports, func(p *chart.Port) bool { return e.Port != nil && p.ID == e.Port.ID })
	if i < 0 {
		return false
	}
	out, in := false, false
	for s := -10 * time.Minute; s <= 4*time.Minute; s += 10 * time.Second {
		p, known := d.place(e.Ship.MMSI, e.At().Add(s))
		inside := known && d.ports[i].Outer.Contains(p)
		out, in = out || !inside, in || inside
	}
	return out && in
}

// dangers counts what truly was a danger in the waters that are watched, and what of it was not told.
func (d *harbourDay) dangers(told []*watchdogs.Event, end time.Time) (all, missed map[string]int) {
	all, missed = map[string]int{}, map[string]int{}
	take := func(kind string, found bool, format string, args ...any) {
		if all[kind]++; !found {
			missed[kind]++
			d.t.Logf("not told: %s "+format, append([]any{kind}, args...)...)
		}
	}
	rang := func(of func(e *watchdogs.Event) bool) bool { return slices.ContainsFunc(told, of) }
	for _, w := range d.waters {
		guarded := geo.Rect{West: w.approach[0], South: w.approach[1], East: w.approach[2], North: w.approach[3]}
		for _, e := range d.events {
			if e.Kind != sim.Encounter || !d.foreseen(e, guarded) {
				continue
			}
			take("cpa", rang(func(r *watchdogs.Event) bool {
				before := e.Time.Sub(r.At())
				return r.Type == watchdog.CPA && watchdog.PairOf(r.Ship.MMSI, r.Other.MMSI) == watchdog.PairOf(e.MMSI, e.Other) && before >= 0 && before < 30*time.Minute
			}), "of %d and %d at %s, %.0f m", e.MMSI, e.Other, e.Time.Format(time.TimeOnly), e.Distance)
		}
	}
	for _, m := range slices.Sorted(maps.Keys(d.off)) {
		take("aton", rang(func(r *watchdogs.Event) bool { return r.Type == watchdog.Aid && r.Ship.MMSI == m }), "%d", m)
	}
	for _, m := range slices.Sorted(maps.Keys(d.places)) {
		d.lapses(m, end, told, take)
	}
	return all, missed
}

// foreseen reports whether an encounter is one that the watchdog of the approach is meant to tell of: for two minutes both were inside and sailed at 3 knots or
// more, they did not sail side by side, neither serves the other, and one is long enough.
func (d *harbourDay) foreseen(e sim.Truth, guarded geo.Rect) bool {
	long := false
	for _, m := range []ais.MMSI{e.MMSI, e.Other} {
		s, _ := d.picture.Ship(m)
		length, _ := s.Static.Size()
		long = long || length >= 50
		for _, before := range []time.Duration{0, time.Minute, 2 * time.Minute} {
			p, known := d.place(m, e.Time.Add(-before))
			if !known || !guarded.Contains(p) || d.knots(m, e.Time.Add(-before), time.Minute) < 3 {
				return false
			}
		}
	}
	tug := func(m ais.MMSI) bool { return slices.Contains([]ais.ShipType{31, 32, 50, 52}, d.code[m]) }
	if !long || d.code[e.MMSI] == 30 && d.code[e.Other] == 30 || tug(e.MMSI) || tug(e.Other) {
		return false
	}
	return d.distance(e.MMSI, e.Other, e.Time.Add(-2*time.Minute)) > e.Distance+120 // else they sail as one
}

// lapses tells when a ship truly lay over a cable, or was too fast in a basin, for two minutes or more.
func (d *harbourDay) lapses(m ais.MMSI, end time.Time, told []*watchdogs.Event, take func(kind string, found bool, format string, args ...any)) {
	for _, w := range d.waters {
		basin := geo.Rect{West: w.basin[0], South: w.basin[1], East: w.basin[2], North: w.basin[3]}
		var since time.Time
		for at := d.from.Add(10 * time.Minute); at.Before(end); at = at.Add(each) {
			p, known := d.place(m, at)
			if fast := known && basin.Contains(p) && d.knots(m, at, 30*time.Second) > w.knots+0.5; !fast {
				since = time.Time{}
				continue
			}
			if since.IsZero() {
				since = at
			}
			if at.Sub(since) == 2*time.Minute {
				from := since
				take("speed", slices.ContainsFunc(told, func(r *watchdogs.Event) bool {
					return r.Type == watchdog.Speed && r.Ship.MMSI == m && r.At().Before(at.Add(time.Minute)) && (r.Deactivated == 0 || r.Deactivated > from.UnixMilli())
				}), "of %d at %s", m, at.Format(time.TimeOnly))
			}
		}
	}
}

// TestNuisanceOfADay holds the alerts of a port's first day against what truly happened in two simulated harbours. ALARM_DAYS=1 makes it a day: the figures of
// docs/watchdogs.md are those.
func TestNuisanceOfADay(t *testing.T) {
	length := time.Hour
	if n, err := strconv.Atoi(os.Getenv("ALARM_DAYS")); err == nil {
		length = time.Duration(n) * 24 * time.Hour
	}
	d := newHarbourDay(t)
	d.sail(length)
	end := d.from.Add(length)
	type tally struct{ fine, vain int }
	found := map[string]*tally{}
	var told []*watchdogs.Event
	all := d.alerts()
	for _, a := range all {
		fine, judged, last := false, false, ""
		for _, p := range a.Parts {
			e, err := d.watch.Get(p.Event)
			if err != nil {
				t.Fatal(err)
			}
			told = append(told, &e)
			if end.Sub(e.At()) > time.Duration(e.TCPA)*time.Second+6*time.Minute {
				judged = true
				fine = fine || d.true(&e)
				last = fmt.Sprintf("%s %s %s", e.At().Format(time.TimeOnly), e.Reason, e.Sentence())
			}
		}
		if !judged {
			continue // how it ended is not known
		}
		key := fmt.Sprintf("%s %s", a.Priority, a.Type)
		if found[key] == nil {
			found[key] = &tally{}
		}
		if fine {
			found[key].fine++
		} else {
			found[key].vain++
			t.Logf("in vain: %s", last)
		}
	}
	var sum, latched tally
	for _, key := range slices.Sorted(maps.Keys(found)) {
		n := found[key]
		t.Logf("%-20s %5d true, %4d in vain", key, n.fine, n.vain)
		sum.fine, sum.vain = sum.fine+n.fine, sum.vain+n.vain
		if key[:3] != "cau" {
			latched.fine, latched.vain = latched.fine+n.fine, latched.vain+n.vain
		}
	}
	t.Logf("%d of %d alerts were in vain, and of those that sound %d of %d; %.2f sounds in ten minutes", sum.vain, sum.fine+sum.vain, latched.vain,
		latched.fine+latched.vain, float64(len(sounds(all)))/(length.Minutes()/10))
	if sum.fine < 50 || sum.vain*10 > sum.fine+sum.vain || latched.vain*10 > latched.fine+latched.vain {
		t.Error("more than a tenth of the alerts are in vain")
	}
	dangers, missed := d.dangers(told, end)
	count, out := 0, 0
	for _, kind := range slices.Sorted(maps.Keys(dangers)) {
		t.Logf("%s: %d dangers, %d not told", kind, dangers[kind], missed[kind])
		count, out = count+dangers[kind], out+missed[kind]
	}
	if count < 5 || out*100 > count && out > 1 {
		t.Errorf("%d of %d dangers were not told", out, count)
	}
}

// recordedWaters are those of the recordings, as the masters of their ports would draw them.
func recordedWaters() map[string]water {
	return map[string]water{
		"kadetrenden_2013-07-31.nmea.gz": {name: "Kadetrenden", all: [4]float64{11, 54, 14, 56}, approach: [4]float64{11.8, 54.2, 13, 55},
			cables: []string{"[[12.1,54.25],[12.4,54.65]]"}, fleet: []ais.MMSI{219849000}, rang: 2},
		"sanfrancisco_bay_2008-07-14.nmea.gz": {name: "San Francisco", all: [4]float64{-123.5, 37, -121.5, 38.6}, approach: [4]float64{-122.75, 37.68, -122.35, 37.9}, port: "USSFO",
			anchor: [3]float64{-122.36, 37.74, 2500}, basin: [4]float64{-122.36, 37.785, -122.27, 37.81}, knots: 10,
			cables: []string{"[[-122.368,37.77],[-122.368,37.80],[-122.39,37.84],[-122.43,37.89],[-122.44,37.94]]"}, fleet: []ais.MMSI{366998410, 366979360}, rang: 11},
		"denmark_2013-11-12_pghp.txt.gz": {name: "Denmark", all: [4]float64{4, 53, 17, 60}, approach: [4]float64{10.3, 57.5, 11.2, 58.0},
			cables: []string{"[[10.6,57.6],[11.6,57.9]]"}},
	}
}

// TestAlertsOfRecordings tells the alerts of a port's first day over recordings; docs/watchdogs.md says what became of each, and in which waters the watch hears
// more than one sound in ten minutes.
func TestAlertsOfRecordings(t *testing.T) {
	for file, w := range recordedWaters() {
		t.Run(file, func(t *testing.T) {
			log := shiptest.Recording(t, "nmea/"+file)
			b := newBox(t)
			r := b.runs(ais.LogClock)
			r.firstDay(w)
			from, to := r.play(log)
			all := r.alerts()
			for _, a := range all {
				for _, p := range a.Parts {
					e, err := r.watch.Get(p.Event)
					if err != nil {
						t.Fatal(err)
					}
					t.Logf("%s %s %s %s %s%s", e.At().Format(time.TimeOnly), a.Priority, a.Type, e.Reason, e.Sentence(), r.became(&e))
				}
			}
			kinds := map[string]int{}
			for _, a := range all {
				kinds[fmt.Sprint(a.Priority, " ", a.Type)]++
			}
			rang, tens := len(sounds(all)), to.Sub(from).Minutes()/10
			t.Logf("%v; %d sounds in %.0f minutes", kinds, rang, tens*10)
			if rang != w.rang {
				t.Errorf("%d sounds, want %d", rang, w.rang)
			}
		})
	}
}

// play hands a log to the picture, and returns the times between which it was heard.
func (r *runs) play(log io.Reader) (from, to time.Time) {
	d := ais.NewDecoder(ais.DecoderConfig{Feed: "roof", Clock: ais.LogClock})
	pool := ais.NewPool(2)
	for scanner := bufio.NewScanner(log); scanner.Scan(); {
		b := pool.Get()
		d.Line(b, scanner.Bytes(), r.now)
		r.picture.Apply(b, r)
		b.Release()
		if at := r.picture.Now(); from.IsZero() || from.Year() < 2000 {
			from = at
		}
	}
	return from, r.picture.Now()
}

// became tells how near the two ships of a meeting came, and what a ship over a cable did then.
func (r *runs) became(e *watchdogs.Event) string {
	if e.Kind != watchdog.TooClose {
		last := r.path[e.Ship.MMSI][len(r.path[e.Ship.MMSI])-1]
		from, known := r.at(e.Ship.MMSI, e.Time)
		to, also := r.at(e.Ship.MMSI, e.Time+120_000)
		if !known || !also {
			return fmt.Sprintf("; it was heard last at %s", last.Time().Format(time.TimeOnly))
		}
		return fmt.Sprintf("; over the next two minutes it made %.1f kn", geo.PlaneAt(from).Vector(to).Length()/1852*30)
	}
	least := 1e6
	for second := range int64(e.TCPA) + 300 {
		p, known := r.at(e.Ship.MMSI, e.Time+second*1000)
		q, also := r.at(e.Other.MMSI, e.Time+second*1000)
		if known && also {
			least = min(least, geo.PlaneAt(p).Vector(q).Length())
		}
	}
	return fmt.Sprintf("; they passed at %.0f m", least)
}

// at returns where a ship was at a time, between two reports of at most three minutes.
func (r *runs) at(m ais.MMSI, at int64) (geo.Point, bool) {
	path := r.path[m]
	i, _ := slices.BinarySearchFunc(path, at, func(f ship.Fix, at int64) int { return int(f.At - at) })
	if i == 0 || i == len(path) || path[i].At-path[i-1].At > 180_000 || path[i].Mark&ship.NewSegment != 0 {
		return geo.Point{}, false
	}
	a, b := path[i-1], path[i]
	plane := geo.PlaneAt(a.Point())
	return plane.Point(geo.Vector{}.Along(plane.Vector(b.Point()), float64(at-a.At)/float64(max(1, b.At-a.At)))), true
}
