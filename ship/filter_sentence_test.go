package ship_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"quaywatch/ais"
	"quaywatch/internal/rule"
	"quaywatch/ship"
)

// sentenceRow is what a user types, and the ships of sentences.json that it is to find.
type sentenceRow struct {
	text  string
	picks []string
}

// checkSentences holds what sentences pick, alone, in brackets, joined and negated twice.
func checkSentences(t *testing.T, env ship.Lookup, fleet map[string]*ship.State, rows []sentenceRow) {
	t.Helper()
	for _, row := range rows {
		for _, text := range []string{row.text, "(" + row.text + ")", "mmsi > 0 (" + row.text + ")", "not (not (" + row.text + "))"} {
			f, err := ship.ParseFilter(text, env)
			if err != nil {
				t.Errorf("%s: %v", text, err)
				continue
			}
			var got []string
			for key, s := range fleet {
				if f.Match(s, night) {
					got = append(got, key)
				}
			}
			slices.Sort(got)
			if !slices.Equal(got, row.picks) {
				t.Errorf("%s: picks %v, want %v", text, got, row.picks)
			}
		}
	}
}

// harbours knows three ports with the ships that lie there, and what crews type for them.
func harbours() ship.Lookup {
	lie := map[string][]string{"aarhus": {"ANNA", "STENA DANICA"}, "dkaar": {"ANNA", "STENA DANICA"}, "copenhagen": {"FAIRPLAY 5"}, "kobenhavn": {"FAIRPLAY 5"},
		"port klang": {"NORDIC TANKER"}, "singapore": {"NORDIC TANKER"}}
	bound := map[string][]string{"hamburg": {"HAMBURG", "DE HAM"}, "deham": {"HAMBURG", "DE HAM"}, "germany": {"HAMBURG", "DE HAM"}, "gothenburg": {"SE GOT"}}
	lies := func(s *ship.State, names []string) bool {
		return s.Static != nil && slices.Contains(names, s.Static.Name)
	}
	return ship.Lookup{
		Port: func(name string) (func(*ship.State, time.Time) bool, bool) {
			names, ok := lie[strings.ReplaceAll(strings.ToLower(name), "ø", "o")]
			return func(s *ship.State, _ time.Time) bool { return lies(s, names) }, ok
		},
		Bound: func(name string) (func(string) bool, bool) {
			texts, ok := bound[strings.ToLower(name)]
			return func(typed string) bool { return slices.Contains(texts, typed) }, ok
		},
		Call: func(ship.CallPart) (func(*ship.State, time.Time) (ship.OpenCall, bool), error) {
			return func(s *ship.State, _ time.Time) (ship.OpenCall, bool) {
				return ship.OpenCall{}, lies(s, []string{"ANNA", "STENA DANICA", "FAIRPLAY 5", "NORDIC TANKER"})
			}, nil
		},
	}
}

// A sentence names the port in which ships are, and that to which they go.
func TestSentencesOfPorts(t *testing.T) {
	_, fleet := readSentences(t)
	checkSentences(t, harbours(), fleet, []sentenceRow{
		{"in port", []string{"anna", "danica", "fairplay", "tanker"}},
		{"im Hafen", []string{"anna", "danica", "fairplay", "tanker"}},
		{"ships in port", []string{"anna", "danica", "fairplay", "tanker"}},
		{"cargo ships in port over 150 m", []string{"tanker"}},
		{"Schlepper im Hafen", []string{"fairplay"}},
		{"Frachter im Hafen festgemacht", []string{"anna"}},
		{"ships in Copenhagen", []string{"fairplay"}},
		{"Schiffe in København", []string{"fairplay"}},
		{"in Aarhus", []string{"anna", "danica"}},
		{"in aarhus cargo", []string{"anna"}},
		{"cargo in DKAAR", []string{"anna"}},
		{"anna in Aarhus", []string{"anna"}},
		{"pilot boats in Aarhus", nil},
		{"ships in 'Port Klang'", []string{"tanker"}},
		{"ships in Port Klang", []string{"tanker"}},
		{"ships in Port Klang at anchor", []string{"tanker"}},
		{"ships in Singapore", []string{"tanker"}},
		{"im Hafen von Aarhus", []string{"anna", "danica"}},
		{"ships in port of Aarhus", []string{"anna", "danica"}},
		{"ships in (Aarhus, Copenhagen)", []string{"anna", "danica", "fairplay"}},
		{"moored not in Aarhus", []string{"fairplay"}},
		{"moored ships not in Aarhus", []string{"fairplay"}},
		{"festgemacht nicht in Aarhus", []string{"fairplay"}},
		{"in Aarhus or in Copenhagen", []string{"anna", "danica", "fairplay"}},
		{"port = Port Klang", []string{"tanker"}},
		{"port = Aarhus cargo", []string{"anna"}},
		{"to Hamburg", []string{"anna", "star"}},
		{"nach Hamburg", []string{"anna", "star"}},
		{"to DEHAM", []string{"anna", "star"}},
		{"cargo to Hamburg over 200 m", []string{"star"}},
		{"tankers bound for Gothenburg", []string{"hav"}},
		{"nordic to gothenburg", []string{"hav"}},
		{"ships to Germany", []string{"anna", "star"}},
		{"Frachter nach Hamburg in Fahrt", []string{"star"}},
		{"to GOT", []string{"hav"}},
		{"to Atlantis", nil},
		{"name in port", nil},
	})
	for text, want := range map[string]string{
		"ships in Denmark":  "Denmark is a country and no port: type flag = DK, to Denmark, or in and the name of a port",
		"in Aahrus cargo":   "no port is called 'Aahrus': type its name or LOCODE",
		"tankers in":        "type the name of a port after in",
		"ships in (Aarhus":  "type ')' after 'Aarhus'",
		"ships in (Nowhere": "no port is called 'Nowhere': type its name or LOCODE",
		"spede in 2..8":     "unknown field 'spede'; type speed",
	} {
		if _, err := ship.ParseFilter(text, harbours()); err == nil || !strings.HasSuffix(err.Error(), want) {
			t.Errorf("%s: %v, want %s", text, err, want)
		}
	}
	if f, err := ship.ParseFilter("ships in port", harbours()); err != nil || !f.Timely() {
		t.Errorf("a call that ends is not noticed: %v", err)
	}
}

