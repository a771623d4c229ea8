package handlers

import (
	"bufio"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"quaywatch/ais"
	"quaywatch/ais/sim"
	"quaywatch/geo"
	"quaywatch/geo/chart"
	"quaywatch/handlers/watchdogs"
	"quaywatch/traffic"
)

const dryrunPath = watchdogs.Path + "/dryrun"

// newRecorder makes a site whose store thins and whose clock is that of what it hears.
func newRecorder(t testing.TB) *site { return recorderOf(t, false) }

// recorderOf is newRecorder; with fullRate the store keeps all.
func recorderOf(t testing.TB, fullRate bool) *site {
	s := &site{t: t, dir: t.TempDir(), clock: &clock{at: noon()}, thins: true, fullRate: fullRate}
	s.open()
	if err := s.users.Add("admin", adminPassword); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.close() })
	return s
}

func (s *site) observers() []traffic.Observer {
	return []traffic.Observer{s.db, s.sight, s.alarms, s.texts, s.voyages, s.tracks, s.watch}
}

// playLog plays a log through the picture and the store, and returns the times from and to which it was heard.
func (s *site) playLog(log io.Reader) (from, to time.Time) {
	s.t.Helper()
	d, pool := ais.NewDecoder(ais.DecoderConfig{Feed: "roof", Clock: ais.LogClock}), ais.NewPool(2)
	b := pool.Get()
	apply := func() {
		s.picture.Apply(b, s.observers()...)
		b.Release()
		if now := s.picture.Now(); from.IsZero() && !now.IsZero() {
			from = now
		}
		s.voyages.Save()
		b = pool.Get()
	}
	scanner := bufio.NewScanner(log)
	for n := 1; scanner.Scan(); n++ {
		if d.Line(b, scanner.Bytes(), noon()); n%50 == 0 {
			apply()
		}
	}
	d.Flush(b, noon())
	apply()
	return from.Add(-time.Hour), s.ended()
}

// harbourLog is a simulated harbour that is played in parts.
type harbourLog struct {
	s     *site
	h     *sim.Harbour
	saved time.Time
}

func (s *site) simulated() *harbourLog {
	s.t.Helper()
	land, err := chart.Load()
	if err != nil {
		s.t.Fatal(err)
	}
	begin := time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC)
	h, err := sim.New(sim.Options{At: sim.DefaultAt, Seed: 11, Ships: 40, Start: begin, Land: land.Land, Crosses: land.LegCrossesLand})
	if err != nil {
		s.t.Fatal(err)
	}
	return &harbourLog{s, h, begin}
}

// play plays so long, and returns a time after it.
func (l *harbourLog) play(length time.Duration) time.Time {
	s := l.s
	l.h.Step(l.h.Now().Add(length), func(at time.Time, m ais.Message, _ byte) {
		s.hash++
		s.batch.Reset()
		s.batch.Reports = append(s.batch.Reports, ais.Report{Message: m, Hash: s.hash, Received: at, Sent: at, Feed: "roof", Channel: 'A'})
		s.picture.Apply(&s.batch, s.observers()...)
		if minute := at.Truncate(time.Minute); minute.After(l.saved) {
			l.saved = minute
			s.voyages.Save()
		}
	}, nil)
	return s.ended()
}

// ended stores what was heard, and returns a time after it.
func (s *site) ended() time.Time {
	s.watch.Save(true)
	s.voyages.Save()
	s.settle()
	return s.picture.Now().Add(time.Second)
}

// happened is an event as the two runs are compared.
type happened struct {
	what string
	at   time.Time
}

// eventsOfShips returns the events of a list by ship, in order.
func eventsOfShips(t testing.TB, list []any) map[float64][]happened {
	t.Helper()
	all := map[float64][]happened{}
	for _, one := range list {
		e := one.(map[string]any)
		at, err := time.Parse(time.RFC3339Nano, e["time"].(string))
		if err != nil {
			t.Fatal(err)
		}
		what := fmt.Sprint(e["event"], " ", e["reason"], " ", e["direction"], " ", e["initial"])
		m := e["ship"].(map[string]any)["mmsi"].(float64)
		all[m] = append(all[m], happened{what, at})
	}
	return all
}

// rehearse tries a definition on a time, and returns the answer.
func (s *site) rehearse(body string, from, to time.Time, more string) map[string]any {
	s.t.Helper()
	a := s.post(dryrunPath, fmt.Sprintf(`{"definition":%s,"from":%q,"to":%q%s}`, body, from.Format(time.RFC3339), to.Format(time.RFC3339), more))
	return s.finish("admin", dryrunPath+"/"+s.started(a, 200)).is(s.t, 200).json(s.t)
}

// trial is a watchdog that was at work, and is tried afterwards.
type trial struct{ path, body string }

