package traffic

import (
	"slices"
	"testing"

	"pgregory.net/rapid"

	"quaywatch/ais"
	"quaywatch/ship"
)

// However many are added, the best are kept and all are counted.
func TestHitsKeepTheBest(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		most, count := rapid.IntRange(0, 40).Draw(t, "most"), rapid.IntRange(0, 1200).Draw(t, "count")
		scatter := rapid.Uint64Range(1, 1000).Draw(t, "scatter")
		h, all := NewHits(most), []hit{}
		for i := range count {
			x := uint64(i+1) * scatter * 2654435761 % 1000003
			s := ship.State{MMSI: ais.MMSI(i), Heard: int64(x % 7)}
			rank := ship.Rank(x % 3)
			h.Add(rank, &s)
			all = append(all, hit{s.Heard, s.MMSI, rank})
		}
		slices.SortFunc(all, byRank)
		want := []ais.MMSI{}
		for _, one := range all[:min(most, count)] {
			want = append(want, one.mmsi)
		}
		if got := h.Best(); !slices.Equal(got, want) || h.Total() != count {
			t.Fatalf("%v of %d, want %v of %d", got, h.Total(), want, count)
		}
	})
}
