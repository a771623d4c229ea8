package reading_test

import (
	"encoding/json"
	"os"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"quaywatch/ship"
	"quaywatch/ship/reading"
)

// A filter is told as it was read: each condition with its place, and what is wrong beside it.
func TestReading(t *testing.T) {
	env := ship.Lookup{
		Port: func(name string) (func(*ship.State, time.Time) bool, bool) {
			return func(*ship.State, time.Time) bool { return true }, slices.Contains([]string{"copenhagen", "port klang"}, strings.ToLower(name))
		},
		Bound: func(name string) (func(string) bool, bool) {
			return func(string) bool { return true }, strings.EqualFold(name, "aarhus")
		},
		Berth: func(match func(string) bool) (func(uint64, int64) bool, bool) {
			return func(uint64, int64) bool { return true }, match("Quay 6")
		},
	}
	for text, want := range map[string]string{
		"":                               "",
		"  ":                             "",
		"tanker length > 150 anchored":   "type tanker|condition length > 150|status anchored",
		"tankers waiting":                "type tankers|stay waiting",
		"tanker > 150 m":                 "type tanker|length > 150 m",
		"tankers over 150m":              "type tankers|length over 150m",
		"in Copenhagen":                  "port in Copenhagen",
		"ships in Port Klang moored":     "ships ships|port in Port Klang|status moored",
		"to Aarhus":                      "destination to Aarhus",
		"tankers to Aarhus eta today":    "type tankers|destination to Aarhus|eta eta today",
		`berth = "Quay 6"`:               `condition berth = "Quay 6"`,
		"berth = Quay 6 cargo":           "condition berth = Quay 6|type cargo",
		"speed over 10":                  "condition speed over 10",
		"im Hafen":                       "port im Hafen",
		"Schlepper in Fahrt":             "type Schlepper|status in Fahrt",
		"NORDIC;HAV tug":                 "wrong unexpected_character NORDIC;HAV|type tug",
		"arrived today":                  "arrival arrived today",
		"nordic":                         "name nordic",
		"NORDIC HAV":                     "name NORDIC HAV",
		"nordic tanker":                  "name nordic|type tanker",
		"219018765":                      "name 219018765",
		"Dänemark, nicht festgemacht":    "country Dänemark|not nicht festgemacht",
		"moored (cargo or tug)":          "status moored|group (cargo or tug)",
		"tanker or cargo":                "any: type tanker|type cargo",
		"tanker moored or lost":          "any: group tanker moored|lost lost",
		"not not tug":                    "not not not tug",
		"in Atlantis":                    "wrong unknown_port in Atlantis",
		"tanker in New Yrok anchored":    "type tanker|wrong unknown_port in New Yrok|status anchored",
		"in Atlantis and tanker":         "wrong unknown_port in Atlantis|type tanker",
		"cargo, in Atlantis, moored":     "type cargo|wrong unknown_port in Atlantis|status moored",
		"a or in Atlantis or tug":        "any: name a|wrong unknown_port in Atlantis|type tug",
		"type = tnaker moored":           "wrong unlisted_value_near type = tnaker|status moored",
		"berth = Quay 17 tug":            "wrong unknown_berth berth = Quay 17|type tug",
		"tanker and":                     "type tanker|wrong expected_term and",
		"tanker speed >":                 "type tanker|wrong expected_value speed >",
		"tanker > 150":                   "type tanker|wrong number_of_what > 150",
		"tanker ) moored":                "type tanker|wrong expected_end )|status moored",
		"tanker ; moored":                "type tanker|wrong unexpected_character ;|status moored",
		`ærø "ships`:                     `name ærø|wrong open_string "ships`,
		"(tanker moored":                 "wrong expected (tanker moored",
		"speed = x in Atlantis type = y": "wrong expected_number speed = x in Atlantis type = y",
		strings.Repeat("a", 5000):        "",
	} {
		r := reading.Of(text, env)
		var told []string
		for _, term := range r.Conditions {
			said := term.Says
			if term.Wrong != nil {
				said = "wrong " + term.Wrong.Word
			}
			if cut := string([]rune(text)[term.Start:term.End]); cut != term.Text {
				t.Errorf("%s: %q stands at %d to %d, not %q", text, cut, term.Start, term.End, term.Text)
			}
			told = append(told, said+" "+term.Text)
		}
		got := strings.Join(told, "|")
		if r.Any {
			got = "any: " + got
		}
		if got != want {
			t.Errorf("%s:\n%s\nwant\n%s", text, got, want)
		}
	}
}

// Whatever is typed, a filter that can be read has no wrong term, and one that cannot has one. Terms stand in their order and apart.
func FuzzReading(f *testing.F) {
	body, err := os.ReadFile("../testdata/sentences.json")
	if err != nil {
		f.Fatal(err)
	}
	var list struct{ Sentences []struct{ Text string } }
	if err := json.Unmarshal(body, &list); err != nil {
		f.Fatal(err)
	}
	for _, s := range list.Sentences {
		f.Add(s.Text)
	}
	for _, text := range []string{"in x and y", "a or (b", `"`, "> 5 ) ( and", "ø;ø", "not", "speed >", "tanker and not", "in (a, b)", "a\x00b", "\xff or b"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		_, err := ship.ParseFilter(text, ship.Lookup{})
		r := reading.Of(text, ship.Lookup{})
		wrong := slices.ContainsFunc(r.Conditions, func(t reading.Condition) bool { return t.Wrong != nil })
		long := utf8.RuneCountInString(text) > ship.MaxFilter
		if wrong != (err != nil) && !long && !ship.IsCostly(err) {
			t.Fatalf("%q is read as %+v, and its error is %v", text, r, err)
		}
		end := 0
		for _, term := range r.Conditions {
			if term.Start < end || term.End <= term.Start || term.End > utf8.RuneCountInString(text) {
				t.Fatalf("%q: %+v", text, r)
			}
			end = term.End
		}
	})
}
