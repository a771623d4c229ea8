package wms

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"quaywatch/render"
	"quaywatch/ship"
)

// TestNearMissesAreMarkedByDomain: with a domain the marks tell how deep a ship was in it, whatever the distance; without one they tell the distance.
func TestNearMissesAreMarkedByDomain(t *testing.T) {
	miss := func(of string) string {
		return `{` + of + `,"ship":[{"cog":90,"position":{"type":"Point","coordinates":[10.4,56.2]}},{"cog":270,"position":{"type":"Point","coordinates":[10.41,56.2]}}]}`
	}
	records := []string{miss(`"distance":290,"domain":0`), miss(`"distance":290,"domain":0.33`), miss(`"distance":20,"domain":0.5`), miss(`"distance":20,"domain":1`), miss(`"distance":20,"domain":0.67`)}
	for _, row := range []struct {
		asked  string
		german bool
		want   string
	}{
		{`{"distance":{"max":300},"domain":"fujii"}`, false, "Near misses by ship domain, to a third: 2, to two thirds: 1, to the border: 2"},
		{`{"distance":{"max":300},"domain":{"type":"ellipse","ahead":4,"abeam":2}}`, true, "Nahbegegnungen nach Schiffsdomäne, bis zu einem Drittel: 2, bis zu zwei Dritteln: 1, bis zum Rand: 2"},
		{`{"distance":{"max":300},"domain":null}`, false, "Near misses within 300 m, to a third: 3, to two thirds: 0, farther: 2"},
	} {
		f, err := render.NewFrame(render.EPSG4326, [4]float64{56, 10, 56.5, 11}, 200, 150)
		if err != nil {
			t.Fatal(err)
		}
		k := &sketch{canvas: render.New(f), german: row.german}
		if err := json.Unmarshal([]byte(row.asked), &k.asked); err != nil {
			t.Fatal(err)
		}
		each := func(_ context.Context, fn func([]byte, ship.Track) error) error {
			for _, one := range records {
				if err := fn([]byte(one), nil); err != nil {
					return err
				}
			}
			return nil
		}
		if err := k.draw(t.Context(), "nmss", each); err != nil {
			t.Fatal(err)
		}
		said := []string{k.legend.Title}
		for _, r := range k.legend.Rows[:3] {
			said = append(said, r.Text)
		}
		if got := strings.Join(said, ", "); got != row.want {
			t.Errorf("%s: %q, want %q", row.asked, got, row.want)
		}
	}
}
