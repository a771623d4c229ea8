package wms

import "testing"

// TestNumbersAreWrittenInTheLanguage holds the sign between thousands in texts of both languages.
func TestNumbersAreWrittenInTheLanguage(t *testing.T) {
	for n, want := range map[int][2]string{0: {"0", "0"}, 999: {"999", "999"}, 1000: {"1,000", "1.000"}, 1234567: {"1,234,567", "1.234.567"}, -123: {"-123", "-123"}, -1234: {"-1,234", "-1.234"}} {
		for i, german := range []bool{false, true} {
			k := sketch{german: german}
			if got := k.formatText("%d trips", n); got != want[i]+[]string{" trips", " Reisen"}[i] {
				t.Errorf("%d: %q", n, got)
			}
		}
	}
}

// TestOneTripIsNoTrips holds the legend of a single trip in both languages.
func TestOneTripIsNoTrips(t *testing.T) {
	english, german := sketch{}, sketch{german: true}
	if got := english.formatText("one trip") + ", " + german.formatText("one trip"); got != "one trip, eine Reise" {
		t.Error(got)
	}
}
