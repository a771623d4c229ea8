package ship

import (
	"encoding/json"
	"flag"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"quaywatch/ais"
	"quaywatch/internal/fold"
)

var update = flag.Bool("update", false, "write the client's words anew; npm run format lays them out")

const clientWords = "../web/src/words.json"

const clientTexts = "../web/src/text/"

// clientWord is a line of words as the client reads it.
type clientWord struct {
	Say      string   `json:"say"` // the words, with '|' between them
	Types    [][2]int `json:"types,omitempty"`
	Classes  []string `json:"classes,omitempty"`
	Statuses []int    `json:"statuses,omitempty"`
	Country  string   `json:"country,omitempty"`
	Lost     bool     `json:"lost,omitempty"`
	Other    bool     `json:"other,omitempty"`
	Ships    bool     `json:"ships,omitempty"`
	Server   bool     `json:"server,omitempty"` // the server alone knows what they say
	Before   bool     `json:"before,omitempty"` // and only where a word follows
}

// The client filters words without the server: it has the same lists.
func TestTheClientHasTheSameWords(t *testing.T) {
	taken := map[string]bool{}
	var want []clientWord
	for _, line := range strings.Split(typeWords+"other=sonstige=\n"+classWords+statusWords+countryNames, "\n") {
		if line == "" {
			continue
		}
		words := strings.Split(strings.TrimSuffix(line, "="), "=")
		m, ok := meaningOf(words[0])
		if !ok {
			t.Fatalf("%s has no meaning", words[0])
		}
		words[0] = fold.Plain(words[0])
		var said []string
		for _, word := range words {
			if fold.Plain(word) != word {
				t.Errorf("%s is not plain", word)
			}
			if of, ok := meaningOf(word); !ok || !taken[word] && of != m {
				t.Errorf("%s means %v", word, of)
			}
			if !taken[word] {
				taken[word] = true
				said = append(said, word)
			}
		}
		want = append(want, forClient(strings.Join(said, "|"), &m))
	}
	for line := range strings.Lines(strings.TrimPrefix(callWords, "\n")) {
		want = append(want, clientWord{Say: strings.ReplaceAll(strings.TrimSuffix(line, "=\n"), "=", "|"), Server: true})
	}
	for line := range strings.Lines(strings.TrimPrefix(boundWords, "\n")) {
		want = append(want, clientWord{Say: strings.ReplaceAll(strings.TrimSuffix(line, "=\n"), "=", "|"), Server: true, Before: true})
	}
	if *update {
		body, err := json.MarshalIndent(want, "", "  ")
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(clientWords, append(body, '\n'), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	var got []clientWord
	body, err := os.ReadFile(clientWords)
	if err != nil || json.Unmarshal(body, &got) != nil {
		t.Fatalf("the client's words: %v", err)
	}
	for i := range want {
		a, _ := json.Marshal(want[i])
		b := []byte("none")
		if i < len(got) {
			b, _ = json.Marshal(got[i])
		}
		if string(a) != string(b) {
			t.Errorf("the client has %s, want %s: run this test with -update", b, a)
		}
	}
	if len(got) != len(want) {
		t.Errorf("the client has %d lines, want %d", len(got), len(want))
	}
}

func forClient(say string, m *meaning) clientWord {
	w := clientWord{Say: say, Country: m.country, Lost: m.lost, Other: m.other, Ships: m.ships}
	for code := range 256 {
		if m.types[code>>6]>>(code&63)&1 == 0 {
			continue
		}
		if n := len(w.Types); n > 0 && w.Types[n-1][1] == code-1 {
			w.Types[n-1][1] = code
			continue
		}
		w.Types = append(w.Types, [2]int{code, code})
	}
	for c := range ClassCount {
		if m.classes>>c&1 != 0 {
			w.Classes = append(w.Classes, Class(c).String())
		}
	}
	for status := range 16 {
		if m.statuses>>status&1 != 0 {
			w.Statuses = append(w.Statuses, status)
		}
	}
	return w
}

// Every status has a word of the language, and each of these a meaning.
func TestStatusesHaveWords(t *testing.T) {
	for _, name := range slices.Sorted(maps.Keys(statusNames())) {
		if _, ok := meaningOf(name); !ok {
			t.Errorf("%s has no meaning", name)
		}
	}
}

// The client names types of ships in its own words: in English those of the server, and in German as many.
func TestTheClientNamesEachTypeOfShip(t *testing.T) {
	texts := map[string]map[string]string{"en": {}, "de": {}}
	for language := range texts {
		body, err := os.ReadFile(clientTexts + language + ".json")
		if err != nil {
			t.Fatal(err)
		}
		words := texts[language]
		if err := json.Unmarshal(body, &words); err != nil {
			t.Fatal(err)
		}
	}
	for code := 1; code < 256; code++ {
		key := clientTypeKey(code, texts["en"])
		want, hazard, isHazardous := strings.Cut(TypeText(ais.ShipType(code)), ", hazardous category ")
		if got := texts["en"][key]; got != want {
			t.Errorf("type %d is %q here and %q there", code, want, got)
		}
		pattern := strings.NewReplacer("{type}", want, "{letter}", hazard)
		if got := pattern.Replace(texts["en"]["type.hazard"]); isHazardous && got != TypeText(ais.ShipType(code)) {
			t.Errorf("type %d is %q there", code, got)
		}
		if texts["de"][key] == "" {
			t.Errorf("type %d has no German", code)
		}
	}
}

// clientTypeKey returns the key of the words of a type; one without words of its own is reserved.
func clientTypeKey(code int, words map[string]string) string {
	if code < 20 || code > 99 {
		return "type.reserved"
	}
	if group := code / 10; group != 3 && group != 5 {
		code = group * 10
	}
	if key := fmt.Sprintf("type.%d", code); words[key] != "" {
		return key
	}
	return "type.reserved"
}
