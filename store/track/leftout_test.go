package track

import (
	"cmp"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"quaywatch/ais"
	"quaywatch/ship"
)

// TestWhatIsLeftOutLiesWhereItIsSaid: each fix that thinning drops lies in the time of which LeftOut says so, and some do.
func TestWhatIsLeftOutLiesWhereItIsSaid(t *testing.T) {
	dropped := 0
	rapid.Check(t, func(t *rapid.T) {
		fixes := wander(t)
		kept := Thin(fixes, false)
		for _, f := range fixes {
			i, found := slices.BinarySearchFunc(kept, f, func(a, b ship.Fix) int { return cmp.Compare(a.At, b.At) })
			if found {
				continue
			}
			dropped++
			if until := LeftOut(kept[i-1], kept[i]); f.At >= until {
				t.Fatalf("%+v was dropped between %+v and %+v, and may be until %d", f, kept[i-1], kept[i], until)
			}
		}
	})
	if dropped == 0 {
		t.Error("nothing was dropped")
	}
}

// TestAKeptFixTellsHowManyAreMissing: each kept fix has the number of those that thinning dropped since the one before.
func TestAKeptFixTellsHowManyAreMissing(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		fixes, missing := wander(t), uint8(0)
		kept := Thin(fixes, false)
		for _, f := range fixes {
			k := kept[0]
			if k.At != f.At {
				missing++
				continue
			}
			if k.LeftOut != missing {
				t.Fatalf("%d are missing before %+v", missing, k)
			}
			if k.LeftOut = 0; k != f {
				t.Fatalf("%+v is kept as %+v", f, k)
			}
			kept, missing = kept[1:], 0
		}
	})
	many := make([]ship.Fix, 600)
	for i := range many {
		many[i] = ship.Fix{At: at0 + int64(i)*100, SOG: ais.SOGTenths(100)}
	}
	if kept := Thin(many, false); len(kept) != 2 || kept[1].LeftOut != ship.MostLeftOut {
		t.Errorf("of 600 reports within a minute %+v is kept", kept)
	}
}
