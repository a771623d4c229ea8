package traffic_test

import (
	"fmt"
	"testing"
	"time"

	"quaywatch/ais"
	"quaywatch/ship"
	"quaywatch/traffic"
)

// bySecond returns a report as a feed without stamps does: its time is the last moment with its UTC second, or one of the next 15 s.
func bySecond(feed string, m ais.Message, hash uint64, second int, seconds float64) ais.Report {
	r := heardBy(feed, m, hash, seconds)
	r.Sent = r.Received.Truncate(time.Minute).Add(time.Duration(second) * time.Second)
	if r.Sent.After(r.Received.Add(15 * time.Second)) {
		r.Sent = r.Sent.Add(-time.Minute)
	} else if r.Sent.Before(r.Received.Add(-45 * time.Second)) {
		r.Sent = r.Sent.Add(time.Minute)
	}
	return r
}

// sails returns a position of a ship at a speed, of class A or B.
func sails(class ship.Class, lon float64, tenths, second int) ais.Message {
	if class == ship.ClassB {
		return &ais.ClassBReport{Header: ais.Header{Type: 18, MMSI: anna}, Place: at(54, lon), SOG: ais.SOGTenths(tenths), Second: ais.Second(second)}
	}
	m := position(anna, at(54, lon))
	m.SOG, m.Second = ais.SOGTenths(tenths), ais.Second(second)
	return m
}

// taker counts what an observer is told to take, and what an output is.
type taker struct{ fixes, told, copies int }

func (t *taker) Observe(u *ship.Update) {
	switch {
	case u.Report == nil:
		return
	case u.Change&(ship.ChangedFix|ship.LateFix) != 0:
		t.fixes++
	case u.Change&ship.Copied != 0:
		t.copies++
	}
	t.told++
}

func (t *taker) Tick(time.Time) {}

// TestALateCopyGivesNoFix sends each report of a ship again late, by another way or the same. The picture is as without the copies. An output is
// told of each message all the same, as duplicate_window says.
func TestALateCopyGivesNoFix(t *testing.T) {
	const reports = 200
	for _, class := range []ship.Class{ship.ClassA, ship.ClassB} {
		for _, window := range []time.Duration{0, time.Second, 10 * time.Second} {
			for _, delay := range []float64{21, 45, 60, 75, 120, 590} {
				for _, way := range []string{"roof", "sky"} {
					name := fmt.Sprint(class, window, delay, way)
					config := traffic.DefaultConfig()
					config.DuplicateWindow = window
					p := traffic.New(config)
					var c taker
					copies := 0
					for i := range reports {
						s := float64(6 * i)
						p.Apply(batch(bySecond("roof", sails(class, 10+0.0001*float64(i), 150, 6*i%60), uint64(i+1)<<20, 6*i%60, s)), &c)
						if j := i - int(delay)/6; j >= 0 {
							p.Apply(batch(bySecond(way, sails(class, 10+0.0001*float64(j), 150, 6*j%60), uint64(j+1)<<20, 6*j%60, 6*float64(j)+delay)), &c)
							copies++
						}
						now, _ := p.Ship(anna)
						if now.Fix.At != noon.Add(time.Duration(s)*time.Second).UnixMilli() {
							t.Fatalf("%s: at report %d the fix is of %v", name, i, now.Fix.Time())
						}
					}
					if c.fixes != reports || c.told != reports+copies || c.copies != copies {
						t.Errorf("%s: %d fixes of %d reports, %d messages told of %d, %d copies", name, c.fixes, reports, c.told, reports+copies, c.copies)
					}
				}
			}
		}
	}
}

