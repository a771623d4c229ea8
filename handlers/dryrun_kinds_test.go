package handlers

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"quaywatch/ais"
)

const bayJSON = `{"type":"Polygon","coordinates":[[[10,56],[11,56],[11,56.3],[10,56.3],[10,56]]]}`

// troubles lets four ships and a buoy do for two hours and a half what watchdogs of ships, speeds and buoys tell of: one drags its anchor, one sails too fast
// and without a name, and falls silent for forty minutes, one leaves its route, one lies at its berth to the end, and the buoy breaks loose.
func (s *site) troubles(from time.Time) (to time.Time) {
	const fast, strays, rests, buoy = 211222333, 244000001, 244000002, 992191001
	at := func(m ais.MMSI, now time.Time, lon, lat float64, sog, cog int, status ais.NavStatus) {
		p := position(m, lon, lat, sog, cog)
		p.Status = status
		s.hear(now, p)
	}
	s.hear(from, voyage(nordic, "NORDIC HAV"))
	s.hear(from, voyage(strays, "STRAYS"))
	s.hear(from, voyage(rests, "RESTS"))
	for i := range 900 {
		now := from.Add(time.Duration(i) * 10 * time.Second)
		if i%18 == 0 {
			drift := max(0, float64(i-360)) / 360 * 0.01 // 620 m an hour
			at(nordic, now, 10.3+drift, 56.14, 3, 900, ais.StatusAtAnchor)
			at(rests, now, 10.28, 56.13, 0, 0, ais.StatusMoored)
			s.hear(now, &ais.AidToNavigation{Header: ais.Header{Type: 21, MMSI: buoy}, AidType: 14, Name: "BUOY", Second: 60,
				Place: ais.Place{Lon: int32(10.35 * 600000), Lat: int32((56.13 + max(0, float64(i-450))/900*0.01) * 600000)}})
		}
		if i < 240 || i >= 480 && i < 600 {
			at(fast, now, 10.2+float64(i)*0.0011, 56.15, 150, 900, ais.StatusUnderWayEngine)
		}
		if i < 300 {
			at(strays, now, 10.2+float64(i)*0.0007, 56.16+max(0, float64(i-150))*0.0003, 90, 700, ais.StatusUnderWayEngine)
		}
	}
	return s.ended()
}

// TestTheDryRunOfShipsSpeedsAndBuoys: a watchdog of one of these types gives of the past what it raised live.
func TestTheDryRunOfShipsSpeedsAndBuoys(t *testing.T) {
	s := newRecorder(t)
	var all []trial
	for i, object := range []string{
		`"type":"anchor","anchor":{"center":{"type":"Point","coordinates":[10.3,56.14]},"radius":300}`,
		`"type":"anchor","anchor":{"center":{"type":"Point","coordinates":[10.3,56.14]},"radius":250,"mmsi":219018765}`,
		`"type":"speed","speed":{"polygon":` + bayJSON + `,"limit":12}`,
		`"type":"route","route":{"line":{"type":"LineString","coordinates":[[10.1,56.16],[10.6,56.16]]},"corridor":300}`,
		`"type":"aton","aton":{"radius":80}`,
		`"type":"lost","lost":{"mmsi":211222333}`,
		`"type":"lost","lost":{"mmsi":244000002,"polygon":` + bayJSON + `}`,
		`"type":"silent","silent":{}`,
	} {
		kind := strings.Split(object, `"`)[3]
		body := fmt.Sprintf(`{"name":"%s %d",%s}`, kind, i, object)
		all = append(all, trial{s.watchdog("admin", body), body})
	}
	from := noon()
	to := s.troubles(from)
	far := s.agree(all, from.Add(-time.Minute), to, "anchor", "speed", "route", "aton", "lost", "silent")
	if far.more.events < 9 || far.more.late+far.more.other > 0 {
		t.Errorf("%+v", far.more)
	}
	early := s.rehearse(`{"type":"lost","lost":{"mmsi":244000002}}`, from, from.Add(time.Hour), "")
	if early["count"] != 0.0 {
		t.Errorf("a ship that lies at its berth is lost where the time ends: %v", early["events"])
	}
}

// TestADryRunOfANamedShipSaysWhyItDidNotRing: also what is asked of another ship.
func TestADryRunOfANamedShipSaysWhyItDidNotRing(t *testing.T) {
	s := newRecorder(t)
	from := noon()
	to := s.troubles(from)
	for _, row := range []struct {
		body, why string
		mmsi      ais.MMSI
	}{
		{`{"type":"lost","lost":{"mmsi":211222333}}`, "[why_other_ship]", nordic},
		{`{"type":"aton","aton":{}}`, "[why_no_aid]", nordic},
		{`{"type":"speed","speed":{"polygon":` + bayJSON + `,"limit":20}}`, "[why_limit]", nordic},
		{`{"type":"speed","speed":{"polygon":` + bayJSON + `,"limit":12,"least":"05:00:00"}}`, "[why_least]", 211222333},
		{`{"type":"anchor","anchor":{"center":{"type":"Point","coordinates":[11,56.14]},"radius":300}}`, "[why_far]", nordic},
	} {
		result := s.rehearse(row.body, from, to, fmt.Sprint(`,"mmsi":`, row.mmsi))
		if got := fmt.Sprint(reasonsOf(result)); got != row.why {
			t.Errorf("%s: %s, want %s", row.body, got, row.why)
		}
	}
}
