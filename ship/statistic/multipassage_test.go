package statistic_test

import (
	"math"
	"reflect"
	"strconv"
	"strings"
	"testing"
	"time"

	"quaywatch/ais"
	"quaywatch/geo"
	"quaywatch/ship"
	"quaywatch/ship/statistic"
)

// minuteOf returns the minutes after 12:00, to a hundredth.
func minuteOf(m statistic.Moment) string {
	minutes := m.Fix.Time().Sub(at(12, 0, 0)).Minutes()
	return strconv.FormatFloat(math.Round(minutes*100)/100, 'f', -1, 64)
}

func chainsOf(q statistic.ChainQuestion, ships fleet, part time.Duration) (all []statistic.Chain) {
	ask(statistic.NewChains(q, func(c statistic.Chain) { all = append(all, c) }), ships, q.Period.Begin, q.Until(), part)
	return sorted(sorted(all, statistic.Chain.Last), statistic.Chain.First)
}

func TestChainsAgreeWithBruteForce(t *testing.T) {
	total, reversed := 0, 0
	for seed := range uint64(800) {
		d := newDice(seed)
		q := statistic.ChainQuestion{MaxDuration: time.Duration(d.IntN(10)) * time.Hour, BothDirections: d.IntN(2) == 0}
		for range 2 + d.IntN(3) {
			q.Lines = append(q.Lines, d.line(2+d.IntN(2)))
		}
		if d.IntN(8) == 0 {
			q.Lines = append(q.Lines, q.Lines[0])
		}
		track := d.track(200)
		if seed%4 != 0 {
			track = d.ferry(200)
		}
		q.Period = d.period(track)
		begin, end, until := q.Period.Begin.UnixMilli(), q.Period.End.UnixMilli(), q.Until().UnixMilli()
		handed := delivered(track, statistic.Period{Begin: q.Period.Begin, End: q.Until()})
		var lines, back [][]hit
		for _, line := range q.Lines {
			h := hits(d.base, handed, geo.Line{line[0], line[len(line)-1]})
			lines, back = append(lines, h), append([][]hit{h}, back...)
		}
		got := chainsOf(q, fleet{1: track}, 0)
		for way, want := range [][][]hit{chains(lines, begin, end, until), chains(back, begin, end, until)} {
			if way == 1 && !q.BothDirections {
				want = nil
			}
			var those []statistic.Chain
			for _, c := range got {
				if c.Reverse == (way == 1) {
					those = append(those, c)
				}
			}
			total, reversed = total+len(those), reversed+way*len(those)
			if len(those) != len(want) {
				t.Fatalf("seed %d: %d chains of direction %d, want %d: %+v\n%+v", seed, len(those), way, len(want), those, want)
			}
			for i, c := range those {
				for k, h := range want[i] {
					if sameTime(t, "crossing", c.Crossings[k].Fix.At, h.at); t.Failed() {
						t.Fatalf("seed %d: %+v, want %+v", seed, c, want[i])
					}
				}
			}
		}
	}
	if total < 200 || reversed < 50 {
		t.Errorf("only %d chains, %d reversed", total, reversed)
	}
}

func TestChainsInHours(t *testing.T) {
	for seed := range uint64(40) {
		d := newDice(3000 + seed)
		ships := fleet{}
		for m := range ais.MMSI(5) {
			ships[m+1] = d.track(150)
		}
		q := statistic.ChainQuestion{Period: d.period(ships[1]), Lines: []geo.Line{d.line(2), d.line(2)}, MaxDuration: 12 * time.Hour, BothDirections: true}
		whole := chainsOf(q, ships, 0)
		for _, part := range parts[1:] {
			if got := chainsOf(q, ships, part); !reflect.DeepEqual(got, whole) {
				t.Fatalf("seed %d, parts of %v: %+v\nwhole: %+v", seed, part, got, whole)
			}
		}
	}
}

