package ship_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"quaywatch/ais"
	"quaywatch/ship"
)

var noon = time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)

const anna ais.MMSI = 211000001

func at(lat, lon float64) ais.Place {
	x, y := place(lat, lon)
	return ais.Place{Lon: x, Lat: y}
}

func header(kind uint8, m ais.MMSI) ais.Header { return ais.Header{Type: kind, MMSI: m} }

// position is a class A report at 12 knots.
func position(m ais.MMSI, where ais.Place) *ais.PositionReport {
	return &ais.PositionReport{Header: header(1, m), Place: where, SOG: ais.SOGTenths(120), COG: ais.COGTenths(900)}
}

// log merges reports one after the other, as the picture does.
type log struct {
	state  ship.State
	gate   ship.Gate
	limits ship.Limits
}

func newLog() *log { return &log{limits: ship.DefaultLimits()} }

func (l *log) hear(message ais.Message, seconds float64) ship.Outcome {
	return l.take(&ais.Report{Message: message, Received: noon.Add(time.Duration(seconds * float64(time.Second))), Feed: "roof"})
}

func (l *log) take(r *ais.Report) ship.Outcome {
	out := ship.Merge(&l.state, l.gate, r, &l.limits)
	l.state, l.gate = out.Now, out.Gate
	return out
}

