package track

import (
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"quaywatch/ais"
	"quaywatch/geo"
	"quaywatch/ship"
)

// anyFixes draws the fixes of one hour in order, with a lead or without.
func anyFixes(t *rapid.T, hour uint32) []ship.Fix {
	n := rapid.IntRange(0, 80).Draw(t, "n")
	at := HourStart(hour) + rapid.Int64Range(-HourMillis+1, 1000).Draw(t, "first")
	var fixes []ship.Fix
	for range n {
		if len(fixes) == 1 && fixes[0].At < HourStart(hour) {
			at = max(at, HourStart(hour))
		}
		fixes = append(fixes, anyFix(t, at))
		at += rapid.OneOf(rapid.Int64Range(1, 20000), rapid.Map(rapid.Int64Range(1, 400), func(s int64) int64 { return s * 1000 })).Draw(t, "step")
		if at >= HourStart(hour+1) {
			break
		}
	}
	return fixes
}

func anyFix(t *rapid.T, at int64) ship.Fix {
	return ship.Fix{
		At:      at,
		Lon:     rapid.Int32Range(-halfUnits, halfUnits).Draw(t, "lon"),
		Lat:     rapid.Int32Range(-halfUnits/2, halfUnits/2).Draw(t, "lat"),
		SOG:     ais.SOG(rapid.Uint16().Draw(t, "sog")),
		COG:     ais.COG(rapid.Uint16().Draw(t, "cog")),
		Heading: ais.Heading(rapid.Uint16().Draw(t, "heading")),
		ROT:     ais.ROT(rapid.Uint8().Draw(t, "rot")),
		Status:  ais.NavStatus(rapid.Uint8().Draw(t, "status")),
		Mark:    rapid.Map(rapid.Uint8Range(0, 63), anyMark).Draw(t, "mark"),
		LeftOut: rapid.OneOf(rapid.Just(uint8(0)), rapid.Uint8Range(0, 12), rapid.Uint8()).Draw(t, "left out"),
		Feeds:   ship.FeedSet(rapid.OneOf(rapid.Just(uint32(7)), rapid.Uint32()).Draw(t, "feeds")),
	}
}

// anyMark returns the mark of bits, of those that fixes have: a doubtful fix begins a segment, and an untrusted one neither does so nor is doubtful.
func anyMark(bits uint8) ship.Mark {
	m := ship.Mark(bits)
	switch {
	case m&ship.Untrusted != 0:
		m &^= ship.NewSegment | ship.Doubtful
	case m&ship.Doubtful != 0:
		m |= ship.NewSegment
	}
	return m
}

func TestBlockGivesBackWhatWentIn(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		hour := rapid.Uint32Range(1, 900000).Draw(t, "hour")
		fixes := anyFixes(t, hour)
		b := EncodeBlock(hour, fixes)
		got, lead, err := DecodeBlock(nil, hour, b)
		if err != nil || !slices.Equal(got, fixes) {
			t.Fatalf("decode: %v\n got %v\nwant %v", err, got, fixes)
		}
		if want := len(fixes) > 0 && fixes[0].At < HourStart(hour); lead != want {
			t.Fatalf("lead %v, want %v", lead, want)
		}
		head, err := ReadHead(b)
		if err != nil || head.Count != len(fixes) {
			t.Fatalf("head %+v: %v", head, err)
		}
		for _, f := range fixes {
			if !head.Touches.Contains(f.Point()) {
				t.Fatalf("Bounds %+v without %v", head.Touches, f.Point())
			}
			if f.SOG > head.MaxSOG {
				t.Fatalf("max SOG %d below %d", head.MaxSOG, f.SOG)
			}
		}
	})
}

func TestBounds(t *testing.T) {
	type place struct{ lon, lat float64 }
	for _, c := range []struct {
		name   string
		places []place
		want   geo.Rect
	}{
		{"one place (zero length)", []place{{10, 55}}, geo.Rect{West: 10, South: 55, East: 10, North: 55}},
		{"the same place twice", []place{{10, 55}, {10, 55}}, geo.Rect{West: 10, South: 55, East: 10, North: 55}},
		{"east", []place{{10, 55}, {11, 54}}, geo.Rect{West: 10, South: 54, East: 11, North: 55}},
		{"west", []place{{10, 55}, {9, 56}, {9.5, 55}}, geo.Rect{West: 9, South: 55, East: 10, North: 56}},
		{"across the date line going east", []place{{179, 1}, {-179, 2}}, geo.Rect{West: 179, South: 1, East: -179, North: 2}},
		{"across the date line going west", []place{{-179, 1}, {179, 2}}, geo.Rect{West: 179, South: 1, East: -179, North: 2}},
		{"to the date line", []place{{179, 1}, {180, 1}, {-180, 1}, {-179.5, 1}}, geo.Rect{West: 179, South: 1, East: -179.5, North: 1}},
		{"at the pole", []place{{0, 90}, {100, 90}}, geo.Rect{West: 0, South: 90, East: 100, North: 90}},
		{"round the world", []place{{0, 0}, {100, 0}, {-160, 0}, {-50, 0}, {30, 0}}, geo.Rect{West: -180, South: 0, East: 180, North: 0}},
	} {
		t.Run(c.name, func(t *testing.T) {
			var b Bounds
			for _, p := range c.places {
				b.Add(ship.Fix{Lon: int32(math.Round(p.lon * 600000)), Lat: int32(math.Round(p.lat * 600000))})
			}
			if got := b.Rect(); got != c.want {
				t.Errorf("got %+v, want %+v", got, c.want)
			}
		})
	}
}

// FuzzBlock: no bytes make the decoder panic, and what it accepts is coded to the same fixes again.
func FuzzBlock(f *testing.F) {
	hour := HourOf(at0)
	f.Add(EncodeBlock(hour, sail(at0, 40, 10_000))[HeaderSize:])
	f.Add(EncodeBlock(hour, sail(at0, 3, 777))[HeaderSize:])
	f.Add(EncodeBlock(hour, Thin(sail(at0, 300, 10_000), false))[HeaderSize+1:])
	f.Add([]byte{})
	f.Fuzz(func(t *testing.T, rows []byte) {
		fixes, err := DecodeRows(nil, StartAt(HourStart(hour)), rows)
		if err != nil {
			return
		}
		again, _, err := DecodeBlock(nil, hour, EncodeBlock(hour, fixes))
		if err != nil || !slices.Equal(again, fixes) {
			t.Fatalf("%v\n got %v\nwant %v", err, again, fixes)
		}
		_, _, _ = DecodeBlock(nil, hour, rows)
	})
}
