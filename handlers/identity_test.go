package handlers

import (
	"fmt"
	"testing"
	"time"

	"quaywatch/ais"
	"quaywatch/geo"
)

// The IMO numbers of two ships, with right check digits.
const (
	nordicIMO = 9321483
	secondIMO = 9074729
)

// called returns static data of a ship.
func called(m ais.MMSI, imo uint32, name string) *ais.StaticVoyage {
	s := voyage(m, name)
	s.IMO, s.CallSign = imo, ""
	return s
}

// callAt lets a ship come to a place, say who it is, lie there and leave. It returns the time at the end.
func (s *site) callAt(at time.Time, who *ais.StaticVoyage, place geo.Point) time.Time {
	s.t.Helper()
	m := who.MMSI
	for range 3 { // one report alone may be corrupt
		s.hear(at, position(m, between.Lon, between.Lat, 100, 900))
		s.hear(at, who)
		at = at.Add(time.Minute)
	}
	at = s.coming(m, at.Add(time.Hour), place, false, "roof")
	at = s.lying(m, at, place, 40, "roof")
	s.save(at)
	at = s.coming(m, at, place, true, "roof")
	s.settle()
	s.save(at)
	return at
}

// portsOf returns port and ship of each call in an answer.
func portsOf(records []map[string]any) (list []string) {
	for _, r := range records {
		of := r["ship"].(map[string]any)
		list = append(list, fmt.Sprint(r["port"].(map[string]any)["locode"], " ", of["name"], " ", of["mmsi"]))
	}
	return list
}

func same(t *testing.T, what string, got []string, want ...string) {
	t.Helper()
	if fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("%s: %q, want %q", what, got, want)
	}
}

// A ship was sold with its transmitter's number to another owner, who put it into another ship. Each ship has its own calls, also after a restart.
func TestAnMMSIThatWentToAnotherShip(t *testing.T) {
	s := newCalls(t)
	begin := noon().Add(-20 * time.Hour)
	sold := s.callAt(begin, called(nordic, nordicIMO, "NORDIC HAV"), aarhus)
	s.callAt(sold.Add(2*time.Hour), called(nordic, secondIMO, "SECOND"), easthaven)
	for _, turn := range []string{"at once", "after a restart"} {
		first, second := "DKAAR NORDIC HAV 2.19018765e+08", "DKEHV SECOND 2.19018765e+08"
		same(t, turn+", the number", portsOf(s.callsOf("admin", ofNordic)), second, first)
		same(t, turn+", the IMO number sold", portsOf(s.callsOf("admin", `{"imo":9321483}`)), first)
		same(t, turn+", the IMO number now", portsOf(s.callsOf("admin", `{"imo":9074729}`)), second)
		same(t, turn+", the name then", portsOf(s.callsOf("admin", `{"name":"nordic hav"}`)), first)
		same(t, turn+", the name now", portsOf(s.callsOf("admin", `{"name":"SECOND"}`)), second)
		same(t, turn+", the name then, within a time", portsOf(s.callsOf("admin", fmt.Sprintf(`{"name":"NORDIC HAV","begin":%q}`, sold.Format(time.RFC3339)))))
		if trips := s.tripsOf("admin", `{"imo":9321483}`); len(trips) != 0 {
			t.Errorf("%s: the trips of the ship that was sold are %v", turn, trips)
		}
		for _, trip := range s.tripsOf("admin", ofNordic) {
			if trip["to"] != nil {
				t.Errorf("%s: the other ship went on with the trip: %v", turn, trip)
			}
		}
		at := fmt.Sprintf("/22781475?begin=%s&end=%s", begin.Format(time.RFC3339), noon().Add(9*time.Hour).Format(time.RFC3339))
		visits := recordsOf(t, s.get(visitsPath+at).is(t, 200))
		if len(visits) != 1 || visits[0]["ship"].(map[string]any)["name"] != "NORDIC HAV" {
			t.Errorf("%s: the calls at Aarhus are %v", turn, visits)
		}
		for filter, want := range map[string]int{`name+%3D+"NORDIC+HAV"`: 1, `name+%3D+"SECOND"`: 0} {
			if got := recordsOf(t, s.get(visitsPath+at+"&filter="+filter).is(t, 200)); len(got) != want {
				t.Errorf("%s: %s lets %d calls pass, want %d", turn, filter, len(got), want)
			}
		}
		gone := s.get(portserver+"/ship/info/9321483").is(t, 200).json(t)
		if gone["name"] != "NORDIC HAV" || gone["mmsi"] != float64(nordic) {
			t.Errorf("%s: the ship that was sold is %v", turn, gone)
		}
		for name, want := range map[string]string{"nordic hav": "", "second": "NORDIC HAV"} {
			then := s.post(portserver+"/ship/info", fmt.Sprintf(`{"mmsi":%d,"name":%q,"time":%q}`, nordic, name, sold.Format(time.RFC3339))).is(t, 200).json(t)
			if then["name"] != "NORDIC HAV" || (then["warnings"] != nil) != (want != "") {
				t.Errorf("%s: the ship at the time of the sale is %v", turn, then)
			}
		}
		s.restart()
	}
}

// A ship changed its flag, and so its number. Its IMO number finds all of its calls, the trip between them, and one track.
func TestAShipThatTookAnotherMMSI(t *testing.T) {
	s := newCalls(t)
	const later = ais.MMSI(636012345)
	begin := noon().Add(-20 * time.Hour)
	left := s.callAt(begin, called(nordic, nordicIMO, "NORDIC HAV"), aarhus)
	end := s.callAt(left.Add(2*time.Hour), called(later, nordicIMO, "HAV STAR"), easthaven)
	s.picture.Tick(end.Add(6*time.Hour), s.db, s.sight) // the first number fell silent long ago, and the ship is under way
	for _, turn := range []string{"at once", "after a restart"} {
		first, second := "DKAAR NORDIC HAV 2.19018765e+08", "DKEHV HAV STAR 6.36012345e+08"
		for _, asked := range []string{`{"imo":9321483}`, `{"name":"HAV STAR"}`, `{"name":"NORDIC HAV"}`} {
			same(t, turn+", "+asked, portsOf(s.callsOf("admin", asked)), second, first)
		}
		same(t, turn+", the number", portsOf(s.callsOf("admin", ofNordic)), first)
		trips := s.tripsOf("admin", `{"imo":9321483}`)
		if len(trips) != 2 || fmt.Sprintf("%v %v", portOf(trips[1], "from"), portOf(trips[1], "to")) != "DKAAR DKEHV" || trips[1]["distance"] != nil {
			t.Errorf("%s: the trips are %v", turn, trips)
		}
		for at, want := range map[time.Time]ais.MMSI{left: nordic, end: later} {
			then := s.post(portserver+"/ship/info", fmt.Sprintf(`{"imo":9321483,"time":%q}`, at.Format(time.RFC3339))).is(t, 200).json(t)
			if then["mmsi"] != float64(want) {
				t.Errorf("%s: at %s the ship is %v, want %d", turn, at, then, want)
			}
		}
		line := coordinates(t, s.track(fmt.Sprintf(`{"imo":9321483,"begin":%q,"end":%q}`, begin.Format(time.RFC3339), end.Format(time.RFC3339)), ""))
		if len(line) < 190 {
			t.Errorf("%s: the track has %d positions of the two numbers", turn, len(line))
		}
		s.restart()
	}
}

// portOf returns the LOCODE of an end of a trip.
func portOf(trip map[string]any, end string) any {
	return trip[end].(map[string]any)["port"].(map[string]any)["locode"]
}
