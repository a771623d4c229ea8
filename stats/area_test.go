package stats

import (
	"slices"
	"testing"
	"time"

	"quaywatch/ais"
	"quaywatch/ship"
	"quaywatch/ship/statistic"
	"quaywatch/store"
)

const square = `,"shape":{"type":"Polygon","coordinates":[[[9.9,55.9],[10.5,55.9],[10.5,56.1],[9.9,56.1],[9.9,55.9]]]}`

// TestALongTrackIsThinned: a record has not more positions than it may, and the statistic warns of it.
func TestALongTrackIsThinned(t *testing.T) {
	b := newBench(t, Kinds()...)
	var track ship.Track
	for n := range mostTrack + 100 {
		track = append(track, ship.Fix{At: noon().Add(-6*time.Hour + time.Duration(n)*time.Second).UnixMilli(), Lon: 6_000_000 + int32(n), Lat: 33_600_000, SOG: ais.SOGTenths(10)})
	}
	if _, err := b.db.ImportTracks([]store.Imported{{MMSI: 219000001, Class: ship.ClassA, Fixes: track}}); err != nil {
		t.Fatal(err)
	}
	id := b.add("area", "anna", square+`,"tracks":true`, 0)
	if j := b.over(id); j.State != Completed || j.Records != 1 || len(j.Warnings) != 1 || j.Warnings[0].Word != "stat_track_thin" {
		t.Fatalf("%+v", j)
	}
	for r, err := range b.Result(id, everybody) {
		if err != nil || r.Track == nil {
			t.Fatal(r, err)
		}
		got := r.Track.Track
		if n := len(got); n > mostTrack || n < mostTrack/4 || got[0].At != track[0].At || got[n-1].At != track[len(track)-1].At {
			t.Errorf("%d positions", n)
		}
	}
	id = b.add("area", "anna", square, 0)
	b.over(id)
	for r := range b.Result(id, everybody) {
		if r.Track != nil {
			t.Error("a track that nobody asked for")
		}
	}
}

// TestShipsOfNoListAreNotLookedAt: what a question does not mean is no traffic that a filter left out.
func TestShipsOfNoListAreNotLookedAt(t *testing.T) {
	var read []ais.MMSI
	k := legsOf("area", nil, func(*legs) {})
	open := k.Open
	k.Open = func(r *Run) (Question, error) {
		q, err := open(r)
		q.Only = func(s *ship.State) bool {
			read = append(read, s.MMSI)
			return s.MMSI == 219000002 && s.Static != nil && s.Static.Name == "NEW"
		}
		return q, err
	}
	b := newBench(t, k)
	b.fleet()
	id := b.add("area", "anna", "", 0)
	b.over(id)
	if found := b.found(id, func(m statistic.Moment) bool { return m.MMSI == 219000002 }); len(found) == 0 || len(found) != int(b.over(id).Records) {
		t.Errorf("%q", found)
	}
	if j := b.over(b.add("area", "anna", `,"filter":"mmsi = 1"`, 0)); j.Warnings[0].Word != "stat_filtered" {
		t.Errorf("%+v", j)
	}
	if !slices.Contains(read, 219000003) {
		t.Errorf("asked of %v", read)
	}
}
