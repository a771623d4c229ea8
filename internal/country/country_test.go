package country

import (
	"regexp"
	"testing"
)

// TestNames: each code is one of ISO's form, and no two countries have one name.
func TestNames(t *testing.T) {
	code, codes := regexp.MustCompile(`^[A-Z]{2}$`), map[string]string{}
	for c, name := range names {
		if !code.MatchString(c) || name == "" || codes[name] != "" {
			t.Errorf("%q is %q, as is %q", c, name, codes[name])
		}
		codes[name] = c
	}
	if Name("US") != "United States of America" || Name("KR") != "Republic of Korea" || Name("us") != "" || Name("") != "" {
		t.Errorf("%q, %q", Name("US"), Name("KR"))
	}
}