func TestMergeByMessageType(t *testing.T) {
	const ms = 1795176000000 // noon
	where := at(54.5, 10.25)
	fix := ship.Fix{At: ms, Lon: where.Lon, Lat: where.Lat, Status: ais.StatusUndefined}
	moving := fix
	moving.SOG, moving.COG = ais.SOGTenths(83), ais.COGTenths(1805)
	heading := moving
	heading.Heading = ais.HeadingDegrees(179)
	full := heading
	full.ROT, full.Status = ais.RawROT(-3), ais.StatusFishing
	coarse := moving
	coarse.Status, coarse.Mark = ais.StatusMoored, ship.Coarse
	size := ais.Dimensions{Bow: 100, Stern: 20, Port: 9, Starboard: 9}
	sog, cog, hdg := moving.SOG, moving.COG, heading.Heading
	tests := []struct {
		name    string
		message ais.Message
		class   ship.Class
		change  ship.Change // beside Appeared
		fix     ship.Fix
		static  *ship.Static
		voyage  *ship.VoyageData
	}{
		{"1", &ais.PositionReport{Header: header(1, anna), Place: where, SOG: sog, COG: cog, Heading: hdg, ROT: full.ROT, Status: 7},
			ship.ClassA, ship.ChangedFix, full, nil, nil},
		{"3 of a SART", &ais.PositionReport{Header: header(3, 970012345), Place: where, SOG: sog, COG: cog, Heading: hdg, ROT: full.ROT, Status: 7},
			ship.ClassSART, ship.ChangedFix, full, nil, nil},
		{"4", &ais.BaseStationReport{Header: header(4, 2190001), Place: where}, ship.ClassBase, ship.ChangedFix, fix, nil, nil},
		{"5", &ais.StaticVoyage{Header: header(5, anna), IMO: 9321483, Name: "ANNA", CallSign: "DABC", ShipType: 70, Dimensions: size,
			ETA: ais.ETA{Month: 11, Day: 21, Hour: 6}, Draught: 62, Destination: "KIEL"},
			ship.ClassA, ship.ChangedStatic | ship.ChangedVoyage, ship.Fix{Status: ais.StatusUndefined},
			&ship.Static{IMO: 9321483, Name: "ANNA", CallSign: "DABC", Type: 70, Dimensions: size, At: ms},
			&ship.VoyageData{Destination: "KIEL", ETA: ais.ETA{Month: 11, Day: 21, Hour: 6}, Draught: 62, At: ms}},
		{"5 with nothing in it", &ais.StaticVoyage{Header: header(5, anna), ETA: ais.ETA{Hour: 24, Minute: 60}},
			ship.ClassA, 0, ship.Fix{Status: ais.StatusUndefined}, nil, nil},
		{"8", &ais.BroadcastBinary{Header: header(8, anna)}, ship.ClassUnknown, 0, ship.Fix{Status: ais.StatusUndefined}, nil, nil},
		{"9", &ais.SARAircraftReport{Header: header(9, 111211001), Place: where, Altitude: 300, SOG: sog, COG: cog},
			ship.ClassSAR, ship.ChangedFix, moving, nil, nil},
		{"11", &ais.BaseStationReport{Header: header(11, anna), Place: where}, ship.ClassUnknown, ship.ChangedFix, fix, nil, nil},
		{"18", &ais.ClassBReport{Header: header(18, anna), Place: where, SOG: sog, COG: cog, Heading: hdg}, ship.ClassB, ship.ChangedFix, heading, nil, nil},
		{"19", &ais.ExtendedClassBReport{Header: header(19, anna), Place: where, SOG: sog, COG: cog, Heading: hdg, Name: "ANNA", ShipType: 36, Dimensions: size},
			ship.ClassB, ship.ChangedFix | ship.ChangedStatic, heading, &ship.Static{Name: "ANNA", Type: 36, Dimensions: size, At: ms}, nil},
		{"20", &ais.DataLinkManagement{Header: header(20, 2190001)}, ship.ClassBase, 0, ship.Fix{Status: ais.StatusUndefined}, nil, nil},
		{"21", &ais.AidToNavigation{Header: header(21, 992111840), AidType: 14, Name: "KIEL LIGHTHOUSE APPROACH", Place: where, Virtual: true, OffPosition: true, Second: 12},
			ship.ClassAtoN, ship.ChangedFix | ship.ChangedStatic, fix, &ship.Static{Name: "KIEL LIGHTHOUSE APPROACH", AidType: 14, Virtual: true, At: ms}, nil},
		{"24 A", &ais.StaticReport{Header: header(24, anna), Name: "ANNA"}, ship.ClassB, ship.ChangedStatic, ship.Fix{Status: ais.StatusUndefined},
			&ship.Static{Name: "ANNA", At: ms}, nil},
		{"24 B of a craft", &ais.StaticReport{Header: header(24, 982110001), Part: 1, ShipType: 50, CallSign: "DX", MotherShip: anna},
			ship.ClassB, ship.ChangedStatic, ship.Fix{Status: ais.StatusUndefined},
			&ship.Static{Type: 50, CallSign: "DX", MotherShip: anna, At: ms}, nil},
		{"27", &ais.LongRangeReport{Header: header(27, anna), Place: where, SOG: sog, COG: cog, Status: 5}, ship.ClassA, ship.ChangedFix, coarse, nil, nil},
		{"14 of a group", &ais.BroadcastSafety{Header: header(14, 21100001)}, ship.ClassGroup, 0, ship.Fix{Status: ais.StatusUndefined}, nil, nil},
		{"14 of a coast station", &ais.BroadcastSafety{Header: header(14, 2110001)}, ship.ClassCoast, 0, ship.Fix{Status: ais.StatusUndefined}, nil, nil},
		{"1 of a MOB", position(972111111, ais.Place{Lon: 181 * 600000, Lat: 91 * 600000}), ship.ClassMOB, 0, ship.Fix{Status: ais.StatusUndefined}, nil, nil},
		{"1 of an EPIRB", position(974111111, ais.Place{}), ship.ClassEPIRB, 0, ship.Fix{Status: ais.StatusUndefined}, nil, nil},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			l := newLog()
			out := l.hear(test.message, 0)
			if out.Change != test.change|ship.Appeared {
				t.Errorf("change %b, want %b", out.Change, test.change|ship.Appeared)
			}
			want := ship.State{
				MMSI: test.message.Head().MMSI, Class: test.class, Fix: test.fix, HasFix: test.change&ship.ChangedFix != 0,
				First: ms, Heard: ms, Reports: 1, Feed: "roof", Static: test.static, Voyage: test.voyage,
			}
			want.Altitude, want.OffPlace = out.Now.Altitude, test.name == "21"
			if diff := cmp.Diff(want, out.Now); diff != "" {
				t.Error(diff)
			}
			if test.name == "9" && out.Now.Altitude != 300 {
				t.Errorf("altitude %d", out.Now.Altitude)
			}
		})
	}
}

