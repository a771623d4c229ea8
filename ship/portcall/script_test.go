package portcall_test

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
	"quaywatch/geo/chart"
	"quaywatch/ship"
	"quaywatch/ship/portcall"
	"quaywatch/ship/shiptest"
)

// The scripts of testdata have these lines beside those of package shiptest. Places are latitude,longitude.
//
//	port KIEL 54.0,10.0                     a port with its position
//	outer KIEL 53.9,9.9 54.1,10.1           a drawn border: the corners of a box
//	inner KIEL 54.0,10.0 54.01,10.01        an inner shape
//	berth KIEL 7 120 54.005,10.005          a berth: id, length in metres, position
//	remove KIEL                             the port is taken from the list
//	draught ANNA 6.2                        the crew types a draught
//	heading ANNA 90                         the heading of the ship from now on
//	lies ANNA 2h 3m                         the ship repeats its last report for two hours, each three minutes
//	jump, coarse, exact, late 10m           of the next report: a new segment, as in message 27 from now on, no longer so, of ten minutes ago
//
// What is expected are all calls so far, in their order, as log.text writes them.

// keeping is how a log keeps what the engine knows of a ship.
type keeping struct {
	drop    bool // a ship of which nothing more is to be known is forgotten
	restart bool // all is written and read back before each step
	ticks   bool // time passes between the reports
}

// portLog is what an agent would write down of ships and their calls.
type portLog struct {
	t      *testing.T
	how    keeping
	ports  []*chart.Port
	titles map[uint64]string // of all ports that there were
	engine *portcall.Engine
	ships  map[ais.MMSI]*followed
	names  map[ais.MMSI]string

	now    *followed // whose calls are told
	calls  []told
	jump   bool
	coarse bool
	late   time.Duration
}

// followed is a ship of the log.
type followed struct {
	mmsi     ais.MMSI
	last     ship.Fix
	draught  uint16
	heading  ais.Heading
	follower *portcall.Follower
}

// told is a call as it was last told.
type told struct {
	mmsi ais.MMSI
	call portcall.Call
}

func newLog(t *testing.T, how keeping, ports ...*chart.Port) *portLog {
	l := &portLog{t: t, how: how, ports: ports, titles: map[uint64]string{}, ships: map[ais.MMSI]*followed{}, names: map[ais.MMSI]string{}}
	l.engine = portcall.NewEngine(portcall.NewPorts(chart.NewPorts(ports), nil), l.tell)
	return l
}

// tell keeps a copy of a call.
func (l *portLog) tell(c *portcall.Call) {
	if c.Ref == 0 {
		for _, before := range l.calls {
			if before.mmsi == l.now.mmsi && (before.call.Open() || before.call.Left > c.Stays[0].Seen) {
				l.t.Errorf("a call begins in another: %+v, %+v", c, before.call)
			}
		}
		l.calls = append(l.calls, told{mmsi: l.now.mmsi})
		c.Ref = uint64(len(l.calls))
	}
	keep := *c
	keep.Stays = slices.Clone(c.Stays)
	l.calls[c.Ref-1].call = keep
	checkCall(l.t, &keep)
}

func (l *portLog) ship(mmsi ais.MMSI) *followed {
	if l.ships[mmsi] == nil {
		l.ships[mmsi] = &followed{mmsi: mmsi}
	}
	return l.ships[mmsi]
}

// hear takes a position as the live picture would hand it over.
func (l *portLog) hear(mmsi ais.MMSI, fix ship.Fix) {
	s := l.ship(mmsi)
	l.now = s
	if s.follower == nil && l.engine.Enters(fix) || !l.how.drop && s.follower == nil {
		s.follower = portcall.Begin(s.last, s.draught)
	}
	if s.follower != nil {
		if l.how.ticks && s.last.At != 0 {
			for share := range 5 {
				l.engine.Pass(s.follower, time.UnixMilli(s.last.At+(fix.At-s.last.At)*int64(share)/5))
			}
		}
		l.keepOver(s)
		l.engine.Step(s.follower, fix)
	}
	l.settle(s)
	if fix.At > s.last.At {
		s.last = fix
	}
}

// keepOver writes what is known of a ship and reads it back.
func (l *portLog) keepOver(s *followed) {
	if !l.how.restart || s.follower == nil {
		return
	}
	text, err := json.Marshal(s.follower)
	if err != nil {
		l.t.Fatal(err)
	}
	s.follower = &portcall.Follower{}
	if err := json.Unmarshal(text, s.follower); err != nil {
		l.t.Fatal(err)
	}
}

