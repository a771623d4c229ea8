package watchdog_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"quaywatch/ais"
	"quaywatch/geo"
	"quaywatch/ship"
	"quaywatch/ship/shiptest"
	"quaywatch/ship/watchdog"
)

// The scripts of testdata have these lines beside those of package shiptest. Places are latitude,longitude.
//
//	watch KIEL line 54.40,10.20 54.44,10.20 samples 2    a watchdog, with the words of options below
//	watch ROADS polygon 54.4,10.1 54.5,10.3              two places are the corners of a box
//	watch WIRE cable 54.4,10.1 54.5,10.3 buffer 500      a line; "area" before the places makes it a polygon
//	watch HOME port                                      the port with number 1
//	watch ROADS ...                                      again: it is edited
//	does ANNA moored                                     what the ship does at the port, before its next report; "initial" may follow
//	heading ANNA 90                                      the heading of the ship from now on
//	type ANNA 30, draught ANNA 8.5                       the crew types it
//	sea ANNA 30m                                         how long the ship is out of every port, from now on
//	goes ANNA 20m 30s                                    the ship goes on as it told last, and reports each 30 seconds for 20 minutes
//	jump                                                 the next report begins a new segment
//	late 10m                                             the next report is of ten minutes ago
//	deaf                                                 until now nobody could be heard
//	hears ANNA                                           a message of the ship that tells no place
//	nameless ANNA, named ANNA                            it was never heard to send static data; it sends them
//	off ANNA, on ANNA                                    the aid says that it is off its position, or on it; "virtual" that it is one
//
// Options: samples n, off n, between n, times 10m, silence 30m, draught 8, filter "...", course 350 10, buffer 500, speeds 1 4, window 10m, any, ship 211000001,
// list 211000001,211000002, radius 200, limit 10, least 1m, after 20m, hours "fri 22:00 06:00", zone Europe/Copenhagen,
// charted 54.0,10.0, knots 0 5 (0 tests none). The day is a Friday.
//
// What is expected are the events since the last expect, in their order, as log.text writes them.

// keeping is how a log keeps alarms.
type keeping struct {
	drop    bool // an alarm with nothing to remember is forgotten
	restart bool // all is written and read back before each step
	ticks   bool // time passes between the reports
}

// watch is a watchdog with its alarms.
type watch struct {
	name    string
	machine *watchdog.Machine
	charted *geo.Point // where the register has its aid
	alarms  map[ais.MMSI]*watchdog.ShipMemory
}

// crew is a ship of the log.
type crew struct {
	state   ship.State
	heading ais.Heading
	sea     time.Duration
	asked   bool // sea is known
}

// watchLog is what an agent would write down.
type watchLog struct {
	t       *testing.T
	how     keeping
	watches []*watch
	ships   map[ais.MMSI]*crew
	names   map[ais.MMSI]string
	now     time.Time

	events []string
	jump   bool
	late   time.Duration
}

func newLog(t *testing.T, how keeping) *watchLog {
	return &watchLog{t: t, how: how, ships: map[ais.MMSI]*crew{}}
}

func (l *watchLog) ship(m ais.MMSI) *crew {
	if l.ships[m] == nil {
		l.ships[m] = &crew{state: ship.State{MMSI: m, Static: &ship.Static{}, Voyage: &ship.VoyageData{}}}
	}
	return l.ships[m]
}

// alarm returns the alarm of a ship as it is kept.
func (l *watchLog) alarm(w *watch, m ais.MMSI) *watchdog.ShipMemory {
	a := w.alarms[m]
	if a == nil {
		a = &watchdog.ShipMemory{}
		w.alarms[m] = a
	}
	if l.how.drop && !a.Kept() {
		*a = watchdog.ShipMemory{}
	}
	if l.how.restart {
		*a = *again(l.t, a)
	}
	return a
}

// again writes an alarm and reads it back.
func again(t *testing.T, a *watchdog.ShipMemory) *watchdog.ShipMemory {
	t.Helper()
	text, err := json.Marshal(a)
	if err != nil {
		t.Fatal(err)
	}
	var back watchdog.ShipMemory
	if err := json.Unmarshal(text, &back); err != nil {
		t.Fatal(err)
	}
	return &back
}