func TestMergeJoinsHalvesAndKeepsWhatIsKnown(t *testing.T) {
	l := newLog()
	l.hear(&ais.StaticReport{Header: header(24, anna), Name: "ANNA"}, 0)
	l.hear(&ais.StaticReport{Header: header(24, anna), Part: 1, ShipType: 36, CallSign: "DABC", Dimensions: ais.Dimensions{Bow: 5, Stern: 5}}, 1)
	l.hear(&ais.StaticReport{Header: header(24, anna)}, 2)
	was := l.state.Static
	if was.Name != "ANNA" || was.CallSign != "DABC" || was.Type != 36 || was.Dimensions.Length() != 10 {
		t.Errorf("after both halves: %+v", was)
	}
	if out := l.hear(&ais.StaticReport{Header: header(24, anna), Name: "ANNA"}, 3); out.Change != 0 || out.Now.Static != was {
		t.Error("the same name again replaced the static data")
	}
	if out := l.hear(&ais.StaticReport{Header: header(24, anna), Name: "BERTA"}, 4); out.Change != 0 || out.Now.Static != was {
		t.Error("a name that was told once replaced the static data")
	}
	if out := l.hear(&ais.StaticReport{Header: header(24, anna), Name: "BERTA"}, 4.5); out.Change != ship.ChangedStatic || was.Name != "ANNA" || out.Now.Static.Name != "BERTA" {
		t.Error("a new name changed the old static data, or none")
	}
	v := &ais.StaticVoyage{Header: header(5, anna), Draught: 62, Destination: "KIEL"}
	l.hear(v, 5)
	v.Draught, v.Destination = 0, ""
	if out := l.hear(v, 6); out.Change != ship.ChangedVoyage || out.Now.Voyage.Draught != 62 || out.Now.Voyage.Destination != "" {
		t.Errorf("a cleared destination: %+v", out.Now.Voyage)
	}
	if l.state.Class != ship.ClassA {
		t.Errorf("class %v after type 5", l.state.Class)
	}
	l.hear(&ais.StaticReport{Header: header(24, anna), Name: "ANNA"}, 7)
	if l.state.Class != ship.ClassA {
		t.Error("type 24 made a class A ship class B")
	}
}

func TestMergeTimes(t *testing.T) {
	tests := []struct {
		name string
		sent time.Duration // after received; 1h is none
		want time.Duration // of the fix, after received
	}{
		{"none", time.Hour, 0},
		{"a second ago", -time.Second, -time.Second},
		{"a clock that is fast", 59 * time.Second, 59 * time.Second},
		{"the future", 61 * time.Second, 0},
		{"a relay", -23 * time.Hour, -23 * time.Hour},
		{"too old", -25 * time.Hour, 0},
	}
	for _, test := range tests {
		r := &ais.Report{Message: position(anna, at(54, 10)), Received: noon}
		if test.sent != time.Hour {
			r.Sent = noon.Add(test.sent)
		}
		if out := newLog().take(r); out.Fix.At != noon.Add(test.want).UnixMilli() {
			t.Errorf("%s: fix at %v", test.name, out.Fix.Time())
		}
	}
}

func TestMergeLateReport(t *testing.T) {
	l := newLog()
	l.hear(position(anna, at(54, 10)), 0)
	before := l.state
	late := &ais.Report{Message: position(anna, at(54.001, 10)), Received: noon.Add(time.Second), Sent: noon.Add(-time.Minute)}
	out := l.take(late)
	if out.Change != ship.LateFix || out.Fix.Lat != 54.001*600000 || out.Now.Fix != before.Fix {
		t.Errorf("late: change %b, fix %+v, latest %+v", out.Change, out.Fix, out.Now.Fix)
	}
	late.Message = position(anna, at(58, 10))
	if out := l.take(late); out.Change != 0 || out.Reason != ship.LateJump {
		t.Errorf("late and far: change %b, reason %v", out.Change, out.Reason)
	}
	l.hear(&ais.StaticReport{Header: header(24, anna), Name: "NEW"}, 100)
	if l.state.Static.Name != "NEW" {
		t.Error("a first name was not taken at once")
	}
	r := &ais.Report{Message: &ais.StaticReport{Header: header(24, anna), Name: "OLD"}, Received: noon.Add(200 * time.Second), Sent: noon}
	if l.take(r); l.state.Static.Name != "NEW" {
		t.Error("a late report undid a change of name")
	}
}

