//go:build !race

package registry

import (
	"slices"
	"strings"
	"testing"

	"quaywatch/geo/chart"
)

// TestImportTheWorldPortIndex takes the whole index, where it is at hand.
func TestImportTheWorldPortIndex(t *testing.T) {
	text := worldPortIndex(t)
	listed, err := chart.LoadPorts()
	if err != nil {
		t.Fatal(err)
	}
	i := newImporting(t, listed)
	first := i.take(false, text)[0]
	t.Logf("%d rows: %d new, %d changed, %d unchanged, %d refused", first.Rows, first.New, first.Changed, first.Unchanged, len(first.Refused))
	for _, one := range first.Refused {
		t.Log(one)
	}
	if first.Rows != 3768 || first.Rows != first.New+first.Changed+first.Unchanged+len(first.Refused) ||
		first.New < 1900 || first.Changed < 1600 || len(first.Refused) > 150 {
		t.Errorf("%+v", first)
	}
	plainText := strings.ReplaceAll(text, " ", "")
	for _, p := range i.ports.Current().All() {
		if p.ID >= chart.FirstMadePort && p.LOCODE != "" && !strings.Contains(plainText, p.LOCODE) {
			t.Errorf("the LOCODE of %s was invented", p.Name)
		}
	}
	after := i.kept()
	i.open(listed)
	second := i.take(false, text)[0]
	if second.New+second.Changed > 0 || len(second.Refused) != len(first.Refused) || i.kept() != after {
		t.Errorf("the second run: %d new, %d changed, %d refused", second.New, second.Changed, len(second.Refused))
		for _, one := range second.Refused {
			if !slices.Contains(first.Refused, one) {
				t.Log("in the second run alone:", one)
			}
		}
	}
}
