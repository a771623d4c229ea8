package learn

import (
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"quaywatch/ais"
	"quaywatch/geo"
	"quaywatch/ship"
)

// ashore is a place 34 km from any water of the chart.
var ashore = geo.Point{Lon: 9.75, Lat: 54.05}

// voyager makes the track of a ship, a position each 10 s.
type voyager struct {
	track ship.Track
	at    time.Time
	place geo.Point
}

func startAt(day int, at geo.Point) *voyager {
	return &voyager{at: time.Date(2026, 5, 1+day, 3, 0, 0, 0, time.UTC), place: at}
}

// tell adds a position.
func (v *voyager) tell(knots, course float64) {
	v.track = append(v.track, ship.Fix{
		At: v.at.UnixMilli(), Lon: int32(v.place.Lon * 600000), Lat: int32(v.place.Lat * 600000),
		SOG: ais.SOGTenths(min(1022, int(knots*10))), COG: ais.COGTenths(int(course*10) % 3600),
	})
	v.at = v.at.Add(10 * time.Second)
}

// run goes along a course for a time.
func (v *voyager) run(knots, course float64, long time.Duration) *voyager {
	for range int(long / (10 * time.Second)) {
		v.tell(knots, course)
		v.place = geo.Destination(v.place, course, knots*1852/360)
	}
	return v
}

// toAndFro goes along a course and back, again and again.
func (v *voyager) toAndFro(knots, course float64, times int) *voyager {
	for i := range times {
		v.run(knots, course+180*float64(i%2), 10*time.Minute)
	}
	return v
}

// jump tells all that follows elsewhere.
func (v *voyager) jump(to geo.Point) *voyager { v.place = to; return v }

// play gives a learner a track as the reader of the past does: hour by hour, each with the last position before.
func play(l *Learner, m ais.MMSI, t ship.Track) {
	var so Trust
	for begin := 0; begin < len(t); {
		hour := t[begin].At / time.Hour.Milliseconds()
		end := begin
		for end < len(t) && t[end].At/time.Hour.Milliseconds() == hour {
			end++
		}
		so = l.Sail(m, 12, t[max(0, begin-1):end], so)
		begin = end
	}
}

