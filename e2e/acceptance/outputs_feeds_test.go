package acceptance

import (
	"strings"
	"testing"

	"quaywatch/ais"
)

// TestTheFeedBehindReachesItsSubscriber: of two feeds that hear the same, a user of the second alone gets everything once, and so does a
// user of both.
func TestTheFeedBehindReachesItsSubscriber(t *testing.T) {
	t.Parallel()
	config, second := udpFeed(t)
	config, _, _ = strings.Cut(config, "[store]")
	s := openStation(t, strings.Replace(config, `"udp"`, `"tower"`, 1))
	s.addUser("tower", `"receive_filter":{"psss":["tower"]},"settings":{"include_external_id":true,"output_format":"nmea_tag"}`)
	s.addUser("both", `"receive_filter":{"psss":["tower","udp"]},"settings":{"include_external_id":true,"output_format":"nmea_tag"}`)
	picture := func() (reports, duplicates uint64) {
		var status struct {
			Picture struct{ Reports, Duplicates uint64 }
		}
		s.get("/api/status", &status)
		return status.Picture.Reports, status.Picture.Duplicates
	}
	tower, both := s.signIn("tower"), s.signIn("both")
	for i := range 3 {
		m := aShip(ais.MMSI(211000010+i), 1)
		s.say(m)
		eventually(t, patience, "it is heard", func() bool { reports, _ := picture(); return reports > uint64(i) })
		if _, err := second.Write(sentences(t, m)); err != nil {
			t.Fatal(err)
		}
		eventually(t, patience, "it is heard again", func() bool { _, duplicates := picture(); return duplicates > uint64(i) })
	}
	last := aShip(211000020, 1) // what comes twice comes before it
	s.say(last)
	eventually(t, patience, "the last is heard", func() bool { reports, _ := picture(); return reports > 3 })
	if _, err := second.Write(sentences(t, last)); err != nil {
		t.Fatal(err)
	}
	eventually(t, patience, "all of it comes", func() bool { return tower.ships()[last.MMSI] && both.ships()[last.MMSI] })
	if n := tower.count("s:tower"); n != 4 || tower.count("s:udp") > 0 {
		t.Errorf("the user of the second feed: %q", tower.said())
	}
	if n := both.count("s:udp"); n != 4 || both.count("s:tower") > 0 {
		t.Errorf("the user of both: %q", both.said())
	}
}
