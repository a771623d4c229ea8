//go:build !race

package handlers

import (
	"fmt"
	"testing"
	"time"

	"quaywatch/geo"
	"quaywatch/ship/shiptest"
)

// TestTheDryRunGivesTheEventsOfARecordedDay: what was thinned and stored gives the events that watchdogs raised live. The receiver of that log heard every
// second or third report.
func TestTheDryRunGivesTheEventsOfARecordedDay(t *testing.T) {
	log := shiptest.Recording(t, "nmea/kadetrenden_2013-07-31.nmea.gz")
	s := newRecorder(t)
	all := s.watchdogsIn(geo.Rect{West: 11.9, South: 54.3, East: 12.6, North: 54.75}, "")
	from, to := s.playLog(log)
	far := s.agree(all, from, to, "line", "polygon", "cable")
	t.Logf("%+v", far)
	if far.one.events < 100 || far.one.late+far.one.other > 0 {
		t.Errorf("with one report: %+v", far.one)
	}
	if far.five.events < 100 || far.five.late+far.five.other > 0 {
		t.Errorf("with five reports: %+v", far.five)
	}
	if far.more.late+far.more.other > 1+far.more.events/50 {
		t.Errorf("of the other types: %+v", far.more)
	}
}

// TestTheDryRunGivesTheEventsOfASimulatedDay: of ships that are all heard, also those events are the same, within a minute, that take five reports. A
// thinned track is up to 25 m off, so that a ship that passes the end of a line may miss it.
func TestTheDryRunGivesTheEventsOfASimulatedDay(t *testing.T) {
	s := newRecorder(t)
	log := s.simulated()
	from := log.play(20 * time.Minute)
	a := s.call("admin", "POST", portPath, `{"name":"Sea gate","position":{"type":"Point","coordinates":[12.6,55.69]},"outer":{"type":"Polygon","coordinates":[[[12.57,55.66],[12.66,55.66],[12.66,55.72],[12.57,55.72],[12.57,55.66]]]}}`)
	all := s.watchdogsIn(geo.Rect{West: 12.5, South: 55.64, East: 12.8, North: 55.78}, fmt.Sprintf(`{"id":%s}`, s.started(a, 200)))
	to := log.play(2 * time.Hour)
	far := s.agree(all, from, to, "line", "polygon", "cable", "speed", "route")
	t.Logf("%+v", far)
	if far.one.events < 100 || far.one.late+far.one.other > far.one.events/50 {
		t.Errorf("with one report: %+v", far.one)
	}
	if far.five.events < 100 || far.five.late+far.five.other > far.five.events/50 {
		t.Errorf("with five reports: %+v", far.five)
	}
	if far.more.late+far.more.other > 1+far.more.events/50 {
		t.Errorf("of the other types: %+v", far.more)
	}
}
