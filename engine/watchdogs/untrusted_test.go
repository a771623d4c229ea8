package watchdogs

import (
	"strings"
	"testing"
	"time"

	"quaywatch/ais"
	"quaywatch/traffic"
)

// waters are two ships that a real picture hears.
type waters struct {
	*box
	picture *traffic.Picture
	count   uint64
}

func (w *waters) report(now time.Time, m ais.Message) {
	w.count++ // no message is a duplicate
	w.picture.Apply(&ais.Batch{Reports: []ais.Report{{Message: m, Received: now, Sent: now, Feed: "roof", Hash: w.count}}}, w.watch)
}

func (w *waters) hearFrom(m ais.MMSI, now time.Time, lon float64, tenths, course int, status ais.NavStatus) {
	w.report(now, &ais.PositionReport{Header: ais.Header{Type: 1, MMSI: m}, Status: status, Second: 60, SOG: ais.SOGTenths(tenths), COG: ais.COGTenths(10 * course),
		Place: ais.Place{Lon: int32(lon * 600000), Lat: int32(54.5 * 600000)}})
}

// lies has a ship lie at its berth for an hour. Then it tells for eight minutes that it sails 4 km off, over a line, into an area and towards another ship.
// A ship that sails there leaves its berth before. It returns the kinds of the events.
func lies(t *testing.T, sails bool) (kinds []string) {
	t.Helper()
	const ship, other, berth = 211000001, 211000002, 10.0
	w := &waters{box: newBox(t), picture: traffic.New(traffic.DefaultConfig())}
	w.define(`{"name":"area","type":"polygon","polygon":` + areaOf(10.075, 54.0, 10.3, 54.9) + `}`)
	w.define(`{"name":"gate","type":"line","line":{"type":"LineString","coordinates":[[10.07,54],[10.07,55]]}}`)
	w.define(`{"name":"roads","type":"cpa","cpa":{"polygon":` + areaOf(9.9, 54.0, 10.5, 54.9) + `}}`)
	for _, m := range []ais.MMSI{ship, other} {
		w.report(begin, &ais.StaticVoyage{Header: ais.Header{Type: 5, MMSI: m}, Name: "NAME", ShipType: 70})
	}
	for second := 0; second < 2*3600; second += 10 {
		now := begin.Add(time.Duration(second) * time.Second)
		w.picture.Tick(now, w.watch)
		sailed := float64(second-3600) * 0.0000876 // degrees of longitude, at 11 kn
		if second > 3600 {
			w.hearFrom(other, now, 10.14-sailed, 110, 270, ais.StatusUnderWayEngine)
		}
		switch {
		case sails && second > 3600-690 && second <= 4080:
			w.hearFrom(ship, now, 10.06+sailed, 110, 90, ais.StatusUnderWayEngine)
		case second > 3600 && second <= 4080:
			w.hearFrom(ship, now, 10.06+sailed, 110, 90, ais.StatusMoored)
		case second%180 == 0:
			w.hearFrom(ship, now, berth, 0, 90, ais.StatusMoored)
		}
		w.watch.Save(false)
	}
	for _, line := range w.log() {
		if words := strings.Fields(line); strings.Contains(line, " 211000001 ") {
			kinds = append(kinds, words[1])
		}
	}
	return kinds
}

// TestAReceiverThatLiesRaisesNothing: an area, a line and a watchdog of pairs are silent on what the receiver of a moored ship tells. The same places of a ship
// that sails there ring in all of them.
func TestAReceiverThatLiesRaisesNothing(t *testing.T) {
	if got := lies(t, false); len(got) > 0 {
		t.Errorf("a lie raised %q", got)
	}
	rang := strings.Join(lies(t, true), " ")
	for _, kind := range []string{"enter", "cross", "cpa"} {
		if !strings.Contains(rang, kind) {
			t.Errorf("a ship under way raised no %s, but %s", kind, rang)
		}
	}
}
