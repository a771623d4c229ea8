package stats

import (
	"maps"
	"slices"
	"testing"
	"time"

	"quaywatch/ais"
	"quaywatch/engine/stats/past"
	"quaywatch/geo"
	"quaywatch/ship"
	"quaywatch/ship/statistic"
)

// tracksOf returns the tracks of a result, and how many records each ship has.
func (b *bench) tracksOf(more string) (tracks map[ais.MMSI]ship.Track, records map[ais.MMSI]int, all []Record) {
	b.t.Helper()
	_, j := b.asked("historicaltrack", more, everybody)
	tracks, records = map[ais.MMSI]ship.Track{}, map[ais.MMSI]int{}
	for r, err := range b.Result(j.ID, everybody) {
		if err != nil {
			b.t.Fatal(err)
		}
		piece, err := r.Track.Track()
		if err != nil {
			b.t.Fatal(err)
		}
		tracks[r.Track.MMSI] = append(tracks[r.Track.MMSI], piece...)
		records[r.Track.MMSI]++
		all = append(all, *r)
	}
	return tracks, records, all
}

// stored returns what the store has of a ship in the period.
func (b *bench) stored(m ais.MMSI, resolution time.Duration) ship.Track {
	b.t.Helper()
	begin, end := noon().Truncate(24*time.Hour), noon().Add(-30*time.Minute)
	track, err := b.db.Track(b.t.Context(), m, begin, end)
	if err != nil {
		b.t.Fatal(err)
	}
	return track.Within(begin, end).Thin(resolution)
}

// TestHistoricalTracks: the tracks are those of the store, whole or thinned, of the ships that are named.
func TestHistoricalTracks(t *testing.T) {
	b := newBench(t, Kinds()...)
	b.fleet()
	tracks, records, all := b.tracksOf(`,"mmsi":[219000001,219000003]`)
	if len(tracks) != 2 || records[219000001] != 1 || !slices.Equal(tracks[219000001], b.stored(219000001, 0)) || !slices.Equal(tracks[219000003], b.stored(219000003, 0)) {
		t.Errorf("%v %v", records, tracks)
	}
	if got := string(all[0].Data); got != `{"ship":{"mmsi":219000001,"name":"OLD"}}` {
		t.Errorf("%s", got)
	}
	if tracks, _, _ = b.tracksOf(`,"ships":[{"mmsi":219000002}],"resolution":"00:30:00"`); !slices.Equal(tracks[219000002], b.stored(219000002, 30*time.Minute)) || len(tracks) != 1 {
		t.Errorf("%v", tracks)
	}
	whole := b.stored(219000001, 0)
	if tracks, _, _ = b.tracksOf(`,"mmsi":[219000001],"filter":"name = 'NEW'"`); len(tracks[219000001]) == 0 || len(tracks[219000001]) >= len(whole) {
		t.Errorf("filtered: %v", tracks)
	}
}

// TestTracksOfAShipList: those that are on it by now.
func TestTracksOfAShipList(t *testing.T) {
	b := newBench(t, Kinds()...)
	b.fleet()
	names := ship.Lookup{ShipList: func(name string) (func(*ship.State) bool, bool) {
		return func(s *ship.State) bool { return s.MMSI != 219000002 }, name == "tugs"
	}}
	b.config.Names = func(string) ship.Lookup { return names }
	b.names = names
	if tracks, _, _ := b.tracksOf(`,"shiplist":"tugs"`); len(tracks) != 2 || tracks[219000002] != nil {
		t.Errorf("%v", tracks)
	}
}

// TestTracksOfShipsInAShape: a ship that was in it is told whole, and only to a reader that saw it there.
func TestTracksOfShipsInAShape(t *testing.T) {
	b := newBench(t, Kinds()...)
	b.meeting()
	const ask = `,"mmsi":[219000001,219000002,219000003],"shape":` + box
	tracks, _, all := b.tracksOf(ask)
	if len(tracks) != 2 || !slices.Equal(tracks[219000001], b.stored(219000001, 0)) {
		t.Errorf("%v", tracks)
	}
	for _, one := range all {
		if len(one.Moments) != 1 || one.Shows(hiding(one.Track.MMSI)) {
			t.Errorf("%+v", one.Moments)
		}
	}
	if tracks, _, _ = b.tracksOf(`,"mmsi":[219000003],"shape":` + box); len(tracks) != 0 {
		t.Errorf("%v", tracks)
	}
}

