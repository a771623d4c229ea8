package stats

import (
	"encoding/json"
	"math/rand/v2"
	"slices"
	"testing"

	"quaywatch/ais"
	"quaywatch/ship"
)

// TestAPieceComesBack: each value of each fix is kept as it was, and what nobody wrote is an error.
func TestAPieceComesBack(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 13))
	for range 300 {
		var track ship.Track
		at := r.Int64N(1 << 42)
		for range r.IntN(50) {
			at += 1 + r.Int64N(1<<uint(r.IntN(30)))
			f := ship.Fix{At: at, Lon: int32(r.Uint32()), Lat: int32(r.Uint32()), Heading: ais.Heading(r.Uint32()), ROT: ais.ROT(r.Uint32()), Status: ais.NavStatus(r.IntN(16))}
			if r.IntN(3) > 0 {
				f.SOG, f.COG = ais.SOGTenths(r.IntN(1023)), ais.COGTenths(r.IntN(3600))
			}
			if r.IntN(3) == 0 {
				if f.Mark = ship.Mark(r.IntN(32)); f.Mark&ship.Doubtful != 0 {
					f.Mark |= ship.NewSegment // as each doubtful fix does
				}
				f.LeftOut, f.Feeds = uint8(r.Uint32()), ship.FeedSet(r.Uint32())
			}
			track = append(track, f)
		}
		text, err := json.Marshal(pieceOf(219018765, track))
		var back KeptPiece
		if err != nil || json.Unmarshal(text, &back) != nil {
			t.Fatalf("%v: %s", err, text)
		}
		if got, err := back.Track(); err != nil || back.MMSI != 219018765 || !slices.Equal(got, track) {
			t.Fatalf("%v: %s: %+v, want %+v", err, text, got, track)
		}
	}
	for _, p := range []KeptPiece{{Count: 1, Rows: []byte{255, 255}}, {Count: 1 << 60, Rows: []byte{4}}, {Count: -1, Rows: []byte{7}}} {
		if got, err := p.Track(); err == nil {
			t.Errorf("%+v is read: %v", p, got)
		}
	}
}