func TestMergeRefuses(t *testing.T) {
	tests := []struct {
		name string
		m    ais.MMSI
		p    ais.Place
		want ship.Reason
	}{
		{"MMSI 0", 0, at(54, 10), ship.BadMMSI},
		{"ten digits", 1000000000, at(54, 10), ship.BadMMSI},
		{"not available", anna, at(91, 181), ship.NoPlace},
		{"0° 0°", anna, ais.Place{}, ship.ImpossiblePlace},
		{"north of the pole", anna, at(90.5, 10), ship.ImpossiblePlace},
		{"east of 180°", anna, at(54, 180.1), ship.ImpossiblePlace},
		{"the pole", anna, at(90, 10), ship.Accepted},
		{"180°", anna, at(54, 180), ship.Accepted},
		{"equator", anna, at(0, 10), ship.Accepted},
	}
	for _, test := range tests {
		out := newLog().hear(position(test.m, test.p), 0)
		if out.Reason != test.want || out.Now.HasFix != (test.want == ship.Accepted) {
			t.Errorf("%s: %v, has fix %v", test.name, out.Reason, out.Now.HasFix)
		}
		if heard := out.Now.Heard != 0; heard != (test.want != ship.BadMMSI) {
			t.Errorf("%s: heard %v", test.name, heard)
		}
	}
}

// step is a report so many seconds after noon and so many metres north of the first.
type step struct {
	seconds, metres float64
	want            ship.Reason
	mark            ship.Mark
}

func TestMergeJumps(t *testing.T) {
	const far = 50000
	tests := []struct {
		name    string
		m       ais.MMSI
		message func(ais.MMSI, ais.Place) ais.Message
		steps   []step
	}{
		{"within slack", anna, nil, []step{{0, 0, 0, 0}, {1, 520, 0, 0}, {2, 1050, 0, 0}}},
		{"60 knots for ten minutes", anna, nil, []step{{0, 0, 0, 0}, {600, 18900, 0, 0}, {601, 20000, ship.Jump, 0}}},
		{"one stray report", anna, nil, []step{{0, 0, 0, 0}, {10, far, ship.Jump, 0}, {20, 100, 0, 0}, {30, far, ship.Jump, 0}, {40, 200, 0, 0}}},
		{"three agree", anna, nil, []step{
			{0, 0, 0, 0}, {10, far, ship.Jump, 0}, {20, far + 60, ship.Jump, 0}, {30, far + 120, 0, ship.NewSegment}, {40, far + 180, 0, 0}}},
		{"two agree, one does not", anna, nil, []step{
			{0, 0, 0, 0}, {10, far, ship.Jump, 0}, {20, far + 60, ship.Jump, 0}, {30, 2 * far, ship.Jump, 0}, {35, far, ship.Jump, 0}}},
		{"the same report thrice is one witness", anna, nil, []step{
			{0, 0, 0, 0}, {10, far, ship.Jump, 0}, {10, far, ship.Jump, 0}, {10, far, ship.Jump, 0}}},
		{"a minute without agreement", anna, nil, []step{
			{0, 0, 0, 0}, {10, far, ship.Jump, 0}, {40, 2 * far, ship.Jump, 0}, {70, 3 * far, 0, ship.NewSegment | ship.Doubtful}}},
		{"two ships with one number", anna, nil, []step{
			{0, 0, 0, 0}, {5, far, ship.Jump, 0}, {10, 50, 0, 0}, {15, far, ship.Jump, 0}, {80, 100, 0, 0}, {85, far, ship.Jump, 0}}},
		{"a SART may be anywhere", 970123456, nil, []step{{0, 0, 0, 0}, {1, far, 0, 0}, {2, 0, 0, 0}}},
		{"an aircraft at 500 knots", 111211001, func(m ais.MMSI, p ais.Place) ais.Message {
			return &ais.SARAircraftReport{Header: header(9, m), Place: p}
		}, []step{{0, 0, 0, 0}, {60, 15000, 0, 0}, {120, 50000, ship.Jump, 0}}},
		{"a fast craft says 60 knots", anna, func(m ais.MMSI, p ais.Place) ais.Message {
			return &ais.PositionReport{Header: header(1, m), Place: p, SOG: ais.SOGTenths(600)}
		}, []step{{0, 0, 0, 0}, {600, 43000, 0, 0}}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			l := newLog()
			for i, s := range test.steps {
				where := at(10+s.metres/110600, 10)
				var message ais.Message = position(test.m, where)
				if test.message != nil {
					message = test.message(test.m, where)
				}
				out := l.hear(message, s.seconds)
				if out.Reason != s.want {
					t.Fatalf("step %d: %v, want %v", i, out.Reason, s.want)
				}
				if s.want == ship.Accepted && out.Now.Fix.Mark != s.mark {
					t.Fatalf("step %d: mark %b, want %b", i, out.Now.Fix.Mark, s.mark)
				}
			}
		})
	}
}

