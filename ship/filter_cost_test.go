package ship

import (
	"fmt"
	"strings"
	"testing"
	"time"
)

// TestANameIsNoCountry: to read a name in a filter costs less than half of what a country costs, whose name is looked for in a long table. So a thousand
// watchdogs with the names of many ships start within a second.
func TestANameIsNoCountry(t *testing.T) {
	read := func(field, word string) time.Duration {
		var words []string
		for range 100 {
			words = append(words, fmt.Sprintf("%s = '%s'", field, word))
		}
		text := strings.Join(words, " or ")
		best := time.Hour
		for range 20 {
			began := time.Now()
			if _, err := ParseFilter(text, Lookup{}); err != nil {
				t.Fatal(err)
			}
			best = min(best, time.Since(began))
		}
		return best
	}
	country := read("country", "Zimbabwe")
	for _, field := range []string{"name", "callsign", "destination"} {
		if took := read(field, "Zimbabwe"); took > country/2 {
			t.Errorf("a hundred values of %s take %v, of country %v", field, took, country)
		}
	}
}