// watchdogsIn makes watchdogs of all types in a rectangle.
func (s *site) watchdogsIn(box geo.Rect, port string) (all []trial) {
	rnd := rand.New(rand.NewPCG(3, 5))
	place := func() string {
		return fmt.Sprintf("[%.6f,%.6f]", box.West+rnd.Float64()*(box.East-box.West), box.South+rnd.Float64()*(box.North-box.South))
	}
	ring := func(size float64) string {
		lon, lat := box.West+rnd.Float64()*(box.East-box.West), box.South+rnd.Float64()*(box.North-box.South)
		var points []string
		for k := range 8 {
			far := size * (box.North - box.South) * (0.5 + rnd.Float64())
			points = append(points, fmt.Sprintf("[%.6f,%.6f]", lon+far*math.Cos(float64(k)*math.Pi/4)*1.7, lat+far*math.Sin(float64(k)*math.Pi/4)))
		}
		return `{"type":"Polygon","coordinates":[[` + strings.Join(append(points, points[0]), ",") + `]]}`
	}
	add := func(kind, object string) {
		for _, samples := range []int{1, 5} {
			name := fmt.Sprintf("%s %d", kind, len(all))
			body := fmt.Sprintf(`{"name":%q,"type":%q,%s,"samples_to_activate":%d,"samples_to_deactivate":%d}`, name, kind, object, samples, samples)
			all = append(all, trial{s.watchdog("admin", body), body})
		}
	}
	for range 8 {
		add("line", fmt.Sprintf(`"line":{"type":"LineString","coordinates":[%s,%s]}`, place(), place()))
		add("polygon", `"polygon":`+ring(0.15))
		add("cable", fmt.Sprintf(`"cable":{"type":"LineString","coordinates":[%s,%s]}`, place(), place()))
	}
	wide := `{"type":"Polygon","coordinates":[[` + strings.Join([]string{fmt.Sprintf("[%f,%f]", box.West, box.South), fmt.Sprintf("[%f,%f]", box.East, box.South),
		fmt.Sprintf("[%f,%f]", box.East, box.North), fmt.Sprintf("[%f,%f]", box.West, box.North), fmt.Sprintf("[%f,%f]", box.West, box.South)}, ",") + `]]}`
	for range 4 {
		add("anchor", fmt.Sprintf(`"anchor":{"center":{"type":"Point","coordinates":%s},"radius":%.0f}`, place(), 100+900*rnd.Float64()))
		add("route", fmt.Sprintf(`"route":{"line":{"type":"LineString","coordinates":[%s,%s]},"corridor":%.0f}`, place(), place(), 200+800*rnd.Float64()))
		add("speed", fmt.Sprintf(`"speed":{"polygon":%s,"limit":%.1f}`, ring(0.3), 5+8*rnd.Float64()))
	}
	add("silent", `"silent":{"polygon":`+wide+`,"after":"00:03:00"}`)
	add("fishing", `"any_type":true,"fishing":`+wide)
	add("fishing", `"fishing":`+wide)
	if port != "" {
		add("port", `"port":`+port)
	}
	return all
}

// agree compares what the watchdogs raised with what they raise when they are tried afterwards.
func (s *site) agree(all []trial, from, to time.Time, must ...string) (far shift) {
	s.t.Helper()
	live := map[string][]any{}
	for after := 0.0; ; {
		a := s.get(fmt.Sprintf("%s?after_id=%.0f", eventPath, after)).is(s.t, 200).json(s.t)
		for _, one := range a["records"].([]any) {
			e := one.(map[string]any)
			after = e["id"].(float64)
			name := e["watchdog"].(string)
			live[name] = append(live[name], one)
		}
		if a["more"] != true {
			break
		}
	}
	kinds := map[string]int{}
	for _, one := range all {
		name := strings.Split(one.body, `"`)[3]
		kind := strings.Fields(name)[0]
		tried := s.rehearse(one.body, from, to, "")
		was, is := eventsOfShips(s.t, live[name]), eventsOfShips(s.t, tried["events"].([]any))
		kinds[kind] += len(live[name])
		for m := range is {
			if was[m] == nil {
				was[m] = nil // it did nothing, and is told of
			}
		}
		for m, events := range was {
			if slices.Contains(laterKinds(), kind) {
				far.more.compare(s.t, name, m, events, is[m])
			} else if strings.Contains(one.body, `activate":5`) {
				far.five.compare(s.t, name, m, events, is[m])
			} else {
				far.one.compare(s.t, name, m, events, is[m])
			}
		}
	}
	s.t.Logf("%v", kinds)
	for _, kind := range must {
		if kinds[kind] == 0 {
			s.t.Errorf("no events of type %s", kind)
		}
	}
	return far
}

// laterKinds are the types that ask how fast a ship is and what it says between its places.
func laterKinds() []string { return []string{"lost", "anchor", "aton", "speed", "route", "silent"} }

// shift counts how the events of the two runs differ: of watchdogs that need one report, of those that count five, and of those of laterKinds.
type shift struct{ one, five, more count }

type count struct{ events, late, other int }

// compare compares the events of a ship.
func (d *count) compare(t testing.TB, name string, m float64, was, is []happened) {
	t.Helper()
	d.events += len(was)
	if len(was) != len(is) {
		t.Logf("%s: %.0f did %v, and is told %v", name, m, was, is)
		d.other++
		return
	}
	for i, e := range was {
		o := is[i]
		switch late := o.at.Sub(e.at).Abs() > time.Minute; {
		case o.what != e.what:
			t.Logf("%s: %.0f did %v, and is told %v", name, m, e, o)
			d.other++
		case late:
			t.Logf("%s: %.0f did %v, and is told %v", name, m, e, o)
			d.late++
		}
	}
}