// TestTracksOfAllShipsInAShape: a shape alone means all ships that were in it, whole, or only where they were inside.
func TestTracksOfAllShipsInAShape(t *testing.T) {
	b := newBench(t, Kinds()...)
	b.meeting()
	named, _, _ := b.tracksOf(`,"mmsi":[219000001,219000002,219000003],"shape":` + box)
	all, _, records := b.tracksOf(`,"shape":` + box)
	if len(all) != 2 || !maps.EqualFunc(all, named, slices.Equal[ship.Track]) {
		t.Errorf("%v, want %v", all, named)
	}
	for _, one := range records {
		if len(one.Moments) != 1 || one.Shows(hiding(one.Track.MMSI)) {
			t.Errorf("%+v", one.Moments)
		}
	}
	area, err := (&AreaShape{Polygon: []byte(box)}).Open(ship.Lookup{})
	if err != nil {
		t.Fatal(err)
	}
	for _, ask := range []string{`,"inside":true,"shape":` + box, `,"inside":true,"mmsi":[219000001,219000002,219000003],"shape":` + box} {
		inside, _, _ := b.tracksOf(ask)
		if len(inside) != 2 {
			t.Errorf("%s: %d ships", ask, len(inside))
		}
		for m, track := range inside {
			var want ship.Track
			was := false
			for _, f := range named[m] {
				in := area.Contains(f.Point())
				if in && !was {
					f.Mark |= ship.NewSegment
				}
				if was = in; in {
					want = append(want, f)
				}
			}
			if len(want) == 0 || len(want) == len(named[m]) || !slices.Equal(track, want) {
				t.Errorf("%s: of %d: %d positions inside, want %d of %d", ask, m, len(track), len(want), len(named[m]))
			}
		}
	}
}

// TestALongTrackComesInPieces of a thousand fixes, far below 4 MiB each.
func TestALongTrackComesInPieces(t *testing.T) {
	b := newBench(t, Kinds()...)
	var track ship.Track
	for n := range 2500 {
		p := geo.Destination(geo.Point{Lon: 10, Lat: 56}, 90, float64(n)*50)
		at := noon().Truncate(24 * time.Hour).Add(time.Duration(n) * 10 * time.Second)
		track = append(track, ship.Fix{At: at.UnixMilli(), Lon: int32(p.Lon / ais.PlaceUnit), Lat: int32(p.Lat / ais.PlaceUnit), SOG: ais.SOGTenths(100)})
	}
	b.put(219000001, track)
	tracks, records, all := b.tracksOf(`,"mmsi":[219000001]`)
	if records[219000001] != 3 || len(tracks[219000001]) != 2500 || !slices.Equal(tracks[219000001], b.stored(219000001, 0)) {
		t.Errorf("%v, %d fixes", records, len(tracks[219000001]))
	}
	for _, one := range all {
		if piece, err := one.Track.Track(); err != nil || len(piece) != one.Track.Count || len(piece) > pieceFixes || one.recordBytes() > mostRecord {
			t.Errorf("%d fixes: %v", len(piece), err)
		}
	}
}

// TestWhatIsHeldOfTracksIsBounded: of very many ships pieces are told before they are full.
func TestWhatIsHeldOfTracksIsBounded(t *testing.T) {
	b := newBench(t, many(0))
	r := &Run{stats: b.Statistics, going: &going{}, Past: past.New(t.Context(), b.db)}
	r.out = writer{stats: b.Statistics, id: 1, going: r.going, most: MostRecords}
	q := &tracksAsked{run: r, held: map[ais.MMSI]ship.Track{}}
	for i := range 500 {
		q.addPiece(statistic.TrackPiece{MMSI: ais.MMSI(219000000 + i), Track: make(ship.Track, 500)})
		if q.count > heldFixes || q.count != 500*len(q.held) {
			t.Fatalf("%d fixes of %d ships are held", q.count, len(q.held))
		}
	}
	if q.tellHeld(); r.out.failed != nil || q.told != 250_000 || len(q.held) != 0 {
		t.Errorf("%v, %d told", r.out.failed, q.told)
	}
	q.told = mostFixes
	q.addPiece(statistic.TrackPiece{MMSI: 219000000, Track: make(ship.Track, pieceFixes)})
	if r.out.failed != errLong {
		t.Errorf("%v after %d fixes", r.out.failed, q.told)
	}
}

// TestWrongTracks: each wrong field is named.
func TestWrongTracks(t *testing.T) {
	b := newBench(t, Kinds()...)
	b.refusals("historicaltrack", map[string]string{
		`,"mmsi":[1],"inside":true`:           "/inside",
		`,"inside":1,"shape":` + box:          "/inside",
		"":                                    "",
		`,"mmsi":[1],"ships":[{"mmsi":1}]`:    "",
		`,"mmsi":[0]`:                         "/mmsi/0",
		`,"ships":[{"name":"NOBODY"}]`:        "/ships/0",
		`,"shiplist":"none"`:                  "/shiplist",
		`,"mmsi":[1],"resolution":"quick"`:    "/resolution",
		`,"mmsi":[1],"resolution":"00:00:00"`: "/resolution",
		`,"mmsi":[1],"shape":{"type":"Polygon","coordinates":[[[1,1],[2,1],[2,2],[1,2]]]}`: "/shape/coordinates/0/3",
		`,"mmsi":[1],"shape":{"type":"Point","coordinates":[1,1]}`:                         "/shape/type",
	})
}
