package salvage

import (
	"testing"

	"quaywatch/store/pages"
)

// TestBrokenTakesTheFirstKeyAndNotTheLast: values are missing from From on, and those from To on are there.
func TestBrokenTakesTheFirstKeyAndNotTheLast(t *testing.T) {
	all := []pages.Fault{
		{Path: "static", Missing: true, From: []byte("c"), To: []byte("f")},
		{Path: "states", Missing: true, From: []byte("x")},
		{Path: "blocks", Missing: true},
		{Path: "names", From: []byte("a"), To: []byte("z")}, // nothing is missing
		{Missing: true, From: []byte("tb"), To: []byte("td")},
	}
	s := &reading{tree: &pages.Tree{Faults: all}, renamed: map[string]string{}}
	for _, one := range []struct {
		path, key string
		want      bool
	}{
		{"static", "b\xff", false}, {"static", "c", true}, {"static", "e\xff", true}, {"static", "f", false},
		{"states", "w\xff", false}, {"states", "x", true}, {"states", "\xff", true},
		{"blocks", "", true}, {"blocks", "\xff", true}, {"names", "b", false},
		{"ta", "a", false}, {"tb", "a", true}, {"tc", "a", true}, {"td", "a", false},
	} {
		if got := s.isBrokenAt(one.path, []byte(one.key)); got != one.want {
			t.Errorf("%s %q: %v", one.path, one.key, got)
		}
	}
	if whole := (&reading{}); !whole.isBrokenAt("static", []byte("b")) {
		t.Error("without a tree all is broken")
	}
}