// hear hands a position to all watchdogs.
func (l *watchLog) hear(m ais.MMSI, fix ship.Fix) {
	s := l.ship(m)
	before := s.state.Fix
	if l.how.ticks && before.At != 0 && fix.At > before.At {
		for share := range int64(5) {
			l.pass(before.At + (fix.At-before.At)*share/5)
		}
	}
	if s.state.First == 0 {
		s.state.First = fix.At
	}
	report := s.state
	report.Fix, report.HasFix = fix, true
	for _, w := range l.watches {
		a := l.alarm(w, m)
		l.told(w, m, w.machine.Report(a, watchdog.Position{Before: before, State: &report, Charted: w.charted}, nil))
	}
	if fix.At > before.At {
		s.state = report
	}
}

// pass lets time pass for all alarms.
func (l *watchLog) pass(now int64) {
	for _, w := range l.watches {
		for m := range w.alarms {
			l.told(w, m, w.machine.Tick(l.alarm(w, m), now, nil))
		}
	}
}

// told writes events down.
func (l *watchLog) told(w *watch, m ais.MMSI, events []watchdog.Occurrence) {
	if !slices.IsSortedFunc(events, watchdog.Compare) {
		l.t.Errorf("not in order: %+v", events)
	}
	for _, e := range events {
		l.events = append(l.events, l.text(w.name, m, e))
	}
}

// text writes an event: when, which watchdog, what, the ship, what more there is to say, and whether it goes on.
func (l *watchLog) text(name string, m ais.MMSI, e watchdog.Occurrence) string {
	words := []string{time.UnixMilli(e.At).UTC().Round(time.Second).Format("15:04:05"), name, string(e.Kind), l.names[m]}
	for _, more := range []string{e.Direction, string(e.Reason)} {
		if more != "" {
			words = append(words, more)
		}
	}
	if e.Initial {
		words = append(words, "initial")
	}
	switch {
	case e.Activated && !e.Active:
		l.t.Errorf("activated and not active: %+v", e)
	case !e.Active:
		words = append(words, "over")
	case !e.Activated:
		words = append(words, "still")
	}
	return strings.Join(words, " ")
}

func TestScripts(t *testing.T) {
	files, err := filepath.Glob("testdata/*.txt")
	if err != nil || len(files) == 0 {
		t.Fatalf("scripts: %v %v", files, err)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for name, how := range map[string]keeping{"kept": {}, "dropped": {drop: true}, "restarted": {drop: true, restart: true}, "ticking": {ticks: true}} {
			t.Run(filepath.Base(file)+"/"+name, func(t *testing.T) { runScripts(t, string(text), how) })
		}
	}
}

// runScripts plays a file of scripts. Each begins with a line of = signs.
func runScripts(t *testing.T, text string, how keeping) {
	for _, part := range strings.Split("\n"+text, "\n== ")[1:] {
		name, lines, _ := strings.Cut(part, "\n")
		t.Run(name, func(t *testing.T) {
			if !strings.Contains(lines, "\nexpect") {
				t.Fatal("expects nothing")
			}
			script, err := shiptest.Read(strings.NewReader(lines))
			if err != nil {
				t.Fatal(err)
			}
			newLog(t, how).play(script)
		})
	}
}

func (l *watchLog) play(script *shiptest.Script) {
	l.names = script.Names
	var want []string
	for i, step := range script.Steps {
		l.now = later(l.now, step.At)
		switch step.Kind {
		case shiptest.Report:
			l.report(step)
		case shiptest.Tick:
			l.pass(l.now.UnixMilli())
		case shiptest.Other:
			l.other(step)
		case shiptest.Expect:
			want = append(want, strings.Join(step.Words, " "))
		}
		if len(want) == 0 || i+1 < len(script.Steps) && script.Steps[i+1].Kind == shiptest.Expect {
			continue
		}
		if len(l.events) == 0 {
			l.events = []string{"none"}
		}
		if !slices.Equal(l.events, want) {
			l.t.Errorf("line %d:\nis   %s\nwant %s", step.Line, strings.Join(l.events, "\n     "), strings.Join(want, "\n     "))
		}
		want, l.events = nil, nil
	}
}

func later(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}

func (l *watchLog) report(step shiptest.Step) {
	switch m := step.Report.Message.(type) {
	case *ais.StaticVoyage:
		l.types(m.MMSI, m.ShipType, m.Draught)
	case *ais.PositionReport:
		fix := ship.Fix{At: step.At.Add(-l.late).UnixMilli(), Lon: m.Place.Lon, Lat: m.Place.Lat, SOG: m.SOG, COG: m.COG, Status: m.Status}
		fix.Heading = l.ship(m.MMSI).heading
		if l.jump {
			fix.Mark |= ship.NewSegment
		}
		l.jump, l.late = false, 0
		l.hear(m.MMSI, fix)
	}
}

