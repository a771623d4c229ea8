package wms

import (
	"slices"
	"time"

	"quaywatch/geo"
	"quaywatch/render"
	"quaywatch/ship"
)

// longestLeg is how far two positions of a track may lie apart in time to be joined by a line. That is as long as a statistic follows a leg.
const longestLeg = 30 * time.Minute

// placesOf returns where a track runs, nil for none.
func placesOf(track ship.Track) (way []geo.Point) {
	for _, f := range track {
		way = append(way, f.Point())
	}
	return way
}

// band is a range of speeds with its look.
type band struct {
	below float64 // knots
	text  string
	look  render.Stroke
}

// bands are the speeds that are told apart: at rest, manoeuvring, under way, fast. A faster line is wider.
func bands() []band {
	return []band{
		{1, "below 1 kn", render.Stroke{Class: render.Fifth, Width: 1, Pattern: render.Dotted()}},
		{7, "1 to 7 kn", render.Stroke{Class: render.First, Width: 1.5}},
		{14, "7 to 14 kn", render.Stroke{Class: render.Fourth, Width: 2}},
		{1e9, "14 kn and more", render.Stroke{Class: render.Second, Width: 3}},
	}
}

// bandOf returns which of some bands a speed lies in; a speed that is not known is that of the last one.
func bandOf(all []band, f *ship.Fix) int {
	v, known := f.SOG.Knots()
	if !known {
		return len(all)
	}
	return slices.IndexFunc(all, func(b band) bool { return v < b.below })
}

// drawTracks draws where ships sailed, by their speed. A silence of more than half an hour is left open.
func drawTracks(k *sketch) drawing {
	k.drawAsked("shape")
	all := bands()
	unknown := render.Stroke{Class: render.Sixth, Width: 1, Pattern: render.Dashed()}
	ships := map[int64]bool{}
	type sailed struct {
		Ship struct {
			MMSI int64 `json:"mmsi"`
		} `json:"ship"`
	}
	return tracked(func(s *sailed, track ship.Track) {
		ships[s.Ship.MMSI] = true
		cutTrack(track, all, func(way []geo.Point, band int) {
			look := unknown
			if band >= 0 && band < len(all) {
				look = all[band].look
			}
			k.canvas.Line(way, look)
		})
	}, func() {
		var rows []render.LegendRow
		for _, b := range all {
			rows = append(rows, k.lined(b.look, b.text))
		}
		k.beginLegend(k.formatText("Tracks of %d ships", len(ships)), append(rows, k.lined(unknown, "speed not told"))...)
	})
}

// cutTrack cuts a track where its speed comes into another band and where it is silent for long. A leg has the speed of the position before it. What draw gets
// stands until it returns.
func cutTrack(track ship.Track, all []band, draw func(way []geo.Point, band int)) {
	var way []geo.Point
	var then int64
	last := 0
	flush := func() {
		if len(way) > 0 {
			draw(way, last)
		}
		way = way[:0]
	}
	for i := range track {
		f := &track[i]
		band := bandOf(all, f)
		if f.At-then > longestLeg.Milliseconds() || i > 0 && !(f.Trusted() && track[i-1].Trusted()) {
			flush()
		}
		way = append(way, f.Point())
		if len(way) > 1 && band != last {
			flush()
			way = append(way, f.Point())
		}
		last, then = band, f.At
	}
	flush()
}
