package handlers

import (
	"encoding/csv"
	"slices"
	"strings"
	"testing"
	"time"

	"quaywatch/ais"
	"quaywatch/ship"
	"quaywatch/store"
	"quaywatch/users/access/right"
)

// TestTracksForIWRAP: all reports of an area and a period are a table with the columns, times and sizes that IWRAP imports.
func TestTracksForIWRAP(t *testing.T) {
	s := newSite(t)
	begin := noon().Add(-2 * time.Hour)
	var track ship.Track
	for n := range 41 {
		track = append(track, ship.Fix{At: begin.Add(time.Duration(n) * time.Minute).UnixMilli(), Lon: 6_000_000 + int32(n)*6000, Lat: 33_690_000, SOG: ais.SOGTenths(100), COG: ais.COGTenths(905)})
	}
	said := []store.Said{{Static: &ship.Static{Name: "NORDIC HAV", IMO: 9074729, Type: 71, Dimensions: ais.Dimensions{Bow: 100, Stern: 34, Port: 11, Starboard: 10}, At: track[0].At},
		Voyage: &ship.VoyageData{Draught: 85, Destination: "AARHUS", At: track[0].At}}}
	if _, err := s.db.ImportTracks([]store.Imported{{MMSI: nordic, Class: ship.ClassA, Fixes: track, Said: said}}); err != nil {
		t.Fatal(err)
	}
	s.hear(noon(), position(nordic, 10.6, 56.15, 100, 900))
	s.settle()
	s.addUser("bert")
	s.allowAllBut("bert", right.DownloadHistoricalTracks, false)
	id := s.statistic("admin", "historicaltrack", `{`+morning+`"inside":true,"shape":`+harbour+`}`)
	s.ran(id)
	path := statPath + "/historicaltrack/result" + id + "?format=iwrap"
	a := s.get(path).is(t, 200)
	if kind := a.header.Get("Content-Type"); kind != "text/csv; charset=utf-8" {
		t.Error(kind)
	}
	rows, err := csv.NewReader(strings.NewReader(string(a.body))).ReadAll()
	if err != nil || len(rows) != 22 {
		t.Fatalf("%d rows, %v: %s", len(rows), err, a.body)
	}
	if head := strings.Join(rows[0], ", "); head != "MMSI, IMO, TIME, NAME, DESTINATION, TYPE_OF_SHIP_AND_CARGO, DRAUGHT, SIZE_A, SIZE_B, SIZE_C, SIZE_D, LAT, LON, COG, SOG" {
		t.Error(head)
	}
	want := []string{"219018765", "9074729", "20-11-2026 10:20:00", "NORDIC HAV", "AARHUS", "71", "8.5", "100", "34", "11", "10", "56.15", "10.2", "90.5", "10"}
	if !slices.Equal(rows[1], want) {
		t.Errorf("%q, want %q", rows[1], want)
	}
	s.call("bert", "GET", path, "").is(t, 403)
	s.get(statPath+"/historicaltrack/result"+id+"?format=csv").is(t, 200)
	passage := s.statistic("admin", "passageline", `{`+morning+`"passageline":`+midLine+`}`)
	s.ran(passage)
	s.get(statPath+"/passageline/result"+passage+"?format=iwrap").is(t, 400)
}
