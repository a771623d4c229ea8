package shiptest_test

import (
	"strings"
	"testing"
	"time"

	"quaywatch/ais"
	"quaywatch/ship/shiptest"
)

func TestRead(t *testing.T) {
	script, err := shiptest.Read(strings.NewReader(`
ship 211000001 "ANNA MARIA" cargo draught 6.2   # a coaster
watch line "Kiel" 54.40,10.20 54.44,10.20
23:59:50  "ANNA MARIA"  54.42,10.185   21 kn  090
00:00:10  "ANNA MARIA"  -54.42,-10.185 moored
tick      00:40:00
expect    none
`))
	if err != nil {
		t.Fatal(err)
	}
	kinds := []shiptest.Kind{shiptest.Other, shiptest.Report, shiptest.Report, shiptest.Report, shiptest.Tick, shiptest.Expect}
	if len(script.Steps) != len(kinds) {
		t.Fatalf("%d steps", len(script.Steps))
	}
	for i, s := range script.Steps {
		if s.Kind != kinds[i] {
			t.Errorf("step %d is %d, want %d", i, s.Kind, kinds[i])
		}
	}
	if words := script.Steps[0].Words; strings.Join(words, "|") != "watch|line|Kiel|54.40,10.20|54.44,10.20" {
		t.Errorf("words %q", words)
	}
	first := script.Steps[1].Report.Message.(*ais.PositionReport)
	if first.MMSI != 211000001 || first.SOG != ais.SOGTenths(210) || first.COG != ais.COGTenths(900) || first.Place.Lat != 54.42*600000 {
		t.Errorf("%+v", first)
	}
	static := script.Steps[2].Report.Message.(*ais.StaticVoyage)
	if static.Name != "ANNA MARIA" || static.ShipType != 70 || static.Draught != 62 {
		t.Errorf("%+v", static)
	}
	second := script.Steps[3].Report
	if m := second.Message.(*ais.PositionReport); m.Status != ais.StatusMoored || m.SOG != 0 {
		t.Errorf("%+v", m)
	}
	if took := second.Received.Sub(script.Steps[1].At); took != 20*time.Second {
		t.Errorf("%v over midnight", took)
	}
}

func TestReadErrors(t *testing.T) {
	for text, want := range map[string]string{
		"ship":                                     "line 1: a ship has",
		"ship X ANNA":                              "line 1: MMSI",
		"ship 211000001 ANNA golden":               `line 1: unknown word "golden"`,
		"ship 211000001 ANNA draught deep":         "line 1: draught",
		"\n12:00:00 ANNA 54,10":                    `line 2: unknown ship "ANNA"`,
		"12:00:61 ANNA 54,10":                      "line 1: time",
		"12:00:00":                                 "line 1: a report has",
		"ship 211000001 ANNA\n12:00:00 ANNA 54":    "line 2: place",
		"ship 211000001 ANNA\n12:00:00 ANNA 1,2 x": `line 2: unknown word "x"`,
		"tick": "line 1: tick takes a time",
	} {
		if _, err := shiptest.Read(strings.NewReader(text)); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%q: %v, want %q", text, err, want)
		}
	}
}