// types takes what the crew typed.
func (l *watchLog) types(m ais.MMSI, code ais.ShipType, draught ais.Decimetres) {
	s := l.ship(m)
	s.state.Static, s.state.Voyage = &ship.Static{Type: code}, &ship.VoyageData{Draught: draught}
}

// named returns the ship of a name. It fails the test where there is none.
func (l *watchLog) named(name string) ais.MMSI {
	for m, n := range l.names {
		if n == name {
			return m
		}
	}
	l.t.Fatalf("no ship %s", name)
	return 0
}

// other takes a line of the kinds above.
func (l *watchLog) other(step shiptest.Step) {
	words := step.Words
	switch words[0] {
	case "watch":
		l.watch(words[1:])
		return
	case "jump":
		l.jump = true
		return
	case "late":
		l.late = duration(l.t, words[1])
		return
	case "deaf":
		for _, w := range l.watches {
			for _, a := range w.alarms {
				a.Deaf(l.now.UnixMilli())
			}
		}
		return
	}
	m := l.named(words[1])
	s := l.ship(m)
	switch words[0] {
	case "hears":
		for _, w := range l.watches {
			l.told(w, m, w.machine.Hears(l.alarm(w, m), l.now.UnixMilli(), nil))
		}
	case "nameless":
		s.state.Static = nil
	case "named":
		s.state.Static = &ship.Static{Name: words[1]}
	case "off", "on":
		s.state.OffPlace = words[0] == "off"
	case "virtual":
		s.state.Static = &ship.Static{Virtual: true}
	case "does":
		for _, w := range l.watches {
			did := watchdog.Transition{Kind: watchdog.Kind(words[2]), Port: 1, At: l.now.UnixMilli(), Initial: slices.Contains(words, "initial")}
			l.told(w, m, w.machine.Transition(l.alarm(w, m), did, watchdog.Position{State: &s.state}, nil))
		}
	case "heading":
		s.heading = ais.HeadingDegrees(int(number(l.t, words[2])))
	case "type":
		l.types(m, ais.ShipType(number(l.t, words[2])), s.state.Voyage.Draught)
	case "draught":
		l.types(m, s.state.Static.Type, ais.Decimetres(number(l.t, words[2])*10+0.5))
	case "sea":
		s.sea, s.asked = duration(l.t, words[2]), true
	case "goes":
		l.goes(m, duration(l.t, words[2]), duration(l.t, words[3]))
	default:
		l.t.Fatalf("line %d: unknown word %q", step.Line, words[0])
	}
}

// goes lets a ship go on as it told last.
func (l *watchLog) goes(m ais.MMSI, length, each time.Duration) {
	s := l.ship(m)
	for past := each; past <= length; past += each {
		f := s.state.Fix
		f.At += each.Milliseconds()
		knots, _ := f.SOG.Knots()
		course, _ := f.COG.Degrees()
		p := geo.Destination(f.Point(), course, knots*1852*each.Hours())
		f.Lon, f.Lat, f.Heading, f.Mark = int32(p.Lon/ais.PlaceUnit), int32(p.Lat/ais.PlaceUnit), s.heading, 0
		l.hear(m, f)
		l.now = later(l.now, f.Time())
	}
}

// watch makes or edits a watchdog.
func (l *watchLog) watch(words []string) {
	d := definition(l.t, words[1:])
	d.AtSea = func(s *ship.State) (time.Duration, bool) { return l.ship(s.MMSI).sea, l.ship(s.MMSI).asked }
	machine, err := watchdog.New(d)
	if err != nil {
		l.t.Fatal(err)
	}
	for _, w := range l.watches {
		if w.name == words[0] {
			w.machine = machine
			return
		}
	}
	l.watches = append(l.watches, &watch{words[0], machine, d.Center, map[ais.MMSI]*watchdog.ShipMemory{}})
}

