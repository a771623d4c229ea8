package ship_test

import (
	"encoding/json"
	"os"
	"slices"
	"testing"

	"quaywatch/ais"
	"quaywatch/ship"
)

// sentences is what users type, with the ships that each is to find. The client's own reading of words is held to the same file.
type sentences struct {
	Ships map[string]struct {
		MMSI      ais.MMSI
		Name      string
		CallSign  string
		IMO       uint32
		TypeCode  *ais.ShipType `json:"type_code"`
		Class     string
		NavStatus *ais.NavStatus `json:"nav_status"`
		SOG       *float64
		Length    uint16
		Signal    string

		Destination string
		Country     string `json:"country_code"`
	}
	Sentences []struct {
		Text  string
		Picks []string
	}
}

func readSentences(t *testing.T) (all sentences, fleet map[string]*ship.State) {
	t.Helper()
	body, err := os.ReadFile("testdata/sentences.json")
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(body, &all); err != nil {
		t.Fatal(err)
	}
	fleet = map[string]*ship.State{}
	for key, one := range all.Ships {
		s := &ship.State{MMSI: one.MMSI, Class: classNamed(t, one.Class)}
		if one.Signal == "lost" {
			s.Age = ship.Lost
		}
		if one.Name != "" {
			s.Static = &ship.Static{Name: one.Name, CallSign: one.CallSign, IMO: one.IMO, Dimensions: ais.Dimensions{Bow: one.Length}}
			if one.TypeCode != nil {
				s.Static.Type = *one.TypeCode
			}
		}
		if one.SOG != nil {
			s.HasFix, s.Fix = true, ship.Fix{SOG: ais.SOGTenths(int(*one.SOG * 10)), Status: ais.StatusUndefined}
			if one.NavStatus != nil {
				s.Fix.Status = *one.NavStatus
			}
		}
		if one.Destination != "" {
			s.Voyage = &ship.VoyageData{Destination: one.Destination}
		}
		if _, code := s.Country(); code != one.Country {
			t.Fatalf("%s is of %s, not of %s", key, code, one.Country)
		}
		fleet[key] = s
	}
	return all, fleet
}

func classNamed(t *testing.T, name string) ship.Class {
	t.Helper()
	for c := range ship.ClassCount {
		if ship.Class(c).String() == name {
			return ship.Class(c)
		}
	}
	t.Fatalf("no class %q", name)
	return 0
}

func picked(t *testing.T, text string, fleet map[string]*ship.State) (keys []string) {
	t.Helper()
	f, err := ship.ParseFilter(text, ship.Lookup{})
	if err != nil {
		t.Errorf("%s: %v", text, err)
		return nil
	}
	for key, s := range fleet {
		if f.Match(s, night) {
			keys = append(keys, key)
		}
	}
	slices.Sort(keys)
	return keys
}

func TestSentencesThatUsersType(t *testing.T) {
	all, fleet := readSentences(t)
	if len(all.Sentences) < 60 {
		t.Fatalf("%d sentences", len(all.Sentences))
	}
	for _, row := range all.Sentences {
		slices.Sort(row.Picks)
		if got := picked(t, row.Text, fleet); !slices.Equal(got, row.Picks) {
			t.Errorf("%s: picks %v, want %v", row.Text, got, row.Picks)
		}
	}
}

// A word means the same alone, in brackets, joined with a condition that always holds, and negated twice.
func TestAWordMeansTheSameAloneAndJoined(t *testing.T) {
	all, fleet := readSentences(t)
	for _, row := range all.Sentences {
		want := picked(t, row.Text, fleet)
		for _, text := range []string{"(" + row.Text + ")", "(" + row.Text + ") and mmsi > 0", "mmsi > 0, (" + row.Text + ")", "not (not (" + row.Text + "))",
			"(" + row.Text + ") or mmsi = 0"} {
			if got := picked(t, text, fleet); !slices.Equal(got, want) {
				t.Errorf("%s: picks %v, alone %v", text, got, want)
			}
		}
	}
}

// What stands on ships' sides is a word, whatever its signs.
func TestSignsInNames(t *testing.T) {
	for _, name := range []string{"O'HARA", "NO.1", "A.P. MOLLER", "A+B", "SEA #1", "100%", "M/V STAR", "ST. JOHN'S", "ÆRØ-SUND", "ST. JOHN"} {
		s := &ship.State{MMSI: 219000001, Static: &ship.Static{Name: name}}
		for _, text := range []string{name, `name = "` + name + `"`, name + " and mmsi > 0", "(" + name + ")"} {
			f, err := ship.ParseFilter(text, environment())
			if err != nil {
				t.Errorf("%s: %v", text, err)
			} else if !f.Match(s, night) {
				t.Errorf("%s does not pick the ship of that name", text)
			}
		}
	}
}