// TestChains tells each rule by its name. Three lines lead north, at 0, 1 and 2 hundredths of a degree east of the base. A ship sails east
// and west over them; the numbers are its places by the minute. The first line is crossed from 12:00 to 12:20, the last before 12:50.
func TestChains(t *testing.T) {
	for _, row := range []struct {
		name   string
		lines  string
		both   bool
		places string // minute:place
		want   string // minutes of the crossings, direction
	}{
		{"one after another", "012", false, "0:-0.5 6:2.5", "1 3 5 E"},
		{"by one leg and by many", "012", false, "0:-0.5 2:0.5 4:1.5 6:2.5", "1 3 5 E"},
		{"not to the last", "012", false, "0:-0.5 4:1.5", ""},
		{"wrong order", "021", false, "0:-0.5 6:2.5", ""},
		{"backwards", "012", false, "0:2.5 6:-0.5", ""},
		{"backwards, both directions", "012", true, "0:2.5 6:-0.5", "1 3 5 W reverse"},
		{"there and back", "012", true, "0:-0.5 6:2.5 12:-0.5", "1 3 5 E, 7 9 11 W reverse"},
		{"it turns back before the second line: the first pass does not count", "012", false, "0:-0.5 2:0.5 4:-0.5 12:3.5", "5 7 9 E"},
		{"it turns back after the second line: the second pass counts", "012", false, "0:-0.5 4:1.5 8:-0.5 16:3.5", "9 11 13 E"},
		{"it turns back between the second and the third", "012", false, "0:-0.5 4:1.5 6:0.5 10:2.5", "1 3 9 E"},
		{"the first line again after the second: two passages", "02", false, "0:-0.5 6:2.5 12:-0.5 18:2.5", "1 5 E, 13 17 E"},
		{"before begin", "02", false, "-2:-0.5 4:2.5", ""},
		{"at begin", "02", false, "-1:-0.5 5:2.5", "0 4 E"},
		{"the first line at end", "02", false, "19:-0.5 25:2.5", ""},
		{"the first line just before end", "02", false, "18:-0.5 24:2.5", "19 23 E"},
		{"the first line again after end: the passage begins then", "02", false, "18:-0.5 20:0.5 22:-0.5 28:2.5", ""},
		{"the first line again after end, between the second and the third", "012", false, "17:-0.5 20:1.5 22:0.5 24:-0.5 30:2.5", ""},
		{"the first line again at end", "02", false, "18:-0.5 19.5:0.5 20.5:-0.5 26:2.5", ""},
		{"the first line again after the second, which came after end", "02", false, "18:-0.5 24:2.5 30:-0.5 36:2.5", "19 23 E"},
		{"the last line at end and the duration", "02", false, "10:-0.5 12:0.5 38:0.5 39:0.5 49:1.5 51:2.5", ""},
		{"the last line just before that", "02", false, "10:-0.5 12:0.5 38:0.5 39:0.5 48:1.5 50:2.5", "11 49 E"},
		{"silence between the lines", "02", false, "0:-0.5 2:0.5 35:1.5 37:2.5", "1 36 E"},
		{"silence over a line", "02", false, "0:-0.5 31:0.5 40:2.5", ""},
		{"the same line twice, at one place", "00", false, "0:-0.5 2:0.5 10:-0.5", "1 6 N"},
		{"the same line twice, crossed once", "00", false, "0:-0.5 2:0.5", ""},
		{"standing on a line", "02", false, "0:-1 4:0 8:0 12:1 14:3", "4 13 E"},
		{"one fix", "02", true, "0:0", ""},
	} {
		q := statistic.ChainQuestion{Period: statistic.Period{Begin: at(12, 0, 0), End: at(12, 20, 0)}, MaxDuration: 30 * time.Minute, BothDirections: row.both}
		for _, digit := range row.lines {
			lon := 10 + float64(digit-'0')/100
			q.Lines = append(q.Lines, geo.Line{{Lon: lon, Lat: 55.98}, {Lon: lon + 1, Lat: 80}, {Lon: lon, Lat: 56.02}})
		}
		for _, part := range parts {
			if got := wordsOf(chainsOf(q, fleet{7: sailing(t, row.places)}, part)); got != row.want {
				t.Errorf("%s, parts of %v: %q, want %q", row.name, part, got, row.want)
			}
		}
	}
}

func wordsOf(all []statistic.Chain) string {
	var lines []string
	for _, c := range all {
		var words []string
		for _, m := range c.Moments() {
			words = append(words, minuteOf(m))
		}
		if words = append(words, c.Direction); c.Reverse {
			words = append(words, "reverse")
		}
		lines = append(lines, strings.Join(words, " "))
	}
	return strings.Join(lines, ", ")
}

// sailing reads places by the minute.
func sailing(t *testing.T, places string) ship.Track {
	var stops []stop
	for word := range strings.FieldsSeq(places) {
		minute, place, _ := strings.Cut(word, ":")
		m, err := strconv.ParseFloat(minute, 64)
		if err != nil {
			t.Fatal(err)
		}
		x, err := strconv.ParseFloat(place, 64)
		if err != nil {
			t.Fatal(err)
		}
		stops = append(stops, stop{m, x, 0, 0})
	}
	return trackOf(geo.Point{Lon: 10, Lat: 56}, stops)
}