// A sentence tells how a ship lies in port, at which berth, and when it came or comes.
func TestSentencesOfCalls(t *testing.T) {
	_, fleet := readSentences(t)
	env := harbours()
	calls := map[string]ship.OpenCall{
		"ANNA":          {Port: 7, Stay: ship.Alongside, Berth: 6, Arrived: night.Add(-time.Hour).UnixMilli()},
		"STENA DANICA":  {Port: 7, Stay: ship.Alongside, Berth: 1, Arrived: night.Add(-24 * time.Hour).UnixMilli()},
		"FAIRPLAY 5":    {Port: 8, Stay: ship.Shifting, Berth: 6, Arrived: night.Add(-72 * time.Hour).UnixMilli()},
		"NORDIC TANKER": {Port: 9, Stay: ship.Waiting},
	}
	env.Call = func(ship.CallPart) (func(*ship.State, time.Time) (ship.OpenCall, bool), error) {
		return func(s *ship.State, _ time.Time) (ship.OpenCall, bool) {
			if s.Static == nil {
				return ship.OpenCall{}, false
			}
			c, ok := calls[s.Static.Name]
			return c, ok
		}, nil
	}
	env.Berth = func(match func(string) bool) (func(uint64, int64) bool, bool) {
		six, one := match("Quay 6"), match("Ferry terminal")
		return func(port uint64, berth int64) bool { return six && berth == 6 || one && berth == 1 }, six || one
	}
	for key, days := range map[string]int{"hav": 0, "star": 1} {
		on := night.AddDate(0, 0, days)
		fleet[key].Voyage = &ship.VoyageData{ETA: ais.ETA{Month: uint8(on.Month()), Day: uint8(on.Day()), Hour: 4}, At: night.UnixMilli()}
	}
	checkSentences(t, env, fleet, []sentenceRow{
		{"waiting", []string{"tanker"}},
		{"cargo ships waiting", []string{"tanker"}},
		{"tankers waiting", nil},
		{"type = tanker waiting", nil},
		{"wartende Frachter", []string{"tanker"}},
		{"ships waiting in Port Klang", []string{"tanker"}},
		{"alongside", []string{"anna", "danica"}},
		{"Schiffe am Liegeplatz", []string{"anna", "danica"}},
		{"not waiting", []string{"anna", "base", "danica", "elbe", "fairplay", "glimt", "hav", "life", "lotse", "rescue", "sailor", "star"}},
		{"stay = waiting", []string{"tanker"}},
		{"stay != alongside", []string{"fairplay", "tanker"}},
		{"stay in (waiting, shifting)", []string{"fairplay", "tanker"}},
		{"stay = am Liegeplatz", []string{"anna", "danica"}},
		{`berth = "Quay 6"`, []string{"anna"}},
		{"berth = Quay 6", []string{"anna"}},
		{"Liegeplatz = quay 6 cargo", []string{"anna"}},
		{"berth = Quay*", []string{"anna"}},
		{`berth in ("Quay 6", "Ferry terminal")`, []string{"anna", "danica"}},
		{"arrived today", []string{"anna"}},
		{"ships arrived today in Aarhus", []string{"anna"}},
		{"heute angekommen", []string{"anna"}},
		{"arrived yesterday", []string{"danica"}},
		{"passenger ships arrived today", nil},
		{"eta today", []string{"hav"}},
		{"tankers eta today", []string{"hav"}},
		{"Schiffe heute erwartet", []string{"hav"}},
		{"ships expected tomorrow", []string{"star"}},
		{"Frachter eta morgen", []string{"star"}},
	})
	for text, want := range map[string]string{
		"port = New Yrok": "no port is called 'New Yrok': type its name or LOCODE",
		"stay = resting":  "'resting' is no stay: type waiting, alongside or shifting",
		"berth = Quay 17": "no berth is called 'Quay 17'",
		"stay > waiting":  "stay takes =, != or in",
		"arrived today":   "needs the right view_ata_atd",
	} {
		refused := env
		refused.Call = func(asked ship.CallPart) (func(*ship.State, time.Time) (ship.OpenCall, bool), error) {
			if asked == ship.CallArrival {
				return nil, rule.New("needs_right", "needs the right {right}", "right", "view_ata_atd")
			}
			return env.Call(asked)
		}
		if _, err := ship.ParseFilter(text, refused); err == nil || !strings.HasSuffix(err.Error(), want) {
			t.Errorf("%s: %v, want %s", text, err, want)
		}
	}
	for _, text := range []string{"waiting", "alongside or shifting", `berth = "Quay 6"`, "arrived today", "eta today"} {
		f, err := ship.ParseFilter(text, env)
		if err != nil || !f.Timely() {
			t.Errorf("%s: time does not change it: %v", text, err)
			continue
		}
		if n := testing.AllocsPerRun(100, func() { f.Match(fleet["hav"], night) }); n != 0 {
			t.Errorf("%s: %v allocations a match", text, n)
		}
	}
}

