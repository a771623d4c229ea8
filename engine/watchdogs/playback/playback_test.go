package playback_test

import (
	"fmt"
	"slices"
	"testing"

	"quaywatch/ais"
	"quaywatch/engine/watchdogs/playback"
	"quaywatch/ship"
)

// fix is a fix at a second.
func fix(second int64) ship.Fix { return ship.Fix{At: second * 1000, Lat: int32(second)} }

// drain plays the reports before a second, in words.
func drain(p *playback.Playback, before int64) (told []string) {
	for s := p.First(); s != nil && s.Next.At < before*1000; s = p.First() {
		word := fmt.Sprintf("%d@%d", s.MMSI, s.Next.At/1000)
		switch {
		case s.Filled:
			word += "f"
		case s.Next.Mark&ship.NewSegment != 0:
			word += "!"
		}
		told = append(told, word)
		p.Advance()
	}
	return told
}

// TestTracksArePlayedInTheOrderOfTime: with what was left out, each report once, over parts that overlap, and with a new segment after one that is missing.
func TestTracksArePlayedInTheOrderOfTime(t *testing.T) {
	p := playback.New(func(m ais.MMSI, begin, end ship.Fix) (int64, int) {
		if m == 1 {
			return 10_000, int((end.At-begin.At)/10_000) - 1
		}
		return 0, 0
	})
	p.Take(1, ship.Track{fix(100), fix(130)})
	p.Take(2, ship.Track{fix(115), fix(130)})
	p.Take(1, ship.Track{fix(130), fix(150)}) // it begins with what came before
	got := drain(p, 140)
	p.Take(1, ship.Track{fix(150), fix(170)})
	p.Take(2, ship.Track{fix(160), fix(165)}) // the part before is missing
	got = append(got, drain(p, 1000)...)
	want := []string{"1@100", "1@110f", "2@115", "1@120f", "1@130", "2@130", "1@140f", "1@150", "1@160f", "2@160!", "2@165", "1@170"}
	if !slices.Equal(got, want) {
		t.Errorf("%q\nwant %q", got, want)
	}
	if p.First() != nil || !p.Heard(1) || p.Heard(3) {
		t.Error("something is left, or a ship is not known")
	}
}
