package ship

import (
	"fmt"
	"testing"
	"time"
)

// TestFiltersAreReadAsFast: the longest filter takes about as long to read whatever it is made of: words, countries or types are looked for in no
// table from its begin to its end. So a thousand watchdogs with such filters start within a second. Each is measured in turns with that of numbers, until
// it is as fast.
func TestFiltersAreReadAsFast(t *testing.T) {
	longest := func(part func(i int) string) (text string) {
		text = part(0)
		for i := 1; ; i++ {
			more := " or " + part(i)
			if len(text)+len(more) > MaxFilter {
				return text
			}
			text += more
		}
	}
	read := func(text string) time.Duration {
		began := time.Now()
		if _, err := ParseFilter(text, Lookup{}); err != nil {
			t.Fatal(err)
		}
		return time.Since(began)
	}
	numbers, ofNumbers := longest(func(i int) string { return fmt.Sprint("sog>", i%30) }), time.Hour
	for what, part := range map[string]func(i int) string{
		"words":                  func(i int) string { return fmt.Sprint("A", i) },
		"names":                  func(i int) string { return fmt.Sprint("name=A", i) },
		"call signs":             func(i int) string { return fmt.Sprint("callsign=A", i) },
		"destinations":           func(i int) string { return fmt.Sprint("destination=A", i) },
		"codes of countries":     func(int) string { return "country=DK" },
		"three letters":          func(int) string { return "country=DNK" },
		"countries":              func(int) string { return "country=Zimbabwe" },
		"countries with numbers": func(int) string { return "country='Iran (Islamic Republic of)'" },
		"types":                  func(int) string { return "type=tanker" },
		"classes":                func(int) string { return "class=aton" },
		"statuses":               func(int) string { return "status=moored" },
	} {
		text, took := longest(part), time.Hour
		for round := 0; round < 20 || took > 4*ofNumbers && round < 1000; round++ {
			ofNumbers, took = min(ofNumbers, read(numbers)), min(took, read(text))
		}
		if took > 4*ofNumbers {
			t.Errorf("%s: a filter is read in %v, one of numbers in %v", what, took, ofNumbers)
		}
	}
}