// Conditions that nothing joins must all hold, and a number with a unit says what it is of.
func TestSentencesOfConditions(t *testing.T) {
	_, fleet := readSentences(t)
	checkSentences(t, ship.Lookup{}, fleet, []sentenceRow{
		{"tanker length > 150", []string{"hav"}},
		{"cargo length > 150 anchored", []string{"tanker"}},
		{"cargo length > 150 moored", nil},
		{"anchored length > 150 cargo", []string{"tanker"}},
		{"sog > 5 length > 150", []string{"hav", "star"}},
		{"nordic sog > 5", []string{"hav"}},
		{"sog > 5 nordic", []string{"hav"}},
		{"moored (cargo or tug)", []string{"anna", "fairplay"}},
		{"(cargo or tug) moored", []string{"anna", "fairplay"}},
		{"tug or cargo length > 250", []string{"fairplay", "star"}},
		{"cargo not moored length > 200", []string{"star"}},
		{"tanker > 150 m", []string{"hav"}},
		{"tanker > 150m", []string{"hav"}},
		{"tankers over 150 m", []string{"hav"}},
		{"> 150 m", []string{"danica", "hav", "star", "tanker"}},
		{"cargo ships longer than 200 m", []string{"star"}},
		{"over 500 ft cargo", []string{"star", "tanker"}},
		{"length > 500 ft", []string{"danica", "hav", "star", "tanker"}},
		{"length in 450..600 ft", []string{"danica", "tanker"}},
		{"speed over 10", []string{"hav", "lotse", "rescue", "star"}},
		{"speed over 10 kn", []string{"hav", "lotse", "rescue", "star"}},
		{"ships faster than 14 knots", []string{"lotse", "star"}},
		{"ships under 5 kn under way", nil},
		{"speed at least 15 ships", []string{"lotse", "star"}},
		{"length below 20", []string{"life", "sailor"}},
		{"length at most 20", []string{"life", "lotse", "sailor"}},
		{"less than 20 m moored", nil},
		{"Frachtschiffe vor Anker", []string{"tanker"}},
		{"Frachter über 150 m vor Anker", []string{"tanker"}},
		{"Tanker über 150 m in Fahrt", []string{"hav"}},
		{"Länge über 150", []string{"danica", "hav", "star", "tanker"}},
		{"Länge mehr als 150 m festgemacht", []string{"danica"}},
		{"Schiffe unter 5 Knoten, nicht festgemacht", []string{"life", "sailor", "tanker"}},
		{"Geschwindigkeit mindestens 15", []string{"lotse", "rescue", "star"}},
		{"weniger als 30 m festgemacht", []string{"fairplay"}},
		{"Schlepper festgemacht", []string{"fairplay"}},
		{"Schiffe in Fahrt", []string{"hav", "lotse", "star"}},
		{"name = NORDIC HAV", []string{"hav"}},
		{"name = NORDIC HAV sog > 5", []string{"hav"}},
		{"name = FAIRPLAY 5 moored", []string{"fairplay"}},
		{"country = Marshall Islands cargo", []string{"tanker"}},
		{"flag = DK tanker", []string{"hav"}},
		{"t.sog > 10 m.class = A", []string{"hav", "lotse", "star"}},
		{"length > 250 m.class = A", []string{"star"}},
		{"nordic ships", []string{"hav", "tanker"}},
		{"vessels at anchor", []string{"tanker"}},
	})
}

// What was a name before sentences were understood is one still.
func TestNamesThatSoundLikeSentences(t *testing.T) {
	for _, name := range []string{"OVER 5", "UNDER 12", "LESS THAN 3", "5 M", "150 M STAR", "SPEED OVER ALL", "ABOVE ALL", "UNTER DEN LINDEN",
		"TO BE HAPPY", "READY TO GO", "NACH UNS"} {
		s := &ship.State{MMSI: 219000001, Static: &ship.Static{Name: name}}
		f, err := ship.ParseFilter(name, ship.Lookup{})
		if err != nil || !f.Match(s, night) || f.Match(nordicHav(), night) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