// definition reads the words of a watchdog.
func definition(t *testing.T, words []string) watchdog.Spec {
	t.Helper()
	d := watchdog.Spec{Type: watchdog.Type(words[0])}
	area := !slices.Contains([]watchdog.Type{watchdog.Line, watchdog.Cable, watchdog.Route, watchdog.Anchor}, d.Type)
	if words = words[1:]; len(words) > 0 && words[0] == "area" {
		area, words = true, words[1:]
	}
	var places []geo.Point
	for len(words) > 0 && strings.Contains(words[0], ",") {
		lat, lon, _ := strings.Cut(words[0], ",")
		places, words = append(places, geo.Point{Lon: number(t, lon), Lat: number(t, lat)}), words[1:]
	}
	switch {
	case d.Type == watchdog.Port:
		d.Port = 1
	case d.Type == watchdog.Anchor:
		d.Center = &places[0]
	case len(places) == 0:
	case !area:
		d.Line = places
	case len(places) == 2:
		a, b := places[0], places[1]
		d.Polygon = geo.Polygon{{a, {Lon: b.Lon, Lat: a.Lat}, b, {Lon: a.Lon, Lat: b.Lat}, a}}
	default:
		d.Polygon = geo.Polygon{append(places, places[0])}
	}
	for len(words) > 0 {
		words = option(t, &d, words)
	}
	return d
}

// option reads one option, and returns the words after it.
func option(t *testing.T, d *watchdog.Spec, words []string) []string {
	t.Helper()
	name, rest := words[0], words[1:]
	if name == "any" {
		d.AnyType = true
		return rest
	}
	if len(rest) == 0 {
		t.Fatalf("%s has no value", name)
	}
	switch name {
	case "samples":
		d.ToActivate = int(number(t, rest[0]))
	case "off":
		d.ToDeactivate = int(number(t, rest[0]))
	case "between":
		d.BetweenTriggers = int(number(t, rest[0]))
	case "times":
		d.BetweenTimes = duration(t, rest[0])
	case "silence":
		d.Inactivity = duration(t, rest[0])
	case "window":
		d.Window = duration(t, rest[0])
	case "draught":
		d.Draught = number(t, rest[0])
	case "buffer", "corridor":
		d.Buffer = number(t, rest[0])
	case "ship":
		d.Ships.MMSI = ais.MMSI(number(t, rest[0]))
	case "list":
		var list []ship.Listed
		for _, one := range strings.Split(rest[0], ",") {
			list = append(list, ship.Listed{MMSI: int64(number(t, one))})
		}
		d.Ships.Members = ship.Members(list)
	case "radius":
		d.Radius = number(t, rest[0])
	case "limit":
		d.Limit = number(t, rest[0])
	case "least":
		d.Least = duration(t, rest[0])
	case "after":
		d.After = duration(t, rest[0])
	case "hours":
		d.Hours = hours(t, d.Hours, rest[0])
	case "zone":
		zone, err := time.LoadLocation(rest[0])
		if err != nil {
			t.Skip("this machine has no time zones")
		}
		d.Hours.Zone = zone
	case "filter":
		f, err := ship.ParseFilter(rest[0], ship.Lookup{})
		if err != nil {
			t.Fatal(err)
		}
		d.Filter = f
	case "course":
		d.Course = &watchdog.Course{Min: number(t, rest[0]), Max: number(t, rest[1])}
		rest = rest[1:]
	case "charted":
		lat, lon, _ := strings.Cut(rest[0], ",")
		p := geo.Point{Lon: number(t, lon), Lat: number(t, lat)}
		d.Center = &p // of an aid it means nothing to the machine
	case "speeds", "knots":
		d.MinSOG, d.MaxSOG = number(t, rest[0]), number(t, rest[1])
		rest = rest[1:]
	default:
		t.Fatalf("unknown option %q", name)
	}
	return rest[1:]
}

// hours adds hours to a calendar: the days and two times of the day.
func hours(t *testing.T, to *watchdog.Calendar, text string) *watchdog.Calendar {
	t.Helper()
	words := strings.Fields(text)
	if to == nil {
		to = &watchdog.Calendar{}
	}
	var s watchdog.Shift
	for day := range s.Days {
		s.Days[day] = strings.Contains(words[0], strings.ToLower(time.Weekday(day).String()[:3]))
	}
	for i, at := range []*int{&s.From, &s.To} {
		hour, minute, _ := strings.Cut(words[i+1], ":")
		*at = int(number(t, hour))*60 + int(number(t, minute))
	}
	to.Shifts = append(to.Shifts, s)
	return to
}

func number(t *testing.T, word string) float64 {
	t.Helper()
	n, err := strconv.ParseFloat(word, 64)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

func duration(t *testing.T, word string) time.Duration {
	t.Helper()
	d, err := time.ParseDuration(word)
	if err != nil {
		t.Fatal(fmt.Errorf("%q: %w", word, err))
	}
	return d
}
