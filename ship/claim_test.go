package ship_test

import (
	"testing"
	"time"

	"quaywatch/ais"
	"quaywatch/ship"
)

// TestOneCorruptReportRenamesNoShip hears static data that one report tells otherwise. What two reports tell alike is a change.
func TestOneCorruptReportRenamesNoShip(t *testing.T) {
	const right, other, wrong = 9321483, 9074729, 9321487
	good := ais.StaticVoyage{Header: header(5, anna), IMO: right, Name: "ANNA", CallSign: "DABC", ShipType: 70, Dimensions: ais.Dimensions{Bow: 100, Stern: 20, Port: 9, Starboard: 9}}
	changed := func(change func(*ais.StaticVoyage)) *ais.StaticVoyage {
		m := good
		change(&m)
		return &m
	}
	for name, bad := range map[string]*ais.StaticVoyage{
		"name":        changed(func(m *ais.StaticVoyage) { m.Name = "ANNB" }),
		"IMO number":  changed(func(m *ais.StaticVoyage) { m.IMO = other }),
		"check digit": changed(func(m *ais.StaticVoyage) { m.IMO = wrong }),
		"call sign":   changed(func(m *ais.StaticVoyage) { m.CallSign = "DABD" }),
		"type":        changed(func(m *ais.StaticVoyage) { m.ShipType = 80 }),
		"sizes":       changed(func(m *ais.StaticVoyage) { m.Dimensions.Bow = 500 }),
		"all together": changed(func(m *ais.StaticVoyage) {
			*m = ais.StaticVoyage{Header: m.Header, IMO: other, Name: "X", CallSign: "Y", ShipType: 30, Dimensions: ais.Dimensions{Bow: 1}}
		}),
	} {
		l := newLog()
		l.hear(&good, 0)
		was := *l.state.Static
		l.hear(position(anna, at(54, 10)), 5) // a place between does not clear what was told
		if out := l.hear(bad, 360); out.Change&ship.ChangedStatic != 0 || *out.Now.Static != was {
			t.Errorf("%s: one report made it %+v", name, *out.Now.Static)
		}
		l.hear(position(anna, at(54, 10.001)), 365)
		l.hear(&good, 720)
		if out := l.hear(bad, 1080); *out.Now.Static != was {
			t.Errorf("%s: two reports with the right one between them made it %+v", name, *out.Now.Static)
		}
		out := l.hear(bad, 1440)
		if name == "check digit" {
			if out.Now.Static.IMO != right {
				t.Errorf("a wrong check digit replaced %d", right)
			}
			continue
		}
		now := *out.Now.Static
		if out.Change&ship.ChangedStatic == 0 || now.Name != bad.Name || now.IMO != bad.IMO || now.CallSign != bad.CallSign || now.Type != bad.ShipType || now.Dimensions != bad.Dimensions {
			t.Errorf("%s: two reports alike left it %+v", name, now)
		}
	}
}

// TestClaimsOfHalves confirms the two halves of type 24 each by itself, and takes at once what was not known.
func TestClaimsOfHalves(t *testing.T) {
	l := newLog()
	hear := func(seconds float64, name, sign string) {
		l.hear(&ais.StaticReport{Header: header(24, anna), Name: name}, seconds)
		l.hear(&ais.StaticReport{Header: header(24, anna), Part: 1, CallSign: sign, ShipType: 36}, seconds+1)
	}
	hear(0, "ANNA", "DA")
	hear(360, "BERTA", "DB")
	if s := l.state.Static; s.Name != "ANNA" || s.CallSign != "DA" || s.Type != 36 {
		t.Errorf("after one pair: %+v", *s)
	}
	hear(720, "BERTA", "DB")
	if s := l.state.Static; s.Name != "BERTA" || s.CallSign != "DB" {
		t.Errorf("after two pairs: %+v", *s)
	}
	l.hear(&ais.StaticVoyage{Header: header(5, anna), IMO: 1234560}, 730)
	if l.state.Static.IMO != 1234560 {
		t.Error("a first IMO number was not taken at once")
	}
	l.hear(&ais.StaticVoyage{Header: header(5, anna), IMO: 9321483}, 740)
	if l.state.Static.IMO != 9321483 {
		t.Error("a right IMO number did not replace a wrong one")
	}
}

// TestFindsByNumberIMO finds a ship by its IMO number as people write it.
func TestFindsByNumberIMO(t *testing.T) {
	s := &ship.State{MMSI: anna, Static: &ship.Static{IMO: 9321483, Name: "ANNA"}}
	for text, found := range map[string]bool{
		"9321483": true, "IMO9321483": true, "IMO 9321483": true, "imo 9321483": true, " IMO: 9321483 ": true,
		"IMO 9321484": false, "IMO932148": false, "IMO": false, "IMO ANNA": false,
	} {
		term := ship.ParseTerm(text)
		if got := term.Rank(s) != ship.NotFound; got != found {
			t.Errorf("%q: found is %v", text, got)
		}
		filter, err := ship.ParseFilter(text, ship.Lookup{})
		if text != " IMO: 9321483 " && (err != nil || filter.Match(s, noon) != found) {
			t.Errorf("the filter %q: %v", text, err)
		}
	}
}

// TestETAWithoutAnHour says the date alone.
func TestETAWithoutAnHour(t *testing.T) {
	for eta, want := range map[ais.ETA]string{
		{Month: 11, Day: 21, Hour: 24, Minute: 60}: "2026-11-21",
		{Month: 11, Day: 21, Hour: 0, Minute: 60}:  "2026-11-21T00:00:00",
		{Month: 11, Day: 21, Hour: 6, Minute: 30}:  "2026-11-21T06:30:00",
		{Month: 0, Day: 0, Hour: 24, Minute: 60}:   "",
	} {
		if got := ship.ETAText(eta, noon.Add(time.Hour)); got != want {
			t.Errorf("%+v: %q, want %q", eta, got, want)
		}
	}
}