func TestMergeOverTheDateLineAndThePole(t *testing.T) {
	for _, leg := range [][2]ais.Place{
		{at(54, 179.9999), at(54, -179.9999)},
		{at(54, -180), at(54, 180)},
		{at(89.999, 10), at(89.999, -170)},
		{at(54, 10), at(54, 10)},
	} {
		l := newLog()
		l.hear(position(anna, leg[0]), 0)
		if out := l.hear(position(anna, leg[1]), 10); out.Reason != ship.Accepted {
			t.Errorf("%v: %v", leg, out.Reason)
		}
	}
}

func TestMergeComesBack(t *testing.T) {
	l := newLog()
	l.hear(position(anna, at(54, 10)), 0)
	l.state.Age = ship.Lost
	if out := l.hear(position(anna, at(54, 10)), 900); out.Change != ship.ChangedFix|ship.ChangedAge || out.Now.Age != ship.Live {
		t.Errorf("after lost: %b", out.Change)
	}
	l.state.Age = ship.Removed
	if out := l.hear(position(anna, at(54, 10)), 9000); out.Change != ship.ChangedFix|ship.ChangedAge|ship.Appeared {
		t.Errorf("after removed: %b", out.Change)
	}
}

// drawReport draws a report of one of few ships near each other, early, late or far.
func drawReport(t *rapid.T) *ais.Report {
	p := at(rapid.Float64Range(53.9, 54.1).Draw(t, "lat"), rapid.Float64Range(9.9, 10.1).Draw(t, "lon"))
	m := rapid.SampledFrom([]ais.MMSI{anna, 970000001, 111211001}).Draw(t, "mmsi")
	name := rapid.SampledFrom([]string{"", "ANNA", "BERTA"}).Draw(t, "name")
	r := &ais.Report{Received: noon.Add(time.Duration(rapid.IntRange(0, 600).Draw(t, "received")) * time.Second)}
	if rapid.Bool().Draw(t, "sent") {
		r.Sent = r.Received.Add(time.Duration(rapid.IntRange(-300, 30).Draw(t, "delay")) * time.Second)
	}
	r.Message = rapid.SampledFrom([]ais.Message{
		position(m, p), &ais.StaticReport{Header: header(24, m), Name: name},
		&ais.StaticVoyage{Header: header(5, m), Name: name, Destination: name, Draught: ais.Decimetres(len(name))},
		&ais.ExtendedClassBReport{Header: header(19, m), Place: p, Name: name},
	}).Draw(t, "message")
	return r
}

func TestMergeIsIdempotentOnRepeats(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		l := newLog()
		var m ais.MMSI
		for range rapid.IntRange(1, 20).Draw(t, "reports") {
			r := drawReport(t)
			if m == 0 {
				m = r.Message.Head().MMSI
			}
			r.Message.Head().MMSI = m
			l.take(r)
			once, gate := l.state, l.gate
			again := l.take(r)
			again.Now.Reports--
			if again.Now != once || again.Gate != gate || again.Change&^(ship.LateFix|ship.ToldLate) != 0 {
				t.Fatalf("a repeat changed %b: %+v to %+v", again.Change, once, again.Now)
			}
		}
	})
}

func TestMergeKeepsFixesInOrder(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		l := newLog()
		for range rapid.IntRange(1, 30).Draw(t, "reports") {
			r := drawReport(t)
			r.Message.Head().MMSI = anna
			was := l.state
			out := l.take(r)
			if was.HasFix && out.Now.Fix.At < was.Fix.At {
				t.Fatal("the latest fix went back in time")
			}
			if out.Change&ship.LateFix != 0 && out.Fix.At >= was.Fix.At {
				t.Fatal("a fix is late that is not")
			}
		}
	})
}

func TestMergePositionAllocatesNothing(t *testing.T) {
	l := newLog()
	r := &ais.Report{Message: position(anna, at(54, 10)), Received: noon, Feed: "roof"}
	if n := testing.AllocsPerRun(1000, func() {
		r.Received = r.Received.Add(10 * time.Second)
		l.take(r)
	}); n != 0 {
		t.Errorf("%v allocations a position report", n)
	}
}

func BenchmarkMerge(b *testing.B) {
	l := newLog()
	r := &ais.Report{Message: position(anna, at(54, 10)), Received: noon, Feed: "roof"}
	b.ReportAllocs()
	for b.Loop() {
		r.Received = r.Received.Add(10 * time.Second)
		l.take(r)
	}
	if l.state.Fix.At != r.Received.UnixMilli() {
		b.Fatal("the last report changed nothing")
	}
}