func (l *portLog) settle(s *followed) {
	if l.how.drop && s.follower != nil && s.follower.Done() {
		s.follower = nil
	}
}

// typed takes a draught of the crew.
func (l *portLog) typed(mmsi ais.MMSI, at time.Time, centimetres uint16) {
	s := l.ship(mmsi)
	if l.now = s; centimetres != 0 {
		s.draught = centimetres
	}
	if s.follower != nil {
		l.keepOver(s)
		l.engine.Typed(s.follower, at, centimetres)
	}
}

// pass lets time pass for all ships.
func (l *portLog) pass(at time.Time) {
	for _, s := range l.ships {
		if l.now = s; s.follower != nil {
			l.engine.Pass(s.follower, at)
			l.settle(s)
		}
	}
}

// text writes a call: the ship, the port, when it came, how it lay, when it left, and its draughts. A ? is a time that is not known.
func (l *portLog) text(c told) string {
	words := []string{l.names[c.mmsi], l.titles[c.call.Port], "in", clock(c.call.Entered)}
	for _, s := range c.call.Stays {
		word := "anchored"
		if s.Kind == portcall.Berthed {
			word = "berthed"
		}
		if s.Berth != 0 {
			word += fmt.Sprintf(":%d", s.Berth)
		}
		to := ""
		if s.Over {
			to = clock(s.To)
		}
		words = append(words, word, clock(s.From)+"-"+to)
	}
	switch {
	case c.call.Open():
		words = append(words, "open")
	case c.call.Exit:
		words = append(words, "out", clock(c.call.Left))
	default:
		words = append(words, "silent", clock(c.call.Left))
	}
	if a, d := c.call.DraughtA, c.call.DraughtD; a+d != 0 {
		words = append(words, "draught", metres(a), metres(d))
	}
	return strings.Join(words, " ")
}

func clock(m portcall.Millis) string {
	if m == 0 {
		return "?"
	}
	return m.Time().Round(time.Second).Format("15:04:05")
}

func metres(centimetres uint16) string {
	if centimetres == 0 {
		return "?"
	}
	return strconv.FormatFloat(float64(centimetres)/100, 'g', -1, 64)
}

// checkCall fails the test for a call that contradicts itself.
func checkCall(t *testing.T, c *portcall.Call) {
	t.Helper()
	if len(c.Stays) == 0 {
		t.Fatal("a call without a stay")
	}
	last := portcall.Millis(0)
	for i, s := range c.Stays {
		for _, at := range []portcall.Millis{s.From, s.Seen, s.Last, s.To} {
			if at == 0 {
				continue
			}
			if at < last {
				t.Errorf("stay %d of %+v is not in order", i, c)
			}
			last = at
		}
		if i < len(c.Stays)-1 && !s.Over || s.To != 0 && !s.Over || s.Seen == 0 || s.Last == 0 {
			t.Errorf("stay %d of %+v", i, c)
		}
	}
	if c.Entered > c.Stays[len(c.Stays)-1].Seen {
		t.Errorf("entered at %s, after it came to rest: %+v", clock(c.Entered), c)
	}
	if c.Left != 0 && c.Left < last {
		t.Errorf("left at %s, before %s: %+v", clock(c.Left), clock(last), c)
	}
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
			t.Run(filepath.Base(file)+"/"+name, func(t *testing.T) { runScript(t, string(text), how) })
		}
	}
}

// runScript plays a file of scripts. Each begins with a line of = signs.
func runScript(t *testing.T, text string, how keeping) {
	for _, part := range strings.Split("\n"+text, "\n== ")[1:] {
		name, lines, _ := strings.Cut(part, "\n")
		t.Run(name, func(t *testing.T) {
			script, err := shiptest.Read(strings.NewReader(lines))
			if err != nil {
				t.Fatal(err)
			}
			newLog(t, how).play(script)
		})
	}
}

func (l *portLog) play(script *shiptest.Script) {
	l.names = script.Names
	var want, got []string
	for i, step := range script.Steps {
		switch step.Kind {
		case shiptest.Report:
			l.report(step)
		case shiptest.Tick:
			l.pass(step.At)
		case shiptest.Other:
			l.other(step)
		case shiptest.Expect:
			want = append(want, strings.Join(step.Words, " "))
		}
		if len(want) == 0 || i+1 < len(script.Steps) && script.Steps[i+1].Kind == shiptest.Expect {
			continue
		}
		for _, c := range l.calls {
			got = append(got, l.text(c))
		}
		if len(got) == 0 {
			got = []string{"none"}
		}
		if !slices.Equal(got, want) {
			l.t.Errorf("line %d:\nis   %s\nwant %s", step.Line, strings.Join(got, "\n     "), strings.Join(want, "\n     "))
		}
		want, got = nil, nil
	}
}