// TestALateCopyWithoutASecond: of a ship that sails, the same report without a UTC second is a copy when the ship has moved on. One that lies says the same again and again,
// and so does one whose receiver stands still.
func TestALateCopyWithoutASecond(t *testing.T) {
	for _, second := range []int{60, 61, 62, 63} {
		for _, class := range []ship.Class{ship.ClassA, ship.ClassB} {
			for _, delay := range []float64{22, 60, 75, 590} {
				p := traffic.New(traffic.DefaultConfig())
				var c taker
				copies := 0
				for i := range 100 {
					s := float64(6 * i)
					p.Apply(batch(heardBy("roof", sails(class, 10+0.0001*float64(i), 150, second), uint64(i+1)<<20, s)), &c)
					if j := i - int(delay)/6; j >= 0 {
						p.Apply(batch(heardBy("late", sails(class, 10+0.0001*float64(j), 150, second), uint64(j+1)<<20, 6*float64(j)+delay)), &c)
						copies++
					}
				}
				if c.fixes != 100 || c.copies != copies && delay < 100 { // later the place would be a jump, which no output is told as a copy
					t.Errorf("%v, second %d, %v s late: %d fixes of 100, %d copies of %d", class, second, delay, c.fixes, c.copies, copies)
				}
			}
			for _, tenths := range []int{0, 150} {
				p := traffic.New(traffic.DefaultConfig())
				var c taker
				for i := range 10 {
					p.Apply(batch(heardBy("roof", sails(class, 10, tenths, second), 1<<20, float64(180*i))), &c)
				}
				if c.fixes != 10 || c.copies != 0 {
					t.Errorf("%v, second %d, %d tenths of a knot at one place: %d fixes, %d copies", class, second, tenths, c.fixes, c.copies)
				}
			}
		}
	}
}

// TestAShipThatLiesSaysTheSame: it is heard with each report of the same payload, and where it lies it gives a fix. A copy of a second that is not
// that of its reception gives none.
func TestAShipThatLiesSaysTheSame(t *testing.T) {
	for _, class := range []ship.Class{ship.ClassA, ship.ClassB} {
		p := traffic.New(traffic.DefaultConfig())
		lies := sails(class, 10, 0, 30)
		for _, second := range []float64{30, 90, 210, 390, 573} {
			p.Apply(batch(bySecond("roof", lies, 1<<20, 30, second)))
			now, _ := p.Ship(anna)
			if want := noon.Add(time.Duration(second) * time.Second).Truncate(time.Minute).Add(30 * time.Second); !now.Fix.Time().Equal(want) {
				t.Errorf("%v: after %v s the fix is of %v, want %v", class, second, now.Fix.Time(), want)
			}
			if !ship.Time(now.Heard).Equal(noon.Add(time.Duration(second) * time.Second)) {
				t.Errorf("%v: after %v s it was heard at %v", class, second, ship.Time(now.Heard))
			}
		}
		p.Apply(batch(bySecond("sky", lies, 1<<20, 30, 605)))
		now, _ := p.Ship(anna)
		if now.Fix.At != noon.Add(570*time.Second).UnixMilli() || now.Heard != noon.Add(605*time.Second).UnixMilli() {
			t.Errorf("%v: a late copy gave the fix of %v, heard at %v", class, now.Fix.Time(), ship.Time(now.Heard))
		}
	}
}

// TestWhatHasItsOwnTimeIsNoCopy: after ten minutes, or with a stamp of another time, the ship is where it says.
func TestWhatHasItsOwnTimeIsNoCopy(t *testing.T) {
	p := traffic.New(traffic.DefaultConfig())
	first, second := sails(ship.ClassA, 10.01, 100, 10), sails(ship.ClassA, 10.02, 100, 40)
	p.Apply(batch(bySecond("roof", first, 2<<20, 10, 10), bySecond("roof", second, 3<<20, 40, 100)))
	stamped := heardBy("roof", first, 2<<20, 205)
	stamped.Sent = noon.Add(203 * time.Second)
	p.Apply(batch(stamped))
	if now, _ := p.Ship(anna); now.Fix.Lon != at(54, 10.01).Lon {
		t.Errorf("with a stamp the ship is at %v", now.Fix.Point())
	}
	p.Apply(batch(bySecond("roof", second, 4<<20, 40, 400), bySecond("roof", first, 2<<20, 10, 611)))
	if now, _ := p.Ship(anna); now.Fix.Lon != at(54, 10.01).Lon {
		t.Errorf("after ten minutes the ship is at %v", now.Fix.Point())
	}
}