// TestWhatIsInventedTeachesNothing has three ships teach the canal, and others invent positions ashore: none of their cells is learned.
func TestWhatIsInventedTeachesNothing(t *testing.T) {
	c := load(t)
	if !c.Land(ashore) {
		t.Fatal("there is water ashore")
	}
	each := func(days, ships int, track func(day, n int) ship.Track) func(*Learner) {
		return func(l *Learner) {
			for day := range days {
				for n := range ships {
					play(l, ais.MMSI(211_000_001+day*1000+n), track(day, n))
				}
			}
		}
	}
	random := rand.New(rand.NewPCG(1, 2))
	for _, row := range []struct {
		name   string
		invent func(*Learner)
		teach  bool // a control: this is how they would teach
	}{
		{"they sail there, three on three days", each(3, 1, func(day, _ int) ship.Track { return startAt(day, ashore).toAndFro(8, 70, 6).track }), true},
		{"hundred ships, all on one day", each(1, 100, func(day, _ int) ship.Track { return startAt(day, ashore).toAndFro(8, 70, 6).track }), false},
		{"hundred ships on two days", each(2, 100, func(day, _ int) ship.Track { return startAt(day, ashore).toAndFro(8, 70, 6).track }), false},
		{"two ships on thirty days", func(l *Learner) {
			for day := range 30 {
				play(l, ais.MMSI(211_000_001+day%2), startAt(day, ashore).toAndFro(8, 70, 6).track)
			}
		}, false},
		{"a jump ashore, four hours there, and back", each(4, 3, func(day, _ int) ship.Track {
			return startAt(day, fjord).run(0, 0, time.Hour).jump(ashore).toAndFro(8, 70, 24).jump(fjord).run(0, 0, time.Hour).track
		}), false},
		{"a jump ashore, and two days there", each(4, 3, func(day, _ int) ship.Track {
			return startAt(day, fjord).run(0, 0, time.Hour).jump(ashore).toAndFro(8, 70, 48*6).track
		}), false},
		{"jumps over land all the time", each(4, 3, func(day, _ int) ship.Track {
			v := startAt(day, fjord)
			for range 12 {
				v.jump(ashore).run(8, 70, 20*time.Minute).jump(fjord).run(0, 0, 20*time.Minute)
			}
			return v.track
		}), false},
		{"circles ashore after a jump", each(4, 3, func(day, _ int) ship.Track {
			v := startAt(day, fjord).run(0, 0, time.Hour).jump(ashore)
			for i := range 3000 {
				v.run(18, float64(i*5%360), 10*time.Second)
			}
			return v.track
		}), false},
		{"an aircraft with the number of a ship lands and rolls", each(4, 3, func(day, _ int) ship.Track {
			return startAt(day, geo.Destination(ashore, 250, 20_000)).run(90, 70, 7*time.Minute).toAndFro(15, 70, 12).track
		}), false},
		{"a boat on a trailer, first through the town, then on the road", each(4, 3, func(day, _ int) ship.Track {
			return startAt(day, fjord).run(0, 0, 30*time.Minute).run(16, 225, 3*time.Minute).run(22, 225, 5*time.Minute).run(45, 225, 10*time.Minute).run(16, 225, 5*time.Minute).track
		}), false},
		{"cars in a town", each(4, 3, func(day, _ int) ship.Track { return startAt(day, ashore).toAndFro(22, 70, 6).track }), false},
		{"short pieces of a way, each of three other ships", each(3, 10, func(day, n int) ship.Track {
			return startAt(day, geo.Destination(ashore, 70, float64(n)*120)).run(8, 70, 40*time.Second).track
		}), false},
		{"short pieces of a way, each of two other ships, and one along all of it", func(l *Learner) {
			for day := range 3 {
				for n := range 10 {
					place, long, m := geo.Destination(ashore, 70, float64(n)*120), 40*time.Second, 10*day+n
					if day == 0 {
						place, long, m = ashore, 8*time.Minute, 0
					}
					play(l, ais.MMSI(211_000_001+m), startAt(day, place).run(8, 70, long).track)
				}
			}
		}, false},
		{"legs of a minute, twice as fast as is told", each(4, 3, func(day, _ int) ship.Track {
			t := startAt(day, ashore).run(4.8, 70, 20*time.Minute).track.Thin(time.Minute)
			for i := range t {
				t[i].SOG = ais.SOGTenths(21)
			}
			return t
		}), false},
		{"one ship with positions 700 m off, on thirty days", func(l *Learner) {
			for day := range 30 {
				play(l, 211_000_001, sail(geo.Destination(fjord, 180, 700), geo.Destination(inland, 180, 700), day))
			}
		}, false},
		{"three ships, each off by something else, on thirty days", func(l *Learner) {
			for day := range 30 {
				n := day % 3
				off := func(p geo.Point) geo.Point { return geo.Destination(p, 180, 400+float64(n)*200) }
				play(l, ais.MMSI(211_000_001+n), sail(off(fjord), off(inland), day))
			}
		}, false},
		{"each position off by up to two kilometres", each(6, 3, func(day, _ int) ship.Track {
			t := slices.Clone(sail(fjord, inland, day))
			for i := range t {
				p := geo.Destination(t[i].Point(), random.Float64()*360, 500+random.Float64()*1500)
				t[i].Lon, t[i].Lat = int32(p.Lon*600000), int32(p.Lat*600000)
			}
			return t
		}), false},
	} {
		honest, all := New(c, Options{Alone: Alone}), New(c, Options{Alone: Alone})
		for _, l := range []*Learner{honest, all} {
			for day := range 3 {
				play(l, ais.MMSI(219_000_001+day), sail(fjord, inland, day))
			}
		}
		row.invent(all)
		one, _ := honest.Overlay()
		two, _ := all.Overlay()
		before, _ := one.Cells()
		after, _ := two.Cells()
		if len(before) < 100 || row.teach != (len(after) > len(before)+100) || !row.teach && !slices.Equal(before, after) {
			t.Errorf("%s: %d cells were learned, %d with the invented", row.name, len(before), len(after))
		}
	}
}

// TestDoubtEndsOnWater holds that a ship that jumped teaches again a day after, once it sails on water, and that what is learned counts as such.
func TestDoubtEndsOnWater(t *testing.T) {
	c := load(t)
	teach := func(after time.Duration, from geo.Point) int {
		l := New(c, Options{Alone: Alone})
		for day := range 3 {
			v := startAt(10*day, fjord).run(0, 0, time.Minute).jump(ashore).run(0, 0, time.Minute).jump(from)
			v.at = v.at.Add(after)
			play(l, ais.MMSI(219_000_001+day), v.run(8, 270, 15*time.Minute).track)
		}
		o, _ := l.Overlay()
		learned, _ := o.Cells()
		return len(learned)
	}
	west := geo.Destination(inland, 270, 200)
	for _, row := range []struct {
		name  string
		after time.Duration
		from  geo.Point
		want  bool
	}{
		{"half a day after, from water", 12 * time.Hour, fjord, false},
		{"a day and a half after, from water", 36 * time.Hour, fjord, true},
		{"a day and a half after, from land", 36 * time.Hour, west, false},
		{"four days after, from land", 96 * time.Hour, west, true},
	} {
		if n := teach(row.after, row.from); row.want != (n > 100) || !row.want && n > 0 {
			t.Errorf("%s: %d cells", row.name, n)
		}
	}
}