func (l *portLog) report(step shiptest.Step) {
	switch m := step.Report.Message.(type) {
	case *ais.StaticVoyage:
		l.typed(m.MMSI, step.At, uint16(m.Draught)*10)
	case *ais.PositionReport:
		fix := ship.Fix{At: step.At.Add(-l.late).UnixMilli(), Lon: m.Place.Lon, Lat: m.Place.Lat, SOG: m.SOG, COG: m.COG, Status: m.Status}
		fix.Heading = l.ship(m.MMSI).heading
		if l.jump {
			fix.Mark |= ship.NewSegment
		}
		if l.coarse {
			fix.Mark |= ship.Coarse
		}
		l.jump, l.late = false, 0
		l.hear(m.MMSI, fix)
	}
}

// other takes a line of the kinds above.
func (l *portLog) other(step shiptest.Step) {
	words := step.Words
	switch words[0] {
	case "jump":
		l.jump = true
	case "coarse", "exact":
		l.coarse = words[0] == "coarse"
	case "late":
		l.late = l.duration(words[1])
	case "draught":
		l.typed(l.number(words[1]), step.At, uint16(100*l.amount(words[2])+0.5))
	case "heading":
		l.ship(l.number(words[1])).heading = ais.HeadingDegrees(int(l.amount(words[2])))
	case "lies":
		s := l.ship(l.number(words[1]))
		every := l.duration(words[3])
		for range l.duration(words[2]) / every {
			fix := s.last
			fix.At += every.Milliseconds()
			fix.Mark, fix.Heading = 0, s.heading
			l.hear(s.mmsi, fix)
		}
	default:
		l.draw(words)
	}
}

// draw takes a line about a port.
func (l *portLog) draw(words []string) {
	old := slices.IndexFunc(l.ports, func(p *chart.Port) bool { return p.Name == words[1] })
	port := &chart.Port{ID: uint64(len(l.titles) + 1), Name: words[1], Placed: true}
	if old >= 0 {
		copied := *l.ports[old]
		port = &copied
		l.ports = slices.Delete(l.ports, old, old+1)
	}
	switch words[0] {
	case "port":
		port.Position = l.place(words[2])
	case "outer":
		port.Outer = l.box(words[2:])
	case "inner":
		port.Inner = append(slices.Clone(port.Inner), l.box(words[2:]))
	case "berth":
		at := l.place(words[4])
		port.Berths = append(slices.Clone(port.Berths), chart.Berth{ID: int64(l.amount(words[2])), Length: l.amount(words[3]), Position: &at})
	case "remove":
		l.list(l.ports)
		return
	default:
		l.t.Fatalf("unknown line %q", words)
	}
	l.titles[port.ID] = port.Name
	l.list(append(l.ports, port))
}

// list replaces the ports.
func (l *portLog) list(ports []*chart.Port) {
	l.ports = ports
	l.engine.SetPorts(portcall.NewPorts(chart.NewPorts(ports), nil))
}

func (l *portLog) number(name string) ais.MMSI {
	for number, n := range l.names {
		if n == name {
			return number
		}
	}
	l.t.Fatalf("unknown ship %q", name)
	return 0
}

func (l *portLog) place(word string) (p geo.Point) {
	lat, lon, _ := strings.Cut(word, ",")
	return geo.Point{Lon: l.amount(lon), Lat: l.amount(lat)}
}

func (l *portLog) box(words []string) geo.Polygon {
	a, b := l.place(words[0]), l.place(words[1])
	return geo.Polygon{{a, {Lon: b.Lon, Lat: a.Lat}, b, {Lon: a.Lon, Lat: b.Lat}, a}}
}

func (l *portLog) amount(word string) float64 {
	n, err := strconv.ParseFloat(word, 64)
	if err != nil {
		l.t.Fatal(err)
	}
	return n
}

func (l *portLog) duration(word string) time.Duration {
	d, err := time.ParseDuration(word)
	if err != nil {
		l.t.Fatal(err)
	}
	return d
}
