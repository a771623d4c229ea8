package wms

import (
	"bytes"
	"encoding/json"
	"slices"
	"strconv"
	"time"

	"quaywatch/geo"
	"quaywatch/render"
)

// longestLeg is how far two positions of a track may lie apart in time to be joined by a line: as long as a statistic follows a leg.
const longestLeg = 30 * time.Minute

// track is an extended LineString of a record. Its coordinates are read one by one: a result may have millions of them.
type track struct {
	Extensions  []string        `json:"extensions"`
	Coordinates json.RawMessage `json:"coordinates"`
}

// mostValues is how many values of a position are read.
const mostValues = 8

// position is one position of a track: longitude, latitude, and what the track's extensions name.
type position struct {
	values [mostValues][]byte
	count  int
}

// positions calls fn with each position. What a position says stands until fn returns. No value of a track has a comma or a bracket in it.
func (t *track) positions(fn func(*position)) {
	if t == nil {
		return
	}
	var p position
	for rest := bytes.TrimPrefix(t.Coordinates, []byte("[")); ; {
		begin := bytes.IndexByte(rest, '[')
		end := bytes.IndexByte(rest, ']')
		if begin < 0 || end < begin {
			return
		}
		p.count = 0
		for value := range bytes.SplitSeq(rest[begin+1:end], []byte(",")) {
			if p.count < mostValues {
				p.values[p.count] = bytes.Trim(value, " \"")
				p.count++
			}
		}
		fn(&p)
		rest = rest[end+1:]
	}
}

// text gives a value, "" where there is none.
func (p *position) text(i int) string {
	if i < 2 || i >= p.count {
		return ""
	}
	return string(p.values[i])
}

// time gives a value that is a time, the zero time where it is none.
func (p *position) time(i int) time.Time {
	at, _ := time.Parse(time.RFC3339, p.text(i)) // the zero time where it tells none
	return at
}

// place gives where the position is; false for nowhere.
func (p *position) place() (geo.Point, bool) {
	if p.count < 2 {
		return geo.Point{}, false
	}
	lon, wrong := strconv.ParseFloat(string(p.values[0]), 64)
	lat, also := strconv.ParseFloat(string(p.values[1]), 64)
	return geo.Point{Lon: lon, Lat: lat}, wrong == nil && also == nil
}

// places gives where a track runs, nil for none.
func (t *track) places() (way []geo.Point) {
	t.positions(func(p *position) {
		if at, ok := p.place(); ok {
			way = append(way, at)
		}
	})
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

// bandOf gives which of some bands a speed lies in; a speed that is not known is that of the last one.
func bandOf(all []band, text string) int {
	v, err := strconv.ParseFloat(text, 64)
	if err != nil {
		return len(all)
	}
	return slices.IndexFunc(all, func(b band) bool { return v < b.below })
}

// drawTracks draws where ships sailed, by their speed. A silence of more than half an hour is left open.
func drawTracks(k *sketch) drawing {
	k.shape("shape")
	all := bands()
	unknown := render.Stroke{Class: render.Sixth, Width: 1, Pattern: render.Dashed()}
	ships := map[int64]bool{}
	type sailed struct {
		Ship struct {
			MMSI int64 `json:"mmsi"`
		} `json:"ship"`
		Track *track `json:"track"`
	}
	return of(func(s *sailed) {
		ships[s.Ship.MMSI] = true
		s.Track.pieces(all, func(way []geo.Point, band int) {
			look := unknown
			if band >= 0 && band < len(all) {
				look = all[band].look
			}
			k.canvas.Line(way, look)
		})
	}, func() {
		var rows []render.Row
		for _, b := range all {
			rows = append(rows, k.lined(b.look, b.text))
		}
		k.explain(k.say("Tracks of %d ships", len(ships)), append(rows, k.lined(unknown, "speed not told"))...)
	})
}

// pieces cuts a track where its speed comes into another band and where it is silent for long. A leg has the speed of the position before it.
func (t *track) pieces(all []band, draw func(way []geo.Point, band int)) {
	if t == nil {
		return
	}
	at, sog := slices.Index(t.Extensions, "time"), slices.Index(t.Extensions, "sog")
	var way []geo.Point
	var then time.Time
	last := 0
	flush := func() {
		if len(way) > 0 {
			draw(way, last)
		}
		way = way[:0]
	}
	t.positions(func(p *position) {
		place, ok := p.place()
		if !ok {
			return
		}
		now, band := p.time(2+at), bandOf(all, p.text(2+sog))
		if now.Sub(then) > longestLeg {
			flush()
		}
		way = append(way, place)
		if len(way) > 1 && band != last {
			flush()
			way = append(way, place)
		}
		last, then = band, now
	})
	flush()
}
