package store

import (
	"fmt"
	"testing"
	"time"

	"quaywatch/ais"
	"quaywatch/ship"
)

// TestWhatAnOlderLogToldIsKnown: what a log told of a time before the newest data is read from memory as from the database. Its halves complete each other, and the newest
// data stay.
func TestWhatAnOlderLogToldIsKnown(t *testing.T) {
	const minute, month = int64(60_000), int64(30 * 24 * 3600_000)
	dir := t.TempDir()
	db, err := Open(Options{Dir: dir})
	if err != nil {
		t.Fatal(err)
	}
	limits := ship.DefaultLimits()
	var state ship.State
	var gate ship.Gate
	hear := func(at int64, m ais.Message) {
		r := &ais.Report{Message: m, Received: time.UnixMilli(at).UTC()}
		out := ship.Merge(&state, gate, r, &limits)
		db.Observe(&ship.Update{Report: r, Was: state, Now: out.Now, Fix: out.Fix, Change: out.Change, Late: out.Late})
		state, gate = out.Now, out.Gate
	}
	header := func(kind uint8) ais.Header { return ais.Header{Type: kind, MMSI: 219000001} }
	name := func(text string) ais.Message { return &ais.StaticReport{Header: header(24), Name: text} }
	callSign := func(text string) ais.Message { return &ais.StaticReport{Header: header(24), Part: 1, CallSign: text} }
	position := &ais.PositionReport{Header: header(1), Place: ais.Place{Lon: 6_130_000, Lat: 33_690_000}}
	for i := range int64(3) {
		hear(at0+month+i*minute, position)
	}
	hear(at0+month, &ais.StaticVoyage{Header: header(5), Name: "NEW", CallSign: "OXNEW", Destination: "AARHUS", Draught: 50})
	hear(at0, name("OLD"))
	hear(at0+minute, callSign("OXOLD"))
	hear(at0+2*minute, name("OLD"))
	hear(at0+3*minute, &ais.StaticVoyage{Header: header(5), Name: "OLD", CallSign: "OXOLD", Destination: "KIEL"})
	for _, written := range []bool{false, true} {
		if written {
			if err := db.Close(); err != nil {
				t.Fatal(err)
			}
			if db, err = Open(Options{Dir: dir}); err != nil {
				t.Fatal(err)
			}
			defer db.Close()
		}
		for at, want := range map[int64]string{at0: "OLD ", at0 + minute: "OLD OXOLD", at0 + 3*minute: "OLD OXOLD KIEL", at0 + month - 1: "OLD OXOLD KIEL", at0 + month: "NEW OXNEW AARHUS"} {
			st, v, err := db.StaticAt(219000001, time.UnixMilli(at))
			if err != nil {
				t.Fatalf("written %v, at %d: %v", written, at-at0, err)
			}
			got := st.Name + " " + st.CallSign
			if v != nil {
				got += " " + v.Destination
			}
			if got != want {
				t.Errorf("written %v, at %d: %q, want %q", written, at-at0, got, want)
			}
		}
		changes, err := db.StaticChanges(t.Context(), 219000001, time.UnixMilli(at0-1), time.UnixMilli(at0+2*month))
		var history []string
		for _, c := range changes {
			history = append(history, fmt.Sprintf("%s %s %v", c.Static.Name, c.Static.CallSign, c.Voyage != nil))
		}
		if got := fmt.Sprint(history); err != nil || got != "[OLD  false OLD OXOLD false OLD OXOLD true NEW OXNEW true]" {
			t.Errorf("written %v: %s, %v", written, got, err)
		}
		if s, err := db.Ship(219000001); err != nil || s.Static.Name != "NEW" || s.Voyage.Destination != "AARHUS" {
			t.Errorf("written %v: it is %+v now, %v", written, s.Static, err)
		}
	}
}
