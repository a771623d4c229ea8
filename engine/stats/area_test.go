package stats

import (
	"slices"
	"testing"

	"quaywatch/ais"
	"quaywatch/ship"
	"quaywatch/ship/statistic"
)

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
