package config

import (
	"strings"
	"testing"
)

// TestThePortOfTheBox holds which texts may stand for the port of the box.
func TestThePortOfTheBox(t *testing.T) {
	for _, good := range []string{"", "DKAAR", "dk aar", "Aarhus", "Ærø Havn", " Aarhus ", "22781475"} {
		c := Default()
		c.Port.Home = good
		if err := c.Check(); err != nil {
			t.Errorf("%q: %v", good, err)
		}
		if got := c.HTTPOptions().HomePort; got != strings.TrimSpace(good) {
			t.Errorf("%q is handed on as %q", good, got)
		}
	}
	for bad, rule := range map[string]string{"0": "is no id of a port", "99999999999999999999": "is no id of a port", "Aar\u0007hus": "cannot be printed", strings.Repeat("å", 101): "has 101 characters"} {
		c := Default()
		c.Port.Home = bad
		if err := c.Check(); err == nil || !strings.Contains(err.Error(), "port.home: ") || !strings.Contains(err.Error(), rule) {
			t.Errorf("%q: %v", bad, err)
		}
	}
}