// TestACopyOfDistressIsTaken: no place of a device in distress is passed over.
func TestACopyOfDistressIsTaken(t *testing.T) {
	p := traffic.New(traffic.DefaultConfig())
	var c taker
	for i, seconds := range []float64{10, 60, 85} {
		m := position(972123456, at(54, 10+0.001*float64(i%2)))
		m.Second = 10
		p.Apply(batch(bySecond("roof", m, uint64(i%2+1)<<20, 10, seconds)), &c)
	}
	if c.copies != 0 || c.fixes < 2 {
		t.Errorf("%d copies, %d fixes", c.copies, c.fixes)
	}
}

// TestLateStaticDataRevertNothing: copies of an older name or voyage do not undo a newer one, and a report and its copy are one witness.
func TestLateStaticDataRevertNothing(t *testing.T) {
	p := traffic.New(traffic.DefaultConfig())
	for _, step := range []struct {
		seconds           float64
		name, destination string
		hash              uint64
		wantName, wantTo  string
	}{
		{0, "OLD", "KIEL", 1, "OLD", "KIEL"},
		{360, "BAD", "KIEL", 2, "OLD", "KIEL"},       // one corrupt report
		{435, "BAD", "KIEL", 2, "OLD", "KIEL"},       // its copy
		{720, "OLD", "KIEL", 1, "OLD", "KIEL"},       // as before
		{800, "OLD", "ROSTOCK", 3, "OLD", "ROSTOCK"}, // the crew typed
		{820, "OLD", "KIEL", 1, "OLD", "ROSTOCK"},    // a copy of the last before that
		{1080, "NEW", "ROSTOCK", 4, "OLD", "ROSTOCK"},
		{1440, "NEW", "ROSTOCK", 4, "NEW", "ROSTOCK"}, // the second with the new name
		{1450, "OLD", "ROSTOCK", 3, "NEW", "ROSTOCK"}, // after ten minutes it is one claim
		{1500, "OLD", "ROSTOCK", 3, "NEW", "ROSTOCK"}, // and its copy
	} {
		m := &ais.StaticVoyage{Header: ais.Header{Type: 5, MMSI: anna}, Name: step.name, Destination: step.destination}
		p.Apply(batch(heardBy("roof", m, step.hash<<20, step.seconds)))
		if now, _ := p.Ship(anna); now.Static.Name != step.wantName || now.Voyage.Destination != step.wantTo {
			t.Errorf("after %v s: %q to %q, want %q to %q", step.seconds, now.Static.Name, now.Voyage.Destination, step.wantName, step.wantTo)
		}
	}
}

// TestLateHalvesOfStaticDataRevertNothing is the same for the two parts of message 24.
func TestLateHalvesOfStaticDataRevertNothing(t *testing.T) {
	p := traffic.New(traffic.DefaultConfig())
	half := func(part uint8, text string, hash uint64, seconds float64) ship.Static {
		p.Apply(batch(heardBy("roof", &ais.StaticReport{Header: ais.Header{Type: 24, MMSI: anna}, Part: part, Name: text, CallSign: text}, hash<<20, seconds)))
		now, _ := p.Ship(anna)
		return *now.Static
	}
	half(0, "OLD", 1, 0)
	half(1, "OLDSIGN", 2, 60)
	half(0, "NEW", 3, 100)
	half(0, "NEW", 3, 460)
	half(1, "NEWSIGN", 4, 160)
	if s := half(1, "NEWSIGN", 4, 520); s.Name != "NEW" || s.CallSign != "NEWSIGN" {
		t.Fatalf("the new data are not known: %+v", s)
	}
	half(0, "OLD", 1, 530)
	half(0, "OLD", 1, 560)
	half(1, "OLDSIGN", 2, 570)
	if s := half(1, "OLDSIGN", 2, 590); s.Name != "NEW" || s.CallSign != "NEWSIGN" {
		t.Errorf("late copies reverted it: %+v", s)
	}
}
